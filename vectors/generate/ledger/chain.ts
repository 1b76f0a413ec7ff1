/**
 * What the ledger vectors are put together from: keys, policies, chains whose entries take their seq and prev when they are added, trust stores,
 * and the case of a verifier's answer. A chain is made good, and wrong in one place by who adds to it or changes its entries.
 * @module
 */
import type { CborInput } from '../../../src/cose/cbor.js';
import { policyDigest } from '../../../src/digest/digest.js';
import type { Policy } from '../../../src/policy/model.js';
import { receiptHash } from '../../../src/receipt/read.js';
import type { Case, Fields, Json, Rest } from '../kit.js';
import {
  auditorKey,
  bytesOf,
  cbor,
  engineKey,
  engineKeyP256,
  keyOf,
  message,
  otherKey,
  policyA as rulesOfReceipts,
  readAction,
  time as startTime,
  trusted,
  type VectorKey,
} from '../receipt/parts.js';

// ---- Keys

export const secondKey = keyOf('Ed25519', 'ruleprint vectors: engine-a, second Ed25519');
export const installerKey = keyOf('Ed25519', 'ruleprint vectors: installer, Ed25519');
export const approverKey = keyOf('Ed25519', 'ruleprint vectors: approver, Ed25519');
export const harnessKey = keyOf('Ed25519', 'ruleprint vectors: harness, Ed25519');
export const strangerKey = keyOf('Ed25519', 'ruleprint vectors: in no trust store, Ed25519');
export { auditorKey, engineKey, engineKeyP256, otherKey };

// ---- Policies

export const digest = (policy: Fields): string => policyDigest(policy as unknown as Policy);

const [noKeys, askWrite, readSrv] = rulesOfReceipts['rules'] as readonly Json[] as [Json, Json, Json];
/** Reads below /srv are allowed, writes are asked. */
export const policyA: Fields = { version: 1, rules: [noKeys, askWrite, readSrv] };
/** The next one: writes are no longer asked, so there is no rule for them. */
export const policyB: Fields = { version: 2, rules: [noKeys, readSrv] };
export const digestA = digest(policyA);
export const digestB = digest(policyB);
export const profile = 'ruleprint-match/1';

// ---- Statements

/** A member that is undefined is left out. */
export type Said = { readonly [key: string]: CborInput | undefined };

/** What a decision cites, and an install puts in force. */
export const citesA = { policy_version: 1, policy_digest: digestA, match_profile: profile };
export const citesB = { policy_version: 2, policy_digest: digestB, match_profile: profile };
export const noPolicy: Said = { policy_version: undefined, policy_digest: undefined, match_profile: undefined };

export const hashOf = (digit: string): string => `sha256:${digit.repeat(64)}`;
export const args = hashOf('a');
export const ledgerId = bytesOf('000102030405060708090a0b0c0d0e0f');
export const otherLedgerId = bytesOf('f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff');

export const writeAction: Json = { filesystem: { path: '/srv/a.txt', method: 'write' } };
export const keysAction: Json = { filesystem: { path: '/srv/keys/k', method: 'read' } };
export const allows: Said = { actions: [readAction] as never, decision: { effect: 'allow', rule: 'read-srv', action: 0 } };
export const asks: Said = { actions: [writeAction] as never, decision: { effect: 'ask', rule: 'ask-write', action: 0 }, args_digest: args };
export const refuses: Said = { actions: [readAction] as never, decision: { effect: 'deny', reason: 'no-policy' } };

const present = (said: Said): { readonly [key: string]: CborInput } =>
  Object.fromEntries(Object.entries(said).filter((entry): entry is [string, CborInput] => entry[1] !== undefined));

/** A whole receipt of any statement, as hex. */
export function receiptOf(said: Said, key: VectorKey): string {
  return message({ key, payload: cbor(present(said)) });
}
export const hashOfReceipt = (receipt: string): string => receiptHash(bytesOf(receipt));

// ---- Chains

export interface ChainOptions {
  readonly engine?: string;
  readonly key?: VectorKey;
  /** How far the clock goes on for each entry, in milliseconds. */
  readonly step?: number;
  /** How a receipt is made of a statement; COSE_Sign1 with the key's own algorithm unless another is given. */
  readonly make?: (said: Said, key: VectorKey) => string;
}

/** A chain of one engine. Unless told otherwise the clock goes on by a millisecond for each entry: the one at seq n has the time `startTime + n`. */
export class Chain {
  readonly entries: string[] = [];
  readonly engine: string;
  readonly #key: VectorKey;
  readonly #step: number;
  readonly #make: (said: Said, key: VectorKey) => string;

