/**
 * Finds canaries in texts (AUD-22 to AUD-25): each view of the ladder is folded to letters and digits, and every run of twelve that a canary has is a hit.
 * @module
 */
import { canaryLength, type Canary } from './canary.js';
import { fold } from './fold.js';
import { type Budget, climb, type Rung } from './ladder.js';

/** A run this long is a hit: 60 bits do not come about by chance. */
export const fragmentLength = 12;

export interface Found {
  readonly slot: string;
  /** Characters in a row, from `fragmentLength` to `canaryLength`. */
  readonly length: number;
  /** The rungs that led there. */
  readonly via: readonly Rung[];
}

/** One spelling of one canary: letters moved by a fixed number of places, forward or reversed. */
interface Variant {
  readonly slot: string;
  readonly text: string;
}

const gramLength = 6;
/** Every run of twelve holds one gram of six that begins at a multiple of seven. */
const stride = fragmentLength - gramLength + 1;

/** Finds the canaries of one epoch. Made once for them, asked for each text. */
export class CanaryFinder {
  readonly #grams = new Map<string, { readonly variant: Variant; readonly at: number }[]>();
  readonly #slots: number;

  constructor(canaries: readonly Canary[]) {
    this.#slots = canaries.length;
    for (const { slot, value } of canaries) {
      const plain = fold(value);
      if (plain.length !== canaryLength) throw new RangeError(`"canaries" expected values of ${canaryLength} letters and digits`);
      for (let shift = 0; shift < 26; shift++) {
        const text = moved(plain, shift);
        this.#add({ slot, text });
        this.#add({ slot, text: text.split('').reverse().join('') });
      }
    }
  }

  #add(variant: Variant): void {
    for (let at = 0; at + gramLength <= canaryLength; at++) {
      const gram = variant.text.slice(at, at + gramLength);
      const known = this.#grams.get(gram);
      if (known) known.push({ variant, at });
      else this.#grams.set(gram, [{ variant, at }]);
    }
  }

  /**
   * The longest run of each canary that a text shows.
   *
   * @param budget - what may be spent; taken from
   * @returns `isComplete` is false where the budget did not suffice: what was found counts, and nothing says that this is all (AUD-25)
   */
  find(text: string, budget: Budget): { readonly found: readonly Found[]; readonly isComplete: boolean } {
    const best = new Map<string, Found>();
    const isComplete = climb(text, budget, (view) => {
      this.#look(fold(view.text), view.via, best);
      return best.size === this.#slots && [...best.values()].every(({ length }) => length === canaryLength);
    });
    return { found: [...best.values()], isComplete };
  }

  #look(text: string, via: readonly Rung[], best: Map<string, Found>): void {
    for (let at = 0; at + gramLength <= text.length; at += stride) {
      const places = this.#grams.get(text.slice(at, at + gramLength));
      if (places === undefined) continue;
      for (const { variant, at: inside } of places) {
        const length = runAround(text, at, variant.text, inside);
        if (length >= fragmentLength && length > (best.get(variant.slot)?.length ?? 0)) best.set(variant.slot, { slot: variant.slot, length, via });
      }
    }
  }
}

/** How long two texts are equal around a place of each. */
function runAround(a: string, atA: number, b: string, atB: number): number {
  let before = 0;
  while (before < atA && before < atB && a[atA - before - 1] === b[atB - before - 1]) before++;
  let after = 0;
  while (atA + after < a.length && atB + after < b.length && a[atA + after] === b[atB + after]) after++;
  return before + after;
}

function moved(text: string, shift: number): string {
  return text.replaceAll(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 0x61 + shift) % 26) + 0x61));
}
