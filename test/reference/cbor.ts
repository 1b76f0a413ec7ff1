/**
 * Deterministic CBOR as spec/receipt.md takes it: an encoder that writes bytes one by one, and the walk of RCP-14.
 *
 * @module
 */
import { hexOf, textOfUtf8, utf8 } from './text.js';

export type Cbor = number | boolean | string | Uint8Array | readonly Cbor[] | ReadonlyMap<number | string, Cbor>;

/** Bytes of the argument for each additional information from 24 on. */
const argumentSizes = { 24: 1, 25: 2, 26: 4, 27: 8 } as const;

/** A head in a chosen form: `info` below 24 is the argument itself, else one of 24 to 27. Without it the shortest. */
export function head(major: number, argument: bigint | number, info?: 24 | 25 | 26 | 27): number[] {
  const value = BigInt(argument);
  const form = info ?? (value < 24n ? undefined : value < 0x100n ? 24 : value < 0x10000n ? 25 : value < 0x100000000n ? 26 : 27);
  if (form === undefined) return [major * 32 + Number(value)];
  const size = argumentSizes[form];
  return [major * 32 + form, ...Array.from({ length: size }, (_, index) => Number((value >> BigInt(8 * (size - 1 - index))) & 0xffn))];
}

/** The deterministic encoding, RFC 8949 section 4.2.1. */
export function encode(value: Cbor): number[] {
  if (typeof value === 'boolean') return [value ? 0xf5 : 0xf4];
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return [...head(3, utf8(value).length), ...utf8(value)];
  if (value instanceof Uint8Array) return [...head(2, value.length), ...value];
  if (value instanceof Map) {
    const entries = [...(value as ReadonlyMap<number | string, Cbor>)].map(([key, item]) => ({
      key: hexOf(encode(key)),
      bytes: [...encode(key), ...encode(item)],
    }));
    entries.sort((a, b) => (a.key < b.key ? -1 : 1));
    return [...head(5, entries.length), ...entries.flatMap(({ bytes }) => bytes)];
  }
  const items = value as readonly Cbor[];
  return [...head(4, items.length), ...items.flatMap(encode)];
}

export interface Walked {
  readonly value: Cbor;
  readonly end: number;
}

/** The first problem of the walk: at the first byte of its head or key; where there is no head, at the byte that is missing. */
export class CborProblem extends Error {
  readonly code: string;
  readonly offset: number;
  constructor(code: string, offset: number) {
    super(code);
    this.code = code;
    this.offset = offset;
  }
}

const greatest = 2n ** 53n - 1n;

