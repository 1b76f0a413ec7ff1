/**
 * `ruleprint check`.
 * @module
 */
import { describe, expect, it } from 'vitest';
import { policyDigest } from '../../src/digest/digest.js';
import { parsePolicy } from '../../src/policy/parse.js';
import { cli, jsonOf, newFolder, policyYaml } from './cli.js';

const digest = policyDigest(parsePolicy(policyYaml, { format: 'yaml' }));
const bad = `version: 1
rules:
  - name: a
    effect: allow
    agents: any
    action: { filesystem: { path: "/srv/**", method: [read] } }
  - name: b
    effect: alow
    agents: any
    action: { tool: { server: "s", name: "n" } }
`;
const cwd = newFolder({
  'policy.yaml': policyYaml,
  'POLICY.YML': policyYaml,
  'policy.json': JSON.stringify(parsePolicy(policyYaml, { format: 'yaml' })),
  'policy.txt': policyYaml,
  'empty.json': '{"version":1,"rules":[]}',
  'bad.yaml': bad,
  'star.yaml': 'version: 1\nrules:\n  - { name: a, effect: allow, agents: any, action: { tool: { server: *, name: "n" } } }\n',
  'binary.json': new Uint8Array([0xff, 0xfe, 0x00]),
});

describe('ruleprint check', () => {
  it.each(['policy.yaml', 'POLICY.YML', 'policy.json'])('says that %s is valid, and which rules it holds', async (file) => {
    expect(await cli('check', file, { cwd })).toEqual({ code: 0, stdout: `valid, 2 rules, ${digest}\n`, stderr: '' });
  });

  it('counts no rules', async () => {
    expect((await cli('check', 'empty.json', { cwd })).stdout).toMatch(/^valid, 0 rules, sha256:[0-9a-f]{64}\n$/);
  });

  it('lists every problem where it stands, with code, message and hint', async () => {
    const { code, stdout, stderr } = await cli('check', 'bad.yaml', { cwd });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout.split('\n').map((line) => line.split(': ').slice(0, 2).join(': '))).toEqual([
      'bad.yaml:6:27: missing-key',
      'bad.yaml:6:46: unknown-key',
      '  hint: did you mean "methods"?',
      'bad.yaml:8:13: bad-value',
      '',
    ]);
  });

  it('tells a newcomer to quote the star', async () => {
    const { code, stdout } = await cli('check', 'star.yaml', { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^star\.yaml:3:70: yaml-feature: /);
    expect(stdout).toContain('quote it');
  });

  it('never guesses a format, but takes it by name', async () => {
    const refused = await cli('check', 'policy.txt', { cwd });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('hint: give --format json or --format yaml');
    expect((await cli('check', 'policy.txt', '--format', 'yaml', { cwd })).code).toBe(0);
    expect((await cli('check', 'policy.yaml', '--format', 'json', { cwd })).code).toBe(1);
  });

  it('reads stdin', async () => {
    expect((await cli('check', '-', { stdin: policyYaml })).code).toBe(2);
    expect(await cli('check', '-', '--format', 'yaml', { stdin: policyYaml })).toMatchObject({ code: 0, stdout: `valid, 2 rules, ${digest}\n` });
    expect((await cli('check', '-', '--format', 'json', { stdin: '{' })).stdout).toMatch(/^stdin:1:\d+: syntax: /);
  });

  it('gives the same as JSON', async () => {
    expect(jsonOf(await cli('check', 'policy.yaml', '--json', { cwd }))).toEqual({ valid: true, version: 1, rules: 2, digest });
    const ran = await cli('check', 'bad.yaml', '--json', { cwd });
    expect(ran.code).toBe(1);
    expect(jsonOf(ran)).toMatchObject({
      valid: false,
      problems: [
        { code: 'missing-key', where: { file: 'bad.yaml', line: 6, column: 27, pointer: '/rules/0/action/filesystem' } },
        { code: 'unknown-key', hint: 'did you mean "methods"?' },
        { code: 'bad-value', where: { pointer: '/rules/1/effect' } },
      ],
    });
  });

  it.each([
    ['none.yaml', 'no such file or folder'],
    ['.', 'it is a folder'],
    ['policy.yaml/x.yaml', 'a part of the path is no folder'],
  ])('cannot read %s', async (file, why) => {
    expect(await cli('check', file, '--format', 'yaml', { cwd })).toEqual({ code: 3, stdout: '', stderr: `ruleprint: error: cannot read ${file}: ${why}\n` });
  });

  it('calls what is not UTF-8 invalid', async () => {
    expect(await cli('check', 'binary.json', { cwd })).toMatchObject({ code: 1, stdout: 'binary.json: utf8: expected UTF-8\n' });
  });
});
