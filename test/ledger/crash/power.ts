/**
 * Lives of a ledger on a disk whose power fails, from a seed. Shared by the test and by tools/crash.ts.
 * @module
 */
import { receiptHash } from '../../../src/receipt/read.js';
import { openEngine } from '../../../src/ledger/engine.js';
import { type Appended, type Durability, openLedger } from '../../../src/ledger/index.js';
import { keys, sign, startTime } from '../chain-kit.js';
import { type AnySigner, engineId, entriesIn, oneOf, policyOf, type Random, randomOf, request, signer, slowSigner, turns, upTo, verifyIn } from '../kit.js';
import { type Check, checks } from '../../../src/ledger/resume.js';
import { MemoryDisk } from '../memory-disk.js';

/** What a run found. */
export interface Lives {
  readonly lives: number;
  readonly appended: number;
  readonly durable: number;
  readonly cuts: number;
  /** What must not be; empty. */
  readonly wrong: readonly string[];
}

/** What was handed out: seq to hash. */
interface Promised {
  readonly appended: Map<number, string>;
  readonly durable: Map<number, string>;
}

export async function livesOf(seed: number, lives: number): Promise<Lives> {
  const random = randomOf(seed);
  const wrong: string[] = [];
  const promised: Promised = { appended: new Map(), durable: new Map() };
  const sum = { appended: 0, cuts: 0 };
  let disk = new MemoryDisk(random);
  for (let life = 0; life < lives; life++) {
    const before = promised.appended.size;
    const ended = await live(disk, random, promised);
    sum.appended += promised.appended.size - before;
    if (ended !== undefined) wrong.push(`life ${life}: ${ended}`);
    const written = entriesIn(disk);
    const wasWritten = new Map(written.map(({ bytes }, seq) => [seq, bytes]));
    const isPower = random() < 0.8;
    disk = isPower ? disk.losePower() : disk.loseProcess();
    const left = bytesIn(disk);
    const good = goodPrefix(disk, wasWritten, promised.appended);
    let ledger: Awaited<ReturnType<typeof openLedger>>;
    try {
      ledger = await openLedger('memory', { engineId, signer, store: disk, now: () => startTime, lockTimeout: 0, check: checks[life % 2] as Check });
    } catch (error) {
      wrong.push(`life ${life}: the open stopped: ${String(error)}`);
      break;
    }
    const hashes = entriesIn(disk).map(({ bytes }) => receiptHash(bytes));
    const { cut, resumed } = ledger.opened;
    if (cut !== undefined) sum.cuts++;
    for (const [seq, hash] of promised.durable) if (hashes[seq] !== hash) wrong.push(`life ${life}: seq ${seq} was durable and is not there`);
    if (!isPower)
      for (let seq = 0; seq < written.length; seq++) if (hashes[seq] === undefined) wrong.push(`life ${life}: seq ${seq} was recorded and is not there`);
    if (resumed && hashes.length !== good) wrong.push(`life ${life}: ${good} entries were good, ${hashes.length} were kept`);
    if (resumed && left - bytesIn(disk) !== (cut?.bytes ?? 0))
      wrong.push(`life ${life}: ${left - bytesIn(disk)} bytes are gone, ${cut?.bytes ?? 0} were reported`);
    if (cut !== undefined && cut.fromSeq !== (resumed ? hashes.length : 0))
      wrong.push(`life ${life}: cut from seq ${cut.fromSeq} on, the ledger has ${hashes.length} entries`);
    const report = verifyIn(disk);
    if (!report.ok) wrong.push(`life ${life}: ${report.problems.map(({ code, message }) => `${code} ${message}`).join('; ')}`);
    for (const seq of promised.appended.keys()) if (seq >= hashes.length) promised.appended.delete(seq);
    for (const [seq, hash] of hashes.entries()) promised.appended.set(seq, hash);
    // what an open kept, it synced
    if (!resumed) promised.durable.clear();
    for (const [seq, hash] of hashes.entries()) promised.durable.set(seq, hash);
    await ledger.close();
  }
  return { lives, appended: sum.appended, durable: promised.durable.size, cuts: sum.cuts, wrong };
}

