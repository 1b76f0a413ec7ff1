import { describe, expect, it } from 'vitest';
import type { Signer } from '../../src/cose/signer.js';
import type { AuditEvent } from '../../src/engine/engine.js';
import { RuleprintError } from '../../src/errors.js';
import { fileStore } from '../../src/ledger/file-store.js';
import type { EntryStatement } from '../../src/ledger/index.js';
import { decisionStatement } from '../../src/receipt/issue.js';
import { readReceipt } from '../../src/receipt/read.js';
import { keys, sign, startTime } from './chain-kit.js';
import { newFolder, open } from './folders.js';
import { codeOf, engineId, entriesIn, hashesIn, randomOf, refusedWith, signer, slowSigner, turn, turns, verifyIn } from './kit.js';
import { errorOf, MemoryDisk } from './memory-disk.js';

const denied: AuditEvent = {
  engineId,
  time: startTime,
  agent: 'builder',
  actions: [{ tool: { server: 'files', name: 'read' } }],
  decision: { effect: 'deny', reason: 'no-policy' },
};
const statement = (change: Partial<AuditEvent> = {}): EntryStatement => decisionStatement({ ...denied, ...change });
const hash = (digit: string): string => `sha256:${digit.repeat(64)}`;
const approval = {
  statement: 'approval',
  engine_id: engineId,
  time: startTime,
  ask: hash('1'),
  args_digest: hash('2'),
  approved: true,
  expires: 5,
  approver: 'a',
};
const disk = (): MemoryDisk => new MemoryDisk(randomOf(7));

/** Whether a promise has settled by now. */
async function stateOf(promise: Promise<unknown>): Promise<string> {
  const pending = {};
  const first = await Promise.race([promise, Promise.resolve(pending)]).catch((error: unknown) => error);
  if (first === pending) return 'pending';
  return first instanceof RuleprintError ? first.code : 'resolved';
}

