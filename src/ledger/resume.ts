/**
 * Reading a ledger that is there, to go on with it (LED-6, LED-10): the last segment from its seam on, and what lies behind the durable mark
 * as far as it is good. Nothing is changed here; the caller cuts.
 * @module
 */
import { hex } from '../bytes.js';
import type { PublicKey } from '../cose/keys.js';
import { checkSignature } from '../cose/sign1.js';
import { isProblem } from '../cose/walk.js';
import { type Problem, quote, refuse } from '../errors.js';
import { type Entry, entryHash, ownSeq, readEntry } from '../receipt/entry.js';
import type { DecisionStatement, InForce, InstallStatement, Statement } from '../receipt/statement.js';
import { Chain } from './chain.js';
import { segmentName } from './layout.js';
import { type Mark, refuseDamaged } from './mark.js';
import { type Item, itemsOf, type Segment } from './source.js';
import type { Store } from './store.js';

/** Whose ledger it is. */
export interface Holder {
  readonly engineId: string;
  /** The public keys of the engine, by kid: that of its signer and those that it had before. */
  readonly keys: ReadonlyMap<string, PublicKey>;
}

/** What was behind the durable mark and is no part of the ledger (LED-6). */
export interface Cut {
  readonly bytes: number;
  /** The seq that is taken next. */
  readonly fromSeq: number;
}

/**
 * What an open checks of the entries that are synced: the segment of the last one, from its seam on (`segment`), or that entry alone (`end`), for
 * processes that live for one entry. What lies behind is checked in full by both.
 */
export const checks = ['segment', 'end'] as const;
export type Check = (typeof checks)[number];

/** Where a ledger goes on. */
export interface Resumed {
  /** Reads it from the genesis: 32 lower-case hex digits. Read already where the segment is checked; a process that lives for one entry seldom asks. */
  readonly ledgerId: () => string;
  /** The last entry that is good. */
  readonly last: Mark;
  /** The segment to go on with, the bytes of it that are good, and how many entries they are. */
  readonly segment: number;
  readonly offset: number;
  readonly entries: number;
  /** Segments behind it, to be removed. */
  readonly removed: readonly number[];
  /** Segments that have good entries behind the durable mark. */
  readonly unsynced: readonly number[];
  readonly inForce: InForce | undefined;
  readonly cut?: Cut;
}

/** No entry that a ledger begins with is longer. */
const maxGenesisBytes = 16_384;

/**
 * @throws RuleprintError `ledger-damaged`, `ledger-engine`
 */
export function resume(store: Store, segments: readonly number[], mark: Mark, holder: Holder, check: Check): Resumed {
  const at = segments.indexOf(mark.segment);
  if (at < 0) refuseDamaged(store, segmentName(mark.segment), 'expected the segment of the last entry that is synced, got none', undefined, { mark });
  const readId = (): string => readGenesis(store, segments, holder);
  const ledgerId = check === 'end' ? readId : always(readId());
  const walk = new Walk(store, holder, mark);
  const before = segments[at - 1];
  if (check === 'end') walk.startAt(mark);
  else if (before !== undefined) walk.startBehind(before);
  const walked = segments.slice(at);
  const good = walked.filter((segment) => walk.segment(segment));
  const { last, segment, offset, entries } = walk.place();
  const unseen = segments.slice(0, at).map((each) => segmentOf(store, each));
  if (check === 'end') unseen.push(segmentOf(store, mark.segment, 0, mark.start));
  const removed = walked.slice(good.length);
  const cutBytes = (store.size(segmentName(segment)) ?? 0) - offset + removed.reduce((sum, each) => sum + (store.size(segmentName(each)) ?? 0), 0);
  return {
    ledgerId,
    last,
    segment,
    offset,
    entries,
    removed,
    unsynced: last.seq === mark.seq ? [] : good,
    inForce: inForceAtEnd(walk.inForce, store, unseen, holder),
    ...((cutBytes > 0 || removed.length > 0) && { cut: { bytes: cutBytes, fromSeq: last.seq + 1 } }),
  };
}

const always =
  (id: string): (() => string) =>
  () =>
    id;

/** How far the genesis of a folder without a mark has come: its entry, or undefined where it is not whole. */
export function readWholeGenesis(store: Store, holder: Holder): Mark | undefined {
  const walk = new Walk(store, holder, undefined);
  walk.segment(0);
  return walk.entriesSoFar === 1 ? walk.place().last : undefined;
}

/** The ledger id. */
export function readGenesis(store: Store, [first]: readonly number[], { engineId }: Holder): string {
  const name = segmentName(0);
  if (first !== 0) refuseDamaged(store, name, `expected the segment that begins with seq 0, got ${first === undefined ? 'none' : segmentName(first)}`);
  for (const item of itemsOf(segmentOf(store, 0, 0, maxGenesisBytes))) {
    const entry = isProblem(item) ? item : readEntry(item.bytes);
    if (isProblem(entry)) return refuseDamaged(store, name, 'expected a genesis', entry);
    const { statement } = entry;
    if (statement?.statement !== 'genesis') return refuseDamaged(store, name, 'expected a genesis', entry.problems[0]);
    if (statement.engine_id !== engineId) refuseEngine(store, name, `expected a ledger of engine ${quote(engineId)}, got one of ${quote(statement.engine_id)}`);
    return hex(statement.ledger_id);
  }
  return refuseDamaged(store, name, 'expected a genesis, got nothing');
}

