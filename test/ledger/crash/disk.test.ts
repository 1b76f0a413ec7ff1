import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../../src/ledger/engine.js';
import { fileStore } from '../../../src/ledger/file-store.js';
import { newFolder, open } from '../folders.js';
import { codeOf, hashesIn, policyOf, randomOf, request, slowSigner, turn, verifyIn } from '../kit.js';
import { MemoryDisk } from '../memory-disk.js';
import { buildWriter, missing, startWriter } from './processes.js';
import type { WriterSettings } from './writer.js';

let writer = '';
beforeAll(async () => {
  writer = await buildWriter();
});
afterAll(() => rmSync(dirname(writer), { recursive: true, force: true }));

describe('a full disk (LED-5)', () => {
  it.each(['group', 'every', 'none'] as const)('stops the ledger wherever it gets full, and nothing that was acknowledged is lost: %s', async (durability) => {
    for (let free = 1_200; free < 2_600; free += 37) {
      for (const by of [undefined, slowSigner(turn)]) {
        const disk = new MemoryDisk(randomOf(free));
        const ledger = await open(disk, { durability, ...(by && { signer: by }) });
        const engine = openEngine({ ledger, policy: policyOf(1) });
        await ledger.sync();
        disk.free = free - 1_000;
        const recorded = new Map<number, string>();
        const durable = new Map<number, string>();
        let refused: unknown;
        for (let i = 0; i < 12 && refused === undefined; i++) {
          try {
            const { receipt } = engine.decide(request());
            receipt.recorded.then(
              () => recorded.set(receipt.seq, receipt.hash),
              () => undefined,
            );
            if (durability !== 'none')
              receipt.durable.then(
                () => durable.set(receipt.seq, receipt.hash),
                () => undefined,
              );
            if (i % 3 === 2) await receipt.durable;
          } catch (error) {
            refused = error;
          }
        }
        refused ??= await ledger.close().catch((error: unknown) => error);
        expect(refused).toMatchObject({ code: 'ledger-write' });
        expect(await codeOf(() => engine.decide(request()))).toMatch(/^ledger-(write|closed)$/);
        expect(await codeOf(() => ledger.close())).toBe('ledger-write');
        // as the next process finds it, and the next start of the machine
        for (const [found, promised] of [
          [disk.loseProcess(), recorded],
          [disk.losePower(), durable],
        ] as const) {
          found.free = Number.POSITIVE_INFINITY;
          const again = await open(found);
          const hashes = hashesIn(found);
          for (const [seq, hash] of promised) expect(hashes[seq]).toBe(hash);
          openEngine({ ledger: again, policy: policyOf(1) }).decide(request());
          await again.close();
          expect(verifyIn(found).problems).toEqual([]);
        }
      }
    }
  });

  it('is the same where the system limits the size of files', { timeout: 60_000 }, async () => {
    const folder = newFolder();
    const run = startWriter(writer, settings(folder), { fileLimit: 40 });
    expect(await run.ended).toBe(3);
    const said = run.said();
    expect(said.recorded.size).toBeGreaterThan(20);
    expect(said.refused).toContain('ledger-write EFBIG');
    const ledger = await open(folder);
    expect(missing(said, hashesIn(fileStore(folder)))).toEqual([]);
    expect(ledger.last.seq).toBe(Math.max(...said.recorded.keys()));
    await ledger.close();
    expect(verifyIn(fileStore(folder)).problems).toEqual([]);
  });
});

describe('a folder that its process may not write', () => {
  it('is refused, and left as it is', { timeout: 60_000 }, async () => {
    const folder = join(newFolder(), 'audit');
    mkdirSync(folder);
    chmodSync(dirname(folder), 0o755);
    chmodSync(folder, 0o555);
    // whoever may do everything is made a user who may not
    const run = startWriter(writer, settings(folder), process.getuid?.() === 0 ? { uid: 65_534 } : {});
    expect(await run.ended).toBe(3);
    expect(run.said()).toMatchObject({ hasOpened: false, refused: ['ledger-write EACCES'] });
    expect(fileStore(folder).list()).toEqual([]);
  });
});

function settings(folder: string): WriterSettings {
  return { folder, seed: 1, durability: 'group', isSlow: false, rotateAfter: 4_096, lockTimeout: 1_000, policyVersion: 1 };
}
