/**
 * The short look at JSON text finds nothing where, and only where, the parser that knows places finds nothing (POL-4, POL-12, POL-13).
 * @module
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placer } from '../../src/policy/document.js';
import { readJson } from '../../src/policy/json.js';
import { surprises } from '../../src/policy/json-places.js';

const key = fc.constantFrom('a', 'b', '"', '\\', ':', '{', '__proto__', '\u0061', 'é', '');
const number = fc.constantFrom(
  '0',
  '1',
  '-1',
  '-0',
  '1.0',
  '1e3',
  '1E-2',
  '9007199254740991',
  '9007199254740992',
  '123456789012345678901234567890123456',
  '12',
);
const space = fc.constantFrom('', ' ', '\n', '\t ');
const text = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    number,
    key.map((one) => JSON.stringify(one)),
    fc.constantFrom('true', 'null', '"\\u003a"', '"\\"":"'.slice(0, 4)),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(key, space, tie('value')), { maxLength: 4 })
      .map((members) => `{${members.map(([name, gap, value]) => `${JSON.stringify(name)}${gap}:${gap}${value}`).join(',')}}`),
  ),
})).value;

describe('JSON text', () => {
  it('has the same problems by the short look as by the long one', () => {
    fc.assert(
      fc.property(text, (json) => {
        expect(readJson(json).problems).toEqual(surprises(json, placer(json)));
      }),
      { numRuns: 3_000 },
    );
  });

  it('is not looked at for long where nothing is wrong', () => {
    expect(readJson('{"a":[0,9007199254740991,{"b:c":"\\":{"}],"d":{}}').problems).toEqual([]);
  });
});
