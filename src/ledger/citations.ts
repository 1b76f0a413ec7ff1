/**
 * The first pass: what later entries will cite, and the checkpoints that the ledgers themselves hold. Memory grows with these and not with
 * the number of entries.
 * @module
 */
import { hex } from '../bytes.js';
import type { LooseAlgorithm } from '../cose/algorithm.js';
import { isProblem } from '../cose/walk.js';
import type { Problem, Where } from '../errors.js';
import { limits } from '../limits.js';
import { type Entry, keyProblems, needsPin, readEntry, signatureProblem } from '../receipt/entry.js';
import type { CheckpointStatement, RecordStatement, Statement } from '../receipt/statement.js';
import type { TrustStore } from '../receipt/trust.js';
import { saysDecision } from '../receipt/usual-decision.js';
import { type Item, itemsOf, type LedgerSource, type Segment } from './source.js';

/** A checkpoint. Whether a chain bears it out is found on the way through the chain. */
export interface Checkpoint {
  readonly engineId: string;
  readonly ledgerId: string;
  readonly seq: number;
  readonly hash: string;
  readonly kid: string;
  readonly time: number;
  readonly where: Where;
}

/** How receipts are read. */
interface Reading {
  readonly alsoAlgorithms?: readonly LooseAlgorithm[];
}

/** Receipt hashes that some entry cites, and the checkpoints that are recorded, by the place of their record in the reading. */
export interface Citations {
  readonly cited: ReadonlySet<string>;
  readonly recorded: ReadonlyMap<number, Checkpoint>;
}

/** Reads everything once. Decisions cite nothing, and most entries are decisions: a look at them is enough. */
export function collect(sources: readonly LedgerSource[], reading: Reading, onProgress?: (receipts: number) => void): Citations {
  const cited = new Set<string>();
  const checkpoints = new Map<number, Checkpoint>();
  let receipts = 0;
  for (const segment of sources.flatMap(({ segments }) => segments)) {
    for (const { file, offset, bytes } of receiptsOf(segment)) {
      const receipt = receipts++;
      onProgress?.(receipts);
      if (saysDecision(bytes)) continue;
      const entry = readEntry(bytes, reading);
      if (isProblem(entry) || entry.statement === undefined) continue;
      for (const hash of citedBy(entry.statement)) cited.add(hash);
      if (entry.statement.statement !== 'record') continue;
      const recorded = readRecorded(entry.statement, reading);
      if (recorded?.statement !== undefined) for (const hash of citedBy(recorded.statement)) cited.add(hash);
      if (recorded?.statement?.statement === 'checkpoint') checkpoints.set(receipt, checkpointOf(recorded, { file, offset }));
    }
  }
  return { cited, recorded: checkpoints };
}

function* receiptsOf(segment: Segment): Generator<Item> {
  for (const item of itemsOf(segment)) if (!isProblem(item)) yield item;
}

/** What one statement cites, by receipt hash. */
function citedBy(statement: Statement): readonly string[] {
  switch (statement.statement) {
    case 'release':
      return [statement.ask, statement.approval];
    case 'install':
      return statement.authorization === undefined ? [] : [statement.authorization];
    case 'finding':
      return [statement.x_finding.cited_receipt, ...(statement.x_finding.plan === undefined ? [] : [statement.x_finding.plan])];
    default:
      return [];
  }
}

/** A recorded receipt that can be relied on (LED-2), if its signature and its key can. */
export function readRecorded({ recorded, engine_id: engineId }: RecordStatement, reading: Reading): Entry | undefined {
  if (recorded.length > limits.recordedBytes) return undefined;
  const entry = readEntry(recorded, reading);
  return isProblem(entry) || entry.statement?.engine_id !== engineId ? undefined : entry;
}

/** What a checkpoint says, whoever signed it. */
function checkpointOf({ kid, statement }: Entry, where: Where): Checkpoint {
  const { engine_id: engineId, ledger_id: ledgerId, seq, receipt_hash: hash, time } = statement as CheckpointStatement;
  return { engineId, ledgerId: hex(ledgerId), seq, hash, kid, time, where };
}

/**
 * Why a checkpoint counts for nothing: its signature or its key does not pass at `time`, the effective time of the record that holds it, or its
 * own time where it comes from outside.
 */
export function checkpointFault(entry: Entry, time: number, trust: TrustStore): string | undefined {
  const statement = entry.statement as CheckpointStatement;
  const key = trust.keys.get(entry.kid);
  if (key === undefined) return `the trust store has no key ${entry.kid}`;
  const problem = signatureProblem(entry, key) ?? keyProblems(statement, key, time)[0];
  if (problem !== undefined) return problem.message;
  return needsPin(statement.engine_id, undefined, key) ? 'its key was revoked' : undefined;
}

/** Reads a whole checkpoint receipt given from outside. */
export function readCheckpoint(
  bytes: Uint8Array,
  file: string,
  { trust, alsoAlgorithms = [] }: Reading & { readonly trust: TrustStore },
): Checkpoint | Problem {
  const untrusted = (message: string, where: Where): Problem => ({ code: 'checkpoint-untrusted', message, where: { file, ...where } });
  const entry = readEntry(bytes, { alsoAlgorithms });
  if (isProblem(entry)) return { ...entry, ...untrusted(`a checkpoint counts for nothing: ${entry.message}`, {}) };
  const { statement } = entry;
  if (statement?.statement !== 'checkpoint') return untrusted('expected a checkpoint, got another statement', {});
  const fault = checkpointFault(entry, statement.time, trust);
  if (fault !== undefined) return untrusted(`a checkpoint counts for nothing: ${fault}`, { engine: statement.engine_id });
  return checkpointOf(entry, { file });
}
