import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RuleprintError } from '../../src/errors.js';
import { createFinding, findingFromObservation } from '../../src/finding/finding.js';
import { occurrenceOf } from '../../src/finding/identity.js';
import { parseFindings, renderJson } from '../../src/finding/json.js';
import type { Evidence, Finding } from '../../src/finding/model.js';
import { secretsIn } from '../../src/finding/redaction.js';
import { renderSarif, type SarifOptions } from '../../src/finding/sarif.js';
import { severities } from '../../src/finding/severity.js';
import { renderText } from '../../src/finding/text.js';
import { type SarifLog, sarifFaults } from './github-sarif.js';
import { agentFinding, changed, context, observation, repositoryFinding, secret, secretObservation, wideWrite } from './kit.js';

const options: SarifOptions = { tool: { version: '0.1.0' }, rules: [wideWrite, secret] };
const both = [agentFinding, repositoryFinding];

const secretFinding = (content: string, evidence: readonly Evidence[] = secretObservation.evidence, members: object = {}): Finding =>
  findingFromObservation({ ...secretObservation, evidence }, secret, { remediation: 'change it', occurrence: occurrenceOf('secret', content), ...members });

function code(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    if (error instanceof RuleprintError) return error.code;
    throw error;
  }
  return 'taken';
}

const log = (findings: readonly Finding[], more: Partial<SarifOptions> = {}): SarifLog =>
  JSON.parse(renderSarif(findings, { ...options, ...more })) as SarifLog;
const results = (findings: readonly Finding[], more: Partial<SarifOptions> = {}): SarifLog['runs'][0]['results'] => log(findings, more).runs[0]?.results ?? [];

/** Findings as rules make them: some about agents, some about files, some suppressed. */
const findings = fc
  .uniqueArray(
    fc.record({
      content: fc.string({ unit: 'grapheme', maxLength: 8 }),
      path: fc.constantFrom('a.yaml', 'b c/d:é.yaml', 'x/[1](2).json'),
      line: fc.integer({ min: 1, max: 30 }),
      severity: fc.constantFrom(...severities),
      aboutAgent: fc.boolean(),
    }),
    { maxLength: 12, selector: ({ content, path, aboutAgent }) => `${aboutAgent ? `agent ${content}` : `${content} ${path}`}` },
  )
  .map((all) =>
    all.map(({ content, path, line, severity, aboutAgent }) => {
      const evidence = [{ adapter: 'policy', path, line_start: line }];
      if (!aboutAgent) return secretFinding(content, evidence, { severity });
      const capabilityPath = { agent_id: 'builder', target_id: '/**', target_type: 'resource' as const, hops: [{ edge_id: occurrenceOf('edge', content) }] };
      return findingFromObservation({ ...observation, evidence }, wideWrite, { ...context, capabilityPath, severity });
    }),
  );

