/**
 * `ruleprint/testing`: random policies and requests, and the laws that every engine keeps, for property-based suites. Needs fast-check.
 *
 * @example
 * import fc from 'fast-check';
 * import { checkLaws, lawDenyWins, policies, requests } from 'ruleprint/testing';
 * await checkLaws(() => new MyEngine());
 * await fc.assert(fc.asyncProperty(policies(), requests(), (policy, request) => lawDenyWins(new MyEngine(), policy, request)));
 * @module
 */
export { actionPatterns, actions, type NearMiss, nearMisses, policies, requests } from './arbitraries.js';
export { checkLaws, type CheckParameters } from './check-laws.js';
export {
  LawError,
  lawAskBeatsAllow,
  lawBadRequestRefused,
  lawDefaultDenies,
  lawDenyWins,
  lawDeterministic,
  lawDigestNamesRules,
  lawEventKeepsItsPolicy,
  lawEventNamesRequest,
  lawInstallRises,
  lawKeepsCopies,
  lawMostRestrictive,
  lawNoPolicyDenies,
  lawSpellingIsNothing,
  lawTraceAgrees,
} from './laws.js';
export { type BadRequest, badRequests, type RequestPair, requestPairs, type Spelling, spellings } from './request-pairs.js';
