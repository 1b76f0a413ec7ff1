/**
 * Findings against those of an earlier report (spec/lint.md, "Baseline").
 * @module
 */
import { createFinding } from '../finding/finding.js';
import type { ChangeState, Finding } from '../finding/model.js';
import { reaches, type Severity } from '../finding/severity.js';

/**
 * The findings with their change state: `added`, `unchanged`, `changed` where the severity or the version of the rule is another; and those of the
 * baseline that are there no more as `removed`, but for rules that are not `known`.
 */
export function compareWith(findings: readonly Finding[], baseline: readonly Finding[], known: ReadonlySet<string>): readonly Finding[] {
  const before = new Map(baseline.filter(({ change_state: state }) => state !== 'removed').map((finding) => [finding.id, finding]));
  const now = new Set(findings.map(({ id }) => id));
  const compared = findings.map((finding) => withState(finding, stateOf(finding, before.get(finding.id))));
  const gone = [...before.values()].filter(({ id, rule_id: rule }) => !now.has(id) && known.has(rule));
  return [...compared, ...gone.map((finding) => withState(finding, 'removed'))];
}

function stateOf(now: Finding, before: Finding | undefined): ChangeState {
  if (before === undefined) return 'added';
  return now.severity === before.severity && now.rule_version === before.rule_version ? 'unchanged' : 'changed';
}

function withState(finding: Finding, state: ChangeState): Finding {
  return createFinding({ ...finding, change_state: state });
}

/** Whether a finding stops a build (LNT-12): severe enough, not suppressed, and neither known from the baseline nor gone. */
export function blocks(finding: Finding, threshold: Severity, suppressions: ReadonlyMap<string, unknown>): boolean {
  const isOld = finding.change_state === 'unchanged' || finding.change_state === 'removed';
  return !isOld && reaches(finding.severity, threshold) && !suppressions.has(finding.id);
}
