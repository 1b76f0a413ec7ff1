/**
 * Ledgers for the tests of the command: begun by its own commands, and by the library where no command says it.
 * @module
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { concat } from '../../src/bytes.js';
import { encodeCbor } from '../../src/cose/cbor.js';
import { importPrivateKey, type PrivateKey } from '../../src/cose/keys.js';
import { signSign1 } from '../../src/cose/sign1.js';
import { createSigner } from '../../src/cose/signer.js';
import { openEngine } from '../../src/ledger/engine.js';
import { openLedger } from '../../src/ledger/open.js';
import { itemsOf } from '../../src/ledger/source.js';
import { receiptType } from '../../src/receipt/profile.js';
import { readReceipt, receiptHash } from '../../src/receipt/read.js';
import { type Around, cli, newFolder, type Ran, textIn } from './cli.js';

/** What agents ask for in tests: `deploy` is asked of a human under the first policy and denied under the second. */
export const policies = [1, 2].map((version) => ({
  version,
  rules: [
    { name: 'read-srv', effect: 'allow', agents: 'any', action: { filesystem: { path: '/srv/**', methods: ['read'] } } },
    { name: 'deploy', effect: version === 1 ? 'ask' : 'deny', agents: 'any', action: { tool: { server: 'ci', name: 'deploy' } } },
  ],
}));
export const readLine = JSON.stringify({ agent: 'builder', actions: [{ filesystem: { path: '/srv/a', method: 'read' } }] });
export const writeLine = JSON.stringify({ agent: 'builder', actions: [{ filesystem: { path: '/srv/a', method: 'write' } }] });
export const deploy = { agent: 'release', actions: [{ tool: { server: 'ci', name: 'deploy' } }] } as const;
export const argsDigest = `sha256:${'a'.repeat(64)}`;

/** A folder with keys, policies and a trust store; `ran` runs a command there. */
export interface Desk {
  readonly cwd: string;
  readonly ran: (...words: readonly (string | Around)[]) => Promise<Ran>;
  readonly key: (name: string) => PrivateKey;
}

export async function newDesk(): Promise<Desk> {
  const cwd = newFolder({ 'policy-1.json': JSON.stringify(policies[0]), 'policy-2.json': JSON.stringify(policies[1]) });
  const ran: Desk['ran'] = (...words) => {
    const around = words.find((word) => typeof word !== 'string') ?? {};
    return cli(...words.filter((word) => typeof word === 'string'), { cwd, ...around });
  };
  for (const role of ['engine', 'auditor', 'approver', 'installer']) {
    expect((await ran('keygen', '--out', `${role}.jwk`, '--trust', 'trust.json', '--role', role)).code).toBe(0);
  }
  return { cwd, ran, key: (name) => importPrivateKey(textIn(cwd, `${name}.jwk`)) };
}

/** Decides lines of requests into the ledger `audit`, with a policy or with what is in force there. */
export async function decideInto({ ran }: Desk, stdin: string, ...words: readonly string[]): Promise<Ran> {
  const ended = await ran('decide', '--sign', 'engine.jwk', '--ledger', 'audit', ...words, { stdin });
  expect(ended.stderr).toBe('');
  return ended;
}

/**
 * The ledger of the issue: two installs, a restart of the engine, an approval and its release, a rotation. Written by commands, but for the
 * approval, which a gate takes.
 */
export async function wholeLedger(desk: Desk): Promise<void> {
  await decideInto(desk, `${readLine}\n${writeLine}`, '--policy', 'policy-1.json'); // 0 genesis, 1 install, 2, 3
  await decideInto(desk, readLine, '--policy', 'policy-1.json'); // the restart, without an install; 4
  await releaseDeploy(desk); // 5 ask, 6 record of the approval, 7 release
  await decideInto(desk, readLine); // 8, by what is in force
  expect((await desk.ran('ledger', 'rotate', 'audit', '--key', 'engine.jwk')).code).toBe(0);
  await decideInto(desk, `${readLine}\n${JSON.stringify(deploy)}`, '--policy', 'policy-2.json'); // 9 install, 10, 11
}

/** Where its entries stand. */
export const at = { read: 2, ask: 5, approval: 6, release: 7, lastUnderFirst: 8, secondInstall: 9, readUnderSecond: 10, end: 11 } as const;

