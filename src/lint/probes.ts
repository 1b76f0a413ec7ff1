/**
 * Lists of items that a pattern covers, made from the pattern alone: most living rules are reached by one of them, and need no search.
 * @module
 */
import type { Wildcard } from '../policy/wildcard.js';
import type { ItemPattern } from './item-automaton.js';

/** What stands for `*`, for `?`, and for `**` item by item. */
const fillings = [
  { run: '', one: 'x', gap: [] },
  { run: 'x', one: 'x', gap: [] },
  { run: 'xqz', one: 'q', gap: ['xqz'] },
] as const;

export function* probesOf(pattern: ItemPattern): Generator<readonly string[]> {
  for (const { run, one, gap } of fillings) yield pattern.flatMap((item) => (item === undefined ? gap : [filled(item, run, one)]));
}

function filled({ chunks }: Wildcard, run: string, one: string): string {
  return chunks
    .map((chunk) => (typeof chunk === 'string' ? chunk : chunk.map((point) => (point === -1 ? one : String.fromCodePoint(point))).join('')))
    .join(run);
}
