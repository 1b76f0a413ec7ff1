/**
 * Finds long runs that a text shares with known texts, in time that does not grow with how many are known.
 * @module
 */

export interface KnownText {
  readonly id: string;
  readonly text: string;
}

/** Places that are kept of one gram: texts that repeat themselves must not make the search quadratic. */
const placesOfGram = 32;

/** Made once from the known texts, asked for each text. */
export class RunFinder {
  readonly #grams = new Map<string, { readonly known: KnownText; readonly at: number }[]>();
  readonly #least: number;
  readonly #gram: number;

  /** @param least - the shortest run that is found; even, because grams are half of it */
  constructor(known: readonly KnownText[], least: number) {
    this.#least = least;
    this.#gram = least / 2;
    for (const one of known) {
      for (let at = 0; at + this.#gram <= one.text.length; at++) {
        const gram = one.text.slice(at, at + this.#gram);
        const places = this.#grams.get(gram);
        if (places === undefined) this.#grams.set(gram, [{ known: one, at }]);
        else if (places.length < placesOfGram) places.push({ known: one, at });
      }
    }
  }

  /** Runs at least as long as the least are handed on, with the id of their known text, until the taker has enough and says `true`. */
  find(text: string, take: (id: string, length: number) => boolean): void {
    // every run of the least length holds one gram that begins at a multiple of the stride
    const stride = this.#least - this.#gram + 1;
    for (let at = 0; at + this.#gram <= text.length; at += stride) {
      for (const place of this.#grams.get(text.slice(at, at + this.#gram)) ?? []) {
        const length = runAround(text, at, place.known.text, place.at);
        if (length >= this.#least && take(place.known.id, length)) return;
      }
    }
  }
}

/** How far a run is followed to each side: texts that repeat themselves must not make the search quadratic. */
const farthest = 64;

/** How long two texts are equal around a place of each. */
function runAround(a: string, atA: number, b: string, atB: number): number {
  let before = 0;
  while (before < farthest && before < atA && before < atB && a[atA - before - 1] === b[atB - before - 1]) before++;
  let after = 0;
  while (after < farthest && atA + after < a.length && atB + after < b.length && a[atA + after] === b[atB + after]) after++;
  return before + after;
}
