/**
 * Reads a folder from a disk as the files of a tree (AUD-13). Nothing is skipped: what cannot be read as bytes at a path is refused.
 * @module
 */
import * as fs from 'node:fs';
import { constants } from 'node:os';
import { basename, join } from 'node:path';
import { fromUtf8 } from '../../bytes.js';
import { quote, refuse } from '../../errors.js';
import { limits } from '../../limits.js';
import { checkTreePath, tooMuch, type TreeFile } from './tree.js';

export interface ReadFolder {
  /** The name of the folder itself. */
  readonly name: string;
  readonly files: readonly TreeFile[];
}

/**
 * Every file below a folder. A link to the folder itself is followed, none below it.
 *
 * @throws RuleprintError `tree-link`, `tree-special`, `tree-path`, `tree-empty`, `tree-changed`, `limit`; the error of the file system for what cannot be read
 */
export function readFolder(path: string): ReadFolder {
  const root = fs.realpathSync(path);
  if (!fs.statSync(root).isDirectory()) refuse('tree-special', 'expected a folder', { where: { file: path } });
  const files: TreeFile[] = [];
  let total = 0;
  const todo = [''];
  for (let folder = todo.pop(); folder !== undefined; folder = todo.pop()) {
    // names as bytes: one that is not UTF-8 would otherwise become another
    const names = fs.readdirSync(join(root, folder), { encoding: 'buffer' });
    if (names.length === 0) refuse('tree-empty', `expected a file in each folder, got none in ${quote(folder === '' ? '.' : folder)}`);
    if (names.length > limits.treeFiles) tooMuch('files', limits.treeFiles, names.length);
    for (const bytes of names) {
      const name = fromUtf8(bytes);
      if (name === undefined) refuse('tree-path', `expected names in UTF-8, got another in ${quote(folder === '' ? '.' : folder)}`);
      const at = folder === '' ? name : `${folder}/${name}`;
      checkTreePath(at);
      const kind = fs.lstatSync(join(root, at));
      if (kind.isSymbolicLink()) refuse('tree-link', `expected no link in a tree, got one at ${quote(at)}`, { hint: 'put the file itself there' });
      if (kind.isDirectory()) todo.push(at);
      else if (!kind.isFile()) refuse('tree-special', `expected a file or a folder at ${quote(at)}, got a device, socket or pipe`);
      else {
        const file = readFile(root, at);
        files.push(file);
        total += file.bytes.length;
        if (files.length > limits.treeFiles) tooMuch('files', limits.treeFiles, files.length);
        if (total > limits.treeBytes) tooMuch('bytes of all files', limits.treeBytes, total);
      }
    }
    if (todo.length > limits.treeFiles) tooMuch('folders', limits.treeFiles, todo.length);
  }
  return { name: basename(root), files };
}

/** Opened without following a link and without waiting for a pipe: what stood there at the look may have been put aside since. */
function readFile(root: string, path: string): TreeFile {
  let descriptor: number;
  try {
    descriptor = fs.openSync(join(root, path), fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).errno === -constants.errno.ELOOP) refuse('tree-link', `expected no link in a tree, got one at ${quote(path)}`);
    throw error;
  }
  try {
    const before = fs.fstatSync(descriptor);
    if (!before.isFile()) refuse('tree-special', `expected a file at ${quote(path)}, got another thing`);
    if (before.size > limits.treeFileBytes) tooMuch('bytes of one file', limits.treeFileBytes, before.size);
    const bytes = new Uint8Array(before.size + 1);
    let length = 0;
    for (let got = -1; got !== 0 && length < bytes.length; length += got) got = fs.readSync(descriptor, bytes, length, bytes.length - length, null);
    const after = fs.fstatSync(descriptor);
    if (length !== before.size || after.size !== before.size || after.mtimeMs !== before.mtimeMs || after.mode !== before.mode) {
      refuse('tree-changed', `expected files that stay as they are while they are read, ${quote(path)} did not`);
    }
    return { path, isExecutable: (before.mode & 0o100) !== 0, bytes: bytes.slice(0, length) };
  } finally {
    fs.closeSync(descriptor);
  }
}
