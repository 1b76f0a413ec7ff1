/**
 * The walk over received CBOR (spec/receipt.md, RCP-14): one pass from the left that judges every byte and reads
 * the value. It is the only reader: decoding and encoding again would let through what the two agree to mend.
 * @module
 */
import { textOf } from '../bytes.js';
import type { ErrorCode, Problem } from '../errors.js';
import { limits } from '../limits.js';

/** What deterministic CBOR of our kinds can say. Integers are within ±(2^53-1). */
export type CborValue = number | boolean | string | Uint8Array | readonly CborValue[] | CborMap;
export type CborMap = ReadonlyMap<number | string, CborValue>;

/** A value that was read and the offset after its last byte. */
export interface Walked {
  readonly value: CborValue;
  readonly end: number;
}

export interface WalkOptions {
  /** Arrays and maps in one another, the outermost counted; 8 where not given (RCP-14). */
  readonly maxDepth?: number;
  /** What `where.offset` counts from: the place of `bytes[0]` in the receipt or the file. */
  readonly base?: number;
}

/**
 * Judges and reads the item that begins at `start`; bytes after it are the caller's. Byte strings in the value are
 * copies. A problem's `where.offset` is the first byte of the head that it is about, a missing byte's place
 * for input that ends where a head must begin, and a key's first byte for what is wrong with a key.
 *
 * @throws RangeError for a `maxDepth` that is not 1 to 256: the walk descends, and input must not choose how far.
 * @example
 * walkCbor(Uint8Array.of(0x82, 0x01, 0x02, 0x00)); // { value: [1, 2], end: 3 }
 * walkCbor(Uint8Array.of(0x18, 0x01)); // { code: 'cbor-not-shortest', message: …, where: { offset: 0 } }
 */
export function walkCbor(bytes: Uint8Array, start = 0, options: WalkOptions = {}): Walked | Problem {
  const { maxDepth = limits.receiptDepth, base = 0 } = options;
  if (!(maxDepth >= 1 && maxDepth <= 256)) throw new RangeError(`"maxDepth" expected 1 to 256, got ${maxDepth}`);
  const walk = new Walk(plain(bytes), start, maxDepth, base);
  const value = walk.item(0);
  return value === undefined ? (walk.problem as Problem) : { value, end: walk.at };
}

/** The same for input that is to be one item and nothing else: bytes after it are `cbor-trailing`. */
export function walkWholeCbor(bytes: Uint8Array, start = 0, options: WalkOptions = {}): Walked | Problem {
  const walked = walkCbor(bytes, start, options);
  if ('code' in walked || walked.end === bytes.length) return walked;
  const offset = (options.base ?? 0) + walked.end;
  return { code: 'cbor-trailing', message: `expected the end of the input, got ${count(bytes.length - walked.end, 'more byte')}`, where: { offset } };
}

