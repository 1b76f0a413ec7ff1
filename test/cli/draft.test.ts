import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { InMemoryPolicyEngine, parsePolicy, type Request } from '../../src/index.js';
import { cli, newFolder, textIn } from './cli.js';
import { callOf, gated, newDesk, recorded } from './mcp-kit.js';

const act = (...actions: readonly object[]): string => JSON.stringify({ agent: 'builder', actions });
const read = (path: string): object => ({ filesystem: { path, method: 'read' } });
const open = {
  version: 3,
  rules: [
    { name: 'keys', effect: 'deny', agents: 'any', action: { filesystem: { path: '/srv/keys/**', methods: 'any' } } },
    { name: 'ask', effect: 'ask', agents: 'any', action: { tool: { server: 'ci', name: 'deploy' } } },
    { name: 'files', effect: 'allow', agents: 'any', action: { filesystem: { path: '/**', methods: 'any' } } },
    { name: 'hosts', effect: 'allow', agents: 'any', action: { network: { host: '**', ports: 'any', methods: 'any' } } },
    { name: 'programs', effect: 'allow', agents: 'any', action: { process: { argv: ['**'] } } },
    { name: 'tools', effect: 'allow', agents: 'any', action: { tool: { server: '*', name: '*' } } },
  ],
};

/** A ledger with these decisions. */
async function ledgerOf(...lines: readonly string[]): Promise<string> {
  const cwd = newFolder({ 'open.json': JSON.stringify(open) });
  await cli('keygen', '--out', 'key.jwk', { cwd });
  const decided = await cli('decide', '--policy', 'open.json', '--sign', 'key.jwk', '--ledger', 'audit', '--json', { cwd, stdin: lines.join('\n') });
  expect(decided.code).toBe(0);
  return cwd;
}

const observed = [
  act({ tool: { server: 'files', name: 'read_*' } }, read('/srv/a [1].txt')),
  act(read('/')),
  act(read('/srv/päth/🙂?.txt')),
  act({ filesystem: { path: '/srv/b', method: 'write' } }, read('/srv/b')),
  act({ network: { host: 'example.com', port: 443, method: 'GET' } }),
  act({ network: { host: 'example.com', port: 80 } }),
  act({ network: { host: '::1', port: 80, method: 'POST' } }),
  act({ process: { argv: ['git', 'commit', '-m', 'a * b ? \\', '', '**'] } }),
  JSON.stringify({ agent: 'reviewer', actions: [read('/srv/c')] }),
];

describe('ruleprint draft', () => {
  it('drafts a policy that allows each call that was allowed, and nothing beside', async () => {
    const cwd = await ledgerOf(...observed, act(read('/srv/keys/a')), act({ tool: { server: 'ci', name: 'deploy' } }));
    const ran = await cli('draft', 'audit', '--out', 'draft.yaml', { cwd });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const engine = new InMemoryPolicyEngine({ engineId: 'a' });
    engine.install(parsePolicy(textIn(cwd, 'draft.yaml'), { format: 'yaml' }));
    const effectOf = (line: string): string => engine.evaluate(JSON.parse(line) as Request).decision.effect;
    expect(observed.map(effectOf)).toEqual(observed.map(() => 'allow'));
    const beside = [
      act(read('/srv/keys/a')),
      act({ tool: { server: 'ci', name: 'deploy' } }),
      act({ tool: { server: 'files', name: 'read_file' } }),
      act(read('/srv/c')),
      act(read('/srv')),
      act({ filesystem: { path: '/srv/a [1].txt', method: 'write' } }),
      act({ network: { host: 'example.com', port: 443, method: 'POST' } }),
      act({ process: { argv: ['git', 'commit', '-m', 'a x b y \\', '', '**'] } }),
      act({ process: { argv: ['git', 'commit', '-m', 'a * b ? \\', '', 'x'] } }),
    ];
    expect(beside.map(effectOf)).toEqual(beside.map(() => 'deny'));
    expect(engine.policyVersion()).toBe(4); // above what was in force
    expect((await cli('check', 'draft.yaml', { cwd })).code).toBe(0);
  });

  it('lists each path, or takes a folder where so many are of one', async () => {
    const cwd = await ledgerOf(...['a', 'b', 'c'].map((name) => act(read(`/srv/x(1)/${name}`))), act(read('/srv/y/a')), act(read('/srv/y/b')));
    expect((await cli('draft', 'audit', { cwd })).stdout.match(/path: .*?,/g)).toHaveLength(5);
    const { stdout } = await cli('draft', 'audit', '--folders', '3', { cwd });
    expect(stdout.match(/path: .*?,/g)).toEqual(['path: "/srv/x\\\\(1\\\\)/*",', 'path: "/srv/y/a",', 'path: "/srv/y/b",']);
    expect(stdout).toContain('# seen 3 times, 3 paths of one folder');
  });

  it('keeps deny rules, and drafts nothing that they deny', async () => {
    const cwd = await ledgerOf(act(read('/srv/a')), act(read('/srv/private/a')));
    const denies = {
      version: 1,
      rules: [{ name: 'files-1', effect: 'deny', agents: 'any', action: { filesystem: { path: '/srv/private/**', methods: 'any' } } }],
    };
    const { stdout, stderr } = await cli('draft', 'audit', '--policies', join(newFolder({ 'p.json': JSON.stringify(denies) }), 'p.json'), { cwd });
    const { rules } = parsePolicy(stdout, { format: 'yaml' });
    expect(rules.map(({ name, effect }) => [name, effect])).toEqual([
      ['files-1', 'deny'],
      ['observed-files-1', 'allow'],
    ]);
    expect(stderr).toContain('1 call left out');
  });

  it('drafts from what was only observed, denied by the rules or not', async () => {
    const desk = await newDesk('version: 1\nrules: []\n');
    const spoken = gated(desk, [...recorded, '--observe', '--agent', 'me']);
    spoken.write(callOf(1, 'look'), callOf(2, 'touch', { n: 9 }));
    await spoken.until((one) => one.answered(1) !== undefined && one.answered(2) !== undefined);
    expect(spoken.got).toContain('touch');
    await spoken.end();
    const drafted = await cli('draft', 'audit', '--out', 'policy-2.yaml', { cwd: desk.folder });
    expect(drafted.code).toBe(0);
    expect(parsePolicy(textIn(desk.folder, 'policy-2.yaml'), { format: 'yaml' }).rules.map(({ action, agents }) => [action, agents])).toEqual(
      ['look', 'touch'].map((name) => [{ tool: { server: 'files', name } }, { one_of: ['me'] }]),
    );
  });

  it('drafts nothing from nothing', async () => {
    const cwd = await ledgerOf(act(read('/srv/keys/a')));
    const { stdout, code } = await cli('draft', 'audit', { cwd });
    expect([code, parsePolicy(stdout, { format: 'yaml' }).rules]).toEqual([0, []]);
  });

  it.each([['1'], ['0'], ['x']])('refuses --folders %s', async (n) => {
    expect((await cli('draft', 'audit', '--folders', n)).code).toBe(2);
  });
});
