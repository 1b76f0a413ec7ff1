/**
 * A disk in memory that keeps apart what was written and what was synced, so that its power can fail: then every write and every change of
 * a name that was not synced may be there or not, in part, and in another order. It can also be full, and refuse single acts.
 * @module
 */
import { concat, fromUtf8, utf8 } from '../../src/bytes.js';
import type { AppendFile, Store } from '../../src/ledger/store.js';
import { oneOf, type Random, turns, upTo } from './kit.js';

/** A change of a file that is not on the platter yet. */
type Change = { readonly at: number; readonly bytes: Uint8Array } | { readonly truncateTo: number };

interface Inode {
  /** As processes see it. */
  data: Uint8Array;
  /** As it is after a loss of power, at least. */
  synced: Uint8Array;
  unsynced: Change[];
}

/** A change of names: undefined takes the name away. Both parts of a rename are one change. */
type NameChange = ReadonlyMap<string, Inode | undefined>;

/** How small the parts are in which a write may reach the platter. */
const sectorBytes = 64;

export class MemoryDisk implements Store {
  readonly place = 'memory';
  readonly #random: Random;
  #names = new Map<string, Inode>();
  #syncedNames = new Map<string, Inode>();
  #unsyncedNames: NameChange[] = [];
  #isOff = false;
  /** Bytes that are left. */
  free = Number.POSITIVE_INFINITY;
  /** Asked before each act; what it gives is thrown. */
  fault: (act: string, name: string) => Error | undefined = () => undefined;
  /** Every act, for tests of their order. */
  readonly acts: string[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** The disk of the next start. This one does nothing more, and answers nobody. */
  losePower(): MemoryDisk {
    this.#isOff = true;
    const next = new MemoryDisk(this.#random);
    const random = this.#random;
    const names = new Map(this.#syncedNames);
    const lost = new Set<string>();
    const isKept = fate(random, this.#unsyncedNames.length);
    for (const [i, change] of this.#unsyncedNames.entries()) {
      // what comes after a lost change of the same name is lost too; changes of other names may come out of order
      const isLost = [...change.keys()].some((name) => lost.has(name)) || !isKept(i);
      for (const [name, inode] of change) {
        if (isLost) lost.add(name);
        else if (inode === undefined) names.delete(name);
        else names.set(name, inode);
      }
    }
    for (const [name, inode] of names) {
      const data = surviving(inode, random);
      next.#names.set(name, { data, synced: data, unsynced: [] });
    }
    next.#syncedNames = new Map(next.#names);
    next.#stopOwner();
    return next;
  }

  /** The same disk as another process finds it after this one was killed: all is there, and what was not synced still is not. */
  loseProcess(): MemoryDisk {
    this.#isOff = true;
    return this.copy();
  }

  /** Another disk with the same on it. */
  copy(): MemoryDisk {
    const next = new MemoryDisk(this.#random);
    const copies = new Map<Inode, Inode>();
    const copyOf = (inode: Inode): Inode => {
      const copy = copies.get(inode) ?? { ...inode, unsynced: [...inode.unsynced] };
      copies.set(inode, copy);
      return copy;
    };
    const copyOfNames = (names: NameChange): NameChange => new Map([...names].map(([name, inode]) => [name, inode && copyOf(inode)]));
    next.#names = copyOfNames(this.#names) as Map<string, Inode>;
    next.#syncedNames = copyOfNames(this.#syncedNames) as Map<string, Inode>;
    next.#unsyncedNames = this.#unsyncedNames.map(copyOfNames);
    next.#stopOwner();
    return next;
  }

  /** Whoever held the lock did so before this start. */
  #stopOwner(): void {
    for (const inode of [this.#names.get('lock'), this.#names.get('lock.steal')]) {
      if (inode === undefined || inode.data.length === 0) continue;
      inode.data = utf8(JSON.stringify({ ...(JSON.parse(fromUtf8(inode.data) ?? '') as object), boot_id: 'the start before' }));
    }
  }

  makeRoot(): void {
    this.#act('makeRoot', '');
  }

  makeFolder(name: string): void {
    this.#act('makeFolder', name);
  }

  list(folder?: string): readonly string[] {
    const prefix = folder === undefined ? '' : `${folder}/`;
    return [...this.#names.keys()]
      .filter((name) => name.startsWith(prefix) && !name.slice(prefix.length).includes('/'))
      .map((name) => name.slice(prefix.length));
  }

  size(name: string): number | undefined {
    return this.#names.get(name)?.data.length;
  }

  read(name: string, max: number): Uint8Array | undefined {
    return this.#names.get(name)?.data.slice(0, max);
  }

  *chunks(name: string, from: number, to: number): Generator<Uint8Array> {
    const data = this.#names.get(name)?.data ?? new Uint8Array(0);
    // small ones, so that entries lie across their borders
    for (let at = from; at < Math.min(to, data.length); at += 100) yield data.slice(at, Math.min(at + 100, to));
  }

  append(name: string): AppendFile {
    this.#act('append', name);
    const found = this.#names.get(name);
    const inode = found ?? { data: new Uint8Array(0), synced: new Uint8Array(0), unsynced: [] };
    if (found === undefined) this.#rename(new Map([[name, inode]]));
    return {
      get size() {
        return inode.data.length;
      },
      write: (bytes) => {
        this.#act('write', name);
        const taken = Math.min(bytes.length, this.free);
        change(inode, { at: inode.data.length, bytes: bytes.slice(0, taken) });
        this.free -= taken;
        if (taken < bytes.length) throw errorOf('ENOSPC');
      },
      sync: () => this.#sync(name, inode),
      syncNow: () => {
        this.#act('sync', name);
        fold(inode, inode.unsynced.at(-1));
      },
      truncate: (size) => {
        this.#act('truncate', name);
        change(inode, { truncateTo: size });
      },
      close: () => this.#act('close', name),
    };
  }

  async replace(name: string, bytes: Uint8Array, after?: Promise<unknown>): Promise<void> {
    after?.catch(() => undefined);
    const inode = this.#temporary(name, bytes);
    await this.#sync(`${name}.tmp`, inode);
    await after;
    this.rename(`${name}.tmp`, name);
    await this.syncFolder();
  }

  replaceNow(name: string, bytes: Uint8Array): void {
    const inode = this.#temporary(name, bytes);
    this.#act('sync', `${name}.tmp`);
    fold(inode, inode.unsynced.at(-1));
    this.rename(`${name}.tmp`, name);
    this.syncFolderNow();
  }

  create(name: string, bytes: Uint8Array): boolean {
    this.#act('create', name);
    if (this.#names.has(name)) return false;
    this.#rename(new Map([[name, { data: bytes.slice(), synced: bytes.slice(), unsynced: [] }]]));
    return true;
  }

  rename(from: string, to: string): boolean {
    this.#act('rename', to);
    const inode = this.#names.get(from);
    if (inode === undefined) return false;
    this.#rename(
      new Map([
        [from, undefined],
        [to, inode],
      ]),
    );
    return true;
  }

  remove(name: string): boolean {
    this.#act('remove', name);
    if (!this.#names.has(name)) return false;
    this.#rename(new Map([[name, undefined]]));
    return true;
  }

  async syncFolder(): Promise<void> {
    this.#act('syncFolder', '');
    const last = this.#unsyncedNames.at(-1);
    await this.#takeTime();
    this.#foldNames(last);
  }

  syncFolderNow(): void {
    this.#act('syncFolder', '');
    this.#foldNames(this.#unsyncedNames.at(-1));
  }

  #act(act: string, name: string): void {
    if (this.#isOff) throw errorOf('EIO');
    this.acts.push(`${act} ${name}`.trim());
    const error = this.fault(act, name);
    if (error !== undefined) throw error;
  }

  #temporary(name: string, bytes: Uint8Array): Inode {
    const temporary = `${name}.tmp`;
    const inode: Inode = { data: new Uint8Array(0), synced: new Uint8Array(0), unsynced: [] };
    this.#act('append', temporary);
    this.#rename(new Map([[temporary, inode]]));
    this.#act('write', temporary);
    if (bytes.length > this.free) throw errorOf('ENOSPC');
    change(inode, { at: 0, bytes: bytes.slice() });
    return inode;
  }

  async #sync(name: string, inode: Inode): Promise<void> {
    this.#act('sync', name);
    const last = inode.unsynced.at(-1);
    await this.#takeTime();
    fold(inode, last);
    this.acts.push(`synced ${name}`);
  }

  /** Whoever waits for a disk without power waits for ever. */
  async #takeTime(): Promise<void> {
    await turns(upTo(this.#random, 3));
    if (this.#isOff) await new Promise(() => undefined);
  }

  #rename(change: NameChange): void {
    applyNames(this.#names, change);
    this.#unsyncedNames.push(change);
  }

  #foldNames(last: NameChange | undefined): void {
    for (const change of upToIncluding(this.#unsyncedNames, last)) applyNames(this.#syncedNames, change);
  }
}

export function errorOf(code: string): Error {
  return Object.assign(new Error(`the disk says ${code}`), { code });
}

function applyNames(names: Map<string, Inode>, change: NameChange): void {
  for (const [name, inode] of change) {
    if (inode === undefined) names.delete(name);
    else names.set(name, inode);
  }
}

function change(inode: Inode, one: Change): void {
  inode.data = changed(inode.data, one);
  inode.unsynced.push(one);
}

function changed(data: Uint8Array, one: Change): Uint8Array {
  if ('truncateTo' in one) return data.slice(0, one.truncateTo);
  const out = new Uint8Array(Math.max(data.length, one.at + one.bytes.length));
  out.set(data);
  out.set(one.bytes, one.at);
  return out;
}

function fold(inode: Inode, last: Change | undefined): void {
  for (const one of upToIncluding(inode.unsynced, last)) inode.synced = changed(inode.synced, one);
}

/** Takes off the front of a list. Another sync may have taken it already. */
function upToIncluding<T>(list: T[], last: T | undefined): T[] {
  return last === undefined ? [] : list.splice(0, list.indexOf(last) + 1);
}

/** Which of so many changes reach the platter: some, most, all, none, or all but one. */
function fate(random: Random, count: number): (i: number) => boolean {
  const one = upTo(random, count - 1);
  return oneOf<(i: number) => boolean>(
    random,
    () => random() < 0.5,
    () => random() < 0.9,
    () => true,
    () => false,
    (i) => i !== one,
    (i) => i !== one,
  );
}

/** What the platter has of a file. */
function surviving(inode: Inode, random: Random): Uint8Array {
  const parts = inode.unsynced.flatMap(partsOf);
  const isKept = fate(random, parts.length);
  let data = inode.synced;
  for (const [i, part] of parts.entries()) {
    if (!isKept(i)) continue;
    const hole = 'at' in part ? part.at - data.length : 0;
    // what lies between is what the platter had there before: nothing, or something of another file
    if (hole > 0) data = concat(data, random() < 0.5 ? new Uint8Array(hole) : Uint8Array.from({ length: hole }, () => upTo(random, 255)));
    data = changed(data, part);
  }
  return data.slice();
}

function partsOf(one: Change): Change[] {
  if ('truncateTo' in one) return [one];
  const count = Math.ceil(one.bytes.length / sectorBytes);
  return Array.from({ length: count }, (_, i) => ({ at: one.at + i * sectorBytes, bytes: one.bytes.subarray(i * sectorBytes, (i + 1) * sectorBytes) }));
}
