/**
 * The writer of a ledger (spec/ledger.md, LED-4, LED-5): takes seq and prev at once, in the order of the calls, whatever time the signer takes.
 *
 * Long because one class owns the state of a writer, and what holds between its fields holds across all of its methods.
 * @module
 */
import { type PublicKey, verifierOf } from '../cose/keys.js';
import type { PreparedSign1 } from '../cose/sign1.js';
import type { AsyncSigner, Signer } from '../cose/signer.js';
import { isProblem } from '../cose/walk.js';
import type { AuditEvent } from '../engine/engine.js';
import { type Problem, quote, refuse, RuleprintError } from '../errors.js';
import { copyPlain } from '../policy/plain.js';
import { limits } from '../limits.js';
import { entryHash, ownSeq, readEntry } from '../receipt/entry.js';
import { isPlain, preparePlain } from '../receipt/decided.js';
import { type CallFacts, decisionStatement, prepareStatement } from '../receipt/issue.js';
import type { DecisionStatement, GenesisStatement, InForce, InstallStatement, RecordStatement, ReleaseStatement } from '../receipt/statement.js';
import { Chain } from './chain.js';
import { Commit, Deferred } from './commit.js';
import type { PolicyFiles } from './policy-files.js';
import type { Cut } from './resume.js';
import type { Lock, Store } from './store.js';
import type { Tail } from './tail.js';

/**
 * When an entry is synced: many together, right after they were written (`group`); each before `append` returns (`every`); only by `sync`,
 * `rotate` and `close` (`none`).
 */
export const durabilities = ['group', 'every', 'none'] as const;
export type Durability = (typeof durabilities)[number];

type Unchained<S> = S extends unknown ? Omit<S, 'seq' | 'prev'> : never;

/** What can be appended: a statement of this engine that has no place in the chain yet. Its time was captured when it came about. */
export type EntryStatement = Unchained<DecisionStatement | InstallStatement | ReleaseStatement | RecordStatement>;

/** An entry that has its place in the chain. */
export interface Appended {
  readonly seq: number;
  /** The receipt hash. */
  readonly hash: string;
  /** Signed and written: it survives the end of the process. With a signer that answers at once this is so when the call returns. */
  readonly recorded: Promise<void>;
  /** Synced: it survives loss of power. With the durability `none` nobody waits for that, and this is `recorded`. */
  readonly durable: Promise<void>;
}

/** A receipt by another key that was taken in. */
export interface AppendedRecord extends Appended {
  /** By which later entries cite it. */
  readonly recordedHash: string;
}

/** How a ledger was found. */
export interface Opened {
  /** False where it was begun. */
  readonly resumed: boolean;
  /** What a process or a machine that stopped left unfinished (LED-6). */
  readonly cut?: Cut;
}

/** What a ledger is opened with, and what was found. Internal: `openLedger` makes ledgers. */
export interface LedgerParts {
  readonly store: Store;
  readonly lock: Lock;
  readonly tail: Tail;
  readonly policies: PolicyFiles;
  readonly signer: Signer | AsyncSigner;
  readonly key: PublicKey;
  readonly engineId: string;
  readonly ledgerId: () => string;
  readonly inForce: InForce | undefined;
  readonly opened: Opened;
  readonly durability: Durability;
  readonly rotateAfter: number;
  readonly now: () => number;
}

/** An entry whose signature is on its way, or that waits for one before it. */
interface Unsigned {
  readonly seq: number;
  readonly hash: string;
  readonly prepared: PreparedSign1;
  readonly recorded: Deferred;
  signature?: Uint8Array;
  durable?: Promise<void>;
}

/** Appends what an engine has just decided. As `append`, and faster for an event of our own. Internal. */
export let appendDecided: (ledger: Ledger, event: AuditEvent, facts: CallFacts) => Appended;

export class Ledger {
  static {
    appendDecided = (ledger, event, facts) => ledger.#appendDecided(event, facts);
  }

