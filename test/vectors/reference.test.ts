/**
 * Every vector against the independent reference (test/reference), which imports nothing from src: the bytes and verdicts do not rest on the code alone.
 * The reference reads no YAML, no key formats and no trust stores; those rest on the spec, on src, and (points of curves) on vectors/check.py.
 * @module
 */
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Cbor, CborProblem, encode, walkAll } from '../reference/cbor.js';
import * as decisions from '../reference/decide.js';
import * as digests from '../reference/digest.js';
import { type Alg, ed25519Key, type Key, p256Key, signatureCode } from '../reference/keys.js';
import * as match from '../reference/match.js';
import { judgeJson, judgeObject } from '../reference/policy.js';
import {
  cosePart,
  encoded,
  headerOf,
  cutSequence,
  type Parts,
  receiptHash,
  receiptOf,
  sigStructure,
  statementOf,
  verifyBytes,
  verifySignature,
} from '../reference/receipt.js';
import { type Answers, report, type Trusted } from '../reference/report.js';
import { type Answer, hexOf } from '../reference/text.js';
import { bytesOf, type Case, casesOf, type Fields, type Json, load, read, readHex, sorted } from './load.js';

const saying = <T>(answer: Answer<T>, say: (value: T) => unknown): unknown =>
  'code' in answer ? { error: answer.code, ...(answer.hint !== undefined && { canonical: answer.hint }) } : say(answer.ok);

// ---- Match

const canonical = (text: string): unknown => ({ canonical: text });
const covers = (yes: boolean): unknown => ({ covers: yes });
const questions: Readonly<Record<string, (...given: never[]) => unknown>> = {
  path: (path: string) => saying(match.canonicalPath(path), canonical),
  path_pattern: (pattern: string) => saying(match.checkPathPattern(pattern), canonical as never),
  'path_pattern path': (pattern: string, path: string) => saying(match.pathCovers(pattern, path), covers),
  host: (host: string) => saying(match.canonicalHost(host), canonical),
  host_pattern: (pattern: string) => saying(match.checkHostPattern(pattern), canonical as never),
  'host_pattern host': (pattern: string, host: string) => saying(match.hostCovers(pattern, host), covers),
  text_pattern: (pattern: string) => saying(match.checkTextPattern(pattern), canonical as never),
  'text_pattern text': (pattern: string, text: string) => saying(match.textCovers(pattern, text), covers),
  argv_pattern: (pattern: string[]) => saying(match.argvCovers(pattern, ['x']), covers),
  'argv_pattern argv': (pattern: string[], argv: string[]) => saying(match.argvCovers(pattern, argv), covers),
};

describe.each(load('match').groups)('reference: match, $name', ({ cases }) => {
  it.each(cases)('$id', ({ input, expect: expected }) => {
    expect(questions[Object.keys(input).join(' ')]?.(...(Object.values(input) as never[]))).toEqual(expected);
  });
});

// ---- Policy

const json = load('policy').groups.map(({ name, cases }) => ({ name, cases: cases.filter(({ input }) => input.format === 'json') }));

describe.each(json.filter(({ cases }) => cases.length > 0))('reference: policy, $name', ({ cases }) => {
  it.each(cases)('$id', ({ input, expect: expected }) => {
    const problems = judgeJson(input.document ?? bytesOf(input.document_hex));
    if ('policy' in expected) {
      expect(problems).toEqual([]);
      expect(JSON.parse(input.document)).toEqual(expected.policy);
      return;
    }
    const wanted = [expected, ...(expected.more ?? [])];
    expect(problems.map(({ code }) => code)).toEqual(wanted.map(({ error }) => error));
    wanted.forEach(({ error, where }, i) => {
      if (where === undefined) return;
      expect(problems[i]?.place).toBe(where.offset);
      // the reference names the key that is missing, the chapter places it at the object (POL-17)
      if (error !== 'missing-key') expect(problems[i]?.pointer).toBe(where.pointer);
    });
  });
});

const taken = load('policy').groups.flatMap(({ cases }) => cases.filter(({ expect: expected }) => 'policy' in expected));

