import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuMilliseconds } from './clock.js';
import { limits } from '../../src/limits.js';
import type { ErrorCode } from '../../src/errors.js';
import { copyPolicy } from '../../src/policy/copy.js';
import { checkPolicy } from '../../src/policy/parse.js';
import { problemsOf, type Loose } from '../policy/kit.js';

const codes = (text: string, format: 'json' | 'yaml'): readonly ErrorCode[] => problemsOf(text, format).map(({ code }) => code);
const n = 100_000;

/** What it takes to judge one text, in milliseconds. */
function timeOf(act: () => unknown): number {
  const start = cpuMilliseconds();
  act();
  return cpuMilliseconds() - start;
}

describe('documents without end in JSON', () => {
  it.each<[string, string]>([
    ['lists in one another', '['.repeat(n)],
    ['lists in one another that end', '['.repeat(n) + ']'.repeat(n)],
    ['objects in one another', '{"a":'.repeat(n)],
    ['objects and lists in turn', '{"a":['.repeat(n)],
    ['lists in one another in a policy', `{"version":1,"rules":${'['.repeat(n)}${']'.repeat(n)}}`],
  ])('%s are too deep, and no parser is asked that would call itself', (_, text) => {
    expect(codes(text, 'json')).toEqual(['limit']);
  });

  it.each<[string, string]>([
    ['closing brackets', ']'.repeat(n)],
    ['quotes', '"'.repeat(n)],
    ['backslashes in a string', `"${'\\'.repeat(n)}`],
    ['commas', `[${','.repeat(n)}`],
    ['digits', `{"version":${'9'.repeat(n)},"rules":[]}`],
    ['minus signs', '-'.repeat(n)],
    ['NUL', '\0'.repeat(n)],
    ['line feeds', '\n'.repeat(n)],
  ])('%s without end are answered with a report', (_, text) => {
    expect(codes(text, 'json').length).toBeGreaterThan(0);
  });

  it('of ten thousand problems a hundred are reported, in time that grows with the text', () => {
    const bad = (count: number): string => `{"version":1,"rules":[${new Array(count).fill('{"name":0}').join(',')}]}`;
    expect(timeOf(() => expect(codes(bad(2_500), 'json')).toHaveLength(limits.problems))).toBeLessThan(5_000);
  });

  it('a long list of numbers that are no integers takes time that grows with the text', () => {
    expect(timeOf(() => codes(`{"version":1,"rules":[${'1.5,'.repeat(20_000)}1]}`, 'json'))).toBeLessThan(10_000);
  });
});

describe('documents without end in YAML', () => {
  it.each<[string, string]>([
    // the first of these once ended the process inside the parser
    ['list marks', '- '.repeat(n)],
    ['list marks, each on its line', Array.from({ length: 2_000 }, (_, i) => `${' '.repeat(i)}-\n`).join('')],
    ['flow lists in one another', '['.repeat(n)],
    ['flow lists in one another that end', '['.repeat(n) + ']'.repeat(n)],
    ['flow mappings in one another', '{'.repeat(n)],
    ['flow mappings in one another with keys', '{a: '.repeat(n)],
    ['explicit keys', '? '.repeat(n)],
    ['mappings in one another', Array.from({ length: 2_000 }, (_, i) => `${' '.repeat(i)}a:\n`).join('')],
    ['lists of mappings in one another', Array.from({ length: 1_000 }, (_, i) => `${' '.repeat(2 * i)}- a:\n`).join('')],
    ['flow lists as keys in one another', `${'[? '.repeat(n)}`],
  ])('%s are too deep, and no parser is asked that would call itself', (_, text) => {
    expect(codes(text, 'yaml')).toContain('limit');
  });

  it.each<[string, string]>([
    ['anchors', '&a '.repeat(n)],
    ['aliases', '*a '.repeat(n)],
    ['an alias of everything before', `a: &a [x]\n${Array.from({ length: 100 }, (_, i) => `b${i}: &b${i} [*a, *a]\n`).join('')}`],
    ['tags', '!a '.repeat(n)],
    ['directives', '%a\n'.repeat(10_000)],
    ['document marks', '---\n'.repeat(10_000)],
    ['end marks', '...\n'.repeat(10_000)],
    ['colons', ':'.repeat(n)],
    ['colons with spaces', ': '.repeat(n)],
    ['quotes', '"'.repeat(n)],
    ['block marks', '|\n'.repeat(10_000)],
    ['folded block marks', '>\n '.repeat(10_000)],
    ['tabs', '\t'.repeat(n)],
    ['spaces', ' '.repeat(n)],
    ['commas', `[${','.repeat(n)}`],
    ['closing brackets', ']'.repeat(n)],
    ['carriage returns', '\r'.repeat(n)],
    ['NUL', '\0'.repeat(n)],
    ['hashes', '#'.repeat(n)],
    ['a key as long as the text', `${'k'.repeat(n)}: 1`],
    ['unfinished keys', 'a\n'.repeat(10_000)],
    ['indentation that goes back and forth', Array.from({ length: 5_000 }, (_, i) => `${' '.repeat(i % 7)}a:\n`).join('')],
  ])('%s are answered with a report', (_, text) => {
    expect(timeOf(() => expect(codes(text, 'yaml').length).toBeGreaterThan(0))).toBeLessThan(15_000);
  });

  it.each<[string, string]>([
    ['a block scalar', 'version: 1\nrules:\n  - name: >-\n      a\n      b\n'],
    ['a block scalar with an indentation mark', 'version: 1\nrules: |2\n    a\n'],
    ['a quoted scalar over lines', 'version: 1\nrules: "a\n  b\n  c"\n'],
    ['a plain scalar over lines', 'version: 1\nrules: a\n  b\n  c\n'],
    ['a value under a finished one', 'version: 1\n  rules: []\n'],
    ['a list less far in than its key', '  version: 1\nrules:\n- a\n'],
    ['a flow list over lines that goes back to the left', 'version: 1\nrules: [\n[\n]\n]\n'],
  ])('%s ends, because the columns of what is open are only counted', (_, text) => {
    expect(checkPolicy(text, { format: 'yaml' })).toHaveProperty('problems');
  });
});