  constructor({ engine = 'engine-a', key = engineKey, step = 1, make = receiptOf }: ChainOptions = {}) {
    this.engine = engine;
    this.#key = key;
    this.#step = step;
    this.#make = make;
  }

  /** The time of the next entry. */
  get now(): number {
    return startTime + this.#step * this.entries.length;
  }

  /** Adds a statement with the next seq and the hash of the last entry, unless it says others. Gives its receipt hash. */
  add(said: Said, key = this.#key): string {
    const seq = this.entries.length;
    const last = this.entries.at(-1);
    const prev = last === undefined ? undefined : hashOfReceipt(last);
    const entry = this.#make({ engine_id: this.engine, time: this.now, seq, prev, ...said }, key);
    this.entries.push(entry);
    return hashOfReceipt(entry);
  }

  genesis(said: Said = {}, key = this.#key): string {
    return this.add({ statement: 'genesis', ledger_id: ledgerId, ...said }, key);
  }

  /** Installs the first policy, unless it says another. */
  install(said: Said = {}, key = this.#key): string {
    return this.add({ statement: 'install', ...citesA, ...said }, key);
  }

  /** Installs the second policy after the first. */
  installNext(said: Said = {}, key = this.#key): string {
    return this.install({ ...citesB, replaces: digestA, ...said }, key);
  }

  /** A decision under the first policy: allows a read, unless it says otherwise. */
  decide(said: Said = {}, key = this.#key): string {
    return this.add({ statement: 'decision', agent: 'builder', ...allows, ...citesA, ...said }, key);
  }

  ask(said: Said = {}, key = this.#key): string {
    return this.decide({ ...asks, ...said }, key);
  }

  /** Takes any bytes into the chain, whatever they are. */
  take(recorded: string, key = this.#key): void {
    this.add({ statement: 'record', recorded: bytesOf(recorded) }, key);
  }

  /** Takes a receipt by another key into the chain. Gives the hash of that receipt. */
  record(recorded: string): string {
    this.take(recorded);
    return hashOfReceipt(recorded);
  }

  release(ask: string, approval: string, said: Said = {}): string {
    return this.add({ statement: 'release', ask, approval, ...said });
  }

  /** A statement by another key about this engine, made when the next entry is. */
  said(said: Said, key: VectorKey): string {
    return receiptOf({ engine_id: this.engine, time: this.now, ...said }, key);
  }

  authorization(said: Said = {}, key = installerKey): string {
    return this.said({ statement: 'authorization', policy_version: 1, policy_digest: digestA, ...said }, key);
  }

  approval(ask: string, said: Said = {}, key = approverKey): string {
    const rest = { args_digest: args, approved: true, expires: startTime + 1000, approver: 'someone' };
    return this.said({ statement: 'approval', ask, ...rest, ...said }, key);
  }

  checkpoint(seq: number, said: Said = {}, key = auditorKey): string {
    const entry = this.entries[seq];
    const receipt_hash = entry === undefined ? undefined : hashOfReceipt(entry);
    return this.said({ statement: 'checkpoint', ledger_id: ledgerId, seq, receipt_hash, ...said }, key);
  }

  hash(seq: number): string {
    return hashOfReceipt(this.entries[seq] as string);
  }
}

/** 0 genesis, 1 install, 2 allow: what most cases change. */
export function shortChain(options: ChainOptions = {}): Chain {
  const chain = new Chain(options);
  chain.genesis();
  chain.install();
  chain.decide();
  return chain;
}

/** The same and more of the like, up to a number of entries. */
export function chainOf(length: number, options: ChainOptions = {}): Chain {
  const chain = shortChain(options);
  while (chain.entries.length < length) chain.decide();
  return chain;
}

/** 0 genesis, 1 install, 2 ask: a release and what it rests on follow. */
export function askedChain(said: Said = {}): { readonly chain: Chain; readonly ask: string } {
  const chain = new Chain();
  chain.genesis();
  chain.install();
  return { chain, ask: chain.ask(said) };
}

// ---- Trust stores

interface Stored {
  readonly engine?: Fields;
  readonly other?: Fields;
  readonly installer?: Fields;
  readonly approver?: Fields;
  readonly auditor?: Fields;
}

const both = ['engine-a', 'engine-b'];

/** Engine, installer, approver and auditor of engine-a, and the key of engine-b. Changes go over the entries of their role; `more` stands behind them. */
export function trustOf({ engine, other, installer, approver, auditor }: Stored = {}, more: readonly Fields[] = [], rest: Fields = {}): Fields {
  return {
    keys: [
      trusted(engineKey, engine),
      trusted(otherKey, { engine_ids: ['engine-b'], ...other }),
      trusted(installerKey, { role: 'installer', ...installer }),
      trusted(approverKey, { role: 'approver', engine_ids: both, ...approver }),
      trusted(auditorKey, { role: 'auditor', engine_ids: both, ...auditor }),
      ...more,
    ],
    ...rest,
  };
}
export { startTime, trusted, type VectorKey };