describe('reference: policy, taken', () => {
  it.each(taken)('$id is a policy with this digest', ({ expect: expected }) => {
    expect(judgeObject(expected.policy)).toEqual([]);
    expect(digests.policyDigest(expected.policy)).toBe(expected.policy_digest);
  });
});

// ---- Decision

const wordOf = ({ rules }: { rules: readonly { matched: boolean; failed?: string }[] }): (string | undefined)[] =>
  rules.map(({ matched, failed }) => (matched ? 'matched' : failed));

const decided = load('decision').groups.map(({ name, cases }) => ({ name, cases: cases.filter(({ input }) => 'request' in input) }));

describe.each(decided.filter(({ cases }) => cases.length > 0))('reference: decision, $name', ({ cases }) => {
  it.each(cases)('$id', ({ input, expect: expected }) => {
    const request = decisions.canonicalRequest(read(input.request));
    if ('code' in request) return expect({ error: request.code }).toEqual({ error: expected.error });
    if (!('policy' in input)) return expect(request.ok).toEqual(read(expected.canonical));
    const policy: decisions.Policy | undefined = input.policy ?? undefined;
    return expect({ decision: decisions.decide(policy, request.ok), trace: decisions.trace(policy, request.ok).map(wordOf) }).toEqual(expected);
  });
});

// ---- Digest

describe('reference: digest', () => {
  it.each(casesOf('digest', 'digest'))('$id', ({ input: { policy }, expect: expected }) => {
    expect(digests.policyPreimage(policy)).toBe(expected.preimage_hex);
    expect(digests.policyDigest(policy)).toBe(expected.policy_digest);
    const rules = policy.rules.map((rule: decisions.Rule) => ({ preimage_hex: digests.rulePreimage(rule), rule_digest: digests.ruleDigest(rule) }));
    expect(rules).toEqual(expected.rules);
  });

  it.each(casesOf('digest', 'no digest'))('$id', ({ input, expect: expected }) => {
    expect(judgeObject(read(input.policy)).map(({ code, pointer }) => ({ error: code, where: { pointer } }))).toEqual([expected]);
  });
});

// ---- CBOR

function cborValue(value: Json): Cbor {
  if (Array.isArray(value)) return (value as readonly Json[]).map(cborValue);
  if (typeof value !== 'object' || value === null) return value as Cbor;
  const fields = value as Fields;
  if (typeof fields['$bytes_hex'] === 'string') return bytesOf(fields['$bytes_hex']);
  return new Map((fields['$map'] as [Json, Json][]).map(([key, member]) => [key as number | string, cborValue(member)]));
}

describe('reference: cbor', () => {
  it.each(casesOf('cbor', 'written and read'))('$id', ({ input, expect: expected }) => {
    expect(hexOf(encode(cborValue(input.value)))).toBe(expected.cbor_hex);
    expect(walkAll(bytesOf(expected.cbor_hex))).toEqual(cborValue(input.value));
  });

  it.each(casesOf('cbor', 'refused'))('$id', ({ input, expect: expected }) => {
    let got: unknown;
    try {
      got = walkAll(bytesOf(input.cbor_hex));
    } catch (error) {
      if (!(error instanceof CborProblem)) throw error;
      got = { error: error.code, where: { offset: error.offset } };
    }
    expect(got).toEqual(expected);
  });
});

// ---- Receipt: keys, and what is made with them

const keyOf = ({ alg, label }: { alg: Alg; label: string }): Key => (alg === 'Ed25519' ? ed25519Key(label) : p256Key(label));

describe('reference: receipt, keys derived', () => {
  it.each(casesOf('receipt', 'keys derived'))('$id', ({ input, expect: expected }) => {
    const key = keyOf(input);
    expect({ kid: hexOf(key.kid), jwk: key.publicJwk, d: key.jwk['d'] }).toEqual({
      kid: expected.kid,
      jwk: expected.jwk,
      d: Buffer.from(expected.d_hex, 'hex').toString('base64url'),
    });
  });
});

