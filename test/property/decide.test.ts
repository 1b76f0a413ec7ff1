import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyPolicy, decide, decideTraced, InMemoryPolicyEngine } from '../../src/index.js';
import * as reference from '../reference/decide.js';
import { policyDigest } from '../reference/digest.js';
import { runs } from './agreement.js';
import { policyAndRequest, spelledRequest } from './arbitraries.js';

const canonical = (request: reference.Request): reference.Request => {
  const answer = reference.canonicalRequest(request);
  if ('code' in answer) throw new Error(`the arbitrary made a request that is refused: ${answer.code}`);
  return answer.ok;
};

describe('decision: src against the reference', () => {
  it('decides alike (DEC-5 to DEC-10)', () => {
    fc.assert(
      fc.property(policyAndRequest, ({ policy, request }) => {
        expect(decide(copyPolicy(policy), request)).toEqual(reference.decide(policy, canonical(request)));
      }),
      runs(5),
    );
  });

  it('denies alike without a policy (DEC-5)', () => {
    fc.assert(
      fc.property(spelledRequest, (request) => {
        expect(decide(undefined, request)).toEqual(reference.decide(undefined, canonical(request)));
      }),
      runs(0.2),
    );
  });

  it('traces alike, beside the same decision (DEC-11)', () => {
    fc.assert(
      fc.property(policyAndRequest, ({ policy, request }) => {
        const asked = canonical(request);
        expect(decideTraced(copyPolicy(policy), request)).toEqual({ decision: reference.decide(policy, asked), trace: reference.trace(policy, asked) });
      }),
      runs(3),
    );
  });

  it('captures the canonical request, the decision and the policy that decided in the event (DEC-3, DEC-13)', () => {
    fc.assert(
      fc.property(policyAndRequest, fc.nat(Number.MAX_SAFE_INTEGER), ({ policy, request }, time) => {
        const engine = new InMemoryPolicyEngine({ engineId: 'engine-a', now: () => time });
        engine.install(copyPolicy(policy));
        const expected = {
          engineId: 'engine-a',
          time,
          ...canonical(request),
          decision: reference.decide(policy, canonical(request)),
          policyVersion: policy.version,
          policyDigest: policyDigest(policy),
          matchProfile: 'ruleprint-match/1',
        };
        expect(engine.evaluate(request)).toEqual(expected);
        expect(engine.evaluateTraced(request)).toEqual({ event: expected, trace: reference.trace(policy, canonical(request)) });
      }),
      runs(2),
    );
  });

  it('is asked about policies of which many match', () => {
    const effects = fc.sample(policyAndRequest, { numRuns: 500, seed: 1 }).map(({ policy, request }) => {
      const decision = reference.decide(policy, canonical(request));
      return decision.rule === undefined ? 'no-rule' : decision.effect;
    });
    for (const effect of ['allow', 'ask', 'deny', 'no-rule']) expect(effects.filter((one) => one === effect).length).toBeGreaterThan(25);
  });
});
