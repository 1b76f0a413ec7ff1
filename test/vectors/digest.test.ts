import { describe, expect, it } from 'vitest';
import { policyDigest, policyPreimage, ruleDigest, rulePreimage } from '../../src/digest/digest.js';
import { RuleprintError } from '../../src/errors.js';
import { type Rule } from '../../src/policy/model.js';
import { casesOf, hexOf, load, read, refusal } from './load.js';

const digests = new Map(casesOf('digest', 'digest').map(({ id, expect: { policy_digest } }) => [id, policy_digest as string]));

describe('vectors: digest, digest', () => {
  it.each(casesOf('digest', 'digest'))('$id: $comment', ({ input: { policy }, expect: expected }) => {
    expect(hexOf(policyPreimage(policy))).toBe(expected.preimage_hex);
    expect(policyDigest(policy)).toBe(expected.policy_digest);
    expect(policy.rules.map((rule: Rule) => ({ preimage_hex: hexOf(rulePreimage(rule)), rule_digest: ruleDigest(rule) }))).toEqual(expected.rules);
  });

  it.each(casesOf('digest', 'digest'))('$id has the digest of those that it names, and of no other', ({ id, expect: expected }) => {
    const same: readonly string[] = expected.same_digest_as ?? [];
    const sharing = [...digests].filter(([other, digest]) => other !== id && digest === expected.policy_digest).map(([other]) => other);
    for (const other of same) expect(digests.get(other)).toBe(expected.policy_digest);
    for (const other of expected.other_digest_than ?? []) expect(sharing).not.toContain(other);
    if (same.length === 0)
      expect(sharing.filter((other) => !load('digest').groups[0]?.cases.some((one) => one.id === other && one.expect.same_digest_as?.includes(id)))).toEqual(
        [],
      );
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
