import { describe, expect, it } from 'vitest';
import { policyDigest } from '../../src/digest/digest.js';
import type { AuditEvent } from '../../src/engine/engine.js';
import { InMemoryPolicyEngine } from '../../src/engine/in-memory.js';
import { matchProfile, type Policy, type Request } from '../../src/policy/model.js';
import { call, codeOf, connect, filesystem, network, objectsIn, policyOf, read, refused, ruleOf, type Loose } from '../policy/kit.js';

const clock = (start = 1_000): (() => number) => {
  let now = start;
  return () => now++;
};
const engineOf = (policy?: Policy): InMemoryPolicyEngine => {
  const engine = new InMemoryPolicyEngine({ engineId: 'engine-a', now: clock() });
  if (policy !== undefined) engine.install(policy);
  return engine;
};
const request = (path = '/srv/a'): Request => ({ agent: 'builder', actions: [read(path)] });
const first = policyOf(ruleOf({ name: 'first' }));
const second: Policy = { version: 2, rules: [ruleOf({ name: 'second', effect: 'deny' })] };

/** Both ways to ask, since what holds for one must hold for the other. */
const ways: readonly (readonly [string, (engine: InMemoryPolicyEngine, request: Request) => AuditEvent])[] = [
  ['evaluate', (engine, asked) => engine.evaluate(asked)],
  ['evaluateTraced', (engine, asked) => engine.evaluateTraced(asked).event],
];

describe('the headline', () => {
  it('two engines, both at version 1, one of which would also allow /etc/shadow: same version and decision, digests differ', () => {
    const narrow = policyOf(ruleOf({ name: 'srv', action: filesystem('/srv/**', ['read']) }));
    const wide = policyOf(...narrow.rules, ruleOf({ name: 'shadow', action: filesystem('/etc/shadow', ['read']) }));
    const a = engineOf(narrow);
    const b = engineOf(wide);
    const fromA = a.evaluate(request());
    const fromB = b.evaluate(request());
    expect(fromA.policyVersion).toBe(1);
    expect(fromB.policyVersion).toBe(1);
    expect(fromA.decision).toEqual({ effect: 'allow', rule: 'srv', action: 0 });
    expect(fromB.decision).toEqual(fromA.decision);
    expect(b.evaluate(request('/etc/shadow')).decision.effect).toBe('allow');
    expect(a.evaluate(request('/etc/shadow')).decision.effect).toBe('deny');
    // all that tells them apart
    expect(fromA.policyDigest).not.toBe(fromB.policyDigest);
    expect(new Set(Object.keys(fromA))).toEqual(new Set(Object.keys(fromB)));
  });
});

describe.each(ways)('%s: the audit event', (_, event) => {
  it('an audit event records the policy that decided, not one installed later (DEC-13)', () => {
    const engine = engineOf(first);
    const before = event(engine, request());
    engine.install(second);
    expect(before).toMatchObject({ decision: { rule: 'first' }, policyVersion: 1, policyDigest: policyDigest(first), matchProfile });
    expect(event(engine, request())).toMatchObject({ decision: { rule: 'second' }, policyVersion: 2, policyDigest: policyDigest(second), matchProfile });
  });

  it('holds values, not views on the engine (DEC-13)', () => {
    const engine = engineOf(first);
    const before = event(engine, request());
    expect(Object.values(Object.getOwnPropertyDescriptors(before)).every((property) => 'value' in property)).toBe(true);
    const copy = structuredClone(before);
    engine.install(second);
    expect(before).toEqual(copy);
  });

  it('an install in the middle of a decision does not mix two policies (DEC-13)', () => {
    // the clock is code of the embedder: the one place where something can happen in between
    let onRead: (() => void) | undefined;
    const engine = new InMemoryPolicyEngine({
      engineId: 'engine-a',
      now: () => {
        onRead?.();
        return 1;
      },
    });
    engine.install(first);
    onRead = () => {
      onRead = undefined;
      engine.install(second);
    };
    expect(event(engine, request())).toMatchObject({ decision: { rule: 'first' }, policyVersion: 1, policyDigest: policyDigest(first) });
    expect(engine.policyVersion()).toBe(2);
  });

  it('an absent digest is omitted, not emitted empty: before any install, version and profile too (DEC-14)', () => {
    const before = event(engineOf(), request());
    expect(before).toEqual({ engineId: 'engine-a', time: 1_000, agent: 'builder', actions: [read()], decision: { effect: 'deny', reason: 'no-policy' } });
    expect(Object.keys(before)).toEqual(['engineId', 'time', 'agent', 'actions', 'decision']);
  });

  it('has exactly its fields', () => {
    expect(event(engineOf(first), request('/srv//a/'))).toEqual({
      engineId: 'engine-a',
      time: 1_000,
      agent: 'builder',
      actions: [read('/srv/a')],
      decision: { effect: 'allow', rule: 'first', action: 0 },
      policyVersion: 1,
      policyDigest: policyDigest(first),
      matchProfile: 'ruleprint-match/1',
    });
  });

  it('is deep frozen and shares nothing with the request', () => {
    const asked = { agent: 'builder', actions: [read(), call()] };
    const made = event(engineOf(first), asked);
    const given = new Set(objectsIn(asked));
    expect(objectsIn(made).filter((object) => !Object.isFrozen(object) || given.has(object))).toEqual([]);
    expect(() => Object.assign(made as Loose, { policyDigest: 'sha256:' })).toThrow(TypeError);
    expect(() => Object.assign(made.decision as Loose, { effect: 'allow' })).toThrow(TypeError);
  });

  it('does not follow a request that its caller changes later', () => {
    const asked: Loose = { agent: 'builder', actions: [read()] };
    const made = event(engineOf(first), asked);
    asked.agent = 'root';
    asked.actions[0].filesystem.path = '/etc/shadow';
    asked.actions.push(call());
    expect(made).toMatchObject({ agent: 'builder', actions: [read()] });
    expect(made.actions).toHaveLength(1);
  });

  it('refuses a request that cannot be made canonical, with and without a policy (DEC-3)', () => {
    for (const engine of [engineOf(), engineOf(first)]) {
      expect(codeOf(() => event(engine, request('../a')))).toBe('path-relative');
      expect(codeOf(() => event(engine, { agent: 'builder', actions: [] }))).toBe('empty-list');
      expect(codeOf(() => event(engine, { ...request(), extra: 1 } as Loose))).toBe('unknown-key');
    }
  });

  it('has the time of the decision by the clock of the engine, read once', () => {
    const engine = engineOf(first);
    expect([event(engine, request()).time, event(engine, request()).time]).toEqual([1_000, 1_001]);
  });
});

