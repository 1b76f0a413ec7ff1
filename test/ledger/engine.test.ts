import { describe, expect, it } from 'vitest';
import { utf8 } from '../../src/bytes.js';
import { policyDigest } from '../../src/index.js';
import { openEngine } from '../../src/ledger/engine.js';
import { readReceipt } from '../../src/receipt/read.js';
import { keys, sign, startTime } from './chain-kit.js';
import { open } from './folders.js';
import { codeOf, engineId, entriesIn, policyOf, randomOf, refusedWith, request, slowSigner, turns, verifyIn } from './kit.js';
import { errorOf, MemoryDisk } from './memory-disk.js';

const disk = (): MemoryDisk => new MemoryDisk(randomOf(5));
const statements = (store: MemoryDisk): readonly object[] => entriesIn(store).map(({ bytes }) => readReceipt(bytes).statement);
const kinds = (store: MemoryDisk): readonly string[] => entriesIn(store).map(({ bytes }) => readReceipt(bytes).statement.statement);
const digest = (version: number): string => policyDigest(policyOf(version));
const fileOf = (version: number): string => `policies/${digest(version).slice(7)}.json`;
const profile = 'ruleprint-match/1';

describe('openEngine', () => {
  it('installs a policy by an entry, with its file on the disk before it (LED-8)', async () => {
    const store = disk();
    const ledger = await open(store);
    store.acts.length = 0;
    const engine = openEngine({ ledger, policy: policyOf(1) });
    const order = [`rename ${fileOf(1)}`, 'write segment-000000000000.cbor'];
    expect(store.acts.filter((act) => order.includes(act))).toEqual(order);
    expect(statements(store)[1]).toMatchObject({ statement: 'install', seq: 1, policy_version: 1, policy_digest: digest(1), match_profile: profile });
    expect(statements(store)[1]).not.toHaveProperty('replaces');
    expect([engine.policyVersion(), engine.policyDigest(), engine.engineId]).toEqual([1, digest(1), engineId]);
  });

  it('has the last installed policy in force after a restart, and the same one again is a no-op', async () => {
    const store = disk();
    for (const version of [1, 2, 2, 2]) {
      const ledger = await open(store);
      const engine = openEngine({ ledger, policy: policyOf(version) });
      engine.decide(request('write'));
      await ledger.close();
    }
    expect(kinds(store)).toEqual(['genesis', 'install', 'decision', 'install', 'decision', 'decision', 'decision']);
    expect(statements(store)[3]).toMatchObject({ policy_version: 2, replaces: digest(1) });
    const ledger = await open(store);
    expect(openEngine({ ledger }).decide(request('write')).event).toMatchObject({ policyVersion: 2, decision: { effect: 'deny' } });
    await ledger.sync();
    expect(verifyIn(store).problems).toEqual([]);
  });

  it('refuses the version in force with other rules, and one below it', async () => {
    const store = disk();
    const ledger = await open(store);
    const engine = openEngine({ ledger, policy: policyOf(3) });
    const other = { ...policyOf(3), rules: policyOf(2).rules };
    expect(await refusedWith(() => openEngine({ ledger, policy: other }))).toMatchObject({ code: 'version-reused', evidence: { version: 3 } });
    expect(await codeOf(() => engine.reload(other))).toBe('version-reused');
    expect(await codeOf(() => engine.reload(policyOf(2)))).toBe('version-lower');
    expect(engine.reload(policyOf(3))).toEqual({ version: 3, digest: digest(3) });
    expect(kinds(store)).toEqual(['genesis', 'install']);
    expect(engine.reload(policyOf(4))).toMatchObject({ version: 4, replaces: digest(3), receipt: { seq: 2 } });
  });

  it('keeps the version of each install where two have the same rules', async () => {
    const store = disk();
    const ledger = await open(store);
    openEngine({ ledger, policy: policyOf(1) }).install(policyOf(3)); // odd versions have the same rules
    await ledger.close();
    const again = openEngine({ ledger: await open(store) });
    expect(again.policyVersion()).toBe(3);
    expect(again.decide(request()).event.policyVersion).toBe(3);
  });

  it.each([
    ['is not there', (store: MemoryDisk) => store.remove(fileOf(1))],
    ['is no policy', (store: MemoryDisk) => store.replaceNow(fileOf(1), utf8('{}'))],
    ['has other rules', (store: MemoryDisk) => store.replaceNow(fileOf(1), utf8(JSON.stringify(policyOf(2))))],
  ])('is refused where the policy in force %s (LED-8)', async (_, spoil) => {
    const store = disk();
    const ledger = await open(store);
    openEngine({ ledger, policy: policyOf(1) });
    spoil(store);
    const refusal = { code: 'policy-file', where: { file: `memory/${fileOf(1)}` } };
    expect(await refusedWith(() => openEngine({ ledger }))).toMatchObject(refusal);
    // also where the caller has the very policy at hand
    expect(await refusedWith(() => openEngine({ ledger, policy: policyOf(1) }))).toMatchObject(refusal);
  });

  it('is refused where the install in force has no digest, because its rules are not known', async () => {
    const ledger = await open(disk());
    ledger.append({ statement: 'install', engine_id: engineId, time: startTime, policy_version: 1 });
    expect(await codeOf(() => openEngine({ ledger }))).toBe('policy-file');
  });

  it('writes a policy file again that was spoiled while another policy was in force', async () => {
    const store = disk();
    const ledger = await open(store);
    const engine = openEngine({ ledger, policy: policyOf(1) });
    engine.install(policyOf(2));
    store.replaceNow(fileOf(1), utf8('x'));
    engine.install(policyOf(3));
    expect(openEngine({ ledger }).policyDigest()).toBe(digest(1));
  });
});

