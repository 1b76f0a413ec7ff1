/**
 * Making entries durable, many by one sync (LED-5). One sync is on its way at a time and covers all that was written before it; what is
 * written meanwhile waits for the next.
 * @module
 */
import { markFile } from './layout.js';
import { markBytes } from './mark.js';
import type { Store } from './store.js';
import type { Tail } from './tail.js';

/** A promise that others settle. Nobody need look at it: a rejection that is not met ends no process. */
export class Deferred {
  readonly promise: Promise<void>;
  resolve: () => void = nothing;
  reject: (error: Error) => void = nothing;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.promise.catch(nothing);
  }
}

class Group extends Deferred {
  entries = 0;
  /** Whether somebody waits for it. */
  isWanted = false;
}

/**
 * A sync begins when the caller's turn of the event loop ends, or as soon as so many entries wait: then the disk works on these while the
 * processor signs the next ones.
 */
const entriesThatDoNotWait = 128;

export class Commit {
  readonly #store: Store;
  readonly #tail: Tail;
  readonly #isAtOnce: boolean;
  readonly #onFailure: (cause: unknown) => void;
  /** What is written and in no sync yet. */
  #waiting: Group | undefined;
  #syncing: Group | undefined;
  #failure: Error | undefined;

  /** @param isAtOnce where every entry is synced before its append returns: then nothing else is synced beside it either */
  constructor(store: Store, tail: Tail, isAtOnce: boolean, onFailure: (cause: unknown) => void) {
    this.#store = store;
    this.#tail = tail;
    this.#isAtOnce = isAtOnce;
    this.#onFailure = onFailure;
  }

  /** Notes that something was written; nothing is synced for it yet. */
  note(): void {
    this.#waiting ??= new Group();
  }

  /** The same, and has it synced: the promise resolves when it is. */
  soon(): Promise<void> {
    this.note();
    const group = this.#waiting as Group;
    group.entries++;
    group.isWanted = true;
    if (this.#syncing === undefined) {
      if (group.entries >= entriesThatDoNotWait) this.#begin();
      else if (group.entries === 1) void turnEnds.then(() => this.#begin(group));
    }
    return group.promise;
  }

  /** Syncs before it returns. */
  now(): void {
    this.#tail.syncNow();
    this.#store.replaceNow(markFile, markBytes(this.#tail.last));
  }

  /** Resolves when all that was written before the call is durable. */
  all(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const group = this.#waiting ?? this.#syncing;
    if (group === undefined) return done;
    if (this.#isAtOnce) return this.#allAtOnce();
    group.isWanted = true;
    this.#begin();
    return group.promise;
  }

  /** INVARIANT (one mark at a time): a mark on its way beside one that is put in place at once would take its file away, or fall back behind it. */
  #allAtOnce(): Promise<void> {
    try {
      this.now();
    } catch (cause) {
      this.#onFailure(cause);
      return Promise.reject(this.#failure ?? cause);
    }
    this.#waiting = undefined;
    return done;
  }

  /** Nothing is acknowledged from here on. */
  fail(error: Error): void {
    this.#failure = error;
    this.#waiting?.reject(error);
    this.#syncing?.reject(error);
  }

  /** Resolves when no sync is on its way. */
  async idle(): Promise<void> {
    while (this.#syncing !== undefined) await this.#onItsWay;
  }

  #onItsWay: Promise<void> = done;

  #begin(only?: Group): void {
    const group = this.#waiting;
    if (group === undefined || this.#syncing !== undefined || (only !== undefined && only !== group) || this.#failure !== undefined) return;
    this.#waiting = undefined;
    this.#syncing = group;
    const mark = markBytes(this.#tail.last);
    // INVARIANT (synced, then marked, then said): the mark takes its place after the sync, the promise resolves after the mark
    this.#onItsWay = this.#store.replace(markFile, mark, this.#tail.sync()).then(
      () => this.#end(group),
      (cause) => {
        this.#syncing = undefined;
        this.#onFailure(cause);
        group.reject(this.#failure ?? cause);
      },
    );
  }

  #end(group: Group): void {
    this.#syncing = undefined;
    // the next before the callers of this one go on, so that the disk works while they do
    if (this.#waiting?.isWanted) this.#begin();
    group.resolve();
  }
}

const done: Promise<void> = Promise.resolve();
const turnEnds = done;

function nothing(): void {
  // a promise that somebody else looks at
}
