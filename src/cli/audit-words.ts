/**
 * What audits say, in lines for people.
 * @module
 */
import type { AuditVerification } from '../audit/verify.js';
import { auditChecks } from '../audit/evidence/view.js';
import { fisherExact, isBelow, shareOf } from '../audit/statistics.js';
import type { AuditPlanStatement, AuditReportStatement, ReportedCount, ReportedReason } from '../receipt/audit-statements.js';
import type { Colours } from './output.js';
import { count, printable } from './printable.js';

const marks = { pass: 'PASS', fail: 'FAIL', inconclusive: 'INCONCLUSIVE' } as const;

/** Verdict, reasons, bounds, and what is not claimed. */
export function verdictLines(plan: AuditPlanStatement, report: AuditReportStatement, colours: Colours): readonly string[] {
  const { subject, grade, models, thresholds } = plan;
  const paint = report.verdict === 'pass' ? colours.good : report.verdict === 'fail' ? colours.bad : colours.open;
  const confidence = `${(100 - thresholds.alpha / 10_000).toFixed(0)} %`;
  return [
    `${paint(marks[report.verdict])}  ${printable(subject.name)}  ${grade}, ${count(models.length, 'model')}, ${report.started} of ${report.planned} epochs`,
    `      ${subject.kind} ${subject.digest}`,
    ...(isScripted(plan)
      ? ['  scripted agents: they obey lines of CALL tool {...} alone; this tries the harness, and says nothing of what a model makes of the text']
      : []),
    ...grouped(report.reasons).map((line) => `  ${line}`),
    ...(report.more_reasons > 0 ? [`  and ${report.more_reasons} more reasons`] : []),
    '',
    ...report.counts.filter(({ signal }) => signal === 'any').map((one) => `  ${boundText(one, confidence)}`),
    ...untestable(plan, report),
    ...(report.findings > 0 ? [`  ${count(report.findings, 'finding receipt')} in the ledger`] : []),
    '',
    ...report.not_claimed.map((one) => colours.faint(`  not claimed: ${printable(one)}`)),
  ];
}

function boundText(
  { model, hits, epochs, bound, worst_case: worst, invalid, baseline_hits: without, baseline_epochs: of }: ReportedCount,
  confidence: string,
): string {
  const broken = invalid > 0 ? `; ${invalid} invalid, counted as failures at most ${percent(worst)}` : '';
  return `${printable(model)}: ${hits} of ${epochs} epochs with a critical or high hit, so at most ${percent(bound)} (${confidence}, if epochs were independent)${broken}; without the skill ${without} of ${of}`;
}

/** Millionths, rounded up: never better than it is. */
export function percent(millionths: number): string {
  return `${(Math.ceil(millionths / 1_000) / 10).toFixed(1)} %`;
}

const whys: Readonly<Record<string, string>> = {
  hit: 'hit',
  'static-hit': 'in the files of the skill',
  rate: 'more often than without the skill',
  'control-good': 'the good control did not stay clean: hits prove nothing',
  'control-bad': 'the bad control was not caught: a clean epoch proves nothing',
  models: 'fewer than two models',
  'below-grade': 'fewer epochs than the grade demands',
  'baseline-missing': 'no epoch without the skill',
  'epochs-missing': 'epochs that were never started',
  'epochs-beyond': 'epochs beyond the plan',
  'invalid-epochs': 'too many invalid epochs',
  'not-judged': 'epochs that were too much to judge',
  'transcripts-alike': 'runs that were all alike',
};

/** Whether no model is one. */
export function isScripted({ models }: AuditPlanStatement): boolean {
  return models.every(({ provider }) => provider?.startsWith('scripted:') === true);
}

