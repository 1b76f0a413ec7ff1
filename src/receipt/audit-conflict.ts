/**
 * What has to agree between the fields of a statement of an audit (spec/audit-evidence.md, AUE-4 to AUE-15, AUE-40 to AUE-43).
 * @module
 */
import {
  type AuditEpochStatement,
  type AuditPlanStatement,
  type AuditReportStatement,
  type AuditStatement,
  type ReportedCount,
  type ReportedRate,
  statementLimits as most,
} from './audit-statements.js';

/** What does not agree between the fields of a statement of an audit, or undefined. */
export function auditConflict(statement: AuditStatement): string | undefined {
  switch (statement.statement) {
    case 'audit-plan':
      return planConflict(statement);
    case 'audit-epoch':
      return epochConflict(statement);
    case 'audit-report':
      return reportConflict(statement);
  }
}

function planConflict({ subject, scenarios, models, cells }: AuditPlanStatement): string | undefined {
  const ofSkills = [subject.tree_hash, subject.files, subject.hidden, subject.scripts];
  if (ofSkills.some((value) => (value === undefined) === (subject.kind === 'skill')))
    return 'expected tree_hash, files, hidden and scripts of a skill, and of nothing else'; // AUE-4
  if (new Set(scenarios.map(({ id }) => id)).size < scenarios.length) return 'expected each scenario once'; // AUE-5
  if (new Set(models.map(({ id }) => id)).size < models.length) return 'expected each model once'; // AUE-6
  if (cells.some(({ model, scenario }) => model >= models.length || scenario >= scenarios.length))
    return 'expected models and scenarios of the plan in its cells'; // AUE-7
  if (new Set(cells.map(({ model, scenario, arm: of }) => `${model} ${scenario} ${of}`)).size < cells.length) return 'expected each cell once'; // AUE-8
  return undefined;
}

function epochConflict(statement: AuditEpochStatement): string | undefined {
  const { outcome, invalid, hits: found, more_hits: more, calls, started_at: started, ended_at: ended } = statement;
  const isHit = found.some((hit) => hit.severity !== 'info');
  if (isHit !== (outcome === 'hit')) return 'expected the outcome hit exactly where a hit of more than info is listed'; // AUE-9
  if (!isHit && (invalid !== undefined) !== (outcome === 'invalid')) return 'expected the outcome invalid exactly where there is a code for it and no hit'; // AUE-10
  if (more > 0 && found.length < most.hits) return 'expected more hits only where the list is full'; // AUE-11
  if (found.some(({ call }) => call !== undefined && call >= calls.length)) return 'expected hits at calls of the epoch'; // AUE-40
  if (ended < started) return 'expected an end that is not before the start'; // AUE-41
  return undefined;
}

function reportConflict({
  verdict,
  reasons,
  more_reasons: more,
  started,
  first_epoch: first,
  last_epoch: last,
  static_hits: found,
  more_static_hits: moreFound,
  counts,
  rates,
}: AuditReportStatement): string | undefined {
  if ((verdict === 'pass') !== (reasons.length === 0)) return 'expected a pass exactly where there is no reason against it'; // AUE-13
  if ((more > 0 && reasons.length < most.reasons) || (moreFound > 0 && found.length < most.hits)) return 'expected more only where the list is full'; // AUE-14
  if ((first === undefined) !== (started === 0) || (last === undefined) !== (started === 0))
    return 'expected the first and the last epoch exactly where one was started'; // AUE-15
  if (counts.some(isMoreThanAll) || rates.some(isMoreThanAll)) return 'expected no more hits than epochs, and scenarios hit than scenarios'; // AUE-42
  if (counts.some(isHalfClustered)) return 'expected icc, design_effect and effective_size together'; // AUE-43
  return undefined;
}

function isMoreThanAll(count: ReportedCount | ReportedRate): boolean {
  const { hits: hit, epochs, baseline_hits: baselineHit, baseline_epochs: baseline } = count;
  const { invalid, scenarios_hit: scenariosHit, scenarios } = 'scenarios' in count ? count : { invalid: 0, scenarios_hit: 0, scenarios: 0 };
  return hit + invalid > epochs || baselineHit > baseline || scenariosHit > scenarios;
}

function isHalfClustered({ icc, design_effect: effect, effective_size: size }: ReportedCount): boolean {
  return new Set([icc, effect, size].map((value) => value === undefined)).size > 1;
}
