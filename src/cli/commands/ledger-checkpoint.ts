/**
 * `ruleprint ledger checkpoint`: signs, by a key that is not the engine's, how far a ledger has come (LED-13).
 * @module
 */
import { fromHex, hex } from '../../bytes.js';
import { createSigner } from '../../cose/signer.js';
import { Chain } from '../../ledger/chain.js';
import { prepareStatement } from '../../receipt/issue.js';
import { ownSeq } from '../../receipt/entry.js';
import { receiptHash } from '../../receipt/read.js';
import type { Command, Context } from '../command.js';
import { entriesIn } from '../entries.js';
import { Failure, unreadable, usage } from '../failure.js';
import { fileName, newFile } from '../files.js';
import { exit } from '../io.js';
import { asciiJson, shellWord } from '../printable.js';
import { problemLines } from '../problem-lines.js';
import { reportLines, sortedReport } from '../report-lines.js';
import { readSigningKey } from '../signing.js';
import { type Place, placeOf } from '../sources.js';
import { readCheckpoints, readTrust, verifyPlaces } from '../verifying.js';

export const ledgerCheckpoint: Command = {
  arguments: [{ syntax: '<folder>', about: 'the folder of a ledger' }],
  options: [
    { syntax: '--key <file>', about: "the auditor's private key, never the engine's: JWK, PEM or COSE_Key", isRequired: true },
    { syntax: '--out <file>', about: 'where the checkpoint goes; a new file (default: checkpoint-<seq>.cbor)' },
    { syntax: '--trust <file>', about: 'verify the ledger first, with this trust store: nothing is signed that is not good' },
    { syntax: '--checkpoint <file...>', about: 'checkpoints from before that the ledger must bear out; needs --trust' },
  ],
  details: `Signs the last entry that is synced. The order of all entries up to it is checked in any case; signatures, keys and decisions only with --trust.
A checkpoint shows what happens to the ledger from now on, where it is kept out of reach of whoever writes the ledger.`,
  json: '{ "ledger_id", "engine_id", "seq": 41, "receipt_hash", "time", "hash": of the checkpoint, "kid", "file", "verified": whether --trust was given }',
  examples: [
    'ruleprint ledger checkpoint audit --key auditor.jwk',
    'ruleprint ledger checkpoint audit --key auditor.jwk --trust trust.json --checkpoint last-week.cbor --out today.cbor',
  ],
  run: async (context) => {
    const { io, out, input } = context;
    const folder = input.arguments[0] as string;
    if (input.value('out') === '-') throw usage('a checkpoint is bytes: it goes to a file', 'give --out a file name');
    if (input.has('checkpoint') && !input.has('trust')) throw usage('--checkpoint needs --trust', 'the keys of checkpoints come from the trust store');
    const key = await readSigningKey(io, out, input.value('key') as string);
    const place = await placeOf(io, folder);
    if (place.source.kind !== 'folder') throw usage(`${fileName(folder)} is no folder of a ledger`);
    if (input.has('trust') && !(await isGood(context, place))) {
      throw new Failure(exit.bad, `nothing was signed: ${fileName(folder)} is not good`, 'ruleprint verify says the same, and more with --json');
    }
    const { engineId, ledgerId, seq, hash } = pinOf(place, key.public.kid);

    const time = Date.now();
    const signer = createSigner(key);
    const ledgerIdBytes = fromHex(ledgerId) as Uint8Array;
    const prepared = prepareStatement({ statement: 'checkpoint', engine_id: engineId, time, ledger_id: ledgerIdBytes, seq, receipt_hash: hash }, signer);
    const bytes = prepared.finish(signer.sign(prepared.sigStructure));
    const name = input.value('out') ?? `checkpoint-${String(seq).padStart(12, '0')}.cbor`;
    const file = await newFile(io, name);
    try {
      await file.append(bytes);
      await file.close();
    } catch (error) {
      await file.abandon();
      throw error;
    }

    const verified = input.has('trust');
    const { kid } = key.public;
    if (input.has('json')) {
      out.json({ ledger_id: ledgerId, engine_id: engineId, seq, receipt_hash: hash, time, hash: receiptHash(bytes), kid, file: name, verified });
      return exit.good;
    }
    out.line(`checkpoint  seq ${seq}, ${hash}`);
    out.line(`ledger      ${ledgerId} of engine ${asciiJson(engineId)}, ${verified ? 'verified' : 'its order checked, its signatures not: --trust does that'}`);
    out.line(`key         ${kid}`);
    out.line(`written     ${fileName(name)} (keep it where whoever writes the ledger cannot reach it)`);
    out.line();
    out.line(out.colours.faint('next:'));
    out.line(`  ruleprint verify ${shellWord(folder)} --trust ${shellWord(input.value('trust') ?? 'trust.json')} --checkpoint ${shellWord(name)}`);
    return exit.good;
  },
};

async function isGood({ io, out, input }: Context, place: Place): Promise<boolean> {
  const checkpoints = await readCheckpoints(io, input.values('checkpoint') ?? []);
  const trust = await readTrust(io, input.value('trust') as string);
  const report = sortedReport(await verifyPlaces(io, [place], trust, { checkpoints }));
  if (report.ok) return true;
  if (input.has('json')) return false;
  for (const line of reportLines(report, out.colours, { hasPolicies: true, isLedger: true })) out.line(line);
  return false;
}

interface Pin {
  readonly engineId: string;
  readonly ledgerId: string;
  readonly seq: number;
  readonly hash: string;
}

/** The last entry that is synced, at the end of a chain whose order is good. */
function pinOf({ source, pieces }: Place, auditor: string): Pin {
  const { durable, file } = source;
  if (durable === undefined) throw unreadable(`nothing in ${file} is synced yet`, 'a ledger that is written to says in durable.json how far it is synced');
  const bad = (message: string): Failure => new Failure(exit.bad, `nothing was signed: ${message}`, `ruleprint verify ${file} says more`);
  if ('code' in durable) throw bad(problemLines(durable).text);
  const chain = new Chain();
  let begun: { engineId: string; ledgerId: string } | undefined;
  for (const { file: segment, offset, receipt } of entriesIn(pieces)) {
    if ('code' in receipt) throw bad(problemLines(receipt).text);
    const { statement, hash, kid } = receipt;
    const at = { file: segment, offset };
    const seq = ownSeq(statement);
    const prev = 'prev' in statement ? statement.prev : undefined;
    if (seq === undefined) throw bad(problemLines({ code: 'seq-missing', message: 'expected an entry with a seq', where: at }).text);
    const fault = chain.follow(seq, prev, hash, statement.statement === 'genesis');
    if (fault !== undefined) throw bad(problemLines({ ...fault, where: { ...at, engine: statement.engine_id, seq } }).text);
    if (kid === auditor) {
      throw usage(
        'the key is that of the engine',
        'a checkpoint by the key that writes the ledger proves nothing: ruleprint keygen --role auditor makes another',
      );
    }
    if (statement.statement === 'genesis') begun = { engineId: statement.engine_id, ledgerId: hex(statement.ledger_id) };
    if (begun?.engineId !== statement.engine_id) throw bad(`${segment}, byte ${offset}: an entry of another engine`);
    if (seq < durable.seq) continue;
    if (hash !== durable.hash) throw bad(`${segment}, byte ${offset}: durable.json names another entry at seq ${seq}`);
    return { ...begun, seq, hash };
  }
  throw bad(`${file} ends before seq ${durable.seq}, which durable.json names`);
}
