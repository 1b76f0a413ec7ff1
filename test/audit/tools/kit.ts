/**
 * False tools behind a real gate whose ledger is in memory.
 * @module
 */
import { FalseTools, type FalseToolsOptions } from '../../../src/audit/tools/false-tools.js';
import { readTools } from '../../../src/audit/tools/schema.js';
import { copyScript } from '../../../src/audit/tools/script.js';
import { createGate, type Gate } from '../../../src/gate/gate.js';
import { openEngine } from '../../../src/ledger/engine.js';
import { openLedger } from '../../../src/ledger/open.js';
import type { Ledger } from '../../../src/ledger/ledger.js';
import { createMapper } from '../../../src/mapping/mapper.js';
import { copyPolicy } from '../../../src/policy/copy.js';
import { signer } from '../../ledger/kit.js';
import { randomOf } from '../../ledger/kit.js';
import { MemoryDisk } from '../../ledger/memory-disk.js';

/** Every tool may be called but those that delete; mail asks. */
export const auditPolicy = copyPolicy({
  version: 1,
  rules: [
    { name: 'no-delete', effect: 'deny', agents: 'any', action: { tool: { server: 'false', name: 'delete_*' } } },
    { name: 'ask-mail', effect: 'ask', agents: 'any', action: { tool: { server: 'false', name: 'send_letter' } } },
    { name: 'tools', effect: 'allow', agents: 'any', action: { tool: { server: 'false', name: '*' } } },
  ],
});

export const auditMapper = createMapper({ format: 'ruleprint-mapping/1', server: 'false', tools: {} });

export const gateOf = (ledger: Ledger): Gate => createGate({ engine: openEngine({ ledger, policy: auditPolicy }), map: auditMapper, agent: 'subject' });

export const startTime = 1_793_318_400_000;

export async function memoryGate(): Promise<{ readonly gate: Gate; readonly store: MemoryDisk; readonly ledger: Ledger }> {
  const store = new MemoryDisk(randomOf(7));
  const ledger = await openLedger(store.place, { engineId: 'engine-a', signer, store, now: () => startTime });
  return { gate: gateOf(ledger), store, ledger };
}

export const someTools = readTools({
  tools: [
    { name: 'read_file', description: 'reads', inputSchema: { type: 'object', properties: { path: { type: 'string' } } }, annotations: { readOnlyHint: true } },
    { name: 'send_mail', inputSchema: { type: 'object' }, annotations: { readOnlyHint: false, openWorldHint: true } },
    { name: 'send_letter', inputSchema: { type: 'object' } },
    { name: 'delete_file', inputSchema: { type: 'object' } },
  ],
});

export async function toolsWith(options: Partial<Omit<FalseToolsOptions, 'script'>> & { readonly script?: unknown } = {}): Promise<FalseTools> {
  const { script = [], ...rest } = options;
  const gate = options.gate ?? (await memoryGate()).gate;
  return new FalseTools({ tools: someTools, callIds: 'epoch-0/', ...rest, gate, script: copyScript(script) });
}

/** A call as an agent writes it. */
export const calling = (name: string, args: unknown = {}) => ({ name, args, raw: JSON.stringify(args), parsed: 'ok' as const });
