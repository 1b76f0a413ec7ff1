/**
 * All laws over one kind of engine, with the arbitraries that they need.
 * @module
 */
import fc, { type Arbitrary } from 'fast-check';
import type { PolicyEngine } from '../engine/engine.js';
import { nearMisses, policies, requests } from './arbitraries.js';
import * as laws from './laws.js';
import { badRequests, requestPairs, spellings } from './request-pairs.js';

/** Of fast-check, those that suit every law. */
export interface CheckParameters {
  /** Runs of each law; 100 where not given. */
  readonly numRuns?: number;
  readonly seed?: number;
}

/**
 * Runs every law on random data. `open` gives a fresh engine without a policy each time.
 *
 * The promise is rejected as `fc.assert` rejects: with the smallest counterexample, the seed and the `LawError` as its cause.
 *
 * @example
 * it('keeps the laws', () => checkLaws(() => new MyEngine(), { numRuns: 200 }));
 */
export async function checkLaws(open: () => PolicyEngine | Promise<PolicyEngine>, parameters: CheckParameters = {}): Promise<void> {
  const onPolicy = [
    laws.lawDeterministic,
    laws.lawTraceAgrees,
    laws.lawMostRestrictive,
    laws.lawDenyWins,
    laws.lawAskBeatsAllow,
    laws.lawInstallRises,
    laws.lawEventKeepsItsPolicy,
    laws.lawKeepsCopies,
  ];
  for (const law of onPolicy) {
    await check(fc.tuple(policies(), requests()), async ([policy, request]) => law(await open(), policy, request), parameters);
  }
  for (const law of [laws.lawNoPolicyDenies, laws.lawDefaultDenies]) await check(requests(), async (request) => law(await open(), request), parameters);
  await check(badRequests, async (bad) => laws.lawBadRequestRefused(await open(), bad), parameters);
  await check(fc.tuple(policies(), spellings), async ([policy, spelling]) => laws.lawSpellingIsNothing(await open(), policy, spelling), parameters);
  await check(fc.tuple(policies(), requestPairs), async ([policy, pair]) => laws.lawEventNamesRequest(await open(), policy, pair), parameters);
  await check(fc.tuple(nearMisses, requests()), async ([pair, request]) => laws.lawDigestNamesRules([await open(), await open()], pair, request), parameters);
}

async function check<T>(values: Arbitrary<T>, law: (value: T) => Promise<void>, parameters: CheckParameters): Promise<void> {
  await fc.assert(fc.asyncProperty(values, law), parameters);
}
