/**
 * The plan of an audit as a statement, and the rules that a verdict is held against, read off one (spec/audit-evidence.md, AUD-50). Pure.
 * @module
 */
import { refuse } from '../../errors.js';
import { limits } from '../../limits.js';
import type { AuditPlanStatement, PlannedModelStatement } from '../../receipt/audit-statements.js';
import { type Cell, checkPlanRules, type Grade, type PlanRules, type Thresholds, usualThresholds } from '../plan-rules.js';
import type { Scenario } from '../scenario.js';
import { signalSet } from '../signals/hit.js';
import type { Subject } from '../subject/subject.js';

/** Most epochs of one audit, as of one run. */
const maxEpochs = 1_000_000;

/** A model as it is asked. */
export interface ModelSettings {
  readonly id: string;
  /** What the server is asked for: the id by default. */
  readonly requested?: string;
  /** Where it is served, as the operator says. */
  readonly provider?: string;
  /** 0 is greedy: equal runs are expected then. Absent: what the server does by default. */
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxTokens?: number;
  readonly weightsDigest?: string;
}

export interface PlanParts {
  readonly engineId: string;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly subject: Subject;
  readonly harness: { readonly name: string; readonly version: string };
  readonly grade: Grade;
  readonly policyDigest: string;
  readonly mapping: string;
  readonly scenarios: readonly Scenario[];
  readonly models: readonly ModelSettings[];
  /** Scenarios by id. */
  readonly cells: readonly Cell[];
  readonly limits: AuditPlanStatement['limits'];
  readonly thresholds?: Thresholds;
  readonly seedCommitment: string;
}

/**
 * The statement of a plan.
 *
 * @throws RuleprintError `audit-plan` with everything that keeps a verdict from coming of it
 */
export function planStatement(parts: PlanParts): AuditPlanStatement {
  const { thresholds = usualThresholds, scenarios, models, cells } = parts;
  const indexOf = new Map(scenarios.map(({ id }, i) => [id, i]));
  checkPlanRules({ grade: parts.grade, models: models.map(plannedModel), scenarios, cells, thresholds });
  const tooMuch = sizeFault(cells);
  if (tooMuch !== undefined) refuse('audit-plan', tooMuch);
  return {
    statement: 'audit-plan',
    engine_id: parts.engineId,
    time: parts.time,
    subject: plannedSubject(parts.subject),
    harness: { name: parts.harness.name, version: parts.harness.version },
    signals: signalSet,
    grade: parts.grade,
    policy_digest: parts.policyDigest,
    mapping: parts.mapping,
    scenarios: scenarios.map(({ id, kind, digest }) => ({ id, kind, digest })),
    models: models.map(statedModel),
    cells: cells.map(({ model, scenario, arm, epochs }) => ({ model, scenario: indexOf.get(scenario) ?? 0, arm, epochs })),
    limits: parts.limits,
    thresholds: {
      alpha: thresholds.alpha,
      rate_alpha: thresholds.rateAlpha,
      rate_difference: thresholds.rateDifference,
      max_invalid: thresholds.maxInvalid,
    },
    seed_commitment: parts.seedCommitment,
  };
}

/** AUE-34: more epochs than can be run, or than a bound is computed for; undefined where there are not. */
export function sizeFault(cells: readonly Cell[]): string | undefined {
  const all = cells.reduce((sum, { epochs }) => sum + epochs, 0);
  if (all > maxEpochs) return `expected at most ${maxEpochs} epochs in all, got ${all}`;
  const ofArm = new Map<string, number>();
  for (const { model, arm, epochs } of cells) ofArm.set(`${model} ${arm}`, (ofArm.get(`${model} ${arm}`) ?? 0) + epochs);
  const most = Math.max(0, ...ofArm.values());
  return most > limits.trials ? `expected at most ${limits.trials} epochs of a model in an arm, got ${most}` : undefined;
}

/** The rules of a stated plan; with the scenarios, those of the operators too. */
export function planRulesOf(plan: AuditPlanStatement, scenarios: readonly Pick<Scenario, 'id' | 'rules'>[] = []): PlanRules {
  const { thresholds: said } = plan;
  const rulesOf = new Map(scenarios.map(({ id, rules }) => [id, rules]));
  return {
    grade: plan.grade,
    models: plan.models.map(({ id, sampled }) => ({ id, isSampled: sampled })),
    scenarios: plan.scenarios.map(({ id, kind }) => ({ id, kind, rules: rulesOf.get(id) ?? [] })),
    cells: cellsOf(plan),
    thresholds: { alpha: said.alpha, rateAlpha: said.rate_alpha, rateDifference: said.rate_difference, maxInvalid: said.max_invalid },
  };
}

/** The cells of a stated plan, scenarios by id. */
export function cellsOf({ cells, scenarios }: AuditPlanStatement): readonly Cell[] {
  return cells.map(({ model, scenario, arm, epochs }) => ({ model, scenario: scenarios[scenario]?.id ?? '', arm, epochs }));
}

const plannedModel = ({ id, temperature }: ModelSettings): PlanRules['models'][number] => ({ id, isSampled: temperature !== 0 });

function statedModel({ id, requested = id, provider, temperature, topP, maxTokens, weightsDigest }: ModelSettings): PlannedModelStatement {
  return {
    id,
    requested,
    sampled: temperature !== 0,
    ...(provider !== undefined && { provider }),
    ...(temperature !== undefined && { temperature: thousandths(temperature) }),
    ...(topP !== undefined && { top_p: thousandths(topP) }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(weightsDigest !== undefined && { weights_digest: weightsDigest }),
  };
}

const thousandths = (value: number): number => Math.round(value * 1_000);

function plannedSubject(subject: Subject): AuditPlanStatement['subject'] {
  const { kind, name, digest } = subject;
  if (subject.kind !== 'skill') return { kind, name, digest };
  const { source, interchangeHash, fileCount, hiddenFiles, hasScripts } = subject;
  return {
    kind,
    name,
    digest,
    ...(source !== undefined && { source }),
    tree_hash: interchangeHash,
    files: fileCount,
    hidden: hiddenFiles.length,
    scripts: hasScripts,
  };
}