describe('evaluateTraced', () => {
  it('gives the decision of evaluate, with the trace of the policy that decided (DEC-11)', () => {
    const engine = engineOf(policyOf(ruleOf({ name: 'a', effect: 'ask' }), ruleOf({ name: 'b', action: filesystem('/**') })));
    for (const path of ['/srv/a', '/etc/a']) {
      const { event, trace } = engine.evaluateTraced(request(path));
      expect(event.decision).toEqual(engine.evaluate(request(path)).decision);
      expect(trace.map(({ rules }) => rules.map(({ rule }) => rule))).toEqual([['a', 'b']]);
    }
    expect(Object.isFrozen(engine.evaluateTraced(request()))).toBe(true);
  });

  it('traces the policy that decided, not one that the clock installed in between (DEC-13)', () => {
    let install = false;
    const engine: InMemoryPolicyEngine = new InMemoryPolicyEngine({
      engineId: 'engine-a',
      now: () => {
        if (install) {
          install = false;
          engine.install(second);
        }
        return 1;
      },
    });
    engine.install(first);
    install = true;
    const { event, trace } = engine.evaluateTraced(request());
    expect(event.decision.rule).toBe('first');
    expect(trace[0]?.rules.map(({ rule }) => rule)).toEqual(['first']);
  });
});

