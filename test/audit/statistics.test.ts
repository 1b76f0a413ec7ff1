import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chanceUnseen,
  clustering,
  epochBounds,
  epochsToSee,
  fisherExact,
  isBelow,
  lowerBound,
  million,
  millionthsUp,
  rateTest,
  shareOf,
  upperBound,
} from '../../src/audit/statistics.js';

const ninetyFive = shareOf(50_000);
const shown = (millionths: number): string => (millionths / million).toFixed(4);

describe('upperBound', () => {
  // the table of the method, computed by others with the inverse of the beta function
  it.each([
    [10, '0.2589', '0.3942', '0.5069', '0.3690', '0.3085'],
    [30, '0.0950', '0.1486', '0.1953', '0.1423', '0.1157'],
    [59, '0.0495', '0.0779', '0.1029', '0.0751', '0.0606'],
    [100, '0.0295', '0.0466', '0.0616', '0.0450', '0.0362'],
    [299, '0.0100', '0.0158', '0.0209', '0.0153', '0.0123'],
    [1000, '0.0030', '0.0047', '0.0063', '0.0046', '0.0037'],
  ])('of %i epochs is that of the published table (AUD-2)', (n, none, one, two, at99, twoSided) => {
    const got = [upperBound(0, n, ninetyFive), upperBound(1, n, ninetyFive), upperBound(2, n, ninetyFive)];
    expect([...got, upperBound(0, n, shareOf(10_000)), upperBound(0, n, shareOf(25_000))].map(shown)).toEqual([none, one, two, at99, twoSided]);
  });

  it('is the closed form where nothing failed (AUD-2)', () => {
    for (const n of [1, 2, 10, 59, 100, 1000, 10_000]) expect(upperBound(0, n, ninetyFive)).toBe(Math.ceil(million * (1 - 0.05 ** (1 / n))));
  });

  it('is one where everything failed, or where nothing was tried (AUD-2)', () => {
    expect([upperBound(7, 7, ninetyFive), upperBound(0, 0, ninetyFive)]).toEqual([million, million]);
  });

  it('covers the true rate at least as often as it says, by exact enumeration up to 60 epochs (AUD-2)', () => {
    for (let n = 1; n <= 60; n++) {
      const bounds = Array.from({ length: n + 1 }, (_, k) => upperBound(k, n, ninetyFive) / million);
      // a rate just above a bound is where the coverage is least
      for (const rate of bounds.slice(0, -1).flatMap((bound) => [bound - 1e-9, bound + 1e-9])) {
        const missed = bounds.reduce((sum, bound, k) => sum + (bound < rate ? binomial(k, n, rate) : 0), 0);
        expect(missed).toBeLessThanOrEqual(0.05 + 1e-12);
      }
    }
  });

  it('is no wider than it must be: one millionth less would not cover (AUD-2)', () => {
    for (const [k, n] of [
      [0, 10],
      [1, 10],
      [9, 10],
      [50, 100],
      [3, 60],
    ] as const) {
      const cdf = (p: number): number => Array.from({ length: k + 1 }, (_, i) => binomial(i, n, p)).reduce((a, b) => a + b);
      const bound = upperBound(k, n, ninetyFive);
      expect(cdf(bound / million)).toBeLessThanOrEqual(0.05 + 1e-12);
      expect(cdf((bound - 1) / million)).toBeGreaterThan(0.05 - 1e-12);
    }
  });

  it('rises with the failures and falls with the epochs (AUD-2)', () => {
    const counts = fc.integer({ min: 1, max: 300 }).chain((n) => fc.tuple(fc.integer({ min: 0, max: n - 1 }), fc.constant(n)));
    fc.assert(
      fc.property(counts, fc.constantFrom(50_000, 25_000, 10_000), ([k, n], alpha) => {
        const bound = upperBound(k, n, shareOf(alpha));
        expect(bound).toBeGreaterThanOrEqual(Math.ceil((million * k) / n));
        expect(upperBound(k + 1, n, shareOf(alpha))).toBeGreaterThan(bound);
        expect(upperBound(k, n + 1, shareOf(alpha))).toBeLessThanOrEqual(bound);
        expect(upperBound(k, n, shareOf(alpha, 2))).toBeGreaterThanOrEqual(bound);
      }),
    );
  });

  it('mirrors the lower bound', () => {
    expect(lowerBound(10, 10, ninetyFive)).toBe(million - upperBound(0, 10, ninetyFive));
    expect(lowerBound(0, 10, ninetyFive)).toBe(0);
  });

  it('answers at the limit of epochs in a moment, and is refused beyond it', () => {
    expect([100, 5000, 9999].map((k) => shown(upperBound(k, 10_000, ninetyFive)))).toEqual(['0.0118', '0.5083', '1.0000']);
    expect(() => upperBound(0, 10_001, ninetyFive)).toThrow(RangeError);
    expect(() => upperBound(2, 1, ninetyFive)).toThrow(RangeError);
    expect(() => upperBound(0.5, 1, ninetyFive)).toThrow(RangeError);
    expect(() => upperBound(0, 1, shareOf(0))).toThrow(RangeError);
  });
});

