/**
 * Reading a receipt without verifying it: for people and for hashes. Nothing that comes out of here is proven.
 * @module
 */
import { hex } from '../bytes.js';
import type { Algorithm } from '../cose/algorithm.js';
import { parseSign1, type ParsedSign1 } from '../cose/sign1.js';
import { isProblem, walkWholeCbor } from '../cose/walk.js';
import { RuleprintError } from '../errors.js';
import { sha256Text } from '../hash.js';
import { receiptProfile } from './profile.js';
import { readStatement, type DecisionStatement } from './statement.js';

export interface UnverifiedReceipt {
  readonly alg: Algorithm;
  /** 64 lower-case hex digits. */
  readonly kid: string;
  readonly statement: DecisionStatement;
  readonly hash: string;
}

/**
 * The receipt hash: over what is signed, so an outsider cannot vary it (RCP-4).
 *
 * @returns `sha256:` and 64 lower-case hex digits
 * @throws RuleprintError the codes of steps 1 to 7 of the verifier
 */
export function receiptHash(receipt: Uint8Array): string {
  return sha256Text(parse(receipt).sigStructure);
}

/**
 * What a receipt says. No signature has been checked.
 *
 * @throws RuleprintError the codes of steps 1 to 8 of the verifier
 */
export function readReceipt(receipt: Uint8Array): UnverifiedReceipt {
  const { alg, kid, payload, payloadOffset, sigStructure } = parse(receipt);
  const walked = walkWholeCbor(payload, 0, { base: payloadOffset });
  if (isProblem(walked)) throw new RuleprintError(walked);
  const statement = readStatement(walked.value);
  if (!('statement' in statement)) throw new RuleprintError([statement[0] as (typeof statement)[number], ...statement.slice(1)]);
  return { alg, kid: hex(kid), statement, hash: sha256Text(sigStructure) };
}

function parse(receipt: Uint8Array): ParsedSign1 {
  if (!(receipt instanceof Uint8Array)) throw new TypeError('"receipt" expected a Uint8Array');
  const parsed = parseSign1(receipt, { ...receiptProfile, alsoAlgorithms: ['EdDSA', 'ES256'] });
  if (isProblem(parsed)) throw new RuleprintError(parsed);
  return parsed;
}
