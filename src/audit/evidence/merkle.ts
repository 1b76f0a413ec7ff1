/**
 * One hash over all transcripts of an audit (spec/audit-evidence.md), by which a single one can be shown without the others.
 * @module
 */
import { concat } from '../../bytes.js';
import { sha256 } from '../../hash.js';

/**
 * The Merkle tree hash of a list (RFC 9162 section 2.1.1): 0x00 before a leaf, 0x01 before two halves, the left one the largest power of two below the length.
 *
 * @returns 32 bytes; of an empty list the hash of nothing
 */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256(new Uint8Array());
  return rootOf(leaves, 0, leaves.length);
}

function rootOf(leaves: readonly Uint8Array[], from: number, to: number): Uint8Array {
  if (to - from === 1) return sha256(concat(leafTag, leaves[from] ?? new Uint8Array()));
  let left = 1;
  while (left * 2 < to - from) left *= 2;
  return sha256(concat(nodeTag, rootOf(leaves, from, from + left), rootOf(leaves, from + left, to)));
}

const leafTag = Uint8Array.of(0);
const nodeTag = Uint8Array.of(1);
