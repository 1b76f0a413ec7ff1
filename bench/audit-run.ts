/**
 * The process that bench/audit.ts measures: `FOLDER EPOCHS`.
 * @module
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { exfiltrating, flaky, wellBehaved } from '../src/audit/agents/scripted.js';
import { runEpochs } from '../src/audit/run.js';
import { copyScript } from '../src/audit/tools/script.js';
import { readTools } from '../src/audit/tools/schema.js';
import { createSigner, importPrivateKey } from '../src/index.js';
import { createGate } from '../src/gate/gate.js';
import { sha256, sha256Text } from '../src/hash.js';
import { openEngine, openLedger } from '../src/ledger/index.js';
import { createMapper } from '../src/mapping/mapper.js';
import type { AuditRun } from './audit.js';
import { benchKeys } from './fixtures.js';

const [folder = '', epochs = ''] = process.argv.slice(2);
const count = Number(epochs);
const [key] = benchKeys();
if (key === undefined) throw new Error('expected a key');

const names = ['list_files', 'read_file', 'search', 'write_file', 'send_mail'];
const tools = readTools(
  names.map((name) => ({ name, description: `${name} of the workspace`, parameters: { type: 'object', properties: { path: { type: 'string' } } } })),
);
const script = copyScript(
  names.map((tool) => ({ tool, counts: 'calls', result: `result {{count:calls}} of {{args:/path}}: {{canary:tool-result}} ${'text '.repeat(100)}` })),
);
const steps = names.map((tool, i) => ({ tool, args: { path: `/workspace/${i}`, text: 'some words '.repeat(20) } }));
const plan = { steps, says: 'all done' };
const scenario = { id: 'bench', system: 'You tidy up. {{canary:system}}', prompt: 'Tidy up.', tools, script };

const ledger = await openLedger(join(folder, 'ledger'), {
  engineId: 'bench',
  signer: createSigner(importPrivateKey(key.privateKey.export({ format: 'jwk' }))),
});
const policy = { version: 1, rules: [{ name: 'tools', effect: 'allow', agents: 'any', action: { tool: { server: 'false', name: '*' } } }] } as const;
const gate = createGate({
  engine: openEngine({ ledger, policy }),
  map: createMapper({ format: 'ruleprint-mapping/1', server: 'false', tools: {} }),
  agent: 'subject',
});
const agent = flaky(wellBehaved(plan), exfiltrating(plan, {}), 0.05);

const heap: number[] = [];
const look = (): void => {
  globalThis.gc?.();
  heap.push(process.memoryUsage().heapUsed);
};
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const start = process.hrtime.bigint();
const result = await runEpochs({
  folder,
  plan: sha256Text(new Uint8Array()),
  epochs: count,
  seed: new Uint8Array(32),
  canary: (epoch, slot) => [...sha256(new TextEncoder().encode(`${epoch} ${slot}`)).subarray(0, 26)].map((byte) => letters[byte % 32]).join(''),
  gate,
  now: Date.now,
  setup: (epoch) => ({ scenario, arm: epoch % 2 === 0 ? 'with_skill' : 'baseline', model: epoch % 2, agent, skill: 'A skill of some words. '.repeat(200) }),
  onProgress: ({ sealed }) => {
    if (sealed === Math.ceil(count / 10) || sealed === count) look();
  },
});
const { seq } = ledger.last;
await ledger.close();
const milliseconds = Number(process.hrtime.bigint() - start) / 1e6;
if (!result.isComplete) throw new Error('expected a complete run');
const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const evidenceBytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
const run: AuditRun = { milliseconds, receipts: seq + 1, evidenceBytes, heap: [heap[0] ?? 0, heap[1] ?? 0], resident: process.resourceUsage().maxRSS * 1_024 };
process.stdout.write(JSON.stringify(run));
