/**
 * Findings that somebody has decided to live with, for a time (spec/lint.md, "Suppressions").
 * @module
 */
import { quote, refuse, RuleprintError } from '../errors.js';
import { findingFromObservation } from '../finding/finding.js';
import { occurrenceOf } from '../finding/identity.js';
import type { Finding, RuleInfo } from '../finding/model.js';
import { redactor } from '../finding/redaction.js';
import { checkSafeText } from '../finding/shape.js';
import { limits } from '../limits.js';
import { checkDocument, type ParseOptions } from '../policy/door.js';
import { readJson } from '../policy/json.js';
import { readYaml } from '../policy/yaml.js';
import { integer, list, object, text } from '../shape.js';
import { evidenceAt, lintRule } from './rule.js';

export interface Suppression {
  readonly rule: string;
  /** The full id of one finding. */
  readonly finding: string;
  readonly reason: string;
  /** The last day on which it holds, `YYYY-MM-DD`, by UTC. */
  readonly expires: string;
  /** Where it stands in its file. */
  readonly place: { readonly line: number; readonly column: number };
}

const identifier = text('the id of a rule', (value) => {
  if (!/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,254}$/.test(value)) refuse('bad-value', `expected the id of a rule, got ${quote(value)}`);
});
const id = text('the id of a finding', (value) => {
  if (/^ruleprint:finding:sha256:[0-9a-f]{64}$/.test(value)) return;
  refuse('bad-value', `expected the whole id of a finding, got ${quote(value)}`, { hint: 'lint --json and --format sarif print it' });
});
const day = text('a day', (value) => {
  if (!isDay(value)) refuse('bad-value', `expected a day like 2027-01-31, got ${quote(value)}`);
});

function isDay(value: string): boolean {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value)?.map(Number) ?? [];
  if (year === undefined || month === undefined || date === undefined || month < 1 || month > 12 || date < 1) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return date <= ([31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] as number);
}

const shape = object('a list of suppressions', {
  version: integer(1, 1),
  suppressions: list(
    'a list of suppressions',
    object('a suppression', { rule: identifier, finding: id, reason: text('a reason', checkSafeText), expires: day }),
    {
      max: limits.listItems,
      uniqueBy: 'finding',
    },
  ),
});

/**
 * Reads a file of suppressions through the strict door.
 *
 * @throws RuleprintError all problems, with their places
 */
export function parseSuppressions(source: string | Uint8Array, options: ParseOptions): readonly Suppression[] {
  const result = checkDocument(source, options, options.format === 'json' ? readJson : readYaml, shape, (value, document) => {
    const { suppressions } = value as { readonly suppressions: readonly Omit<Suppression, 'place'>[] };
    return { suppressions: suppressions.map((each, i): Suppression => ({ ...each, place: document.placeOf(['suppressions', i], false) })) };
  });
  if ('problems' in result) throw new RuleprintError(result.problems);
  return result.suppressions;
}

export const expiredSuppression = lintRule({
  id: 'suppression.expired',
  title: 'A suppression whose time is over',
  help: 'The day on which the suppression was to be looked at again is over. The finding is reported again.',
  remediation: 'mend what was found, or decide anew and write a later day',
  severity: 'medium',
  confidence: 'high',
  isSecurity: false,
  *look() {
    // about a file of suppressions: see suppress
  },
});

export const staleSuppression = lintRule({
  id: 'suppression.stale',
  title: 'A suppression of what is not found any more',
  help: 'There is no finding with this id by this rule: it was mended, or the rule of the policy was changed and is another finding now. A suppression that stays could come to hide something else one day.',
  remediation: 'remove the suppression',
  severity: 'low',
  confidence: 'high',
  isSecurity: false,
  *look() {
    // about a file of suppressions: see suppress
  },
});

export interface Suppressed {
  /** Those that were given, and those about the suppressions themselves. */
  readonly findings: readonly Finding[];
  /** By id of the finding. */
  readonly suppressions: ReadonlyMap<string, { readonly reason: string }>;
}

/**
 * Which findings are suppressed today: each by its own whole id and rule alone (LNT-9), so that one suppression never silences two. What is expired or
 * stale is a finding itself (LNT-10), which no suppression silences.
 *
 * @param path where the suppressions stand, from the root of the repository
 * @param today `YYYY-MM-DD`
 */
export function suppress(findings: readonly Finding[], suppressions: readonly Suppression[], path: string, today: string): Suppressed {
  const redact = redactor();
  const byId = new Map(findings.map((finding) => [finding.id, finding]));
  const holding = new Map<string, { readonly reason: string }>();
  const reports: Finding[] = [];
  const report = (rule: RuleInfo & { readonly remediation: string }, { finding, expires, place }: Suppression, message: string): void => {
    const occurrence = occurrenceOf('suppression', `${finding}\n${expires}`);
    const observation = { rule_id: rule.id, message, evidence: [evidenceAt(path, place)] };
    reports.push(findingFromObservation(observation, rule, { remediation: rule.remediation, occurrence }));
  };
  for (const each of suppressions) {
    const found = byId.get(each.finding);
    const what = `the suppression of ${each.finding}`;
    if (found === undefined) report(staleSuppression, each, `${what} by ${redact(each.rule)} has nothing to suppress`);
    else if (found.rule_id !== each.rule)
      report(staleSuppression, each, `${what} is for the rule ${redact(each.rule)}, and the finding is by ${found.rule_id}`);
    else if (each.expires < today) report(expiredSuppression, each, `${what} by ${found.rule_id} held until ${each.expires}`);
    else holding.set(each.finding, { reason: each.reason });
  }
  return { findings: [...findings, ...reports], suppressions: holding };
}
