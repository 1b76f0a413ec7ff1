/**
 * The checks *plan* and *subject* (AUE-21 to AUE-23): what was promised, and what it was promised about.
 * @module
 */
import { unlessRefused } from '../../errors.js';
import type { Mapper } from '../../mapping/mapper.js';
import { planRulesOf } from '../evidence/plan.js';
import type { Held } from '../evidence/view.js';
import type { AuditPlanStatement } from '../../receipt/audit-statements.js';
import { planProblems } from '../plan-rules.js';
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
    } catch (error) {
      answers.refused('plan', error, { pointer: `/${i}` });
    }
  });
  if (given.length > plan.scenarios.length) answers.fail('plan', 'scenario-differs', `expected ${plan.scenarios.length} scenarios, got ${given.length}`);
  return scenarios.size === plan.scenarios.length ? scenarios : undefined;
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
