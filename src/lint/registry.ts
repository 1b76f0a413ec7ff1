/**
 * The rules of the linter, each with id, version, severity, confidence and help page (docs/lint.md; a house test keeps the two in step).
 * @module
 */
import { hardCodedSecret } from './hard-coded.js';
import type { LintRule } from './rule.js';
import { allowUnderAsk, deadRule, duplicateRule, edgeSpace, matchesNothing, reversedPorts, undecidedRule } from './rules/dead.js';
import { addressByName, methodGap, pathBypass } from './rules/gaps.js';
import { interpreterRule } from './rules/interpreters.js';
import { lookAlike, unknownAgent } from './rules/names.js';
import { secretsInReach } from './rules/secrets.js';
import { expiredSuppression, staleSuppression } from './suppressions.js';
import { anyHost, anyPath, anyProgram, gluedStar, openWrite, toolWildcard } from './rules/wide.js';

export const lintRules: readonly LintRule[] = Object.freeze([
  deadRule,
  allowUnderAsk,
  duplicateRule,
  reversedPorts,
  matchesNothing,
  undecidedRule,
  edgeSpace,
  anyPath,
  gluedStar,
  openWrite,
  anyHost,
  anyProgram,
  interpreterRule,
  toolWildcard,
  secretsInReach,
  methodGap,
  addressByName,
  pathBypass,
  unknownAgent,
  lookAlike,
  hardCodedSecret,
]);

/** All rules that a report can name. */
export const allLintRules: readonly LintRule[] = Object.freeze([...lintRules, expiredSuppression, staleSuppression]);
