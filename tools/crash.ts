/**
 * `npm run crash [-- --kills=N --lives=N --seed=N]`: kills writing processes and fails the power of a disk, many more times than `npm test` does,
 * and counts what was lost. The first line that must not be ends it with 1.
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { livesOf } from '../test/ledger/crash/power.js';
import { buildWriter, killWriters } from '../test/ledger/crash/processes.js';

const killsOfLedger = 20;
const livesOfDisk = 5;

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '400' }, lives: { type: 'string', default: '2000' }, seed: { type: 'string', default: '1' } },
});
const seed = Number(values.seed);
const wrong: string[] = [];

function found(what: string, lines: readonly string[]): void {
  for (const line of lines) console.error(`${what}: ${line}`);
  wrong.push(...lines);
}

async function kill(count: number): Promise<void> {
  const writer = await buildWriter();
  const sum = { kills: 0, early: 0, entries: 0, recorded: 0, cuts: 0 };
  for (let ledger = 0; sum.kills < count; ledger++) {
    const folder = mkdtempSync(join(tmpdir(), 'ruleprint-crash-'));
    const run = await killWriters(writer, folder, seed + ledger, Math.min(killsOfLedger, count - sum.kills), 120);
    found(`ledger of seed ${seed + ledger}`, run.wrong);
    sum.kills += run.kills;
    sum.early += run.early;
    sum.entries += run.entries;
    sum.recorded += run.recorded;
    sum.cuts += run.cuts;
    rmSync(folder, { recursive: true });
  }
  rmSync(dirname(writer), { recursive: true });
  console.log(
    `kill -9: ${sum.kills} kills, ${sum.early} of them before the ledger was open; ${sum.recorded} entries said to be recorded, ${sum.cuts} opens cut something`,
  );
}

async function failPower(count: number): Promise<void> {
  const sum = { lives: 0, appended: 0, cuts: 0 };
  for (let disk = 0; sum.lives < count; disk++) {
    const run = await livesOf(seed + disk, livesOfDisk);
    found(`disk of seed ${seed + disk}`, run.wrong);
    sum.lives += run.lives;
    sum.appended += run.appended;
    sum.cuts += run.cuts;
  }
  console.log(`power: ${sum.lives} ends, four of five by loss of power; ${sum.appended} entries appended, ${sum.cuts} opens cut something`);
}

await kill(Number(values.kills));
await failPower(Number(values.lives));
console.log(wrong.length === 0 ? 'nothing was lost that was promised, and every chain verifies' : `${wrong.length} things that must not be`);
process.exit(wrong.length === 0 ? 0 : 1);
