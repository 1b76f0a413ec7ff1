/**
 * Opening a ledger folder to write (spec/ledger.md, LED-5 to LED-10).
 * @module
 */
import { randomBytes } from 'node:crypto';
import { hex } from '../bytes.js';
import { type PublicKey, verifierOf } from '../cose/keys.js';
import type { AsyncSigner, Signer } from '../cose/signer.js';
import { refuse, RuleprintError } from '../errors.js';
import { checkName } from '../policy/text.js';
import { prepareStatement } from '../receipt/issue.js';
import { fileStore } from './file-store.js';
import { markFile, segmentName, segmentsIn } from './layout.js';
import { durabilities, type Durability, genesisStatement, Ledger } from './ledger.js';
import { acquireLock } from './lock.js';
import { type Mark, markBytes, readMark, refuseDamaged } from './mark.js';
import { PolicyFiles } from './policy-files.js';
import { type Check, checks, type Cut, type Holder, readGenesis, readWholeGenesis, resume, type Resumed } from './resume.js';
import type { Lock, Store } from './store.js';
import { Tail } from './tail.js';

export interface OpenLedgerOptions {
  /** A name (POL-8): receipts cite it. */
  readonly engineId: string;
  readonly signer: Signer | AsyncSigner;
  /** Public keys that signed entries before, and the signer's own where the signer does not name it (`signer.key`). */
  readonly keys?: Iterable<PublicKey>;
  /** `group` by default. */
  readonly durability?: Durability;
  /** How many entries fill a segment: 4,096 by default. */
  readonly rotateAfter?: number;
  /**
   * What is checked of the entries that are synced: the last segment from its seam on (`segment`, by default), or the last entry alone (`end`), for
   * processes that live for one entry. `verifyLedger` checks all.
   */
  readonly check?: Check;
  /** How long to wait for another writer, in milliseconds: 10,000 by default. */
  readonly lockTimeout?: number;
  /** Milliseconds since the Unix epoch; `Date.now` by default. */
  readonly now?: () => number;
  /** The source of ledger ids. */
  readonly random?: (size: number) => Uint8Array;
  /** In place of the folder on the disk. */
  readonly store?: Store;
}

type Settings = Omit<Required<OpenLedgerOptions>, 'keys' | 'random'> & { readonly holder: Holder; readonly key: PublicKey };

/**
 * Opens the ledger of a folder, or begins one where there is none, as its one writer.
 *
 * @throws RuleprintError `ledger-locked`, `ledger-damaged`, `ledger-engine`, `ledger-write`
 * @throws TypeError, RangeError for options that are none; what the disk throws when it is read goes through
 * @example
 * const ledger = await openLedger('audit', { engineId: 'engine-a', signer: createSigner(key) });
 * const engine = openEngine({ ledger, policy });
 * engine.evaluate(request); // recorded when the call returns
 * await ledger.close();
 */
