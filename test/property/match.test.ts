import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argvCovers, canonicalHost, canonicalPath, hostCovers, pathCovers, textCovers } from '../../src/index.js';
import * as reference from '../reference/match.js';
import { nameCode } from '../reference/policy.js';
import { spellingOf, outcome, plain, runs } from './agreement.js';
import { anyHost, anyPath, argvPattern, Choices, hostPattern, path, pathPattern, spelledHost, stream, text, textPattern } from './arbitraries.js';

const argvs = fc.array(fc.oneof(fc.constantFrom('', 'git', '-c', '**'), text), { minLength: 1, maxLength: 4 });
const pathPair = fc.oneof(
  fc.tuple(path, stream(20)).map(([canonical, choices]) => [pathPattern(canonical, new Choices(choices)), canonical] as const),
  fc.tuple(path, anyPath, stream(20)).map(([canonical, asked, choices]) => [pathPattern(canonical, new Choices(choices)), asked] as const),
  fc.tuple(anyPath, anyPath),
);
const canonicalOf = (host: string): string => {
  const canonical = reference.canonicalHost(host);
  return 'ok' in canonical ? canonical.ok : host;
};
const hostPair = fc.oneof(
  fc.tuple(spelledHost, stream()).map(([host, choices]) => [hostPattern(canonicalOf(host), new Choices(choices)), host] as const),
  fc.tuple(spelledHost, anyHost, stream()).map(([host, asked, choices]) => [hostPattern(canonicalOf(host), new Choices(choices)), asked] as const),
  fc.tuple(anyHost, anyHost),
);
const textPair = fc.oneof(
  fc.tuple(text, stream()).map(([value, choices]) => [textPattern(value, new Choices(choices)), value] as const),
  fc.tuple(text, text, stream()).map(([value, asked, choices]) => [textPattern(value, new Choices(choices)), asked] as const),
  fc.tuple(text, text),
  // Few letters and many wildcards: where a matcher that backtracks goes wrong.
  fc
    .tuple(fc.array(fc.constantFrom('a', 'b', '*', '?', '\\*'), { maxLength: 12 }), fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 12 }))
    .map(([glob, value]) => [glob.join('').replaceAll(/\*{2,}/gu, '*'), value.join('')] as const),
);
const argvPair = fc.oneof(
  fc.tuple(argvs, stream(20)).map(([argv, choices]) => [argvPattern(argv, new Choices(choices)), argv] as const),
  fc.tuple(argvs, argvs, stream(20)).map(([argv, asked, choices]) => [argvPattern(argv, new Choices(choices)), asked] as const),
);

describe('match profile: src against the reference', () => {
  it('makes paths canonical alike and refuses with the same code (MAT-2 to MAT-6)', () => {
    fc.assert(
      fc.property(anyPath, (asked) => {
        expect(outcome(() => canonicalPath(asked))).toEqual(plain(reference.canonicalPath(asked)));
      }),
      runs(2),
    );
  });

  it('makes hosts canonical alike and refuses with the same code (MAT-11 to MAT-15)', () => {
    fc.assert(
      fc.property(anyHost, (asked) => {
        expect(outcome(() => canonicalHost(asked))).toEqual(plain(reference.canonicalHost(asked)));
      }),
      runs(5),
    );
  });

  it('leaves a canonical path or host as it is', () => {
    fc.assert(
      fc.property(path, spelledHost, (canonical, host) => {
        expect(canonicalPath(canonical)).toBe(canonical);
        expect(canonicalHost(canonicalHost(host))).toBe(canonicalHost(host));
      }),
      runs(),
    );
  });

  it('covers paths alike (MAT-7 to MAT-10)', () => {
    fc.assert(
      fc.property(pathPair, ([pattern, asked]) => {
        expect(outcome(() => pathCovers(pattern, asked))).toEqual(plain(reference.pathCovers(pattern, asked)));
      }),
      runs(5),
    );
  });

  it('covers hosts alike (MAT-16 to MAT-18)', () => {
    fc.assert(
      fc.property(hostPair, ([pattern, asked]) => {
        expect(outcome(() => hostCovers(pattern, asked))).toEqual(plain(reference.hostCovers(pattern, asked)));
      }),
      runs(5),
    );
  });

  it('covers texts alike (MAT-19)', () => {
    fc.assert(
      // Names, as for a tool: the texts that are no names stand in an argv below.
      fc.property(
        textPair.filter((pair) => pair.every((value) => nameCode(value) === undefined)),
        ([pattern, asked]) => {
          expect(outcome(() => textCovers(pattern, asked))).toEqual(plain(reference.textCovers(pattern, asked)));
        },
      ),
      runs(5),
    );
  });

  it('covers argvs alike (MAT-20)', () => {
    fc.assert(
      fc.property(
        argvPair.filter(([patterns]) => patterns.length > 0),
        ([patterns, asked]) => {
          expect(outcome(() => argvCovers(patterns, asked))).toEqual(plain(reference.argvCovers(patterns, asked)));
        },
      ),
      runs(3),
    );
  });

  it('names the canonical spelling, where there is one (MAT-21)', () => {
    fc.assert(
      fc.property(pathPair, hostPair, ([pathGlob], [host]) => {
        const onPath = reference.checkPathPattern(pathGlob);
        const onHost = reference.checkHostPattern(host);
        if ('code' in onPath && onPath.hint !== undefined && 'ok' in reference.checkPathPattern(onPath.hint)) {
          expect(spellingOf(() => pathCovers(pathGlob, '/'))).toEqual({ spelling: onPath.hint, isInHint: true });
        }
        if ('code' in onHost && onHost.hint !== undefined && 'ok' in reference.checkHostPattern(onHost.hint)) {
          expect(spellingOf(() => hostCovers(host, 'a'))).toEqual({ spelling: onHost.hint, isInHint: true });
        }
      }),
      runs(3),
    );
  });

  it('is asked about patterns that cover, that miss and that are refused', () => {
    const sampled = [
      ...fc.sample(pathPair, { numRuns: 400, seed: 1 }).map(([pattern, asked]) => reference.pathCovers(pattern, asked)),
      ...fc.sample(hostPair, { numRuns: 400, seed: 1 }).map(([pattern, asked]) => reference.hostCovers(pattern, asked)),
      ...fc.sample(textPair, { numRuns: 400, seed: 1 }).map(([pattern, asked]) => reference.textCovers(pattern, asked)),
    ];
    const share = (is: (answer: ReturnType<typeof reference.pathCovers>) => boolean) => sampled.filter(is).length / sampled.length;
    expect(share((answer) => 'ok' in answer && answer.ok)).toBeGreaterThan(0.15);
    expect(share((answer) => 'ok' in answer && !answer.ok)).toBeGreaterThan(0.15);
    expect(share((answer) => 'code' in answer)).toBeGreaterThan(0.15);
  });
});
