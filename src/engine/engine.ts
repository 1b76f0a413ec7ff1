/**
 * What every engine is (spec/decision.md): it installs policies, decides, and hands out audit events.
 * @module
 */
import type { Trace } from '../decide/decide.js';
import type { Action, Decision, Policy, Request } from '../policy/model.js';

/**
 * One decision, with what decided, captured by value at the decision (DEC-13). Deep frozen. An engine without a digest leaves `policyDigest` off:
 * absent, never undefined by name, null or empty (DEC-14).
 */
export interface AuditEvent {
  readonly engineId: string;
  /** Milliseconds since the Unix epoch, by the engine's clock. */
  readonly time: number;
  readonly agent: string;
  /** In canonical form. */
  readonly actions: readonly Action[];
  readonly decision: Decision;
  readonly policyVersion?: number;
  readonly policyDigest?: string;
  readonly matchProfile?: string;
}

export interface TracedEvent {
  readonly event: AuditEvent;
  readonly trace: Trace;
}

/** Events that an engine of this package made: deep frozen plain data, so what was judged cannot change until it is signed. */
const ownEvents = new WeakSet<AuditEvent>();

/** Freezes an event of our own and remembers it. */
export function sealEvent(event: AuditEvent): AuditEvent {
  ownEvents.add(Object.freeze(event));
  return event;
}

export function isSealed(event: AuditEvent): boolean {
  return ownEvents.has(event);
}

/** What an install put in force. */
export interface Installed {
  readonly version: number;
  readonly digest?: string;
  /** The digest that was in force before. */
  readonly replaces?: string;
}

/**
 * The contract. An engine may answer with promises (a remote service), and may have no digest (one that cannot hash its rules); a consumer that
 * requires the binding refuses such an engine. `test/contract` holds the suite that every engine runs.
 */
export interface PolicyEngine {
  readonly engineId: string;
  /** Refuses a version that is not greater than the current one and changes nothing then (DEC-12). */
  install(policy: Policy): Installed | Promise<Installed>;
  /** Refuses a request that it cannot make canonical; never an allow (DEC-3). */
  evaluate(request: Request): AuditEvent | Promise<AuditEvent>;
  /** The same decision as `evaluate`, with its trace (DEC-11). */
  evaluateTraced(request: Request): TracedEvent | Promise<TracedEvent>;
  /** The digest in force now: for people and installs, never for an event, which carries its own. */
  policyDigest?(): string | undefined | Promise<string | undefined>;
}
