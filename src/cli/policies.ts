/**
 * Policies from files.
 * @module
 */
import type { Policy } from '../policy/model.js';
import { parsePolicy } from '../policy/parse.js';
import { unreadable } from './failure.js';
import { fileName, formatOf, maxDocumentBytes, policyFilesIn, readBytes, type TextFormat } from './files.js';
import type { Io } from './io.js';

/** A policy that a command needs: what is wrong with it ends the command. */
export async function readPolicy(io: Io, file: string, said?: string): Promise<Policy> {
  return readAs(io, file, formatOf(file, said));
}

async function readAs(io: Io, file: string, format: TextFormat): Promise<Policy> {
  return parsePolicy(await readBytes(io, file, maxDocumentBytes), { format, file: fileName(file) });
}

/** The policies of several paths: of a folder, each of its `.json`, `.yaml` and `.yml` files. */
export async function readPolicies(io: Io, paths: readonly string[]): Promise<readonly Policy[]> {
  const policies: Policy[] = [];
  for (const path of paths) {
    const files = (await policyFilesIn(io, path)) ?? [path];
    if (files.length === 0) throw unreadable(`there is no policy in ${fileName(path)}`, 'policies are its files that end in .json, .yaml or .yml');
    for (const file of files) policies.push(await readAs(io, file, formatOf(file, undefined, 'the names of policy files end in .json, .yaml or .yml')));
  }
  return policies;
}
