/**
 * Policies as objects: copied, judged, frozen (POL-15, POL-16).
 * @module
 */
import { checkedPlain } from './door.js';
import type { Policy } from './model.js';
import { copyPlain, freezeDeep } from './plain.js';
import { policyShape } from './shape.js';

/** Policies that came through a door: deep frozen, so what was checked once stays so. */
const checked = new WeakSet<object>();

/** Marks and freezes a policy that its shape has found good. The caller owns the value alone. */
export function admitPolicy(value: unknown): Policy {
  const policy = freezeDeep(value) as Policy;
  checked.add(policy);
  return policy;
}

/**
 * Takes a policy handed in as an object: copies its plain data (POL-15), judges it, freezes the copy (POL-16). A policy that came through
 * the door before is given back as it is, since it is frozen.
 *
 * @throws RuleprintError as `parsePolicy`, and `not-plain-data`
 * @example
 * copyPolicy({ version: 1, rules: [] });
 */
export function copyPolicy(value: unknown): Policy {
  if (typeof value === 'object' && value !== null && checked.has(value)) return value as Policy;
  return admitPolicy(checkedPlain(policyShape, copyPlain(value)));
}