/** One process, up to the moment in which it ends. Gives what went wrong before that. */
async function live(disk: MemoryDisk, random: Random, { appended, durable }: Promised): Promise<string | undefined> {
  const durability: Durability = oneOf(random, 'group', 'group', 'group', 'every', 'none', 'none');
  const by = oneOf<AnySigner>(
    random,
    signer,
    slowSigner(() => turns(upTo(random, 3))),
  );
  try {
    const opening = openLedger('memory', {
      engineId,
      signer: by,
      store: disk,
      durability,
      rotateAfter: oneOf(random, 3, 8, 4_096),
      now: () => startTime,
      lockTimeout: 0,
    });
    opening.catch(nothing);
    if (random() < 0.1) return void (await turns(upTo(random, 2))); // before it is open
    const ledger = await opening;
    if (ledger.last.seq === 0) {
      appended.set(0, ledger.last.hash);
      durable.set(0, ledger.last.hash);
    }
    const engine = openEngine({ ledger });
    const noted = (entry: Appended): void => {
      appended.set(entry.seq, entry.hash);
      if (durability !== 'none') entry.durable.then(() => durable.set(entry.seq, entry.hash), nothing);
    };
    const syncedAfter = (done: Promise<void>): void => {
      const soFar = [...appended];
      done.then(() => {
        for (const [seq, hash] of soFar) durable.set(seq, hash);
      }, nothing);
    };
    const steps = upTo(random, 12);
    for (let step = 0; step < steps; step++) {
      const what = random();
      if (what < 0.6) for (let i = upTo(random, 6); i >= 0; i--) noted(engine.decide(request(oneOf(random, 'read', 'write', 'other'))).receipt);
      else if (what < 0.7) {
        const { receipt } = engine.reload(policyOf((engine.policyVersion() ?? 0) + 1));
        if (receipt !== undefined) noted(receipt);
      } else if (what < 0.8) noted(engine.record(approval(upTo(random, 100))));
      else if (what < 0.87) syncedAfter(ledger.rotate());
      else if (what < 0.92) syncedAfter(ledger.sync());
      await turns(upTo(random, 3));
      if (random() < 0.2) await Promise.race([ledger.sync().catch(nothing), turns(20)]);
    }
    if (random() < 0.2) syncedAfter(ledger.close());
    await turns(oneOf(random, 0, 0, 1, 2, 6));
    return undefined;
  } catch (error) {
    return String(error);
  }
}

function nothing(): void {
  // the power has failed, and this was not promised
}

function approval(expires: number): Uint8Array {
  const hash = `sha256:${'0'.repeat(64)}`;
  const said = { engine_id: engineId, time: startTime };
  return sign({ statement: 'approval', ...said, ask: hash, args_digest: hash, approved: true, expires, approver: 'someone' }, keys.approver);
}

/** How many entries the platter still has, one after another, as they were written: what an open must keep. */
function goodPrefix(disk: MemoryDisk, wasWritten: ReadonlyMap<number, Uint8Array>, appended: ReadonlyMap<number, string>): number {
  let seq = 0;
  for (const { segment, bytes } of entriesIn(disk)) {
    const expected = wasWritten.get(seq);
    if (expected === undefined || Buffer.compare(bytes, expected) !== 0) return seq;
    // a genesis may be whole and its open not ended
    if (segment > seq || (seq > 0 && !appended.has(seq))) return seq;
    seq++;
  }
  return seq;
}

function bytesIn(disk: MemoryDisk): number {
  return disk.list().reduce((sum, name) => sum + (name.startsWith('segment-') ? (disk.size(name) ?? 0) : 0), 0);
}
