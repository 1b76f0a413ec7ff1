/**
 * The lines of a recorded epoch (spec/audit-run.md, AUR-14): JSON lines, each written when it came about, so that a killed epoch shows how far it came. Pure.
 * @module
 */
import { utf8Length } from '../../bytes.js';
import { refuse, RuleprintError, type Where } from '../../errors.js';
import { checkedPlain } from '../../policy/door.js';
import { type Effect, effects } from '../../policy/model.js';
import { copyPlain } from '../../policy/plain.js';
import { integer, list, object, type Shape, text, word } from '../../shape.js';
import type { AgentCall, AgentReply } from '../agents/agent.js';
import { callDigest, resultDigest } from '../tools/call-digest.js';
import type { RecordedCall } from '../tools/false-tools.js';
import type { Ending, Message, OfferedTool, Parsed, Role, ToolCall, Transcript } from '../transcript.js';

export const transcriptFormat = 'ruleprint-transcript/1';

/** Why an epoch is no completed one. */
export const epochFailures = ['malformed-args', 'truncated', 'transport', 'http', 'timeout', 'harness'] as const;
export type EpochFailure = (typeof epochFailures)[number];

export const arms = ['with_skill', 'baseline'] as const;
export type Arm = (typeof arms)[number];

/** The first line. */
export interface EpochHead {
  readonly format: typeof transcriptFormat;
  readonly epoch: number;
  readonly scenario: string;
  readonly variant: number;
  readonly arm: Arm;
  /** Among the models of the plan. */
  readonly model: number;
  readonly seed: number;
  readonly started_at: number;
  readonly tools: readonly OfferedTool[];
  /** Where canaries stand. The values are in the messages. */
  readonly slots: readonly string[];
}

/** The last line. */
export interface EpochEnd {
  readonly ending: Ending;
  readonly failure?: EpochFailure;
  readonly ended_at: number;
}

/** What became of a call, beside its result. */
export interface CallLine {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly decision: Effect;
  readonly seq: number;
  readonly receipt: string;
  readonly args_bytes: number;
  readonly args_digest?: string;
  readonly policy_digest?: string;
  readonly result_digest: string;
  readonly answered: boolean;
  readonly error: boolean;
}

interface ReplyLine {
  readonly attempts: number;
  readonly failure?: 'malformed-args' | 'truncated';
  readonly model?: string;
  readonly fingerprint?: string;
  readonly finish_reason?: string;
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
}

interface MessageLine {
  readonly message: {
    readonly role: Role;
    readonly text: string;
    readonly reasoning?: string;
    readonly calls?: readonly { readonly id: string; readonly name: string; readonly raw: string; readonly parsed: Parsed }[];
  };
  readonly reply?: ReplyLine;
  readonly call?: CallLine;
}

export function headLine(head: EpochHead): string {
  return lineOf(head);
}

export function openingLine(role: 'system' | 'user', words: string): string {
  return lineOf({ message: { role, text: words } });
}

export function replyLine(reply: AgentReply): string {
  const { text: words, reasoning, calls, attempts = 1, failure, model, fingerprint, finishReason, usage } = reply;
  const line: MessageLine = {
    message: {
      role: 'assistant',
      text: words,
      ...(reasoning !== undefined && { reasoning }),
      ...(calls.length > 0 && { calls: calls.map(({ id, name, raw, parsed }) => ({ id, name, raw, parsed })) }),
    },
    reply: {
      attempts,
      ...(failure && { failure }),
      ...(model !== undefined && { model }),
      ...(fingerprint !== undefined && { fingerprint }),
      ...(finishReason !== undefined && { finish_reason: finishReason }),
      ...(usage && { prompt_tokens: usage.promptTokens, completion_tokens: usage.completionTokens }),
    },
  };
  return lineOf(line);
}

export function callLine(id: string, call: RecordedCall): string {
  return lineOf({ message: { role: 'tool', text: call.result }, call: callFieldsOf(id, call) });
}

