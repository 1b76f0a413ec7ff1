import { describe, expect, it } from 'vitest';
import { openEngine } from '../../src/ledger/engine.js';
import { ledgerIn } from '../../src/ledger/folder.js';
import { verifyLedger } from '../../src/ledger/verify.js';
import { RuleprintError } from '../../src/errors.js';
import { open } from './folders.js';
import { entriesIn, hashesIn, randomOf, request, trust } from './kit.js';
import { MemoryDisk } from './memory-disk.js';

const newDisk = (): MemoryDisk => new MemoryDisk(randomOf(11));
const firstSegment = 'segment-000000000000.cbor';
const secondSegment = 'segment-000000000002.cbor';

/** Four entries in two segments; the last is recorded and not durable. */
async function smallLedger(): Promise<MemoryDisk> {
  const disk = newDisk();
  const ledger = await open(disk, { durability: 'none', rotateAfter: 2 });
  const engine = openEngine({ ledger });
  engine.decide(request());
  engine.decide(request());
  await ledger.sync();
  engine.decide(request());
  return disk.loseProcess();
}

/** What became of a spoiled ledger. */
interface Outcome {
  /** Whether `verify` found something to say, or refused. */
  readonly isBad: boolean;
  /** The code that the open stopped with, `as it was`, or what was cut. */
  readonly opened: string;
  readonly hashes: readonly string[];
}

async function outcomeOf(disk: MemoryDisk): Promise<Outcome> {
  const isBad = isFoundBad(disk);
  try {
    const { opened } = await open(disk, { lockTimeout: 0 });
    return { isBad, opened: opened.cut === undefined ? 'as it was' : `cut from ${opened.cut.fromSeq} on`, hashes: hashesIn(disk) };
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    return { isBad, opened: error.code, hashes: [] };
  }
}

function isFoundBad(disk: MemoryDisk): boolean {
  try {
    return !verifyLedger([ledgerIn(disk)], { trust }).ok;
  } catch (error) {
    if (error instanceof RuleprintError) return true;
    throw error;
  }
}

const spoiled = async (good: MemoryDisk, name: string, bytes: Uint8Array): Promise<Outcome> => {
  const disk = good.copy();
  disk.replaceNow(name, bytes);
  return outcomeOf(disk);
};

describe('a small ledger', async () => {
  const good = await smallLedger();
  const hashes = hashesIn(good);
  const lastOffset = entriesIn(good).at(-1)?.offset as number;
  const bytesOf = (name: string): Uint8Array => good.read(name, 1e6) as Uint8Array;

  it('is good as it is', async () => {
    expect(await outcomeOf(good.copy())).toEqual({ isBad: false, opened: 'as it was', hashes });
    expect(hashes).toHaveLength(4);
  });

  it.each([firstSegment, secondSegment])(
    'cut at every length of %s: bad, or cut and reported where it was not durable (LED-6)',
    { timeout: 60_000 },
    async (name) => {
      const whole = bytesOf(name);
      for (let length = 0; length < whole.length; length++) {
        const outcome = await spoiled(good, name, whole.slice(0, length));
        if (name === secondSegment && length === lastOffset) {
          // the last entry is gone as if it had never been: it was not durable, and nothing but a checkpoint could know of it
          expect([length, outcome]).toEqual([length, { isBad: false, opened: 'as it was', hashes: hashes.slice(0, 3) }]);
        } else if (name === secondSegment && length > lastOffset) {
          expect([length, outcome]).toEqual([length, { isBad: true, opened: 'cut from 3 on', hashes: hashes.slice(0, 3) }]);
        } else expect([length, outcome]).toEqual([length, { isBad: true, opened: 'ledger-damaged', hashes: [] }]);
      }
    },
  );

  it.each([firstSegment, secondSegment])(
    'with a bit flipped at every byte of %s: bad, or cut and reported where it was not durable (LED-6)',
    { timeout: 120_000 },
    async (name) => {
      const whole = bytesOf(name);
      const random = randomOf(5);
      for (let at = 0; at < whole.length; at++) {
        const bytes = whole.slice();
        bytes[at] = (bytes[at] as number) ^ (1 << Math.floor(random() * 8));
        const outcome = await spoiled(good, name, bytes);
        expect([at, outcome.isBad]).toEqual([at, true]);
        if (name === secondSegment && at >= lastOffset) {
          // a kid that is not ours reads as an entry by another key, which is not cut (LED-10)
          expect([at, outcome.opened]).toEqual([at, expect.stringMatching(/^(cut from 3 on|ledger-engine)$/)]);
          if (outcome.opened !== 'ledger-engine') expect(outcome.hashes).toEqual(hashes.slice(0, 3));
        } else {
          // an open checks the links of the last segment and one signature; what else there is is for the verifier
          expect([at, outcome.opened]).toEqual([at, expect.stringMatching(/^(ledger-damaged|ledger-engine|as it was)$/)]);
          if (outcome.opened === 'as it was' && name === secondSegment) expect(isInSignature(good, name, at)).toBe(true);
        }
      }
    },
  );

  it('with durable.json cut at every length or a bit of it flipped: the open stops, and nothing is changed', { timeout: 60_000 }, async () => {
    const whole = bytesOf('durable.json');
    for (let at = 0; at < whole.length; at++) {
      for (const bytes of [whole.slice(0, at), whole.map((byte, i) => (i === at ? byte ^ (1 << (at % 8)) : byte))]) {
        const outcome = await spoiled(good, 'durable.json', bytes);
        expect([at, outcome.opened]).toEqual([at, 'ledger-damaged']);
      }
    }
  });
});

/** Whether a byte lies in the signature of an entry, which is its end. */
function isInSignature(disk: MemoryDisk, name: string, at: number): boolean {
  return entriesIn(disk).some(({ segment, offset, bytes }) => {
    const end = offset + bytes.length;
    return name.includes(String(segment).padStart(12, '0')) && at >= end - 64 && at < end;
  });
}
