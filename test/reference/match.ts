/**
 * The match profile read literally (spec/match.md). Every "covers" is one definition, {@link wordCovers}: a word of patterns
 * covers a word of items, where some patterns stand for any run and all others for exactly one item.
 *
 * @module
 */
import { type Answer, codePoints, refused } from './text.js';

/**
 * The truth table of "pattern from i on covers input from j on", filled from the ends: an empty pattern covers an empty input; a run covers
 * nothing, or one item and then itself again; anything else covers one item.
 */
function wordCovers<P, I>(pattern: readonly P[], input: readonly I[], isRun: (p: P) => boolean, takes: (p: P, i: I) => boolean): boolean {
  const table: boolean[][] = [];
  for (let i = pattern.length; i >= 0; i -= 1) {
    const row: boolean[] = new Array<boolean>(input.length + 1).fill(false);
    table[i] = row;
    for (let j = input.length; j >= 0; j -= 1) {
      if (i === pattern.length) {
        row[j] = j === input.length;
        continue;
      }
      const p = pattern[i] as P;
      const below = table[i + 1] as boolean[];
      const item = input[j] as I;
      if (isRun(p)) row[j] = below[j] === true || (j < input.length && row[j + 1] === true);
      else row[j] = j < input.length && takes(p, item) && below[j + 1] === true;
    }
  }
  return table[0]?.[0] === true;
}

// ---- Globs over code points: what paths and texts share

type Atom = 'run' | 'one' | { readonly literal: number };

const point = (character: string): number => character.codePointAt(0) as number;

/** Atoms of a glob, or undefined when a `\` stands before anything that is not escapable. */
function atomsOf(glob: string, escapable: string): Atom[] | undefined {
  const points = codePoints(glob);
  const atoms: Atom[] = [];
  for (let at = 0; at < points.length; at += 1) {
    const here = points[at] as number;
    if (here === point('*')) atoms.push('run');
    else if (here === point('?')) atoms.push('one');
    else if (here === point('\\')) {
      const next = points[at + 1];
      if (next === undefined || !codePoints(escapable).includes(next)) return undefined;
      atoms.push({ literal: next });
      at += 1;
    } else atoms.push({ literal: here });
  }
  return atoms;
}

function atomsCover(atoms: readonly Atom[], text: string): boolean {
  return wordCovers(
    atoms,
    codePoints(text),
    (atom) => atom === 'run',
    (atom, item) => atom === 'one' || (typeof atom === 'object' && atom.literal === item),
  );
}

/** Two runs side by side are `**` unescaped, since an escaped `*` is a literal. */
const holdsTwoStars = (atoms: readonly Atom[]): boolean => atoms.some((atom, at) => atom === 'run' && atoms[at + 1] === 'run');

// ---- Paths

/** The canonical path of a request's text. */
export function canonicalPath(text: string): Answer<string> {
  if (text.includes('\0') || text.includes('\\')) return refused('path-character'); // MAT-2
  if (!text.startsWith('/')) return refused('path-relative'); // MAT-3
  if (text.startsWith('//')) return refused('path-leading-slashes'); // MAT-4
  const segments = text.split('/');
  if (segments.includes('..')) return refused('path-dot-dot'); // MAT-5
  return { ok: `/${segments.filter((segment) => segment !== '' && segment !== '.').join('/')}` }; // MAT-6
}

const pathEscapable = '*?[]{}()!@+';

