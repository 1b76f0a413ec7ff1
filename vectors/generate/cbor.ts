/**
 * Deterministic CBOR (spec/receipt.md, RCP-14): what is written for a value, and the walk that reads it or refuses it.
 * @module
 */
import { type Case, type Group, type Json, markedHex, type Notes, type Rest, topic, type VectorFile } from './kit.js';

const notes: Notes = {
  boundary: {
    why: 'At these arguments the head of an item grows by a byte.',
    effect: 'An off-by-one here makes bytes that no strict reader takes.',
  },
  'not-shortest': {
    why: 'The same value can be written in fewer bytes.',
    effect: 'One receipt would have many byte forms, and hashes over them would differ.',
  },
  'key-order': {
    why: 'Keys of a map stand in the order of their encoded bytes, which puts short keys first.',
    effect: 'Sorting by code points or by length and then by JavaScript order gives other bytes.',
  },
  'safe-integers': {
    why: 'Integers end at 2^53-1, so that every language reads them exactly.',
    effect: 'A reader with doubles would round, and re-encode what it never read.',
  },
  'no-null': {
    why: 'There are no null, no undefined, no floats and no tags inside: what has no value is left out.',
    effect: 'Absent, null and empty would be three ways to say one thing.',
  },
  order: {
    why: 'The item has more wrong with it than one thing; the checks of a head have an order.',
    effect: 'Verifiers would name different codes for the same bytes.',
  },
  claims: {
    why: 'The head claims more than there are bytes.',
    effect: 'A reader that believes it allocates what the sender says.',
  },
};

// ---- Values (vectors/README.md, "Notation")

const bytes = (hex: string): Json => ({ $bytes_hex: hex });
const map = (...entries: readonly (readonly [Json, Json])[]): Json => ({ $map: entries as Json });

type Row = readonly [id: string, value: Json, hex: string, comment: string, rest?: Rest];

const b = { flags: ['boundary'] };
const k = { flags: ['key-order'] };

/** The bytes stand here by hand, so that they rest on RFC 8949 and not on an encoder. */
const good: readonly Row[] = [
  ['cbor-0', 0, '00', 'Zero'],
  ['cbor-23', 23, '17', 'The last in the head itself', b],
  ['cbor-24', 24, '1818', 'The first with one byte', b],
  ['cbor-255', 255, '18ff', 'The last with one byte', b],
  ['cbor-256', 256, '190100', 'The first with two', b],
  ['cbor-65535', 65_535, '19ffff', 'The last with two', b],
  ['cbor-65536', 65_536, '1a00010000', 'The first with four', b],
  ['cbor-2-32-less-1', 4_294_967_295, '1affffffff', 'The last with four', b],
  ['cbor-2-32', 4_294_967_296, '1b0000000100000000', 'The first with eight', b],
  ['cbor-greatest', 9_007_199_254_740_991, '1b001fffffffffffff', 'The greatest integer', { flags: ['boundary', 'safe-integers'] }],
  ['cbor-minus-1', -1, '20', 'The first below zero'],
  ['cbor-minus-24', -24, '37', 'The last in the head itself', b],
  ['cbor-minus-25', -25, '3818', 'The first with one byte', b],
  ['cbor-minus-4294967297', -4_294_967_297, '3b0000000100000000', 'The first with eight', b],
  ['cbor-least', -9_007_199_254_740_991, '3b001ffffffffffffe', 'The least integer', { flags: ['boundary', 'safe-integers'] }],
  ['cbor-false', false, 'f4', 'False'],
  ['cbor-true', true, 'f5', 'True'],
  ['cbor-bytes-empty', bytes(''), '40', 'No bytes'],
  ['cbor-bytes', bytes('0001ff'), '430001ff', 'Three bytes'],
  ['cbor-bytes-24', bytes('00'.repeat(24)), `5818${'00'.repeat(24)}`, 'The first length with one byte', b],
  ['cbor-text-empty', '', '60', 'No text'],
  ['cbor-text', 'ruleprint', '6972756c657072696e74', 'ASCII text'],
  ['cbor-text-astral', 'a\u00e9\u{1f511}', '6761c3a9f09f9491', 'The length counts bytes of UTF-8'],
  ['cbor-text-bom', '\ufeffa', '64efbbbf61', 'A byte order mark is a character'],
  ['cbor-text-23', 'x'.repeat(23), `77${'78'.repeat(23)}`, 'The last length in the head itself', b],
  ['cbor-text-24', 'x'.repeat(24), `7818${'78'.repeat(24)}`, 'The first length with one byte', b],
  ['cbor-array-empty', [], '80', 'No items'],
  ['cbor-array', [1, [true, 'a'], bytes('')], '830182f5616140', 'Items in items'],
  ['cbor-array-24', Array.from({ length: 24 }, () => 0), `9818${'00'.repeat(24)}`, 'The first length with one byte', b],
  ['cbor-map-empty', map(), 'a0', 'No entries'],
  ['cbor-map-lengths', map(['b', 1], ['aa', 2]), 'a261620162616102', 'A shorter key comes first, whatever its letters', k],
  ['cbor-map-kinds', map([1, 0], [-1, 0], ['', 0]), 'a3010020006000', 'Positive before negative before text', k],
  ['cbor-map-integers', map([4, 0], [16, 0], [24, 0], [256, 0]), 'a40400100018180019010000', 'Integers by the bytes of their heads', k],
  ['cbor-map-negatives', map([-1, 0], [-2, 0], [-25, 0]), 'a320002100381800', 'Negative ones away from zero', k],
  ['cbor-map-utf-8', map(['\uffff', 0], ['\u{10000}', 0]), 'a263efbfbf0064f090808000', 'Text by its UTF-8 bytes and their number', k],
  ['cbor-map-proto', map(['__proto__', 1]), 'a1695f5f70726f746f5f5f01', 'A key that is special in some languages is a key'],
  ['cbor-depth-8', [[[[[[[[]]]]]]]], '8181818181818180', 'Eight arrays in one another'],
  [
    'cbor-depth-8-maps',
    map([1, map([1, map([1, map([1, map([1, map([1, map([1, map()])])])])])])]),
    'a101a101a101a101a101a101a101a0',
    'Eight maps in one another',
  ],
];