describe('append', () => {
  it('takes seq and prev and has the entry in the file when it returns, with a signer that answers at once (LED-4, LED-5)', async () => {
    const store = fileStore(newFolder());
    const ledger = await open(store);
    const genesis = ledger.last.hash;
    const first = ledger.append(statement());
    expect(hashesIn(store)).toEqual([genesis, first.hash]);
    const second = ledger.append(statement());
    expect([first.seq, second.seq, ledger.recordedTo]).toEqual([1, 2, 2]);
    expect(ledger.last).toEqual({ seq: 2, hash: second.hash });
    const { statement: last } = readReceipt(entriesIn(store)[2]?.bytes as Uint8Array);
    expect(last).toMatchObject({ statement: 'decision', seq: 2, prev: first.hash, time: startTime, engine_id: engineId });
    await Promise.all([first.recorded, second.durable]);
    expect(verifyIn(store).ok).toBe(true);
  });

  it('takes the places of a slow signer in the order of the calls, and writes them in that order (LED-4)', async () => {
    const store = fileStore(newFolder());
    const waits = [9, 0, 4, 0, 0, 2];
    const ledger = await open(store, { signer: slowSigner(() => turns(waits.shift() ?? 0)) });
    const entries = [0, 1, 2, 3, 4].map(() => ledger.append(statement()));
    expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(ledger.last).toEqual({ seq: 5, hash: entries[4]?.hash });
    expect(ledger.recordedTo).toBe(0);
    const recorded: number[] = [];
    await Promise.all(entries.map(({ seq, recorded: promise }) => promise.then(() => recorded.push(seq))));
    expect(recorded).toEqual([1, 2, 3, 4, 5]);
    expect(hashesIn(store).slice(1)).toEqual(entries.map((entry) => entry.hash));
    await Promise.all(entries.map(({ durable }) => durable));
    expect(verifyIn(store).ok).toBe(true);
  });

  it('keeps the order where a signer answers at once and then not', async () => {
    const store = disk();
    let calls = 0;
    const mixed = {
      ...signer,
      sign: (message: Uint8Array) => (calls++ % 2 === 0 ? signer.sign(message) : turns(3).then(() => signer.sign(message))),
    } as Signer;
    const ledger = await open(store, { signer: mixed });
    const entries = [0, 1, 2, 3].map(() => ledger.append(statement()));
    await ledger.sync();
    expect(hashesIn(store).slice(1)).toEqual(entries.map((entry) => entry.hash));
  });

  it.each(['group', 'every'] as const)('says durable only after the sync and the mark that covers it (LED-5): %s', async (durability) => {
    // a disk takes its time as it likes, so several disks
    for (let seed = 0; seed < 20; seed++) {
      const store = new MemoryDisk(randomOf(seed));
      const ledger = await open(store, { durability });
      store.acts.length = 0;
      await ledger.append(statement()).durable;
      const sure = store.acts.filter((act) => !/^(append|close)/.test(act));
      const name = 'segment-000000000000.cbor';
      if (durability === 'every')
        expect(sure).toEqual([`write ${name}`, `sync ${name}`, 'write durable.json.tmp', 'sync durable.json.tmp', 'rename durable.json', 'syncFolder']);
      expect(sure.indexOf('rename durable.json')).toBeGreaterThan(sure.indexOf(durability === 'group' ? `synced ${name}` : `sync ${name}`));
      const after = store.losePower();
      expect(hashesIn(after)).toHaveLength(2);
      expect((await open(after)).last.seq).toBe(1);
    }
  });

  it('syncs before it returns, where every entry is to be durable', async () => {
    const store = disk();
    const ledger = await open(store, { durability: 'every' });
    const { hash: last } = ledger.append(statement());
    expect((await open(store.losePower())).last).toEqual({ seq: 1, hash: last });
  });

  it('covers with one sync all that was written before it', async () => {
    const store = disk();
    const ledger = await open(store);
    store.acts.length = 0;
    await Promise.all(Array.from({ length: 50 }, () => ledger.append(statement()).durable));
    expect(store.acts.filter((act) => act === 'sync segment-000000000000.cbor')).toHaveLength(1);
  });

  it('waits for no sync where none is asked for, and syncs on demand', async () => {
    const store = disk();
    const ledger = await open(store, { durability: 'none' });
    store.acts.length = 0;
    await ledger.append(statement()).durable;
    await turns(10);
    expect(store.acts).toEqual(['write segment-000000000000.cbor']);
    await ledger.sync();
    expect((await open(store.losePower())).last.seq).toBe(1);
  });

  it('begins segments after so many entries, and their seams are ordinary links (LED-9)', async () => {
    const store = fileStore(newFolder());
    const ledger = await open(store, { rotateAfter: 3 });
    for (let i = 0; i < 6; i++) ledger.append(statement());
    await ledger.sync();
    expect(entriesIn(store).map(({ segment }) => segment)).toEqual([0, 0, 0, 3, 3, 3, 6]);
    expect(verifyIn(store).ok).toBe(true);
  });

  it('has the name of a new segment on the disk before the mark that names it', async () => {
    const store = disk();
    const ledger = await open(store, { rotateAfter: 1 });
    store.acts.length = 0;
    await ledger.append(statement()).durable;
    expect(store.acts.indexOf('syncFolder')).toBeLessThan(store.acts.indexOf('rename durable.json'));
    expect(store.acts.filter((act) => act.startsWith('sync segment'))).toEqual(['sync segment-000000000000.cbor', 'sync segment-000000000001.cbor']);
  });
});

