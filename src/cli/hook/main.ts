/**
 * The hook as a process: stdin to stdout, and exit code 2 with a reason on stderr for every fault of ours (GAT-18), since the host takes any other
 * failure for leave to go ahead. Built as one file of its own, in which what a decision seldom needs is loaded when it is needed.
 * @module
 */
import { readSync, writeSync } from 'node:fs';
import { RuleprintError } from '../../errors.js';
import { Failure, systemReason } from '../failure.js';
import { printable } from '../printable.js';
import { problemLines } from '../problem-lines.js';
import { judgeHook, maxInputBytes } from './judge.js';
import { type HookSettings, plainSettings } from './settings.js';

/** The host blocks the call, and shows the model what stands on stderr. */
const blocked = 2;

/**
 * Obeys `ruleprint hook WORDS...`. Words that are not plain, help among them, go to the reader of command lines.
 *
 * @param obey has the command line read and obeyed, and gives its exit code
 */
export async function hook(words: readonly string[], obey: () => Promise<number>): Promise<void> {
  const settings = words[0] === 'claude' ? plainSettings(words.slice(1)) : undefined;
  const block = (error: unknown): never => endBlocked(settings?.observe === true, error);
  // a fault that nobody catches would end the process with 1, which the host takes for leave
  process.on('uncaughtException', block).on('unhandledRejection', block);
  try {
    if (settings === undefined) process.exitCode = (await obey()) === 0 ? 0 : blocked;
    else await answer(settings);
  } catch (error) {
    block(error);
  }
}

async function answer(settings: HookSettings): Promise<void> {
  writeAll(1, await judgeHook({ cwd: process.cwd(), env: process.env }, settings, await readInput()));
  process.exit(0);
}

/** Where the hook only looks on its faults hold nothing back either (GAT-13). */
function endBlocked(isObserved: boolean, error: unknown): never {
  try {
    writeAll(2, faultLines(error));
  } catch {
    // nobody reads
  }
  return process.exit(isObserved ? 0 : blocked);
}

/** Why there is no answer. */
function faultLines(error: unknown): string {
  const lines = (message: string, hint: string | undefined): string =>
    `ruleprint: error: the call is not judged: ${message}\n${hint === undefined ? '' : `ruleprint: hint: ${hint}\n`}`;
  if (error instanceof Failure) return lines(error.message, error.hint);
  if (error instanceof RuleprintError) {
    const { text, hint } = problemLines(error.problems[0]);
    return lines(text, hint);
  }
  const { syscall, path = '' } = error as NodeJS.ErrnoException;
  if (syscall !== undefined) return lines(`${printable(`${syscall} ${path}`).trim()}: ${systemReason(error)}`, undefined);
  return lines(`unexpected: ${printable(String((error as Error | null)?.name ?? 'error'))}`, 'this is a defect of ruleprint: please report it');
}

/** All of stdin, and one byte more than is taken where it is too long. At once where that goes, because to set up a stream takes its time. */
async function readInput(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(65_536);
    const count = readChunk(chunk);
    if (count === undefined) break;
    if (count === 0 || length > maxInputBytes) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, count));
    length += count;
  }
  // a pipe that does not block has nothing yet
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length > maxInputBytes) break;
  }
  return Buffer.concat(chunks);
}

/** How many bytes were read, 0 at the end; undefined where waiting is for a stream. */
function readChunk(into: Buffer): number | undefined {
  try {
    return readSync(0, into);
  } catch (error) {
    if (isOneOf(error, 'EOF')) return 0;
    if (isOneOf(error, 'EAGAIN')) return undefined;
    throw error;
  }
}

function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      // the reader is slow and the pipe does not block
      if (!isOneOf(error, 'EAGAIN')) throw error;
    }
  }
}

/** Whether the system gave one of these reasons. */
function isOneOf(error: unknown, ...reasons: readonly string[]): boolean {
  return reasons.includes(String((error as NodeJS.ErrnoException).code));
}
