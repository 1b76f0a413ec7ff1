import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRule, firstUncovered, subjectOf } from '../../src/decide/covers.js';
import { RuleIndex } from '../../src/decide/rule-index.js';
import { canonicalRequest } from '../../src/policy/request.js';
import { effects, type Action, type ActionPattern, type Rule } from '../../src/policy/model.js';
import { argv, call, connect, filesystem, network, read, ruleOf, rulesOf, run, tool } from '../policy/kit.js';

/** The plain scan that the index stands for. */
function scan(rules: readonly Rule[], agent: string, action: Action): Record<string, number> {
  const subject = subjectOf(action);
  return Object.fromEntries(
    effects.map((effect) => [effect, rules.findIndex((rule) => rule.effect === effect && firstUncovered(compileRule(rule), agent, subject) === undefined)]),
  );
}
function indexed(rules: readonly Rule[], agent: string, action: Action): Record<string, number> {
  const compiled = rules.map(compileRule);
  return Object.fromEntries(effects.map((effect) => [effect, new RuleIndex(compiled, effect).first(agent, subjectOf(action))]));
}

const paths = ['/', '/a', '/a/b', '/a/b/c', '/b', '/b/a', '/ab'];
const hosts = ['a', 'b.a', 'c.b.a', 'ba', 'a.b', '10.0.0.1', '10.1.2.3', '::1', 'a.10.b'];
const patterns: readonly ActionPattern[] = [
  ...['/', '/a', '/a/b', '/**', '/*', '/a/**', '/a/*', '/**/b', '/a/**/c', '/\\*', '/a*', '/?'].map((path) => filesystem(path)),
  ...['a', 'b.a', '*.a', '*.b.a', '**', '10.0.0.1', '10.0.0.0/8', '::1', '::/0'].map((host) => network({ host })),
  ...[['git'], ['git', '**'], ['**'], ['*'], ['g*', '**'], ['git', 'push'], ['']].map((items) => argv(...items)),
  ...['fs', '*', 'f*', '\\*'].flatMap((server) => ['read', '*', 'r*'].map((name) => tool(server, name))),
];
const actions: readonly Action[] = [
  ...paths.map((path) => read(path)),
  ...hosts.map((host) => connect(host)),
  ...[['git'], ['git', 'push'], ['ls'], ['']].map((items) => run(...items)),
  ...['fs', 'f', '*'].flatMap((server) => ['read', 'rm'].map((name) => call(server, name))),
].map((action) => canonicalRequest({ agent: 'a', actions: [action] }).actions[0] as Action);

describe('RuleIndex: only a filter in front of the scan (DEC-6)', () => {
  it.each(patterns.map((pattern) => [JSON.stringify(pattern), pattern] as const))('finds %s wherever the scan does', (_, pattern) => {
    const rules = [ruleOf({ action: pattern })];
    for (const action of actions) expect({ action, found: indexed(rules, 'a', action) }).toEqual({ action, found: scan(rules, 'a', action) });
  });

  it('finds the first in the policy, in whatever list it stands', () => {
    const meetings: readonly [ActionPattern, ActionPattern, Action][] = [
      [filesystem('/**'), filesystem('/a/b'), read('/a/b')],
      [network({ host: '**' }), network({ host: 'b.a' }), connect('b.a')],
      [network({ host: '*.a' }), network({ host: 'b.a' }), connect('b.a')],
      [argv('*'), argv('git'), run('git')],
      [tool('*', 'read'), tool('fs', 'read'), call('fs', 'read')],
    ];
    for (const [open, closed, action] of meetings) expect(indexed(rulesOf(['allow', open], ['allow', closed]), 'a', action)['allow']).toBe(0);
    const rule = fc.record({
      pattern: fc.constantFrom(...patterns),
      effect: fc.constantFrom(...effects),
      agents: fc.constantFrom('any' as const, { one_of: ['a'] }, { one_of: ['b'] }),
    });
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 12 }), fc.constantFrom(...actions), (all, action) => {
        const rules = all.map(({ pattern, effect, agents }, i) => ruleOf({ name: `r${i}`, effect, agents, action: pattern }));
        expect(indexed(rules, 'a', action)).toEqual(scan(rules, 'a', action));
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the rules of one effect apart from the others', () => {
    const rules = rulesOf(['allow', filesystem('/a')], ['deny', filesystem('/a')], ['ask', filesystem('/a')]);
    expect(indexed(rules, 'a', read('/a'))).toEqual({ deny: 1, ask: 2, allow: 0 });
  });

  it('is not fooled by segments and names that plain objects inherit', () => {
    const rules = rulesOf(['allow', filesystem('/constructor')], ['allow', tool('__proto__', 'toString')], ['allow', network({ host: 'constructor' })]);
    expect(indexed(rules, 'a', read('/constructor'))['allow']).toBe(0);
    expect(indexed(rules, 'a', read('/toString'))['allow']).toBe(-1);
    expect(indexed(rules, 'a', call('__proto__', 'toString'))['allow']).toBe(1);
    expect(indexed(rules, 'a', connect('constructor'))['allow']).toBe(2);
  });
});