describe('an object of many keys that nobody knows', () => {
  const keys = Array.from({ length: 30_000 }, (_, i) => `k${i}`);
  it.each<['json' | 'yaml', string]>([
    ['json', `{${keys.map((key) => `"${key}":0`).join(',')}}`],
    ['yaml', keys.map((key) => `${key}: 0\n`).join('')],
  ])('has a hundred problems in %s, in time that grows with it and not with its square', { timeout: 120_000 }, (format, text) => {
    expect(timeOf(() => expect(codes(text, format)).toHaveLength(limits.problems))).toBeLessThan(8_000);
  });
});

describe('any text gets a policy or problems with a place', () => {
  const pieces = [
    'version',
    'rules',
    '1',
    '0',
    '-',
    ' ',
    '\n',
    '\t',
    ':',
    ',',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '&a',
    '*a',
    '!',
    '|',
    '>',
    '%',
    '#',
    '---',
    '...',
    '? ',
    '<<',
    'any',
    '\\',
    '\ud800',
    '\u{1f600}',
    '\0',
    '\r',
    'null',
    '__proto__',
    '1.5',
    '- ',
    '  ',
  ];
  const texts = fc.oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.json({ maxDepth: 4 }),
  );

  it.each(['json', 'yaml'] as const)('in %s', (format) => {
    fc.assert(
      fc.property(texts, (text) => {
        const result = checkPolicy(text, { format });
        if ('policy' in result) return;
        const places = result.problems.map(({ where }) => where);
        expect(places.length).toBeGreaterThan(0);
        for (const { line, column, offset } of places) {
          if (offset === undefined) continue;
          expect(offset).toBeGreaterThanOrEqual(0);
          expect(offset).toBeLessThanOrEqual(text.length);
          expect(line).toBeGreaterThanOrEqual(1);
          expect(column).toBeGreaterThanOrEqual(1);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('in bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.constantFrom('json' as const, 'yaml' as const), (bytes, format) => {
        expect(Object.keys(checkPolicy(bytes, { format }))).toHaveLength(1);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('objects that are made to hurt', () => {
  const codesOf = (value: unknown): unknown => {
    try {
      copyPolicy(value);
      return 'taken';
    } catch (error) {
      return (error as Loose).code ?? error;
    }
  };

  it('lists in one another without end are too deep', () => {
    let value: unknown = [];
    for (let i = 0; i < n; i++) value = [value];
    expect(codesOf({ version: 1, rules: value })).toBe('limit');
  });

  it('a list with a length that it does not have is no list of that length', () => {
    const rules: unknown[] = [];
    rules.length = 4_294_967_295;
    expect(timeOf(() => expect(codesOf({ version: 1, rules })).toBe('not-plain-data'))).toBeLessThan(1_000);
  });

  it('one list that stands in many places is not copied for each without end', () => {
    let value: unknown = 'x';
    for (let i = 0; i < 24; i++) value = [value, value];
    expect(timeOf(() => expect(['limit', 'wrong-type']).toContain(codesOf({ version: 1, rules: value })))).toBeLessThan(5_000);
  });

  it('a proxy that throws is the fault of whoever made it, and no policy comes of it', () => {
    const angry = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('angry');
        },
      },
    );
    expect(() => copyPolicy(angry)).toThrow('angry');
  });
});
