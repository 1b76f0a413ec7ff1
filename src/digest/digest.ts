/**
 * Policy digest and rule digest (spec/digest.md).
 * @module
 */
import { sha256Text } from '../hash.js';
import type { Policy, Rule } from '../policy/model.js';
import { copyPolicy } from '../policy/copy.js';
import { preimageOfPolicy, preimageOfRule } from './preimage.js';

/**
 * The bytes that the digest of a policy hashes, for inspection. The caller owns them.
 *
 * @throws RuleprintError as `copyPolicy` for an object that is no policy
 */
export function policyPreimage(policy: Policy): Uint8Array {
  return preimageOfPolicy(copyPolicy(policy)).slice();
}

/** Policies are frozen, so each is hashed once. */
const digests = new WeakMap<Policy, string>();

/**
 * The digest of the rules in their order: which rules, whatever the version.
 *
 * @returns `sha256:` and 64 lower-case hex digits
 * @throws RuleprintError as `copyPolicy` for an object that is no policy
 * @example
 * policyDigest({ version: 1, rules: [] });
 * // 'sha256:7ff579b58d3fa4a8edaa32b88616d96df0eddf940b2596a2dce1882bb3655c80'
 */
export function policyDigest(policy: Policy): string {
  const copy = copyPolicy(policy);
  const found = digests.get(copy);
  if (found !== undefined) return found;
  const digest = sha256Text(preimageOfPolicy(copy));
  digests.set(copy, digest);
  return digest;
}

/** The bytes that the digest of one rule hashes. */
export function rulePreimage(rule: Rule): Uint8Array {
  return preimageOfRule(onlyRule(rule)).slice();
}

/** The digest of one rule: the same rule in two policies has one digest. */
export function ruleDigest(rule: Rule): string {
  return sha256Text(rulePreimage(rule));
}

function onlyRule(rule: Rule): Rule {
  return copyPolicy({ version: 1, rules: [rule] }).rules[0] as Rule;
}
