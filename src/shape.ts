/**
 * Shapes of data: one definition of what a document, an object or a statement may hold, from which it is checked
 * and from which the JSON Schema for editors is made.
 *
 * Own code rather than a schema library because every key counts here: all unknown keys are reported, names of
 * inherited properties (`constructor`) are unknown keys too, and each refusal has its code and pointer.
 * @module
 */
import { RuleprintError, quote, type ErrorCode, type Problem } from './errors.js';

export type Shape =
  | { readonly kind: 'text'; readonly expected: string; readonly judge?: (text: string) => void; readonly schema?: object }
  | { readonly kind: 'word'; readonly words: readonly string[] }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'boolean'; readonly only?: boolean }
  | { readonly kind: 'bytes'; readonly size?: number }
  /** Judged elsewhere. */
  | { readonly kind: 'any' }
  | ListShape
  | { readonly kind: 'object'; readonly fields: Fields; readonly optional: Fields; readonly what: string }
  /** An object with exactly one of these fields. */
  | { readonly kind: 'one'; readonly of: Fields; readonly what: string }
  /** An object with any keys, each holding the same shape. */
  | { readonly kind: 'record'; readonly value: Shape; readonly key: (key: string) => void; readonly what: string }
  /** One word, or another shape. */
  | { readonly kind: 'word-or'; readonly word: string; readonly other: Shape };

export interface ListShape {
  readonly kind: 'list';
  readonly what: string;
  readonly item: Shape;
  /** The shape of the last item, where it is another. */
  readonly last?: Shape;
  readonly min?: number;
  readonly max: number;
  /** No item twice. */
  readonly set?: boolean;
  /** A field whose text no two items share. */
  readonly uniqueBy?: string;
}

export type Fields = Readonly<Record<string, Shape>>;

export const text = (expected: string, judge?: (text: string) => void, schema?: object): Shape => ({
  kind: 'text',
  expected,
  ...(judge && { judge }),
  ...(schema && { schema }),
});
export const word = (...words: readonly string[]): Shape => ({ kind: 'word', words });
export const integer = (min: number, max: number): Shape => ({ kind: 'integer', min, max });
export const object = (what: string, fields: Fields, optional: Fields = {}): Shape => ({ kind: 'object', what, fields, optional });
export const one = (what: string, of: Fields): Shape => ({ kind: 'one', what, of });
export const wordOr = (onlyWord: string, other: Shape): Shape => ({ kind: 'word-or', word: onlyWord, other });
export const list = (what: string, item: Shape, rest: Pick<ListShape, 'max'> & Partial<ListShape>): ListShape => ({ ...rest, kind: 'list', what, item });

/** Takes a problem found below a JSON pointer; `member` is true where the problem is the key itself and not its value. */
export type Report = (problem: Omit<Problem, 'where'>, path: Path, member: boolean) => void;
export type Path = readonly (string | number)[];

