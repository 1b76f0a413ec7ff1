/** What a lint report holds: identities, help, secrets, suppressions, baseline (spec/lint.md). */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { occurrenceOf } from '../../src/finding/identity.js';
import { parseFindings, renderJson } from '../../src/finding/json.js';
import { renderSarif } from '../../src/finding/sarif.js';
import { renderText } from '../../src/finding/text.js';
import { blocks, compareWith } from '../../src/lint/baseline.js';
import { lintPolicy } from '../../src/lint/lint.js';
import { Reach } from '../../src/lint/reach.js';
import { allLintRules } from '../../src/lint/registry.js';
import { parseSuppressions, suppress } from '../../src/lint/suppressions.js';
import { copyPolicy } from '../../src/policy/copy.js';
import { policies } from '../../src/testing/arbitraries.js';
import { sarifFaults } from '../finding/github-sarif.js';
import { runs } from '../property/agreement.js';

const lint = (rules: readonly string[], path = 'policy.yaml') =>
  lintPolicy(`version: 1\nrules:\n${rules.map((rule) => `  - { ${rule} }\n`).join('')}`, { format: 'yaml', path });
const files = (name: string, path: string, agents = 'any') =>
  `name: ${name}, effect: allow, agents: ${agents}, action: { filesystem: { path: "${path}", methods: any } }`;
const idsOf = (found: ReturnType<typeof lint>, rule = '') => found.filter(({ rule_id: id }) => id.startsWith(rule)).map(({ id }) => id);