/** MAT-9 for one segment. */
function segmentSyntaxIsBad(segment: string): boolean {
  if (segment === '**') return false;
  const atoms = atomsOf(segment, pathEscapable);
  if (atoms === undefined || holdsTwoStars(atoms)) return true;
  // What is left without its escapes: each escaped pair becomes one letter that nothing here asks about.
  const bare = segment.replaceAll(/\\./gsu, 'x');
  return /[[\]{}]/u.test(bare) || /[@?*+!]\(/u.test(bare);
}

/** The segments of a path pattern that is within the profile. */
export function checkPathPattern(pattern: string): Answer<readonly string[]> {
  if (pattern.includes('\0')) return refused('path-character'); // MAT-7
  if (!pattern.startsWith('/')) return refused('path-relative');
  if (pattern.startsWith('//')) return refused('path-leading-slashes');
  if (pattern === '/') return { ok: [] };
  const segments = pattern.slice(1).split('/');
  // MAT-21: the spelling without what MAT-8 and MAT-10 refuse
  const hint = `/${segments.filter((segment) => segment !== '' && segment !== '.').join('/')}`;
  for (const segment of segments) {
    if (segment === '') return { code: 'pattern-not-canonical', hint }; // MAT-8
    if (segmentSyntaxIsBad(segment)) return refused('pattern-syntax'); // MAT-9
    if (segment === '..') return refused('path-dot-dot'); // MAT-10
    if (segment === '.') return { code: 'pattern-not-canonical', hint };
  }
  return { ok: segments };
}

/** Whether a pattern covers a path, both as written: the pattern is checked and the path made canonical first. */
export function pathCovers(pattern: string, path: string): Answer<boolean> {
  const checked = checkPathPattern(pattern);
  if ('code' in checked) return checked;
  const canonical = canonicalPath(path);
  if ('code' in canonical) return canonical;
  const segments = canonical.ok === '/' ? [] : canonical.ok.slice(1).split('/');
  return {
    ok: wordCovers(
      checked.ok,
      segments,
      (segment) => segment === '**',
      (segment, item) => atomsCover(atomsOf(segment, pathEscapable) as Atom[], item),
    ),
  };
}

// ---- Hosts

/** An address as a number of 32 or 128 bits. */
interface Address {
  readonly width: 32n | 128n;
  readonly value: bigint;
}

/** IPv6 groups of one side of `::`, as 16-bit numbers; dotted decimal may stand at the very end of the text. */
function groupsOf(side: string, atEnd: boolean): bigint[] | undefined {
  if (side === '') return [];
  const groups: bigint[] = [];
  const texts = side.split(':');
  for (const [index, text] of texts.entries()) {
    const isLast = atEnd && index === texts.length - 1;
    if (/^[0-9a-f]{1,4}$/u.test(text)) groups.push(BigInt(`0x${text}`));
    else if (isLast && /^(?:(?:0|[1-9][0-9]{0,2})\.){3}(?:0|[1-9][0-9]{0,2})$/u.test(text)) {
      const bytes = text.split('.').map((byte) => BigInt(byte));
      if (bytes.some((byte) => byte > 255n)) return undefined;
      const [a, b, c, d] = bytes as [bigint, bigint, bigint, bigint];
      groups.push(a * 256n + b, c * 256n + d);
    } else return undefined;
  }
  return groups;
}

/** The WHATWG IPv6 parser, said as a grammar: eight groups, or at most seven around one `::`. */
function ipv6Value(text: string): bigint | undefined {
  const sides = text.split('::');
  if (sides.length > 2) return undefined;
  const left = groupsOf(sides[0] as string, sides.length === 1);
  const right = sides.length === 2 ? groupsOf(sides[1] as string, true) : [];
  if (left === undefined || right === undefined) return undefined;
  const gap = 8 - left.length - right.length;
  if (sides.length === 1 ? gap !== 0 : gap < 1) return undefined;
  return [...left, ...new Array<bigint>(gap).fill(0n), ...right].reduce((value, group) => value * 0x10000n + group, 0n);
}

const dotted = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => ((value >> shift) & 255n).toString()).join('.');

/** RFC 5952 section 4: of all ways to leave out a run of zero groups, the longest of two or more, then the first. */
function ipv6Text(value: bigint): string {
  const groups = [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => ((value >> shift) & 0xffffn).toString(16));
  for (let length = 8; length >= 2; length -= 1) {
    for (let start = 0; start + length <= 8; start += 1) {
      if (groups.slice(start, start + length).every((group) => group === '0')) {
        return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
      }
    }
  }
  return groups.join(':');
}

const isMapped = (value: bigint): boolean => value >> 32n === 0xffffn;

/** One part of an IPv4 number, WHATWG. */
function ipv4Part(text: string): bigint | undefined {
  if (text === '') return undefined;
  if (text.startsWith('0x')) {
    const digits = text.slice(2);
    if (digits === '') return 0n;
    return /^[0-9a-f]+$/u.test(digits) ? BigInt(`0x${digits}`) : undefined;
  }
  if (text.length > 1 && text.startsWith('0')) return /^[0-7]+$/u.test(text) ? BigInt(`0o${text}`) : undefined;
  return /^[0-9]+$/u.test(text) ? BigInt(text) : undefined;
}

/** The WHATWG IPv4 parser on a text without trailing dot. */
function ipv4Value(text: string): bigint | undefined {
  const parts = text.split('.').map(ipv4Part);
  if (parts.length > 4 || parts.includes(undefined)) return undefined;
  const numbers = parts as bigint[];
  const last = numbers.pop() as bigint;
  if (numbers.some((number) => number > 255n) || last >= 256n ** BigInt(4 - numbers.length)) return undefined;
  return numbers.reduce((value, number, index) => value + number * 256n ** BigInt(3 - index), last);
}

/** The canonical host of a request's text. */
export function canonicalHost(text: string): Answer<string> {
  if (text === '') return refused('host-empty'); // MAT-11
  if (text.split('').some((unit) => unit.charCodeAt(0) > 0x7f)) return refused('host-not-ascii');
  if (!/^[A-Za-z0-9._\-:[\]]*$/u.test(text)) return refused('host-character'); // MAT-12
  let host = text.toLowerCase();
  if (/[:[\]]/u.test(host)) {
    // MAT-13
    if (host.startsWith('[') && host.endsWith(']')) host = host.slice(1, -1);
    const value = ipv6Value(host);
    if (value === undefined) return refused('host-ipv6');
    return { ok: isMapped(value) ? dotted(value & 0xffffffffn) : ipv6Text(value) };
  }
  if (host.endsWith('.')) host = host.slice(0, -1);
  if (host === '') return refused('host-empty');
  const labels = host.split('.');
  const last = labels.at(-1) as string;
  if (/^[0-9]+$/u.test(last) || /^0x[0-9a-f]*$/u.test(last)) {
    // MAT-14
    const value = ipv4Value(host);
    return value === undefined ? refused('host-number') : { ok: dotted(value) };
  }
  if (labels.some((label) => label.length < 1 || label.length > 63)) return refused('host-label'); // MAT-15
  return host.length > 253 ? refused('host-too-long') : { ok: host };
}

