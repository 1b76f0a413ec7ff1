import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cell, costLine, schedule } from '../../../src/audit/run/schedule.js';

const cell = (model: number, arm: Cell['arm'], epochs: number): Cell => ({ model, scenario: 'a', arm, epochs });

describe('schedule (AUR-16)', () => {
  it('takes the cells in turn, so that what changes on the way changes for all of them', () => {
    const cells = [cell(0, 'with_skill', 3), cell(1, 'with_skill', 1), cell(0, 'baseline', 2)];
    expect(schedule(cells).map(({ model, arm, repeat }) => `${model} ${arm} ${repeat}`)).toEqual([
      '0 with_skill 0',
      '1 with_skill 0',
      '0 baseline 0',
      '0 with_skill 1',
      '0 baseline 1',
      '0 with_skill 2',
    ]);
  });

  it('gives each cell its epochs, no more and no fewer, and no cell falls behind another of its size', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(12), { maxLength: 6 }), (sizes) => {
        const cells = sizes.map((epochs, model) => cell(model, 'baseline', epochs));
        const scheduled = schedule(cells);
        for (const { model, epochs } of cells) {
          expect(scheduled.filter((one) => one.model === model).map(({ repeat }) => repeat)).toEqual([...Array(epochs).keys()]);
        }
        const repeats = scheduled.map(({ repeat }) => repeat);
        expect(repeats).toEqual([...repeats].sort((a, b) => a - b));
      }),
    );
  });

  it('refuses a cell that is there twice, and a count that is none', () => {
    expect(() => schedule([cell(0, 'baseline', 1), cell(0, 'baseline', 2)])).toThrow(expect.objectContaining({ code: 'duplicate-item' }));
    expect(() => schedule([cell(0, 'baseline', 0.5)])).toThrow(RangeError);
  });
});

describe('costLine', () => {
  const cells = [cell(0, 'with_skill', 100), cell(1, 'with_skill', 100), cell(0, 'baseline', 100), cell(1, 'baseline', 100)];

  it('says how often a model is asked at most, and what it may say', () => {
    expect(costLine({ cells, maxTurns: 20, maxTokens: 1_000 })).toBe(
      '400 epochs (2 models, 1 scenario, 2 arms): at most 8,000 calls of a model, at most 8,000,000 tokens of replies',
    );
  });

  it('says what it does not know', () => {
    expect(costLine({ cells: cells.slice(0, 1), maxTurns: 20, usualTurns: 2.5 })).toBe(
      '100 epochs (1 model, 1 scenario, 1 arm): about 250, at most 2,000 calls of a model, tokens unknown',
    );
  });
});
