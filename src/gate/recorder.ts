/**
 * Deciding and recording as one thing, whichever kind of engine the gate has.
 * @module
 */
import { type AuditEvent, isSealed, type PolicyEngine } from '../engine/engine.js';
import { type ErrorCode, refuse } from '../errors.js';
import type { LedgerEngine, Refusal } from '../ledger/engine.js';
import type { Appended, Ledger } from '../ledger/ledger.js';
import { freezeDeep, copyPlain } from '../policy/plain.js';
import type { Action, Request } from '../policy/model.js';
import { canonicalRequest } from '../policy/request.js';
import { type CallFacts, decisionStatement } from '../receipt/issue.js';
import { type InForce, statementProblems } from '../receipt/statement.js';

/** A decision, and its place in the chain where there is one. */
export interface Outcome {
  readonly event: AuditEvent;
  readonly receipt?: Appended;
  /** What was in force at the decision: the same object as long as nothing is installed. */
  readonly inForce?: InForce | undefined;
  /** Why no rule was asked. */
  readonly code?: ErrorCode;
}

export interface Recorder {
  readonly ledger: Ledger | undefined;
  decide(request: Request, facts: CallFacts): Outcome | Promise<Outcome>;
  refuse(refusal: Refusal, facts: CallFacts): Outcome;
}

/** @throws TypeError for an engine that is none, or a ledger that is not the engine's */
export function recorderOf(engine: PolicyEngine | LedgerEngine, ledger: Ledger | undefined, now: (() => number) | undefined): Recorder {
  if (typeof engine?.evaluate !== 'function') throw new TypeError('"engine" expected an engine');
  if (isLedgerEngine(engine)) {
    if (ledger !== undefined && ledger !== engine.ledger) throw new TypeError('"ledger" expected the ledger of the engine, or none');
    const { ledger: own } = engine;
    return {
      ledger: own,
      decide: (request, facts) => ({ ...engine.decide(request, facts), inForce: own.inForce }),
      refuse: (refusal, facts) => engine.recordRefusal(refusal, facts),
    };
  }
  if (ledger !== undefined && ledger.engineId !== engine.engineId) throw new TypeError('"ledger" expected the ledger of this engine id');
  const clock = now ?? ledger?.now ?? Date.now;
  const outcomeOf = (event: AuditEvent, facts: CallFacts): Outcome => {
    if (ledger === undefined) return { event };
    return { event, receipt: ledger.append(decisionStatement(event, facts)), inForce: ledger.inForce };
  };
  return {
    ledger,
    decide: (request, facts) => {
      const given = engine.evaluate(request);
      return isPending(given)
        ? Promise.resolve(given).then((event) => outcomeOf(checkedEvent(event, engine, request), facts))
        : outcomeOf(checkedEvent(given, engine, request), facts);
    },
    refuse: (refusal, facts) => outcomeOf(refusalEvent(engine.engineId, refusal, clock(), ledger), facts),
  };
}

/** By what it has: an application may load this module twice, as ESM and as CJS. */
function isLedgerEngine(engine: PolicyEngine | LedgerEngine): engine is LedgerEngine {
  const { decide, recordRefusal, ledger } = engine as Partial<LedgerEngine>;
  return typeof decide === 'function' && typeof recordRefusal === 'function' && ledger !== undefined;
}

export function isPending(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function';
}

/**
 * Another engine's event is copied once and judged: it may be live, or no good statement (GAT-8). Of one that an engine of ours made it is left to ask
 * whether it answers this request.
 */
function checkedEvent(given: AuditEvent, engine: PolicyEngine, request: Request): AuditEvent {
  const event = isSealed(given) ? given : copiedEvent(given);
  if (event.engineId !== engine.engineId || event.agent !== request.agent || !isAbout(event.actions, request.actions)) {
    refuse('gate-fault', 'expected an answer of this engine to this request, got another');
  }
  return event;
}

function copiedEvent(given: AuditEvent): AuditEvent {
  const event = freezeDeep(copyPlain(given) as AuditEvent);
  const [problem] = statementProblems(decisionStatement(event));
  if (problem !== undefined) refuse(problem.code, problem.message);
  const { agent, actions } = event;
  return Object.freeze({ ...event, actions: canonicalRequest({ agent, actions }).actions });
}

/** Both in canonical form, and so with their fields in one order. */
function isAbout(answered: readonly Action[], asked: readonly Action[]): boolean {
  return answered === asked || JSON.stringify(answered) === JSON.stringify(asked);
}

/** What the ledger has in force is cited, as LED-14 asks of every decision. */
function refusalEvent(engineId: string, { agent, tool, reason }: Refusal, time: number, ledger: Ledger | undefined): AuditEvent {
  const { policy_version: policyVersion, policy_digest: policyDigest, match_profile: matchProfile } = ledger?.inForce ?? {};
  return freezeDeep({
    engineId,
    time,
    agent,
    actions: tool === undefined ? [] : [tool],
    decision: { effect: 'deny', reason },
    ...(policyVersion !== undefined && { policyVersion }),
    ...(policyDigest !== undefined && { policyDigest }),
    ...(matchProfile !== undefined && { matchProfile }),
  } satisfies AuditEvent);
}
