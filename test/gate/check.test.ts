import { describe, expect, it } from 'vitest';
import { argsDigest } from '../../src/digest/args-digest.js';
import { InMemoryPolicyEngine, policyDigest } from '../../src/index.js';
import { createGate } from '../../src/gate/gate.js';
import { openEngine } from '../../src/ledger/engine.js';
import type { Call } from '../../src/mapping/call.js';
import type { PolicyEngine } from '../../src/engine/engine.js';
import { open } from '../ledger/folders.js';
import { slowSigner, turns } from '../ledger/kit.js';
import { errorOf } from '../ledger/memory-disk.js';
import { decisionsIn, disk, gateWith, kindsIn, mapper, mapperWith, policyOf, problemsIn, statementsIn } from './kit.js';

const read: Call = { tool: 'read', args: { path: '/srv/a' } };
const canary = 'canary-7f3a';
const digest = policyDigest(policyOf());

describe('check', () => {
  it('records one decision with the tool action first and all mapped actions behind it, before it returns (GAT-1)', async () => {
    const { gate, store } = await gateWith();
    const verdict = gate.check({ ...read, callId: 'call-1' });
    expect(decisionsIn(store)).toEqual([
      expect.objectContaining({
        agent: 'builder',
        actions: [{ tool: { name: 'read', server: 'files' } }, { filesystem: { method: 'read', path: '/srv/a' } }],
        decision: { effect: 'allow', rule: 'tools', action: 0 },
        call_id: 'call-1',
        mapping: mapper.digest,
        args_digest: argsDigest({ path: '/srv/a' }),
        policy_version: 1,
        policy_digest: digest,
      }),
    ]);
    expect(verdict).toMatchObject({ effect: 'allow', allowed: true, rule: 'tools', action: 0, policyVersion: 1, policyDigest: digest, receipt: { seq: 2 } });
    expect(Object.isFrozen(verdict)).toBe(true);
    expect(problemsIn(store)).toEqual([]);
  });

  it('judges every action of a call, so that an allowed tool does not open a denied path (GAT-1)', async () => {
    const { gate, store } = await gateWith();
    expect(gate.check({ tool: 'read', args: { path: '/srv/keys/a' } })).toMatchObject({ effect: 'deny', allowed: false, rule: 'no-keys', action: 1 });
    expect(gate.check({ tool: 'read', args: { path: '/etc/shadow' } })).toMatchObject({ effect: 'deny', allowed: false, reason: 'no-rule', action: 1 });
    expect(gate.check({ tool: 'read', server: 'other', args: { path: '/srv/a' } })).toMatchObject({ effect: 'deny', reason: 'no-rule', action: 0 });
    expect(problemsIn(store)).toEqual([]);
  });

  it('digests absent arguments as an empty object, and names the agent of the call where it has one (GAT-3)', async () => {
    const { gate, store } = await gateWith();
    gate.check({ tool: 'list', agent: 'other' });
    expect(decisionsIn(store)[0]).toMatchObject({ agent: 'other', args_digest: argsDigest({}) });
  });

  it('gives a salt to the caller and to the digest, and not to the receipt (GAT-3)', async () => {
    const { gate, store } = await gateWith({ salt: () => 'pepper-1' });
    expect(gate.check(read).argsSalt).toBe('pepper-1');
    expect(decisionsIn(store)[0]?.args_digest).toBe(argsDigest(read.args, 'pepper-1'));
    expect(JSON.stringify(statementsIn(store))).not.toContain('pepper-1');
  });

  it('is a recorded fault where the source of salts fails, because the unsalted digest was not to be made (GAT-3, GAT-8)', async () => {
    for (const salt of [
      () => {
        throw new Error(canary);
      },
      () => 7 as unknown as string,
    ]) {
      const { gate, store } = await gateWith({ salt });
      expect(gate.check(read)).toMatchObject({ effect: 'deny', allowed: false, reason: 'fault', code: 'gate-fault' });
      expect(decisionsIn(store)[0]).not.toHaveProperty('args_digest');
      expect(problemsIn(store)).toEqual([]);
    }
  });

  it('holds no argument in a message (GAT-14)', async () => {
    const { gate } = await gateWith();
    for (const path of [`/srv/keys/${canary}`, `/etc/${canary}`, `/srv/../${canary}`, canary, { [canary]: 1 }]) {
      for (const tool of ['read', 'write']) expect(gate.check({ tool, args: { path } }).message).not.toContain(canary);
    }
  });

  it('leaves off a call id that is no name, because who chooses it must not make a call unrecordable (GAT-7)', async () => {
    const { gate, store } = await gateWith();
    for (const callId of ['', 'a\nb', '\ud800', 'x'.repeat(5_000)]) expect(gate.check({ ...read, callId }).allowed).toBe(true);
    expect(gate.check({ ...read, callId: 'ünï' }).allowed).toBe(true);
    expect(decisionsIn(store).map(({ call_id }) => call_id)).toEqual([undefined, undefined, undefined, undefined, 'ünï']);
    expect(problemsIn(store)).toEqual([]);
  });
});

