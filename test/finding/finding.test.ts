import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RuleprintError } from '../../src/errors.js';
import { createFinding, findingFromObservation } from '../../src/finding/finding.js';
import { findingId } from '../../src/finding/identity.js';
import { changeStates, type Finding, schemaVersion } from '../../src/finding/model.js';
import { reaches, severities } from '../../src/finding/severity.js';
import { agentFinding, changed, context, observation, repositoryFinding, secret, secretObservation, wideWrite } from './kit.js';

/** Code and pointer of the first thing that is refused. */
function refusal(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    if (error instanceof RuleprintError) return `${error.code} ${error.where.pointer ?? ''}`;
    throw error;
  }
  return 'taken';
}

const without = (field: keyof Finding): unknown => Object.fromEntries(Object.entries(agentFinding).filter(([key]) => key !== field));
const withEvidence = (...evidence: unknown[]): unknown => ({ ...repositoryFinding, evidence });
const piece = { adapter: 'policy', path: 'a.yaml' };

describe('findingFromObservation', () => {
  it('copies rule, message and evidence from the observation, and computes the id', () => {
    expect(agentFinding).toMatchObject({ ...observation, schema_version: '1.2.0', rule_version: '1.0.0', severity: 'high', change_state: 'not-compared' });
    expect(agentFinding.id).toBe(findingId(agentFinding));
    expect(Object.isFrozen(agentFinding.evidence[0])).toBe(true);
  });

  it('is the finding of the example in spec/finding.md', () => {
    const chapter = readFileSync(new URL('../../spec/finding.md', import.meta.url), 'utf8');
    const example: unknown = JSON.parse(/```json\n([\s\S]*?)```/.exec(chapter)?.[1] ?? '');
    expect(createFinding(example)).toEqual(agentFinding);
  });

  it('takes severity and confidence of the caller over those of the rule', () => {
    const made = findingFromObservation(observation, wideWrite, { ...context, severity: 'low', confidence: 'low', changeState: 'unchanged' });
    expect(made).toMatchObject({ severity: 'low', confidence: 'low', change_state: 'unchanged', id: agentFinding.id });
  });

  it('refuses an observation of another rule', () => {
    expect(refusal(() => findingFromObservation(observation, secret, context))).toBe('field-conflict /rule_id');
  });

  it('refuses an observation with no evidence (FND-4)', () => {
    expect(refusal(() => findingFromObservation({ ...observation, evidence: [] }, wideWrite, context))).toBe('empty-list /evidence');
  });
});