describe('install', () => {
  it('says what it put in force and what it replaced', () => {
    const engine = engineOf();
    expect(engine.install(first)).toEqual({ version: 1, digest: policyDigest(first) });
    expect(Object.keys(engine.install(second))).toEqual(['version', 'digest', 'replaces']);
    expect(engine.install({ version: 7, rules: [] })).toEqual({ version: 7, digest: policyDigest(policyOf()), replaces: policyDigest(second) });
  });

  it.each<[string, number, string]>([
    ['equal', 5, 'version-equal'],
    ['lower by one', 4, 'version-lower'],
    ['much lower', 1, 'version-lower'],
  ])('refuses a version that is %s, with both versions as evidence (DEC-12)', (_, version, code) => {
    const engine = engineOf({ version: 5, rules: first.rules });
    const problem = refused(() => engine.install({ version, rules: second.rules }));
    expect(problem).toMatchObject({ code, evidence: { current: 5, offered: version } });
  });

  it('refuses an equal version even with equal rules (DEC-12)', () => {
    expect(codeOf(() => engineOf(first).install(first))).toBe('version-equal');
  });

  it.each<[string, unknown, string]>([
    ['0', 0, 'bad-value'],
    ['beyond 2^53-1', 2 ** 53, 'bad-integer'],
    ['negative', -1, 'bad-integer'],
    ['a fraction', 1.5, 'bad-integer'],
    ['text', '2', 'wrong-type'],
    ['infinite', Number.POSITIVE_INFINITY, 'bad-integer'],
  ])('refuses a version that is %s', (_, version, code) => {
    expect(codeOf(() => engineOf().install({ version, rules: [] } as Loose))).toBe(code);
  });

  it('takes every version above the current one, up to 2^53-1, after which none is higher', () => {
    const engine = engineOf(first);
    engine.install({ version: 3, rules: [] });
    engine.install({ version: Number.MAX_SAFE_INTEGER, rules: [] });
    expect(engine.policyVersion()).toBe(9_007_199_254_740_991);
    expect(codeOf(() => engine.install({ version: Number.MAX_SAFE_INTEGER, rules: [] }))).toBe('version-equal');
  });

  it.each<[string, unknown]>([
    ['of an equal version', { version: 1, rules: second.rules }],
    ['of a lower version', { version: 0, rules: second.rules }],
    ['with a bad rule behind a good one', { version: 2, rules: [...second.rules, { ...ruleOf(), effect: 'audit' }] }],
    ['with an accessor', Object.defineProperty({ version: 2 }, 'rules', { get: () => second.rules, enumerable: true })],
    ['that is no policy', null],
  ])('changes nothing when it refuses one %s (DEC-12)', (_, bad) => {
    const engine = engineOf(first);
    expect(() => engine.install(bad as Policy)).toThrow();
    expect(engine.policyVersion()).toBe(1);
    expect(engine.policyDigest()).toBe(policyDigest(first));
    expect(engine.evaluate(request())).toMatchObject({ decision: { effect: 'allow', rule: 'first' }, policyVersion: 1, policyDigest: policyDigest(first) });
    expect(engine.install(second)).toEqual({ version: 2, digest: policyDigest(second), replaces: policyDigest(first) });
  });

  it('leaves an engine without a policy without one when it refuses the first', () => {
    const engine = engineOf();
    expect(() => engine.install({ version: 0, rules: [] })).toThrow();
    expect(engine.policyVersion()).toBeUndefined();
    expect(engine.policyDigest()).toBeUndefined();
    expect(engine.evaluate(request()).decision).toEqual({ effect: 'deny', reason: 'no-policy' });
  });

  it('holds a copy, so that its caller cannot change the rules behind the digest (POL-16)', () => {
    const policy = structuredClone(
      policyOf(
        ruleOf({ name: 'first', agents: { one_of: ['builder'] }, action: filesystem('/srv/**', ['read']) }),
        ruleOf({ name: 'net', action: network({ ports: { from: 1, to: 2 }, methods: ['GET'] }) }),
      ),
    ) as Loose;
    const engine = engineOf(policy);
    const digest = engine.policyDigest();
    const [files, net] = policy.rules;
    files.effect = 'deny';
    files.agents.one_of[0] = 'other';
    files.action.filesystem.path = '/nowhere';
    files.action.filesystem.methods[0] = 'write';
    net.action.network.ports.to = 65_535;
    net.action.network.methods.push('PUT');
    policy.rules.length = 0;
    policy.version = 99;
    for (const { event, trace } of [engine.evaluateTraced(request())]) {
      expect(event).toMatchObject({ decision: { effect: 'allow', rule: 'first' }, policyVersion: 1, policyDigest: digest });
      expect(trace[0]?.rules).toHaveLength(2);
    }
    const denied = { decision: { effect: 'deny', reason: 'no-rule' } };
    expect(engine.evaluate({ agent: 'builder', actions: [{ filesystem: { path: '/srv/a', method: 'write' } }] })).toMatchObject(denied);
    expect(engine.evaluate({ agent: 'builder', actions: [connect('example.com', 443, 'GET')] })).toMatchObject(denied);
    expect(engine.evaluate({ agent: 'builder', actions: [connect('example.com', 1, 'PUT')] })).toMatchObject(denied);
  });

  it('does not freeze what its caller keeps', () => {
    const policy = structuredClone(first);
    engineOf(policy);
    expect(Object.isFrozen(policy)).toBe(false);
    expect(Object.isFrozen(policy.rules[0])).toBe(false);
  });

  it('puts a policy without rules in force, which denies all', () => {
    expect(engineOf(policyOf()).evaluate(request())).toMatchObject({ decision: { effect: 'deny', reason: 'no-rule', action: 0 }, policyVersion: 1 });
  });
});

describe('an engine', () => {
  it.each(['', 'a\n', '\ud800', 'x'.repeat(4_097)])('has a name, because receipts cite it: not %j', (engineId) => {
    expect(() => new InMemoryPolicyEngine({ engineId })).toThrow();
  });

  it.each([undefined, null, 1, {}])('has a name that is text: not %s', (engineId) => {
    expect(() => new InMemoryPolicyEngine({ engineId: engineId as Loose })).toThrow(TypeError);
  });

  it('reads the system clock where it is given none', () => {
    const before = Date.now();
    const { time } = new InMemoryPolicyEngine({ engineId: 'engine-a' }).evaluate(request());
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now());
  });

  it('answers at once: no promise anywhere', () => {
    const engine = engineOf();
    expect(
      [engine.install(first), engine.evaluate(request()), engine.evaluateTraced(request()), engine.policyDigest()].filter(
        (answer) => answer instanceof Promise,
      ),
    ).toEqual([]);
  });
});
