/**
 * Issuing receipts (spec/receipt.md, "Producer").
 * @module
 */
import { encodeCbor, type CborInput } from '../cose/cbor.js';
import { prepareSign1, type PreparedSign1 } from '../cose/sign1.js';
import type { AsyncSigner, Signer } from '../cose/signer.js';
import { type AuditEvent, isSealed } from '../engine/engine.js';
import { RuleprintError, type Problem } from '../errors.js';
import { copyPlain } from '../policy/plain.js';
import { canonicalOrProblem } from './canonical.js';
import { receiptType } from './profile.js';
import { statementProblems, type DecisionStatement, type Statement } from './statement.js';

/** What the caller knows of the call beside the event. */
export interface CallFacts {
  /** The caller's own id for the call: a name (POL-8). */
  readonly callId?: string;
  /** The digest of the raw arguments. */
  readonly argsDigest?: string;
  /** The digest of the table that made actions of them. */
  readonly mapping?: string;
  /** `false` where the decision was only observed. */
  readonly enforced?: false;
}

/**
 * Signs an audit event as a receipt: bytes that the caller owns. With an asynchronous signer it gives a promise of them.
 *
 * @throws RuleprintError for an event that is no good statement (from another engine, say): nothing is signed then; `signer-output`
 * @example
 * const signer = createSigner(generateKey());
 * const receipt = signReceipt(engine.evaluate(request), signer);
 */
export function signReceipt(event: AuditEvent, signer: Signer, facts?: CallFacts): Uint8Array;
export function signReceipt(event: AuditEvent, signer: AsyncSigner, facts?: CallFacts): Promise<Uint8Array>;
export function signReceipt(event: AuditEvent, signer: Signer | AsyncSigner, facts: CallFacts = {}): Uint8Array | Promise<Uint8Array> {
  if (typeof signer?.sign !== 'function') throw new TypeError('"signer" expected a signer, see createSigner');
  // another engine's event may hold live objects: what is judged must be what is signed, so it is copied first
  const own = isSealed(event) ? event : (copyPlain(event) as AuditEvent);
  const prepared = prepareStatement(decisionStatement(own, facts), signer);
  const signature = signer.sign(prepared.sigStructure);
  return isPending(signature) ? signature.then(prepared.finish) : prepared.finish(signature);
}

/** A promise of any make: a signer may bring its own. */
function isPending(signature: Uint8Array | Promise<Uint8Array>): signature is Promise<Uint8Array> {
  return typeof (signature as Partial<Promise<Uint8Array>> | undefined)?.then === 'function';
}

/** A statement ready to be signed: its hash is known now, whatever time the signer takes (RCP-4). */
export function prepareStatement(statement: Statement, signer: Pick<Signer, 'alg' | 'kid'>): PreparedSign1 {
  const [first, ...rest] = problemsOf(statement);
  if (first !== undefined) throw new RuleprintError([first, ...rest]);
  return prepareSign1(encodeCbor(statement as unknown as CborInput), signer, { typ: receiptType });
}

/** A receipt that its own verifier would refuse is not made. */
function problemsOf(statement: Statement): readonly Problem[] {
  const problems = statementProblems(statement);
  if (problems.length > 0 || statement.statement !== 'decision' || statement.actions.length === 0) return problems;
  const canonical = canonicalOrProblem(statement); // RCP-2
  return 'code' in canonical ? [canonical] : [];
}

/**
 * The statement of an event, its keys in the order of deterministic CBOR, so that encoding need not sort. What is absent
 * is left out (RCP-1); version, digest and profile are the event's own (RCP-3).
 */
export function decisionStatement(event: AuditEvent, { callId, argsDigest, mapping, enforced }: CallFacts = {}): DecisionStatement {
  const { rule, action, effect, reason } = event.decision;
  return {
    time: event.time,
    agent: event.agent,
    actions: event.actions,
    ...(callId !== undefined && { call_id: callId }),
    ...(mapping !== undefined && { mapping }),
    decision: { ...(rule !== undefined && { rule }), ...(action !== undefined && { action }), effect, ...(reason !== undefined && { reason }) },
    ...(enforced !== undefined && { enforced }),
    engine_id: event.engineId,
    statement: 'decision',
    ...(argsDigest !== undefined && { args_digest: argsDigest }),
    ...(event.matchProfile !== undefined && { match_profile: event.matchProfile }),
    ...(event.policyDigest !== undefined && { policy_digest: event.policyDigest }),
    ...(event.policyVersion !== undefined && { policy_version: event.policyVersion }),
  };
}
