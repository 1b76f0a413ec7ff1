/**
 * The two ids of a reported finding (spec/finding.md, FND-26).
 * @module
 */
import { concat, field, hex } from '../bytes.js';
import { sha256, sha256Text } from '../hash.js';

/** Which claim it is: the harness, its test and the receipt that it cites. 16 digits, as the document has it that the block comes from. */
export function reportedId(harness: string, testId: string, citedReceipt: string): string {
  const digest = sha256(concat(field(harness), field(testId), field(citedReceipt)));
  return `finding_${hex(digest.subarray(0, 8))}`;
}

/** The same on every run over the same requests under the same rules. */
export function stableId(harness: string, testId: string, argsDigest: string, policyDigest: string | undefined): string {
  return sha256Text(concat(field(harness), field(testId), field(argsDigest), field(policyDigest ?? '')));
}
