/**
 * CBOR that others wrote: what is not well-formed, what is well-formed and not deterministic, and the examples of RFC 8949. Each refusal is compared with the
 * code that RCP-14 names, as the reference finds it, which knows nothing of the source; the totals by code are written down here.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';
import { encodeCbor, itemEnd, verifySign1 } from '../../src/cose/index.js';
import { type CborValue, isProblem, walkWholeCbor } from '../../src/cose/walk.js';
import { checkPolicy } from '../../src/policy/parse.js';
import { CborProblem, head, walkAll } from '../reference/cbor.js';
import { fromHex, load, outside, tally } from './outside.js';

interface BadItem {
  readonly source: string;
  readonly name: string;
  readonly hex: string;
}

interface Example {
  readonly hex: string;
  readonly roundtrip: boolean;
  readonly decoded?: unknown;
  readonly diagnostic?: string;
}

interface Negative {
  readonly hex: string;
}

const codeOf = (bytes: Uint8Array): string => {
  const walked = walkWholeCbor(bytes);
  return isProblem(walked) ? walked.code : 'accepted';
};

const referenceCodeOf = (bytes: Uint8Array): string => {
  try {
    walkAll(bytes);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof CborProblem)) throw error;
    return error.code;
  }
};

/** As JSON would show it: text keys, no bytes. */
const plain = (value: CborValue): unknown => {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), plain(item as CborValue)]));
  return Array.isArray(value) ? value.map((item) => plain(item as CborValue)) : value;
};

/** Diagnostic notation (RFC 8949 section 8) of what JSON cannot show: bytes, and maps with integer keys. */
const diagnostic = (value: CborValue): string => {
  if (value instanceof Uint8Array) return `h'${Buffer.from(value).toString('hex')}'`;
  if (!(value instanceof Map)) return JSON.stringify(value);
  return `{${[...value].map(([key, item]) => `${diagnostic(key)}: ${diagnostic(item as CborValue)}`).join(', ')}}`;
};

outside('CBOR that is not well-formed', () => {
  const { cases } = load<{ cases: readonly BadItem[] }>('vectors/cbor-invalid/not-well-formed.json');
  // two items came out of a text that builds its input, and are no hex: what stands before that is judged, and is enough
  const isHex = ({ hex }: BadItem): boolean => /^[0-9a-f]*$/.test(hex);
  const bytesOf = ({ hex }: BadItem): Uint8Array => fromHex(/^(?:[0-9a-f]{2})*/.exec(hex)?.[0] ?? '');

  it('is 122 items of two libraries, two of them not in hex to their end', () => {
    expect(tally(cases.map(({ source }) => source.split('/')[0] as string))).toEqual({ fxamacker: 99, hildjj: 23 });
    expect(cases.filter((one) => !isHex(one)).map((one) => codeOf(bytesOf(one)))).toEqual(['cbor-indefinite', 'cbor-indefinite']);
  });

  it('is refused, each item with the code of the reference (RCP-14)', () => {
    expect(cases.map((one) => codeOf(bytesOf(one)))).toEqual(cases.map((one) => referenceCodeOf(bytesOf(one))));
    expect(tally(cases.map((one) => codeOf(bytesOf(one))))).toEqual({
      'cbor-truncated': 40, // ends in a head, in a string, or before the items that a head announces
      'cbor-indefinite': 39, // whatever is wrong behind the head: an indefinite length is enough
      'cbor-reserved': 30, // additional information 28 to 30, and a break where none belongs
      'cbor-simple': 4, // the two-byte forms of simple values below 32
      'cbor-trailing': 3,
      'cbor-tag': 2, // a tag is refused before what stands in it, or does not
      'cbor-key-type': 2, // a break or a reserved byte where a key begins: a key is looked at first
      'cbor-depth': 1, // nine arrays in one another, the ninth of them cut off
      'cbor-utf8': 1, // the one item that is well-formed
    });
  });

  it('is refused alike inside the tag of a message and inside its protected header', () => {
    for (const one of cases) {
      const bytes = bytesOf(one);
      const code = codeOf(bytes);
      const message = verifySign1(Uint8Array.from([0xd2, ...bytes]), []);
      expect(message.ok || message.problems[0].code).toBe(code);
      const inHeader = verifySign1(Uint8Array.from([0xd2, 0x84, ...head(2, bytes.length), ...bytes, 0xa0, 0x40, 0x58, 64, ...new Uint8Array(64)]), []);
      // RCP-16 has a word of its own for a header of no bytes
      expect(inHeader.ok || inHeader.problems[0].code).toBe(bytes.length === 0 ? 'cose-protected' : code);
    }
  });

  it('has no end in a sequence, but for what is well-formed up to its end', () => {
    const ends = cases.filter((one) => itemEnd(bytesOf(one)) !== undefined).map((one) => codeOf(bytesOf(one)));
    expect(tally(ends)).toEqual({ 'cbor-trailing': 3, 'cbor-utf8': 1 });
  });
});

