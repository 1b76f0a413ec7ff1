import { describe, expect, it } from 'vitest';
import { argvCovers, canonicalHost, canonicalPath, checkHostPattern, checkPathPattern, checkTextPattern, hostCovers, pathCovers, textCovers } from './match.js';

const codeOf = (answer: { ok: unknown } | { code: string }): string => ('code' in answer ? answer.code : 'ok');

describe('reference: canonical path', () => {
  it.each([
    ['/a\0', 'path-character'],
    ['a\\b', 'path-character'],
    ['', 'path-relative'],
    ['~', 'path-relative'],
    ['C:/x', 'path-relative'],
    ['//a', 'path-leading-slashes'],
    ['/a/../b', 'path-dot-dot'],
    ['/..', 'path-dot-dot'],
  ])('refuses %j with %s (MAT-2 to MAT-5)', (text, code) => {
    expect(codeOf(canonicalPath(text))).toBe(code);
  });

  it.each([
    ['/', '/'],
    ['/./', '/'],
    ['/a//b/./c/', '/a/b/c'],
    ['/...', '/...'],
    ['/.a', '/.a'],
    ['/a*', '/a*'],
  ])('makes %j into %j (MAT-6)', (text, path) => {
    expect(canonicalPath(text)).toEqual({ ok: path });
  });
});

describe('reference: path glob', () => {
  it.each([
    ['/a\0', 'path-character'],
    ['a', 'path-relative'],
    ['**', 'path-relative'],
    ['//a', 'path-leading-slashes'],
    ['/a//b', 'pattern-not-canonical'],
    ['/a/', 'pattern-not-canonical'],
    ['/a/./b', 'pattern-not-canonical'],
    ['/a//b[', 'pattern-not-canonical'],
    ['/b[/a//', 'pattern-syntax'],
    ['/a/..', 'path-dot-dot'],
    ['/[a]', 'pattern-syntax'],
    ['/{a', 'pattern-syntax'],
    ['/a}', 'pattern-syntax'],
    ['/@(a)', 'pattern-syntax'],
    ['/?(a)', 'pattern-syntax'],
    ['/*(a)', 'pattern-syntax'],
    ['/+(a)', 'pattern-syntax'],
    ['/!(a)', 'pattern-syntax'],
    ['/a\\', 'pattern-syntax'],
    ['/\\a', 'pattern-syntax'],
    ['/\\/', 'pattern-syntax'],
    ['/\\\\', 'pattern-syntax'],
    ['/a**', 'pattern-syntax'],
    ['/***', 'pattern-syntax'],
    ['/\\.\\.', 'pattern-syntax'],
  ])('refuses %j with %s (MAT-7 to MAT-10)', (pattern, code) => {
    expect(codeOf(checkPathPattern(pattern))).toBe(code);
  });

  it.each(['/', '/**', '/a/**/b', '/*', '/(a)', '/\\@(a)', '/@\\(a)', '/\\[\\]\\{\\}', '/!a', '/a)', '/\\**', '/*\\*'])('takes %j', (pattern) => {
    expect(codeOf(checkPathPattern(pattern))).toBe('ok');
  });

  it('gives the canonical spelling as the hint (MAT-21)', () => {
    expect(checkPathPattern('/a//b/./')).toEqual({ code: 'pattern-not-canonical', hint: '/a/b' });
  });

  it.each([
    ['/srv/**', '/srv', true],
    ['/srv/**', '/srv/a/b', true],
    ['/srv/**', '/srvx', false],
    ['/**', '/', true],
    ['/*', '/', false],
    ['/', '/', true],
    ['/', '/a', false],
    ['/**/a', '/a', true],
    ['/**/a/**', '/x/a', true],
    ['/a/**/b', '/a/b', true],
    ['/a/**/b', '/a/x/y/b', true],
    ['/a?c', '/a\u{10000}c', true],
    ['/a?c', '/ae\u0301c', false],
    ['/a*', '/a', true],
    ['/a*', '/a/b', false],
    ['/*', '/.a', true],
    ['/\\*', '/*', true],
    ['/\\*', '/a', false],
    ['/*a*b', '/xaab', true],
  ])('%j over %j is %s', (pattern, path, covers) => {
    expect(pathCovers(pattern, path)).toEqual({ ok: covers });
  });
});