/** JSON pointer of a path (RFC 6901). */
export function pointer(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/**
 * Judges plain data (own data properties, `Map` for a statement) by a shape and reports every problem: for an object first the
 * missing keys in the order of the shape, then its members in their own order.
 */
export function checkShape(shape: Shape, value: unknown, path: Path, report: Report): void {
  const problem = (code: ErrorCode, message: string, rest: Partial<Problem> = {}): void => report({ code, message, ...rest }, path, false);
  const wrongType = (expected: string): void => problem('wrong-type', `expected ${expected}, got ${typeName(value)}`);
  switch (shape.kind) {
    case 'text':
      if (typeof value !== 'string') return wrongType(shape.expected);
      return judgeText(shape.judge, value, (found) => report(found, path, false));
    case 'word':
      if (typeof value !== 'string') return wrongType(wordList(shape.words));
      if (!shape.words.includes(value)) problem('bad-value', `expected ${wordList(shape.words)}, got ${quote(value)}`);
      return;
    case 'integer':
      if (typeof value !== 'number') return wrongType('an integer');
      if (!Number.isSafeInteger(value) || value < 0 || Object.is(value, -0)) {
        return problem('bad-integer', `expected an integer from 0 to 2^53-1 in plain digits, got ${value}`);
      }
      if (value < shape.min || value > shape.max) problem('bad-value', `expected ${shape.min} to ${shape.max}, got ${value}`);
      return;
    case 'boolean':
      if (typeof value !== 'boolean') return wrongType('true or false');
      if (shape.only !== undefined && value !== shape.only) problem('bad-value', `expected ${shape.only}, got ${value}`);
      return;
    case 'bytes':
      if (!(value instanceof Uint8Array)) return wrongType('bytes');
      if (shape.size !== undefined && value.length !== shape.size) problem('bad-value', `expected ${shape.size} bytes, got ${value.length}`);
      return;
    case 'any':
      return;
    case 'list':
      if (!Array.isArray(value)) return wrongType(shape.what);
      return checkList(shape, value, path, report);
    case 'word-or':
      if (typeof value !== 'string') return checkShape(shape.other, value, path, report);
      if (value !== shape.word) problem('bad-value', `expected "${shape.word}" or ${what(shape.other)}, got ${quote(value)}`);
      return;
    case 'object':
    case 'one':
    case 'record': {
      const members = membersOf(value);
      if (members === undefined) return wrongType(shape.what);
      if (shape.kind === 'record') return checkRecord(shape, members, path, report);
      return checkMembers(shape, members, path, report);
    }
  }
}

function checkList(shape: ListShape, items: readonly unknown[], path: Path, report: Report): void {
  const { min = 0, max } = shape;
  if (items.length < min) report({ code: 'empty-list', message: `expected at least ${min} item in ${shape.what}` }, path, false);
  if (items.length > max) {
    const evidence = { limit: shape.what, max, got: items.length };
    return report({ code: 'limit', message: `expected at most ${max} items in ${shape.what}, got ${items.length}`, evidence }, path, false);
  }
  const seen = new Set<unknown>();
  items.forEach((item, i) => {
    const at = [...path, i];
    if (shape.set && seen.has(item)) {
      return report({ code: 'duplicate-item', message: `${quote(String(item))} stands twice in ${shape.what}` }, at, false);
    }
    const name = shape.uniqueBy === undefined ? item : ownText(item, shape.uniqueBy);
    if (shape.uniqueBy !== undefined && name !== undefined && seen.has(name)) {
      report({ code: 'duplicate-name', message: `${quote(String(name))} names two items of ${shape.what}` }, [...at, shape.uniqueBy], false);
    }
    seen.add(name);
    checkShape(i === items.length - 1 ? (shape.last ?? shape.item) : shape.item, item, at, report);
  });
}

function ownText(item: unknown, key: string): string | undefined {
  const found = membersOf(item)?.find(([name]) => name === key)?.[1];
  return typeof found === 'string' ? found : undefined;
}

type Members = readonly (readonly [key: string, value: unknown])[];

/** Members of an object or of a decoded map, in their own order; undefined for anything else. */
function membersOf(value: unknown): Members | undefined {
  if (value instanceof Map) return [...value].map(([key, member]) => [String(key), member]);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Uint8Array) return undefined;
  return Object.entries(value);
}

function checkMembers(shape: Shape & { kind: 'object' | 'one' }, members: Members, path: Path, report: Report): void {
  const required = shape.kind === 'object' ? shape.fields : {};
  const others = shape.kind === 'object' ? shape.optional : shape.of;
  const keys = new Set(members.map(([key]) => key));
  for (const key of Object.keys(required)) {
    if (!keys.has(key)) report({ code: 'missing-key', message: `expected a field "${key}" in ${shape.what}` }, path, false);
  }
  const known = members.filter(([key]) => Object.hasOwn(others, key)).length;
  if (shape.kind === 'one' && known !== 1) {
    report({ code: 'exactly-one', message: `expected exactly one of ${wordList(Object.keys(shape.of))} in ${shape.what}, got ${known}` }, path, false);
  }
  for (const [key, value] of members) {
    const at = [...path, key];
    // Object.hasOwn: a key like `constructor` must not find an inherited property of the table
    const field = Object.hasOwn(required, key) ? required[key] : Object.hasOwn(others, key) ? others[key] : undefined;
    if (field !== undefined) checkShape(field, value, at, report);
    else report(unknownKey(key, [...Object.keys(required), ...Object.keys(others)], shape.what), at, true);
  }
}

function unknownKey(key: string, known: readonly string[], inWhat: string): Omit<Problem, 'where'> {
  const near = known.find((name) => name.toLowerCase().startsWith(key.toLowerCase().slice(0, 3)) && key.length > 2);
  const hint = near === undefined ? `the fields are ${known.join(', ')}` : `did you mean "${near}"?`;
  return { code: 'unknown-key', message: `unknown field ${quote(key)} in ${inWhat}`, hint };
}

function checkRecord(shape: Shape & { kind: 'record' }, members: Members, path: Path, report: Report): void {
  for (const [key, value] of members) {
    const at = [...path, key];
    judgeText(shape.key, key, (found) => report(found, at, true));
    checkShape(shape.value, value, at, report);
  }
}

/** A judge refuses by throwing; its problem moves to the place where the text stands. */
function judgeText(judge: ((text: string) => void) | undefined, value: string, report: (problem: Omit<Problem, 'where'>) => void): void {
  try {
    judge?.(value);
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    const { where: _, ...found } = error.problems[0];
    report(found);
  }
}

function what(shape: Shape): string {
  return 'what' in shape ? shape.what : shape.kind;
}

function wordList(words: readonly string[]): string {
  return words.map((each) => `"${each}"`).join(', ').replace(/, (?=[^,]*$)/, ' or ');
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Uint8Array) return 'bytes';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'undefined') return 'nothing';
  return typeof value === 'number' ? 'a number' : typeof value;
}
