/**
 * What a rule of the linter is, and what it gets to look at.
 * @module
 */
import { compileRule, type CompiledPattern, type CompiledRule } from '../decide/covers.js';
import { quote } from '../errors.js';
import type { Evidence, RuleInfo } from '../finding/model.js';
import type { Severity } from '../finding/severity.js';
import type { Redact } from '../finding/redaction.js';
import type { ActionPattern, Policy, Rule } from '../policy/model.js';
import type { Reach } from './reach.js';

/** Where help on the rules is published: with the package. */
const documentation = 'https://unpkg.com/ruleprint/docs/lint.md';

/** One rule of the linter. */
export interface LintRule extends RuleInfo {
  /** What to do about it. */
  readonly remediation: string;
  /** What it sees in one policy. */
  readonly look: (subject: Subject) => Iterable<Seen>;
}

/** A thing seen about a rule of the policy. */
export interface Seen {
  /** Position of the rule. */
  readonly position: number;
  /** Positions of others that belong to it. */
  readonly others?: readonly number[];
  readonly message: string;
  /** What makes it another finding about the same rule; part of its identity. */
  readonly detail?: string;
  readonly severity?: Severity;
}

/** One policy, as rules of the linter look at it. */
export interface Subject {
  readonly policy: Policy;
  readonly reach: Reach;
  /** Text of the policy for a message: without secrets, escaped, shortened. */
  readonly show: (text: string) => string;
  /** The name of a rule for a message. */
  readonly nameOf: (position: number) => string;
}

/** Describes a rule of the linter. Its help page has its id as a heading. */
export function lintRule(
  rule: Omit<LintRule, 'version' | 'documentationUrl' | 'tags'> & { readonly version?: string; readonly isSecurity?: boolean },
): LintRule {
  const { isSecurity = true, version = '1.0.0', ...rest } = rule;
  const anchor = rule.id.replaceAll('.', '');
  return { ...rest, version, documentationUrl: `${documentation}#${anchor}`, tags: isSecurity ? ['security', 'policy'] : ['maintainability', 'policy'] };
}

export function subjectOf(policy: Policy, reach: Reach, redact: Redact): Subject {
  const show = (text: string): string => quote(redact(text));
  return { policy, reach, show, nameOf: (position) => show((policy.rules[position] as Rule).name) };
}

/** `a`, `b` and 3 more. */
export function listed(shown: readonly string[], max = 3): string {
  if (shown.length <= max) return shown.length < 2 ? (shown[0] ?? '') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
  return `${shown.slice(0, max).join(', ')} and ${shown.length - max} more`;
}

/** The pattern of a rule in words. */
export function patternOf({ action }: Rule): string {
  if ('filesystem' in action) return action.filesystem.path;
  if ('network' in action) return action.network.host;
  if ('process' in action) return action.process.argv.join(' ');
  return `${action.tool.server}:${action.tool.name}`;
}

/** A pattern of the linter's own. */
export function area(action: ActionPattern): CompiledPattern {
  return compileRule({ name: 'area', effect: 'allow', agents: 'any', action }).pattern;
}

export interface Position {
  readonly position: number;
  readonly rule: Rule;
  readonly compiled: CompiledRule;
}

/** The rules of one effect. */
export function* rulesOf({ policy, reach }: Subject, effect: Rule['effect']): Generator<Position> {
  for (const [position, rule] of policy.rules.entries()) {
    if (rule.effect === effect) yield { position, rule, compiled: reach.rules[position] as CompiledRule };
  }
}

/** The allow rules that can allow something, or may. */
export function* livingAllows(subject: Subject): Generator<Position> {
  for (const each of rulesOf(subject, 'allow')) if (subject.reach.of(each.position).state !== 'dead') yield each;
}

/** A place in a policy or beside it, as evidence. */
export function evidenceAt(path: string, { line, column }: { readonly line: number; readonly column: number }): Evidence {
  return { adapter: 'ruleprint-lint', path, line_start: line, column_start: column };
}
