import { describe, expect, it } from 'vitest';
import { hex } from '../../src/bytes.js';
import { policyPreimage, rulePreimage } from '../../src/digest/digest.js';
import type { ActionPattern, Policy, Rule } from '../../src/policy/model.js';
import { argv, filesystem, network, policyOf, ruleOf, tool } from '../policy/kit.js';

/** A field, written by hand: length in four bytes, then the text. */
const field = (text: string): string => {
  const bytes = [...new TextEncoder().encode(text)];
  return u32(bytes.length) + bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
};
const u32 = (value: number): string => value.toString(16).padStart(8, '0');

const preimage = (...rules: Rule[]): string => hex(policyPreimage(policyOf(...rules)));
/** What stands behind the name, the effect and the agents of the one rule. */
const actionBytes = (action: ActionPattern): string => {
  const front = field('ruleprint/policy-digest/1') + u32(1) + field('r') + field('allow') + field('agents:any');
  const all = preimage(ruleOf({ action }));
  expect(all.startsWith(front)).toBe(true);
  return all.slice(front.length);
};

describe('the layout of the preimage', () => {
  it('is the worked example of the chapter, byte by byte', () => {
    const policy: Policy = { version: 1, rules: [{ name: 'r', effect: 'deny', agents: 'any', action: { tool: { server: 's', name: 'n' } } }] };
    expect(hex(policyPreimage(policy))).toBe(
      [
        '00000019',
        '72756c657072696e742f706f6c6963792d6469676573742f31',
        '00000001',
        '00000001',
        '72',
        '00000004',
        '64656e79',
        '0000000a',
        '6167656e74733a616e79',
        '0000000b',
        '616374696f6e3a746f6f6c',
        '00000001',
        '73',
        '00000001',
        '6e',
      ].join(''),
    );
  });

  it('of no rules is the tag and a count of zero', () => {
    expect(preimage()).toBe(field('ruleprint/policy-digest/1') + u32(0));
  });

  it.each(['allow', 'ask', 'deny'] as const)('writes the effect %s as its word', (effect) => {
    expect(preimage(ruleOf({ effect, action: tool('s', 'n') }))).toBe(
      field('ruleprint/policy-digest/1') + u32(1) + field('r') + field(effect) + field('agents:any') + field('action:tool') + field('s') + field('n'),
    );
  });

  it('writes named agents with their tag, their number and each id', () => {
    expect(preimage(ruleOf({ agents: { one_of: ['a', 'bc'] }, action: tool('s', 'n') }))).toContain(
      field('allow') + field('agents:one_of') + u32(2) + field('a') + field('bc') + field('action:tool'),
    );
  });

  // DIG-5: the tags are these texts, whatever the code calls things
  it.each<[string, ActionPattern, string]>([
    ['a file pattern for any method', filesystem('/srv/**', 'any'), field('action:filesystem') + field('/srv/**') + field('methods:any')],
    [
      'a file pattern for some methods',
      filesystem('/srv/**', ['read', 'write']),
      field('action:filesystem') + field('/srv/**') + field('methods:one_of') + u32(2) + field('read') + field('write'),
    ],
    [
      'a network pattern for any port',
      network({ host: '*.example.com' }),
      field('action:network') + field('*.example.com') + field('ports:any') + field('methods:any'),
    ],
    [
      'a network pattern for some ports and methods',
      network({ ports: { from: 443, to: 8443 }, methods: ['GET'] }),
      field('action:network') + field('example.com') + field('ports:range') + u32(443) + u32(8443) + field('methods:one_of') + u32(1) + field('GET'),
    ],
    ['a process pattern', argv('git', '', '**'), field('action:process') + u32(3) + field('git') + field('') + field('**')],
    ['a tool pattern', tool('fs', 'read_*'), field('action:tool') + field('fs') + field('read_*')],
  ])('writes %s with the tags of the chapter (DIG-5)', (_, action, bytes) => {
    expect(actionBytes(action)).toBe(bytes);
  });

  it('of a rule has its own tag, so that no rule digest is a policy digest', () => {
    const rule = ruleOf({ action: tool('s', 'n') });
    const bytes = field('r') + field('allow') + field('agents:any') + field('action:tool') + field('s') + field('n');
    expect(hex(rulePreimage(rule))).toBe(field('ruleprint/rule-digest/1') + bytes);
    expect(preimage(rule)).toBe(field('ruleprint/policy-digest/1') + u32(1) + bytes);
  });
});

describe('lengths', () => {
  it.each([
    '',
    'a',
    'é',
    '\u20ac',
    '\u{1f600}',
    'a'.repeat(47),
    'a'.repeat(48),
    `${'a'.repeat(46)}é`,
    `${'a'.repeat(47)}\u{1f600}`,
    'é'.repeat(2_048),
    'a'.repeat(4_096),
  ])('are those of the UTF-8 bytes, for an argument such as %j', (text) => {
    expect(actionBytes(argv(text))).toBe(field('action:process') + u32(1) + field(text));
  });

  it('hold when the buffer grows: a large policy is the sum of its rules', () => {
    const rules = Array.from({ length: 2_000 }, (_, i) => ruleOf({ name: `r${i}`, action: argv('a'.repeat(i % 97), 'é'.repeat(i % 31)) }));
    const each = rules.map((rule) => hex(rulePreimage(rule)).slice(field('ruleprint/rule-digest/1').length));
    expect(preimage(...rules)).toBe(field('ruleprint/policy-digest/1') + u32(2_000) + each.join(''));
  });

  it('give the caller bytes of its own', () => {
    const policy = policyOf(ruleOf());
    const first = policyPreimage(policy);
    const before = hex(first);
    first.fill(0);
    expect(hex(policyPreimage(policy))).toBe(before);
    expect(first.buffer.byteLength).toBe(first.length);
  });
});
