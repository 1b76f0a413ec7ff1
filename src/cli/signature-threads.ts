/**
 * Checking signatures in several threads (`verify --workers`).
 * @module
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Problem } from '../errors.js';
import { Failure } from './failure.js';
import type { Io } from './io.js';
import type { SignatureAnswer, SignatureMessage, SignatureTask } from './signature-thread.js';

export interface CheckedSignatures {
  readonly faults: ReadonlyMap<number, Problem>;
  /** SHA-256 of all that was read, in hex; one for each thread. */
  readonly hashes: readonly string[];
}

/** @param onRead hears how many bytes were read, each thread counting for its share */
export async function checkInThreads(
  io: Io,
  task: Omit<SignatureTask, 'share' | 'shares'>,
  shares: number,
  onRead: (bytes: number) => void,
): Promise<CheckedSignatures> {
  const workers = Array.from({ length: shares }, (_, share) => {
    const workerData: SignatureTask = { ...task, share, shares };
    const { url, execArgv } = io.program;
    return new Worker(url, { workerData, ...(execArgv && { execArgv: [...execArgv] }) });
  });
  try {
    const answers = await Promise.all(workers.map((worker) => answerOf(worker, (bytes) => onRead(bytes / shares))));
    return {
      faults: new Map(answers.flatMap(({ faults }) => faults.map(({ receipt, problem }) => [receipt, problem] as const))),
      hashes: answers.map(({ hash }) => hash),
    };
  } finally {
    for (const worker of workers) await worker.terminate();
  }
}

async function answerOf(worker: Worker, onRead: (bytes: number) => void): Promise<SignatureAnswer> {
  let last: SignatureMessage | undefined;
  worker.on('message', (message: SignatureMessage) => {
    if ('read' in message) onRead(message.read);
    last = message;
  });
  await once(worker, 'exit'); // rejects where the thread has an error
  if (last !== undefined && 'answer' in last) return last.answer;
  if (last !== undefined && 'failure' in last) throw new Failure(last.failure.exitCode, last.failure.message, last.failure.hint);
  throw new Error('a thread ended without an answer');
}
