/**
 * Where receipts are read from: folders of ledgers, files, stdin. What is there when a command begins is what it reads, in every pass and in
 * every thread.
 * @module
 */
import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type Problem, RuleprintError } from '../errors.js';
import { fileStore } from '../ledger/file-store.js';
import { readLedger } from '../ledger/folder.js';
import type { LedgerSource, Segment } from '../ledger/source.js';
import { systemReason, unreadable } from './failure.js';
import { fileName, readBytes } from './files.js';
import type { Io } from './io.js';

/** A file up to a size, or bytes at hand: plain data, so that a thread can be told of it. `file` is its name for people. */
export type Piece = { readonly file: string } & ({ readonly path: string; readonly size: number } | { readonly bytes: Uint8Array });

/** One folder or file. */
export interface Place {
  readonly source: Omit<LedgerSource, 'segments'>;
  readonly pieces: readonly Piece[];
}

/** Hears of a reading. */
export interface Listener {
  /** A piece is read from its beginning. */
  begins(piece: Piece): void;
  reads(chunk: Uint8Array): void;
}

export async function placeOf(io: Io, path: string): Promise<Place> {
  const file = fileName(path);
  if (path === '-') return inMemory(io, path);
  const at = resolve(io.cwd, path);
  const stats = await stat(at).catch((error: unknown) => {
    throw unreadable(`cannot read ${file}: ${systemReason(error)}`, undefined, error);
  });
  if (stats.isDirectory()) return inFolder(io, path, (folder) => folderPlace(folder, file));
  // a pipe can be read once, and a verifier reads twice
  if (!stats.isFile()) return inMemory(io, path);
  return { source: { file, kind: 'file' }, pieces: [{ file, path: at, size: stats.size }] };
}

async function inMemory(io: Io, path: string): Promise<Place> {
  const file = fileName(path);
  return { source: { file, kind: 'file' }, pieces: [{ file, bytes: await readBytes(io, path) }] };
}

function folderPlace(folder: string, file: string): Place {
  const { segments, file: _, ...source } = readLedger(folder);
  // sizes are taken after the durable mark was read, so what it names is in them
  const pieces = segments.map((segment) => {
    const name = basename(segment.file);
    const path = join(folder, name);
    return { file: `${file.replace(/(?<=.)\/+$/, '')}/${name}`, path, size: statSync(path).size };
  });
  return { source: { ...source, file }, pieces };
}

/** The place as what a verifier reads. */
export function sourceOf({ source, pieces }: Place, listener?: Listener): LedgerSource {
  return { ...source, segments: pieces.map((piece) => segmentOf(piece, listener)) };
}

export function segmentOf(piece: Piece, listener?: Listener): Segment {
  return { file: piece.file, chunks: () => chunksOf(piece, listener) };
}

function* chunksOf(piece: Piece, listener: Listener | undefined): Generator<Uint8Array> {
  listener?.begins(piece);
  try {
    for (const chunk of 'bytes' in piece ? [piece.bytes] : fileStore(dirname(piece.path)).chunks(basename(piece.path), 0, piece.size)) {
      listener?.reads(chunk);
      yield chunk;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw unreadable(`cannot read ${piece.file}: ${systemReason(error)}`, undefined, error);
  }
}

export function sizeOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + ('bytes' in piece ? piece.bytes.length : piece.size), 0);
}

/** Does something in a folder, whose name in errors is the one that was typed. */
export async function inFolder<T>(io: Io, folder: string, act: (path: string) => T | Promise<T>): Promise<T> {
  try {
    return await act(resolve(io.cwd, folder));
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    const [first, ...rest] = error.problems;
    throw new RuleprintError([asTyped(io, folder, first), ...rest.map((problem) => asTyped(io, folder, problem))], { cause: error });
  }
}

/** A problem in a folder, placed by the name that was typed. */
export function asTyped(io: Io, folder: string, { where, ...problem }: Problem): Problem {
  const path = resolve(io.cwd, folder);
  if (where.file === undefined || !where.file.startsWith(path)) return { ...problem, where };
  return { ...problem, where: { ...where, file: fileName(folder).replace(/(?<=.)\/+$/, '') + where.file.slice(path.length) } };
}
