/**
 * Which lists of items are canonical at all (spec/match.md, spec/decision.md): paths, argv, tools.
 * @module
 */
import { limits } from '../limits.js';
import { separator } from './item-automaton.js';

/** What the item lists of one kind of action may be. */
export interface Words {
  readonly kind: 'filesystem' | 'process' | 'tool';
  /** Whether a list of no items is one: the path `/`. */
  readonly mayBeEmpty: boolean;
  readonly itemMayBeEmpty: boolean;
  /** Whether `.` and `..` are no items. */
  readonly hasDots: boolean;
  readonly maxItems: number;
  readonly allows: (point: number) => boolean;
}

const dot = 0x2e;

/** MAT-2, MAT-5, MAT-6: what is left of a path that was made canonical. */
export const pathWords: Words = {
  kind: 'filesystem',
  mayBeEmpty: true,
  itemMayBeEmpty: false,
  hasDots: true,
  maxItems: Number.POSITIVE_INFINITY,
  allows: (point) => point !== 0 && point !== 0x2f && point !== 0x5c,
};

/** DEC-2, DEC-4. */
export const argvWords: Words = {
  kind: 'process',
  mayBeEmpty: false,
  itemMayBeEmpty: true,
  hasDots: false,
  maxItems: limits.argvItems,
  allows: (point) => point !== 0,
};

/** POL-8. */
export const toolWords: Words = {
  kind: 'tool',
  mayBeEmpty: false,
  itemMayBeEmpty: false,
  hasDots: false,
  maxItems: 2,
  allows: (point) => point >= 0x20 && !(point >= 0x7f && point <= 0x9f) && !(point >= 0x202a && point <= 0x202e) && !(point >= 0x2066 && point <= 0x2069),
};

/** Where a reader of a word stands. */
export type Standing = 'start' | 'item-start' | 'dot' | 'dots' | 'item';

/** Where it stands behind one symbol; `undefined` as a symbol is a code point that nobody names. Undefined where no canonical word goes on so. */
export function stand(words: Words, at: Standing, symbol: number | undefined): Standing | undefined {
  if (symbol === separator) return at === 'start' || endsItem(words, at) ? 'item-start' : undefined;
  if (at === 'start' || (symbol !== undefined && !words.allows(symbol))) return undefined;
  if (words.hasDots && symbol === dot) return at === 'item-start' ? 'dot' : at === 'dot' ? 'dots' : 'item';
  return 'item';
}

/** Whether a canonical word may end here. */
export function ends(words: Words, at: Standing): boolean {
  return at === 'start' ? words.mayBeEmpty : endsItem(words, at);
}

function endsItem(words: Words, at: Standing): boolean {
  return at === 'item' || (at === 'item-start' && words.itemMayBeEmpty);
}

/** Whether a full stop is unlike other code points here. */
export function mindsDot(words: Words, at: Standing): boolean {
  return words.hasDots && (at === 'item-start' || at === 'dot' || at === 'dots');
}

/** A code point that is allowed and not among the named ones: the shortest in UTF-8, letters first, for people to read. */
export function freshPoint(words: Words, named: ReadonlyMap<number, unknown>): number | undefined {
  const fits = (point: number): boolean => !named.has(point) && words.allows(point);
  for (const point of readable) if (fits(point)) return point;
  for (let point = 0; point <= 0x10ffff; point++) {
    if (point === 0xd800) point = 0xe000; // unpaired surrogates are no text
    if (fits(point)) return point;
  }
  return undefined;
}

const readable: readonly number[] = [...'xyzabcdefghijklmnopqrstuvw0123456789_-XYZABCDEFGHIJKLMNOPQRSTUVW'].map((char) => char.charCodeAt(0));

/** Bytes of a code point in UTF-8. */
export function pointBytes(point: number): number {
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}
