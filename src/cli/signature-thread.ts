/**
 * What a thread of `verify --workers` does: of the receipts that everybody reads it checks the signatures of its share, and answers with those
 * that are bad.
 * @module
 */
import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { hex } from '../bytes.js';
import type { LooseAlgorithm } from '../cose/algorithm.js';
import { checkSignature, parseSign1 } from '../cose/sign1.js';
import { isProblem } from '../cose/walk.js';
import type { Problem } from '../errors.js';
import { itemsOf } from '../ledger/source.js';
import { limits } from '../limits.js';
import { ownSeq, readEntry } from '../receipt/entry.js';
import { receiptProfile } from '../receipt/profile.js';
import { parseTrustStore } from '../receipt/trust.js';
import { Failure } from './failure.js';
import { type Listener, type Piece, segmentOf } from './sources.js';

/** Plain data: it goes to a thread. */
export interface SignatureTask {
  readonly pieces: readonly Piece[];
  /** The trust store, as its text. */
  readonly trust: Uint8Array;
  readonly alsoAlgorithms: readonly LooseAlgorithm[];
  /** Entries that a checkpoint covers, whose signatures are not wanted. */
  readonly covered: readonly { readonly engineId: string; readonly seq: number }[];
  /** Which share, of how many. */
  readonly share: number;
  readonly shares: number;
}

export interface SignatureFault {
  /** The place of the receipt in the reading, from 0. */
  readonly receipt: number;
  readonly problem: Problem;
}

export interface SignatureAnswer {
  readonly faults: readonly SignatureFault[];
  /** Of all that was read, so that nobody relies on a signature of other bytes. */
  readonly hash: string;
}

export type SignatureMessage =
  | { readonly read: number }
  | { readonly answer: SignatureAnswer }
  /** What a command would end with. */
  | { readonly failure: { readonly exitCode: number; readonly message: string; readonly hint: string | undefined } };

/** Receipts that follow one another go to one thread, so that no thread gets all of one kind. */
const batch = 64;

/** @param onRead hears how many bytes came in, now and then */
export function checkSignatures(task: SignatureTask, onRead: (bytes: number) => void): SignatureAnswer {
  const { pieces, alsoAlgorithms, share, shares } = task;
  const { keys } = parseTrustStore(task.trust);
  const faults: SignatureFault[] = [];
  const all = createHash('sha256');
  const listener: Listener = {
    begins: () => undefined,
    reads: (chunk) => {
      all.update(chunk);
      onRead(chunk.length);
    },
  };
  let receipts = 0;
  for (const piece of pieces) {
    for (const item of itemsOf(segmentOf(piece, listener))) {
      if (isProblem(item)) continue;
      const receipt = receipts++;
      if (Math.floor(receipt / batch) % shares !== share || isCovered(item.bytes, task)) continue;
      const parsed = parseSign1(item.bytes, { ...receiptProfile, alsoAlgorithms, base: item.offset });
      const key = isProblem(parsed) ? undefined : keys.get(hex(parsed.kid));
      // what is not even a message, and keys that nobody knows, are for the main pass to say
      if (isProblem(parsed) || key === undefined) continue;
      const problem = checkSignature(parsed, key.key);
      if (problem !== undefined) faults.push({ receipt, problem });
    }
  }
  return { faults, hash: all.digest('hex') };
}

function isCovered(bytes: Uint8Array, { covered, alsoAlgorithms }: SignatureTask): boolean {
  if (covered.length === 0 || bytes.length > limits.receiptBytes) return false;
  const entry = readEntry(bytes, { alsoAlgorithms });
  const statement = isProblem(entry) ? undefined : entry.statement;
  const seq = statement && ownSeq(statement);
  return seq !== undefined && covered.some((each) => each.engineId === statement?.engine_id && seq <= each.seq);
}

/** Runs in a thread. */
export function work(): void {
  const tell = (message: SignatureMessage): void => parentPort?.postMessage(message);
  try {
    tell({ answer: checkSignatures(workerData as SignatureTask, (read) => tell({ read })) });
  } catch (error) {
    // an error loses its class on the way to another thread
    if (!(error instanceof Failure)) throw error;
    const { exitCode, message, hint } = error;
    tell({ failure: { exitCode, message, hint } });
  }
}