async function releaseDeploy(desk: Desk): Promise<void> {
  const ledger = await openLedger(join(desk.cwd, 'audit'), { engineId: 'engine', signer: createSigner(desk.key('engine')) });
  const engine = openEngine({ ledger });
  const { receipt: ask } = engine.decide(deploy, { argsDigest });
  const approval = signed(desk.key('approver'), {
    statement: 'approval',
    engine_id: 'engine',
    time: Date.now(),
    ask: ask.hash,
    args_digest: argsDigest,
    approved: true,
    expires: Date.now() + 3_600_000,
    approver: 'someone',
  });
  engine.release(ask.hash, engine.record(approval).recordedHash);
  await ledger.close();
}

export function signed(key: PrivateKey, statement: Record<string, unknown>): Uint8Array {
  return signSign1(encodeCbor(statement as never), createSigner(key), { typ: receiptType });
}

export const segmentsOf = ({ cwd }: Desk, ledger = 'audit'): string[] =>
  readdirSync(join(cwd, ledger))
    .filter((name) => name.endsWith('.cbor'))
    .sort();

/** All entries of a ledger, as bytes. */
export function entriesOf(desk: Desk, ledger = 'audit'): Uint8Array[] {
  return segmentsOf(desk, ledger).flatMap((name) => {
    const bytes = new Uint8Array(readFileSync(join(desk.cwd, ledger, name)));
    return [...itemsOf({ file: name, chunks: () => [bytes] })].flatMap((item) => ('code' in item ? [] : [item.bytes.slice()]));
  });
}

export type Fields = Readonly<Record<string, unknown>>;

/** A statement on its way into a forged ledger. */
export interface Written {
  readonly fields: Fields;
  /** The key file that signs it; the engine's where it is left off. */
  readonly key?: string;
}

/** A field that is to be the hash of the entry in front. */
export const entryBefore = Symbol('the entry before');

/**
 * The ledger as somebody with the engine's key can write it again: the statements changed as a list, then linked and signed anew. Hashes that
 * entries cite follow the entries.
 */
export function relinked(desk: Desk, change: (statements: readonly Written[]) => readonly Written[]): Uint8Array[] {
  const before = entriesOf(desk).map((bytes) => readReceipt(bytes));
  const written: readonly Written[] = before.map(({ statement }) => ({ fields: { ...statement } }));
  const hashOf = new Map(written.map(({ fields }, i) => [fields['seq'], before[i]?.hash]));
  const now = new Map<unknown, string>();
  const out: Uint8Array[] = [];
  for (const { fields, key = 'engine' } of change(written)) {
    const last = out.at(-1);
    const { seq: was, prev: _, ...rest } = fields;
    const placed = { ...rest, seq: out.length, ...(last && { prev: receiptHash(last) }) };
    const follow = (value: unknown): unknown => (value === entryBefore && last ? receiptHash(last) : (now.get(value) ?? value));
    const entry = Object.entries(placed).flatMap(([name, value]) => (value === undefined ? [] : [[name, follow(value)]]));
    out.push(signed(desk.key(key), Object.fromEntries(entry) as Record<string, unknown>));
    if (hashOf.get(was) !== undefined) now.set(hashOf.get(was), receiptHash(out.at(-1) as Uint8Array));
  }
  return out;
}

/** The statements with one of them changed; a field that is undefined is left off. */
export function changed(statements: readonly Written[], seq: number, fields: Fields, key?: string): readonly Written[] {
  return statements.map((each, i) => (i === seq ? { fields: { ...each.fields, ...fields }, ...(key && { key }) } : each));
}

/** A copy of the ledger `audit` under another name, with other entries in one segment, and a mark that names the last of them. */
export function forged({ cwd }: Desk, name: string, entries: readonly Uint8Array[]): string {
  const to = join(cwd, name);
  cpSync(join(cwd, 'audit'), to, { recursive: true });
  for (const file of readdirSync(to)) if (file.endsWith('.cbor')) rmSync(join(to, file));
  writeFileSync(join(to, 'segment-000000000000.cbor'), concat(...entries));
  const { hash, statement } = readReceipt(entries.at(-1) as Uint8Array);
  const { seq } = statement as { seq: number };
  const mark = { segment: 0, start: concat(...entries.slice(0, -1)).length, offset: concat(...entries).length, seq, hash };
  writeFileSync(join(to, 'durable.json'), JSON.stringify(mark));
  return name;
}
