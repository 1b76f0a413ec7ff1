/**
 * `ruleprint/lint`: findings about policies, and which rules are dead.
 * @module
 */
export { blocks, compareWith } from './baseline.js';
export { type LintOptions, lintPolicy } from './lint.js';
export { type LintBudgets, lintBudgets, Reach, type Verdict } from './reach.js';
export { allLintRules } from './registry.js';
export type { LintRule } from './rule.js';
export { parseSuppressions, suppress, type Suppressed, type Suppression } from './suppressions.js';
export type { Finding } from '../finding/model.js';
export { type ErrorCode, errorCodes, type Problem, RuleprintError, type Where } from '../errors.js';
