import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { concat, fromUtf8, utf8 } from '../../src/bytes.js';
import { createSigner, policyDigest } from '../../src/index.js';
import { openEngine } from '../../src/ledger/engine.js';
import { fileStore } from '../../src/ledger/file-store.js';
import { ledgerIn } from '../../src/ledger/folder.js';
import { type Ledger, type OpenLedgerOptions, readLedger, type Store } from '../../src/ledger/index.js';
import { verifyLedger } from '../../src/ledger/verify.js';
import { readReceipt } from '../../src/receipt/read.js';
import { keys, startTime } from './chain-kit.js';
import { newFolder, open } from './folders.js';
import { codeOf, engineId, entriesIn, hashesIn, policyOf, randomOf, refusedWith, request, signer, slowSigner, trust, verifyIn } from './kit.js';
import { errorOf, MemoryDisk } from './memory-disk.js';

const disk = (): MemoryDisk => new MemoryDisk(randomOf(3));
const first = 'segment-000000000000.cbor';
const other = createSigner(keys.other);

/** A closed ledger with a genesis, an install and so many decisions; segments of four. */
async function written(decisions: number, options: Partial<OpenLedgerOptions> = {}): Promise<MemoryDisk> {
  const store = disk();
  await write(await open(store, { rotateAfter: 4, ...options }), decisions);
  return store;
}

async function write(ledger: Ledger, decisions: number): Promise<void> {
  const engine = openEngine({ ledger, policy: policyOf(1) });
  for (let i = 0; i < decisions; i++) engine.decide(request());
  await ledger.close();
}

/** Puts other bytes in place of a file, as nobody who writes a ledger would. */
function spoil(store: Store, name: string, change: (bytes: Uint8Array) => Uint8Array): void {
  store.replaceNow(name, change(store.read(name, Number.MAX_SAFE_INTEGER) ?? new Uint8Array(0)));
}

const markIn = (store: Store): Record<string, unknown> => JSON.parse(fromUtf8(store.read('durable.json', 4096) as Uint8Array) ?? '') as Record<string, unknown>;

