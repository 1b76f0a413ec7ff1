/**
 * `ruleprint diff`: which rules changed, told by their digests.
 * @module
 */
import { describe, expect, it } from 'vitest';
import { policyDigest, ruleDigest } from '../../src/digest/digest.js';
import { parsePolicy } from '../../src/policy/parse.js';
import { cli, jsonOf, newFolder, policyYaml, type Ran } from './cli.js';

const rule = (name: string, path = `/srv/${name}`, effect = 'allow') =>
  ({ name, effect, agents: { one_of: ['b', 'a'] }, action: { filesystem: { path, methods: ['read', 'write'] } } }) as const;
const policy = (rules: readonly object[], version = 1): string => JSON.stringify({ version, rules });
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => rule(name)) as [object, object, object, object];

async function diffOf(before: string, after: string, ...words: string[]): Promise<Ran> {
  return cli('diff', 'before.json', 'after.json', ...words, { cwd: newFolder({ 'before.json': before, 'after.json': after }) });
}

const namesIn = (list: unknown): string[] => (list as { name: string }[]).map(({ name }) => name);

describe('ruleprint diff', () => {
  it('finds two spellings of the same rules the same, whatever their versions', async () => {
    const respelt = { agents: { one_of: ['a', 'b'] }, action: { filesystem: { methods: ['write', 'read'], path: '/srv/a' } }, effect: 'allow', name: 'a' };
    const { code, stdout, stderr } = await diffOf(policy([a]), policy([respelt], 7));
    const digest = policyDigest(parsePolicy(policy([a]), { format: 'json' }));
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `same, 1 rule, ${digest}, versions 1 and 7\n`, stderr: '' });
  });

  it('compares JSON with YAML', async () => {
    const { rules } = parsePolicy(policyYaml, { format: 'yaml' });
    const cwd = newFolder({ 'a.yaml': policyYaml, 'b.json': policy([...rules]) });
    expect((await cli('diff', 'a.yaml', 'b.json', { cwd })).code).toBe(0);
    expect((await cli('diff', '-', 'b.json', '--format', 'yaml', { cwd, stdin: policyYaml })).code).toBe(0);
  });

  it('says what was added, removed, changed and moved, with digests and the parts that changed', async () => {
    const changed = rule('b', '/srv/b/**', 'deny');
    const ran = await diffOf(policy([a, b, c]), policy([c, a, changed, d], 2));
    const parsed = (text: string) => parsePolicy(text, { format: 'json' });
    const [before, after] = [parsed(policy([a, b, c])), parsed(policy([c, a, changed, d], 2))];
    const digests = { a: ruleDigest(before.rules[0] as never), b: ruleDigest(before.rules[1] as never), c: ruleDigest(before.rules[2] as never) };
    const changedDigest = ruleDigest(after.rules[2] as never);
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 1, stderr: '' });
    expect(ran.stdout).toBe(`+ added    rule 4 "d"  ${ruleDigest(after.rules[3] as never)}
~ changed  rule 3 "b"  ${digests.b} to ${changedDigest}
    effect - "allow"
           + "deny"
    action - {"filesystem":{"path":"/srv/b","methods":["read","write"]}}
           + {"filesystem":{"path":"/srv/b/**","methods":["read","write"]}}
> moved    rule 3 to 1 "c"  ${digests.c}

differ: 1 added, 0 removed, 1 changed, 1 moved; version 1 ${policyDigest(before)} to version 2 ${policyDigest(after)}
`);
  });

  it.each<readonly [what: string, before: object[], after: object[], expected: Record<string, string[]>]>([
    ['a rule in front', [a, b, c], [d, a, b, c], { added: ['d'] }],
    ['a rule less', [a, b, c], [a, c], { removed: ['b'] }],
    ['the last in front', [a, b, c, d], [d, a, b, c], { moved: ['d'] }],
    ['two swapped', [a, b, c, d], [b, a, c, d], { moved: ['b'] }],
    ['a rename, which is another rule to every receipt that cites it', [a, b], [a, { ...b, name: 'x' }], { added: ['x'], removed: ['b'] }],
    ['a change in its place', [a, b], [a, rule('b', '/other')], { changed: ['b'] }],
    ['a change elsewhere', [a, b, c], [rule('c', '/other'), a, b], { changed: ['c'], moved: ['c'] }],
    ['nothing in common', [a, b], [c, d], { added: ['c', 'd'], removed: ['a', 'b'] }],
    ['no rules any more', [a], [], { removed: ['a'] }],
  ])('names %s', async (_what, before, after, expected) => {
    const ran = await diffOf(policy(before), policy(after), '--json');
    expect(ran.code).toBe(1);
    const json = jsonOf(ran);
    const found = Object.fromEntries(['added', 'removed', 'changed', 'moved'].map((kind) => [kind, namesIn(json[kind])]));
    expect(found).toEqual({ added: [], removed: [], changed: [], moved: [], ...expected });
    expect(json['same']).toBe(false);
  });

  it('escapes what stands in a policy', async () => {
    const { stdout } = await diffOf(policy([]), policy([rule('\u00fc\u2028', '/srv/\u001b')]));
    expect(stdout).toMatch(/^[\x20-\x7e\n]*$/);
  });

  it('needs two good policies, and not both from stdin', async () => {
    const bad = await diffOf('{"version":0,"rules":[]}', policy([a]));
    expect(bad).toMatchObject({ code: 3, stdout: '' });
    expect(bad.stderr).toContain('before.json:1:12: bad-value: ');
    expect(await cli('diff', '-', '-', '--format', 'json')).toMatchObject({ code: 2, stdout: '' });
    expect(await cli('diff', 'a.json')).toMatchObject({ code: 2, stdout: '' });
  });
});
