/**
 * What the command line has of the world outside, as one value: a test hands in its own.
 * @module
 */
import type { Readable, Writable } from 'node:stream';

/** 0 good; 1 verified as bad, or asked and not checkable; 2 wrong usage; 3 a file that cannot be read or written; above 128 a signal. */
export type ExitCode = number;
export const exit = Object.freeze({ good: 0, bad: 1, usage: 2, unreadable: 3 });

/** A stream that may be a terminal. */
export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What relative file names are relative to. */
  readonly cwd: string;
  /** What a thread of this program runs: its main module, and with which options of Node. */
  readonly program: { readonly url: URL; readonly execArgv?: readonly string[] };
  /**
   * Aborted by the first SIGINT, SIGTERM or SIGHUP, with the exit code as its reason. Asked for only by what has something to clean up:
   * from then on the process no longer ends by itself.
   */
  interruption(): AbortSignal;
}

const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** The real thing. `main` is the URL of the main module. */
export function processIo(main: string): Io {
  let controller: AbortController | undefined;
  const interruption = (): AbortSignal => {
    if (controller === undefined) {
      const made = new AbortController();
      controller = made;
      // once: a second signal ends the process at once
      for (const [name, code] of Object.entries(signals)) process.once(name, () => made.abort(code));
    }
    return controller.signal;
  };
  const { stdin, stdout, stderr, env } = process;
  return { stdin, stdout, stderr, env, cwd: process.cwd(), program: { url: new URL(main) }, interruption };
}