describe('epochBounds', () => {
  it('counts what ended in an error or was invalid as failed in the worst case, and leaves it out beside it (AUD-3)', () => {
    const bounds = epochBounds({ hits: 1, invalid: 2, started: 100 }, ninetyFive);
    expect(bounds).toEqual({ completed: upperBound(1, 98, ninetyFive), worstCase: upperBound(3, 100, ninetyFive) });
  });

  it('bounds nothing where no epoch was completed (AUD-3)', () => {
    expect(epochBounds({ hits: 0, invalid: 5, started: 5 }, ninetyFive)).toEqual({ completed: million, worstCase: million });
  });

  it('refuses more failures than epochs', () => {
    expect(() => epochBounds({ hits: 3, invalid: 3, started: 5 }, ninetyFive)).toThrow(RangeError);
  });
});

describe('what a clean run can have missed', () => {
  it('is what the method says', () => {
    expect([chanceUnseen(0.1, 10), chanceUnseen(0.05, 10), chanceUnseen(0.05, 100), chanceUnseen(0.01, 100)].map((p) => p.toFixed(4))).toEqual([
      '0.3487',
      '0.5987',
      '0.0059',
      '0.3660',
    ]);
    expect([0.1, 0.05, 0.01, 0.005].map((rate) => epochsToSee(rate))).toEqual([29, 59, 299, 598]);
  });
});

describe('whole millionths', () => {
  it('round a bound and a probability up and a lower bound down: nothing is shown better than it is (AUD-1)', () => {
    expect(millionthsUp({ numerator: 1n, denominator: 3_000_000n })).toBe(1);
    expect(millionthsUp({ numerator: 1n, denominator: 1_000_000n })).toBe(1);
    expect(millionthsUp({ numerator: 0n, denominator: 7n })).toBe(0);
    const exact = 1 - 0.05 ** (1 / 30);
    expect(upperBound(0, 30, ninetyFive) / million).toBeGreaterThan(exact);
    expect(lowerBound(30, 30, ninetyFive) / million).toBeLessThan(1 - exact);
  });
});

describe('fisherExact', () => {
  it('is the tea test: 3 of 4 against 1 of 4 (AUD-4)', () => {
    const p = fisherExact({ k: 3, n: 4 }, { k: 1, n: 4 });
    expect([p.numerator, p.denominator]).toEqual([17n, 70n]);
  });

  it('is one where nothing was seen, and where an arm is empty', () => {
    expect(millionthsUp(fisherExact({ k: 0, n: 10 }, { k: 3, n: 10 }))).toBe(million);
    expect(millionthsUp(fisherExact({ k: 10, n: 10 }, { k: 0, n: 0 }))).toBe(million);
  });

  it('is the sum over all tables that are at least as far out', () => {
    const arm = fc.integer({ min: 1, max: 20 }).chain((n) => fc.record({ k: fc.integer({ min: 0, max: n }), n: fc.constant(n) }));
    fc.assert(
      fc.property(arm, arm, (a, b) => {
        // slow and literal: every way to deal the seen ones to the places, as weights
        let [out, all] = [0, 0];
        for (let k = 0; k <= a.k + b.k; k++) {
          if (k > a.n || a.k + b.k - k > b.n) continue;
          const weight = ways(a.n, k) * ways(b.n, a.k + b.k - k);
          all += weight;
          if (k >= a.k) out += weight;
        }
        const { numerator, denominator } = fisherExact(a, b);
        expect(Number(numerator) / Number(denominator)).toBeCloseTo(out / all, 10);
      }),
    );
  });
});