describe('renderings', () => {
  it('hold the same findings with the same words in all three (FND-12)', () => {
    fc.assert(
      fc.property(findings, (all) => {
        const json = (JSON.parse(renderJson(all)) as { findings: Finding[] }).findings;
        const sarif = results(all);
        const text = renderText(all, { details: true })
          .split('\n')
          .filter((line) => line.startsWith('  id: '));
        expect(json.map(({ id }) => id)).toEqual(sarif.map(({ properties }) => properties.ruleprint.id));
        expect(json.map(({ id }) => `  id: ${id}`)).toEqual(text);
        for (const [i, { rule_id, message, severity, evidence, remediation, change_state }] of json.entries()) {
          expect(sarif[i]).toMatchObject({ ruleId: rule_id, message: { text: message }, properties: { ruleprint: { severity, remediation, change_state } } });
          expect(sarif[i]?.locations.map(({ physicalLocation: at }) => [decodeURIComponent(at?.artifactLocation?.uri ?? ''), at?.region?.startLine])).toEqual(
            evidence.map(({ path, line_start }) => [path, line_start]),
          );
        }
      }),
    );
  });

  it('are the same bytes whatever the order of the findings (FND-12)', () => {
    fc.assert(
      fc.property(findings, (all) => {
        const reversed = [...all].reverse();
        expect(renderJson(reversed)).toBe(renderJson(all));
        expect(renderText(reversed)).toBe(renderText(all));
        expect(renderSarif(reversed, { ...options, rules: [secret, wideWrite] })).toBe(renderSarif(all, options));
      }),
    );
  });

  it('refuse two findings with one id, because one suppression would silence both (FND-12)', () => {
    for (const render of [renderText, renderJson, (all: readonly Finding[]) => renderSarif(all, options)]) {
      expect(code(() => render([agentFinding, agentFinding]))).toBe('duplicate-item');
    }
  });

  it('judge a finding that nobody built with createFinding', () => {
    expect(code(() => renderText([{ ...agentFinding, message: 'a\u001b[2J' }]))).toBe('control-character');
  });

  const canary = 'canary-7f3a-never-shown';
  it.each([
    'AKIAIOSFODNN7EXAMPLE',
    `ghp_${'a1B2'.repeat(9)}`,
    'sk_live_51Habcdefghijklmno',
    'Bearer abcdefghijklmnop.qrst',
    'https://user:hunter2secret@example.com/',
    canary,
  ])('let %s out of none of the three, wherever a careless rule wrote it (FND-11)', (value) => {
    const said = `found ${value} here`;
    const planted = value.replace(/^Bearer |^https:\/\/user:|@example.*$/g, '');
    const capability = { ...context.capabilityPath, agent_id: said, target_id: said, target_type: 'tool' as const, hops: [{ edge_id: said }] };
    // a shape that rests on the words beside it is none alone
    const evidence = [{ adapter: 'policy', path: planted === value ? `a/${planted}/b.yaml` : 'a.yaml' }];
    const finding = findingFromObservation({ ...observation, message: said, evidence }, wideWrite, {
      remediation: said,
      affectedAgent: said,
      capabilityPath: capability,
    });
    const suppressions = new Map([[finding.id, { reason: said }]]);
    const rules = [{ ...wideWrite, title: said, help: said }];
    const secrets = [canary];
    for (const text of [
      renderText([finding], { details: true, suppressions, secrets }),
      renderJson([finding], { suppressions, secrets }),
      renderSarif([finding], { tool: { version: '0.1.0' }, rules, suppressions, secrets }),
    ]) {
      expect(text).not.toContain(planted);
      expect(text).toContain('[redacted]');
    }
  });

  it('redacts known values longest first, so that no half of one is left (FND-11)', () => {
    expect(renderText([changed(agentFinding, { message: 'x abcdef y' })], { secrets: ['abc', 'abcdef'] })).toContain('x [redacted] y');
    expect(() => renderText([agentFinding], { secrets: [''] })).toThrow(TypeError);
  });

  it('leaves ordinary words alone', () => {
    for (const text of [
      'the rule `deny-secrets` covers /srv/token',
      'a password is asked for',
      'https://example.com:8080/a',
      'sha256:'.padEnd(71, 'a'),
      'desk-organizer-for-many-things',
    ]) {
      expect(secretsIn(text)).toEqual([]);
    }
  });

  it('looks for secrets in time that grows with the text (FND-11)', () => {
    const hostile = ['password = ', '://a:', 'Bearer ', 'eyJ'.repeat(3), '-----BEGIN ', 'sk-'].map((part) => part.repeat(4_096 / part.length));
    const start = process.cpuUsage();
    for (const text of hostile) secretsIn(text);
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(500);
  });
});

