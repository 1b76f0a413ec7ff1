/**
 * `ruleprint lint`: one set of findings in three forms, and its exit codes (spec/lint.md).
 * @module
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sarifFaults, type SarifLog } from '../finding/github-sarif.js';
import { cli, jsonOf, newFolder, policyYaml } from './cli.js';

const wide = `version: 1
rules:
  - { name: all, effect: allow, agents: { one_of: [a] }, action: { filesystem: { path: "/**", methods: [read, write] } } }
  - { name: again, effect: allow, agents: { one_of: [a] }, action: { filesystem: { path: "/**", methods: [write, read] } } }
  - { name: web, effect: allow, agents: any, action: { network: { host: "*.example.com", ports: { from: 443, to: 443 }, methods: [GET] } } }
`;
const mild = `version: 1
rules:
  - { name: scratch, effect: allow, agents: any, action: { filesystem: { path: "/srv/scratch/*.txt", methods: [write] } } }
`;
const clean = policyYaml.replace('/srv/**", methods: [read]', '/srv/app/README.md", methods: [read]').replace('/srv/keys', '/srv/app/keys');
const cwd = newFolder({ 'wide.yaml': wide, 'mild.yaml': mild, 'clean.yaml': clean, 'bad.yaml': 'version: 1\nrules: 7\n', 'policy.txt': wide });
mkdirSync(join(cwd, 'policies'));
writeFileSync(join(cwd, 'policies/one.yaml'), wide);
writeFileSync(join(cwd, 'policies/two.yaml'), mild);
mkdirSync(join(cwd, 'empty'));

interface Report {
  readonly findings: readonly {
    readonly id: string;
    readonly rule_id: string;
    readonly message: string;
    readonly severity: string;
    readonly change_state: string;
    readonly evidence: readonly { readonly path: string; readonly line_start: number; readonly column_start: number }[];
  }[];
  readonly suppressed?: readonly { readonly id: string; readonly reason: string }[];
}
const reportOf = async (...words: string[]): Promise<Report> => jsonOf(await cli('lint', ...words, '--json', { cwd })) as unknown as Report;

describe('ruleprint lint', () => {
  it('says in one line that there is nothing, and ends with 0 (LNT-12)', async () => {
    expect(await cli('lint', 'clean.yaml', { cwd })).toEqual({ code: 0, stdout: 'no findings in 1 policy\n', stderr: '' });
  });

  it('ends with 1 where a finding is severe enough, and with 0 where there are only warnings (LNT-12)', async () => {
    const codes = async (...words: string[]) => (await cli('lint', ...words, { cwd })).code;
    expect(await codes('wide.yaml')).toBe(1);
    expect(await codes('mild.yaml')).toBe(0);
    expect(await codes('mild.yaml', '--fail-on', 'medium')).toBe(1);
    expect(await codes('mild.yaml', '--fail-on', 'high', '--format', 'sarif')).toBe(0);
    expect(await codes('wide.yaml', '--fail-on', 'critical')).toBe(0);
    expect(await codes('clean.yaml', 'wide.yaml', '--json')).toBe(1);
  });

  it('names each rule where it begins, and counts (LNT-5)', async () => {
    const { stdout } = await cli('lint', 'wide.yaml', { cwd });
    expect(stdout).toMatch(/ {2}wide\.yaml:3:5\n/);
    expect(stdout).toMatch(/policy\.duplicate-rule.*\n {2}wide\.yaml:4:5\n {2}wide\.yaml:3:5\n/);
    expect(stdout).toMatch(/\n3 findings in 1 policy: 2 high, 1 low; blocked by 2 of severity high or above\n$/);
  });

  it('holds the same findings as text, as JSON and as SARIF (LNT-12)', async () => {
    const words = ['policies', 'clean.yaml'];
    const { findings } = await reportOf(...words);
    const text = (await cli('lint', ...words, '--details', { cwd })).stdout;
    const sarif = (await cli('lint', ...words, '--format', 'sarif', { cwd })).stdout;
    const { results } = (JSON.parse(sarif) as SarifLog).runs[0] as SarifLog['runs'][number];
    expect(findings.length).toBeGreaterThan(3);
    expect(sarifFaults(sarif)).toEqual([]);
    expect(results.map(({ properties }) => properties.ruleprint.id)).toEqual(findings.map(({ id }) => id));
    expect([...text.matchAll(/id: (ruleprint:finding:sha256:[0-9a-f]{64})$/gm)].map(([, id]) => id)).toEqual(findings.map(({ id }) => id));
    for (const [i, { rule_id: rule, message, severity, evidence }] of findings.entries()) {
      expect(results[i]).toMatchObject({ ruleId: rule, message: { text: message }, properties: { ruleprint: { severity } } });
      const places = results[i]?.locations.map(
        ({ physicalLocation: at }) => `${at?.artifactLocation?.uri}:${at?.region?.startLine}:${at?.region?.startColumn}`,
      );
      expect(places).toEqual(evidence.map(({ path, line_start: line, column_start: column }) => `${path}:${line}:${column}`));
      expect(text).toContain(`${rule}: ${message}`);
      expect(text).toContain(`\n${places?.map((place) => `  ${place}\n`).join('')}`);
    }
  });

  it('is the same to the byte when it is run again', async () => {
    const once = await cli('lint', 'policies', '--format', 'sarif', { cwd });
    expect(await cli('lint', 'policies', '--format', 'sarif', { cwd })).toEqual(once);
  });

  it('goes by a baseline: what is known does not block, what is gone is said (LNT-11, LNT-12)', async () => {
    writeFileSync(join(cwd, 'base.json'), (await cli('lint', 'wide.yaml', '--json', { cwd })).stdout);
    expect((await cli('lint', 'wide.yaml', '--baseline', 'base.json', { cwd })).code).toBe(0);
    const { findings } = await reportOf('mild.yaml', '--baseline', 'base.json');
    expect(new Set(findings.map(({ change_state: state }) => state))).toEqual(new Set(['added', 'removed']));
    const sarif = (await cli('lint', 'mild.yaml', '--baseline', 'base.json', '--format', 'sarif', { cwd })).stdout;
    expect(sarifFaults(sarif)).toEqual([]);
    expect(new Set((JSON.parse(sarif) as SarifLog).runs[0]?.results.map(({ baselineState }) => baselineState))).toEqual(new Set(['new', 'absent']));
    expect((await cli('lint', 'mild.yaml', '--baseline', 'base.json', { cwd })).stdout).toMatch(
      /1 finding in 1 policy: 1 medium; 3 gone since the baseline\n$/,
    );
  });

  it('goes by suppressions: a suppressed finding is shown as such and does not block, an expired one does (LNT-9, LNT-10)', async () => {
    const { findings } = await reportOf('wide.yaml');
    const file = (expires: string) =>
      JSON.stringify({ version: 1, suppressions: findings.map(({ id, rule_id: rule }) => ({ rule, finding: id, reason: 'known', expires })) });
    writeFileSync(join(cwd, 'holds.json'), file('9999-12-31'));
    writeFileSync(join(cwd, 'over.json'), file('2020-01-01'));
    const holds = await cli('lint', 'wide.yaml', '--suppressions', 'holds.json', '--json', { cwd });
    expect(holds.code).toBe(0);
    expect((jsonOf(holds) as unknown as Report).suppressed).toEqual(findings.map(({ id }) => ({ id, reason: 'known' })));
    const over = await cli('lint', 'wide.yaml', '--suppressions', 'over.json', { cwd });
    expect(over.code).toBe(1);
    expect(over.stdout.match(/suppression\.expired/g)).toHaveLength(findings.length);
    const sarif = (await cli('lint', 'wide.yaml', '--suppressions', 'holds.json', '--format', 'sarif', { cwd })).stdout;
    expect(sarifFaults(sarif)).toEqual([]);
    expect(sarif).toContain('"justification": "known"');
  });

  it('says paths from the root of the repository, from wherever it is run', async () => {
    const repository = newFolder();
    mkdirSync(join(repository, '.git'));
    mkdirSync(join(repository, 'deep/er'), { recursive: true });
    writeFileSync(join(repository, 'deep/er/policy.yaml'), wide);
    const reports = await Promise.all(
      [
        ['deep/er/policy.yaml', repository],
        ['policy.yaml', join(repository, 'deep/er')],
        [join(repository, 'deep/er/policy.yaml'), cwd],
      ].map(async ([file = '', folder = '']) => (await cli('lint', file, '--json', { cwd: folder })).stdout),
    );
    expect(new Set(reports).size).toBe(1);
    expect(reports[0]).toContain('"path": "deep/er/policy.yaml"');
    expect(reports[0]).not.toContain(repository);
    const rooted = (await cli('lint', 'policy.yaml', '--json', '--root', '..', { cwd: join(repository, 'deep/er') })).stdout;
    expect(rooted).toContain('"path": "er/policy.yaml"');
    expect((await cli('lint', join(cwd, 'wide.yaml'), '--root', '.', { cwd: newFolder() })).code).toBe(2);
  });

  it.each([
    ['no policy', [], 2],
    ['a format that there is not', ['wide.yaml', '--format', 'xml'], 2],
    ['a severity that there is not', ['wide.yaml', '--fail-on', 'bad'], 2],
    ['two formats', ['wide.yaml', '--json', '--format', 'sarif'], 2],
    ['one policy twice', ['wide.yaml', './wide.yaml'], 2],
    ['a file whose format is not told', ['policy.txt'], 2],
    ['a policy that is none', ['wide.yaml', 'bad.yaml'], 3],
    ['a file that is not there', ['nothing.yaml'], 3],
    ['a folder without policies', ['empty'], 3],
    ['a baseline that is none', ['wide.yaml', '--baseline', 'clean.yaml'], 3],
    ['suppressions that are none', ['wide.yaml', '--suppressions', 'clean.yaml'], 3],
  ] as const)('refuses %s on stderr alone (LNT-12)', async (_, words, code) => {
    const ran = await cli('lint', ...words, { cwd });
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toMatch(/^ruleprint: error: /);
  });

  it('has help with examples', async () => {
    const { code, stdout } = await cli('lint', '--help', { cwd });
    expect(code).toBe(0);
    for (const word of ['--format', '--baseline', '--fail-on', '--suppressions', '$ ruleprint lint policy.yaml', 'With --json']) expect(stdout).toContain(word);
  });
});