outside('CBOR with a key that stands twice', () => {
  it('is refused as an item, at the second', () => {
    const items = load<readonly Negative[]>('vectors/ipld-negative/dag-cbor_decode_duplicate-keys.json');
    expect(items).toHaveLength(1);
    for (const { hex } of items) {
      const walked = walkWholeCbor(fromHex(hex));
      // the map has three entries of 5 bytes, and the third has the key of the second
      expect(walked).toMatchObject({ code: 'cbor-duplicate-key', where: { offset: 11 } });
    }
  });

  it('is refused as JSON at the door of policies', () => {
    const items = load<readonly Negative[]>('vectors/ipld-negative/dag-json_decode_duplicate-keys.json');
    expect(items).toHaveLength(1);
    for (const { hex } of items) {
      const result = checkPolicy(fromHex(hex), { format: 'json' });
      expect('problems' in result && result.problems.map(({ code }) => code)).toContain('duplicate-key');
    }
  });
});

outside('the examples of RFC 8949', () => {
  const examples = load<readonly Example[]>('vectors/cbor-appendix-a/appendix_a.json');

  /** What RCP-14 says of an example, by how it is shown: the head of its first byte, and whether the RFC has it in the one form. */
  const expected = ({ hex, roundtrip, decoded }: Example): string => {
    const first = Number.parseInt(hex.slice(0, 2), 16);
    if (first >= 0xf9 && first <= 0xfb) return 'cbor-float';
    if (first >= 0xe0 && typeof decoded !== 'boolean') return 'cbor-simple';
    if (first >> 5 === 6) return 'cbor-tag';
    if (!roundtrip) return 'cbor-indefinite';
    return typeof decoded === 'number' && !Number.isSafeInteger(decoded) ? 'cbor-integer' : 'accepted';
  };

  it('are 82, of which 34 are in deterministic form and of our kinds', () => {
    expect(examples.map(({ hex }) => codeOf(fromHex(hex)))).toEqual(examples.map(expected));
    expect(tally(examples.map(expected))).toEqual({
      accepted: 34,
      'cbor-float': 22,
      'cbor-indefinite': 11,
      'cbor-tag': 8,
      'cbor-simple': 5, // null, undefined, and three that have no name
      'cbor-integer': 2, // beyond 2^53-1
    });
  });

  it('give their value where they are accepted, and are written back to the same bytes', () => {
    for (const { hex, decoded, diagnostic: shown } of examples.filter((one) => expected(one) === 'accepted')) {
      const walked = walkWholeCbor(fromHex(hex));
      if (isProblem(walked)) throw new Error(walked.code);
      if (shown === undefined) expect(plain(walked.value)).toEqual(decoded);
      else expect(diagnostic(walked.value)).toBe(shown);
      expect(Buffer.from(encodeCbor(walked.value)).toString('hex')).toBe(hex);
      expect(walkAll(fromHex(hex))).toEqual(walked.value);
    }
  });

  // RFC 8949 appendix C: below 32 the two-byte form is not well-formed; RFC 7049, where this example comes from, allowed 24 to 31
  const isNoLonger = ({ hex }: Example): boolean => /^f8(0|1)/.test(hex);

  it('have their end in a sequence, whatever else is wrong with them, but for the one that is no longer well-formed', () => {
    expect(examples.filter(({ hex }) => itemEnd(fromHex(hex)) !== hex.length / 2)).toEqual(examples.filter(isNoLonger));
    expect(examples.filter(isNoLonger)).toHaveLength(1);
  });

  describe('as payload', () => {
    it('are not looked into at the COSE layer: every one of them can be signed bytes', () => {
      for (const { hex } of examples) {
        const payload = fromHex(hex);
        // protected: Ed25519 and an empty kid
        const message = Uint8Array.from([...fromHex('d28445a201320440a0'), ...head(2, payload.length), ...payload, 0x58, 64, ...new Uint8Array(64)]);
        const result = verifySign1(message, []);
        // the kid is the first thing wrong, so the walk took the payload
        expect(result.ok || result.problems[0].code).toBe('cose-kid');
      }
    });
  });
});
