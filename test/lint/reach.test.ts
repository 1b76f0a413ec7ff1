/** Which rules are dead: exact against every request of small worlds, and against random policies (spec/lint.md, "Dead rules"). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/decide/decide.js';
import { Reach } from '../../src/lint/reach.js';
import type { Policy } from '../../src/policy/model.js';
import { policies, requests } from '../../src/testing/arbitraries.js';
import { runs } from '../property/agreement.js';
import * as reference from '../reference/decide.js';
import { worldKinds, worldPolicies, worldRequests } from './worlds.js';

const verdictsOf = (policy: Policy, budgets = {}) => {
  const reach = new Reach(policy, budgets);
  return policy.rules.map(({ name }, i) => ({ name, ...reach.of(i) }));
};

describe('reach of rules', () => {
  it.each(worldKinds)('says dead of a %s rule only where no request of a whole small world is decided by it, by the reference too (LNT-1)', (kind) => {
    const [every, few] = [worldRequests(kind), worldRequests(kind, true)];
    fc.assert(
      fc.property(worldPolicies(kind), (policy) => {
        // the search is to find by itself what is mostly found without it
        const verdicts = verdictsOf(policy, { probes: 0 });
        expect(verdicts.map(({ state }) => state)).toEqual(verdictsOf(policy).map(({ state }) => state));
        expect(verdicts.filter(({ state }) => state === 'undecided')).toEqual([]);
        const dead = new Set(verdicts.filter(({ state }) => state === 'dead').map(({ name }) => name));
        if (dead.size === 0) return;
        const deciding = every.filter((request) => dead.has(decide(policy, request).rule ?? ''));
        expect(deciding).toEqual([]);
        for (const request of few) expect(dead).not.toContain(reference.decide(policy as reference.Policy, request as reference.Request).rule);
      }),
      runs(1),
    );
  });

  it.each(worldKinds)('gives each living %s rule a witness that reaches it, by the reference too (LNT-3)', (kind) => {
    fc.assert(
      fc.property(worldPolicies(kind), (policy) => {
        for (const verdict of [...verdictsOf(policy), ...verdictsOf(policy, { probes: 0 })]) {
          if (verdict.state !== 'alive') continue;
          expect(reference.canonicalRequest(verdict.witness)).toEqual({ ok: verdict.witness });
          expect(reference.decide(policy as reference.Policy, verdict.witness as reference.Request).rule).toBe(verdict.name);
        }
      }),
      runs(1),
    );
  });

  it('holds for random policies of all kinds (LNT-1, LNT-3)', () => {
    fc.assert(
      fc.property(policies({ maxRules: 12 }), fc.array(requests({ maxActions: 2 }), { minLength: 30, maxLength: 30 }), (policy, asked) => {
        const verdicts = verdictsOf(policy);
        expect(verdicts.filter(({ state }) => state === 'undecided')).toEqual([]);
        const dead = new Set(verdicts.filter(({ state }) => state === 'dead').map(({ name }) => name));
        for (const request of asked) expect(dead).not.toContain(decide(policy, request).rule);
        for (const verdict of verdicts) if (verdict.state === 'alive') expect(decide(policy, verdict.witness).rule).toBe(verdict.name);
      }),
      runs(3),
    );
  });

  it('names rules that cover a dead one together: alone they leave it dead (LNT-2)', () => {
    fc.assert(
      fc.property(fc.constantFrom(...worldKinds).chain(worldPolicies), (policy) => {
        for (const [i, verdict] of verdictsOf(policy).entries()) {
          if (verdict.state !== 'dead') continue;
          const kept = policy.rules.filter((_, k) => k === i || verdict.by.includes(k));
          const reach = new Reach({ version: 1, rules: kept });
          expect(reach.of(kept.findIndex(({ name }) => name === verdict.name)).state).toBe('dead');
        }
      }),
      runs(1),
    );
  });
});
