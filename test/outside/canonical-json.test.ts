/**
 * The files of the author of RFC 8785: what goes in and the bytes that must come out.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { canonicalJson } from '../../src/digest/canonical-json.js';
import { codeOf } from '../policy/kit.js';
import { filesBelow, folder, outside } from './outside.js';

/** Files with an integer beyond 2^53-1, which has no form here (DIG-9): what the file holds without it. */
const beyond: Readonly<Record<string, RegExp>> = { 'values.json': /333333333\.33333329|1E30/ };

outside('RFC 8785, its author’s files (DIG-8)', () => {
  const inputs = filesBelow('vectors').filter((file) => /\/jcs\/input\//.test(file));
  it('are there', () => {
    expect(inputs.length).toBeGreaterThan(0);
  });

  it.each(inputs)('%s', (file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    const output = readFileSync(join(folder, file.replace('/input/', '/output/')), 'utf8');
    if (beyond[basename(file)]?.test(text) && /1E30/.test(text)) {
      expect(codeOf(() => canonicalJson(JSON.parse(text)))).toBe('bad-integer');
      expect(canonicalJson(JSON.parse(text.replace(/1E30/, '1')))).toBe(output.replace('1e+30', '1'));
    } else expect(canonicalJson(JSON.parse(text))).toBe(output);
  });
});
