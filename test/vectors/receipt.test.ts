import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importPrivateKey, importPublicKey, type PublicKey, publicJwk } from '../../src/cose/keys.js';
import { buildSigStructure } from '../../src/cose/sig-structure.js';
import { verifySign1 } from '../../src/cose/sign1.js';
import { createSigner } from '../../src/cose/signer.js';
import { walkWholeCbor } from '../../src/cose/walk.js';
import type { AuditEvent } from '../../src/engine/engine.js';
import { RuleprintError } from '../../src/errors.js';
import { sha256 } from '../../src/hash.js';
import { native } from '../../src/native.js';
import { type CallFacts, signReceipt } from '../../src/receipt/issue.js';
import { readReceipt, receiptHash } from '../../src/receipt/read.js';
import { axes, type Report, type ReportedProblem } from '../../src/receipt/report.js';
import type { DecisionStatement } from '../../src/receipt/statement.js';
import { copyTrustStore, parseTrustStore } from '../../src/receipt/trust.js';
import { verifyReceipt, verifyReceipts, type VerifyOptions } from '../../src/receipt/verify.js';
import { bytesOf, type Case, casesOf, type Fields, hexOf, type Json, load, placeOf, readHex, refusal } from './load.js';

const { crypto } = native;
const paths = [
  ['native', crypto],
  ['pure', undefined],
] as const;

/** What a function answers; a refusal as a vector says it. */
function answered(answer: () => unknown, expected: { where?: object }): unknown {
  try {
    return answer();
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    return refusal(error, expected);
  }
}

/** The private key of a label: the seed, or the scalar, is its SHA-256. */
function keyOf({ alg, label }: { alg: string; label: string }, expected?: Fields): ReturnType<typeof importPrivateKey> {
  const d = Buffer.from(sha256(new TextEncoder().encode(label))).toString('base64url');
  const jwk = (expected?.['jwk'] ?? casesOf('receipt', 'keys derived').find(({ input }) => input.label === label && input.alg === alg)?.expect.jwk) as Fields;
  return importPrivateKey({ ...jwk, d });
}

/** A statement back to what `signReceipt` takes. */
function eventOf(statement: DecisionStatement): { event: AuditEvent; facts: CallFacts } {
  const { engine_id, time, agent, actions, decision, policy_version, policy_digest, match_profile, args_digest, call_id, mapping, enforced } = statement;
  return {
    event: {
      engineId: engine_id,
      time,
      agent,
      actions,
      decision,
      ...(policy_version !== undefined && { policyVersion: policy_version }),
      ...(policy_digest !== undefined && { policyDigest: policy_digest }),
      ...(match_profile !== undefined && { matchProfile: match_profile }),
    },
    facts: {
      ...(call_id !== undefined && { callId: call_id }),
      ...(args_digest !== undefined && { argsDigest: args_digest }),
      ...(mapping !== undefined && { mapping }),
      ...(enforced !== undefined && { enforced }),
    },
  };
}

interface Expected {
  readonly ok: boolean;
  readonly axes: Fields;
  readonly problems: readonly { readonly axis: string; readonly error: string; readonly where?: Fields }[];
}

type Wanted = Expected['problems'][number];

/** A problem as far as a vector says it. */
function told(problem: ReportedProblem, wanted?: Wanted): Wanted {
  const { receipt } = problem.where;
  const place: Fields = { ...placeOf(problem.where), ...(receipt !== undefined && { receipt }) };
  const where = wanted === undefined ? place : wanted.where && Object.fromEntries(Object.keys(wanted.where).map((key) => [key, place[key] ?? null]));
  return { axis: problem.axis, error: problem.code, ...(where && { where }) };
}

/** A report as far as vectors say it. Problems come in the vector's order, since their order is free; those that it does not name come last. */
function reported(report: Report, expected: Expected): Expected {
  const axesSaid = Object.fromEntries(Object.keys(expected.axes).map((axis) => [axis, report.axes[axis as keyof Report['axes']].status]));
  const left = [...report.problems];
  const found = expected.problems.flatMap((wanted) => {
    const at = left.findIndex((problem) => isDeepStrictEqual(told(problem, wanted), wanted));
    return at < 0 ? [] : left.splice(at, 1).map((problem) => told(problem, wanted));
  });
  return { ok: report.ok, axes: axesSaid, problems: [...found, ...left.map((problem) => told(problem))] };
}