describe('the registry', () => {
  it('has for each rule an id, a version, a severity, a confidence and a page of help at its address (LNT-7)', () => {
    const page = readFileSync(new URL('../../docs/lint.md', import.meta.url), 'utf8');
    const sections = new Map(
      page
        .split(/^## /m)
        .slice(1)
        .map((section) => [section.slice(0, section.indexOf('\n')), section]),
    );
    expect([...sections.keys()]).toEqual(allLintRules.map(({ id }) => id));
    for (const { id, version, title, severity, confidence, help, remediation, documentationUrl } of allLintRules) {
      expect(sections.get(id)).toContain(`${title}. Version ${version}, severity ${severity}, confidence ${confidence}.`);
      expect(sections.get(id)).toContain(help);
      expect(sections.get(id)).toContain(`What to do: ${remediation}.`);
      expect(documentationUrl).toBe(`https://unpkg.com/ruleprint/docs/lint.md#${id.replaceAll('.', '')}`);
    }
  });

  it('finds the same in the same bytes (LNT-7)', () => {
    const text = JSON.stringify({
      version: 1,
      rules: [{ name: 'a', effect: 'allow', agents: 'any', action: { filesystem: { path: '/**', methods: 'any' } } }],
    });
    const once = () => renderJson(lintPolicy(text, { format: 'json', path: 'p.json' }));
    expect(once()).toBe(once());
  });
});

describe('identity', () => {
  it('stays where lines, order and other rules change (LNT-6)', () => {
    const wide = files('wide', '/**');
    const [before] = idsOf(lint([wide]), 'policy.any-path');
    expect(idsOf(lint([files('other', '/srv/a'), wide]), 'policy.any-path')).toEqual([before]);
  });

  it.each([
    ['name', files('wider', '/**')],
    ['pattern', files('wide', '/*/**')],
    ['agents', files('wide', '/**', '{ one_of: [a, b] }')],
    ['methods', files('wide', '/**').replace('methods: any', 'methods: [write]')],
  ])('moves with the %s of the rule of the policy, so that no decision about it goes on to another rule (LNT-6)', (_, changed) => {
    const [before] = idsOf(lint([files('wide', '/**')]), 'policy.any-path');
    const after = idsOf(lint([changed]), 'policy.any-path');
    expect(after).toHaveLength(1);
    expect(after).not.toContain(before);
  });

  it('moves with the file, and with the agent where there is one (LNT-6)', () => {
    const one = lint([files('wide', '/**', '{ one_of: [a] }')]);
    expect(one.every(({ affected_agent: agent, capability_path: way }) => agent === 'a' && way?.target_id === '/**')).toBe(true);
    expect(idsOf(lint([files('wide', '/**', '{ one_of: [a] }')], 'other.yaml')).some((id) => idsOf(one).includes(id))).toBe(false);
    expect(lint([files('wide', '/**', '{ one_of: [a, b] }')]).every(({ affected_agent: agent }) => agent === undefined)).toBe(true);
  });

  it('is of one finding alone, in every policy (LNT-6)', () => {
    fc.assert(
      fc.property(policies({ maxRules: 14 }), (policy) => {
        const ids = idsOf(lintPolicy(JSON.stringify(policy), { format: 'json', path: 'p.json' }));
        expect(new Set(ids).size).toBe(ids.length);
      }),
      runs(2),
    );
  });
});

describe('a report', () => {
  it('is read again as it was written, whatever the policy holds, so that it can be a baseline (LNT-11)', () => {
    const nasty = fc.constantFrom(
      'password=é123',
      'token: \u200b-abcdefg',
      'AKIAIOSFODNN7EXAMPLE',
      'a](b)',
      'https://u:p@h',
      '\u{1F600}'.repeat(60),
      'secret=abcdefghij',
    );
    const rule = fc.record({
      effect: fc.constantFrom('allow', 'deny', 'ask'),
      agents: fc.oneof(fc.constant('any'), fc.record({ one_of: fc.tuple(nasty) })),
      action: fc.oneof(
        fc.record({ tool: fc.record({ server: nasty, name: fc.constantFrom('*', 'x') }) }),
        fc.record({ process: fc.record({ argv: fc.tuple(fc.constant('*'), nasty) }) }),
      ),
    });
    const rules = fc.uniqueArray(fc.tuple(rule, nasty), { minLength: 1, maxLength: 5, selector: ([, name]) => name });
    fc.assert(
      fc.property(rules, nasty, (some, name) => {
        const policy = { version: 1, rules: some.map(([each, ruleName]) => ({ name: ruleName, ...each })) };
        const path = `${name.replaceAll('/', '')}.json`;
        const found = lintPolicy(JSON.stringify(policy), { format: 'json', path });
        const again = parseFindings(renderJson(found));
        expect(again.map(({ id }) => id).sort()).toEqual(idsOf(found).sort());
        const states = compareWith(found, again, new Set(allLintRules.map(({ id }) => id))).map(({ change_state: state }) => state);
        expect(new Set(states)).toEqual(new Set(found.length > 0 ? ['unchanged'] : []));
      }),
      runs(2),
    );
  });
});

describe('secrets in the policy', () => {
  const token = `ghp_${'aB3dE6gH9j'.repeat(4)}`;
  const policy = (secret: string, more = '') => `# ${more}
version: 1
rules:
  - { name: "run ${secret}", effect: allow, agents: { one_of: ["${secret}"] }, action: { process: { argv: [sh, -c, "${secret} *"] } } }
  - { name: "all ${secret}", effect: allow, agents: any, action: { filesystem: { path: "/**/${secret}", methods: any } } }
  - { name: "again ${secret}", effect: allow, agents: any, action: { filesystem: { path: "/**/${secret}", methods: any } } }
`;

  it.each([token, 'AKIAIOSFODNN7EXAMPLE', 'token=hunter2hunter'])('are in no form of the report: %s (LNT-8)', (secret) => {
    const found = lintPolicy(policy(secret), { format: 'yaml', path: 'p.yaml' });
    expect(new Set(found.map(({ rule_id: rule }) => rule))).toContain('policy.hard-coded-secret');
    expect(found.length).toBeGreaterThan(4);
    const bare = secret.replace(/^token=/, '');
    for (const text of [
      renderText(found, { details: true }),
      renderJson(found),
      renderSarif(found, { rules: allLintRules, tool: { version: '1.0.0' } }),
      JSON.stringify(found),
    ]) {
      expect(text).not.toContain(bare);
      // not in part either, as a shortened text would have it
      expect(text).not.toContain(bare.slice(0, 10));
    }
  });

  it('are one finding with all its places, about the repository', () => {
    const [found, ...rest] = lintPolicy(policy(token), { format: 'yaml', path: 'p.yaml' }).filter(({ rule_id: rule }) => rule === 'policy.hard-coded-secret');
    expect(rest).toEqual([]);
    expect(found?.affected_agent).toBeUndefined();
    expect(found?.evidence.map(({ line_start: line, column_start: column }) => `${line}:${column}`).slice(0, 2)).toEqual(['4:18', '4:100']);
  });

  it('have an id that follows the secret and not its place, so that a suppression does not go on to the next one (LNT-6)', () => {
    const other = token.replace('aB', 'zZ');
    const idOf = (text: string) => idsOf(lintPolicy(text, { format: 'yaml', path: 'p.yaml' }), 'policy.hard-coded-secret');
    const [first] = idOf(policy(token));
    expect(idOf(policy(token, other))).toContain(first);
    expect(idOf(policy(other))).not.toContain(first);
  });

  it('take nothing else out of a report, however short they are', () => {
    const found = lintPolicy(`# https://u:p@h.example\n${policy('x')}`, { format: 'yaml', path: 'p.yaml' });
    expect(found.find(({ rule_id: rule }) => rule === 'policy.any-path')?.message).toBe(
      'the rule `all x` allows write, delete and execute in every folder: `/**/x`',
    );
    expect(found.every(({ evidence }) => evidence.every(({ path }) => path === 'p.yaml'))).toBe(true);
  });

  it('are in no id where they can be guessed (LNT-8)', () => {
    const idOf = (password: string) => idsOf(lintPolicy(`# https://u:${password}@h.example\nversion: 1\nrules: []\n`, { format: 'yaml', path: 'p.yaml' }));
    expect(idOf('hunter2')).toHaveLength(1);
    expect(idOf('hunter2')).toEqual(idOf('hunter3'));
  });
});

describe('an undecided rule', () => {
  const policy = copyPolicy({
    version: 1,
    rules: [
      { name: 'a', effect: 'deny', agents: 'any', action: { filesystem: { path: '/a/*b', methods: 'any' } } },
      { name: 'b', effect: 'allow', agents: { one_of: ['x'] }, action: { filesystem: { path: '/a/*cb', methods: ['read'] } } },
      { name: 'c', effect: 'allow', agents: { one_of: ['x'] }, action: { filesystem: { path: '/a/b', methods: ['read'] } } },
    ],
  });

  it.each([{ states: 3 }, { positions: 5, positionsEach: 0 }, { manners: 0 }])('is neither dead nor alive, and a finding of its own: %j (LNT-4)', (budgets) => {
    expect(new Reach(policy, budgets).of(1)).toEqual({ state: 'undecided' });
    const found = lintPolicy(JSON.stringify(policy), { format: 'json', path: 'p.json', budgets });
    expect(found.filter(({ message }) => message.includes('`b`')).map(({ rule_id: rule }) => rule)).toEqual(['policy.undecided-rule']);
    expect(new Reach(policy).of(1)).toEqual({ state: 'dead', by: [0] });
  });
});

describe('suppressions', () => {
  const rules = [files('wide', '/**', '{ one_of: [a] }'), files('wide-too', '/**', '{ one_of: [b] }')];
  const found = lint(rules);
  const [one, two] = idsOf(found, 'policy.any-path') as [string, string];
  const text = (...rows: readonly string[]) => `version: 1\nsuppressions:\n${rows.map((row) => `  - { ${row} }\n`).join('')}`;
  const row = (finding: string, { rule = 'policy.any-path', expires = '2027-06-30' } = {}) =>
    `rule: ${rule}, finding: "${finding}", reason: "reviewed", expires: ${expires}`;
  const apply = (source: string, today = '2027-06-30') => suppress(found, parseSuppressions(source, { format: 'yaml' }), 'suppressions.yaml', today);

  it('silence the one finding that they name (LNT-9)', () => {
    const { findings, suppressions } = apply(text(row(one)));
    expect(findings).toEqual(found);
    expect([...suppressions]).toEqual([[one, { reason: 'reviewed' }]]);
  });

  it.each([
    ['are stale where there is no such finding', row(`ruleprint:finding:sha256:${'0'.repeat(64)}`), 'suppression.stale'],
    ['are stale where the finding is by another rule', () => row(one, { rule: 'policy.open-write' }), 'suppression.stale'],
    ['are expired on the day after', () => row(one, { expires: '2027-06-29' }), 'suppression.expired'],
  ] as const)('%s: they silence nothing and are reported where they stand (LNT-10)', (_, made, rule) => {
    const { findings, suppressions } = apply(text(row(two), typeof made === 'string' ? made : made()));
    expect([...suppressions.keys()]).toEqual([two]);
    const reports = findings.slice(found.length);
    expect(reports.map(({ rule_id: id }) => id)).toEqual([rule]);
    expect(reports[0]?.evidence).toEqual([{ adapter: 'ruleprint-lint', path: 'suppressions.yaml', line_start: 4, column_start: 5 }]);
  });

  it('are not silenced by others (LNT-10)', () => {
    const stale = row(`ruleprint:finding:sha256:${'0'.repeat(64)}`);
    const [report] = apply(text(stale)).findings.slice(found.length);
    const { findings, suppressions } = apply(text(stale, row(report?.id ?? '', { rule: 'suppression.stale' })));
    expect(suppressions.size).toBe(0);
    expect(findings.slice(found.length)).toHaveLength(2);
  });

  it.each([
    ['a finding twice', text(row(one), row(one)), 'duplicate-name'],
    ['a part of an id', text(row(one.slice(0, -1))), 'bad-value'],
    ['no reason', text(row(one).replace('reason: "reviewed", ', '')), 'missing-key'],
    ['an empty reason', text(row(one).replace('reviewed', '')), 'empty-text'],
    ['no day', text(row(one, { expires: '2027-02-29' })), 'bad-value'],
    ['a time', text(row(one, { expires: '2027-02-28T00:00:00Z' })), 'bad-value'],
    ['an unknown field', text(`${row(one)}, owner: me`), 'unknown-key'],
  ])('are refused with %s (LNT-9)', (_, source, code) => {
    expect(() => apply(source)).toThrowError(expect.objectContaining({ code }));
  });
});

describe('a baseline', () => {
  const known = new Set(allLintRules.map(({ id }) => id));
  const before = lint([files('wide', '/**', '{ one_of: [a] }'), files('gone', '/*', '{ one_of: [b] }')]);
  const now = lint([files('wide', '/**', '{ one_of: [a] }'), files('new', '/*/**', '{ one_of: [b] }')]);

  it('says of each finding whether it is new, unchanged, changed or gone (LNT-11)', () => {
    const wide = before.filter(({ message }) => message.includes('`wide`')).map((finding) => ({ ...finding }));
    const changed = before.map((finding) => (finding.id === wide[0]?.id ? { ...finding, severity: 'info' as const } : finding));
    const states = (baseline: typeof before) =>
      Object.fromEntries(
        compareWith(now, baseline, known).map(({ message, rule_id: rule, change_state: state }) => [`${rule} ${/`(\w+)`/.exec(message)?.[1]}`, state]),
      );
    const plain = states(before);
    expect(plain).toMatchObject({ 'policy.any-path wide': 'unchanged', 'policy.any-path gone': 'removed' });
    expect(new Set(Object.values(plain))).toEqual(new Set(['unchanged', 'removed', 'added']));
    expect(states(changed)[`${wide[0]?.rule_id} wide`]).toBe('changed');
    expect(new Set(Object.values(states([])))).toEqual(new Set(['added']));
  });

  it('does not hold on to what was gone before (LNT-11)', () => {
    const once = compareWith(now, before, known);
    expect(compareWith(now, once, known).filter(({ change_state: state }) => state === 'removed')).toEqual([]);
  });

  it('lets pass what is unchanged or gone, and blocks the rest from the threshold on (LNT-12)', () => {
    const [finding] = lint([files('wide', '/**')]).filter(({ severity }) => severity === 'high') as [(typeof now)[number]];
    const state = (change_state: (typeof finding)['change_state']) => ({ ...finding, change_state });
    expect(['added', 'changed', 'not-compared', 'unknown'].map((each) => blocks(state(each as 'added'), 'high', new Map()))).toEqual([true, true, true, true]);
    expect(['unchanged', 'removed'].map((each) => blocks(state(each as 'added'), 'high', new Map()))).toEqual([false, false]);
    expect(blocks(finding, 'critical', new Map())).toBe(false);
    expect(blocks(finding, 'high', new Map([[finding.id, {}]]))).toBe(false);
    expect(blocks(finding, 'high', new Map([[occurrenceOf('x', 'y'), {}]]))).toBe(true);
  });

  it('makes a SARIF log that GitHub takes', () => {
    const findings = compareWith(now, before, known);
    expect(sarifFaults(renderSarif(findings, { rules: allLintRules, tool: { version: '1.0.0' }, suppressions: new Map() }))).toEqual([]);
  });
});
