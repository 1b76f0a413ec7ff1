/**
 * What every engine must do, as one list of clauses (spec/decision.md). Each clause opens engines of its own, awaits every answer, and
 * rejects where the engine breaks the contract, so that a test can also show that a broken engine is caught.
 * @module
 */
import { describe, expect, it } from 'vitest';
import { policyDigest } from '../../src/digest/digest.js';
import { decide, decideTraced } from '../../src/decide/decide.js';
import type { AuditEvent, PolicyEngine } from '../../src/engine/engine.js';
import { RuleprintError } from '../../src/errors.js';
import { matchProfile, type Action, type Policy, type Request } from '../../src/policy/model.js';
import { argv, call, connect, filesystem, network, objectsIn, policyOf, read, ruleOf, rulesOf, run, tool, type Loose } from '../policy/kit.js';

export interface Subject {
  /** A fresh engine of this name, without a policy. */
  open(engineId: string): PolicyEngine | Promise<PolicyEngine>;
  /** Whether its events name the rules. */
  readonly hasDigest: boolean;
}

export interface Clause {
  readonly title: string;
  check(subject: Subject): Promise<void>;
}

const request = (...actions: Action[]): Request => ({ agent: 'builder', actions });
const first = policyOf(
  ...rulesOf(['allow', filesystem('/srv/**')], ['deny', filesystem('/srv/keys/**')], ['ask', argv('git', '**')], ['allow', network({ methods: ['GET'] })]),
);
const second: Policy = { version: 2, rules: [ruleOf({ name: 'second', effect: 'deny', action: filesystem('/**') })] };

/** The code that an engine refuses with, whether it throws at once or its promise does. */
async function codeOf(act: () => unknown): Promise<string> {
  try {
    const answer = await act();
    return `taken: ${JSON.stringify(answer)}`;
  } catch (error) {
    if (error instanceof RuleprintError) return error.code;
    throw error;
  }
}

/** Both ways to ask. */
const ways = [
  async (engine: PolicyEngine, asked: Request): Promise<AuditEvent> => engine.evaluate(asked),
  async (engine: PolicyEngine, asked: Request): Promise<AuditEvent> => (await engine.evaluateTraced(asked)).event,
] as const;

/** What an event must say of a policy: by value, and the digest exactly where the engine has one. */
const naming = (policy: Policy, hasDigest: boolean): Partial<AuditEvent> => ({
  policyVersion: policy.version,
  ...(hasDigest && { policyDigest: policyDigest(policy) }),
  matchProfile,
});

async function opened({ open }: Subject, ...policies: readonly Policy[]): Promise<PolicyEngine> {
  const engine = await open('engine-a');
  for (const policy of policies) await engine.install(policy);
  return engine;
}

const clause = (title: string, check: Clause['check']): Clause => ({ title, check });

