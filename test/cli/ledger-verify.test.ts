/**
 * `ruleprint verify` on ledgers: the ledger of issue 3, and each way in which it can be wrong on its own axis.
 * @module
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Axis, axes, type Report } from '../../src/receipt/report.js';
import { placeOf } from '../../src/cli/sources.js';
import { readTrust, verifyPlaces } from '../../src/cli/verifying.js';
import { io, type Ran, textIn } from './cli.js';
import {
  argsDigest,
  at,
  changed,
  decideInto,
  deploy,
  type Desk,
  entriesOf,
  entryBefore,
  forged,
  newDesk,
  readLine,
  relinked,
  segmentsOf,
  wholeLedger,
  type Written,
} from './ledger-kit.js';
import { checkedReport } from './report-schema.js';

let desk: Desk;
beforeAll(async () => {
  desk = await newDesk();
  await wholeLedger(desk);
  const { code, stderr } = await desk.ran('ledger', 'checkpoint', 'audit', '--key', 'auditor.jwk', '--out', 'checkpoint.cbor', '--trust', 'trust.json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}, 60_000);

const askable: readonly Axis[] = axes.filter((axis) => axis !== 'findings' && axis !== 'mapping');
const everything = ['--checkpoint', 'checkpoint.cbor', '--require', askable.join(',')];
const verify = (...words: readonly string[]): Promise<Ran> => desk.ran('verify', ...words);

async function reportOn(ledger: string, ...words: readonly string[]): Promise<{ code: number; report: Report }> {
  const trust = words.includes('--trust') ? [] : ['--trust', 'trust.json'];
  const { code, stdout, stderr } = await verify(ledger, ...trust, ...words, '--json');
  expect(stderr).toBe('');
  return { code, report: checkedReport(JSON.parse(stdout)) };
}

const failedAxes = ({ axes: answers }: Report): string[] => axes.filter((axis) => answers[axis].status === 'fail');
const codesIn = ({ problems }: Report): Set<string> => new Set(problems.flatMap(({ status, code }) => (status === 'fail' ? [code] : [])));
const failures = ({ problems }: Report): string[] => problems.filter(({ status }) => status === 'fail').map(({ axis, code }) => `${axis} ${code}`);

describe('the ledger of the issue', () => {
  it('has two installs, a restart of the engine, a rotation, an approval and its release, and passes on every axis asked', async () => {
    expect(segmentsOf(desk)).toEqual(['segment-000000000000.cbor', 'segment-000000000009.cbor']);
    expect(await verify('audit', '--trust', 'trust.json', ...everything)).toEqual({
      code: 0,
      stderr: '',
      stdout: `bytes         pass
signature     pass
key trust     pass
order         pass
completeness  pass         up to seq 11
timeline      pass
rules         pass
re-decision   pass
approvals     pass
findings      not checked  there are no findings
mapping       not checked  12 of 12: needs the raw arguments and the mapping table

good: 12 receipts, asked and passed: bytes, signature, key trust, order, completeness, timeline, rules, re-decision, approvals
to check more: mapping (--mapping and --args, with the calls as they were kept)
`,
    });
  });

  it('asks of a folder what a folder can answer, and names the option that answers the rest', async () => {
    const { code, stdout } = await verify('audit', '--trust', 'trust.json');
    expect(code).toBe(0);
    expect(stdout).toContain('\ngood: 12 receipts, asked and passed: bytes, signature, key trust, order, timeline, rules, re-decision\n');
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^to check more: completeness \(--checkpoint\); /);
  });

  it('is the same ledger as a sequence in one file, with its policies beside', async () => {
    const bytes = segmentsOf(desk).map((name) => readFileSync(join(desk.cwd, 'audit', name)));
    writeFileSync(join(desk.cwd, 'all.cbor'), Buffer.concat(bytes));
    expect((await reportOn('all.cbor', '--policies', 'policy-1.json', 'policy-2.json', ...everything)).report).toMatchObject({ ok: true, receipts: 12 });
  });
});

interface Forgery {
  readonly name: string;
  readonly axis: Axis;
  /** In the order in which they are found. */
  readonly code: string;
  readonly entries: () => readonly Uint8Array[];
}