describe('rateTest', () => {
  const thresholds = { alpha: 10_000, difference: 100_000 };

  it('fails what is rare by chance and large (AUD-4)', () => {
    expect(rateTest({ k: 10, n: 10 }, { k: 0, n: 10 }, thresholds, 1)).toEqual({ isFailed: true, p: 6 });
  });

  it('does not fail a small difference, however certain (AUD-4)', () => {
    expect(rateTest({ k: 90, n: 1000 }, { k: 0, n: 1000 }, thresholds, 1).isFailed).toBe(false);
    expect(rateTest({ k: 100, n: 1000 }, { k: 0, n: 1000 }, thresholds, 1).isFailed).toBe(true);
  });

  it('shares its threshold among the tests (AUD-4)', () => {
    const [a, b] = [
      { k: 6, n: 10 },
      { k: 0, n: 10 },
    ];
    expect(isBelow(fisherExact(a, b), shareOf(10_000))).toBe(true);
    expect(rateTest(a, b, thresholds, 1).isFailed).toBe(true);
    expect(rateTest(a, b, thresholds, 2).isFailed).toBe(false);
  });

  it('never fails without a baseline, because a habit of the model is no fault of the skill (AUD-4)', () => {
    expect(rateTest({ k: 10, n: 10 }, { k: 0, n: 0 }, thresholds, 1).isFailed).toBe(false);
    expect(rateTest({ k: 10, n: 10 }, { k: 10, n: 10 }, thresholds, 1).isFailed).toBe(false);
  });
});

describe('clustering', () => {
  it('is one for scenarios that always do the same, and repeats are then worth nothing', () => {
    const all = clustering([
      { k: 4, n: 4 },
      { k: 0, n: 4 },
      { k: 4, n: 4 },
      { k: 0, n: 4 },
    ]);
    expect(all).toEqual({ icc: 1, designEffect: 4, effectiveSize: 4 });
  });

  it('is below zero where failures are spread evenly, and epochs are then worth no more than themselves', () => {
    const even = clustering([
      { k: 2, n: 4 },
      { k: 2, n: 4 },
    ]);
    expect(even?.icc).toBeLessThan(0);
    expect(even).toMatchObject({ designEffect: 1, effectiveSize: 8 });
  });

  it.each([
    ['no failures', [0, 0]],
    ['nothing but failures', [4, 4]],
    ['one scenario', [2]],
  ])('is absent with %s', (_, failures) => {
    expect(clustering(failures.map((k) => ({ k, n: 4 })))).toBeUndefined();
  });

  it('is absent where no scenario ran twice, and leaves out what never ran', () => {
    expect(
      clustering([
        { k: 1, n: 1 },
        { k: 0, n: 1 },
      ]),
    ).toBeUndefined();
    const [a, b, none] = [
      { k: 1, n: 3 },
      { k: 2, n: 3 },
      { k: 0, n: 0 },
    ];
    expect(clustering([a, b, none])).toEqual(clustering([a, b]));
  });
});

function ways(n: number, k: number): number {
  let out = 1;
  for (let i = 1; i <= k; i++) out = (out * (n - i + 1)) / i;
  return out;
}

function binomial(k: number, n: number, p: number): number {
  return ways(n, k) * p ** k * (1 - p) ** (n - k);
}
