/**
 * One list of error codes in code, spec and vectors.
 * @module
 */
import { describe, expect, it } from 'vitest';
import { errorCodes } from '../../src/errors.js';
import { files, read } from './tree.js';

const rows = [...read('spec/errors.md').matchAll(/^\| `([^`]+)` \| (.+?) \| (.+?) \|$/gm)].map(([, code, when, clause]) => ({ code, when, clause }));
const listed: readonly string[] = errorCodes;
const sources = files.filter((file) => /^src\/.*\.ts$/.test(file) && file !== 'src/errors.ts');

describe('error codes', () => {
  it('are the rows of spec/errors.md, in its order', () => {
    expect(rows.map((row) => row.code)).toEqual(listed);
  });

  it('are lower-kebab words and stand once', () => {
    expect(listed.filter((code) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(code))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });

  it('are each used in source, because a code that nothing gives is a promise that nothing keeps', () => {
    const text = sources.map(read).join('\n');
    expect(listed.filter((code) => !text.includes(`'${code}'`))).toEqual([]);
  });

  it('are the only ones that source gives', () => {
    const given = sources.flatMap((file) =>
      [...read(file).matchAll(/(?<!typeof )\b(?:refuse\(|code: |code === |code !== )'([^']+)'/g)].map(([, code]) => ({ file, code: code ?? '' })),
    );
    expect(given.length).toBeGreaterThan(0);
    expect(given.filter(({ code }) => !listed.includes(code))).toEqual([]);
  });

  it('are the only ones that vectors expect', () => {
    const vectors = files.filter((file) => /^vectors\/[^/]+\.json$/.test(file));
    const expected = vectors.flatMap((file) => codesIn(JSON.parse(read(file))).map((code) => ({ file, code })));
    expect(expected.filter(({ code }) => !listed.includes(code))).toEqual([]);
  });

  it('cite clauses that the spec has', () => {
    const spec = files
      .filter((file) => /^spec\/.*\.md$/.test(file))
      .map(read)
      .join('\n');
    const cited = rows.flatMap((row) => [...(row.clause ?? '').matchAll(/\b[A-Z]{3}-\d+\b/g)].map(([id]) => ({ code: row.code, id })));
    expect(cited.filter(({ id }) => !spec.includes(`**${id}**`))).toEqual([]);
  });
});

/** Every text under a key `error` or `code`, wherever it stands. */
function codesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(codesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => ((key === 'error' || key === 'code') && typeof member === 'string' ? [member] : codesIn(member)));
}