describe('what is appended', () => {
  const refusals: readonly (readonly [string, unknown, string])[] = [
    ['a statement of another engine (LED-10)', statement({ engineId: 'engine-b' }), 'ledger-engine'],
    [
      'a decision that cites a policy before there is one (LED-14)',
      statement({ decision: { effect: 'allow', rule: 'r', action: 0 }, policyVersion: 1 }),
      'policy-before-install',
    ],
    ['an action that is not canonical (RCP-2)', statement({ actions: [{ filesystem: { path: '/a//b', method: 'read' } }] }), 'action-not-canonical'],
    ['fields that do not agree', statement({ decision: { effect: 'allow', reason: 'no-policy' } }), 'field-conflict'],
    [
      'an install that replaces what is not in force',
      { statement: 'install', engine_id: engineId, time: 1, policy_version: 1, replaces: hash('0') },
      'install-replaces',
    ],
    ['an install of version 0', { statement: 'install', engine_id: engineId, time: 1, policy_version: 0 }, 'install-not-rising'],
    ['a time that is none', statement({ time: 1.5 }), 'bad-integer'],
    ['a hash that is none', { statement: 'release', engine_id: engineId, time: 1, ask: 'x', approval: hash('1') }, 'bad-value'],
  ];

  it.each(refusals)('is not %s, and nothing has happened then', async (_, bad, code) => {
    const store = disk();
    const ledger = await open(store);
    const { last } = ledger;
    expect(await codeOf(() => ledger.append(bad as EntryStatement))).toBe(code);
    expect(ledger.last).toEqual(last);
    ledger.append(statement());
    await ledger.sync();
    expect(verifyIn(store)).toMatchObject({ ok: true, receipts: 2 });
  });

  it('is read once, because what is judged must be what is signed', async () => {
    const store = disk();
    const ledger = await open(store);
    const live = { ...statement() } as { agent: string; actions: unknown };
    let reads = 0;
    Object.defineProperty(live, 'agent', { enumerable: true, get: () => (reads++ === 0 ? 'builder' : '') });
    ledger.append(live as EntryStatement);
    expect(readReceipt(entriesIn(store)[1]?.bytes as Uint8Array).statement).toMatchObject({ agent: 'builder' });
    live.actions = [Object.defineProperty({}, 'tool', { enumerable: true, get: () => ({ server: 's', name: 'n' }) })];
    expect(await codeOf(() => ledger.append({ ...live } as EntryStatement))).toBe('not-plain-data');
  });

  it('has no place yet and is a statement of the engine, or it is a mistake of the caller', async () => {
    const ledger = await open(disk());
    expect(() => ledger.append({ ...statement(), seq: 5 } as never)).toThrow(TypeError);
    expect(() => ledger.append({ ...statement(), prev: hash('0') } as never)).toThrow(TypeError);
    expect(() => ledger.append({ statement: 'genesis', engine_id: engineId, time: 1 } as never)).toThrow(TypeError);
    expect(() => ledger.append(approval as never)).toThrow(TypeError);
  });
});

