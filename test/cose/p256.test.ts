import { p256 } from '@noble/curves/nist.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concat, hex, utf8 } from '../../src/bytes.js';
import { isP256Point } from '../../src/cose/curves.js';
import { lowS, p256Signer, p256Verifier } from '../../src/cose/p256.js';
import { native } from '../../src/native.js';
import { unhex } from './hex.js';
import { describeBothPaths, onBothPaths } from './paths.js';

const n = p256.Point.Fn.ORDER;
const half = n / 2n;

// RFC 6979 appendix A.2.5
const d = unhex('c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721');
const x = unhex('60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6');
const y = unhex('7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299');
const sample = {
  message: utf8('sample'),
  r: 0xefd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716n,
  s: 0xf7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8n, // in the upper half
};
const test = {
  message: utf8('test'),
  r: 0xf1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367n,
  s: 0x019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083n, // in the lower half
};

const signature = (r: bigint, s: bigint): Uint8Array => concat(bigEndian(r), bigEndian(s));
const verify = p256Verifier(x, y);

describeBothPaths('p256', () => {
  it('verifies the signatures of RFC 6979 with s in the lower half', () => {
    expect(verify(sample.message, signature(sample.r, n - sample.s))).toBeUndefined();
    expect(verify(test.message, signature(test.r, test.s))).toBeUndefined();
  });

  it('signs what it verifies, with s in the lower half each time (RCP-5)', () => {
    const sign = p256Signer(d, x, y);
    for (let i = 0; i < 20; i++) {
      const message = Uint8Array.of(i);
      const made = sign(message);
      expect(made).toHaveLength(64);
      expect(verify(message, made)).toBeUndefined();
      expect(BigInt(`0x${hex(made.subarray(32))}`)).toBeLessThanOrEqual(half);
    }
  });

  it('refuses a signature of another message', () => {
    expect(verify(utf8('toast'), signature(test.r, test.s))).toBe('signature-invalid');
  });

  it.each([
    ['r of zero', signature(0n, test.s), 'signature-invalid'],
    ['s of zero', signature(test.r, 0n), 'signature-invalid'],
    ['r of the order', signature(n, test.s), 'signature-invalid'],
    ['s of the order', signature(test.r, n), 'signature-invalid'],
    ['r above the order', signature(2n ** 256n - 1n, test.s), 'signature-invalid'],
    ['s above the order', signature(test.r, 2n ** 256n - 1n), 'signature-invalid'],
    ['r with a bit changed', signature(test.r ^ 1n, test.s), 'signature-invalid'],
    ['s with a bit changed', signature(test.r, test.s ^ 1n), 'signature-invalid'],
    ['a right signature with s in the upper half', signature(test.r, n - test.s), 'signature-high-s'],
    ['a wrong signature with s in the upper half', signature(test.r ^ 1n, n - test.s), 'signature-high-s'],
    ['s one above half the order', signature(test.r, half + 1n), 'signature-high-s'],
    ['s of half the order, which is low and here wrong', signature(test.r, half), 'signature-invalid'],
    ['s one below the order', signature(test.r, n - 1n), 'signature-high-s'],
    ['r of zero beside s in the upper half: the range comes first', signature(0n, n - 1n), 'signature-invalid'],
    ['63 bytes', signature(test.r, test.s).subarray(0, 63), 'signature-invalid'],
    ['65 bytes', concat(signature(test.r, test.s), Uint8Array.of(0)), 'signature-invalid'],
    ['no bytes', new Uint8Array(0), 'signature-invalid'],
  ])('answers %s by RCP-8', (_, given, code) => {
    expect(verify(test.message, given)).toBe(code);
  });
});

describe('p256 without native crypto', () => {
  it('signs by RFC 6979, so that vectors can be made again', () => {
    const whole = native.crypto;
    try {
      native.crypto = undefined;
      expect(hex(p256Signer(d, x, y)(test.message))).toBe(hex(signature(test.r, test.s)));
      expect(hex(p256Signer(d, x, y)(sample.message))).toBe(hex(signature(sample.r, n - sample.s)));
    } finally {
      native.crypto = whole;
    }
  });
});

describe('p256 on both paths', () => {
  it('gives one verdict for any r and s', () => {
    const edge = fc.constantFrom(0n, 1n, 2n, half - 1n, half, half + 1n, n - 1n, n, n + 1n, 2n ** 256n - 1n, test.r, test.s, n - test.s);
    const any = fc.oneof(edge, fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }));
    fc.assert(
      fc.property(any, any, (r, s) => {
        const { native: byNative, pure } = onBothPaths(() => verify(test.message, signature(r, s)));
        expect(pure).toBe(byNative);
      }),
      { numRuns: 60 },
    );
  });
});

describe('lowS', () => {
  it('mirrors s of the upper half and leaves the rest alone', () => {
    expect(hex(lowS(signature(test.r, n - test.s)))).toBe(hex(signature(test.r, test.s)));
    expect(hex(lowS(signature(test.r, test.s)))).toBe(hex(signature(test.r, test.s)));
    expect(hex(lowS(signature(1n, half + 1n)))).toBe(hex(signature(1n, n - half - 1n)));
    expect(hex(lowS(signature(1n, half)))).toBe(hex(signature(1n, half)));
    expect(hex(lowS(signature(1n, n)))).toBe(hex(signature(1n, n)));
  });
});

describe('isP256Point (RCP-6)', () => {
  const p = p256.Point.Fp.ORDER;

  it('takes the public key of RFC 6979', () => {
    expect(isP256Point(x, y)).toBe(true);
  });

  it('refuses a point beside the curve', () => {
    expect(isP256Point(x, bigEndian(BigInt(`0x${hex(y)}`) ^ 1n))).toBe(false);
    expect(isP256Point(y, x)).toBe(false);
    expect(isP256Point(new Uint8Array(32), new Uint8Array(32))).toBe(false);
  });

  it('refuses a coordinate that is not below p, because it is another spelling of a smaller one', () => {
    const small = { x: 5n, y: p256.Point.fromBytes(concat(Uint8Array.of(2), bigEndian(5n))).y };
    expect(isP256Point(bigEndian(small.x), bigEndian(small.y))).toBe(true);
    expect(isP256Point(bigEndian(small.x + p), bigEndian(small.y))).toBe(false);
  });
});

function bigEndian(value: bigint): Uint8Array {
  return unhex(value.toString(16).padStart(64, '0'));
}
