/**
 * The report of a verifier for people: every problem, the worst first, then each axis on a line, and what would answer what is open (RCP-24).
 * @module
 */
import { limits } from '../limits.js';
import { type Axis, type AxisAnswer, axes, type Report, type ReportedProblem } from '../receipt/report.js';
import type { Colours, Output } from './output.js';
import { asciiJson, count } from './printable.js';
import { problemLines } from './problem-lines.js';

const ranks: readonly ReportedProblem['status'][] = ['fail', 'not-checked', 'note'];

/** What failed before what is open, then in the order of the axes, of the files and of the receipts. */
export function sortedReport(report: Report): Report {
  const rank = ({ status, axis }: ReportedProblem): number => ranks.indexOf(status) * axes.length + axes.indexOf(axis);
  return { ...report, problems: [...report.problems].sort((a, b) => rank(a) - rank(b)) };
}

/** The report as JSON, a problem a line: there may be a million of them, more than one text can hold. */
export function writeReport({ problems, ...report }: Report, out: Output): void {
  out.raw(asciiJson(report, 2).replace(/\n\}$/, ',\n  "problems": ['));
  for (const [i, problem] of problems.entries()) out.raw(`${i === 0 ? '' : ','}\n    ${asciiJson(problem)}`);
  out.line(problems.length === 0 ? ']\n}' : '\n  ]\n}');
}

/** How an axis is called in front of people. */
export function axisName(axis: Axis): string {
  return axis === 'key-trust' ? 'key trust' : axis;
}

export function axisLine(axis: Axis, { status, reason }: AxisAnswer, colours: Colours): string {
  const word = status === 'pass' ? colours.good('pass'.padEnd(11)) : status === 'fail' ? colours.bad('FAIL'.padEnd(11)) : colours.open('not checked');
  return `${axisName(axis).padEnd(12)}  ${word}  ${reason ?? ''}`.trimEnd();
}

/** What the command line had beside the receipts. */
export interface Around {
  readonly hasPolicies: boolean;
  readonly isLedger: boolean;
}

export function reportLines(report: Report, colours: Colours, around: Around): string[] {
  const problems = problemsText(report.problems, colours);
  if (report.problems.length === limits.reportedProblems) problems.push(`only the first ${limits.reportedProblems} problems are listed: there may be more`);
  const lines = axes.map((axis) => axisLine(axis, report.axes[axis], colours));
  return [...problems, ...(problems.length > 0 ? [''] : []), ...lines, '', summary(report, colours), ...openLine(report, around)];
}

/** A wrong key makes as many problems as there are receipts: of a kind so many are shown, and the verifier itself keeps the first ones alone. */
const shownOfAKind = 20;

function problemsText(problems: readonly ReportedProblem[], colours: Colours): string[] {
  const kinds = new Map<string, ReportedProblem[]>();
  for (const problem of problems) {
    const kind = `${problem.status} ${problem.axis} ${problem.code}`;
    const others = kinds.get(kind);
    if (others === undefined) kinds.set(kind, [problem]);
    else others.push(problem);
  }
  return [...kinds.values()].flatMap((kind) => {
    const lines = kind.slice(0, shownOfAKind).flatMap((problem) => problemText(problem, colours));
    const left = kind.length - shownOfAKind;
    return left > 0 ? [...lines, `      and ${left} more with this code: --json lists them`] : lines;
  });
}

function problemText(problem: ReportedProblem, colours: Colours): string[] {
  const { text, hint } = problemLines(problem);
  const mark = { fail: colours.bad('fail'), 'not-checked': colours.open('open'), note: colours.faint('note') }[problem.status];
  return [`${mark}  ${text} [${axisName(problem.axis)}]`, ...(hint === undefined ? [] : [`      ${colours.faint('hint')}: ${hint}`])];
}

/** Never a bare "valid": what was asked, and what came of it. */
function summary({ ok, receipts, axes: answers, asked }: Report, colours: Colours): string {
  const names = (list: readonly Axis[]): string => list.map(axisName).join(', ');
  if (ok) return `${colours.good('good')}: ${count(receipts, 'receipt')}, asked and passed: ${names(asked)}`;
  const failed = axes.filter((axis) => answers[axis].status === 'fail');
  const open = asked.filter((axis) => answers[axis].status === 'not-checked');
  const parts = [failed.length > 0 ? `failed: ${names(failed)}` : '', open.length > 0 ? `asked and not checked: ${names(open)}` : ''];
  return `${colours.bad('not good')}: ${count(receipts, 'receipt')}, ${parts.filter((part) => part !== '').join('; ')}`;
}

/** Which option answers an axis that is not checked. */
function remedy(axis: Axis, { axes: answers, problems }: Report, { hasPolicies, isLedger }: Around): string {
  const { reason = '' } = answers[axis];
  // what rests on a failed axis is answered when that one is
  if (/rests on (?!rules)/.test(reason) || reason.endsWith('there is no receipt')) return '';
  switch (axis) {
    case 'signature':
      return '--trust with the key';
    case 'key-trust':
      return isLedger ? '--checkpoint from before the revocation' : 'nothing here: only a ledger can show that a receipt is older than a revocation';
    case 'completeness':
      if (problems.some(({ code }) => code === 'checkpoint-untrusted')) return '--trust with the key of the checkpoint, as an auditor';
      return isLedger ? '--checkpoint' : alone;
    case 'rules':
    case 're-decision':
      return hasPolicies ? '--policies with the policies that the receipts name' : '--policies';
    case 'findings':
      return reason.endsWith('there are no findings') ? '' : alone;
    case 'mapping':
      if (reason.includes('names no mapping')) return 'no option: the receipts name no mapping';
      if (problems.some(({ code }) => code === 'mapping-missing')) return '--mapping with the tables that the receipts name';
      return problems.some(({ code }) => code === 'args-missing')
        ? '--args with the calls that are not there'
        : '--mapping and --args, with the calls as they were kept';
    default:
      return alone;
  }
}

const alone = 'no option: receipts without a ledger stand alone';

/** The last line: what would answer each axis that is not checked. */
function openLine(report: Report, around: Around): string[] {
  const byRemedy = new Map<string, Axis[]>();
  for (const axis of axes) {
    const how = report.axes[axis].status === 'not-checked' ? remedy(axis, report, around) : '';
    if (how !== '') byRemedy.set(how, [...(byRemedy.get(how) ?? []), axis]);
  }
  // what an option answers comes first
  const sorted = [...byRemedy].sort(([a], [b]) => Number(b.startsWith('--')) - Number(a.startsWith('--')));
  const parts = sorted.map(([how, list]) => `${list.map(axisName).join(', ')} (${how})`);
  return parts.length === 0 ? [] : [`to check more: ${parts.join('; ')}`];
}
