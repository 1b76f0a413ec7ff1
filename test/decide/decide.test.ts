import { describe, expect, it } from 'vitest';
import { decide, decideTraced } from '../../src/decide/decide.js';
import { policyDigest } from '../../src/digest/digest.js';
import type { Action, ActionPattern, AgentMatcher, Decision, Effect, Policy, Request } from '../../src/policy/model.js';
import { copyPolicy } from '../../src/policy/copy.js';
import { argv, call, codeOf, connect, filesystem, network, policyOf, read, refusal, ruleOf, rulesOf, run, tool, type Loose } from '../policy/kit.js';

const ask = (...actions: Action[]): Request => ({ agent: 'builder', actions });
const decided = (policy: Policy | undefined, ...actions: Action[]): Decision => decide(policy, ask(...actions));
/** Whether one allow rule with this pattern lets this action pass. */
const allows = (action: ActionPattern, request: Action, agents: AgentMatcher = 'any'): boolean =>
  decided(policyOf(ruleOf({ action, agents })), request).effect === 'allow';
/** Whether one deny rule with this pattern, before an allow of everything else, stops this action. */
const denies = (action: ActionPattern, request: Action): boolean => decided(policyOf(ruleOf({ effect: 'deny', action })), request).rule === 'r';

describe('without a policy (DEC-5)', () => {
  it('everything is denied, for the reason that there is none, without an index and a rule', () => {
    expect(decided(undefined, read())).toEqual({ effect: 'deny', reason: 'no-policy' });
    expect(Object.keys(decided(undefined, read(), call()))).toEqual(['effect', 'reason']);
  });

  it('a request is still made canonical first, so that no bad request gets a decision (DEC-3)', () => {
    expect(refusal(() => decided(undefined, read('../etc/shadow')))).toEqual({ code: 'path-relative', pointer: '/actions/0/filesystem/path' });
    expect(codeOf(() => decide(undefined, { agent: '', actions: [read()] }))).toBe('empty-text');
    expect(codeOf(() => decideTraced(undefined, ask()))).toBe('empty-list');
  });
});

describe('the scan (DEC-6)', () => {
  const where = (...effects: Effect[]): Policy => policyOf(...rulesOf(...effects.map((effect) => [effect, filesystem()] as const)));

  it('is denied by no rule where none matches', () => {
    expect(decided(where('allow'), call())).toEqual({ effect: 'deny', action: 0, reason: 'no-rule' });
    expect(decided(policyOf(), read())).toEqual({ effect: 'deny', action: 0, reason: 'no-rule' });
  });

  it.each<[Effect[], Decision]>([
    [['allow'], { effect: 'allow', rule: 'a', action: 0 }],
    [['ask'], { effect: 'ask', rule: 'a', action: 0 }],
    [['deny'], { effect: 'deny', rule: 'a', action: 0 }],
    [['allow', 'allow'], { effect: 'allow', rule: 'a', action: 0 }],
    [['deny', 'deny'], { effect: 'deny', rule: 'a', action: 0 }],
    [['ask', 'ask'], { effect: 'ask', rule: 'a', action: 0 }],
    [['allow', 'deny'], { effect: 'deny', rule: 'b', action: 0 }],
    [['deny', 'allow'], { effect: 'deny', rule: 'a', action: 0 }],
    [['allow', 'ask'], { effect: 'ask', rule: 'b', action: 0 }],
    [['ask', 'allow'], { effect: 'ask', rule: 'a', action: 0 }],
    [['ask', 'deny'], { effect: 'deny', rule: 'b', action: 0 }],
    [['allow', 'ask', 'deny'], { effect: 'deny', rule: 'c', action: 0 }],
    [['allow', 'ask', 'deny', 'deny'], { effect: 'deny', rule: 'c', action: 0 }],
  ])('%j: a deny wins wherever it stands, then an ask, and the first of an effect decides', (effects, decision) => {
    expect(decided(where(...effects), read())).toEqual(decision);
  });

  it('is not stopped by a deny rule that does not match', () => {
    const policy = policyOf(...rulesOf(['deny', filesystem('/etc/**')], ['ask', argv('**')], ['allow', filesystem('/srv/**')]));
    expect(decided(policy, read('/srv/a'))).toEqual({ effect: 'allow', rule: 'c', action: 0 });
  });

  it('finds the first of an effect whatever its pattern begins with, literal or open', () => {
    const orders: [ActionPattern, ActionPattern][] = [
      [filesystem('/srv/a'), filesystem('/**')],
      [filesystem('/*/a'), filesystem('/srv/*')],
      [filesystem('/**'), filesystem('/')],
      [filesystem('/srv'), filesystem('/srv/**')],
    ];
    for (const [one, other] of orders) {
      for (const pair of [
        [one, other],
        [other, one],
      ]) {
        const policy = policyOf(...rulesOf(...pair.map((pattern) => ['deny', pattern] as const)));
        const covered = pair.findIndex((pattern) => denies(pattern, read('/srv/a')));
        expect(decided(policy, read('/srv/a')).rule).toBe('ab'[covered]);
      }
    }
  });
});