/**
 * Which rules are in force at the end of a chain. Every decision says so as well as an install (LED-14), so this is seldom far to seek.
 */
class InForceSearch {
  #item: Item | undefined;

  see({ statement }: Entry, item: Item): void {
    if (statement?.statement !== 'decision' && statement?.statement !== 'install') return;
    this.#item = { ...item, bytes: item.bytes.slice() };
  }

  get isFound(): boolean {
    return this.#item !== undefined;
  }

  /** What the last of them says, once its signature is found good: entries that are synced are walked by their links alone. */
  answer(store: Store, holder: Holder): InForce | undefined {
    if (this.#item === undefined) return undefined;
    const { file: name, offset: base, bytes } = this.#item;
    const entry = readEntry(bytes, { base }) as Entry; // it was read before
    const key = holder.keys.get(entry.kid) ?? refuseKey(store, name, entry);
    const problem = checkSignature(entry.parsed, key);
    if (problem !== undefined) refuseDamaged(store, name, 'expected the entry that says what is in force', problem);
    const { policy_version, policy_digest, match_profile } = entry.statement as DecisionStatement | InstallStatement;
    if (policy_version === undefined) return undefined;
    return { policy_version, ...(policy_digest !== undefined && { policy_digest }), ...(match_profile !== undefined && { match_profile }) };
  }
}

function inForceAtEnd(search: InForceSearch, store: Store, before: readonly Segment[], holder: Holder): InForce | undefined {
  for (let i = before.length - 1; i >= 0 && !search.isFound; i--) {
    const segment = before[i] as Segment;
    for (const item of itemsOf(segment)) {
      const entry = isProblem(item) ? item : readEntry(item.bytes, { base: item.offset });
      if (isProblem(item) || isProblem(entry))
        return refuseDamaged(store, segment.file, 'expected the entries that are synced', isProblem(entry) ? entry : undefined);
      search.see(entry, item);
    }
  }
  return search.answer(store, holder);
}

class Walk {
  readonly #store: Store;
  readonly #holder: Holder;
  /** Undefined where nothing is synced yet. */
  readonly #mark: Mark | undefined;
  readonly #chain = new Chain();
  #last: Mark | undefined;
  #segment = 0;
  #offset = 0;
  #entries = 0;
  #stopped = false;
  readonly inForce = new InForceSearch();

  constructor(store: Store, holder: Holder, mark: Mark | undefined) {
    this.#store = store;
    this.#holder = holder;
    this.#mark = mark;
  }

