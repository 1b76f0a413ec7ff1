import { describe, expect, it } from 'vitest';
import { hex } from '../../src/bytes.js';
import { encodeCbor } from '../../src/cose/cbor.js';
import { type CborValue, isProblem, walkCbor, walkWholeCbor } from '../../src/cose/walk.js';
import { unhex } from './hex.js';

function read(text: string): CborValue {
  const walked = walkWholeCbor(unhex(text));
  if (isProblem(walked)) throw new Error(`${walked.code}: ${walked.message}`);
  return walked.value;
}

function refusal(bytes: Uint8Array): { readonly code: string; readonly offset: number | undefined } | undefined {
  const walked = walkWholeCbor(bytes);
  return isProblem(walked) ? { code: walked.code, offset: walked.where.offset } : undefined;
}

describe('walkCbor reads', () => {
  // RFC 8949 appendix A, the examples that are of our kinds and in range
  it.each<[string, CborValue]>([
    ['00', 0],
    ['01', 1],
    ['0a', 10],
    ['17', 23],
    ['1818', 24],
    ['1819', 25],
    ['1864', 100],
    ['1903e8', 1000],
    ['1a000f4240', 1000000],
    ['1b000000e8d4a51000', 1000000000000],
    ['20', -1],
    ['29', -10],
    ['3863', -100],
    ['3903e7', -1000],
    ['f4', false],
    ['f5', true],
    ['40', unhex('')],
    ['4401020304', unhex('01020304')],
    ['60', ''],
    ['6161', 'a'],
    ['6449455446', 'IETF'],
    ['62225c', '"\\'],
    ['62c3bc', '\u00fc'],
    ['63e6b0b4', '\u6c34'],
    ['64f0908591', '\u{10151}'],
    ['80', []],
    ['83010203', [1, 2, 3]],
    ['8301820203820405', [1, [2, 3], [4, 5]]],
    ['98190102030405060708090a0b0c0d0e0f101112131415161718181819', Array.from({ length: 25 }, (_, i) => i + 1)],
    ['a0', new Map()],
    // prettier-ignore
    [
      'a201020304',
      new Map([
        [1, 2],
        [3, 4],
      ]),
    ],
    // prettier-ignore
    [
      'a26161016162820203',
      new Map<string, CborValue>([
        ['a', 1],
        ['b', [2, 3]],
      ]),
    ],
    ['826161a161626163', ['a', new Map([['b', 'c']])]],
    // prettier-ignore
    [
      'a56161614161626142616361436164614461656145',
      new Map([
        ['a', 'A'],
        ['b', 'B'],
        ['c', 'C'],
        ['d', 'D'],
        ['e', 'E'],
      ]),
    ],
  ])('%s of RFC 8949 appendix A', (text, value) => {
    expect(read(text)).toEqual(value);
  });

  it('the greatest and the least integer that JavaScript holds exactly', () => {
    expect(read('1b001fffffffffffff')).toBe(Number.MAX_SAFE_INTEGER);
    expect(read('3b001ffffffffffffe')).toBe(Number.MIN_SAFE_INTEGER);
  });

  it('an integer key and a text key of the same look as two keys, because a map keeps their types', () => {
    // prettier-ignore
    expect(read('a20102613103')).toEqual(
      new Map<number | string, CborValue>([
        [1, 2],
        ['1', 3],
      ]),
    );
  });

  it('a map key __proto__ as any other, because the value is a Map', () => {
    const value = read('a1695f5f70726f746f5f5f01') as ReadonlyMap<string, CborValue>;
    expect([...value.keys()]).toEqual(['__proto__']);
  });

  it('text of 65 bytes that begins with U+FEFF whole, because dropping it would make two texts one', () => {
    // more than 64 bytes: there a decoder that strips the mark was seen to
    const text = `\ufeff${'a'.repeat(62)}`;
    expect(read(`7841 efbbbf ${'61'.repeat(62)}`)).toBe(text);
    expect(hex(encodeCbor(text))).toBe(`7841efbbbf${'61'.repeat(62)}`);
    expect(read('64 efbbbf 61')).toBe('\ufeffa');
  });

  it('arrays and maps 8 deep, and the outermost counts as 1', () => {
    expect(read('8181818181818180')).toEqual([[[[[[[[]]]]]]]]);
  });

  it('byte strings as copies, also out of a Node Buffer, because what was verified must not change afterwards', () => {
    for (const input of [unhex('43010203'), Buffer.from('43010203', 'hex')]) {
      const walked = walkWholeCbor(input);
      input.fill(0);
      expect(isProblem(walked) || walked.value).toEqual(Uint8Array.of(1, 2, 3));
    }
  });

  it('the item at the start that is given, and says where it ends', () => {
    expect(walkCbor(unhex('ff 8101 02'), 1)).toEqual({ value: [1], end: 3 });
  });
});

