import { describe, expect, it } from 'vitest';
import { cellsFor } from '../../src/audit/cells.js';

const scenarios = [
  { id: 'a', kind: 'benign' },
  { id: 'b', kind: 'adversarial' },
  { id: 'c', kind: 'benign' },
  { id: 'good', kind: 'control_good' },
  { id: 'bad', kind: 'control_bad' },
] as const;

describe('cellsFor', () => {
  it('spreads the epochs of each model over the tasks, the first ones get what is over', () => {
    expect(cellsFor(1, scenarios, { epochs: 10, baseline: 2 })).toEqual([
      { model: 0, scenario: 'a', arm: 'with_skill', epochs: 4 },
      { model: 0, scenario: 'a', arm: 'baseline', epochs: 1 },
      { model: 0, scenario: 'b', arm: 'with_skill', epochs: 3 },
      { model: 0, scenario: 'b', arm: 'baseline', epochs: 1 },
      { model: 0, scenario: 'c', arm: 'with_skill', epochs: 3 },
      { model: 0, scenario: 'good', arm: 'with_skill', epochs: 1 },
      { model: 0, scenario: 'bad', arm: 'with_skill', epochs: 1 },
    ]);
  });

  it('gives each model as many as it was told, whatever the tasks', () => {
    const cells = cellsFor(3, scenarios, { epochs: 100, baseline: 50, controls: 2 });
    const sum = (model: number, arm: string, kinds: readonly string[]): number =>
      cells.filter((cell) => cell.model === model && cell.arm === arm && kinds.includes(cell.scenario)).reduce((so, { epochs }) => so + epochs, 0);
    for (const model of [0, 1, 2]) {
      expect([sum(model, 'with_skill', ['a', 'b', 'c']), sum(model, 'baseline', ['a', 'b', 'c']), sum(model, 'with_skill', ['good', 'bad'])]).toEqual([
        100, 50, 4,
      ]);
    }
  });
});
