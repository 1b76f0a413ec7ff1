/**
 * What a ledger needs of a disk. The real one is ./file-store.ts; tests put one in its place that loses power, and one that is full.
 *
 * Names are those of ./layout.ts, with a `/` in them for a file in a folder. What fails throws the error of the disk as it is.
 * @module
 */

/** A file that grows at its end. */
export interface AppendFile {
  readonly size: number;
  /** Writes all of the bytes, or throws; what was written of them by then is there. */
  write(bytes: Uint8Array): void;
  /** What was written before the call is on the disk when it resolves. */
  sync(): Promise<void>;
  syncNow(): void;
  truncate(size: number): void;
  close(): void;
}

export interface Store {
  /** The folder, for messages. */
  readonly place: string;
  /** Makes the folder where it is not there, synced. */
  makeRoot(): void;
  /** Makes a folder in it where it is not there, synced. */
  makeFolder(name: string): void;
  /** What is in the folder, or in one of its folders; nothing where that is not there. */
  list(folder?: string): readonly string[];
  /** The size of a file; undefined where it is not there. */
  size(name: string): number | undefined;
  /** A whole file of at most `max` bytes (a longer one is cut there); undefined where it is not there. */
  read(name: string, max: number): Uint8Array | undefined;
  /** The bytes of a file from an offset up to another, or up to its end if that comes first; read as they are asked for. */
  chunks(name: string, from: number, to: number): Iterable<Uint8Array>;
  /** Opens a file to write at its end, and makes it where it is not there: then the folder is still to be synced. */
  append(name: string): AppendFile;
  /**
   * Puts a whole file under a name, in place of the one that has it: after a loss of power there is the one or the other. It is synced when the
   * promise resolves. The name changes only after `after`.
   */
  replace(name: string, bytes: Uint8Array, after?: Promise<unknown>): Promise<void>;
  replaceNow(name: string, bytes: Uint8Array): void;
  /** Makes a file that nobody sees before it has all its bytes. False where the name is taken. */
  create(name: string, bytes: Uint8Array): boolean;
  /** Gives a file another name. False where it is not there. */
  rename(from: string, to: string): boolean;
  /** False where it is not there. */
  remove(name: string): boolean;
  /** What was made, renamed and removed in the folder before the call is on the disk when it resolves. */
  syncFolder(): Promise<void>;
  syncFolderNow(): void;
}

/** Held by the one writer of a ledger. */
export interface Lock {
  /** Removes it, where it is still ours: somebody may have taken it by hand. */
  release(): void;
}
