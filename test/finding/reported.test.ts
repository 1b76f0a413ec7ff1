import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findingsOfReports, type Reported, reportedRules } from '../../src/finding/reported.js';
import { renderSarif } from '../../src/finding/sarif.js';
import type { DecisionStatement } from '../../src/receipt/statement.js';
import { findingStatement } from '../../src/finding/emit.js';
import { sarifFaults } from './github-sarif.js';

type Effect = 'allow' | 'ask' | 'deny';
const hash = (digit: string): string => `sha256:${digit.repeat(64)}`;

function reported(
  expected: Effect,
  actual: Effect,
  rest: { harness?: string; testId?: string; cited?: string; agent?: string; argsDigest?: string } = {},
): Reported {
  const { harness = 'qm', testId = 'exfil', cited = hash('a'), agent = 'builder', argsDigest = hash('b') } = rest;
  const statement = findingStatement({
    engineId: 'engine-a',
    citedReceipt: cited,
    tool: { server: 'crm', name: 'export' },
    argsDigest,
    actualDecision: actual,
    expectedDecision: expected,
    verdict: expected === actual ? 'refuted' : 'confirmed',
    harness,
    testId,
    detectedAt: 1,
    time: 1,
  });
  return { statement, cited: { agent } as DecisionStatement, path: 'audit/segment.cbor' };
}

const severityOf = (expected: Effect, actual: Effect): string => {
  const [finding] = findingsOfReports([reported(expected, actual)]);
  return `${finding?.rule_id} ${finding?.severity}`;
};

describe('findingsOfReports', () => {
  it('says which way the gate was wrong, and how bad that is (FND-29)', () => {
    expect(severityOf('deny', 'allow')).toBe('harness.let-through high');
    expect(severityOf('ask', 'allow')).toBe('harness.let-through high');
    expect(severityOf('deny', 'ask')).toBe('harness.let-through medium');
    expect(severityOf('allow', 'deny')).toBe('harness.held-back medium');
    expect(severityOf('allow', 'ask')).toBe('harness.held-back medium');
    for (const effect of ['allow', 'ask', 'deny'] as const) expect(severityOf(effect, effect)).toBe('harness.as-expected info');
  });

  it('gives one finding for a test about an agent and a tool, with the worst of its severities and each cited receipt once (FND-29)', () => {
    const reports = [reported('deny', 'ask'), reported('deny', 'allow', { cited: hash('c') }), reported('deny', 'ask')];
    const found = findingsOfReports(reports);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ severity: 'high', affected_agent: 'builder' });
    expect(found[0]?.evidence.map(({ document_digest }) => document_digest)).toEqual([hash('a'), hash('c')]);
  });

  it('keeps the id from run to run: other receipts, salts and rules make no new finding (FND-29)', () => {
    const [first] = findingsOfReports([reported('deny', 'allow')]);
    const [again] = findingsOfReports([reported('deny', 'allow', { cited: hash('d'), argsDigest: hash('e') })]);
    expect(again?.id).toBe(first?.id);
  });

  it('keeps tests apart whose names would join to the same text (FND-29)', () => {
    const all = [
      reported('deny', 'allow', { harness: 'q', testId: 'mexfil' }),
      reported('deny', 'allow', { harness: 'qm', testId: 'exfil' }),
      reported('deny', 'allow', { agent: 'other' }),
    ];
    expect(findingsOfReports(all)).toHaveLength(3);
  });

  it('takes the longest names, and shows them short', () => {
    const [finding] = findingsOfReports([reported('deny', 'allow', { harness: 'h'.repeat(4_096), testId: '\u00e9'.repeat(2_048) })]);
    expect(finding?.capability_path?.hops[0]?.edge_id).toMatch(/^sha256:/);
    expect(finding?.message.length).toBeLessThan(1_500);
  });

  it('stops at 1,000 pieces of evidence', () => {
    const many = Array.from({ length: 1_001 }, (_, i) => reported('deny', 'allow', { cited: `sha256:${String(i).padStart(64, '0')}` }));
    expect(findingsOfReports(many)[0]?.evidence).toHaveLength(1_000);
  });

  it('has a help page for each rule, with its severity and title, at the address that it names', () => {
    const page = readFileSync(new URL('../../docs/findings.md', import.meta.url), 'utf8');
    const rows = reportedRules.map(({ id, severity, title }) => `| [\`${id}\`](#${id.replace('.', '')}) | ${severity} | ${title} |`);
    expect(page.split('\n').filter((line) => line.startsWith('| ['))).toEqual(rows);
    for (const { id, documentationUrl } of reportedRules) {
      expect(page).toContain(`\n## ${id}\n`);
      expect(documentationUrl).toBe(`https://unpkg.com/ruleprint/docs/findings.md#${id.replace('.', '')}`);
    }
  });

  it('makes SARIF that GitHub takes', () => {
    const found = findingsOfReports([reported('deny', 'allow'), reported('allow', 'deny', { testId: 'x' }), reported('deny', 'deny', { testId: 'y' })]);
    expect(sarifFaults(renderSarif(found, { tool: { version: '0.1.0' }, rules: reportedRules }))).toEqual([]);
  });
});
