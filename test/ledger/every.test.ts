import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLedger } from '../../src/ledger/folder.js';
import { openEngine } from '../../src/ledger/engine.js';
import { verifyLedger } from '../../src/ledger/verify.js';
import { newFolder, open } from './folders.js';
import { policyOf, request, trust } from './kit.js';

describe('the durability every', () => {
  it('takes turns with a rotation and a sync that are not waited for: the mark never falls back, and nothing is refused (LED-5)', async () => {
    const folder = newFolder();
    const ledger = await open(folder, { durability: 'every', rotateAfter: 3 });
    const engine = openEngine({ ledger, policy: policyOf(1) });
    const waits: Promise<void>[] = [];
    for (let round = 0; round < 20; round++) {
      engine.decide(request());
      waits.push(ledger.rotate(), ledger.sync());
      if (round % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
      engine.decide(request());
      expect(JSON.parse(readFileSync(join(folder, 'durable.json'), 'utf8'))).toMatchObject({ seq: ledger.last.seq, hash: ledger.last.hash });
    }
    await Promise.all(waits);
    expect(JSON.parse(readFileSync(join(folder, 'durable.json'), 'utf8'))).toMatchObject({ seq: ledger.last.seq, hash: ledger.last.hash });
    await ledger.close();
    expect(verifyLedger([readLedger(folder)], { trust }).ok).toBe(true);
  });
});
