/**
 * Ledgers that are written by the code, for tests of what it writes.
 * @module
 */
import type { AsyncSigner, Signer } from '../../src/cose/signer.js';
import { type ErrorCode, type Problem, RuleprintError } from '../../src/errors.js';
import { createSigner, type Policy, type Report, type Request } from '../../src/index.js';
import { ledgerIn } from '../../src/ledger/folder.js';
import type { Store } from '../../src/ledger/index.js';
import { segmentName, segmentsIn } from '../../src/ledger/layout.js';
import { itemsOf } from '../../src/ledger/source.js';
import { verifyLedger } from '../../src/ledger/verify.js';
import { copyPolicy } from '../../src/policy/copy.js';
import { receiptHash } from '../../src/receipt/read.js';
import { keys, trustOf } from './chain-kit.js';

export const signer = createSigner(keys.engine);
export const engineId = 'engine-a';

/** The same signer, as a key service that answers in its own time. */
export function slowSigner(pause: (message: Uint8Array) => Promise<void> = turn): AsyncSigner {
  const { alg, kid, key } = signer;
  return {
    alg,
    kid,
    ...(key && { key }),
    sign: async (message) => {
      await pause(message);
      return signer.sign(message);
    },
  };
}

/** One turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await turn();
}

const rule = (name: string, effect: 'allow' | 'ask' | 'deny', tool: string): Policy['rules'][number] => ({
  name,
  effect,
  agents: 'any',
  action: { tool: { server: 'files', name: tool } },
});

/** Policies of any version; odd and even ones have other rules. */
export function policyOf(version: number): Policy {
  return copyPolicy({ version, rules: [rule('read', 'allow', 'read'), rule('write', version % 2 === 1 ? 'ask' : 'deny', 'write')] });
}

export const request = (tool = 'read'): Request => ({ agent: 'builder', actions: [{ tool: { server: 'files', name: tool } }] });

/** Knows all keys of ./chain-kit.ts. Made once, because checking points is slow. */
export const trust = trustOf();

/** The report on a ledger as it is. */
export function verifyIn(store: Store): Report {
  return verifyLedger([ledgerIn(store)], { trust });
}

/** Every entry of a store, by its segment, as bytes. */
export function entriesIn(store: Store): { readonly segment: number; readonly offset: number; readonly bytes: Uint8Array }[] {
  return segmentsIn(store.list()).flatMap((segment) => {
    const name = segmentName(segment);
    return [...itemsOf({ file: name, chunks: () => store.chunks(name, 0, Number.POSITIVE_INFINITY) })].flatMap((item) =>
      'code' in item ? [] : [{ segment, offset: item.offset, bytes: item.bytes.slice() }],
    );
  });
}

/** The receipt hashes of a store, in order: where a chain is good, its index is the seq. */
export function hashesIn(store: Store): string[] {
  return entriesIn(store).map(({ bytes }) => receiptHash(bytes));
}

/** What an act is refused with, whether it throws or its promise does. */
export async function refusedWith(act: () => unknown): Promise<Problem> {
  let got: unknown;
  try {
    got = await act();
  } catch (error) {
    if (error instanceof RuleprintError) return error.problems[0];
    throw error;
  }
  throw new Error(`expected a refusal, got ${JSON.stringify(got)}`);
}

export async function codeOf(act: () => unknown): Promise<ErrorCode> {
  return (await refusedWith(act)).code;
}

export type Random = () => number;

/** Numbers from 0 to below 1 that a seed repeats (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

export const upTo = (random: Random, max: number): number => Math.floor(random() * (max + 1));
export const oneOf = <T>(random: Random, ...of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
export type AnySigner = Signer | AsyncSigner;
