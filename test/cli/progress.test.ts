/**
 * The bar of long work.
 * @module
 */
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { progressOf } from '../../src/cli/progress.js';

afterEach(() => {
  vi.restoreAllMocks();
});

async function shown(isTTY: boolean, elapsedMs: number, counted?: string): Promise<string> {
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 80, cursorTo: () => true, clearLine: () => true });
  const chunks: string[] = [];
  stderr.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  let now = 1000;
  vi.spyOn(Date, 'now').mockImplementation(() => now);
  const progress = await progressOf({ stderr } as unknown as Parameters<typeof progressOf>[0], 'verifying a.cbor', 100, counted);
  progress.update(10);
  now += elapsedMs;
  progress.update(50);
  progress.stop();
  await new Promise((resolve) => setImmediate(resolve));
  return chunks.join('');
}

describe('progress', () => {
  it('is shown on a terminal when the work is long', async () => {
    expect(await shown(true, 600)).toMatch(/verifying a\.cbor \[=+ +\] 50%/);
  });

  it('counts by a word where it has one, with a rate and the time that remains', async () => {
    expect(await shown(true, 2_000, 'epochs')).toMatch(/verifying a\.cbor \[=+ +\] 50\/100 epochs, 20\.0\/s, \S+ left/);
  });

  it('is not shown for short work', async () => {
    expect(await shown(true, 100)).toBe('');
  });

  it('is not shown where nobody looks', async () => {
    expect(await shown(false, 60_000)).toBe('');
  });
});
