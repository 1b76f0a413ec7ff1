/**
 * The mathematics of the two curves, in plain JavaScript: point checks, and signatures where there is no native
 * crypto. The only importer of @noble/curves.
 * @module
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { concat, equalBytes } from '../bytes.js';

/**
 * RCP-6: whether 32 bytes are the canonical encoding of a point of Ed25519 that is neither of small order nor has a
 * torsion part. About a millisecond: for when a key is loaded.
 */
export function isEd25519Point(x: Uint8Array): boolean {
  const point = decoded(() => ed25519.Point.fromBytes(x, false)); // false: y below p, and no sign on x = 0
  return point !== undefined && !point.isSmallOrder() && point.isTorsionFree();
}

/** RCP-6: whether 32 and 32 bytes are the coordinates, each below p, of a point of P-256. Infinity has no coordinates. */
export function isP256Point(x: Uint8Array, y: Uint8Array): boolean {
  return decoded(() => p256.Point.fromBytes(uncompressed(x, y))) !== undefined;
}

/** The public key of a seed (RFC 8032 section 5.1.5). */
export function ed25519PublicKey(seed: Uint8Array): Uint8Array {
  return ed25519.getPublicKey(seed);
}

/** The coordinates of the public key of `d`, or undefined where `d` is zero or not below the group order. */
export function p256PublicKey(d: Uint8Array): { readonly x: Uint8Array; readonly y: Uint8Array } | undefined {
  if (!p256.utils.isValidSecretKey(d)) return undefined;
  const point = p256.getPublicKey(d, false);
  return { x: point.slice(1, 33), y: point.slice(33) };
}

/** Fresh secrets from the runtime's random source. */
export function randomEd25519Seed(): Uint8Array {
  return ed25519.utils.randomSecretKey();
}
export function randomP256Scalar(): Uint8Array {
  return p256.utils.randomSecretKey();
}

/** RFC 8032 section 5.1.6. */
export function pureEd25519Sign(seed: Uint8Array, message: Uint8Array): Uint8Array {
  return ed25519.sign(message, seed);
}

/**
 * RCP-7: whether the encoding of [S]B - [k]A is R, as bytes. The caller has checked the key and that S is below L.
 * Not `ed25519.verify`, which multiplies by the cofactor and so accepts what native crypto refuses.
 */
export function pureEd25519Verify(x: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const { Point } = ed25519;
  const r = signature.subarray(0, 32);
  const s = littleEndian(signature.subarray(32));
  const k = Point.Fn.create(littleEndian(sha512(concat(r, x, message))));
  const minusA = Point.fromBytes(x, false).negate();
  return equalBytes(Point.BASE.multiplyUnsafe(s).add(minusA.multiplyUnsafe(k)).toBytes(), r);
}

/** FIPS 186-5 with the nonce of RFC 6979, so that the same bytes come out each time; s at most half the order. */
export function pureP256Sign(d: Uint8Array, message: Uint8Array): Uint8Array {
  return p256.sign(message, d, { lowS: true });
}

/** FIPS 186-5 section 6.4.2. The caller has checked the key and the range of r and s; a high s is not looked at here. */
export function pureP256Verify(x: Uint8Array, y: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return p256.verify(signature, message, uncompressed(x, y), { lowS: false });
}

function uncompressed(x: Uint8Array, y: Uint8Array): Uint8Array {
  return concat(Uint8Array.of(4), x, y);
}

function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i] as number);
  return value;
}

/** What `decode` gives, or undefined where it throws, which is how noble says that bytes are no point. */
function decoded<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
