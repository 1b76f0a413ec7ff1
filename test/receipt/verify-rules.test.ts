import { describe, expect, it } from 'vitest';
import { policyDigest } from '../../src/digest/digest.js';
import type { ErrorCode } from '../../src/errors.js';
import type { Policy } from '../../src/policy/model.js';
import { call, connect, filesystem, network, policyOf, read, ruleOf, run, type Loose } from '../policy/kit.js';
import { answers, codesOf, digest, policy, receipt, receiptOf, statement, verify } from './kit.js';

const wide: Policy = policyOf(...policy.rules, ruleOf({ name: 'shadow', action: filesystem('/etc/shadow', ['read']) }));
const noPolicy = { policy_version: undefined, policy_digest: undefined, match_profile: undefined, decision: { effect: 'deny', reason: 'no-policy' } };

/** Rules and re-decision of a receipt, with the problems. */
function judged(
  change: object,
  policies: readonly Policy[] = [policy],
): { rules: string | undefined; 're-decision': string | undefined; codes: ErrorCode[]; ok: boolean } {
  const report = verify(receiptOf(change), { policies });
  const all = answers(report);
  expect(all).toMatchObject({ bytes: 'pass', signature: 'pass', 'key-trust': 'pass' });
  return { rules: all.rules, 're-decision': all['re-decision'], codes: codesOf(report), ok: report.ok };
}

describe('RCP-22: rules', () => {
  it('passes with the policy whose digest the receipt names, among others', () => {
    expect(judged({})).toEqual({ rules: 'pass', 're-decision': 'pass', codes: [], ok: true });
    expect(judged({}, [wide, policy, policyOf()]).ok).toBe(true);
  });

  it('passes with the same rules under another version, because the digest says which rules', () => {
    expect(judged({}, [{ version: 77, rules: policy.rules }]).ok).toBe(true);
  });

  it('is not checked where no policy at hand has the digest: a missing text is no lie', () => {
    for (const policies of [[], [wide], [policyOf(...[...policy.rules].reverse())]]) {
      const { rules, codes, ok, ...rest } = judged({}, policies);
      expect({ rules, codes, ok, rest }).toMatchObject({ rules: expect.stringContaining('not checked'), codes: ['policy-missing'], ok: false });
      expect(rest['re-decision']).toBe('not checked: rests on rules');
    }
  });

  it('is not checked where the receipt names no digest, and a version does not help', () => {
    expect(judged({ policy_digest: undefined })).toMatchObject({ codes: ['digest-absent'], ok: false, 're-decision': 'not checked: rests on rules' });
    expect(judged({ policy_digest: undefined }, [policy, wide])).toMatchObject({ codes: ['digest-absent'] });
  });

  it('is not asked where no policies are given', () => {
    const report = verify(receipt());
    expect(report.asked).toEqual(['bytes', 'signature', 'key-trust']);
    expect(report.ok).toBe(true);
    expect(answers(report)).toMatchObject({ rules: 'not checked: no policies given', 're-decision': 'not checked: no policies given' });
  });

  it('tells two policies of one version apart, which is what the digest is for', () => {
    expect(policy.version).toBe(wide.version);
    expect(judged({}, [wide]).codes).toEqual(['policy-missing']);
    expect(judged({ policy_digest: policyDigest(wide) }, [wide]).ok).toBe(true);
  });

  it('refuses to take an object that is no policy', () => {
    expect(() => verify(receipt(), { policies: [{ version: 1, rules: [{}] } as Loose] })).toThrow();
  });
});

