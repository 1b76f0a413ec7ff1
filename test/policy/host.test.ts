import { describe, expect, it } from 'vitest';
import { hostCovers } from '../../src/policy/covers.js';
import { canonicalHost, toAsciiHost } from '../../src/policy/host.js';
import { limits } from '../../src/limits.js';
import { codeOf, refused } from './kit.js';

const label = (n: number): string => 'a'.repeat(n);

describe('canonical host', () => {
  it.each<[string, string, string]>([
    ['nothing (MAT-11)', '', 'host-empty'],
    ['a dot alone', '.', 'host-empty'],
    ['a name outside ASCII, because Unicode tables differ between runtimes (MAT-11)', 'bücher.example', 'host-not-ascii'],
    ['a full stop that is not the ASCII one (MAT-11)', 'example\u3002com', 'host-not-ascii'],
    ['a Kelvin sign, which lower-casing would make a k (MAT-11)', '\u212a.example', 'host-not-ascii'],
    ['a digit that is not an ASCII one (MAT-11)', '\u0661', 'host-not-ascii'],
    ['U+0080, the first beyond ASCII (MAT-11)', 'a\u0080', 'host-not-ascii'],
    ['a soft hyphen (MAT-11)', 'exam\u00adple.com', 'host-not-ascii'],
    ['a space (MAT-12)', 'example.com ', 'host-character'],
    ['a line feed at the end (MAT-12)', 'example.com\n', 'host-character'],
    ['NUL (MAT-12)', 'example.com\0', 'host-character'],
    ['user information (MAT-12)', 'user@example.com', 'host-character'],
    ['a path (MAT-12)', 'example.com/a', 'host-character'],
    ['a query (MAT-12)', 'example.com?a', 'host-character'],
    ['a percent sign (MAT-12)', 'ex%61mple.com', 'host-character'],
    ['a zone (MAT-12)', 'fe80::1%eth0', 'host-character'],
    ['a star (MAT-12)', '*.example.com', 'host-character'],
    ['a backslash (MAT-12)', 'a\\b', 'host-character'],
    ['a comma (MAT-12)', 'a,b', 'host-character'],
    ['a port (MAT-13)', 'example.com:443', 'host-ipv6'],
    ['an address with a port (MAT-13)', '127.0.0.1:80', 'host-ipv6'],
    ['brackets with a port (MAT-13)', '[::1]:80', 'host-ipv6'],
    ['brackets around nothing (MAT-13)', '[]', 'host-ipv6'],
    ['brackets around a name (MAT-13)', '[example.com]', 'host-ipv6'],
    ['brackets around IPv4 (MAT-13)', '[127.0.0.1]', 'host-ipv6'],
    ['two pairs of brackets (MAT-13)', '[[::1]]', 'host-ipv6'],
    ['a bracket alone (MAT-13)', '[::1', 'host-ipv6'],
    ['a closing bracket alone (MAT-13)', '::1]', 'host-ipv6'],
    ['brackets inside (MAT-13)', 'a[::1]', 'host-ipv6'],
    ['a colon alone (MAT-13)', ':', 'host-ipv6'],
    ['three colons (MAT-13)', ':::', 'host-ipv6'],
    ['two gaps (MAT-13)', '1::2::3', 'host-ipv6'],
    ['seven groups (MAT-13)', '1:2:3:4:5:6:7', 'host-ipv6'],
    ['nine groups (MAT-13)', '1:2:3:4:5:6:7:8:9', 'host-ipv6'],
    ['a gap for nothing (MAT-13)', '1:2:3:4:5:6:7::8', 'host-ipv6'],
    ['a group of five digits (MAT-13)', '::12345', 'host-ipv6'],
    ['a group with other letters (MAT-13)', '::g', 'host-ipv6'],
    ['a colon at the end (MAT-13)', '1:2:3:4:5:6:7:', 'host-ipv6'],
    ['a colon in front (MAT-13)', ':1:2:3:4:5:6:7', 'host-ipv6'],
    ['a dot behind an IPv6 address (MAT-13)', '::1.', 'host-ipv6'],
    ['dotted decimal in front (MAT-13)', '1.2.3.4::', 'host-ipv6'],
    ['dotted decimal with three parts (MAT-13)', '::1.2.3', 'host-ipv6'],
    ['dotted decimal with a leading zero (MAT-13)', '::1.2.3.04', 'host-ipv6'],
    ['dotted decimal above 255 (MAT-13)', '::1.2.3.256', 'host-ipv6'],
    ['dotted decimal in hex (MAT-13)', '::0x1.2.3.4', 'host-ipv6'],
    ['dotted decimal where no room is left (MAT-13)', '1:2:3:4:5:6:7:1.2.3.4', 'host-ipv6'],
    ['four numbers, one above 255 (MAT-14)', '1.2.3.256', 'host-number'],
    ['five numbers (MAT-14)', '1.2.3.4.5', 'host-number'],
    ['a first number above 255 (MAT-14)', '256.1', 'host-number'],
    ['a number above 2^32 - 1 (MAT-14)', '4294967296', 'host-number'],
    ['a last number that overflows (MAT-14)', '1.16777216', 'host-number'],
    ['a number of a thousand digits (MAT-14)', '1'.repeat(1000), 'host-number'],
    ['an octal number with an 8 (MAT-14)', '08', 'host-number'],
    ['a name that ends in a number (MAT-14)', 'example.1', 'host-number'],
    ['a name that ends in a hex number (MAT-14)', 'example.0x1', 'host-number'],
    ['an empty part in front of numbers (MAT-14)', '1..2', 'host-number'],
    ['a dot in front of numbers (MAT-14)', '.1', 'host-number'],
    ['an empty label (MAT-15)', 'a..b', 'host-label'],
    ['a dot in front (MAT-15)', '.example.com', 'host-label'],
    ['two dots at the end (MAT-15)', 'example.com..', 'host-label'],
    ['two dots alone (MAT-15)', '..', 'host-label'],
    ['a label of 64 (MAT-15)', `${label(64)}.com`, 'host-label'],
    ['254 characters (MAT-15)', `${`${label(63)}.`.repeat(3)}${label(62)}`, 'host-too-long'],
  ])('refuses %s', (_, host, code) => {
    expect(codeOf(() => canonicalHost(host))).toBe(code);
  });

  it.each<[string, string, string]>([
    ['a surrogate before all', '\ud800 ', 'lone-surrogate'],
    ['the length before what it holds', `${'a'.repeat(limits.requestStringBytes)}é`, 'limit'],
    ['outside ASCII before a bad character', ' é', 'host-not-ascii'],
    ['a bad character before an address', '::1/64', 'host-character'],
    ['a number before a bad label', `${label(64)}.1`, 'host-number'],
    ['a bad label before the length', `${label(64)}.${'a.'.repeat(200)}a`, 'host-label'],
  ])('checks in the order of the steps: %s', (_, host, code) => {
    expect(codeOf(() => canonicalHost(host))).toBe(code);
  });

  it.each<[string, string]>([
    ['example.com', 'example.com'],
    ['EXAMPLE.com', 'example.com'],
    ['example.com.', 'example.com'],
    ['localhost', 'localhost'],
    ['a_b-c.example', 'a_b-c.example'],
    ['-a-.example', '-a-.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['1a', '1a'],
    ['1.2.3.a', '1.2.3.a'],
    ['0x.example', '0x.example'],
    ['0xg', '0xg'],
    [label(63), label(63)],
    [`${`${label(63)}.`.repeat(3)}${label(61)}`, `${`${label(63)}.`.repeat(3)}${label(61)}`],
    // MAT-14
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1.', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['127.0.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['0X7F000001', '127.0.0.1'],
    ['0177.0.0.01', '127.0.0.1'],
    ['017700000001', '127.0.0.1'],
    ['0', '0.0.0.0'],
    ['00', '0.0.0.0'],
    ['0x', '0.0.0.0'],
    ['1.0x', '1.0.0.0'],
    ['0x.0x.0', '0.0.0.0'],
    ['4294967295', '255.255.255.255'],
    ['1.16777215', '1.255.255.255'],
    ['1.2.65535', '1.2.255.255'],
    ['0x000000000000007f.1', '127.0.0.1'],
    // MAT-13, RFC 5952 section 4
    ['::', '::'],
    ['[::]', '::'],
    ['::1', '::1'],
    ['[::1]', '::1'],
    ['2001:DB8::1', '2001:db8::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:db8::1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['1:0:0:0:0:0:0:0', '1::'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['::2:3:4:5:6:7:8', '0:2:3:4:5:6:7:8'],
    ['::1.2.3.4', '::102:304'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
    ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:102:304'],
    // only ::ffff:0:0/96 is an IPv4 address
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['[::FFFF:1.2.3.4]', '1.2.3.4'],
    ['::ffff:102:304', '1.2.3.4'],
    ['0:0:0:0:0:ffff:102:304', '1.2.3.4'],
    ['::ffff:0:0', '0.0.0.0'],
    ['::fffe:102:304', '::fffe:102:304'],
    ['::ffff:0:102:304', '::ffff:0:102:304'],
    ['1::ffff:102:304', '1::ffff:102:304'],
  ])('makes %j of it %j, once and for all', (host, canonical) => {
    expect(canonicalHost(host)).toBe(canonical);
    expect(canonicalHost(canonical)).toBe(canonical);
  });
});

describe('host pattern: what it covers', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['example.com', ['example.com', 'EXAMPLE.COM', 'example.com.'], ['www.example.com', 'example.org', 'xexample.com', 'example.com.org', '1.2.3.4']],
    ['*.example.com', ['a.example.com', 'a.b.example.com', 'A.EXAMPLE.com.'], ['example.com', 'aexample.com', 'example.com.org', 'a.example.org']],
    ['**', ['example.com', '1.2.3.4', '::1', '[::ffff:1.2.3.4]', 'localhost'], []],
    [
      '127.0.0.1',
      ['127.0.0.1', '127.1', '0x7f.1', '2130706433', '017700000001', '[::ffff:127.0.0.1]', '::ffff:7f00:1'],
      ['127.0.0.2', '::1', 'localhost', '::127.0.0.1'],
    ],
    ['::1', ['::1', '[::1]', '0:0:0:0:0:0:0:1', '::0.0.0.1'], ['::2', '127.0.0.1', 'localhost']],
    ['10.0.0.0/8', ['10.0.0.0', '10.255.255.255', '10.1', '::ffff:10.1.2.3', '0xa.1'], ['11.0.0.0', '9.255.255.255', '::a00:1', 'a.10.example']],
    ['0.0.0.0/0', ['1.2.3.4', '255.255.255.255', '::ffff:1.2.3.4'], ['::1', '::', 'example.com', '::1.2.3.4']],
    ['::/0', ['::', '::1', 'ffff::', '::1.2.3.4'], ['1.2.3.4', '::ffff:1.2.3.4', 'example.com']],
    ['192.168.0.0/31', ['192.168.0.0', '192.168.0.1'], ['192.168.0.2', '192.167.255.255']],
    ['172.16.0.0/12', ['172.16.0.0', '172.31.255.255'], ['172.32.0.0', '172.15.255.255']],
    ['2001:db8::/32', ['2001:db8::', '2001:db8:ffff::1', '2001:DB8:1::'], ['2001:db9::', '2001:db7:ffff::', '32.1.13.184']],
    ['2001:db8::/127', ['2001:db8::', '2001:db8::1'], ['2001:db8::2']],
    ['fe80::/10', ['fe80::1', 'febf:ffff::'], ['fec0::', 'fe7f::']],
    ['::/90', ['::', '::3f:ffff:ffff'], ['::40:0:0', '1.2.3.4']],
    ['a_b.example', ['a_b.example'], ['ab.example']],
    ['*.com', ['example.com', 'a.b.com'], ['com', 'xcom', 'example.org']],
  ])('%s', (pattern, covered, others) => {
    for (const host of covered) expect({ host, covers: hostCovers(pattern, host) }).toEqual({ host, covers: true });
    for (const host of others) expect({ host, covers: hostCovers(pattern, host) }).toEqual({ host, covers: false });
  });

  it('judges the host of a request before it answers, also for "**"', () => {
    expect(codeOf(() => hostCovers('**', 'a b'))).toBe('host-character');
  });
});