describe('install', () => {
  it('changes nothing where the file, the entry or the version is refused (DEC-12)', async () => {
    const store = disk();
    const ledger = await open(store);
    const engine = openEngine({ ledger, policy: policyOf(1) });
    expect(await codeOf(() => engine.install(policyOf(1)))).toBe('version-equal');
    expect(await codeOf(() => engine.install(policyOf(2), { authorization: 'x' }))).toBe('bad-value');
    store.fault = (act, name) => (act === 'rename' && name.startsWith('policies') ? errorOf('ENOSPC') : undefined);
    expect(await codeOf(() => engine.install({ version: 2, rules: [] }))).toBe('ledger-write');
    store.fault = () => undefined;
    expect(engine.decide(request()).event.policyVersion).toBe(1);
    expect(ledger.inForce?.policy_version).toBe(1);
    expect(kinds(store)).toEqual(['genesis', 'install', 'decision']);
    expect(engine.install(policyOf(2))).toEqual({ version: 2, digest: digest(2), replaces: digest(1) });
  });

  it('cites the authorization that it rests on', async () => {
    const store = disk();
    const ledger = await open(store);
    const engine = openEngine({ ledger });
    const authorization = { statement: 'authorization', engine_id: engineId, time: startTime, policy_version: 1, policy_digest: digest(1) };
    const { recordedHash } = engine.record(sign(authorization, keys.installer));
    engine.install(policyOf(1), { authorization: recordedHash });
    await ledger.sync();
    expect(statements(store)[2]).toMatchObject({ authorization: recordedHash });
    expect(verifyIn(store).problems).toEqual([]);
  });
});