describe('the most restrictive action (DEC-7)', () => {
  const policy = policyOf(
    ...rulesOf(['allow', filesystem('/srv/**')], ['ask', argv('**')], ['deny', tool('*', 'drop')], ['deny', tool('*', 'wipe')], ['ask', tool('*', 'move')]),
  );
  const allowed = read('/srv/a');
  const asked = run('git');
  const denied = call('db', 'drop');
  const unruled = read('/etc/shadow');

  it.each<[string, Action[], Decision]>([
    ['allow where all are allowed, of the first', [allowed, allowed], { effect: 'allow', rule: 'a', action: 0 }],
    ['ask where one asks', [allowed, asked], { effect: 'ask', rule: 'b', action: 1 }],
    ['ask where the first asks', [asked, allowed], { effect: 'ask', rule: 'b', action: 0 }],
    ['that of the first that asks', [allowed, call('fs', 'move'), asked], { effect: 'ask', rule: 'e', action: 1 }],
    ['deny where one is denied by a rule', [allowed, asked, denied], { effect: 'deny', rule: 'c', action: 2 }],
    ['deny where the first is denied', [denied, asked, allowed], { effect: 'deny', rule: 'c', action: 0 }],
    ['deny where no rule speaks of one', [allowed, unruled], { effect: 'deny', action: 1, reason: 'no-rule' }],
    ['that of the first denied, by no rule before one by a rule', [asked, unruled, denied], { effect: 'deny', action: 1, reason: 'no-rule' }],
    ['that of the first denied, by a rule before one by no rule', [denied, unruled], { effect: 'deny', rule: 'c', action: 0 }],
    ['that of the first of two denies by rules', [call('db', 'wipe'), denied], { effect: 'deny', rule: 'd', action: 0 }],
  ])('is %s', (_, actions, decision) => {
    expect(decided(policy, ...actions)).toEqual(decision);
  });

  it('of a move is that of its two ends: what may be written may still not be deleted', () => {
    const move = policyOf(ruleOf({ action: filesystem('/srv/**', ['write']) }));
    const actions: Action[] = [{ filesystem: { path: '/srv/a', method: 'delete' } }, { filesystem: { path: '/srv/b', method: 'write' } }];
    expect(decided(move, ...actions)).toEqual({ effect: 'deny', action: 0, reason: 'no-rule' });
  });
});

