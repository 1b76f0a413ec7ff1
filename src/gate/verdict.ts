/**
 * What the gate answers (spec/gate.md), and its words: for the model and for people, without an argument of the call in them.
 * @module
 */
import { type ErrorCode, quote } from '../errors.js';
import type { Action, Decision, Effect, Reason } from '../policy/model.js';

/** The answer to one call. Frozen. */
export interface Verdict {
  /** What the rules say; `deny` for every doubt. */
  readonly effect: Effect;
  /** Whether the call may go ahead: an allow, an ask that was released, anything in observe mode. The one field to act on. */
  readonly allowed: boolean;
  readonly rule?: string;
  readonly reason?: Reason;
  /** The index of the action that decided. */
  readonly action?: number;
  /** For the model and for people: no arguments in it. */
  readonly message: string;
  /** Why there is no decision by rules, why an ask was not released, or why there is no record. */
  readonly code?: ErrorCode;
  readonly policyVersion?: number;
  /** Absent where the engine has none. */
  readonly policyDigest?: string;
  /** The entry of the decision; absent where the gate has no ledger or the ledger failed. */
  readonly receipt?: VerdictReceipt;
  /** The salt of args_digest, where one was asked for: the caller's to keep. */
  readonly argsSalt?: string;
  /** The release entry, where an ask was approved. */
  readonly release?: { readonly seq: number; readonly hash: string };
}

/** Where the decision stands in the ledger. */
export interface VerdictReceipt {
  readonly seq: number;
  /** The receipt hash. */
  readonly hash: string;
  /** Resolves when it survives loss of power. */
  readonly durable: Promise<void>;
}

/** What the rules, or their absence, say. */
export function wordsOf({ effect, rule, reason, action }: Decision, actions: readonly Action[], code?: ErrorCode): string {
  if (effect === 'allow') return `allowed by rule ${quote(rule ?? '')}`;
  if (effect === 'ask') return `rule ${quote(rule ?? '')} asks for a human's approval`;
  const why = code === undefined ? '' : ` (${code})`;
  switch (reason) {
    case undefined:
      return `denied by policy: rule ${quote(rule ?? '')} denies ${part(action, actions)}`;
    case 'no-rule':
      return `denied by policy: no rule allows ${part(action, actions)}`;
    case 'no-policy':
      return 'denied: no policy is installed';
    case 'unmapped':
      return `denied: what the call would do cannot be told from its arguments${why}`;
    case 'not-canonical':
      return `denied: the call names something that has no canonical form${why}`;
    default:
      return `denied: the gate could not judge the call${why}`;
  }
}

/** Which part of the call decided, by kind alone: what it holds may be secret. */
function part(index: number | undefined, actions: readonly Action[]): string {
  const action = index === undefined ? undefined : actions[index];
  if (action === undefined) return 'the call';
  if ('tool' in action) return `the tool ${quote(action.tool.name)} of ${quote(action.tool.server)}`;
  if ('filesystem' in action) return `the ${action.filesystem.method} of a file that the call needs`;
  return `the ${'network' in action ? 'network access' : 'program'} that the call needs`;
}

/** What a host that asks its user itself tells them. No release follows, and none is claimed. */
export function questionOf({ rule }: Verdict): string {
  return `rule ${quote(rule ?? '')} asks for a human's approval`;
}

/** Why an ask did not become a release. */
export function wordsOfAsk(rule: string | undefined, code: ErrorCode): string {
  const asks = `denied: rule ${quote(rule ?? '')} asks for a human's approval`;
  switch (code) {
    case 'approval-missing':
      return `${asks}, and none was given`;
    case 'approval-refused':
      return `${asks}, and the answer was no`;
    case 'approval-expired':
      return `${asks}, and it came too late`;
    case 'ask-not-releasable':
      return `${asks}, and without a ledger none can be kept`;
    case 'install-between':
      return `${asks}, and the policy kept changing meanwhile`;
    default:
      return `${asks}, and what was given is not good (${code})`;
  }
}

/** Why the record or the answer is not there. */
export function wordsOfFailure(code: ErrorCode): string {
  if (code === 'gate-async') return 'denied: the answer needs waiting for, and this caller cannot wait (gate-async): use checkAsync';
  return `denied: the decision could not be recorded (${code})`;
}
