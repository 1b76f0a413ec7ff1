/**
 * `ruleprint verify --mapping --args` (MAP-19, MAP-20).
 * @module
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { importPrivateKey } from '../../src/cose/keys.js';
import { createSigner } from '../../src/cose/signer.js';
import { concat } from '../../src/bytes.js';
import { argsDigest } from '../../src/digest/args-digest.js';
import { InMemoryPolicyEngine } from '../../src/engine/in-memory.js';
import { createMapper } from '../../src/mapping/mapper.js';
import { mapShell } from '../../src/mapping/shell.js';
import { mappingFor, shippedMappings } from '../../src/mapping/shipped.js';
import type { Mapping } from '../../src/mapping/table.js';
import { signReceipt } from '../../src/receipt/issue.js';
import type { RawCall } from '../../src/receipt/re-map.js';
import { cli, newFolder, type Ran, textIn } from './cli.js';

const table = (name: string): Mapping => shippedMappings.get(name) as Mapping;
const files = mappingFor('files', table('server-filesystem'));
const calls: readonly RawCall[] = [
  { tool: 'read_text_file', server: 'files', args: { path: '/srv/a' }, callId: '1' },
  { tool: 'Bash', server: 'claude', args: { command: 'git status && rm -rf /srv' }, callId: '2', cwd: '/w' },
  { tool: 'Read', server: 'claude', args: { file_path: '~/b' }, salt: 's' },
];

let cwd = '';
const lineOf = ({ callId, ...call }: RawCall): string => JSON.stringify({ ...call, ...(callId !== undefined && { call_id: callId }) });

beforeAll(async () => {
  cwd = newFolder({ 'files.json': JSON.stringify(files), 'calls.jsonl': `${calls.map(lineOf).join('\n')}\n\n` });
  await cli('keygen', '--out', 'key.json', '--trust', 'trust.json', { cwd });
  const engine = new InMemoryPolicyEngine({ engineId: 'engine' });
  engine.install({ version: 1, rules: [] });
  const mapper = createMapper([files, table('claude')], { home: '/home/u', shell: mapShell });
  const signer = createSigner(importPrivateKey(textIn(cwd, 'key.json')));
  const receipts = calls.map((call) =>
    signReceipt(engine.evaluate({ agent: 'a', actions: mapper.map(call) }), signer, {
      argsDigest: argsDigest(call.args, call.salt),
      mapping: mapper.digest,
      ...(call.callId !== undefined && { callId: call.callId }),
    }),
  );
  writeFileSync(join(cwd, 'receipts.cbor'), concat(...receipts));
});

const verify = (...words: string[]): Promise<Ran> => cli('verify', 'receipts.cbor', '--trust', 'trust.json', ...words, { cwd });

describe('ruleprint verify --mapping --args', () => {
  it('makes the actions again, from tables by file and by name, shell text included', async () => {
    const { code, stdout, stderr } = await verify('--mapping', 'files.json', 'claude', '--args', 'calls.jsonl', '--home', '/home/u');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^mapping {7}pass$/m);
    expect(stdout).toContain('good: 3 receipts, asked and passed: bytes, signature, key trust, mapping');
  });

  it('fails where the arguments are others, and shows none of them', async () => {
    writeFileSync(join(cwd, 'forged.jsonl'), calls.map(lineOf).join('\n').replace('git status && rm', 'git status && ls'));
    const { code, stdout } = await verify('--mapping', 'files.json', 'claude', '--args', 'forged.jsonl', '--home', '/home/u');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail {2}receipts\.cbor, receipt 1 of "engine", byte \d+: args-digest-differs: .* \[mapping\]$/m);
    expect(stdout).not.toContain('git status');
  });

  it('fails where another folder gives other actions', async () => {
    const { code, stdout } = await verify('--mapping', 'files.json', 'claude', '--args', 'calls.jsonl', '--home', '/home/v');
    expect(code).toBe(1);
    expect(stdout).toMatch(/receipt 2 of "engine", byte \d+: actions-differ/);
  });

  it('is open, and not good, where a call or a table is not at hand, and says what would answer', async () => {
    writeFileSync(join(cwd, 'one.jsonl'), lineOf(calls[0] as RawCall));
    const few = await verify('--mapping', 'files.json', 'claude', '--args', 'one.jsonl', '--home', '/home/u');
    expect(few.code).toBe(1);
    expect(few.stdout).toContain('mapping (--args with the calls that are not there)');
    const other = await verify('--mapping', 'files.json', '--args', 'calls.jsonl');
    expect(other.code).toBe(1);
    expect(other.stdout).toContain('mapping (--mapping with the tables that the receipts name)');
  });

  it.each([
    [['--mapping', 'claude'], '--mapping needs --args'],
    [['--args', 'calls.jsonl'], '--args needs --mapping'],
    [['--home', '/x'], '--home needs --mapping and --args'],
  ])('takes %j for a wrong use', async (words, said) => {
    expect(await verify(...words)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(said) });
  });

  it.each([
    ['{"tool":"a"}\n{"tool":"b","argz":{}}', /bad\.jsonl:2:1: unknown-key: /],
    ['{"tool":"a","args":{"x":1,"x":2}}', /bad\.jsonl:1:\d+: duplicate-key: /],
    ['{"tool":1}', /bad\.jsonl:1:1: wrong-type: /],
    ['[]', /bad\.jsonl:1:1: wrong-type: /],
    ['{"tool":"a","args_digest":"sha256:1"}', /bad\.jsonl:1:1: bad-value: /],
    ['{"tool":"a","cwd":"b"}', /bad\.jsonl:1:1: path-relative: /],
    ['{', /bad\.jsonl:1:\d+: syntax: /],
  ])('refuses the line %j at its place', async (text, said) => {
    writeFileSync(join(cwd, 'bad.jsonl'), text);
    const { code, stdout, stderr } = await verify('--mapping', 'claude', '--args', 'bad.jsonl');
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(said);
  });

  it('refuses a table that is none at its place', async () => {
    writeFileSync(join(cwd, 'bad.json'), '{"format":"ruleprint-mapping/1",\n"tools":{"t":{"action":[]}}}');
    const { code, stderr } = await verify('--mapping', 'bad.json', '--args', 'calls.jsonl');
    expect(code).toBe(3);
    expect(stderr).toMatch(/bad\.json:2:\d+: missing-key/);
  });
});
