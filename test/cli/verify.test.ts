/**
 * `ruleprint verify`: transcripts of good and of bad receipts.
 * @module
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { axes } from '../../src/receipt/report.js';
import { cli, jsonOf, newFolder, policyYaml, type Ran, readRequest, writeRequest } from './cli.js';

let cwd = '';
beforeAll(async () => {
  cwd = newFolder({ 'policy.yaml': policyYaml, 'other.yaml': policyYaml.replace('/srv/keys/**', '/srv/secrets/**') });
  await cli('keygen', '--out', 'key.json', '--trust', 'trust.json', { cwd });
  await cli('keygen', '--out', 'other-key.json', '--trust', 'other-trust.json', { cwd });
  const stdin = [readRequest, writeRequest].map((request) => JSON.stringify(request)).join('\n');
  expect((await cli('decide', '--policy', 'policy.yaml', '--sign', 'key.json', '--out', 'receipts.cbor', { cwd, stdin })).code).toBe(0);
  mkdirSync(join(cwd, 'policies'));
  mkdirSync(join(cwd, 'nothing'));
  writeFileSync(join(cwd, 'policies/a.yaml'), policyYaml);
  writeFileSync(join(cwd, 'policies/notes.txt'), 'not a policy');
  const flipped = readFileSync(join(cwd, 'receipts.cbor'));
  flipped.writeUInt8((flipped.at(-1) ?? 0) ^ 1, flipped.length - 1);
  writeFileSync(join(cwd, 'flipped.cbor'), flipped);
  writeFileSync(join(cwd, 'empty.cbor'), '');
  writeFileSync(join(cwd, 'torn.cbor'), readFileSync(join(cwd, 'receipts.cbor')).subarray(0, -10));
});

const verify = (...words: string[]): Promise<Ran> => cli('verify', ...words, { cwd });

describe('ruleprint verify', () => {
  it('answers each axis on a line, and says what would answer the others', async () => {
    expect(await verify('receipts.cbor', '--trust', 'trust.json')).toEqual({
      code: 0,
      stderr: '',
      stdout: `bytes         pass
signature     pass
key trust     pass
order         not checked  2 of 2: standalone
completeness  not checked  standalone
timeline      not checked  2 of 2: standalone
rules         not checked  2 of 2: no policies given
re-decision   not checked  2 of 2: no policies given
approvals     not checked  2 of 2: standalone
findings      not checked  there are no findings
mapping       not checked  2 of 2: needs the raw arguments and the mapping table

good: 2 receipts, asked and passed: bytes, signature, key trust
to check more: rules, re-decision (--policies); mapping (--mapping and --args, with the calls as they were kept); order, completeness, timeline, approvals (no option: receipts without a ledger stand alone)
`,
    });
  });

  it.each([['policy.yaml'], ['policies'], ['other.yaml', 'policies']])('makes the decisions again from the rules in %s', async (...policies) => {
    const { code, stdout } = await verify('receipts.cbor', '--trust', 'trust.json', '--policies', ...policies);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^rules {9}pass$/m);
    expect(stdout).toMatch(/^re-decision {3}pass$/m);
    expect(stdout).toContain('\ngood: 2 receipts, asked and passed: bytes, signature, key trust, rules, re-decision\n');
  });

  it('never says "valid" (RCP-24)', async () => {
    expect((await verify('receipts.cbor', '--trust', 'trust.json', '--policies', 'policies')).stdout).not.toMatch(/\bvalid\b/i);
  });

  it('is not good where what was asked could not be checked', async () => {
    const { code, stdout, stderr } = await verify('receipts.cbor', '--trust', 'trust.json', '--policies', 'other.yaml');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/^open {2}receipts\.cbor, receipt 0 of "engine", byte 0: policy-missing: .* \[rules\]$/m);
    expect(stdout).toContain('\nnot good: 2 receipts, asked and not checked: rules, re-decision\n');
    expect(stdout.trimEnd().split('\n').at(-1)).toContain('rules, re-decision (--policies with the policies that the receipts name)');
  });

  it('names a changed byte, its receipt and its code, and still answers for the others', async () => {
    const { code, stdout } = await verify('flipped.cbor', '--trust', 'trust.json', '--policies', 'policies');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^signature {5}FAIL {9}1 of 2: /m);
    expect(stdout).toMatch(/^key trust {5}not checked {2}1 of 2: rests on signature$/m);
    expect(stdout).toMatch(/^fail {2}flipped\.cbor, receipt 1 of "engine", byte \d+: signature-invalid: .* \[signature\]$/m);
    expect(stdout).toContain('\nnot good: 2 receipts, failed: signature; asked and not checked: key trust, rules, re-decision\n');
  });

  it('does not know a key that is not in the trust store', async () => {
    const { code, stdout } = await verify('receipts.cbor', '--trust', 'other-trust.json');
    expect(code).toBe(1);
    expect(stdout.match(/: key-unknown: /g)).toHaveLength(2);
    expect(stdout.trimEnd().split('\n').at(-1)).toContain('signature (--trust with the key)');
  });

  it.each(['rules', 'order', 'rules,re-decision', 'mapping'])('requires %s where it is told to', async (required) => {
    const { code, stdout } = await verify('receipts.cbor', '--trust', 'trust.json', '--require', required);
    expect(code).toBe(1);
    expect(stdout).toContain(`\nnot good: 2 receipts, asked and not checked: ${required.replace(',', ', ')}\n`);
  });

  it('reads several files, says which one is bad, and puts what failed before what is open', async () => {
    const { code, stdout } = await verify('receipts.cbor', 'flipped.cbor', '--trust', 'trust.json', '--policies', 'other.yaml');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^bytes {9}pass$/m);
    expect(stdout).toMatch(/^signature {5}FAIL {9}1 of 4: /m);
    expect(stdout).toContain('\nnot good: 4 receipts, failed: signature; ');
    expect([...stdout.matchAll(/^(fail|open) {2}([\w.]+), receipt (\d)/gm)].map(([, ...row]) => row.join(' '))).toEqual([
      'fail flipped.cbor 1',
      'open receipts.cbor 0',
      'open receipts.cbor 1',
      'open flipped.cbor 0',
    ]);
  });

  it.each([
    ['torn.cbor', 'sequence-broken'],
    ['policy.yaml', 'cose-tag'],
  ])('finds %s bad', async (file, problem) => {
    const { code, stdout } = await verify(file, '--trust', 'trust.json');
    expect(code).toBe(1);
    expect(stdout).toContain(`: ${problem}: `);
  });

  it('does not call a file without receipts good', async () => {
    const { code, stdout } = await verify('empty.cbor', '--trust', 'trust.json');
    expect(code).toBe(1);
    expect(stdout).toContain('\nnot good: 0 receipts, asked and not checked: bytes, signature, key trust\n');
  });

  it('gives the report as JSON', async () => {
    expect(jsonOf(await verify('receipts.cbor', '--trust', 'trust.json', '--policies', 'policies', '--json'))).toEqual({
      ok: true,
      receipts: 2,
      axes: Object.fromEntries(axes.map((axis) => [axis, expect.objectContaining({ status: expect.stringMatching(/^(pass|not-checked)$/) })])),
      asked: ['bytes', 'signature', 'key-trust', 'rules', 're-decision'],
      problems: [],
    });
    const bad = await verify('flipped.cbor', '--trust', 'trust.json', '--json');
    expect(bad.code).toBe(1);
    expect(jsonOf(bad)).toMatchObject({
      ok: false,
      axes: { signature: { status: 'fail', code: 'signature-invalid' } },
      problems: [{ axis: 'signature', status: 'fail', code: 'signature-invalid', where: { file: 'flipped.cbor', receipt: 1 } }],
    });
  });

  it('takes older names of algorithms only where it is told to', async () => {
    expect((await verify('receipts.cbor', '--trust', 'trust.json', '--also-algorithms', 'EdDSA', 'ES256')).code).toBe(0);
    expect(await verify('receipts.cbor', '--trust', 'trust.json', '--also-algorithms', 'RS256')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'ruleprint: error: --also-algorithms takes EdDSA, ES256, not "RS256"\n',
    });
  });

  it('refuses an axis that is none', async () => {
    const { code, stderr } = await verify('receipts.cbor', '--trust', 'trust.json', '--require', 'everything');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^ruleprint: error: --require takes bytes, .*, not "everything"\n$/);
  });

  it.each<readonly [args: readonly string[], message: RegExp]>([
    [['none.cbor', '--trust', 'trust.json'], /cannot read none\.cbor: no such file or folder/],
    [['receipts.cbor', '--trust', 'none.json'], /cannot read none\.json: no such file or folder/],
    [['receipts.cbor', '--trust', 'policy.yaml'], /policy\.yaml:1:1: syntax: /],
    [['receipts.cbor', '--trust', 'key.json'], /key\.json:\d+:\d+: missing-key: /],
    [['receipts.cbor', '--trust', 'trust.json', '--policies', 'none'], /cannot read none: no such file or folder/],
    [['receipts.cbor', '--trust', 'trust.json', '--policies', 'nothing'], /there is no policy in nothing/],
    [['receipts.cbor', '--trust', 'trust.json', '--policies', 'trust.json'], /trust\.json:\d+:\d+: missing-key: /],
  ])('cannot read what is in %j', async (args, message) => {
    const { code, stdout, stderr } = await verify(...args);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(message);
  });
});