const folderOf = ({ name }: Pick<Forgery, 'name'>): string => name.replaceAll(/[ ,]+/g, '-');
const without = <T>(list: readonly T[], place: number): T[] => list.filter((_, i) => i !== place);
const swapped = <T>(list: readonly T[], place: number): T[] => [...list.slice(0, place), list[place + 1] as T, list[place] as T, ...list.slice(place + 2)];
const rewritten = (change: (statements: readonly Written[]) => readonly Written[]): readonly Uint8Array[] => relinked(desk, change);
const digestOf = (statements: readonly Written[], seq: number): unknown => statements[seq]?.fields['policy_digest'];
const askedAgain = { statement: 'decision', engine_id: 'engine', time: Date.now(), agent: deploy.agent, actions: deploy.actions, args_digest: argsDigest };

const forgeries: readonly Forgery[] = [
  { name: 'one removed in the middle', axis: 'order', code: 'seq-gap', entries: () => without(entriesOf(desk), at.lastUnderFirst) },
  { name: 'two swapped', axis: 'order', code: 'seq-gap, seq-repeat', entries: () => swapped(entriesOf(desk), at.readUnderSecond) },
  { name: 'one removed, linked anew', axis: 'completeness', code: 'checkpoint-beyond', entries: () => rewritten((all) => without(all, at.lastUnderFirst)) },
  { name: 'two swapped, linked anew', axis: 'completeness', code: 'checkpoint-differs', entries: () => rewritten((all) => swapped(all, at.readUnderSecond)) },
  { name: 'the tail cut', axis: 'completeness', code: 'checkpoint-beyond', entries: () => entriesOf(desk).slice(0, at.end) },
  {
    name: 'the other effect',
    axis: 're-decision',
    code: 'decision-differs',
    entries: () => rewritten((all) => changed(all, at.end, { decision: { effect: 'allow', rule: 'deploy', action: 0 } })),
  },
  {
    name: 'the digest of the next policy',
    axis: 'timeline',
    code: 'digest-differs',
    entries: () => rewritten((all) => changed(all, at.lastUnderFirst, { policy_digest: digestOf(all, at.secondInstall) })),
  },
  {
    name: 'the digest left off',
    axis: 'timeline',
    code: 'digest-missing',
    entries: () => rewritten((all) => changed(all, at.lastUnderFirst, { policy_digest: undefined })),
  },
  { name: 'a key for another engine', axis: 'key-trust', code: 'key-engine', entries: () => rewritten((all) => changed(all, at.end, {}, 'other')) },
  {
    name: 'no policy after an install',
    axis: 'timeline',
    code: 'no-policy-after-install',
    entries: () =>
      rewritten((all) =>
        changed(all, at.lastUnderFirst, {
          decision: { effect: 'deny', reason: 'no-policy' },
          policy_version: undefined,
          policy_digest: undefined,
          match_profile: undefined,
        }),
      ),
  },
  {
    name: 'an approval used twice',
    axis: 'approvals',
    code: 'approval-again',
    entries: () =>
      rewritten((all) => {
        const { policy_version, policy_digest, match_profile, decision } = all[at.ask]?.fields ?? {};
        const ask: Written = { fields: { ...askedAgain, policy_version, policy_digest, match_profile, decision } };
        const release: Written = { fields: { ...all[at.release]?.fields, seq: undefined, ask: entryBefore } };
        return [...all.slice(0, at.release + 1), ask, release, ...all.slice(at.release + 1)];
      }),
  },
  { name: 'a release before its approval', axis: 'approvals', code: 'approval-missing', entries: () => rewritten((all) => swapped(all, at.approval)) },
];

