/**
 * The report of a verifier for people: each axis on a line, then every problem, and what would answer what is open (RCP-24).
 * @module
 */
import { type Answers, type Axis, type AxisAnswer, axes, type Report, type ReportedProblem } from '../receipt/report.js';
import type { Colours } from './output.js';
import { count } from './printable.js';
import { problemLines } from './problem-lines.js';

/** The report on one file. */
export interface FileReport {
  readonly file: string;
  readonly report: Report;
}

/** One report on all files. An axis fails if it fails for one, is else not checked if it is not checked for one, else passes. */
export function joinReports(reports: readonly FileReport[]): Report {
  const problems = reports.flatMap(({ file, report }) => report.problems.map((problem) => ({ ...problem, where: { file, ...problem.where } })));
  const answers = Object.fromEntries(axes.map((axis) => [axis, joinAnswers(axis, reports)])) as Answers;
  return {
    ok: reports.every(({ report }) => report.ok),
    receipts: reports.reduce((sum, { report }) => sum + report.receipts, 0),
    axes: answers,
    asked: reports[0]?.report.asked ?? [],
    problems: worstFirst(problems),
  };
}

function joinAnswers(axis: Axis, reports: readonly FileReport[]): AxisAnswer {
  const answers = reports.map(({ file, report }) => ({ file, answer: report.axes[axis] }));
  const worst = answers.reduce((a, b) => (severityOf(b.answer) > severityOf(a.answer) ? b : a));
  const isOfAll = answers.every(({ answer }) => answer.reason === worst.answer.reason);
  if (worst.answer.reason === undefined || isOfAll) return worst.answer;
  return { ...worst.answer, reason: `${worst.file}: ${worst.answer.reason}` };
}

/** A pass that leaves something open weighs more than a plain one. */
function severityOf({ status, reason }: AxisAnswer): number {
  return status === 'fail' ? 3 : status === 'not-checked' ? 2 : reason === undefined ? 0 : 1;
}

/** What failed before what is open, then in the order of the axes, of the files and of the receipts. */
function worstFirst(problems: readonly ReportedProblem[]): readonly ReportedProblem[] {
  const rank = ({ status, axis }: ReportedProblem): number => (status === 'fail' ? 0 : axes.length) + axes.indexOf(axis);
  return [...problems].sort((a, b) => rank(a) - rank(b));
}

/** How an axis is called in front of people. */
export function axisName(axis: Axis): string {
  return axis === 'key-trust' ? 'key trust' : axis;
}

export function axisLine(axis: Axis, { status, reason }: AxisAnswer, colours: Colours): string {
  const word = status === 'pass' ? colours.good('pass'.padEnd(11)) : status === 'fail' ? colours.bad('FAIL'.padEnd(11)) : colours.open('not checked');
  return `${axisName(axis).padEnd(12)}  ${word}  ${reason ?? ''}`.trimEnd();
}

export function reportLines(report: Report, colours: Colours, hasPolicies: boolean): string[] {
  const lines = axes.map((axis) => axisLine(axis, report.axes[axis], colours));
  if (report.problems.length > 0) lines.push('');
  for (const problem of report.problems) for (const line of problemText(problem, colours)) lines.push(line);
  return [...lines, '', summary(report, colours), ...openLine(report.axes, hasPolicies)];
}

function problemText(problem: ReportedProblem, colours: Colours): string[] {
  const { text, hint } = problemLines(problem);
  const mark = problem.status === 'fail' ? colours.bad('fail') : colours.open('open');
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
function remedy(axis: Axis, { reason = '' }: AxisAnswer, hasPolicies: boolean): string {
  // what rests on a failed axis is answered when that one is
  if (/rests on (?!rules)/.test(reason) || reason.endsWith('there is no receipt')) return '';
  switch (axis) {
    case 'signature':
      return '--trust with the key';
    case 'key-trust':
      return 'nothing here: only a ledger can show that a receipt is older than a revocation';
    case 'rules':
    case 're-decision':
      return hasPolicies ? '--policies with the policies that the receipts name' : '--policies';
    case 'mapping':
      return 'no option: the arguments of the calls are not in a receipt';
    default:
      return 'no option: receipts without a ledger stand alone';
  }
}

/** The last line: what would answer each axis that is not checked. */
function openLine(answers: Answers, hasPolicies: boolean): string[] {
  const byRemedy = new Map<string, Axis[]>();
  for (const axis of axes) {
    const how = answers[axis].status === 'not-checked' ? remedy(axis, answers[axis], hasPolicies) : '';
    if (how !== '') byRemedy.set(how, [...(byRemedy.get(how) ?? []), axis]);
  }
  // what an option answers comes first
  const sorted = [...byRemedy].sort(([a], [b]) => Number(b.startsWith('--')) - Number(a.startsWith('--')));
  const parts = sorted.map(([how, list]) => `${list.map(axisName).join(', ')} (${how})`);
  return parts.length === 0 ? [] : [`to check more: ${parts.join('; ')}`];
}
