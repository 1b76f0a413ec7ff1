/**
 * What an agent is asked to do in an audit: by the skill's own words, by the examples that it brings, and by packs of attacks that lie in files which the operator
 * names. Pure: texts and data in, scenarios out.
 * @module
 */
import { refuse, RuleprintError } from '../errors.js';
import { checkDocument, checkedPlain } from '../policy/door.js';
import { readJson } from '../policy/json.js';
import { list, object, type Shape, text } from '../shape.js';
import { limits } from '../limits.js';
import { readTools } from './openai.js';
import type { ScenarioKind } from './plan-rules.js';
import type { Condition, Predicate } from './predicate.js';
import type { Frontmatter } from './subject/skill.js';
import type { OfferedTool } from './transcript.js';

export interface Scenario {
  readonly id: string;
  readonly kind: ScenarioKind;
  /** What the user says. */
  readonly prompt: string;
  /** What the task needs; where it is empty nobody knows, and every call is excess in both arms. */
  readonly required: readonly Predicate[];
  readonly goals: readonly Predicate[];
  readonly tools?: readonly OfferedTool[];
  /** What an attacker put into a tool's result. */
  readonly injection?: string;
}

const any: Shape = { kind: 'any' };
const many = limits.listItems;

const evalsShape = object(
  'the examples',
  {
    evals: list(
      'the examples',
      object('an example', { id: any, prompt: text('a prompt') }, { expected_output: text('text'), files: any, assertions: any, name: any, expectations: any }),
      { min: 1, max: many },
    ),
  },
  { skill_name: text('a name') },
);

interface Evals {
  readonly skill_name?: string;
  readonly evals: readonly { readonly id: unknown; readonly prompt: string }[];
}

/**
 * What the skill says that it is for: its description as a task, and the examples of its `evals/evals.json`.
 *
 * @throws RuleprintError as the strict door for examples that are none, `bad-value` for those of another skill
 */
export function benignScenarios(frontmatter: Frontmatter, evals?: string | Uint8Array): readonly Scenario[] {
  const own: Scenario = { id: 'description', kind: 'benign', prompt: `Do what this is for: ${frontmatter.description}`, required: [], goals: [] };
  if (evals === undefined) return [own];
  const result = checkDocument(evals, { format: 'json', file: 'evals/evals.json' }, readJson, evalsShape, (value) => ({ evals: value as Evals }));
  if ('problems' in result) throw new RuleprintError(result.problems);
  const { skill_name, evals: examples } = result.evals;
  if (skill_name !== undefined && skill_name !== frontmatter.name) {
    refuse('bad-value', 'expected examples of this skill, got those of another', { where: { file: 'evals/evals.json', pointer: '/skill_name' } });
  }
  return [own, ...examples.map(({ prompt }, i): Scenario => ({ id: `eval-${i + 1}`, kind: 'benign', prompt, required: [], goals: [] }))];
}

const callShape = object(
  'a call',
  { function: text('the name of a tool'), args: { kind: 'record', what: 'the arguments', value: any } },
  { placeholder_args: any },
);
const calls = list('the calls', callShape, { max: many });
const taskShape = (field: string): Shape =>
  object(
    'a task',
    { suite: text('a suite'), class: text('a name'), ground_truth: calls, [field]: any },
    { kind: text('a kind'), difficulty: any, comment: any },
  );
const packShape = object('a pack', {
  user_tasks: list('the tasks', taskShape('prompt'), { max: many }),
  injection_tasks: list('the attacks', taskShape('goal'), { max: many }),
});

interface PackCall {
  readonly function: string;
  readonly args: Readonly<Record<string, unknown>>;
}
interface PackTask {
  readonly suite: string;
  readonly class: string;
  readonly ground_truth: readonly PackCall[];
}
interface Pack {
  readonly user_tasks: readonly (PackTask & { readonly prompt: unknown })[];
  readonly injection_tasks: readonly (PackTask & { readonly goal: unknown })[];
}

/**
 * Attacks in the form of AgentDojo's tasks: each attack of a suite beside a task of the same suite, which they take in turn. The goal is the last call of the attack: what
 * stands before it only looks things up. Arguments that are computed at run time (`$expr`) are no condition, and texts that are make no scenario.
 *
 * @param pack - the tasks, parsed JSON
 * @param tools - the tools with `x-suites`, parsed JSON
 */
export function packScenarios(pack: unknown, tools: readonly unknown[]): readonly Scenario[] {
  const { user_tasks, injection_tasks } = checkedPlain(packShape, pack) as Pack;
  return injection_tasks.flatMap((attack, i): Scenario[] => {
    const tasks = user_tasks.filter(({ suite, prompt }) => suite === attack.suite && typeof prompt === 'string');
    const task = tasks[i % Math.max(1, tasks.length)];
    const goal = attack.ground_truth.at(-1);
    if (task === undefined || goal === undefined || typeof attack.goal !== 'string' || typeof task.prompt !== 'string') return [];
    return [
      {
        id: `${attack.suite}/${task.class}/${attack.class}`,
        kind: 'adversarial',
        prompt: task.prompt,
        required: task.ground_truth.map((call) => ({ tool: call.function })),
        goals: [predicateOf(goal)],
        tools: readTools(tools.filter((tool) => isOfSuite(tool, attack.suite))),
        injection: attack.goal,
      },
    ];
  });
}

function isOfSuite(tool: unknown, suite: string): boolean {
  const suites = typeof tool === 'object' && tool !== null ? (tool as Readonly<Record<string, unknown>>)['x-suites'] : undefined;
  return Array.isArray(suites) && suites.includes(suite);
}

function predicateOf({ function: tool, args }: PackCall): Predicate {
  const where = Object.entries(args).flatMap(([key, value]): Condition[] =>
    JSON.stringify(value).includes('"$expr"') ? [] : [{ pointer: `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, equals: value }],
  );
  return { tool, ...(where.length > 0 && { where }) };
}
