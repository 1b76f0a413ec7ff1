/**
 * The preimage of a policy for people: each field and number on a line of its own, as spec/digest.md shows it.
 * @module
 */
import { fromUtf8, hex } from '../bytes.js';
import { asciiJson, count } from './printable.js';

/** A line wider than this does not push the notes of the others aside. */
const widest = 80;

/** Reads the preimage itself, not the policy: what is shown is what is hashed. */
export function preimageLines(preimage: Uint8Array): string[] {
  const reader = new Reader(preimage);
  reader.field();
  const rules = reader.number((n) => (n === 1 ? 'one rule' : `${n} rules`));
  for (let i = 0; i < rules; i++) reader.rule();
  // no spread into a call: a policy may have a hundred thousand rules
  const width = reader.rows.reduce((most, [bytes]) => (bytes.length > widest ? most : Math.max(most, bytes.length)), 0);
  return reader.rows.map(([bytes, note]) => `${bytes.padEnd(width)}   ${note}`);
}

class Reader {
  readonly rows: [bytes: string, note: string][] = [];
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  rule(): void {
    this.field();
    this.field();
    if (this.field() === 'agents:one_of') this.#list('agent id');
    switch (this.field()) {
      case 'action:filesystem':
        this.field();
        this.#methods();
        return;
      case 'action:network':
        this.field();
        if (this.field() === 'ports:range') {
          this.number((port) => `from port ${port}`);
          this.number((port) => `to port ${port}`);
        }
        this.#methods();
        return;
      case 'action:process':
        this.#list('argument');
        return;
      default:
        this.field();
        this.field();
    }
  }

  field(): string {
    const length = this.#u32();
    const start = this.#at + 4;
    this.#at = start + length;
    const content = this.#bytes.subarray(start, this.#at);
    const text = fromUtf8(content) ?? '';
    const head = hex(this.#bytes.subarray(start - 4, start));
    this.rows.push([length === 0 ? head : `${head} ${hex(content)}`, `field ${asciiJson(text)}`]);
    return text;
  }

  number(note: (value: number) => string): number {
    const value = this.#u32();
    this.rows.push([hex(this.#bytes.subarray(this.#at, this.#at + 4)), note(value)]);
    this.#at += 4;
    return value;
  }

  #methods(): void {
    if (this.field() === 'methods:one_of') this.#list('method');
  }

  #list(noun: string): void {
    const items = this.number((n) => count(n, noun));
    for (let i = 0; i < items; i++) this.field();
  }

  #u32(): number {
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.#at).getUint32(0);
  }
}