describe('reference: receipt, receipts made', () => {
  it.each(casesOf('receipt', 'receipts made'))('$id', ({ input: { key: named, statement }, expect: expected }) => {
    const key = keyOf(named);
    const event = {
      engineId: statement.engine_id,
      time: statement.time,
      agent: statement.agent,
      actions: statement.actions,
      decision: statement.decision,
      policyVersion: statement.policy_version,
      policyDigest: statement.policy_digest,
      matchProfile: statement.match_profile,
    };
    const facts = { callId: statement.call_id, argsDigest: statement.args_digest, mapping: statement.mapping, enforced: statement.enforced };
    const header = encoded(headerOf(key));
    const payload = encoded(statementOf(event, facts));
    expect(hexOf(header)).toBe(expected.protected_hex);
    expect(hexOf(payload)).toBe(expected.signed_core_cbor_hex);
    expect(hexOf(sigStructure(header, payload))).toBe(expected.sig_structure_hex);
    expect(receiptHash(header, payload)).toBe(expected.receipt_hash);
    expect(signatureCode(key, sigStructure(header, payload), bytesOf(expected.signature_hex))).toBeUndefined();
    if (key.alg === 'Ed25519') expect(hexOf(receiptOf(key, event, facts))).toBe(expected.cose_sign1_hex);
    expect(verifyBytes(bytesOf(expected.cose_sign1_hex)).codes).toEqual([]);
  });
});

// ---- Receipt: verified

/** A public JWK as the reference knows keys: its thumbprint by RFC 9679, and the open half alone. */
function openKey(jwk: { readonly kty: string; readonly x: string; readonly y?: string }): Key {
  const number = (text = ''): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64url'));
  const isEd = jwk.kty === 'OKP';
  const cose = new Map<number, Cbor>(
    isEd
      ? [
          [1, 1],
          [-1, 6],
          [-2, number(jwk.x)],
        ]
      : [
          [1, 2],
          [-1, 1],
          [-2, number(jwk.x)],
          [-3, number(jwk.y)],
        ],
  );
  const open: KeyObject = createPublicKey({ key: jwk, format: 'jwk' });
  return { alg: isEd ? 'Ed25519' : 'ESP256', kid: bytesOf(digestOf(encode(cose))), publicJwk: jwk as never, jwk: {}, secret: open, open };
}

const digestOf = (bytes: Iterable<number>): string => createHash('sha256').update(Uint8Array.from(bytes)).digest('hex');

const axesOf = ({ ok: _, ...axes }: Answers): Readonly<Record<string, { readonly status: string; readonly code?: string }>> => axes;
const statusOf = (answers: Answers): Fields => Object.fromEntries(Object.entries(axesOf(answers)).map(([axis, { status }]) => [axis, status]));

/** The problems that a vector lists, one for each axis: the reference names the first. */
function firstCodes(problems: readonly { readonly axis: string; readonly error: string }[]): Fields {
  return Object.fromEntries([...problems].reverse().map(({ axis, error }) => [axis, error]));
}
const codesOf = (answers: Answers): Fields =>
  Object.fromEntries(Object.entries(axesOf(answers)).flatMap(([axis, { code }]) => (code === undefined ? [] : [[axis, code]])));

const trustOf = (input: Case['input']): readonly Trusted[] => input.trust.keys.map((entry: Fields) => ({ ...entry, key: openKey(entry['key'] as never) }));

const verifying = load('receipt').groups.filter(({ cases }) => cases.every(({ expect: expected }) => 'axes' in expected));
const single = verifying
  .map(({ name, cases }) => ({ name, cases: cases.filter(({ input }) => 'receipt_hex' in input) }))
  .filter(({ cases }) => cases.length > 0);

