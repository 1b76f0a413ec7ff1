/**
 * Keys and signatures through node:crypto alone (spec/receipt.md, "Keys", RCP-5 to RCP-8).
 *
 * @module
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign as nodeSign, verify as nodeVerify } from 'node:crypto';
import { encode } from './cbor.js';
import { hexOf } from './text.js';

export type Alg = 'Ed25519' | 'ESP256';

export interface Key {
  readonly alg: Alg;
  readonly kid: Uint8Array;
  /** The private key as a JWK, for handing to the implementation under test. */
  readonly jwk: Readonly<Record<string, string>>;
  readonly publicJwk: Readonly<Record<string, string>>;
  readonly secret: KeyObject;
  readonly open: KeyObject;
}

const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');

const base64url = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64url'));

/** The COSE Key Thumbprint, RFC 9679. */
function thumbprint(jwk: Readonly<Record<string, string>>): Uint8Array {
  const x = base64url(jwk.x as string);
  const key: [number, number | Uint8Array][] =
    jwk.kty === 'OKP'
      ? [
          [1, 1],
          [-1, 6],
          [-2, x],
        ]
      : [
          [1, 2],
          [-1, 1],
          [-2, x],
          [-3, base64url(jwk.y as string)],
        ];
  return Uint8Array.from(
    createHash('sha256')
      .update(Uint8Array.from(encode(new Map(key))))
      .digest(),
  );
}

function keyOf(alg: Alg, secret: KeyObject): Key {
  const jwk = secret.export({ format: 'jwk' }) as Record<string, string>;
  const { d: _, ...publicJwk } = jwk;
  return { alg, kid: thumbprint(jwk), jwk, publicJwk, secret, open: createPublicKey(secret) };
}

/** An Ed25519 key from the SHA-256 of a published label. */
export function ed25519Key(label: string): Key {
  const seed = createHash('sha256').update(label).digest();
  // RFC 8410: PKCS #8 around 32 bytes of seed.
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  return keyOf('Ed25519', createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
}

/** A P-256 key from the SHA-256 of a published label. */
export function p256Key(label: string): Key {
  const scalar = createHash('sha256').update(label).digest();
  // RFC 5915 ECPrivateKey without its public part, inside PKCS #8.
  const der = Buffer.concat([Buffer.from('3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420', 'hex'), scalar]);
  return keyOf('ESP256', createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
}

/** An Ed25519 signature of RFC 8032, or r || s with s at most half the order. */
export function sign(key: Key, message: Uint8Array): Uint8Array {
  if (key.alg === 'Ed25519') return Uint8Array.from(nodeSign(null, message, key.secret));
  return withS(Uint8Array.from(nodeSign('sha256', message, { key: key.secret, dsaEncoding: 'ieee-p1363' })), (s) => (s > order / 2n ? order - s : s));
}

/** The same r with another s. */
export function withS(signature: Uint8Array, change: (s: bigint) => bigint): Uint8Array {
  const s = change(BigInt(`0x${hexOf(signature.subarray(32))}`));
  return Uint8Array.from([...signature.subarray(0, 32), ...Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);
}

/** RCP-8: the other s that the same equation takes. */
export const mirrored = (signature: Uint8Array): Uint8Array => withS(signature, (s) => order - s);

/** undefined when the signature verifies, else the code. */
export function signatureCode(key: Pick<Key, 'alg' | 'open'>, message: Uint8Array, signature: Uint8Array): string | undefined {
  if (key.alg === 'Ed25519') return nodeVerify(null, message, key.open, signature) ? undefined : 'signature-invalid';
  const r = BigInt(`0x${hexOf(signature.subarray(0, 32))}`);
  const s = BigInt(`0x${hexOf(signature.subarray(32))}`);
  if (r === 0n || s === 0n || r >= order || s >= order) return 'signature-invalid';
  if (s > order / 2n) return 'signature-high-s';
  return nodeVerify('sha256', message, { key: key.open, dsaEncoding: 'ieee-p1363' }, signature) ? undefined : 'signature-invalid';
}