describe('RCP-23: re-decision', () => {
  it.each<[string, object]>([
    ['an allow', {}],
    ['a deny by a rule', { actions: [read('/srv/keys/a')], decision: { effect: 'deny', rule: 'keys', action: 0 } }],
    ['an ask', { actions: [call('db', 'drop')], decision: { effect: 'ask', rule: 'drop', action: 0 } }],
    ['a deny by no rule', { actions: [call()], decision: { effect: 'deny', reason: 'no-rule', action: 0 } }],
    ['the most restrictive of several', { actions: [read(), call('db', 'drop'), read('/srv/keys/a')], decision: { effect: 'deny', rule: 'keys', action: 2 } }],
  ])('passes for %s that the rules give', (_, change) => {
    expect(judged(change)).toMatchObject({ 're-decision': 'pass', codes: [], ok: true });
  });

  it.each<[string, object]>([
    ['an allow where the rules deny', { actions: [read('/srv/keys/a')], decision: { effect: 'allow', rule: 'srv', action: 0 } }],
    ['a deny where the rules allow', { decision: { effect: 'deny', rule: 'keys', action: 0 } }],
    ['an ask where the rules allow', { decision: { effect: 'ask', rule: 'drop', action: 0 } }],
    ['no rule where one decides', { decision: { effect: 'deny', reason: 'no-rule', action: 0 } }],
    ['a rule where none decides', { actions: [call()], decision: { effect: 'deny', rule: 'keys', action: 0 } }],
    ['another rule of the same effect', { decision: { effect: 'allow', rule: 'other', action: 0 } }],
    ['another action of the same effect', { actions: [read('/srv/a'), read('/srv/b')], decision: { effect: 'allow', rule: 'srv', action: 1 } }],
    ['a method that no rule covers', { actions: [{ filesystem: { path: '/srv/a', method: 'write' } }] }],
  ])('fails for %s', (_, change) => {
    const answer = judged(change);
    expect(answer).toMatchObject({ rules: 'pass', 're-decision': 'fail', codes: ['decision-differs'], ok: false });
  });

  it('fails where another agent was recorded than the rules are about', () => {
    const rules = policyOf(ruleOf({ name: 'srv', agents: { one_of: ['builder'] } }));
    const change = { policy_digest: policyDigest(rules) };
    expect(judged(change, [rules]).ok).toBe(true);
    expect(judged({ ...change, agent: 'other' }, [rules]).codes).toEqual(['decision-differs']);
  });

  it('shows both decisions', () => {
    const { problems } = verify(receiptOf({ decision: { effect: 'deny', rule: 'keys', action: 0 } }), { policies: [policy] });
    expect(problems[0]).toMatchObject({
      code: 'decision-differs',
      axis: 're-decision',
      where: { pointer: '/decision' },
      evidence: { remade: { effect: 'allow', rule: 'srv', action: 0 }, recorded: { effect: 'deny', rule: 'keys', action: 0 } },
    });
  });

  it.each<[string, object[]]>([
    ['a path with a slash at its end', [read('/srv/a/')]],
    ['a path with two slashes', [read('/srv//a')]],
    ['a path with a dot segment', [read('/srv/./a')]],
    ['a relative path', [read('srv/a')]],
    ['a path with a parent segment', [read('/srv/b/../a')]],
    ['a host in upper case', [connect('Example.com')]],
    ['a host with a dot behind it', [connect('example.com.')]],
    ['an address in hex', [connect('0x7f.1')]],
    ['an IPv4 address in IPv6', [connect('::ffff:1.2.3.4')]],
    ['a host that is none', [connect('1.2.3.999')]],
    ['a bad action behind a good one', [read('/srv/a'), read('/srv/a/')]],
  ])('fails for %s, because another reader would make another decision of it', (_, actions) => {
    const rules = policyOf(ruleOf({ name: 'srv', action: filesystem('/**') }), ruleOf({ name: 'net', action: network({ host: '**' }) }));
    const name = 'filesystem' in (actions[0] as object) ? 'srv' : 'net';
    const change = { actions, policy_digest: policyDigest(rules), decision: { effect: 'allow', rule: name, action: 0 } };
    const report = verify(receiptOf(change), { policies: [rules] });
    expect(report.problems).toMatchObject([
      {
        code: 'action-not-canonical',
        axis: 're-decision',
        status: 'fail',
        where: { pointer: expect.stringMatching(new RegExp(`^/actions/${actions.length - 1}`)) },
      },
    ]);
    expect(report.axes.rules.status).toBe('pass');
  });

  it('fails for a request that is over its sum of bytes, which no engine would have decided (DEC-4)', () => {
    const argument = 'x'.repeat(65_536);
    const actions = [run(...new Array(8).fill(argument))];
    const report = verify(receiptOf({ actions, decision: { effect: 'deny', reason: 'no-rule', action: 0 } }), { policies: [policy] });
    expect(codesOf(report)).toEqual(['action-not-canonical']);
  });

  it('is not checked under another match profile, since its patterns may mean something else', () => {
    for (const match_profile of ['ruleprint-match/2', 'cedar', undefined]) {
      const answer = judged({ match_profile });
      expect(answer).toMatchObject({ rules: 'pass', codes: ['profile-unknown'], ok: false });
      expect(answer['re-decision']).toContain('not checked');
    }
  });

  it.each(['unmapped', 'not-canonical', 'fault'])('passes beside %s, which cannot be decided again, and says so', (reason) => {
    for (const actions of [[], [call()]]) {
      const report = verify(receiptOf({ actions, decision: { effect: 'deny', reason } }), { policies: [policy] });
      expect(report.axes['re-decision']).toEqual({ status: 'pass', reason: expect.any(String) });
      expect(report.axes.rules.status).toBe('pass');
      expect(report.ok).toBe(true);
      // whatever is at hand
      const without = verify(receiptOf({ actions, decision: { effect: 'deny', reason } }), { policies: [] });
      expect(without.axes['re-decision'].status).toBe('pass');
      expect(codesOf(without)).toEqual(['policy-missing']);
    }
  });

  it('passes for no-policy, which follows from no policy, and leaves rules unchecked', () => {
    const report = verify(receiptOf(noPolicy), { policies: [policy] });
    expect(report.axes['re-decision']).toEqual({ status: 'pass' });
    expect(report.axes.rules.status).toBe('not-checked');
    expect(codesOf(report)).toEqual([]);
    // asked and not passed
    expect(report.ok).toBe(false);
    expect(codesOf(verify(receiptOf({ ...noPolicy, actions: [read('/srv//a')] }), { policies: [] }))).toEqual(['action-not-canonical']);
  });

  it('is made from what is recorded alone: a rule that the receipt does not name changes nothing', () => {
    expect(digest).toBe(policyDigest(policy));
    expect(statement().decision).toEqual({ effect: 'allow', rule: 'srv', action: 0 });
    const first = policyOf(ruleOf({ name: 'first' }), ...policy.rules);
    expect(judged({ policy_digest: policyDigest(first) }, [first]).codes).toEqual(['decision-differs']);
    expect(judged({ policy_digest: policyDigest(first), decision: { effect: 'allow', rule: 'first', action: 0 } }, [first]).ok).toBe(true);
  });
});