export const clauses: readonly Clause[] = [
  clause('has the name that it was opened with, and its events cite it', async (subject) => {
    const engine = await subject.open('engine-b');
    expect(engine.engineId).toBe('engine-b');
    for (const ask of ways) expect((await ask(engine, request(read()))).engineId).toBe('engine-b');
  }),

  clause('denies everything before an install, for the reason that there is no policy (DEC-5)', async (subject) => {
    const engine = await opened(subject);
    for (const ask of ways) {
      const { time, ...event } = await ask(engine, request(read(), call()));
      expect(event).toEqual({ engineId: 'engine-a', agent: 'builder', actions: [read(), call()], decision: { effect: 'deny', reason: 'no-policy' } });
      expect(Number.isSafeInteger(time) && time >= 0).toBe(true);
    }
  }),

  clause('makes a request canonical before it looks for a policy, and refuses one that cannot be (DEC-3)', async (subject) => {
    for (const engine of [await opened(subject), await opened(subject, policyOf(ruleOf({ action: filesystem('/**') })))]) {
      for (const ask of ways) {
        expect(await codeOf(() => ask(engine, request(read('/srv/../etc/shadow'))))).toBe('path-dot-dot');
        expect(await codeOf(() => ask(engine, request(read('srv/a'))))).toBe('path-relative');
        expect(await codeOf(() => ask(engine, request(connect('1.2.3.999'))))).toBe('host-number');
        expect(await codeOf(() => ask(engine, request()))).toBe('empty-list');
        expect(await codeOf(() => ask(engine, { ...request(read()), role: 'admin' } as Loose))).toBe('unknown-key');
        expect((await ask(engine, request(read('/srv//./a/'), connect('EXAMPLE.com.')))).actions).toEqual([read('/srv/a'), connect('example.com')]);
      }
    }
  }),

  clause('decides by the rules: a deny wins wherever it stands, then an ask, then an allow, else deny (DEC-6)', async (subject) => {
    const engine = await opened(subject, first);
    for (const [action, decision] of [
      [read('/srv/a'), { effect: 'allow', rule: 'a', action: 0 }],
      [read('/srv/keys/a'), { effect: 'deny', rule: 'b', action: 0 }],
      [run('git', 'push'), { effect: 'ask', rule: 'c', action: 0 }],
      [connect('example.com', 443, 'GET'), { effect: 'allow', rule: 'd', action: 0 }],
      [connect('example.com', 443), { effect: 'deny', action: 0, reason: 'no-rule' }],
      [call(), { effect: 'deny', action: 0, reason: 'no-rule' }],
    ] as const) {
      for (const ask of ways) expect((await ask(engine, request(action))).decision).toEqual(decision);
    }
  }),

  clause('takes the most restrictive of the actions, that of the first with that effect (DEC-7)', async (subject) => {
    const engine = await opened(subject, first);
    for (const ask of ways) {
      expect((await ask(engine, request(read('/srv/a'), run('git')))).decision).toEqual({ effect: 'ask', rule: 'c', action: 1 });
      expect((await ask(engine, request(run('git'), read('/srv/keys/a'), call()))).decision).toEqual({ effect: 'deny', rule: 'b', action: 1 });
      expect((await ask(engine, request(read('/srv/a'), call(), read('/srv/keys/a')))).decision).toEqual({ effect: 'deny', action: 1, reason: 'no-rule' });
    }
  }),

  clause('gives one decision with and without a trace, and the trace of every rule for every action (DEC-11)', async (subject) => {
    const engine = await opened(subject, first);
    for (const actions of [[read('/srv/a')], [read('/srv/keys/a'), call()], [run('git'), connect()]]) {
      const { event, trace } = await engine.evaluateTraced(request(...actions));
      expect(event.decision).toEqual((await engine.evaluate(request(...actions))).decision);
      expect(event.decision).toEqual(decide(first, request(...actions)));
      expect(trace).toEqual(decideTraced(first, request(...actions)).trace);
    }
  }),

  clause('refuses a version that is equal or lower (DEC-12)', async (subject) => {
    const engine = await opened(subject, { ...first, version: 5 });
    expect(await codeOf(() => engine.install({ version: 5, rules: first.rules }))).toBe('version-equal');
    expect(await codeOf(() => engine.install({ version: 5, rules: second.rules }))).toBe('version-equal');
    expect(await codeOf(() => engine.install({ version: 4, rules: second.rules }))).toBe('version-lower');
    expect(await codeOf(() => engine.install({ version: 1, rules: second.rules }))).toBe('version-lower');
  }),

  clause('changes nothing when it refuses an install (DEC-12)', async (subject) => {
    const engine = await opened(subject, second);
    const bad = { version: 3, rules: [ruleOf({ action: filesystem('/**') }), ruleOf({ name: '' })] };
    expect(await codeOf(() => engine.install({ version: 2, rules: first.rules }))).toBe('version-equal');
    expect(await codeOf(() => engine.install({ version: 1, rules: first.rules }))).toBe('version-lower');
    expect(await codeOf(() => engine.install(bad))).toBe('empty-text');
    for (const ask of ways)
      expect(await ask(engine, request(read()))).toMatchObject({ decision: { effect: 'deny', rule: 'second' }, ...naming(second, subject.hasDigest) });
    if (subject.hasDigest) expect(await engine.policyDigest?.()).toBe(policyDigest(second));
    expect(await engine.install({ version: 3, rules: first.rules })).toMatchObject({ version: 3 });
  }),

  clause('says what an install put in force and what it replaced', async (subject) => {
    const engine = await opened(subject);
    const digests = (policy: Policy, before?: Policy): unknown =>
      subject.hasDigest ? { digest: policyDigest(policy), ...(before && { replaces: policyDigest(before) }) } : {};
    expect(await engine.install(first)).toEqual({ version: 1, ...(digests(first) as object) });
    expect(await engine.install(second)).toEqual({ version: 2, ...(digests(second, first) as object) });
  }),

  clause('records the policy that decided, by value, in evaluate and evaluateTraced (DEC-13)', async (subject) => {
    const engine = await opened(subject, first);
    const before = await Promise.all(ways.map((ask) => ask(engine, request(read()))));
    const copies = structuredClone(before);
    await engine.install(second);
    expect(before).toEqual(copies);
    for (const event of before) expect(event).toMatchObject({ decision: { rule: 'a' }, ...naming(first, subject.hasDigest) });
    for (const event of before) expect(Object.values(Object.getOwnPropertyDescriptors(event)).every((property) => 'value' in property)).toBe(true);
    for (const ask of ways) expect(await ask(engine, request(read()))).toMatchObject({ decision: { rule: 'second' }, ...naming(second, subject.hasDigest) });
  }),

  clause('does not mix two policies when an install comes in between (DEC-13)', async (subject) => {
    const engine = await opened(subject, first);
    const asked = [...ways, ...ways, ...ways].map((ask) => ask(engine, request(read())));
    const installed = engine.install(second);
    const later = [...ways, ...ways, ...ways].map((ask) => ask(engine, request(read())));
    await installed;
    for (const event of await Promise.all([...asked, ...later])) {
      const decider = event.decision.rule === 'a' ? first : second;
      expect(event).toMatchObject({ decision: { rule: decider === first ? 'a' : 'second' }, ...naming(decider, subject.hasDigest) });
    }
  }),

  clause('omits a digest that it does not have: absent, neither null nor empty (DEC-14)', async (subject) => {
    const engine = await opened(subject);
    const keys = ['policyVersion', 'matchProfile', ...(subject.hasDigest ? ['policyDigest'] : [])];
    const policyKeys = (event: object): string[] => Object.keys(event).filter((key) => /^policy|^match/.test(key));
    for (const ask of ways) expect(policyKeys(await ask(engine, request(read())))).toEqual([]);
    const installs = [await engine.install(first), await engine.install(second)];
    for (const ask of ways) {
      const event = await ask(engine, request(read()));
      expect(policyKeys(event).sort()).toEqual([...keys].sort());
      if (subject.hasDigest) expect(event.policyDigest).toMatch(/^sha256:[0-9a-f]{64}$/);
    }
    expect(installs.map((installed) => Object.keys(installed))).toEqual(
      subject.hasDigest
        ? [
            ['version', 'digest'],
            ['version', 'digest', 'replaces'],
          ]
        : [['version'], ['version']],
    );
    if (subject.hasDigest) expect(await engine.policyDigest?.()).toBe(policyDigest(second));
    else expect(await engine.policyDigest?.()).toBeUndefined();
  }),

  clause('hands out deep frozen events that share nothing with the request', async (subject) => {
    const engine = await opened(subject, first);
    for (const ask of ways) {
      const asked: Loose = request(read(), run('git', 'push'));
      const event = await ask(engine, asked);
      const given = new Set(objectsIn(asked));
      expect(objectsIn(event).filter((object) => !Object.isFrozen(object) || given.has(object))).toEqual([]);
    }
  }),

  clause('takes the request as it was when it was asked, whatever its caller does next', async (subject) => {
    const engine = await opened(subject, first);
    for (const ask of ways) {
      const asked: Loose = structuredClone(request(read('/srv/a')));
      const answer = ask(engine, asked);
      asked.agent = 'root';
      asked.actions[0].filesystem.path = '/srv/keys/a';
      expect(await answer).toMatchObject({ agent: 'builder', actions: [read('/srv/a')], decision: { effect: 'allow' } });
    }
  }),

  clause('takes the policy as it was when it was installed, whatever its caller does next (POL-16)', async (subject) => {
    const engine = await opened(subject);
    const policy: Loose = structuredClone(first);
    const installed = engine.install(policy);
    policy.rules[0].effect = 'deny';
    policy.rules[1].action.filesystem.path = '/nowhere';
    policy.version = 99;
    await installed;
    for (const ask of ways) {
      expect(await ask(engine, request(read('/srv/a')))).toMatchObject({ decision: { effect: 'allow', rule: 'a' }, ...naming(first, subject.hasDigest) });
      expect(await ask(engine, request(read('/srv/keys/a')))).toMatchObject({ decision: { effect: 'deny', rule: 'b' } });
    }
  }),

  clause('judges an object before it installs it (POL-1, POL-15)', async (subject) => {
    const engine = await opened(subject);
    expect(await codeOf(() => engine.install({ version: 1 } as Loose))).toBe('missing-key');
    expect(await codeOf(() => engine.install({ version: 1, rules: [], mode: 'open' } as Loose))).toBe('unknown-key');
    expect(await codeOf(() => engine.install({ version: 0, rules: [] }))).toBe('bad-value');
    expect(await codeOf(() => engine.install({ version: 2 ** 53, rules: [] }))).toBe('bad-integer');
    expect(await codeOf(() => engine.install(Object.defineProperty({ version: 1 }, 'rules', { get: () => [], enumerable: true }) as Loose))).toBe(
      'not-plain-data',
    );
  }),

  clause('keeps two engines apart', async (subject) => {
    const one = await opened(subject, first);
    const other = await subject.open('engine-b');
    await other.install({ version: 1, rules: [ruleOf({ name: 'other', action: tool('*', '*') })] });
    expect((await one.evaluate(request(call()))).decision).toEqual({ effect: 'deny', action: 0, reason: 'no-rule' });
    expect((await other.evaluate(request(call()))).decision).toEqual({ effect: 'allow', rule: 'other', action: 0 });
  }),
];

/** Runs every clause over an engine, one test each. */
export function engineContract(name: string, subject: Subject): void {
  describe(`the contract of engines: ${name}`, () => {
    for (const { title, check } of clauses) it(title, async () => check(subject));
  });
}
