import { cdeDecodeOptions, decode as decodeCbor2 } from 'cbor2';
import { decode as decodeCborg, encode as encodeCborg, rfc8949EncodeOptions } from 'cborg';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hex } from '../../src/bytes.js';
import { type CborInput, encodeCbor } from '../../src/cose/cbor.js';
import { isProblem, walkWholeCbor } from '../../src/cose/walk.js';

/** The cases of a value that only an untyped caller can give. */
const untyped = encodeCbor as (value: unknown) => Uint8Array;

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary', minLength: 60, maxLength: 70 }), fc.string({ maxLength: 30 }));
const integer = fc
  .oneof(
    fc.maxSafeInteger(),
    fc.integer({ min: -30, max: 300 }),
    fc.constantFrom(
      0xff,
      0x100,
      0xffff,
      0x10000,
      2 ** 31,
      2 ** 32 - 1,
      2 ** 32,
      -(2 ** 31),
      -(2 ** 32),
      -(2 ** 32) - 1,
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
    ),
  )
  .map((n) => n + 0 || 0); // 0 for -0
const leaf = fc.oneof(integer, fc.boolean(), text, fc.uint8Array({ maxLength: 70 }));
const { tree } = fc.letrec<{ tree: CborInput }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    leaf,
    fc.array(tie('tree'), { maxLength: 26 }),
    fc.array(fc.tuple(fc.oneof(integer, text), tie('tree')), { maxLength: 30 }).map((entries) => new Map(entries)),
  ),
}));