describe('agents (DEC-8)', () => {
  const agent = (id: string, agents: AgentMatcher): string | undefined =>
    decide(policyOf(ruleOf({ agents, action: tool('*', '*') })), { agent: id, actions: [call()] }).rule;

  it('any covers every agent, and one called "any" is not any', () => {
    expect(agent('whoever', 'any')).toBe('r');
    expect(agent('whoever', { one_of: ['any'] })).toBeUndefined();
  });

  it('a list covers its ids and nothing else', () => {
    expect(agent('a', { one_of: ['a', 'b'] })).toBe('r');
    expect(agent('b', { one_of: ['a', 'b'] })).toBe('r');
    expect(agent('ab', { one_of: ['a', 'b'] })).toBeUndefined();
  });

  it.each(['Builder', 'builder ', ' builder', 'builde', 'builder2', 'build\u00e9r', 'b*'])('compares byte for byte: %j is not builder', (id) => {
    expect(agent(id, { one_of: ['builder'] })).toBeUndefined();
  });

  it('is no pattern: a star is a star', () => {
    expect(agent('anyone', { one_of: ['*'] })).toBeUndefined();
    expect(agent('*', { one_of: ['*'] })).toBe('r');
  });

  it('does not normalise: é in one code point is not é in two', () => {
    expect(agent('e\u0301', { one_of: ['\u00e9'] })).toBeUndefined();
  });
});

describe('methods (DEC-9)', () => {
  const file = (method: 'read' | 'write' | 'delete' | 'execute'): Action => ({ filesystem: { path: '/srv/a', method } });

  it('any covers every method of a file, a list those in it', () => {
    for (const method of ['read', 'write', 'delete', 'execute'] as const) {
      expect(allows(filesystem('/srv/**', 'any'), file(method))).toBe(true);
      expect(allows(filesystem('/srv/**', ['read', 'execute']), file(method))).toBe(method === 'read' || method === 'execute');
    }
  });

  it('covers an HTTP method that is in the list, exactly', () => {
    expect(allows(network({ methods: ['GET', 'HEAD'] }), connect('example.com', 443, 'HEAD'))).toBe(true);
    expect(allows(network({ methods: ['GET'] }), connect('example.com', 443, 'GETX'))).toBe(false);
    expect(allows(network({ methods: ['GET'] }), connect('example.com', 443, 'POST'))).toBe(false);
    expect(allows(network(), connect('example.com', 443, 'POST'))).toBe(true);
  });

  it('a network action without a method is covered by "any" alone where a rule allows or asks', () => {
    expect(allows(network(), connect())).toBe(true);
    expect(allows(network({ methods: ['GET'] }), connect())).toBe(false);
    expect(decided(policyOf(ruleOf({ effect: 'ask', action: network({ methods: ['GET'] }) })), connect())).toEqual({
      effect: 'deny',
      action: 0,
      reason: 'no-rule',
    });
    expect(decided(policyOf(ruleOf({ effect: 'ask', action: network() })), connect())).toEqual({ effect: 'ask', rule: 'r', action: 0 });
  });

  it('a network action without a method is covered by every deny, because what is not known must not slip past one', () => {
    expect(denies(network({ methods: ['DELETE'] }), connect())).toBe(true);
    expect(denies(network({ methods: ['DELETE'] }), connect('example.com', 443, 'GET'))).toBe(false);
    const policy = policyOf(...rulesOf(['allow', network()], ['deny', network({ methods: ['DELETE'] })]));
    expect(decided(policy, connect())).toEqual({ effect: 'deny', rule: 'b', action: 0 });
    expect(decided(policy, connect('example.com', 443, 'GET'))).toEqual({ effect: 'allow', rule: 'a', action: 0 });
  });
});

describe('ports (DEC-10)', () => {
  const covers = (from: number, to: number, port: number): boolean => allows(network({ ports: { from, to } }), connect('example.com', port));

  it('covers from the first to the last, both included', () => {
    expect([79, 80, 81, 443, 444].map((port) => covers(80, 443, port))).toEqual([false, true, true, true, false]);
    expect([442, 443, 444].map((port) => covers(443, 443, port))).toEqual([false, true, false]);
    expect([1, 65_535].map((port) => covers(0, 65_535, port))).toEqual([true, true]);
  });

  it('a reversed range covers nothing, neither for an allow nor for a deny (POL-9)', () => {
    expect([80, 100, 443].map((port) => covers(443, 80, port))).toEqual([false, false, false]);
    expect(denies(network({ ports: { from: 443, to: 80 } }), connect('example.com', 100))).toBe(false);
    expect(policyDigest(policyOf(ruleOf({ action: network({ ports: { from: 443, to: 80 } }) })))).toMatch(/^sha256:/);
  });

  it('any covers every port', () => {
    expect([1, 443, 65_535].map((port) => allows(network(), connect('example.com', port)))).toEqual([true, true, true]);
  });
});

