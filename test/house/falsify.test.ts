/**
 * The list of edits stays in step with the source; whether each turns its test red is for `npm run falsify`.
 * @module
 */
import { describe, expect, it } from 'vitest';
import { list } from './falsify-edits.js';
import { files, read } from './tree.js';

describe('the edits of npm run falsify', () => {
  it('each change a line that stands once in a source file', () => {
    const wrong = list.filter(({ file, find, put }) => read(file).split(find).length !== 2 || find === put);
    expect(wrong.map(({ file, find }) => `${file}: ${find}`)).toEqual([]);
  });

  it('each name a test file that there is and a requirement that the spec has', () => {
    const spec = files
      .filter((file) => /^spec\/.*\.md$/.test(file))
      .map(read)
      .join('\n');
    expect(list.filter(({ test }) => !files.includes(test)).map(({ test }) => test)).toEqual([]);
    expect(list.filter(({ id }) => !spec.includes(`**${id}**`)).map(({ id }) => id)).toEqual([]);
  });

  it('are at least thirty, and reach every chapter', () => {
    expect(list.length).toBeGreaterThanOrEqual(30);
    expect(new Set(list.map(({ id }) => id.slice(0, 3)))).toEqual(
      new Set(['POL', 'DEC', 'MAT', 'DIG', 'RCP', 'LED', 'MAP', 'GAT', 'MCP', 'FND', 'LNT', 'AUD', 'AUE', 'AUR']),
    );
  });
});
