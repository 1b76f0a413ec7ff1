/** Policies made to cost: the linter ends in time, and where it gives up it says so (LNT-4). */
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/decide/decide.js';
import { lintPolicy } from '../../src/lint/lint.js';
import { Reach } from '../../src/lint/reach.js';
import { copyPolicy } from '../../src/policy/copy.js';
import type { ActionPattern, Effect } from '../../src/policy/model.js';
import { cpuMilliseconds } from './clock.js';

const file = (path: string): ActionPattern => ({ filesystem: { path, methods: 'any' } });
const argv = (...items: readonly string[]): ActionPattern => ({ process: { argv: items } });
const policyOf = (...rules: readonly (readonly [Effect, ActionPattern])[]) =>
  copyPolicy({ version: 1, rules: rules.map(([effect, action], i) => ({ name: `r${i}`, effect, agents: 'any', action })) });
const count = <T>(n: number, make: (i: number) => T): readonly T[] => Array.from({ length: n }, (_, i) => make(i));
const budgets = { positions: 2_000_000, positionsEach: 0 };

describe('the search for dead rules', () => {
  it.each([
    ['stars in one segment', policyOf(...count(40, (i) => ['allow', file(`/${'*a?'.repeat(300)}${i}`)] as const))],
    [
      'a letter at many distances from the end',
      policyOf(...count(30, (i) => ['deny', file(`/*${'ab'[i % 2]}${'?'.repeat(i)}`)] as const), ['allow', file('/*a*')]),
    ],
    ['double stars in turn', policyOf(...count(100, (i) => ['deny', file(`/**/a${i % 9}*/**/*${i}b/**`)] as const), ['allow', file('/**/a*/**')])],
    ['double stars without end', policyOf(['deny', file('/**'.repeat(1_300))], ['allow', file(`${'/**/a'.repeat(700)}/b`)])],
    ['arguments of every length', policyOf(...count(255, (i) => ['deny', argv(...count(i + 1, () => '*'))] as const), ['allow', argv('**')])],
  ])('ends in time for %s, and every answer that it gives holds (LNT-4)', (_, policy) => {
    const start = cpuMilliseconds();
    for (const probes of [0, 4]) {
      const reach = new Reach(policy, { ...budgets, probes });
      policy.rules.forEach(({ name }, position) => {
        const verdict = reach.of(position);
        if (verdict.state === 'alive') expect(decide(policy, verdict.witness).rule).toBe(name);
      });
    }
    expect(cpuMilliseconds() - start).toBeLessThan(15_000);
  });

  it('says undecided, and neither dead nor alive, where the answer needs more states than there are (LNT-4)', () => {
    // letters at every distance from the end: made deterministic, the automaton has millions of states
    const halves = count(22, (i) => [`/*a${'?'.repeat(i)}`, `/*b${'?'.repeat(i)}c`] as const).flat();
    const policy = policyOf(...halves.map((path) => ['deny', file(path)] as const), ['allow', file(`/*a${'?'.repeat(23)}*b${'?'.repeat(22)}d`)]);
    const states = new Set(policy.rules.map((_, position) => new Reach(policy, { states: 100, probes: 0 }).of(position).state));
    expect(states).toContain('undecided');
    expect(states).not.toContain('dead');
  });

  it('says undecided where all that the rule covers is over a limit of requests (LNT-4)', () => {
    // 130 arguments of 4,096 characters at least are more than a request may hold
    const policy = policyOf(['allow', argv(...count(130, () => '?'.repeat(4_096)))]);
    expect(new Reach(policy).of(0)).toEqual({ state: 'undecided' });
    expect(new Reach(policy, { states: 1_000_000, positions: 1_000_000_000 }).of(0)).toEqual({ state: 'undecided' });
  });

  it('takes rules with thousands of agents', () => {
    const agents = (i: number) => ({ one_of: count(2_000, (k) => `agent-${(i * 37 + k) % 5_000}`) });
    const rules = count(40, (i) => ({ name: `r${i}`, effect: 'allow', agents: agents(i), action: file('/srv/a') }));
    const start = cpuMilliseconds();
    const reach = new Reach(copyPolicy({ version: 1, rules }));
    expect(new Set(rules.map((_, position) => reach.of(position).state))).toEqual(new Set(['alive']));
    expect(cpuMilliseconds() - start).toBeLessThan(15_000);
  });
});

describe('the rules of the linter', () => {
  it('do not stumble over names of inherited properties and odd letters', () => {
    const odd = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '\u{1F600}', '\u200b', 'é', 'e\u0301', 'any', 'null'];
    const rules = odd.map((name) => ({ name, effect: 'allow', agents: { one_of: odd }, action: { tool: { server: name, name } } }));
    expect(() => lintPolicy(JSON.stringify({ version: 1, rules }), { format: 'json', path: 'p.json' })).not.toThrow();
  });

  it('take the longest names and patterns that a policy may hold', () => {
    const long = 'ä'.repeat(2_048);
    const rules = [
      { name: long, effect: 'allow', agents: { one_of: [long] }, action: { tool: { server: '*', name: long } } },
      { name: 'x', effect: 'allow', agents: { one_of: [long] }, action: { filesystem: { path: `/**/${'b'.repeat(4_000)}`, methods: 'any' } } },
    ];
    const found = lintPolicy(JSON.stringify({ version: 1, rules }), { format: 'json', path: 'p.json' });
    expect(found.map(({ rule_id: rule }) => rule)).toContain('policy.tool-wildcard');
  });
});
