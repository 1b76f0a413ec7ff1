/**
 * Findings for tests: one about an agent, one about the repository, and rules.
 * @module
 */
import { createFinding, findingFromObservation } from '../../src/finding/finding.js';
import type { Finding, FindingContext, RuleInfo, RuleObservation } from '../../src/finding/model.js';

export const wideWrite: RuleInfo = {
  id: 'policy.wide-write',
  version: '1.0.0',
  title: 'A rule lets an agent write everywhere',
  help: 'Write access to every path gives an agent the whole machine. Name the folders that it needs.',
  severity: 'high',
  confidence: 'high',
  documentationUrl: 'https://example.com/rules/wide-write',
  tags: ['security'],
};

export const secret: RuleInfo = {
  id: 'policy.hardcoded-secret',
  version: '2.1.0',
  title: 'A policy holds a secret',
  help: 'Whoever reads the policy has the secret. Take it out and change it.',
  severity: 'critical',
  confidence: 'medium',
  documentationUrl: 'https://example.com/rules/hardcoded-secret',
};

export const observation: RuleObservation = {
  rule_id: wideWrite.id,
  message: 'the rule `all` lets builder write every path',
  evidence: [{ adapter: 'policy', path: 'policies/main.yaml', line_start: 3, column_start: 5 }],
};

export const context: FindingContext = {
  affectedAgent: 'builder',
  capabilityPath: { agent_id: 'builder', target_id: '/**', target_type: 'resource', hops: [{ edge_id: 'rule:all' }] },
  remediation: 'name the folders that builder writes to',
};

/** About an agent. */
export const agentFinding: Finding = findingFromObservation(observation, wideWrite, context);

export const secretObservation: RuleObservation = {
  rule_id: secret.id,
  message: 'an access key stands in the policy',
  evidence: [{ adapter: 'policy', path: 'policies/main.yaml', line_start: 9 }],
};

/** About the repository. */
export const repositoryFinding: Finding = findingFromObservation(secretObservation, secret, { remediation: 'take it out and change it' });

/** A finding with members changed; `undefined` leaves one out. The id stays: it is not judged again for a finding about the repository. */
export function changed(finding: Finding, members: Readonly<Record<string, unknown>>): Finding {
  return createFinding(Object.fromEntries(Object.entries({ ...finding, ...members }).filter(([, value]) => value !== undefined)));
}