describe('kinds', () => {
  const kinds: readonly [string, ActionPattern, Action][] = [
    ['filesystem', filesystem('/**'), read()],
    ['network', network({ host: '**' }), connect()],
    ['process', argv('**'), run('ls')],
    ['tool', tool('*', '*'), call()],
  ];

  it('a rule speaks of its own kind alone: the widest pattern of one allows nothing of another', () => {
    for (const [kind, pattern] of kinds) {
      for (const [other, , action] of kinds) expect({ kind, other, allowed: allows(pattern, action) }).toEqual({ kind, other, allowed: kind === other });
    }
  });

  it("a tool's server and name are two fields, never one joined text", () => {
    expect(allows(tool('ab', 'c'), call('ab', 'c'))).toBe(true);
    expect(allows(tool('ab', 'c'), call('a', 'bc'))).toBe(false);
    expect(allows(tool('a*', 'c'), call('a', 'bc'))).toBe(false);
  });

  it('a request is asked in its canonical form, whichever way it was spelled', () => {
    expect(denies(network({ host: '127.0.0.1' }), connect('0x7f.1'))).toBe(true);
    expect(denies(network({ host: '10.0.0.0/8' }), connect('[::ffff:10.1.2.3]'))).toBe(true);
    expect(denies(filesystem('/etc/shadow'), read('/etc/./shadow/'))).toBe(true);
    expect(denies(network({ host: 'example.com' }), connect('EXAMPLE.COM.'))).toBe(true);
  });
});

