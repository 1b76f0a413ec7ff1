import { describe, expect, it } from 'vitest';
import { pathCovers } from '../../src/policy/covers.js';
import { limits } from '../../src/limits.js';
import { canonicalPath } from '../../src/policy/path.js';
import { codeOf, refused } from './kit.js';

describe('canonical path', () => {
  it.each<[string, string, string]>([
    ['NUL (MAT-2)', '/srv/a\0b', 'path-character'],
    ['a backslash (MAT-2)', '/srv\\a', 'path-character'],
    ['a backslash at the end (MAT-2)', '/srv/a\\', 'path-character'],
    ['the empty path (MAT-3)', '', 'path-relative'],
    ['a relative path (MAT-3)', 'srv/a', 'path-relative'],
    ['a dot in front (MAT-3)', './srv', 'path-relative'],
    ['a home folder (MAT-3)', '~/srv', 'path-relative'],
    ['a drive letter (MAT-3)', 'C:/srv', 'path-relative'],
    ['a space in front (MAT-3)', ' /srv', 'path-relative'],
    ['a URL (MAT-3)', 'file:///srv', 'path-relative'],
    ['two slashes in front, whose meaning POSIX leaves to the system (MAT-4)', '//srv', 'path-leading-slashes'],
    ['three slashes in front (MAT-4)', '///srv', 'path-leading-slashes'],
    ['two slashes alone (MAT-4)', '//', 'path-leading-slashes'],
    ['a parent segment, since only the caller knows the links (MAT-5)', '/srv/../etc', 'path-dot-dot'],
    ['a parent segment at the end (MAT-5)', '/srv/..', 'path-dot-dot'],
    ['a parent segment in front (MAT-5)', '/../srv', 'path-dot-dot'],
    ['a parent segment that leads nowhere (MAT-5)', '/..', 'path-dot-dot'],
    ['a parent segment with a slash behind it (MAT-5)', '/srv/../', 'path-dot-dot'],
    ['a parent segment behind an empty one (MAT-5)', '/srv//..', 'path-dot-dot'],
    ['a surrogate alone', '/srv/\ud800', 'lone-surrogate'],
  ])('refuses %s', (_, path, code) => {
    expect(codeOf(() => canonicalPath(path))).toBe(code);
  });

  it.each<[string, string, string]>([
    ['NUL before a relative path', 'a\0', 'path-character'],
    ['NUL before slashes in front', '//\0', 'path-character'],
    ['slashes in front before a parent segment', '//..', 'path-leading-slashes'],
    ['a relative path before a parent segment', '../a', 'path-relative'],
    ['a surrogate before NUL', '\0\ud800', 'lone-surrogate'],
    ['the length before what it holds', `${'a'.repeat(limits.requestStringBytes)}\0`, 'limit'],
  ])('checks in the order of the steps: %s', (_, path, code) => {
    expect(codeOf(() => canonicalPath(path))).toBe(code);
  });

  it.each<[string, string]>([
    ['/', '/'],
    ['/srv', '/srv'],
    ['/srv/', '/srv'],
    ['/srv//a', '/srv/a'],
    ['/srv///a//', '/srv/a'],
    ['/srv/./a', '/srv/a'],
    ['/./srv', '/srv'],
    ['/srv/.', '/srv'],
    ['/.', '/'],
    ['/./', '/'],
    ['/././/.', '/'],
    ['/.git', '/.git'],
    ['/srv/.../a', '/srv/.../a'],
    ['/srv/..a', '/srv/..a'],
    ['/srv/a..', '/srv/a..'],
    ['/srv/.a/', '/srv/.a'],
    ['/srv/a.', '/srv/a.'],
    ['/srv/ ', '/srv/ '],
    ['/srv/*', '/srv/*'],
    ['/srv/[a]', '/srv/[a]'],
    ['/SRV', '/SRV'],
    ['/e\u0301', '/e\u0301'],
    ['/\u00e9', '/\u00e9'],
    ['/%2e%2e/a', '/%2e%2e/a'],
    ['/\uff0e\uff0e/a', '/\uff0e\uff0e/a'],
    ['/a\n', '/a\n'],
  ])('makes %j of it %j, and nothing else (MAT-6)', (path, canonical) => {
    expect(canonicalPath(path)).toBe(canonical);
    expect(canonicalPath(canonical)).toBe(canonical);
  });

  it('takes 65,536 bytes and not one more (DEC-4)', () => {
    const path = (bytes: number): string => `/${'é'.repeat((bytes - 1 - ((bytes - 1) % 2)) / 2)}${(bytes - 1) % 2 ? 'a' : ''}`;
    expect(canonicalPath(path(limits.requestStringBytes))).toHaveLength(1 + 32_767 + 1);
    expect(codeOf(() => canonicalPath(path(limits.requestStringBytes + 1)))).toBe('limit');
  });
});

