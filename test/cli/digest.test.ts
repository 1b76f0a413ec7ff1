/**
 * `ruleprint digest`.
 * @module
 */
import { describe, expect, it } from 'vitest';
import { hex } from '../../src/bytes.js';
import { policyDigest, policyPreimage, ruleDigest } from '../../src/digest/digest.js';
import { parsePolicy } from '../../src/policy/parse.js';
import { read } from '../house/tree.js';
import { cli, jsonOf, newFolder, policyYaml } from './cli.js';

const policy = parsePolicy(policyYaml, { format: 'yaml' });
const everything = `version: 7
rules:
  - { name: "net", effect: ask, agents: { one_of: ["b", "a"] }, action: { network: { host: "*.example.com", ports: { from: 443, to: 80 }, methods: [GET] } } }
  - { name: "run", effect: allow, agents: any, action: { process: { argv: ["git", "", "**"] } } }
  - { name: "caf\u00e9", effect: deny, agents: any, action: { network: { host: "**", ports: any, methods: any } } }
`;
const cwd = newFolder({
  'policy.yaml': policyYaml,
  'everything.yaml': everything,
  'spec.json': '{"version":1,"rules":[{"name":"r","effect":"deny","agents":"any","action":{"tool":{"server":"s","name":"n"}}}]}',
  'bad.json': '{"version":1}',
});

describe('ruleprint digest', () => {
  it('prints the digest and nothing else', async () => {
    expect(await cli('digest', 'policy.yaml', { cwd })).toEqual({ code: 0, stdout: `${policyDigest(policy)}\n`, stderr: '' });
  });

  it('prints the preimage as the spec does, byte for byte', async () => {
    const example = /^```\n(00000019 [\s\S]*?)^```/m.exec(read('spec/digest.md'))?.[1];
    expect((await cli('digest', 'spec.json', '--preimage', { cwd })).stdout).toBe(example);
  });

  it.each(['policy.yaml', 'everything.yaml', 'spec.json'])('shows all bytes of the preimage of %s and no others', async (file) => {
    const { stdout } = await cli('digest', file, '--preimage', { cwd });
    const shown = stdout.replace(/ {3,}.*$/gm, '').replace(/\s/g, '');
    const { preimage } = jsonOf(await cli('digest', file, '--preimage', '--json', { cwd }));
    expect(shown).toBe(preimage);
    if (file === 'policy.yaml') expect(shown).toBe(hex(policyPreimage(policy)));
  });

  it('notes what each number is, and escapes names', async () => {
    const { stdout } = await cli('digest', 'everything.yaml', '--preimage', { cwd });
    const notes = stdout.split('\n').map((line) => line.replace(/^[0-9a-f ]+? {3,}/, ''));
    expect(notes).toContain('3 rules');
    expect(notes).toContain('2 agent ids');
    expect(notes).toContain('from port 443');
    expect(notes).toContain('to port 80');
    expect(notes).toContain('1 method');
    expect(notes).toContain('3 arguments');
    expect(notes).toContain('field ""');
    expect(notes).toContain('field "caf\\u00e9"');
  });

  it('gives the digests of the rules as JSON', async () => {
    expect(jsonOf(await cli('digest', 'policy.yaml', '--json', { cwd }))).toEqual({
      digest: policyDigest(policy),
      version: 1,
      rules: policy.rules.map((rule) => ({ name: rule.name, digest: ruleDigest(rule) })),
    });
  });

  it('gives none for what is no policy', async () => {
    const { code, stdout, stderr } = await cli('digest', 'bad.json', { cwd });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toBe('ruleprint: error: bad.json:1:1: missing-key: expected a field "rules" in a policy\n');
  });
});
