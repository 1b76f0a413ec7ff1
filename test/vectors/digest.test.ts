import { describe, expect, it } from 'vitest';
import { policyDigest, policyPreimage, ruleDigest, rulePreimage } from '../../src/digest/digest.js';
import { RuleprintError } from '../../src/errors.js';
import type { Rule } from '../../src/policy/model.js';
import { casesOf, hexOf, read, refusal } from './load.js';

const digests = new Map(casesOf('digest', 'digest').map(({ id, expect: { policy_digest } }) => [id, policy_digest as string]));

describe('vectors: digest, digest', () => {
  it.each(casesOf('digest', 'digest'))('$id: $comment', ({ input: { policy }, expect: expected }) => {
    expect(hexOf(policyPreimage(policy))).toBe(expected.preimage_hex);
    expect(policyDigest(policy)).toBe(expected.policy_digest);
    expect(policy.rules.map((rule: Rule) => ({ preimage_hex: hexOf(rulePreimage(rule)), rule_digest: ruleDigest(rule) }))).toEqual(expected.rules);
  });

  it.each(casesOf('digest', 'digest'))('$id shares its digest with the cases that it names, and with no other', ({ id, expect: expected }) => {
    const sharing = [...digests].filter(([other, digest]) => other !== id && digest === expected.policy_digest).map(([other]) => other);
    expect(sharing).toEqual(expected.same_digest_as ?? []);
    for (const other of expected.other_digest_than ?? []) expect([...digests.keys()]).toContain(other);
  });
});

describe('vectors: digest, no digest', () => {
  it.each(casesOf('digest', 'no digest'))('$id: $comment', ({ input, expect: expected }) => {
    let got: unknown;
    try {
      got = policyDigest(read(input.policy));
    } catch (error) {
      if (!(error instanceof RuleprintError)) throw error;
      got = refusal(error, expected);
    }
    expect(got).toEqual(expected);
  });
});
