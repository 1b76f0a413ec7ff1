/**
 * What a ledger holds of audits: the statements that it took in, and the decisions that their calls cite. Read, not verified: the ledger's own verifier does that.
 * @module
 */
import type { LooseAlgorithm } from '../../cose/algorithm.js';
import { isProblem } from '../../cose/walk.js';
import { type Entry, entryHash, readEntry } from '../../receipt/entry.js';
import type { AuditEpochStatement, AuditPlanStatement, AuditReportStatement } from '../../receipt/audit-statements.js';
import type { CheckpointStatement, DecisionStatement, FindingStatement } from '../../receipt/statement.js';
import { itemsOf, type LedgerSource } from '../../ledger/source.js';
import type { Held } from './view.js';

/** A decision in its chain. */
export interface HeldDecision {
  readonly seq: number;
  readonly statement: DecisionStatement;
}

export interface Scanned {
  readonly plans: readonly Held<AuditPlanStatement>[];
  readonly epochs: readonly Held<AuditEpochStatement>[];
  readonly reports: readonly Held<AuditReportStatement>[];
  readonly findings: readonly Held<FindingStatement>[];
  readonly checkpoints: readonly Held<CheckpointStatement>[];
  /** Of every statement of another key above: who signed it, by its receipt hash. */
  readonly kids: ReadonlyMap<string, string>;
  /** By receipt hash: those of calls (a `call_id`), where they were asked for. */
  readonly decisions: ReadonlyMap<string, HeldDecision>;
}

/** Reads a ledger once. Memory grows with the statements of audits, and with the decisions where they are wanted. */
export function scanLedger(
  source: LedgerSource,
  { withDecisions = false, alsoAlgorithms }: { readonly withDecisions?: boolean; readonly alsoAlgorithms?: readonly LooseAlgorithm[] } = {},
): Scanned {
  const reading = alsoAlgorithms === undefined ? {} : { alsoAlgorithms };
  const scanned = { plans: [], epochs: [], reports: [], findings: [], checkpoints: [] } as Kept;
  const kids = new Map<string, string>();
  const decisions = new Map<string, HeldDecision>();
  for (const segment of source.segments) {
    for (const item of itemsOf(segment)) {
      if (isProblem(item)) continue;
      const entry = readEntry(new Uint8Array(item.bytes), reading);
      if (isProblem(entry) || entry.statement === undefined) continue;
      const { statement } = entry;
      if (statement.statement === 'record') keep(scanned, kids, readEntry(statement.recorded, reading), statement.seq ?? 0);
      if (withDecisions && statement.statement === 'decision' && statement.call_id !== undefined && statement.seq !== undefined)
        decisions.set(entryHash(entry), { seq: statement.seq, statement });
    }
  }
  return { ...scanned, kids, decisions };
}

type Kept = { -readonly [K in Exclude<keyof Scanned, 'decisions' | 'kids'>]: Scanned[K][number][] };

function keep(scanned: Kept, kids: Map<string, string>, entry: Entry | { readonly code: string }, seq: number): void {
  if (!('parsed' in entry) || entry.statement === undefined) return;
  const { statement } = entry;
  const hash = entryHash(entry);
  const held = <S>(of: S): Held<S> => ({ statement: of, hash, seq });
  kids.set(hash, entry.kid);
  if (statement.statement === 'audit-plan') scanned.plans.push(held(statement));
  if (statement.statement === 'audit-epoch') scanned.epochs.push(held(statement));
  if (statement.statement === 'audit-report') scanned.reports.push(held(statement));
  if (statement.statement === 'finding') scanned.findings.push(held(statement));
  if (statement.statement === 'checkpoint') scanned.checkpoints.push(held(statement));
}
