/**
 * `ruleprint/cose`: deterministic CBOR, COSE_Sign1 and keys, for any payload.
 * @module
 */
export { type ErrorCode, errorCodes, type Problem, type Problems, RuleprintError, type Where } from '../errors.js';
export type { Algorithm, KeyAlgorithm, LooseAlgorithm } from './algorithm.js';
export { type CborInput, encodeCbor } from './cbor.js';
export { generateKey, importPrivateKey, importPublicKey, type Jwk, type KeySource, PrivateKey, type PublicKey, publicJwk, thumbprint } from './keys.js';
export { itemEnd } from './sequence.js';
export { buildSigStructure } from './sig-structure.js';
export { type PreparedSign1, prepareSign1, type Sign1Keys, type SignOptions, signSign1, type VerifiedSign1, verifySign1 } from './sign1.js';
export { type AsyncSigner, createSigner, type KmsKey, type Signer, wrapKmsSigner } from './signer.js';
export { type CborMap, type CborValue, isProblem, type Walked, type WalkOptions, walkCbor, walkWholeCbor } from './walk.js';
