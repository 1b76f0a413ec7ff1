/**
 * Shapes of data: one definition of what a document, an object or a statement may hold, from which it is checked
 * and from which the JSON Schema for editors is made.
 *
 * Own code rather than a schema library because every key counts here: all unknown keys are reported, names of
 * inherited properties (`constructor`) are unknown keys too, and each refusal has its code and pointer.
 * @module
 */
import { RuleprintError, quote, type ErrorCode, type Problem } from './errors.js';
import { limits } from './limits.js';

export type Shape =
  | { readonly kind: 'text'; readonly expected: string; readonly judge?: (text: string) => void; readonly schema?: object }
  | { readonly kind: 'word'; readonly words: readonly string[] }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'boolean'; readonly only?: boolean }
  | { readonly kind: 'bytes'; readonly size?: number; readonly max?: number }
  /** Judged elsewhere. */
  | { readonly kind: 'any' }
  | ListShape
  | { readonly kind: 'object'; readonly fields: Fields; readonly optional: Fields; readonly what: string }
  /** An object with exactly one of these fields. */
  | { readonly kind: 'one'; readonly of: Fields; readonly what: string }
  /** An object with any keys, each holding the same shape. */
  | { readonly kind: 'record'; readonly value: Shape; readonly key?: (key: string) => void; readonly what: string }
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

/** Takes a problem and its path, which is the callee's to keep; `member` is true where the problem is the key itself and not its value. */
export type Report = (problem: Omit<Problem, 'where'>, path: Path, member: boolean) => void;
export type Path = readonly (string | number)[];

