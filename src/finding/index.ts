/**
 * `ruleprint/finding`: findings, their identity and their renderings.
 * @module
 */
export { type ErrorCode, errorCodes, type Problem, RuleprintError, type Where } from '../errors.js';
export type { ReportedFinding, FindingStatement, FindingVerdict } from '../receipt/statement.js';
export { reportedId, stableId } from '../receipt/finding-ids.js';
export { type Cited, citing, emitFinding, type FindingClaim, findingStatement } from './emit.js';
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
export { parseFindings, renderJson } from './json.js';
export { type FoundSecret, secretsIn } from './redaction.js';
export type { RenderOptions } from './rendering.js';
export { renderSarif, type SarifOptions } from './sarif.js';
export { type Paint, renderText, type TextColours, type TextOptions } from './text.js';
export { findingsOfReports, type Reported, reportedRules } from './reported.js';