  /** The seam: takes over the last entry of the segment before. */
  startBehind(segment: number): void {
    let last: Item | undefined;
    for (const item of itemsOf(segmentOf(this.#store, segment))) {
      if (isProblem(item)) return this.#damaged(segment, item);
      last = { ...item, bytes: item.bytes.slice() };
    }
    const entry = last && readEntry(last.bytes, { base: last.offset });
    if (entry === undefined || isProblem(entry) || entry.statement === undefined) {
      return this.#damaged(segment, entry && (isProblem(entry) ? entry : entry.problems[0]));
    }
    this.#chain.lastSeq = ownSeq(entry.statement) ?? -1;
    this.#chain.lastHash = entryHash(entry);
  }

  /** Takes over the last entry that is synced, and by it all before. */
  startAt(mark: Mark): void {
    const { segment, start, offset, seq, hash } = mark;
    const [item, ...others] = itemsOf(segmentOf(this.#store, segment, start, offset));
    if (item === undefined || isProblem(item) || others.length > 0) return this.#damaged(segment, undefined);
    const entry = readEntry(item.bytes, { base: start });
    if (isProblem(entry) || entry.statement === undefined) return this.#damaged(segment, isProblem(entry) ? entry : entry.problems[0]);
    if (ownSeq(entry.statement) !== seq || entryHash(entry) !== hash || seq < segment) return this.#damaged(segment, undefined);
    const problem = this.#engineProblem(entry.statement) ?? this.#signatureProblem(entry, true);
    if (problem !== undefined) this.#damaged(segment, problem);
    this.#chain.lastSeq = seq;
    this.#chain.lastHash = hash;
    this.#segment = segment;
    this.#offset = offset;
    this.#entries = seq - segment + 1;
    this.#last = mark;
    this.inForce.see(entry, item);
  }

  /** Takes over a segment; false where it and all behind it is no part of the ledger. */
  segment(first: number): boolean {
    if (this.#stopped) return false;
    if (first !== this.#last?.segment && !this.#begin(first)) return false;
    let problem: Problem | undefined;
    for (const item of itemsOf(segmentOf(this.#store, first, this.#offset))) {
      problem = this.#take(item);
      if (problem === undefined) continue;
      this.#stopped = true;
      break;
    }
    // what is synced is whole: a file that ends in front of the mark ends within an entry, or between two
    if (first === this.#mark?.segment && this.#offset < this.#mark.offset) this.#damaged(first, problem);
    return true;
  }

  #begin(first: number): boolean {
    const next = (this.#chain.lastSeq ?? -1) + 1;
    if (first !== next) {
      const problem: Problem = { code: 'seq-gap', message: `expected a segment that begins with seq ${next}, got ${first}`, where: {} };
      if (first === this.#mark?.segment) this.#damaged(first, problem);
      this.#stopped = true;
      return false;
    }
    this.#segment = first;
    this.#offset = 0;
    this.#entries = 0;
    return true;
  }

  get entriesSoFar(): number {
    return this.#entries;
  }

  place(): Pick<Resumed, 'last' | 'segment' | 'offset' | 'entries'> {
    return { last: this.#last as Mark, segment: this.#segment, offset: this.#offset, entries: this.#entries };
  }

  /** Takes an item over as the next entry; else says why it is none. */
  #take(item: Item | Problem): Problem | undefined {
    const start = isProblem(item) ? this.#offset : item.offset;
    const end = isProblem(item) ? start : start + item.bytes.length;
    const mark = this.#segment === this.#mark?.segment ? this.#mark : undefined;
    const isSynced = mark !== undefined && start < mark.offset;
    const isLastSynced = mark?.offset === end;
    const entry = isProblem(item) ? item : readEntry(item.bytes, { base: start });
    const problem = isProblem(entry) ? entry : (entry.problems[0] ?? this.#linkProblem(entry) ?? this.#signatureProblem(entry, !isSynced || isLastSynced));
    if (problem !== undefined || isProblem(entry)) return problem;
    const { lastSeq: seq, lastHash: hash } = this.#chain as { lastSeq: number; lastHash: string };
    if (isLastSynced && (seq !== mark?.seq || hash !== mark.hash || start !== mark.start)) {
      this.#damaged(this.#segment, {
        code: 'tail-missing',
        message: `expected seq ${mark?.seq} with the hash of the mark, got seq ${seq}`,
        where: { offset: start },
      });
    }
    if (isSynced && mark !== undefined && end > mark.offset) this.#damaged(this.#segment, undefined);
    this.#last = { segment: this.#segment, start, offset: end, seq, hash };
    this.#offset = end;
    this.#entries++;
    this.inForce.see(entry, item as Item);
    return undefined;
  }

  #linkProblem(entry: Entry): Problem | undefined {
    const { statement } = entry;
    const seq = statement && ownSeq(statement);
    if (statement === undefined || seq === undefined) return { code: 'seq-missing', message: 'expected an entry with a seq', where: {} };
    const fault = this.#chain.follow(seq, 'prev' in statement ? statement.prev : undefined, entryHash(entry), statement.statement === 'genesis');
    return fault === undefined ? this.#engineProblem(statement) : { ...fault, where: { seq } };
  }

  #engineProblem({ engine_id: engineId }: Statement): Problem | undefined {
    if (engineId === this.#holder.engineId) return undefined;
    return { code: 'key-engine', message: `expected an entry of engine ${quote(this.#holder.engineId)}`, where: {} };
  }

  /** LED-10: a whole entry that is next in the chain, by a key of which nobody told us, is no damage: the engine has the wrong key. */
  #signatureProblem(entry: Entry, isChecked: boolean): Problem | undefined {
    if (!isChecked) return undefined;
    const key = this.#holder.keys.get(entry.kid);
    if (key === undefined) return refuseKey(this.#store, segmentName(this.#segment), entry);
    return checkSignature(entry.parsed, key);
  }

  #damaged(segment: number, problem: Problem | undefined): never {
    return refuseDamaged(this.#store, segmentName(segment), 'expected the entries that are synced', problem, { ...(this.#mark && { mark: this.#mark }) });
  }
}

function segmentOf(store: Store, segment: number, from = 0, to = Number.POSITIVE_INFINITY): Segment {
  const file = segmentName(segment);
  return { file, from, chunks: () => store.chunks(file, from, to) };
}

function refuseKey(store: Store, name: string, entry: Entry): never {
  return refuseEngine(store, name, `expected entries by a key that the engine has, got one by key ${entry.kid}`, { kid: entry.kid });
}

/** LED-10 */
function refuseEngine(store: Store, name: string, message: string, evidence: Readonly<Record<string, unknown>> = {}): never {
  return refuse('ledger-engine', message, {
    where: { file: `${store.place}/${name}` },
    hint: 'open it with the engine id and the signer that it was written with; name former public keys in "keys"',
    evidence,
  });
}
