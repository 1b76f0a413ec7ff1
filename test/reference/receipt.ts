/**
 * Receipts (spec/receipt.md): the statement of an event, its bytes, and the walk of a verifier through RCP-12 to RCP-21.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { type Cbor, CborProblem, encode, walk, walkAll, wellFormedEnd } from './cbor.js';
import type { Action, Decision } from './decide.js';
import { type Alg, type Key, sign, signatureCode } from './keys.js';
import { isHttpMethod, nameCode } from './policy.js';
import { hexOf, utf8 } from './text.js';

// ---- Producer

export interface Event {
  readonly engineId: string;
  readonly time: number;
  readonly agent: string;
  readonly actions: readonly Action[];
  readonly decision: Decision;
  readonly policyVersion?: number;
  readonly policyDigest?: string;
  readonly matchProfile?: string;
}

export interface Extra {
  readonly callId?: string;
  readonly argsDigest?: string;
  readonly mapping?: string;
  readonly enforced?: false;
}

type Fields = ReadonlyMap<number | string, Cbor>;

/** A map of what has a value (RCP-1). */
const present = (entries: readonly (readonly [string, Cbor | undefined])[]): Fields =>
  new Map(entries.filter((entry): entry is readonly [string, Cbor] => entry[1] !== undefined));

function actionFields(action: Action): Fields {
  if ('filesystem' in action)
    return present([
      [
        'filesystem',
        present([
          ['path', action.filesystem.path],
          ['method', action.filesystem.method],
        ]),
      ],
    ]);
  if ('network' in action) {
    const { host, port, method } = action.network;
    return present([
      [
        'network',
        present([
          ['host', host],
          ['port', port],
          ['method', method],
        ]),
      ],
    ]);
  }
  if ('process' in action) return present([['process', present([['argv', action.process.argv]])]]);
  return present([
    [
      'tool',
      present([
        ['server', action.tool.server],
        ['name', action.tool.name],
      ]),
    ],
  ]);
}

/** The statement of a decision. */
export function statementOf(event: Event, extra: Extra = {}): Fields {
  const { effect, rule, action, reason } = event.decision;
  return present([
    ['statement', 'decision'],
    ['engine_id', event.engineId],
    ['time', event.time],
    ['agent', event.agent],
    ['actions', event.actions.map(actionFields)],
    [
      'decision',
      present([
        ['effect', effect],
        ['rule', rule],
        ['action', action],
        ['reason', reason],
      ]),
    ],
    ['policy_version', event.policyVersion],
    ['policy_digest', event.policyDigest],
    ['match_profile', event.matchProfile],
    ['args_digest', extra.argsDigest],
    ['call_id', extra.callId],
    ['mapping', extra.mapping],
    ['enforced', extra.enforced],
  ]);
}

export const algorithms: Readonly<Record<Alg, number>> = { Ed25519: -19, ESP256: -9 };
export const receiptType = 'application/ruleprint+cose';

/** The protected header of a receipt by this key. */
export const headerOf = (key: Key, alg = algorithms[key.alg]): Fields =>
  new Map<number, Cbor>([
    [1, alg],
    [4, key.kid],
    [16, receiptType],
  ]);

const bytes = (list: readonly number[]): Uint8Array => Uint8Array.from(list);

export const encoded = (value: Cbor): Uint8Array => bytes(encode(value));

/** RFC 9052 section 4.4. */
export const sigStructure = (header: Uint8Array, payload: Uint8Array, externalAad: Uint8Array = new Uint8Array()): Uint8Array =>
  encoded(['Signature1', header, externalAad, payload]);

/** RCP-4. */
export const receiptHash = (header: Uint8Array, payload: Uint8Array): string =>
  `sha256:${createHash('sha256').update(sigStructure(header, payload)).digest('hex')}`;

/** Tag 18 around the array of four. */
export const messageOf = (header: Uint8Array, payload: Uint8Array, signature: Uint8Array, unprotectedMap: Uint8Array = bytes([0xa0])): Uint8Array =>
  bytes([0xd2, 0x84, ...encode(header), ...unprotectedMap, ...encode(payload), ...encode(signature)]);

