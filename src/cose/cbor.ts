/**
 * Deterministic CBOR out (RFC 8949 section 4.2.1): a typed front over cbor-x that lets pass only what cbor-x is known
 * to write in the one right form. The only importer of cbor-x; reading is ./walk.ts and never cbor-x.
 * @module
 */
// no-eval, because the default entry builds readers with `new Function` and looks for a native add-on
import { Encoder } from 'cbor-x/index-no-eval';
import { compareUtf8, utf8Length } from '../bytes.js';
import { limits } from '../limits.js';

/** What can be encoded. A plain object is a map with text keys. */
export type CborInput =
  | number
  | boolean
  | string
  | Uint8Array
  | readonly CborInput[]
  | { readonly [key: string]: CborInput }
  | ReadonlyMap<number | string, CborInput>;

type Key = number | string;

// plain CBOR: no record tags and no head of three bytes for a map of one, no tag 259 for a Map, no tag 64 for bytes
const encoder = new Encoder({ useRecords: false, mapsAsObjects: false, tagUint8Array: false, variableMapSize: true });

/**
 * Encodes a value in deterministic CBOR: shortest heads, map keys in the order of their bytes whatever order they
 * are given in (the right order is the fast one). The bytes are the caller's own.
 *
 * Taken are integers from -(2^53-1) to 2^53-1 but not -0, booleans, well-formed text, `Uint8Array`, arrays, and plain
 * objects and `Map` with text or integer keys, in one another up to 8 deep.
 *
 * @throws TypeError for anything else: null, undefined, holes, floats, BigInt, unpaired surrogates, other objects
 * @throws RangeError for arrays and maps deeper than 8, and so for a cycle
 * @example
 * encodeCbor({ statement: 'decision', time: 1793318400000 }); // a2 64 "time" 1b… 69 "statement" 68 "decision"
 */
export function encodeCbor(value: CborInput): Uint8Array {
  // a copy, because cbor-x hands out views of one shared buffer
  return new Uint8Array(encoder.encode(admit(value, 0)));
}

/** A map that its maker has put in order. Integers went through {@link admitInteger}. */
export type OrderedMap = Map<string, OrderedValue>;
export type OrderedValue = number | bigint | boolean | string | readonly OrderedValue[] | OrderedMap;

/**
 * The same for a map that needs no admission, since its maker knows its keys to be in order and its texts well-formed. Internal.
 *
 * @returns a view that is good until the next call
 */
export function encodeOrdered(map: OrderedMap): Uint8Array {
  return encoder.encode(map);
}

/** The value as cbor-x shall see it: fresh containers, maps in order, every leaf of a kind that it writes right. */
function admit(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return admitText(value);
    case 'number':
      return admitInteger(value);
    case 'boolean':
      return value;
    case 'object':
      if (value === null) break;
      if (value instanceof Uint8Array) return value.constructor === Uint8Array ? value : new Uint8Array(value);
      if (depth >= limits.receiptDepth) throw new RangeError(`"value" expected at most ${limits.receiptDepth} arrays and maps in one another, got more`);
      return Array.isArray(value) ? admitArray(value, depth + 1) : admitMap(value, depth + 1);
  }
  throw new TypeError(`"value" expected an integer, boolean, text, bytes, array or map, got ${value === null ? 'null' : typeof value}`);
}

function admitText(text: string): string {
  // cbor-x would write bytes that are not UTF-8, or, from 64 characters on, the bytes of U+FFFD
  if (!text.isWellFormed()) throw new TypeError('"value" expected well-formed text, got an unpaired surrogate');
  return text;
}

/** cbor-x writes a number outside 32 bits as a float, and a BigInt never in less than 8 bytes: each is right where the other is not. */
export function admitInteger(value: number): number | bigint {
  if (Object.is(value, -0)) throw new TypeError('"value" expected an integer, got -0');
  if (!Number.isSafeInteger(value)) throw new TypeError(`"value" expected an integer within 2^53-1, got ${value}`);
  return value >= -0x1_0000_0000 && value <= 0xffff_ffff ? value : BigInt(value);
}

function admitArray(items: readonly unknown[], depth: number): unknown[] {
  const out: unknown[] = [];
  // by index, since holes must be met and refused
  for (let i = 0; i < items.length; i++) out.push(admit(items[i], depth));
  return out;
}

function admitMap(value: object, depth: number): Map<unknown, unknown> {
  const entries = value instanceof Map ? entriesOfMap(value) : entriesOfObject(value);
  const keys = entries.keys;
  for (let i = 1; i < keys.length; i++) {
    if (compareKeys(keys[i - 1] as Key, keys[i] as Key) >= 0) return admitEntries(sorted(entries), depth);
  }
  return admitEntries(entries, depth);
}

interface Entries {
  readonly keys: readonly Key[];
  readonly values: readonly unknown[];
}

function entriesOfObject(value: object): Entries {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new TypeError('"value" expected a plain object or a Map, got another object');
  if (Object.getOwnPropertySymbols(value).length > 0) throw new TypeError('"value" expected text keys, got a symbol');
  const keys = Object.keys(value);
  return { keys, values: Object.values(value) };
}

function entriesOfMap(map: ReadonlyMap<unknown, unknown>): Entries {
  const keys: Key[] = [];
  const values: unknown[] = [];
  for (const [key, value] of map) {
    if (typeof key !== 'number' && typeof key !== 'string') throw new TypeError(`"value" expected an integer or text as key, got ${typeof key}`);
    keys.push(key);
    values.push(value);
  }
  return { keys, values };
}

function sorted({ keys, values }: Entries): Entries {
  const order = keys.map((_, i) => i).sort((a, b) => compareKeys(keys[a] as Key, keys[b] as Key));
  return { keys: order.map((i) => keys[i] as Key), values: order.map((i) => values[i]) };
}

function admitEntries({ keys, values }: Entries, depth: number): Map<unknown, unknown> {
  const out = new Map<unknown, unknown>();
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as Key;
    out.set(typeof key === 'string' ? admitText(key) : admitInteger(key), admit(values[i], depth));
  }
  return out;
}

/**
 * The order of the encoded bytes without encoding: major type first (0, 1, 3), then the head, which grows with
 * the argument, then the text's bytes.
 */
function compareKeys(a: Key, b: Key): number {
  if (typeof a === 'string') {
    if (typeof b !== 'string') return 1;
    return utf8Length(a) - utf8Length(b) || compareUtf8(a, b);
  }
  if (typeof b === 'string') return -1;
  if (a >= 0) return b >= 0 ? a - b : -1;
  return b >= 0 ? 1 : b - a;
}
