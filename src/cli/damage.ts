/**
 * Where a damaged ledger stops being one (spec/ledger.md, LED-6): the first entry that is not whole, not next in the chain or not signed by
 * its engine. Looked for from the segment on that the open of a ledger looks at; damage in segments before is for a verifier to find, and no
 * reason to cut what can still be written behind.
 * @module
 */
import { checkSignature } from '../cose/sign1.js';
import { isProblem } from '../cose/walk.js';
import { type Problem, refuse, RuleprintError } from '../errors.js';
import { Chain } from '../ledger/chain.js';
import { segmentName, segmentsIn } from '../ledger/layout.js';
import { type Mark, readMark } from '../ledger/mark.js';
import { type Item, itemsOf } from '../ledger/source.js';
import type { Store } from '../ledger/store.js';
import { type Entry, entryHash, ownSeq, readEntry } from '../receipt/entry.js';
import type { Owner } from './writer.js';

export interface Damage {
  /** The last good entry, and where its bytes end; undefined where not even the genesis is good. */
  readonly last: Mark | undefined;
  /** What is wrong, at the first place where something is. */
  readonly problem: Problem;
  /** The highest seq that is lost, as far as the rest or the mark tell; undefined where only the mark was wrong. */
  readonly lostTo: number | undefined;
  /** Bytes behind the last good entry. */
  readonly bytes: number;
  /** Files that a cut changes or removes. */
  readonly files: readonly string[];
}

/** @throws RuleprintError `ledger-engine` for an entry by a key that the owner is not known to have: the key is wrong, not the ledger (LED-10) */
export function findDamage(store: Store, owner: Owner): Damage {
  const segments = segmentsIn(store.list());
  const mark = markOf(store);
  const named = isProblem(mark) ? -1 : segments.findLastIndex((segment) => segment <= mark.segment);
  const found = new Search(store, owner).from(segments, named < 0 ? segments.length - 1 : named);
  const { last, highest } = found;
  const problem = found.problem ?? (isProblem(mark) ? mark : markProblem(store, mark, last));
  const claimed = Math.max(highest, isProblem(mark) ? -1 : mark.seq);
  const changed = segments.filter((segment) => segment > (last?.segment ?? -1) || (segment === last?.segment && sizeIn(store, segment) > last.offset));
  return {
    last,
    problem,
    lostTo: claimed > (last?.seq ?? -1) ? claimed : undefined,
    bytes: changed.reduce((sum, segment) => sum + sizeIn(store, segment) - (segment === last?.segment ? last.offset : 0), 0),
    files: [...changed.map(segmentName), 'durable.json'].filter((name) => store.size(name) !== undefined),
  };
}

/** The mark, or what is wrong with it. */
function markOf(store: Store): Mark | Problem {
  try {
    return (
      readMark(store) ?? { code: 'ledger-damaged', message: 'expected the mark of what is synced, got none', where: { file: `${store.place}/durable.json` } }
    );
  } catch (error) {
    if (error instanceof RuleprintError) return error.problems[0];
    throw error;
  }
}

/** What is wrong where every entry is good: what was synced is not there. */
function markProblem(store: Store, { seq }: Mark, last: Mark | undefined): Problem {
  const end = last === undefined ? 'none' : `seq ${last.seq}`;
  return {
    code: 'tail-missing',
    message: `expected the entries up to seq ${seq}, which were synced, the last that is good is ${end}`,
    where: { file: store.place },
  };
}

function sizeIn(store: Store, segment: number): number {
  return store.size(segmentName(segment)) ?? 0;
}

class Search {
  readonly #store: Store;
  readonly #owner: Owner;
  #chain = new Chain();
  last: Mark | undefined;
  problem: Problem | undefined;
  /** The highest seq that any entry behind the damage claims. */
  highest = -1;

  constructor(store: Store, owner: Owner) {
    this.#store = store;
    this.#owner = owner;
  }

  /** Begins at a segment whose seam is good, further in front where it is not. */
  from(segments: readonly number[], start: number): this {
    const before = segments[start - 1];
    if (before !== undefined) {
      const seam = this.#endOf(before);
      if (seam === undefined) return this.from(segments, start - 1);
      this.last = seam;
      this.#chain.lastSeq = seam.seq;
      this.#chain.lastHash = seam.hash;
    }
    for (const segment of segments.slice(Math.max(0, start))) this.#walk(segment);
    return this;
  }