describe('record (LED-2)', () => {
  it('takes in a receipt by another key and says by what hash it is cited', async () => {
    const store = disk();
    const ledger = await open(store);
    const bytes = sign(approval, keys.approver);
    const entry = ledger.record(bytes);
    bytes.fill(0); // it is the ledger's own by now
    await entry.durable;
    const { statement: recorded } = readReceipt(entriesIn(store)[1]?.bytes as Uint8Array) as { statement: { recorded: Uint8Array } };
    expect(readReceipt(recorded.recorded)).toMatchObject({ hash: entry.recordedHash, statement: approval });
    expect(verifyIn(store).ok).toBe(true);
  });

  it.each([
    ['a decision', { ...statement() }, keys.engine, 'record-kind'],
    ['an entry of a chain', { statement: 'genesis', engine_id: engineId, time: 1, seq: 0, ledger_id: new Uint8Array(16) }, keys.engine, 'record-kind'],
    ['a statement about another engine', { ...approval, engine_id: 'engine-b' }, keys.approver, 'record-engine'],
    ['a statement that is none', { ...approval, approved: 1 }, keys.approver, 'wrong-type'],
  ] as const)('refuses %s', async (_, bad, key, code) => {
    const ledger = await open(disk());
    const problem = await refusedWith(() => ledger.record(sign(bad as never, key)));
    expect(problem.code).toBe(code);
    expect(problem.where.pointer).toBe('/recorded');
  });

  it('refuses the same where the statement comes by append', async () => {
    const ledger = await open(disk());
    const by = (recorded: Uint8Array): EntryStatement => ({ statement: 'record', engine_id: engineId, time: startTime, recorded });
    expect(await codeOf(() => ledger.append(by(new Uint8Array([1]))))).toBe('cose-tag');
    expect(await codeOf(() => ledger.append(by(sign({ ...statement() }, keys.engine))))).toBe('record-kind');
    expect(ledger.append(by(sign(approval, keys.approver))).seq).toBe(1);
  });

  it('refuses bytes that are no receipt, and more of them than fit', async () => {
    const ledger = await open(disk());
    expect(await codeOf(() => ledger.record(new Uint8Array([1])))).toBe('cose-tag');
    expect(await codeOf(() => ledger.record(new Uint8Array(786_433)))).toBe('limit');
    expect(() => ledger.record('x' as never)).toThrow(TypeError);
  });
});

describe('rotate (LED-9)', () => {
  it('begins a segment that is named by the next seq, which stays where it is empty', async () => {
    const store = disk();
    const ledger = await open(store);
    ledger.append(statement());
    await ledger.rotate();
    await ledger.rotate();
    expect(store.list().filter((name) => name.startsWith('segment'))).toEqual(['segment-000000000000.cbor', 'segment-000000000002.cbor']);
    await ledger.close();
    const again = await open(store);
    expect(again.opened).toEqual({ resumed: true });
    again.append(statement());
    await again.close();
    expect(entriesIn(store).map(({ segment }) => segment)).toEqual([0, 0, 2]);
    expect(verifyIn(store).ok).toBe(true);
  });

  it('lets what was appended before the call end the old segment, though it is not signed yet', async () => {
    const store = disk();
    const ledger = await open(store, { signer: slowSigner(() => turns(4)) });
    ledger.append(statement());
    const rotated = ledger.rotate();
    ledger.append(statement());
    await rotated;
    await ledger.sync();
    expect(entriesIn(store).map(({ segment }) => segment)).toEqual([0, 0, 2]);
    expect(verifyIn(store).ok).toBe(true);
  });
});

describe('close', () => {
  it('makes everything durable, waits for signatures, lets go of the lock, and refuses what comes later (LED-5)', async () => {
    const store = disk();
    const ledger = await open(store, { durability: 'none', signer: slowSigner(() => turns(5)) });
    const { recorded } = ledger.append(statement());
    const closed = ledger.close();
    expect(await codeOf(() => ledger.append(statement()))).toBe('ledger-closed');
    await closed;
    expect(await stateOf(recorded)).toBe('resolved');
    expect(store.list()).not.toContain('lock');
    for (const act of [() => ledger.append(statement()), () => ledger.record(sign(approval, keys.approver)), () => ledger.sync(), () => ledger.rotate()]) {
      expect(await codeOf(act)).toBe('ledger-closed');
    }
    await ledger.close();
    expect((await open(store.losePower())).last.seq).toBe(1);
  });
});

