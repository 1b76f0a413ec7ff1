/**
 * Real paths, for a gate that shares the machine with the tools: links resolved, names as the disk spells them (MAP-16, `--realpath`).
 *
 * What is found here may be another thing when the tool acts: whoever can make links in between wins that race, and SECURITY says so.
 * @module
 */
import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { refuse } from '../errors.js';
import type { Realpath } from '../mapping/mapper.js';

/** Links that are followed for one path: as many as Linux follows. */
const maxLinks = 40;
const notThere: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

/**
 * Gives the real path of the longest part of a path that is there, and the rest as written. A link that leads to nothing is followed all the same, because
 * a write goes through it. A name that is there in another case or another normal form is taken as the disk has it: some disks take the one for the
 * other, and server-filesystem takes one normal form for another.
 */
export function realPaths(): Realpath {
  return (path) => {
    const rest = path.split('/');
    let real = '/';
    let links = 0;
    for (let segment = rest.shift(); segment !== undefined; segment = rest.shift()) {
      if (segment === '' || segment === '.') continue;
      if (segment === '..') {
        real = dirname(real); // `real` has no link left: its parent is where the disk steps to
        continue;
      }
      // a link that leads each process to somewhere else
      if (real === '/proc' && (segment === 'self' || segment === 'thread-self')) unknown('ESRCH');
      const name = spellingOf(real, segment);
      const target = linkOf(join(real, name));
      if (target === undefined) real = join(real, name);
      else {
        if (++links > maxLinks) unknown('ELOOP');
        if (target.startsWith('/')) real = '/';
        rest.unshift(...target.split('/'));
      }
    }
    return real;
  };
}

function linkOf(path: string): string | undefined {
  if (statusOf(path)?.isSymbolicLink() !== true) return undefined;
  try {
    return readlinkSync(path);
  } catch (error) {
    return unknown((error as { code?: unknown }).code);
  }
}

/** Undefined: nothing is there. */
function statusOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    const { code } = error as { code?: unknown };
    return notThere.has(code) ? undefined : unknown(code);
  }
}

/** How the disk spells a name of a folder; as written where nothing like it is there. */
function spellingOf(folder: string, name: string): string {
  const isAscii = /^[ -~]*$/.test(name);
  const status = statusOf(join(folder, name));
  if (isAscii && (status === undefined || !isAlsoThere(join(folder, swapCase(name)), status))) return name;
  const entries = entriesOf(folder);
  if (entries.includes(name)) return name;
  const alike = entries.filter((entry) => entry.normalize('NFC') === name.normalize('NFC'));
  const found = alike.length > 0 || status === undefined ? alike : entries.filter((entry) => folded(entry) === folded(name));
  if (found.length > 1) return unknown('several names');
  return found[0] ?? name;
}

/** Whether another spelling is the same file: only then does the disk not mind the case. */
function isAlsoThere(path: string, { dev, ino }: Stats): boolean {
  const other = statusOf(path);
  return other !== undefined && other.dev === dev && other.ino === ino;
}

const swapCase = (name: string): string =>
  name.replace(/[A-Za-z]/g, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()));
const folded = (name: string): string => name.normalize('NFC').toLowerCase();

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as { code?: unknown };
    return notThere.has(code) ? [] : unknown(code);
  }
}

/** The path is the agent's and stays out of the message. */
function unknown(cause: unknown): never {
  return refuse('path-unknown', 'expected a path whose links can be followed', { evidence: { cause } });
}