describe('reference: canonical host', () => {
  it.each([
    ['', 'host-empty'],
    ['.', 'host-empty'],
    ['é', 'host-not-ascii'],
    ['\ud800', 'host-not-ascii'],
    ['a b', 'host-character'],
    ['a%', 'host-character'],
    ['a*', 'host-character'],
    ['a:80', 'host-ipv6'],
    ['[', 'host-ipv6'],
    ['[]', 'host-ipv6'],
    ['[[::]]', 'host-ipv6'],
    ['::1]', 'host-ipv6'],
    ['[1.2.3.4]', 'host-ipv6'],
    ['1:2:3:4:5:6:7', 'host-ipv6'],
    ['1:2:3:4:5:6:7:8:9', 'host-ipv6'],
    ['1:2:3:4:5:6:7::8', 'host-ipv6'],
    ['::1::', 'host-ipv6'],
    [':::', 'host-ipv6'],
    ['::12345', 'host-ipv6'],
    ['::01.2.3.4', 'host-ipv6'],
    ['::1.2.3', 'host-ipv6'],
    ['::1.2.3.256', 'host-ipv6'],
    ['::1.2.3.4:5', 'host-ipv6'],
    ['1.2.3.4::', 'host-ipv6'],
    ['1.2.3.4.5', 'host-number'],
    ['256.1.1.1', 'host-number'],
    ['1.2.3.256', 'host-number'],
    ['4294967296', 'host-number'],
    ['a.1', 'host-number'],
    ['1..1', 'host-number'],
    ['09', 'host-number'],
    ['a.0x', 'host-number'],
    ['a..b', 'host-label'],
    ['.a', 'host-label'],
    ['1.2.3.4..', 'host-label'],
    ['a'.repeat(64), 'host-label'],
    [Array.from({ length: 5 }, () => 'a'.repeat(50)).join('.'), 'host-too-long'],
  ])('refuses %j with %s (MAT-11 to MAT-15)', (text, code) => {
    expect(codeOf(canonicalHost(text))).toBe(code);
  });

  it.each([
    ['A.Example.', 'a.example'],
    ['a_b-c', 'a_b-c'],
    ['[::1]', '::1'],
    ['::', '::'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['1:0:0:4:0:0:0:8', '1:0:0:4::8'],
    ['1:0:0:4:5:0:0:8', '1::4:5:0:0:8'],
    ['::FFFF:1.2.3.4', '1.2.3.4'],
    ['::ffff:102:304', '1.2.3.4'],
    ['::1.2.3.4', '::102:304'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
    ['127.1', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['0177.0.0.01', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['0x', '0.0.0.0'],
    ['1.0x', '1.0.0.0'],
    ['1.2.3.4.', '1.2.3.4'],
    ['1.2.0x10000', 'host-number'],
    ['0xa.example', '0xa.example'],
    ['1.example', '1.example'],
    ['a.0xg', 'a.0xg'],
  ])('makes %j into %j', (text, host) => {
    const answer = canonicalHost(text);
    expect('ok' in answer ? answer.ok : answer.code).toBe(host);
  });

  it.each([
    '127.1',
    '0x.0x.0',
    '017700000001',
    '1.2.3.4',
    '1:0:0:4:0:0:0:8',
    '::1.2.3.4',
    '1::',
    '2001:DB8::0:1',
    '0:0:1::',
    '1.65536',
    '1.2.65535',
    '08',
    '1:2:3:4:5:6:7::8',
  ])('reads the address %j as the URL parser of the platform does', (text) => {
    const url = URL.canParse(`http://${text.includes(':') ? `[${text}]` : text}/`)
      ? new URL(`http://${text.includes(':') ? `[${text}]` : text}/`).hostname
      : undefined;
    const answer = canonicalHost(text);
    expect('ok' in answer ? answer.ok : undefined).toBe(url?.replace('[', '').replace(']', ''));
  });
});

describe('reference: host pattern', () => {
  it.each([
    ['', 'host-empty'],
    ['*', 'pattern-syntax'],
    ['*.', 'host-empty'],
    ['*.*', 'pattern-syntax'],
    ['a.*', 'pattern-syntax'],
    ['**.a', 'pattern-syntax'],
    ['*.10.0.0.0/8', 'host-character'],
    ['*/8', 'pattern-syntax'],
    ['/8', 'host-empty'],
    ['a.b/8', 'cidr'],
    ['::ffff:1.2.3.0/120', 'cidr'],
    ['10.0.0.0/', 'cidr'],
    ['10.0.0.0/08', 'cidr'],
    ['10.0.0.0/32', 'cidr'],
    ['10.0.0.0/8/8', 'cidr'],
    ['10.0.0.1/8', 'cidr'],
    ['::/128', 'cidr'],
    ['0xa.0.0.0/8', 'pattern-not-canonical'],
    ['10.0/8', 'pattern-not-canonical'],
    ['[fd00::]/8', 'pattern-not-canonical'],
    ['*.1.2.3.4', 'host-number'],
    ['*.4', 'host-number'],
    ['*.::1', 'host-ipv6'],
    ['A.b', 'pattern-not-canonical'],
    ['a.', 'pattern-not-canonical'],
    ['*.a.', 'pattern-not-canonical'],
    ['[::1]', 'pattern-not-canonical'],
    ['127.1', 'pattern-not-canonical'],
    ['::ffff:1.2.3.4', 'pattern-not-canonical'],
  ])('refuses %j with %s (MAT-16 to MAT-18)', (pattern, code) => {
    expect(codeOf(checkHostPattern(pattern))).toBe(code);
  });

  it.each([
    ['*.A.', '*.a'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['10.0/8', '10.0.0.0/8'],
  ])('hints for %j at %j (MAT-21)', (pattern, hint) => {
    expect(checkHostPattern(pattern)).toEqual({ code: 'pattern-not-canonical', hint });
  });

  it.each([
    ['**', '::1', true],
    ['a.b', 'A.B.', true],
    ['*.b', 'a.b', true],
    ['*.b', 'x.a.b', true],
    ['*.b', 'b', false],
    ['*.b', 'ab', false],
    ['*.c', '1.2.3.4', false],
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.0.0.0/8', '::ffff:10.1.1.1', true],
    ['10.0.0.0/8', '::a01:101', false],
    ['0.0.0.0/0', '::1', false],
    ['0.0.0.0/0', '1', true],
    ['::/0', '1.2.3.4', false],
    ['::/0', '::ffff:1.2.3.4', false],
    ['fd00::/8', 'fdff::1', true],
    ['1.2.3.4', '0x1020304', true],
  ])('%j over %j is %s', (pattern, host, covers) => {
    expect(hostCovers(pattern, host)).toEqual({ ok: covers });
  });
});

describe('reference: text glob and argv', () => {
  it.each(['\\', 'a\\', '\\a', '\\[', '**', 'a**', '***'])('refuses %j (MAT-19)', (pattern) => {
    expect(codeOf(checkTextPattern(pattern))).toBe('pattern-syntax');
  });

  it.each([
    ['', '', true],
    ['*', '', true],
    ['*', 'a/b\nc', true],
    ['?', '\u{10000}', true],
    ['?', '', false],
    ['\\*', '*', true],
    ['*\\*', 'a*', true],
    ['\\**', '*a', true],
    ['[a]', '[a]', true],
    ['a*b*c', 'aXbXbc', true],
    ['a*b*c', 'acb', false],
  ])('%j over %j is %s', (pattern, text, covers) => {
    expect(textCovers(pattern, text)).toEqual({ ok: covers });
  });

  it.each([
    [['git', '**'], ['git'], true],
    [['git', '**'], ['git', 'a', 'b'], true],
    [['git', '**'], ['gi'], false],
    [['git', '*'], ['git'], false],
    [['git', '*'], ['git', ''], true],
    [['git', '*'], ['git', 'a', 'b'], false],
    [['**'], ['x'], true],
    [['a', ''], ['a', ''], true],
  ])('%j over %j is %s (MAT-20)', (patterns, argv, covers) => {
    expect(argvCovers(patterns, argv)).toEqual({ ok: covers });
  });

  it.each([
    [['**', 'a'], 'pattern-syntax'],
    [['a', '**b'], 'pattern-syntax'],
    [['a\0'], 'nul-character'],
  ])('refuses %j with %s (MAT-19)', (patterns, code) => {
    expect(codeOf(argvCovers(patterns, ['a']))).toBe(code);
  });
});
