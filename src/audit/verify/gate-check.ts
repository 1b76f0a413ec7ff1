/**
 * Whether a call was judged as the plan says (AUE-33), made again from the call as it was written: its receipt, and the gate's words in place of a result.
 * @module
 */
import { type ErrorCode, errorCodes } from '../../errors.js';
import { type Reading, readingOf } from '../../gate/reading.js';
import { wordsOf, wordsOfAsk } from '../../gate/verdict.js';
import type { Mapper } from '../../mapping/mapper.js';
import type { Action } from '../../policy/model.js';
import type { DecisionStatement } from '../../receipt/statement.js';
import { callDigest } from '../tools/call-digest.js';
import { stableText, type ToolCall } from '../transcript.js';

/** Who calls in every epoch: rules may name agents. */
export const auditedAgent = 'subject';

/** A call read as the gate of an audit reads it. */
export function judgedAgain({ name, parsed, args }: Pick<ToolCall, 'name' | 'parsed' | 'args'>, callId: string, map: Mapper): Reading {
  // what did not parse has no arguments, as for the tools of an epoch
  const given = parsed === 'ok' ? args : Number.NaN;
  return readingOf({ tool: name, args: given, callId }, { map, mapping: map.digest, agent: auditedAgent, salt: undefined, enforced: true });
}

/** Whether a receipt is that of the call: enforced, for the audited agent, with the actions that the mapping makes, or the reason why it makes none. */
export function isReceiptOf({ judged, toolOf, facts }: Reading, { agent, actions, decision, enforced, args_digest: digest }: DecisionStatement): boolean {
  if (agent !== auditedAgent || enforced !== undefined || digest !== facts.argsDigest) return false;
  const tool = toolOf();
  const named: readonly Action[] = tool === undefined ? [] : [tool];
  // a fault is not made again: it is a deny, and names the tool alone
  if (decision.reason === 'fault') return isSame(actions, named);
  if ('reason' in judged) return decision.reason === judged.reason && isSame(actions, named);
  return isSame(actions, judged.actions);
}

/** The words that the agent was given in place of a result. Of a fault there are several: which part failed stands in no receipt. */
export function gateWords({ judged }: Reading, { decision, actions, args_digest: digest }: DecisionStatement): readonly string[] {
  if (decision.effect === 'ask') return [wordsOfAsk(decision.rule, digest === undefined ? 'ask-not-releasable' : 'approval-missing')];
  const codes: readonly (ErrorCode | undefined)[] = decision.reason === 'fault' ? errorCodes : ['reason' in judged ? judged.code : undefined];
  return codes.map((code) => wordsOf(decision, actions, code));
}

/** Whether the arguments of a call are data that a script looks into. */
export function argsFor({ parsed, args }: Pick<ToolCall, 'parsed' | 'args'>): unknown {
  return parsed === 'ok' && callDigest(args) !== undefined ? args : undefined;
}

const isSame = (a: readonly Action[], b: readonly Action[]): boolean => stableText(a) === stableText(b);