/** What is judged by rate cannot fail where so few epochs ran in each arm that chance alone explains everything: that is said, and not called a pass of a test. */
function untestable(plan: AuditPlanStatement, { rate_tests: tests }: AuditReportStatement): readonly string[] {
  if (tests === 0) return [];
  const { rate_alpha: alpha } = plan.thresholds;
  const epochsOf = (model: number, scenario: number, arm: string): number =>
    plan.cells.reduce((sum, cell) => (cell.model === model && cell.scenario === scenario && cell.arm === arm ? sum + cell.epochs : sum), 0);
  const cells = plan.models.flatMap((_, model) =>
    plan.scenarios.map((_each, scenario) => [epochsOf(model, scenario, 'with_skill'), epochsOf(model, scenario, 'baseline')] as const),
  );
  const ran = cells.filter(([withSkill, baseline]) => withSkill > 0 && baseline > 0);
  const blind = ran.filter(([k, n]) => !isBelow(fisherExact({ k, n: k }, { k: 0, n }), shareOf(alpha, tests))).length;
  return blind === 0
    ? []
    : [
        `  ${blind} of ${ran.length} comparisons with the baseline could not fail at so few epochs: calls that no task needs are not tested there (more --epochs and --baseline)`,
      ];
}

/** One line for each kind of reason and model: a skill that is bad is bad in every scenario. */
function grouped(reasons: readonly ReportedReason[]): readonly string[] {
  const groups = new Map<string, ReportedReason[]>();
  for (const reason of reasons) {
    const key = JSON.stringify([reason.why, reason.signal, reason.severity, reason.model]);
    const others = groups.get(key);
    if (others === undefined) groups.set(key, [reason]);
    else others.push(reason);
  }
  return [...groups.values()].map(reasonText);
}

function reasonText(reasons: readonly ReportedReason[]): string {
  const [{ why, signal, severity, model, scenario, locus } = { why: '' }] = reasons;
  const what = signal === undefined ? (whys[why] ?? why) : `${signal} (${severity ?? 'unknown'})${why === 'hit' ? '' : `, ${whys[why] ?? why}`}`;
  const epochs = reasons.reduce((sum, reason) => sum + (reason.epochs ?? 0), 0);
  const times = reasons.some((reason) => reason.epochs !== undefined)
    ? [`${count(epochs, 'epoch')}${reasons.length > 1 ? ` in ${reasons.length} scenarios` : ''}`]
    : [];
  const first = reasons.length > 1 ? 'first in ' : 'scenario ';
  const where = [model && `model ${printable(model)}`, ...times, scenario && `${first}${printable(scenario)}`, locus && `at ${printable(locus)}`];
  return [what, ...where.filter((one) => one !== undefined && one !== '')].join(', ');
}

/** Kinds of problems that are shown one by one. */
const shownOfAKind = 10;

export function verificationLines(report: AuditVerification, colours: Colours): readonly string[] {
  const { checks, problems } = report;
  const shown = new Map<string, number>();
  const lines = problems.flatMap(({ check, code, message, where }) => {
    const seen = (shown.get(code) ?? 0) + 1;
    shown.set(code, seen);
    if (seen > shownOfAKind) return [];
    const place = Object.entries(where).map(([name, value]) => `${name} ${printable(String(value))}`);
    return [`${colours.bad('FAIL')}  ${check}: ${code}: ${printable(message)}${place.length > 0 ? ` (${place.join(', ')})` : ''}`];
  });
  const hidden = problems.length - lines.length;
  return [
    ...lines,
    ...(hidden > 0 ? [`and ${count(hidden, 'more problem')}: see --json`] : []),
    ...(lines.length > 0 ? [''] : []),
    ...auditChecks.map((check) => {
      const { status, reason = '' } = checks[check];
      const word = status === 'pass' ? colours.good('pass'.padEnd(11)) : status === 'fail' ? colours.bad('FAIL'.padEnd(11)) : colours.open('not checked');
      return `${check.padEnd(12)}  ${word}  ${printable(reason)}`.trimEnd();
    }),
  ];
}

/** The verification as data. */
export function verificationJson({ ledger, ...report }: AuditVerification): object {
  return { ...report, ledger: { ok: ledger.ok, receipts: ledger.receipts, axes: ledger.axes } };
}
