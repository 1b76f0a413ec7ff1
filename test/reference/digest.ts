/**
 * The preimage and the digests (spec/digest.md), as lists of hex strings put one after another.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import type { ActionPattern, Policy, Rule } from './decide.js';
import { bytesOf, hexOf, utf8 } from './text.js';

const u32be = (value: number): string => value.toString(16).padStart(8, '0');

const field = (text: string): string[] => [u32be(utf8(text).length), hexOf(utf8(text))];

const listed = (items: readonly string[]): string[] => [u32be(items.length), ...items.flatMap(field)];

/** DIG-2: in the order of the UTF-8 bytes, which is the order of their hex. */
const sorted = (items: readonly string[]): string[] =>
  [...items].sort((a, b) => {
    const [left, right] = [hexOf(utf8(a)), hexOf(utf8(b))];
    return left < right ? -1 : left > right ? 1 : 0;
  });

const methods = (value: 'any' | readonly string[]): string[] =>
  value === 'any' ? field('methods:any') : [...field('methods:one_of'), ...listed(sorted(value))];

function action(pattern: ActionPattern): string[] {
  if ('filesystem' in pattern) return [...field('action:filesystem'), ...field(pattern.filesystem.path), ...methods(pattern.filesystem.methods)];
  if ('network' in pattern) {
    const { host, ports, methods: words } = pattern.network;
    const range = ports === 'any' ? field('ports:any') : [...field('ports:range'), u32be(ports.from), u32be(ports.to)]; // DIG-3
    return [...field('action:network'), ...field(host), ...range, ...methods(words)];
  }
  if ('process' in pattern) return [...field('action:process'), ...listed(pattern.process.argv)];
  return [...field('action:tool'), ...field(pattern.tool.server), ...field(pattern.tool.name)];
}

const rule = ({ name, effect, agents, action: pattern }: Rule): string[] => [
  ...field(name),
  ...field(effect),
  ...(agents === 'any' ? field('agents:any') : [...field('agents:one_of'), ...listed(sorted(agents.one_of))]),
  ...action(pattern),
];

const sha256 = (hex: string): string => `sha256:${createHash('sha256').update(bytesOf(hex)).digest('hex')}`;

/** The preimage of a policy, in hex. */
export const policyPreimage = (policy: Policy): string =>
  [...field('ruleprint/policy-digest/1'), u32be(policy.rules.length), ...policy.rules.flatMap(rule)].join('');

/** The preimage of one rule, in hex. */
export const rulePreimage = (one: Rule): string => [...field('ruleprint/rule-digest/1'), ...rule(one)].join('');

export const policyDigest = (policy: Policy): string => sha256(policyPreimage(policy));

export const ruleDigest = (one: Rule): string => sha256(rulePreimage(one));
