/**
 * What an evidence folder says, in lines: what was asked, what came of each epoch, the verdict and its numbers.
 * @module
 */
import type { AuditEpochStatement, ReportedCount, ReportedReason } from '../../src/receipt/audit-statements.js';
import type { AuditView } from '../../src/audit/evidence/view.js';
import { percentUp, time } from '../../src/audit/page/numbers.js';
import type { AuditVerification } from '../../src/audit/verify.js';

/** The lines of an audit; the same for the same view. */
export function linesOf(view: AuditView, { ok, checks }: Pick<AuditVerification, 'ok' | 'checks'>): readonly string[] {
  const { statement: plan } = view.plan;
  const report = view.report?.statement;
  return [
    `subject   ${plan.subject.name} ${plan.subject.digest}`,
    `plan      ${view.plan.hash}, ${plan.grade}, ${time(plan.time)}`,
    ...plan.models.map(({ id, provider, weights_digest }) => `model     ${id} (${provider ?? 'not said'}) ${weights_digest ?? ''}`),
    ...(report === undefined ? [] : [`report    ${view.report?.hash}, ${time(report.time)}`]),
    `epochs    ${view.epochs.length} of ${plan.cells.reduce((sum, { epochs }) => sum + epochs, 0)}`,
    `evidence  ${ok ? 'verified' : 'NOT VERIFIED'}: ${Object.entries(checks)
      .map(([check, { status }]) => `${check} ${status}`)
      .join(', ')}`,
    '',
    `verdict   ${report?.verdict ?? 'none yet'}`,
    ...(report?.reasons ?? []).map(reasonLine),
    '',
    ...cellLines(view),
    ...(report === undefined ? [] : ['', 'model and signal: epochs with the skill, upper bound (completed epochs; worst case), baseline']),
    ...(report?.counts ?? []).map(countLine),
  ];
}

function reasonLine({ why, severity, signal, model, scenario, locus, epochs }: ReportedReason): string {
  const about = [severity, signal, model, scenario, locus, epochs === undefined ? undefined : `${epochs} epochs`];
  return `reason    ${[why, ...about.filter((word) => word !== undefined)].join(', ')}`;
}

/** What became of the epochs of each model, scenario and arm. */
function cellLines({ plan: { statement: plan }, epochs }: AuditView): readonly string[] {
  const lines = plan.cells.map(({ model, scenario, arm }) => {
    const [of, id] = [plan.models[model]?.id ?? '', plan.scenarios[scenario]?.id ?? ''];
    const mine = epochs.map(({ statement }) => statement).filter((one) => one.model === model && one.scenario === id && one.arm === arm);
    const calls = mine.reduce((sum, one) => sum + one.calls.length, 0);
    return `${of}, ${id}, ${arm}: ${tally(mine.map(outcomeOf))}; ${calls} calls`;
  });
  return [...lines].sort();
}

function outcomeOf({ outcome, invalid, hits }: AuditEpochStatement): string {
  const signals = [...new Set(hits.map(({ signal, severity }) => `${signal} (${severity})`))].sort();
  return outcome === 'hit' ? `hit ${signals.join(' and ')}` : outcome === 'invalid' ? `invalid ${invalid ?? ''}` : outcome;
}

function tally(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
}

function countLine({ model, signal, hits, epochs, baseline_hits, baseline_epochs, invalid, bound, worst_case }: ReportedCount): string {
  const invalids = invalid === 0 ? '' : `, ${invalid} invalid`;
  return `${model}, ${signal}: ${hits} of ${epochs}${invalids}, ${percentUp(bound)}; ${percentUp(worst_case)}, baseline ${baseline_hits} of ${baseline_epochs}`;
}
