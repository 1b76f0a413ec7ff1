import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeCbor } from '../../src/cose/cbor.js';
import { itemEnd } from '../../src/cose/sequence.js';
import { unhex } from './hex.js';

describe('itemEnd finds the end', () => {
  it.each([
    ['an integer', '00', 1],
    ['an integer in a long head', '1b0000000000000001', 9],
    ['a string', '430102034401', 4],
    ['an array', '8301020304', 4],
    ['a map', 'a20102030405', 5],
    ['a tag, however deep', 'c1c1d81800ff', 5],
    ['a float', 'fb3ff000000000000000', 9],
    ['null', 'f600', 1],
    ['a simple value in two bytes', 'f8ff00', 2],
    ['an indefinite array', '9f0102ff00', 4],
    ['an indefinite map', 'bf0102ff00', 4],
    ['an indefinite string', '5f41014102ff00', 6],
    ['an empty indefinite string', '5fff00', 2],
    ['indefinite arrays in one another', '9f9f01ff029fffff00', 8],
    ['a definite array that ends in an indefinite one', '82019fff00', 4],
    ['an indefinite map with an array as value', 'bf01820203ff00', 6],
    ['unsorted keys, which are for the walk to refuse', 'a20202010100', 5],
  ])('of %s', (_, text, end) => {
    expect(itemEnd(unhex(text))).toBe(end);
  });

  it('of the item at the start that is given', () => {
    expect(itemEnd(unhex('00 8101 02'), 1)).toBe(3);
  });

  it('of each item of a sequence, because that is what a file of receipts is', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.oneof(fc.maxSafeInteger(), fc.uint8Array()))), (items) => {
        const parts = items.map((item) => encodeCbor(item.map((x) => (x === 0 ? 0 : x))));
        const sequence = Buffer.concat(parts);
        let at = 0;
        for (const part of parts) {
          expect(itemEnd(sequence, at)).toBe(at + part.length);
          at += part.length;
        }
        expect(at).toBe(sequence.length);
      }),
    );
  });
});

describe('itemEnd finds no end', () => {
  it.each([
    ['without bytes', ''],
    ['in half a head', '19ff'],
    ['in half a string', '430102'],
    ['in half an array', '830102'],
    ['in half a map', 'a2010203'],
    ['after a tag alone', 'c1'],
    ['of a break alone', 'ff'],
    ['of a break in a definite array', '81ffff'],
    ['of a break after a tag', '9fc1ff'],
    ['of an indefinite array without its break', '9f0102'],
    ['of an indefinite map with a key without a value', 'bf01ff'],
    ['of an indefinite string with a chunk of another kind', '5f6161ff'],
    ['of an indefinite string with an indefinite chunk', '5f5f4101ffff'],
    ['of an indefinite string without its break', '5f4101'],
    ['of an integer of indefinite length', '1f'],
    ['of a tag of indefinite length', 'df00'],
    ['of reserved additional information', '1c'],
    ['of a simple value below 32 in two bytes', 'f814'],
    ['of a string of 2^64 - 1 bytes', '5bffffffffffffffff00'],
    ['of a map of 2^64 - 1 entries', 'bbffffffffffffffff00'],
  ])('%s', (_, text) => {
    expect(itemEnd(unhex(text))).toBeUndefined();
  });

  it.each([
    ['arrays', 0x81],
    ['tags', 0xc1],
    ['indefinite arrays', 0x9f],
    ['indefinite maps', 0xbf],
    ['indefinite strings', 0x5f],
  ])('in a million %s in one another, because nothing here recurses', (_, byte) => {
    expect(itemEnd(new Uint8Array(1_000_000).fill(byte))).toBeUndefined();
  });
});

describe('itemEnd keeps up', () => {
  it('with a million arrays in one another that do end', () => {
    const bytes = new Uint8Array(1_000_001).fill(0x81);
    bytes[1_000_000] = 0;
    expect(itemEnd(bytes)).toBe(1_000_001);
    expect(itemEnd(Uint8Array.from([...new Uint8Array(1_000).fill(0x9f), ...new Uint8Array(1_000).fill(0xff), 0]))).toBe(2_000);
  });
});
