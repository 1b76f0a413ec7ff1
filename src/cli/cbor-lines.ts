/**
 * The bytes of a receipt for people: hex with notes, one item a line, as RFC 8949 writes its examples.
 * @module
 */
import { fromUtf8, hex } from '../bytes.js';
import { algorithmOf } from '../cose/algorithm.js';
import { isProblem, walkWholeCbor } from '../cose/walk.js';
import { asciiJson, count } from './printable.js';

/** Width of the column of bytes, indentation and all. */
const width = 60;
const longestNote = 100;
/** How many bytes of what is no receipt are shown. */
const dumpBytes = 512;

const parts = ['protected header', 'unprotected header', 'payload', 'signature'];
const labels: ReadonlyMap<number, string> = new Map([
  [1, 'alg'],
  [4, 'kid'],
  [16, 'typ'],
]);

/** The lines of one item of a file of receipts: with notes where it is a tagged item in deterministic CBOR, else plain. */
export function receiptLines(bytes: Uint8Array): string[] {
  if (bytes[0] !== 0xd2 || isProblem(walkWholeCbor(bytes, 1))) return dump(bytes);
  const notes = new Notes(bytes);
  notes.row(0, 0, 1, 'tag 18, COSE_Sign1');
  notes.message();
  return notes.lines;
}

function dump(bytes: Uint8Array): string[] {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, dumpBytes); at += 24)
    lines.push(`${String(at).padStart(6)}  ${hex(bytes.subarray(at, Math.min(at + 24, dumpBytes)))}`);
  if (bytes.length > dumpBytes) lines.push(`${''.padStart(6)}  and ${count(bytes.length - dumpBytes, 'more byte')}`);
  return lines;
}

interface Head {
  readonly major: number;
  readonly argument: number;
  /** The offset after the head. */
  readonly end: number;
}

/** Walks CBOR that was found good before. */
class Notes {
  readonly lines: string[] = [];
  readonly #bytes: Uint8Array;
  #at = 1;

  constructor(bytes: Uint8Array, at = 1) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** The array of four, or whatever stands in its place. */
  message(): void {
    const { major, argument, end } = this.#head();
    if (major !== 4) return this.item(1, '');
    this.row(1, this.#at, end, `array of ${argument}`);
    this.#at = end;
    for (let i = 0; i < argument; i++) {
      const name = parts[i] ?? '';
      if (i === 0 || i === 2) this.#nested(name, i === 0);
      else this.item(2, `${name}: `);
    }
  }

  /** One item; `key` is the key in front of it, which shares its line. */
  item(depth: number, name: string, isHeader = false, keyStart = this.#at): void {
    const { major, argument, end } = this.#head();
    const start = this.#at;
    const row = (after: number, note: string): void => this.row(depth, keyStart, after, `${name}${note}`, start);
    this.#at = end;
    switch (major) {
      case 0:
      case 1: {
        const value = major === 0 ? argument : -1 - argument;
        const algorithm = name === 'alg: ' ? algorithmOf(value) : undefined;
        return row(end, `${value}${algorithm === undefined ? '' : ` (${algorithm})`}`);
      }
      case 2:
      case 3: {
        this.#at = end + argument;
        const content = this.#bytes.subarray(end, this.#at);
        return row(this.#at, major === 2 ? count(argument, 'byte') : shortened(asciiJson(fromUtf8(content) ?? '')));
      }
      case 4:
        row(end, `array of ${argument}`);
        for (let i = 0; i < argument; i++) this.item(depth + 1, '');
        return;
      case 5:
        row(end, `map of ${argument}`);
        for (let i = 0; i < argument; i++) this.#entry(depth + 1, isHeader);
        return;
      default:
        return row(end, `${argument === 21}`);
    }
  }

  /** Bytes from `start` to `end`; those before `split` are a key, and a space sets them apart. */
  row(depth: number, start: number, end: number, note: string, split = start): void {
    const indent = ' '.repeat(2 * depth);
    const key = hex(this.#bytes.subarray(start, split));
    const bytes = `${key}${key === '' ? '' : ' '}${hex(this.#bytes.subarray(split, end))}`;
    const room = width - indent.length;
    this.lines.push(`${indent}${bytes.slice(0, room).padEnd(room)}  ${note}`.trimEnd());
    for (let at = room; at < bytes.length; at += room) this.lines.push(indent + bytes.slice(at, at + room));
  }

  #entry(depth: number, isHeader: boolean): void {
    const start = this.#at;
    const { major, argument, end } = this.#head();
    if (major === 3) {
      this.#at = end + argument;
      return this.item(depth, `${shortened(asciiJson(fromUtf8(this.#bytes.subarray(end, this.#at)) ?? ''))}: `, false, start);
    }
    this.#at = end;
    const label = major === 0 ? argument : -1 - argument;
    this.item(depth, `${(isHeader ? labels.get(label) : undefined) ?? label}: `, false, start);
  }

  /** A byte string that holds an item of its own. */
  #nested(name: string, isHeader: boolean): void {
    const { major, argument, end } = this.#head();
    if (major !== 2 || argument === 0 || isProblem(walkWholeCbor(this.#bytes.subarray(end, end + argument)))) return this.item(2, `${name}: `);
    this.row(2, this.#at, end, `${name}: ${count(argument, 'byte')}`);
    this.#at = end;
    this.item(3, '', isHeader);
  }

  #head(): Head {
    const first = this.#bytes[this.#at] as number;
    const info = first & 0x1f;
    const size = info < 24 ? 0 : 1 << (info - 24);
    let argument = size === 0 ? info : 0;
    for (let i = 1; i <= size; i++) argument = argument * 0x100 + (this.#bytes[this.#at + i] as number);
    return { major: first >> 5, argument, end: this.#at + 1 + size };
  }
}

function shortened(text: string): string {
  return text.length > longestNote ? `${text.slice(0, longestNote - 3)}...` : text;
}
