/**
 * Reads an evidence folder (spec/audit-evidence.md). What it says is not verified here.
 * @module
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fromUtf8 } from '../../bytes.js';
import { refuse } from '../../errors.js';
import { readLedger } from '../../ledger/folder.js';
import { limits } from '../../limits.js';
import { transcriptName } from '../run/folder.js';
import { readEpoch } from '../run/lines.js';
import { layout } from './folder.js';
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
 * @throws RuleprintError `limit`, `run-damaged` for what is no UTF-8
 */
export function readTranscript(folder: string, epoch: number): string | undefined {
  const path = join(folder, layout.transcripts, transcriptName(epoch));
  if (!existsSync(path)) return undefined;
  const { size } = statSync(path);
  const { transcriptBytes: max } = limits;
  if (size > max) refuse('limit', `expected a transcript of at most ${max} bytes, got ${size}`, { where: { file: path }, evidence: { limit: 'transcript' } });
  return fromUtf8(readFileSync(path)) ?? refuse('run-damaged', 'expected UTF-8', { where: { file: path } });
}

/** The names of all files among the transcripts. */
export function transcriptsIn(folder: string): readonly string[] {
  const path = join(folder, layout.transcripts);
  return existsSync(path) ? readdirSync(path).sort() : [];
}
