/**
 * Ledgers: recording beside the bare signature, verifying beside the bare verification, the walk without either, what two threads bring, and
 * the memory of a long one. The command is measured as a process of its own, since threads and memory are the process's.
 * @module
 */
import { spawn } from 'node:child_process';
import { sign, verify } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchKey, benchKeys, cutReceipt, tenantPolicy, tenantRequests } from './fixtures.js';
import type { Bench } from './main.js';
import { raceLong, timed } from './measure.js';

const engineId = 'bench';
const inFlight = 256;
const rules = 100;
const mebibyte = 1_048_576;

/** Receipts of a run. */
interface Lengths {
  readonly record: number;
  readonly verify: number;
  /** What memory is measured at, after `verify`. */
  readonly memory?: number;
}

const lengths = {
  quick: { record: 512, verify: 500 },
  normal: { record: 4_096, verify: 20_000 },
  full: { record: 16_384, verify: 100_000, memory: 1_000_000 },
} as const satisfies Record<string, Lengths>;

export async function benchLedger(bench: Bench): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ruleprint-bench-'));
  try {
    const length: Lengths = bench.quick ? lengths.quick : bench.full ? lengths.full : lengths.normal;
    await record(bench, join(folder, 'record'), length.record);
    const ledger = join(folder, 'verify');
    await write(bench, ledger, length.verify);
    await verifyAll(bench, ledger, length.verify);
    const { processOf } = commandOn(bench, join(folder, 'trust.json'));
    await threads(bench, ledger, length.verify, processOf);
    await memory(bench, folder, length, processOf);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Engine = ReturnType<Bench['library']['openEngine']>;
const [key] = benchKeys() as [BenchKey];

async function engineOf({ library }: Bench, folder: string, durability: 'group' | 'none'): Promise<Engine> {
  const { openLedger, openEngine, importPrivateKey, createSigner, parsePolicy } = library;
  const signer = createSigner(importPrivateKey(key.privateKey.export({ format: 'jwk' })));
  const ledger = await openLedger(folder, { engineId, signer, durability });
  return openEngine({ ledger, policy: parsePolicy(JSON.stringify(tenantPolicy(rules)), { format: 'json' }) });
}

/** Signing and syncing included, so this is measured by the clock on the wall. */
async function record(bench: Bench, folder: string, length: number): Promise<void> {
  const { report } = bench;
  const { 'last path allow': request } = tenantRequests(tenantPolicy(rules));
  const engine = await engineOf(bench, folder, 'group');
  const message = cutReceipt(receiptsIn(folder)[0] as Uint8Array).message;
  const recordAll = async (): Promise<void> => {
    const flying: Promise<void>[] = [];
    for (let i = 0; i < length; i++) {
      if (i >= inFlight) await flying[i - inFlight];
      flying.push(engine.decide(request, { callId: `call-${i}` }).receipt.durable);
    }
    await Promise.all(flying.slice(-inFlight));
  };
  await recordAll();
  const timings = await raceLong(
    [
      { name: 'node:crypto sign', run: () => onTheWall(length, () => repeat(length, () => sign(null, message, key.privateKey))) },
      { name: 'decide and record, until durable', run: () => onTheWall(length, recordAll) },
    ],
    report.effort.rounds,
  );
  await engine.ledger.close();
  const title = `ledger, ${length.toLocaleString('en')} decisions, ${inFlight} in flight, a decision`;
  report.timed({ id: 'ledger/record', title, timings, targets: { 'decide and record, until durable': { atMost: 1.6 } } });
}

/** A ledger to read: whether it survives a loss of power matters to nobody. */
async function write(bench: Bench, folder: string, length: number): Promise<void> {
  const engine = await engineOf(bench, folder, 'none');
  const { 'last path allow': request } = tenantRequests(tenantPolicy(rules));
  for (let i = engine.ledger.last.seq + 1; i < length; i++) {
    engine.decide(request, { callId: `call-${i}` });
    if (i % 4_096 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await engine.ledger.close();
}

async function verifyAll({ library, report }: Bench, folder: string, length: number): Promise<void> {
  const { parseTrustStore, readLedger, verifyLedger } = library;
  const text = trustText();
  writeFileSync(join(folder, '..', 'trust.json'), text);
  const trust = parseTrustStore(text);
  const cuts = receiptsIn(folder).map(cutReceipt);
  const demand = (name: string, { ok, receipts }: { ok: boolean; receipts: number }): void => {
    if (!ok || receipts !== length) throw new Error(`${name}: expected ${length} good receipts, got ${receipts}, ${ok ? 'good' : 'not good'}`);
  };
  const verified = (name: string, more: object, withPolicies: boolean): { name: string; run: () => number } => ({
    name,
    run: () => {
      const { policies, ...source } = readLedger(folder);
      let answer = { ok: false, receipts: 0 };
      const ns = timed(() => {
        answer = verifyLedger([withPolicies ? { ...source, ...(policies && { policies }) } : source], { trust, ...more });
      });
      demand(name, answer);
      return ns / length;
    },
  });
  const walk = 'the walk without signatures';
  const timings = await raceLong(
    [
      {
        name: 'node:crypto verify, each',
        run: () =>
          timed(() => {
            for (const { message, signature } of cuts) verify(null, message, key.publicKey, signature);
          }) / length,
      },
      verified('verifyLedger', {}, true),
      verified('verifyLedger without policies', {}, false),
      verified(walk, { signatures: () => undefined }, false),
    ],
    report.effort.rounds,
  );
  const title = `ledger, verify ${length.toLocaleString('en')} receipts, a receipt`;
  report.timed({ id: 'ledger/verify', title, timings, targets: { verifyLedger: { atMost: 1.4 } } });
  const perSecond = 1e9 / (timings.get(walk)?.median ?? 0);
  const figure = { unit: 'ns', value: timings.get(walk)?.median ?? 0 } as const;
  const remark = `${Math.round(perSecond).toLocaleString('en')} receipts a second`;
  report.list({ id: 'ledger/walk', title: 'ledger, the walk without signatures', rows: [{ name: 'a receipt', figure, atMost: 1e9 / 150_000, remark }] });
}

/** What a process took. */
interface Taken {
  readonly wallNs: number;
  readonly processorNs: number;
  readonly residentBytes: number;
}

type ProcessOf = (ledger: string, ...words: readonly string[]) => Promise<Taken>;

/** `ruleprint verify` of the build that is measured. */
function commandOn({ dist }: Bench, trust: string): { processOf: ProcessOf } {
  const tell =
    'process.on("exit", () => { const { user, system } = process.cpuUsage(); console.error("took", user + system, process.resourceUsage().maxRSS); });';
  const preload = `data:text/javascript,${encodeURIComponent(`import { isMainThread } from "node:worker_threads"; if (isMainThread) ${tell}`)}`;
  const processOf: ProcessOf = async (ledger, ...words) => {
    const start = process.hrtime.bigint();
    const child = spawn(process.execPath, ['--import', preload, join(dist, 'cli/main.js'), 'verify', ledger, '--trust', trust, ...words]);
    let told = '';
    child.stderr.on('data', (chunk: Buffer) => {
      told += chunk.toString();
    });
    child.stdout.resume();
    const [code] = (await once(child, 'close')) as [number];
    const wallNs = Number(process.hrtime.bigint() - start);
    const [, microseconds, kibibytes] = /took (\d+) (\d+)/.exec(told) ?? [];
    if (code !== 0 || microseconds === undefined) throw new Error(`ruleprint verify ended with ${code}: ${told}`);
    return { wallNs, processorNs: Number(microseconds) * 1_000, residentBytes: Number(kibibytes) * 1_024 };
  };
  return { processOf };
}

/** What two threads bring is seen on the wall alone, and only where two cores have nothing else to do. */
async function threads({ report }: Bench, ledger: string, length: number, processOf: ProcessOf): Promise<void> {
  const cores = availableParallelism();
  const busy: number[] = [];
  const processor = new Map<string, number>();
  const contender = (name: string, workers: string) => ({
    name,
    run: async () => {
      busy.push(loadavg()[0] ?? 0);
      const { wallNs, processorNs } = await processOf(ledger, '--workers', workers);
      processor.set(name, processorNs / length);
      return wallNs / length;
    },
  });
  const timings = await raceLong([contender('two workers', '2'), contender('one worker', '1')], report.effort.rounds);
  const load = Math.max(...busy);
  // a process of another that runs beside takes a core from the threads, and then the ratio is not of the code
  const isIdle = cores >= 2 && load < 2.5 && length >= lengths.normal.verify;
  const title = `ruleprint verify, ${length.toLocaleString('en')} receipts, a receipt, on the wall`;
  report.timed({ id: 'ledger/workers', title, timings, ...(isIdle && { targets: { 'one worker': { moreThan: 1.5 } } }) });
  const costs = [...processor].map(([name, ns]) => `${name} ${(ns / 1_000).toFixed(1)} µs`).join(', ');
  report.note(
    `Processor time a receipt: ${costs}. ${cores} cores, load up to ${load.toFixed(1)}${isIdle ? '' : ': too busy, or too short, to hold the gain to its target'}.`,
  );
}

async function memory(bench: Bench, folder: string, { verify: short, memory: long }: Lengths, processOf: ProcessOf): Promise<void> {
  const rows: Parameters<typeof bench.report.list>[0]['rows'][number][] = [];
  const measure = async (length: number, ledger: string, atMost?: number): Promise<void> => {
    const { residentBytes } = await processOf(ledger);
    rows.push({ name: `${length.toLocaleString('en')} receipts`, figure: { unit: 'bytes', value: residentBytes }, ...(atMost !== undefined && { atMost }) });
  };
  await measure(short, join(folder, 'verify'));
  if (long !== undefined) {
    const ledger = join(folder, 'long');
    await write(bench, ledger, long);
    await measure(long, ledger, 200 * mebibyte);
    rmSync(ledger, { recursive: true });
  }
  bench.report.list({ id: 'ledger/memory', title: 'ruleprint verify, resident memory at its highest', rows });
}

async function onTheWall(length: number, act: () => void | Promise<void>): Promise<number> {
  const start = process.hrtime.bigint();
  await act();
  return Number(process.hrtime.bigint() - start) / length;
}

function repeat(times: number, act: () => unknown): void {
  for (let i = 0; i < times; i++) act();
}

function trustText(): string {
  return JSON.stringify({ keys: [{ role: 'engine', engine_ids: [engineId], key: key.publicKey.export({ format: 'jwk' }) }] });
}

/** The entries of a ledger, cut apart by hand: a receipt of ours ends with the 64 bytes of its signature. */
function receiptsIn(folder: string): Uint8Array[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.cbor'))
    .sort()
    .flatMap((name) => {
      const bytes = readFileSync(join(folder, name));
      const receipts: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; ) {
        const header = bytes.readUInt8(at + 3);
        const head = at + 4 + header + 1;
        const wide = bytes.readUInt8(head) === 0x59;
        const payload = wide ? bytes.readUInt16BE(head + 1) : bytes.readUInt8(head + 1);
        const end = head + (wide ? 3 : 2) + payload + 2 + 64;
        receipts.push(bytes.subarray(at, end));
        at = end;
      }
      return receipts;
    });
}
