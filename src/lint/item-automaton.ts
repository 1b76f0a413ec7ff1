/**
 * Patterns of paths, arguments and tools as automata (spec/lint.md, "Dead rules").
 *
 * All three are lists of items: a path is its segments, argv its arguments, a tool its server and its name. A word is each item behind a
 * separator; a pattern is a list of wildcards, where undefined (`**`) stands for any run of whole items. The automaton is built position by
 * position from the pattern, and no regular expression is made.
 * @module
 */
import type { Wildcard } from '../policy/wildcard.js';

/** One wildcard an item; undefined covers zero or more items. */
export type ItemPattern = readonly (Wildcard | undefined)[];

/** The symbol in front of each item; all others are code points. */
export const separator = -1;
/** What a position takes that does not name a code point. */
const anyOne = -2;
const anyRun = -3;
const nothing = -4;

/** Positions of one pattern, numbered from 0; 0 is the beginning. */
export class ItemAutomaton {
  /** The code point that a position takes, or one of the marks above. */
  readonly #takes: number[] = [nothing];
  /** The position behind it, or -1. */
  readonly #next: number[] = [-1];
  /** The item that begins where a separator stands at this position, or -1 where none may stand. */
  readonly #atSeparator: number[] = [0];
  readonly #accepts: boolean[] = [];
  /** Whether every word that goes on from here is covered. */
  readonly #coversAll: boolean[] = [];
  /** Whether every word that goes on from here within this item is covered. */
  readonly #coversItem: boolean[] = [];
  /** Whether no further item may follow. */
  readonly #isInLastItem: boolean[] = [false];
  /** Where items begin: the positions behind the separator. */
  readonly #entries: (readonly number[])[] = [];

  constructor(pattern: ItemPattern) {
    const count = pattern.length;
    /** From which item on there are only `**`, so that a word may end. */
    let openFrom = count;
    while (openFrom > 0 && pattern[openFrom - 1] === undefined) openFrom--;
    this.#accepts.push(openFrom === 0);
    this.#coversAll.push(openFrom === 0 && count > 0);
    this.#coversItem.push(false);
    const starts: number[] = [];
    pattern.forEach((item, i) => {
      starts.push(this.#takes.length);
      if (item === undefined) {
        // stands in an item that it takes whole, and before the separator of the next
        this.#add({ takes: anyRun, next: -1, atSeparator: i, accepts: i >= openFrom, coversAll: i >= openFrom, coversItem: i >= openFrom, last: false });
        return;
      }
      const symbols = symbolsOf(item);
      const endsOpen = i + 1 >= openFrom;
      const isOpenBehind = endsOpen && i + 1 < count;
      symbols.forEach((symbol, k) => {
        const isTail = symbol === anyRun && k === symbols.length - 1 && endsOpen;
        this.#add({
          takes: symbol,
          next: this.#takes.length + 1,
          atSeparator: -1,
          accepts: false,
          coversAll: isTail && isOpenBehind,
          coversItem: isTail,
          last: i === count - 1,
        });
      });
      this.#add({ takes: nothing, next: -1, atSeparator: i + 1, accepts: endsOpen, coversAll: false, coversItem: false, last: i === count - 1 });
    });
    for (let i = 0; i <= count; i++) {
      const behind: number[] = [];
      for (let at = i; at < count; at++) {
        this.#close(starts[at] as number, behind);
        if (pattern[at] !== undefined) break;
      }
      this.#entries.push(behind);
    }
  }

  #add(row: { takes: number; next: number; atSeparator: number; accepts: boolean; coversAll: boolean; coversItem: boolean; last: boolean }): void {
    this.#takes.push(row.takes);
    this.#next.push(row.next);
    this.#atSeparator.push(row.atSeparator);
    this.#accepts.push(row.accepts);
    this.#coversAll.push(row.coversAll);
    this.#coversItem.push(row.coversItem);
    this.#isInLastItem.push(row.last);
  }

  /** A position and those that it reaches by a star that takes nothing. */
  #close(position: number, into: number[]): void {
    into.push(position);
    if (this.#takes[position] === anyRun && (this.#next[position] as number) >= 0) this.#close(this.#next[position] as number, into);
  }

  /** How many positions there are. */
  get size(): number {
    return this.#takes.length;
  }

  accepts(position: number): boolean {
    return this.#accepts[position] as boolean;
  }

  coversAll(position: number): boolean {
    return this.#coversAll[position] as boolean;
  }

  coversItem(position: number): boolean {
    return this.#coversItem[position] as boolean;
  }

  isInLastItem(position: number): boolean {
    return this.#isInLastItem[position] as boolean;
  }

  /** The code point that alone leads on from here, or undefined. */
  named(position: number): number | undefined {
    const takes = this.#takes[position] as number;
    return takes >= 0 ? takes : undefined;
  }

  /** Adds the positions behind one symbol; `undefined` is a code point that no position in question names. */
  step(position: number, symbol: number | undefined, into: number[]): void {
    if (symbol === separator) {
      const item = this.#atSeparator[position] as number;
      if (item >= 0) into.push(...(this.#entries[item] as readonly number[]));
      return;
    }
    const takes = this.#takes[position] as number;
    if (takes === anyRun) this.#close(position, into);
    else if (takes === anyOne || (takes === symbol && symbol !== undefined)) this.#close(this.#next[position] as number, into);
  }
}

function symbolsOf({ chunks }: Wildcard): readonly number[] {
  const symbols: number[] = [];
  chunks.forEach((chunk, i) => {
    if (i > 0) symbols.push(anyRun);
    if (typeof chunk === 'string') for (const char of chunk) symbols.push(char.codePointAt(0) as number);
    else for (const point of chunk) symbols.push(point === -1 ? anyOne : point);
  });
  return symbols;
}
