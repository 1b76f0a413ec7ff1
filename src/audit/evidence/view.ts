/**
 * What an evidence folder says, read: the statements of one audit and its transcripts. Nothing here is verified.
 * @module
 */
import type { AuditEpochStatement, AuditPlanStatement, AuditReportStatement } from '../../receipt/audit-statements.js';
import type { RecordedEpoch } from '../run/lines.js';

/** A statement of the ledger, by its receipt hash, and the seq of the record that holds it. */
export interface Held<S> {
  readonly statement: S;
  readonly hash: string;
  readonly seq: number;
}

export interface AuditView {
  readonly plan: Held<AuditPlanStatement>;
  /** In the order of the ledger. */
  readonly epochs: readonly Held<AuditEpochStatement>[];
  /** Absent where the run has not come to its end. */
  readonly report?: Held<AuditReportStatement>;
  /** The recorded lines of an epoch, read; undefined where there are none. Read when asked: they may be many. */
  readonly transcript: (epoch: number) => RecordedEpoch | undefined;
}

/** What `audit verify` answers, one after another, each resting on those before it. */
export const auditChecks = [
  'ledger',
  'plan',
  'subject',
  'epochs',
  'receipts',
  'transcripts',
  'canaries',
  'hits',
  'counts',
  'verdict',
  'findings',
  'selection',
] as const;
export type AuditCheck = (typeof auditChecks)[number];

export interface CheckAnswer {
  readonly status: 'pass' | 'fail' | 'not-checked';
  readonly reason?: string;
}