/** A signed message over any header and payload bytes, right or wrong. */
export function signedOver(key: Key, header: Uint8Array, payload: Uint8Array): Uint8Array {
  return messageOf(header, payload, sign(key, sigStructure(header, payload)));
}

/** The receipt of an event. */
export const receiptOf = (key: Key, event: Event, extra?: Extra): Uint8Array => signedOver(key, encoded(headerOf(key)), encoded(statementOf(event, extra)));

// ---- Verifier, steps 1 to 8

export interface Parts {
  readonly header: Uint8Array;
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
  readonly alg: number;
  readonly kid: Uint8Array;
}

export interface BytesAnswer {
  /** Codes of the problems: one from steps 1 to 7 or from the walk of the payload, or all of the statement. Empty: the bytes are a receipt. */
  readonly codes: readonly string[];
  /** Where the problem of a walk stands in the receipt. */
  readonly offset?: number;
  /** There when steps 1 to 7 passed. */
  readonly parts?: Parts;
  readonly statement?: Fields;
}

/** Runs a walk of bytes that stand at `base` of the receipt; its problem becomes the answer. */
function walked<T>(run: () => T, base = 0): { readonly value: T } | { readonly codes: readonly string[]; readonly offset: number } {
  try {
    return { value: run() };
  } catch (error) {
    if (error instanceof CborProblem) return { codes: [error.code], offset: base + error.offset };
    throw error;
  }
}

const refuse = (code: string): BytesAnswer => ({ codes: [code] });

/** What the COSE layer asks of a header. A receipt: 32 bytes of kid and the type of a receipt. Without a `typ` here there must be none. */
export interface HeaderRules {
  readonly kidSize?: number;
  readonly typ?: string;
  readonly alsoAlgorithms?: readonly ('EdDSA' | 'ES256')[];
}

/** Steps 1 to 7 (RCP-12 to RCP-18). */
export function cosePart(given: Uint8Array, rules: HeaderRules): BytesAnswer {
  if (given.length > 1_048_576) return refuse('limit'); // RCP-12
  if (given.length === 0) return refuse('cbor-truncated');
  if (given[0] !== 0xd2) return refuse('cose-tag'); // RCP-13
  const outer = walked(() => walkAll(given, 1)); // RCP-14
  if ('codes' in outer) return outer;
  const four = outer.value;
  if (!Array.isArray(four) || four.length !== 4) return refuse('cose-shape'); // RCP-15
  const [header, open, payload, signature] = four as [Cbor, Cbor, Cbor, Cbor];
  if (!(header instanceof Uint8Array) || !(open instanceof Map) || !(payload instanceof Uint8Array) || !(signature instanceof Uint8Array))
    return refuse('cose-shape');
  if (header.length === 0) return refuse('cose-protected'); // RCP-16
  const headerEnd = walk(given, 2).end;
  const inner = walked(() => walkAll(header), headerEnd - header.length);
  if ('codes' in inner) return inner;
  const labels = inner.value;
  if (!(labels instanceof Map)) return refuse('cose-protected');
  // RCP-17, in this order
  if (labels.has(2) || open.has(2)) return refuse('cose-crit');
  if (open.size > 0 || [...labels.keys()].some((label) => ![1, 4, 16].includes(label as number))) return refuse('cose-header');
  const alg = labels.get(1) as Cbor | undefined;
  const also = (rules.alsoAlgorithms ?? []).map((name) => ({ EdDSA: -8, ES256: -7 })[name]);
  if (typeof alg !== 'number' || ![-19, -9, ...also].includes(alg)) return refuse('cose-alg');
  const kid = labels.get(4) as Cbor | undefined;
  if (!(kid instanceof Uint8Array) || (rules.kidSize === undefined ? kid.length === 0 : kid.length !== rules.kidSize)) return refuse('cose-kid');
  if (labels.get(16) !== rules.typ) return refuse('cose-typ');
  if (signature.length !== 64) return refuse('cose-signature-size'); // RCP-18
  return { codes: [], parts: { header, payload, signature, alg, kid } };
}