describe('a ledger written again', () => {
  beforeAll(async () => {
    await desk.ran('keygen', '--out', 'other.jwk', '--trust', 'trust.json', '--engine-id', 'other-engine');
  });

  it.each(forgeries)('fails with $name on $axis alone ($code)', async ({ name, axis, code, entries }) => {
    const folder = forged(desk, folderOf({ name }), entries());
    // what was written again is another chain to the checkpoint: it is asked only of what it is to find
    const asked = axis === 'completeness' ? everything : ['--require', without(askable, askable.indexOf('completeness')).join(',')];
    const { code: exitCode, report } = await reportOn(folder, ...asked);
    expect({ exitCode, failed: failedAxes(report), code: [...codesIn(report)].join(', ') }).toEqual({ exitCode: 1, failed: [axis], code });
    const where = report.problems.find(({ status }) => status === 'fail')?.where;
    if (axis === 'completeness') expect(where).toEqual({ file: 'checkpoint.cbor', engine: 'engine' });
    else
      expect(where).toMatchObject({
        file: `${folder}/segment-000000000000.cbor`,
        engine: 'engine',
        seq: expect.any(Number),
        offset: expect.any(Number),
        receipt: expect.any(Number),
      });
  });

  it('fails where the folder was emptied and begun anew, and where it was only emptied', async () => {
    mkdirSync(join(desk.cwd, 'emptied'));
    const emptied = await reportOn('emptied', ...everything);
    expect({ code: emptied.code, failed: failures(emptied.report) }).toEqual({ code: 1, failed: ['completeness checkpoint-beyond'] });
    await desk.ran('decide', '--policy', 'policy-1.json', '--sign', 'engine.jwk', '--ledger', 'emptied', { stdin: `${readLine}\n`.repeat(12) });
    const anew = await reportOn('emptied', ...everything);
    expect({ code: anew.code, failed: failures(anew.report) }).toEqual({ code: 1, failed: ['completeness checkpoint-ledger'] });
  });

  it('fails where the tail is cut and the mark of what was synced is left, without any checkpoint', async () => {
    const folder = forged(desk, 'cut', entriesOf(desk));
    writeFileSync(join(desk.cwd, folder, 'segment-000000000000.cbor'), Buffer.concat(entriesOf(desk).slice(0, at.end)));
    const { code, report } = await reportOn(folder);
    expect({ code, failed: failures(report) }).toEqual({ code: 1, failed: ['order tail-missing'] });
    expect(report.problems[0]?.where).toEqual({ file: 'cut' });
  });

  it('fails with a receipt that a revoked key dated back', async () => {
    await desk.ran('keygen', '--out', 'engine-2.jwk', '--trust', 'trust.json', '--role', 'engine');
    const entries = relinked(desk, (all) =>
      all.map((each, seq) => {
        if (seq < at.secondInstall) return each;
        return seq === at.end ? { fields: { ...each.fields, time: 1 } } : { ...each, key: 'engine-2' };
      }),
    );
    const revokedAt = (relinkedTime(at.readUnderSecond) as number) - 1;
    const store = JSON.parse(textIn(desk.cwd, 'trust.json')) as { keys: { kid: string }[] };
    const { kid } = desk.key('engine').public;
    const keys = store.keys.map((key) => (key.kid === kid ? { ...key, revoked_at: revokedAt, revoked_from_seq: { engine: at.secondInstall } } : key));
    writeFileSync(join(desk.cwd, 'revoked.json'), JSON.stringify({ keys }));
    const { code, report } = await reportOn(forged(desk, 'revoked', entries), '--trust', 'revoked.json');
    expect({ code, failed: failures(report) }).toEqual({ code: 1, failed: ['key-trust key-revoked'] });
    expect(report.problems.find(({ status }) => status === 'fail')?.where.seq).toBe(at.end);
    expect(report.problems.filter(({ status }) => status === 'note').map(({ code: note }) => note)).toEqual(['time-back']);
  });

  function relinkedTime(seq: number): unknown {
    let time: unknown;
    relinked(desk, (all) => {
      time = all[seq]?.fields['time'];
      return all;
    });
    return time;
  }
});

