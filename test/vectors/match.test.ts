import { describe, expect, it } from 'vitest';
import { RuleprintError } from '../../src/errors.js';
import { argvCovers, hostCovers, pathCovers, textCovers } from '../../src/policy/covers.js';
import { canonicalHost, parseHostPattern } from '../../src/policy/host.js';
import { canonicalPath, parsePathGlob } from '../../src/policy/path.js';
import { parseArgvGlob, parseNameGlob } from '../../src/policy/text-glob.js';
import { load } from './load.js';

/** Which function answers an input, by its members. */
const functions: Readonly<Record<string, (...given: never[]) => unknown>> = {
  path: (path: string) => ({ canonical: canonicalPath(path) }),
  path_pattern: (pattern: string) => parsePathGlob(pattern),
  'path_pattern path': (pattern: string, path: string) => ({ covers: pathCovers(pattern, path) }),
  host: (host: string) => ({ canonical: canonicalHost(host) }),
  host_pattern: (pattern: string) => parseHostPattern(pattern),
  'host_pattern host': (pattern: string, host: string) => ({ covers: hostCovers(pattern, host) }),
  text_pattern: (pattern: string) => parseNameGlob(pattern),
  'text_pattern text': (pattern: string, text: string) => ({ covers: textCovers(pattern, text) }),
  argv_pattern: (pattern: string[]) => parseArgvGlob(pattern),
  'argv_pattern argv': (pattern: string[], argv: string[]) => ({ covers: argvCovers(pattern, argv) }),
};

function answer(input: object): unknown {
  try {
    return functions[Object.keys(input).join(' ')]?.(...(Object.values(input) as never[]));
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    // MAT-21; a vector names the spelling wherever the code is this one
    const canonical = error.evidence?.['canonical'];
    if (canonical !== undefined) expect(error.hint).toContain(canonical);
    return { error: error.code, ...(canonical !== undefined && { canonical }) };
  }
}

for (const group of load('match').groups) {
  describe(`vectors: match, ${group.name}`, () => {
    it.each(group.cases)('$id: $comment', ({ input, expect: expected }) => {
      expect(answer(input)).toEqual(expected);
    });
  });
}

describe('vectors: match', () => {
  it('answer at once, whatever pattern and text are (MAT-1)', () => {
    const hard = load('match').groups.flatMap(({ cases }) => cases.filter(({ flags }) => flags.includes('backtracking')));
    expect(hard.length).toBeGreaterThan(0);
    const start = performance.now();
    for (const { input } of hard) answer(input);
    expect(performance.now() - start).toBeLessThan(1000);
  });
});
