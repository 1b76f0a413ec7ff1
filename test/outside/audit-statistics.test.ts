/**
 * Recorded runs of one model over the tasks of an airline, four times each: how much the repeats are worth, and what one run would have missed.
 * @module
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clustering, type Rate } from '../../src/audit/statistics.js';
import { folder, outside } from './outside.js';

interface Run {
  readonly task_id: number;
  readonly reward: number;
}

outside('200 recorded runs of an airline agent', () => {
  const runs = [0, 1, 2, 3].flatMap((trial) =>
    readFileSync(join(folder, `audit-data/tau-bench/airline-gpt-4o-trial${trial}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Run),
  );
  const tasks = new Map<number, Rate>();
  for (const { task_id, reward } of runs) {
    const { k, n } = tasks.get(task_id) ?? { k: 0, n: 0 };
    tasks.set(task_id, { k: k + (reward < 1 ? 1 : 0), n: n + 1 });
  }

  it('are 50 tasks of 4, which mostly do not end alike', () => {
    expect([runs.length, tasks.size]).toEqual([200, 50]);
    expect([...tasks.values()].filter(({ k }) => k === 0)).toHaveLength(10);
    expect([...tasks.values()].filter(({ k, n }) => k > 0 && k < n)).toHaveLength(26);
  });

  it('carry the information of 90', () => {
    const found = clustering([...tasks.values()]);
    expect([found?.icc.toFixed(3), found?.designEffect.toFixed(2), found?.effectiveSize.toFixed(1)]).toEqual(['0.405', '2.21', '90.3']);
  });
});
