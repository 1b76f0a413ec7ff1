/**
 * Files in and out. A file that is written is new, or is replaced as a whole; what is there is never overwritten.
 * @module
 */
import { createReadStream } from 'node:fs';
import { chmod, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { limits } from '../limits.js';
import { isTaken, systemReason, unreadable, usage } from './failure.js';
import type { Io } from './io.js';
import { printable } from './printable.js';

/** The name of a file for a message. */
export function fileName(file: string): string {
  return file === '-' ? 'stdin' : printable(file);
}

/** The bytes of a file; `-` is stdin. Of one longer than `max` only somewhat more than that is read, for its door to refuse. */
export async function readBytes(io: Io, file: string, max = Number.POSITIVE_INFINITY): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of byteStream(io, file)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > max) break;
  }
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length);
}

/** The chunks of a file as they come; `-` is stdin. */
export async function* byteStream(io: Io, file: string): AsyncGenerator<Buffer> {
  const stream: Readable = file === '-' ? io.stdin : createReadStream(resolve(io.cwd, file), { highWaterMark: 1 << 18 });
  try {
    for await (const chunk of stream) yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
  } catch (error) {
    throw unreadable(`cannot read ${fileName(file)}: ${systemReason(error)}`, undefined, error);
  }
}

export type TextFormat = 'json' | 'yaml';
export const textFormats: readonly TextFormat[] = ['json', 'yaml'];

/** The format of a policy: what `--format` says, else the extension. Never guessed from the text. */
export function formatOf(file: string, said?: string, hint = formatHint): TextFormat {
  if (said !== undefined) return said as TextFormat;
  const format = formats.get(extname(file).toLowerCase());
  if (format === undefined) throw usage(`cannot tell the format of ${fileName(file)}`, hint);
  return format;
}

const formatHint = 'give --format json or --format yaml, or a file name that ends in .json, .yaml or .yml';

const formats: ReadonlyMap<string, TextFormat> = new Map([
  ['.json', 'json'],
  ['.yaml', 'yaml'],
  ['.yml', 'yaml'],
]);

/** The most bytes that any document has. */
export const maxDocumentBytes = limits.jsonBytes;

/** What is in a folder that has the extension of a policy, sorted; undefined where the path is no folder. */
export async function policyFilesIn(io: Io, path: string): Promise<readonly string[] | undefined> {
  try {
    if (!(await stat(resolve(io.cwd, path))).isDirectory()) return undefined;
    const names = await readdir(resolve(io.cwd, path));
    return names
      .filter((name) => formats.has(extname(name).toLowerCase()))
      .sort()
      .map((name) => join(path, name));
  } catch (error) {
    throw unreadable(`cannot read ${fileName(path)}: ${systemReason(error)}`, undefined, error);
  }
}

/** Permissions of a file that holds a secret, and of one that does not (less the umask). */
export const secretMode = 0o600;
export const openMode = 0o644;

/** Makes folders, those above them too. */
export async function makeFolder(io: Io, path: string): Promise<void> {
  try {
    await mkdir(resolve(io.cwd, path), { recursive: true });
  } catch (error) {
    throw unreadable(`cannot make the folder ${fileName(path)}: ${systemReason(error)}`, undefined, error);
  }
}

/** A new file that is written piece by piece. `abandon` takes it away again. */
export interface NewFile {
  append(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
  abandon(): Promise<void>;
}

/** Begins a file that is not there yet. */
export async function newFile(io: Io, file: string, mode = openMode): Promise<NewFile> {
  const path = resolve(io.cwd, file);
  const handle = await open(path, 'wx', mode).catch((error: unknown) => {
    if (isTaken(error)) throw unreadable(`${fileName(file)} is there already`, 'ruleprint overwrites nothing: take another name, or move the file away', error);
    throw cannotWrite(file, error);
  });
  const guarded = async (work: Promise<unknown>): Promise<void> => {
    await work.catch((error: unknown) => {
      throw cannotWrite(file, error);
    });
  };
  return {
    append: (bytes) => guarded(handle.writeFile(bytes)),
    close: () => guarded(handle.close()),
    abandon: async () => {
      await handle.close().catch(() => undefined); // closed before, or broken: it goes away in any case
      await rm(path, { force: true });
    },
  };
}

/** Writes new files, all or none. */
export async function writeNewFiles(io: Io, files: readonly { readonly file: string; readonly text: string; readonly mode?: number }[]): Promise<void> {
  const begun: NewFile[] = [];
  try {
    for (const { file, mode } of files) begun.push(await newFile(io, file, mode));
    for (const [i, { text }] of files.entries()) await begun[i]?.append(Buffer.from(text));
    for (const file of begun) await file.close();
  } catch (error) {
    for (const file of begun) await file.abandon();
    throw error;
  }
}

/** Puts a whole new text in the place of a file, which keeps its permissions; a reader sees the old or the new one. */
export async function replaceFile(io: Io, file: string, text: string): Promise<void> {
  let beside: string | undefined;
  try {
    // where the name is a link, the file behind it is replaced and not the link
    const path = await realpath(resolve(io.cwd, file));
    beside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
    const { mode } = await stat(path);
    const handle = await open(beside, 'wx', mode & 0o777);
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
    await chmod(beside, mode & 0o777);
    await rename(beside, path);
  } catch (error) {
    if (beside !== undefined) await rm(beside, { force: true });
    throw cannotWrite(file, error);
  }
}

function cannotWrite(file: string, error: unknown): Error {
  return unreadable(`cannot write ${fileName(file)}: ${systemReason(error)}`, undefined, error);
}

/** Whether others than the owner may read a file. */
export async function isReadByOthers(io: Io, file: string): Promise<boolean> {
  const { mode } = await stat(resolve(io.cwd, file));
  return (mode & 0o077) !== 0;
}

/** Whether something is there under this name. */
export async function isThere(io: Io, file: string): Promise<boolean> {
  return stat(resolve(io.cwd, file)).then(
    () => true,
    () => false,
  );
}
