/**
 * Reads an evidence folder (spec/audit-evidence.md). What it says is not verified here.
 * @module
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { refuse } from '../../errors.js';
import { readLedger } from '../../ledger/folder.js';
import { limits } from '../../limits.js';
import { transcriptName } from '../run/folder.js';
import { readEpoch } from '../run/lines.js';
import { layout, readText } from './folder.js';
import { scanLedger, type Scanned } from './scan.js';
import type { AuditView } from './view.js';

/**
 * The audit of a folder, for who looks at it.
 *
 * @throws RuleprintError `plan-missing` where the ledger holds no plan; what the disk throws
 * @example
 * const view = readEvidence('evidence');
 * view.report?.statement.verdict; // 'pass'
 */
export function readEvidence(folder: string): AuditView {
  return viewOf(folder, scanLedger(readLedger(join(folder, layout.ledger))));
}

/** The first plan of a ledger, and what cites it. */
export function viewOf(folder: string, { plans, epochs, reports }: Scanned): AuditView {
  const [plan] = plans;
  if (plan === undefined) return refuse('plan-missing', 'expected the plan of an audit in the ledger, it has none', { where: { file: folder } });
  const report = reports.find(({ statement }) => statement.plan === plan.hash);
  return {
    plan,
    epochs: epochs.filter(({ statement }) => statement.plan === plan.hash),
    ...(report && { report }),
    transcript: (epoch) => {
      const lines = readTranscript(folder, epoch);
      return lines === undefined ? undefined : readEpoch(lines, { file: transcriptName(epoch) });
    },
  };
}

/**
 * The lines of an epoch; undefined where there are none.
 *
 * @throws RuleprintError `limit`, `run-damaged` for what is no file or no UTF-8
 */
export function readTranscript(folder: string, epoch: number): string | undefined {
  return readText(join(folder, layout.transcripts, transcriptName(epoch)), limits.transcriptBytes);
}

/**
 * The names of all files among the transcripts.
 *
 * @throws RuleprintError `run-damaged` for what is no folder
 */
export function transcriptsIn(folder: string): readonly string[] {
  const path = join(folder, layout.transcripts);
  const kind = statSync(path, { throwIfNoEntry: false });
  if (kind === undefined) return [];
  if (!kind.isDirectory()) refuse('run-damaged', 'expected a folder of transcripts, got another thing', { where: { file: path } });
  return readdirSync(path).sort();
}
