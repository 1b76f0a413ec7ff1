/**
 * One writer at a time (LED-7): a file that is made with its content in one step, waited for, and taken away only from the dead.
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { equalBytes, utf8 } from '../bytes.js';
import { quote, refuse } from '../errors.js';
import { sha256Text } from '../hash.js';
import { readJson } from '../policy/json.js';
import { checkDocument } from '../policy/door.js';
import { integer, object, type Shape, text } from '../shape.js';
import { lockFile, stealFile } from './layout.js';
import { isProvablyDead, type Owner, thisProcess } from './owner.js';
import type { Lock, Store } from './store.js';

const maxBytes = 4_096;
const shortestWaitMs = 2;
const longestWaitMs = 25;

const ownerShape: Shape = object('an owner', {
  host: text('a host name'),
  boot_id: text('a boot id'),
  pid_space: text('a counting of pids'),
  pid: integer(1, Number.MAX_SAFE_INTEGER),
  start: text('a start time'),
});

/**
 * Waits until the lock is ours.
 *
 * @throws RuleprintError `ledger-locked` with the owner as evidence, after `timeoutMs`
 */
export async function acquireLock(store: Store, timeoutMs: number): Promise<Lock> {
  const own = utf8(JSON.stringify(thisProcess()));
  const deadline = performance.now() + timeoutMs;
  while (!store.create(lockFile, own)) {
    const holder = store.read(lockFile, maxBytes);
    if (holder === undefined) continue; // released in between
    if (isDead(holder) && takeAway(store, holder, own)) continue;
    if (performance.now() >= deadline) refuseLocked(store, holder, timeoutMs);
    await sleep(shortestWaitMs + Math.random() * (longestWaitMs - shortestWaitMs));
  }
  sweep(store);
  return {
    release: () => {
      if (isSame(store.read(lockFile, maxBytes), own)) store.remove(lockFile);
    },
  };
}

/** Under a second lock, so that nobody takes away the lock of one who came first; that one may be left by a dead process too. False: wait. */
function takeAway(store: Store, dead: Uint8Array, own: Uint8Array): boolean {
  if (!store.create(stealFile, own)) return breakSteal(store, own);
  // INVARIANT (one taker): here nobody but us removes a lock that is not their own, so what is read is what is removed
  if (isSame(store.read(lockFile, maxBytes), dead)) store.remove(lockFile);
  store.remove(stealFile);
  return true;
}

function breakSteal(store: Store, own: Uint8Array): boolean {
  const holder = store.read(stealFile, maxBytes);
  if (holder === undefined || !isDead(holder)) return false;
  const aside = `${stealFile}.${sha256Text(own).slice(-16)}`;
  if (!store.rename(stealFile, aside)) return false;
  const taken = store.read(aside, maxBytes);
  // another was quicker, and this one is alive: it gets it back
  if (taken !== undefined && !isSame(taken, holder)) store.create(stealFile, taken);
  store.remove(aside);
  return true;
}

/** What processes left that died while they made or took a lock. */
function sweep(store: Store): void {
  for (const name of store.list()) {
    if (!/^lock(\.steal)?\.[0-9a-f]{16}$/.test(name)) continue;
    const left = store.read(name, maxBytes);
    if (left !== undefined && isDead(left)) store.remove(name);
  }
}

function refuseLocked(store: Store, holder: Uint8Array, waitedMs: number): never {
  const owner = ownerIn(holder);
  const who = owner === undefined ? 'what its lock does not name' : `process ${owner.pid} of ${quote(owner.host)}`;
  refuse('ledger-locked', `expected to be the one writer of the ledger within ${waitedMs} ms, it is held by ${who}`, {
    where: { file: `${store.place}/${lockFile}` },
    hint: 'wait for that process or stop it; remove the file only when it is certain that it has ended',
    evidence: { waitedMs, ...(owner && { owner }) },
  });
}

function isDead(holder: Uint8Array): boolean {
  const owner = ownerIn(holder);
  return owner !== undefined && isProvablyDead(owner);
}

/** Undefined where a lock does not say whose it is: nobody can prove that one dead. */
function ownerIn(bytes: Uint8Array): Owner | undefined {
  const result = checkDocument(bytes, { format: 'json' }, readJson, ownerShape, (value) => ({ owner: value as Owner }));
  return 'owner' in result ? result.owner : undefined;
}

function isSame(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && equalBytes(a, b);
}