describe('a call that no rule is asked about', () => {
  const refused = async (call: unknown, reason: string, code: string, actions: readonly unknown[], agent = 'builder'): Promise<void> => {
    const { gate, store } = await gateWith();
    expect(gate.check(call as Call)).toMatchObject({ effect: 'deny', allowed: false, reason, code, receipt: { seq: 2 } });
    expect(decisionsIn(store)).toEqual([
      expect.objectContaining({ agent, actions, decision: { effect: 'deny', reason }, policy_version: 1, policy_digest: digest }),
    ]);
    expect(problemsIn(store)).toEqual([]);
  };
  const tool = [{ tool: { name: 'read', server: 'files' } }];

  it('is a recorded deny, unmapped, where its arguments do not fit the table (GAT-6)', () =>
    refused({ tool: 'read', args: { path: 7 } }, 'unmapped', 'argument-type', tool));
  it('is unmapped where its arguments have no digest (GAT-6)', () => refused({ tool: 'read', args: { n: 2 ** 53 } }, 'unmapped', 'bad-integer', tool));
  it('is unmapped where it has more actions than a request may (GAT-6)', async () => {
    const many = mapperWith({
      map: (call) => [...mapper.map(call), ...Array.from({ length: 64 }, (_, i) => ({ filesystem: { path: `/${i}`, method: 'read' as const } }))],
    });
    const { gate, store } = await gateWith({ map: many });
    expect(gate.check(read)).toMatchObject({ allowed: false, reason: 'unmapped', code: 'limit' });
    expect(problemsIn(store)).toEqual([]);
  });
  it('is not-canonical where it names what has no canonical form (GAT-6)', () =>
    refused({ tool: 'read', args: { path: '/srv/../etc' } }, 'not-canonical', 'path-dot-dot', tool));
  it('is not-canonical without an action where its tool is no name (GAT-6)', () => refused({ tool: 'a\nb' }, 'not-canonical', 'control-character', []));
  it('is recorded under the agent of the gate where its own is no name (GAT-7)', () =>
    refused({ ...read, agent: 'a\nb' }, 'not-canonical', 'control-character', tool));
  it('is unmapped where it is no plain data (GAT-2)', () => refused({ tool: 'read', args: new Map() }, 'unmapped', 'not-plain-data', tool));
  it('is unmapped where it is no call at all (GAT-5)', async () => {
    for (const call of [undefined, null, 7, 'read', []]) {
      const { gate, store } = await gateWith();
      expect(gate.check(call as unknown as Call)).toMatchObject({ effect: 'deny', allowed: false });
      expect(decisionsIn(store)).toHaveLength(1);
      expect(problemsIn(store)).toEqual([]);
    }
  });
  it('cites no policy where none is installed (GAT-6)', async () => {
    const store = disk();
    const gate = createGate({ engine: openEngine({ ledger: await open(store) }), map: mapper, agent: 'builder' });
    expect(gate.check({ tool: 'read', args: { path: 7 } })).toMatchObject({ allowed: false, reason: 'unmapped' });
    expect(gate.check(read)).toMatchObject({ allowed: false, reason: 'no-policy' });
    expect(decisionsIn(store).map((one) => 'policy_version' in one)).toEqual([false, false]);
    expect(problemsIn(store)).toEqual([]);
  });
});