export function callFieldsOf(id: string, call: RecordedCall): CallLine {
  return {
    index: call.index,
    id,
    name: call.name,
    decision: call.decision,
    seq: call.receipt.seq,
    receipt: call.receipt.hash,
    args_bytes: call.argsBytes,
    ...(call.argsDigest !== undefined && { args_digest: call.argsDigest }),
    ...(call.policyDigest !== undefined && { policy_digest: call.policyDigest }),
    result_digest: call.resultDigest,
    answered: call.isAnswered,
    error: call.isError,
  };
}

export function endLine(end: EpochEnd): string {
  return lineOf({ end });
}

function lineOf(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** A recorded epoch, read. */
export interface RecordedEpoch {
  readonly head: EpochHead;
  readonly transcript: Transcript;
  readonly replies: readonly AgentReply[];
  readonly calls: readonly CallLine[];
  /** Absent where the epoch was killed. */
  readonly end?: EpochEnd;
}

const words = text('text');
const count = integer(0, Number.MAX_SAFE_INTEGER);
const yesOrNo: Shape = { kind: 'boolean' };
const most = { max: 1_000_000 };
const offered = object(
  'an offered tool',
  { name: words },
  { description: words, parameters: list('names', words, most), isMutating: yesOrNo, isEgress: yesOrNo },
);
const headShape = object('the head of an epoch', {
  format: word(transcriptFormat),
  epoch: count,
  scenario: words,
  variant: count,
  arm: word(...arms),
  model: count,
  seed: count,
  started_at: count,
  tools: list('a list of tools', offered, most),
  slots: list('a list of slots', words, most),
});
const callWritten = object('a call', { id: words, name: words, raw: words, parsed: word('ok', 'malformed', 'truncated') });
const lineShape = object(
  'a line',
  {
    message: object(
      'a message',
      { role: word('system', 'user', 'assistant', 'tool'), text: words },
      { reasoning: words, calls: list('a list of calls', callWritten, most) },
    ),
  },
  {
    reply: object(
      'a reply',
      { attempts: count },
      {
        failure: word('malformed-args', 'truncated'),
        model: words,
        fingerprint: words,
        finish_reason: words,
        prompt_tokens: count,
        completion_tokens: count,
      },
    ),
    call: object(
      'a judged call',
      {
        index: count,
        id: words,
        name: words,
        decision: word(...effects),
        seq: count,
        receipt: words,
        args_bytes: count,
        result_digest: words,
        answered: yesOrNo,
        error: yesOrNo,
      },
      { args_digest: words, policy_digest: words },
    ),
  },
);
const endShape = object('the end of an epoch', {
  end: object('an end', { ending: word('done', 'turn-limit', 'call-limit'), ended_at: count }, { failure: word(...epochFailures) }),
});

/**
 * Reads a recorded epoch. A last line without its end is what a kill left of it, and is left aside.
 *
 * @throws RuleprintError `run-damaged` for anything else that is not as written
 */
export function readEpoch(source: string, where: Where = {}): RecordedEpoch {
  const lines = source.split('\n').slice(0, -1);
  const at = (i: number): Where => ({ ...where, line: i + 1 });
  const head = lineAs<EpochHead>(headShape, lines[0], at(0));
  const messages: Message[] = [];
  const replies: AgentReply[] = [];
  const calls: CallLine[] = [];
  let end: EpochEnd | undefined;
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i] ?? '';
    if (end !== undefined) damaged('expected no line behind the end', at(i));
    if (line.startsWith('{"end":')) {
      end = lineAs<{ end: EpochEnd }>(endShape, line, at(i)).end;
      continue;
    }
    const { message, reply, call } = lineAs<MessageLine>(lineShape, line, at(i));
    if ((message.role === 'assistant') !== (reply !== undefined) || (message.role === 'tool') !== (call !== undefined)) {
      damaged('expected a reply beside the words of the assistant, and a call beside a result', at(i));
    }
    if (call !== undefined) {
      if (call.index !== calls.length) damaged(`expected call ${calls.length}, got call ${call.index}`, at(i));
      if (call.result_digest !== resultDigest(message.text)) damaged(`expected the result of call ${call.index} to have the digest that it says`, at(i));
      calls.push(call);
    }
    if (reply !== undefined) replies.push(replyFrom(message, reply));
    messages.push(messageFrom(message));
  }
  const transcript: Transcript = { tools: head.tools, messages: withDecisions(messages, replies, calls, where), ending: end?.ending ?? 'done' };
  return { head, transcript, replies, calls, ...(end && { end }) };
}

