/**
 * `ruleprint/receipt`: issue and verify receipts.
 * @module
 */
export { type AsyncSigner, createSigner, type KmsKey, type Signer, wrapKmsSigner } from '../cose/signer.js';
export { generateKey, importPrivateKey, importPublicKey, PrivateKey, publicJwk, type PublicKey } from '../cose/keys.js';
export { type ErrorCode, errorCodes, type Problem, RuleprintError, type Where } from '../errors.js';
export { type CallFacts, signReceipt } from './issue.js';
export { readReceipt, receiptHash, type UnverifiedReceipt } from './read.js';
export { type Answers, axes, type Axis, type AxisAnswer, type Report, type ReportedProblem } from './report.js';
export type { MappingOptions, RawCall } from './re-map.js';
export type { DecisionStatement } from './statement.js';
export { copyTrustStore, parseTrustStore, type Role, roles, type TrustedKey, type TrustStore } from './trust.js';
export { verifyReceipt, verifyReceipts, type VerifyOptions } from './verify.js';
