import { describe, expect, it } from 'vitest';
import { cpuMilliseconds } from './clock.js';
import { decide } from '../../src/decide/decide.js';
import { RuleprintError } from '../../src/errors.js';
import { argvCovers, hostCovers, pathCovers, textCovers } from '../../src/policy/covers.js';
import { canonicalHost } from '../../src/policy/host.js';
import { limits } from '../../src/limits.js';
import { canonicalPath } from '../../src/policy/path.js';
import { copyPolicy } from '../../src/policy/copy.js';
import { filesystem, policyOf, ruleOf } from '../policy/kit.js';

/** The answer, which must come within so many milliseconds. */
function within<T>(milliseconds: number, act: () => T): T {
  const start = cpuMilliseconds();
  const answer = act();
  expect(cpuMilliseconds() - start).toBeLessThan(milliseconds);
  return answer;
}

/** A piece repeated up to so many bytes. */
const fill = (piece: string, bytes: number): string => piece.repeat(Math.floor(bytes / piece.length));
const longest = limits.requestStringBytes;
const long = 'a'.repeat(longest - 1);

describe('the work of a match is at most pattern times input (MAT-1)', () => {
  // with a step back for every star these would not end before the sun does
  it.each<[string, string, string, boolean]>([
    ['stars and one letter', `/${fill('*a', 4_000)}b`, `/${long}`, false],
    ['stars and two letters', `/${fill('*aa', 4_000)}`, `/${long}`, true],
    ['stars and question marks', `/${fill('*?', 4_000)}b`, `/${long}`, false],
    ['one star in front of a long tail', `/*${'a'.repeat(4_000)}b`, `/${long}`, false],
    ['double stars and one segment', `${fill('/**/a', 4_000)}/b`, fill('/a', longest - 1), false],
    ['double stars and a wildcard segment', `${fill('/**/*a', 4_000)}/b`, fill('/a', longest - 1), false],
    ['double stars alone', fill('/**', 4_000), fill('/a', longest - 1), true],
    ['a double star in front of many segments', `/**${fill('/a', 4_000)}/b`, fill('/a', longest - 1), false],
    ['double stars and stars in turn', `${fill('/**/*', 4_000)}/b`, fill('/a', longest - 1), false],
    ['segments with many stars', `/**/${fill('*a', 2_000)}b/**/${fill('*a', 1_000)}c`, fill(`/${'a'.repeat(255)}`, longest - 1), false],
  ])('for a path: %s', (_, pattern, path, covers) => {
    expect(pattern.length).toBeLessThanOrEqual(limits.ruleStringBytes);
    expect(path.length).toBeLessThanOrEqual(longest);
    expect(within(8_000, () => pathCovers(pattern, path))).toBe(covers);
  });

  it.each<[string, string, string, boolean]>([
    ['stars and one letter', `${fill('*a', 4_000)}b`, 'a'.repeat(longest), false],
    ['stars and pairs of surrogates', `${fill('*\u{1f600}', 2_400)}b`, fill('\u{1f600}', longest / 2), false],
    ['question marks', `*${fill('?', 4_000)}b`, 'a'.repeat(longest), false],
  ])('for an argument: %s', (_, pattern, text, covers) => {
    expect(within(8_000, () => argvCovers([pattern], [text]))).toBe(covers);
  });

  it('for a tool name', () => {
    expect(within(1_000, () => textCovers(`${fill('*a', 4_000)}b`, 'a'.repeat(4_096)))).toBe(false);
  });

  it('the classic: *a*a*a… against a long name answers at once', () => {
    expect(within(1_000, () => pathCovers(`/${'*a'.repeat(30)}b`, `/${'a'.repeat(1_000)}`))).toBe(false);
  });

  it('doubling the input does not square the time', () => {
    const time = (length: number): number => {
      const start = cpuMilliseconds();
      for (let i = 0; i < 20; i++) textCovers(`${'*a'.repeat(20)}b`, 'a'.repeat(length));
      return cpuMilliseconds() - start;
    };
    time(500);
    // 8 times the input: 8 times the work, with much room for a busy machine
    expect(time(4_000)).toBeLessThan(60 * Math.max(time(500), 1));
  });
});

describe('long paths and hosts are made canonical, or refused, at once', () => {
  const quickly = (act: () => unknown): unknown =>
    within(1_000, () => {
      try {
        return act();
      } catch (error) {
        if (error instanceof RuleprintError) return error.code;
        throw error;
      }
    });

  it.each<[string, string, unknown]>([
    ['slashes', `/a${'/'.repeat(longest - 2)}`, '/a'],
    ['dot segments', fill('/.', longest), '/'],
    ['dot segments and slashes', fill('/.//', longest).replace('//', '/'), '/'],
    ['dots', `/${'.'.repeat(longest - 1)}`, `/${'.'.repeat(longest - 1)}`],
    ['parent segments', fill('/..', longest), 'path-dot-dot'],
    ['a parent segment at the very end', `${fill('/a', longest - 4)}/..`, 'path-dot-dot'],
  ])('a path of %s', (_, path, answer) => {
    expect(quickly(() => canonicalPath(path))).toBe(answer);
  });

  it.each<[string, string, string]>([
    ['letters', 'a'.repeat(longest), 'host-label'],
    ['labels', fill('a.', longest - 2).replace(/\.$/, 'a'), 'host-too-long'],
    ['dots', '.'.repeat(longest), 'host-label'],
    ['hyphens', fill('-.', longest - 2).replace(/\.$/, '-'), 'host-too-long'],
    ['digits', '1'.repeat(longest), 'host-number'],
    ['numbers', fill('1.', longest - 2).replace(/\.$/, '1'), 'host-number'],
    ['hex digits', `0x${'f'.repeat(longest - 2)}`, 'host-number'],
    ['zeros in hex, which are one zero', `0x${'0'.repeat(longest - 2)}`, '0.0.0.0'],
    ['colons', ':'.repeat(longest), 'host-ipv6'],
    ['groups', fill('1:', longest), 'host-ipv6'],
    ['brackets', '['.repeat(longest), 'host-ipv6'],
  ])('a host of %s', (_, host, answer) => {
    expect(quickly(() => canonicalHost(host))).toBe(answer);
  });

  it('a host pattern of stars', () => {
    expect(quickly(() => hostCovers('*'.repeat(4_096), 'a'))).toBe('pattern-syntax');
    expect(quickly(() => hostCovers(`${fill('*.', 4_094)}a`, 'a'))).toBe('pattern-syntax');
  });
});

describe('a request at every limit', () => {
  it('is decided in a moment by a policy of patterns that all begin alike', () => {
    const rules = Array.from({ length: 200 }, (_, i) => ruleOf({ name: `r${i}`, effect: 'deny', action: filesystem(`/${'*a'.repeat(20)}b${i}`) }));
    const policy = copyPolicy(policyOf(...rules));
    const actions = new Array(64).fill({ filesystem: { path: `/${'a'.repeat(2_000)}`, method: 'read' } });
    expect(within(8_000, () => decide(policy, { agent: 'a', actions }))).toEqual({ effect: 'deny', action: 0, reason: 'no-rule' });
  });
});
