import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/decide/decide.js';
import { policyDigest } from '../../src/digest/digest.js';
import { RuleprintError } from '../../src/errors.js';
import { copyPolicy } from '../../src/policy/copy.js';
import { canonicalRequest } from '../../src/policy/request.js';
import { actionPatterns, actions, badRequests, nearMisses, policies, requestPairs, requests, spellings } from '../../src/testing/index.js';

const runs = { numRuns: 500 };

/** How often each reason came. */
function counted(): { count: (what: string) => void; seen: Map<string, number> } {
  const seen = new Map<string, number>();
  return { seen, count: (what) => seen.set(what, (seen.get(what) ?? 0) + 1) };
}

describe('policies and requests', () => {
  it('pass the doors, canonical and frozen', () => {
    fc.assert(
      fc.property(policies({ maxRules: 5, version: 3 }), requests({ maxActions: 2 }), (policy, request) => {
        expect(policy.version).toBe(3);
        expect(policy.rules.length).toBeLessThanOrEqual(5);
        expect(copyPolicy(policy)).toBe(policy);
        expect(request.actions.length).toBeLessThanOrEqual(2);
        expect(canonicalRequest(request)).toEqual(request);
      }),
      runs,
    );
  });

  it('meet: allows, asks, denies by a rule and denies by none all come often', () => {
    const { seen, count } = counted();
    fc.assert(
      fc.property(policies(), requests({ maxActions: 1 }), (policy, request) => {
        const decision = decide(policy, request);
        count(decision.rule === undefined ? 'none' : decision.effect);
      }),
      { numRuns: 2_000, seed: 1 },
    );
    expect([...seen.keys()].sort()).toEqual(['allow', 'ask', 'deny', 'none']);
    for (const times of seen.values()) expect(times).toBeGreaterThan(60);
  });

  it('have all four kinds of actions and patterns', () => {
    const { seen, count } = counted();
    fc.assert(
      fc.property(actionPatterns, actions, (pattern, action) => {
        count(`pattern ${Object.keys(pattern)}`);
        count(`action ${Object.keys(action)}`);
      }),
      runs,
    );
    expect(seen.size).toBe(8);
  });
});

describe('near misses', () => {
  it('are what they say: one digest exactly where the rules are the same', () => {
    const { seen, count } = counted();
    fc.assert(
      fc.property(nearMisses, ({ why, a, b, same }) => {
        count(why);
        expect({ why, same: policyDigest(a) === policyDigest(b) }).toEqual({ why, same });
      }),
      { numRuns: 2_000 },
    );
    expect(seen.size).toBe(12);
  });
});

describe('spellings', () => {
  it('lead to the one canonical form, and are often another than it', () => {
    const { seen, count } = counted();
    fc.assert(
      fc.property(spellings, ({ given, canonical }) => {
        count(JSON.stringify(given) === JSON.stringify(canonical) ? 'same' : 'other');
        expect(canonicalRequest(given)).toEqual(canonical);
        expect(canonicalRequest(canonical)).toEqual(canonical);
      }),
      { numRuns: 1_000 },
    );
    expect(seen.get('other')).toBeGreaterThan(300);
  });
});

describe('request pairs', () => {
  it('are two canonical requests that differ', () => {
    const { seen, count } = counted();
    fc.assert(
      fc.property(requestPairs, ({ why, a, b }) => {
        count(why);
        expect(canonicalRequest(a)).toEqual(a);
        expect(canonicalRequest(b)).toEqual(b);
        expect(JSON.stringify(a)).not.toBe(JSON.stringify(b));
      }),
      { numRuns: 2_000 },
    );
    expect(seen.size).toBe(12);
  });
});

describe('bad requests', () => {
  it('are refused with the code that they name, alone and behind good actions', () => {
    const { seen, count } = counted();
    fc.assert(
      fc.property(badRequests, ({ why, request, code }) => {
        count(why);
        try {
          canonicalRequest(request);
          expect.unreachable(why);
        } catch (error) {
          expect(error).toBeInstanceOf(RuleprintError);
          expect({ why, code: (error as RuleprintError).code }).toEqual({ why, code });
        }
      }),
      { numRuns: 2_000 },
    );
    expect(seen.size).toBe(19);
  });
});