describe('what the agent or the caller tries', () => {
  it('does not run a getter, which could answer differently to the tool (GAT-2)', async () => {
    let runs = 0;
    const args = Object.defineProperty({}, 'path', { enumerable: true, get: () => (runs++ === 0 ? '/srv/a' : '/srv/keys/a') });
    const { gate } = await gateWith();
    expect(gate.check({ tool: 'read', args })).toMatchObject({ allowed: false, reason: 'unmapped', code: 'not-plain-data' });
    const call = Object.defineProperty({ tool: 'read' }, 'args', { get: () => ({ path: '/srv/a' }) }) as unknown as Call;
    expect(gate.check(call)).toMatchObject({ allowed: false, reason: 'unmapped', code: 'not-plain-data' });
    expect(runs).toBe(0);
  });

  it('judges one value of a proxy: what was mapped is what was digested (GAT-2)', async () => {
    let reads = 0;
    const target = { path: '/srv/a' };
    const descriptor = (): PropertyDescriptor => ({ value: reads++ === 0 ? '/srv/a' : '/srv/keys/a', enumerable: true, configurable: true, writable: true });
    const args = new Proxy(target, { getOwnPropertyDescriptor: descriptor, get: () => descriptor().value as string });
    const { gate, store } = await gateWith();
    gate.check({ tool: 'read', args });
    expect(decisionsIn(store)[0]).toMatchObject({ actions: [{}, { filesystem: { path: '/srv/a' } }], args_digest: argsDigest({ path: '/srv/a' }) });
  });

  it('finds no field on a prototype (GAT-2)', async () => {
    const polluted = Object.prototype as Record<string, unknown>;
    try {
      polluted['server'] = 'files';
      polluted['agent'] = 'root';
      const { gate, store } = await gateWith();
      gate.check({ tool: 'read' });
      expect(decisionsIn(store)[0]).toMatchObject({ agent: 'builder' });
    } finally {
      delete polluted['server'];
      delete polluted['agent'];
    }
    const { gate } = await gateWith();
    expect(gate.check({ tool: 'read', args: JSON.parse('{"__proto__":{"path":"/srv/keys/a"}}') })).toMatchObject({ allowed: false, code: 'forbidden-key' });
    expect(gate.check({ tool: 'read', args: Object.create({ path: '/srv/keys/a' }) })).toMatchObject({ allowed: false, code: 'not-plain-data' });
  });
});