/** The bytes as a `Uint8Array` and nothing more: the slice of a Node Buffer would be a view and no copy. */
function plain(bytes: Uint8Array): Uint8Array {
  return bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Whether a walk ended with a problem. */
export function isProblem<T extends object>(result: T | Problem): result is Problem {
  return 'code' in result;
}

// the least argument that needs 1, 2, 4 and 8 bytes of its own, by additional information 24 to 27
const leastArgument = [24, 0x100, 0x10000, 0x1_0000_0000] as const;
const kinds = ['unsigned integer', 'negative integer', 'byte string', 'text string', 'array', 'map', 'tag', 'simple value'] as const;

class Walk {
  at: number;
  problem: Problem | undefined;
  readonly #bytes: Uint8Array;
  readonly #maxDepth: number;
  readonly #base: number;

  constructor(bytes: Uint8Array, start: number, maxDepth: number, base: number) {
    this.at = start;
    this.#bytes = bytes;
    this.#maxDepth = maxDepth;
    this.#base = base;
  }

  /** Reads one item inside `depth` arrays and maps. Undefined: `problem` is set. */
  item(depth: number): CborValue | undefined {
    const bytes = this.#bytes;
    const head = this.at;
    // RCP-14, in its order
    const first = bytes[head];
    if (first === undefined) return this.#stop('cbor-truncated', head, 'expected an item, got the end of the input');
    const major = first >> 5;
    const info = first & 0x1f;
    let argument = info;
    if (info < 24) {
      this.at = head + 1;
    } else {
      if (info === 31 && major >= 2 && major <= 5) return this.#stop('cbor-indefinite', head, `expected a definite length, got an indefinite ${kinds[major]}`);
      if (info >= 28) return this.#stop('cbor-reserved', head, `expected additional information 0 to 27, got ${info}`);
      const size = 1 << (info - 24);
      const given = bytes.length - head - 1;
      if (given < size) return this.#stop('cbor-truncated', head, `expected ${count(size, 'argument byte')}, got ${given}`);
      argument = readUint(bytes, head + 1, size);
      this.at = head + 1 + size;
    }
    if (major === 6) return this.#stop('cbor-tag', head, `expected no tag inside, got tag ${argument}`);
    if (major === 7) return this.#simple(head, info, argument);
    if (info >= 24 && argument < (leastArgument[info - 24] as number)) {
      return this.#stop('cbor-not-shortest', head, `expected the shortest head for ${argument}, got ${1 << (info - 24)} argument bytes`);
    }
    if (major === 0) return argument <= Number.MAX_SAFE_INTEGER ? argument : this.#integer(head);
    if (major === 1) return argument < Number.MAX_SAFE_INTEGER ? -1 - argument : this.#integer(head);
    const left = bytes.length - this.at;
    if (major <= 3) {
      if (argument > left) return this.#stop('cbor-truncated', head, `expected ${count(argument, 'byte')} in the ${kinds[major]}, got ${left}`);
      return major === 2 ? this.#byteString(argument) : this.#textString(head, argument);
    }
    if (depth >= this.#maxDepth) return this.#stop('cbor-depth', head, `expected at most ${this.#maxDepth} arrays and maps in one another, got more`);
    const needed = major === 4 ? argument : 2 * argument;
    if (needed > left) return this.#stop('cbor-truncated', head, `expected ${needed} items in the ${kinds[major]}, got ${count(left, 'byte')}`);
    return major === 4 ? this.#array(argument, depth + 1) : this.#map(argument, depth + 1);
  }

  #simple(head: number, info: number, argument: number): boolean | undefined {
    if (info >= 25) return this.#stop('cbor-float', head, 'expected an integer, got a float');
    if (info === 20 || info === 21) return info === 21;
    return this.#stop('cbor-simple', head, `expected true or false, got simple value ${argument}`);
  }

  #integer(head: number): undefined {
    return this.#stop('cbor-integer', head, 'expected an integer within 2^53-1, got one beyond');
  }

  #byteString(length: number): Uint8Array {
    const start = this.at;
    this.at = start + length;
    return this.#bytes.slice(start, this.at);
  }

  #textString(head: number, length: number): string | undefined {
    const start = this.at;
    this.at = start + length;
    const text = textOf(this.#bytes, start, this.at);
    return text ?? this.#stop('cbor-utf8', head, 'expected UTF-8, got other bytes');
  }

  #array(length: number, depth: number): CborValue[] | undefined {
    const items: CborValue[] = [];
    for (let i = 0; i < length; i++) {
      const item = this.item(depth);
      if (item === undefined) return undefined;
      items.push(item);
    }
    return items;
  }

  #map(size: number, depth: number): CborMap | undefined {
    const map = new Map<number | string, CborValue>();
    let before = -1; // first byte of the key before
    for (let i = 0; i < size; i++) {
      const start = this.at;
      const first = this.#bytes[start];
      if (first !== undefined && !isKeyMajor(first >> 5)) {
        return this.#stop('cbor-key-type', start, `expected an integer or text as key, got ${kinds[first >> 5]}`);
      }
      const key = this.item(depth);
      if (key === undefined) return undefined;
      if (before >= 0) {
        const order = compareKeys(this.#bytes, before, start, this.at - start);
        if (order === 0) return this.#stop('cbor-duplicate-key', start, 'expected a key once, got it again');
        if (order > 0) return this.#stop('cbor-unsorted', start, 'expected keys in the order of their bytes, got a lower one after a higher');
      }
      before = start;
      const value = this.item(depth);
      if (value === undefined) return undefined;
      map.set(key as number | string, value);
    }
    return map;
  }

  #stop(code: ErrorCode, at: number, message: string): undefined {
    this.problem = { code, message, where: { offset: this.#base + at } };
    return undefined;
  }
}

function isKeyMajor(major: number): boolean {
  return major === 0 || major === 1 || major === 3;
}

/**
 * Order of two keys by their encoded bytes, given their first bytes and the length of the second. Both were walked,
 * so each is in its one encoding and none is the beginning of another: equal up to the end of one is equal.
 */
function compareKeys(bytes: Uint8Array, a: number, b: number, length: number): number {
  for (let i = 0; i < length; i++) {
    const difference = (bytes[a + i] as number) - (bytes[b + i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A big-endian unsigned integer. Beyond 2^53 it is rounded, which no comparison here minds. */
function readUint(bytes: Uint8Array, at: number, size: number): number {
  let value = 0;
  for (let i = 0; i < size; i++) value = value * 0x100 + (bytes[at + i] as number);
  return value;
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
