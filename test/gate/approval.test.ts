import { describe, expect, it } from 'vitest';
import type { Approver, Ask } from '../../src/gate/approver.js';
import { localApprover } from '../../src/gate/approver.js';
import { createGate } from '../../src/gate/gate.js';
import { createSigner, InMemoryPolicyEngine, receiptHash } from '../../src/index.js';
import type { Call } from '../../src/mapping/call.js';
import type { PublicKey } from '../../src/cose/keys.js';
import { keys, sign, startTime } from '../ledger/chain-kit.js';
import { signer, slowSigner, turns } from '../ledger/kit.js';
import { errorOf } from '../ledger/memory-disk.js';
import { answering, approverSigner, gateWith, kindsIn, mapper, policyOf, problemsIn, statementsIn } from './kit.js';

const write: Call = { tool: 'write', args: { path: '/srv/a' } };
const approverKeys = [approverSigner.key as PublicKey];
const statementFor = (ask: Pick<Ask, 'hash' | 'argsDigest'>, changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  statement: 'approval',
  engine_id: 'engine-a',
  time: startTime,
  ask: ask.hash,
  args_digest: ask.argsDigest,
  approved: true,
  expires: startTime + 1_000,
  approver: 'anna',
  ...changes,
});
const giving = (make: (ask: Ask) => Uint8Array | undefined | Promise<Uint8Array | undefined>): Approver => ({
  keys: approverKeys,
  approve: async (ask) => make(ask),
});

describe('an ask', () => {
  it('is denied without an approver, with words that say so, and no release follows (GAT-10)', async () => {
    const { gate, store } = await gateWith();
    for (const verdict of [gate.check(write), await gate.checkAsync(write)]) {
      expect(verdict).toMatchObject({ effect: 'ask', allowed: false, rule: 'write-srv', code: 'approval-missing' });
      expect(verdict.message).toBe("denied: rule `write-srv` asks for a human's approval, and none was given");
      expect(verdict).not.toHaveProperty('release');
    }
    expect(kindsIn(store)).toEqual(['genesis', 'install', 'decision', 'decision']);
    expect(problemsIn(store)).toEqual([]);
  });

  it('goes ahead after a yes: recorded, then released, and the ledger verifies (GAT-12)', async () => {
    const seen: Ask[] = [];
    const { gate, store } = await gateWith({ approver: answering(true, { seen }) });
    const verdict = await gate.checkAsync({ ...write, callId: 'c1' }, { durable: true });
    expect(verdict).toMatchObject({ effect: 'ask', allowed: true, rule: 'write-srv', receipt: { seq: 2 }, release: { seq: 4 } });
    expect(verdict).not.toHaveProperty('code');
    expect(kindsIn(store)).toEqual(['genesis', 'install', 'decision', 'record', 'release']);
    expect(statementsIn(store)[4]).toMatchObject({ ask: verdict.receipt?.hash });
    expect(seen[0]).toMatchObject({ hash: verdict.receipt?.hash, engineId: 'engine-a', call: { tool: 'write', args: { path: '/srv/a' } } });
    expect(Object.isFrozen(seen[0]?.call.args)).toBe(true);
    expect(problemsIn(store)).toEqual([]);
  });

  it('stays denied after a no, which is recorded (GAT-11, GAT-12)', async () => {
    const { gate, store } = await gateWith({ approver: answering(false) });
    expect(await gate.checkAsync(write)).toMatchObject({ effect: 'ask', allowed: false, code: 'approval-refused' });
    expect(kindsIn(store)).toEqual(['genesis', 'install', 'decision', 'record']);
    expect(problemsIn(store)).toEqual([]);
  });

  it.each([undefined, 'yes', 1, null, {}])('stays denied after %o, which is neither yes nor no (GAT-10)', async (answer) => {
    const { gate, store } = await gateWith({ approver: answering(answer) });
    expect(await gate.checkAsync(write)).toMatchObject({ effect: 'ask', allowed: false, code: 'approval-missing' });
    expect(kindsIn(store)).toEqual(['genesis', 'install', 'decision']);
  });

  it('is denied by check although there is an approver, since it cannot be waited for (GAT-10)', async () => {
    const { gate } = await gateWith({ approver: answering(true) });
    expect(gate.check(write)).toMatchObject({ effect: 'ask', allowed: false });
  });

  it('is not asked about without a ledger: an approval names a receipt (GAT-10)', async () => {
    const engine = new InMemoryPolicyEngine({ engineId: 'engine-a' });
    engine.install(policyOf());
    const gate = createGate({ engine, map: mapper, agent: 'builder', approver: answering(true) });
    expect(await gate.checkAsync(write)).toMatchObject({ effect: 'ask', allowed: false, code: 'ask-not-releasable' });
  });

  it('works with signers that take their time, a hundred at once, each by its own approval (GAT-12)', async () => {
    const approver = localApprover({
      signer: { ...approverSigner, sign: async (message) => approverSigner.sign(message) },
      now: () => startTime,
      ask: async ({ call }) => {
        await turns(Number((call.args as { n: number }).n) % 5);
        return (call.args as { n: number }).n % 2 === 0;
      },
    });
    const { gate, store } = await gateWith({ approver }, { signer: slowSigner() });
    const verdicts = await Promise.all(Array.from({ length: 100 }, (_, n) => gate.checkAsync({ tool: 'write', args: { path: '/srv/a', n } })));
    expect(verdicts.map(({ allowed }) => allowed)).toEqual(verdicts.map((_, n) => n % 2 === 0));
    expect(kindsIn(store).filter((kind) => kind === 'release')).toHaveLength(50);
    expect(problemsIn(store)).toEqual([]);
  });
});

