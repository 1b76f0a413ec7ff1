/**
 * Is there a canonical list of items that all of some patterns cover and none of others (spec/lint.md, "Dead rules")?
 *
 * The automata of all patterns run side by side, made deterministic state by state and only where the search comes by. Code points that no position in
 * question names are one symbol. The shortest answer comes first, so a list that is over a limit of requests means that all are.
 * @module
 */
import { type ItemAutomaton, separator } from './item-automaton.js';
import { ends, freshPoint, mindsDot, pointBytes, stand, type Standing, type Words } from './words.js';

/** What searches may still cost, taken down as they run. */
export interface Budget {
  /** States for the rule in question. */
  states: number;
  /** Positions of patterns that are looked at, for the whole policy. */
  positions: number;
}

export type Uncovered =
  | { readonly found: 'list'; readonly items: readonly string[] }
  /** Which of the patterns to avoid were needed, by index. */
  | { readonly found: 'none'; readonly by: ReadonlySet<number> }
  | { readonly found: 'beyond' };

interface State {
  readonly positions: readonly number[];
  readonly at: Standing;
  readonly items: number;
  readonly bytes: number;
  readonly from: State | undefined;
  /** The symbol that led here. */
  readonly symbol: number;
}

/**
 * @param covering the patterns that cover the list
 * @param avoided the patterns that do not
 */
export function findUncovered(words: Words, covering: readonly ItemAutomaton[], avoided: readonly ItemAutomaton[], budget: Budget): Uncovered {
  const search = new Search(words, covering, avoided, budget);
  const answer = search.run(false);
  // the shortest list has too many items: then those of few items are looked for alone
  if (answer.found === 'list' && answer.items.length > words.maxItems) return new Search(words, covering, avoided, budget).run(true);
  return answer;
}

class Search {
  readonly #words: Words;
  readonly #automata: readonly ItemAutomaton[];
  readonly #covering: number;
  /** Where the positions of each automaton begin in the common numbering. */
  readonly #offsets: readonly number[];
  readonly #owners: Int32Array;
  readonly #budget: Budget;
  readonly #by = new Set<number>();