describe('a new ledger', () => {
  it('begins with a genesis that is synced, in files that its owner alone reads', async () => {
    const folder = join(newFolder(), 'deep', 'audit');
    const ledger = await open(folder, { random: () => new Uint8Array(16).fill(0xab) });
    expect(ledger.opened).toEqual({ resumed: false });
    expect(ledger.ledgerId).toBe('ab'.repeat(16));
    expect(readdirSync(folder).sort()).toEqual(['durable.json', 'lock', first]);
    const [genesis] = entriesIn(fileStore(folder));
    expect(readReceipt(genesis?.bytes as Uint8Array)).toMatchObject({
      hash: ledger.last.hash,
      statement: { statement: 'genesis', seq: 0, engine_id: engineId, time: startTime, ledger_id: new Uint8Array(16).fill(0xab) },
    });
    expect(markIn(fileStore(folder))).toEqual({ segment: 0, start: 0, offset: genesis?.bytes.length, seq: 0, hash: ledger.last.hash });
    await write(ledger, 1);
    expect(readdirSync(folder).sort()).toEqual(['durable.json', 'policies', first]);
    for (const name of ['durable.json', first, `policies/${policyDigest(policyOf(1)).slice(7)}.json`])
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('has another id each time', async () => {
    expect((await open(newFolder())).ledgerId).not.toBe((await open(newFolder())).ledgerId);
  });

  it('takes a signer that answers in its own time', async () => {
    const store = disk();
    await (await open(store, { signer: slowSigner() })).close();
    expect(verifyIn(store)).toMatchObject({ ok: true, receipts: 1 });
  });

  it.each([
    [{ engineId: '' }, 'empty-text'],
    [{ engineId: 5 }, TypeError],
    [{ durability: 'sometimes' }, TypeError],
    [{ rotateAfter: 0 }, RangeError],
    [{ rotateAfter: 1.5 }, RangeError],
    [{ lockTimeout: -1 }, RangeError],
    [{ lockTimeout: Number.NaN }, RangeError],
    [{ signer: { ...signer, key: undefined } }, TypeError],
  ])('is not opened with %j', async (options, refusal) => {
    const opening = (): Promise<Ledger> => open(disk(), options as never);
    if (typeof refusal === 'string') expect(await codeOf(opening)).toBe(refusal);
    else await expect(opening()).rejects.toThrow(refusal);
  });

  it('is not begun with a signer that signs with another key than it names, because nobody would open it again', async () => {
    const store = disk();
    expect(await codeOf(() => open(store, { signer: { ...signer, sign: other.sign } as never }))).toBe('signer-output');
    expect(store.list()).toEqual([]);
  });

  it('that was interrupted before its mark is begun again, and what there was of it is reported', async () => {
    const whole = await written(0);
    const genesis = entriesIn(whole)[0]?.bytes as Uint8Array;
    for (const left of [0, 1, genesis.length - 1]) {
      const store = disk();
      store.replaceNow(first, genesis.slice(0, left));
      const ledger = await open(store);
      expect(ledger.opened).toEqual({ resumed: false, ...(left > 0 && { cut: { bytes: left, fromSeq: 0 } }) });
      await ledger.close();
      expect(verifyIn(store)).toMatchObject({ ok: true, receipts: 1 });
    }
    const store = disk();
    store.replaceNow(first, genesis);
    expect((await open(store)).opened).toEqual({ resumed: true });
    expect(store.list()).toContain('durable.json');
  });
});

describe('a ledger that is there', () => {
  it('goes on behind its last entry, with the same id and what is in force', async () => {
    const store = await written(6);
    const hashes = hashesIn(store);
    const ledger = await open(store, { rotateAfter: 4 });
    expect(ledger.opened).toEqual({ resumed: true });
    expect(ledger.last).toEqual({ seq: 7, hash: hashes[7] });
    expect(ledger.inForce).toEqual({ policy_version: 1, policy_digest: policyDigest(policyOf(1)), match_profile: 'ruleprint-match/1' });
    await write(ledger, 2);
    expect(hashesIn(store).slice(0, 8)).toEqual(hashes);
    expect(entriesIn(store).map(({ segment }) => segment)).toEqual([0, 0, 0, 0, 4, 4, 4, 4, 8, 8]);
    expect(verifyIn(store)).toMatchObject({ ok: true, receipts: 10 });
  });

  it('writes nothing when it is only opened and closed', async () => {
    const store = await written(6);
    const before = store.list().map((name) => store.read(name, 1e6));
    await (await open(store)).close();
    expect(store.list().map((name) => store.read(name, 1e6))).toEqual(before);
  });

  it('finds what is in force however far back the last entry is that says so (LED-8)', async () => {
    const store = await written(1);
    const ledger = await open(store, { rotateAfter: 4 });
    const cited = `sha256:${'1'.repeat(64)}`;
    for (let i = 0; i < 10; i++) ledger.append({ statement: 'release', engine_id: engineId, time: startTime, ask: cited, approval: cited });
    await ledger.close();
    expect((await open(store)).inForce).toMatchObject({ policy_version: 1 });
  });

  it('keeps entries that were recorded and not synced, and syncs them before the open ends (LED-6)', async () => {
    const store = disk();
    const ledger = await open(store, { durability: 'none', rotateAfter: 3 });
    const engine = openEngine({ ledger, policy: policyOf(1) });
    for (let i = 0; i < 5; i++) engine.decide(request());
    const killed = store.loseProcess();
    const again = await open(killed);
    expect(again.opened).toEqual({ resumed: true });
    expect(again.last).toEqual(ledger.last);
    expect(hashesIn(killed.losePower())).toHaveLength(7);
  });

  it('is written on by a new key of the engine, which is told of the old one (LED-10)', async () => {
    const store = await written(2);
    const { key } = signer;
    const ledger = await open(store, { signer: other, keys: key === undefined ? [] : [key] });
    await write(ledger, 2);
    const { problems } = verifyLedger([ledgerIn(store)], { trust });
    expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['key-engine'])); // the trust store knows it as another engine's
    expect(await codeOf(() => open(store))).toBe('ledger-engine');
    expect((await open(store, { signer: other })).opened).toEqual({ resumed: true }); // the last entries are its own
  });

  it('is refused to another engine and to a key of which nobody told, and nothing is cut (LED-10)', async () => {
    const store = await written(2);
    expect(await refusedWith(() => open(store, { engineId: 'engine-b' }))).toMatchObject({ code: 'ledger-engine', where: { file: `memory/${first}` } });
    expect(await codeOf(() => open(store, { signer: other }))).toBe('ledger-engine');
    // whole entries behind the mark by the other key: to cut them would lose what was recorded
    const { key } = signer;
    const ledger = await open(store, { signer: other, keys: key === undefined ? [] : [key], durability: 'none' });
    openEngine({ ledger }).decide(request());
    const killed = store.loseProcess();
    expect(await codeOf(() => open(killed))).toBe('ledger-engine');
    expect(entriesIn(killed)).toHaveLength(5);
  });
});