describe.each(single)('reference: receipt, $name', ({ cases }) => {
  it.each(cases.filter(({ input }) => !('also_algorithms' in input)))('$id', ({ input, expect: expected }) => {
    const bytes = readHex(input.receipt_hex);
    const answers = report(bytes, trustOf(input), input.policies);
    expect(statusOf(answers)).toEqual(expected.axes);
    expect(codesOf(answers)).toEqual(firstCodes(expected.problems));
    // with more required than is asked by default, the report alone may differ
    const required: readonly string[] = input.require ?? [];
    expect(answers.ok && required.every((axis) => expected.axes[axis] === 'pass')).toBe(expected.ok);
    const walked = verifyBytes(bytes);
    const wanted = expected.problems.filter(({ axis }: Fields) => axis === 'bytes').map(({ error }: Fields) => error);
    expect(sorted(walked.codes)).toEqual(sorted(wanted));
    const place = expected.problems.find(({ axis }: Fields) => axis === 'bytes')?.where?.offset;
    // the reference counts from the bytes that it walked: the message, the protected header or the payload
    if (place !== undefined && walked.offset !== undefined) expect(startsOf(walked.parts).map((start) => start + (walked.offset ?? 0))).toContain(place);
  });

  const loose = cases.filter(({ input }) => 'also_algorithms' in input);
  if (loose.length > 0) {
    it.each(loose)('$id', ({ input, expect: expected }) => {
      const { codes, parts } = verifyBytes(readHex(input.receipt_hex), input.also_algorithms);
      const keys = new Map(trustOf(input).map(({ key }) => [hexOf(key.kid), key]));
      const signature = parts === undefined ? 'not-checked' : verifySignature(parts, keys);
      const problems = [
        ...codes.map((error) => ({ axis: 'bytes', error })),
        ...(/pass|not-checked/.test(signature) ? [] : [{ axis: 'signature', error: signature }]),
      ];
      expect(problems).toEqual(expected.problems);
      expect(signature === 'pass').toBe(expected.axes.signature === 'pass');
    });
  }
});

/** Where the message, the protected header and the payload begin: behind the tag and the array, each behind its own head. */
function startsOf(parts: Parts | undefined): readonly number[] {
  if (parts === undefined) return [0, 3, 4];
  const headLength = (bytes: Uint8Array): number => encode(bytes).length - bytes.length;
  const header = 2 + headLength(parts.header);
  return [0, header, header + parts.header.length + 1 + headLength(parts.payload)];
}

describe('reference: receipt, files of receipts', () => {
  it.each(casesOf('receipt', 'files of receipts'))('$id', ({ input, expect: expected }) => {
    const file = bytesOf(input.sequence_hex);
    const trust = trustOf(input);
    const { receipts, rest } = cutSequence(file);
    const isBroken = rest.length > 0;
    const all = [...receipts, ...(isBroken ? [rest] : [])].map((each) => report(each, trust, input.policies));
    const worst = (axis: string): string => ['fail', 'not-checked', 'pass'].find((status) => all.some((answers) => statusOf(answers)[axis] === status)) ?? '';
    expect(Object.fromEntries(Object.keys(expected.axes).map((axis) => [axis, worst(axis)]))).toEqual(expected.axes);
    expect(all.every(({ ok }) => ok)).toBe(expected.ok);
    const codes = all.flatMap((answers, receipt) => Object.entries(codesOf(answers)).map(([axis, error]) => ({ axis, error, receipt })));
    const wanted = expected.problems.map(({ axis, error, where }: { axis: string; error: string; where: Fields }) => ({
      axis,
      error,
      receipt: where['receipt'],
    }));
    expect([...codes, ...(isBroken ? [{ axis: 'bytes', error: 'sequence-broken', receipt: all.length - 1 }] : [])]).toEqual(wanted);
  });
});

describe('reference: receipt, COSE layer alone', () => {
  it.each(casesOf('receipt', 'COSE layer alone'))('$id', ({ input, expect: expected }) => {
    const { codes, parts } = cosePart(bytesOf(input.cose_hex), { ...(input.typ !== undefined && { typ: input.typ }) });
    if (parts === undefined) return expect({ error: codes[0] }).toEqual(expected);
    const aad = bytesOf(input.external_aad_hex ?? '');
    const keys = new Map(input.keys.map(({ kid_hex, jwk }: { kid_hex: string; jwk: never }) => [kid_hex, openKey(jwk)])) as Map<string, Key>;
    const signature = verifySignature(parts, keys, aad);
    if (signature !== 'pass') return expect({ error: signature === 'not-checked' ? 'key-unknown' : signature }).toEqual(expected);
    const hash = `sha256:${digestOf(sigStructure(parts.header, parts.payload, aad))}`;
    return expect({ alg: keys.get(hexOf(parts.kid))?.alg, kid_hex: hexOf(parts.kid), payload_hex: hexOf(parts.payload), hash }).toEqual(expected);
  });
});
