/**
 * The checks *counts*, *verdict* and *selection* (AUE-29, AUE-31): the report follows from the epochs, and how much choice whoever ran it had.
 * @module
 */
import type { Scanned } from '../evidence/scan.js';
import type { AuditReportStatement } from '../../receipt/audit-statements.js';
import type { ReportParts } from '../evidence/reported.js';
import { reportStatement } from '../evidence/reported.js';
import type { AuditView } from '../evidence/view.js';
import { stableText } from '../transcript.js';
import type { Answers } from './answers.js';

/** AUE-29: each part of a report beside the one that follows. */
const countFields = ['counts', 'rates', 'rate_tests', 'started', 'planned', 'distinct_transcripts'] as const;

export function checkReport(said: AuditReportStatement, parts: Omit<ReportParts, 'engineId' | 'time'>, answers: Answers): void {
  const made = reportStatement({ ...parts, engineId: said.engine_id, time: said.time });
  const fields = [...new Set([...Object.keys(said), ...Object.keys(made)])] as (keyof AuditReportStatement)[];
  for (const field of fields) {
    if (stableText(plain(said[field])) === stableText(plain(made[field]))) continue;
    const isCount = (countFields as readonly string[]).includes(field);
    if (isCount) answers.fail('counts', 'counts-differ', `expected ${field} as they follow from the epochs`, { pointer: `/${field}` });
    else answers.fail('verdict', 'report-differs', `expected ${field} as it follows from the epochs`, { pointer: `/${field}` });
  }
}

const plain = (value: unknown): unknown => (value instanceof Uint8Array ? [...value] : value);

/**
 * AUE-31: twenty runs, and one shown. Whoever may begin again chooses, unless a checkpoint by another key, from before the first epoch, pins the one plan.
 *
 * @param pins - the seq and the time of every good checkpoint by an auditor's key
 */
export function checkSelection(
  { plan, epochs }: AuditView,
  { plans, decisions }: Scanned,
  pins: readonly { readonly seq: number; readonly time: number }[],
  answers: Answers,
): number {
  const same = plans.filter(({ statement }) => statement.subject.digest === plan.statement.subject.digest).length;
  const first = epochs[0];
  const begins = [...decisions.values()].reduce((least, { seq }) => (seq > plan.seq ? Math.min(least, seq) : least), first?.seq ?? Number.POSITIVE_INFINITY);
  const started = epochs.reduce((least, { statement }) => Math.min(least, statement.started_at), Number.POSITIVE_INFINITY);
  const isPinned = first !== undefined && pins.some(({ seq, time }) => seq >= plan.seq && seq < begins && time <= started);
  const many = same === 1 ? 'one plan for this subject in the ledger' : `${same} plans for this subject in the ledger`;
  if (isPinned && same === 1) answers.note('selection', `${many}, pinned before the first epoch`);
  else answers.open('selection', `${many}${isPinned ? '' : ', and no checkpoint from before the first epoch pins it'}: others may have been run and not shown`);
  return same;
}
