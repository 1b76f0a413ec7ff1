/**
 * Options that hold words of a list, with commas or spaces between them.
 * @module
 */
import { usage } from './failure.js';
import { printable } from './printable.js';

export function wordsOf(given: readonly string[] = []): readonly string[] {
  return given
    .flatMap((value) => value.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** Words of a closed list. */
export function listed<T extends string>(option: string, known: readonly T[], given: readonly string[] = []): readonly T[] {
  const words = given.flatMap((value) => value.split(',')).map((word) => word.trim());
  for (const word of words) {
    if (!(known as readonly string[]).includes(word)) throw usage(`${option} takes ${known.join(', ')}, not "${printable(word)}"`);
  }
  return words as T[];
}
