import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { afterEach, describe, expect, it } from 'vitest';
import { concat } from '../../src/bytes.js';
import { createSigner } from '../../src/cose/signer.js';
import { native } from '../../src/native.js';
import {
  answers,
  bstr,
  cbor,
  codesOf,
  digest,
  entry,
  headerOf,
  integer,
  key,
  kidOf,
  map,
  otherKey,
  p256Key,
  policy,
  receipt,
  receiptOf,
  sigStructure,
  statement,
  time,
  trust,
  trustOf,
  tstr,
  typ,
  verify,
} from './kit.js';

const payload = cbor(statement());
const { crypto } = native;
/** Both ways to verify: by native crypto and in plain JavaScript. */
const ways: readonly [string, typeof crypto][] = [
  ['native', crypto],
  ['pure', undefined],
];
afterEach(() => {
  native.crypto = crypto;
});

const zeros = (n: number): Uint8Array => new Uint8Array(n);
const number = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`);
const littleEndian = (value: bigint): Uint8Array => bigEndian(value).reverse();
const bigEndian = (value: bigint): Uint8Array => Uint8Array.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'));

describe('RCP-20: the key', () => {
  it('is looked up in the trust store by kid: an unknown one fails key trust, and nothing is said of the signature', () => {
    const report = verify(receipt({ by: otherKey }));
    expect(report.problems).toMatchObject([{ code: 'key-unknown', axis: 'key-trust', status: 'fail' }]);
    expect(answers(report)).toMatchObject({ bytes: 'pass', 'key-trust': 'fail', signature: expect.stringContaining('not checked') });
    expect(report.ok).toBe(false);
  });

  it('is not tried by guessing: a receipt signed by a trusted key under the kid of another is refused', () => {
    const both = trustOf(entry(), entry(otherKey));
    const header = headerOf(otherKey);
    expect(codesOf(verify(receipt({ header }), { trust: both }))).toEqual(['signature-invalid']);
    expect(verify(receipt(), { trust: both }).ok).toBe(true);
  });

  it('never comes from the receipt: a key that is sent along proves nothing (RCP-11)', () => {
    const header = map([integer(1), integer(-19)], [integer(4), bstr(kidOf(otherKey))], [integer(16), tstr(typ)]);
    const jwk = bstr(concat(kidOf(otherKey)));
    for (const of of [
      receipt({ by: otherKey, header }),
      receipt({ by: otherKey, header, unprotected: map([integer(-70_001), jwk]) }),
      receipt({ by: otherKey, header, payload: cbor(statement({ key: zeros(32) })) }),
    ]) {
      expect(verify(of).ok).toBe(false);
      expect(verify(of).axes.signature.status).not.toBe('pass');
    }
  });

  it('must fit the algorithm: an Ed25519 key does not sign ESP256, nor a P-256 key Ed25519', () => {
    const both = trustOf(entry(), entry(p256Key));
    for (const header of [headerOf(key, -9), headerOf(p256Key, -19)]) {
      const report = verify(receipt({ header }), { trust: both });
      expect(report.problems).toMatchObject([{ code: 'cose-alg-key', axis: 'signature', status: 'fail' }]);
      expect(report.axes['key-trust']).toEqual({ status: 'not-checked', reason: 'rests on signature' });
    }
    for (const header of [headerOf(key, -7), headerOf(p256Key, -8)]) {
      expect(codesOf(verify(receipt({ header }), { trust: both, alsoAlgorithms: ['EdDSA', 'ES256'] }))).toEqual(['cose-alg-key']);
    }
  });
});

describe.each(ways)('RCP-20: the signature, by %s crypto', (_, way) => {
  it('binds every byte of the header and of the statement', () => {
    native.crypto = way;
    const signature = createSigner(key).sign(sigStructure(headerOf(), payload));
    const others = [
      receipt({ payload: cbor(statement({ time: time + 1 })), signature }),
      receipt({ payload: cbor(statement({ decision: { effect: 'deny', rule: 'srv', action: 0 } })), signature }),
      receipt({ payload: cbor(statement({ policy_digest: undefined })), signature }),
      receipt({ header: headerOf(key, -8), signature }),
    ];
    for (const of of others) {
      const report = verify(of, { alsoAlgorithms: ['EdDSA'] });
      expect(report.problems).toMatchObject([{ code: 'signature-invalid', axis: 'signature', status: 'fail' }]);
      expect(report.axes['key-trust']).toEqual({ status: 'not-checked', reason: 'rests on signature' });
    }
  });

  it('is over a Sig_structure with the word "Signature1" and no external data', () => {
    native.crypto = way;
    const sign = (bytes: Uint8Array): Uint8Array => createSigner(key).sign(bytes);
    const structure = sigStructure(headerOf(), payload);
    expect(verify(receipt({ signature: sign(structure) })).ok).toBe(true);
    for (const other of [
      concat(Uint8Array.of(0x84), tstr('Signature'), bstr(headerOf()), bstr(zeros(0)), bstr(payload)),
      concat(Uint8Array.of(0x84), tstr('Signature1'), bstr(headerOf()), bstr(zeros(1)), bstr(payload)),
      concat(Uint8Array.of(0x83), tstr('Signature1'), bstr(headerOf()), bstr(payload)),
      concat(Uint8Array.of(0x84), tstr('Signature1'), bstr(headerOf()), bstr(payload)),
      payload,
    ]) {
      expect(codesOf(verify(receipt({ signature: sign(other) })))).toEqual(['signature-invalid']);
    }
  });

  it('of Ed25519 has one equation: S of at least L is refused, although it is the same number modulo L (RCP-7)', () => {
    native.crypto = way;
    const signature = createSigner(key).sign(sigStructure(headerOf(), payload));
    const s = number(signature.slice(32).reverse());
    const order = ed25519.Point.Fn.ORDER;
    const grown = concat(signature.subarray(0, 32), littleEndian(s + order));
    expect(codesOf(verify(receipt({ signature: grown })))).toEqual(['signature-invalid']);
    expect(codesOf(verify(receipt({ signature: concat(signature.subarray(0, 32), littleEndian(order)) })))).toEqual(['signature-invalid']);
  });

  it('of Ed25519 has one equation: one that holds only times the cofactor is refused (RCP-7)', () => {
    native.crypto = way;
    // R with a part of small order: [8][S]B = [8](R + [k]A), and [S]B is not R + [k]A
    const { Point } = ed25519;
    const torsion = Point.fromHex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05');
    const secret = number(
      ed25519.utils
        .getExtendedPublicKey(Buffer.from((key.toJwk() as { d: string }).d, 'base64url'))
        .head.slice(0, 32)
        .reverse(),
    );
    const a = Point.Fn.create(secret);
    const nonce = 12_345n;
    const r = Point.BASE.multiply(nonce).add(torsion).toBytes();
    const k = Point.Fn.create(number(createHash('sha512').update(r).update(key.public.x).update(sigStructure(headerOf(), payload)).digest().reverse()));
    const signature = concat(r, littleEndian(Point.Fn.create(nonce + k * a)));
    // a verifier with the cofactor takes it: that is why the equation must be one
    expect(ed25519.verify(signature, sigStructure(headerOf(), payload), key.public.x, { zip215: true })).toBe(true);
    expect(codesOf(verify(receipt({ signature })))).toEqual(['signature-invalid']);
  });

  it('of ESP256 has one form: a high s is refused by its own name, right or wrong (RCP-8)', () => {
    native.crypto = way;
    const p256Trust = trustOf(entry(p256Key));
    const by = p256Key;
    const signature = createSigner(by).sign(sigStructure(headerOf(by), payload));
    const order = p256.Point.Fn.ORDER;
    const s = number(signature.subarray(32));
    expect(s <= order / 2n).toBe(true);
    const withS = (value: bigint, r = signature.subarray(0, 32)): string[] =>
      codesOf(verify(receipt({ by, signature: concat(r, bigEndian(value)) }), { trust: p256Trust }));
    expect(withS(s)).toEqual([]);
    expect(withS(order - s)).toEqual(['signature-high-s']);
    expect(withS(order - 1n)).toEqual(['signature-high-s']);
    expect(withS(order / 2n + 1n)).toEqual(['signature-high-s']);
    expect(withS(order / 2n)).toEqual(['signature-invalid']);
    expect(withS(0n)).toEqual(['signature-invalid']);
    expect(withS(order)).toEqual(['signature-invalid']);
    expect(withS(s, zeros(32))).toEqual(['signature-invalid']);
    expect(withS(s, bigEndian(order))).toEqual(['signature-invalid']);
  });

  it('of zeros is refused', () => {
    native.crypto = way;
    expect(codesOf(verify(receipt({ signature: zeros(64) })))).toEqual(['signature-invalid']);
    expect(codesOf(verify(receipt({ by: p256Key, signature: zeros(64) }), { trust: trustOf(entry(p256Key)) }))).toEqual(['signature-invalid']);
  });

  it('is refused with any one bit turned', () => {
    native.crypto = way;
    const signature = createSigner(key).sign(sigStructure(headerOf(), payload));
    for (let bit = 0; bit < 512; bit += 37) {
      const turned = signature.slice();
      turned[bit >> 3] = (turned[bit >> 3] as number) ^ (1 << (bit & 7));
      expect({ bit, codes: codesOf(verify(receipt({ signature: turned }))) }).toEqual({ bit, codes: ['signature-invalid'] });
    }
  });
});

describe("RCP-21: key trust, at the receipt's own time", () => {
  const judged = (change: object, statementChange: object = {}): { codes: string[]; status: string } => {
    const report = verify(receiptOf(statementChange), { trust: trustOf(entry(key, change)) });
    expect(report.axes.signature.status).toBe('pass');
    expect(report.problems.every(({ axis }) => axis === 'key-trust')).toBe(true);
    return { codes: codesOf(report), status: report.axes['key-trust'].status };
  };
  const passes = { codes: [], status: 'pass' };
  const fails = (...codes: string[]): object => ({ codes, status: 'fail' });

  it.each(['installer', 'approver', 'harness', 'auditor'])('a key of the role %s does not make decisions', (role) => {
    expect(judged({ role })).toEqual(fails('key-role'));
  });

  it('a key speaks for the engines that it is trusted for, and for no other', () => {
    expect(judged({ engine_ids: ['engine-b'] })).toEqual(fails('key-engine'));
    expect(judged({ engine_ids: ['engine-b', 'engine-a'] })).toEqual(passes);
    expect(judged({}, { engine_id: 'engine-A' })).toEqual(fails('key-engine'));
    expect(judged({ engine_ids: ['engine'] }, { engine_id: 'engine-a' })).toEqual(fails('key-engine'));
    expect(judged({ engine_ids: ['*'] })).toEqual(fails('key-engine'));
  });

  it('a window begins at valid_from, that moment included (RCP-10)', () => {
    expect(judged({ valid_from: time })).toEqual(passes);
    expect(judged({ valid_from: time + 1 })).toEqual(fails('key-not-yet-valid'));
    expect(judged({ valid_from: 0 })).toEqual(passes);
  });

  it('a window ends at valid_until, that moment not included (RCP-10)', () => {
    expect(judged({ valid_until: time + 1 })).toEqual(passes);
    expect(judged({ valid_until: time })).toEqual(fails('key-expired'));
    expect(judged({ valid_until: time - 1 })).toEqual(fails('key-expired'));
  });

  it('two windows that meet leave no moment open and none double (RCP-10)', () => {
    for (const t of [time - 1, time, time + 1]) {
      const before = judged({ valid_until: time }, { time: t }).status === 'pass';
      const after = judged({ valid_from: time }, { time: t }).status === 'pass';
      expect(before).toBe(!after);
    }
  });

  it('a key is revoked from revoked_at on, that moment included (RCP-10)', () => {
    expect(judged({ revoked_at: time })).toEqual(fails('key-revoked'));
    expect(judged({ revoked_at: time - 1 })).toEqual(fails('key-revoked'));
    expect(judged({ revoked_at: 0 })).toEqual(fails('key-revoked'));
  });

  it('a key that was revoked later proves nothing alone, because its holder can write any time', () => {
    expect(judged({ revoked_at: time + 1 })).toEqual({ codes: ['key-revoked-later'], status: 'not-checked' });
    const report = verify(receipt(), { trust: trustOf(entry(key, { revoked_at: time + 1 })) });
    expect(report.ok).toBe(false);
    expect(report.problems[0]).toMatchObject({ status: 'not-checked' });
  });

  it('a seq below revoked_from_seq proves nothing outside of a chain, because who holds the key chooses it', () => {
    const revoked = { revoked_at: time + 1, revoked_from_seq: { 'engine-a': 17 } };
    const later = { codes: ['key-revoked-later'], status: 'not-checked' };
    expect(judged(revoked, { seq: 16, prev: digest })).toEqual(later);
    expect(judged(revoked, { seq: 0 })).toEqual(later);
    expect(judged(revoked)).toEqual(later);
    expect(judged({ ...revoked, revoked_at: time }, { seq: 16, prev: digest })).toEqual(fails('key-revoked'));
  });

  it('takes the time of the receipt and not that of the reader, so that a verdict does not change with the day', () => {
    expect(judged({ valid_until: 1_000 }, { time: 999 })).toEqual(passes);
    expect(judged({ valid_from: 4_000_000_000_000 }, { time: 4_000_000_000_000 })).toEqual(passes);
  });

  it('reports all that is wrong with a key, each with its code', () => {
    expect(judged({ role: 'auditor', engine_ids: ['x'], valid_from: time + 1, revoked_at: 0 })).toEqual(
      fails('key-role', 'key-engine', 'key-not-yet-valid', 'key-revoked'),
    );
  });

  it('lets rules and re-decision rest on it, because statements of unknown origin prove nothing', () => {
    expect(answers(verify(receipt(), { trust: trustOf(entry(key, { role: 'auditor' })), policies: [policy] }))).toEqual({
      bytes: 'pass',
      signature: 'pass',
      'key-trust': 'fail',
      rules: 'not checked: rests on key-trust',
      're-decision': 'not checked: rests on key-trust',
    });
    expect(answers(verify(receipt({ signature: zeros(64) }), { policies: [policy] }))).toEqual({
      bytes: 'pass',
      signature: 'fail',
      'key-trust': 'not checked: rests on signature',
      rules: 'not checked: rests on signature',
      're-decision': 'not checked: rests on signature',
    });
    expect(answers(verify(receipt({ by: otherKey }), { policies: [policy] }))).toMatchObject({
      rules: 'not checked: rests on key-trust',
      're-decision': 'not checked: rests on key-trust',
    });
    expect(verify(receipt(), { trust, policies: [policy] }).ok).toBe(true);
  });

  it('stops nothing where it is merely not checked: the rules are judged under a key that was revoked later', () => {
    const report = verify(receipt(), { trust: trustOf(entry(key, { revoked_at: time + 1 })), policies: [policy] });
    expect(answers(report)).toMatchObject({ 'key-trust': expect.stringContaining('not checked'), rules: 'pass', 're-decision': 'pass' });
    expect(report.ok).toBe(false);
  });
});