function verify(input: Case['input'], expected: Expected): unknown {
  const options: VerifyOptions = {
    trust: copyTrustStore(input.trust),
    ...(input.policies && { policies: input.policies }),
    ...(input.require && { require: input.require }),
    ...(input.also_algorithms && { alsoAlgorithms: input.also_algorithms }),
  };
  const report = input.sequence_hex === undefined ? verifyReceipt(readHex(input.receipt_hex), options) : verifyReceipts(bytesOf(input.sequence_hex), options);
  const others = axes.filter((axis) => !(axis in expected.axes));
  expect(others.map((axis) => report.axes[axis].status)).toEqual(others.map(() => 'not-checked'));
  return reported(report, expected);
}

const verifierGroups = load('receipt').groups.filter(({ cases }) => cases.every(({ expect: expected }) => 'axes' in expected));

describe.each(paths)('vectors: receipt, %s crypto', (_, path) => {
  beforeEach(() => {
    native.crypto = path;
  });
  afterEach(() => {
    native.crypto = crypto;
  });

  describe('keys derived', () => {
    it.each(casesOf('receipt', 'keys derived'))('$id: $comment', ({ input, expect: expected }) => {
      const key = keyOf(input, expected);
      const { x, y, kid } = key.public;
      expect(hexOf(sha256(new TextEncoder().encode(input.label)))).toBe(expected.d_hex);
      expect('y_hex' in expected).toBe(y !== undefined);
      expect({ ...expected, x_hex: hexOf(x), ...(y && { y_hex: hexOf(y) }), kid, jwk: publicJwk(key.public) }).toEqual(expected);
      expect(hexOf(sha256(bytesOf(expected.thumbprint_input_hex)))).toBe(expected.kid);
      expect(importPublicKey(bytesOf(expected.thumbprint_input_hex)).kid).toBe(expected.kid);
    });
  });

  describe.each(['keys read', 'keys refused'])('%s', (group) => {
    it.each(casesOf('receipt', group))('$id: $comment', ({ input, expect: expected }) => {
      const source = input.public_key_jwk ?? input.public_key_pem ?? bytesOf(input.public_key_cose_hex);
      const read = (): unknown => {
        const { alg, kid }: PublicKey = importPublicKey(source);
        return { alg, kid };
      };
      expect(answered(read, expected)).toEqual(expected);
    });
  });

  describe('receipts made', () => {
    it.each(casesOf('receipt', 'receipts made'))('$id: $comment', ({ input, expect: expected }) => {
      const signer = createSigner(keyOf(input.key));
      const { event, facts } = eventOf(input.statement);
      const receipt = signReceipt(event, signer, facts);
      const signatureAt = expected.cose_sign1_hex.length - 128;
      expect(hexOf(receipt).slice(0, signatureAt)).toBe(expected.cose_sign1_hex.slice(0, signatureAt));
      // ESP256 repeats on the pure path, where the nonce is that of RFC 6979
      if (signer.alg === 'Ed25519' || path === undefined) expect(hexOf(receipt)).toBe(expected.cose_sign1_hex);
      for (const bytes of [receipt, bytesOf(expected.cose_sign1_hex)]) {
        expect(receiptHash(bytes)).toBe(expected.receipt_hash);
        expect(structuredClone(readReceipt(bytes).statement)).toEqual(input.statement);
        const trust = copyTrustStore({ keys: [{ role: 'engine', engine_ids: [event.engineId], key: publicJwk(keyOf(input.key).public) }] });
        expect(verifyReceipt(bytes, { trust }).ok).toBe(true);
      }
    });

    it.each(casesOf('receipt', 'receipts made'))('$id: the parts are those of the message', ({ expect: expected }) => {
      const parts = [expected.protected_hex, expected.signed_core_cbor_hex].map(bytesOf) as [Uint8Array, Uint8Array];
      expect(hexOf(buildSigStructure(...parts))).toBe(expected.sig_structure_hex);
      expect(`sha256:${hexOf(sha256(bytesOf(expected.sig_structure_hex)))}`).toBe(expected.receipt_hash);
      expect(expected.cose_sign1_hex).toContain(expected.protected_hex);
      expect(expected.cose_sign1_hex).toContain(expected.signed_core_cbor_hex);
      expect(expected.cose_sign1_hex.endsWith(expected.signature_hex)).toBe(true);
    });
  });

  describe.each(['trust stores taken', 'trust stores refused'])('%s', (group) => {
    it.each(casesOf('receipt', group))('$id: $comment', ({ input, expect: expected }) => {
      const read = (): unknown => {
        const { keys, requireInstaller } = parseTrustStore(input.trust_document);
        return { keys: [...keys.values()].map(({ role, kid }) => ({ role, kid })), require_installer: requireInstaller };
      };
      expect(answered(read, expected)).toEqual(expected);
    });
  });

  describe.each(verifierGroups)('$name', ({ cases }) => {
    it.each(cases)('$id: $comment', ({ input, expect: expected }) => {
      expect(verify(input, expected)).toEqual(expected);
    });
  });

  describe('COSE layer alone', () => {
    it.each(casesOf('receipt', 'COSE layer alone'))('$id: $comment', ({ input, expect: expected }) => {
      const keys = input.keys.map(({ kid_hex, jwk }: Fields) => ({ kid: bytesOf(kid_hex as string), key: importPublicKey(jwk as Fields) }));
      const result = verifySign1(bytesOf(input.cose_hex), keys, {
        ...(input.external_aad_hex !== undefined && { externalAad: bytesOf(input.external_aad_hex) }),
        ...(input.typ !== undefined && { typ: input.typ }),
      });
      const got = result.ok
        ? { alg: result.alg, kid_hex: hexOf(result.kid), payload_hex: hexOf(result.payload), hash: result.hash }
        : refusal(result.problems[0], expected);
      expect(got).toEqual(expected);
    });
  });
});

