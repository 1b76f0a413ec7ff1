import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { recordOf } from '../../../src/audit/run/record.js';
import { readReceipt } from '../../../src/receipt/read.js';
import { newFolder } from '../../ledger/folders.js';

import { entriesIn, hashesIn, randomOf } from '../../ledger/kit.js';
import { fileStore } from '../../../src/ledger/file-store.js';
import { linesIn, plan, recordsIn, verified } from './kit.js';

const epochs = 150;
const concurrency = 3;

/** Runs until the end, or until it is killed. */
async function start(runner: string, folder: string, said: string, killAfter: number | undefined): Promise<number | null> {
  const child = spawn(process.execPath, [runner, folder, String(epochs), said], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  if (killAfter !== undefined) {
    const isEnded = (): boolean => child.exitCode !== null;
    const before = turnsIn(said).length;
    // from its first turn on, so that the kill comes while it works
    while (turnsIn(said).length === before && !isEnded()) await new Promise((resolve) => setTimeout(resolve, 2));
    await new Promise((resolve) => setTimeout(resolve, killAfter));
    child.kill('SIGKILL');
  }
  return (await ended)[0];
}

const turnsIn = (said: string): readonly string[] => (existsSync(said) ? readFileSync(said, 'utf8').split('\n').slice(0, -1) : []);

describe('a run that is killed (AUR-13)', () => {
  it('goes on: no epoch is lost, none is run twice, and those that were killed are recorded as that', async () => {
    const [built, folder] = [newFolder(), newFolder()];
    const runner = join(built, 'runner.mjs');
    const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };
    const entry = fileURLToPath(new URL('./runner.ts', import.meta.url));
    await build({
      entryPoints: [entry],
      outfile: runner,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      mainFields: ['module', 'main'],
      banner,
      logLevel: 'silent',
    });
    const said = join(built, 'said');
    const random = randomOf(3);
    let kills = 0;
    for (; kills < 8; kills++) {
      if ((await start(runner, folder, said, random() * 120)) !== null) break;
    }
    expect(kills).toBeGreaterThanOrEqual(3);
    expect(recordsIn(folder).length).toBeLessThan(epochs);
    expect(await start(runner, folder, said, undefined)).toBe(0);

    const records = recordsIn(folder);
    expect(records.map(({ epoch }) => epoch)).toEqual([...Array(epochs).keys()]);
    expect(linesIn(folder).map((lines) => recordOf(plan, lines))).toEqual(records);
    // no turn was had twice
    const turns = turnsIn(said);
    expect(new Set(turns).size).toBe(turns.length);
    const killed = records.filter(({ failure }) => failure !== undefined);
    expect(killed.every(({ failure }) => failure === 'harness')).toBe(true);
    expect(killed.length).toBeGreaterThan(0);
    expect(killed.length).toBeLessThanOrEqual(kills * concurrency);
    // what was judged is in the chain, under the call that it is of; at most one receipt of a killed epoch is in no record
    expect(verified(folder).ok).toBe(true);
    const store = fileStore(join(folder, 'ledger'));
    const hashes = hashesIn(store);
    const inChain = new Map(
      entriesIn(store).flatMap(({ bytes }, seq) => {
        const { statement } = readReceipt(bytes);
        return statement.statement === 'decision' ? [[hashes[seq], statement.call_id] as const] : [];
      }),
    );
    const cited = records.flatMap(({ epoch, calls }) => calls.map(({ receipt, index }) => [receipt, `epoch-${epoch}/${index}`] as const));
    expect(cited.map(([receipt]) => inChain.get(receipt))).toEqual(cited.map(([, id]) => id));
    expect(new Set(inChain.values()).size).toBe(inChain.size);
    expect(inChain.size - cited.length).toBeLessThanOrEqual(killed.length);
  });
});
