import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuMilliseconds } from './clock.js';
import { concat } from '../../src/bytes.js';
import { limits } from '../../src/limits.js';
import { axes, type Report } from '../../src/receipt/report.js';
import { readReceipt, receiptHash } from '../../src/receipt/read.js';
import { verifyReceipt, verifyReceipts } from '../../src/receipt/verify.js';
import { RuleprintError } from '../../src/errors.js';
import { cbor, head, headerOf, map, policy, receipt, statement, trust, tstr } from '../receipt/kit.js';

const options = { trust, policies: [policy] };
const good = receipt();
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

/** A report that is whole: every axis answered, every problem with its code and place, and never good. */
function expectWhole(report: Report, length: number): void {
  const odd = [
    ...axes.filter((axis) => !['pass', 'fail', 'not-checked'].includes(report.axes[axis]?.status)),
    ...report.problems.filter(({ code, message, where }) => {
      const { offset = 0 } = where;
      return !/^[a-z0-9-]+$/.test(code) || !/^[\x20-\x7e]+$/.test(message) || offset < 0 || offset > length;
    }),
  ];
  expect(odd).toEqual([]);
}

/** CBOR that is mostly well-formed, and often not deterministic. */
const items: fc.Arbitrary<Uint8Array> = fc.letrec<{ item: Uint8Array }>((tie) => ({
  item: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.nat({ max: 300 }).map((n) => head(0, n)),
    fc
      .tuple(fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 7), fc.nat({ max: 70_000 }), fc.constantFrom(1, 2, 4, 8))
      .map(([major, argument, size]) => head(major, argument, size)),
    fc.string({ maxLength: 8 }).map(tstr),
    fc.uint8Array({ maxLength: 8 }),
    fc.constantFrom(bytes(0xf4), bytes(0xf5), bytes(0xf6), bytes(0xff), bytes(0x9f), bytes(0xbf), bytes(0x5f), bytes(0xd2)),
    fc.array(tie('item'), { maxLength: 5 }).map((inner) => concat(head(4, inner.length), ...inner)),
    fc.array(fc.tuple(tie('item'), tie('item')), { maxLength: 4 }).map((entries) => map(...entries)),
    tie('item').map((inner) => concat(head(2, inner.length), inner)),
    tie('item').map((inner) => concat(head(6, 18), inner)),
  ),
})).item;

describe('any input gets a report', () => {
  const judge = (input: Uint8Array): void => {
    const report = verifyReceipt(input, options);
    expectWhole(report, input.length);
    expect(report.ok).toBe(false);
    const sequence = verifyReceipts(input, options);
    expectWhole(sequence, input.length);
    expect(sequence.ok).toBe(false);
    for (const reading of [readReceipt, receiptHash]) {
      try {
        reading(input);
      } catch (error) {
        expect(error).toBeInstanceOf(RuleprintError);
      }
    }
  };

  it('random bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), judge), { numRuns: 500 });
  });

  it('random bytes behind the tag', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (rest) => judge(concat(bytes(0xd2), rest))),
      { numRuns: 500 },
    );
  });

  it('random CBOR as a receipt, as a header, as an unprotected header, as a statement and as a signature', () => {
    fc.assert(
      fc.property(items, items, fc.nat({ max: 4 }), (item, other, place) => {
        const parts = [
          () => concat(bytes(0xd2), item),
          () => receipt({ header: item }),
          () => receipt({ unprotected: concat(bytes(0xa1), item, other) }),
          () => receipt({ payload: item }),
          () => receipt({ payload: cbor({ ...statement(), agent: item }) }),
        ] as const;
        judge((parts[place] as () => Uint8Array)());
      }),
      { numRuns: 800 },
    );
  });

  it('a good receipt with some bytes changed, cut or put in', () => {
    const edit = fc.record({ at: fc.nat({ max: good.length - 1 }), cut: fc.nat({ max: 3 }), put: fc.uint8Array({ maxLength: 3 }) });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        const changed = edits.reduce((of: Uint8Array, { at, cut, put }) => concat(of.subarray(0, at), put, of.subarray(at + cut)), good);
        fc.pre(Buffer.compare(changed, good) !== 0);
        judge(changed);
      }),
      { numRuns: 500 },
    );
  });

  it('a good receipt with any one byte changed is not good, and with any one bit', () => {
    for (let at = 0; at < good.length; at++) {
      for (const turn of [0x01, 0x80, 0xff]) {
        const changed = good.slice();
        changed[at] = (changed[at] as number) ^ turn;
        expect({ at, turn, ok: verifyReceipt(changed, options).ok }).toEqual({ at, turn, ok: false });
      }
    }
  });
});

