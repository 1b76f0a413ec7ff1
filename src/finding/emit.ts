/**
 * Emitting finding receipts (spec/finding.md, "Finding receipts"): a harness's claim, signed by its key and held against nothing.
 * @module
 */
import type { AsyncSigner, Signer } from '../cose/signer.js';
import { refuse } from '../errors.js';
import type { Effect } from '../policy/model.js';
import { reportedId, stableId } from '../receipt/finding-ids.js';
import { prepareStatement } from '../receipt/issue.js';
import { readReceipt } from '../receipt/read.js';
import type { FindingStatement, FindingVerdict } from '../receipt/statement.js';

/** What the receipt says that a claim is about. */
export interface Cited {
  readonly engineId: string;
  readonly citedReceipt: string;
  readonly tool: { readonly server: string; readonly name: string };
  readonly argsDigest: string;
  /** Of the rules that decided; absent where the receipt names none. It is in the stable id alone. */
  readonly policyDigest?: string;
  readonly actualDecision: Effect;
}

export interface FindingClaim extends Cited {
  readonly harness: string;
  readonly testId: string;
  readonly verdict: FindingVerdict;
  readonly expectedDecision: Effect;
  /** Milliseconds since the Unix epoch: when the harness saw it, and when it says so. */
  readonly detectedAt: number;
  readonly time: number;
  /** The salt of the argument digest, so that others can make it again. */
  readonly argsSalt?: string;
  /** The receipt hash of a signed test plan that binds the expectation. */
  readonly plan?: string;
  readonly note?: string;
}

/**
 * Reads off a gate receipt what a finding about it says. No signature is checked.
 *
 * @throws RuleprintError the codes of steps 1 to 8 of the verifier; `bad-value` for what is no decision about a tool with an argument digest
 */
export function citing(receipt: Uint8Array): Cited {
  const { statement, hash } = readReceipt(receipt);
  if (statement.statement !== 'decision') refuse('bad-value', `expected a decision to cite, got a ${statement.statement}`);
  const tool = statement.actions.flatMap((action) => ('tool' in action ? [action.tool] : []))[0];
  const { engine_id: engineId, args_digest: argsDigest, policy_digest: policyDigest, decision } = statement;
  if (tool === undefined) refuse('bad-value', 'expected a decision about a tool');
  if (argsDigest === undefined) refuse('missing-key', 'expected a decision with a digest of its arguments', { where: { pointer: '/args_digest' } });
  return {
    engineId,
    citedReceipt: hash,
    tool: { server: tool.server, name: tool.name },
    argsDigest,
    ...(policyDigest !== undefined && { policyDigest }),
    actualDecision: decision.effect,
  };
}

/**
 * Signs a claim as a finding receipt, bytes that the caller owns; `Ledger.record` takes it into a chain. The claim is the harness's own: nothing is
 * asked of a ledger, the verifier does that. With an asynchronous signer it gives a promise.
 *
 * @throws RuleprintError for a claim that is no good statement, `bad-value` for a verdict that is not one of the three; `signer-output`
 * @example
 * const receipt = emitFinding({ ...citing(decision), harness: 'qm', testId: 'exfil:oversized-export', verdict: 'confirmed',
 *   expectedDecision: 'deny', detectedAt: now, time: now }, signer);
 * ledger.record(receipt);
 */
export function emitFinding(claim: FindingClaim, signer: Signer): Uint8Array;
export function emitFinding(claim: FindingClaim, signer: AsyncSigner): Promise<Uint8Array>;
export function emitFinding(claim: FindingClaim, signer: Signer | AsyncSigner): Uint8Array | Promise<Uint8Array> {
  if (typeof signer?.sign !== 'function') throw new TypeError('"signer" expected a signer, see createSigner');
  const prepared = prepareStatement(findingStatement(claim), signer);
  const signature = signer.sign(prepared.sigStructure);
  return signature instanceof Uint8Array ? prepared.finish(signature) : Promise.resolve(signature).then(prepared.finish);
}

/** The statement of a claim, its ids computed. What is absent is left out. */
export function findingStatement(claim: FindingClaim): FindingStatement {
  const { harness, testId, citedReceipt, argsDigest, policyDigest, argsSalt, plan, note } = claim;
  return {
    statement: 'finding',
    engine_id: claim.engineId,
    time: claim.time,
    x_finding: {
      action: 'reported',
      finding_id: reportedId(text(harness), text(testId), text(citedReceipt)),
      stable_id: stableId(harness, testId, text(argsDigest), policyDigest),
      harness,
      test_id: testId,
      verdict: claim.verdict,
      cited_receipt: citedReceipt,
      repro: {
        tool: { server: claim.tool.server, name: claim.tool.name },
        args_digest: argsDigest,
        expected_decision: claim.expectedDecision,
        actual_decision: claim.actualDecision,
      },
      detected_at: claim.detectedAt,
      ...(argsSalt !== undefined && { args_salt: argsSalt }),
      ...(plan !== undefined && { plan }),
      ...(note !== undefined && { note }),
    },
  };
}

/** An id cannot be made of what is no text, and the shape that would say so comes after it. */
function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('"claim" expected text for harness, testId, citedReceipt and argsDigest');
  if (!value.isWellFormed()) refuse('lone-surrogate', 'expected well-formed text');
  return value;
}
