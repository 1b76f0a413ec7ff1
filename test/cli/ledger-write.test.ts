/**
 * The commands that write in a ledger, or for one: `decide --ledger`, `ledger checkpoint`, `ledger rotate`.
 * @module
 */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readReceipt, receiptHash } from '../../src/receipt/read.js';
import { openLedger } from '../../src/ledger/open.js';
import { createSigner } from '../../src/cose/signer.js';
import { type Around, jsonOf, type Ran } from './cli.js';
import { changed, decideInto, deploy, type Desk, entriesOf, forged, newDesk, readLine, relinked, segmentsOf, writeLine } from './ledger-kit.js';

let desk: Desk;
beforeAll(async () => {
  desk = await newDesk();
});

const decide = (...words: readonly (string | Around)[]): Promise<Ran> => desk.ran('decide', '--sign', 'engine.jwk', ...words);
const kindsIn = (ledger: string): string[] => entriesOf(desk, ledger).map((bytes) => readReceipt(bytes).statement.statement);
const verifies = async (ledger: string): Promise<boolean> => (await desk.ran('verify', ledger, '--trust', 'trust.json')).code === 0;

describe('ruleprint decide --ledger', () => {
  it('begins a ledger, installs the policy, and says which entry each decision is', async () => {
    const { code, stdout, stderr } = await decide('--policy', 'policy-1.json', '--ledger', 'first', { stdin: `${readLine}\n{}\n${writeLine}` });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const hashes = entriesOf(desk, 'first').map(receiptHash);
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(answers).toEqual([
      { effect: 'allow', rule: 'read-srv', action: 0, receipt: hashes[2], seq: 2 },
      { error: expect.objectContaining({ code: 'missing-key' }) },
      { effect: 'deny', reason: 'no-rule', action: 0, receipt: hashes[3], seq: 3 },
    ]);
    expect(kindsIn('first')).toEqual(['genesis', 'install', 'decision', 'decision']);
    expect(await verifies('first')).toBe(true);
    expect(readdirSync(join(desk.cwd, 'first')).sort()).toEqual(['durable.json', 'policies', 'segment-000000000000.cbor']);
    expect(statSync(join(desk.cwd, 'first')).mode & 0o777).toBe(0o700);
  });

  it('goes on with what is in force, and takes the same policy file twice without an entry', async () => {
    const facts = async (...words: readonly string[]): Promise<Record<string, unknown>> =>
      jsonOf(await decide('--ledger', 'second', '--json', ...words, { stdin: readLine }));
    const begun = await facts('--policy', 'policy-1.json');
    expect(begun).toMatchObject({ policy: { version: 1 }, ledger: { engine_id: 'engine', begun: true, installed: true }, errors: 0 });
    expect(await facts('--policy', 'policy-1.json')).toMatchObject({ ledger: { begun: false, installed: false } });
    expect(await facts()).toMatchObject({ policy: begun['policy'], ledger: { begun: false, installed: false }, decisions: [{ seq: 4 }] });
    expect(await facts('--policy', 'policy-2.json')).toMatchObject({ policy: { version: 2 }, ledger: { installed: true }, decisions: [{ seq: 6 }] });
    expect(kindsIn('second')).toEqual(['genesis', 'install', 'decision', 'decision', 'decision', 'install', 'decision']);
    expect(await verifies('second')).toBe(true);
  });

  it('traces as it does without a ledger, and names the entry', async () => {
    const traced = jsonOf(
      await decide('--policy', 'policy-1.json', '--ledger', 'traced', '--trace', '--json', { stdin: `${readLine}\n${JSON.stringify(deploy)}` }),
    );
    const bare = jsonOf(await desk.ran('decide', '--policy', 'policy-1.json', '--trace', '--json', { stdin: `${readLine}\n${JSON.stringify(deploy)}` }));
    const hashes = entriesOf(desk, 'traced').map(receiptHash);
    const expected = (bare['decisions'] as object[]).map((decision, i) => ({ ...decision, receipt: hashes[2 + i], seq: 2 + i }));
    expect(traced['decisions']).toEqual(expected);
  });

  it('denies everything where no policy is in force and none is given', async () => {
    const ran = await decide('--ledger', 'bare', '--json', { stdin: readLine });
    expect(jsonOf(ran)).toMatchObject({ policy: null, decisions: [{ effect: 'deny', reason: 'no-policy', seq: 1 }] });
    expect(await verifies('bare')).toBe(true);
  });

  it.each(['group', 'every', 'none'])('writes the same entries with the durability %s', async (durability) => {
    const ledger = `durable-${durability}`;
    expect((await decide('--policy', 'policy-1.json', '--ledger', ledger, '--durability', durability, { stdin: `${readLine}\n`.repeat(5) })).code).toBe(0);
    expect(kindsIn(ledger)).toHaveLength(7);
    expect(await verifies(ledger)).toBe(true);
  });

  it.each<readonly [what: string, words: readonly string[], code: string]>([
    ['the version in force with other rules', ['--policy', 'policy-1b.json'], 'version-reused'],
    ['a lower version', ['--policy', 'policy-0.json'], 'version-lower'],
    ['another engine id', ['--engine-id', 'engine-b'], 'ledger-engine'],
    ['another key', ['--sign', 'auditor.jwk'], 'ledger-engine'],
  ])('refuses %s, and writes nothing', async (_what, words, code) => {
    const ledger = 'refusing';
    if (!existsSync(join(desk.cwd, ledger))) {
      const two = { version: 2, rules: [] };
      for (const [name, version] of [
        ['policy-0', 1],
        ['policy-1b', 2],
      ] as const) {
        writeFileSync(
          join(desk.cwd, `${name}.json`),
          JSON.stringify({ version, rules: [{ name: 'a', effect: 'deny', agents: 'any', action: { tool: { server: '*', name: '*' } } }] }),
        );
      }
      writeFileSync(join(desk.cwd, 'policy-empty.json'), JSON.stringify(two));
      expect((await decide('--policy', 'policy-empty.json', '--ledger', ledger, { stdin: readLine })).code).toBe(0);
    }
    const before = readFileSync(join(desk.cwd, ledger, 'segment-000000000000.cbor'));
    const signing = words.includes('--sign') ? [] : ['--sign', 'engine.jwk'];
    const ran = await desk.ran('decide', ...signing, '--ledger', ledger, ...words, { stdin: readLine });
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toMatch(new RegExp(`^ruleprint: error: (${ledger}/\\S+: )?${code}: `));
    expect(readFileSync(join(desk.cwd, ledger, 'segment-000000000000.cbor'))).toEqual(before);
    expect(existsSync(join(desk.cwd, ledger, 'lock'))).toBe(false);
  });

  it('takes over from an engine with another key, where the trust store says that it was that engine', async () => {
    await desk.ran('keygen', '--out', 'engine-2.jwk', '--trust', 'trust.json', '--role', 'engine');
    await decide('--policy', 'policy-1.json', '--ledger', 'handed', { stdin: readLine });
    const next = ['--sign', 'engine-2.jwk', '--ledger', 'handed'];
    expect(await desk.ran('decide', ...next, { stdin: readLine })).toMatchObject({ code: 3 });
    expect((await desk.ran('decide', ...next, '--trust', 'trust.json', { stdin: readLine })).code).toBe(0);
    expect(new Set(entriesOf(desk, 'handed').map((bytes) => readReceipt(bytes).kid)).size).toBe(2);
    expect(await verifies('handed')).toBe(true);
  });

  it('says what a process that was stopped left behind, and cuts it', async () => {
    await decide('--policy', 'policy-1.json', '--ledger', 'torn', { stdin: readLine });
    const segment = join(desk.cwd, 'torn/segment-000000000000.cbor');
    appendFileSync(segment, Buffer.from('d28458', 'hex'));
    const ran = await decide('--ledger', 'torn', { stdin: readLine });
    expect(ran).toMatchObject({ code: 0, stderr: 'torn: cut 3 bytes that a stopped process left behind what was synced; the next entry is seq 3\n' });
    appendFileSync(segment, Buffer.from('d2', 'hex'));
    expect(JSON.parse((await decide('--ledger', 'torn', '--json', { stdin: readLine })).stdout)).toMatchObject({ ledger: { cut: { bytes: 1, from_seq: 4 } } });
    expect(await verifies('torn')).toBe(true);
  });

  it('does not decide where another writer has the ledger', async () => {
    const ledger = await openLedger(join(desk.cwd, 'held'), { engineId: 'engine', signer: createSigner(desk.key('engine')) });
    const started = Date.now();
    const waiting = decide('--policy', 'policy-1.json', '--ledger', 'held', { stdin: readLine });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await ledger.close();
    expect((await waiting).code).toBe(0);
    expect(Date.now() - started).toBeLessThan(10_000);
    expect(kindsIn('held')).toEqual(['genesis', 'install', 'decision']);
  });

  it.each([
    [['--ledger', 'x'], '--ledger needs --sign'],
    [['--ledger', 'x', '--sign', 'engine.jwk', '--out', 'x.cbor'], '--ledger and --out are two places for the same receipts'],
    [['--policy', 'policy-1.json', '--durability', 'every'], '--durability is for a ledger: it needs --ledger'],
    [['--policy', 'policy-1.json', '--trust', 'trust.json'], '--trust is for a ledger: it needs --ledger'],
    [['--sign', 'engine.jwk', '--out', 'x.cbor'], "required option '--policy <file>' not specified"],
  ])('refuses %j', async (words, message) => {
    const ran = await desk.ran('decide', ...words, { stdin: readLine });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`ruleprint: error: ${message}\n`);
    expect(existsSync(join(desk.cwd, 'x'))).toBe(false);
  });
});

