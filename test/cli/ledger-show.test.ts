/**
 * `ruleprint ledger show` and `ruleprint ledger export`: what is in a ledger, for people and for other tools.
 * @module
 */
import { appendFileSync, cpSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import { itemEnd } from '../../src/cose/sequence.js';
import { policyDigest } from '../../src/digest/digest.js';
import { parsePolicy } from '../../src/policy/parse.js';
import { io, type Ran } from './cli.js';
import { at, decideInto, type Desk, entriesOf, newDesk, policies, readLine, segmentsOf, wholeLedger } from './ledger-kit.js';

let desk: Desk;
let digests: string[];
beforeAll(async () => {
  desk = await newDesk();
  await wholeLedger(desk);
  digests = policies.map((policy) => policyDigest(parsePolicy(JSON.stringify(policy), { format: 'json' })));
}, 60_000);

const show = (...words: readonly string[]): Promise<Ran> => desk.ran('ledger', 'show', 'audit', ...words);
const linesOf = ({ stdout }: Pick<Ran, 'stdout'>): string[] => stdout.split('\n').slice(0, -1);
const seqsOf = (ran: Ran): number[] => linesOf(ran).map((line) => Number.parseInt(line, 10));
/** What differs from run to run, by a placeholder. */
const steady = (line: string): string =>
  line
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/sha256:[0-9a-f]{12}\.\.\./g, (hash) => `<${digests.findIndex((digest) => digest.startsWith(hash.slice(0, -3))) + 1 || 'hash'}>`)
    .replaceAll(/ledger [0-9a-f]{32}/g, 'ledger <id>')
    .replaceAll(/key [0-9a-f]{12}\.\.\./g, 'key <kid>');

