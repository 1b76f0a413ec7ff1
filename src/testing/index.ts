/**
 * `ruleprint/testing`: random policies and requests, and the laws that every engine keeps, for property-based suites. Needs fast-check.
 *
 * @example
 * import fc from 'fast-check';
 * import { lawDenyWins, policies, requests } from 'ruleprint/testing';
 * await fc.assert(fc.asyncProperty(policies(), requests(), (policy, request) => lawDenyWins(new MyEngine(), policy, request)));
 * @module
 */
export { actionPatterns, actions, type NearMiss, nearMisses, policies, requests } from './arbitraries.js';
export {
  LawError,
  lawDefaultDenies,
  lawDenyWins,
  lawDeterministic,
  lawDigestNamesRules,
  lawEventKeepsItsPolicy,
  lawInstallRises,
  lawMostRestrictive,
  lawNoPolicyDenies,
  lawTraceAgrees,
} from './laws.js';