describe('an approval that is not good', () => {
  const denied = async (make: (ask: Ask) => Uint8Array | undefined | Promise<Uint8Array | undefined>, code: string, recorded: boolean): Promise<void> => {
    const { gate, store } = await gateWith({ approver: giving(make) });
    expect(await gate.checkAsync(write)).toMatchObject({ effect: 'ask', allowed: false, code });
    expect(kindsIn(store).slice(3)).toEqual(recorded ? ['record'] : []);
    expect(problemsIn(store)).toEqual([]);
  };
  const hash = `sha256:${'0'.repeat(64)}`;

  it('is one for another ask (GAT-11)', () => denied((ask) => sign(statementFor(ask, { ask: hash }), keys.approver), 'approval-differs', false));
  it('is one for other arguments (GAT-11)', () => denied((ask) => sign(statementFor(ask, { args_digest: hash }), keys.approver), 'approval-differs', false));
  it('is one for another engine (GAT-11)', () => denied((ask) => sign(statementFor(ask, { engine_id: 'engine-b' }), keys.approver), 'approval-differs', false));
  it('is one by a key that is no approver of this gate (GAT-11)', () => denied((ask) => sign(statementFor(ask), keys.auditor), 'approval-key', false));
  it('is one by the key of the engine (GAT-11)', () => denied((ask) => sign(statementFor(ask), keys.engine), 'approval-key', false));
  it('is one whose signature does not verify (GAT-11)', () =>
    denied(
      (ask) => {
        const bytes = sign(statementFor(ask), keys.approver);
        bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1;
        return bytes;
      },
      'signature-invalid',
      false,
    ));
  it('is one that has expired (GAT-12)', () => denied((ask) => sign(statementFor(ask, { expires: startTime }), keys.approver), 'approval-expired', true));
  it('is one that says no (GAT-12)', () => denied((ask) => sign(statementFor(ask, { approved: false }), keys.approver), 'approval-refused', true));
  it('is none at all (GAT-11)', () => denied(() => new Uint8Array([1, 2, 3]), 'approval-missing', false));
  it('is another statement (GAT-11)', () =>
    denied(
      () => sign({ statement: 'authorization', engine_id: 'engine-a', time: startTime, policy_version: 2, policy_digest: hash }, keys.approver),
      'approval-missing',
      false,
    ));
  it('is that of an approver that throws (GAT-5)', () =>
    denied(
      () => {
        throw new Error('secret');
      },
      'gate-fault',
      false,
    ));

  it('is one that was used before, because it names its ask (GAT-12)', async () => {
    let first: Uint8Array | undefined;
    const { gate, store } = await gateWith({ approver: giving((ask) => (first ??= sign(statementFor(ask), keys.approver))) });
    expect(await gate.checkAsync(write)).toMatchObject({ allowed: true });
    expect(await gate.checkAsync(write)).toMatchObject({ allowed: false, code: 'approval-differs' });
    expect(kindsIn(store).filter((kind) => kind === 'release')).toHaveLength(1);
    expect(problemsIn(store)).toEqual([]);
  });

  it('is not replaced by bytes that change while it is recorded (GAT-11)', async () => {
    let given = new Uint8Array();
    const { gate, store } = await gateWith({
      approver: giving((ask) => {
        given = new Uint8Array(sign(statementFor(ask), keys.approver));
        queueMicrotask(() => queueMicrotask(() => given.fill(0)));
        return given;
      }),
    });
    await gate.checkAsync(write);
    expect(problemsIn(store)).toEqual([]);
  });

  it('is late by the time of the chain where the clock of the gate stepped back (GAT-12)', async () => {
    let time = startTime + 10_000;
    const { gate, engine, store } = await gateWith(
      { approver: giving((ask) => sign(statementFor(ask, { expires: startTime + 5_000 }), keys.approver)) },
      { now: () => time },
    );
    gate.check({ tool: 'read', args: { path: '/srv/a' } });
    time = startTime;
    expect(await gate.checkAsync(write)).toMatchObject({ allowed: false, code: 'approval-expired' });
    await engine.ledger.sync();
    expect(problemsIn(store)).toEqual([]);
  });
});

