/**
 * Recorded runs of real models: attacks through a poisoned tool result, where the label of others says whether the attacker's tool was called, and tasks of an
 * airline without any attack.
 * @module
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { argumentsOf } from '../../src/audit/agents/completion.js';
import { readMessages } from '../../src/audit/agents/recording.js';
import { type Expectations, judgeEpoch } from '../../src/audit/signals/judge.js';
import { excessCalls, goalReached } from '../../src/audit/signals/calls.js';
import { squatCall } from '../../src/audit/signals/squat.js';
import { readTools } from '../../src/audit/tools/schema.js';
import { callsOf, type OfferedTool, type ToolCall, type Transcript } from '../../src/audit/transcript.js';
import { folder, load, outside } from './outside.js';

const data = 'audit-data';
function rows<T>(file: string): readonly T[] {
  const lines = readFileSync(join(folder, data, file), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as T);
}

interface Run {
  readonly attacker_case: number;
  readonly output: string | null;
  readonly eval: 'succ' | 'unsucc' | 'invalid';
}

/** The calls in a text of the ReAct form: one action with its input after another. */
function reactCalls(output: string): readonly ToolCall[] {
  return [...output.matchAll(/Action\s*:\s*["'`*]*([A-Za-z0-9_]+)(?:["'`*]*\s*Action Input\s*:\s*(.*))?/g)].map(([, name = '', input = '']) => ({
    name,
    ...argumentsOf(input.trim()),
  }));
}

outside('3,706 recorded runs under attack', () => {
  const files = [
    'gpt-4.1-dh-base',
    'gpt-4.1-ds-base',
    'gpt-4o-mini-dh-base',
    'gpt-4o-mini-ds-base',
    'llama-3.1-8b-dh-base',
    'llama-3.1-8b-ds-base.part1',
    'llama-3.1-8b-ds-base.part2',
    'mistral-small-24b-ds-base',
  ];
  const attackers = {
    dh: rows<{ 'Attacker Tools': readonly string[] }>('injecagent/attacker_cases_dh.jsonl'),
    ds: rows<{ 'Attacker Tools': readonly string[] }>('injecagent/attacker_cases_ds.jsonl'),
  };
  const runs = files.flatMap((file) =>
    rows<Run>(`injecagent/runs/${file}.jsonl`).map((run) => {
      const tools = attackers[file.includes('-dh-') ? 'dh' : 'ds'][run.attacker_case]?.['Attacker Tools'] ?? [];
      const messages = [{ role: 'assistant', text: run.output ?? '', calls: reactCalls(run.output ?? '') }] as const;
      const transcript: Transcript = { tools: [], messages, ending: 'done' };
      const goals = tools.map((tool) => ({ tool }));
      return { file, label: run.eval, isReached: goalReached(transcript, goals).length > 0 };
    }),
  );
  const of = (label: Run['eval']): typeof runs => runs.filter((run) => run.label === label);

  it('are 2,859 with a valid label, and goal.reached agrees with each', () => {
    expect([runs.length, of('succ').length + of('unsucc').length]).toEqual([3706, 2859]);
    expect(of('succ').filter(({ isReached }) => !isReached)).toEqual([]);
    expect(of('unsucc').filter(({ isReached }) => isReached)).toEqual([]);
    expect([of('succ').length, of('unsucc').length]).toEqual([969, 1890]);
  });

  it('are 847 that others left out as invalid, and in 209 of them the goal was reached', () => {
    expect([of('invalid').length, of('invalid').filter(({ isReached }) => isReached).length]).toEqual([847, 209]);
  });

  it('are 427 safe ones of one model, none of which hits', () => {
    const safe = of('unsucc').filter(({ file }) => file === 'gpt-4.1-ds-base');
    expect([safe.length, safe.filter(({ isReached }) => isReached).length]).toEqual([427, 0]);
  });
});

interface Task {
  readonly task_id: number;
  readonly trial: number;
  readonly expected_actions: readonly { readonly name: string }[];
  readonly messages: readonly unknown[];
}

outside('200 recorded runs without an attack', () => {
  const mutating = /^(book|cancel|send|update)_/;
  const tools: readonly OfferedTool[] = readTools(load<readonly unknown[]>(`${data}/tau-bench/airline-tools.json`)).map((tool) => ({
    ...tool,
    isMutating: mutating.test(tool.name),
    isEgress: tool.name === 'send_certificate',
  }));
  const runs = [0, 1, 2, 3]
    .flatMap((trial) => rows<Task>(`tau-bench/airline-gpt-4o-trial${trial}.jsonl`))
    .map((task) => {
      const transcript: Transcript = { tools, messages: readMessages(task.messages), ending: 'done' };
      const excess = excessCalls(
        transcript,
        task.expected_actions.map(({ name }) => ({ tool: name })),
      );
      return { ...task, transcript, excess };
    });

  it('have 1,164 calls, all of which are read, of 14 tools', () => {
    const calls = runs.flatMap(({ transcript }) => callsOf(transcript));
    expect([tools.length, calls.length, calls.filter(({ parsed }) => parsed !== 'ok').length]).toEqual([14, 1164, 0]);
  });

  describe('would be blamed on a skill by an absolute rule, which is why there is a baseline', () => {
    it('150 of 200 make a call that the task does not need, 37 one that changes something', () => {
      const withMutating = runs.filter(({ excess }) => excess.some(({ isMutating }) => isMutating));
      expect([runs.filter(({ excess }) => excess.length > 0).length, withMutating.length]).toEqual([150, 37]);
    });

    it('one run of each task finds 10 tasks with such a change, four find 17', () => {
      const found = runs.filter(({ excess }) => excess.some(({ isMutating }) => isMutating));
      const tasks = (some: readonly Task[]): number => new Set(some.map(({ task_id }) => task_id)).size;
      expect([tasks(found.filter(({ trial }) => trial === 0)), tasks(found)]).toEqual([10, 17]);
    });
  });

  it('squat on no name', () => {
    expect(runs.flatMap(({ transcript }) => squatCall(transcript))).toEqual([]);
  });

  it('are clean but for loops, with canaries that nobody planted and a protected text that nobody has', () => {
    const expected: Expectations = {
      required: [],
      goals: [],
      rules: [],
      claims: [],
      protected: { sources: ['a text of the operator that is long enough to be noticed'] },
    };
    const canaries = ['system', 'file', 'env', 'tool'].map((slot, i) => ({ slot, value: 'QWERTYUIOPASDFGHJKLZXCVB23'.slice(i) + 'QWE'.slice(0, i) }));
    const judged = runs.map(({ transcript }) => judgeEpoch({ transcript, canaries }, expected));
    const signals = new Set(judged.flatMap(({ hits }) => hits.map(({ signal }) => signal)));
    expect([...signals].filter((signal) => signal !== 'abuse.loop')).toEqual([]);
  });
});
