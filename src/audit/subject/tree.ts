/**
 * A folder of files as one digest (spec/audit.md, "The tree"): every byte, every path and every mode bit is in it. Pure: a list of files in, a digest out.
 * @module
 */
import { compareUtf8, concat, field, hex, u32be, utf8 } from '../../bytes.js';
import { quote, refuse } from '../../errors.js';
import { sha256, sha256Text } from '../../hash.js';
import { limits } from '../../limits.js';
import { checkText } from '../../policy/text.js';

/** One file of a tree. */
export interface TreeFile {
  /** From the root of the tree, with `/` between the segments. */
  readonly path: string;
  /** Whether its owner may execute it. */
  readonly isExecutable: boolean;
  readonly bytes: Uint8Array;
}

/**
 * The digest of a tree.
 *
 * @returns `sha256:` and 64 lower-case hex digits; the order of the files does not matter
 * @throws RuleprintError `tree-path`, `tree-empty`, `lone-surrogate`, `limit`
 */
export function treeDigest(files: readonly TreeFile[]): string {
  return sha256Text(treePreimage(files));
}

/** The bytes that the digest of a tree hashes. The caller owns them. */
export function treePreimage(files: readonly TreeFile[]): Uint8Array {
  const parts = [field('ruleprint/tree-digest/1'), u32be(files.length)]; // AUD-10
  for (const { path, isExecutable, bytes } of sortedTree(files)) {
    parts.push(field(path), field(isExecutable ? 'executable' : 'file'), sha256(bytes)); // AUD-11
  }
  return concat(...parts);
}

/**
 * The hash that AbstractSkill gives the same tree (AUD-16), for its records: 64 hex digits without a prefix. It leaves out files by three names, mode bits and
 * the number of files, so two trees can share it: it is given out and never rested on.
 */
export function interchangeHash(files: readonly TreeFile[]): string {
  const parts: Uint8Array[] = [];
  for (const { path, bytes } of sortedTree(files)) {
    if (skippedByInterchange.has(path.slice(path.lastIndexOf('/') + 1))) continue;
    const name = utf8(path);
    parts.push(u32be(0), u32be(name.length), name, sha256(bytes));
  }
  return hex(sha256(concat(...parts)));
}

const skippedByInterchange = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini']);

/** The files in the order of the UTF-8 bytes of their paths. Refuses what is no tree (AUD-12). */
export function sortedTree(files: readonly TreeFile[]): readonly TreeFile[] {
  if (files.length === 0) refuse('tree-empty', 'expected a tree of at least one file');
  if (files.length > limits.treeFiles) tooMuch('files', limits.treeFiles, files.length);
  let total = 0;
  for (const { path, bytes } of files) {
    checkTreePath(path);
    if (bytes.length > limits.treeFileBytes) tooMuch('bytes of one file', limits.treeFileBytes, bytes.length);
    total += bytes.length;
  }
  if (total > limits.treeBytes) tooMuch('bytes of all files', limits.treeBytes, total);
  const sorted = [...files].sort((a, b) => compareUtf8(a.path, b.path));
  const paths = new Set(sorted.map(({ path }) => path));
  if (paths.size < sorted.length) refuse('tree-path', 'expected one file at each path, got two at one');
  for (const path of paths) {
    const isFile = foldersOf(path).find((folder) => paths.has(folder));
    if (isFile !== undefined) refuse('tree-path', `expected a folder at ${quote(isFile)}, got a file too`);
  }
  return sorted;
}

/** Every folder above a path, the nearest last. */
export function foldersOf(path: string): readonly string[] {
  const folders: string[] = [];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at));
  return folders;
}

/** Refuses a path that has another spelling, leads out of the tree or would mislead whoever reads it (AUD-12). */
export function checkTreePath(path: string): void {
  checkText(path, limits.treePathBytes);
  const isStrange = path.split('/').some((segment) => segment === '' || segment === '.' || segment === '..');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (isStrange || /[\\\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/.test(path)) {
    refuse('tree-path', `expected a relative path in its one spelling, without backslash, control and direction characters, got ${quote(path)}`);
  }
}

export function tooMuch(what: string, max: number, got: number): never {
  refuse('limit', `expected a tree of at most ${max} ${what}, got ${got}`, { evidence: { limit: `tree ${what}`, max, got } });
}
