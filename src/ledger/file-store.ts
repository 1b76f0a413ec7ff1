/**
 * The store of a folder on a disk.
 * @module
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { platform } from 'node:process';
import { concat } from '../bytes.js';
import type { AppendFile, Store } from './store.js';

// whoever reads a ledger reads what agents asked for
const fileMode = 0o600;
const folderMode = 0o700;
const chunkBytes = 1_048_576;

/** @throws the error of the file system, for all that fails */
export function fileStore(folder: string): Store {
  return new FileStore(folder);
}

class FileStore implements Store {
  readonly place: string;

  constructor(folder: string) {
    this.place = folder;
  }

  #path(name: string): string {
    return join(this.place, name);
  }

  makeRoot(): void {
    const first = fs.mkdirSync(this.place, { recursive: true, mode: folderMode });
    if (first === undefined) return;
    // a new folder is on the disk when the one that holds it is synced, and that one may be new as well
    for (let folder = this.place; ; folder = dirname(folder)) {
      syncFolderAt(dirname(folder));
      if (folder === first || folder === dirname(folder)) return;
    }
  }

  makeFolder(name: string): void {
    if (fs.mkdirSync(this.#path(name), { recursive: true, mode: folderMode }) !== undefined) this.syncFolderNow();
  }

  list(folder = '.'): readonly string[] {
    return orAbsent(() => fs.readdirSync(this.#path(folder))) ?? [];
  }

  size(name: string): number | undefined {
    return fs.statSync(this.#path(name), { throwIfNoEntry: false })?.size;
  }

  read(name: string, max: number): Uint8Array | undefined {
    const chunks = orAbsent(() => [...this.chunks(name, 0, max)]);
    return chunks && concat(...chunks);
  }

  *chunks(name: string, from: number, to: number): Generator<Uint8Array> {
    const fd = fs.openSync(this.#path(name), 'r');
    try {
      for (let at = from; at < to; ) {
        const chunk = new Uint8Array(Math.min(chunkBytes, to - at));
        const length = fs.readSync(fd, chunk, 0, chunk.length, at);
        if (length === 0) return;
        at += length;
        yield chunk.subarray(0, length);
      }
    } finally {
      fs.closeSync(fd);
    }
  }

  append(name: string): AppendFile {
    return new DiskFile(this.#path(name));
  }

  async replace(name: string, bytes: Uint8Array, after?: Promise<unknown>): Promise<void> {
    const path = this.#path(name);
    const temporary = temporaryFor(path);
    const before = Promise.allSettled([after]); // so that its rejection is met whatever fails here
    const fd = fs.openSync(temporary, 'w', fileMode);
    try {
      writeAll(fd, bytes);
      await syncFile(fd); // beside what `after` syncs, so that both wait for the same journal
      await before;
      await after;
    } finally {
      fs.closeSync(fd);
    }
    await rename(temporary, path);
    await asyncSyncFolder(dirname(path));
  }

  replaceNow(name: string, bytes: Uint8Array): void {
    const path = this.#path(name);
    const temporary = temporaryFor(path);
    writeSynced(temporary, bytes);
    fs.renameSync(temporary, path);
    syncFolderAt(dirname(path));
  }

  create(name: string, bytes: Uint8Array): boolean {
    const path = this.#path(name);
    const temporary = `${path}.${randomBytes(8).toString('hex')}`;
    writeSynced(temporary, bytes);
    try {
      // a link is made in one step and never over another file, on network file systems too
      fs.linkSync(temporary, path);
      return true;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      return false;
    } finally {
      fs.unlinkSync(temporary);
    }
  }

  rename(from: string, to: string): boolean {
    return isThere(() => fs.renameSync(this.#path(from), this.#path(to)));
  }

  remove(name: string): boolean {
    return isThere(() => fs.unlinkSync(this.#path(name)));
  }

  syncFolder(): Promise<void> {
    return asyncSyncFolder(this.place);
  }

  syncFolderNow(): void {
    syncFolderAt(this.place);
  }
}

class DiskFile implements AppendFile {
  readonly #path: string;
  readonly #fd: number;
  #size: number;

  constructor(path: string) {
    this.#path = path;
    this.#fd = fs.openSync(path, 'a', fileMode);
    this.#size = fs.fstatSync(this.#fd).size;
  }

  get size(): number {
    return this.#size;
  }

  write(bytes: Uint8Array): void {
    writeAll(this.#fd, bytes);
    this.#size += bytes.length;
  }

  sync(): Promise<void> {
    return syncData(this.#fd);
  }

  syncNow(): void {
    fs.fdatasyncSync(this.#fd);
  }

  truncate(size: number): void {
    fs.truncateSync(this.#path, size); // by name: a handle that appends may not on Windows
    this.#size = size;
  }

  close(): void {
    fs.closeSync(this.#fd);
  }
}

/** One write mostly. A disk that is almost full takes a part, and says what is wrong on the next. */
function writeAll(fd: number, bytes: Uint8Array): void {
  let at = fs.writeSync(fd, bytes);
  while (at < bytes.length) at += fs.writeSync(fd, bytes, at);
}

function writeSynced(path: string, bytes: Uint8Array): void {
  const fd = fs.openSync(path, 'w', fileMode);
  try {
    writeAll(fd, bytes);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** One name for all times: the lock keeps a second writer out, and what a dead one left is written over. */
function temporaryFor(path: string): string {
  return `${path}.tmp`;
}

function syncData(fd: number): Promise<void> {
  return new Promise((resolve, reject) => fs.fdatasync(fd, (error) => (error === null ? resolve() : reject(error))));
}

function syncFile(fd: number): Promise<void> {
  return new Promise((resolve, reject) => fs.fsync(fd, (error) => (error === null ? resolve() : reject(error))));
}

/** Not at once, since a rename may have to wait for the journal. */
function rename(from: string, to: string): Promise<void> {
  return new Promise((resolve, reject) => fs.rename(from, to, (error) => (error === null ? resolve() : reject(error))));
}

// Windows has no handle on a folder to sync, and writes names through
const hasFolderSync = platform !== 'win32';

function syncFolderAt(path: string): void {
  if (!hasFolderSync) return;
  const fd = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

async function asyncSyncFolder(path: string): Promise<void> {
  if (!hasFolderSync) return;
  const fd = fs.openSync(path, 'r');
  try {
    await syncFile(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** What an act gives; undefined where the file is not there. */
function orAbsent<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return undefined;
  }
}

function isThere(act: () => void): boolean {
  return (
    orAbsent(() => {
      act();
      return true;
    }) ?? false
  );
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}