describe('damage (LED-6)', () => {
  it.each([
    ['a mark that is not JSON', 'durable.json', () => utf8('{')],
    ['an empty mark', 'durable.json', () => new Uint8Array(0)],
    ['a mark with a field too many', 'durable.json', (bytes: Uint8Array) => utf8((fromUtf8(bytes) ?? '').replace('{', '{"more":1,'))],
    ['a segment that is shorter than the mark', 'segment-000000000004.cbor', (bytes: Uint8Array) => bytes.slice(0, -1)],
    ['a segment that is empty', 'segment-000000000004.cbor', () => new Uint8Array(0)],
    ['an entry that is another', 'segment-000000000004.cbor', (bytes: Uint8Array) => flipped(bytes, 200)],
    ['a segment before it that ends early', first, (bytes: Uint8Array) => bytes.slice(0, -1)],
    ['a segment before it that ends with another entry', first, (bytes: Uint8Array) => flipped(bytes, bytes.length - 100)],
    ['a genesis that is none', first, (bytes: Uint8Array) => flipped(bytes, 0)],
  ] as const)('stops the open: %s', async (_, name, change) => {
    const store = await written(6);
    spoil(store, name, change);
    const before = store.list().map((each) => store.read(each, 1e6));
    const problem = await refusedWith(() => open(store));
    expect(problem).toMatchObject({ code: 'ledger-damaged', where: { file: expect.stringContaining('memory/') as string } });
    expect(problem.hint).toBeDefined();
    // nothing is mended, and the lock is not kept
    expect(store.list().map((each) => store.read(each, 1e6))).toEqual(before);
  });

  it.each([
    ['seq', 6],
    ['seq', 8],
    ['offset', 1],
    ['segment', 0],
    ['segment', 5],
    ['start', 1],
    ['hash', `sha256:${'0'.repeat(64)}`],
  ])('stops the open: a mark whose %s is %s', async (field, value) => {
    const store = await written(6);
    spoil(store, 'durable.json', () => utf8(JSON.stringify({ ...markIn(store), [field]: value })));
    expect(await codeOf(() => open(store))).toBe('ledger-damaged');
  });

  it.each(['durable.json', first, 'segment-000000000004.cbor'])('stops the open: %s is not there', async (name) => {
    const store = await written(6);
    store.remove(name);
    expect(await codeOf(() => open(store))).toBe('ledger-damaged');
  });

  it('stops the open: a mark that is not there beside a genesis and one entry more', async () => {
    const store = await written(0);
    store.remove('durable.json');
    expect(await codeOf(() => open(store))).toBe('ledger-damaged');
  });

  it('cuts segments behind the last good entry, and one whose name is not the next seq', async () => {
    const store = await written(6);
    store.replaceNow('segment-000000000009.cbor', utf8('x'));
    store.replaceNow('segment-000000000012.cbor', new Uint8Array(0));
    const ledger = await open(store);
    expect(ledger.opened).toEqual({ resumed: true, cut: { bytes: 1, fromSeq: 8 } });
    expect(store.list().filter((name) => name.startsWith('segment'))).toEqual([first, 'segment-000000000004.cbor']);
  });

  it('cuts a whole entry behind the mark that is not next in the chain, or not signed', async () => {
    const good = await written(6);
    const entries = entriesIn(good);
    const last = entries.at(-1)?.bytes as Uint8Array;
    for (const tail of [last, entries[0]?.bytes as Uint8Array]) {
      const store = await written(6);
      spoil(store, 'segment-000000000004.cbor', (bytes) => concat(bytes, tail));
      const ledger = await open(store);
      expect(ledger.opened.cut).toEqual({ bytes: tail.length, fromSeq: 8 });
      await write(ledger, 1);
      expect(verifyIn(store).ok).toBe(true);
    }
  });
});

