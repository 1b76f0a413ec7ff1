/**
 * The edits of falsify-edits.ts that break the statements of an audit, and what a finding says of a plan.
 * @module
 */
import type { Edit } from './falsify-edits.js';

function edits(file: string, ...rows: readonly (readonly [id: string, what: string, find: string, put: string, test: string, name: string])[]): Edit[] {
  return rows.map(([id, what, find, put, test, name]) => ({ id, what, file, find, put, test: `test/${test}.test.ts`, name }));
}

const of = 'receipt/audit-statements';
const [grammar, plan, epoch, report] = [
  'the grammar of the statements of an audit (RCP-19)',
  'a plan agrees with itself',
  'an epoch agrees with itself',
  'a report agrees with itself',
];

export const auditEdits: readonly Edit[] = [
  ...edits(
    'src/receipt/audit-statements.ts',
    [
      'AUE-1',
      'give a plan a place in a chain',
      "statement: word('audit-plan'),\n    ...said,",
      "statement: word('audit-plan'),\n    ...said, seq: uint,",
      of,
      'statements of an audit',
    ],
    ['AUE-3', 'take a model more', 'models: 64,', 'models: 65,', of, `${grammar} takes in a plan the list models`],
    ['AUE-3', 'take any number of names', 'list(what, name, { max })', 'list(what, name, { max: 10_000 })', of, `${grammar} takes in a epoch the list seen`],
    ['AUE-3', 'take a plan without cells', '{ min: 1, max: most.cells }', '{ max: most.cells }', of, `${grammar} refuses a plan without cells`],
    ['AUE-16', 'take a seed of any size', "seed: { kind: 'bytes', size: 32 }", "seed: { kind: 'bytes' }", of, `${grammar} takes a seed`],
  ),
  ...edits(
    'src/receipt/audit-conflict.ts',
    [
      'AUE-4',
      'take a skill without its files',
      "(value === undefined) === (subject.kind === 'skill')",
      "value !== undefined && subject.kind !== 'skill'",
      of,
      `${plan} refuses a skill without`,
    ],
    [
      'AUE-4',
      'take a policy with files',
      "(value === undefined) === (subject.kind === 'skill')",
      "value === undefined && subject.kind === 'skill'",
      of,
      `${plan} refuses a skill without`,
    ],
    ['AUE-5', 'take a scenario twice', 'size < scenarios.length', 'size < 0', of, `${plan} refuses a scenario twice`],
    ['AUE-6', 'take a model twice', 'size < models.length', 'size < 0', of, `${plan} refuses a model twice`],
    ['AUE-7', 'take a cell of no model', 'model >= models.length || ', '', of, `${plan} refuses a cell of a model`],
    ['AUE-7', 'take a cell of no scenario', ' || scenario >= scenarios.length', '', of, `${plan} refuses a cell of a scenario`],
    ['AUE-8', 'take a cell twice', 'size < cells.length', 'size < 0', of, `${plan} refuses a cell twice`],
    [
      'AUE-8',
      'look at the epochs in place of the arm',
      'cells.map(({ model, scenario, arm: of })',
      'cells.map(({ model, scenario, epochs: of })',
      of,
      `${plan} refuses a cell twice`,
    ],
    ['AUE-9', 'count what is worth knowing as a hit', "hit.severity !== 'info'", "hit.severity !== 'none'", of, `${epoch} is no hit`],
    ['AUE-9', 'take a hit under the word clean', "if (isHit !== (outcome === 'hit'))", "if (!isHit && outcome === 'hit')", of, `${epoch} is a hit`],
    [
      'AUE-10',
      'take an invalid epoch without its code',
      "(invalid !== undefined) !== (outcome === 'invalid')",
      "invalid !== undefined && outcome !== 'invalid'",
      of,
      `${epoch} says why`,
    ],
    ['AUE-10', 'refuse a code beside a hit', 'if (!isHit && (invalid', 'if ((invalid', of, `${epoch} says why`],
    [
      'AUE-11',
      'count hits in place of listing them',
      'if (more > 0 && found.length < most.hits)',
      'if (more > 0 && found.length < 1)',
      of,
      `${epoch} counts hits`,
    ],
    ['AUE-13', 'pass beside a reason', "(verdict === 'pass') !== (reasons.length === 0)", "verdict !== 'pass' && reasons.length === 0", of, `${report} passes`],
    ['AUE-13', 'fail for no reason', "(verdict === 'pass') !== (reasons.length === 0)", "verdict === 'pass' && reasons.length > 0", of, `${report} passes`],
    ['AUE-14', 'count reasons in place of listing them', '(more > 0 && reasons.length < most.reasons) || ', '', of, `${report} counts reasons`],
    ['AUE-14', 'count hits in files in place of listing them', ' || (moreFound > 0 && found.length < most.hits)', '', of, `${report} counts reasons`],
    ['AUE-15', 'need no first epoch', '(first === undefined) !== (started === 0) || ', '', of, `${report} names the first`],
    ['AUE-15', 'need no last epoch', ' || (last === undefined) !== (started === 0)', '', of, `${report} names the first`],
  ),
  ...edits('src/receipt/entry.ts', ['AUE-1', 'let an auditor report', "'audit-report': 'harness'", "'audit-report': 'auditor'", of, 'statements of an audit']),
  ...edits(
    'src/ledger/findings.ts',
    [
      'FND-28',
      'take any entry for a plan',
      "plan?.statement !== 'audit-plan'",
      'plan === undefined',
      'finding/receipts',
      'the axis findings a plan that is the',
    ],
    [
      'FND-28',
      'take the plan of another harness',
      'if (plan.harness === harness)',
      'if (plan.harness !== "")',
      'finding/receipts',
      'the axis findings a plan of another harness',
    ],
    [
      'FND-28',
      'let what has no good key be a plan',
      'if (recorded?.isTrusted && recorded.entry.statement !== undefined)',
      'if (recorded?.entry.statement !== undefined)',
      'finding/receipts',
      'the axis findings a plan that is a plan by',
    ],
  ),
  ...edits('src/ledger/citations.ts', [
    'FND-28',
    'forget the plan in the first pass',
    '...(statement.x_finding.plan === undefined ? [] : [statement.x_finding.plan])',
    '',
    'finding/receipts',
    'the axis findings says what stays open',
  ]),
];
