/**
 * Text from outside, made safe for a terminal.
 * @module
 */
import { printable } from '../finding/ascii.js';

export { asciiJson, printable } from '../finding/ascii.js';

/** `1 rule`, `2 rules`. */
export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

/** A word for a shell, as it can be typed. */
export function shellWord(word: string): string {
  if (/^[\w./@%+=:,-]+$/.test(word)) return word;
  return `'${printable(word).replaceAll("'", "'\\''")}'`;
}
