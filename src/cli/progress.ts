/**
 * A bar on stderr for long work, on a terminal alone: the one file that knows cli-progress.
 * @module
 */
import type { Io } from './io.js';

export interface Progress {
  update(done: number): void;
  stop(): void;
}

const none: Progress = { update: () => undefined, stop: () => undefined };

/** Shorter work than this shows no bar. */
const patienceMs = 500;

/** Progress towards a number of bytes. Nothing is loaded where nobody would see it. */
export async function progressOf(io: Io, what: string, totalBytes: number): Promise<Progress> {
  if (io.stderr.isTTY !== true) return none;
  const { default: progress } = await import('cli-progress');
  const start = Date.now();
  const bar = new progress.SingleBar({
    format: `${what} [{bar}] {percentage}%`,
    stream: io.stderr,
    clearOnComplete: true,
    gracefulExit: false,
    barsize: 30,
    barCompleteChar: '=',
    barIncompleteChar: ' ',
  });
  let isShown = false;
  return {
    update: (done) => {
      if (isShown) bar.update(done);
      else if (Date.now() - start > patienceMs) {
        isShown = true;
        bar.start(totalBytes, done);
      }
    },
    stop: () => {
      if (isShown) bar.stop();
    },
  };
}
