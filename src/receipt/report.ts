/**
 * The answer of a verifier: never a bare "valid", one line for each axis (RCP-24).
 * @module
 */
import type { ErrorCode, Problem } from '../errors.js';
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

/** A problem with the axis that it answers: `fail`, or `not-checked` where the verifier lacks what would decide it. */
export interface ReportedProblem extends Problem {
  readonly axis: Axis;
  readonly status: 'fail' | 'not-checked';
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

/** What is asked without a word: more with policies, and whatever the caller requires. */
export function askedAxes({ policies, require = [] }: { policies?: unknown; require?: readonly Axis[] }): readonly Axis[] {
  const asked = new Set<Axis>(['bytes', 'signature', 'key-trust', ...(policies === undefined ? [] : (['rules', 're-decision'] as const)), ...require]);
  return axes.filter((axis) => asked.has(axis));
}

export const pass: AxisAnswer = Object.freeze({ status: 'pass' });
export const notChecked = (reason: string): AxisAnswer => ({ status: 'not-checked', reason });
export const restsOn = (axis: Axis): AxisAnswer => notChecked(`rests on ${axis}`);

/** What one receipt answers; problems are in the order in which they were found. */
export class Judgement {
  readonly answers = Object.fromEntries(axes.map((axis) => [axis, notChecked('not asked')])) as Record<Axis, AxisAnswer>;
  readonly problems: ReportedProblem[] = [];

  answer(axis: Axis, answer: AxisAnswer): void {
    this.answers[axis] = answer;
  }

  /** Lists a problem and lets it answer its axis. */
  found(axis: Axis, problem: Problem, status: 'fail' | 'not-checked' = 'fail'): void {
    this.problems.push({ ...problem, axis, status });
    if (this.answers[axis].status !== 'fail') this.answers[axis] = { status, reason: problem.message, code: problem.code };
  }
}

/** Answers of many receipts, gathered one by one: an axis fails if it fails for one, is else not checked if it is not checked for one. */
export class Gathering {
  readonly #worst = new Map<Axis, { answer: AxisAnswer; severity: number; count: number }>();
  readonly #problems: ReportedProblem[] = [];
  #receipts = 0;

  add({ answers, problems }: Judgement): void {
    this.#receipts++;
    for (const problem of problems) this.#list(problem);
    for (const axis of axes) this.#weigh(axis, answers[axis]);
  }

  /** What ends the reading of a file: its bytes fail as a whole. */
  broken(problem: Problem): void {
    this.#list({ ...problem, axis: 'bytes', status: 'fail' });
    this.#weigh('bytes', { status: 'fail', reason: problem.message, code: problem.code }, 0);
  }

  /** Whoever sends a file decides how many problems it has. */
  #list(problem: ReportedProblem): void {
    if (this.#problems.length < limits.reportedProblems) this.#problems.push(problem);
  }

  report(asked: readonly Axis[]): Report {
    const answers = Object.fromEntries(axes.map((axis) => [axis, this.#answer(axis)])) as Answers;
    const ok = axes.every((axis) => answers[axis].status !== 'fail') && asked.every((axis) => answers[axis].status === 'pass');
    return { ok, receipts: this.#receipts, axes: answers, asked, problems: this.#problems };
  }

  #weigh(axis: Axis, answer: AxisAnswer, count = 1): void {
    const severity = severityOf(answer);
    const worst = this.#worst.get(axis);
    if (worst === undefined || severity > worst.severity) this.#worst.set(axis, { answer, severity, count });
    else if (severity === worst.severity) worst.count += count;
  }

  #answer(axis: Axis): AxisAnswer {
    const worst = this.#worst.get(axis);
    if (worst === undefined) return notChecked('there is no receipt');
    const { answer, count } = worst;
    if (this.#receipts < 2 || answer.reason === undefined) return answer;
    return { ...answer, reason: `${count} of ${this.#receipts}: ${answer.reason}` };
  }
}

/** A pass that leaves something open is worse than a plain one. */
function severityOf({ status, reason }: AxisAnswer): number {
  if (status === 'pass') return reason === undefined ? 0 : 1;
  return status === 'fail' ? 3 : 2;
}
