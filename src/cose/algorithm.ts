/**
 * The algorithms: their numbers in a header, the kind of key that each belongs to, and what a key can do.
 * @module
 */

/** Algorithm numbers of COSE (IANA registry). The first two are fully specified (RFC 9864) and are what we write. */
export const algorithmNumbers = Object.freeze({ Ed25519: -19, ESP256: -9, EdDSA: -8, ES256: -7 });

export type Algorithm = keyof typeof algorithmNumbers;

/** What a key is for. Each kind of key has one fully specified algorithm, and is named after it. */
export type KeyAlgorithm = 'Ed25519' | 'ESP256';

/** The older names (RFC 9053), taken only where a caller says so: they leave the curve to the key. */
export type LooseAlgorithm = 'EdDSA' | 'ES256';

/** The kind of key that goes with each algorithm. */
export const keyAlgorithms: Readonly<Record<Algorithm, KeyAlgorithm>> = Object.freeze({
  Ed25519: 'Ed25519',
  ESP256: 'ESP256',
  EdDSA: 'Ed25519',
  ES256: 'ESP256',
});

/** The name of an algorithm number, or undefined for another. */
export function algorithmOf(number: unknown): Algorithm | undefined {
  return (Object.keys(algorithmNumbers) as Algorithm[]).find((name) => algorithmNumbers[name] === number);
}

/** Signatures of every algorithm here are two numbers of 32 bytes. */
export const signatureBytes = 64;

/** Why a signature is refused (RCP-7, RCP-8). */
export type SignatureFault = 'signature-high-s' | 'signature-invalid';

/** Judges 64 bytes as a signature of a message by one public key; undefined is a good one. */
export type Verify = (message: Uint8Array, signature: Uint8Array) => SignatureFault | undefined;

/** Signs a message with one private key: 64 bytes, owned by the caller. */
export type Sign = (message: Uint8Array) => Uint8Array;