/**
 * Each row: bytes that are taken, the same with exactly one thing changed, the code, and the place. The good bytes
 * stand beside the bad ones, so that it is this change and no other that is refused.
 */
describe('walkCbor refuses (RCP-14)', () => {
  it.each([
    // no byte
    ['a missing item', '8101', '81', 'cbor-truncated', 0],
    ['a missing item after a long one', '82410102', '824101', 'cbor-truncated', 3],
    ['a missing value after a long key', 'a1616102', 'a16161', 'cbor-truncated', 3],
    // heads
    ['additional information 28', '00', '1c', 'cbor-reserved', 0],
    ['additional information 29', '40', '5d', 'cbor-reserved', 0],
    ['additional information 30', '80', '9e', 'cbor-reserved', 0],
    ['an integer of indefinite length', '00', '1f', 'cbor-reserved', 0],
    ['a negative integer of indefinite length', '20', '3f', 'cbor-reserved', 0],
    ['a tag of indefinite length', '00', 'df', 'cbor-reserved', 0],
    ['a break where an item belongs', '8100', '81ff', 'cbor-reserved', 1],
    ['a byte string of indefinite length', '4101', '5f4101ff', 'cbor-indefinite', 0],
    ['a text string of indefinite length', '6161', '7f6161ff', 'cbor-indefinite', 0],
    ['an array of indefinite length', '8101', '9f01ff', 'cbor-indefinite', 0],
    ['a map of indefinite length', 'a10102', 'bf0102ff', 'cbor-indefinite', 0],
    ['a head without its argument byte', '1818', '18', 'cbor-truncated', 0],
    ['a head with a half of its argument bytes', '8119ffff', '8119ff', 'cbor-truncated', 1],
    ['a head with seven argument bytes of eight', '1b0000000100000000', '1b00000001000000', 'cbor-truncated', 0],
    // kinds
    ['a tag inside', '811a514b67b0', '81c11a514b67b0', 'cbor-tag', 1],
    ['a tag with an argument byte', '00', 'd82000', 'cbor-tag', 0],
    ['a half float', '01', 'f93c00', 'cbor-float', 0],
    ['a float', '01', 'fa3f800000', 'cbor-float', 0],
    ['a double', '01', 'fb3ff0000000000000', 'cbor-float', 0],
    ['null', 'f4', 'f6', 'cbor-simple', 0],
    ['undefined', 'f5', 'f7', 'cbor-simple', 0],
    ['an unassigned simple value', 'f4', 'e0', 'cbor-simple', 0],
    ['true in two bytes', 'f5', 'f815', 'cbor-simple', 0],
    ['a simple value of 255', 'f5', 'f8ff', 'cbor-simple', 0],
    // shortest heads
    ['1 in two bytes', '01', '1801', 'cbor-not-shortest', 0],
    ['23 in two bytes', '17', '1817', 'cbor-not-shortest', 0],
    ['255 in three bytes', '18ff', '1900ff', 'cbor-not-shortest', 0],
    ['65535 in five bytes', '19ffff', '1a0000ffff', 'cbor-not-shortest', 0],
    ['2^32 - 1 in nine bytes', '1affffffff', '1b00000000ffffffff', 'cbor-not-shortest', 0],
    ['-1 in two bytes', '20', '3800', 'cbor-not-shortest', 0],
    ['-1 in nine bytes', '20', '3b0000000000000000', 'cbor-not-shortest', 0],
    ['the length of a byte string in two bytes', '4101', '580101', 'cbor-not-shortest', 0],
    ['the length of a text string in two bytes', '6161', '780161', 'cbor-not-shortest', 0],
    ['the length of an array in two bytes', '8101', '980101', 'cbor-not-shortest', 0],
    ['the size of a map in two bytes', 'a10102', 'b8010102', 'cbor-not-shortest', 0],
    // integers
    ['2^53', '1b001fffffffffffff', '1b0020000000000000', 'cbor-integer', 0],
    ['2^64 - 1', '1b001fffffffffffff', '1bffffffffffffffff', 'cbor-integer', 0],
    ['-2^53', '3b001ffffffffffffe', '3b001fffffffffffff', 'cbor-integer', 0],
    ['-2^64', '3b001ffffffffffffe', '3bffffffffffffffff', 'cbor-integer', 0],
    // strings
    ['a byte string with a byte missing', '420102', '4201', 'cbor-truncated', 0],
    ['a text string with a byte missing', '626161', '6261', 'cbor-truncated', 0],
    ['a byte string of 2^64 - 1 bytes', '4101', '5bffffffffffffffff01', 'cbor-truncated', 0],
    ['text with a byte that no character has', '6161', '61ff', 'cbor-utf8', 0],
    ['text with a continuation byte alone', '617f', '6180', 'cbor-utf8', 0],
    ['text with half a character', '8162c3bc', '8162c361', 'cbor-utf8', 1],
    ['text with NUL in two bytes', '6100', '62c080', 'cbor-utf8', 0],
    ['text with a surrogate', '63ed9fbf', '63eda080', 'cbor-utf8', 0],
    ['text beyond U+10FFFF', '64f48fbfbf', '64f4908080', 'cbor-utf8', 0],
    ['long text with a byte that no character has', `7841${'61'.repeat(65)}`, `7841${'61'.repeat(64)}ff`, 'cbor-utf8', 0],
    // containers
    ['an array 9 deep', '8181818181818180', '818181818181818180', 'cbor-depth', 8],
    ['a map 9 deep', '81818181818181a0', '8181818181818181a0', 'cbor-depth', 8],
    ['an array of more items than bytes', '820102', '830102', 'cbor-truncated', 0],
    ['an array of 2^64 - 1 items', '820102', '9bffffffffffffffff0102', 'cbor-truncated', 0],
    ['a map of more than half as many entries as bytes', 'a201020304', 'a301020304', 'cbor-truncated', 0],
    ['a map of 2^63 entries', 'a10102', 'bb80000000000000000102', 'cbor-truncated', 0],
    // keys
    ['a byte string as key', 'a1616100', 'a1416100', 'cbor-key-type', 1],
    ['an array as key', 'a10100', 'a18000', 'cbor-key-type', 1],
    ['a map as key', 'a10100', 'a1a000', 'cbor-key-type', 1],
    ['true as key', 'a10100', 'a1f500', 'cbor-key-type', 1],
    ['a float as key, whose type is seen first', 'a10100', 'a1f93c0000', 'cbor-key-type', 1],
    ['a tag as key, whose type is seen first', 'a10100', 'a1c20100', 'cbor-key-type', 1],
    ['an integer key twice', 'a201020203', 'a201020103', 'cbor-duplicate-key', 3],
    ['a text key twice', 'a2616101616202', 'a2616101616102', 'cbor-duplicate-key', 4],
    ['a key twice with the same value', 'a201010201', 'a201010101', 'cbor-duplicate-key', 3],
    ['a key below the one before', 'a2616101616202', 'a2616201616102', 'cbor-unsorted', 4],
    ['a negative key before a positive one', 'a201022003', 'a220020103', 'cbor-unsorted', 3],
    ['a long key before a short one', 'a261620162616102', 'a262616101616202', 'cbor-unsorted', 5],
    ['a wrong order at the end of the key, before what is wrong with its value', 'a2616101616202', 'a2616201616118', 'cbor-unsorted', 4],
    // after the item
    ['a byte after the item', '00', '0000', 'cbor-trailing', 1],
    ['a break after the item', '8101', '8101ff', 'cbor-trailing', 2],
  ])('%s', (_, good, bad, code, offset) => {
    expect(refusal(unhex(good))).toBeUndefined();
    expect(refusal(unhex(bad))).toEqual({ code, offset });
  });

  it('no bytes at all', () => {
    expect(refusal(new Uint8Array(0))).toEqual({ code: 'cbor-truncated', offset: 0 });
  });

  it('the first of two problems, because the walk goes from the left', () => {
    expect(refusal(unhex('82 1801 f6'))).toEqual({ code: 'cbor-not-shortest', offset: 1 });
    expect(refusal(unhex('82 f6 1801'))).toEqual({ code: 'cbor-simple', offset: 1 });
  });

  it('within one head in the order of the chapter', () => {
    expect(refusal(unhex('d8'))?.code).toBe('cbor-truncated'); // before cbor-tag
    expect(refusal(unhex('f9'))?.code).toBe('cbor-truncated'); // before cbor-float
    expect(refusal(unhex('da00000001'))?.code).toBe('cbor-tag'); // before cbor-not-shortest
    expect(refusal(unhex('1b0000000000000001'))?.code).toBe('cbor-not-shortest'); // before cbor-integer
    expect(refusal(unhex('5800'))?.code).toBe('cbor-not-shortest'); // before cbor-truncated of the string
    expect(refusal(unhex('81818181818181 8183'))?.code).toBe('cbor-depth'); // before cbor-truncated of the array
    expect(refusal(unhex('a1 1c'))?.code).toBe('cbor-truncated'); // the size of the map before its key
    expect(refusal(unhex('a1 1c 00'))?.code).toBe('cbor-reserved'); // an integer by its type, so no cbor-key-type
    expect(refusal(unhex('a1 5c 00'))?.code).toBe('cbor-key-type');
  });

  it('counts offsets from the base that is given', () => {
    const walked = walkCbor(unhex('81f6'), 0, { base: 100 });
    expect(isProblem(walked) && walked.where).toEqual({ offset: 101 });
    const trailing = walkWholeCbor(unhex('0000'), 0, { base: 100 });
    expect(isProblem(trailing) && trailing.where).toEqual({ offset: 101 });
  });
});

