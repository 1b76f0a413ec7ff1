/**
 * `ruleprint ledger repair`: the one way past `ledger-damaged` (LED-6). Keeps a copy, cuts, and says what is lost.
 * @module
 */
import { closeSync, constants, copyFileSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RuleprintError } from '../../errors.js';
import { fileStore } from '../../ledger/file-store.js';
import { markFile } from '../../ledger/layout.js';
import type { Ledger } from '../../ledger/ledger.js';
import { acquireLock } from '../../ledger/lock.js';
import { markBytes } from '../../ledger/mark.js';
import type { Command, Context } from '../command.js';
import { type Damage, findDamage } from '../damage.js';
import { Failure, isTaken, systemReason, unreadable, usage } from '../failure.js';
import { fileName } from '../files.js';
import { exit, type Io } from '../io.js';
import { asciiJson, count } from '../printable.js';
import { problemLines } from '../problem-lines.js';
import { asTyped, inFolder } from '../sources.js';
import { checkIsLedger, engineOptions, openQuietly, openWriter, type Owner, readOwner } from '../writer.js';

const lockTimeoutMs = 10_000;

export const ledgerRepair: Command = {
  arguments: [{ syntax: '<folder>', about: 'the folder of a ledger' }],
  options: [
    ...engineOptions,
    { syntax: '--keep-copy [folder]', about: 'required: where what is cut goes (default: <folder>.damaged-<time>, beside the ledger); a new folder' },
  ],
  details: `A ledger whose synced entries are damaged cannot be opened (ledger-damaged), and is never mended in silence. This cuts it from the first entry on
that is not whole, not next in the chain or not signed by the engine. What is cut is evidence of what happened: the copy is for whoever
finds out. A ledger that opens is left as it is.`,
  json: `{ "repaired": false }     it opens
{ "repaired": true, "ledger_id", "engine_id", "kept": { "seq" }, "lost": { "from", "to" } | null, "bytes", "first": { "code", "message", "where" },
  "copy": { "folder", "files": [names] } }`,
  examples: ['ruleprint ledger repair audit --key key.jwk --keep-copy', 'ruleprint ledger repair audit --key key.jwk --keep-copy incident-7'],
  run: async (context) => {
    const { io, out, input } = context;
    const folder = input.arguments[0] as string;
    if (!input.has('keep-copy')) throw usage('nothing is cut without a copy: --keep-copy', 'what is cut is evidence, and the copy is all that is left of it');
    const owner = await readOwner(context, input.value('key') as string);
    await checkIsLedger(context, folder);
    if (await opens(context, folder, owner)) {
      if (input.has('json')) out.json({ repaired: false });
      else out.line(`${fileName(folder)} opens: there is nothing to repair. ruleprint verify judges the rest of it`);
      return exit.good;
    }
    const bare = folder.replace(/(?<=.)\/+$/, '');
    const copy = input.value('keep-copy') ?? `${bare}.damaged-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`;
    const found = await inFolder(io, folder, (path) => cut(io, path, copy, owner));
    const damage = { ...found, problem: asTyped(io, folder, found.problem) };
    const ledger = await openQuietly(context, folder, owner);
    await ledger.close();
    if (input.has('json')) out.json(jsonOf(damage, copy, ledger));
    else for (const line of linesOf(damage, fileName(bare), fileName(copy), out.colours.bad)) out.line(line);
    return exit.good;
  },
};

async function opens(context: Context, folder: string, owner: Owner): Promise<boolean> {
  try {
    await (await openWriter(context, folder, owner)).close();
    return true;
  } catch (error) {
    if (error instanceof RuleprintError && error.code === 'ledger-damaged') return false;
    throw error;
  }
}

/** Copies what is to be cut, and lets the mark name the last good entry: from then on the open of the ledger cuts what is behind. */
async function cut(io: Io, path: string, copy: string, owner: Owner): Promise<Damage & { last: NonNullable<Damage['last']> }> {
  const store = fileStore(path);
  const lock = await acquireLock(store, lockTimeoutMs);
  try {
    const damage = findDamage(store, owner);
    const { last, files, problem } = damage;
    if (last === undefined) {
      throw new Failure(
        exit.bad,
        `nothing of the ledger can be kept: ${problemLines(problem).text}`,
        'keep the folder as it is, and begin a ledger in another',
      );
    }
    keepCopy(io, path, copy, files);
    store.replaceNow(markFile, markBytes(last));
    return { ...damage, last };
  } finally {
    lock.release();
  }
}

function keepCopy(io: Io, path: string, copy: string, files: readonly string[]): void {
  const to = resolve(io.cwd, copy);
  try {
    mkdirSync(to, { mode: 0o700 });
    for (const name of files) {
      copyFileSync(join(path, name), join(to, name), constants.COPYFILE_EXCL);
      sync(join(to, name));
    }
    sync(to);
  } catch (error) {
    const hint = isTaken(error) ? 'ruleprint overwrites nothing: give --keep-copy another folder' : undefined;
    throw unreadable(`cannot keep a copy in ${fileName(copy)}: ${systemReason(error)}; nothing was cut`, hint, error);
  }
}

function sync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

type Cut = Damage & { readonly last: NonNullable<Damage['last']> };

function jsonOf({ last, lostTo, bytes, problem, files }: Cut, copy: string, { ledgerId, engineId }: Ledger): object {
  const lost = lostTo === undefined ? null : { from: last.seq + 1, to: lostTo };
  return { repaired: true, ledger_id: ledgerId, engine_id: engineId, kept: { seq: last.seq }, lost, bytes, first: problem, copy: { folder: copy, files } };
}

function linesOf({ last, lostTo, bytes, problem, files }: Cut, folder: string, copy: string, bad: (text: string) => string): string[] {
  const from = last.seq + 1;
  const lost =
    lostTo === undefined ? 'no entry that can be told' : `${lostTo === from ? `entry ${from}` : `entries ${from} to ${lostTo}`}, which the ledger had`;
  return [
    `${bad('LOST')}  ${lost}; ${count(bytes, 'byte')} cut`,
    `first bad  ${problemLines(problem).text}`,
    `kept       entries up to seq ${last.seq} in ${folder}`,
    `copy       ${files.map((name) => asciiJson(name).slice(1, -1)).join(', ')} in ${copy}`,
    `A checkpoint over ${lostTo === undefined ? 'a later entry' : `entry ${from} or a later one`} fails from now on, and is meant to: completeness says that entries are gone.`,
  ];
}
