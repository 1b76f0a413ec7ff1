/**
 * Findings as a complete SARIF 2.1.0 log that GitHub code scanning takes (spec/finding.md, FND-15 to FND-20).
 * @module
 */
import { compareUtf8 } from '../bytes.js';
import { refuse } from '../errors.js';
import { limits } from '../limits.js';
import { checkedPlain } from '../policy/door.js';
import { copyPlain } from '../policy/plain.js';
import { asciiJson } from './ascii.js';
import type { ChangeState, Evidence, Finding, RuleInfo } from './model.js';
import { type Redact, redactor } from './redaction.js';
import { prepare, type RenderOptions, type Shown } from './rendering.js';
import type { Severity } from './severity.js';
import { checkPath, ruleShape } from './shape.js';

export interface SarifOptions extends RenderOptions {
  /** What found them. */
  readonly tool: { readonly name?: string /** A semantic version. */; readonly version: string };
  /** The rules that were run, also those that found nothing. Every finding's rule is one of them. */
  readonly rules: readonly RuleInfo[];
  /** Tells uploads of one commit apart. Default: `ruleprint`. */
  readonly category?: string;
  /** Where a finding without a path is shown: on line 1 of this file. */
  readonly standIn?: string;
}

const levels = { info: 'note', low: 'note', medium: 'warning', high: 'error', critical: 'error' } as const satisfies Record<Severity, string>;
/** GitHub: above 9.0 critical, from 7.0 high, from 4.0 medium, above 0 low. */
const scores: Readonly<Record<Severity, string | undefined>> = { critical: '9.5', high: '8.0', medium: '5.5', low: '2.0', info: undefined };
const baselineStates: Readonly<Record<ChangeState, string | undefined>> = {
  added: 'new',
  unchanged: 'unchanged',
  changed: 'updated',
  removed: 'absent',
  unknown: undefined,
  'not-compared': undefined,
};

/**
 * A SARIF log of one run, the same bytes for the same findings. No time, no machine, no absolute path.
 *
 * @throws RuleprintError as createFinding; `duplicate-item`; `limit` where GitHub would refuse the log; `bad-value` for a finding whose rule is not
 * given; `missing-key` for one without a path and no `standIn`; `field-conflict` for one that was removed among findings that were not all compared
 */
export function renderSarif(findings: readonly Finding[], options: SarifOptions): string {
  const shown = prepare(findings, options);
  if (shown.length > limits.sarifResults) refuse('limit', `expected at most ${limits.sarifResults} findings in a SARIF log, got ${shown.length}`);
  const redact = redactor(options.secrets);
  const rules = rulesOf(options.rules);
  const index = new Map(rules.map(({ id }, i) => [id, i]));
  const isCompared = shown.length > 0 && shown.every(({ finding }) => baselineStates[finding.change_state] !== undefined);
  const { tool, category = 'ruleprint', standIn } = options;
  if (standIn !== undefined) checkPath(standIn);
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: tool.name ?? 'ruleprint', semanticVersion: tool.version, rules: rules.map((rule) => ruleObject(rule, redact)) } },
        automationDetails: { id: `${category}/` },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { [root]: { description: { text: 'The root of the repository.' } } },
        results: shown.map((one) => resultObject(one, index.get(one.finding.rule_id), isCompared, standIn)),
      },
    ],
  };
  return `${asciiJson(log, 2)}\n`;
}

const root = '%SRCROOT%';

/** FND-16: by id, each once, and what GitHub bounds is bounded. */
function rulesOf(given: readonly RuleInfo[]): readonly RuleInfo[] {
  if (given.length > limits.sarifRules) refuse('limit', `expected at most ${limits.sarifRules} rules in a SARIF log, got ${given.length}`);
  const rules = given.map((rule, i) => {
    const { id, version, title, help, severity, confidence, documentationUrl, tags } = rule;
    const own = { id, version, title, help, severity, confidence, documentationUrl, ...(tags !== undefined && { tags }) };
    const good = checkedPlain(ruleShape, copyPlain(own)) as RuleInfo;
    for (const field of ['title', 'help'] as const) {
      if (good[field].length > limits.sarifDescription) {
        refuse('limit', `expected at most ${limits.sarifDescription} characters, got ${good[field].length}`, { where: { pointer: `/${i}/${field}` } });
      }
    }
    return good;
  });
  const sorted = rules.sort((a, b) => compareUtf8(a.id, b.id));
  const twice = sorted.find(({ id }, i) => sorted[i - 1]?.id === id);
  if (twice !== undefined) refuse('duplicate-item', `the rule ${twice.id} stands twice`);
  return sorted;
}