describe('path glob: what it covers', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['/', ['/', '/.', '/./'], ['/a']],
    ['/srv', ['/srv', '/srv/', '/srv/.'], ['/', '/srv/a', '/srva', '/SRV', '/sr']],
    ['/**', ['/', '/a', '/a/b/c', '/.git/config'], []],
    ['/*', ['/a', '/.a', '/*'], ['/', '/a/b']],
    ['/srv/**', ['/srv', '/srv/a', '/srv/a/b'], ['/', '/srva', '/srva/b', '/a/srv']],
    ['/srv/*', ['/srv/a', '/srv/.a'], ['/srv', '/srv/a/b']],
    ['/**/a', ['/a', '/b/a', '/b/c/a'], ['/', '/a/b', '/ba']],
    ['/**/a/**', ['/a', '/a/b', '/b/a', '/b/a/c'], ['/', '/b', '/ab/ba']],
    ['/a/**/b', ['/a/b', '/a/x/b', '/a/x/y/b', '/a/b/b'], ['/a', '/b', '/a/b/c', '/ab']],
    ['/**/**', ['/', '/a', '/a/b'], []],
    ['/a/**/*', ['/a/b', '/a/b/c'], ['/a', '/']],
    ['/**/*.key', ['/a.key', '/a/.key', '/a/b/c.key'], ['/a.keys', '/a.key/b', '/']],
    ['/a*', ['/a', '/ab', '/a*'], ['/ba', '/a/b', '/']],
    ['/*a', ['/a', '/ba', '/aa'], ['/ab', '/']],
    ['/a*b*c', ['/abc', '/aXbYc', '/abbc', '/abcbc'], ['/ab', '/acb', '/a/b/c']],
    ['/a?', ['/ab', '/a\u{1f600}', '/a.'], ['/a', '/abc', '/a/']],
    ['/?', ['/a', '/\u{1f600}', '/é'], ['/', '/ab', '/e\u0301']],
    ['/\\*', ['/*'], ['/a', '/']],
    ['/a\\?b', ['/a?b'], ['/axb']],
    ['/\\[a\\]', ['/[a]'], ['/a']],
    ['/\\{a,b\\}', ['/{a,b}'], ['/a', '/b']],
    ['/\\*\\*', ['/**'], ['/', '/a', '/a/b']],
    ['/+\\(a)', ['/+(a)'], ['/a']],
    ['/\\+(a)', ['/+(a)'], ['/a']],
    ['/a(b)', ['/a(b)'], ['/ab']],
    ['/(a)', ['/(a)'], ['/a']],
    ['/@a', ['/@a'], ['/a']],
    ['/a!', ['/a!'], ['/a']],
    ['/..a', ['/..a'], []],
    ['/...', ['/...'], []],
    ['/.?', ['/.a', '/.*'], ['/a', '/.ab']],
    ['/é', ['/é'], ['/e\u0301']],
    ['/a b', ['/a b'], ['/a%20b']],
    ['/a\nb', ['/a\nb'], ['/a']],
    ['/**/a/*/b/**/c', ['/a/x/b/c', '/z/a/x/b/y/c', '/a/a/a/b/c'], ['/a/b/c', '/a/x/b']],
  ])('%s', (pattern, covered, others) => {
    for (const path of covered) expect({ path, covers: pathCovers(pattern, path) }).toEqual({ path, covers: true });
    for (const path of others) expect({ path, covers: pathCovers(pattern, path) }).toEqual({ path, covers: false });
  });
});

