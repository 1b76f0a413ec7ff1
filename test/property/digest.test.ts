import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyPolicy, policyDigest, policyPreimage, ruleDigest, rulePreimage } from '../../src/index.js';
import type { Policy, Rule } from '../reference/decide.js';
import * as reference from '../reference/digest.js';
import { hexOf } from '../reference/text.js';
import { runs } from './agreement.js';
import { name, policy } from './arbitraries.js';

describe('digest: src against the reference', () => {
  it('writes the same preimage of a policy, byte by byte (DIG-1 to DIG-7)', () => {
    fc.assert(
      fc.property(policy, (value) => {
        const copy = copyPolicy(value);
        expect(hexOf(policyPreimage(copy))).toBe(reference.policyPreimage(value));
        expect(policyDigest(copy)).toBe(reference.policyDigest(value));
      }),
      runs(3),
    );
  });

  it('writes the same preimage of each rule', () => {
    fc.assert(
      fc.property(policy, (value) => {
        for (const [index, rule] of copyPolicy(value).rules.entries()) {
          expect(hexOf(rulePreimage(rule))).toBe(reference.rulePreimage(value.rules[index] as Rule));
          expect(ruleDigest(rule)).toBe(reference.ruleDigest(value.rules[index] as Rule));
        }
      }),
      runs(),
    );
  });

  it('says one digest for two spellings of one set (DIG-2)', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 2, maxLength: 8 }), fc.nat(7), (ids, turn) => {
        const of = (one_of: string[]): string =>
          policyDigest(copyPolicy({ version: 1, rules: [{ name: 'r', effect: 'ask', agents: { one_of }, action: { process: { argv: ['**'] } } }] }));
        expect(of([...ids.slice(turn % ids.length), ...ids.slice(0, turn % ids.length)])).toBe(of(ids));
        expect(of([...ids].reverse())).toBe(of(ids));
      }),
      runs(),
    );
  });

  it('says different digests when a boundary between two strings moves (DIG-6)', () => {
    const digest = (action: Policy['rules'][number]['action'], ids: readonly string[]): string =>
      policyDigest(copyPolicy({ version: 1, rules: [{ name: 'r', effect: 'deny', agents: { one_of: ids }, action }] }));
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', '\u{10000}', '0'), { minLength: 3, maxLength: 8 }), fc.nat(), fc.nat(), (letters, one, other) => {
        const split = (at: number): [string, string] => {
          const cut = 1 + (at % (letters.length - 1));
          return [letters.slice(0, cut).join(''), letters.slice(cut).join('')];
        };
        const [left, right] = [split(one), split(other)];
        const isSame = left[0] === right[0];
        expect(digest({ tool: { server: left[0], name: left[1] } }, ['x']) === digest({ tool: { server: right[0], name: right[1] } }, ['x'])).toBe(isSame);
        expect(digest({ process: { argv: left } }, ['x']) === digest({ process: { argv: right } }, ['x'])).toBe(isSame);
        if (left[0] === left[1] || right[0] === right[1]) return;
        const isSameSet = [...left].sort().join('|') === [...right].sort().join('|');
        expect(digest({ process: { argv: ['**'] } }, left) === digest({ process: { argv: ['**'] } }, right)).toBe(isSameSet);
      }),
      runs(),
    );
  });
});
