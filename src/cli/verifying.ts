/**
 * The verifier of ledgers with what the command line adds: a bar, threads, and the places of problems as people count them.
 * @module
 */
import { createHash } from 'node:crypto';
import { isProblem } from '../cose/walk.js';
import { readCheckpoint } from '../ledger/citations.js';
import { verifyLedger, type VerifyLedgerOptions } from '../ledger/verify.js';
import type { Report, ReportedProblem } from '../receipt/report.js';
import { parseTrustStore, type TrustStore } from '../receipt/trust.js';
import { unreadable } from './failure.js';
import { fileName, maxDocumentBytes, readBytes } from './files.js';
import type { Io } from './io.js';
import { type Progress, progressOf } from './progress.js';
import type { SignatureTask } from './signature-thread.js';
import { checkInThreads, type CheckedSignatures } from './signature-threads.js';
import { type Listener, type Piece, type Place, sizeOf, sourceOf } from './sources.js';

/** A trust store, and the text that it was read from. */
export interface TrustFile {
  readonly trust: TrustStore;
  readonly text: Uint8Array;
}

export async function readTrust(io: Io, file: string): Promise<TrustFile> {
  const text = await readBytes(io, file, maxDocumentBytes);
  return { trust: parseTrustStore(text, { file: fileName(file) }), text };
}

/** Longer files are cut: they are no receipt, as the verifier will say. */
const maxCheckpointBytes = 1_048_577;

export async function readCheckpoints(io: Io, files: readonly string[]): Promise<NonNullable<VerifyLedgerOptions['checkpoints']>> {
  const checkpoints: { file: string; bytes: Uint8Array }[] = [];
  for (const file of files) checkpoints.push({ file: fileName(file), bytes: await readBytes(io, file, maxCheckpointBytes) });
  return checkpoints;
}

/** Verifies places together. With more than one worker the signatures are checked first, each in one of so many threads. */
export async function verifyPlaces(
  io: Io,
  places: readonly Place[],
  { trust, text }: TrustFile,
  options: Omit<VerifyLedgerOptions, 'trust' | 'signatures' | 'onProgress'>,
  workers = 1,
): Promise<Report> {
  const pieces = places.flatMap((place) => place.pieces);
  const size = sizeOf(pieces);
  const what = places.length === 1 ? `verifying ${places[0]?.source.file}` : `verifying ${places.length} files`;
  const progress = await progressOf(io, what, (workers > 1 ? 3 : 2) * size);
  const reading = new Reading(progress);
  try {
    const task = { pieces, trust: text, alsoAlgorithms: options.alsoAlgorithms ?? [], covered: coveredBy(options, trust) };
    const checked = workers > 1 ? await checkInThreads(io, task, workers, (bytes) => reading.adds(bytes)) : undefined;
    const report = verifyLedger(
      places.map((place) => sourceOf(place, reading)),
      {
        ...options,
        trust,
        ...(checked && { signatures: (receipt: number) => checked.faults.get(receipt) }),
        onProgress: (receipts, pass) => reading.judges(receipts, pass),
      },
    );
    reading.checkSame(checked);
    return { ...report, problems: report.problems.map((problem) => reading.placed(problem)) };
  } finally {
    progress.stop();
  }
}

/** What `resume` lets stand without a look at signatures: up to which entry, for each engine. */
function coveredBy({ resume, checkpoints = [], alsoAlgorithms = [] }: Omit<VerifyLedgerOptions, 'trust'>, trust: TrustStore): SignatureTask['covered'] {
  if (!resume) return [];
  return checkpoints.flatMap(({ file, bytes }) => {
    const checkpoint = readCheckpoint(bytes, file, { trust, alsoAlgorithms });
    return isProblem(checkpoint) ? [] : [{ engineId: checkpoint.engineId, seq: checkpoint.seq }];
  });
}

/** Follows the verifier through the pieces: twice through all of them, in order. */
class Reading implements Listener {
  readonly #progress: Progress;
  readonly #begun = new Set<Piece>();
  /** How many receipts were before each piece. */
  readonly #starts: number[] = [];
  readonly #hash = createHash('sha256');
  #isSecond = false;
  #bytes = 0;
  #judged = 0;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  begins(piece: Piece): void {
    this.#isSecond = this.#begun.has(piece);
    if (this.#isSecond) this.#starts.push(this.#judged);
    this.#begun.add(piece);
  }

  reads(chunk: Uint8Array): void {
    if (this.#isSecond) this.#hash.update(chunk);
    this.adds(chunk.length);
  }

  adds(bytes: number): void {
    this.#bytes += bytes;
    this.#progress.update(this.#bytes);
  }

  judges(receipts: number, pass: 1 | 2): void {
    if (pass === 2) this.#judged = receipts;
  }

  /** A signature says nothing of bytes that came into a file after its thread had read it. */
  checkSame(checked: CheckedSignatures | undefined): void {
    if (checked === undefined) return;
    const hash = this.#hash.digest('hex');
    if (checked.hashes.some((each) => each !== hash)) throw unreadable('the files changed while they were read', 'verify a copy, or with one worker');
  }

  /** Counts the receipt from the beginning of its own file, as its offset is counted. */
  placed(problem: ReportedProblem): ReportedProblem {
    const { receipt } = problem.where;
    if (receipt === undefined) return problem;
    const start = this.#starts.findLast((each) => each <= receipt) ?? 0;
    return { ...problem, where: { ...problem.where, receipt: receipt - start } };
  }
}
