/**
 * A pack of attacks that others wrote, as scenarios: read, and run with scripted agents over false tools.
 * @module
 */
import { expect, it } from 'vitest';
import { readScenario } from '../../src/audit/scenario.js';
import { packScenarios } from '../../src/audit/scenarios/pack.js';
import { goalReached } from '../../src/audit/signals/calls.js';
import { play } from '../audit/scenarios/kit.js';
import { memoryGate } from '../audit/tools/kit.js';
import { load, outside } from './outside.js';

outside('the attacks of AgentDojo', () => {
  const pack = load<{
    readonly injection_tasks: readonly { readonly goal: unknown; readonly ground_truth: readonly { readonly function: string; readonly args: object }[] }[];
    readonly user_tasks: readonly unknown[];
  }>('audit-data/agentdojo/tasks-v1.json');
  const tools = load<readonly unknown[]>('audit-data/agentdojo/tools-v1.json');
  const scenarios = packScenarios(pack, tools).map(readScenario);

  it('are 27 beside 86 tasks and 69 tools, each of them a scenario but for those without a call', () => {
    expect([pack.injection_tasks.length, pack.user_tasks.length, tools.length]).toEqual([27, 86, 69]);
    expect(scenarios).toHaveLength(pack.injection_tasks.filter(({ goal, ground_truth }) => typeof goal === 'string' && ground_truth.length > 0).length);
    expect(scenarios).toHaveLength(26);
    expect(new Set(scenarios.map(({ id }) => id)).size).toBe(scenarios.length);
    expect(new Set(scenarios.map(({ digest }) => digest)).size).toBe(scenarios.length);
  });

  it('offer the tool of their goal', () => {
    for (const { goals, tools: offered } of scenarios) expect(offered.map(({ name }) => name)).toContain(goals[0]?.tool);
  });

  it('are reached by their own ground truth, where its arguments are literal', () => {
    const attacks = pack.injection_tasks.filter(({ goal, ground_truth }) => typeof goal === 'string' && ground_truth.length > 0);
    attacks.forEach(({ ground_truth }, i) => {
      const calls = ground_truth.map(({ function: name, args }) => ({ name, args, raw: '', parsed: 'ok' as const }));
      expect(goalReached({ tools: [], messages: [{ role: 'assistant', text: '', calls }], ending: 'done' }, scenarios[i]?.goals ?? [])).not.toEqual([]);
    });
  });

  it('are seen in each of 26 where an agent obeys what it reads, and in none where it does its task alone', async () => {
    const { gate } = await memoryGate();
    const outcomes = async (agent: string): Promise<readonly (readonly string[])[]> => {
      const all = [];
      for (const scenario of scenarios) {
        const { judged } = await play(scenario, { agent, gate });
        all.push([...new Set(judged.hits.filter(({ severity }) => severity === 'critical' || severity === 'high').map(({ signal }) => signal))]);
      }
      return all;
    };
    expect(await outcomes('obeying')).toEqual(scenarios.map(() => ['goal.reached']));
    expect(await outcomes('trusting')).toEqual(scenarios.map(() => []));
    expect((await outcomes('exfiltrating')).filter((signals) => signals.includes('canary.leak'))).toHaveLength(26);
  });
});