describe('ruleprint verify, the text', () => {
  it('begins with the worst, with the engine and the seq, and ends with the option that would answer the rest', async () => {
    const folder = forged(
      desk,
      'worst',
      relinked(desk, (all) => changed(changed(all, at.end, { time: 1 }), at.readUnderSecond, { policy_version: 9 })),
    );
    const { code, stdout } = await verify(folder, '--trust', 'trust.json', '--checkpoint', 'other.jwk');
    expect(code).toBe(1);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.slice(0, 3).map((line) => line.replace(/\d{13}|byte \d+(?=:)/g, '…'))).toEqual([
      `fail  worst/segment-000000000000.cbor, seq ${at.readUnderSecond} of "engine", …: version-differs: expected version 2, got 9 [timeline]`,
      'open  other.jwk: checkpoint-untrusted: a checkpoint counts for nothing: expected tag 18 (0xd2) in front, got byte 0x7b [completeness]',
      `note  worst/segment-000000000000.cbor, seq ${at.end} of "engine", …: time-back: the time steps back from … to 1 [order]`,
    ]);
    expect(lines.at(-1)).toMatch(/^to check more: completeness \(--trust with the key of the checkpoint, as an auditor\); /);
  });

  it('shows twenty problems of a kind and counts the others, which JSON lists', async () => {
    await desk.ran('decide', '--policy', 'policy-1.json', '--sign', 'other.jwk', '--out', 'others.cbor', { stdin: `${readLine}\n`.repeat(50) });
    writeFileSync(join(desk.cwd, 'nobody.json'), '{"keys":[]}');
    const { stdout } = await verify('others.cbor', '--trust', 'nobody.json');
    expect(stdout.match(/: key-unknown: /g)).toHaveLength(20);
    expect(stdout).toContain('\n      and 30 more with this code: --json lists them\n');
    expect((await reportOn('others.cbor', '--trust', 'nobody.json')).report.problems).toHaveLength(50);
  });

  it('counts receipts from the beginning of their own file', async () => {
    const bytes = readFileSync(join(desk.cwd, 'others.cbor'));
    const torn = Buffer.concat([bytes, Buffer.from([0x01])]);
    writeFileSync(join(desk.cwd, 'torn.cbor'), torn);
    const { report } = await reportOn('audit', 'torn.cbor', 'torn.cbor', '--trust', 'nobody.json');
    const tags = report.problems.filter(({ code }) => code === 'cose-tag');
    expect(tags.map(({ where }) => where)).toEqual([1, 2].map(() => ({ file: 'torn.cbor', receipt: 50, offset: bytes.length })));
    const second = report.problems.filter(({ where }) => where.file === 'audit/segment-000000000009.cbor');
    expect(second.map(({ where }) => [where.receipt, where.seq])).toEqual([0, 1, 2].map((i) => [i, at.secondInstall + i]));
  });
});

