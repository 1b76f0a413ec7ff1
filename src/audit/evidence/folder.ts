/**
 * The files of an evidence folder beside the ledger and the run: documents that the plan cites by digest, and the audited tree (spec/audit-evidence.md).
 * @module
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { refuse } from '../../errors.js';
import { readFolder } from '../subject/read-folder.js';
import { type TreeFile, treeDigest } from '../subject/tree.js';
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

/** @throws RuleprintError `run-damaged` for what is no JSON; what the disk throws */
export function readDocument(folder: string, name: string): unknown {
  const path = join(folder, name);
  const text = readFileSync(path, 'utf8');
  try {
    return JSON.parse(text);
  } catch {
    return refuse('run-damaged', `expected JSON in ${name}`, { where: { file: path } });
  }
}

/** Writes a tree as it was read, mode bits and all, or finds the same one there. */
export function keepTree(folder: string, files: readonly TreeFile[]): void {
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
