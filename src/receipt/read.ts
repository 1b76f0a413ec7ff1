/**
 * Reading a receipt without verifying it: for people and for hashes. Nothing that comes out of here is proven.
 * @module
 */
import type { Algorithm } from '../cose/algorithm.js';
import { type Problem, RuleprintError } from '../errors.js';
import { sha256Text } from '../hash.js';
import { type Entry, readEntryByWalk } from './entry.js';
import type { Statement } from './statement.js';

export interface UnverifiedReceipt {
  readonly alg: Algorithm;
  /** 64 lower-case hex digits. */
  readonly kid: string;
  readonly statement: Statement;
  readonly hash: string;
}

/**
 * The receipt hash: over what is signed, so an outsider cannot vary it (RCP-4).
 *
 * @returns `sha256:` and 64 lower-case hex digits
 * @throws RuleprintError the codes of steps 1 to 7 of the verifier
 */
export function receiptHash(receipt: Uint8Array): string {
  return sha256Text(read(receipt).parsed.sigStructure);
}

/**
 * What a receipt says. No signature has been checked.
 *
 * @throws RuleprintError the codes of steps 1 to 8 of the verifier
 */
export function readReceipt(receipt: Uint8Array): UnverifiedReceipt {
  const { parsed, kid, statement, problems } = read(receipt);
  if (statement === undefined) throw new RuleprintError([problems[0] as Problem, ...problems.slice(1)]);
  return { alg: parsed.alg, kid, statement, hash: sha256Text(parsed.sigStructure) };
}

function read(receipt: Uint8Array): Entry {
  if (!(receipt instanceof Uint8Array)) throw new TypeError('"receipt" expected a Uint8Array');
  const entry = readEntryByWalk(receipt, { alsoAlgorithms: ['EdDSA', 'ES256'] });
  if ('code' in entry) throw new RuleprintError(entry);
  return entry;
}