type RefusedRow = readonly [id: string, hex: string, error: string, comment: string, rest?: Rest];

const claims = { flags: ['claims'] };
const notShortest = { flags: ['not-shortest'] };
const noNull = { flags: ['no-null'] };
const first = { flags: ['order'] };

/** `^` stands in front of the byte at which the problem is placed. */
const refused: readonly RefusedRow[] = [
  ['cbor-nothing', '^', 'cbor-truncated', 'No bytes: no item (RCP-14)'],
  ['cbor-head-cut-1', '^18', 'cbor-truncated', 'An argument of one byte that is missing (RCP-14)'],
  ['cbor-head-cut-8', '^1b000000', 'cbor-truncated', 'An argument of eight bytes that ends after three (RCP-14)'],
  ['cbor-bytes-cut', '^4300', 'cbor-truncated', 'Three bytes, of which one is there (RCP-14)', claims],
  ['cbor-text-cut', '^6261', 'cbor-truncated', 'Two bytes of text, of which one is there (RCP-14)', claims],
  ['cbor-array-cut', '^8201', 'cbor-truncated', 'Two items, and one byte (RCP-14)', claims],
  ['cbor-array-item-cut', '8200^18', 'cbor-truncated', 'The second item has no argument (RCP-14)'],
  ['cbor-map-cut', '^a20100', 'cbor-truncated', 'Two entries need four bytes (RCP-14)', claims],
  ['cbor-map-value-missing', 'a16161^', 'cbor-truncated', 'A key at the end of the input: the value is missing where it has to begin (RCP-14)'],
  ['cbor-claims-4-gib', '^5affffffff', 'cbor-truncated', 'A byte string of 4 GiB (RCP-14)', claims],
  ['cbor-claims-array-2-53', '^9b001fffffffffffff00', 'cbor-truncated', 'An array of 2^53-1 items (RCP-14)', claims],
  ['cbor-claims-map-2-63', '^bb8000000000000000', 'cbor-truncated', 'A map whose number of items is no 64-bit number (RCP-14)', claims],
  ['cbor-reserved-28', '^1c', 'cbor-reserved', 'Additional information 28 (RCP-14)'],
  ['cbor-reserved-30', '81^7e', 'cbor-reserved', 'Additional information 30 (RCP-14)'],
  ['cbor-reserved-31-integer', '^1f', 'cbor-reserved', '31 on an integer (RCP-14)'],
  ['cbor-reserved-31-tag', '^df', 'cbor-reserved', '31 on a tag (RCP-14)'],
  ['cbor-break-alone', '81^ff', 'cbor-reserved', 'A break with nothing to break (RCP-14)'],
  ['cbor-indefinite-bytes', '^5f4100ff', 'cbor-indefinite', 'A byte string in pieces (RCP-14)'],
  ['cbor-indefinite-text', '^7f6161ff', 'cbor-indefinite', 'A text in pieces (RCP-14)'],
  ['cbor-indefinite-array', '^9fff', 'cbor-indefinite', 'An array without a length (RCP-14)'],
  ['cbor-indefinite-map', 'a101^bfff', 'cbor-indefinite', 'A map without a length (RCP-14)'],
  ['cbor-indefinite-key', 'a1^7fff00', 'cbor-indefinite', 'A text key in pieces: the kind is right, the head is not (RCP-14)', first],
  ['cbor-tag-date', '^c100', 'cbor-tag', 'A date (RCP-14)', noNull],
  ['cbor-tag-self', '^d9d9f700', 'cbor-tag', 'The tag that only says that this is CBOR (RCP-14)', noNull],
  ['cbor-tag-not-shortest', '^d80100', 'cbor-tag', 'The tag is seen before its long head (RCP-14)', first],
  ['cbor-tag-cut', '^d8', 'cbor-truncated', 'The missing byte is seen before the tag (RCP-14)', first],
  ['cbor-float-16', '^f93c00', 'cbor-float', '1.0 in two bytes (RCP-14)', noNull],
  ['cbor-float-32', '^fa3f800000', 'cbor-float', '1.0 in four bytes (RCP-14)', noNull],
  ['cbor-float-64', '81^fb3ff0000000000000', 'cbor-float', '1.0 in eight bytes (RCP-14)', noNull],
  ['cbor-float-cut', '^fb3ff0', 'cbor-truncated', 'The missing bytes are seen before the float (RCP-14)', first],
  ['cbor-null', '82f5^f6', 'cbor-simple', 'Null (RCP-14)', noNull],
  ['cbor-undefined', '^f7', 'cbor-simple', 'Undefined (RCP-14)', noNull],
  ['cbor-simple-0', '^e0', 'cbor-simple', 'An unassigned simple value (RCP-14)', noNull],
  ['cbor-simple-255', '^f8ff', 'cbor-simple', 'One in two bytes (RCP-14)', noNull],
  ['cbor-true-long', '^f815', 'cbor-simple', 'True in two bytes is no true (RCP-14)', first],
  ['cbor-long-0', '^1800', 'cbor-not-shortest', 'Zero in two bytes (RCP-14)', notShortest],
  ['cbor-long-23', '^1817', 'cbor-not-shortest', '23 in two bytes (RCP-14)', notShortest],
  ['cbor-long-255', '^1900ff', 'cbor-not-shortest', '255 in three bytes (RCP-14)', notShortest],
  ['cbor-long-65535', '^1a0000ffff', 'cbor-not-shortest', '65,535 in five bytes (RCP-14)', notShortest],
  ['cbor-long-2-32-less-1', '^1b00000000ffffffff', 'cbor-not-shortest', '2^32-1 in nine bytes (RCP-14)', notShortest],
  ['cbor-long-minus-1', '^3800', 'cbor-not-shortest', '-1 in two bytes (RCP-14)', notShortest],
  ['cbor-long-text', '^780161', 'cbor-not-shortest', 'A text whose length takes a byte too many (RCP-14)', notShortest],
  ['cbor-long-array', '^990000', 'cbor-not-shortest', 'An array whose length takes two bytes too many (RCP-14)', notShortest],
  ['cbor-long-key', 'a1^180400', 'cbor-not-shortest', 'A key in a byte too many (RCP-14)', notShortest],
  ['cbor-long-claims', '^5900ff', 'cbor-not-shortest', 'The long head is seen before the missing bytes (RCP-14)', first],
  ['cbor-2-53', '^1b0020000000000000', 'cbor-integer', '2^53 (RCP-14)', { flags: ['safe-integers'] }],
  ['cbor-2-64-less-1', '81^1bffffffffffffffff', 'cbor-integer', '2^64-1 (RCP-14)', { flags: ['safe-integers'] }],
  ['cbor-minus-2-53', '^3b001fffffffffffff', 'cbor-integer', '-2^53 (RCP-14)', { flags: ['safe-integers'] }],
  ['cbor-utf8-alone', '^6180', 'cbor-utf8', 'A byte that only continues (RCP-14)'],
  ['cbor-utf8-overlong', '^62c080', 'cbor-utf8', 'NUL in two bytes (RCP-14)'],
  ['cbor-utf8-surrogate', '81^63eda080', 'cbor-utf8', 'Half a character (RCP-14)'],
  ['cbor-utf8-beyond', '^64f4908080', 'cbor-utf8', 'Beyond U+10FFFF (RCP-14)'],
  ['cbor-utf8-cut', '^62e282', 'cbor-utf8', 'A character that ends with its text (RCP-14)'],
  ['cbor-utf8-key', 'a1^61ff00', 'cbor-utf8', 'in a key (RCP-14)'],
  ['cbor-key-bytes', 'a1^410000', 'cbor-key-type', 'A byte string as a key (RCP-14)'],
  ['cbor-key-true', 'a1^f500', 'cbor-key-type', 'True as a key (RCP-14)'],
  ['cbor-key-array', 'a1^8000', 'cbor-key-type', 'An array as a key (RCP-14)'],
  ['cbor-key-null', 'a1^f600', 'cbor-key-type', 'The kind of the key is seen at its first byte, before null (RCP-14)', first],
  ['cbor-key-indefinite-bytes', 'a1^5fff00', 'cbor-key-type', 'and before an indefinite length of a kind that is no key (RCP-14)', first],
  ['cbor-key-twice', 'a20100^0100', 'cbor-duplicate-key', 'An integer twice (RCP-14)'],
  ['cbor-key-text-twice', 'a2616100^616101', 'cbor-duplicate-key', 'A text twice (RCP-14)'],
  ['cbor-key-order-letters', 'a2616200^616100', 'cbor-unsorted', 'b before a (RCP-14)', k],
  ['cbor-key-order-length', 'a262616100^616200', 'cbor-unsorted', 'The longer key first, as the alphabet has it (RCP-14)', k],
  ['cbor-key-order-kinds', 'a2616100^0100', 'cbor-unsorted', 'Text before an integer (RCP-14)', k],
  ['cbor-key-order-negative', 'a22000^0000', 'cbor-unsorted', 'A negative key before a positive one (RCP-14)', k],
  ['cbor-key-order-again', 'a301000200^0100', 'cbor-unsorted', 'A key twice with another in between is out of order first (RCP-14)', first],
  ['cbor-depth-9', '8181818181818181^80', 'cbor-depth', 'Nine arrays in one another (RCP-14)'],
  ['cbor-depth-9-map', '8181818181818181^a0', 'cbor-depth', 'A map as the ninth (RCP-14)'],
  ['cbor-depth-many', `${'81'.repeat(8)}^${'81'.repeat(400)}`, 'cbor-depth', 'As deep as the bytes reach (RCP-14)'],
  ['cbor-depth-claims', '8181818181818181^9affffffff', 'cbor-depth', 'The depth is seen before the missing items (RCP-14)', first],
  ['cbor-trailing', '00^00', 'cbor-trailing', 'A second item (RCP-14)'],
  ['cbor-trailing-break', '80^ff', 'cbor-trailing', 'A byte that is no item (RCP-14)'],
  ['cbor-first-problem', '82^f6f93c00', 'cbor-simple', 'From the left: the null is met before the float (RCP-14)', first],
];

export function cborVectors(): VectorFile {
  const groups: readonly Group[] = [
    {
      name: 'written and read',
      source: 'RFC 8949 section 4.2.1',
      cases: good.map(([id, value, hex, comment, rest]): Case => ({ id, comment, flags: rest?.flags ?? [], input: { value }, expect: { cbor_hex: hex } })),
    },
    {
      name: 'refused',
      source: 'spec/receipt.md, Verifier, step 3',
      cases: refused.map(([id, marked, error, comment, rest]): Case => {
        const { hex, offset } = markedHex(marked);
        if (offset === undefined || !Number.isInteger(offset)) throw new RangeError(`${id} has no mark in front of a byte`);
        return { id, comment, flags: rest?.flags ?? [], input: { cbor_hex: hex }, expect: { error, where: { offset } } };
      }),
    },
  ];
  return topic('cbor', notes, groups);
}
