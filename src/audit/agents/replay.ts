/**
 * An agent that says again what was recorded (spec/audit-run.md, AUR-11): the same replies against today's policy, tools and signals, without a model.
 * @module
 */
import { refuse } from '../../errors.js';
import { readEpoch } from '../run/lines.js';
import type { Agent, AgentReply } from './agent.js';

/** Epochs that are kept read at once. */
const kept = 64;

/**
 * @param read - the recorded lines of an epoch; undefined where there are none
 * @example
 * const agent = replayAgent((epoch) => readFileSync(`recorded/${epoch}.jsonl`, 'utf8'));
 */
export function replayAgent(read: (epoch: number) => string | undefined): Agent {
  const replies = new Map<number, readonly AgentReply[]>();
  const repliesOf = (epoch: number): readonly AgentReply[] => {
    const known = replies.get(epoch);
    if (known !== undefined) return known;
    const source = read(epoch);
    const found = source === undefined ? [] : readEpoch(source).replies;
    if (replies.size >= kept) replies.delete(replies.keys().next().value as number);
    replies.set(epoch, found);
    return found;
  };
  return {
    next: async ({ epoch, index }) =>
      repliesOf(epoch)[index] ??
      refuse('replay-missing', `expected turn ${index} of epoch ${epoch} in the recording, it is not there`, { evidence: { epoch, turn: index } }),
  };
}