describe('faults', () => {
  const throwing = (evaluate: () => never): PolicyEngine => ({ ...remote(), evaluate });
  /** An engine of somebody else, with the decisions of ours. */
  function remote(): PolicyEngine {
    const engine = new InMemoryPolicyEngine({ engineId: 'engine-a', now: () => 1_793_318_400_000 });
    engine.install(policyOf());
    return {
      engineId: 'engine-a',
      install: (policy) => engine.install(policy),
      evaluate: (request) => engine.evaluate(request),
      evaluateTraced: (request) => engine.evaluateTraced(request),
    };
  }
  const boom = (): never => {
    throw new Error(canary);
  };

  it('makes a recorded deny of an engine that throws (GAT-8)', async () => {
    const store = disk();
    const ledger = await open(store);
    openEngine({ ledger, policy: policyOf() });
    const gate = createGate({ engine: throwing(boom), ledger, map: mapper, agent: 'builder' });
    for (const verdict of [gate.check(read), await gate.checkAsync(read)]) {
      expect(verdict).toMatchObject({ effect: 'deny', allowed: false, reason: 'fault', code: 'gate-fault' });
      expect(verdict.message).not.toContain(canary);
    }
    expect(decisionsIn(store).map(({ decision }) => decision)).toEqual([
      { effect: 'deny', reason: 'fault' },
      { effect: 'deny', reason: 'fault' },
    ]);
    expect(problemsIn(store)).toEqual([]);
  });

  it('makes a deny of an engine that throws without a ledger (GAT-8)', () => {
    const verdict = createGate({ engine: throwing(boom), map: mapper, agent: 'builder' }).check(read);
    expect(verdict).toMatchObject({ effect: 'deny', allowed: false, reason: 'fault' });
    expect(verdict).not.toHaveProperty('receipt');
  });

  it.each([
    ['to another request', () => remote().evaluate({ agent: 'builder', actions: [{ tool: { server: 'files', name: 'other' } }] })],
    ['for another agent', () => remote().evaluate({ agent: 'root', actions: [...mapper.map(read)] })],
    ['of another engine', async () => ({ ...(await remote().evaluate({ agent: 'builder', actions: [...mapper.map(read)] })), engineId: 'engine-b' })],
    ['that is no decision', async () => ({ ...(await remote().evaluate({ agent: 'builder', actions: [...mapper.map(read)] })), decision: { effect: 'yes' } })],
    ['of nothing', () => undefined],
  ])('does not take an answer %s (GAT-8)', async (_, answer) => {
    const gate = createGate({ engine: { ...remote(), evaluate: answer as PolicyEngine['evaluate'] }, map: mapper, agent: 'builder' });
    expect(await gate.checkAsync(read)).toMatchObject({ effect: 'deny', allowed: false, reason: 'fault' });
  });

  it('takes the answer of another engine, with its digest absent where it has none (GAT-19)', async () => {
    const { policyDigest: _, ...event } = await remote().evaluate({ agent: 'builder', actions: [...mapper.map(read)] });
    const gate = createGate({ engine: { ...remote(), evaluate: async () => event }, map: mapper, agent: 'builder' });
    const verdict = await gate.checkAsync(read);
    expect(verdict).toMatchObject({ effect: 'allow', allowed: true });
    expect(verdict).not.toHaveProperty('policyDigest');
  });

  it.each([
    ['throws', mapperWith({ map: boom })],
    ['gives no tool action in front, which rules on tools would not see', mapperWith({ map: (call) => mapper.map(call).slice(1) })],
  ])('makes a recorded fault of a mapper that %s (GAT-8)', async (_, map) => {
    const { gate, store } = await gateWith({ map });
    expect(gate.check(read)).toMatchObject({ effect: 'deny', allowed: false, reason: 'fault' });
    expect(problemsIn(store)).toEqual([]);
  });

  it('lets nothing through that the ledger does not take, and says ledger-write (GAT-4)', async () => {
    const { gate, store } = await gateWith();
    store.fault = (act, name) => (act === 'write' && name.startsWith('segment') ? errorOf('EIO') : undefined);
    expect(gate.check(read)).toMatchObject({ effect: 'deny', allowed: false, code: 'ledger-write' });
    store.fault = () => undefined;
    expect(gate.check(read)).toMatchObject({ allowed: false, code: 'ledger-write' }); // a failure is final
    expect(await gate.checkAsync(read)).toMatchObject({ allowed: false, code: 'ledger-write' });
    expect(gate.check({ tool: 'read', args: { path: 7 } })).toMatchObject({ allowed: false, code: 'ledger-write' });
  });

  it('lets nothing through after the ledger was closed (GAT-4)', async () => {
    const { gate, engine } = await gateWith();
    await engine.ledger.close();
    expect(gate.check(read)).toMatchObject({ effect: 'deny', allowed: false, code: 'ledger-closed' });
  });

  it('lets nothing through whose sync fails where it is asked to wait for that (GAT-4)', async () => {
    const { gate, store } = await gateWith();
    store.fault = (act) => (act.startsWith('sync') ? errorOf('EIO') : undefined);
    expect(await gate.checkAsync(read, { durable: true })).toMatchObject({ effect: 'deny', allowed: false, code: 'ledger-write' });
  });
});

