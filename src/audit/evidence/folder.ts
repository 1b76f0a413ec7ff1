/**
 * The files of an evidence folder beside the ledger and the run: documents that the plan cites by digest, and the audited tree (spec/audit-evidence.md).
 * @module
 */
import { chmodSync, closeSync, constants, existsSync, fstatSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants as systemConstants } from 'node:os';
import { dirname, join } from 'node:path';
import { fromUtf8 } from '../../bytes.js';
import { refuse } from '../../errors.js';
import { limits } from '../../limits.js';
import { readFolder } from '../subject/read-folder.js';
import { sortedTree, type TreeFile, treeDigest } from '../subject/tree.js';
import { stableText } from '../transcript.js';

export const layout = Object.freeze({
  ledger: 'ledger',
  scenarios: 'scenarios.json',
  mapping: 'mapping.json',
  subject: 'subject',
  transcripts: 'transcripts',
  trust: 'trust.json',
  keys: 'keys',
});

/**
 * Writes a document, or finds the same one there.
 *
 * @throws RuleprintError `run-differs`, `run-damaged`
 */
export function keepDocument(folder: string, name: string, document: unknown): void {
  const path = join(folder, name);
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (!existsSync(path)) {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
    return;
  }
  if (stableText(readDocument(folder, name)) !== stableText(JSON.parse(text))) {
    refuse('run-differs', `expected ${name} as it is there, got another`, { where: { file: path }, hint: 'take another folder' });
  }
}

/**
 * The text of a file; undefined where there is none. Opened without following a link and without waiting for a pipe, and never read beyond its limit: whoever made
 * the folder may have put anything there.
 *
 * @throws RuleprintError `limit`, `run-damaged` for what is no file or no UTF-8; what the disk throws
 */
export function readText(path: string, max: number): string | undefined {
  const where = { file: path };
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { ENOENT, ENOTDIR, ELOOP, ENXIO } = systemConstants.errno;
    const errno = -((error as NodeJS.ErrnoException).errno ?? 0);
    if (errno === ENOENT || errno === ENOTDIR) return undefined;
    if (errno === ELOOP || errno === ENXIO) return refuse('run-damaged', 'expected a file, got a link, a pipe or a device', { where });
    throw error;
  }
  try {
    const kind = fstatSync(descriptor);
    if (!kind.isFile()) refuse('run-damaged', 'expected a file, got another thing', { where });
    if (kind.size > max) refuse('limit', `expected a file of at most ${max} bytes, got ${kind.size}`, { where, evidence: { limit: 'file', max } });
    const bytes = new Uint8Array(kind.size);
    let length = 0;
    for (let got = -1; got !== 0 && length < bytes.length; length += got) got = readSync(descriptor, bytes, length, bytes.length - length, null);
    return fromUtf8(bytes.subarray(0, length)) ?? refuse('run-damaged', 'expected UTF-8', { where });
  } finally {
    closeSync(descriptor);
  }
}

/** @throws RuleprintError `limit`, `run-damaged` for what is no JSON; what the disk throws */
export function readDocument(folder: string, name: string): unknown {
  const path = join(folder, name);
  const text = readText(path, limits.jsonBytes) ?? refuse('run-damaged', `expected ${name}, it is not there`, { where: { file: path } });
  try {
    return JSON.parse(text);
  } catch {
    return refuse('run-damaged', `expected JSON in ${name}`, { where: { file: path } });
  }
}

/** Writes a tree as it was read, mode bits and all, or finds the same one there. */
export function keepTree(folder: string, files: readonly TreeFile[]): void {
  // a path of no tree could lead out of the folder
  sortedTree(files);
  const root = join(folder, layout.subject);
  if (existsSync(root)) {
    if (treeDigest(readFolder(root).files) !== treeDigest(files)) {
      refuse('run-differs', 'expected the tree that the evidence has, got another', { where: { file: root }, hint: 'any changed byte is another subject' });
    }
    return;
  }
  // a copy that was broken off is none
  const unfinished = `${root}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  for (const { path, isExecutable, bytes } of files) {
    const at = join(unfinished, path);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, bytes);
    chmodSync(at, isExecutable ? 0o755 : 0o644);
  }
  renameSync(unfinished, root);
}