/** Steps 1 to 8: the answer to *bytes*. */
export function verifyBytes(given: Uint8Array, alsoAlgorithms: readonly ('EdDSA' | 'ES256')[] = []): BytesAnswer {
  const cose = cosePart(given, { kidSize: 32, typ: receiptType, alsoAlgorithms });
  if (cose.parts === undefined) return cose;
  const { parts } = cose;
  const payloadEnd = given.length - encode(parts.signature).length;
  const inner = walked(() => walkAll(parts.payload), payloadEnd - parts.payload.length); // RCP-19
  if ('codes' in inner) return { ...inner, parts };
  if (!(inner.value instanceof Map)) return { codes: ['wrong-type'], parts };
  const statement = inner.value as Fields;
  return { codes: statementCodes(statement), parts, statement };
}

/** RCP-24: the receipts of a file, and whether something is left whose end cannot be found. */
export function cutSequence(given: Uint8Array): { readonly receipts: readonly Uint8Array[]; readonly rest: Uint8Array } {
  const receipts: Uint8Array[] = [];
  let at = 0;
  for (;;) {
    const end = at < given.length ? wellFormedEnd(given, at) : undefined;
    if (typeof end !== 'number') return { receipts, rest: given.subarray(at) };
    receipts.push(given.slice(at, end));
    at = end;
  }
}

// ---- RCP-19: the statement

type Say = (code: string) => void;
type FieldCheck = (value: Cbor, say: Say) => void;

interface FieldRule {
  readonly name: string;
  readonly optional?: true;
  readonly check: FieldCheck;
}

/** First the missing keys in the order of the grammar, then the members in the order of the bytes. */
function checkFields(fields: Fields, grammar: readonly FieldRule[], say: Say): void {
  for (const { name, optional } of grammar) if (optional !== true && !fields.has(name)) say('missing-key');
  for (const [key, value] of fields) {
    const rule = grammar.find(({ name }) => name === key);
    if (rule === undefined) say('unknown-key');
    else rule.check(value, say);
  }
}

/** A text: the limit, then its kind. */
const tstr =
  (kind: (value: string) => string | undefined, most = 65_536): FieldCheck =>
  (value, say) => {
    if (typeof value !== 'string') return say('wrong-type');
    const code = utf8(value).length > most ? 'limit' : kind(value);
    if (code !== undefined) say(code);
  };
const matching = (isGood: (value: string) => boolean): FieldCheck => tstr((value) => (isGood(value) ? undefined : 'bad-value'));
const name = tstr(nameCode, 4_096); // POL-8
const anything = tstr(() => undefined);
const argument = tstr((value) => (value.includes('\0') ? 'nul-character' : undefined)); // DEC-2
const hash = matching((value) => /^sha256:[0-9a-f]{64}$/u.test(value));
const word = (...words: string[]): FieldCheck => matching((value) => words.includes(value));
const uint =
  (from = 0, to = Number.MAX_SAFE_INTEGER): FieldCheck =>
  (value, say) => {
    if (typeof value !== 'number') say('wrong-type');
    else if (value < 0) say('bad-integer');
    else if (value < from || value > to) say('bad-value');
  };
const map =
  (grammar: readonly FieldRule[]): FieldCheck =>
  (value, say) => {
    if (value instanceof Map) checkFields(value as Fields, grammar, say);
    else say('wrong-type');
  };
const list =
  (item: FieldCheck, most: number, mayBeEmpty: boolean): FieldCheck =>
  (value, say) => {
    if (!Array.isArray(value)) return say('wrong-type');
    if (value.length === 0 && !mayBeEmpty) return say('empty-list');
    if (value.length > most) return say('limit');
    for (const child of value as Cbor[]) item(child, say);
  };

const kinds: readonly FieldRule[] = [
  {
    name: 'filesystem',
    optional: true,
    check: map([
      { name: 'path', check: anything },
      { name: 'method', check: word('read', 'write', 'delete', 'execute') },
    ]),
  },
  {
    name: 'network',
    optional: true,
    check: map([
      { name: 'host', check: anything },
      { name: 'port', check: uint(1, 65_535) },
      { name: 'method', optional: true, check: matching(isHttpMethod) },
    ]),
  },
  { name: 'process', optional: true, check: map([{ name: 'argv', check: list(argument, 256, false) }]) },
  {
    name: 'tool',
    optional: true,
    check: map([
      { name: 'server', check: name },
      { name: 'name', check: name },
    ]),
  },
];