describe('a policy that is installed while a human is asked', () => {
  const later = (version: number, more: Parameters<typeof policyOf>[1] = []): ReturnType<typeof policyOf> => policyOf(version, more);
  const stop = { name: 'stop', effect: 'deny', agents: 'any', action: { filesystem: { path: '/srv/**', methods: ['write'] } } } as const;

  it('judges the call anew: a deny by the new rules stands, whatever was approved under the old ones (GAT-12)', async () => {
    const policy = later(2, [stop]);
    const fixture = await gateWith({
      approver: giving((ask) => {
        fixture.engine.install(policy);
        return sign(statementFor(ask), keys.approver);
      }),
    });
    expect(await fixture.gate.checkAsync(write)).toMatchObject({ effect: 'deny', allowed: false, rule: 'stop', policyVersion: 2 });
    expect(kindsIn(fixture.store)).toEqual(['genesis', 'install', 'decision', 'install', 'record', 'decision']);
    expect(problemsIn(fixture.store, [policyOf(), policy])).toEqual([]);
  });

  it('asks again where the new rules ask, and the second approval serves (GAT-12)', async () => {
    let asked = 0;
    const fixture = await gateWith({
      approver: giving((ask) => {
        if (asked++ === 0) fixture.engine.install(later(2));
        return sign(statementFor(ask), keys.approver);
      }),
    });
    expect(await fixture.gate.checkAsync(write)).toMatchObject({ effect: 'ask', allowed: true, policyVersion: 2 });
    expect(kindsIn(fixture.store)).toEqual(['genesis', 'install', 'decision', 'install', 'record', 'decision', 'record', 'release']);
    expect(problemsIn(fixture.store, [policyOf(), later(2)])).toEqual([]);
  });

  it('is denied where that does not end (GAT-12)', async () => {
    let version = 1;
    const fixture = await gateWith({
      approver: giving((ask) => {
        fixture.engine.install(later(++version));
        return sign(statementFor(ask), keys.approver);
      }),
    });
    expect(await fixture.gate.checkAsync(write)).toMatchObject({ effect: 'ask', allowed: false, code: 'install-between' });
    expect(version).toBe(4);
    expect(kindsIn(fixture.store)).not.toContain('release');
  });
});

describe('a caller that stops waiting', () => {
  it('gets a deny at once, and a yes that comes later releases nothing (GAT-10)', async () => {
    const stopping = new AbortController();
    let answer: (yes: boolean) => void = () => undefined;
    const approver = localApprover({ signer: approverSigner, now: () => startTime, ask: () => new Promise<boolean>((resolve) => (answer = resolve)) });
    const { gate, store } = await gateWith({ approver });
    const verdict = gate.checkAsync(write, { signal: stopping.signal });
    await turns(2);
    stopping.abort();
    expect(await verdict).toMatchObject({ effect: 'ask', allowed: false, code: 'approval-missing' });
    answer(true);
    await turns(3);
    expect(kindsIn(store)).toEqual(['genesis', 'install', 'decision']);
  });

  it('asks nobody where it had stopped before (GAT-10)', async () => {
    const { gate } = await gateWith({ approver: giving(() => Promise.reject(new Error('asked'))) });
    expect(await gate.checkAsync(write, { signal: AbortSignal.abort() })).toMatchObject({ allowed: false, code: 'approval-missing' });
  });
});

describe('a ledger that fails after the ask', () => {
  it('releases nothing (GAT-4)', async () => {
    const fixture = await gateWith({
      approver: giving((ask) => {
        fixture.store.fault = (act) => (act === 'write' ? errorOf('EIO') : undefined);
        return sign(statementFor(ask), keys.approver);
      }),
    });
    expect(await fixture.gate.checkAsync(write)).toMatchObject({ allowed: false, code: 'ledger-write' });
  });
});

describe('approvers', () => {
  it('cannot have the key of the engine: that engine has asked nobody (GAT-11)', async () => {
    await expect(gateWith({ approver: localApprover({ signer, ask: () => true }) })).rejects.toThrow(TypeError);
  });

  it('are made of a signer that names its key and a question', () => {
    const { key: _, ...nameless } = createSigner(keys.approver);
    expect(() => localApprover({ signer: nameless, ask: () => true })).toThrow(TypeError);
    expect(() => localApprover({ signer: approverSigner, ask: true as never })).toThrow(TypeError);
    expect(() => localApprover({ signer: approverSigner, ask: () => true, expiresAfter: 0 })).toThrow(RangeError);
    expect(() => localApprover({ signer: approverSigner, ask: () => true, approver: '' })).toThrow('name');
  });

  it('say who answers, until when', async () => {
    const seen: Ask[] = [];
    const approver = localApprover({ signer: approverSigner, now: () => startTime, approver: 'anna', expiresAfter: 7, ask: () => true });
    const bytes = await approver.approve({
      hash: `sha256:${'1'.repeat(64)}`,
      argsDigest: `sha256:${'2'.repeat(64)}`,
      engineId: 'e',
      call: write,
      verdict: {} as never,
    });
    expect(receiptHash(bytes as Uint8Array)).toMatch(/^sha256:/);
    expect(seen).toEqual([]);
    const { readReceipt } = await import('../../src/receipt/read.js');
    expect(readReceipt(bytes as Uint8Array).statement).toMatchObject({ approver: 'anna', time: startTime, expires: startTime + 7, approved: true });
  });
});
