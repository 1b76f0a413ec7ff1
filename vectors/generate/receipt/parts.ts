/**
 * What the receipt vectors are put together from: keys from published labels, CBOR that may be wrong, messages over any parts, trust stores,
 * and the case of a verifier's answer.
 *
 * Bytes are hex here. A `^` in it marks the place of a problem (kit.ts, `markedHex`); lengths and signatures do not see it.
 * @module
 */
import '../repeatable.js';
import { fromHex, hex, utf8 } from '../../../src/bytes.js';
import { encodeCbor, type CborInput } from '../../../src/cose/cbor.js';
import { importPrivateKey, type PrivateKey, publicJwk } from '../../../src/cose/keys.js';
import { buildSigStructure } from '../../../src/cose/sig-structure.js';
import { createSigner, type Signer } from '../../../src/cose/signer.js';
import { sha256 } from '../../../src/hash.js';
import { type Case, type Fields, type Json, markedHex, type Rest } from '../kit.js';

// ---- Keys

export interface VectorKey {
  readonly alg: 'Ed25519' | 'ESP256';
  readonly label: string;
  /** SHA-256 of the label: the seed, or the scalar. */
  readonly secret: Uint8Array;
  readonly key: PrivateKey;
  readonly signer: Signer;
  readonly kid: string;
  readonly jwk: Fields;
}

/** A key whose secret is the SHA-256 of a published sentence. */
export function keyOf(alg: 'Ed25519' | 'ESP256', label: string): VectorKey {
  const secret = sha256(utf8(label));
  // a COSE_Key without its public part: the library works that out
  const cose = new Map<number, number | Uint8Array>(
    alg === 'Ed25519'
      ? [
          [1, 1],
          [-1, 6],
          [-4, secret],
        ]
      : [
          [1, 2],
          [-1, 1],
          [-4, secret],
        ],
  );
  const key = importPrivateKey(encodeCbor(cose));
  return { alg, label, secret, key, signer: createSigner(key), kid: key.public.kid, jwk: publicJwk(key.public) as Fields };
}

export const engineKey = keyOf('Ed25519', 'ruleprint vectors: engine-a, Ed25519');
export const engineKeyP256 = keyOf('ESP256', 'ruleprint vectors: engine-a, P-256');
export const otherKey = keyOf('Ed25519', 'ruleprint vectors: engine-b, Ed25519');
export const auditorKey = keyOf('Ed25519', 'ruleprint vectors: auditor, Ed25519');
export const allKeys = [engineKey, engineKeyP256, otherKey, auditorKey];

// ---- CBOR, right or wrong

/** Hex without marks and blanks. */
export const plainHex = (marked: string): string => markedHex(marked).hex;
export const bytesOf = (marked: string): Uint8Array => fromHex(plainHex(marked)) as Uint8Array;
const size = (marked: string): number => plainHex(marked).length / 2;

/** A head in its shortest form. */
export function head(major: number, argument: number): string {
  const first = (info: number): string => ((major << 5) | info).toString(16).padStart(2, '0');
  if (argument < 24) return first(argument);
  const width = argument < 0x100 ? 1 : argument < 0x10000 ? 2 : argument < 0x1_0000_0000 ? 4 : 8;
  return first(24 + Math.log2(width)) + argument.toString(16).padStart(2 * width, '0');
}
export const bstr = (content: string): string => head(2, size(content)) + content;
export const tstr = (text: string): string => head(3, utf8(text).length) + hex(utf8(text));
export const int = (value: number): string => (value < 0 ? head(1, -1 - value) : head(0, value));
export const array = (...items: readonly string[]): string => head(4, items.length) + items.join('');
/** Entries stand as they are given: the right order is for the caller. */
export const map = (...entries: readonly (readonly [key: string, value: string])[]): string => head(5, entries.length) + entries.flat().join('');
/** Good CBOR of a value. */
export const cbor = (value: CborInput): string => hex(encodeCbor(value));

/** Hex in which runs of one piece, of at least so many, are written as repetitions (vectors/README.md, "Notation"). */
export function longHex(whole: string, piece: string, least = 1000): Json {
  const parts: Json[] = [];
  let at = 0;
  for (const run of whole.matchAll(new RegExp(`(?:${piece}){${least},}`, 'g'))) {
    parts.push(whole.slice(at, run.index), { $repeat: [piece, run[0].length / piece.length] });
    at = run.index + run[0].length;
  }
  return { $concat: [...parts, whole.slice(at)] };
}

// ---- Messages

export const receiptType = 'application/ruleprint+cose';
export const algorithms = { Ed25519: -19, ESP256: -9, EdDSA: -8, ES256: -7 } as const;

/** The three entries of a good protected header. */
export const headerParts = (key: VectorKey): { alg: [string, string]; kid: [string, string]; typ: [string, string] } => ({
  alg: [int(1), int(algorithms[key.alg])],
  kid: [int(4), bstr(key.kid)],
  typ: [int(16), tstr(receiptType)],
});
export function headerOf(key: VectorKey): string {
  const { alg, kid, typ } = headerParts(key);
  return map(alg, kid, typ);
}

/** Signs the Sig_structure over what stands in the message. */
export function signed(key: VectorKey, protectedHeader: string, payload: string, aad = ''): string {
  return hex(key.signer.sign(buildSigStructure(bytesOf(protectedHeader), bytesOf(payload), bytesOf(aad))));
}

