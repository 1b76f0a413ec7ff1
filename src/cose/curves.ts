/**
 * The mathematics of the two curves, in plain JavaScript: point checks, and signatures where there is no native
 * crypto. The only importer of @noble/curves.
 * @module
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { concat } from '../bytes.js';

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
 * RCP-7: whether the encoding of [S]B - [k]A is R, as bytes. The caller has checked the key (RCP-6) and that S is below L.
 *
 * noble multiplies both sides by the cofactor, and so accepts what native crypto refuses: an R with a torsion part.
 * [S]B - [k]A has none, since A has none. So an R without one that passes noble's equation is that point, and its
 * bytes are the encoding of it, since noble takes the canonical encoding alone (`zip215: false`).
 */
export function pureEd25519Verify(x: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return ed25519.verify(signature, message, x, { zip215: false }) && ed25519.Point.fromBytes(signature.subarray(0, 32), false).isTorsionFree();
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

/** What `decode` gives, or undefined where it throws, which is how noble says that bytes are no point. */
function decoded<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
