/**
 * Faults put into good data: one change at one place, chosen by a stream so that a failure shrinks to a plain change.
 *
 * @module
 */
import type { Choices } from './arbitraries.js';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Values that are wrong in most places and right in some. */
const strange: readonly Json[] = [
  null,
  true,
  0,
  1,
  -1,
  1.5,
  65_535,
  65_536,
  2 ** 53,
  1e21,
  '',
  'any',
  'allow',
  'GET',
  'get',
  'read',
  '1',
  [],
  {},
  ['a'],
  ['a', 'a'],
  ['read', 'read'],
  [[]],
  '\ud800',
  'a\udc00',
  'a\u202e',
  'a\u0085',
  'a\0',
  '\0**',
  '/a//b',
  '//a',
  '/../a',
  '/a/',
  '/a[b',
  '/a**',
  '**',
  '*',
  '\\',
  'A.b',
  '*.1.2.3.4',
  '*.::1',
  '10.0.0.1/8',
  '10.0.0.0/8',
  'a..b',
  '1.2.3.4.5',
  'a'.repeat(4_096),
  'a'.repeat(4_097),
  'é'.repeat(2_049),
  '__proto__',
  'constructor',
];

const keys = [
  'extra',
  'constructor',
  'toString',
  'version',
  'Version',
  'methods',
  'path',
  'one_of',
  'name',
  'tool',
  'filesystem',
  'process',
  '',
  '/',
  '~',
  'é',
];

interface Spot {
  readonly parent: Json[] | { [key: string]: Json };
  readonly key: string | number;
}

/** All places of a tree below its root. */
function spots(value: Json): Spot[] {
  if (value === null || typeof value !== 'object') return [];
  const entries: [string | number, Json][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, child]) => [{ parent: value, key }, ...spots(child)]);
}

const at = ({ parent, key }: Spot): Json => (parent as Record<string | number, Json>)[key] as Json;

const define = (target: object, key: string | number, value: unknown): void => {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
};

/** A deep copy that knows nothing of the original. */
export const copyOf = <T>(value: T): T => structuredClone(value);

/** A copy with one fault; a changed copy may by chance still be good. */
export function withFault(original: unknown, choices: Choices): Json {
  const root = { root: copyOf(original) as Json };
  const all = spots(root);
  const spot = choices.pick(all);
  const value = at(spot);
  const replace = (): void => define(spot.parent, spot.key, copyOf(choices.pick(strange)));
  if (Array.isArray(value) && choices.next(2) === 1) {
    const kind = choices.next(4);
    if (kind === 0) value.length = 0;
    else if (kind === 1 && value.length > 0) value.push(copyOf(choices.pick(value)));
    else if (kind === 2 && value.length > 0) value.splice(choices.next(value.length), 1);
    else value.push(copyOf(choices.pick(strange)));
  } else if (value !== null && typeof value === 'object' && !Array.isArray(value) && choices.next(3) !== 0) {
    const own = Object.keys(value);
    const added = choices.next(12) === 11 ? '__proto__' : choices.pick(keys);
    if (choices.next(2) === 0 && own.length > 0) delete value[choices.pick(own)];
    else if (!Object.hasOwn(value, added)) define(value, added, copyOf(choices.pick([1, ...strange])));
  } else replace();
  return root.root;
}

/** Ways of being no plain data, of objects and arrays. */
const notPlainWays = ['accessor', 'symbol', 'inherited', 'prototype', 'stranger', 'cycle', 'hole'] as const;

/** A copy in which one object or array is no plain data (POL-15). */
export const notPlain = (original: unknown, choices: Choices): unknown => damaged(original, choices, notPlainWays, () => true);

/** A copy in which one object has another prototype (DEC-1). */
export const notPlainObject = (original: unknown, choices: Choices): unknown =>
  damaged(original, choices, ['inherited', 'prototype', 'stranger'], (value) => !Array.isArray(value));

