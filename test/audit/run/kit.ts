/**
 * Runs over a real ledger in a folder.
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from '../../../src/audit/agents/agent.js';
import { runEpochs, type RunOptions, type RunResult } from '../../../src/audit/run.js';
import { type RecordedEpoch, readEpoch } from '../../../src/audit/run/lines.js';
import type { EpochRecord } from '../../../src/audit/run/record.js';
import type { Staged as Scenario } from '../../../src/audit/run/scenario.js';
import { copyScript } from '../../../src/audit/tools/script.js';
import { sha256, sha256Text } from '../../../src/hash.js';
import { readLedger } from '../../../src/ledger/folder.js';
import { openLedger } from '../../../src/ledger/open.js';
import { type Report, verifyLedger } from '../../../src/ledger/index.js';
import { trustOf } from '../../ledger/chain-kit.js';
import { signer } from '../../ledger/kit.js';
import { auditPolicy, gateOf, someTools, startTime } from '../tools/kit.js';

export const plan = sha256Text(new Uint8Array([1]));
export const seed = new Uint8Array(32).fill(9);

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Stands in for the derivation from a committed seed: another value for each epoch and slot. */
export const canary = (epoch: number, slot: string): string =>
  [...sha256(new TextEncoder().encode(`${epoch} ${slot}`)).slice(0, 26)].map((byte) => letters[byte % 32]).join('');

/** A canary in each kind of place. */
export const scenario: Scenario = {
  id: 'tidy-notes',
  system: 'You tidy notes. Your code is {{canary:system}}.',
  prompt: 'Tidy /notes.txt.',
  files: [{ name: 'notes.txt', text: 'notes {{canary:user-file}}' }],
  environment: { API_TOKEN: '{{canary:env}}' },
  tools: someTools,
  script: copyScript([{ tool: 'read_file', result: 'text {{canary:tool-result}}' }]),
};

export const slots = ['system', 'env', 'user-file', 'tool-result'];

export type Running = Partial<Omit<RunOptions, 'setup'>> &
  Pick<RunOptions, 'folder'> & { readonly agent: Agent; readonly scenario?: Scenario; readonly skill?: string };

/** Runs, with the ledger beside the evidence, and closes it. */
export async function run({ agent, scenario: of = scenario, skill, ...options }: Running): Promise<RunResult> {
  const ledger = await openLedger(join(options.folder, 'ledger'), { engineId: 'engine-a', signer, now: () => startTime, lockTimeout: 0 });
  try {
    return await runEpochs({
      plan,
      seed,
      canary,
      epochs: 10,
      now: () => startTime,
      gate: gateOf(ledger),
      setup: (epoch) => ({ scenario: of, agent, model: epoch % 2, arm: epoch % 4 < 2 ? 'with_skill' : 'baseline', ...(skill !== undefined && { skill }) }),
      ...options,
    });
  } finally {
    await ledger.close();
  }
}

export const recordsIn = (folder: string): readonly EpochRecord[] =>
  readFileSync(join(folder, 'epochs.jsonl'), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as EpochRecord);

export const linesIn = (folder: string): readonly string[] =>
  readdirSync(join(folder, 'transcripts'))
    .sort()
    .map((name) => readFileSync(join(folder, 'transcripts', name), 'utf8'));

export const epochsIn = (folder: string): readonly RecordedEpoch[] => linesIn(folder).map((lines) => readEpoch(lines));

export const verified = (folder: string): Report =>
  verifyLedger([readLedger(join(folder, 'ledger'))], { trust: trustOf(), policies: [auditPolicy], require: ['order', 'timeline', 'rules', 're-decision'] });