describe('createFinding', () => {
  it('takes a finding that was built directly', () => {
    expect(createFinding({ ...agentFinding })).toEqual(agentFinding);
    expect(createFinding({ ...repositoryFinding })).toEqual(repositoryFinding);
  });

  it.each(Object.keys(agentFinding).filter((key) => key !== 'affected_agent' && key !== 'capability_path'))('refuses a finding without %s (FND-1)', (field) => {
    expect(refusal(() => createFinding(without(field as keyof Finding)))).toBe('missing-key ');
  });

  it('refuses a field that the model does not have (FND-1)', () => {
    expect(refusal(() => createFinding({ ...agentFinding, remedation: 'x' }))).toBe('unknown-key /remedation');
  });

  it.each([
    ['schema_version', '1.1.0'],
    ['id', 'clp:finding:sha256:00'],
    ['rule_id', 'a rule'],
    ['rule_version', '1.0'],
    ['rule_version', '01.0.0'],
    ['severity', 'severe'],
    ['confidence', 'certain'],
    ['change_state', 'new'],
    ['documentation_url', 'http://example.com'],
  ])('refuses %s %j (FND-1)', (field, value) => {
    expect(refusal(() => changed(agentFinding, { [field]: value }))).toBe(`bad-value /${field}`);
  });

  it('takes every change state, so that every baseline state of SARIF can be said', () => {
    for (const state of changeStates) expect(changed(agentFinding, { change_state: state }).change_state).toBe(state);
    expect(changeStates).toContain('unchanged');
    expect(schemaVersion).toBe('1.2.0');
  });

  it.each(['message', 'remediation'])('refuses %s with what would mislead a reader (FND-2)', (field) => {
    for (const text of ['a\nb', 'a\u001b[31m', 'a\u202eb', 'a\u2028b', 'a\u0085b']) {
      expect(refusal(() => changed(agentFinding, { [field]: text }))).toBe(`control-character /${field}`);
    }
    expect(refusal(() => changed(agentFinding, { [field]: '' }))).toBe(`empty-text /${field}`);
    expect(refusal(() => changed(agentFinding, { [field]: '\ud800' }))).toBe(`lone-surrogate /${field}`);
    expect(refusal(() => changed(agentFinding, { [field]: 'x'.repeat(4_097) }))).toBe(`limit /${field}`);
    expect(refusal(() => changed(agentFinding, { [field]: 'x'.repeat(4_096) }))).toBe('taken');
  });

  it('refuses an agent without a capability path, and the reverse (FND-3)', () => {
    expect(refusal(() => createFinding(without('capability_path')))).toBe('field-conflict /affected_agent');
    expect(refusal(() => createFinding(without('affected_agent')))).toBe('field-conflict /capability_path');
  });

  it('refuses a capability path of another agent (FND-3)', () => {
    expect(refusal(() => changed(agentFinding, { affected_agent: 'other' }))).toBe('field-conflict /capability_path/agent_id');
  });

  it('refuses a capability path without a hop (FND-1)', () => {
    expect(refusal(() => changed(agentFinding, { capability_path: { ...agentFinding.capability_path, hops: [] } }))).toBe('empty-list /capability_path/hops');
  });

  it.each(['/etc/a', 'a//b', './a', 'a/../b', '..', 'a/', 'a\\b', 'C:/a', 'c:a'])(
    'refuses the evidence path %s, which shows a machine or leaves the repository (FND-4)',
    (path) => {
      expect(refusal(() => createFinding(withEvidence({ ...piece, path })))).toBe('bad-value /evidence/0/path');
    },
  );

  it.each([
    [{ adapter: 'policy' }],
    [{ adapter: 'policy', document_digest: `sha256:${'0'.repeat(64)}`, line_start: 1 }],
    [{ ...piece, line_end: 2 }],
    [{ ...piece, column_start: 2 }],
    [{ ...piece, line_start: 3, line_end: 2 }],
    [{ ...piece, line_start: 3, column_end: 2 }],
    [{ ...piece, line_start: 3, column_start: 3, column_end: 2 }],
  ])('refuses evidence whose members do not agree: %j (FND-4)', (evidence) => {
    expect(refusal(() => createFinding(withEvidence(piece, evidence)))).toBe('field-conflict /evidence/1');
  });

  it('takes evidence of a digest alone, and a region over lines', () => {
    const digest = { adapter: 'policy', document_digest: `sha256:${'0'.repeat(64)}` };
    const region = { ...piece, line_start: 3, line_end: 4, column_start: 9, column_end: 2, parser: 'yaml', schema_id: 'policy/1' };
    expect(createFinding(withEvidence(digest, region)).evidence).toEqual([digest, region]);
  });

  it('refuses line 0 and more than 1,000 pieces of evidence (FND-4)', () => {
    expect(refusal(() => createFinding(withEvidence({ ...piece, line_start: 0 })))).toBe('bad-value /evidence/0/line_start');
    expect(refusal(() => createFinding(withEvidence(...Array<unknown>(1_001).fill(piece))))).toBe('limit /evidence');
  });

  it.each([
    'https://',
    'https:///a',
    'https://user@example.com/',
    'https://example.com/a b',
    'https://example.com/\u00e9',
    'https://example.com/%zz',
    'HTTPS://example.com',
    'https://example.com\\@evil.test/',
  ])('refuses the documentation address %s (FND-5)', (url) => {
    expect(refusal(() => changed(agentFinding, { documentation_url: url }))).toBe('bad-value /documentation_url');
  });

  it('bounds a documentation address (FND-5)', () => {
    const url = 'https://example.com/'.padEnd(2_048, 'a');
    expect(refusal(() => changed(agentFinding, { documentation_url: url }))).toBe('taken');
    expect(refusal(() => changed(agentFinding, { documentation_url: `${url}a` }))).toBe('limit /documentation_url');
  });

  it('refuses an id that does not follow from a finding about an agent (FND-6)', () => {
    const other = `ruleprint:finding:sha256:${'0'.repeat(64)}`;
    expect(refusal(() => changed(agentFinding, { id: other }))).toBe('finding-id-differs /id');
    expect(changed(repositoryFinding, { id: other }).id).toBe(other);
  });

  it('judges a copy: a getter never runs', () => {
    const live = Object.defineProperty({ ...agentFinding }, 'message', { get: () => 'changing', enumerable: true });
    expect(refusal(() => createFinding(live))).toBe('not-plain-data /message');
  });

  it('gives members in one order, whoever built it', () => {
    const reversed = Object.fromEntries(Object.entries(agentFinding).reverse());
    expect(JSON.stringify(createFinding(reversed))).toBe(JSON.stringify(agentFinding));
  });
});

describe('severities', () => {
  it('ascend, and a threshold takes itself and what is above', () => {
    expect(severities.filter((severity) => reaches(severity, 'medium'))).toEqual(['medium', 'high', 'critical']);
  });
});

describe('a finding about the repository', () => {
  it('has neither agent nor path', () => {
    expect(repositoryFinding).not.toHaveProperty('affected_agent');
    expect(findingFromObservation(secretObservation, secret, { remediation: 'x' }).id).toBe(repositoryFinding.id);
  });
});
