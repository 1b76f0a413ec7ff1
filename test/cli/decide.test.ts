/**
 * `ruleprint decide`: requests in, decisions out, receipts beside.
 * @module
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { itemEnd } from '../../src/cose/sequence.js';
import { decideTraced } from '../../src/decide/decide.js';
import { policyDigest } from '../../src/digest/digest.js';
import { limits } from '../../src/limits.js';
import { parsePolicy } from '../../src/policy/parse.js';
import { readReceipt } from '../../src/receipt/read.js';
import type { DecisionStatement } from '../../src/receipt/statement.js';
import { maxLineBytes } from '../../src/cli/requests.js';
import { type Around, cli, jsonOf, newFolder, policyYaml, type Ran, readRequest, writeRequest } from './cli.js';

const policy = parsePolicy(policyYaml, { format: 'yaml' });
const allow = '{"effect":"allow","rule":"read-srv","action":0}';
const deny = '{"effect":"deny","action":0,"reason":"no-rule"}';
const keys = { agent: 'reviewer', actions: [{ filesystem: { path: '/srv/keys//id', method: 'read' } }] };
const keysDenied = '{"effect":"deny","rule":"no-keys","action":0}';
const read = JSON.stringify(readRequest);
const write = JSON.stringify(writeRequest);

let cwd = '';
beforeAll(async () => {
  cwd = newFolder({ 'policy.yaml': policyYaml, 'requests.jsonl': `${read}\n${write}\n${JSON.stringify(keys)}\n` });
  expect((await cli('keygen', '--out', 'key.json', '--trust', 'trust.json', { cwd })).code).toBe(0);
});

const decide = (...words: readonly (string | Around)[]): Promise<Ran> => cli('decide', '--policy', join(cwd, 'policy.yaml'), ...words);
const lines = ({ stdout }: Ran): string[] => stdout.split('\n').slice(0, -1);
const errorsIn = (ran: Ran): unknown[] => lines(ran).map((line) => (JSON.parse(line) as { error?: { code: string } }).error?.code ?? line);

describe('ruleprint decide', () => {
  it('answers JSON lines from a file, one decision a line, in their order', async () => {
    expect(await decide('requests.jsonl', { cwd })).toEqual({ code: 0, stdout: `${allow}\n${deny}\n${keysDenied}\n`, stderr: '' });
  });

  it.each<readonly [what: string, text: string]>([
    ['JSON lines', `${read}\n${write}`],
    ['JSON lines with blank lines and CRLF', `\n${read}\r\n\r\n  \n${write}\r\n`],
    ['an array on one line', `[${read},${write}]`],
    ['an array over many lines', JSON.stringify([readRequest, writeRequest], undefined, 2)],
  ])('answers %s from stdin', async (_what, text) => {
    expect(await decide({ stdin: text })).toEqual({ code: 0, stdout: `${allow}\n${deny}\n`, stderr: '' });
    expect(await decide('-', { stdin: text.split('') })).toMatchObject({ code: 0, stdout: `${allow}\n${deny}\n` });
  });

  it.each([read, `${JSON.stringify(readRequest, undefined, 2)}\n`, `\n\n${JSON.stringify(readRequest, undefined, 2)}`])(
    'answers one document: %j',
    async (text) => {
      expect(await decide({ stdin: text })).toEqual({ code: 0, stdout: `${allow}\n`, stderr: '' });
    },
  );

  it.each(['', '\n\n', '[]'])('has nothing to answer in %j', async (text) => {
    expect(await decide({ stdin: text })).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('puts an error in the place of a bad request, never an allow, and answers the others', async () => {
    const bad = ['{"agent":"builder"}', '{', '"text"', '{"agent":"builder","actions":[{"filesystem":{"path":"srv","method":"read"}}]}'];
    const ran = await decide({ stdin: [read, ...bad, write].join('\n') });
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 1, stderr: '' });
    expect(errorsIn(ran)).toEqual([allow, 'missing-key', 'syntax', 'wrong-type', 'path-relative', deny]);
    const column = (bad[3] ?? '').indexOf('"srv"') + 1;
    expect(JSON.parse(lines(ran)[4] ?? '')).toMatchObject({
      error: { code: 'path-relative', where: { line: 5, column, pointer: '/actions/0/filesystem/path' } },
    });
  });

  it('does the same in an array, with the place in the text and the pointer in the request', async () => {
    const text = `[\n  ${read},\n  { "agent": "builder", "agent": "root", "actions": [] },\n  ${write},\n  {"agent":"builder","actions":[{"tool":{"server":"s","name":""}}]}\n]`;
    writeFileSync(join(cwd, 'mixed.json'), text);
    const ran = await decide('mixed.json', { cwd });
    expect(ran.code).toBe(1);
    expect(errorsIn(ran)).toEqual([allow, 'duplicate-key', deny, 'empty-text']);
    const places = lines(ran).map((line) => (JSON.parse(line) as { error?: { where: object } }).error?.where);
    expect(places[1]).toEqual({ file: 'mixed.json', line: 3, column: 25, pointer: '/agent' });
    expect(places[3]).toEqual({ file: 'mixed.json', line: 5, column: (text.split('\n')[4] ?? '').indexOf('""') + 1, pointer: '/actions/0/tool/name' });
  });

  it.each<readonly [what: string, request: string, code: string]>([
    ['a key twice', '{"agent":"builder","agent":"builder","actions":[]}', 'duplicate-key'],
    ['__proto__', '{"agent":"builder","actions":[],"__proto__":{}}', 'forbidden-key'],
    ['an unknown field', `{"agent":"builder","actions":${JSON.stringify(readRequest.actions)},"note":""}`, 'unknown-key'],
    ['a number not in plain digits', '{"agent":"builder","actions":[{"network":{"host":"a.example","port":4.43e2}}]}', 'bad-integer'],
    ['deep nesting', '['.repeat(40), 'limit'],
    ['a comment', `/* */ ${read}`, 'syntax'],
    ['no actions', '{"agent":"builder","actions":[]}', 'empty-list'],
  ])('refuses %s', async (_what, request, code) => {
    const ran = await decide('--lines', { stdin: `${request}\n${read}` });
    expect(ran.code).toBe(1);
    expect(errorsIn(ran)).toEqual([code, allow]);
  });

  it('answers after a line that is not UTF-8, one that begins with a byte order mark, and one that is too long', async () => {
    const long = `{"agent":"${'a'.repeat(maxLineBytes)}"`;
    const stdin = [Buffer.from([0x22, 0xff, 0x22, 0x0a]), `\ufeff${read}\n`, long, `}\n${read}\n`];
    const ran = await decide('--lines', { stdin });
    expect(errorsIn(ran)).toEqual(['utf8', 'syntax', 'limit', allow]);
    expect(lines(ran).map((line) => (JSON.parse(line) as { error?: { where: { line: number } } }).error?.where.line)).toEqual([1, 2, 3, undefined]);
  });

  it('reads JSON lines whatever the first one looks like, where it is told or the name says so', async () => {
    const text = `{"agent":\n${read}\n`;
    expect(errorsIn(await decide({ stdin: text }))).toEqual(['syntax']);
    expect((await decide({ stdin: text })).stdout).toContain('--lines');
    expect(errorsIn(await decide('--lines', { stdin: text }))).toEqual(['syntax', allow]);
    writeFileSync(join(cwd, 'torn.ndjson'), text);
    expect(errorsIn(await decide('torn.ndjson', { cwd }))).toEqual(['syntax', allow]);
  });

  it('refuses a document over the limit, and reads little more than that', async () => {
    let given = 0;
    function* endless(): Generator<string> {
      yield '[\n';
      for (; ; given += 1 << 20) yield ' '.repeat(1 << 20);
    }
    expect(errorsIn(await decide({ stdin: endless() }))).toEqual(['limit']);
    expect(given).toBeLessThan(1.5 * limits.jsonBytes);
  });

  it('says with --trace what each rule said', async () => {
    const { stdout } = await decide('--trace', { stdin: read });
    const { decision, trace } = decideTraced(policy, readRequest as Parameters<typeof decideTraced>[1]);
    expect(JSON.parse(stdout)).toEqual({ ...decision, trace });
  });

  it('gives one object with --json', async () => {
    const ran = await decide('--json', { stdin: `${read}\n{}\n${write}` });
    expect(ran.code).toBe(1);
    expect(jsonOf(ran)).toEqual({
      policy: { version: 1, digest: policyDigest(policy) },
      decisions: [JSON.parse(allow), { error: expect.objectContaining({ code: 'missing-key' }) }, JSON.parse(deny)],
      errors: 1,
    });
    expect(jsonOf(await decide('--json', { stdin: '' }))).toMatchObject({ decisions: [], errors: 0 });
  });

  it('writes ASCII alone, because an agent chooses what is in a request', async () => {
    const stdin = JSON.stringify({ agent: 'builder', actions: [{ filesystem: { path: '/srv/\u202e', 'm\u0085thod': 'read' } }] });
    const { stdout } = await decide({ stdin });
    expect(stdout).toMatch(/^[\x20-\x7e\n]*$/);
  });
});

describe('ruleprint decide --sign', () => {
  const sign = (out: string, ...words: readonly (string | Around)[]): Promise<Ran> => decide('--sign', 'key.json', '--out', out, ...words);

  it('writes a receipt for each decision and none for a bad request, and names its hash beside the decision', async () => {
    const ran = await sign('receipts.cbor', { cwd, stdin: `${read}\n{}\n${write}` });
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 1, stderr: '' });
    const receipts = receiptsIn('receipts.cbor');
    expect(receipts.map(({ statement }) => (statement as DecisionStatement).decision)).toEqual([JSON.parse(allow), JSON.parse(deny)]);
    expect(receipts[0]?.statement).toMatchObject({ engine_id: 'engine', policy_version: 1, policy_digest: policyDigest(policy) });
    expect(lines(ran).map((line) => (JSON.parse(line) as { receipt?: string }).receipt)).toEqual([receipts[0]?.hash, undefined, receipts[1]?.hash]);
    expect(statSync(join(cwd, 'receipts.cbor')).mode & 0o777 & ~0o022).toBe(0o644);
  });

  it('speaks for the engine that it is told', async () => {
    await sign('named.cbor', '--engine-id', 'engine-a', { cwd, stdin: read });
    expect(receiptsIn('named.cbor')[0]?.statement.engine_id).toBe('engine-a');
  });

  it('writes a sequence of none for no requests', async () => {
    expect((await sign('none.cbor', { cwd, stdin: '' })).code).toBe(0);
    expect(statSync(join(cwd, 'none.cbor')).size).toBe(0);
  });

  it('overwrites nothing, and says so before it decides', async () => {
    writeFileSync(join(cwd, 'taken.cbor'), 'mine');
    const ran = await sign('taken.cbor', { cwd, stdin: read });
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toMatch(/^ruleprint: error: taken\.cbor is there already\nruleprint: hint: /);
    expect(readFileSync(join(cwd, 'taken.cbor'), 'utf8')).toBe('mine');
  });

  it.each([
    ['requests that are not there', ['nothing.jsonl'], 3],
    ['a key that is none', ['--sign', 'policy.yaml'], 3],
    ['a public key', ['--sign', 'public.json'], 3],
    ['an engine id that is none', ['--engine-id', ''], 2],
  ] as const)('leaves no file after %s', async (_what, words, code) => {
    const { key } = (JSON.parse(readFileSync(join(cwd, 'trust.json'), 'utf8')) as { keys: [{ key: object }] }).keys[0];
    writeFileSync(join(cwd, 'public.json'), JSON.stringify(key));
    const args = words.includes('--sign' as never) ? ['--out', 'failed.cbor', ...words] : ['--sign', 'key.json', '--out', 'failed.cbor', ...words];
    const ran = await decide(...args, { cwd, stdin: read });
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(existsSync(join(cwd, 'failed.cbor'))).toBe(false);
  });

  it('keeps the receipts of decisions that were printed before the input broke, because somebody may have acted on them', async () => {
    function* broken(): Generator<string> {
      yield `${read}\n`;
      throw new Error('the pipe broke');
    }
    const ran = await sign('kept.cbor', { cwd, stdin: broken() });
    expect(ran).toMatchObject({ code: 3, stderr: 'ruleprint: error: cannot read stdin: the pipe broke\n' });
    expect(lines(ran)).toHaveLength(1);
    expect(receiptsIn('kept.cbor')).toHaveLength(1);
  });

  it('warns of a key that others may read', async () => {
    writeFileSync(join(cwd, 'open-key.json'), readFileSync(join(cwd, 'key.json')), { mode: 0o644 });
    const ran = await decide('--sign', 'open-key.json', '--out', 'open.cbor', { cwd, stdin: read });
    expect(ran).toMatchObject({ code: 0, stderr: 'ruleprint: hint: others may read open-key.json: chmod 600 it\n' });
  });

  it.each([
    [['--sign', 'key.json'], '--sign and --out go together'],
    [['--out', 'x.cbor'], '--sign and --out go together'],
    [['--engine-id', 'a'], '--engine-id is for receipts: it needs --sign and --out'],
  ])('refuses %j', async (words, message) => {
    const ran = await decide(...words, { cwd, stdin: read });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`ruleprint: error: ${message}`);
  });

  function receiptsIn(file: string): ReturnType<typeof readReceipt>[] {
    const bytes = new Uint8Array(readFileSync(join(cwd, file)));
    const receipts: ReturnType<typeof readReceipt>[] = [];
    for (let start = 0; start < bytes.length; ) {
      const end = itemEnd(bytes, start) ?? bytes.length;
      receipts.push(readReceipt(bytes.subarray(start, end)));
      start = end;
    }
    return receipts;
  }
});

describe('ruleprint decide, the policy', () => {
  it('is refused with all its problems on stderr', async () => {
    const folder = newFolder({ 'bad.yaml': 'version: 0\nrules: none\n' });
    const ran = await cli('decide', '--policy', 'bad.yaml', { cwd: folder, stdin: read });
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr.match(/^ruleprint: error: bad\.yaml:\d+:\d+: [a-z-]+: /gm)).toHaveLength(2);
  });

  it('cannot share stdin with the requests', async () => {
    expect((await cli('decide', '--policy', '-', '--format', 'yaml', { stdin: policyYaml })).code).toBe(2);
    expect(await cli('decide', '--policy', '-', '--format', 'yaml', 'requests.jsonl', { cwd, stdin: policyYaml })).toMatchObject({ code: 0 });
  });
});
