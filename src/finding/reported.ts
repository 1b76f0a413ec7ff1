/**
 * Finding receipts as findings (spec/finding.md, FND-29): what a harness run has shown, for people, tools and code scanning.
 * @module
 */
import { utf8, utf8Length } from '../bytes.js';
import { quote } from '../errors.js';
import { sha256Text } from '../hash.js';
import { limits } from '../limits.js';
import { effects } from '../policy/model.js';
import type { DecisionStatement, FindingStatement, ReportedFinding } from '../receipt/statement.js';
import { createFinding, findingFromObservation } from './finding.js';
import type { Evidence, Finding, RuleInfo } from './model.js';
import { reaches, type Severity } from './severity.js';

const documentation = 'https://unpkg.com/ruleprint/docs/findings.md';
const shared = { version: '1.0.0', confidence: 'high', tags: ['security', 'harness'] } as const;

const letThrough: RuleInfo = {
  ...shared,
  id: 'harness.let-through',
  title: 'The gate let through what a test expects it to stop',
  help: 'A test of a harness expects a stricter decision than the gate made, and the receipt of the gate says the same. Tighten the rule that decided, which the receipt names, and run the test again.',
  severity: 'high',
  documentationUrl: `${documentation}#harnesslet-through`,
};
const heldBack: RuleInfo = {
  ...shared,
  id: 'harness.held-back',
  title: 'The gate stopped what a test expects it to let through',
  help: 'A test of a harness expects a milder decision than the gate made, and the receipt of the gate says the same. Add or widen the rule that the call needs, or correct the test.',
  severity: 'medium',
  documentationUrl: `${documentation}#harnessheld-back`,
};
const asExpected: RuleInfo = {
  ...shared,
  id: 'harness.as-expected',
  title: 'The gate decided as a test expects',
  help: 'A test of a harness expects the decision that the gate made, and the receipt of the gate says the same. There is nothing to do.',
  severity: 'info',
  documentationUrl: `${documentation}#harnessas-expected`,
};

/** The rules of reported findings. */
export const reportedRules: readonly RuleInfo[] = Object.freeze([letThrough, heldBack, asExpected]);

/** A finding receipt that the verifier has nothing against, with the decision that it cites. */
export interface Reported {
  readonly statement: FindingStatement;
  readonly cited: DecisionStatement;
  /** Where the ledger lies in the repository; undefined where it lies in none. */
  readonly path?: string;
}

/**
 * Makes findings of finding receipts. Those of one test about one agent, tool and kind of outcome are one finding, with a piece of evidence for each
 * receipt that is cited, 1,000 at the most.
 */
export function findingsOfReports(reports: readonly Reported[]): readonly Finding[] {
  const byId = new Map<string, Finding>();
  for (const report of reports) {
    const finding = findingOf(report);
    const before = byId.get(finding.id);
    byId.set(finding.id, before === undefined ? finding : merged(before, finding));
  }
  return [...byId.values()];
}

/** The worse one speaks; a piece of evidence for each receipt, as many as a finding may have. */
function merged(before: Finding, after: Finding): Finding {
  const worse = !reaches(before.severity, after.severity) ? after : before;
  const isKnown = before.evidence.some(({ document_digest: digest }) => digest === after.evidence[0]?.document_digest);
  const evidence = isKnown || before.evidence.length >= limits.evidence ? before.evidence : [...before.evidence, ...after.evidence];
  return createFinding({ ...worse, evidence });
}

function findingOf({ statement: { x_finding: claim }, cited, path }: Reported): Finding {
  const { repro, harness, test_id: test } = claim;
  const rule = ruleOf(claim);
  const evidence: Evidence = { adapter: 'ruleprint-ledger', ...(path !== undefined && { path }), schema_id: 'finding', document_digest: claim.cited_receipt };
  const { server, name } = repro.tool;
  const tool = `${quote(name)} of ${quote(server)}`;
  const message = `test ${quote(test)} of ${quote(harness)}: expected ${repro.expected_decision}, the gate said ${repro.actual_decision} to ${quote(cited.agent)} for ${tool}`;
  return findingFromObservation({ rule_id: rule.id, message, evidence: [evidence] }, rule, {
    severity: severityOf(claim, rule),
    affectedAgent: cited.agent,
    capabilityPath: {
      agent_id: cited.agent,
      target_id: pair(server, name),
      target_type: 'tool',
      hops: [{ edge_id: pair(harness, test) }],
    },
    remediation: remedies[rule.id] as string,
  });
}

const remedies: Readonly<Record<string, string>> = {
  [letThrough.id]: 'tighten the rule that decided, and run the test again',
  [heldBack.id]: 'add or widen the rule that the call needs, or correct the test',
  [asExpected.id]: 'nothing',
};

/** `effects` are in order, the most restrictive first. */
function ruleOf({ repro: { expected_decision: expected, actual_decision: actual } }: ReportedFinding): RuleInfo {
  if (expected === actual) return asExpected;
  return effects.indexOf(actual) > effects.indexOf(expected) ? letThrough : heldBack;
}

/** A human still stands before a call that is asked. */
function severityOf({ repro }: ReportedFinding, rule: RuleInfo): Severity {
  return rule === letThrough && repro.actual_decision === 'ask' ? 'medium' : rule.severity;
}

/** A pair as one text: as JSON, because two texts side by side must not be read as another pair; by its hash where it is too long for a name. */
function pair(first: string, second: string): string {
  const text = JSON.stringify([first, second]);
  return utf8Length(text) <= limits.ruleStringBytes ? text : sha256Text(utf8(text));
}
