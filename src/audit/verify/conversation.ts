/**
 * Whether the lines of an epoch are such as a run writes (AUE-32): who speaks when, how often, and how it ended. Words of the agent are not checked, since nothing
 * binds them; everything that was said to it is. Pure.
 * @module
 */
import type { AuditPlanStatement } from '../../receipt/audit-statements.js';
import type { EpochEnd, RecordedEpoch } from '../run/lines.js';
import type { Message } from '../transcript.js';

type Limits = AuditPlanStatement['limits'];

/** Where a conversation stands when its lines end. */
interface Last {
  /** Turns of the agent. */
  readonly turns: number;
  /** Calls that were answered, in all turns and in the last one. */
  readonly made: number;
  readonly answered: number;
  /** Calls of the last turn. */
  readonly asked: number;
  /** Of the last reply. */
  readonly failure: EpochEnd['failure'] | undefined;
}

/** What of an epoch no run writes; undefined where it is such as one does. */
export function conversationFault({ transcript, replies, end }: RecordedEpoch, limits: Limits): string | undefined {
  const { messages } = transcript;
  if (end === undefined) return 'an end';
  const isKilled = end.failure === 'harness';
  if (messages.some(({ role, calls, reasoning }) => role !== 'assistant' && (calls !== undefined || reasoning !== undefined)))
    return 'calls and thoughts of the assistant alone';
  // a kill may have left the head alone
  if (messages.length < 2 && isKilled && messages.every(({ role }) => role === 'system')) return endFault(end, { ...nothing }, limits);
  if (messages[0]?.role !== 'system' || messages[1]?.role !== 'user') return "the operator's words and the user's in front";
  if (replies.some(({ attempts = 1 }) => attempts > limits.retries + 1)) return `at most ${limits.retries + 1} tries of a turn`;
  let last: Last = nothing;
  for (let at = 2; at < messages.length; ) {
    const asked = askedBy(messages[at]);
    if (asked === undefined) return `the assistant to speak in message ${at}`;
    if (at > 2 && (last.asked === 0 || last.answered < last.asked || last.failure !== undefined))
      return `nothing behind the turn that ended it, got message ${at}`;
    at++;
    let answered = 0;
    for (; answered < asked && messages[at]?.role === 'tool'; at++) answered++;
    last = { turns: last.turns + 1, made: last.made + answered, answered, asked, failure: replies[last.turns]?.failure };
  }
  if (last.turns > limits.max_turns) return `at most ${limits.max_turns} turns`;
  if (last.made > limits.max_calls) return `at most ${limits.max_calls} calls`;
  return endFault(end, last, limits);
}

const nothing: Last = { turns: 0, made: 0, answered: 0, asked: 0, failure: undefined };

/** Calls of a turn of the agent; undefined for another message. */
function askedBy(message: Message | undefined): number | undefined {
  return message?.role === 'assistant' ? (message.calls ?? []).length : undefined;
}

/** AUR-12: each ending has one way to come about, but for what is killed, which may end anywhere. */
function endFault({ ending, failure }: EpochEnd, { turns, made, answered, asked, failure: ofReply }: Last, limits: Limits): string | undefined {
  const isAnswered = answered === asked;
  if (failure !== undefined && ending !== 'done') return 'no limit that was reached in an epoch that broke off';
  switch (failure ?? ending) {
    case 'harness':
      return undefined;
    case 'malformed-args':
    case 'truncated':
      return isAnswered && ofReply === failure ? undefined : `a last turn that was ${failure}`;
    case 'done':
      return turns > 0 && asked === 0 && ofReply === undefined ? undefined : 'a last turn without a call';
    case 'call-limit':
      return made === limits.max_calls && !isAnswered ? undefined : `${limits.max_calls} calls, and one more that was asked for`;
    case 'turn-limit':
      return turns === limits.max_turns && asked > 0 && isAnswered && ofReply === undefined ? undefined : `${limits.max_turns} turns, the last with a call`;
    default:
      return isAnswered && (turns === 0 || asked > 0) && turns < limits.max_turns && ofReply === undefined ? undefined : 'a turn that the agent owes';
  }
}