describe('vectors: receipt, with and without the digest', () => {
  const made = casesOf('receipt', 'receipts made');
  const payloadOf = (id: string): Map<string, Json> => {
    const walked = walkWholeCbor(bytesOf(made.find((one) => one.id === id)?.expect.signed_core_cbor_hex));
    if ('code' in walked) throw new Error(walked.code);
    return walked.value as unknown as Map<string, Json>;
  };

  it('leaves the digest off in the first three (DEC-14)', () => {
    expect(made.slice(0, 3).map(({ id }) => id)).toEqual(['receipt-1-allow', 'receipt-2-deny', 'receipt-3-ask']);
    for (const { id } of made.slice(0, 3)) expect([...payloadOf(id).keys()]).not.toContain('policy_digest');
  });

  it('has in the fourth the first with the digest, and differs by exactly that key (RCP-1)', () => {
    const first = payloadOf('receipt-1-allow');
    const fourth = payloadOf('receipt-4-allow-digest');
    expect([...fourth.keys()].filter((key) => !first.has(key))).toEqual(['policy_digest']);
    fourth.delete('policy_digest');
    expect([...fourth]).toEqual([...first]);
  });

  it('has in the fourth, byte for byte, the first with one entry more', () => {
    const [first, fourth] = ['receipt-1-allow', 'receipt-4-allow-digest'].map((id) => made.find((one) => one.id === id));
    const digest = fourth?.input.statement.policy_digest as string;
    const entry = `6d${Buffer.from('policy_digest').toString('hex')}7847${Buffer.from(digest).toString('hex')}`;
    const longer: string = fourth?.expect.signed_core_cbor_hex;
    expect(longer.split(entry)).toHaveLength(2);
    // the head of the map counts one entry more
    expect(longer.replace(entry, '').replace(/^a9/, 'a8')).toBe(first?.expect.signed_core_cbor_hex);
  });
});
