/**
 * Folders and ledgers that are gone after the test.
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { type Ledger, openLedger, type OpenLedgerOptions, type Store } from '../../src/ledger/index.js';
import { startTime } from './chain-kit.js';
import { engineId, signer } from './kit.js';

const folders: string[] = [];
const ledgers = new Set<Ledger>();

/** A folder that is removed after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ruleprint-ledger-'));
  folders.push(folder);
  return folder;
}

afterEach(async () => {
  for (const ledger of ledgers) await ledger.close().catch(() => undefined);
  ledgers.clear();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Opens a ledger that is closed after the test at the latest. The clock stands still. */
export async function open(at: string | Store, options: Partial<OpenLedgerOptions> = {}): Promise<Ledger> {
  const place = typeof at === 'string' ? {} : { store: at };
  const ledger = await openLedger(typeof at === 'string' ? at : at.place, { engineId, signer, now: () => startTime, lockTimeout: 200, ...place, ...options });
  ledgers.add(ledger);
  return ledger;
}
