/**
 * Where a verifier reads entries from: segments of bytes, read in chunks, so that memory stays flat whatever the length.
 * @module
 */
import { itemEnd } from '../cose/sequence.js';
import type { Problem } from '../errors.js';
import { limits } from '../limits.js';
import type { Policy } from '../policy/model.js';

/** A file of entries. `chunks` is called once for each pass. */
export interface Segment {
  /** For places in reports. */
  readonly file: string;
  /** Where in the file the first chunk begins; 0 where not given. */
  readonly from?: number;
  chunks(): Iterable<Uint8Array>;
}

/** How far a ledger folder says that it is synced. */
export interface DurableMark {
  readonly seq: number;
  readonly hash: string;
}

export interface LedgerSource {
  readonly file: string;
  /** A folder is one ledger, every entry of which is in a chain; a file may hold standalone receipts. */
  readonly kind: 'folder' | 'file';
  readonly segments: readonly Segment[];
  /** A problem where the folder has a mark that cannot be read: that is reported, and the entries are verified all the same. */
  readonly durable?: DurableMark | Problem;
  /** The policies kept beside the entries. */
  readonly policies?: Iterable<Policy>;
}

/** One item of a segment, and where it begins. The bytes are only good until the next is asked for. */
export interface Item {
  readonly file: string;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** A source that is bytes in memory. */
export function bytesSource(file: string, bytes: Uint8Array): LedgerSource {
  return { file, kind: 'file', segments: [{ file, chunks: () => [bytes] }] };
}

/**
 * The items of a segment, one by one. An item whose end cannot be found is given as what there is of it, and after it a problem ends the
 * segment: nothing behind it can be read.
 */
export function* itemsOf(segment: Segment): Generator<Item | Problem> {
  const { file, from = 0 } = segment;
  let held = new Uint8Array(0);
  let offset = from; // of held[0] in the file
  for (const chunk of segment.chunks()) {
    held = held.length === 0 ? new Uint8Array(chunk) : joined(held, chunk);
    let start = 0;
    while (start < held.length) {
      const end = itemEnd(held, start);
      if (end === undefined) break;
      yield { file, offset: offset + start, bytes: held.subarray(start, end) };
      start = end;
    }
    held = held.subarray(start);
    offset += start;
    // no receipt is longer: what has no end by now is not one
    if (held.length > limits.receiptBytes) break;
  }
  if (held.length === 0) return;
  yield { file, offset, bytes: held };
  yield { code: 'sequence-broken', message: 'expected a receipt, cannot find its end: what lies behind is not read', where: { file, offset } };
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}
