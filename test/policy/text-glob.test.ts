import { describe, expect, it } from 'vitest';
import { argvCovers, textCovers } from '../../src/policy/covers.js';
import { codeOf } from './kit.js';

describe('text glob: what it covers', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['fs', ['fs'], ['FS', 'fss', 'f']],
    ['*', ['a', 'a/b', 'a b', '[x]', '\u{1f600}'], []],
    ['a*', ['a', 'ab', 'a/b'], ['ba', 'A']],
    ['*a', ['a', 'ba', 'aa'], ['ab']],
    ['a*b*c', ['abc', 'aXbXc', 'abcbc'], ['ac', 'abcd']],
    ['?', ['a', '\u{1f600}', 'é'], ['ab', 'e\u0301']],
    ['a?c', ['abc', 'a/c', 'a\u{1f600}c'], ['ac', 'abbc']],
    ['?*', ['a', 'ab'], []],
    ['\\*', ['*'], ['a', '\\*']],
    ['\\?', ['?'], ['a']],
    ['\\\\', ['\\'], ['\\\\', 'a']],
    ['\\**', ['*', '*a'], ['a']],
    ['[ab]', ['[ab]'], ['a', 'b']],
    ['{a,b}', ['{a,b}'], ['a', 'b']],
    ['@(a)', ['@(a)'], ['a']],
    ['read_file', ['read_file'], ['read.file', 'readXfile']],
    ['*a*a*a*', ['aaa', 'XaXaXaX'], ['aa', 'XaXaX']],
    ['mcp__*', ['mcp__', 'mcp__fs'], ['mcp_', 'xmcp__']],
  ])('%s', (pattern, covered, others) => {
    for (const text of covered) expect({ text, covers: textCovers(pattern, text) }).toEqual({ text, covers: true });
    for (const text of others) expect({ text, covers: textCovers(pattern, text) }).toEqual({ text, covers: false });
  });

  it('covers line breaks with a star, in an argument, where they may stand', () => {
    expect(argvCovers(['a*b'], ['a\n\r\u2028b'])).toBe(true);
    expect(argvCovers(['a?b'], ['a\nb'])).toBe(true);
  });

  it('covers an empty argument with nothing, and with a star', () => {
    expect(argvCovers([''], [''])).toBe(true);
    expect(argvCovers(['*'], [''])).toBe(true);
    expect(argvCovers(['?'], [''])).toBe(false);
    expect(argvCovers([''], ['a'])).toBe(false);
  });
});

describe('argv pattern (MAT-20)', () => {
  it.each<[readonly string[], readonly (readonly string[])[], readonly (readonly string[])[]]>([
    [['ls'], [['ls']], [['ls', '-l'], ['/bin/ls'], ['LS']]],
    [['git', 'push'], [['git', 'push']], [['git'], ['git', 'push', '-f'], ['push', 'git']]],
    [
      ['git', '**'],
      [['git'], ['git', 'push'], ['git', 'push', '-f', '']],
      [['gitk'], ['sudo', 'git']],
    ],
    [
      ['git', '*'],
      [
        ['git', 'push'],
        ['git', ''],
      ],
      [['git'], ['git', 'push', '-f']],
    ],
    [['**'], [['ls'], ['a', 'b', 'c'], ['']], []],
    [
      ['git', 'push', '**'],
      [
        ['git', 'push'],
        ['git', 'push', 'x'],
      ],
      [['git'], ['git', 'pull']],
    ],
    [['a', '\\*\\*'], [['a', '**']], [['a'], ['a', 'b']]],
    [['a b'], [['a b']], [['a', 'b']]],
    [['ab', 'c'], [['ab', 'c']], [['a', 'bc'], ['abc']]],
  ])('%j', (patterns, covered, others) => {
    for (const argv of covered) expect({ argv, covers: argvCovers(patterns, argv) }).toEqual({ argv, covers: true });
    for (const argv of others) expect({ argv, covers: argvCovers(patterns, argv) }).toEqual({ argv, covers: false });
  });
});

describe('text glob: what is refused (MAT-19)', () => {
  it.each<[string, string]>([
    ['a backslash before a letter', '\\a'],
    ['a backslash before a bracket, which is ordinary here', '\\['],
    ['a backslash at the end', 'a\\'],
    ['a backslash behind an escaped one at the end', 'a\\\\\\'],
    ['a double star', '**'],
    ['a double star behind a letter', 'a**'],
    ['a double star before a letter', '**a'],
    ['three stars', '***'],
  ])('%s', (_, pattern) => {
    expect(codeOf(() => textCovers(pattern, 'a'))).toBe('pattern-syntax');
    expect(codeOf(() => argvCovers([pattern, 'a'], ['a']))).toBe('pattern-syntax');
  });

  it('takes a double star only as the whole last argument', () => {
    expect(argvCovers(['a', '**'], ['a'])).toBe(true);
    expect(codeOf(() => argvCovers(['**', 'a'], ['a']))).toBe('pattern-syntax');
    expect(codeOf(() => argvCovers(['a', 'b**'], ['a']))).toBe('pattern-syntax');
    expect(codeOf(() => argvCovers(['**', '**'], ['a']))).toBe('pattern-syntax');
  });

  it('refuses NUL in an argument pattern and in an argument, because no system can pass it on', () => {
    expect(codeOf(() => argvCovers(['a\0'], ['a']))).toBe('nul-character');
    expect(codeOf(() => argvCovers(['a'], ['a\0']))).toBe('nul-character');
  });

  it('refuses what is no name as the pattern of a server or tool, and as its text (POL-8)', () => {
    expect(codeOf(() => textCovers('', 'a'))).toBe('empty-text');
    expect(codeOf(() => textCovers('a\n', 'a'))).toBe('control-character');
    expect(codeOf(() => textCovers('*', ''))).toBe('empty-text');
    expect(codeOf(() => textCovers('*', '\u202e'))).toBe('control-character');
  });
});
