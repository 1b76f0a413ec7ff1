/**
 * Chains made by hand, for tests that need one to be wrong in exactly one way: statements without seq and prev go in, a signed sequence comes out.
 * @module
 */
import { concat } from '../../src/bytes.js';
import { sha256Text } from '../../src/hash.js';
import { encodeCbor } from '../../src/cose/cbor.js';
import { signSign1 } from '../../src/cose/sign1.js';
import { matchProfile, type Policy } from '../../src/policy/model.js';
import {
  copyTrustStore,
  createSigner,
  importPrivateKey,
  policyDigest,
  type PrivateKey,
  publicJwk,
  receiptHash,
  type Role,
  type TrustStore,
} from '../../src/index.js';
import { bytesSource, type LedgerSource } from '../../src/ledger/source.js';
import { utf8 } from '../../src/bytes.js';

/** Ed25519 keys from labels, so that every run has the same. */
export function keyOf(label: string): PrivateKey {
  const seed = Buffer.from(sha256Text(utf8(`ruleprint test key ${label}`)).slice(7), 'hex');
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]).toString('base64');
  return importPrivateKey(`-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`);
}

export const keys = {
  engine: keyOf('engine'),
  other: keyOf('other engine'),
  installer: keyOf('installer'),
  approver: keyOf('approver'),
  auditor: keyOf('auditor'),
  harness: keyOf('harness'),
};

export interface TrustChanges {
  readonly [role: string]: Readonly<Record<string, unknown>> | undefined;
}

export function trustOf(changes: TrustChanges = {}, more: Readonly<Record<string, unknown>> = {}): TrustStore {
  const entry = (role: Role, key: PrivateKey, engines: readonly string[] = ['engine-a']) => ({
    role,
    engine_ids: engines,
    key: publicJwk(key.public),
    ...changes[role],
  });
  const other = { ...entry('engine', keys.other, ['engine-b']), engine_ids: ['engine-b'] };
  return copyTrustStore({
    keys: [entry('engine', keys.engine), other, ...(['installer', 'approver', 'auditor', 'harness'] as const).map((role) => entry(role, keys[role]))],
    ...more,
  });
}

export function sign(statement: Record<string, unknown>, key: PrivateKey): Uint8Array {
  return signSign1(encodeCbor(statement as never), createSigner(key), { typ: 'application/ruleprint+cose' });
}

export const ledgerId = new Uint8Array(16).fill(7);
export const startTime = 1_790_000_000_000;

/** A chain of one engine: `add` gives each entry its seq and prev. */
export class ChainKit {
  readonly entries: Uint8Array[] = [];
  readonly engineId: string;
  readonly #key: PrivateKey;
  time = startTime;

  constructor(engineId = 'engine-a', key = keys.engine) {
    this.engineId = engineId;
    this.#key = key;
  }

  add(statement: Record<string, unknown>, key = this.#key): string {
    const seq = this.entries.length;
    const last = this.entries.at(-1);
    const prev = last === undefined ? {} : { prev: receiptHash(last) };
    const fields = Object.entries({ engine_id: this.engineId, time: this.time++, seq, ...prev, ...statement });
    // a field that is undefined is left off
    const bytes = sign(Object.fromEntries(fields.filter(([, value]) => value !== undefined)), key);
    this.entries.push(bytes);
    return receiptHash(bytes);
  }

  genesis(id = ledgerId): string {
    return this.add({ statement: 'genesis', ledger_id: id });
  }

  install(policy: Policy, rest: Record<string, unknown> = {}): string {
    return this.add({ statement: 'install', policy_version: policy.version, policy_digest: policyDigest(policy), match_profile: matchProfile, ...rest });
  }

  decision(rest: Record<string, unknown>, key = this.#key): string {
    const actions = [{ tool: { name: 'read', server: 'files' } }];
    return this.add({ statement: 'decision', agent: 'builder', actions, ...rest }, key);
  }

  /** Takes in a statement by another key. Gives the hash of the statement itself. */
  record(statement: Record<string, unknown>, key: PrivateKey): string {
    const recorded = sign({ engine_id: this.engineId, time: this.time, ...statement }, key);
    this.add({ statement: 'record', recorded });
    return receiptHash(recorded);
  }

  checkpoint(seq: number, rest: Record<string, unknown> = {}, key = keys.auditor): Uint8Array {
    const hash = receiptHash(this.entries[seq] as Uint8Array);
    return sign({ statement: 'checkpoint', engine_id: this.engineId, time: this.time, ledger_id: ledgerId, seq, receipt_hash: hash, ...rest }, key);
  }

  source(policies?: Iterable<Policy>): LedgerSource {
    return folderOf(this.entries, policies);
  }
}

/** Entries as a folder in memory. */
export function folderOf(entries: readonly Uint8Array[], policies?: Iterable<Policy>): LedgerSource {
  const source = bytesSource('ledger', concat(...entries));
  return { ...source, kind: 'folder', ...(policies && { policies }) };
}