describe('renderText', () => {
  it('gives one summary line with glyph and label, and one line for each location (FND-13)', () => {
    const two = secretFinding('x', [
      { adapter: 'policy', path: 'a.yaml', line_start: 2, column_start: 4 },
      { adapter: 'policy', path: 'b.yaml' },
      { adapter: 'policy', document_digest: `sha256:${'0'.repeat(64)}` },
    ]);
    expect(renderText([two, agentFinding])).toBe(
      [
        '‼ critical policy.hardcoded-secret: an access key stands in the policy',
        '  a.yaml:2:4',
        '  b.yaml',
        '✖ high     policy.wide-write: the rule `all` lets builder write every path (agent builder)',
        '  policies/main.yaml:3:5',
        '',
      ].join('\n'),
    );
  });

  it('has another glyph and label for each severity (FND-13)', () => {
    const heads = severities.map((severity) =>
      renderText([changed(repositoryFinding, { severity })])
        .split(/ +/, 2)
        .join(' '),
    );
    expect(new Set(heads.map((head) => head.split(' ')[0])).size).toBe(5);
    expect(heads.map((head) => head.split(' ')[1])).toEqual([...severities]);
  });

  it('paints only with the colours that it is given (FND-13)', () => {
    expect(renderText(both)).not.toContain('\u001b');
    const red = (text: string): string => `\u001b[31m${text}\u001b[39m`;
    expect(renderText(both, { colours: { bad: red, open: red, strong: red, faint: red } })).toContain('\u001b[31m✖ high');
  });

  it('says what was suppressed and what changed', () => {
    const text = renderText([changed(agentFinding, { change_state: 'added' })], { suppressions: new Map([[agentFinding.id, { reason: 'a test machine' }]]) });
    expect(text).toContain('(agent builder, added, suppressed: a test machine)');
  });

  it('escapes what a terminal would not show as it is (FND-13)', () => {
    expect(renderText([changed(agentFinding, { message: 'zero\u200bwidth and é' })])).toContain('zero\\u200bwidth and \\u00e9');
  });

  it('is empty where nothing was found', () => {
    expect(renderText([])).toBe('');
  });
});

describe('renderJson', () => {
  it('can be read again through the strict door (FND-14)', () => {
    fc.assert(
      fc.property(findings, (all) => {
        const again = parseFindings(renderJson(all));
        expect(renderJson(again)).toBe(renderJson(all));
        expect(new Map(again.map((finding) => [finding.id, finding]))).toEqual(new Map(all.map((finding) => [finding.id, finding])));
      }),
    );
  });

  it('names the suppressed ones where suppressions are asked for (FND-14)', () => {
    const given = new Map([
      [agentFinding.id, { reason: 'known' }],
      ['another', { reason: 'stale' }],
    ]);
    expect(JSON.parse(renderJson(both, { suppressions: given }))).toMatchObject({ suppressed: [{ id: agentFinding.id, reason: 'known' }] });
    expect(JSON.parse(renderJson(both))).not.toHaveProperty('suppressed');
    expect(parseFindings(renderJson(both, { suppressions: given }))).toHaveLength(2);
  });

  it.each([
    ['{', 'syntax'],
    ['{"schema_version":"1.2.0"}', 'missing-key'],
    ['{"schema_version":"1.1.0","findings":[]}', 'bad-value'],
    ['{"schema_version":"1.2.0","findings":[],"findings":[]}', 'duplicate-key'],
    ['{"schema_version":"1.2.0","findings":[],"more":1}', 'unknown-key'],
    [renderJson([agentFinding]).replace('"rule:all"', '"rule:other"'), 'finding-id-differs'],
    [renderJson([agentFinding]).replace('"capability_path"', '"capability"'), 'unknown-key'],
    [renderJson(both).replace(agentFinding.id, repositoryFinding.id), 'duplicate-name'],
  ])('is refused where it is damaged: case %# is %s (FND-14)', (text, expected) => {
    expect([code(() => parseFindings(text)), code(() => parseFindings(text, { file: 'baseline.json' }))]).toContain(expected);
  });

  it('names file and pointer of a finding that fails', () => {
    const text = renderJson([agentFinding]).replace('"rule:all"', '"rule:other"');
    expect(() => parseFindings(text, { file: 'baseline.json' })).toThrow(
      expect.objectContaining({ where: { file: 'baseline.json', pointer: '/findings/0/id' } }),
    );
  });
});

