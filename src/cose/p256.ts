/**
 * ECDSA with P-256 and SHA-256 (FIPS 186-5): r || s with s in the lower half (spec/receipt.md, RCP-5, RCP-8), by
 * native crypto where there is one and in plain JavaScript elsewhere, with the same verdicts.
 * @module
 */
import { base64url, compareBytes, concat, fromHex, hex } from '../bytes.js';
import { native } from '../native.js';
import type { Sign, SignatureFault, Verify } from './algorithm.js';
import { p256PublicKey as pureP256PublicKey, pureP256Sign, pureP256Verify } from './curves.js';

type KeyObject = ReturnType<NonNullable<typeof native.crypto>['createPublicKey']>;

/** The group order, big-endian, and half of it rounded down: the greatest s that is taken. */
const order = fromHex('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551') as Uint8Array;
const halfOrder = fromHex('7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8') as Uint8Array;

/** The coordinates of the public key of `d`, or undefined where `d` is zero or not below the group order. */
export function p256PublicKey(d: Uint8Array): { readonly x: Uint8Array; readonly y: Uint8Array } | undefined {
  const { crypto } = native;
  if (crypto === undefined) return pureP256PublicKey(d);
  if (d.length !== 32 || compareBytes(d, order) >= 0 || d.every((byte) => byte === 0)) return undefined;
  const pair = crypto.createECDH('prime256v1');
  pair.setPrivateKey(hex(d), 'hex');
  const point = fromHex(pair.getPublicKey('hex')) as Uint8Array;
  return { x: point.slice(1, 33), y: point.slice(33) };
}

/** Verifies by the public key of coordinates `x` and `y`, 32 bytes each, that passed RCP-6. They are not copied. */
export function p256Verifier(x: Uint8Array, y: Uint8Array): Verify {
  // kept, because making it costs more than a verification
  let keyObject: KeyObject | undefined;
  return (message, signature) => {
    // RCP-8, before anything else sees the numbers
    const fault = rangeFault(signature);
    if (fault !== undefined) return fault;
    const { crypto } = native;
    if (crypto === undefined) return pureP256Verify(x, y, message, signature) ? undefined : 'signature-invalid';
    keyObject ??= crypto.createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: base64url(x), y: base64url(y) } });
    return crypto.verify('sha256', message, { key: keyObject, dsaEncoding: 'ieee-p1363' }, signature) ? undefined : 'signature-invalid';
  };
}

/**
 * Signs with the scalar `d` whose public key is `x`, `y`. They are not copied. The nonce is that of the native
 * crypto, or that of RFC 6979 where there is none, and then the same bytes come out each time.
 */
export function p256Signer(d: Uint8Array, x: Uint8Array, y: Uint8Array): Sign {
  let keyObject: KeyObject | undefined;
  return (message) => {
    const { crypto } = native;
    if (crypto === undefined) return pureP256Sign(d, message);
    keyObject ??= crypto.createPrivateKey({
      format: 'jwk',
      key: { kty: 'EC', crv: 'P-256', x: base64url(x), y: base64url(y), d: base64url(d) },
    });
    return lowS(new Uint8Array(crypto.sign('sha256', message, { key: keyObject, dsaEncoding: 'ieee-p1363' })));
  };
}

/** RCP-8: what is wrong with r and s as numbers, whatever they sign. */
export function rangeFault(signature: Uint8Array): SignatureFault | undefined {
  const s = signature.subarray(32);
  if (signature.length !== 64 || !isScalar(signature.subarray(0, 32)) || !isScalar(s)) return 'signature-invalid';
  return compareBytes(s, halfOrder) > 0 ? 'signature-high-s' : undefined;
}

/** The signature with s in the lower half (RCP-5): s and the order less s are equally right, and one is the rule. */
export function lowS(signature: Uint8Array): Uint8Array {
  const s = signature.subarray(32);
  return compareBytes(s, halfOrder) > 0 && isScalar(s) ? concat(signature.subarray(0, 32), orderLess(s)) : signature;
}

/** Whether 32 bytes are a number from 1 to below the order. */
function isScalar(bytes: Uint8Array): boolean {
  return compareBytes(bytes, order) < 0 && bytes.some((byte) => byte !== 0);
}

/** The order less `s`, digit by digit from the low end. */
function orderLess(s: Uint8Array): Uint8Array {
  const out = new Uint8Array(32);
  let borrow = 0;
  for (let i = 31; i >= 0; i--) {
    const difference = (order[i] as number) - (s[i] as number) - borrow;
    borrow = difference < 0 ? 1 : 0;
    out[i] = difference & 0xff;
  }
  return out;
}
