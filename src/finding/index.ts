/**
 * `ruleprint/finding`: findings, their identity and their renderings.
 * @module
 */
export { type ErrorCode, errorCodes, type Problem, RuleprintError, type Where } from '../errors.js';
export { createFinding, findingFromObservation } from './finding.js';
export { findingId, findingPreimage, type IdentityMaterial, occurrenceOf } from './identity.js';
export {
  type CapabilityPath,
  type ChangeState,
  changeStates,
  type Evidence,
  type Finding,
  type FindingContext,
  type RuleInfo,
  type RuleObservation,
  schemaVersion,
  type TargetType,
  targetTypes,
} from './model.js';
export { type Confidence, confidences, reaches, type Severity, severities } from './severity.js';