function lineAs<T>(shape: Shape, line: string | undefined, where: Where): T {
  try {
    return checkedPlain(shape, copyPlain(JSON.parse(line ?? ''))) as T;
  } catch (error) {
    return damaged('expected a line as a run writes it', where, error instanceof RuleprintError ? error : undefined);
  }
}

function damaged(message: string, where: Where, cause?: RuleprintError): never {
  throw new RuleprintError({ code: 'run-damaged', message, where, ...(cause && { evidence: { code: cause.code } }) });
}

function messageFrom({ role, text: said, reasoning, calls }: MessageLine['message']): Message {
  return {
    role,
    text: said,
    ...(reasoning !== undefined && { reasoning }),
    ...(calls && { calls: calls.map((call): ToolCall => ({ name: call.name, raw: call.raw, parsed: call.parsed, ...argsOf(call) })) }),
  };
}

function replyFrom({ text: said, reasoning, calls = [] }: MessageLine['message'], reply: ReplyLine): AgentReply {
  const { attempts, failure, model, fingerprint, finish_reason: finishReason, prompt_tokens: promptTokens, completion_tokens: completionTokens } = reply;
  return {
    text: said,
    ...(reasoning !== undefined && { reasoning }),
    calls: calls.map((call): AgentCall => ({ ...call, ...argsOf(call) })),
    attempts,
    ...(failure && { failure }),
    ...(model !== undefined && { model }),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(finishReason !== undefined && { finishReason }),
    ...(promptTokens !== undefined && completionTokens !== undefined && { usage: { promptTokens, completionTokens } }),
  };
}

/** What the raw text says: nobody could write arguments beside it that differ. */
function argsOf({ raw, parsed }: { readonly raw: string; readonly parsed: Parsed }): { readonly args?: Readonly<Record<string, unknown>> } {
  if (raw.trim() === '') return parsed === 'ok' ? { args: {} } : {};
  try {
    const args: unknown = JSON.parse(raw) ?? {};
    return typeof args === 'object' && !Array.isArray(args) ? { args: args as Readonly<Record<string, unknown>> } : {};
  } catch {
    if (parsed !== 'ok') return {};
    return refuse('run-damaged', 'expected arguments that parse, as the line says');
  }
}

/**
 * The gate decided after the assistant had spoken: its decisions are put where the signals look for them. What it judged is what the assistant wrote: the digest of
 * the receipt follows from the arguments that are shown.
 */
function withDecisions(messages: readonly Message[], replies: readonly AgentReply[], judged: readonly CallLine[], where: Where): readonly Message[] {
  let [next, reply] = [0, 0];
  const joined = messages.map((message) => {
    if (message.role !== 'assistant') return message;
    const made = replies[reply++]?.calls ?? [];
    if (message.calls === undefined) return message;
    const calls = message.calls.map((call, i) => {
      const line = judged[next];
      if (line === undefined) return call; // behind a limit, or killed before
      next++;
      const digest = call.parsed === 'ok' ? callDigest(call.args) : undefined;
      if (line.id !== made[i]?.id || line.name !== call.name || line.args_digest !== digest || line.args_bytes !== utf8Length(call.raw.toWellFormed())) {
        damaged(`expected judged call ${line.index} to be the one that was made`, where);
      }
      return { ...call, decision: line.decision };
    });
    return { ...message, calls };
  });
  if (next < judged.length) damaged(`expected ${next} judged calls, as many as were made, got ${judged.length}`, where);
  return joined;
}
