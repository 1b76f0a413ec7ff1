/**
 * Is there a canonical host that some host patterns cover and others do not (spec/lint.md, "Dead rules")?
 *
 * Host patterns are few in kind, so the answer needs no automaton: addresses are numbers and their patterns intervals, and of names the ones that
 * could be free are tried, of which there is one more than patterns that could take them.
 * @module
 */
import { addressOf, formatAddress, type Address } from '../policy/address.js';
import { type HostPattern, hostPatternCovers } from '../policy/host.js';

export type UncoveredHost =
  | { readonly found: 'host'; readonly host: string }
  /** Which of the patterns to avoid were needed, by index. */
  | { readonly found: 'none'; readonly by: ReadonlySet<number> }
  | { readonly found: 'beyond' };

/**
 * @param covering the patterns that cover the host, at least one
 * @param avoided the patterns that do not
 */
export function findUncoveredHost(covering: readonly HostPattern[], avoided: readonly HostPattern[]): UncoveredHost {
  const by = new Set<number>();
  const open = avoided.findIndex((pattern) => pattern.kind === 'any');
  if (open >= 0) return { found: 'none', by: by.add(open) };
  const name = freeName(covering, avoided, by);
  if (name.found === 'host') return name;
  for (const family of [2, 8] as const) {
    const address = freeAddress(family, covering, avoided, by);
    if (address !== undefined) return { found: 'host', host: formatAddress(address) };
  }
  return name.found === 'beyond' ? name : { found: 'none', by };
}

const maxName = 253;
const maxLabel = 63;

function freeName(covering: readonly HostPattern[], avoided: readonly HostPattern[], by: Set<number>): UncoveredHost {
  const none = { found: 'none', by } as const;
  let suffix = '';
  for (const pattern of covering) {
    if (pattern.kind === 'block') return none;
    if (pattern.kind === 'exact') return freeExactName(pattern.host, covering, avoided, by);
    if (pattern.kind === 'below' && pattern.suffix.length > suffix.length) suffix = pattern.suffix;
  }
  if (covering.some((pattern) => pattern.kind === 'below' && !suffix.endsWith(pattern.suffix))) return none;
  const above = avoided.findIndex((pattern) => pattern.kind === 'below' && suffix.endsWith(pattern.suffix));
  if (above >= 0) {
    by.add(above);
    return none;
  }
  // one label in front of the suffix: no `*.name` that is longer than the suffix covers it, so only exact names can take it
  const taken = new Map<string, number>();
  avoided.forEach((pattern, i) => {
    if (pattern.kind === 'exact') taken.set(pattern.host, i);
  });
  const room = Math.min(maxLabel, maxName - suffix.length);
  const used = new Set<number>();
  for (const label of labels(room)) {
    const host = label + suffix;
    if (addressOf(host) !== undefined || numeric.test(host)) continue; // MAT-14: an address or refused, never a name
    const taker = taken.get(host);
    if (taker === undefined) return { found: 'host', host };
    used.add(taker);
  }
  // with room for three characters there are names of two labels as well
  if (room >= 3) return { found: 'beyond' };
  for (const taker of used) by.add(taker);
  return none;
}

/** A name that ends in a number. */
const numeric = /(^|\.)([0-9]+|0x[0-9a-f]*)$/;

function freeExactName(host: string, covering: readonly HostPattern[], avoided: readonly HostPattern[], by: Set<number>): UncoveredHost {
  const none = { found: 'none', by } as const;
  if (addressOf(host) !== undefined || !covering.every((pattern) => hostPatternCovers(pattern, host))) return none;
  const taker = avoided.findIndex((pattern) => hostPatternCovers(pattern, host));
  if (taker < 0) return { found: 'host', host };
  by.add(taker);
  return none;
}

const labelCharacters = 'xyzabcdefghijklmnopqrstuvw0123456789_-';

/** Labels of up to `room` characters, the shortest first. */
function* labels(room: number): Generator<string> {
  let shorter = [''];
  for (let length = 1; length <= room; length++) {
    const longer: string[] = [];
    for (const front of shorter) {
      for (const char of labelCharacters) {
        const label = front + char;
        if (length < 4) longer.push(label);
        yield label;
      }
    }
    if (length === 4) return; // two million labels: more than a policy has rules
    shorter = longer;
  }
}

/** First and last address, both included; `index` is that of the pattern. */
interface Span {
  readonly first: bigint;
  readonly last: bigint;
  readonly index: number;
}

/** MAT-13: these are IPv4 addresses, so no canonical host is among them. */
const mapped: Span = { first: 0xffff_0000_0000n, last: 0xffff_ffff_ffffn, index: -1 };

function freeAddress(family: 2 | 8, covering: readonly HostPattern[], avoided: readonly HostPattern[], by: Set<number>): Address | undefined {
  let first = 0n;
  let last = (1n << BigInt(family * 16)) - 1n;
  for (const pattern of covering) {
    if (pattern.kind === 'any') continue;
    const span = spanOf(pattern, family, -1);
    if (span === undefined) return undefined;
    if (span.first > first) first = span.first;
    if (span.last < last) last = span.last;
  }
  const spans = avoided.flatMap((pattern, i) => spanOf(pattern, family, i) ?? []);
  if (family === 8) spans.push(mapped);
  spans.sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  const used: number[] = [];
  for (const span of spans) {
    if (span.first > first) break;
    if (span.last < first) continue;
    first = span.last + 1n;
    if (span.index >= 0) used.push(span.index);
  }
  if (first <= last) return addressFrom(first, family);
  for (const index of used) by.add(index);
  return undefined;
}

function spanOf(pattern: HostPattern, family: 2 | 8, index: number): Span | undefined {
  if (pattern.kind === 'block') {
    if (pattern.address.length !== family) return undefined;
    const first = numberOf(pattern.address);
    return { first, last: first + (1n << BigInt(family * 16 - pattern.bits)) - 1n, index };
  }
  const address = pattern.kind === 'exact' ? addressOf(pattern.host) : undefined;
  if (address?.length !== family) return undefined;
  return { first: numberOf(address), last: numberOf(address), index };
}

function numberOf(address: Address): bigint {
  return address.reduce((number, group) => (number << 16n) | BigInt(group), 0n);
}

function addressFrom(number: bigint, family: 2 | 8): Address {
  const groups: number[] = [];
  for (let i = family - 1; i >= 0; i--) groups.push(Number((number >> BigInt(16 * i)) & 0xffffn));
  return groups;
}
