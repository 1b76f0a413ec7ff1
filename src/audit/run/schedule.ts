/**
 * Which epoch is of what (spec/audit-run.md, AUR-16), and what a run may cost at most. Pure.
 * @module
 */
import { refuse } from '../../errors.js';
import type { Arm } from './lines.js';

/** How many epochs one model runs of one scenario in one arm. */
export interface Cell {
  readonly model: number;
  readonly scenario: string;
  readonly arm: Arm;
  readonly epochs: number;
}

export interface Scheduled extends Omit<Cell, 'epochs'> {
  /** Among the epochs of its cell, from 0. */
  readonly repeat: number;
}

/**
 * Gives every epoch its cell, in rounds: each round has one epoch of each cell that has any left, so that a server that changes on the way changes for all arms alike.
 *
 * @throws RuleprintError `duplicate-item` for a cell that is there twice
 * @example
 * schedule([{ model: 0, scenario: 'a', arm: 'with_skill', epochs: 2 }, { model: 0, scenario: 'a', arm: 'baseline', epochs: 1 }]);
 * // with_skill 0, baseline 0, with_skill 1
 */
export function schedule(cells: readonly Cell[]): readonly Scheduled[] {
  const names = new Set(cells.map(({ model, scenario, arm }) => JSON.stringify([model, scenario, arm])));
  if (names.size < cells.length) refuse('duplicate-item', 'expected each model, scenario and arm together once');
  for (const { epochs } of cells) if (!Number.isSafeInteger(epochs) || epochs < 0) throw new RangeError('"epochs" expected a whole number');
  const scheduled: Scheduled[] = [];
  const most = cells.reduce((so, { epochs }) => Math.max(so, epochs), 0);
  for (let repeat = 0; repeat < most; repeat++) {
    for (const { epochs, ...cell } of cells) if (repeat < epochs) scheduled.push({ ...cell, repeat });
  }
  return scheduled;
}

export interface CostFacts {
  readonly cells: readonly Cell[];
  readonly maxTurns: number;
  /** Of one reply, where the plan says. */
  readonly maxTokens?: number;
  /** Turns of an epoch as they were before, where anything is known. */
  readonly usualTurns?: number;
}

/** One line before the start: an audit is thousands of questions to a model, and somebody pays for them. */
export function costLine({ cells, maxTurns, maxTokens, usualTurns }: CostFacts): string {
  const epochs = cells.reduce((sum, cell) => sum + cell.epochs, 0);
  const of = (values: readonly unknown[], word: string): string => counted(new Set(values).size, word);
  const what = [
    of(
      cells.map(({ model }) => model),
      'model',
    ),
    of(
      cells.map(({ scenario }) => scenario),
      'scenario',
    ),
    of(
      cells.map(({ arm }) => arm),
      'arm',
    ),
  ].join(', ');
  const usual = usualTurns === undefined ? '' : `about ${numbered(Math.ceil(epochs * usualTurns))}, `;
  const tokens = maxTokens === undefined ? 'tokens unknown' : `at most ${numbered(epochs * maxTurns * maxTokens)} tokens of replies`;
  return `${counted(epochs, 'epoch')} (${what}): ${usual}at most ${numbered(epochs * maxTurns)} calls of a model, ${tokens}`;
}

/** A count without the separators of a place. */
function numbered(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

function counted(count: number, word: string): string {
  return `${numbered(count)} ${word}${count === 1 ? '' : 's'}`;
}
