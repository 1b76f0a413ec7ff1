/**
 * What counts of epochs prove (spec/audit.md, "Numbers"): exact one-sided bounds, the one-sided test against the baseline, and how much a repeated
 * scenario is worth. What a verdict rests on is decided in whole numbers, so that every language comes to the same answer; floats are for people.
 * @module
 */
import { limits } from '../limits.js';

/** A number as two integers. */
export interface Fraction {
  readonly numerator: bigint;
  /** Above zero. */
  readonly denominator: bigint;
}

/** One million: bounds, thresholds and probabilities are written as whole millionths, because a statement holds no floats. */
export const million = 1_000_000;
const millionBig = 1_000_000n;

/** A threshold in millionths, shared among several tests (Bonferroni). */
export function shareOf(millionths: number, tests = 1): Fraction {
  return { numerator: BigInt(checkCount('millionths', millionths)), denominator: millionBig * BigInt(checkCount('tests', tests, 1)) };
}

export function isBelow(a: Fraction, b: Fraction): boolean {
  return a.numerator * b.denominator < b.numerator * a.denominator;
}

/** The smallest number of millionths that is not below a fraction: a probability is never shown smaller than it is. */
export function millionthsUp({ numerator, denominator }: Fraction): number {
  return Number((numerator * millionBig + denominator - 1n) / denominator);
}

// ---- Bounds

/**
 * The one-sided Clopper-Pearson upper bound in millionths: the smallest whole m for which P(X <= k) with n trials of rate m / 1,000,000 is at most alpha,
 * decided exactly (AUD-2). With no failures in n it is `1 - alpha^(1/n)`, rounded up; with n failures in n it is one.
 *
 * @param k - failures
 * @param n - trials; no trials bound nothing, and the answer is one
 * @param alpha - as `shareOf(50_000)` for 95 %
 */
export function upperBound(k: number, n: number, alpha: Fraction): number {
  checkTrials(k, n);
  checkAlpha(alpha);
  if (k === n) return million;
  // the guess is right but for rounding; the two exact checks make it so
  let m = Math.min(million, Math.max(0, Math.ceil(upperBoundGuess(k, n, Number(alpha.numerator) / Number(alpha.denominator)) * million)));
  while (m < million && !isCovered(k, n, m, alpha)) m++;
  while (m > 0 && isCovered(k, n, m - 1, alpha)) m--;
  return m;
}

/** The one-sided lower bound in millionths, rounded down: what is failing at least this often. */
export function lowerBound(k: number, n: number, alpha: Fraction): number {
  checkTrials(k, n);
  return million - upperBound(n - k, n, alpha);
}

/** Whether P(X <= k; n, m / 1,000,000) <= alpha, in integers. */
function isCovered(k: number, n: number, m: number, alpha: Fraction): boolean {
  const whole = millionBig ** BigInt(n);
  // the shorter tail is summed
  const sum = 2 * k <= n ? tail(k, n, BigInt(m)) : whole - tail(n - k - 1, n, BigInt(million - m));
  return sum * alpha.denominator <= alpha.numerator * whole;
}

/** The sum of C(n, i) p^i q^(n-i) for i from 0 to k, where p and q are millionths. */
function tail(k: number, n: number, p: bigint): bigint {
  const q = millionBig - p;
  // C(n, i) p^i, from one to the next by small factors alone: a product of two long numbers at each step costs a hundred times more
  let term = 1n;
  let sum = 1n;
  for (let i = 1; i <= k; i++) {
    term = (term * BigInt(n - i + 1) * p) / BigInt(i);
    sum = sum * q + term;
  }
  return sum * q ** BigInt(n - k);
}

/** The bound as a float, by bisection: the terms of the sum fall from i = k downward wherever the rate is above k / n, so nothing cancels. */
function upperBoundGuess(k: number, n: number, alpha: number): number {
  let ways = 0;
  for (let i = 1; i <= k; i++) ways += Math.log((n - k + i) / i);
  let low = k / n;
  let high = 1;
  for (let step = 0; step < 60; step++) {
    const p = (low + high) / 2;
    let term = Math.exp(ways + k * Math.log(p) + (n - k) * Math.log1p(-p));
    let sum = term;
    for (let i = k; i > 0 && term > sum * 1e-17; i--) {
      term *= (i / (n - i + 1)) * ((1 - p) / p);
      sum += term;
    }
    if (sum > alpha) low = p;
    else high = p;
  }
  return high;
}

export interface EpochBounds {
  /** Epochs that ended without a hit count as passed; what ended in an error or was invalid is left out. */
  readonly completed: number;
  /** The same with every error and every invalid epoch counted as a failure. */
  readonly worstCase: number;
}

/**
 * The two bounds of one signal over one model: started epochs stay in the denominator whatever became of them (AUD-3), since leaving out what went
 * wrong is how a rate is halved.
 */
export function epochBounds(counts: { readonly hits: number; readonly invalid: number; readonly started: number }, alpha: Fraction): EpochBounds {
  const { hits, invalid, started } = counts;
  checkTrials(hits + checkCount('invalid', invalid), started);
  return { completed: upperBound(hits, started - invalid, alpha), worstCase: upperBound(hits + invalid, started, alpha) };
}