describe('path glob: what is refused', () => {
  it.each<[string, string, string]>([
    ['NUL (MAT-7)', '/a\0', 'path-character'],
    ['nothing (MAT-7)', '', 'path-relative'],
    ['a relative pattern (MAT-7)', 'srv/**', 'path-relative'],
    ['a double star alone (MAT-7)', '**', 'path-relative'],
    ['a home folder (MAT-7)', '~/.ssh/**', 'path-relative'],
    ['a drive letter (MAT-7)', 'C:/**', 'path-relative'],
    ['two slashes in front (MAT-7)', '//srv', 'path-leading-slashes'],
    ['an inner empty segment (MAT-8)', '/srv//a', 'pattern-not-canonical'],
    ['a slash at the end (MAT-8)', '/srv/', 'pattern-not-canonical'],
    ['a slash behind a double star (MAT-8)', '/srv/**/', 'pattern-not-canonical'],
    ['an opening bracket (MAT-9)', '/[ab', 'pattern-syntax'],
    ['a closing bracket (MAT-9)', '/ab]', 'pattern-syntax'],
    ['a class (MAT-9)', '/[ab]', 'pattern-syntax'],
    ['an opening brace (MAT-9)', '/{a', 'pattern-syntax'],
    ['a closing brace (MAT-9)', '/a}', 'pattern-syntax'],
    ['alternatives (MAT-9)', '/{a,b}', 'pattern-syntax'],
    ['@( (MAT-9)', '/@(a)', 'pattern-syntax'],
    ['?( (MAT-9)', '/?(a)', 'pattern-syntax'],
    ['*( (MAT-9)', '/*(a)', 'pattern-syntax'],
    ['+( (MAT-9)', '/+(a)', 'pattern-syntax'],
    ['!( (MAT-9)', '/!(a)', 'pattern-syntax'],
    ['an opener behind other characters (MAT-9)', '/a.!(b)', 'pattern-syntax'],
    ['a backslash at the end (MAT-9)', '/a\\', 'pattern-syntax'],
    ['a backslash at the end of a segment (MAT-9)', '/a\\/b', 'pattern-syntax'],
    ['a backslash before a letter (MAT-9)', '/\\a', 'pattern-syntax'],
    ['a backslash before a dot (MAT-9)', '/\\.', 'pattern-syntax'],
    ['two backslashes (MAT-9)', '/a\\\\b', 'pattern-syntax'],
    ['a double star behind a letter (MAT-9)', '/a**', 'pattern-syntax'],
    ['a double star before a letter (MAT-9)', '/**a', 'pattern-syntax'],
    ['three stars (MAT-9)', '/***', 'pattern-syntax'],
    ['a double star before an extension (MAT-9)', '/**.key', 'pattern-syntax'],
    ['a parent segment (MAT-10)', '/srv/../a', 'path-dot-dot'],
    ['a parent segment at the end (MAT-10)', '/..', 'path-dot-dot'],
    ['a dot segment (MAT-10)', '/srv/./a', 'pattern-not-canonical'],
    ['a dot segment at the end (MAT-10)', '/.', 'pattern-not-canonical'],
    ['a surrogate alone', '/\udfff', 'lone-surrogate'],
  ])('%s, because nobody shall believe in a rule that matches nothing', (_, pattern, code) => {
    expect(codeOf(() => pathCovers(pattern, '/'))).toBe(code);
  });

  it.each<[string, string, string]>([
    ['NUL before a relative pattern', 'a\0', 'path-character'],
    ['a segment on the left before one on the right', '/[/..', 'pattern-syntax'],
    ['a parent segment on the left before syntax on the right', '/../[', 'path-dot-dot'],
    ['an empty segment on the left before syntax on the right', '/a//[', 'pattern-not-canonical'],
  ])('in the order of the steps and from the left: %s', (_, pattern, code) => {
    expect(codeOf(() => pathCovers(pattern, '/'))).toBe(code);
  });

  it.each<[string, string]>([
    ['/srv/', '/srv'],
    ['/srv//a', '/srv/a'],
    ['/srv/./a', '/srv/a'],
    ['/./', '/'],
    ['/srv/**/', '/srv/**'],
    ['/a//b/./c/', '/a/b/c'],
  ])('names the canonical spelling of %s (MAT-21)', (pattern, canonical) => {
    const { code, hint, evidence } = refused(() => pathCovers(pattern, '/'));
    expect({ code, hint, evidence }).toEqual({ code: 'pattern-not-canonical', hint: `write "${canonical}"`, evidence: { canonical } });
  });

  it('has a canonical spelling as the hint that is itself taken', () => {
    expect(pathCovers('/srv', '/srv/')).toBe(true);
  });
});
