/**
 * Ed25519 (RFC 8032): one equation, by native crypto where there is one and in plain JavaScript elsewhere
 * (spec/receipt.md, RCP-5, RCP-7). Both give the same verdicts and the same signatures.
 * @module
 */
import type { Sign, Verify } from './algorithm.js';
import { base64url, concat, fromBase64url, fromHex } from '../bytes.js';
import { native } from '../native.js';
import { ed25519PublicKey as pureEd25519PublicKey, pureEd25519Sign, pureEd25519Verify } from './curves.js';

type KeyObject = ReturnType<NonNullable<typeof native.crypto>['createPublicKey']>;

/** The group order L, big-endian. */
const order = fromHex('1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed') as Uint8Array;

/** What stands before a seed in a PKCS #8 private key (RFC 8410 section 7). */
const pkcs8Head = fromHex('302e020100300506032b657004220420') as Uint8Array;

/** The public key of a seed (RFC 8032 section 5.1.5). Native crypto does in a fraction of a millisecond what takes 50 in plain JavaScript. */
export function ed25519PublicKey(seed: Uint8Array): Uint8Array {
  const { crypto } = native;
  if (crypto === undefined) return pureEd25519PublicKey(seed);
  const base64 = base64url(concat(pkcs8Head, seed)).replaceAll('-', '+').replaceAll('_', '/');
  const { x } = crypto.createPublicKey(`-----BEGIN PRIVATE KEY-----\n${base64}\n-----END PRIVATE KEY-----\n`).export({ format: 'jwk' });
  return fromBase64url(String(x)) as Uint8Array;
}

/** Verifies by the public key `x`, 32 bytes that passed RCP-6. `x` is not copied. */
export function ed25519Verifier(x: Uint8Array): Verify {
  // kept, because making it costs as much as a verification
  let keyObject: KeyObject | undefined;
  return (message, signature) => {
    // RCP-7; native crypto checks it too, here it is one rule for every runtime
    if (signature.length !== 64 || !isBelowOrder(signature)) return 'signature-invalid';
    const { crypto } = native;
    if (crypto === undefined) return pureEd25519Verify(x, message, signature) ? undefined : 'signature-invalid';
    keyObject ??= crypto.createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: base64url(x) } });
    return crypto.verify(null, message, keyObject, signature) ? undefined : 'signature-invalid';
  };
}

/** Signs with a seed of 32 bytes whose public key is `x`. Neither is copied. */
export function ed25519Signer(seed: Uint8Array, x: Uint8Array): Sign {
  let keyObject: KeyObject | undefined;
  return (message) => {
    const { crypto } = native;
    if (crypto === undefined) return pureEd25519Sign(seed, message);
    keyObject ??= crypto.createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: base64url(x), d: base64url(seed) } });
    return new Uint8Array(crypto.sign(null, message, keyObject));
  };
}

/** Whether S, the little-endian second half, is below L. */
function isBelowOrder(signature: Uint8Array): boolean {
  for (let i = 0; i < 32; i++) {
    const difference = (signature[63 - i] as number) - (order[i] as number);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