/** JSON pointer of a path (RFC 6901). */
export function pointer(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/**
 * Judges plain data (own data properties, no prototype of its own) by a shape and reports its problems, up to a named limit: for an object first the
 * missing keys in the order of the shape, then its members in their own order.
 */
export function checkShape(shape: Shape, value: unknown, report: Report): void {
  let reported = 0;
  const some: Report = (problem, path, member) => {
    if (++reported <= limits.problems) report(problem, path, member);
  };
  new Check(some).value(shape, value);
}

/** One walk over a value. The path is one stack, copied only for a report: most values have no problem. */
class Check {
  readonly #report: Report;
  readonly #path: (string | number)[] = [];

  constructor(report: Report) {
    this.#report = report;
  }

  value(shape: Shape, value: unknown): void {
    switch (shape.kind) {
      case 'text':
        if (typeof value !== 'string') return this.#wrongType(shape.expected, value);
        return this.#judge(shape.judge, value, false);
      case 'word':
        if (typeof value !== 'string') return this.#wrongType(wordList(shape.words), value);
        if (!shape.words.includes(value)) this.#problem('bad-value', `expected ${wordList(shape.words)}, got ${quote(value)}`);
        return;
      case 'integer':
        if (typeof value !== 'number') return this.#wrongType('an integer', value);
        if (!Number.isSafeInteger(value) || value < 0 || Object.is(value, -0)) {
          return this.#problem('bad-integer', `expected an integer from 0 to 2^53-1 in plain digits, got ${value}`);
        }
        if (value < shape.min || value > shape.max) this.#problem('bad-value', `expected ${shape.min} to ${shape.max}, got ${value}`);
        return;
      case 'boolean':
        if (typeof value !== 'boolean') return this.#wrongType('true or false', value);
        if (shape.only !== undefined && value !== shape.only) this.#problem('bad-value', `expected ${shape.only}, got ${value}`);
        return;
      case 'bytes':
        if (!(value instanceof Uint8Array)) return this.#wrongType('bytes', value);
        if (shape.size !== undefined && value.length !== shape.size) this.#problem('bad-value', `expected ${shape.size} bytes, got ${value.length}`);
        if (shape.max !== undefined && value.length > shape.max) this.#problem('limit', `expected at most ${shape.max} bytes, got ${value.length}`);
        return;
      case 'any':
        return;
      case 'word-or':
        if (typeof value !== 'string') return this.value(shape.other, value);
        if (value !== shape.word) this.#problem('bad-value', `expected "${shape.word}" or ${what(shape.other)}, got ${quote(value)}`);
        return;
      case 'list':
        return Array.isArray(value) ? this.#list(shape, value) : this.#wrongType(shape.what, value);
      case 'object':
      case 'one':
      case 'record':
        if (!isObject(value)) return this.#wrongType(shape.what, value);
        return shape.kind === 'record' ? this.#record(shape, value) : this.#object(shape, value);
    }
  }

  #list(shape: ListShape, items: readonly unknown[]): void {
    const { min = 0, max } = shape;
    if (items.length < min) this.#problem('empty-list', `expected at least ${min} item in ${shape.what}`);
    if (items.length > max) {
      return this.#problem('limit', `expected at most ${max} items in ${shape.what}, got ${items.length}`, {
        evidence: { limit: shape.what, max, got: items.length },
      });
    }
    const seen = shape.set || shape.uniqueBy !== undefined ? new Set<unknown>() : undefined;
    items.forEach((item, i) => {
      this.#path.push(i);
      if (seen === undefined || this.#isNew(shape, seen, item)) this.value(i === items.length - 1 ? (shape.last ?? shape.item) : shape.item, item);
      this.#path.pop();
    });
  }

  /** Whether an item is to be judged: the second of two equal ones is not. */
  #isNew(shape: ListShape, seen: Set<unknown>, item: unknown): boolean {
    const key = shape.uniqueBy === undefined ? item : ownText(item, shape.uniqueBy);
    const isSecond = key !== undefined && seen.has(key);
    seen.add(key);
    if (!isSecond) return true;
    if (shape.uniqueBy === undefined) {
      this.#problem('duplicate-item', `${quote(String(item))} stands twice in ${shape.what}`);
      return false;
    }
    this.#path.push(shape.uniqueBy);
    this.#problem('duplicate-name', `${quote(String(key))} names two items of ${shape.what}`);
    this.#path.pop();
    return true;
  }

  #object(shape: Shape & { kind: 'object' | 'one' }, value: Readonly<Record<string, unknown>>): void {
    const required = shape.kind === 'object' ? shape.fields : none;
    const others = shape.kind === 'object' ? shape.optional : shape.of;
    for (const key of Object.keys(required)) {
      if (!Object.hasOwn(value, key)) this.#problem('missing-key', `expected a field "${key}" in ${shape.what}`);
    }
    const keys = Object.keys(value);
    if (shape.kind === 'one') {
      const known = keys.filter((key) => Object.hasOwn(others, key)).length;
      if (known !== 1) this.#problem('exactly-one', `expected exactly one of ${wordList(Object.keys(others))} in ${shape.what}, got ${known}`);
    }
    for (const key of keys) {
      this.#path.push(key);
      // Object.hasOwn: a key like `constructor` must not find an inherited property of the table
      const field = Object.hasOwn(required, key) ? required[key] : Object.hasOwn(others, key) ? others[key] : undefined;
      if (field !== undefined) this.value(field, value[key]);
      else this.#report(unknownKey(key, [...Object.keys(required), ...Object.keys(others)], shape.what), [...this.#path], true);
      this.#path.pop();
    }
  }

  #record(shape: Shape & { kind: 'record' }, value: Readonly<Record<string, unknown>>): void {
    for (const [key, member] of Object.entries(value)) {
      this.#path.push(key);
      this.#judge(shape.key, key, true);
      this.value(shape.value, member);
      this.#path.pop();
    }
  }

  /** A judge refuses by throwing; its problem moves to the place where the text stands. */
  #judge(judge: ((text: string) => void) | undefined, value: string, member: boolean): void {
    try {
      judge?.(value);
    } catch (error) {
      if (!(error instanceof RuleprintError)) throw error;
      const { where: _, ...found } = error.problems[0];
      this.#report(found, [...this.#path], member);
    }
  }

  #wrongType(expected: string, value: unknown): void {
    this.#problem('wrong-type', `expected ${expected}, got ${typeName(value)}`);
  }

  #problem(code: ErrorCode, message: string, rest: Partial<Problem> = {}): void {
    this.#report({ code, message, ...rest }, [...this.#path], false);
  }
}

const none: Fields = {};

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

function ownText(item: unknown, key: string): string | undefined {
  const found = isObject(item) && Object.hasOwn(item, key) ? item[key] : undefined;
  return typeof found === 'string' ? found : undefined;
}

function unknownKey(key: string, known: readonly string[], inWhat: string): Omit<Problem, 'where'> {
  const near = known.find((name) => isNear(name, key));
  const hint = near === undefined ? `the fields are ${known.join(', ')}` : `did you mean "${near}"?`;
  return { code: 'unknown-key', message: `unknown field ${quote(key)} in ${inWhat}`, hint };
}

/** Whether two names are nearly the same: but for two letters in one place, or for case. */
function isNear(a: string, b: string): boolean {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()];
  const shortest = Math.min(x.length, y.length);
  let front = 0;
  while (front < shortest && x[front] === y[front]) front++;
  let back = 0;
  while (back < shortest - front && x.at(-1 - back) === y.at(-1 - back)) back++;
  return front + back >= 2 && front + back >= Math.max(x.length, y.length) - 2;
}

function what(shape: Shape): string {
  return 'what' in shape ? shape.what : shape.kind;
}

function wordList(words: readonly string[]): string {
  return words
    .map((each) => `"${each}"`)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or ');
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
