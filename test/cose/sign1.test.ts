import { describe, expect, it } from 'vitest';
import { concat, hex, utf8 } from '../../src/bytes.js';
import type { Algorithm } from '../../src/cose/algorithm.js';
import { type CborInput, encodeCbor } from '../../src/cose/cbor.js';
import { importPrivateKey } from '../../src/cose/keys.js';
import { buildSigStructure } from '../../src/cose/sig-structure.js';
import { checkSignature, type ParsedSign1, parseSign1, prepareSign1, type Sign1Profile, signSign1, verifySign1 } from '../../src/cose/sign1.js';
import { createSigner, type Signer, wrapKmsSigner } from '../../src/cose/signer.js';
import { isProblem } from '../../src/cose/walk.js';
import { sha256Text } from '../../src/hash.js';
import { limits } from '../../src/limits.js';
import { unhex } from './hex.js';
import { describeBothPaths } from './paths.js';

const ed = importPrivateKey({ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A' });
const ec = importPrivateKey({
  kty: 'EC',
  crv: 'P-256',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
  d: '870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE',
});
const edSigner = createSigner(ed);
const ecSigner = createSigner(ec);
const payload = encodeCbor({ hello: 'world' });
const typ = 'application/example+cose';
const k1 = utf8('k1');

const named = (kid: Uint8Array, key = ed) => [{ kid, key: key.public }];
const edKeys = named(edSigner.kid);

/** A message put together by hand, signed over what stands in it. Each part can be had otherwise. */
interface Parts {
  readonly header?: CborInput | Uint8Array;
  readonly protectedBytes?: Uint8Array;
  readonly unprotected?: Uint8Array;
  readonly payload?: Uint8Array;
  readonly signature?: (good: Uint8Array) => Uint8Array;
  readonly signer?: Signer;
}

function message({ header, protectedBytes, unprotected = unhex('a0'), payload: content = payload, signature, signer = edSigner }: Parts = {}): Uint8Array {
  const inner =
    protectedBytes ??
    encodeCbor(
      header ??
        new Map<number, CborInput>([
          [1, -19],
          [4, k1],
        ]),
    ); // prettier-ignore
  const good = signer.sign(buildSigStructure(inner, content));
  return concat(unhex('d284'), encodeCbor(inner), unprotected, encodeCbor(content), encodeCbor(signature?.(good) ?? good));
}

const header = (...entries: [number | string, CborInput][]) => new Map(entries);
const goodHeader: [number | string, CborInput][] = [
  [1, -19],
  [4, k1],
];

function refusal(bytes: Uint8Array, profile: Sign1Profile = {}): { readonly code: string; readonly offset: number | undefined } | undefined {
  const parsed = parseSign1(bytes, profile);
  return isProblem(parsed) ? { code: parsed.code, offset: parsed.where.offset } : undefined;
}

const parse = (bytes: Uint8Array, profile: Sign1Profile = {}): ParsedSign1 => {
  const parsed = parseSign1(bytes, profile);
  if (isProblem(parsed)) throw new Error(parsed.code);
  return parsed;
};

describe('buildSigStructure', () => {
  it('is the array of RFC 9052 section 4.4, with lengths in their shortest form', () => {
    expect(hex(buildSigStructure(unhex('a10132'), unhex('a0')))).toBe('846a5369676e61747572653143a101324041a0');
    expect(hex(buildSigStructure(unhex('a10132'), unhex('a0'), unhex('ff')))).toBe('846a5369676e61747572653143a1013241ff41a0');
  });

  it.each([0, 23, 24, 255, 256, 65_535, 65_536, 100_000])('is what the encoder writes for a payload of %d bytes', (length) => {
    const content = new Uint8Array(length).fill(7);
    const expected = encodeCbor(['Signature1', unhex('a10132'), content, content]);
    expect(hex(buildSigStructure(unhex('a10132'), content, content))).toBe(hex(expected));
  });
});

describe('signSign1', () => {
  it('writes tag 18 and the four parts, alg and kid protected, nothing unprotected', () => {
    const bytes = signSign1(payload, edSigner);
    const protectedBytes = encodeCbor(header([1, -19], [4, edSigner.kid]));
    const signature = edSigner.sign(buildSigStructure(protectedBytes, payload));
    expect(hex(bytes)).toBe(`d28458${hex(Uint8Array.of(protectedBytes.length))}${hex(protectedBytes)}a04d${hex(payload)}5840${hex(signature)}`);
    expect(hex(protectedBytes)).toBe(`a20132045820${ed.public.kid}`);
  });

  it('writes the header of a receipt as spec/receipt.md lays it out', () => {
    const parsed = parse(signSign1(payload, edSigner, { typ: 'application/ruleprint+cose' }), { kidBytes: 32, typ: 'application/ruleprint+cose' });
    expect(hex(parsed.protectedBytes)).toBe(`a30132045820${ed.public.kid}10781a${hex(utf8('application/ruleprint+cose'))}`);
  });

  it.each([0, 1, 23, 24, 255, 256, 65_535, 65_536])('writes a payload of %d bytes so that it is read back', (length) => {
    const content = new Uint8Array(length).fill(7);
    const result = verifySign1(signSign1(content, edSigner), edKeys);
    expect(result.ok && hex(result.payload)).toBe(hex(content));
  });

  it('takes kid, typ and the older name of the algorithm from the options, each time anew', () => {
    const heads = [{}, { kid: k1 }, { typ }, { alg: 'EdDSA' as const }, {}, { kid: k1, typ, alg: 'EdDSA' as const }].map((options) =>
      hex(parse(signSign1(payload, edSigner, options), { alsoAlgorithms: ['EdDSA'], ...('typ' in options && { typ }) }).protectedBytes),
    );
    const kid = `045820${ed.public.kid}`;
    const typed = `107818${hex(utf8(typ))}`;
    expect(heads).toEqual([`a20132${kid}`, 'a2013204426b31', `a30132${kid}${typed}`, `a20127${kid}`, `a20132${kid}`, `a3012704426b31${typed}`]);
  });

  it('is not fooled by a kid that is changed after it was used', () => {
    const kid = utf8('k1');
    signSign1(payload, edSigner, { kid });
    kid.set(utf8('k2'));
    expect(verifySign1(signSign1(payload, edSigner, { kid }), named(utf8('k2'))).ok).toBe(true);
  });

  it('refuses options that do not fit with a TypeError', () => {
    expect(() => signSign1(payload, edSigner, { alg: 'ES256' })).toThrow(TypeError);
    expect(() => signSign1(payload, ecSigner, { alg: 'Ed25519' })).toThrow(TypeError);
    expect(() => signSign1(payload, edSigner, { alg: 'toString' as Algorithm })).toThrow(TypeError);
    expect(() => signSign1(payload, edSigner, { kid: new Uint8Array(0) })).toThrow(TypeError);
    expect(() => signSign1('text' as unknown as Uint8Array, edSigner)).toThrow(TypeError);
  });

  it('makes no message that its own verifier would refuse for its size', () => {
    const room = limits.receiptBytes - signSign1(new Uint8Array(70_000), edSigner).length + 70_000;
    const largest = signSign1(new Uint8Array(room), edSigner);
    expect(largest).toHaveLength(limits.receiptBytes);
    expect(verifySign1(largest, edKeys).ok).toBe(true);
    expect(() => signSign1(new Uint8Array(room + 1), edSigner)).toThrow(expect.objectContaining({ code: 'limit' }));
  });

  it.each<[string, Signer, unknown]>([
    ['63 bytes', edSigner, new Uint8Array(63)],
    ['DER', ecSigner, new Uint8Array(70)],
    ['nothing', edSigner, undefined],
    ['a text', edSigner, 'x'.repeat(64)],
    ['s in the upper half', ecSigner, new Uint8Array(64).fill(0xa0)],
    ['s of zero', ecSigner, concat(new Uint8Array(32).fill(1), new Uint8Array(32))],
  ])('refuses %s from a signer (RCP-5)', (_, signer, output) => {
    const broken = { ...signer, sign: () => output as Uint8Array };
    expect(() => signSign1(payload, broken)).toThrow(expect.objectContaining({ code: 'signer-output' }));
  });

  it('waits for an asynchronous signer', async () => {
    const signer = wrapKmsSigner({ key: ed.public, sign: async (bytes) => edSigner.sign(bytes) });
    const bytes = signSign1(payload, signer);
    expect(bytes).toBeInstanceOf(Promise);
    expect(hex(await bytes)).toBe(hex(signSign1(payload, edSigner)));
    const broken = { ...signer, sign: async () => new Uint8Array(3) };
    await expect(signSign1(payload, broken)).rejects.toMatchObject({ code: 'signer-output' });
  });

  it('is deterministic for Ed25519', () => {
    expect(hex(signSign1(payload, edSigner))).toBe(hex(signSign1(payload, edSigner)));
  });
});

describe('prepareSign1', () => {
  it('knows the hash before the signature, and it is that of the Sig_structure (RCP-4)', () => {
    const prepared = prepareSign1(payload, edSigner, { externalAad: k1 });
    const bytes = prepared.finish(edSigner.sign(prepared.sigStructure));
    const result = verifySign1(bytes, edKeys, { externalAad: k1 });
    expect(result).toMatchObject({ ok: true, hash: prepared.hash() });
    expect(prepared.hash()).toBe(sha256Text(prepared.sigStructure));
  });

  it('sends what was signed, though the caller changes the payload while the signer is at work', () => {
    const content = payload.slice();
    const prepared = prepareSign1(content, edSigner);
    const signature = edSigner.sign(prepared.sigStructure);
    content.fill(0);
    const result = verifySign1(prepared.finish(signature), edKeys);
    expect(result.ok && hex(result.payload)).toBe(hex(payload));
  });
});

describeBothPaths('verifySign1', () => {
  it.each([
    ['Ed25519', ed, edSigner],
    ['ESP256', ec, ecSigner],
  ] as const)('gives back what was signed with %s', (alg, key, signer) => {
    const result = verifySign1(signSign1(payload, signer), named(signer.kid, key));
    expect(result).toEqual({ ok: true, alg, kid: signer.kid, payload, hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
  });

  it.each([
    ['EdDSA', ed, edSigner],
    ['ES256', ec, ecSigner],
  ] as const)('takes %s only where the caller says so (RCP-17)', (alg, key, signer) => {
    const bytes = signSign1(payload, signer, { alg });
    expect(verifySign1(bytes, named(signer.kid, key), { alsoAlgorithms: [alg] })).toMatchObject({ ok: true, alg });
    expect(verifySign1(bytes, named(signer.kid, key))).toMatchObject({ ok: false, problems: [{ code: 'cose-alg' }] });
    const other = alg === 'EdDSA' ? 'ES256' : 'EdDSA';
    expect(verifySign1(bytes, named(signer.kid, key), { alsoAlgorithms: [other] })).toMatchObject({ problems: [{ code: 'cose-alg' }] });
  });

  it('refuses an algorithm that does not fit the key, before it looks at the signature (RCP-20)', () => {
    const bytes = message({ header: header([1, -9], [4, k1]) });
    expect(verifySign1(bytes, named(k1, ed))).toMatchObject({ problems: [{ code: 'cose-alg-key', where: { offset: bytes.length - 64 } }] });
    const loose = message({ header: header([1, -7], [4, k1]) });
    expect(verifySign1(loose, named(k1, ed), { alsoAlgorithms: ['ES256', 'EdDSA'] })).toMatchObject({ problems: [{ code: 'cose-alg-key' }] });
  });

  it('refuses a kid that is not among the keys, and one that only begins like one', () => {
    const bytes = signSign1(payload, edSigner, { kid: utf8('k1') });
    for (const kid of ['k2', 'k', 'k10', '']) expect(verifySign1(bytes, named(utf8(kid)))).toMatchObject({ problems: [{ code: 'key-unknown' }] });
    expect(verifySign1(bytes, [])).toMatchObject({ problems: [{ code: 'key-unknown' }] });
  });

  it('refuses a signature by a stranger who writes a trusted kid', () => {
    const stranger = signSign1(payload, ecSigner, { kid: edSigner.kid });
    expect(verifySign1(stranger, edKeys)).toMatchObject({ problems: [{ code: 'cose-alg-key' }] });
    const changed = message({ signature: (good) => good.map((byte, i) => (i === 0 ? byte ^ 1 : byte)) });
    expect(verifySign1(changed, named(k1))).toMatchObject({ problems: [{ code: 'signature-invalid', where: { offset: changed.length - 64 } }] });
  });

  it('tries every key of a kid, because a kid need not be one key’s alone (RFC 9052 section 3.1)', () => {
    const bytes = signSign1(payload, edSigner, { kid: k1 });
    const keys = [...named(k1, ec), ...named(utf8('k2'), ec), ...named(k1, ed)];
    expect(verifySign1(bytes, keys).ok).toBe(true);
    expect(verifySign1(bytes, keys.slice(0, 2))).toMatchObject({ problems: [{ code: 'cose-alg-key' }] });
  });

  it('binds the external data (RFC 9052 section 4.3)', () => {
    const bytes = signSign1(payload, edSigner, { externalAad: utf8('order 7') });
    expect(verifySign1(bytes, edKeys, { externalAad: utf8('order 7') }).ok).toBe(true);
    for (const externalAad of [utf8('order 8'), new Uint8Array(0)]) {
      expect(verifySign1(bytes, edKeys, { externalAad })).toMatchObject({ problems: [{ code: 'signature-invalid' }] });
    }
    expect(verifySign1(bytes, edKeys)).toMatchObject({ problems: [{ code: 'signature-invalid' }] });
  });

  it('answers a high s by its own code', () => {
    const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');
    const mirror = (good: Uint8Array) => concat(good.subarray(0, 32), unhex((order - BigInt(`0x${hex(good.subarray(32))}`)).toString(16).padStart(64, '0')));
    const bytes = message({ header: header([1, -9], [4, k1]), signer: ecSigner, signature: mirror });
    expect(verifySign1(bytes, named(k1, ec))).toMatchObject({ problems: [{ code: 'signature-high-s', where: { offset: bytes.length - 64 } }] });
  });

  it('binds the protected header, also where the other header would be taken', () => {
    const bytes = signSign1(payload, edSigner, { typ: 'a' });
    const other = unhex(hex(bytes).replace('106161', '106162')); // typ "b"
    expect(refusal(other, { typ: 'b' })).toBeUndefined();
    expect(verifySign1(other, edKeys, { typ: 'b' })).toMatchObject({ problems: [{ code: 'signature-invalid' }] });
  });
});

describe('verifySign1', () => {
  it('refuses every message with one bit changed', () => {
    const good = signSign1(payload, edSigner, { typ });
    expect(verifySign1(good, edKeys, { typ }).ok).toBe(true);
    for (let i = 0; i < good.length * 8; i++) {
      const changed = good.slice();
      changed[i >> 3] = (changed[i >> 3] as number) ^ (1 << (i & 7));
      expect(verifySign1(changed, edKeys, { typ }).ok, `bit ${i}`).toBe(false);
    }
  });

  it('refuses every beginning of a message, and a message with a byte after it', () => {
    const good = signSign1(payload, edSigner);
    for (let length = 0; length < good.length; length++) {
      expect(verifySign1(good.subarray(0, length), edKeys)).toMatchObject({ problems: [{ code: 'cbor-truncated' }] });
    }
    expect(verifySign1(concat(good, unhex('00')), edKeys)).toMatchObject({ problems: [{ code: 'cbor-trailing', where: { offset: good.length } }] });
  });

  it('takes a Node Buffer, and gives copies of what was in it', () => {
    const input = Buffer.from(signSign1(payload, edSigner));
    const result = verifySign1(input, edKeys);
    input.fill(0);
    expect(result.ok && hex(result.payload)).toBe(hex(payload));
    expect(result.ok && result.payload.constructor).toBe(Uint8Array);
  });

  it('throws a TypeError for what are no bytes, because that is the caller', () => {
    for (const bytes of [undefined, 'd284', [0xd2], new ArrayBuffer(3)]) expect(() => verifySign1(bytes as unknown as Uint8Array, edKeys)).toThrow(TypeError);
  });
});

/** Each row: the same good message with exactly one thing changed, signed over what stands in it; code and place. */
describe('parseSign1 refuses', () => {
  it('nothing of the good message that the others are changed from', () => {
    expect(refusal(message())).toBeUndefined();
    expect(verifySign1(message(), named(k1)).ok).toBe(true);
  });

  // where the parts of the good message begin: d2 84 47 <7> a0 4d <13> 58 40 <64>
  const inHeader = 3;
  const unprotected = 10;
  const end = 2 + 1 + 7 + 1 + 1 + 13 + 2 + 64;

  it.each<[string, Uint8Array, string, number]>([
    // RCP-12
    ['no bytes', new Uint8Array(0), 'cbor-truncated', 0],
    ['more bytes than the limit', new Uint8Array(limits.receiptBytes + 1), 'limit', 0],
    // RCP-13
    ['no tag', message().subarray(1), 'cose-tag', 0],
    ['tag 18 in two bytes', concat(unhex('d812'), message().subarray(1)), 'cose-tag', 0],
    ['tag 17', concat(unhex('d1'), message().subarray(1)), 'cose-tag', 0],
    ['tag 55799 in front', concat(unhex('d9d9f7'), message()), 'cose-tag', 0],
    ['a byte that begins no item', unhex('1c'), 'cose-tag', 0],
    // RCP-14
    ['the tag alone', unhex('d2'), 'cbor-truncated', 1],
    ['the tag twice', concat(unhex('d2'), message()), 'cbor-tag', 1],
    ['an array of indefinite length', concat(unhex('d29f'), message().subarray(2), unhex('ff')), 'cbor-indefinite', 1],
    ['a head of the array that is not shortest', concat(unhex('d29804'), message().subarray(2)), 'cbor-not-shortest', 1],
    ['null as payload, detached', concat(message().subarray(0, 11), unhex('f6'), message().subarray(-66)), 'cbor-simple', 11],
    ['a byte after it', concat(message(), unhex('00')), 'cbor-trailing', end],
    // RCP-15
    ['an array of three', concat(unhex('d283'), message().subarray(2, -66)), 'cose-shape', 1],
    ['an array of five', concat(unhex('d285'), message().subarray(2), unhex('00')), 'cose-shape', 1],
    ['another item', unhex('d200'), 'cose-shape', 1],
    ['a map in the tag', unhex('d2a0'), 'cose-shape', 1],
    ['a map as protected header', concat(unhex('d284a0'), message().subarray(10)), 'cose-shape', 2],
    ['bytes as unprotected header', message({ unprotected: unhex('40') }), 'cose-shape', unprotected],
    ['an array as unprotected header', message({ unprotected: unhex('80') }), 'cose-shape', unprotected],
    ['text as payload', concat(message().subarray(0, 11), unhex('60'), message().subarray(-66)), 'cose-shape', 11],
    ['text as signature', concat(message().subarray(0, -66), unhex('60')), 'cose-shape', end - 66],
    // RCP-16
    ['an empty protected header', message({ protectedBytes: unhex('') }), 'cose-protected', 2],
    ['an array in the protected header', message({ protectedBytes: unhex('80') }), 'cose-protected', inHeader],
    ['a number in the protected header', message({ protectedBytes: unhex('01') }), 'cose-protected', inHeader],
    ['a byte after the map', message({ protectedBytes: unhex('a2013204426b3100') }), 'cbor-trailing', inHeader + 7],
    ['a map with a label out of order', message({ protectedBytes: unhex('a204426b310132') }), 'cbor-unsorted', inHeader + 5],
    ['a map with a label twice', message({ protectedBytes: unhex('a301320132 04426b31') }), 'cbor-duplicate-key', inHeader + 3],
    ['a map with a head that is not shortest', message({ protectedBytes: unhex('b802013204426b31') }), 'cbor-not-shortest', inHeader],
    ['a map with an algorithm that is not shortest', message({ protectedBytes: unhex('a201381204426b31') }), 'cbor-not-shortest', inHeader + 2],
    ['an empty map', message({ protectedBytes: unhex('a0') }), 'cose-alg', inHeader],
    // RCP-17
    ['crit in the protected header', message({ header: header(...goodHeader, [2, [99]], [99, 1]) }), 'cose-crit', inHeader + 3],
    ['crit in the unprotected header', message({ unprotected: unhex('a1028101') }), 'cose-crit', unprotected + 1],
    ['a label that is not named', message({ header: header(...goodHeader, [3, 0]) }), 'cose-header', inHeader + 3],
    ['a text label', message({ header: header(...goodHeader, ['alg', 0]) }), 'cose-header', inHeader + 7],
    ['a key in the protected header', message({ header: header(...goodHeader, ['key', { a: 1 }]) }), 'cose-header', inHeader + 7],
    ['a label in the unprotected header', message({ unprotected: unhex('a10300') }), 'cose-header', unprotected + 1],
    ['the kid in the unprotected header', message({ header: header([1, -19]), unprotected: unhex('a104426b31') }), 'cose-header', 2 + 1 + 3 + 1],
    ['the kid in both headers', message({ unprotected: unhex('a104426b31') }), 'cose-header', unprotected + 1],
    ['the algorithm in both headers', message({ unprotected: unhex('a10132') }), 'cose-header', unprotected + 1],
    ['no algorithm', message({ header: header([4, k1]) }), 'cose-alg', inHeader],
    ['another algorithm', message({ header: header([1, -35], [4, k1]) }), 'cose-alg', inHeader + 1],
    ['EdDSA, which the caller did not name', message({ header: header([1, -8], [4, k1]) }), 'cose-alg', inHeader + 1],
    ['an algorithm as text', message({ header: header([1, 'Ed25519'], [4, k1]) }), 'cose-alg', inHeader + 1],
    ['no kid', message({ header: header([1, -19]) }), 'cose-kid', inHeader],
    ['an empty kid', message({ header: header([1, -19], [4, unhex('')]) }), 'cose-kid', inHeader + 3],
    ['a kid as text', message({ header: header([1, -19], [4, 'k1']) }), 'cose-kid', inHeader + 3],
    ['a typ that the caller did not name', message({ header: header(...goodHeader, [16, 'a']) }), 'cose-typ', inHeader + 7],
    // RCP-18
    ['a signature of 63 bytes', message({ signature: (good) => good.subarray(1) }), 'cose-signature-size', end - 66],
    ['a signature of 65 bytes', message({ signature: (good) => concat(good, unhex('00')) }), 'cose-signature-size', end - 66],
    ['no signature', message({ signature: () => unhex('') }), 'cose-signature-size', end - 66],
  ])('%s', (_, bytes, code, offset) => {
    expect(refusal(bytes)).toEqual({ code, offset });
  });

  it.each<[string, Uint8Array, string]>([
    ['crit before another label', message({ header: header(...goodHeader, [2, [99]], [3, 0]) }), 'cose-crit'],
    ['crit unprotected before another label protected', message({ header: header(...goodHeader, [3, 0]), unprotected: unhex('a1028101') }), 'cose-crit'],
    ['another label before the algorithm', message({ header: header([1, -35], [3, 0], [4, k1]) }), 'cose-header'],
    ['another label unprotected before the algorithm', message({ header: header([4, k1]), unprotected: unhex('a10300') }), 'cose-header'],
    ['the algorithm before the kid', message({ header: header([1, -35]) }), 'cose-alg'],
    ['the kid before the typ', message({ header: header([1, -19], [16, typ]) }), 'cose-kid'],
    ['the typ before the signature', message({ header: header(...goodHeader, [16, typ]), signature: () => unhex('') }), 'cose-typ'],
  ])('%s (the order of RCP-17)', (_, bytes, code) => {
    expect(refusal(bytes)?.code).toBe(code);
  });

  it('by the profile of a receipt: a kid of another length, another typ or none', () => {
    const profile = { kidBytes: 32, typ };
    expect(refusal(signSign1(payload, edSigner, { typ }), profile)).toBeUndefined();
    expect(refusal(signSign1(payload, edSigner, { typ, kid: edSigner.kid.subarray(1) }), profile)?.code).toBe('cose-kid');
    expect(refusal(signSign1(payload, edSigner, { typ, kid: concat(edSigner.kid, unhex('00')) }), profile)?.code).toBe('cose-kid');
    expect(refusal(signSign1(payload, edSigner, { typ: `${typ}2` }), profile)?.code).toBe('cose-typ');
    expect(refusal(signSign1(payload, edSigner, { typ: typ.toUpperCase() }), profile)?.code).toBe('cose-typ');
    expect(refusal(signSign1(payload, edSigner), profile)?.code).toBe('cose-typ');
    expect(refusal(message({ header: header([1, -19], [4, edSigner.kid], [16, 60]) }), profile)?.code).toBe('cose-typ');
  });

  it('counting offsets from the base that is given', () => {
    const bytes = concat(message(), unhex('00'));
    expect(refusal(bytes, { base: 1_000 })).toEqual({ code: 'cbor-trailing', offset: 1_000 + message().length });
    expect(refusal(message({ header: header([1, -35], [4, k1]) }), { base: 1_000 })?.offset).toBe(1_000 + inHeader + 1);
    expect(refusal(message({ protectedBytes: unhex('b802013204426b31') }), { base: 1_000 })?.offset).toBe(1_000 + inHeader);
    const wrong = parse(message({ signature: (good) => good.map((byte) => byte ^ 1) }), { base: 1_000 });
    expect(checkSignature(wrong, ed.public)?.where.offset).toBe(1_000 + end - 64);
  });

  it('with one line that names both sides', () => {
    const messages = [
      refused(message({ header: header([1, -35], [4, k1]) })),
      refused(message({ header: header([1, -8], [4, k1]) })),
      refused(message({ header: header(...goodHeader, ['\u001b[31m', 0]) })),
      refused(message({ header: header([1, -19], [4, unhex('')]) })),
    ];
    expect(messages).toEqual([
      'expected an algorithm of Ed25519, ESP256, got -35',
      'expected an algorithm of Ed25519, ESP256, got EdDSA',
      'expected alg, kid and typ in the protected header, got label `\\u001b[31m`',
      'expected a kid of at least 1 bytes, got 0 bytes',
    ]);
  });
});

describe('parseSign1 gives', () => {
  it('the places of payload and signature in the message', () => {
    for (const length of [0, 23, 24, 300, 70_000]) {
      const content = new Uint8Array(length).fill(7);
      const bytes = signSign1(content, edSigner, { typ });
      const parsed = parse(bytes, { typ });
      expect(hex(bytes.subarray(parsed.payloadOffset, parsed.payloadOffset + length))).toBe(hex(content));
      expect(hex(bytes.subarray(parsed.signatureOffset))).toBe(hex(parsed.signature));
    }
  });

  it('copies, so that what is verified and what is read cannot come apart', () => {
    const bytes = signSign1(payload, edSigner);
    const parsed = parse(bytes);
    bytes.fill(0);
    expect(hex(parsed.payload)).toBe(hex(payload));
    expect(checkSignature(parsed, ed.public)).toBeUndefined();
  });
});

function refused(bytes: Uint8Array): string | undefined {
  const parsed = parseSign1(bytes);
  return isProblem(parsed) ? parsed.message : undefined;
}
