/**
 * Entries of a ledger, one a line: for people, or as JSON.
 * @module
 */
import { ownSeq } from '../receipt/entry.js';
import type { Shown } from './entries.js';
import type { Colours } from './output.js';
import { asciiJson } from './printable.js';
import { problemLines } from './problem-lines.js';
import { receiptJson, statementText, timeText } from './statement-words.js';

/** `12  2026-11-30T17:08:11.123Z  decision  allow …`. What is no entry is told from one at a glance. */
export function entryLine({ receipt, ...shown }: Shown, colours: Colours): string {
  if ('code' in receipt) {
    const { file, offset } = shown;
    return `${'?'.padStart(8)}  ${colours.bad('no entry')}  ${problemLines({ ...receipt, where: { file, offset, ...receipt.where } }).text}`;
  }
  const { statement } = receipt;
  const seq = String(ownSeq(statement) ?? '-').padStart(8);
  return `${seq}  ${colours.faint(timeText(statement.time))}  ${statement.statement.padEnd(10)}  ${statementText(statement, colours)}`;
}

/** The shape of {@link entryJson}. */
export const entryJsonShape = `{ "file", "offset", "length", "hash", "alg", "kid", "statement": { "statement", "engine_id", "time", "seq"?, "prev"?, … } }
{ "file", "offset", "length", "problem": { "code", "message", "where" } }     what is no entry
Bytes are hex; "recorded" is { "hash", "alg", "kid", "statement" }.`;

export function entryJson({ receipt, ...place }: Shown): string {
  return asciiJson('code' in receipt ? { ...place, problem: receipt } : { ...place, ...receiptJson(receipt) });
}