describe('host pattern: what is refused', () => {
  it.each<[string, string, string]>([
    ['a star alone (MAT-16)', '*', 'pattern-syntax'],
    ['a star inside a label (MAT-16)', 'www*.example.com', 'pattern-syntax'],
    ['a star in the middle (MAT-16)', 'www.*.example.com', 'pattern-syntax'],
    ['a star at the end (MAT-16)', 'example.*', 'pattern-syntax'],
    ['two stars in front (MAT-16)', '*.*.example.com', 'pattern-syntax'],
    ['a double star in front of a name (MAT-16)', '**.example.com', 'pattern-syntax'],
    ['three stars (MAT-16)', '***', 'pattern-syntax'],
    ['a star in an address (MAT-16)', '10.0.0.*', 'pattern-syntax'],
    ['a star in a block (MAT-16)', '10.*/8', 'pattern-syntax'],
    ['a block of a name (MAT-17)', 'example.com/8', 'cidr'],
    ['a block of nothing (MAT-17)', '/8', 'host-empty'],
    ['a block of something that is no host (MAT-17)', 'a b/8', 'host-character'],
    ['a block of a number that is no address (MAT-17)', '1.2.3.256/8', 'host-number'],
    ['a block of what is no IPv6 address (MAT-17)', '1::2::3/8', 'host-ipv6'],
    ['a block inside ::ffff:0:0/96 (MAT-17)', '::ffff:10.0.0.0/104', 'cidr'],
    ['a block inside ::ffff:0:0/96 in hex (MAT-17)', '::ffff:a00:0/104', 'cidr'],
    ['the block ::ffff:0:0/96 itself (MAT-17)', '::ffff:0:0/96', 'cidr'],
    ['a block in a short spelling (MAT-17)', '10/8', 'pattern-not-canonical'],
    ['a block in upper case (MAT-17)', '2001:DB8::/32', 'pattern-not-canonical'],
    ['a block in brackets (MAT-17)', '[2001:db8::]/32', 'pattern-not-canonical'],
    ['a block with a trailing dot (MAT-17)', '10.0.0.0./8', 'pattern-not-canonical'],
    ['no bits (MAT-17)', '10.0.0.0/', 'cidr'],
    ['bits with a leading zero (MAT-17)', '10.0.0.0/08', 'cidr'],
    ['bits with a sign (MAT-17)', '10.0.0.0/+8', 'cidr'],
    ['bits in hex (MAT-17)', '10.0.0.0/0x8', 'cidr'],
    ['bits with a space (MAT-17)', '10.0.0.0/8 ', 'cidr'],
    ['bits of a mask (MAT-17)', '10.0.0.0/255.0.0.0', 'cidr'],
    ['32 bits of IPv4, which is one address (MAT-17)', '10.0.0.1/32', 'cidr'],
    ['33 bits of IPv4 (MAT-17)', '10.0.0.0/33', 'cidr'],
    ['128 bits of IPv6, which is one address (MAT-17)', '2001:db8::1/128', 'cidr'],
    ['bits of a thousand digits (MAT-17)', `10.0.0.0/${'8'.repeat(1000)}`, 'cidr'],
    ['two slashes (MAT-17)', '10.0.0.0/8/8', 'cidr'],
    ['a bit beyond the block (MAT-17)', '10.0.0.1/8', 'cidr'],
    ['a bit just beyond the block (MAT-17)', '192.168.0.1/31', 'cidr'],
    ['a bit beyond a block of no bits (MAT-17)', '128.0.0.0/0', 'cidr'],
    ['a bit beyond an IPv6 block (MAT-17)', '2001:db8::1/127', 'cidr'],
    ['nothing (MAT-18)', '', 'host-empty'],
    ['nothing behind the star (MAT-18)', '*.', 'host-empty'],
    ['a name outside ASCII (MAT-18)', 'bücher.example', 'host-not-ascii'],
    ['a port (MAT-18)', 'example.com:443', 'host-ipv6'],
    ['a scheme (MAT-18)', 'https://example.com', 'host-ipv6'],
    ['an empty label (MAT-18)', '*..example.com', 'host-label'],
    ['an IPv4 address behind the star (MAT-18)', '*.10.0.0.1', 'host-number'],
    ['a number behind the star (MAT-18)', '*.1', 'host-number'],
    ['an IPv6 address behind the star (MAT-18)', '*.::1', 'host-ipv6'],
    ['an IPv4 address in IPv6 behind the star, which is an IPv4 address (MAT-18)', '*.::ffff:1.2.3.4', 'host-number'],
    ['a block behind the star (MAT-18)', '*.10.0.0.0/8', 'host-character'],
    ['upper case (MAT-18)', 'Example.com', 'pattern-not-canonical'],
    ['upper case behind the star (MAT-18)', '*.Example.com', 'pattern-not-canonical'],
    ['a trailing dot (MAT-18)', 'example.com.', 'pattern-not-canonical'],
    ['brackets (MAT-18)', '[::1]', 'pattern-not-canonical'],
    ['another spelling of an IPv4 address (MAT-18)', '127.1', 'pattern-not-canonical'],
    ['an IPv4 address in hex (MAT-18)', '0x7f000001', 'pattern-not-canonical'],
    ['an IPv4 address in IPv6 (MAT-18)', '::ffff:1.2.3.4', 'pattern-not-canonical'],
    ['another spelling of an IPv6 address (MAT-18)', '0:0:0:0:0:0:0:1', 'pattern-not-canonical'],
    ['IPv6 in mixed notation (MAT-18)', '64:ff9b::1.2.3.4', 'pattern-not-canonical'],
  ])('%s', (_, pattern, code) => {
    expect(codeOf(() => hostCovers(pattern, 'example.com'))).toBe(code);
  });

  it.each<[string, string]>([
    ['EXAMPLE.com.', 'example.com'],
    ['*.EXAMPLE.com', '*.example.com'],
    ['127.1', '127.0.0.1'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['[2001:DB8::0]', '2001:db8::'],
    ['2001:DB8::/32', '2001:db8::/32'],
    ['10/8', '0.0.0.10/8'],
  ])('names the canonical spelling of %s (MAT-21)', (pattern, canonical) => {
    const { code, hint, evidence } = refused(() => hostCovers(pattern, 'example.com'));
    expect({ code, hint, evidence }).toEqual({ code: 'pattern-not-canonical', hint: `write "${canonical}"`, evidence: { canonical } });
  });
});

describe('toAsciiHost', () => {
  it.each<[string, string]>([
    ['bücher.example', 'xn--bcher-kva.example'],
    ['EXAMPLE.com', 'example.com'],
    ['example\u3002com', 'example.com'],
  ])('makes %j of it %j, for callers whose users type names', (text, ascii) => {
    expect(toAsciiHost(text)).toBe(ascii);
    expect(canonicalHost(ascii)).toBe(ascii);
  });

  it.each(['', 'a/b', 'a\\b', 'user@a', 'a:80', 'a?b', 'a#b', 'a b', 'a%41', 'a\tb', ' a', 'a\n'])(
    'refuses %j, which a URL parser would cut or read as more than a host',
    (text) => {
      expect(codeOf(() => toAsciiHost(text))).toBe('host-character');
    },
  );

  it('takes 1,024 bytes and not one more, because a URL parser may take long over a long host', () => {
    expect(limits.asciiHostBytes).toBe(1_024);
    expect(codeOf(() => toAsciiHost(`${'é'.repeat(512)}a`))).toBe('limit');
    expect(codeOf(() => toAsciiHost('a'.repeat(1_025)))).toBe('limit');
    expect(toAsciiHost('a.'.repeat(511))).toHaveLength(1_022);
  });

  it('refuses a surrogate alone, and what is no text as misuse', () => {
    expect(codeOf(() => toAsciiHost('\ud800'))).toBe('lone-surrogate');
    expect(() => toAsciiHost(1 as unknown as string)).toThrow(TypeError);
  });
});
