/**
 * What the demo leaves behind, where it is asked to.
 * @module
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { systemReason, unreadable } from '../failure.js';
import { fileName, makeFolder } from '../files.js';
import type { Io } from '../io.js';
import { shellWord } from '../printable.js';
import type { Play } from './play.js';

/** Makes the folder, or refuses one that holds something: before the demo plays, not after. */
export async function prepareKeep(io: Io, folder: string): Promise<void> {
  await makeFolder(io, folder);
  const names = await readdir(resolve(io.cwd, folder)).catch((error: unknown) => {
    throw unreadable(`cannot read ${fileName(folder)}: ${systemReason(error)}`, undefined, error);
  });
  if (names.length > 0) throw unreadable(`${fileName(folder)} is not empty`, 'ruleprint overwrites nothing: take another folder');
}

/** Writes receipts, policies and trust store; gives the command that verifies them. */
export async function keep(io: Io, folder: string, { receipts, policies, trust }: Play): Promise<string> {
  const at = (...names: string[]): string => resolve(io.cwd, folder, ...names);
  try {
    await mkdir(at('policies'));
    await writeFile(at('receipts.cbor'), receipts, { flag: 'wx' });
    await writeFile(at('trust.json'), trust, { flag: 'wx' });
    for (const { version, text } of policies) await writeFile(at('policies', `policy-${version}.yaml`), text, { flag: 'wx' });
  } catch (error) {
    throw unreadable(`cannot write to ${fileName(folder)}: ${systemReason(error)}`, undefined, error);
  }
  const [receiptFile, trustFile, policyFolder] = ['receipts.cbor', 'trust.json', 'policies'].map((name) => shellWord(join(folder, name)));
  return `ruleprint verify ${receiptFile} --trust ${trustFile} --policies ${policyFolder}`;
}
