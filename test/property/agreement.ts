/**
 * How src and the reference are put side by side: each side becomes an outcome, a value or the code of a refusal.
 *
 * RULEPRINT_RUNS sets the number of runs, RULEPRINT_SEED repeats a run; fast-check prints the seed and the path of a failure.
 *
 * @module
 */
import { vi } from 'vitest';
import { RuleprintError } from '../../src/index.js';
import type { Answer } from '../reference/text.js';

const environment = (name: string): number | undefined => (process.env[name] === undefined ? undefined : Number(process.env[name]));

// A long run, or a failure that shrinks on a busy machine, takes its time.
vi.setConfig({ testTimeout: 60_000 + 200 * (environment('RULEPRINT_RUNS') ?? 0) });

/** Parameters of a property; `share` is for properties whose single run is dear. */
export function runs(share = 1): { numRuns: number; seed?: number } {
  const seed = environment('RULEPRINT_SEED');
  return { numRuns: Math.max(1, Math.ceil((environment('RULEPRINT_RUNS') ?? 80) * share)), ...(seed === undefined ? {} : { seed }) };
}

export type Outcome = { readonly ok: unknown } | { readonly code: string };

/** What a call of src answers. Anything thrown but a refusal is a bug and goes through. */
export function outcome(run: () => unknown): Outcome {
  try {
    return { ok: run() };
  } catch (error) {
    if (error instanceof RuleprintError) return { code: error.code };
    throw error;
  }
}

/** The answer of the reference without its hint. */
export const plain = (answer: Answer<unknown>): Outcome => ('code' in answer ? { code: answer.code } : answer);

/** The canonical spelling that a refusal names (MAT-21), undefined where there is none. */
export function spellingOf(run: () => unknown): { readonly spelling: unknown; readonly isInHint: boolean } | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    const spelling = error.evidence?.canonical;
    // a hint escapes and shortens what a terminal should not get
    const isPlain = typeof spelling === 'string' && /^[ -~]{1,70}$/.test(spelling);
    return { spelling, isInHint: !isPlain || error.hint?.includes(spelling) === true };
  }
}