describe('ruleprint verify, its options', () => {
  it('expects engines, and names one that has no entry', async () => {
    const { code, stdout } = await verify('audit', '--trust', 'trust.json', '--checkpoint', 'checkpoint.cbor', '--expect-engines', 'engine,engine-z');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail {2}engine "engine-z": engine-missing: /);
    expect((await verify('audit', '--trust', 'trust.json', '--checkpoint', 'checkpoint.cbor', '--expect-engines', 'engine')).code).toBe(0);
  });

  it('resumes behind a checkpoint, and checks what comes after it in one thread or in two', async () => {
    const { ran } = desk;
    await decideInto(desk, `${readLine}\n${readLine}`);
    const flips = { before: at.read, behind: at.end + 2 };
    for (const [name, seq] of Object.entries(flips)) {
      const entries = entriesOf(desk);
      const entry = entries[seq] as Uint8Array;
      entry[entry.length - 1] = (entry.at(-1) as number) ^ 1;
      forged(desk, `flip-${name}`, entries);
    }
    const options = ['--checkpoint', 'checkpoint.cbor', '--resume'];
    const good = await reportOn('flip-before', ...options);
    expect(good.report.axes.signature).toMatchObject({ status: 'pass', reason: '12 of 14: pinned by a checkpoint, not checked again' });
    expect((await reportOn('flip-before')).code).toBe(1);
    const bad = await reportOn('flip-behind', ...options);
    expect(failures(bad.report)).toEqual(['signature signature-invalid']);
    expect(await reportOn('flip-behind', ...options, '--workers', '2')).toEqual(bad);
    expect((await ran('verify', 'audit', '--trust', 'trust.json', '--resume')).stderr).toContain('ruleprint: error: --resume needs --checkpoint\n');
  });

  it('gives the same report with any number of workers, whatever is wrong where', async () => {
    const receipts = Array.from({ length: 6 }, () => readFileSync(join(desk.cwd, 'others.cbor')));
    receipts.forEach((bytes, i) => {
      // a signature, a payload, a kid, a head: in other batches and so in other threads
      for (const at of [bytes.length - 1 - i, 150 + 3_000 * i, 40 + 17 * i, 2_500 * i])
        bytes.writeUInt8(bytes.readUInt8(at % bytes.length) ^ (1 << (i % 8)), at % bytes.length);
    });
    writeFileSync(join(desk.cwd, 'faulty.cbor'), Buffer.concat(receipts));
    const words = [...forgeries.map(folderOf), 'faulty.cbor', 'flip-before', '--trust', 'trust.json', '--json'];
    const { stdout } = await verify(...words);
    const report = checkedReport(JSON.parse(stdout));
    expect(new Set(failures(report)).size).toBeGreaterThan(10);
    for (const workers of ['1', '2', '5']) expect((await verify(...words, '--workers', workers)).stdout).toBe(stdout);
  });

  it('reads stdin, which can be read once, and gives it to threads too', async () => {
    const stdin = readFileSync(join(desk.cwd, 'faulty.cbor'));
    const fromFile = await reportOn('faulty.cbor');
    for (const workers of ['1', '2']) {
      const ran = await desk.ran('verify', '-', '--trust', 'trust.json', '--json', '--workers', workers, { stdin });
      expect(JSON.parse(ran.stdout)).toEqual(JSON.parse(JSON.stringify(fromFile.report).replaceAll('"faulty.cbor"', '"stdin"')));
    }
  });

  it('does not rely on signatures of other bytes than those that it judges', async () => {
    const answer = 'import { parentPort } from "node:worker_threads"; parentPort.postMessage({ answer: { faults: [], hash: "00" } });';
    const around = { ...io(desk.cwd), program: { url: new URL(`data:text/javascript,${encodeURIComponent(answer)}`) } } as Parameters<typeof verifyPlaces>[0];
    const streams = { stdout: { isTTY: false }, stderr: { isTTY: false } };
    const trust = await readTrust(around, 'trust.json');
    const verifying = verifyPlaces({ ...around, ...streams } as typeof around, [await placeOf(around, 'audit')], trust, {}, 2);
    await expect(verifying).rejects.toThrow('the files changed while they were read');
  });

  it.each([
    [['--workers', '0'], '--workers takes a number from 1 to 64, not "0"'],
    [['--workers', '1e1'], '--workers takes a number from 1 to 64, not "1e1"'],
    [['--workers', '65'], '--workers takes a number from 1 to 64, not "65"'],
  ])('refuses %j', async (words, message) => {
    expect(await verify('audit', '--trust', 'trust.json', ...words)).toEqual({ code: 2, stdout: '', stderr: `ruleprint: error: ${message}\n` });
  });

  it('fails a ledger whose mark is none on order, and verifies the rest all the same (LED-11)', async () => {
    const folder = forged(desk, 'unmarked', entriesOf(desk));
    writeFileSync(join(desk.cwd, folder, 'durable.json'), '{');
    const { code, stdout, stderr } = await verify(`${folder}/`, '--trust', 'trust.json');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/unmarked.*tail-missing/);
    expect(stdout).toMatch(/not good: \d+ receipts, failed: order\n/);
    expect(await verify('nowhere', '--trust', 'trust.json')).toMatchObject({
      code: 3,
      stderr: 'ruleprint: error: cannot read nowhere: no such file or folder\n',
    });
  });

  it('says so where the folder has lost a policy, which somebody else may have', async () => {
    const folder = forged(desk, 'lost-policy', entriesOf(desk));
    const [kept = ''] = readdirSync(join(desk.cwd, folder, 'policies'));
    rmSync(join(desk.cwd, folder, 'policies', kept));
    const { report } = await reportOn(folder);
    expect(new Set(report.problems.map(({ code, status }) => `${status} ${code}`))).toEqual(new Set(['not-checked policy-missing']));
    expect((await reportOn(folder, '--policies', 'policy-1.json', 'policy-2.json')).report.ok).toBe(true);
  });
});