/** The chance that a fault of this rate shows itself in none of n epochs: what a clean run can have missed. */
export function chanceUnseen(rate: number, n: number): number {
  if (!(rate >= 0 && rate <= 1)) throw new RangeError('"rate" expected a number from 0 to 1');
  return (1 - rate) ** checkCount('n', n);
}

/** How many epochs it takes to see a fault of this rate with a chance of 1 - alpha. */
export function epochsToSee(rate: number, alpha = 0.05): number {
  if (!(rate > 0 && rate < 1)) throw new RangeError('"rate" expected a number between 0 and 1');
  return Math.ceil(Math.log(alpha) / Math.log1p(-rate));
}

// ---- Against the baseline

/** Epochs in which something was seen, of all epochs. */
export interface Rate {
  readonly k: number;
  readonly n: number;
}

/**
 * One-sided Fisher exact test: the chance, were both arms alike, of at least as many in the first. Exact; an arm without epochs tells nothing, and
 * the answer is one.
 */
export function fisherExact(withSkill: Rate, baseline: Rate): Fraction {
  checkTrials(withSkill.k, withSkill.n);
  checkTrials(baseline.k, baseline.n);
  const seen = withSkill.k + baseline.k;
  let sum = 0n;
  for (let k = withSkill.k; k <= Math.min(withSkill.n, seen); k++) sum += choose(withSkill.n, k) * choose(baseline.n, seen - k);
  return { numerator: sum, denominator: choose(withSkill.n + baseline.n, seen) };
}

function choose(n: number, k: number): bigint {
  if (k < 0 || k > n) return 0n;
  const least = BigInt(Math.min(k, n - k));
  let ways = 1n;
  for (let i = 1n; i <= least; i++) ways = (ways * (BigInt(n) - i + 1n)) / i;
  return ways;
}

export interface RateThresholds {
  /** Millionths, before they are shared among the tests. */
  readonly alpha: number;
  /** Millionths by which the rate must at least differ: what is certain and small is no reason to fail. */
  readonly difference: number;
}

export interface RateTest {
  readonly isFailed: boolean;
  /** Millionths, rounded up. */
  readonly p: number;
}

/** Whether something happens more often with the skill than without: by chance below the shared threshold, and by enough (AUD-4). */
export function rateTest(withSkill: Rate, baseline: Rate, thresholds: RateThresholds, tests: number): RateTest {
  const p = fisherExact(withSkill, baseline);
  const isRare = isBelow(p, shareOf(thresholds.alpha, tests));
  // k1/n1 - k0/n0 >= d / 1,000,000 without a division; an arm without epochs cannot differ
  const [k1, n1, k0, n0] = [withSkill.k, withSkill.n, baseline.k, baseline.n].map(BigInt) as [bigint, bigint, bigint, bigint];
  const isEnough = n1 > 0n && n0 > 0n && (k1 * n0 - k0 * n1) * millionBig >= BigInt(checkCount('difference', thresholds.difference)) * n1 * n0;
  return { isFailed: isRare && isEnough, p: millionthsUp(p) };
}

// ---- Repeats of one scenario

export interface Clustering {
  /** ANOVA estimator for failures that cluster; below zero where they are spread more evenly than chance. */
  readonly icc: number;
  /** `1 + (m - 1) icc`, never below 1: repeats are at best worth as much as new scenarios. */
  readonly designEffect: number;
  /** How many independent epochs carry as much. */
  readonly effectiveSize: number;
}

/**
 * How alike the epochs of one scenario are. Absent where that cannot be told: no failures, nothing but failures, fewer than two scenarios, or none
 * that ran twice. Only + - * / in this order, so that every language rounds alike.
 *
 * @param scenarios - failures k of n epochs, for each scenario; those that never ran are left out
 */
export function clustering(scenarios: readonly Rate[]): Clustering | undefined {
  for (const { k, n } of scenarios) checkTrials(k, n);
  const ran = scenarios.filter(({ n }) => n > 0);
  const groups = ran.length;
  const n = sumOf(ran, (one) => one.n);
  const k = sumOf(ran, (one) => one.k);
  if (groups < 2 || n === groups || k === 0 || k === n) return undefined;
  const squares = sumOf(ran, (one) => (one.k * one.k) / one.n);
  const between = (squares - (k * k) / n) / (groups - 1);
  const within = (k - squares) / (n - groups);
  // the mean size, corrected for sizes that differ
  const size = (n - sumOf(ran, (one) => one.n * one.n) / n) / (groups - 1);
  const icc = (between - within) / (between + (size - 1) * within);
  const designEffect = Math.max(1, 1 + (size - 1) * icc);
  return { icc, designEffect, effectiveSize: n / designEffect };
}

function sumOf<T>(items: readonly T[], of: (item: T) => number): number {
  let sum = 0;
  for (const item of items) sum += of(item);
  return sum;
}

function checkCount(name: string, value: number, min = 0): number {
  if (!Number.isSafeInteger(value) || value < min) throw new RangeError(`"${name}" expected an integer of at least ${min}`);
  return value;
}

function checkTrials(k: number, n: number): void {
  checkCount('k', k);
  checkCount('n', n);
  if (k > n) throw new RangeError('"k" expected at most n');
  if (n > limits.trials) throw new RangeError(`"n" expected at most ${limits.trials}`);
}

function checkAlpha({ numerator, denominator }: Fraction): void {
  if (numerator <= 0n || numerator >= denominator) throw new RangeError('"alpha" expected a fraction between 0 and 1');
}