const action: FieldCheck = (value, say) => {
  if (!(value instanceof Map)) return say('wrong-type');
  if (kinds.filter((kind) => value.has(kind.name)).length !== 1) say('exactly-one');
  checkFields(value as Fields, kinds, say);
};

const outcome: readonly FieldRule[] = [
  { name: 'effect', check: word('allow', 'ask', 'deny') },
  { name: 'rule', optional: true, check: name },
  { name: 'action', optional: true, check: uint() },
  { name: 'reason', optional: true, check: word('no-rule', 'no-policy', 'unmapped', 'not-canonical', 'fault') },
];

const decision: readonly FieldRule[] = [
  { name: 'statement', check: anything },
  { name: 'engine_id', check: name },
  { name: 'time', check: uint() },
  { name: 'seq', optional: true, check: uint() },
  { name: 'prev', optional: true, check: hash },
  { name: 'agent', check: name },
  { name: 'actions', check: list(action, 64, true) },
  { name: 'decision', check: map(outcome) },
  { name: 'policy_version', optional: true, check: uint() },
  { name: 'policy_digest', optional: true, check: hash },
  { name: 'match_profile', optional: true, check: name },
  { name: 'args_digest', optional: true, check: hash },
  { name: 'call_id', optional: true, check: name },
  { name: 'mapping', optional: true, check: hash },
  {
    name: 'enforced',
    optional: true,
    check: (value, say) => {
      if (typeof value !== 'boolean') say('wrong-type');
      else if (value) say('bad-value');
    },
  },
];

/** All codes of a statement, in the order in which the chapter asks. */
function statementCodes(fields: Fields): readonly string[] {
  const kind = fields.get('statement');
  if (kind === undefined) return ['missing-key'];
  if (typeof kind !== 'string') return ['wrong-type'];
  if (kind !== 'decision') return ['unknown-statement'];
  const codes: string[] = [];
  checkFields(fields, decision, (code) => codes.push(code));
  if (codes.length > 0) return codes;
  return agrees(fields) ? [] : ['field-conflict'];
}

/** Whether the fields of a well-shaped decision agree. */
function agrees(fields: Fields): boolean {
  const said = fields.get('decision') as Fields;
  const reason = said.get('reason') as string | undefined;
  const index = said.get('action') as number | undefined;
  const actions = fields.get('actions') as readonly Fields[];
  const isBroken = reason !== undefined && ['unmapped', 'not-canonical', 'fault'].includes(reason);
  const seq = fields.get('seq');
  return [
    said.has('rule') !== said.has('reason'),
    reason === undefined || said.get('effect') === 'deny',
    said.has('rule') || reason === 'no-rule' ? index !== undefined && index < actions.length : index === undefined,
    isBroken ? actions.length === 0 || (actions.length === 1 && actions[0]?.has('tool') === true) : actions.length > 0,
    fields.has('policy_version') || (!fields.has('policy_digest') && !fields.has('match_profile') && (isBroken || reason === 'no-policy')),
    reason !== 'no-policy' || !fields.has('policy_version'),
    fields.has('prev') === (seq !== undefined && seq !== 0),
  ].every(Boolean);
}

// ---- Verifier, step 9

/** A trusted key, RCP-20. */
export type Trusted = Pick<Key, 'alg' | 'open'>;

/** RCP-20: pass, a code, or `not-checked` when no trusted key has this kid. */
export function verifySignature(parts: Parts, keys: ReadonlyMap<string, Trusted>, externalAad?: Uint8Array): string {
  const key = keys.get(hexOf(parts.kid));
  if (key === undefined) return 'not-checked';
  const fitting = parts.alg === -19 || parts.alg === -8 ? 'Ed25519' : 'ESP256';
  if (fitting !== key.alg) return 'cose-alg-key';
  return signatureCode(key, sigStructure(parts.header, parts.payload, externalAad), parts.signature) ?? 'pass';
}