function ruleObject({ id, version, title, help, severity, confidence, documentationUrl, tags = [] }: RuleInfo, redact: Redact): object {
  const score = tags.includes('security') ? scores[severity] : undefined;
  return {
    id,
    shortDescription: { text: redact(title) },
    fullDescription: { text: redact(help) },
    help: { text: redact(help) },
    helpUri: documentationUrl,
    defaultConfiguration: { level: levels[severity] },
    properties: {
      ...(tags.length > 0 && { tags }),
      precision: confidence,
      ...(score !== undefined && { 'security-severity': score }),
      ruleprint: { version, severity },
    },
  };
}

function resultObject({ finding, suppression }: Shown, ruleIndex: number | undefined, isCompared: boolean, standIn: string | undefined): object {
  const { id, rule_id: ruleId, message, severity, change_state: change, evidence } = finding;
  if (ruleIndex === undefined) refuse('bad-value', `expected a rule that is given, got ${ruleId}`, { where: { pointer: '/rule_id' } });
  // among results without a state it would be shown as there
  if (change === 'removed' && !isCompared) refuse('field-conflict', `expected findings that are all compared beside ${id}, which was removed`);
  const located = evidence.filter(({ path }) => path !== undefined);
  if (located.length === 0 && standIn === undefined) {
    refuse('missing-key', `expected evidence with a path in ${id}, or a file to show it at`, { where: { pointer: '/evidence' } });
  }
  const locations = located.length > 0 ? located : [{ adapter: 'ruleprint', path: standIn as string }];
  return {
    ruleId,
    ruleIndex,
    level: levels[severity],
    message: { text: withoutLinks(message) },
    locations: locations.map(locationObject),
    partialFingerprints: fingerprints(id),
    ...(isCompared && { baselineState: baselineStates[change] }),
    ...(suppression !== undefined && {
      suppressions: suppression === null ? [] : [{ kind: 'external', status: 'accepted', justification: suppression.reason }],
    }),
    properties: { ruleprint: bagOf(finding) },
  };
}

/** FND-18: GitHub looks at primaryLocationLineHash alone, and would take two findings of one rule on one line for one. */
function fingerprints(id: string): object {
  return { primaryLocationLineHash: `${id.slice(-64)}:1`, 'ruleprintFinding/v1': id };
}

/** What SARIF has no slot for. */
function bagOf(finding: Finding): object {
  const documents = finding.evidence.filter(({ path }) => path === undefined);
  return {
    schema_version: finding.schema_version,
    id: finding.id,
    rule_version: finding.rule_version,
    severity: finding.severity,
    confidence: finding.confidence,
    ...(finding.affected_agent !== undefined && { affected_agent: finding.affected_agent }),
    ...(finding.capability_path !== undefined && { capability_path: finding.capability_path }),
    change_state: finding.change_state,
    remediation: finding.remediation,
    documentation_url: finding.documentation_url,
    ...(documents.length > 0 && { documents }),
  };
}

/**
 * GitHub wants a whole region: what is not known is the first character of what is. Each segment is encoded for itself, its colons too, of which the
 * first would make a scheme.
 */
function locationObject(evidence: Evidence): object {
  const { path = '', line_start: line = 1, line_end: lastLine = line, column_start: column = 1, column_end: lastColumn } = evidence;
  const { path: _, line_start: _a, line_end: _b, column_start: _c, column_end: _d, ...source } = evidence;
  return {
    physicalLocation: {
      artifactLocation: { uri: path.split('/').map(encodeURIComponent).join('/'), uriBaseId: root },
      region: { startLine: line, startColumn: column, endLine: lastLine, endColumn: lastColumn ?? (lastLine === line ? column + 1 : 2) },
    },
    properties: { ruleprint: source },
  };
}

/** SARIF reads `[text](target)` in a message as a link: whoever named a rule must not write links into a page. */
function withoutLinks(message: string): string {
  return message.replaceAll('](', '] (');
}
