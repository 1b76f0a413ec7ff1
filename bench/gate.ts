/**
 * The gate in the process: a call mapped, decided, signed and recorded beside the bare signature, and the decision alone. The hook as a process, start to
 * exit, beside a Node that does nothing.
 * @module
 */
import { spawn } from 'node:child_process';
import { sign } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BenchKey, benchKeys, tenantPolicy, tenantRequests } from './fixtures.js';
import type { Bench } from './main.js';
import { raceLong } from './measure.js';

type GateEntry = typeof import('../src/gate/index.js');

const rules = 100;
const [key] = benchKeys() as [BenchKey];
const warmCalls = 5_000;
const hookRounds = { quick: 3, normal: 15 };
/** What the hook opens: long, because a ledger gets long. */
const entries = { quick: 1_000, normal: 100_000 };

export async function benchGate(bench: Bench): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ruleprint-bench-'));
  try {
    const gate = (await import(pathToFileURL(join(bench.dist, 'gate.js')).href)) as GateEntry;
    await inProcess(bench, gate, join(folder, 'audit'));
    await hook(bench, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All tools may be called; what they touch is for the rules of the tenants. */
const policyText = (): string => {
  const { version, rules: tenants } = tenantPolicy(rules);
  return JSON.stringify({ version, rules: [...tenants, { name: 'tools', effect: 'allow', agents: 'any', action: { tool: { server: '*', name: '*' } } }] });
};

async function inProcess({ library, report }: Bench, { createGate, createMapper }: GateEntry, folder: string): Promise<void> {
  const { createSigner, importPrivateKey, InMemoryPolicyEngine, openEngine, openLedger, parsePolicy } = library;
  const policy = parsePolicy(policyText(), { format: 'json' });
  const { agent, actions } = tenantRequests(tenantPolicy(rules))['last path allow'];
  const [action] = actions;
  const path = 'filesystem' in action ? action.filesystem.path : '';
  const map = createMapper({
    format: 'ruleprint-mapping/1',
    server: 'files',
    tools: { read: { actions: [{ filesystem: { path: 'path', methods: ['read'] } }] } },
  });
  const signer = createSigner(importPrivateKey(key.privateKey.export({ format: 'jwk' })));
  // what the disk takes is the disk's: entries are written, and synced at the end
  const ledger = await openLedger(folder, { engineId: 'bench', signer, durability: 'none' });
  const recorded = createGate({ engine: openEngine({ ledger, policy }), map, agent });
  const engine = new InMemoryPolicyEngine({ engineId: 'bench' });
  engine.install(policy);
  const alone = createGate({ engine, map, agent });
  const call = (i: number) => ({ tool: 'read', args: { path }, callId: `call-${i}` });
  for (const gate of [recorded, alone]) {
    // so much code is warm later than a race waits for
    for (let i = 0; i < warmCalls; i++) if (!gate.check(call(i)).allowed) throw new Error('expected a call that is allowed');
  }
  const message = Buffer.alloc(600, 7);
  report.race({
    id: 'gate/check',
    title: `gate, check over ${rules} rules`,
    contenders: [
      { name: 'node:crypto sign', run: () => sign(null, message, key.privateKey) },
      { name: 'check, signed and recorded', run: (i) => recorded.check(call(i)) },
      { name: 'check, the decision alone', run: (i) => alone.check(call(i)) },
    ],
    // the bare signature takes some 40 µs where the decision alone is promised in 20
    targets: { 'check, signed and recorded': { atMost: 2 }, 'check, the decision alone': { atMost: 0.5 } },
  });
  await ledger.close();
}

async function hook({ library, report, dist, quick }: Bench, folder: string): Promise<void> {
  const length = quick ? entries.quick : entries.normal;
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const policy = file('policy.json', policyText());
  const keyFile = file('key.json', JSON.stringify(key.privateKey.export({ format: 'jwk' })));
  chmodSync(keyFile, 0o600);
  const audit = join(folder, 'hook');
  await fill(library, audit, length);
  const input = JSON.stringify({ hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: { file_path: '/srv/a' }, tool_use_id: 't', cwd: '/srv' });
  const program = [join(dist, 'cli/bin.cjs'), 'hook', 'claude', '--policy', policy, '--ledger', audit, '--key', keyFile, '--engine-id', 'bench'];
  const bare = 'node -e 0';
  const judged = 'hook claude, recorded';
  const contenders = [
    { name: bare, run: () => wall(['-e', '0'], '') },
    { name: judged, run: () => wall(program, input) },
  ];
  for (const { run } of contenders) await run();
  const timings = await raceLong(contenders, quick ? hookRounds.quick : hookRounds.normal);
  const title = `ruleprint hook claude, start to exit, a ledger of ${length.toLocaleString('en')} entries, on the wall`;
  report.timed({ id: 'gate/hook', title, timings, ...(!quick && { targets: { [judged]: { atMost: 1.6 } } }) });
  const start = process.hrtime.bigint();
  await Promise.all(Array.from({ length: 8 }, () => wall(program, input)));
  report.note(`Eight hooks at once, all recorded: ${(Number(process.hrtime.bigint() - start) / 1e6).toFixed(0)} ms.`);
}

async function fill({ createSigner, importPrivateKey, openEngine, openLedger, parsePolicy }: Bench['library'], folder: string, length: number): Promise<void> {
  const signer = createSigner(importPrivateKey(key.privateKey.export({ format: 'jwk' })));
  const ledger = await openLedger(folder, { engineId: 'bench', signer, durability: 'none' });
  const engine = openEngine({ ledger, policy: parsePolicy(policyText(), { format: 'json' }) });
  for (let i = ledger.last.seq + 1; i < length; i++) {
    engine.decide({ agent: 'agent', actions: [{ tool: { server: 'claude', name: 'Read' } }, { filesystem: { path: `/srv/${i}`, method: 'read' } }] });
    if (i % 4_096 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await ledger.close();
}

/** Nanoseconds from start to exit. */
async function wall(words: readonly string[], input: string): Promise<number> {
  const start = process.hrtime.bigint();
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(input);
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`expected an answer, got exit code ${code}`);
  return Number(process.hrtime.bigint() - start);
}