describe('lengths that are said and not there', () => {
  const sizes = [100, 65_535, 1_048_577, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, 2 ** 53];
  const majors: readonly [string, number][] = [
    ['bytes', 2],
    ['text', 3],
    ['a list', 4],
    ['a map', 5],
  ];
  it.each(majors.flatMap(([name, major]) => sizes.map((size) => [name, size, major] as const)))(
    'of %s: %i, and no memory is taken for it',
    (_, size, major) => {
      const start = cpuMilliseconds();
      for (const input of [
        concat(bytes(0xd2), head(major, size)),
        concat(bytes(0xd2, 0x84), head(major, size)),
        receipt({ payload: concat(bytes(0xa1), tstr('statement'), head(major, size)) }),
      ]) {
        expect(verifyReceipt(input, options).problems[0]?.code).toBe('cbor-truncated');
      }
      expect(verifyReceipts(concat(good, head(major, size)), options).problems.at(-1)?.code).toBe('sequence-broken');
      expect(cpuMilliseconds() - start).toBeLessThan(1_000);
    },
  );
});

describe('nesting and repetition', () => {
  const n = 1_000_000;
  it.each<[string, Uint8Array, string]>([
    ['lists in one another', new Uint8Array(n).fill(0x81), 'cbor-depth'],
    ['maps in one another', new Uint8Array(n).fill(0xa1), 'cbor-key-type'],
    ['maps in one another behind a key', concat(...new Array(1_000).fill(bytes(0xa1, 0x00))), 'cbor-depth'],
    ['tags', new Uint8Array(n).fill(0xc1), 'cbor-tag'],
    ['lists of indefinite length', new Uint8Array(n).fill(0x9f), 'cbor-indefinite'],
    ['byte strings of indefinite length', new Uint8Array(n).fill(0x5f), 'cbor-indefinite'],
    ['breaks', new Uint8Array(n).fill(0xff), 'cbor-reserved'],
    ['zeros', new Uint8Array(n), 'cbor-trailing'],
  ])('%s are answered at once, as a receipt and as a file', (_, rest, code) => {
    const start = cpuMilliseconds();
    expect(verifyReceipt(concat(bytes(0xd2), rest), options).problems[0]?.code).toBe(code);
    expect(verifyReceipt(receipt({ payload: rest }), options).ok).toBe(false);
    expect(cpuMilliseconds() - start).toBeLessThan(3_000);
  });

  it.each<[string, number]>([
    ['lists', 0x81],
    ['tags', 0xc1],
    ['lists of indefinite length', 0x9f],
    ['byte strings of indefinite length', 0x5f],
  ])('a file of a million %s in one another ends', (_, byte) => {
    const start = cpuMilliseconds();
    const report = verifyReceipts(new Uint8Array(n).fill(byte), options);
    expect(report.problems.at(-1)?.code).toBe('sequence-broken');
    expect(cpuMilliseconds() - start).toBeLessThan(5_000);
  });

  it('a file of many items that are no receipts has a problem for each', () => {
    const report = verifyReceipts(new Uint8Array(5_000), options);
    expect(report.receipts).toBe(5_000);
    expect(report.problems).toHaveLength(5_000);
  });

  it('a map of many keys is walked in time that grows with it', () => {
    const count = 60_000;
    const entries = Array.from({ length: count }, (_, i) => [...head(0, i), 0]).flat();
    const payload = concat(head(5, count), Uint8Array.from(entries));
    const start = cpuMilliseconds();
    const report = verifyReceipt(receipt({ payload }), options);
    expect(report.problems[0]?.code).toBe('missing-key');
    expect(cpuMilliseconds() - start).toBeLessThan(3_000);
  });

  it('a statement of many unknown fields has a hundred problems, in time that grows with it', () => {
    const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`x${i}`, 0]));
    const payload = cbor({ ...statement(), ...fields });
    expect(payload.length).toBeLessThan(limits.receiptBytes);
    const start = cpuMilliseconds();
    expect(verifyReceipt(receipt({ payload }), options).problems).toHaveLength(limits.problems);
    expect(cpuMilliseconds() - start).toBeLessThan(5_000);
  });

  it('a map of integer keys beside the statement is answered, though a receipt could hold more problems than a call takes arguments', () => {
    const entries = Array.from({ length: 145_000 }, (_, i) => [...head(0, i), 0]).flat();
    const payload = concat(head(5, 145_001), Uint8Array.from(entries), cbor('statement'), cbor('decision'));
    expect(verifyReceipt(receipt({ payload }), options).problems.length).toBeLessThanOrEqual(limits.problems + 1);
  });

  it('a file of nothing but zeros is answered with no more problems than the report lists', () => {
    const report = verifyReceipts(new Uint8Array(30_000), options);
    expect(report.ok).toBe(false);
    expect(report.receipts).toBe(30_000);
    expect(report.problems).toHaveLength(limits.reportedProblems);
  });

  it('a header of the size of a receipt is answered', () => {
    const header = concat(headerOf(), new Uint8Array(limits.receiptBytes - 2_000));
    expect(verifyReceipt(receipt({ header }), options).problems[0]?.code).toBe('cbor-trailing');
  });
});