  /** The last entry of a segment that can be read to its end; undefined where that one is not good in itself. */
  #endOf(segment: number): Mark | undefined {
    let last: { readonly item: Item; readonly entry: Entry } | undefined;
    for (const item of this.#itemsOf(segment)) {
      const entry = isProblem(item) ? item : readEntry(item.bytes, { base: item.offset });
      if (isProblem(item) || isProblem(entry) || entry.statement === undefined) return undefined;
      last = { item: { ...item, bytes: item.bytes.slice() }, entry };
    }
    const seq = last?.entry.statement && ownSeq(last.entry.statement);
    if (last === undefined || seq === undefined || this.#signatureProblem(last.entry) !== undefined) return undefined;
    const { offset: start, bytes } = last.item;
    return { segment, start, offset: start + bytes.length, seq, hash: entryHash(last.entry) };
  }

  #walk(segment: number): void {
    for (const item of this.#itemsOf(segment)) {
      const entry = isProblem(item) ? item : readEntry(item.bytes, { base: item.offset });
      if (this.problem !== undefined) {
        this.#see(entry);
        continue;
      }
      const problem = isProblem(entry) ? entry : this.#problemOf(entry);
      if (problem !== undefined) {
        this.problem = { ...problem, where: { ...problem.where, ...this.#placeOf(segment, item, entry) } };
        this.#see(entry);
      } else if (!isProblem(item) && !isProblem(entry)) {
        const { lastSeq: seq, lastHash: hash } = this.#chain as { lastSeq: number; lastHash: string };
        this.last = { segment, start: item.offset, offset: item.offset + item.bytes.length, seq, hash };
      }
    }
  }

  #placeOf(segment: number, item: Item | Problem, entry: Entry | Problem): Problem['where'] {
    const statement = isProblem(entry) ? undefined : entry.statement;
    const seq = statement && ownSeq(statement);
    return {
      file: `${this.#store.place}/${segmentName(segment)}`,
      offset: (isProblem(item) ? item.where.offset : item.offset) ?? 0,
      ...(statement && { engine: statement.engine_id }),
      ...(seq !== undefined && { seq }),
    };
  }

  #see(entry: Entry | Problem): void {
    const seq = isProblem(entry) || entry.statement === undefined ? undefined : ownSeq(entry.statement);
    if (seq !== undefined) this.highest = Math.max(this.highest, seq);
  }

  #problemOf(entry: Entry): Problem | undefined {
    const { statement } = entry;
    const where = {};
    if (statement === undefined) return entry.problems[0];
    const seq = ownSeq(statement);
    if (seq === undefined) return { code: 'seq-missing', message: 'expected an entry with a seq', where };
    // the state of the chain stays at the last good entry
    const after = Object.assign(new Chain(), { lastSeq: this.#chain.lastSeq, lastHash: this.#chain.lastHash });
    const fault = after.follow(seq, 'prev' in statement ? statement.prev : undefined, entryHash(entry), statement.statement === 'genesis');
    if (fault !== undefined) return { ...fault, where };
    if (statement.engine_id !== this.#owner.engineId) return { code: 'key-engine', message: 'expected an entry of the engine of this ledger', where };
    const problem = this.#signatureProblem(entry);
    if (problem === undefined) this.#chain = after;
    return problem;
  }

  #signatureProblem(entry: Entry): Problem | undefined {
    const key = this.#owner.keys.get(entry.kid);
    if (key !== undefined) return checkSignature(entry.parsed, key);
    return refuse('ledger-engine', `expected entries by a key that the engine has, got one by key ${entry.kid}`, {
      where: { file: this.#store.place },
      hint: 'give the key that it was written with, and --trust with the public keys that the engine had before',
    });
  }

  #itemsOf(segment: number): Iterable<Item | Problem> {
    const file = segmentName(segment);
    return itemsOf({ file, chunks: () => this.#store.chunks(file, 0, Number.POSITIVE_INFINITY) });
  }
}
