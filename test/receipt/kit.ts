/**
 * Receipts put together by hand, byte by byte, so that each can be wrong in exactly one thing; and keys that come from labels.
 * @module
 */
import { createHash } from 'node:crypto';
import { compareBytes, concat } from '../../src/bytes.js';
import { importPrivateKey, publicJwk, type PrivateKey } from '../../src/cose/keys.js';
import { createSigner } from '../../src/cose/signer.js';
import { policyDigest } from '../../src/digest/digest.js';
import type { ErrorCode } from '../../src/errors.js';
import type { Policy } from '../../src/policy/model.js';
import { axes, type Axis, type Report } from '../../src/receipt/report.js';
import { copyTrustStore, type TrustStore } from '../../src/receipt/trust.js';
import { verifyReceipt, type VerifyOptions } from '../../src/receipt/verify.js';
import { filesystem, policyOf, ruleOf, tool, type Loose } from '../policy/kit.js';

// ---- CBOR, written in the order given

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

/** The head of an item, in the shortest form or with so many argument bytes. */
export function head(
  major: number,
  argument: number,
  size = argument < 24 ? 0 : argument < 2 ** 8 ? 1 : argument < 2 ** 16 ? 2 : argument < 2 ** 32 ? 4 : 8,
): Uint8Array {
  if (size === 0) return bytes((major << 5) | argument);
  const out = new Uint8Array(1 + size);
  out[0] = (major << 5) | (24 + Math.log2(size));
  let rest = BigInt(argument);
  for (let i = size; i > 0; i--, rest >>= 8n) out[i] = Number(rest & 0xffn);
  return out;
}
export const integer = (value: number): Uint8Array => (value < 0 ? head(1, -1 - value) : head(0, value));
export const bstr = (value: Uint8Array): Uint8Array => concat(head(2, value.length), value);
export const tstr = (value: string): Uint8Array => {
  const utf8 = new TextEncoder().encode(value);
  return concat(head(3, utf8.length), utf8);
};
export const array = (...items: readonly Uint8Array[]): Uint8Array => concat(head(4, items.length), ...items);
export type Entry = readonly [key: Uint8Array, value: Uint8Array];
export const map = (...entries: readonly Entry[]): Uint8Array => concat(head(5, entries.length), ...entries.flat());
export const sorted = (...entries: readonly Entry[]): Uint8Array => map(...[...entries].sort((a, b) => compareBytes(a[0], b[0])));

/** A plain value in deterministic CBOR. */
export function cbor(value: unknown): Uint8Array {
  if (typeof value === 'number') return integer(value);
  if (typeof value === 'boolean') return bytes(value ? 0xf5 : 0xf4);
  if (typeof value === 'string') return tstr(value);
  if (value === null) return bytes(0xf6);
  if (value instanceof Uint8Array) return bstr(value);
  if (Array.isArray(value)) return array(...value.map(cbor));
  return sorted(...Object.entries(value as object).map(([key, member]): Entry => [tstr(key), cbor(member)]));
}

// ---- Keys

const secretOf = (label: string): Uint8Array => new Uint8Array(createHash('sha256').update(`ruleprint test key ${label}`).digest());
/** COSE_Key with the secret alone. */
const ed25519 = (label: string): PrivateKey => importPrivateKey(map([integer(1), integer(1)], [integer(-1), integer(6)], [integer(-4), bstr(secretOf(label))]));
const p256 = (label: string): PrivateKey => importPrivateKey(map([integer(1), integer(2)], [integer(-1), integer(1)], [integer(-4), bstr(secretOf(label))]));

export const key = ed25519('engine-a');
export const otherKey = ed25519('engine-b');
export const p256Key = p256('engine-p');
export const kidOf = (of: PrivateKey): Uint8Array => createSigner(of).kid;

export const entry = (of: PrivateKey = key, change: object = {}): Loose => ({ role: 'engine', engine_ids: ['engine-a'], key: publicJwk(of.public), ...change });
export const trustOf = (...entries: readonly object[]): TrustStore => copyTrustStore({ keys: entries });
export const trust = trustOf(entry());

// ---- What is signed

export const policy: Policy = policyOf(
  ruleOf({ name: 'srv', action: filesystem('/srv/**', ['read']) }),
  ruleOf({ name: 'keys', effect: 'deny', action: filesystem('/srv/keys/**') }),
  ruleOf({ name: 'drop', effect: 'ask', action: tool('db', 'drop') }),
);
export const digest = policyDigest(policy);
export const time = 1_793_318_400_000;

/** A decision that the policy gives. A member that is `undefined` in the change is left out. */
export function statement(change: object = {}): Loose {
  const all = {
    statement: 'decision',
    engine_id: 'engine-a',
    time,
    agent: 'builder',
    actions: [{ filesystem: { path: '/srv/a', method: 'read' } }],
    decision: { effect: 'allow', rule: 'srv', action: 0 },
    policy_version: 1,
    policy_digest: digest,
    match_profile: 'ruleprint-match/1',
    ...change,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export const typ = 'application/ruleprint+cose';
export const headerOf = (of: PrivateKey = key, alg = of.public.alg === 'Ed25519' ? -19 : -9): Uint8Array =>
  map([integer(1), integer(alg)], [integer(4), bstr(kidOf(of))], [integer(16), tstr(typ)]);

export interface Parts {
  /** Bytes of the protected header map. */
  readonly header?: Uint8Array;
  /** The unprotected header, an encoded item. */
  readonly unprotected?: Uint8Array;
  /** Bytes of the statement. */
  readonly payload?: Uint8Array;
  readonly signature?: Uint8Array;
  readonly by?: PrivateKey;
}

export const sigStructure = (header: Uint8Array, payload: Uint8Array): Uint8Array =>
  array(tstr('Signature1'), bstr(header), bstr(new Uint8Array()), bstr(payload));

/** A receipt of its parts; each has a good value, and the signature is one over what is there. */
export function receipt({ by = key, header = headerOf(by), unprotected = bytes(0xa0), payload = cbor(statement()), signature }: Parts = {}): Uint8Array {
  return concat(bytes(0xd2), array(bstr(header), unprotected, bstr(payload), bstr(signature ?? createSigner(by).sign(sigStructure(header, payload)))));
}

/** A receipt of a changed statement. */
export const receiptOf = (change: object = {}, parts: Parts = {}): Uint8Array => receipt({ payload: cbor(statement(change)), ...parts });

/** Offset of the payload's first byte in a receipt of these parts. */
export const payloadOffset = (payload: Uint8Array, header = headerOf()): number => 2 + bstr(header).length + 1 + bstr(payload).length - payload.length;

// ---- Answers

export const verify = (of: Uint8Array, options: Partial<VerifyOptions> = {}): Report => verifyReceipt(of, { trust, ...options });
export const codesOf = (report: Report): ErrorCode[] => report.problems.map(({ code }) => code);

/** The axes that have another answer than "not asked" or "standalone", shortly. */
export function answers(report: Report): Partial<Record<Axis, string>> {
  const shown = axes.filter((axis) => ['bytes', 'signature', 'key-trust', 'rules', 're-decision'].includes(axis));
  return Object.fromEntries(
    shown.map((axis) => [axis, report.axes[axis].status === 'not-checked' ? `not checked: ${report.axes[axis].reason}` : report.axes[axis].status]),
  );
}
/** The status of each axis. */
export const statuses = (report: Report): Record<string, string> => Object.fromEntries(axes.map((axis) => [axis, report.axes[axis].status]));