describe('ruleprint ledger checkpoint', () => {
  beforeAll(async () => {
    await decideInto(desk, `${readLine}\n${readLine}`, '--policy', 'policy-1.json');
  });

  const checkpoint = (...words: readonly string[]): Promise<Ran> => desk.ran('ledger', 'checkpoint', ...words);

  it('signs the last entry that is synced, by the auditor, and says what to do with it', async () => {
    const { code, stdout, stderr } = await checkpoint('audit', '--key', 'auditor.jwk');
    const last = receiptHash(entriesOf(desk).at(-1) as Uint8Array);
    const { statement, kid } = readReceipt(new Uint8Array(readFileSync(join(desk.cwd, 'checkpoint-000000000003.cbor'))));
    const { ledger_id } = readReceipt(entriesOf(desk)[0] as Uint8Array).statement as { ledger_id: Uint8Array };
    const id = Buffer.from(ledger_id).toString('hex');
    expect(kid).toBe(desk.key('auditor').public.kid);
    expect({ ...statement }).toEqual({ statement: 'checkpoint', engine_id: 'engine', time: expect.any(Number), seq: 3, receipt_hash: last, ledger_id });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`checkpoint  seq 3, ${last}
ledger      ${id} of engine "engine", its order checked, its signatures not: --trust does that
key         ${kid}
written     checkpoint-000000000003.cbor (keep it where whoever writes the ledger cannot reach it)

next:
  ruleprint verify audit --trust trust.json --checkpoint checkpoint-000000000003.cbor
`);
    expect((await desk.ran('verify', 'audit', '--trust', 'trust.json', '--checkpoint', 'checkpoint-000000000003.cbor')).stdout).toMatch(
      /^completeness {2}pass {9}up to seq 3$/m,
    );
  });

  it('verifies first with --trust, with the checkpoints from before, and gives the same as JSON', async () => {
    await decideInto(desk, readLine);
    const words = ['audit', '--key', 'auditor.jwk', '--trust', 'trust.json', '--checkpoint', 'checkpoint-000000000003.cbor', '--json'];
    const json = jsonOf(await checkpoint(...words));
    const { kid } = desk.key('auditor').public;
    expect(json).toMatchObject({ engine_id: 'engine', seq: 4, kid, file: 'checkpoint-000000000004.cbor', verified: true });
    expect(json['hash']).toBe(receiptHash(new Uint8Array(readFileSync(join(desk.cwd, 'checkpoint-000000000004.cbor')))));
  });

  it('overwrites no checkpoint', async () => {
    const ran = await checkpoint('audit', '--key', 'auditor.jwk');
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toMatch(/^ruleprint: error: checkpoint-000000000004\.cbor is there already\n/);
  });

  it('does not sign a ledger whose order is bad', async () => {
    const entries = entriesOf(desk);
    const ran = await checkpoint(
      forged(desk, 'swapped', [...entries.slice(0, 2), ...[entries[3], entries[2]].map((each) => each as Uint8Array)]),
      '--key',
      'auditor.jwk',
      '--out',
      'no.cbor',
    );
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^ruleprint: error: nothing was signed: swapped\/segment-000000000000\.cbor, seq 3 of "engine", byte \d+: seq-gap: /);
    expect(existsSync(join(desk.cwd, 'no.cbor'))).toBe(false);
  });

  it('does not sign with --trust what verify finds bad, or what an earlier checkpoint speaks against', async () => {
    const other = forged(
      desk,
      'other-effect',
      relinked(desk, (all) => changed(all, 4, { decision: { effect: 'deny', action: 0, reason: 'no-rule' } })),
    );
    const bad = await checkpoint(other, '--key', 'auditor.jwk', '--trust', 'trust.json', '--out', 'no.cbor');
    expect(bad.code).toBe(1);
    expect(bad.stdout).toMatch(/^fail {2}other-effect\/segment-000000000000\.cbor, seq 4 of "engine", byte \d+, \/decision: decision-differs: /);
    expect(bad.stderr).toMatch(/^ruleprint: error: nothing was signed: other-effect is not good\n/);
    const rewritten = forged(
      desk,
      'rewritten',
      relinked(desk, (all) => changed(all, 2, { time: 1 })),
    );
    const words = [rewritten, '--key', 'auditor.jwk', '--out', 'no.cbor', '--trust', 'trust.json'];
    const before = await checkpoint(...words, '--checkpoint', 'checkpoint-000000000003.cbor', '--json');
    expect(before).toMatchObject({ code: 1, stdout: '' });
    expect(existsSync(join(desk.cwd, 'no.cbor'))).toBe(false);
    expect((await checkpoint(...words)).code).toBe(0);
  });

  it.each<readonly [what: string, words: readonly string[], code: number, message: RegExp]>([
    ["the engine's own key", ['audit', '--key', 'engine.jwk'], 2, /the key is that of the engine\n.*ruleprint keygen --role auditor/],
    ['a file', ['policy-1.json', '--key', 'auditor.jwk'], 2, /policy-1\.json is no folder of a ledger/],
    ['an empty folder', ['nothing', '--key', 'auditor.jwk'], 3, /nothing in nothing is synced yet/],
    ['earlier checkpoints without a trust store', ['audit', '--key', 'auditor.jwk', '--checkpoint', 'a.cbor'], 2, /--checkpoint needs --trust/],
    ['stdout', ['audit', '--key', 'auditor.jwk', '--out', '-'], 2, /a checkpoint is bytes: it goes to a file/],
  ])('refuses %s', async (_what, words, code, message) => {
    mkdirSync(join(desk.cwd, 'nothing'), { recursive: true });
    const ran = await checkpoint(...words);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toMatch(message);
  });
});

