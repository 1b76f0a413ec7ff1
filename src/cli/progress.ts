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

/** Progress towards a number of bytes; or of what is counted by a word, with a rate and the time that remains. Nothing is loaded where nobody would see it. */
export async function progressOf(io: Io, what: string, total: number, counted?: string): Promise<Progress> {
  if (io.stderr.isTTY !== true) return none;
  const { default: progress } = await import('cli-progress');
  const start = Date.now();
  const bar = new progress.SingleBar({
    format: `${what} [{bar}] ${counted === undefined ? '{percentage}%' : `{value}/{total} ${counted}, {rate}/s, {eta_formatted} left`}`,
    stream: io.stderr,
    clearOnComplete: true,
    gracefulExit: false,
    barsize: 30,
    barCompleteChar: '=',
    barIncompleteChar: ' ',
  });
  let isShown = false;
  // of this process: what was done before it began is not its speed
  let first: number | undefined;
  const rateOf = (done: number): string => ((1_000 * (done - (first ?? 0))) / Math.max(1, Date.now() - start)).toFixed(1);
  return {
    update: (done) => {
      first ??= done;
      const payload = counted === undefined ? {} : { rate: rateOf(done) };
      if (isShown) bar.update(done, payload);
      else if (Date.now() - start > patienceMs) {
        isShown = true;
        bar.start(total, done, payload);
      }
    },
    stop: () => {
      if (isShown) bar.stop();
    },
  };
}