describe('ruleprint ledger show', () => {
  it('shows each entry on a line', async () => {
    const ran = await show();
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
    expect(linesOf(ran).map(steady)).toEqual([
      '       0  <time>  genesis     ledger <id> of engine "engine"',
      '       1  <time>  install     version 1, <1>',
      '       2  <time>  decision    allow  builder: read /srv/a  rule "read-srv"  version 1, <1>',
      '       3  <time>  decision    deny   builder: write /srv/a  no-rule  version 1, <1>',
      '       4  <time>  decision    allow  builder: read /srv/a  rule "read-srv"  version 1, <1>',
      '       5  <time>  decision    ask    release: tool deploy of ci  rule "deploy"  version 1, <1>',
      '       6  <time>  record      approval: yes by "someone" to ask <hash>, until <time>  <hash> by key <kid>',
      '       7  <time>  release     ask <hash>  approval <hash>',
      '       8  <time>  decision    allow  builder: read /srv/a  rule "read-srv"  version 1, <1>',
      '       9  <time>  install     version 2, <2>  replaces <1>',
      '      10  <time>  decision    allow  builder: read /srv/a  rule "read-srv"  version 2, <2>',
      '      11  <time>  decision    deny   release: tool deploy of ci  rule "deploy"  version 2, <2>',
    ]);
  });

  it.each<readonly [words: readonly string[], seqs: readonly number[]]>([
    [
      ['--effect', 'deny'],
      [3, 11],
    ],
    [['--effect', 'ask'], [5]],
    [
      ['--agent', 'release'],
      [5, 11],
    ],
    [['--agent', 'releas'], []],
    [['--rule', 'deploy', '--effect', 'deny'], [11]],
    [
      ['--engine', 'engine', '--agent', 'builder'],
      [2, 3, 4, 8, 10],
    ],
    [['--engine', 'another'], []],
    [['--until', '2020-01-01'], []],
    [['--since', '2020-01-01T00:00:00Z', '--effect', 'ask'], [5]],
    [['--since', '4102444800000'], []],
  ])('filters by %j', async (words, seqs) => {
    const ran = await show(...words);
    expect({ code: ran.code, seqs: seqsOf(ran) }).toEqual({ code: 0, seqs });
  });

  it('filters by a digest or how it begins: what cites it, puts it in force or replaces it', async () => {
    expect(seqsOf(await show('--digest', digests[1] as string))).toEqual([9, 10, 11]);
    expect(seqsOf(await show('--digest', (digests[0] as string).slice(7, 15)))).toEqual([1, 2, 3, 4, 5, 8, 9]);
  });

  it('filters by time, from one on and before the other', async () => {
    const entries = linesOf(await show('--json')).map((line) => JSON.parse(line) as { statement: { time: number; seq: number } });
    const time = entries[at.release]?.statement.time as number;
    const expected = entries.filter(({ statement }) => statement.time >= time && statement.time < time + 1).map(({ statement }) => statement.seq);
    expect(expected).toContain(at.release);
    expect(seqsOf(await show('--since', String(time), '--until', String(time + 1)))).toEqual(expected);
    expect(seqsOf(await show('--since', new Date(time).toISOString(), '--until', String(time + 1)))).toEqual(expected);
  });

  it.each([
    [['--since', 'yesterday'], '--since takes a time such as 2026-11-30T17:08, not "yesterday"'],
    [['--until', '2026-13-01'], '--until takes a time such as 2026-11-30T17:08, not "2026-13-01"'],
    [['--digest', 'sha1:00'], '--digest takes sha256: and hex digits, not "sha1:00"'],
    [['--effect', 'audit'], "option '--effect <effect>' argument 'audit' is invalid: allowed choices are deny, ask, allow"],
  ])('refuses %j', async (words, message) => {
    const ran = await show(...words);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`ruleprint: error: ${message}\n`);
  });

  it('gives JSON lines with --json, bytes as hex and a recorded statement as what it says', async () => {
    const ran = await show('--json');
    const rows = linesOf(ran).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows).toHaveLength(at.end + 1);
    expect(rows[0]).toEqual({
      file: 'audit/segment-000000000000.cbor',
      offset: 0,
      length: entriesOf(desk)[0]?.length,
      hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      alg: 'Ed25519',
      kid: desk.key('engine').public.kid,
      statement: { statement: 'genesis', engine_id: 'engine', seq: 0, time: expect.any(Number), ledger_id: expect.stringMatching(/^[0-9a-f]{32}$/) },
    });
    expect(rows[at.approval]).toMatchObject({
      statement: { recorded: { kid: desk.key('approver').public.kid, statement: { statement: 'approval', approved: true } } },
    });
    expect(rows[at.secondInstall]).toMatchObject({ file: 'audit/segment-000000000009.cbor', offset: 0, statement: { seq: 9 } });
  });

  it('is coloured on a terminal alone', async () => {
    const { stdout } = await desk.ran('ledger', 'show', 'audit', '--effect', 'deny', { terminal: true });
    expect(stdout).toContain('\u001b[31mdeny\u001b[39m');
    expect((await show()).stdout).not.toContain('\u001b');
  });

  it('shows standalone receipts of a file too', async () => {
    await desk.ran('decide', '--policy', 'policy-1.json', '--sign', 'engine.jwk', '--out', 'alone.cbor', { stdin: readLine });
    const ran = await desk.ran('ledger', 'show', 'alone.cbor');
    expect(linesOf(ran).map(steady)).toEqual(['       -  <time>  decision    allow  builder: read /srv/a  rule "read-srv"  version 1, <1>']);
  });

  it('shows what is no entry whatever is filtered, and ends with 1', async () => {
    cpSync(join(desk.cwd, 'audit'), join(desk.cwd, 'broken'), { recursive: true });
    const file = join(desk.cwd, 'broken', segmentsOf(desk)[0] as string);
    const bytes = readFileSync(file);
    const second = itemEnd(bytes) as number;
    writeFileSync(file, Buffer.concat([bytes.subarray(0, second), Buffer.from([0x01]), bytes.subarray(second, -3)]));
    const ran = await desk.ran('ledger', 'show', 'broken', '--effect', 'ask');
    expect(ran.code).toBe(1);
    expect(linesOf(ran).map((line) => line.replaceAll(/\d{2,}/g, '…'))).toEqual([
      expect.stringMatching(/^ {7}\? {2}no entry {2}broken\/segment-….cbor, byte …: cose-tag: /),
      expect.stringMatching(/^ {7}5 {2}.* ask /),
      expect.stringMatching(/^ {7}\? {2}no entry {2}broken\/segment-….cbor, byte …: cbor-truncated: /),
      expect.stringMatching(/^ {7}\? {2}no entry {2}broken\/segment-….cbor, byte …: sequence-broken: /),
    ]);
    const rows = linesOf(await desk.ran('ledger', 'show', 'broken', '--json')).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows[1]).toEqual({ file: 'broken/segment-000000000000.cbor', offset: second, length: 1, problem: expect.objectContaining({ code: 'cose-tag' }) });
  });

  it('cannot read what is not there', async () => {
    expect(await desk.ran('ledger', 'show', 'nowhere')).toEqual({
      code: 3,
      stdout: '',
      stderr: 'ruleprint: error: cannot read nowhere: no such file or folder\n',
    });
    expect((await desk.ran('ledger', 'show', 'alone.cbor', '--follow')).stderr).toBe('ruleprint: error: --follow is for the folder of a ledger\n');
  });
});

