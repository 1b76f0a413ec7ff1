/**
 * The list of edits for `npm run falsify` still applies, so that it cannot rot unseen between releases.
 * @module
 */
import { describe, expect, it } from 'vitest';
import { edits } from './edits.js';
import { files, read } from './tree.js';

describe('edits', () => {
  it.each(edits)('stands once in its file, and has tests that could notice: $breaks', ({ file, from, to, red }) => {
    expect(files).toContain(file);
    expect(read(file).split(from)).toHaveLength(2);
    expect(to).not.toBe(from);
    const tests = files.filter((test) => test.endsWith('.test.ts') && !/^test\/(house|outside)\//.test(test));
    expect(tests.filter((test) => red.some((part) => test.includes(part)))).not.toEqual([]);
  });
});
