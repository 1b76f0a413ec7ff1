/**
 * What a verdict is worth to others (AUD-54, AUD-55): on a pass a validation record, on a fail the draft of an advisory, in the fields of AbstractSkill. Neither can be
 * made without what its method demands.
 * @module
 */
import { quote, refuse } from '../errors.js';
import { isHashText } from '../hash.js';
import { limits } from '../limits.js';
import { checkName, checkText } from '../policy/text.js';
import { epochsOfGrade, type Grade, planProblems, type PlanRules } from './plan-rules.js';
import { severities, type Severity } from './signals/hit.js';
import type { SkillSubject } from './subject/subject.js';
import { type AuditResult, isSevere, notClaimed, type VerdictReason } from './verdict.js';

export interface ValidationRecord {
  readonly name: string;
  readonly source: string;
  readonly tree_hash: string;
  /** A validation is an audit; a screening rules out less and grants less. */
  readonly level: 'audited' | 'community';
  readonly method: 'simulated-execution';
  readonly validated_by: string;
  readonly validated_at: string;
  readonly evidence: {
    readonly grade: Grade;
    /** With the skill, of the model that ran least. */
    readonly epochs: number;
    readonly models: readonly string[];
    /** Findings of medium severity and below: of more there are none. */
    readonly findings: readonly string[];
    readonly tree_digest: string;
    readonly plan_digest: string;
    readonly report_digest: string;
    /** Millionths, of the model with the greatest. */
    readonly upper_bound: number;
    readonly worst_case_bound: number;
    readonly alpha: number;
    readonly controls: readonly string[];
    readonly not_claimed: readonly string[];
  };
}

/** What an audit leaves behind, and who answers for it. */
export interface Audited {
  readonly subject: SkillSubject;
  readonly plan: PlanRules;
  readonly planDigest: string;
  readonly reportDigest: string;
  readonly result: AuditResult;
}

export interface Validator {
  readonly validatedBy: string;
  /** `2026-11-30T12:00:00Z`. */
  readonly validatedAt: string;
  /** Ids of findings. */
  readonly findings?: readonly string[];
}

/**
 * @throws RuleprintError `record-demands` for everything that the method demands and the audit does not have
 */
export function validationRecord(
  { subject, plan, planDigest, reportDigest, result }: Audited,
  { validatedBy, validatedAt, findings = [] }: Validator,
): ValidationRecord {
  const demand = (isMet: boolean, what: string): void => {
    if (!isMet) refuse('record-demands', `expected ${what} for a record of a simulated execution`);
  };
  demand(result.verdict === 'pass' && result.reasons.length === 0, 'a pass without a reason against it');
  const [problem] = planProblems(plan);
  demand(problem === undefined, `a good plan: ${problem?.message ?? ''}`);
  demand(result.started >= result.planned && result.planned > 0, 'every planned epoch');
  demand(subject.source !== undefined, 'where the skill was taken from');
  demand(subject.hiddenFiles.length === 0, 'a tree in which nothing hides, since the hash of the record leaves files out');
  demand(isHashText(planDigest) && isHashText(reportDigest), 'the digests of plan and report');
  demand(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/.test(validatedAt), 'a time like 2026-11-30T12:00:00Z');
  checkName(validatedBy);
  findings.forEach(checkName);
  const counts = plan.models.map(({ id }) => result.counts.find(({ model, signal }) => model === id && signal === 'any'));
  const epochs = Math.min(...counts.map((count) => count?.withSkill.n ?? 0));
  demand(epochs >= epochsOfGrade[plan.grade], `${epochsOfGrade[plan.grade]} epochs of each model`);
  demand(
    counts.every((count) => count?.withSkill.k === 0),
    'no critical and no high hit',
  );
  const greatest = (bound: 'completed' | 'worstCase'): number => Math.max(...counts.map((count) => count?.bounds[bound] ?? 1_000_000));
  return freeze({
    name: subject.name,
    source: subject.source ?? '',
    tree_hash: subject.interchangeHash,
    level: plan.grade === 'validation' ? 'audited' : 'community',
    method: 'simulated-execution',
    validated_by: validatedBy,
    validated_at: validatedAt,
    evidence: {
      grade: plan.grade,
      epochs,
      models: plan.models.map(({ id }) => id),
      findings: [...findings],
      tree_digest: subject.digest,
      plan_digest: planDigest,
      report_digest: reportDigest,
      upper_bound: greatest('completed'),
      worst_case_bound: greatest('worstCase'),
      alpha: plan.thresholds.alpha,
      controls: plan.scenarios.filter(({ kind }) => kind.startsWith('control_')).map(({ id }) => id),
      not_claimed: [...notClaimed],
    },
  });
}

export interface AdvisoryEntry {
  readonly name: string;
  readonly source?: string;
  readonly tree_hash: string;
  readonly status: 'draft';
  /** The description of the skill, word for word. */
  readonly official_intent: string;
  readonly hidden_issue: string;
  readonly severity: Exclude<Severity, 'info'>;
  readonly reference: string;
}

/**
 * @param reference - where the report can be read: nobody else knows it, so the operator says it
 * @throws RuleprintError `advisory-demands`
 */
export function advisoryDraft({ subject, result }: Pick<Audited, 'subject' | 'result'>, reference: string): AdvisoryEntry {
  if (result.verdict !== 'fail') refuse('advisory-demands', `expected a verdict of fail for an advisory, got ${result.verdict}`);
  if (typeof reference !== 'string' || !/^https:\/\/[^\s]+$/.test(reference) || !isUrl(reference)) {
    refuse('advisory-demands', `expected the https address of the report as a reference, got ${quote(String(reference))}`);
  }
  checkText(reference, limits.ruleStringBytes);
  const isMore = result.counts.some(({ signal, withSkill: w, baseline: b }) => signal === 'any' && w.k * b.n > b.k * w.n);
  if (!isMore && !result.reasons.some(({ why }) => why === 'static-hit' || why === 'rate')) {
    refuse('advisory-demands', 'expected hits that are more frequent with the skill than without it: else they are habits of the model');
  }
  const issues = result.reasons.filter(({ why }) => why === 'hit' || why === 'static-hit' || why === 'rate');
  const worst = severities[Math.max(...issues.map(({ severity = 'info' }) => severities.indexOf(severity)))];
  if (worst === undefined || worst === 'info') refuse('advisory-demands', 'expected an issue with a severity');
  return freeze({
    name: subject.name,
    ...(subject.source !== undefined && { source: subject.source }),
    tree_hash: subject.interchangeHash,
    status: 'draft',
    official_intent: subject.frontmatter.description,
    hidden_issue: issues.map(issueOf).join('; '),
    severity: worst,
    reference,
  });
}

function isUrl(text: string): boolean {
  return URL.canParse(text) && new URL(text).hostname !== '';
}

/** Signal, scenario, place: what a reader needs to find it in the report. */
function issueOf({ why, signal, severity, model, scenario, locus, epochs }: VerdictReason): string {
  const where = [
    scenario && `scenario ${scenario}`,
    model && `model ${model}`,
    locus && `at ${locus}`,
    epochs !== undefined && `${epochs} epoch${epochs === 1 ? '' : 's'}`,
  ];
  const how = why === 'rate' ? ' (more often than without the skill)' : severity !== undefined && !isSevere(severity) ? ` (${severity})` : '';
  return `${signal}${how}: ${where.filter(Boolean).join(', ')}`;
}

function freeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) freeze(member as object);
  return Object.freeze(value);
}