describe('decide', () => {
  it('records what evaluate hands out, with its time and its facts, under the policy that decided (LED-4, DEC-13)', async () => {
    const store = disk();
    let time = startTime;
    const engine = openEngine({ ledger: await open(store), policy: policyOf(1), now: () => time++ });
    const event = await engine.evaluate(request('write'), { callId: 'c', argsDigest: `sha256:${'1'.repeat(64)}` });
    expect(statements(store)[2]).toMatchObject({
      statement: 'decision',
      time: event.time,
      agent: 'builder',
      actions: event.actions,
      decision: event.decision,
      policy_version: 1,
      policy_digest: digest(1),
      match_profile: profile,
      call_id: 'c',
      args_digest: `sha256:${'1'.repeat(64)}`,
    });
    const traced = await engine.evaluateTraced(request('read'));
    expect(statements(store)[3]).toMatchObject({ time: traced.event.time, decision: traced.event.decision });
    expect(traced.event.time).toBe(event.time + 1);
  });

  it('answers before an install that there is no policy, and records that', async () => {
    const store = disk();
    const engine = openEngine({ ledger: await open(store) });
    expect((await engine.evaluate(request())).decision).toEqual({ effect: 'deny', reason: 'no-policy' });
    expect(kinds(store)).toEqual(['genesis', 'decision']);
  });

  it('writes nothing for a request that cannot be made canonical', async () => {
    const store = disk();
    const engine = openEngine({ ledger: await open(store), policy: policyOf(1) });
    const bad = { agent: 'a', actions: [{ filesystem: { path: '/../x', method: 'read' } }] } as const;
    expect(await codeOf(() => engine.evaluate(bad))).toBe('path-dot-dot');
    expect(await codeOf(() => engine.evaluate(request(), { callId: '' }))).toBe('empty-text');
    expect(kinds(store)).toEqual(['genesis', 'install']);
  });

  it('gives no decision that is not recorded, because nobody may act on it', async () => {
    const store = disk();
    const engine = openEngine({ ledger: await open(store), policy: policyOf(1) });
    store.fault = (act) => (act === 'write' ? errorOf('ENOSPC') : undefined);
    for (const ask of [() => engine.evaluate(request()), () => engine.evaluateTraced(request()), () => engine.decide(request())])
      expect(await codeOf(ask)).toBe('ledger-write');
  });

  it('hands out an event with a slow signer once it is recorded, and never one of another policy (LED-4)', async () => {
    const store = disk();
    const ledger = await open(store, { signer: slowSigner(() => turns(3)) });
    const engine = openEngine({ ledger, policy: policyOf(1) });
    const before = engine.evaluate(request('write'));
    engine.install(policyOf(2));
    const after = engine.evaluateTraced(request('write'));
    expect(before).toBeInstanceOf(Promise);
    expect(ledger.recordedTo).toBe(0);
    expect(await before).toMatchObject({ policyVersion: 1, decision: { effect: 'ask' } });
    expect(ledger.recordedTo).toBeGreaterThanOrEqual(2);
    expect((await after).event).toMatchObject({ policyVersion: 2, decision: { effect: 'deny' } });
    await ledger.sync();
    expect(verifyIn(store).problems).toEqual([]);
  });

  it('of an engine that does not know of an install is refused, and not recorded under the wrong policy (LED-14)', async () => {
    const ledger = await open(disk());
    const stale = openEngine({ ledger, policy: policyOf(1) });
    openEngine({ ledger, policy: policyOf(2) });
    expect(await codeOf(() => stale.evaluate(request()))).toBe('version-differs');
  });
});

describe('release', () => {
  it('cites an ask and its approval, and the whole ledger verifies over a restart and a rotation (LED-16)', async () => {
    const store = disk();
    const ledger = await open(store);
    const engine = openEngine({ ledger, policy: policyOf(1) });
    const argsDigest = `sha256:${'7'.repeat(64)}`;
    const ask = engine.decide(request('write'), { argsDigest }).receipt.hash;
    await ledger.rotate();
    await ledger.close();
    const again = await open(store);
    const later = openEngine({ ledger: again, policy: policyOf(1) });
    const approval = {
      statement: 'approval',
      engine_id: engineId,
      time: startTime,
      ask,
      args_digest: argsDigest,
      approved: true,
      expires: startTime + 1,
      approver: 'someone',
    };
    const { recordedHash } = later.record(sign(approval, keys.approver));
    const { durable } = later.release(ask, recordedHash);
    await durable;
    const report = verifyIn(store);
    expect(report.problems).toEqual([]);
    expect(report.axes.approvals.status).toBe('pass');
    expect(kinds(store)).toEqual(['genesis', 'install', 'decision', 'record', 'release']);
  });
});
