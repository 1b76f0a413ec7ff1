import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkPolicy, copyPolicy, RuleprintError } from '../../src/index.js';
import type { Placed } from '../reference/json.js';
import { judgeJson, judgeObject } from '../reference/policy.js';
import { runs } from './agreement.js';
import { Choices, policy, stream } from './arbitraries.js';
import { copyOf, jsonText, notPlain, withFault, withTextFault } from './faults.js';

interface Told {
  readonly code: string;
  readonly pointer: string;
  readonly offset?: number;
}

const isWithin = (pointer: string, above: string): boolean => pointer.startsWith(`${above}/`);

/**
 * What both sides must tell alike, sorted. Left out, as the chapter does not say it: what is told of the inside of an
 * action that has not exactly one kind, or of an item that stands twice.
 */
function comparable(problems: readonly Told[]): string[] {
  const broken = problems.filter(({ code }) => code === 'exactly-one').map(({ pointer }) => pointer);
  const twice = problems.filter(({ code }) => code === 'duplicate-item').map(({ pointer }) => pointer);
  return problems
    .filter(({ code, pointer }) => !broken.some((above) => isWithin(pointer, above)) && (code === 'duplicate-item' || !twice.includes(pointer)))
    .map(({ code, pointer, offset }) => `${code} at ${pointer}${offset === undefined ? '' : ` (${offset})`}`)
    .sort();
}

function toldByCopy(value: unknown): readonly Told[] {
  try {
    copyPolicy(value);
    return [];
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    return error.problems.map(({ code, where }) => ({ code, pointer: where.pointer ?? 'no pointer' }));
  }
}

const rulesOf = (problems: readonly Told[]): number[] => problems.flatMap(({ pointer }) => (/^\/rules\/(\d+)/u.exec(pointer) ?? []).slice(1).map(Number));

const expectDocumentOrder = (problems: readonly Told[]): void => {
  const order = rulesOf(problems);
  expect(order).toEqual([...order].sort((a, b) => a - b));
};

describe('policy as an object: src against the reference', () => {
  it('copies a good policy, deeply frozen, and keeps nothing of the original (POL-15, POL-16)', () => {
    fc.assert(
      fc.property(policy, (value) => {
        const given = copyOf(value);
        const copy = copyPolicy(given);
        expect(judgeObject(value)).toEqual([]);
        expect(copy).toEqual(value);
        const walk = (made: unknown, original: unknown): void => {
          if (made === null || typeof made !== 'object') return;
          expect(Object.isFrozen(made)).toBe(true);
          expect(made).not.toBe(original);
          for (const [key, child] of Object.entries(made)) walk(child, (original as Record<string, unknown>)[key]);
        };
        walk(copy, given);
      }),
      runs(0.5),
    );
  });

  it('refuses one fault alike (POL-1 to POL-10, POL-13)', () => {
    fc.assert(
      fc.property(policy, stream(), (value, choices) => {
        const faulty = withFault(value, new Choices(choices));
        expect(comparable(toldByCopy(faulty))).toEqual(comparable(judgeObject(faulty)));
      }),
      runs(5),
    );
  });

  it('tells all faults of several rules, in document order (POL-17)', () => {
    fc.assert(
      fc.property(policy, fc.array(stream(), { minLength: 8, maxLength: 8 }), (value, faults) => {
        const faulty = { version: 1, rules: value.rules.map((rule, index) => withFault(rule, new Choices(faults[index] ?? []))) };
        const told = toldByCopy(faulty);
        const expected = judgeObject(faulty);
        // what is not plain data is told alone, the first of it
        const notPlain = expected.filter(({ code }) => code === 'forbidden-key' || code === 'not-plain-data');
        if (notPlain.length === 0) expect(comparable(told)).toEqual(comparable(expected));
        else {
          expect(comparable(told)).toEqual(comparable(notPlain.slice(0, 1)));
        }
        expectDocumentOrder(told);
      }),
      runs(),
    );
  });

  it('refuses what is no plain data (POL-15)', () => {
    fc.assert(
      fc.property(policy, stream(), (value, choices) => {
        const strange = notPlain(value, new Choices(choices));
        expect(judgeObject(strange).map(({ code }) => code)).toContain('not-plain-data');
        expect(toldByCopy(strange).map(({ code }) => code)).toContain('not-plain-data');
      }),
      runs(),
    );
  });
});

