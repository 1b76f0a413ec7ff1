/**
 * Names in a tree that people and tools do not see as they are (AUD-14, AUD-15): covered by our digest, and named, because an audit of a tree in which something
 * hides must say so.
 * @module
 */
import { ignorable } from '../fold.js';
import { foldersOf, type TreeFile } from './tree.js';

/** Why a file is named. */
export type HiddenReason = 'junk-name' | 'name-collides';

export interface HiddenFile {
  readonly path: string;
  readonly reason: HiddenReason;
}

/** Names that systems leave behind, which listings, archives and the hashes of other tools leave out: a place to hide instructions in. Lower case. */
const junk = new Set(['.ds_store', 'thumbs.db', 'desktop.ini', '.localized', '.spotlight-v100', '.trashes', '.fseventsd', '__macosx', '.git', '.svn', '.hg']);

function isJunk(name: string): boolean {
  const lower = name.toLowerCase();
  return junk.has(lower) || lower.startsWith('._');
}

/** The files of a tree whose name hides them, or is for some reader the name of another, in the order of the paths given. */
export function hiddenFiles(files: readonly TreeFile[]): readonly HiddenFile[] {
  const spellings = new Map<string, Set<string>>();
  for (const { path } of files) {
    for (const name of [...foldersOf(path), path]) {
      const key = keyOf(name);
      spellings.set(key, (spellings.get(key) ?? new Set()).add(name));
    }
  }
  const collides = (name: string): boolean => (spellings.get(keyOf(name))?.size ?? 0) > 1;
  return files.flatMap(({ path }): HiddenFile[] => {
    if (path.split('/').some(isJunk)) return [{ path, reason: 'junk-name' }];
    return [...foldersOf(path), path].some(collides) ? [{ path, reason: 'name-collides' }] : [];
  });
}

/** What a name is on volumes that ignore case or normalise, and for an eye. In lower case first: that of İ has a mark, and that of Σ depends on where it stands. */
function keyOf(name: string): string {
  return name.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').replaceAll(ignorable, '').normalize('NFKC');
}
