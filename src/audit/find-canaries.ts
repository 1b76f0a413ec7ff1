/**
 * Finds canaries in texts (AUD-22 to AUD-25): each view of the ladder is folded to letters and digits, and every run of twelve that a canary has is a hit.
 * @module
 */
import { canaryLength, type Canary } from './canary.js';
import { fold } from './fold.js';
import { type Budget, climb, type Rung, type View } from './ladder.js';
import { RunFinder } from './runs.js';

/** A run this long is a hit: 60 bits do not come about by chance. */
export const fragmentLength = 12;

export interface Found {
  readonly slot: string;
  /** Characters in a row, from `fragmentLength` to `canaryLength`. */
  readonly length: number;
  /** The rungs that led there. */
  readonly via: readonly Rung[];
}

export interface Search {
  readonly found: readonly Found[];
  readonly isComplete: boolean;
}

/** Finds the canaries of one epoch. Made once for them, asked for each text. */
export class CanaryFinder {
  readonly #runs: RunFinder;
  readonly #slots: number;
  /** Agents repeat themselves, and a text is judged once. */
  readonly #known = new Map<string, Search>();

  constructor(canaries: readonly Canary[]) {
    this.#slots = canaries.length;
    this.#runs = new RunFinder(canaries.flatMap(spellingsOf), fragmentLength);
  }

  /**
   * The longest run of each canary that a text shows.
   *
   * @param budget - what may be spent; taken from
   * @param rungs - how high to climb; to the top by default
   * @returns `isComplete` is false where the budget did not suffice: what was found counts, and nothing says that this is all (AUD-25)
   */
  find(text: string, budget: Budget, rungs?: number): Search {
    // each character of a canary takes a character of whatever holds it
    if (this.#slots === 0 || text.length < fragmentLength) return { found: [], isComplete: true };
    const known = this.#known.get(text);
    if (known) return known;
    const search = this.#search(text, budget, rungs);
    this.#known.set(text, search);
    return search;
  }

  #search(text: string, budget: Budget, rungs: number | undefined): Search {
    const best = new Map<string, Found>();
    const look = (view: View): boolean => {
      this.#runs.find(fold(view.text), (slot, length) => {
        if (length > (best.get(slot)?.length ?? 0)) best.set(slot, { slot, length, via: view.via });
        return false;
      });
      return best.size === this.#slots && [...best.values()].every(({ length }) => length === canaryLength);
    };
    // what stands there plainly is seen however little is left to spend
    const isComplete = look({ text, via: [] }) || climb(text, budget, look, rungs);
    return { found: [...best.values()], isComplete };
  }
}

/** A canary with its letters moved by a fixed number of places, or mirrored (a as z), forward and reversed. */
function spellingsOf({ slot, value }: Canary): readonly { readonly id: string; readonly text: string }[] {
  const plain = fold(value);
  if (plain.length !== canaryLength) throw new RangeError(`"canaries" expected values of ${canaryLength} letters and digits`);
  const mirrored = plain.replaceAll(/[a-z]/g, (letter) => String.fromCharCode(0x61 + 0x7a - letter.charCodeAt(0)));
  return [mirrored, ...Array.from({ length: 26 }, (_, shift) => moved(plain, shift))].flatMap((text) => [
    { id: slot, text },
    { id: slot, text: text.split('').reverse().join('') },
  ]);
}

function moved(text: string, shift: number): string {
  return text.replaceAll(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 0x61 + shift) % 26) + 0x61));
}
