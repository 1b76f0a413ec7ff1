/**
 * The first pass: what later entries will cite, and the checkpoints that the ledgers themselves hold. Memory grows with these and not with
 * the number of entries.
 * @module
 */
import type { LooseAlgorithm } from '../cose/algorithm.js';
import { isProblem } from '../cose/walk.js';
import { type Entry, keyProblems, needsPin, readEntry, signatureProblem } from '../receipt/entry.js';
import type { CheckpointStatement, Statement } from '../receipt/statement.js';
import type { TrustStore } from '../receipt/trust.js';
import { hex } from '../bytes.js';
import type { Problem, Where } from '../errors.js';

/** A checkpoint that speaks for an auditor's key. Whether a chain bears it out is found on the way through the chain. */
export interface Checkpoint {
  readonly engineId: string;
  readonly ledgerId: string;
  readonly seq: number;
  readonly hash: string;
  readonly kid: string;
  readonly time: number;
  readonly where: Where;
}

/** What one entry cites, by receipt hash. */
export function citedBy(statement: Statement): readonly string[] {
  switch (statement.statement) {
    case 'release':
      return [statement.ask, statement.approval];
    case 'install':
      return statement.authorization === undefined ? [] : [statement.authorization];
    default:
      return [];
  }
}

/**
 * Reads a checkpoint, whose effective time is `time` (its own where it comes from outside): undefined with a problem where its signature or key
 * does not pass, since it counts for nothing then.
 */
export function trustedCheckpoint(entry: Entry, where: Where, trust: TrustStore, time?: number): Checkpoint | Problem {
  const statement = entry.statement as CheckpointStatement;
  const key = trust.keys.get(entry.kid);
  const untrusted = (why: string): Problem => ({
    code: 'checkpoint-untrusted',
    message: `a checkpoint counts for nothing: ${why}`,
    where: { ...where, engine: statement.engine_id },
  });
  if (key === undefined) return untrusted(`the trust store has no key ${entry.kid}`);
  const problem = signatureProblem(entry, key) ?? keyProblems(statement, key, time ?? statement.time)[0];
  if (problem !== undefined) return untrusted(problem.message);
  if (needsPin(statement.engine_id, undefined, key)) return untrusted('its key was revoked');
  return {
    engineId: statement.engine_id,
    ledgerId: hex(statement.ledger_id),
    seq: statement.seq,
    hash: statement.receipt_hash,
    kid: entry.kid,
    time: statement.time,
    where,
  };
}

/** Reads a whole checkpoint receipt given from outside. */
export function readCheckpoint(
  bytes: Uint8Array,
  file: string,
  { trust, alsoAlgorithms = [] }: { trust: TrustStore; alsoAlgorithms?: readonly LooseAlgorithm[] },
): Checkpoint | Problem {
  const entry = readEntry(bytes, { alsoAlgorithms });
  const where = { file };
  if (isProblem(entry)) return { ...entry, code: 'checkpoint-untrusted', message: `a checkpoint counts for nothing: ${entry.message}`, where };
  if (entry.statement?.statement !== 'checkpoint') return { code: 'checkpoint-untrusted', message: 'expected a checkpoint, got another statement', where };
  return trustedCheckpoint(entry, where, trust);
}