describe('ruleprint ledger show --follow', () => {
  it('waits for more, over a rotation, shows no half an entry, and says what was cut', async () => {
    const { cwd, ran } = desk;
    cpSync(join(cwd, 'audit'), join(cwd, 'live'), { recursive: true });
    const controller = new AbortController();
    const [stdout, stderr] = [follower(), follower()];
    const running = run(['ledger', 'show', 'live', '--follow'], { ...io(cwd, { signal: controller.signal }), stdout: stdout.stream, stderr: stderr.stream });
    await stdout.until(at.end + 1);

    const into = (stdin: string) => ran('decide', '--sign', 'engine.jwk', '--ledger', 'live', { stdin });
    await into(readLine);
    await stdout.until(at.end + 2);
    await ran('ledger', 'rotate', 'live', '--key', 'engine.jwk');
    await into(readLine);
    const lines = await stdout.until(at.end + 3);
    expect(lines.map((line) => Number.parseInt(line, 10))).toEqual(Array.from({ length: at.end + 3 }, (_, i) => i));

    const file = join(cwd, 'live/segment-000000000013.cbor');
    const entry = readFileSync(file);
    appendFileSync(file, entry.subarray(0, 100));
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(stdout.lines()).toHaveLength(at.end + 3);
    truncateSync(file, 0);
    await stderr.until(1);
    expect(stderr.lines()).toEqual(['live/segment-000000000013.cbor: what was shown last was not durable and has been cut']);
    controller.abort(130);
    expect(await running).toBe(130);
  });

  /** A screen whose lines can be waited for. */
  function follower() {
    const stream = Object.assign(new PassThrough(), { isTTY: false });
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const lines = (): string[] => text.split('\n').slice(0, -1);
    const until = async (count: number): Promise<string[]> => {
      while (lines().length < count) await new Promise((resolve) => setTimeout(resolve, 20));
      return lines();
    };
    return { stream, lines, until };
  }
});

describe('ruleprint ledger export', () => {
  it('gives every entry as a JSON line, and says on stderr that it is not the evidence', async () => {
    const { code, stdout, stderr } = await desk.ran('ledger', 'export', 'audit');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'this is to look at and not the evidence: it has no signatures. The evidence is audit, and ruleprint verify judges it\n',
    });
    expect(stdout).toBe((await show('--json')).stdout);
    expect((await desk.ran('ledger', 'export', 'audit', '--json')).stdout).toBe(stdout);
  });

  it('ends with 1 where something is no entry', async () => {
    expect((await desk.ran('ledger', 'export', 'broken')).code).toBe(1);
    await decideInto(desk, readLine);
  });
});
