/**
 * The end of a ledger, where entries are written.
 * @module
 */
import { segmentName } from './layout.js';
import type { Mark } from './mark.js';
import type { AppendFile, Store } from './store.js';

export class Tail {
  readonly #store: Store;
  #file: AppendFile;
  #segment: number;
  #entries: number;
  #last: Mark;
  /** Files of segments that are full and not yet synced. */
  #full: AppendFile[] = [];
  #hasNewFile = false;

  /** Goes on with a segment that holds `entries` entries; `last` is the last entry, which may stand in the segment before. */
  constructor(store: Store, file: AppendFile, segment: number, entries: number, last: Mark) {
    this.#store = store;
    this.#file = file;
    this.#segment = segment;
    this.#entries = entries;
    this.#last = last;
  }

  /** The last entry that is written, whether synced or not. */
  get last(): Mark {
    return this.#last;
  }

  /** Entries in the segment. */
  get entries(): number {
    return this.#entries;
  }

  write(bytes: Uint8Array, seq: number, hash: string): void {
    const start = this.#file.size;
    this.#file.write(bytes);
    this.#entries++;
    this.#last = { segment: this.#segment, start, offset: this.#file.size, seq, hash };
  }

  /** Begins the segment that has the next entry. */
  begin(seq: number): void {
    const file = this.#store.append(segmentName(seq));
    this.#full.push(this.#file);
    this.#file = file;
    this.#segment = seq;
    this.#entries = 0;
    this.#hasNewFile = true;
  }

  /** What was written before the call is on the disk when it resolves. */
  async sync(): Promise<void> {
    const full = [...this.#full];
    const waits = [...full, this.#file].map((file) => file.sync());
    if (this.#hasNewFile) waits.push(this.#store.syncFolder());
    this.#hasNewFile = false;
    await Promise.all(waits);
    this.#closeFull(full);
  }

  syncNow(): void {
    const full = [...this.#full];
    for (const file of [...full, this.#file]) file.syncNow();
    if (this.#hasNewFile) this.#store.syncFolderNow();
    this.#hasNewFile = false;
    this.#closeFull(full);
  }

  /** Not while a sync is on its way. */
  close(): void {
    this.#closeFull([...this.#full]);
    this.#file.close();
  }

  #closeFull(full: readonly AppendFile[]): void {
    this.#full = this.#full.filter((file) => !full.includes(file));
    for (const file of full) file.close();
  }
}