describe('a failure (LED-5)', () => {
  /** A ledger with one entry that is durable and one that is not, when something fails. */
  async function failing(act: string, name: RegExp, options: Parameters<typeof open>[1] = {}) {
    const store = disk();
    const ledger = await open(store, options);
    await ledger.append(statement()).durable;
    store.fault = (each, file) => (each === act && name.test(file) ? errorOf('EIO') : undefined);
    return { store, ledger };
  }

  it('of a write throws, rejects what waits, and is final', async () => {
    const { store, ledger } = await failing('never', /x/);
    const before = ledger.append(statement());
    store.fault = (act, name) => (act === 'write' && name.startsWith('segment') ? errorOf('ENOSPC') : undefined);
    const problem = await refusedWith(() => ledger.append(statement()));
    expect(problem).toMatchObject({ code: 'ledger-write', message: 'expected to write an entry, got `ENOSPC`' });
    expect(await stateOf(before.recorded)).toBe('resolved');
    expect(await codeOf(() => before.durable)).toBe('ledger-write');
    store.fault = () => undefined;
    for (const act of [() => ledger.append(statement()), () => ledger.sync(), () => ledger.rotate(), () => ledger.close()])
      expect(await codeOf(act)).toBe('ledger-write');
    // what was recorded is there, the lock is not
    const again = await open(store);
    expect(again.opened).toEqual({ resumed: true });
    expect(again.last.hash).toBe(before.hash);
  });

  it.each([
    ['sync', /^segment/],
    ['sync', /^durable/],
    ['rename', /^durable/],
    ['syncFolder', /^$/],
    ['append', /^durable/],
  ])('of %s %s acknowledges nothing', async (act, name) => {
    for (const durability of ['group', 'every'] as const) {
      const { store, ledger } = await failing(act, name, { durability });
      expect(await codeOf(() => ledger.append(statement()).durable)).toBe('ledger-write');
      expect(await codeOf(() => ledger.append(statement()))).toBe('ledger-write');
      expect(await codeOf(() => ledger.close())).toBe('ledger-write');
      store.fault = () => undefined;
      expect((await open(store.loseProcess())).last.seq).toBe(2);
    }
  });

  it('of a signature stops all that follows it, because it names what will never be there', async () => {
    const store = disk();
    let calls = 0;
    const failsThird = slowSigner(async () => {
      calls++;
      if (calls === 3) throw new Error('the service is away');
      await turns(calls === 2 ? 5 : 0);
    });
    const ledger = await open(store, { signer: failsThird });
    const entries = [0, 1, 2].map(() => ledger.append(statement()));
    for (const { recorded, durable } of entries) {
      expect(await codeOf(() => recorded)).toBe('ledger-write');
      expect(await codeOf(() => durable)).toBe('ledger-write');
    }
    expect(await codeOf(() => ledger.append(statement()))).toBe('ledger-write');
    expect(await codeOf(() => ledger.close())).toBe('ledger-write');
    const again = await open(store);
    expect(again.last.seq).toBe(0);
    again.append(statement());
    await again.close();
    expect(verifyIn(store).ok).toBe(true);
  });

  it('of a signer that throws, gives no signature, or signs with another key, is one too', async () => {
    const other = { ...signer, sign: (message: Uint8Array) => (message.length > 0 ? new Uint8Array(64) : message) };
    const bad: readonly (readonly [string, (message: Uint8Array) => Uint8Array])[] = [
      [
        'throws',
        () => {
          throw new Error('no card');
        },
      ],
      ['63 bytes', () => new Uint8Array(63)],
      ['another key', other.sign],
    ];
    for (const [, act] of bad) {
      const store = disk();
      await (await open(store)).close();
      const ledger = await open(store, { signer: { ...signer, sign: act } });
      expect(await codeOf(() => ledger.append(statement()))).toBe('ledger-write');
      expect(await codeOf(() => ledger.append(statement()))).toBe('ledger-write');
      expect(await codeOf(() => ledger.close())).toBe('ledger-write');
      expect(hashesIn(store)).toHaveLength(1);
    }
  });

  it('that nobody looks at ends no process', async () => {
    const { ledger } = await failing('sync', /^segment/);
    ledger.append(statement());
    await turns(10);
    const slow = await open(disk(), { signer: slowSigner(turn) });
    await slow.append(statement()).recorded;
    expect(await codeOf(() => ledger.close())).toBe('ledger-write');
  });
});
