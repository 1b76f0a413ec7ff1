/**
 * A small reader of JSON text, RFC 8259 production by production, that forgets nothing: where each value and key stands, how a number was written,
 * and keys that stand twice. An object handed in by a caller becomes the same tree, so that one judge reads both (spec/policy.md, "One strict door").
 *
 * @module
 */
import { textOfUtf8 } from './text.js';

/** A problem with its place: an offset in a text, or the how-manieth thing it is in an object. */
export interface Placed {
  readonly code: string;
  readonly pointer: string;
  readonly place: number;
}

export interface Member {
  readonly key: string;
  readonly place: number;
  readonly value: Node;
}

export type Node = { readonly place: number } & (
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'number'; readonly written: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'array'; readonly items: readonly Node[] }
  | { readonly kind: 'object'; readonly members: readonly Member[] }
);

export interface Read {
  readonly problems: readonly Placed[];
  /** Absent when there is nothing to judge. */
  readonly root?: Node;
}

/** POL limits: "nesting of a document". */
const maxNesting = 32;

/** A step of a JSON pointer, RFC 6901. */
export const step = (pointer: string, key: string | number): string => `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

class NotJson extends Error {}

/** POL-11: the text of UTF-8 bytes or of a string, without a byte order mark. */
function textOf(input: string | Uint8Array): { readonly text: string } | { readonly code: string } {
  const text = typeof input === 'string' ? input : textOfUtf8([...input]);
  if (text === undefined) return { code: 'utf8' };
  return text.startsWith('\u{feff}') ? { code: 'syntax' } : { text };
}

/** Reads a JSON text. */
export function readJson(input: string | Uint8Array): Read {
  const given = textOf(input);
  if ('code' in given) return { problems: [{ code: given.code, pointer: '', place: 0 }] };
  const { text } = given;
  const problems: Placed[] = [];
  let at = 0;

  const blank = (): void => {
    while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at += 1;
  };
  const take = (wanted: string): void => {
    if (!text.startsWith(wanted, at)) throw new NotJson();
    at += wanted.length;
  };
  const string = (): string => {
    take('"');
    let value = '';
    for (;;) {
      const character = text.charAt(at);
      if (character === '' || character < ' ') throw new NotJson();
      at += 1;
      if (character === '"') return value;
      if (character !== '\\') {
        value += character;
        continue;
      }
      const letter = text.charAt(at);
      const simple = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
      if (letter === 'u') {
        const digits = text.slice(at + 1, at + 5);
        if (!/^[0-9A-Fa-f]{4}$/u.test(digits)) throw new NotJson();
        value += String.fromCharCode(Number.parseInt(digits, 16));
        at += 5;
      } else if (letter !== '' && Object.hasOwn(simple, letter)) {
        value += simple[letter as keyof typeof simple];
        at += 1;
      } else throw new NotJson();
    }
  };
  /** `depth` is the nesting that a container here would have; the outermost has 1. */
  const value = (pointer: string, depth: number): Node => {
    const place = at;
    const first = text.charAt(at);
    if (first === '"') return { kind: 'string', value: string(), place };
    if (first === '{') {
      if (depth === maxNesting + 1) problems.push({ code: 'limit', pointer, place });
      take('{');
      const members: Member[] = [];
      blank();
      if (text.charAt(at) === '}') take('}');
      else {
        for (;;) {
          blank();
          const keyPlace = at;
          const key = string();
          if (key === '__proto__') problems.push({ code: 'forbidden-key', pointer: step(pointer, key), place: keyPlace });
          else if (members.some((member) => member.key === key)) problems.push({ code: 'duplicate-key', pointer: step(pointer, key), place: keyPlace });
          blank();
          take(':');
          blank();
          members.push({ key, place: keyPlace, value: value(step(pointer, key), depth + 1) });
          blank();
          if (text.charAt(at) === '}') break;
          take(',');
        }
        take('}');
      }
      return { kind: 'object', members, place };
    }
    if (first === '[') {
      if (depth === maxNesting + 1) problems.push({ code: 'limit', pointer, place });
      take('[');
      const items: Node[] = [];
      blank();
      if (text.charAt(at) === ']') take(']');
      else {
        for (;;) {
          blank();
          items.push(value(step(pointer, items.length), depth + 1));
          blank();
          if (text.charAt(at) === ']') break;
          take(',');
        }
        take(']');
      }
      return { kind: 'array', items, place };
    }
    const number = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/u.exec(text.slice(at));
    if (number !== null) {
      take(number[0]);
      return { kind: 'number', written: number[0], place };
    }
    for (const [word, node] of [
      ['true', { kind: 'boolean', value: true, place }],
      ['false', { kind: 'boolean', value: false, place }],
      ['null', { kind: 'null', place }],
    ] as const) {
      if (text.startsWith(word, at)) {
        take(word);
        return node;
      }
    }
    throw new NotJson();
  };

  try {
    blank();
    const root = value('', 1);
    blank();
    if (at !== text.length) throw new NotJson();
    return { problems, root };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return { problems: [...problems, { code: 'syntax', pointer: '', place: at }] };
  }
}

/** The tree of a value that a caller hands in (POL-15). A number is as JavaScript writes it. */
export function readObject(given: unknown): Read {
  const problems: Placed[] = [];
  let count = 0;
  const walk = (value: unknown, pointer: string, above: readonly unknown[]): Node | undefined => {
    count += 1;
    const place = count;
    const refuse = (code: string): undefined => {
      problems.push({ code, pointer, place });
      return undefined;
    };
    if (value === null) return { kind: 'null', place };
    if (typeof value === 'boolean') return { kind: 'boolean', value, place };
    if (typeof value === 'number') return { kind: 'number', written: String(value), place };
    if (typeof value === 'string') return { kind: 'string', value, place };
    if (typeof value !== 'object' || above.includes(value)) return refuse('not-plain-data');
    const isList = Array.isArray(value);
    if (Object.getPrototypeOf(value) !== (isList ? Array.prototype : Object.prototype)) return refuse('not-plain-data');
    if (above.length === maxNesting) return refuse('limit');
    const within = [...above, value];
    const fields = Object.getOwnPropertyDescriptors(value) as Record<string, PropertyDescriptor>;
    if (Object.getOwnPropertySymbols(value).length > 0) return refuse('not-plain-data');
    const items: Node[] = [];
    const members: Member[] = [];
    const keys = isList ? Array.from({ length: value.length }, (_, index) => String(index)) : Object.keys(fields);
    for (const key of keys) {
      const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
      count += 1;
      const keyPlace = count;
      if (field === undefined || !('value' in field)) {
        problems.push({ code: 'not-plain-data', pointer: step(pointer, key), place: keyPlace });
        continue;
      }
      if (key === '__proto__') problems.push({ code: 'forbidden-key', pointer: step(pointer, key), place: keyPlace });
      const child = walk(field.value, step(pointer, key), within);
      if (child === undefined) continue;
      if (isList) items.push(child);
      else members.push({ key, place: keyPlace, value: child });
    }
    return isList ? { kind: 'array', items, place } : { kind: 'object', members, place };
  };
  const root = walk(given, '', []);
  // What was refused as no plain data is not judged further: parts of it are missing from the tree.
  return root === undefined || problems.some((problem) => problem.code === 'not-plain-data') ? { problems } : { problems, root };
}
