/**
 * A process that writes a ledger and says on its standard output, a line each, what it was told: `O` open, `R` recorded, `D` durable, `E` refused.
 * A line is written after the fact that it states, so what is said has happened.
 * @module
 */
import { writeSync } from 'node:fs';
import { argv } from 'node:process';
import { RuleprintError } from '../../../src/errors.js';
import { openEngine } from '../../../src/ledger/engine.js';
import { type Appended, type Durability, openLedger } from '../../../src/ledger/index.js';
import { type AnySigner, engineId, oneOf, policyOf, randomOf, request, signer, slowSigner, turns, upTo } from '../kit.js';

export interface WriterSettings {
  readonly folder: string;
  readonly seed: number;
  readonly durability: Durability;
  readonly isSlow: boolean;
  readonly rotateAfter: number;
  readonly lockTimeout: number;
  /** Decisions to make before it closes and ends by itself; for ever without. */
  readonly decisions?: number;
  /** Named after the entry. */
  readonly policyVersion: number;
}

const say = (line: string): void => void writeSync(1, `${line}\n`);

async function write(settings: WriterSettings): Promise<void> {
  const { folder, seed, durability, isSlow, rotateAfter, lockTimeout, decisions = Number.POSITIVE_INFINITY } = settings;
  const random = randomOf(seed);
  const by: AnySigner = isSlow ? slowSigner(() => turns(upTo(random, 4))) : signer;
  const ledger = await openLedger(folder, { engineId, signer: by, durability, rotateAfter, lockTimeout });
  say(`O ${ledger.last.seq} ${ledger.last.hash} ${ledger.opened.cut?.bytes ?? 0}`);
  const noted = ({ seq, hash, recorded, durable }: Appended): void => {
    if (ledger.recordedTo >= seq) say(`R ${seq} ${hash}`);
    else recorded.then(() => say(`R ${seq} ${hash}`), refused);
    if (durability !== 'none') durable.then(() => say(`D ${seq} ${hash}`), refused);
  };
  const engine = openEngine({ ledger });
  const { receipt } = engine.reload(policyOf(Math.max(settings.policyVersion, engine.policyVersion() ?? 0)));
  if (receipt !== undefined) noted(receipt);
  for (let made = 0; made < decisions; ) {
    for (let burst = Math.min(upTo(random, 20) + 1, decisions - made); burst > 0; burst--, made++)
      noted(engine.decide(request(oneOf(random, 'read', 'write', 'other'))).receipt);
    if (random() < 0.05) ledger.rotate().catch(refused);
    if (random() < 0.3) await ledger.sync();
    else await turns(upTo(random, 3));
  }
  await ledger.close();
  say('C');
}

function refused(error: unknown): void {
  if (!(error instanceof RuleprintError)) throw error;
  say(`E ${error.code} ${(error.cause as { code?: string } | undefined)?.code ?? ''}`);
  process.exitCode = 3;
}

write(JSON.parse(argv[2] ?? '') as WriterSettings).catch(refused);