describe('renderSarif', () => {
  it('meets what GitHub and the text of SARIF ask beyond the schema (FND-16 to FND-19)', () => {
    fc.assert(
      fc.property(findings, fc.boolean(), (all, suppress) => {
        const suppressions = new Map(all.slice(0, 2).map(({ id }) => [id, { reason: 'known' }]));
        expect(sarifFaults(renderSarif(all, { ...options, ...(suppress && { suppressions }) }))).toEqual([]);
      }),
    );
  });

  it('has results where nothing was found: an empty list, which is not null (FND-15)', () => {
    expect(log([]).runs[0]?.results).toEqual([]);
  });

  it('maps severities to levels, and keeps everything else in the bag (FND-15)', () => {
    const levels = severities.map((severity) => results([changed(repositoryFinding, { severity })])[0]?.level);
    expect(levels).toEqual(['note', 'note', 'warning', 'error', 'error']);
    const { message: _, rule_id: _1, evidence: _2, ...rest } = agentFinding;
    expect(results([agentFinding])[0]?.properties.ruleprint).toEqual(rest);
  });

  it('sorts rules and points to them (FND-16)', () => {
    const [run] = log(both).runs;
    expect(run?.tool.driver.rules.map(({ id }) => id)).toEqual([secret.id, wideWrite.id]);
    expect(run?.results.map(({ ruleIndex }) => ruleIndex)).toEqual([0, 1]);
    expect(run?.tool.driver.rules[1]).toMatchObject({
      help: { text: wideWrite.help },
      helpUri: wideWrite.documentationUrl,
      properties: { 'security-severity': '8.0', precision: 'high' },
    });
    expect(run?.tool.driver.rules[0]?.properties).not.toHaveProperty('security-severity');
  });

  it('refuses a finding whose rule is not given, a rule twice and a rule that says too much (FND-16)', () => {
    expect(code(() => renderSarif(both, { ...options, rules: [secret] }))).toBe('bad-value');
    expect(code(() => renderSarif([], { ...options, rules: [secret, secret] }))).toBe('duplicate-item');
    expect(code(() => renderSarif([], { ...options, rules: [{ ...secret, help: 'x'.repeat(1_025) }] }))).toBe('limit');
    expect(code(() => renderSarif([], { ...options, rules: [{ ...secret, help: 'x'.repeat(1_024) }] }))).toBe('taken');
    expect(code(() => renderSarif([], { ...options, rules: [{ ...secret, help: '' }] }))).toBe('empty-text');
  });

  it('gives each location a whole region, of what is known (FND-17)', () => {
    const region = (evidence: object): unknown =>
      results([secretFinding('x', [{ adapter: 'policy', path: 'a.yaml', ...evidence }])])[0]?.locations[0]?.physicalLocation?.region;
    expect(region({})).toEqual({ startLine: 1, startColumn: 1, endLine: 1, endColumn: 2 });
    expect(region({ line_start: 7, column_start: 5 })).toEqual({ startLine: 7, startColumn: 5, endLine: 7, endColumn: 6 });
    expect(region({ line_start: 7, line_end: 9 })).toEqual({ startLine: 7, startColumn: 1, endLine: 9, endColumn: 2 });
    expect(region({ line_start: 7, line_end: 9, column_start: 3, column_end: 4 })).toEqual({ startLine: 7, startColumn: 3, endLine: 9, endColumn: 4 });
  });

  it('encodes each segment of a path, so that no segment is a scheme or a query (FND-17)', () => {
    const uri = (path: string): unknown => results([secretFinding('x', [{ adapter: 'policy', path }])])[0]?.locations[0]?.physicalLocation?.artifactLocation;
    expect(uri('http:/a?b#c/d e/%2f/é')).toEqual({ uri: 'http%3A/a%3Fb%23c/d%20e/%252f/%C3%A9', uriBaseId: '%SRCROOT%' });
  });

  it('shows a finding without a path at a file that the caller names, or refuses it (FND-17)', () => {
    const digest = secretFinding('x', [{ adapter: 'policy', document_digest: `sha256:${'0'.repeat(64)}` }]);
    expect(code(() => renderSarif([digest], options))).toBe('missing-key');
    const [result] = results([digest], { standIn: 'audit/policy.yaml' });
    expect(result?.locations[0]?.physicalLocation?.artifactLocation?.uri).toBe('audit/policy.yaml');
    expect(result?.properties.ruleprint['documents']).toEqual(digest.evidence);
    expect(code(() => renderSarif([digest], { ...options, standIn: '/abs' }))).toBe('bad-value');
  });

  it('gives two findings on one line two fingerprints, each with the id (FND-18)', () => {
    const [a, b] = results([secretFinding('x'), secretFinding('y')]);
    expect(a?.partialFingerprints).not.toEqual(b?.partialFingerprints);
    expect(a?.partialFingerprints).toEqual({
      primaryLocationLineHash: `${a?.properties.ruleprint.id.slice(-64)}:1`,
      'ruleprintFinding/v1': a?.properties.ruleprint.id,
    });
  });

  it('keeps a fingerprint where lines move and texts change (FND-18)', () => {
    const before = secretFinding('x');
    const after = secretFinding('x', [{ adapter: 'policy', path: 'policies/main.yaml', line_start: 400 }], { severity: 'low' });
    expect(results([after])[0]?.partialFingerprints).toEqual(results([before])[0]?.partialFingerprints);
  });

  it('has baselineState on all results or on none (FND-19)', () => {
    const [x, y] = [secretFinding('x', undefined, { changeState: 'added' }), secretFinding('y', undefined, { changeState: 'removed' })];
    const states = (all: readonly Finding[]): unknown[] => results(all).map((result) => result.baselineState);
    expect(states([x, y]).sort()).toEqual(['absent', 'new']);
    expect(states([secretFinding('x', undefined, { changeState: 'unchanged' }), secretFinding('y', undefined, { changeState: 'changed' })]).sort()).toEqual([
      'unchanged',
      'updated',
    ]);
    expect(states([x, secretFinding('y')])).toEqual([undefined, undefined]);
    expect(states([x, secretFinding('y', undefined, { changeState: 'unknown' })])).toEqual([undefined, undefined]);
  });

  it('refuses a removed finding among uncompared ones, which would be shown as there (FND-19)', () => {
    expect(code(() => renderSarif([secretFinding('x'), secretFinding('y', undefined, { changeState: 'removed' })], options))).toBe('field-conflict');
  });

  it('has suppressions on all results or on none (FND-19)', () => {
    expect(results(both).map((result) => result.suppressions)).toEqual([undefined, undefined]);
    expect(results(both, { suppressions: new Map() }).map((result) => result.suppressions)).toEqual([[], []]);
    const one = results(both, { suppressions: new Map([[agentFinding.id, { reason: 'known' }]]) }).map((result) => result.suppressions);
    expect(one).toEqual([[], [{ kind: 'external', status: 'accepted', justification: 'known' }]]);
  });

  it('refuses more findings than GitHub takes (FND-20)', () => {
    const all = Array.from({ length: 25_001 }, (_, i) =>
      createFinding({ ...repositoryFinding, id: `ruleprint:finding:sha256:${i.toString(16).padStart(64, '0')}` }),
    );
    expect(code(() => renderSarif(all, options))).toBe('limit');
    expect(code(() => renderSarif(all.slice(1), options))).toBe('taken');
  });

  it('writes no link into a page, whoever named a rule (FND-17)', () => {
    const [result] = results([changed(agentFinding, { message: 'the rule `[click](https://evil.example)`' })]);
    expect(result?.message.text).toBe('the rule `[click] (https://evil.example)`');
  });

  it('says nothing of time or machine (FND-12)', () => {
    const text = renderSarif(both, options);
    expect(text).not.toMatch(/timeUtc|file:|\d{4}-\d\d-\d\dT/i);
    expect(text).not.toContain(process.cwd());
  });
});