describe('policy as JSON: src against the reference', () => {
  const told = (
    input: string | Uint8Array,
    format: 'json' | 'yaml' = 'json',
  ): { problems: readonly Told[]; places: readonly { line?: number; column?: number; offset?: number }[] } => {
    const answer = checkPolicy(input, { format });
    const problems = 'problems' in answer ? answer.problems : [];
    return {
      problems: problems.map(({ code, where }) => ({
        code,
        pointer: where.pointer ?? 'no pointer',
        ...(where.offset === undefined ? {} : { offset: where.offset }),
      })),
      places: problems.map(({ where }) => where),
    };
  };
  const placed = (problems: readonly Placed[]): readonly Told[] => problems.map(({ code, pointer, place }) => ({ code, pointer, offset: place }));

  const isTooDeep = ({ code, pointer }: Told): boolean => code === 'limit' && pointer.split('/').length > 32;

  /** A text that is no JSON, or nested too deep, ends there: what else is told of it is not said. */
  const expectAgreement = (input: string | Uint8Array, text: string): void => {
    const expected = placed(judgeJson(input));
    const { problems, places } = told(input);
    const whole = expected.find(({ code }) => code === 'utf8') ?? expected.find(({ code }) => code === 'syntax') ?? expected.find(isTooDeep);
    if (whole !== undefined) expect(problems.map(({ code }) => code)).toContain(whole.code);
    else expect(comparable(problems)).toEqual(comparable(expected));
    for (const { line, column, offset } of whole?.code === 'utf8' ? [] : places) {
      const before = text.slice(0, offset).split('\n');
      expect({ line, column }).toEqual({ line: before.length, column: (before.at(-1) as string).length + 1 });
    }
  };

  it('is judged alike however it is written, with the same places (POL-11, POL-17)', () => {
    fc.assert(
      fc.property(policy, stream(), stream(4), fc.boolean(), (value, fault, manner, isFaulty) => {
        const text = jsonText(isFaulty ? withFault(value, new Choices(fault)) : value, new Choices(manner));
        expectAgreement(text, text);
        expectAgreement(new TextEncoder().encode(text), text);
      }),
      runs(2),
    );
  });

  it('is refused alike when a character is wrong (POL-4, POL-11 to POL-13)', () => {
    fc.assert(
      fc.property(policy, stream(), stream(4), (value, fault, manner) => {
        const text = withTextFault(jsonText(value, new Choices(manner)), new Choices(fault));
        expectAgreement(text, text);
      }),
      runs(5),
    );
  });

  it('is refused alike when a byte is wrong (POL-11)', () => {
    fc.assert(
      fc.property(policy, fc.nat(), fc.oneof(fc.constantFrom(0xff, 0xc0, 0x80, 0xed, 0xf4, 0xef), fc.nat(255)), (value, place, byte) => {
        const bytes = new TextEncoder().encode(JSON.stringify(value));
        bytes[place % bytes.length] = byte;
        expectAgreement(bytes, new TextDecoder().decode(bytes));
      }),
      runs(),
    );
  });

  it('is judged alike as YAML, of which this JSON is a part, with the same places (POL-11, POL-17)', () => {
    fc.assert(
      fc.property(policy, stream(), fc.constantFrom(0, 1, 2), fc.boolean(), (value, fault, indent, isFaulty) => {
        const text = JSON.stringify(isFaulty ? withFault(value, new Choices(fault)) : value, undefined, indent);
        fc.pre(!text.includes('\\ud'));
        // YAML refuses what its readers do not agree on (POL-14)
        fc.pre(!/[\x7f-\x9f\u2028\u2029\ufeff]/.test(text));
        expect(comparable(told(text, 'yaml').problems)).toEqual(comparable(placed(judgeJson(text))));
      }),
      runs(2),
    );
  });

  it('counts the nesting alike, as an object too (limits)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 27, max: 36 }), fc.array(fc.boolean(), { minLength: 36, maxLength: 36 }), (levels, kinds) => {
        const deep = kinds.slice(0, levels).reduce<unknown>((inner, isList) => (isList ? [inner] : { a: inner }), 1);
        const value = { version: 1, rules: [], extra: deep };
        const isTaken = !judgeObject(value).some(isTooDeep);
        expect(isTaken).toBe(levels + 1 <= 32);
        expect(!toldByCopy(value).some(isTooDeep)).toBe(isTaken);
        for (const format of ['json', 'yaml'] as const)
          expect([format, !told(JSON.stringify(value), format).problems.some(({ code }) => code === 'limit')]).toEqual([format, isTaken]);
      }),
      runs(0.5),
    );
  });

  it('is read by the reference as JSON exactly when the platform reads it as JSON', () => {
    fc.assert(
      fc.property(policy, stream(), (value, fault) => {
        const text = withTextFault(JSON.stringify(value), new Choices(fault));
        const isJson = ((): boolean => {
          try {
            JSON.parse(text);
            return true;
          } catch (error) {
            if (error instanceof SyntaxError) return false;
            throw error;
          }
        })();
        expect(judgeJson(text).every(({ code }) => code !== 'syntax')).toBe(isJson);
      }),
      runs(2),
    );
  });
});