describe('a folder that cannot be written', () => {
  it.each(['makeRoot', 'create', 'append', 'write', 'sync', 'truncate', 'rename', 'syncFolder'])(
    'refuses the open where %s fails, and lets go of the lock',
    async (act) => {
      const store = disk();
      store.fault = (each) => (each === act ? errorOf('EROFS') : undefined);
      expect(await codeOf(() => open(store))).toBe('ledger-write');
      expect(store.list()).not.toContain('lock');
      store.fault = () => undefined;
      expect((await open(store)).last.seq).toBe(0);
    },
  );
});

describe('readLedger', () => {
  it('reads what is there at the call, so that every pass reads the same', async () => {
    const folder = newFolder();
    const ledger = await open(folder);
    const engine = openEngine({ ledger, policy: policyOf(1) });
    const source = readLedger(folder);
    engine.decide(request());
    expect(verifyLedger([source], { trust })).toMatchObject({ ok: true, receipts: 2 });
    expect(verifyLedger([readLedger(folder)], { trust })).toMatchObject({ ok: true, receipts: 3 });
  });

  it('reads several engines in several folders for one report', async () => {
    const folders = [newFolder(), newFolder()] as const;
    await write(await open(folders[0]), 3);
    await write(await open(folders[1], { engineId: 'engine-b', signer: other }), 2);
    const report = verifyLedger(folders.map(readLedger), { trust, expectEngines: ['engine-a', 'engine-b'], require: ['timeline'] });
    expect(report.problems).toEqual([]);
    expect(report).toMatchObject({ receipts: 9, axes: { order: { status: 'pass' }, timeline: { status: 'pass' }, rules: { status: 'pass' } } });
  });

  it('has the policies that can be read, and says of the others that they are missing', async () => {
    const folder = newFolder();
    await write(await open(folder), 1);
    const ledger = await open(folder);
    openEngine({ ledger, policy: policyOf(2) }).decide(request());
    await ledger.close();
    writeFileSync(join(folder, 'policies', 'note.txt'), 'x');
    writeFileSync(join(folder, 'policies', `${'0'.repeat(64)}.json`), '{}');
    expect(new Set(readLedger(folder).policies)).toEqual(new Set([policyOf(1), policyOf(2)]));
    const spoiled = join(folder, 'policies', `${policyDigest(policyOf(1)).slice(7)}.json`);
    writeFileSync(spoiled, readFileSync(spoiled, 'utf8').replace('allow', 'deny'));
    const report = verifyLedger([readLedger(folder)], { trust });
    expect(report).toMatchObject({ ok: false, axes: { rules: { status: 'not-checked', code: 'policy-missing' } } });
  });

  it('says when the tail is missing (LED-11)', async () => {
    const folder = newFolder();
    await write(await open(folder, { rotateAfter: 2 }), 2);
    rmSync(join(folder, 'segment-000000000002.cbor'));
    expect(verifyLedger([readLedger(folder)], { trust }).problems.map(({ code }) => code)).toContain('tail-missing');
  });

  it('reports a mark that cannot be read as a tail that is missing, and verifies the entries all the same (LED-11)', async () => {
    const folder = newFolder();
    await write(await open(folder), 1);
    writeFileSync(join(folder, 'durable.json'), '');
    const { ok, receipts, axes, problems } = verifyLedger([readLedger(folder)], { trust });
    expect({ ok, receipts, signature: axes.signature.status, order: axes.order.status }).toEqual({ ok: false, receipts: 3, signature: 'pass', order: 'fail' });
    expect(problems).toMatchObject([{ code: 'tail-missing', axis: 'order', where: { file: folder } }]);
  });
});

