/**
 * Bytes that are nearly deterministic CBOR: trees whose every part may be written in a wrong way, and statements with wrong fields.
 *
 * @module
 */
import fc from 'fast-check';
import { type Cbor, encode, head } from '../reference/cbor.js';
import { hexOf, utf8 } from '../reference/text.js';
import type { Choices } from './arbitraries.js';

type Info = 24 | 25 | 26 | 27;

const borders = [0n, 1n, 23n, 24n, 255n, 256n, 65_535n, 65_536n, 0xffffffffn, 0x100000000n, 2n ** 53n - 2n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 64n - 1n];

const argument = fc.oneof({ weight: 2, arbitrary: fc.bigInt({ min: 0n, max: 30n }) }, { weight: 1, arbitrary: fc.constantFrom(...borders) });

/** Mostly the shortest head; at times one that is longer than needed (never one that is too short for its argument). */
const headOf = (major: number, value: bigint, longer: number): number[] => {
  const fitting = ([24, 25, 26, 27] as const).filter((info) => value < 2n ** BigInt(8 * 2 ** (info - 24)));
  return longer < 20 ? head(major, value) : head(major, value, fitting[longer % fitting.length] as Info);
};

const longer = fc.nat(21);

const goodText = fc.array(fc.constantFrom('a', 'b', 'é', '\u{10000}', '\uffff', '\ufeff', '\0', 'rule'), { maxLength: 4 }).map((parts) => utf8(parts.join('')));
const badText = fc.constantFrom(
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xe2, 0x82],
  [0x80],
  [0xff],
  [0x61, 0xc3],
  [0xf0, 0x80, 0x80, 0x80],
  [0xf8, 0x88, 0x80, 0x80, 0x80],
);

const integer = fc.tuple(fc.constantFrom(0, 1), argument, longer).map(([major, value, form]) => headOf(major, value, form));
const bytes = fc.tuple(fc.uint8Array({ maxLength: 40 }), longer).map(([content, form]) => [...headOf(2, BigInt(content.length), form), ...content]);
const text = fc
  .tuple(fc.oneof({ weight: 12, arbitrary: goodText }, { weight: 1, arbitrary: badText }), longer)
  .map(([content, form]) => [...headOf(3, BigInt(content.length), form), ...content]);
const bool = fc.boolean().map((value) => [value ? 0xf5 : 0xf4]);
/** A string or container that says more than there is, in any form of head. */
const liar = fc.tuple(fc.constantFrom(2, 3, 4, 5), argument, longer).map(([major, value, form]) => headOf(major, value, form));
const wrong = fc.oneof(
  fc.constantFrom(
    ...[
      [0xf6],
      [0xf7],
      [0xe0],
      [0xf8, 0x14],
      [0xf8, 0xff],
      [0xf8],
      [0xf9, 0, 0],
      [0xf9, 0],
      [0xfa, 0, 0, 0, 0],
      [0xfb],
      [0xff],
      [0xfc],
      [0x1c],
      [0x3d],
      [0x5c],
      [0x7e],
      [0x9c],
      [0xbd],
    ],
    ...[
      [0x5f, 0x41, 0, 0xff],
      [0x7f, 0xff],
      [0x9f, 0xff],
      [0xbf, 0xff],
      [0x1f],
      [0x3f],
      [0xdf],
      [0xc0, 0],
      [0xd2, 0x80],
      [0xd8, 0x12, 0],
      [0xd8],
      [0xdc],
      [0x18],
      [0x19, 1],
      [0x1b, 0, 0],
      [],
    ],
  ),
  liar,
  fc.uint8Array({ maxLength: 4 }).map((content) => [...content]),
);

type Entries = readonly (readonly [number[], number[]])[];

const inOrder = (entries: Entries): Entries => [...entries].sort(([a], [b]) => (hexOf(a) < hexOf(b) ? -1 : 1));

const eachKeyOnce = (entries: Entries): Entries => [...new Map(entries.map((entry) => [hexOf(entry[0]), entry])).values()];

/** One item, good or nearly. */
export const nearlyCbor: fc.Arbitrary<number[]> = fc.letrec<{ item: number[]; list: number[]; map: number[] }>((tie) => ({
  item: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 8, arbitrary: integer },
    { weight: 4, arbitrary: bytes },
    { weight: 6, arbitrary: text },
    { weight: 2, arbitrary: bool },
    { weight: 1, arbitrary: wrong },
    { weight: 8, arbitrary: tie('list') },
    { weight: 8, arbitrary: tie('map') },
  ),
  list: fc
    .tuple(fc.array(tie('item'), { maxLength: 4 }), longer, fc.nat(19))
    .map(([items, form, off]) => [...headOf(4, BigInt(items.length + (off === 19 ? 1 : 0)), form), ...items.flat()]),
  map: fc
    .tuple(
      fc.array(fc.tuple(fc.oneof({ weight: 6, arbitrary: integer }, { weight: 6, arbitrary: text }, { weight: 1, arbitrary: tie('item') }), tie('item')), {
        maxLength: 5,
      }),
      longer,
      fc.nat(7),
      fc.nat(20),
    )
    .map(([entries, form, order, more]) => {
      const written = order === 7 ? entries : inOrder(order === 6 ? entries : eachKeyOnce(entries));
      return [...headOf(5, BigInt(written.length + (more > 16 ? more - 16 : 0)), form), ...written.flatMap(([key, item]) => [...key, ...item])];
    }),
})).item;