/** Walks one item from `start`. What follows the item is for the caller to judge. */
export function walk(bytes: Uint8Array, start: number, depth = 1): Walked {
  const fail = (code: string): never => {
    throw new CborProblem(code, start);
  };
  const first = bytes[start];
  if (first === undefined) return fail('cbor-truncated'); // placed at the byte that is missing
  const major = first >> 5;
  const info = first & 31;
  if (info >= 28 && (info !== 31 || major < 2 || major > 5)) fail('cbor-reserved');
  if (info === 31) fail('cbor-indefinite');
  const size = info < 24 ? 0 : argumentSizes[info as 24 | 25 | 26 | 27];
  const body = start + 1 + size;
  if (body > bytes.length) fail('cbor-truncated');
  const argument = info < 24 ? BigInt(info) : BigInt(`0x${hexOf(bytes.subarray(start + 1, body))}`);
  if (major === 6) fail('cbor-tag');
  if (major === 7) {
    if (info >= 25) fail('cbor-float');
    if (info !== 20 && info !== 21) fail('cbor-simple');
    return { value: info === 21, end: body };
  }
  if (head(major, argument).length < 1 + size) fail('cbor-not-shortest');
  const left = BigInt(bytes.length - body);
  if (major === 0) return argument > greatest ? fail('cbor-integer') : { value: Number(argument), end: body };
  if (major === 1) return -1n - argument < -greatest ? fail('cbor-integer') : { value: Number(-1n - argument), end: body };
  if (major === 2 || major === 3) {
    if (argument > left) fail('cbor-truncated');
    const end = body + Number(argument);
    const content = bytes.slice(body, end);
    if (major === 2) return { value: content, end };
    const text = textOfUtf8([...content]);
    return text === undefined ? fail('cbor-utf8') : { value: text, end };
  }
  if (depth > 8) fail('cbor-depth');
  if (major === 4) {
    if (argument > left) fail('cbor-truncated');
    const items: Cbor[] = [];
    let end = body;
    for (let index = 0n; index < argument; index += 1n) {
      const item = walk(bytes, end, depth + 1);
      items.push(item.value);
      end = item.end;
    }
    return { value: items, end };
  }
  if (argument * 2n > left) fail('cbor-truncated');
  const entries = new Map<number | string, Cbor>();
  let end = body;
  let before = '';
  for (let index = 0n; index < argument; index += 1n) {
    const at = end;
    const kind = (bytes[at] ?? 0) >> 5;
    if (at < bytes.length && ![0, 1, 3].includes(kind)) throw new CborProblem('cbor-key-type', at);
    const key = walk(bytes, at, depth + 1);
    const spelled = hexOf(bytes.subarray(at, key.end));
    if (spelled === before) throw new CborProblem('cbor-duplicate-key', at);
    if (spelled < before) throw new CborProblem('cbor-unsorted', at);
    before = spelled;
    const item = walk(bytes, key.end, depth + 1);
    entries.set(key.value as number | string, item.value);
    end = item.end;
  }
  return { value: entries, end };
}

/** One item and nothing after it. */
export function walkAll(bytes: Uint8Array, start = 0): Cbor {
  const { value, end } = walk(bytes, start);
  if (end < bytes.length) throw new CborProblem('cbor-trailing', end);
  return value;
}

/**
 * RFC 8949 appendix C: the end of the item that begins at `start`, wherever it is well-formed, or undefined. With `isBreakable` a break ends it too, and is told as
 * `'break'`.
 */
export function wellFormedEnd(bytes: Uint8Array, start: number, isBreakable = false): number | 'break' | undefined {
  const first = bytes[start];
  if (first === undefined) return undefined;
  const [major, info] = [first >> 5, first & 31];
  if (info >= 28 && info < 31) return undefined;
  const size = info < 24 || info === 31 ? 0 : argumentSizes[info as 24 | 25 | 26 | 27];
  let end = start + 1 + size;
  if (end > bytes.length) return undefined;
  if (info === 31) {
    if (major === 7) return isBreakable ? 'break' : undefined;
    if (major < 2 || major > 5) return undefined;
    for (let count = 0; ; count += 1) {
      // A chunk of a string is a string of the same kind with a length.
      if (major < 4 && bytes[end] !== 0xff && ((bytes[end] ?? 0) >> 5 !== major || ((bytes[end] ?? 0) & 31) === 31)) return undefined;
      const next = wellFormedEnd(bytes, end, true);
      if (next === undefined) return undefined;
      // A map breaks between entries only.
      if (next === 'break') return major === 5 && count % 2 === 1 ? undefined : end + 1;
      end = next;
    }
  }
  const argument = info < 24 ? BigInt(info) : BigInt(`0x${hexOf(bytes.subarray(start + 1, end))}`);
  if (major === 7) return info === 24 && argument < 32n ? undefined : end;
  if (major === 2 || major === 3) return argument > BigInt(bytes.length - end) ? undefined : end + Number(argument);
  const items = major === 4 ? argument : major === 5 ? argument * 2n : major === 6 ? 1n : 0n;
  for (let index = 0n; index < items; index += 1n) {
    const next = wellFormedEnd(bytes, end);
    if (typeof next !== 'number') return undefined;
    end = next;
  }
  return end;
}
