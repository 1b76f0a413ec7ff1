/**
 * Findings are judged and shown from data alone: nothing of them reads a file, starts a process or asks a network.
 * @module
 */
import { describe, expect, it } from 'vitest';
import { files, importsOf, read } from '../house/tree.js';

const own = files.filter((file) => /^src\/finding\/.*\.ts$/.test(file));

describe('src/finding', () => {
  it('imports no file system, no process and no network: nothing but source files of ours that run anywhere (FND-21)', () => {
    expect(own.length).toBeGreaterThan(5);
    const specifiers = own.flatMap((file) => importsOf(file).map(({ specifier, to }) => ({ file, specifier, to })));
    expect(specifiers.filter(({ specifier }) => !specifier.startsWith('.'))).toEqual([]);
    expect(specifiers.filter(({ to }) => /^src\/(cli|ledger\/(file-store|folder|lock|owner|open|index))/.test(to))).toEqual([]);
  });

  it('names nothing of a platform that reaches out (FND-21)', () => {
    const wrong = own.filter((file) =>
      /\b(?:process|fetch|XMLHttpRequest|WebSocket|globalThis|Deno|Bun|require|eval|Function|Date|performance)\b(?=[.(])|\bimport\(/.test(
        withoutComments(read(file)),
      ),
    );
    expect(wrong).toEqual([]);
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/ .*$/gm, '');
}
