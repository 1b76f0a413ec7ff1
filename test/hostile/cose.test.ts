/**
 * Bytes that nobody meant well: the walk and the COSE layer against the slow reading of the chapter in test/reference.
 * @module
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hex } from '../../src/bytes.js';
import { type CborInput, encodeCbor } from '../../src/cose/cbor.js';
import { generateKey } from '../../src/cose/keys.js';
import { itemEnd } from '../../src/cose/sequence.js';
import { parseSign1, signSign1, verifySign1 } from '../../src/cose/sign1.js';
import { createSigner } from '../../src/cose/signer.js';
import { isProblem, walkCbor, walkWholeCbor } from '../../src/cose/walk.js';
import { CborProblem, encode as referenceEncode, walk, walkAll } from '../reference/cbor.js';
import { cosePart } from '../reference/receipt.js';

const leaf = fc.oneof(
  fc.integer({ min: -300, max: 70_000 }),
  fc.maxSafeInteger(),
  fc.boolean(),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.uint8Array({ maxLength: 30 }),
);
const key = fc.oneof(fc.integer({ min: -3, max: 30 }), fc.string({ maxLength: 3 }));
const { tree } = fc.letrec<{ tree: CborInput }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    leaf.map((value) => (value === 0 ? 0 : value)), // 0 for -0
    fc.array(tie('tree'), { maxLength: 5 }),
    fc.array(fc.tuple(key, tie('tree')), { maxLength: 5 }).map((entries) => new Map(entries.map(([k, v]) => [k === 0 ? 0 : k, v]))),
  ),
}));

/** Heads that say something a receipt must not say, and ends of strings. */
const piece = fc.oneof(
  fc.uint8Array({ maxLength: 6 }),
  fc
    .constantFrom(
      '1801',
      '1bffffffffffffffff',
      '3b001fffffffffffff',
      '9fff',
      'bfff',
      '5f4101ff',
      'f6',
      'f93c00',
      'f814',
      'c1',
      'd82000',
      '61ff',
      '63eda080',
      '4101',
      'a2010201',
      'a20201',
      '8180',
    )
    .map((text) => Uint8Array.from(Buffer.from(text, 'hex'))),
);

type Splice = readonly [number, number, Uint8Array];

/** Takes bytes out at places, and puts others in. */
function spliced(bytes: Uint8Array, splices: readonly Splice[]): Uint8Array {
  let out = [...bytes];
  for (const [place, length, insert] of splices) out = out.toSpliced(place % (out.length + 1), length, ...insert);
  return Uint8Array.from(out);
}

const splices = fc.array(fc.tuple(fc.nat(), fc.nat(3), piece), { minLength: 1, maxLength: 3 });
const nearlyGood = fc.tuple(tree, splices).map(([value, changes]) => spliced(encodeCbor(value), changes));
const anyBytes = fc.oneof({ weight: 3, arbitrary: nearlyGood }, { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) });

function referenceAnswer(bytes: Uint8Array): unknown {
  try {
    return { value: walkAll(bytes) };
  } catch (error) {
    if (error instanceof CborProblem) return { code: error.code, offset: error.offset };
    throw error;
  }
}

describe('walkCbor', () => {
  it('gives the value, or the code and the place, of the chapter read slowly', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const walked = walkWholeCbor(bytes);
        const answer = isProblem(walked) ? { code: walked.code, offset: walked.where.offset } : { value: walked.value };
        expect(answer).toEqual(referenceAnswer(bytes));
      }),
      { numRuns: 3_000 },
    );
  });

  it('and so does the encoder', () => {
    fc.assert(
      fc.property(tree, (value) => {
        expect(hex(encodeCbor(value))).toBe(hex(Uint8Array.from(referenceEncode(value as Parameters<typeof referenceEncode>[0]))));
      }),
    );
  });
});

describe('itemEnd', () => {
  it('answers any bytes, with the end that the walk finds wherever that finds one', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const end = itemEnd(bytes);
        expect(end === undefined || (end > 0 && end <= bytes.length)).toBe(true);
        const walked = walkCbor(bytes);
        if (!isProblem(walked)) expect(end).toBe(walked.end);
      }),
      { numRuns: 2_000 },
    );
  });

  it('finds the end of what is well-formed and refused for another reason, because the next receipt stands there', () => {
    const reasons = [
      'cbor-float',
      'cbor-simple',
      'cbor-tag',
      'cbor-not-shortest',
      'cbor-integer',
      'cbor-unsorted',
      'cbor-duplicate-key',
      'cbor-indefinite',
      'cbor-key-type',
    ];
    const seen = new Set<string>();
    for (const text of ['81f93c00', '81f6', '81c101', '811801', '811bffffffffffffffff', 'a202010101', 'a201010101', '9f01ff', 'a1400101'.slice(0, 6)]) {
      const bytes = Uint8Array.from(Buffer.from(text, 'hex'));
      const walked = walkCbor(bytes);
      seen.add(isProblem(walked) ? walked.code : '');
      expect(itemEnd(bytes)).toBe(bytes.length);
    }
    expect([...seen].sort()).toEqual(reasons.sort());
  });
});

describe('parseSign1', () => {
  const signer = createSigner(generateKey());
  const typ = 'application/ruleprint+cose';
  const profile = { kidBytes: 32, typ };
  const good = signSign1(encodeCbor({ hello: 'world' }), signer, { typ });

  it('gives the code of the chapter read slowly, for messages cut and spliced', () => {
    const cut = splices.map((changes) => spliced(good, changes));
    const early = fc.array(fc.tuple(fc.nat(45), fc.nat(3), piece), { minLength: 1, maxLength: 2 }).map((changes) => spliced(good, changes));
    fc.assert(
      fc.property(fc.oneof(cut, early), (bytes) => {
        const parsed = parseSign1(bytes, profile);
        const { codes } = cosePart(bytes, { kidSize: 32, typ });
        expect(isProblem(parsed) ? [parsed.code] : []).toEqual(codes);
      }),
      { numRuns: 3_000 },
    );
  });

  it('never takes two forms of one message: what parses is written again as it was', () => {
    fc.assert(
      fc.property(splices, (changes) => {
        const bytes = spliced(good, changes);
        const parsed = parseSign1(bytes, profile);
        if (isProblem(parsed)) return;
        const again = signSign1(
          parsed.payload,
          { alg: parsed.alg === 'ESP256' ? 'ESP256' : 'Ed25519', kid: parsed.kid, sign: () => parsed.signature },
          { typ },
        );
        expect(hex(again)).toBe(hex(bytes));
      }),
    );
  });
});

describe('verifySign1', () => {
  it('answers any bytes, and with a problem that says where', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const result = verifySign1(Uint8Array.from([0xd2, ...bytes]), []);
        expect(result.ok).toBe(false);
        expect(result.ok || result.problems[0].where.offset).toBeTypeOf('number');
      }),
    );
  });
});

it('the reference and the walk agree on where an item ends', () => {
  fc.assert(
    fc.property(tree, (value) => {
      const bytes = Uint8Array.from([...encodeCbor(value), 0]);
      const walked = walkCbor(bytes);
      expect(isProblem(walked) || walked.end).toBe(walk(bytes, 0).end);
    }),
  );
});