describe('what takes its time', () => {
  it('is denied by check where the signer answers later, with the way out (GAT-9)', async () => {
    const { gate, engine } = await gateWith({}, { signer: slowSigner() });
    const verdict = gate.check(read);
    expect(verdict).toMatchObject({ effect: 'deny', allowed: false, code: 'gate-async' });
    expect(verdict.message).toContain('checkAsync');
    await engine.ledger.sync();
  });

  it('is denied by check where the engine answers later, and its rejection ends no process (GAT-9)', async () => {
    const engine: PolicyEngine = {
      engineId: 'e',
      install: () => ({ version: 1 }),
      evaluate: async () => Promise.reject(new Error(canary)),
      evaluateTraced: () => Promise.reject(new Error(canary)),
    };
    expect(createGate({ engine, map: mapper, agent: 'builder' }).check(read)).toMatchObject({ allowed: false, code: 'gate-async' });
    await turns(2);
  });

  it('is waited for by checkAsync: recorded, and durable where that is asked for (GAT-1)', async () => {
    const { gate, store, engine } = await gateWith({}, { signer: slowSigner() });
    const verdicts = await Promise.all(
      Array.from({ length: 20 }, (_, i) => gate.checkAsync({ tool: 'read', args: { path: `/srv/${i}` } }, { durable: i % 2 === 0 })),
    );
    expect(verdicts.every(({ allowed, receipt }) => allowed && receipt !== undefined)).toBe(true);
    expect(engine.ledger.recordedTo).toBe(21);
    expect(decisionsIn(store)).toHaveLength(20);
    expect(problemsIn(store)).toEqual([]);
  });

  it('is a deny where the signer fails (GAT-4)', async () => {
    let calls = 0;
    const { gate } = await gateWith(
      {},
      {
        signer: slowSigner(async () => {
          if (calls++ > 1) throw new Error(canary);
        }),
      },
    );
    const verdict = await gate.checkAsync(read);
    expect(verdict).toMatchObject({ effect: 'deny', allowed: false, code: 'ledger-write' });
    expect(verdict.message).not.toContain(canary);
  });
});

describe('observe', () => {
  it('lets everything through and says what the rules say, with enforced: false on every decision (GAT-13)', async () => {
    const { gate, store } = await gateWith({ mode: 'observe' });
    const verdicts = [
      read,
      { tool: 'read', args: { path: '/etc/shadow' } },
      { tool: 'write', args: { path: '/srv/a' } },
      { tool: 'read', args: { path: 7 } },
    ].map((call) => gate.check(call));
    expect(verdicts.map(({ effect, allowed }) => [effect, allowed])).toEqual([
      ['allow', true],
      ['deny', true],
      ['ask', true],
      ['deny', true],
    ]);
    expect(decisionsIn(store).map(({ enforced }) => enforced)).toEqual([false, false, false, false]);
    expect(problemsIn(store)).toEqual([]);
  });

  it('lets through what it cannot record, with the code, because a gate that only looks on must not stop what it looks at (GAT-13)', async () => {
    const { gate, store } = await gateWith({ mode: 'observe' });
    store.fault = (act) => (act === 'write' ? errorOf('ENOSPC') : undefined);
    expect(gate.check(read)).toMatchObject({ effect: 'deny', allowed: true, code: 'ledger-write' });
    expect(await gate.checkAsync(read)).toMatchObject({ allowed: true, code: 'ledger-write' });
  });

  it('asks nobody (GAT-13)', async () => {
    const { gate, store } = await gateWith({
      mode: 'observe',
      approver: { keys: [], approve: () => Promise.reject(new Error('asked')) },
    });
    expect(await gate.checkAsync({ tool: 'write', args: { path: '/srv/a' } })).toMatchObject({ effect: 'ask', allowed: true });
    expect(kindsIn(store)).toEqual(['genesis', 'install', 'decision']);
  });
});

