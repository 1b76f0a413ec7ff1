/**
 * Ways in which a command ends without a result.
 * @module
 */
import { exit, type ExitCode } from './io.js';
import { printable } from './printable.js';

/** Ends the command: the message and the hint go to stderr. The message is safe to print. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;

  constructor(exitCode: ExitCode, message: string, hint?: string, options?: { cause?: unknown }) {
    super(message, options);
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

/** The command line asks for what makes no sense. */
export function usage(message: string, hint?: string): Failure {
  return new Failure(exit.usage, message, hint);
}

/** A file cannot be read or written. */
export function unreadable(message: string, hint?: string, cause?: unknown): Failure {
  return new Failure(exit.unreadable, message, hint, { cause });
}

/** A signal came; what was begun is cleaned up on the way out. */
export function interrupted(signal: AbortSignal): Failure {
  return new Failure(Number(signal.reason), 'interrupted');
}

/** What a failed call of the operating system means, in words. */
export function systemReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return words.get(String(code)) ?? printable(code ?? message ?? String(error));
}

const words: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'no such file or folder'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a part of the path is no folder'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'operation not permitted'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'no space left on the device'],
  ['EEXIST', 'it is there already'],
  ['ELOOP', 'too many symbolic links'],
  ['ENAMETOOLONG', 'the name is too long'],
  ['EMFILE', 'too many open files'],
  ['ERR_FS_FILE_TOO_LARGE', 'the file is too large'],
]);

/** Whether a call failed because something is there already. */
export function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code?.includes('EEXIST') ?? false;
}
