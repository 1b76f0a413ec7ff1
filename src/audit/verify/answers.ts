/**
 * The answers of `audit verify`: one for each check, and every problem with its code and its place.
 * @module
 */
import { type ErrorCode, RuleprintError, type Where } from '../../errors.js';
import { limits } from '../../limits.js';
import { type AuditCheck, auditChecks, type CheckAnswer } from '../evidence/view.js';

export interface AuditProblem {
  readonly check: AuditCheck;
  readonly code: ErrorCode;
  readonly message: string;
  readonly where: Where & { readonly epoch?: number };
}

export type AuditAnswers = Readonly<Record<AuditCheck, CheckAnswer>>;

/** Collects problems; a check without any passes, unless it was said that it could not be made. */
export class Answers {
  readonly problems: AuditProblem[] = [];
  readonly #counts = new Map<AuditCheck, number>();
  readonly #open = new Map<AuditCheck, string>();
  readonly #notes = new Map<AuditCheck, string>();

  fail(check: AuditCheck, code: ErrorCode, message: string, where: AuditProblem['where'] = {}): void {
    this.#counts.set(check, (this.#counts.get(check) ?? 0) + 1);
    if (this.problems.length < limits.reportedProblems) this.problems.push({ check, code, message, where });
  }

  /** A refusal of data as a problem; anything else goes on. */
  refused(check: AuditCheck, error: unknown, where: AuditProblem['where'] = {}): void {
    if (!(error instanceof RuleprintError)) throw error;
    this.fail(check, error.code, error.message, { ...error.where, ...where });
  }

  /** Why a check could not be made. A failure of the same check is worse, and stands. */
  open(check: AuditCheck, reason: string): void {
    if (!this.#open.has(check)) this.#open.set(check, reason);
  }

  /** What a pass says beside. */
  note(check: AuditCheck, reason: string): void {
    this.#notes.set(check, reason);
  }

  isGood(check: AuditCheck): boolean {
    return !this.#counts.has(check) && !this.#open.has(check);
  }

  answers(): AuditAnswers {
    return Object.fromEntries(auditChecks.map((check) => [check, this.#answer(check)])) as AuditAnswers;
  }

  #answer(check: AuditCheck): CheckAnswer {
    const count = this.#counts.get(check);
    if (count !== undefined) return { status: 'fail', reason: `${count} problem${count === 1 ? '' : 's'}` };
    const reason = this.#open.get(check);
    if (reason !== undefined) return { status: 'not-checked', reason };
    const note = this.#notes.get(check);
    return note === undefined ? { status: 'pass' } : { status: 'pass', reason: note };
  }
}
