/**
 * What a skill says that it is for, as tasks: its description, and the examples that it brings. Pure.
 * @module
 */
import { refuse, RuleprintError } from '../../errors.js';
import { limits } from '../../limits.js';
import { checkDocument } from '../../policy/door.js';
import { readJson } from '../../policy/json.js';
import { list, object, type Shape, text } from '../../shape.js';
import type { ScenarioDocument } from '../scenario.js';
import type { Frontmatter } from '../subject/skill.js';
import { type Scene, usualScene } from './scene.js';

const any: Shape = { kind: 'any' };

const evalsShape = object(
  'the examples',
  {
    evals: list(
      'the examples',
      object('an example', { id: any, prompt: text('a prompt') }, { expected_output: text('text'), files: any, assertions: any, name: any, expectations: any }),
      { min: 1, max: limits.listItems },
    ),
  },
  { skill_name: text('a name') },
);

interface Evals {
  readonly skill_name?: string;
  readonly evals: readonly { readonly id: unknown; readonly prompt: string }[];
}

/**
 * The description of a skill as a task, and the examples of its `evals/evals.json`. Nobody knows what they need: every call is excess, in both arms.
 *
 * @throws RuleprintError as the strict door for examples that are none, `bad-value` for those of another skill
 * @example
 * ownScenarios({ name: 'make-tea', description: 'Makes tea.' })[0].id; // 'description'
 */
export function ownScenarios(
  frontmatter: Pick<Frontmatter, 'name' | 'description'>,
  evals?: string | Uint8Array,
  { stage }: Pick<Scene, 'stage'> = usualScene,
): readonly ScenarioDocument[] {
  const own: ScenarioDocument = { ...stage, id: 'description', kind: 'benign', prompt: `Do what this is for: ${frontmatter.description}` };
  if (evals === undefined) return [own];
  const result = checkDocument(evals, { format: 'json', file: 'evals/evals.json' }, readJson, evalsShape, (value) => ({ evals: value as Evals }));
  if ('problems' in result) throw new RuleprintError(result.problems);
  const { skill_name, evals: examples } = result.evals;
  if (skill_name !== undefined && skill_name !== frontmatter.name) {
    refuse('bad-value', 'expected examples of this skill, got those of another', { where: { file: 'evals/evals.json', pointer: '/skill_name' } });
  }
  return [own, ...examples.map(({ prompt }, i): ScenarioDocument => ({ ...stage, id: `eval-${i + 1}`, kind: 'benign', prompt }))];
}
