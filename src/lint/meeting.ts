/**
 * Which rules of a policy could cover an action together with a given pattern: a filter in front of the exact answer, which names every rule
 * that could and some that do not. Patterns are found by their leading literal items, hosts by their labels from the right.
 * @module
 */
import { addressOf, samePrefix } from '../policy/address.js';
import type { CompiledPattern } from '../decide/covers.js';
import { type HostPattern, hostPatternCovers } from '../policy/host.js';
import { wildcardCovers, type Wildcard } from '../policy/wildcard.js';
import type { ItemPattern } from './item-automaton.js';

interface Node {
  /** Positions of patterns whose leading literal items end here. */
  readonly here: number[];
  readonly below: Map<string, Node>;
}

const node = (): Node => ({ here: [], below: new Map() });

/** The patterns of one policy, by position. */
export class Meeting {
  readonly #patterns: readonly CompiledPattern[];
  readonly #roots = { filesystem: node(), process: node(), tool: node(), network: node() };
  /** Address patterns, which have no labels. */
  readonly #addresses: number[] = [];

  constructor(patterns: readonly CompiledPattern[]) {
    this.#patterns = patterns;
    patterns.forEach((pattern, position) => {
      const { kind } = pattern;
      if (kind === 'network' && isAddress(pattern.host)) {
        this.#addresses.push(position);
        return;
      }
      let at: Node = this.#roots[kind];
      for (const literal of literalsOf(pattern)) {
        let next = at.below.get(literal);
        if (next === undefined) {
          next = node();
          at.below.set(literal, next);
        }
        at = next;
      }
      at.here.push(position);
    });
  }

  /** Ascending positions of the patterns that may share an action with this one; `spend` hears how many were looked at. */
  with(pattern: CompiledPattern, spend: (looks: number) => void): readonly number[] {
    const found: number[] = [];
    const look = (positions: readonly number[]): void => {
      spend(positions.length);
      for (const position of positions) if (mayMeet(this.#patterns[position] as CompiledPattern, pattern)) found.push(position);
    };
    let at: Node | undefined = this.#roots[pattern.kind];
    if (pattern.kind === 'network') look(this.#addresses);
    if (!(pattern.kind === 'network' && isAddress(pattern.host))) {
      for (const literal of literalsOf(pattern)) {
        look(at.here);
        at = at.below.get(literal);
        if (at === undefined) break;
      }
      const rest = at === undefined ? [] : [at];
      for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
        look(next.here);
        rest.push(...next.below.values());
      }
    } else look(this.#roots.network.here); // `**`, which has no labels either
    return found.sort((a, b) => a - b);
  }
}

function isAddress(host: HostPattern): boolean {
  return host.kind === 'block' || (host.kind === 'exact' && addressOf(host.host) !== undefined);
}

/** The items of a pattern, but for those of hosts. */
export function itemsOf(pattern: CompiledPattern): ItemPattern {
  switch (pattern.kind) {
    case 'filesystem':
      return pattern.path;
    case 'process':
      return pattern.argv.open ? [...pattern.argv.items, undefined] : pattern.argv.items;
    case 'tool':
      return [pattern.server, pattern.name];
    case 'network':
      throw new TypeError('"pattern" expected one of items');
  }
}

function literalsOf(pattern: CompiledPattern): readonly string[] {
  if (pattern.kind === 'network') {
    const { host } = pattern;
    if (host.kind === 'exact') return host.host.split('.').reverse();
    return host.kind === 'below' ? host.suffix.slice(1).split('.').reverse() : [];
  }
  const literals: string[] = [];
  for (const item of itemsOf(pattern)) {
    if (item?.literal === undefined) break;
    literals.push(item.literal);
  }
  return literals;
}

/** Whether two patterns may share an action; true is not certain. */
export function mayMeet(a: CompiledPattern, b: CompiledPattern): boolean {
  if (a.kind === 'network') return b.kind === 'network' && hostsMeet(a.host, b.host);
  return b.kind === a.kind && itemsMayMeet(itemsOf(a), itemsOf(b));
}

/** Exact, unlike that of items. */
function hostsMeet(a: HostPattern, b: HostPattern): boolean {
  if (a.kind === 'any' || b.kind === 'any') return true;
  if (a.kind === 'exact') return hostPatternCovers(b, a.host);
  if (b.kind === 'exact') return hostPatternCovers(a, b.host);
  if (a.kind === 'below') return b.kind === 'below' && (a.suffix.endsWith(b.suffix) || b.suffix.endsWith(a.suffix));
  return b.kind === 'block' && samePrefix(a.address, b.address, Math.min(a.bits, b.bits));
}

function itemsMayMeet(a: ItemPattern, b: ItemPattern): boolean {
  const isOpen = a.includes(undefined) || b.includes(undefined);
  if (!isOpen && a.length !== b.length) return false;
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const [x, y] = [a[i], b[i]];
    if (x === undefined || y === undefined) break;
    if (!mayShareItem(x, y)) return false;
  }
  if (!isOpen) return true;
  for (let i = 1; i <= shorter; i++) {
    const [x, y] = [a.at(-i), b.at(-i)];
    if (x === undefined || y === undefined) return true;
    if (!mayShareItem(x, y)) return false;
  }
  // one of them has no `**`, and stands in the other from end to end
  return true;
}

function mayShareItem(a: Wildcard, b: Wildcard): boolean {
  if (a.literal !== undefined) return wildcardCovers(b, a.literal);
  if (b.literal !== undefined) return wildcardCovers(a, b.literal);
  return agree(a.chunks[0], b.chunks[0], 0) && agree(a.chunks.at(-1), b.chunks.at(-1), -1);
}

type Chunk = Wildcard['chunks'][number];

/** Whether two chunks at one end of a text can stand there together. */
function agree(a: Chunk | undefined, b: Chunk | undefined, end: 0 | -1): boolean {
  const [x, y] = [a, b].map((chunk) => (typeof chunk === 'string' ? [...chunk].map((char) => char.codePointAt(0) as number) : (chunk ?? []))) as [
    Points,
    Points,
  ];
  const shorter = Math.min(x.length, y.length);
  for (let i = 0; i < shorter; i++) {
    const [p, q] = end === 0 ? [x[i], y[i]] : [x.at(-1 - i), y.at(-1 - i)];
    if (p !== q && p !== -1 && q !== -1) return false;
  }
  return true;
}

type Points = readonly number[];