describe('the trace (DEC-11)', () => {
  const policy = policyOf(
    ruleOf({ name: 'who', agents: { one_of: ['other'] }, action: filesystem('/**') }),
    ruleOf({ name: 'kind', action: argv('**') }),
    ruleOf({ name: 'path', effect: 'deny', action: filesystem('/etc/**', ['write']) }),
    ruleOf({ name: 'methods', action: filesystem('/srv/**', ['write']) }),
    ruleOf({ name: 'match', effect: 'ask', action: filesystem('/srv/**') }),
    ruleOf({ name: 'later', action: filesystem('/**') }),
  );

  it('says for each rule, in the order of the policy, whether it matched or the first part that did not', () => {
    expect(decideTraced(policy, ask(read('/srv/a'))).trace).toEqual([
      {
        action: 0,
        rules: [
          { rule: 'who', effect: 'allow', matched: false, failed: 'agents' },
          { rule: 'kind', effect: 'allow', matched: false, failed: 'kind' },
          { rule: 'path', effect: 'deny', matched: false, failed: 'path' },
          { rule: 'methods', effect: 'allow', matched: false, failed: 'methods' },
          { rule: 'match', effect: 'ask', matched: true },
          { rule: 'later', effect: 'allow', matched: true },
        ],
      },
    ]);
  });

  it.each<[string, ActionPattern, AgentMatcher, Action, string]>([
    ['agents before the kind', argv('x'), { one_of: ['other'] }, read(), 'agents'],
    ['the kind before its fields', filesystem('/etc', ['write']), 'any', call(), 'kind'],
    ['path before methods', filesystem('/etc', ['write']), 'any', read(), 'path'],
    ['methods of a file', filesystem('/srv/a', ['write']), 'any', read(), 'methods'],
    ['host before ports and methods', network({ host: 'a', ports: { from: 1, to: 2 }, methods: ['PUT'] }), 'any', connect('b', 3, 'GET'), 'host'],
    ['ports before methods', network({ host: 'a', ports: { from: 1, to: 2 }, methods: ['PUT'] }), 'any', connect('a', 3, 'GET'), 'ports'],
    ['methods of a connection', network({ host: 'a', ports: { from: 1, to: 3 }, methods: ['PUT'] }), 'any', connect('a', 3, 'GET'), 'methods'],
    ['no method where methods are named', network({ host: 'a', methods: ['PUT'] }), 'any', connect('a', 3), 'methods'],
    ['argv', argv('git', '**'), 'any', run('ls'), 'argv'],
    ['server before name', tool('a', 'b'), 'any', call('x', 'y'), 'server'],
    ['name', tool('a', 'b'), 'any', call('a', 'y'), 'name'],
  ])('names the first part in the order of the digest: %s', (_, action, agents, request, failed) => {
    expect(decideTraced(policyOf(ruleOf({ action, agents })), ask(request)).trace).toEqual([
      { action: 0, rules: [{ rule: 'r', effect: 'allow', matched: false, failed }] },
    ]);
  });

  it('covers every action, also those behind the one that decided', () => {
    const { decision, trace } = decideTraced(policy, ask(call(), read('/srv/a'), run('ls')));
    expect(decision).toEqual({ effect: 'deny', action: 0, reason: 'no-rule' });
    expect(trace.map(({ action, rules }) => [action, rules.length])).toEqual([
      [0, 6],
      [1, 6],
      [2, 6],
    ]);
  });

  it('has a line for each action and no rules where there is no policy', () => {
    expect(decideTraced(undefined, ask(read(), call()))).toEqual({
      decision: { effect: 'deny', reason: 'no-policy' },
      trace: [
        { action: 0, rules: [] },
        { action: 1, rules: [] },
      ],
    });
  });

  it('goes with the decision of decide', () => {
    for (const actions of [[read('/srv/a')], [read('/etc/a')], [call()], [run('a'), read('/srv/a')], [read('/srv/a'), call()]]) {
      expect(decideTraced(policy, ask(...actions)).decision).toEqual(decide(policy, ask(...actions)));
    }
  });

  it('is deep frozen', () => {
    const traced = decideTraced(policy, ask(read()));
    expect(Object.isFrozen(traced.decision)).toBe(true);
    expect([traced.trace, ...traced.trace, ...traced.trace.flatMap(({ rules }) => [rules, ...rules])].filter((object) => !Object.isFrozen(object))).toEqual([]);
  });
});

describe('decide as a function', () => {
  it('gives a frozen decision', () => {
    const policy = policyOf(ruleOf());
    for (const decision of [decided(undefined, read()), decided(policy, read()), decided(policy, call())]) expect(Object.isFrozen(decision)).toBe(true);
  });

  it('judges an object that did not come through the door, and refuses one that is no policy', () => {
    expect(decided(structuredClone(policyOf(ruleOf())), read())).toEqual({ effect: 'allow', rule: 'r', action: 0 });
    expect(codeOf(() => decided({ version: 1, rules: [{ ...ruleOf(), effect: 'Allow' }] } as Loose, read()))).toBe('bad-value');
    expect(codeOf(() => decided(null as Loose, read()))).toBe('wrong-type');
    expect(codeOf(() => decided({ version: 1 } as Loose, read()))).toBe('missing-key');
  });

  it('follows an object that changes between two calls, because only an installed copy is held', () => {
    const policy = structuredClone(policyOf(ruleOf())) as Loose;
    expect(decided(policy, read()).effect).toBe('allow');
    policy.rules[0].effect = 'deny';
    expect(decided(policy, read()).effect).toBe('deny');
  });

  it('gives the same answer again and again', () => {
    const policy = copyPolicy(policyOf(...rulesOf(['ask', filesystem()], ['allow', filesystem('/**')])));
    const first = decided(policy, read());
    for (let i = 0; i < 3; i++) expect(decided(policy, read())).toEqual(first);
  });
});
