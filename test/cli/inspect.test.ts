/**
 * `ruleprint inspect`.
 * @module
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeCbor } from '../../src/cose/cbor.js';
import { generateKey } from '../../src/cose/keys.js';
import { signSign1 } from '../../src/cose/sign1.js';
import { createSigner } from '../../src/cose/signer.js';
import { receiptType } from '../../src/receipt/profile.js';
import { cli, jsonOf, newFolder, policyYaml } from './cli.js';

const requests = [
  { agent: 'builder', actions: [{ filesystem: { path: '/srv/\u202e\u001b[2J', method: 'read' } }] },
  {
    agent: 'builder',
    actions: [{ network: { host: 'a.example', port: 443 } }, { process: { argv: ['git', '\u0007'] } }, { tool: { server: 's', name: 'n' } }],
  },
];
let cwd = '';
let bytes = Buffer.alloc(0);
beforeAll(async () => {
  cwd = newFolder({ 'policy.yaml': policyYaml });
  await cli('keygen', '--out', 'key.json', { cwd });
  const stdin = requests.map((request) => JSON.stringify(request)).join('\n');
  expect((await cli('decide', '--policy', 'policy.yaml', '--sign', 'key.json', '--out', 'receipts.cbor', { cwd, stdin })).code).toBe(0);
  bytes = readFileSync(join(cwd, 'receipts.cbor'));
});

describe('ruleprint inspect', () => {
  it('shows what each receipt says, and that it proves nothing', async () => {
    const { code, stdout, stderr } = await cli('inspect', 'receipts.cbor', { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^receipt 0, \d+ bytes from byte 0\n {2}hash {8}sha256:[0-9a-f]{64}\n {2}key {9}Ed25519, kid [0-9a-f]{64}\n {2}statement {3}decision$/m,
    );
    expect(stdout).toContain('\n  decision    allow, rule "read-srv", action 0\n');
    expect(stdout).toContain(
      '\n  action 0    (no method) a.example port 443\n  action 1    run ["git","\\u0007"]\n  action 2    tool n of s\n  decision    deny, no-rule, action 0\n',
    );
    expect(stdout).toMatch(/\n2 items in receipts\.cbor\. Nothing of this is verified: ruleprint verify does that\.\n$/);
  });

  it('shows all bytes', async () => {
    const { stdout } = await cli('inspect', 'receipts.cbor', { cwd });
    const lines = stdout.split('\n').filter((line) => /^ {2,}[0-9a-f]{2,}( [0-9a-f]+)?( {2}|$)/.test(line) && !/^ {2}(hash|key) /.test(line));
    expect(lines.map((line) => line.trim().split('  ')[0]?.replace(' ', '')).join('')).toBe(bytes.toString('hex'));
  });

  it('notes what the bytes are', async () => {
    const notes = (await cli('inspect', 'receipts.cbor', { cwd })).stdout.split('\n').map((line) => line.slice(64));
    for (const note of [
      'tag 18, COSE_Sign1',
      'array of 4',
      'alg: -19 (Ed25519)',
      'kid: 32 bytes',
      `typ: "${receiptType}"`,
      'unprotected header: map of 0',
      '"agent": "builder"',
      '"action": 0',
      'signature: 64 bytes',
    ]) {
      expect(notes).toContain(note);
    }
  });

  it('escapes what an agent put into it', async () => {
    expect((await cli('inspect', 'receipts.cbor', { cwd })).stdout).toMatch(/^[\x20-\x7e\n]*$/);
    expect((await cli('inspect', 'receipts.cbor', '--json', { cwd })).stdout).toMatch(/^[\x20-\x7e\n]*$/);
  });

  it('gives the same as JSON', async () => {
    const { verified, receipts } = jsonOf(await cli('inspect', 'receipts.cbor', '--json', { cwd })) as {
      verified: boolean;
      receipts: Record<string, unknown>[];
    };
    expect(verified).toBe(false);
    expect(receipts.map(({ statement }) => (statement as { actions: unknown }).actions)).toEqual(requests.map(({ actions }) => actions));
    expect(receipts[1]?.['offset']).toBe(receipts[0]?.['length']);
  });

  it('shows what is no receipt as bytes, says where it is bad, and goes on', async () => {
    const other = signSign1(encodeCbor({ statement: 'rumour' }), createSigner(generateKey()), { typ: receiptType });
    writeFileSync(join(cwd, 'mixed.cbor'), Buffer.concat([Buffer.from([0x01]), other, bytes]));
    const { code, stdout } = await cli('inspect', 'mixed.cbor', { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^receipt 0, 1 byte from byte 0\n {2}no receipt: byte 0: cose-tag: .*\n\n {7}0 {2}01\n/m);
    expect(stdout).toMatch(/^receipt 1, \d+ bytes from byte 1\n {2}no receipt: byte \d+, \/statement: unknown-statement: /m);
    expect(stdout).toContain('"statement": "rumour"');
    expect(stdout).toContain('\n4 items in mixed.cbor.');
  });

  it('shows a little of a file that is something else', async () => {
    writeFileSync(join(cwd, 'large.bin'), Buffer.alloc(100_000, 0xff));
    const { code, stdout } = await cli('inspect', 'large.bin', { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain('and 99488 more bytes');
    expect(stdout.length).toBeLessThan(3000);
  });

  it('cannot read what is not there', async () => {
    expect(await cli('inspect', 'none.cbor', { cwd })).toEqual({
      code: 3,
      stdout: '',
      stderr: 'ruleprint: error: cannot read none.cbor: no such file or folder\n',
    });
  });
});
