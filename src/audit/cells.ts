/**
 * How the epochs of a model are spread over the tasks: the plan's cells. Pure.
 * @module
 */
import { type Cell, isControl, type PlannedScenario } from './plan-rules.js';

export interface Spread {
  /** With the skill, of each model, over all tasks. */
  readonly epochs: number;
  /** Without it. */
  readonly baseline: number;
  /** Of each control: 1 by default. */
  readonly controls?: number;
}

/**
 * The cells of a plan. Epochs are spread evenly over the tasks; where they do not go up, the first ones get one more.
 *
 * @example
 * cellsFor(2, scenarios, { epochs: 10, baseline: 5 });
 */
export function cellsFor(
  models: number,
  scenarios: readonly Pick<PlannedScenario, 'id' | 'kind'>[],
  { epochs, baseline, controls = 1 }: Spread,
): readonly Cell[] {
  const tasks = scenarios.filter((scenario) => !isControl(scenario));
  return Array.from({ length: models }, (_, model) => model)
    .flatMap((model) => [
      ...tasks.flatMap(({ id: scenario }, i): Cell[] => [
        { model, scenario, arm: 'with_skill', epochs: shareOf(epochs, tasks.length, i) },
        { model, scenario, arm: 'baseline', epochs: shareOf(baseline, tasks.length, i) },
      ]),
      ...scenarios.filter(isControl).map(({ id: scenario }): Cell => ({ model, scenario, arm: 'with_skill', epochs: controls })),
    ])
    .filter((cell) => cell.epochs > 0);
}

function shareOf(all: number, parts: number, index: number): number {
  return Math.floor(all / parts) + (index < all % parts ? 1 : 0);
}