  constructor(words: Words, covering: readonly ItemAutomaton[], avoided: readonly ItemAutomaton[], budget: Budget) {
    this.#words = words;
    this.#automata = [...covering, ...avoided];
    this.#covering = covering.length;
    let total = 0;
    this.#offsets = this.#automata.map((automaton) => {
      const offset = total;
      total += automaton.size;
      return offset;
    });
    this.#owners = new Int32Array(total);
    this.#offsets.forEach((offset, i) => void this.#owners.fill(i, offset));
    this.#budget = budget;
  }

  run(countsItems: boolean): Uncovered {
    const words = this.#words;
    const best = new Map<string, number>();
    const waiting: State[][] = [];
    const put = (state: State): void => {
      if (countsItems && state.items > words.maxItems) return;
      const key = `${state.at}${countsItems ? state.items : ''}:${state.positions.join()}`;
      if ((best.get(key) ?? Number.POSITIVE_INFINITY) <= state.bytes) return;
      best.set(key, state.bytes);
      const same = waiting[state.bytes];
      if (same === undefined) waiting[state.bytes] = [state];
      else same.push(state);
    };
    put({ positions: this.#offsets, at: 'start', items: 0, bytes: 0, from: undefined, symbol: separator });
    for (let bytes = 0; bytes < waiting.length; bytes++) {
      const now = waiting[bytes] ?? [];
      waiting[bytes] = []; // every symbol has at least one byte, so nothing more comes here
      for (const state of now) {
        if (--this.#budget.states < 0 || this.#budget.positions < 0) return { found: 'beyond' };
        if (this.#isCoveredWhole(state)) continue;
        if (ends(words, state.at) && this.#ends(state)) return { found: 'list', items: itemsOf(state) };
        this.#goOn(state, put);
      }
    }
    return { found: 'none', by: this.#by };
  }

  #owner(position: number): number {
    return this.#owners[position] as number;
  }

  /** Whether one avoided pattern covers everything that goes on from here. */
  #isCoveredWhole({ positions }: State): boolean {
    // no separator can follow where one covering pattern is in its last item with all its positions
    const notLast = new Set<number>();
    for (const position of positions) {
      const owner = this.#owner(position);
      if (owner >= this.#covering) break;
      if (!(this.#automata[owner] as ItemAutomaton).isInLastItem(position - (this.#offsets[owner] as number))) notLast.add(owner);
    }
    const isLastItem = notLast.size < this.#covering;
    for (const position of positions) {
      const owner = this.#owner(position);
      if (owner < this.#covering) continue;
      const automaton = this.#automata[owner] as ItemAutomaton;
      const local = position - (this.#offsets[owner] as number);
      if (automaton.coversAll(local) || (isLastItem && automaton.coversItem(local))) {
        this.#by.add(owner - this.#covering);
        return true;
      }
    }
    return false;
  }

  /** Whether every covering pattern covers the list that ends here, and no avoided one does. */
  #ends({ positions }: State): boolean {
    const accepting = new Set<number>();
    for (const position of positions) {
      const owner = this.#owner(position);
      if ((this.#automata[owner] as ItemAutomaton).accepts(position - (this.#offsets[owner] as number))) accepting.add(owner);
    }
    for (let i = 0; i < this.#covering; i++) if (!accepting.has(i)) return false;
    for (const owner of accepting) {
      if (owner < this.#covering) continue;
      this.#by.add(owner - this.#covering);
      return false;
    }
    return true;
  }

  #goOn(state: State, put: (state: State) => void): void {
    const words = this.#words;
    const named = new Map<number, number[]>();
    for (const position of state.positions) {
      const owner = this.#owner(position);
      const point = (this.#automata[owner] as ItemAutomaton).named(position - (this.#offsets[owner] as number));
      if (point === undefined) continue;
      const same = named.get(point);
      if (same === undefined) named.set(point, [position]);
      else same.push(position);
    }
    const avoidsDot = mindsDot(words, state.at);
    if (avoidsDot && !named.has(dot)) named.set(dot, []);
    const open = this.#step(state.positions, undefined);
    const fresh = freshPoint(words, named);
    const symbols: (readonly [number, readonly number[]])[] = [[separator, this.#step(state.positions, separator)]];
    if (fresh !== undefined) symbols.push([fresh, open]);
    for (const [point, positions] of named) symbols.push([point, [...open, ...this.#step(positions, point)]]);
    for (const [symbol, stepped] of symbols) {
      const at = stand(words, state.at, symbol);
      if (at === undefined) continue;
      this.#budget.positions -= 1 + stepped.length;
      const positions = distinct(stepped);
      if (!this.#hasAllCovering(positions)) continue;
      const isSeparator = symbol === separator;
      put({
        positions,
        at,
        items: state.items + (isSeparator ? 1 : 0),
        bytes: state.bytes + (isSeparator ? 1 : pointBytes(symbol)),
        from: state,
        symbol,
      });
    }
  }

  #step(positions: readonly number[], symbol: number | undefined): number[] {
    const stepped: number[] = [];
    for (const position of positions) {
      const owner = this.#owner(position);
      const offset = this.#offsets[owner] as number;
      const before = stepped.length;
      (this.#automata[owner] as ItemAutomaton).step(position - offset, symbol, stepped);
      for (let i = before; i < stepped.length; i++) stepped[i] = (stepped[i] as number) + offset;
    }
    return stepped;
  }

  #hasAllCovering(positions: readonly number[]): boolean {
    let wanted = 0;
    for (const position of positions) {
      const owner = this.#owner(position);
      if (owner > wanted || wanted === this.#covering) break;
      if (owner === wanted) wanted++;
    }
    return wanted === this.#covering;
  }
}

const dot = 0x2e;

function distinct(positions: readonly number[]): readonly number[] {
  const sorted = Int32Array.from(positions).sort();
  const kept: number[] = [];
  for (const position of sorted) if (kept.at(-1) !== position) kept.push(position);
  return kept;
}

function itemsOf(state: State): readonly string[] {
  const symbols: number[] = [];
  for (let at: State | undefined = state; at?.from !== undefined; at = at.from) symbols.push(at.symbol);
  const items: string[] = [];
  for (const symbol of symbols.reverse()) {
    if (symbol === separator) items.push('');
    else items[items.length - 1] += String.fromCodePoint(symbol);
  }
  return items;
}