export interface MessageParts {
  readonly key?: VectorKey;
  /** The content of the protected byte string. */
  readonly header?: string;
  /** The unprotected item. */
  readonly open?: string;
  /** The content of the payload byte string. */
  readonly payload?: string;
  readonly signature?: string;
  /** External data that is signed and not sent. */
  readonly aad?: string;
}

/** A message of which each part may be another; what is not given is right, the signature over it too. */
export function message(parts: MessageParts = {}): string {
  const { key = engineKey, header = headerOf(key), open = 'a0', payload = goodPayload, aad = '' } = parts;
  const { signature = signed(key, header, payload, aad) } = parts;
  return `d284${bstr(header)}${open}${bstr(payload)}${bstr(signature)}`;
}

// ---- Statements

export const policyA: Fields = {
  version: 1,
  rules: [
    { name: 'no-keys', effect: 'deny', agents: 'any', action: { filesystem: { path: '/srv/keys/**', methods: 'any' } } },
    { name: 'ask-write', effect: 'ask', agents: 'any', action: { filesystem: { path: '/srv/**', methods: ['write', 'delete'] } } },
    { name: 'read-srv', effect: 'allow', agents: { one_of: ['builder', 'reviewer'] }, action: { filesystem: { path: '/srv/**', methods: ['read'] } } },
    { name: 'git', effect: 'allow', agents: 'any', action: { process: { argv: ['git', '**'] } } },
    { name: 'web', effect: 'allow', agents: 'any', action: { network: { host: '**', ports: 'any', methods: 'any' } } },
    { name: 'tools', effect: 'allow', agents: 'any', action: { tool: { server: 'fs', name: '*' } } },
  ],
};

/** The first of January 2026, in milliseconds. */
export const time = 1_767_225_600_000;

export const readAction: Json = { filesystem: { path: '/srv/a.txt', method: 'read' } };

/** An allowed read by an engine that has no digest. */
export const baseStatement: Fields = {
  statement: 'decision',
  engine_id: 'engine-a',
  time,
  agent: 'builder',
  actions: [readAction],
  decision: { effect: 'allow', rule: 'read-srv', action: 0 },
  policy_version: 1,
  match_profile: 'ruleprint-match/1',
};

/** The statement with some members replaced, or left out where they are undefined. */
export function statement(change: { readonly [key: string]: Json | undefined } = {}): Fields {
  const members = Object.entries({ ...baseStatement, ...change }).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  return Object.fromEntries(members);
}
export const payloadOf = (fields: Fields): string => cbor(fields as CborInput);
export const goodPayload = payloadOf(baseStatement);

/** The entries of a statement as hex, in their right order, each to be replaced by a wrong one. */
export function entriesOf(fields: Fields): [string, string][] {
  const entries = Object.entries(fields).map(([key, value]): [string, string] => [tstr(key), cbor(value as CborInput)]);
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A good payload in which the value at one key is other CBOR. */
export function payloadWith(key: string, value: string): string {
  const found = entriesOf(baseStatement).filter(([name]) => name !== tstr(key));
  return map(...[...found, [tstr(key), value] as const].sort(([a], [b]) => (a < b ? -1 : 1)));
}

// ---- Trust stores

export function trusted(key: VectorKey, rest: Fields = {}): Fields {
  return { role: 'engine', engine_ids: ['engine-a'], key: key.jwk, ...rest };
}
export const trust = (...keys: readonly Fields[]): Fields => ({ keys });
export const engineTrust = trust(trusted(engineKey));

// ---- Answers

export const answeredAxes = ['bytes', 'signature', 'key-trust', 'rules', 're-decision'] as const;
type Status = 'pass' | 'fail' | 'not-checked';
/** The five axes that a standalone receipt can answer: `+` passes, `-` fails, `.` is not checked. */
export function axes(signs: string): Fields {
  const status: Readonly<Record<string, Status>> = { '+': 'pass', '-': 'fail', '.': 'not-checked' };
  return Object.fromEntries(answeredAxes.map((axis, i) => [axis, status[signs[i] ?? ''] as Status]));
}

export interface Answer extends Rest {
  readonly ok?: boolean;
  /** See `axes`. */
  readonly axes: string;
  readonly problems: readonly Fields[];
}

export function problem(axis: string, error: string, where?: Fields): Fields {
  return { axis, error, ...(where && { where }) };
}

/** What a verifier answers to some input. The report is good only where no problem is named, unless said otherwise. */
export function verified(id: string, comment: string, input: Fields, { ok, axes: signs, problems, flags = [] }: Answer): Case {
  return { id, comment, flags, input, expect: { ok: ok ?? problems.length === 0, axes: axes(signs), problems } };
}

/** A receipt whose bytes are refused in steps 1 to 7: nothing else is answered. `^` marks the place where there is one. */
export function refusedBytes(id: string, receipt: string, error: string, comment: string, rest: Rest = {}): Case {
  const { hex: receipt_hex, offset } = markedHex(receipt);
  const where = offset === undefined ? undefined : { offset };
  return verified(id, comment, { receipt_hex, trust: engineTrust }, { ...rest, axes: '-....', problems: [problem('bytes', error, where)] });
}