describe('encodeCbor', () => {
  // RFC 8949 appendix A
  it.each<[CborInput, string]>([
    [0, '00'],
    [23, '17'],
    [24, '1818'],
    [1000000, '1a000f4240'],
    [1000000000000, '1b000000e8d4a51000'],
    [-1, '20'],
    [-1000, '3903e7'],
    [false, 'f4'],
    [true, 'f5'],
    [Uint8Array.of(), '40'],
    [Uint8Array.of(1, 2, 3, 4), '4401020304'],
    ['', '60'],
    ['IETF', '6449455446'],
    ['\u6c34', '63e6b0b4'],
    ['\u{10151}', '64f0908591'],
    [[1, [2, 3], [4, 5]], '8301820203820405'],
    [{}, 'a0'],
    [{ a: 1, b: [2, 3] }, 'a26161016162820203'],
    [['a', { b: 'c' }], '826161a161626163'],
  ])('writes %j as RFC 8949 appendix A does', (value, bytes) => {
    expect(hex(encodeCbor(value))).toBe(bytes);
  });

  // each side of every place where the head grows, and of the place where cbor-x would turn to a float
  it.each<[number, string]>([
    [255, '18ff'],
    [256, '190100'],
    [65535, '19ffff'],
    [65536, '1a00010000'],
    [4294967295, '1affffffff'],
    [4294967296, '1b0000000100000000'],
    [1793318400000, '1b000001a18a1b3000'],
    [Number.MAX_SAFE_INTEGER, '1b001fffffffffffff'],
    [-24, '37'],
    [-25, '3818'],
    [-256, '38ff'],
    [-257, '390100'],
    [-2147483649, '3a80000000'],
    [-4294967296, '3affffffff'],
    [-4294967297, '3b0000000100000000'],
    [Number.MIN_SAFE_INTEGER, '3b001ffffffffffffe'],
  ])('writes %d in the shortest head', (value, bytes) => {
    expect(hex(encodeCbor(value))).toBe(bytes);
  });

  it('sorts map keys by their encoded bytes, so that one map has one form whatever order it was made in', () => {
    const sorted = 'a7 01 01 1818 02 20 03 60 04 6162 05 626161 06 63c3a962 07'.replaceAll(' ', '');
    const entries: [number | string, number][] = [
      [1, 1],
      [24, 2],
      [-1, 3],
      ['', 4],
      ['b', 5],
      ['aa', 6],
      ['\u00e9b', 7],
    ];
    expect(hex(encodeCbor(new Map(entries)))).toBe(sorted);
    expect(hex(encodeCbor(new Map(entries.toReversed())))).toBe(sorted);
  });

  it('sorts the keys of an object that JavaScript itself moves to the front', () => {
    expect(hex(encodeCbor({ b: 1, 10: 2, 2: 3 }))).toBe('a3613203616201 62313002'.replace(' ', ''));
  });

  it('sorts text by bytes and not by UTF-16, where U+FFFF and U+10000 stand the other way round', () => {
    // the same number of bytes on both sides: 4 + 3
    const keys = ['\uffff\u{10000}', '\u{10000}\uffff'];
    const bytes = hex(encodeCbor(new Map(keys.toReversed().map((key) => [key, 0]))));
    expect(bytes).toBe('a267efbfbff09080800067f0908080efbfbf00');
  });

  it('sorts the maps inside too', () => {
    expect(hex(encodeCbor([{ b: { d: 1, c: 2 }, a: 0 }]))).toBe('81a261610061 62a2616302616401'.replace(' ', ''));
  });

  it('writes an object without a prototype, and a key __proto__ as any other', () => {
    const value = Object.assign(Object.create(null), { a: 1 }) as { a: number };
    expect(hex(encodeCbor(value))).toBe('a1616101');
    expect(hex(encodeCbor(JSON.parse('{"__proto__":1}') as CborInput))).toBe('a1695f5f70726f746f5f5f01');
  });

  it('writes a Node Buffer and another view as their bytes', () => {
    expect(hex(encodeCbor(Buffer.from([1, 2])))).toBe('420102');
    expect(hex(encodeCbor(Uint8Array.of(0, 1, 2, 3).subarray(1, 3)))).toBe('420102');
  });

  it('gives bytes of their own, because the buffer of cbor-x is shared by all that it writes', () => {
    const first = encodeCbor('first');
    const second = encodeCbor('second');
    expect(first.buffer).not.toBe(second.buffer);
    expect(first.buffer.byteLength).toBe(first.length);
    expect(first.constructor).toBe(Uint8Array);
    encodeCbor('third');
    expect(hex(first)).toBe('656669727374');
  });

  it('leaves its input as it was', () => {
    const value = { b: 1793318400000, a: [1] };
    encodeCbor(value);
    expect(value).toEqual({ b: 1793318400000, a: [1] });
    expect(Object.keys(value)).toEqual(['b', 'a']);
  });

  it('writes what is larger than the buffer of cbor-x', () => {
    const big = 'x'.repeat(9_000);
    const walked = walkWholeCbor(encodeCbor([big, big, new Uint8Array(9_000)]));
    expect(isProblem(walked) || walked.value).toEqual([big, big, new Uint8Array(9_000)]);
  });
});

