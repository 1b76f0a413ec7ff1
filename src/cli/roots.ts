/**
 * Where files stand from the root of their repository: what reports say, and never where a repository lies on a machine.
 * @module
 */
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { usage } from './failure.js';
import { fileName, isThere } from './files.js';
import type { Io } from './io.js';

/** Below `root` where it is given; else below the folder with `.git` above the file, else below the working folder, else the name alone. */
export async function pathFromRoot(io: Io, file: string, root?: string): Promise<string> {
  const path = resolve(io.cwd, file);
  if (root !== undefined) {
    const inside = within(resolve(io.cwd, root), path);
    if (inside === undefined) throw usage(`${fileName(file)} does not lie below the folder of --root`);
    return inside;
  }
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (await isThere(io, resolve(folder, '.git'))) return within(folder, path) as string;
    if (folder === dirname(folder)) break;
  }
  return within(io.cwd, path) ?? (within(dirname(path), path) as string);
}

function within(folder: string, path: string): string | undefined {
  const inside = relative(folder, path);
  return inside === '' || isAbsolute(inside) || inside.split(sep)[0] === '..' ? undefined : inside.split(sep).join('/');
}
