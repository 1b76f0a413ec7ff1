import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concat, hex } from '../../src/bytes.js';
import { isEd25519Point } from '../../src/cose/curves.js';
import { ed25519Signer, ed25519Verifier } from '../../src/cose/ed25519.js';
import { native } from '../../src/native.js';
import { unhex } from './hex.js';
import { describeBothPaths, onBothPaths } from './paths.js';

const { Point } = ed25519;
const L = Point.Fn.ORDER;

/** A point of order 8, and so all eight of the small group as its multiples. */
const torsion = Point.fromBytes(unhex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'));

// RFC 8032 section 7.1, tests 1 to 3
const vectors = [
  {
    seed: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    x: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: '',
    signature: 'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    x: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    message: '72',
    signature: '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
  {
    seed: 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    x: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    message: 'af82',
    signature: '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  },
].map(({ seed, x, message, signature }) => ({ seed: unhex(seed), x: unhex(x), message: unhex(message), signature: unhex(signature) }));
const [, vector] = vectors as unknown as [unknown, (typeof vectors)[0]];

describeBothPaths('ed25519', () => {
  it.each(vectors)('signs and verifies as RFC 8032 section 7.1 does, %#', ({ seed, x, message, signature }) => {
    expect(hex(ed25519Signer(seed, x)(message))).toBe(hex(signature));
    expect(ed25519Verifier(x)(message, signature)).toBeUndefined();
  });

  it('refuses a signature of another message', () => {
    expect(ed25519Verifier(vector.x)(unhex('73'), vector.signature)).toBe('signature-invalid');
  });

  it('refuses a signature by another key', () => {
    expect(ed25519Verifier(vectors[0]?.x as Uint8Array)(vector.message, vector.signature)).toBe('signature-invalid');
  });

  it.each([0, 31, 32, 63])('refuses a signature with one bit changed in byte %d', (place) => {
    const changed = vector.signature.slice();
    changed[place] = (changed[place] as number) ^ 1;
    expect(ed25519Verifier(vector.x)(vector.message, changed)).toBe('signature-invalid');
  });

  it('refuses S with the group order added, because one signature must have one byte form (RCP-7)', () => {
    const changed = withS(vector.signature, (s) => s + L);
    expect(ed25519Verifier(vector.x)(vector.message, changed)).toBe('signature-invalid');
  });

  it.each([63, 65, 0])('refuses a signature of %d bytes', (length) => {
    const changed = new Uint8Array(length);
    changed.set(vector.signature.subarray(0, Math.min(64, length)));
    expect(ed25519Verifier(vector.x)(vector.message, changed)).toBe('signature-invalid');
  });

  it.each([1, 2, 3, 4, 5, 6, 7])('refuses an R with torsion part %d, which a cofactored equation takes (RCP-7)', (part) => {
    const { x, message, signature } = crooked(BigInt(part));
    // the signature is not just wrong: noble by its own rule takes it
    expect(ed25519.verify(signature, message, x, { zip215: true })).toBe(true);
    expect(ed25519Verifier(x)(message, signature)).toBe('signature-invalid');
  });

  it('takes the same construction without a torsion part, so that the part is what is refused', () => {
    const { x, message, signature } = crooked(0n);
    expect(ed25519Verifier(x)(message, signature)).toBeUndefined();
  });

  it('refuses an R that is not the canonical encoding of its point', () => {
    // R = identity, written as y = p + 1
    const { x, message, signature } = crooked(0n, unhex('eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f'), 0n);
    expect(ed25519.verify(signature, message, x, { zip215: true })).toBe(true);
    expect(ed25519Verifier(x)(message, signature)).toBe('signature-invalid');
  });

  it('takes the canonical R of the same point', () => {
    const { x, message, signature } = crooked(0n, Point.ZERO.toBytes(), 0n);
    expect(ed25519Verifier(x)(message, signature)).toBeUndefined();
  });
});

describe('ed25519', () => {
  it('checks S itself, because the native crypto of a runtime may be laxer than that of Node', () => {
    const whole = native.crypto;
    try {
      native.crypto = { createPublicKey: () => ({}), verify: () => true } as unknown as NonNullable<typeof native.crypto>;
      const verify = ed25519Verifier(vector.x);
      expect(verify(vector.message, vector.signature)).toBeUndefined();
      expect(
        verify(
          vector.message,
          withS(vector.signature, () => L - 1n),
        ),
      ).toBeUndefined();
      for (const s of [L, L + 1n, 2n ** 256n - 1n])
        expect(
          verify(
            vector.message,
            withS(vector.signature, () => s),
          ),
        ).toBe('signature-invalid');
    } finally {
      native.crypto = whole;
    }
  });
});

describe('ed25519 on both paths', () => {
  it('signs the same bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array({ maxLength: 600 }), (seed, message) => {
        const x = ed25519.getPublicKey(seed);
        const { native, pure } = onBothPaths(() => hex(ed25519Signer(seed, x)(message)));
        expect(pure).toBe(native);
      }),
      { numRuns: 20 },
    );
  });

  it('gives the verdict of RCP-7 written out, for signatures right, wrong and crooked', () => {
    fc.assert(
      fc.property(fc.nat(8), fc.uint8Array({ maxLength: 40 }), fc.nat(63), fc.nat(255), (part, text, place, change) => {
        const { x, message, signature } = crooked(BigInt(part % 8), undefined, 77n, text);
        if (part === 8) signature[place] = (signature[place] as number) ^ change;
        const expected = literal(x, message, signature) ? undefined : 'signature-invalid';
        const { native, pure } = onBothPaths(() => ed25519Verifier(x)(message, signature));
        expect([native, pure]).toEqual([expected, expected]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('isEd25519Point (RCP-6)', () => {
  it.each(vectors)('takes the public key of RFC 8032, %#', ({ x }) => {
    expect(isEd25519Point(x)).toBe(true);
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7])('refuses the point of small order %d T', (part) => {
    expect(isEd25519Point(smallPoint(BigInt(part)).toBytes())).toBe(false);
  });

  it.each([1, 2, 3, 4, 5, 6, 7])('refuses a point with the torsion part %d T', (part) => {
    expect(
      isEd25519Point(
        Point.fromBytes(vector.x)
          .add(smallPoint(BigInt(part)))
          .toBytes(),
      ),
    ).toBe(false);
  });

  it.each([
    ['y = p', 'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f'],
    ['y = p + 1', 'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f'],
    ['y = 2^255 - 1', 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f'],
    ['x = 0 with a sign', '0100000000000000000000000000000000000000000000000000000000000080'],
    ['y = p with a sign', 'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff'],
  ])('refuses an encoding that is not canonical: %s', (_, encoding) => {
    expect(isEd25519Point(unhex(encoding))).toBe(false);
  });

  it('refuses bytes that are no point', () => {
    expect(isEd25519Point(unhex('0200000000000000000000000000000000000000000000000000000000000000'))).toBe(false);
  });
});

/** RCP-7, word for word. */
function literal(x: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const R = signature.subarray(0, 32);
  const S = littleEndian(signature.subarray(32));
  if (S >= L) return false;
  const k = littleEndian(sha512(concat(R, x, message))) % L;
  const right = Point.BASE.multiplyUnsafe(S).subtract(Point.fromBytes(x).multiplyUnsafe(k));
  return hex(right.toBytes()) === hex(R);
}

/** A signature by a signer who knows the secret a and adds a torsion part to R, or writes R another way. */
function crooked(part: bigint, encodedR?: Uint8Array, r = 77n, message = unhex('6d657373616765')) {
  const a = 12345n;
  const x = Point.BASE.multiply(a).toBytes();
  const R = encodedR ?? Point.BASE.multiply(r).add(smallPoint(part)).toBytes();
  const k = littleEndian(sha512(concat(R, x, message))) % L;
  return { x, message, signature: withS(concat(R, new Uint8Array(32)), () => (r + k * a) % L) };
}

function smallPoint(part: bigint) {
  let point = Point.ZERO;
  for (let i = 0n; i < part; i++) point = point.add(torsion);
  return point;
}

function withS(signature: Uint8Array, change: (s: bigint) => bigint): Uint8Array {
  const out = signature.slice();
  let s = change(littleEndian(signature.subarray(32)));
  for (let i = 32; i < 64; i++, s >>= 8n) out[i] = Number(s & 0xffn);
  return out;
}

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}