/** Lists and maps whose count is near the number of bytes behind them, where what is told first depends on when the bytes are counted. */
export const tightCbor: fc.Arbitrary<number[]> = fc
  .tuple(
    fc.constantFrom(4, 5),
    fc.nat(7),
    fc.array(fc.constantFrom(0, 1, 2, 0x20, 0x21, 0x60, 0xf4, 0x80, 0xa0, 0x41, 0xf6, 0xc0, 0x1c, 0x5f), { maxLength: 9 }),
  )
  .map(([major, count, items]) => [...head(major, count), ...items]);

/** Lists and maps around an item, so that the border of the depth is met. */
export const deepCbor: fc.Arbitrary<number[]> = fc
  .tuple(fc.array(fc.boolean(), { minLength: 5, maxLength: 11 }), nearlyCbor)
  .map(([levels, item]) => [...levels.flatMap((isMap) => (isMap ? [0xa1, 0x00] : [0x81])), ...item]);

/** Bytes changed at one place: flipped, cut, put in, left out, doubled, or a head written longer. */
export function withByteFault(given: Uint8Array, choices: Choices): Uint8Array {
  const all = [...given];
  const place = choices.next(all.length + 1);
  const kind = choices.next(9);
  const before = all.slice(0, place);
  const after = all.slice(place);
  const first = after[0] ?? 0;
  if (kind === 0) return Uint8Array.from([...before, ...(after.length === 0 ? [] : [first ^ (1 << choices.next(8))]), ...after.slice(1)]);
  if (kind === 1) return Uint8Array.from(before);
  if (kind === 2) return Uint8Array.from([...before, choices.pick([0, 0xff, 0xf6, 0xa0, 0x80, 0x40, 0x60, 0x18, 0xc0, 0x5f, 0xbf]), ...after]);
  if (kind === 3) return Uint8Array.from([...before, ...after.slice(1 + choices.next(4))]);
  if (kind === 4) return Uint8Array.from([...all, ...all.slice(0, place)]);
  if (kind === 5) return Uint8Array.from([...before, ...after.slice(0, 1 + choices.next(8)), ...after]);
  if (kind === 6) return Uint8Array.from([...before, choices.next(256), ...after.slice(1)]);
  // A head in a longer form, where this byte is one; elsewhere it is a change like another.
  const info = first & 31;
  if (info < 24) return Uint8Array.from([...before, ...head(first >> 5, info, choices.pick<Info>([24, 25, 26, 27])), ...after.slice(1)]);
  if (info === 24 && after.length > 1)
    return Uint8Array.from([...before, ...head(first >> 5, after[1] as number, choices.pick<Info>([25, 26, 27])), ...after.slice(2)]);
  return Uint8Array.from([...before, (first & 0xe0) | choices.next(32), ...after.slice(1)]);
}

type Fields = ReadonlyMap<number | string, Cbor>;

const isFields = (value: Cbor): value is Fields => value instanceof Map;

const strange: readonly Cbor[] = [
  0,
  1,
  -1,
  2,
  65_536,
  Number.MAX_SAFE_INTEGER,
  true,
  false,
  '',
  'a',
  'a\u202e',
  'a\0',
  'allow',
  'deny',
  'no-rule',
  'no-policy',
  'fault',
  'unmapped',
  'not-canonical',
  'read',
  'GET',
  'get',
  `sha256:${'0'.repeat(64)}`,
  `sha256:${'0'.repeat(63)}`,
  `sha256:${'A'.repeat(64)}`,
  `SHA256:${'a'.repeat(64)}`,
  `sha256:${'a'.repeat(64)}\n`,
  'ruleprint-match/1',
  'ruleprint-match/2',
  'decision',
  'seal',
  '/a/../b',
  'A.b',
  'constructor',
  '__proto__',
  new Uint8Array(),
  new Uint8Array(32),
  [],
  ['a'],
  [''],
  [1],
  [new Map()],
  Array.from({ length: 257 }, () => 'a'),
  new Map(),
  new Map([['effect', 'deny']]),
  new Map([['a', 1]]),
];

const names = [
  'extra',
  'seq',
  'prev',
  'rule',
  'reason',
  'action',
  'effect',
  'enforced',
  'call_id',
  'args_digest',
  'mapping',
  'method',
  'port',
  'constructor',
  '__proto__',
  'toString',
  'tool',
  'filesystem',
  2,
  -1,
  1,
  4,
  16,
];

/** A value with one thing changed somewhere in it. */
export function withFieldFault(value: Cbor, choices: Choices): Cbor {
  if (isFields(value) && value.size > 0) {
    const entries = [...value];
    const [key, item] = choices.pick(entries);
    const kind = choices.next(6);
    const set = (label: number | string, other: Cbor): Fields => new Map<number | string, Cbor>([...entries, [label, other]]);
    if (kind < 2) return set(key, withFieldFault(item, choices));
    if (kind === 2) return new Map(entries.filter(([other]) => other !== key));
    if (kind === 3) return set(choices.pick(names), choices.pick(strange));
    return set(key, choices.pick(strange));
  }
  if (Array.isArray(value) && value.length > 0) {
    const items = value as readonly Cbor[];
    const at = choices.next(items.length);
    const kind = choices.next(5);
    if (kind === 1) return items.filter((_, index) => index !== at);
    if (kind === 2) return [...items, items[at] as Cbor];
    if (kind === 3) return items.map((item, index) => (index === at ? choices.pick(strange) : item));
    return items.map((item, index) => (index === at ? withFieldFault(item, choices) : item));
  }
  return choices.pick(strange);
}

export const encodedCbor = (value: Cbor): Uint8Array => Uint8Array.from(encode(value));