/** The address that a canonical host is, if it is one. */
function addressOf(host: string): Address | undefined {
  if (host.includes(':')) return { width: 128n, value: ipv6Value(host) as bigint };
  return /^[0-9]+$/u.test(host.split('.').at(-1) as string) ? { width: 32n, value: ipv4Value(host) as bigint } : undefined;
}

type HostPattern = 'everything' | { readonly exactly: string } | { readonly below: string } | { readonly block: Address; readonly bits: bigint };

/** A host pattern that is within the profile. */
export function checkHostPattern(pattern: string): Answer<HostPattern> {
  if (pattern === '**') return { ok: 'everything' };
  const isBelow = pattern.startsWith('*.');
  const left = isBelow ? pattern.slice(2) : pattern;
  if (left.includes('*')) return refused('pattern-syntax'); // MAT-16
  if (!isBelow && left.includes('/')) {
    // MAT-17
    const slash = left.indexOf('/');
    const written = left.slice(0, slash);
    const bits = left.slice(slash + 1);
    const host = canonicalHost(written);
    if ('code' in host) return host;
    const address = addressOf(host.ok);
    if (address === undefined) return refused('cidr');
    if (written.includes(':') && address.width === 32n) return refused('cidr');
    if (written !== host.ok) return { code: 'pattern-not-canonical', hint: `${host.ok}/${bits}` };
    if (!/^(?:0|[1-9][0-9]*)$/u.test(bits) || BigInt(bits) >= address.width) return refused('cidr');
    if (address.value % 2n ** (address.width - BigInt(bits)) !== 0n) return refused('cidr');
    return { ok: { block: address, bits: BigInt(bits) } };
  }
  const host = canonicalHost(left); // MAT-18
  if ('code' in host) return host;
  const address = addressOf(host.ok);
  if (isBelow && address !== undefined) return refused(address.width === 32n ? 'host-number' : 'host-ipv6');
  if (left !== host.ok) return { code: 'pattern-not-canonical', hint: isBelow ? `*.${host.ok}` : host.ok };
  return { ok: isBelow ? { below: host.ok } : { exactly: host.ok } };
}

/** Whether a pattern covers a host, both as written. */
export function hostCovers(pattern: string, host: string): Answer<boolean> {
  const checked = checkHostPattern(pattern);
  if ('code' in checked) return checked;
  const canonical = canonicalHost(host);
  if ('code' in canonical) return canonical;
  const address = addressOf(canonical.ok);
  const covering = checked.ok;
  if (covering === 'everything') return { ok: true };
  if ('exactly' in covering) return { ok: covering.exactly === canonical.ok };
  if ('below' in covering) {
    const tail = covering.below.split('.');
    const labels = address === undefined ? canonical.ok.split('.') : [];
    return { ok: labels.length > tail.length && labels.slice(-tail.length).join('.') === covering.below };
  }
  const size = 2n ** (covering.block.width - covering.bits);
  return { ok: address !== undefined && address.width === covering.block.width && address.value / size === covering.block.value / size };
}

// ---- Texts

const textEscapable = '*?\\';

/** A text glob that is within the profile. */
export function checkTextPattern(pattern: string): Answer<readonly Atom[]> {
  const atoms = atomsOf(pattern, textEscapable); // MAT-19
  return atoms === undefined || holdsTwoStars(atoms) ? refused('pattern-syntax') : { ok: atoms };
}

/** Whether a text glob covers a text. */
export function textCovers(pattern: string, text: string): Answer<boolean> {
  const checked = checkTextPattern(pattern);
  return 'code' in checked ? checked : { ok: atomsCover(checked.ok, text) };
}

/** MAT-19 for one item of an argv pattern. */
export function checkArgvItem(pattern: string, isLast: boolean): Answer<'rest' | readonly Atom[]> {
  if (isLast && pattern === '**') return { ok: 'rest' };
  const checked = checkTextPattern(pattern);
  if ('code' in checked) return checked;
  return pattern.includes('\0') ? refused('nul-character') : checked;
}

/** Whether an argv pattern covers an argv (MAT-20). */
export function argvCovers(patterns: readonly string[], argv: readonly string[]): Answer<boolean> {
  const items: ('rest' | readonly Atom[])[] = [];
  for (const [index, pattern] of patterns.entries()) {
    const item = checkArgvItem(pattern, index === patterns.length - 1);
    if ('code' in item) return item;
    items.push(item.ok);
  }
  if (argv.some((argument) => argument.includes('\0'))) return refused('nul-character');
  return {
    ok: wordCovers(
      items,
      argv,
      (item) => item === 'rest',
      (item, argument) => item !== 'rest' && atomsCover(item, argument),
    ),
  };
}
