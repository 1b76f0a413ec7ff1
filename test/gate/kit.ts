/**
 * Gates with a policy and a table that all tests of the gate share.
 * @module
 */
import type { Approver, Ask } from '../../src/gate/approver.js';
import { localApprover } from '../../src/gate/approver.js';
import { createGate, type Gate, type GateOptions } from '../../src/gate/gate.js';
import { createSigner, type Policy } from '../../src/index.js';
import { type LedgerEngine, openEngine } from '../../src/ledger/engine.js';
import type { Store } from '../../src/ledger/index.js';
import { ledgerIn } from '../../src/ledger/folder.js';
import { verifyLedger } from '../../src/ledger/verify.js';
import type { OpenLedgerOptions } from '../../src/ledger/open.js';
import { createMapper, type Mapper } from '../../src/mapping/mapper.js';
import { copyPolicy } from '../../src/policy/copy.js';
import { readReceipt } from '../../src/receipt/read.js';
import type { DecisionStatement, Statement } from '../../src/receipt/statement.js';
import { keys, trustOf } from '../ledger/chain-kit.js';
import { open } from '../ledger/folders.js';
import { entriesIn, randomOf } from '../ledger/kit.js';
import { MemoryDisk } from '../ledger/memory-disk.js';

const on = (effect: 'allow' | 'ask' | 'deny', name: string, action: Policy['rules'][number]['action']): Policy['rules'][number] => ({
  name,
  effect,
  agents: 'any',
  action,
});

/** All tools may be called; files under /srv are read, written after a question, and keys never. */
export const policyOf = (version = 1, more: Policy['rules'] = []): Policy =>
  copyPolicy({
    version,
    rules: [
      on('allow', 'tools', { tool: { server: 'files', name: '*' } }),
      on('deny', 'no-keys', { filesystem: { path: '/srv/keys/**', methods: 'any' } }),
      on('ask', 'write-srv', { filesystem: { path: '/srv/**', methods: ['write'] } }),
      on('allow', 'read-srv', { filesystem: { path: '/srv/**', methods: ['read'] } }),
      ...more,
    ],
  });

/** A table of a few lines: `path` is read, or written by `write`; `url` is fetched. The shipped tables are tested in test/mapping. */
export const mapper: Mapper = createMapper({
  format: 'ruleprint-mapping/1',
  server: 'files',
  tools: {
    read: { actions: [{ filesystem: { path: 'path', methods: ['read'], absent: 'none' } }] },
    write: { actions: [{ filesystem: { path: 'path', methods: ['write'] } }] },
    fetch: { actions: [{ network: { url: 'url' } }] },
  },
});

/** The same with one part changed. */
export function mapperWith(changes: Partial<Mapper>): Mapper {
  return { digest: mapper.digest, map: (call) => mapper.map(call), toolAction: (call) => mapper.toolAction(call), ...changes };
}

export const disk = (): MemoryDisk => new MemoryDisk(randomOf(7));

export const trust = trustOf();
export const approverSigner = createSigner(keys.approver);

export interface Fixture {
  readonly store: MemoryDisk;
  readonly engine: LedgerEngine;
  readonly gate: Gate;
}

/** A gate whose ledger is in memory. */
export async function gateWith(
  options: Partial<GateOptions> = {},
  ledgerOptions: Partial<OpenLedgerOptions> = {},
  policy: Policy | undefined = policyOf(),
): Promise<Fixture> {
  const store = disk();
  const ledger = await open(store, ledgerOptions);
  const engine = openEngine({ ledger, ...(policy && { policy }) });
  return { store, engine, gate: createGate({ engine, map: mapper, agent: 'builder', ...options }) };
}

export const statementsIn = (store: Store): readonly Statement[] => entriesIn(store).map(({ bytes }) => readReceipt(bytes).statement);
export const decisionsIn = (store: Store): readonly DecisionStatement[] =>
  statementsIn(store).filter((one): one is DecisionStatement => one.statement === 'decision');
export const kindsIn = (store: Store): readonly string[] => statementsIn(store).map(({ statement }) => statement);

/** The axes that a ledger of a gate must pass. */
export const allAxes = ['bytes', 'signature', 'key-trust', 'order', 'timeline', 'rules', 're-decision', 'approvals'] as const;

/** What speaks against the ledger as it is, on all axes. */
export function problemsIn(store: Store, policies: readonly Policy[] = [policyOf()]): readonly string[] {
  const report = verifyLedger([ledgerIn(store)], { trust, policies, require: allAxes });
  const open = allAxes
    .filter((axis) => report.axes[axis].status !== 'pass')
    .map((axis) => `${axis} ${report.axes[axis].status} ${report.axes[axis].reason ?? ''}`);
  return [...report.problems.filter(({ status }) => status !== 'note').map(({ code, message }) => `${code} ${message}`), ...open];
}

/** An approver that answers at once. */
export function answering(answer: unknown, more: { readonly now?: () => number; readonly expiresAfter?: number; readonly seen?: Ask[] } = {}): Approver {
  const { seen, ...rest } = more;
  return localApprover({
    signer: approverSigner,
    now: () => 1_793_318_400_000,
    ...rest,
    ask: (ask) => {
      seen?.push(ask);
      return answer;
    },
  });
}
