/**
 * Writing processes: started, killed, and what they said compared with what is there.
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { fileStore } from '../../../src/ledger/file-store.js';
import { openLedger } from '../../../src/ledger/index.js';
import { engineId, hashesIn, oneOf, randomOf, signer, upTo, verifyIn } from '../kit.js';
import type { WriterSettings } from './writer.js';

/** The writer as one file that starts fast. Gives its path, in a folder of its own. */
export async function buildWriter(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'ruleprint-writer-'));
  chmodSync(folder, 0o755); // another user starts it too
  const outfile = join(folder, 'writer.mjs');
  const entry = fileURLToPath(new URL('./writer.ts', import.meta.url));
  // packages that are CommonJS ask for `require`
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    mainFields: ['module', 'main'],
    banner,
    logLevel: 'silent',
  });
  return outfile;
}

export interface Said {
  /** Seq to hash. */
  readonly recorded: ReadonlyMap<number, string>;
  readonly durable: ReadonlyMap<number, string>;
  readonly refused: readonly string[];
  readonly hasOpened: boolean;
  readonly hasClosed: boolean;
}

export interface Run {
  readonly process: ChildProcess;
  /** Resolves when it has ended. */
  readonly ended: Promise<number | null>;
  said(): Said;
}

export interface Start {
  readonly uid?: number;
  /** Greatest size of a file, in KiB. */
  readonly fileLimit?: number;
}

export function startWriter(writer: string, settings: WriterSettings, { uid, fileLimit }: Start = {}): Run {
  const path = join(mkdtempSync(join(tmpdir(), 'ruleprint-said-')), 'said');
  // a file and no pipe: what was said is there although the reader was slow and the writer is dead
  const output = openSync(path, 'w');
  const node = [process.execPath, writer, JSON.stringify(settings)] as const;
  const [command, ...args] = fileLimit === undefined ? node : (['bash', '-c', `ulimit -f ${fileLimit}; exec "$@"`, 'bash', ...node] as const);
  const child = spawn(command, args, { stdio: ['ignore', output, 'inherit'], ...(uid !== undefined && { uid }) });
  closeSync(output);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { process: child, ended, said: () => readSaid(readFileSync(path, 'utf8')) };
}

function readSaid(text: string): Said {
  const lines = text.split('\n').slice(0, -1); // the last may have been cut by the kill
  const of = (kind: string): readonly string[][] => lines.map((line) => line.split(' ')).filter(([first]) => first === kind);
  const entries = (kind: string): ReadonlyMap<number, string> => new Map(of(kind).map(([, seq, hash]) => [Number(seq), hash ?? '']));
  return {
    recorded: entries('R'),
    durable: entries('D'),
    refused: of('E').map((line) => line.slice(1).join(' ').trim()),
    hasOpened: of('O').length > 0,
    hasClosed: of('C').length > 0,
  };
}

/** What must not be, between what processes said and what is there. */
export function missing(said: Said, hashes: readonly string[]): readonly string[] {
  const lost = (kind: string, entries: ReadonlyMap<number, string>): string[] =>
    [...entries].filter(([seq, hash]) => hashes[seq] !== hash).map(([seq]) => `seq ${seq} was ${kind} and is not there`);
  return [...lost('recorded', said.recorded), ...lost('durable', said.durable)];
}

export interface Kills {
  readonly kills: number;
  /** Kills that came while the process was still opening. */
  readonly early: number;
  readonly entries: number;
  readonly recorded: number;
  readonly cuts: number;
  readonly wrong: readonly string[];
}

/** Kills writers of one ledger one after another, each at a random moment; looks after each at what it left. */
export async function killWriters(writer: string, folder: string, seed: number, kills: number, longestMs: number): Promise<Kills> {
  const random = randomOf(seed);
  const store = fileStore(folder);
  const wrong: string[] = [];
  const sum = { early: 0, recorded: 0, cuts: 0 };
  for (let kill = 0; kill < kills; kill++) {
    const settings: WriterSettings = {
      folder,
      seed: upTo(random, 1e9),
      durability: oneOf(random, 'group', 'group', 'every', 'none'),
      isSlow: random() < 0.4,
      rotateAfter: oneOf(random, 5, 50, 4_096),
      lockTimeout: 0, // the owner before is dead, nobody need be waited for
      policyVersion: Math.floor(kill / 3) + 1,
    };
    const run = startWriter(writer, settings);
    if (random() < 0.9) await until(() => run.said().hasOpened || run.process.exitCode !== null);
    await new Promise((resolve) => setTimeout(resolve, random() * longestMs));
    run.process.kill('SIGKILL');
    await run.ended;
    const said = run.said();
    if (!said.hasOpened) sum.early++;
    sum.recorded += said.recorded.size;
    if (said.refused.length > 0) wrong.push(`kill ${kill}: refused with ${said.refused.join(', ')}`);
    try {
      const ledger = await openLedger(folder, { engineId, signer, lockTimeout: 0 });
      if (ledger.opened.cut !== undefined) sum.cuts++;
      wrong.push(...missing(said, hashesIn(store)).map((what) => `kill ${kill}: ${what}`));
      await ledger.close();
    } catch (error) {
      wrong.push(`kill ${kill}: the open stopped: ${String(error)}`);
      break;
    }
  }
  const report = verifyIn(store);
  wrong.push(...report.problems.map(({ code, message }) => `${code}: ${message}`));
  if (!report.ok) wrong.push('the chain does not verify');
  return { kills, early: sum.early, entries: report.receipts, recorded: sum.recorded, cuts: sum.cuts, wrong };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 3));
}
