import { describe, expect, it } from 'vitest';
import type { Policy } from './decide.js';
import { policyDigest } from './digest.js';
import { ed25519Key, p256Key } from './keys.js';
import { type Event, receiptOf } from './receipt.js';
import { report, type Trusted } from './report.js';

const key = ed25519Key('ruleprint reference: engine');
const policy: Policy = { version: 1, rules: [{ name: 'r', effect: 'allow', agents: 'any', action: { filesystem: { path: '/**', methods: 'any' } } }] };
const event: Event = {
  engineId: 'engine-a',
  time: 10,
  agent: 'x',
  actions: [{ filesystem: { path: '/a', method: 'read' } }],
  decision: { effect: 'allow', rule: 'r', action: 0 },
  policyVersion: 1,
  policyDigest: policyDigest(policy),
  matchProfile: 'ruleprint-match/1',
};
const trusted: Trusted = { key, role: 'engine', engine_ids: ['engine-a'] };
const answer = (change: Partial<Event>, trust: Partial<Trusted> = {}, policies: readonly Policy[] = [policy]) => {
  const {
    bytes,
    signature,
    'key-trust': keyTrust,
    rules,
    're-decision': again,
  } = report(receiptOf(key, { ...event, ...change }), [{ ...trusted, ...trust }], policies);
  return [bytes, signature, keyTrust, rules, again].map(({ status, code }) => code ?? status).join(' ');
};

describe('reference: the report of one receipt', () => {
  it('finds an honest receipt good', () => {
    expect(answer({})).toBe('pass pass pass pass pass');
    expect(report(receiptOf(key, event), [trusted], undefined).ok).toBe(true);
  });

  it.each<[string, Partial<Trusted>]>([
    ['key-role', { role: 'auditor' }],
    ['key-engine', { engine_ids: ['engine-b'] }],
    ['key-not-yet-valid', { valid_from: 11 }],
    ['key-expired', { valid_until: 10 }],
    ['key-revoked', { revoked_at: 10 }],
  ])('fails key trust with %s and asks nothing of the rules (RCP-10, RCP-21, RCP-24)', (code, trust) => {
    expect(answer({}, trust)).toBe(`pass pass ${code} not-checked not-checked`);
  });

  it('leaves key trust open when the key was revoked later and nothing pins the receipt (RCP-21)', () => {
    expect(answer({}, { valid_from: 10, valid_until: 11, revoked_at: 11 })).toBe('pass pass key-revoked-later pass pass');
    expect(report(receiptOf(key, event), [{ ...trusted, revoked_at: 11 }], [policy]).ok).toBe(false);
  });

  it('answers a stranger and a key of another kind (RCP-20)', () => {
    expect(report(receiptOf(key, event), [], [policy])['key-trust'].code).toBe('key-unknown');
    expect(answer({}, { key: { ...p256Key('x'), kid: key.kid } })).toBe('pass cose-alg-key not-checked not-checked not-checked');
  });

  it.each<[string, Partial<Event>, readonly Policy[]]>([
    ['policy-missing not-checked', {}, []],
    ['pass decision-differs', { decision: { effect: 'deny', reason: 'no-rule', action: 0 } }, [policy]],
    ['pass profile-unknown', { matchProfile: 'ruleprint-match/2' }, [policy]],
    ['pass action-not-canonical', { actions: [{ filesystem: { path: '/a/', method: 'read' } }] }, [policy]],
  ])('answers rules and re-decision with %s (RCP-22, RCP-23)', (codes, change, policies) => {
    expect(answer(change, {}, policies)).toBe(`pass pass pass ${codes}`);
  });
});
