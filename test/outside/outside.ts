/**
 * Where the cases that others wrote lie, and what every suite over them needs. They are read from a folder beside the repository and
 * nothing of them stands in here: no input, no expectation, no wording. What stands here is our own answer, by the id or file name of a case.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'vitest';
import { type ErrorCode, RuleprintError } from '../../src/errors.js';
import { native } from '../../src/native.js';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

const named = process.env['RULEPRINT_OUTSIDE'];
export const folder = resolve(root, named ?? '../shared/outside');
export const isPresent = existsSync(folder);

// a folder that was named and is not there is a mistake, not an absence
if (named !== undefined && !isPresent) throw new Error(`RULEPRINT_OUTSIDE names ${named}, and there is no such folder`);

/** A suite over the folder: without the folder it is one skipped test, with it nothing is skipped. */
export function outside(title: string, suite: () => void): void {
  describe.skipIf(!isPresent)(title, isPresent ? suite : () => it('is judged where the folder is beside the repository', () => undefined));
}

/** A JSON file of the folder. Its shape is the caller's knowledge. */
export function load<T>(file: string): T {
  return JSON.parse(readFileSync(join(folder, file), 'utf8')) as T;
}

/** Every file below a folder of the folder, as paths from the folder. */
export function filesBelow(below: string): string[] {
  return readdirSync(join(folder, below), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/** Bytes of hex digits; anything else is a mistake in how a file is read. */
export function fromHex(digits: string): Uint8Array {
  if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) throw new Error(`no hex: ${digits}`);
  return Uint8Array.from(Buffer.from(digits, 'hex'));
}

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'base64'));
}

export function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

/** What a door answers: its value, or the code of its refusal. Any other error is a fault and goes on its way. */
export function answerOf<T>(door: () => T): { readonly value: T } | { readonly code: ErrorCode } {
  try {
    return { value: door() };
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    return { code: error.code };
  }
}

/** How often each word stands in a list, so that a total can be written down. */
export function tally(words: Iterable<string>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

export const cryptoPaths = ['native', 'pure'] as const;
export type CryptoPath = (typeof cryptoPaths)[number];

const { crypto } = native;

/** Runs with native crypto or without it, and leaves everything as it was. */
export function onPath<T>(path: CryptoPath, run: () => T): T {
  if (crypto === undefined) throw new Error('expected a runtime with native crypto, since both paths are judged');
  native.crypto = path === 'native' ? crypto : undefined;
  try {
    const result = run();
    if (result instanceof Promise) throw new Error('expected a run that ends at once: await in onPathAsync');
    return result;
  } finally {
    native.crypto = crypto;
  }
}

export async function onPathAsync<T>(path: CryptoPath, run: () => Promise<T>): Promise<T> {
  if (crypto === undefined) throw new Error('expected a runtime with native crypto, since both paths are judged');
  native.crypto = path === 'native' ? crypto : undefined;
  try {
    return await run();
  } finally {
    native.crypto = crypto;
  }
}
