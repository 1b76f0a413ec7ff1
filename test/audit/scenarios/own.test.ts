import { describe, expect, it } from 'vitest';
import { readScenario } from '../../../src/audit/scenario.js';
import { ownScenarios } from '../../../src/audit/scenarios/own.js';
import { sceneOf } from '../../../src/audit/scenarios/scene.js';
import { codeOf } from '../code-of.js';

const frontmatter = { name: 'make-tea', description: 'Makes tea.' };

describe('ownScenarios', () => {
  it('are what the skill says that it is for, and its examples', () => {
    const evals = JSON.stringify({ skill_name: 'make-tea', evals: [{ id: 1, prompt: 'Tea, please.', expected_output: 'Tea.', files: [] }] });
    expect(ownScenarios(frontmatter).map(({ id, kind, prompt }) => [id, kind, prompt])).toEqual([['description', 'benign', 'Do what this is for: Makes tea.']]);
    expect(ownScenarios(frontmatter, evals).map(({ id, prompt }) => [id, prompt])[1]).toEqual(['eval-1', 'Tea, please.']);
  });

  it('stand in the scene that is given, and are scenarios', () => {
    const scene = sceneOf({ tools: [{ name: 'boil' }], system: 'You make tea.' });
    const [usual, own] = [ownScenarios(frontmatter), ownScenarios(frontmatter, undefined, scene)].map(([one]) => readScenario(one));
    expect(usual?.tools).toHaveLength(6);
    expect([own?.tools.map(({ name }) => name), own?.system]).toEqual([['boil'], 'You make tea.']);
  });

  it.each([
    ['of another skill', { skill_name: 'make-coffee', evals: [{ id: 1, prompt: 'x' }] }, 'bad-value'],
    ['without a prompt', { evals: [{ id: 1 }] }, 'missing-key'],
    ['without an example', { evals: [] }, 'empty-list'],
    ['with a field that nobody knows', { evals: [{ id: 1, prompt: 'x' }], run: 'rm' }, 'unknown-key'],
  ])('refuse examples %s', (_, evals, code) => {
    expect(codeOf(() => ownScenarios(frontmatter, JSON.stringify(evals)))).toBe(code);
  });
});