function damaged(original: unknown, choices: Choices, ways: readonly (typeof notPlainWays)[number][], isTaken: (value: Json) => boolean): unknown {
  const root = { root: copyOf(original) as Json };
  const containers = spots(root).filter((spot) => {
    const value = at(spot);
    return value !== null && typeof value === 'object' && isTaken(value);
  });
  const spot = choices.pick(containers);
  const value = at(spot) as Json[] | { [key: string]: Json };
  const own = Object.keys(value);
  const key = own.length > 0 ? choices.pick(own) : Array.isArray(value) ? '0' : 'extra';
  const seen = Object.getOwnPropertyDescriptor(value, key)?.value as unknown;
  switch (choices.pick(ways)) {
    case 'accessor':
      Object.defineProperty(value, key, { get: () => seen, enumerable: true });
      break;
    case 'symbol':
      Object.defineProperty(value, Symbol('extra'), { value: 1, enumerable: true });
      break;
    case 'inherited':
      define(spot.parent, spot.key, Object.create(value));
      break;
    case 'prototype':
      Object.setPrototypeOf(value, Object.create(Array.isArray(value) ? Array.prototype : Object.prototype));
      break;
    case 'stranger':
      define(spot.parent, spot.key, choices.pick([new Date(0), new Map(), new Set(), /a/u, new (class Policy {})(), new Uint8Array(1)]));
      break;
    case 'cycle':
      define(value, key, value);
      break;
    case 'hole':
      if (Array.isArray(value)) value.length += 1;
      else Object.defineProperty(value, key, { get: () => seen, set: () => undefined, enumerable: true });
  }
  return root.root;
}

/** JSON text of a value in a manner of the writer's: blanks between tokens, escapes in strings. */
export function jsonText(value: unknown, choices: Choices): string {
  const text = JSON.stringify(value, undefined, choices.pick([0, 0, 1, '\t', '\r\n '.slice(2), 7]));
  return choices.next(3) === 1
    ? text.replaceAll(/[^\u0020-\u007e\s]|(?<=[a-z])e(?=[a-z])/gu, (c) =>
        c
          .split('')
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join(''),
      )
    : text;
}

/** A text with one fault of writing. */
export function withTextFault(text: string, choices: Choices): string {
  const place = choices.next(text.length + 1);
  const [before, after] = [text.slice(0, place), text.slice(place)];
  const numbers = [...text.matchAll(/(?<=[:,[]\s*)[0-9]+/gu)];
  switch (choices.next(8)) {
    case 1:
      return before + after.slice(1);
    case 2:
      return (
        before +
        choices.pick([
          ',',
          '"',
          '}',
          ']',
          '{',
          '[',
          ':',
          ' ',
          '\n',
          '\t',
          '\f',
          '\u00a0',
          '\ufeff',
          '\\',
          '0',
          '1',
          'e',
          '.',
          '-',
          '+',
          '/',
          'x',
          'true',
          'null',
          '\u2028',
        ]) +
        after
      );
    case 3:
      return before;
    case 4: {
      const number = numbers.length === 0 ? undefined : choices.pick(numbers);
      if (number === undefined) return text;
      const other = choices.pick([
        '1.0',
        '1e0',
        '-0',
        '-1',
        '01',
        '+1',
        '1.',
        '.5',
        '1e',
        '9007199254740991',
        '9007199254740992',
        '9007199254740993',
        '1E400',
        '0x1',
        'NaN',
        '1_0',
        '0',
      ]);
      return text.slice(0, number.index) + other + text.slice(number.index + number[0].length);
    }
    case 5: {
      // A member twice: the last of its object once more, in the same spelling or another.
      const member = /"(version|name|effect|agents)"\s*:\s*("[^"\\]*"|[0-9]+)/u.exec(text);
      if (member === null) return text;
      const spelled = choices.pick([member[0], member[0].replace('e', '\\u0065'), `"__proto__":${member[2]}`]);
      return `${text.slice(0, member.index)}${member[0]},${spelled}${text.slice(member.index + member[0].length)}`;
    }
    case 6:
      return choices.pick([
        `\ufeff${text}`,
        `${text},`,
        `${text}\n${text}`,
        `//\n${text}`,
        `${text} `,
        '',
        ' ',
        text.replaceAll('"', "'"),
        text.replace('"', '"\\x'),
        `${'['.repeat(40)}${']'.repeat(40)}`,
      ]);
    default:
      return before + choices.pick([' ', '\n', ',', '"']) + after;
  }
}