// ---- Answers

const axisNames = ['bytes', 'signature', 'key-trust', 'order', 'completeness', 'timeline', 'rules', 're-decision', 'approvals', 'findings', 'mapping'] as const;
type Axis = (typeof axisNames)[number];
const statuses = { '+': 'pass', '-': 'fail', '.': 'not-checked' } as const;

/**
 * All axes in their order: `+` passes, `-` fails, `.` is not checked. Four groups for the eye: bytes, signature, key trust; order, completeness;
 * timeline, rules, re-decision; approvals; findings. What is left off at the end is not checked.
 */
function axes(signs: string): Fields {
  const compact = signs.replaceAll(' ', '').padEnd(axisNames.length, '.');
  if (compact.length !== axisNames.length) throw new RangeError(`expected signs for the axes, got "${signs}"`);
  return Object.fromEntries(axisNames.map((axis, i) => [axis, statuses[compact[i] as keyof typeof statuses]]));
}

/** Where a problem stands: an entry by its engine and seq. What the chapter does not fix is left out. */
interface At {
  readonly engine?: string;
  readonly seq?: number;
}

const found =
  (status: 'fail' | 'not-checked' | 'note') =>
  (axis: Axis, code: string, at: number | At = {}): Fields => {
    const { engine, seq } = typeof at === 'number' ? { engine: 'engine-a', seq: at } : at;
    return { axis, code, status, ...(engine !== undefined && { engine }), ...(seq !== undefined && { seq }) };
  };
export const fails = found('fail');
export const open = found('not-checked');
export const notes = found('note');

/** The answers that most cases expect. */
export const passes = '+++ +. +++ +';
export const passesAll = '+++ ++ +++ +';
export const bytesFail = '-.. .. ... .';
export const statementFails = '-+. .. ... .';
export const signatureFails = '+-. .. ... .';
export const keyUnknown = '+.- .. ... .';
export const keyTrustFails = '++- +. +.. +';
export const keyTrustOpen = '++. +. +++ +';
export const orderFails = '+++ -. ... .';
export const completenessFails = '+++ +- +++ +';
export const timelineFails = '+++ +. -.. +';
export const reDecisionFails = '+++ +. ++- +';
export const approvalsFail = '+++ +. +++ -';

export interface Answer extends Rest {
  /** The report is good where no problem is more than a note, unless said otherwise. */
  readonly ok?: boolean;
  /** See `axes`. */
  readonly axes: string;
  readonly problems?: readonly Fields[];
}

export interface Asked {
  readonly kind?: 'folder' | 'file';
  readonly trust?: Fields;
  /** Null: none are given, and nobody asks for rules. */
  readonly policies?: readonly Fields[] | null;
  readonly checkpoints?: readonly string[];
  readonly durable?: Fields;
  readonly require?: readonly Axis[] | null;
  readonly engines?: readonly string[];
  readonly algorithms?: readonly string[];
  /** Raw arguments of calls, each with the hash of the receipt about it. */
  readonly args?: readonly Fields[];
}

/** What a verifier answers to segments of entries. Approvals are asked for, since nothing else does. */
export function verified(id: string, comment: string, segments: readonly (readonly Json[])[], asked: Asked, answer: Answer): Case {
  const { kind = 'folder', trust = trustOf(), policies = [policyA, policyB], checkpoints, durable, engines, algorithms, args: raw } = asked;
  const { require = ['approvals'] } = asked;
  const { axes: signs, problems = [], flags = [] } = answer;
  const input: Fields = {
    segments_hex: segments,
    ...(durable !== undefined && { durable }),
    kind,
    trust,
    ...(policies !== null && { policies }),
    ...(checkpoints !== undefined && { checkpoints_hex: checkpoints }),
    ...(require !== null && { require }),
    ...(engines !== undefined && { expect_engines: engines }),
    ...(algorithms !== undefined && { also_algorithms: algorithms }),
    ...(raw !== undefined && { args: raw }),
  };
  const ok = answer.ok ?? problems.every(({ status }) => status === 'note');
  return { id, comment, flags, input, expect: { ok, axes: axes(signs), problems } };
}

/** The same for one segment. */
export function chainCase(id: string, comment: string, entries: readonly Json[], answer: Answer, asked: Asked = {}): Case {
  return verified(id, comment, [entries], asked, answer);
}
