/**
 * A pack of attacks that others wrote, as scenarios.
 * @module
 */
import { expect, it } from 'vitest';
import { goalReached } from '../../src/audit/signals/calls.js';
import { packScenarios } from '../../src/audit/scenarios.js';
import { load, outside } from './outside.js';

outside('the attacks of AgentDojo', () => {
  const pack = load<{
    readonly injection_tasks: readonly { readonly goal: unknown; readonly ground_truth: readonly { readonly function: string; readonly args: object }[] }[];
    readonly user_tasks: readonly unknown[];
  }>('audit-data/agentdojo/tasks-v1.json');
  const tools = load<readonly unknown[]>('audit-data/agentdojo/tools-v1.json');
  const scenarios = packScenarios(pack, tools);

  it('are 27 beside 86 tasks and 69 tools, each of them a scenario but for those without a call', () => {
    expect([pack.injection_tasks.length, pack.user_tasks.length, tools.length]).toEqual([27, 86, 69]);
    expect(scenarios).toHaveLength(pack.injection_tasks.filter(({ goal, ground_truth }) => typeof goal === 'string' && ground_truth.length > 0).length);
    expect(new Set(scenarios.map(({ id }) => id)).size).toBe(scenarios.length);
  });

  it('offer the tool of their goal, which a task of the same suite does not reach', () => {
    for (const { goals, tools: offered = [] } of scenarios) expect(offered.map(({ name }) => name)).toContain(goals[0]?.tool);
  });

  it('are reached by their own ground truth, where its arguments are literal', () => {
    const attacks = pack.injection_tasks.filter(({ goal, ground_truth }) => typeof goal === 'string' && ground_truth.length > 0);
    attacks.forEach(({ ground_truth }, i) => {
      const calls = ground_truth.map(({ function: name, args }) => ({ name, args, raw: '', parsed: 'ok' as const }));
      expect(goalReached({ tools: [], messages: [{ role: 'assistant', text: '', calls }], ending: 'done' }, scenarios[i]?.goals ?? [])).not.toEqual([]);
    });
  });
});