describe('an open that checks the last synced entry alone', () => {
  const end = { check: 'end' } as const;

  it('goes on where one that checks the segment goes on, and what it writes verifies', async () => {
    for (const decisions of [0, 1, 2, 3, 6, 7]) {
      const store = await written(decisions);
      const whole = await open(store.copy());
      const ledger = await open(store, { rotateAfter: 4, ...end });
      expect([decisions, ledger.last, ledger.inForce, ledger.ledgerId, ledger.opened]).toEqual([
        decisions,
        whole.last,
        whole.inForce,
        whole.ledgerId,
        { resumed: true },
      ]);
      await write(ledger, 5);
      expect(verifyIn(store)).toMatchObject({ ok: true, receipts: decisions + 2 + 5 });
      expect(store.list().filter((name) => name.endsWith('.cbor'))).toEqual(segmentsOf(decisions + 2 + 5));
    }
  });

  it('finds what is in force where the last entries do not say so, in this segment or in one before', async () => {
    for (const releases of [1, 2, 3, 5]) {
      const store = disk();
      const ledger = await open(store, { rotateAfter: 4 });
      const engine = openEngine({ ledger, policy: policyOf(3) });
      engine.decide(request());
      for (let i = 0; i < releases; i++) engine.release(`sha256:${'0'.repeat(64)}`, `sha256:${'1'.repeat(64)}`);
      await ledger.close();
      expect((await open(store, end)).inForce).toMatchObject({ policy_version: 3, policy_digest: policyDigest(policyOf(3)) });
    }
  });

  it('keeps what is good behind the mark, and cuts and reports what is not', async () => {
    const store = disk();
    const ledger = await open(store, { durability: 'none' });
    const engine = openEngine({ ledger, policy: policyOf(1) });
    engine.decide(request());
    await ledger.sync();
    engine.decide(request());
    engine.decide(request());
    const left = store.loseProcess();
    spoil(left, first, (bytes) => bytes.slice(0, -1));
    const torn = entriesIn(left).length;
    const again = await open(left, end);
    expect(again.last.seq).toBe(3);
    expect(again.opened.cut).toMatchObject({ fromSeq: 4 });
    expect([torn, verifyIn(left).ok]).toEqual([torn, true]);
  });

  it.each([
    ['is another', 'segment-000000000004.cbor', (bytes: Uint8Array) => flipped(bytes, bytes.length - 100)],
    ['has another signature', 'segment-000000000004.cbor', (bytes: Uint8Array) => flipped(bytes, bytes.length - 1)],
    ['is cut', 'segment-000000000004.cbor', (bytes: Uint8Array) => bytes.slice(0, -1)],
    ['is not there', 'segment-000000000004.cbor', () => new Uint8Array(0)],
  ] as const)('stops where that %s', async (_, name, change) => {
    const store = await written(6);
    spoil(store, name, change);
    expect(await codeOf(() => open(store, end))).toBe('ledger-damaged');
  });

  it.each([
    ['seq', 6],
    ['offset', 1],
    ['start', 0],
    ['start', 5],
    ['segment', 0],
    ['segment', 5],
    ['hash', `sha256:${'0'.repeat(64)}`],
  ])('stops where that is another than the mark says, by its %s %s', async (field, value) => {
    const store = await written(6);
    spoil(store, 'durable.json', () => utf8(JSON.stringify({ ...markIn(store), [field]: value })));
    expect(await codeOf(() => open(store, end))).toBe('ledger-damaged');
  });

  it('is for an engine that holds the key (LED-10)', async () => {
    expect(await codeOf(async () => open(await written(2), { ...end, signer: other }))).toBe('ledger-engine');
  });

  it('takes no other word for what is checked', async () => {
    await expect(open(disk(), { check: 'none' as 'end' })).rejects.toThrow(TypeError);
  });
});

/** Four entries a segment. */
function segmentsOf(entries: number): string[] {
  return Array.from({ length: Math.ceil(entries / 4) }, (_, i) => `segment-${String(4 * i).padStart(12, '0')}.cbor`);
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const out = bytes.slice();
  out[at] = (out[at] as number) ^ 1;
  return out;
}