describe('ruleprint ledger rotate', () => {
  it('begins a segment, once', async () => {
    await decide('--policy', 'policy-1.json', '--ledger', 'rotated', { stdin: readLine });
    const rotate = (...words: readonly string[]): Promise<Ran> => desk.ran('ledger', 'rotate', 'rotated', '--key', 'engine.jwk', ...words);
    expect(await rotate()).toEqual({ code: 0, stdout: 'rotated: seq 3 and on go to rotated/segment-000000000003.cbor\n', stderr: '' });
    expect(await rotate()).toEqual({ code: 0, stdout: 'nothing to rotate: segment-000000000003.cbor has no entry yet\n', stderr: '' });
    expect(jsonOf(await rotate('--json'))).toMatchObject({ engine_id: 'engine', segment: 'segment-000000000003.cbor', seq: 3, rotated: false });
    await decide('--ledger', 'rotated', { stdin: readLine });
    expect(jsonOf(await rotate('--json'))).toMatchObject({ segment: 'segment-000000000004.cbor', seq: 4, rotated: true });
    expect(segmentsOf(desk, 'rotated')).toEqual([0, 3, 4].map((seq) => `segment-00000000000${seq}.cbor`));
    expect(await verifies('rotated')).toBe(true);
  });

  it('begins no ledger where there is none', async () => {
    const ran = await desk.ran('ledger', 'rotate', 'nowhere', '--key', 'engine.jwk');
    expect(ran).toEqual({
      code: 3,
      stdout: '',
      stderr: 'ruleprint: error: there is no ledger in nowhere\nruleprint: hint: ruleprint decide --ledger begins one\n',
    });
    expect(existsSync(join(desk.cwd, 'nowhere'))).toBe(false);
    expect((await desk.ran('ledger', 'rotate', 'audit', '--key', 'engine.jwk', '--engine-id', 'engine-b')).stderr).toMatch(/audit\/\S+: ledger-engine: /);
  });
});
