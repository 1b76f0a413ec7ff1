/**
 * Entries as they stand in a ledger, read without verifying anything: for people to look at.
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isProblem } from '../cose/walk.js';
import type { Problem } from '../errors.js';
import { fileStore } from '../ledger/file-store.js';
import { segmentName, segmentsIn } from '../ledger/layout.js';
import { type Item, itemsOf } from '../ledger/source.js';
import type { Store } from '../ledger/store.js';
import { entryHash, readEntry } from '../receipt/entry.js';
import type { UnverifiedReceipt } from '../receipt/read.js';
import { type Piece, segmentOf } from './sources.js';

/** An entry, or what stands where one should be. */
export interface Shown {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  readonly receipt: UnverifiedReceipt | Problem;
}

export function* entriesIn(pieces: readonly Piece[]): Generator<Shown> {
  for (const piece of pieces) {
    for (const item of itemsOf(segmentOf(piece))) {
      yield isProblem(item) ? { file: piece.file, offset: item.where.offset ?? 0, length: 0, receipt: item } : shownOf(item);
    }
  }
}

function shownOf({ file, offset, bytes }: Item): Shown {
  return { file, offset, length: bytes.length, receipt: receiptIn(bytes, file, offset) };
}

/** As `readReceipt`, but with the problem as an answer, placed in the file. */
function receiptIn(bytes: Uint8Array, file: string, base: number): UnverifiedReceipt | Problem {
  const entry = readEntry(bytes, { base, alsoAlgorithms: ['EdDSA', 'ES256'] });
  const problem = isProblem(entry) ? entry : entry.problems[0];
  if (isProblem(entry) || entry.statement === undefined) {
    const { code, message, where } = problem as Problem;
    return { code, message, where: { file, offset: base, ...where } };
  }
  const { parsed, kid, statement } = entry;
  return { alg: parsed.alg, kid, statement, hash: entryHash(entry) };
}

/** How often a ledger is looked at for more. */
const pauseMs = 150;

/**
 * The entries of a ledger that grows, for as long as nobody interrupts; `undefined` each time that there are no more for now. What is written
 * in part is waited for.
 *
 * @param file the name of the folder for people
 * @param onCut hears of a file that has become shorter: what was written last was not durable, and is no part of the ledger any more
 */
export async function* entriesAsTheyCome(folder: string, file: string, signal: AbortSignal, onCut: (file: string) => void): AsyncGenerator<Shown | undefined> {
  const store = fileStore(folder);
  let at: Stand | undefined;
  while (!signal.aborted) {
    for (const segment of segmentsIn(store.list())) {
      if (at !== undefined && segment < at.segment) continue;
      if (at !== undefined && segment > at.segment) yield* leftBehind(at);
      if (at?.segment !== segment) at = { segment, file: `${file}/${segmentName(segment)}`, offset: 0, size: 0 };
      at.size = store.size(segmentName(segment)) ?? 0;
      if (at.size < at.offset) {
        onCut(at.file);
        at.offset = at.size;
      }
      for (const shown of wholeEntries(store, at)) {
        at.offset = shown.offset + shown.length;
        yield shown;
      }
    }
    yield undefined;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined); // interrupted: the loop sees it
  }
}

/** How far a segment was shown. */
interface Stand {
  readonly segment: number;
  readonly file: string;
  offset: number;
  size: number;
}

/** The entries that have their end, from where the reader stands. */
function* wholeEntries(store: Store, { segment, file, offset: from, size }: Stand): Generator<Shown> {
  let last: Shown | undefined;
  for (const item of itemsOf({ file, chunks: () => store.chunks(segmentName(segment), from, size) })) {
    // in front of the problem stands what there is of an entry without an end
    if (isProblem(item)) return;
    if (last !== undefined) yield last;
    last = shownOf({ ...item, offset: from + item.offset });
  }
  if (last !== undefined) yield last;
}

/** No entry is whole where another segment has begun behind it. */
function* leftBehind({ file, offset, size }: Stand): Generator<Shown> {
  if (size === offset) return;
  const message = 'expected a receipt, cannot find its end: what lies behind is not read';
  yield { file, offset, length: size - offset, receipt: { code: 'sequence-broken', message, where: { file, offset } } };
}
