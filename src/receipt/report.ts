/**
 * The answer of a verifier: never a bare "valid", one line for each axis (RCP-24).
 * @module
 */
import type { ErrorCode, Problem, Where } from '../errors.js';
import { limits } from '../limits.js';

export const axes = [
  'bytes',
  'signature',
  'key-trust',
  'order',
  'completeness',
  'timeline',
  'rules',
  're-decision',
  'approvals',
  'findings',
  'mapping',
] as const;
export type Axis = (typeof axes)[number];

export interface AxisAnswer {
  readonly status: 'pass' | 'fail' | 'not-checked';
  /** Why it fails or is not checked; what a pass leaves open. */
  readonly reason?: string;
  readonly code?: ErrorCode;
}
export type Answers = Readonly<Record<Axis, AxisAnswer>>;

/** A problem with the axis that it answers: `fail`; `not-checked` where the verifier lacks what would decide it; a `note` fails nothing. */
export interface ReportedProblem extends Problem {
  readonly axis: Axis;
  readonly status: 'fail' | 'not-checked' | 'note';
}

export interface Report {
  /** No axis failed, and every axis that was asked passed. */
  readonly ok: boolean;
  /** How many receipts were read. */
  readonly receipts: number;
  readonly axes: Answers;
  readonly asked: readonly Axis[];
  readonly problems: readonly ReportedProblem[];
}

/** What is asked without a word, and more. In the order of the axes. */
export function askedAxes(more: readonly Axis[]): readonly Axis[] {
  const asked = new Set<Axis>(['bytes', 'signature', 'key-trust', ...more]);
  return axes.filter((axis) => asked.has(axis));
}

export const pass: AxisAnswer = Object.freeze({ status: 'pass' });
export const notChecked = (reason: string): AxisAnswer => ({ status: 'not-checked', reason });
export const restsOn = (axis: Axis): AxisAnswer => notChecked(`rests on ${axis}`);

/** What one receipt answers; problems are in the order in which they were found, placed at the receipt. */
export class Judgement {
  readonly answers: Partial<Record<Axis, AxisAnswer>> = {};
  readonly problems: ReportedProblem[] = [];
  readonly where: Where;

  constructor(where: Where) {
    this.where = where;
  }

  answer(axis: Axis, answer: AxisAnswer): void {
    this.answers[axis] = answer;
  }

  answerAll(axes: readonly Axis[], answer: AxisAnswer): void {
    for (const axis of axes) this.answers[axis] = answer;
  }

  /** Lists a problem and lets it answer its axis. */
  found(axis: Axis, problem: Problem, status: 'fail' | 'not-checked' = 'fail'): void {
    this.problems.push({ ...problem, where: { ...this.where, ...problem.where }, axis, status });
    if (this.answers[axis]?.status !== 'fail') this.answers[axis] = { status, reason: problem.message, code: problem.code };
  }

  /** Lists what is worth knowing and answers nothing. */
  note(axis: Axis, problem: Problem): void {
    this.problems.push({ ...problem, where: { ...this.where, ...problem.where }, axis, status: 'note' });
  }

  /** Takes in what was found of a part: its problems, and its answers where they are worse. */
  absorb(part: Judgement): void {
    for (const problem of part.problems) this.problems.push(problem);
    for (const axis of axes) {
      const answer = part.answers[axis];
      const own = this.answers[axis];
      if (answer !== undefined && (own === undefined || severityOf(answer) > severityOf(own))) this.answers[axis] = answer;
    }
  }
}

/** Answers of many receipts, gathered one by one: an axis fails if it fails for one, is else not checked if it is not checked for one. */
export class Gathering {
  readonly #worst = new Map<Axis, { answer: AxisAnswer; severity: number; count: number; isWhole: boolean }>();
  readonly #problems: ReportedProblem[] = [];
  #receipts = 0;

  add({ answers, problems }: Judgement): void {
    this.#receipts++;
    for (const problem of problems) this.list(problem);
    for (const axis of axes) {
      const answer = answers[axis];
      // a plain pass is the least that there is, and nobody counts them
      if (answer !== undefined && !(answer === pass && this.#worst.has(axis))) this.#weigh(axis, answer, false);
    }
  }

  /** A problem that is of no single receipt. */
  found(axis: Axis, problem: Problem, status: 'fail' | 'not-checked' = 'fail'): void {
    this.list({ ...problem, axis, status });
    this.weigh(axis, { status, reason: problem.message, code: problem.code });
  }

  /** Lists a problem and answers nothing. Whoever sends a file decides how many there are: only so many are kept. */
  list(problem: ReportedProblem): void {
    if (this.#problems.length < limits.reportedProblems) this.#problems.push(problem);
  }

  report(asked: readonly Axis[]): Report {
    const answers = Object.fromEntries(axes.map((axis) => [axis, this.#answer(axis)])) as Answers;
    const ok = axes.every((axis) => answers[axis].status !== 'fail') && asked.every((axis) => answers[axis].status === 'pass');
    return { ok, receipts: this.#receipts, axes: answers, asked, problems: this.#problems };
  }

  /** An answer that is of no single receipt. */
  weigh(axis: Axis, answer: AxisAnswer): void {
    this.#weigh(axis, answer, true);
  }

  #weigh(axis: Axis, answer: AxisAnswer, isWhole: boolean): void {
    const severity = severityOf(answer);
    const worst = this.#worst.get(axis);
    if (worst === undefined || severity > worst.severity) this.#worst.set(axis, { answer, severity, count: 1, isWhole });
    else if (severity === worst.severity && !isWhole) worst.count++;
  }

  #answer(axis: Axis): AxisAnswer {
    const worst = this.#worst.get(axis);
    if (worst === undefined) return notChecked('there is no receipt');
    const { answer, count, isWhole } = worst;
    if (this.#receipts < 2 || answer.reason === undefined || isWhole) return answer;
    return { ...answer, reason: `${count} of ${this.#receipts}: ${answer.reason}` };
  }
}

/** A pass that leaves something open is worse than a plain one. */
function severityOf({ status, reason }: AxisAnswer): number {
  if (status === 'pass') return reason === undefined ? 0 : 1;
  return status === 'fail' ? 3 : 2;
}