  readonly engineId: string;
  readonly opened: Opened;
  /** Of the key that signs: 64 lower-case hex digits. */
  readonly kid: string;
  /** The policies beside the entries. */
  readonly policies: PolicyFiles;
  readonly now: () => number;
  readonly #ledgerId: () => string;
  readonly #store: Store;
  readonly #lock: Lock;
  readonly #tail: Tail;
  readonly #commit: Commit;
  readonly #signer: Signer | AsyncSigner;
  readonly #durability: Durability;
  readonly #rotateAfter: number;
  /** The judge of the verifier, for what the last install put in force. */
  readonly #chain = new Chain();
  #inForce: InForce | undefined;
  #nextSeq: number;
  #lastHash: string;
  readonly #unsigned: Unsigned[] = [];
  /** The entry before which a segment is to begin. */
  #rotateAt: number | undefined;
  /** Until the first signature of this signer was found good. */
  #unprovenKey: PublicKey | undefined;
  #failure: RuleprintError | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: LedgerParts) {
    this.engineId = parts.engineId;
    this.#ledgerId = parts.ledgerId;
    this.opened = parts.opened;
    this.kid = parts.key.kid;
    this.policies = parts.policies;
    this.now = parts.now;
    this.#store = parts.store;
    this.#lock = parts.lock;
    this.#tail = parts.tail;
    this.#signer = parts.signer;
    this.#durability = parts.durability;
    this.#rotateAfter = parts.rotateAfter;
    this.#unprovenKey = parts.key;
    this.#commit = new Commit(parts.store, parts.tail, parts.durability === 'every', (cause) => void this.#fail('sync', cause));
    this.#nextSeq = parts.tail.last.seq + 1;
    this.#lastHash = parts.tail.last.hash;
    if (parts.inForce !== undefined) this.#putInForce(parts.inForce);
  }

  /** 32 lower-case hex digits: what checkpoints name. */
  get ledgerId(): string {
    return this.#ledgerId();
  }

  /** The last entry that has its place, recorded or not. */
  get last(): { readonly seq: number; readonly hash: string } {
    return { seq: this.#nextSeq - 1, hash: this.#lastHash };
  }

  /** The seq up to which entries are recorded. */
  get recordedTo(): number {
    return this.#tail.last.seq;
  }

  /** What the last install put in force. */
  get inForce(): InForce | undefined {
    return this.#inForce;
  }

  /**
   * Appends an entry. Its place in the chain is taken before the call returns (LED-4), and with a signer that answers at once it is recorded
   * by then. A failure of disk or signer is final: the ledger takes nothing more, and acknowledges nothing.
   *
   * @throws RuleprintError `ledger-closed`, `ledger-write`; `ledger-engine` for a statement of another engine; for what its verifier would refuse
   *   its code: nothing has happened then
   * @example
   * const { seq, durable } = ledger.append(decisionStatement(event));
   * await durable;
   */
  append(statement: EntryStatement): Appended {
    this.#checkOpen();
    const own = copyStatement(statement);
    this.#checkStatement(own);
    const appended = this.#appendChecked(own);
    if (own.statement === 'install') this.#putInForce(own);
    return appended;
  }

  #appendChecked(statement: EntryStatement): Appended {
    return this.#append((seq, prev) => prepareStatement({ seq, prev, ...statement }, this.#signer));
  }

  #appendDecided(event: AuditEvent, facts: CallFacts): Appended {
    if (!isPlain(event, facts) || !this.#isCited(event)) return this.append(decisionStatement(event, facts));
    this.#checkOpen();
    return this.#append((seq, prev) => preparePlain(event, facts, seq, prev, this.#signer));
  }

  #append(prepare: (seq: number, prev: string) => PreparedSign1): Appended {
    const seq = this.#nextSeq;
    const prepared = prepare(seq, this.#lastHash);
    const hash = prepared.hash();
    this.#nextSeq = seq + 1;
    this.#lastHash = hash;
    const signature = this.#sign(prepared);
    if (isPending(signature) || this.#unsigned.length > 0) return this.#wait({ seq, hash, prepared, recorded: new Deferred() }, signature);
    return { seq, hash, recorded: done, durable: this.#write(seq, hash, prepared, signature) };
  }

  /**
   * Takes a receipt by another key into the chain (LED-2). Whether its signature is good and its key may say so is for who relies on it.
   *
   * @throws RuleprintError as `append`; `limit`, `record-kind`, `record-engine`, the codes of steps 1 to 8 of the verifier
   */
  record(receipt: Uint8Array): AppendedRecord {
    if (!(receipt instanceof Uint8Array)) throw new TypeError('"receipt" expected a Uint8Array');
    this.#checkOpen();
    const recorded = new Uint8Array(receipt);
    const recordedHash = this.#checkRecorded(recorded);
    return { ...this.#appendChecked({ statement: 'record', engine_id: this.engineId, time: this.now(), recorded }), recordedHash };
  }

  /**
   * Begins a segment: what is appended from now on goes there (LED-9). Nothing happens where the last one has no entry yet.
   *
   * @returns when all before it is durable and the segment is there
   */
  async rotate(): Promise<void> {
    this.#checkOpen();
    this.#rotateAt = this.#nextSeq;
    this.#beginIfDue();
    await this.sync();
  }

  /** Resolves when all that was appended before the call is durable. */
  async sync(): Promise<void> {
    this.#checkOpen();
    await this.#unsigned.at(-1)?.recorded.promise;
    await this.#commit.all();
  }

  /**
   * Makes everything durable and lets go of the folder.
   *
   * @throws RuleprintError `ledger-write` (rejected): the ledger had failed, or does now
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      await this.#unsigned.at(-1)?.recorded.promise;
      await this.#commit.all();
    } finally {
      await this.#commit.idle();
      this.#tail.close();
      this.#lock.release();
    }
  }

  #checkOpen(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#closing !== undefined) refuse('ledger-closed', 'expected an open ledger, got one that was closed', { where: { file: this.#store.place } });
  }

  /** What would make an honest ledger look like another (LED-1, LED-4, LED-14). */
  #checkStatement(statement: EntryStatement): void {
    const { engine_id: engineId } = statement;
    if ('seq' in statement || 'prev' in statement) throw new TypeError('"statement" expected no seq and no prev: the ledger gives them');
    if (engineId !== this.engineId) {
      refuse('ledger-engine', `expected a statement of engine ${quote(this.engineId)}, got one of ${quote(String(engineId))}`, {
        where: { pointer: '/engine_id' },
      });
    }
    switch (statement.statement) {
      case 'decision': {
        const fault = this.#chain.cites(statement);
        if (fault !== undefined) refuse(fault.code, fault.message);
        return;
      }
      case 'install':
        return this.#checkInstall(statement);
      case 'record':
        return void this.#checkRecorded(statement.recorded);
      case 'release':
        return;
      default:
        throw new TypeError(
          `"statement" expected a decision, an install, a release or a record, got ${String((statement as { statement?: unknown }).statement)}`,
        );
    }
  }

  /** The same, without saying what is wrong. */
  #isCited({ engineId, policyVersion, policyDigest, matchProfile }: AuditEvent): boolean {
    const { policy_version: version, policy_digest: digest, match_profile: profile } = this.#inForce ?? {};
    return engineId === this.engineId && policyVersion === version && policyDigest === digest && matchProfile === profile;
  }

  #checkInstall({ policy_version: version, replaces }: Unchained<InstallStatement>): void {
    const { policy_version: current = 0, policy_digest: digest } = this.#inForce ?? {};
    if (version <= current) refuse('install-not-rising', `expected a version above ${current}, got ${version}`);
    if (replaces !== digest) refuse('install-replaces', 'expected replaces to name the digest that is in force');
  }

  #checkRecorded(receipt: Uint8Array): string {
    const where = { pointer: '/recorded' };
    const { recordedBytes: max } = limits;
    if (receipt.length > max) refuse('limit', `expected a receipt of at most ${max} bytes, got ${receipt.length}`, { where });
    const entry = readEntry(receipt);
    const problem: Problem | undefined = isProblem(entry) ? entry : entry.problems[0];
    if (problem !== undefined) throw new RuleprintError({ ...problem, where: { ...problem.where, ...where } });
    const statement = isProblem(entry) ? undefined : entry.statement;
    if (isProblem(entry) || statement === undefined) throw new TypeError('"receipt" expected a statement');
    if (statement.statement === 'decision' || ownSeq(statement) !== undefined) {
      refuse('record-kind', `expected a statement by another key, got a ${statement.statement}`, { where });
    }
    if (statement.engine_id !== this.engineId) refuse('record-engine', `expected a statement about engine ${quote(this.engineId)}`, { where });
    return entryHash(entry);
  }

  #putInForce({ policy_version, policy_digest, match_profile }: InForce): void {
    this.#inForce = {
      ...(policy_version !== undefined && { policy_version }),
      ...(policy_digest !== undefined && { policy_digest }),
      ...(match_profile !== undefined && { match_profile }),
    };
    this.#chain.install({ ...this.#inForce, statement: 'install', engine_id: this.engineId, time: 0 } as InstallStatement, false);
  }

  #sign(prepared: PreparedSign1): Uint8Array | Promise<Uint8Array> {
    try {
      return this.#signer.sign(prepared.sigStructure);
    } catch (cause) {
      throw this.#fail('sign', cause);
    }
  }

  #write(seq: number, hash: string, prepared: PreparedSign1, signature: Uint8Array): Promise<void> {
    const bytes = this.#finish(prepared, signature);
    try {
      if (this.#tail.entries >= this.#rotateAfter) this.#tail.begin(seq);
      this.#tail.write(bytes, seq, hash);
      this.#beginIfDue();
      return this.#makeDurable();
    } catch (cause) {
      throw this.#fail('write', cause);
    }
  }

  #makeDurable(): Promise<void> {
    if (this.#durability === 'group') return this.#commit.soon();
    if (this.#durability === 'every') this.#commit.now();
    else this.#commit.note();
    return done;
  }

  #finish(prepared: PreparedSign1, signature: Uint8Array): Uint8Array {
    try {
      const bytes = prepared.finish(signature);
      const key = this.#unprovenKey;
      // a wrong key in a deployment shows nowhere else before the next start, which would cut what it signed
      if (key !== undefined && verifierOf(key).verify(prepared.sigStructure, signature) !== undefined) {
        refuse('signer-output', `expected a signature by key ${key.kid}, got one that does not verify`);
      }
      this.#unprovenKey = undefined;
      return bytes;
    } catch (cause) {
      throw this.#fail('sign', cause);
    }
  }

  #beginIfDue(): void {
    if (this.#rotateAt === undefined || this.#rotateAt !== this.#tail.last.seq + 1) return;
    this.#rotateAt = undefined;
    if (this.#tail.entries === 0) return;
    try {
      this.#tail.begin(this.#tail.last.seq + 1);
      this.#commit.note();
    } catch (cause) {
      throw this.#fail('write', cause);
    }
  }

  #wait(entry: Unsigned, signature: Uint8Array | Promise<Uint8Array>): Appended {
    this.#unsigned.push(entry);
    Promise.resolve(signature).then(
      (bytes) => {
        entry.signature = bytes;
        this.#writeSigned();
      },
      (cause) => this.#fail('sign', cause),
    );
    const { promise: recorded } = entry.recorded;
    const durable = recorded.then(() => entry.durable);
    durable.catch(() => undefined); // nobody need look at it
    return { seq: entry.seq, hash: entry.hash, recorded, durable };
  }

  /** Writes what is signed, in the order of seq. */
  #writeSigned(): void {
    for (let entry = this.#unsigned[0]; entry?.signature !== undefined && this.#failure === undefined; entry = this.#unsigned[0]) {
      const { seq, hash, prepared, signature, recorded } = entry;
      try {
        entry.durable = this.#write(seq, hash, prepared, signature);
      } catch {
        return; // the ledger has failed, and with it what waits
      }
      this.#unsigned.shift();
      recorded.resolve();
    }
  }

  /** Final: whether what was written last is whole is not known, so nothing may be written behind it. */
  #fail(what: 'sign' | 'write' | 'sync', cause: unknown): RuleprintError {
    if (this.#failure !== undefined) return this.#failure;
    const { code, message } = cause as { code?: unknown; message?: unknown };
    this.#failure = new RuleprintError(
      {
        code: 'ledger-write',
        message: `expected to ${what} an entry, got ${quote(String(code ?? message))}`,
        where: { file: this.#store.place },
        hint: 'close the ledger, mend what is wrong and open it again: what was acknowledged is there',
      },
      { cause },
    );
    this.#commit.fail(this.#failure);
    for (const { recorded } of this.#unsigned) recorded.reject(this.#failure);
    return this.#failure;
  }
}

const done: Promise<void> = Promise.resolve();

/** The caller's statement may hold live objects: what is judged must be what is signed. */
function copyStatement(statement: EntryStatement): EntryStatement {
  const { recorded, ...rest } = statement as Unchained<RecordStatement>;
  const copy = copyPlain(rest) as EntryStatement;
  return recorded === undefined ? copy : ({ ...copy, recorded: new Uint8Array(recorded) } as EntryStatement);
}

function isPending(signature: Uint8Array | Promise<Uint8Array>): signature is Promise<Uint8Array> {
  return typeof (signature as Partial<Promise<Uint8Array>> | undefined)?.then === 'function';
}

/** The first entry of a chain. */
export function genesisStatement(engineId: string, time: number, ledgerId: Uint8Array): GenesisStatement {
  return { seq: 0, time, engine_id: engineId, ledger_id: ledgerId, statement: 'genesis' };
}
