/**
 * Signers: what signs a message, from a private key at hand or from a key service (spec/receipt.md, RCP-5).
 * @module
 */
import { fromHex } from '../bytes.js';
import { refuse } from '../errors.js';
import { type KeyAlgorithm, signatureBytes } from './algorithm.js';
import { fromDer } from './ecdsa-der.js';
import { type PrivateKey, type PublicKey, signOf, verifierOf } from './keys.js';
import { lowS } from './p256.js';

/** Signs at once. `sign` gives 64 bytes, for ESP256 r || s with s in the lower half. */
export interface Signer {
  readonly alg: KeyAlgorithm;
  /** The 32 bytes of the thumbprint of the public key. */
  readonly kid: Uint8Array;
  /** The public key, for who must read what the signer signed before. */
  readonly key?: PublicKey;
  sign(message: Uint8Array): Uint8Array;
}

/** Signs in its own time. */
export interface AsyncSigner {
  readonly alg: KeyAlgorithm;
  readonly kid: Uint8Array;
  readonly key?: PublicKey;
  sign(message: Uint8Array): Promise<Uint8Array>;
}

/**
 * A signer that holds a private key.
 *
 * @throws TypeError for what is no private key
 * @example
 * const signer = createSigner(generateKey());
 * const message = signSign1(encodeCbor({ hello: 'world' }), signer);
 */
export function createSigner(key: PrivateKey): Signer {
  const { alg, kid } = key.public;
  return Object.freeze({ alg, kid: fromHex(kid) as Uint8Array, key: key.public, sign: signOf(key) });
}

/** A key in a key service: its public part, and a function that has the service sign a message. */
export interface KmsKey {
  readonly key: PublicKey;
  /**
   * Has the message signed; a service that wants its SHA-256 instead (ESP256) gets that from this function. Gives
   * 64 bytes, or for ESP256 the DER that most services give.
   */
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/**
 * A signer whose key lies elsewhere. What the service gives is brought to the one form (r || s, low s) and verified
 * by the public key before it is used, since a wrong key id in a deployment shows nowhere else.
 *
 * The promise of `sign` is rejected with RuleprintError `signer-output` for what is not a good signature, and with
 * the service's own error where it fails.
 *
 * @example
 * const signer = wrapKmsSigner({
 *   key: importPublicKey(pem),
 *   sign: async (message) => (await kms.sign({ KeyId, Message: message, MessageType: 'RAW', SigningAlgorithm })).Signature,
 * });
 */
export function wrapKmsSigner(kms: KmsKey): AsyncSigner {
  const { kid } = kms.key;
  const { alg, verify } = verifierOf(kms.key);
  return Object.freeze({
    alg,
    kid: fromHex(kid) as Uint8Array,
    key: kms.key,
    sign: async (message: Uint8Array) => {
      const output = await kms.sign(message);
      if (!(output instanceof Uint8Array)) refuse('signer-output', 'expected bytes from the signer, got another value');
      const good = readings(alg, output).find((signature) => verify(message, signature) === undefined);
      return good ?? refuse('signer-output', `expected a signature of ${alg} by key ${kid}, got ${output.length} bytes that are none`);
    },
  });
}

/** What the output may mean, each in the one form. DER of 64 bytes is rare but there is such, so both are tried. */
function readings(alg: KeyAlgorithm, output: Uint8Array): Uint8Array[] {
  const raw = output.length === signatureBytes ? [new Uint8Array(output)] : [];
  if (alg === 'Ed25519') return raw;
  const fromService = fromDer(output);
  return [...raw, ...(fromService === undefined ? [] : [fromService])].map(lowS);
}