describe('encodeCbor refuses', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['an absent field that is there as undefined', { a: undefined }],
    ['a hole', new Array(2)],
    ['-0, which would be written as 0', -0],
    ['a fraction', 1.5],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['2^53', 2 ** 53],
    ['-2^53', -(2 ** 53)],
    ['a BigInt', 1n],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['an unpaired high surrogate', '\ud800'],
    ['an unpaired low surrogate', 'a\udc00'],
    ['an unpaired surrogate in long text, which cbor-x would write as U+FFFD', `${'a'.repeat(70)}\ud800`],
    ['an unpaired surrogate in a key', { '\ud800': 1 }],
    ['a fraction as key', new Map([[1.5, 1]])],
    ['a boolean as key', new Map([[true, 1]])],
    ['bytes as key', new Map([[Uint8Array.of(1), 1]])],
    ['a symbol as key', { [Symbol('s')]: 1 }],
    ['a Date', new Date(0)],
    ['a Set', new Set([1])],
    ['a RegExp', /a/],
    ['an Error', new Error('e')],
    ['an ArrayBuffer', new ArrayBuffer(2)],
    ['another typed array', Uint16Array.of(1)],
    ['a DataView', new DataView(new ArrayBuffer(2))],
    ['an iterator', [1].values()],
    [
      'an object of a class',
      new (class A {
        a = 1;
      })(),
    ], // prettier-ignore
    ['an object that inherits its fields', Object.create({ a: 1 })],
    ['a boxed number', Object(1)],
    ['a promise', Promise.resolve(1)],
  ])('%s', (_, value) => {
    expect(() => untyped(value)).toThrow(TypeError);
    expect(() => untyped([value])).toThrow(TypeError);
  });

  it('what is deeper than a walk would take, and so a cycle', () => {
    expect(() => encodeCbor([[[[[[[[]]]]]]]])).not.toThrow();
    expect(() => encodeCbor([[[[[[[[[]]]]]]]]])).toThrow(RangeError);
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(() => untyped(cycle)).toThrow(RangeError);
  });

  it('and writes the next value right all the same, because cbor-x keeps state between calls', () => {
    expect(() => untyped([1, null])).toThrow(TypeError);
    expect(hex(encodeCbor([1, 2]))).toBe('820102');
  });
});

describe('encodeCbor and other hands', () => {
  it('gives the bytes of cborg under the rules of RFC 8949, for any value', () => {
    fc.assert(
      fc.property(tree, (value) => {
        expect(hex(encodeCbor(value))).toBe(hex(encodeCborg(value, rfc8949EncodeOptions)));
      }),
      { numRuns: 500 },
    );
  });

  it('is read back by the walk as the same value', () => {
    fc.assert(
      fc.property(tree, (value) => {
        const walked = walkWholeCbor(encodeCbor(value));
        if (isProblem(walked)) throw new Error(walked.code);
        expect(walked.value).toEqual(value);
        expect(hex(encodeCbor(walked.value))).toBe(hex(encodeCbor(value)));
      }),
      { numRuns: 500 },
    );
  });

  it('is taken by cbor2 under the common deterministic rules, and by the strict cborg', () => {
    fc.assert(
      fc.property(tree, (value) => {
        const bytes = encodeCbor(value);
        expect(() => decodeCbor2(bytes, cdeDecodeOptions)).not.toThrow();
        expect(() => decodeCborg(bytes, { strict: true, useMaps: true, rejectDuplicateMapKeys: true })).not.toThrow();
      }),
    );
  });
});

describe('walkCbor and other hands', () => {
  /** Bytes near a good encoding, since random bytes are hardly ever one: one byte is changed. */
  const nearlyGood = fc.tuple(tree, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([value, place, byte]) => {
    const bytes = encodeCbor(value);
    bytes[place % bytes.length] = byte;
    return bytes;
  });

  // kinds that deterministic CBOR has and a receipt has not: cbor2 is right to take them
  const notOurs = ['cbor-float', 'cbor-simple', 'cbor-tag', 'cbor-integer', 'cbor-depth', 'cbor-key-type'];

  it('takes what cbor2 takes under the common deterministic rules and refuses what it refuses, kinds apart', () => {
    fc.assert(
      fc.property(nearlyGood, (bytes) => {
        const walked = walkWholeCbor(bytes);
        if (isProblem(walked) && notOurs.includes(walked.code)) return;
        const decode = () => decodeCbor2(bytes, cdeDecodeOptions);
        if (isProblem(walked)) expect(decode, walked.code).toThrow();
        else expect(decode).not.toThrow();
      }),
      { numRuns: 700 },
    );
  });

  it('takes only bytes that encode again to themselves, because there is one form', () => {
    fc.assert(
      fc.property(nearlyGood, (bytes) => {
        const walked = walkWholeCbor(bytes);
        if (!isProblem(walked)) expect(hex(encodeCbor(walked.value))).toBe(hex(bytes));
      }),
      { numRuns: 700 },
    );
  });
});