describe('walkCbor answers', () => {
  it('a million arrays in one another at once, because input must not choose how far it descends', () => {
    expect(refusal(new Uint8Array(1_000_000).fill(0x81))).toEqual({ code: 'cbor-depth', offset: 8 });
  });

  it.each(['9affffffff', 'baffffffff', '5affffffff', '7affffffff', '9bffffffffffffffff', '9a00ffffff00000000'])(
    '%s at once, whatever length it claims',
    (text) => {
      const start = performance.now();
      expect(refusal(unhex(text))?.code).toBe('cbor-truncated');
      expect(performance.now() - start).toBeLessThan(1_000);
    },
  );

  it('with a problem of one line that names both sides', () => {
    const walked = walkWholeCbor(unhex('1801'));
    expect(isProblem(walked) && walked.message).toBe('expected the shortest head for 1, got 1 argument bytes');
  });

  it('a depth that is no depth with a RangeError, because that is the caller and not the input', () => {
    expect(() => walkCbor(unhex('00'), 0, { maxDepth: 0 })).toThrow(RangeError);
    expect(() => walkCbor(unhex('00'), 0, { maxDepth: 257 })).toThrow(RangeError);
    expect(() => walkCbor(unhex('00'), 0, { maxDepth: Number.NaN })).toThrow(RangeError);
  });
});