describe('a host name with a resolver', () => {
  const policy = policyOf(1, [
    { name: 'no-inside', effect: 'deny', agents: 'any', action: { network: { host: '10.0.0.0/8', ports: 'any', methods: 'any' } } },
    { name: 'net', effect: 'allow', agents: 'any', action: { network: { host: '**', ports: 'any', methods: 'any' } } },
  ]);
  const call: Call = { tool: 'fetch', args: { url: 'https://rebind.example/' } };

  it('is judged with all its addresses, so that a name does not slip past a rule on addresses (GAT-16)', async () => {
    const addresses: Readonly<Record<string, readonly string[]>> = {
      'rebind.example': ['192.0.2.1', '10.1.2.3'],
      'good.example': ['192.0.2.1', '2001:db8::1', '192.0.2.1'],
    };
    const { gate, store } = await gateWith({ resolve: async (host) => addresses[host] ?? [] }, {}, policy);
    expect(await gate.checkAsync(call)).toMatchObject({ effect: 'deny', allowed: false, rule: 'no-inside', action: 3 });
    expect(await gate.checkAsync({ tool: 'fetch', args: { url: 'https://good.example/' } })).toMatchObject({ effect: 'allow', allowed: true });
    expect(await gate.checkAsync({ tool: 'fetch', args: { url: 'https://192.0.2.7/' } })).toMatchObject({ effect: 'allow', allowed: true });
    expect(decisionsIn(store)[1]?.actions.map((action) => ('network' in action ? action.network.host : ''))).toEqual([
      '',
      'good.example',
      '192.0.2.1',
      '2001:db8::1',
    ]);
    expect(problemsIn(store, [policy])).toEqual([]);
  });

  it.each([
    ['has none', async () => []],
    ['cannot be resolved', () => Promise.reject(new Error(canary))],
    ['gives no list', async () => 'x' as unknown as string[]],
  ])('is unmapped where it %s (GAT-16)', async (_, resolve) => {
    const { gate, store } = await gateWith({ resolve }, {}, policy);
    expect(await gate.checkAsync(call)).toMatchObject({ allowed: false, reason: 'unmapped', code: 'gate-resolve' });
    expect(problemsIn(store, [policy])).toEqual([]);
  });

  it('is unmapped for a caller that cannot wait (GAT-16)', async () => {
    const { gate } = await gateWith({ resolve: async () => ['192.0.2.1'] }, {}, policy);
    expect(gate.check(call)).toMatchObject({ allowed: false, reason: 'unmapped', code: 'gate-resolve' });
    expect(gate.check({ tool: 'fetch', args: { url: 'https://192.0.2.7/' } })).toMatchObject({ allowed: true });
  });
});

describe('createGate', () => {
  it('refuses options that are none', async () => {
    const { engine } = await gateWith();
    const good = { engine, map: mapper, agent: 'builder' };
    expect(() => createGate({ ...good, engine: {} as never })).toThrow(TypeError);
    expect(() => createGate({ ...good, map: {} as never })).toThrow(TypeError);
    expect(() => createGate({ ...good, map: mapperWith({ digest: '' }) })).toThrow(TypeError);
    expect(() => createGate({ ...good, agent: '' })).toThrow('name');
    expect(() => createGate({ ...good, mode: 'shadow' as never })).toThrow(TypeError);
    expect(() => createGate({ ...good, approver: {} as never })).toThrow(TypeError);
  });

  it('refuses another ledger than that of the engine, which would hold nothing', async () => {
    const { engine } = await gateWith();
    const other = await open(disk());
    expect(() => createGate({ engine, ledger: other, map: mapper, agent: 'builder' })).toThrow(TypeError);
    const elsewhere = new InMemoryPolicyEngine({ engineId: 'engine-z' });
    expect(() => createGate({ engine: elsewhere, ledger: other, map: mapper, agent: 'builder' })).toThrow(TypeError);
  });
});
