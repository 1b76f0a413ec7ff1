/**
 * `ruleprint keygen` and `ruleprint init`: keys that nobody else sees, files that are never overwritten.
 * @module
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importPrivateKey } from '../../src/cose/keys.js';
import { parsePolicy } from '../../src/policy/parse.js';
import { parseTrustStore } from '../../src/receipt/trust.js';
import { type Around, cli, command, jsonOf, newFolder, textIn } from './cli.js';

const mode = (folder: string, file: string): number => statSync(join(folder, file)).mode & 0o777;
const secretIn = (folder: string, file: string): string => (JSON.parse(textIn(folder, file)) as { d: string }).d;

describe('ruleprint keygen', () => {
  it.each([
    [[], 'Ed25519'],
    [['--alg', 'ed25519'], 'Ed25519'],
    [['--alg', 'esp256'], 'ESP256'],
  ])('with %j makes a key that only its owner reads, and prints its public part alone', async (words, alg) => {
    const cwd = newFolder();
    const { code, stdout, stderr } = await cli('keygen', '--out', 'key.json', ...words, { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const key = importPrivateKey(textIn(cwd, 'key.json'));
    expect(key.public.alg).toBe(alg);
    expect(mode(cwd, 'key.json')).toBe(0o600);
    expect(stdout).toMatch(
      new RegExp(`^alg {9}${alg}\\nkid {9}${key.public.kid}\\npublic key {2}\\{.*\\}\\nwritten {5}key\\.json \\(the private key: only you may read it\\)\\n$`),
    );
    expect(stdout).not.toContain(secretIn(cwd, 'key.json'));
    expect(readdirSync(cwd)).toEqual(['key.json']);
  });

  it('makes another key each time', async () => {
    const cwd = newFolder();
    await cli('keygen', '--out', 'a.json', { cwd });
    await cli('keygen', '--out', 'b.json', { cwd });
    expect(secretIn(cwd, 'a.json')).not.toBe(secretIn(cwd, 'b.json'));
  });

  it('begins a trust store, and adds to one that is there, whose permissions and other entries stay', async () => {
    const cwd = newFolder();
    expect((await cli('keygen', '--out', 'a.json', '--trust', 'trust.json', '--engine-id', 'engine-a', { cwd })).stdout).toContain(
      'trust.json (trusts it for engine "engine-a")',
    );
    expect(mode(cwd, 'trust.json') & 0o600).toBe(0o600);
    writeFileSync(join(cwd, 'trust.json'), JSON.stringify({ ...JSON.parse(textIn(cwd, 'trust.json')), require_installer: true }), { mode: 0o640 });
    const before = mode(cwd, 'trust.json');
    await cli('keygen', '--out', 'b.json', '--trust', 'trust.json', '--engine-id', 'engine-b', { cwd });
    const store = parseTrustStore(textIn(cwd, 'trust.json'));
    expect([...store.keys.values()].map(({ engineIds, role }) => [role, ...engineIds])).toEqual([
      ['engine', 'engine-a'],
      ['engine', 'engine-b'],
    ]);
    expect(store.requireInstaller).toBe(true);
    expect(mode(cwd, 'trust.json')).toBe(before);
    expect(readdirSync(cwd).sort()).toEqual(['a.json', 'b.json', 'trust.json']);
  });

  it('trusts a key in the role that it is told', async () => {
    const cwd = newFolder();
    const { stdout } = await cli('keygen', '--out', 'a.json', '--trust', 'trust.json', '--role', 'auditor', { cwd });
    expect(stdout).toContain('trust.json (trusts it as auditor for engine "engine")\n');
    expect([...parseTrustStore(textIn(cwd, 'trust.json')).keys.values()].map(({ role }) => role)).toEqual(['auditor']);
  });

  it('prints a trust store and nothing else where --trust names no file', async () => {
    const cwd = newFolder();
    const { code, stdout, stderr } = await cli('keygen', '--out', 'key.json', '--trust', { cwd });
    expect(code).toBe(0);
    const { kid } = importPrivateKey(textIn(cwd, 'key.json')).public;
    expect([...parseTrustStore(stdout).keys.keys()]).toEqual([kid]);
    expect(stderr).toBe(`Ed25519 key ${kid}, the private key is in key.json\n`);
  });

  it('gives the same as JSON', async () => {
    const cwd = newFolder();
    const json = jsonOf(await cli('keygen', '--out', 'key.json', '--trust', '--json', { cwd }));
    const { d, ...publicJwk } = JSON.parse(textIn(cwd, 'key.json')) as Record<string, unknown>;
    const { kid } = importPrivateKey(textIn(cwd, 'key.json')).public;
    expect(json).toEqual({
      alg: 'Ed25519',
      kid,
      public_key: publicJwk,
      file: 'key.json',
      trust: { keys: [{ role: 'engine', engine_ids: ['engine'], kid, key: publicJwk }] },
    });
    expect(d).toBeTypeOf('string');
  });

  it('overwrites nothing, and leaves no key behind where the trust store is bad or taken away', async () => {
    const cwd = newFolder({ 'key.json': 'mine', 'bad.json': '{"keys":[{}]}' });
    const taken = await cli('keygen', '--out', 'key.json', { cwd });
    expect(taken).toMatchObject({ code: 3, stdout: '' });
    expect(taken.stderr).toContain('key.json is there already');
    expect(textIn(cwd, 'key.json')).toBe('mine');

    const bad = await cli('keygen', '--out', 'new.json', '--trust', 'bad.json', { cwd });
    expect(bad).toMatchObject({ code: 3, stdout: '' });
    expect(bad.stderr).toContain('bad.json:1:10: missing-key: ');
    expect((await cli('keygen', '--out', 'new.json', '--trust', 'none/trust.json', { cwd })).code).toBe(3);
    expect((await cli('keygen', '--out', 'none/new.json', '--trust', 'trust.json', { cwd })).code).toBe(3);
    expect(readdirSync(cwd).sort()).toEqual(['bad.json', 'key.json']);
  });

  it.each([
    [['--out', '-'], 'a private key goes to a file, never to stdout'],
    [['--out', 'a.json', '--engine-id', 'e'], '--engine-id is for the trust store: it needs --trust'],
    [['--out', 'a.json', '--role', 'auditor'], '--role is for the trust store: it needs --trust'],
    [
      ['--out', 'a.json', '--trust', '--role', 'root'],
      "option '--role <role>' argument 'root' is invalid: allowed choices are engine, installer, approver, harness, auditor",
    ],
    [
      ['--out', 'a.json', '--trust', 't.json', '--engine-id', 'a\u0000'],
      '--engine-id: expected a name without control or direction characters, got `a\\u0000`',
    ],
    [['--out', 'a.json', '--alg', 'rsa'], "option '--alg <name>' argument 'rsa' is invalid: allowed choices are ed25519, esp256"],
  ])('refuses %j', async (words, message) => {
    const cwd = newFolder();
    const ran = await cli('keygen', ...words, { cwd });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`ruleprint: error: ${message}\n`);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe('ruleprint init', () => {
  it('writes a policy, two keys that only their owner reads and a trust store', async () => {
    const cwd = newFolder();
    const { code, stdout, stderr } = await cli('init', '--dir', 'agents/first', { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const folder = join(cwd, 'agents/first');
    expect(readdirSync(folder).sort()).toEqual(['auditor.jwk', 'key.jwk', 'policy.yaml', 'trust.json']);
    const keys = ['key.jwk', 'auditor.jwk'];
    expect(keys.map((file) => mode(folder, file))).toEqual([0o600, 0o600]);
    const trusted = [...parseTrustStore(textIn(folder, 'trust.json')).keys.values()].map(({ kid, role }) => [role, kid]);
    expect(trusted).toEqual(keys.map((file, i) => [['engine', 'auditor'][i], importPrivateKey(textIn(folder, file)).public.kid]));
    for (const file of keys) expect(stdout).not.toContain(secretIn(folder, file));
  });

  it('writes a policy that explains itself: every effect and kind of action, every pattern quoted', async () => {
    const cwd = newFolder();
    await cli('init', { cwd });
    const text = textIn(cwd, 'policy.yaml');
    const { rules } = parsePolicy(text, { format: 'yaml' });
    expect(new Set(rules.map(({ effect }) => effect))).toEqual(new Set(['allow', 'ask', 'deny']));
    expect(new Set(rules.flatMap(({ action }) => Object.keys(action)))).toEqual(new Set(['filesystem', 'network', 'process', 'tool']));
    expect(text.match(/^\s*#/gm)?.length).toBeGreaterThan(rules.length);
    expect(text.match(/(path|host|server|name): (?!")[^\s,}]*\*/g)).toBeNull();
  });

  it('prints commands that work as they are', async () => {
    const cwd = newFolder();
    const { stdout } = await cli('init', '--dir', "it's a folder", { cwd });
    const commands = stdout.split('\n').flatMap((line) => (/^ {2}(ruleprint|echo) /.test(line) ? [line.trim()] : []));
    expect(commands).toHaveLength(4);
    const ruleprint = command.map((word) => `'${word}'`).join(' ');
    const ran = commands.map((line) => execFileSync('sh', ['-c', line.replace(/\bruleprint /, () => `${ruleprint} `)], { cwd, encoding: 'utf8' }));
    expect(ran[0]).toMatch(/^valid, \d rules, sha256:/);
    expect(ran[1]).toMatch(/^\{"effect":"allow",/);
    expect(ran[2]).toMatch(/^checkpoint {2}seq 2, sha256:/);
    expect(ran[3]).toContain('\ngood: 3 receipts, asked and passed: bytes, signature, key trust, order, completeness, timeline, rules, re-decision\n');
  });

  it.each(['policy.yaml', 'key.jwk', 'auditor.jwk', 'trust.json'])('writes nothing where %s is there', async (file) => {
    const cwd = newFolder({ [file]: 'mine' });
    const { code, stdout, stderr } = await cli('init', { cwd });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^ruleprint: error: ${file} is there already\\nruleprint: hint: `));
    expect(readdirSync(cwd)).toEqual([file]);
    expect(textIn(cwd, file)).toBe('mine');
  });

  it('gives the same as JSON', async () => {
    const cwd = newFolder();
    expect(jsonOf(await cli('init', '--dir', 'a', '--json', { cwd }))).toEqual({
      files: { policy: 'a/policy.yaml', key: 'a/key.jwk', auditor: 'a/auditor.jwk', trust: 'a/trust.json' },
      kid: expect.stringMatching(/^[0-9a-f]{64}$/),
      auditor_kid: expect.stringMatching(/^[0-9a-f]{64}$/),
      engine_id: 'engine',
    });
  });

  it('cannot make a folder below a file', async () => {
    const cwd = newFolder({ file: '' });
    expect((await cli('init', '--dir', 'file/below', { cwd })).code).toBe(3);
  });
});

describe('a private key', () => {
  it('is in no output of any command', async () => {
    const cwd = newFolder();
    const outputs: string[] = [];
    const keep = async (...words: readonly (string | Around)[]): Promise<void> => {
      const { stdout, stderr } = await cli(...words);
      outputs.push(stdout, stderr);
    };
    await keep('init', { cwd });
    await keep('keygen', '--out', 'more.json', '--trust', 'trust.json', { cwd });
    const stdin = JSON.stringify({ agent: 'a', actions: [{ tool: { server: 'filesystem', name: 'n' } }] });
    await keep('decide', '--policy', 'policy.yaml', '--sign', 'key.jwk', '--out', 'receipts.cbor', { cwd, stdin });
    await keep('decide', '--policy', 'policy.yaml', '--sign', 'key.jwk', '--ledger', 'audit', { cwd, stdin });
    await keep('ledger', 'checkpoint', 'audit', '--key', 'auditor.jwk', { cwd });
    await keep('ledger', 'checkpoint', 'audit', '--key', 'key.jwk', { cwd });
    await keep('ledger', 'rotate', 'audit', '--key', 'key.jwk', { cwd });
    await keep('ledger', 'rotate', 'audit', '--key', 'more.json', { cwd });
    await keep('ledger', 'repair', 'audit', '--key', 'key.jwk', '--keep-copy', { cwd });
    await keep('ledger', 'export', 'audit', { cwd });
    await keep('inspect', 'receipts.cbor', { cwd });
    await keep('verify', 'receipts.cbor', '--trust', 'trust.json', { cwd });
    // where it does not belong
    for (const file of ['key.jwk', 'more.json']) {
      await keep('verify', 'receipts.cbor', '--trust', file, { cwd });
      await keep('check', file, { cwd });
      await keep('decide', '--policy', file, { cwd });
      await keep('decide', '--policy', 'policy.yaml', file, { cwd });
      await keep('inspect', file, '--json', { cwd });
    }
    mkdirSync(join(cwd, 'torn'));
    writeFileSync(join(cwd, 'torn/key.json'), textIn(cwd, 'key.jwk').slice(0, -3));
    await keep('decide', '--policy', 'policy.yaml', '--sign', 'torn/key.json', '--out', 'x.cbor', { cwd, stdin });
    writeFileSync(join(cwd, 'private-trust.json'), JSON.stringify({ keys: [{ role: 'engine', engine_ids: ['e'], key: JSON.parse(textIn(cwd, 'key.jwk')) }] }));
    await keep('verify', 'receipts.cbor', '--trust', 'private-trust.json', { cwd });
    expect(existsSync(join(cwd, 'x.cbor'))).toBe(false);
    expect(readFileSync(join(cwd, 'receipts.cbor')).length).toBeGreaterThan(0);
    const secrets = ['key.jwk', 'auditor.jwk', 'more.json'].map((file) => secretIn(cwd, file));
    expect(outputs.join('\n').length).toBeGreaterThan(1000);
    for (const secret of secrets) expect(outputs.join('\n')).not.toContain(secret);
  });
});
