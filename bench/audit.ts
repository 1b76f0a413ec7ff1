/**
 * A whole audit: scripted epochs over false tools behind a gate, judged, signed and recorded, and its verification, in a process of its own, and what memory it
 * takes. The evidence goes to the temporary folder, and is taken away again.
 * @module
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Bench } from './main.js';

const epochs = { quick: 100, normal: 1_000 };
const seconds = { run: 60, verify: 30 };
const mebibyte = 1_048_576;

/** What the process says at its end. */
export interface AuditRun {
  readonly milliseconds: number;
  readonly verifyMilliseconds: number;
  readonly receipts: number;
  readonly evidenceBytes: number;
  /** Bytes in use behind a collection, after a tenth of the epochs and at the end. */
  readonly heap: readonly [number, number];
  readonly resident: number;
}

export async function benchAudit({ report, quick }: Bench): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ruleprint-bench-'));
  try {
    const count = quick ? epochs.quick : epochs.normal;
    const outfile = join(folder, 'run.mjs');
    const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };
    const entryPoints = [fileURLToPath(new URL('./audit-run.ts', import.meta.url))];
    await build({
      entryPoints,
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      mainFields: ['module', 'main'],
      banner,
      logLevel: 'silent',
    });
    const run = await runOf(outfile, join(folder, 'evidence'), count);
    report.list({
      id: 'audit/run',
      title: `audit run, ${count.toLocaleString('en')} scripted epochs of 5 tool calls, on the wall`,
      rows: [
        {
          name: 'all epochs',
          figure: { unit: 'ns', value: run.milliseconds * 1e6 },
          ...(!quick && { atMost: seconds.run * 1e9 }),
          remark: `${run.receipts.toLocaleString('en')} receipts`,
        },
        {
          name: 'verifying them',
          figure: { unit: 'ns', value: run.verifyMilliseconds * 1e6 },
          ...(!quick && { atMost: seconds.verify * 1e9 }),
          remark: 'everything made again',
        },
        { name: 'heap at a tenth', figure: { unit: 'bytes', value: run.heap[0] } },
        { name: 'heap at the end', figure: { unit: 'bytes', value: run.heap[1] }, atMost: run.heap[0] + 8 * mebibyte },
        { name: 'resident, at most', figure: { unit: 'bytes', value: run.resident } },
        { name: 'evidence', figure: { unit: 'bytes', value: run.evidenceBytes } },
      ],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runOf(program: string, evidence: string, count: number): Promise<AuditRun> {
  const child = spawn(process.execPath, ['--expose-gc', program, evidence, String(count)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`expected a run to its end, got exit code ${code}`);
  return JSON.parse(said) as AuditRun;
}
