import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileStore } from '../../src/ledger/file-store.js';
import { isProvablyDead, type Owner, thisProcess } from '../../src/ledger/owner.js';
import { buildWriter, missing, startWriter } from './crash/processes.js';
import type { WriterSettings } from './crash/writer.js';
import { newFolder, open } from './folders.js';
import { codeOf, hashesIn, refusedWith, verifyIn } from './kit.js';

let writer = '';
beforeAll(async () => {
  writer = await buildWriter();
});
afterAll(() => rmSync(dirname(writer), { recursive: true, force: true }));

const settings = (folder: string, change: Partial<WriterSettings> = {}): WriterSettings => ({
  folder,
  seed: 1,
  durability: 'group',
  isSlow: false,
  rotateAfter: 4_096,
  lockTimeout: 20_000,
  policyVersion: 1,
  ...change,
});

/** A process that has ended: its pid, and who it was. */
async function endedProcess(): Promise<Owner> {
  const child = spawn(process.execPath, ['-e', '']);
  await new Promise((resolve) => child.on('close', resolve));
  return { ...thisProcess(), pid: child.pid as number, start: '1' };
}

describe('who is provably dead (LED-7)', () => {
  const own = thisProcess();

  it('is one of another boot, one without a process, and one whose pid another process has by now', async () => {
    expect(isProvablyDead({ ...own, boot_id: 'another' })).toBe(true);
    expect(isProvablyDead(await endedProcess())).toBe(true);
    expect(isProvablyDead({ ...own, start: '1' })).toBe(true);
  });

  it('is nobody of another host, of another counting of pids, or of whom the system does not tell', async () => {
    const dead = await endedProcess();
    expect(isProvablyDead(own)).toBe(false);
    expect(isProvablyDead({ ...dead, host: `not ${hostname()}` })).toBe(false);
    expect(isProvablyDead({ ...dead, boot_id: 'another', host: `not ${hostname()}` })).toBe(false);
    expect(isProvablyDead({ ...dead, pid_space: 'pid:[1]' })).toBe(false);
    expect(isProvablyDead({ ...own, start: '' })).toBe(false);
    expect(isProvablyDead({ ...own, pid: 1 })).toBe(true); // pid 1 began at another time
  });

  it('is found by what the system says of this very process', () => {
    expect(own).toMatchObject({ host: hostname(), pid: process.pid });
    if (process.platform === 'linux') {
      expect(own.boot_id).toMatch(/^[0-9a-f-]{36}$/);
      expect(own.start).toMatch(/^\d+$/);
    }
  });
});

describe('one writer (LED-7)', () => {
  it('keeps out a second one, in the same process too, and says who holds it', async () => {
    const folder = newFolder();
    const ledger = await open(folder);
    const start = Date.now();
    const problem = await refusedWith(() => open(folder, { lockTimeout: 150 }));
    expect(Date.now() - start).toBeGreaterThanOrEqual(140);
    expect(problem).toMatchObject({ code: 'ledger-locked', where: { file: join(folder, 'lock') }, evidence: { waitedMs: 150, owner: thisProcess() } });
    await ledger.close();
    expect((await open(folder)).opened).toEqual({ resumed: true });
  });

  it('lets the second one in when the first has closed', async () => {
    const folder = newFolder();
    const ledger = await open(folder);
    setTimeout(() => void ledger.close(), 100);
    expect((await open(folder, { lockTimeout: 5_000 })).opened).toEqual({ resumed: true });
  });

  it('gives eight short-lived processes at once their turn each', { timeout: 60_000 }, async () => {
    const folder = join(newFolder(), 'new');
    const runs = Array.from({ length: 8 }, (_, i) => startWriter(writer, settings(folder, { decisions: 3, seed: i })));
    expect(await Promise.all(runs.map(({ ended }) => ended))).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    const hashes = hashesIn(fileStore(folder));
    expect(hashes).toHaveLength(2 + 8 * 3);
    for (const run of runs) {
      expect(run.said()).toMatchObject({ hasClosed: true, refused: [] });
      expect(missing(run.said(), hashes)).toEqual([]);
    }
    expect(verifyIn(fileStore(folder)).problems).toEqual([]);
    expect(
      fileStore(folder)
        .list()
        .filter((name) => name.startsWith('lock')),
    ).toEqual([]);
  });
});

describe('a lock that was left', () => {
  type Left = readonly [string, () => object | string | Promise<object>];
  const lockIn = (folder: string, content: object | string): void =>
    writeFileSync(join(folder, 'lock'), typeof content === 'string' ? content : JSON.stringify(content));

  it.each([
    ['by a process that has ended', endedProcess],
    ['before the machine was started again', () => ({ ...thisProcess(), boot_id: 'another' })],
    ['by an earlier process with our pid', () => ({ ...thisProcess(), start: '1' })],
  ] as readonly Left[])('is taken over where it was left %s', async (_, owner) => {
    const folder = newFolder();
    lockIn(folder, await owner());
    await open(folder, { lockTimeout: 0 });
    expect(JSON.parse(readFileSync(join(folder, 'lock'), 'utf8'))).toEqual(thisProcess());
  });

  it.each([
    ['by another host', () => ({ ...thisProcess(), host: 'elsewhere', boot_id: 'another' })],
    ['in another container', async () => ({ ...(await endedProcess()), pid_space: 'pid:[1]' })],
    ['without content', () => ''],
    ['by something else', () => '{"pid":1}'],
  ] as readonly Left[])('is not taken over where it was left %s, because nothing proves that its owner is dead', async (_, owner) => {
    const folder = newFolder();
    const content = await owner();
    lockIn(folder, content);
    expect(await codeOf(() => open(folder, { lockTimeout: 30 }))).toBe('ledger-locked');
    expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe(typeof content === 'string' ? content : JSON.stringify(content));
  });

  it('is taken over though a process died while it took it over, and what that one left is swept away', async () => {
    const folder = newFolder();
    const dead = JSON.stringify(await endedProcess());
    for (const name of ['lock', 'lock.steal', 'lock.0123456789abcdef', 'lock.steal.0123456789abcdef']) writeFileSync(join(folder, name), dead);
    writeFileSync(join(folder, 'lock.fedcba9876543210'), JSON.stringify(thisProcess()));
    await open(folder, { lockTimeout: 1_000 });
    const locks = fileStore(folder)
      .list()
      .filter((name) => name.startsWith('lock'));
    expect(locks.sort()).toEqual(['lock', 'lock.fedcba9876543210']);
  });

  it('is not taken over while another process is about to', async () => {
    const folder = newFolder();
    lockIn(folder, await endedProcess());
    writeFileSync(join(folder, 'lock.steal'), JSON.stringify(thisProcess()));
    expect(await codeOf(() => open(folder, { lockTimeout: 50 }))).toBe('ledger-locked');
  });

  it('by a killed process is taken over by eight at once, one after the other', { timeout: 60_000 }, async () => {
    const folder = newFolder();
    const first = startWriter(writer, settings(folder));
    while (first.said().recorded.size < 5) await new Promise((resolve) => setTimeout(resolve, 5));
    first.process.kill('SIGKILL');
    await first.ended;
    const runs = Array.from({ length: 8 }, (_, i) => startWriter(writer, settings(folder, { decisions: 2, seed: i })));
    expect(await Promise.all(runs.map(({ ended }) => ended))).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    const hashes = hashesIn(fileStore(folder));
    for (const run of [first, ...runs]) expect(missing(run.said(), hashes)).toEqual([]);
    expect(verifyIn(fileStore(folder)).problems).toEqual([]);
  });
});
