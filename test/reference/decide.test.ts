import { describe, expect, it } from 'vitest';
import { type Action, canonicalRequest, decide, type Effect, type Policy, type Rule, trace } from './decide.js';

const rule = (name: string, effect: Effect, action: Rule['action'], agents: Rule['agents'] = 'any'): Rule => ({ name, effect, agents, action });
const anyFile = { filesystem: { path: '/**', methods: 'any' } } as const;
const policy = (...rules: Rule[]): Policy => ({ version: 1, rules });
const read: Action = { filesystem: { path: '/a', method: 'read' } };
const ask = (p: Policy | undefined, ...actions: Action[]) => decide(p, { agent: 'x', actions });
const net = (change: object) => ({ agent: 'x', actions: [{ network: { host: 'a', port: 1, ...change } }] });
const codeOf = (value: unknown) => {
  const answer = canonicalRequest(value);
  return 'code' in answer ? answer.code : 'ok';
};

describe('reference: canonical request', () => {
  it('spells paths and hosts canonically (DEC-3)', () => {
    expect(
      canonicalRequest({ agent: 'x', actions: [{ filesystem: { path: '/a/./b/', method: 'read' } }, { network: { host: '0x7f.1', port: 443 } }] }),
    ).toEqual({
      ok: { agent: 'x', actions: [{ filesystem: { path: '/a/b', method: 'read' } }, { network: { host: '127.0.0.1', port: 443 } }] },
    });
  });

  it.each<[string, unknown, string]>([
    ['text', 'x', 'wrong-type'],
    ['no agent', { actions: [read] }, 'missing-key'],
    ['a field too many', { agent: 'x', actions: [read], extra: 1 }, 'unknown-key'],
    ['no action', { agent: 'x', actions: [] }, 'empty-list'],
    ['65 actions', { agent: 'x', actions: Array.from({ length: 65 }, () => read) }, 'limit'],
    ['two kinds', { agent: 'x', actions: [{ ...read, tool: { server: 's', name: 'n' } }] }, 'exactly-one'],
    ['an empty agent (DEC-2)', { agent: '', actions: [read] }, 'empty-text'],
    ['a port as text (DEC-2)', net({ port: '1' }), 'wrong-type'],
    ['a fraction as port (DEC-2)', net({ port: 1.5 }), 'bad-integer'],
    ['port 0 (DEC-2)', net({ port: 0 }), 'bad-value'],
    ['a lower-case method (DEC-2)', net({ method: 'get' }), 'bad-value'],
    ['an empty argv (DEC-2)', { agent: 'x', actions: [{ process: { argv: [] } }] }, 'empty-list'],
    ['NUL in argv (DEC-2)', { agent: 'x', actions: [{ process: { argv: ['\0'] } }] }, 'nul-character'],
    ['257 items of argv (DEC-4)', { agent: 'x', actions: [{ process: { argv: Array.from({ length: 257 }, () => '') } }] }, 'limit'],
    ['a long path (DEC-4)', { agent: 'x', actions: [{ filesystem: { path: `/${'a'.repeat(65_536)}`, method: 'read' } }] }, 'limit'],
    ['long strings together (DEC-4)', { agent: 'x', actions: [{ process: { argv: Array.from({ length: 9 }, () => 'a'.repeat(60_000)) } }] }, 'limit'],
    ['the first of two problems', { agent: 'x', actions: [{ filesystem: { path: 'a', method: 'read' } }, { process: { argv: [] } }] }, 'path-relative'],
  ])('refuses %s', (_, value, code) => {
    expect(codeOf(value)).toBe(code);
  });
});

describe('reference: decide', () => {
  it('denies without a policy, and without a rule (DEC-5, DEC-6)', () => {
    expect(ask(undefined, read)).toEqual({ effect: 'deny', reason: 'no-policy' });
    expect(ask(policy(), read)).toEqual({ effect: 'deny', reason: 'no-rule', action: 0 });
  });

  it('lets a deny win wherever it stands, then ask, then the first allow (DEC-6)', () => {
    const allow = rule('a', 'allow', anyFile);
    const other = rule('b', 'allow', anyFile);
    const question = rule('q', 'ask', anyFile);
    const deny = rule('d', 'deny', anyFile);
    expect(ask(policy(allow, other), read)).toEqual({ effect: 'allow', rule: 'a', action: 0 });
    expect(ask(policy(allow, question), read)).toEqual({ effect: 'ask', rule: 'q', action: 0 });
    expect(ask(policy(allow, question, deny), read)).toEqual({ effect: 'deny', rule: 'd', action: 0 });
  });

  it('takes the most restrictive action, the first of those (DEC-7)', () => {
    const p = policy(
      rule('r', 'allow', { filesystem: { path: '/**', methods: ['read'] } }),
      rule('w', 'ask', { filesystem: { path: '/**', methods: ['write'] } }),
    );
    const write: Action = { filesystem: { path: '/b', method: 'write' } };
    expect(ask(p, read, write, write)).toEqual({ effect: 'ask', rule: 'w', action: 1 });
    expect(ask(p, write, { filesystem: { path: '/b', method: 'delete' } })).toEqual({ effect: 'deny', reason: 'no-rule', action: 1 });
  });

  it('covers a network action without a method by any, and by every deny (DEC-9)', () => {
    const action: Action = { network: { host: 'a', port: 1 } };
    const pattern = { network: { host: '**', ports: 'any', methods: ['GET'] } } as const;
    expect(ask(policy(rule('r', 'allow', pattern)), action).reason).toBe('no-rule');
    expect(ask(policy(rule('r', 'deny', pattern)), action).rule).toBe('r');
    expect(ask(policy(rule('r', 'ask', { network: { ...pattern.network, methods: 'any' } })), action).rule).toBe('r');
  });

  it('compares agents exactly and matches no port with a reversed range (DEC-8, DEC-10)', () => {
    expect(ask(policy(rule('r', 'allow', anyFile, { one_of: ['X', 'xx'] })), read).reason).toBe('no-rule');
    const range = (from: number, to: number) => policy(rule('r', 'allow', { network: { host: '**', ports: { from, to }, methods: 'any' } }));
    expect(ask(range(80, 80), { network: { host: 'a', port: 80 } }).rule).toBe('r');
    expect(ask(range(81, 79), { network: { host: 'a', port: 80 } }).reason).toBe('no-rule');
  });

  it('traces the first part that did not match (DEC-11)', () => {
    const p = policy(
      rule('a', 'allow', anyFile, { one_of: ['y'] }),
      rule('k', 'deny', { process: { argv: ['**'] } }),
      rule('p', 'deny', { filesystem: { path: '/b', methods: ['write'] } }),
      rule('m', 'deny', { filesystem: { path: '/a', methods: ['write'] } }),
      rule('y', 'allow', anyFile),
    );
    expect(trace(p, { agent: 'x', actions: [read] })[0]?.rules.map(({ failed }) => failed)).toEqual(['agents', 'kind', 'path', 'methods', undefined]);
  });
});
