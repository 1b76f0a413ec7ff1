/**
 * The checks *plan* and *subject* (AUE-21 to AUE-23): what was promised, and what it was promised about.
 * @module
 */
import { unlessRefused } from '../../errors.js';
import type { Mapper } from '../../mapping/mapper.js';
import { cellsOf, planRulesOf, sizeFault } from '../evidence/plan.js';
import type { Held } from '../evidence/view.js';
import type { AuditPlanStatement } from '../../receipt/audit-statements.js';
import { isControl, planProblems, usualThresholds } from '../plan-rules.js';
import { readScenario, type Scenario } from '../scenario.js';
import { signalSet } from '../signals/hit.js';
import { skillSubject } from '../subject/subject.js';
import type { TreeFile } from '../subject/tree.js';
import type { Answers } from './answers.js';

/** AUE-21, AUE-22. The scenarios of the plan by their ids, those that are at hand and its own; undefined where one is not. */
export function checkPlan(
  { statement: plan }: Held<AuditPlanStatement>,
  documents: unknown,
  map: Mapper | undefined,
  answers: Answers,
): ReadonlyMap<string, Scenario> | undefined {
  for (const { code, message } of planProblems(planRulesOf(plan))) answers.fail('plan', code, message);
  const tooMuch = sizeFault(cellsOf(plan));
  if (tooMuch !== undefined) answers.fail('plan', 'audit-plan', tooMuch);
  if (map === undefined || map.digest !== plan.mapping) answers.fail('plan', 'mapping-differs', 'expected the mapping of the plan beside the ledger');
  if (plan.signals !== signalSet) answers.open('hits', `the plan judges by ${plan.signals}, this verifier by ${signalSet}`);
  const given = Array.isArray(documents) ? (documents as readonly unknown[]) : [];
  const scenarios = new Map<string, Scenario>();
  plan.scenarios.forEach(({ id, kind, digest }, i) => {
    try {
      const scenario = readScenario(given[i]);
      if (scenario.digest !== digest || scenario.id !== id || scenario.kind !== kind) {
        answers.fail('plan', 'scenario-differs', `expected scenario ${i} to be that of the plan`, { pointer: `/${i}` });
      } else scenarios.set(id, scenario);
      // AUE-34: it would be shown in place of the one that is audited
      if (plan.subject.kind === 'skill' && !isControl(scenario) && scenario.skill !== undefined)
        answers.fail('plan', 'audit-plan', `expected the audited skill in scenario ${i}, it brings another`, { pointer: `/${i}` });
    } catch (error) {
      answers.refused('plan', error, { pointer: `/${i}` });
    }
  });
  if (given.length > plan.scenarios.length) answers.fail('plan', 'scenario-differs', `expected ${plan.scenarios.length} scenarios, got ${given.length}`);
  return scenarios.size === plan.scenarios.length ? scenarios : undefined;
}

/** AUE-37: what of a plan makes a pass easier than the usual thresholds do; nothing where it does not. */
export function laxity({
  thresholds: { rate_alpha: rateAlpha, rate_difference: rateDifference, max_invalid: maxInvalid },
}: AuditPlanStatement): readonly string[] {
  return [
    ...(maxInvalid > usualThresholds.maxInvalid ? [`max_invalid ${maxInvalid}`] : []),
    ...(rateDifference > usualThresholds.rateDifference ? [`rate_difference ${rateDifference}`] : []),
    // a test that asks for a smaller chance fails less often
    ...(rateAlpha < usualThresholds.rateAlpha ? [`rate_alpha ${rateAlpha}`] : []),
  ];
}

/** How many tasks a model runs with the skill and not without it: nothing that is told by the baseline can be told of them. */
export function withoutBaseline({ cells, scenarios }: AuditPlanStatement): number {
  const keyOf = ({ model, scenario }: { readonly model: number; readonly scenario: number }): string => `${model} ${scenario}`;
  const baseline = new Set(cells.flatMap((cell) => (cell.arm === 'baseline' ? [keyOf(cell)] : [])));
  const isTask = (index: number): boolean => scenarios[index]?.kind === 'benign' || scenarios[index]?.kind === 'adversarial';
  return cells.filter((cell) => cell.arm === 'with_skill' && isTask(cell.scenario) && !baseline.has(keyOf(cell))).length;
}

/** AUE-23: the tree is hashed again. Gives it where it is the one. */
export function checkSubject({ statement: plan }: Held<AuditPlanStatement>, files: readonly TreeFile[] | undefined, what: string, answers: Answers): boolean {
  const { subject } = plan;
  if (subject.kind !== 'skill') {
    if (subject.kind === 'policy' && subject.digest === plan.policy_digest) answers.note('subject', 'the policy in force');
    else answers.open('subject', `${subject.kind === 'policy' ? 'a policy that was not in force' : 'an agent'} has no tree to hash`);
    return false;
  }
  if (files === undefined) {
    answers.open('subject', 'the tree is not there');
    return false;
  }
  const found = unlessRefused<ReturnType<typeof skillSubject> | undefined>(undefined, () => skillSubject(files));
  const isSame =
    found !== undefined &&
    found.digest === subject.digest &&
    found.name === subject.name &&
    found.interchangeHash === subject.tree_hash &&
    found.fileCount === subject.files &&
    found.hiddenFiles.length === subject.hidden &&
    found.hasScripts === subject.scripts;
  if (!isSame) answers.fail('subject', 'subject-changed', `expected the tree of the plan, ${subject.digest}: ${what} is another`);
  return isSame;
}

/** AUE-23: a plan that is about no skill is about another subject than the skill at hand. */
export function checkAtHand(plan: Held<AuditPlanStatement>, files: readonly TreeFile[], answers: Answers): void {
  if (plan.statement.subject.kind === 'skill') checkSubject(plan, files, 'the skill at hand', answers);
  else answers.fail('subject', 'subject-changed', `expected an audit of the skill at hand, the plan is about a ${plan.statement.subject.kind}`);
}
