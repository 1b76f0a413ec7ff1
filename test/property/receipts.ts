/**
 * Keys, events and a trust store for the properties of receipts.
 *
 * @module
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import { parseTrustStore, type Report } from '../../src/receipt/index.js';
import { canonicalRequest, decide, type Policy } from '../reference/decide.js';
import { policyDigest } from '../reference/digest.js';
import { ed25519Key, type Key, p256Key } from '../reference/keys.js';
import { type BytesAnswer, type Event, type Extra, receiptOf, statementOf, verifySignature } from '../reference/receipt.js';
import { hexOf } from '../reference/text.js';
import { policyAndRequest } from './arbitraries.js';

export const ed25519 = ed25519Key('ruleprint property: engine');
export const p256 = p256Key('ruleprint property: engine');
export const stranger = ed25519Key('ruleprint property: stranger');

export const trusted = new Map<string, Key>([ed25519, p256].map((key) => [hexOf(key.kid), key]));

/** Both keys may speak for every engine that the events name. */
export const engineIds = ['engine-a', 'constructor', '\u{10000}', '__proto__'];
export const trust = parseTrustStore(JSON.stringify({ keys: [ed25519, p256].map((key) => ({ role: 'engine', engine_ids: engineIds, key: key.publicJwk })) }));

/** Few receipts by a key that nobody knows. */
export const anyKey = fc.oneof(
  { weight: 4, arbitrary: fc.constant(ed25519) },
  { weight: 4, arbitrary: fc.constant(p256) },
  { weight: 1, arbitrary: fc.constant(stranger) },
);

const digest = fc.constantFrom('0', 'f', 'a1').map((piece) => `sha256:${piece.repeat(64).slice(0, 64)}`);

export const extra: fc.Arbitrary<Extra> = fc.record(
  { callId: fc.constantFrom('1', 'call-\ufeff', '\uffff\u{10000}'), argsDigest: digest, mapping: digest, enforced: fc.constant<false>(false) },
  { requiredKeys: [], noNullPrototype: true },
);

/** What an engine says of a request under a policy, or without one. */
export const event: fc.Arbitrary<{ event: Event; policy: Policy }> = fc
  .tuple(policyAndRequest, fc.constantFrom(...engineIds), fc.oneof(fc.constantFrom(0, 23, 24, Number.MAX_SAFE_INTEGER), fc.maxSafeNat()), fc.nat(5))
  .map(([{ policy, request }, engineId, time, kind]) => {
    const canonical = canonicalRequest(request);
    if ('code' in canonical) throw new Error(canonical.code);
    const under = kind === 0 ? undefined : policy;
    const decided = { engineId, time, ...canonical.ok, decision: decide(under, canonical.ok) };
    const digested = kind === 1 ? {} : { policyDigest: policyDigest(policy) };
    return { policy, event: under === undefined ? decided : { ...decided, policyVersion: policy.version, ...digested, matchProfile: 'ruleprint-match/1' } };
  });

/**
 * A receipt with what it was made of, printed as its bytes: out of a few that were made once, the shortest first, since what matters is
 * how they are changed.
 */
const made = fc
  .sample(fc.tuple(event, extra, anyKey), { numRuns: 60, seed: 20 })
  .map(([{ event: said }, more, key]) => {
    const receipt = receiptOf(key, said, more);
    return { key, statement: statementOf(said, more), receipt, [fc.toStringMethod]: () => `${key.alg} ${hexOf(receipt)}` };
  })
  .sort((a, b) => a.receipt.length - b.receipt.length);
export const madeReceipt = fc.constantFrom(...made);

/** *bytes* and *signature* of a report against the walk of the reference. */
export function expectSameAnswer(report: Report, expected: BytesAnswer): void {
  const { bytes, signature } = report.axes;
  const problems = report.problems.filter(({ axis }) => axis === 'bytes');
  const codes = problems.map(({ code }) => code);
  if (expected.codes.length === 0) expect(bytes.status).toBe('pass');
  else {
    // The members of a map are told in any order, after what is missing.
    expect(`${bytes.status} ${bytes.code} ${[...codes].sort()}`).toBe(`fail ${codes[0]} ${[...expected.codes].sort()}`);
    expect(codes[0] === 'missing-key').toBe(expected.codes[0] === 'missing-key');
    if (expected.offset !== undefined) expect(problems[0]?.where.offset).toBe(expected.offset);
  }
  const signed = expected.parts === undefined ? 'not-checked' : verifySignature(expected.parts, trusted);
  if (signed === 'pass' || signed === 'not-checked') expect(signature.status).toBe(signed);
  else expect(`${signature.status} ${signature.code}`).toBe(`fail ${signed}`);
}