export async function openLedger(folder: string, options: OpenLedgerOptions): Promise<Ledger> {
  const { random = randomBytes } = options;
  const settings = settingsOf(folder, options);
  const { store, lockTimeout } = settings;
  writing(store, () => store.makeRoot());
  const lock = await writingLater(store, acquireLock(store, lockTimeout));
  try {
    return await openLocked(settings, lock, random);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openLocked(settings: Settings, lock: Lock, random: (size: number) => Uint8Array): Promise<Ledger> {
  const { store, holder, check } = settings;
  const segments = segmentsIn(store.list());
  const mark = readMark(store);
  if (mark !== undefined) return resumed(settings, lock, resume(store, segments, mark, holder, check));
  return born(settings, lock, segments, random);
}

/** LED-6: what lies behind the mark and is good becomes durable, what is not is cut. */
function resumed(settings: Settings, lock: Lock, found: Resumed): Ledger {
  const { store } = settings;
  const { segment, offset, entries, last, unsynced, removed, cut } = found;
  const tail = writing(store, () => {
    const file = store.append(segmentName(segment));
    if (file.size > offset) file.truncate(offset);
    if (cut !== undefined || unsynced.length > 0) {
      for (const each of unsynced) syncSegment(store, each);
      file.syncNow();
      for (const each of removed) store.remove(segmentName(each));
      store.syncFolderNow();
      store.replaceNow(markFile, markBytes(last));
    }
    return new Tail(store, file, segment, entries, last);
  });
  return ledgerOf(settings, lock, tail, found.ledgerId, found.inForce, { resumed: true, ...(cut && { cut }) });
}

function syncSegment(store: Store, segment: number): void {
  const file = store.append(segmentName(segment));
  file.syncNow();
  file.close();
}

/**
 * A folder without a mark: a new one, or one whose first open was interrupted before it handed out a ledger. Then there is a genesis at most;
 * with more than that, the mark was taken away.
 */
async function born(settings: Settings, lock: Lock, segments: readonly number[], random: (size: number) => Uint8Array): Promise<Ledger> {
  const { store, holder, engineId, signer, key, now } = settings;
  const name = segmentName(0);
  const size = store.size(name) ?? 0;
  const ledgerId = new Uint8Array(random(16));
  const prepared = prepareStatement(genesisStatement(engineId, now(), ledgerId), signer);
  const signature = await writingLater(store, signed(signer, prepared.sigStructure));
  const bytes = prepared.finish(signature);
  if (verifierOf(key).verify(prepared.sigStructure, signature) !== undefined) refuse('signer-output', `expected a signature by key ${key.kid}`);
  const whole = segments.length > 0 ? readWholeGenesis(store, holder) : undefined;
  if (segments.length > 1 || (segments[0] ?? 0) !== 0 || size > (whole?.offset ?? bytes.length)) {
    return refuseDamaged(store, markFile, 'expected the mark of what is synced, got none', undefined, { segments: segments.length, bytes: size });
  }
  const last: Mark = whole ?? { segment: 0, start: 0, offset: bytes.length, seq: 0, hash: prepared.hash() };
  const tail = writing(store, () => {
    const file = store.append(name);
    if (whole === undefined) {
      file.truncate(0);
      file.write(bytes);
    }
    file.syncNow();
    store.syncFolderNow();
    store.replaceNow(markFile, markBytes(last));
    return new Tail(store, file, 0, 1, last);
  });
  const cut: Cut | undefined = whole === undefined && size > 0 ? { bytes: size, fromSeq: 0 } : undefined;
  const found = whole === undefined ? hex(ledgerId) : readGenesis(store, segments, holder);
  const id = (): string => found;
  return ledgerOf(settings, lock, tail, id, undefined, { resumed: whole !== undefined, ...(cut && { cut }) });
}

async function signed(signer: Signer | AsyncSigner, message: Uint8Array): Promise<Uint8Array> {
  return signer.sign(message);
}

function ledgerOf(settings: Settings, lock: Lock, tail: Tail, ledgerId: () => string, inForce: Resumed['inForce'], opened: Ledger['opened']): Ledger {
  const { store, signer, key, engineId, durability, rotateAfter, now } = settings;
  const policies = new PolicyFiles(store);
  return new Ledger({ store, lock, tail, policies, signer, key, engineId, ledgerId, inForce, opened, durability, rotateAfter, now });
}

function settingsOf(folder: string, options: OpenLedgerOptions): Settings {
  const { engineId, signer, durability = 'group', rotateAfter = 4_096, check = 'segment', lockTimeout = 10_000, now = Date.now } = options;
  if (typeof engineId !== 'string') throw new TypeError('"engineId" expected a name');
  checkName(engineId);
  if (!durabilities.includes(durability)) throw new TypeError(`"durability" expected ${durabilities.join(', ')}, got ${String(durability)}`);
  if (!checks.includes(check)) throw new TypeError(`"check" expected ${checks.join(', ')}, got ${String(check)}`);
  if (!Number.isSafeInteger(rotateAfter) || rotateAfter < 1) throw new RangeError(`"rotateAfter" expected a number of entries from 1 on, got ${rotateAfter}`);
  if (!(lockTimeout >= 0)) throw new RangeError(`"lockTimeout" expected milliseconds from 0 on, got ${lockTimeout}`);
  const keys = new Map<string, PublicKey>();
  for (const key of [...(signer.key === undefined ? [] : [signer.key]), ...(options.keys ?? [])]) {
    verifierOf(key); // it may come from anywhere
    keys.set(key.kid, key);
  }
  const key = keys.get(hex(signer.kid));
  if (key === undefined) throw new TypeError('"keys" expected the public key of the signer, since the signer does not name it');
  const store = options.store ?? fileStore(folder);
  return { engineId, signer, durability, rotateAfter, check, lockTimeout, now, store, key, holder: { engineId, keys } };
}

/** What the disk refuses to take. */
function writing<T>(store: Store, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw asWriteError(store, error);
  }
}

async function writingLater<T>(store: Store, act: Promise<T>): Promise<T> {
  try {
    return await act;
  } catch (error) {
    throw asWriteError(store, error);
  }
}

function asWriteError(store: Store, cause: unknown): unknown {
  if (cause instanceof RuleprintError) return cause;
  const message = `expected to write in the folder of the ledger, got ${String((cause as { code?: unknown }).code ?? cause)}`;
  return new RuleprintError({ code: 'ledger-write', message, where: { file: store.place } }, { cause });
}
