/**
 * Real paths, for a gate that shares the machine with what it guards: links resolved, names as the disk spells them (GAT, `--realpath`).
 *
 * What is judged here may be another thing when the tool acts: whoever can make links in between wins that race, and SECURITY says so.
 * @module
 */
import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { refuse } from '../errors.js';
import type { Realpath } from '../mapping/mapper.js';

/** Links that are followed for one path: as many as Linux follows. */
const maxLinks = 40;

/**
 * The real path of the longest part of a path that is there, and the rest as written. A link that leads to nothing is followed all the same, because a
 * write goes through it; and a name that is there in another case or another normal form is taken as the disk has it, because some disks and some
 * servers take the one for the other.
 */
export function realPaths(): Realpath {
  return (path) => realOf(path);
}

function realOf(path: string): string {
  let real = '/';
  let rest = path.split('/').filter((segment) => segment !== '');
  for (let links = 0; rest.length > 0; ) {
    const [segment = '', ...behind] = rest;
    const target = linkOf(join(real, segment));
    if (target === undefined) {
      const spelled = spellingOf(real, segment);
      if (spelled === undefined) return join(real, ...rest);
      // found under another spelling, which may be a link itself
      if (spelled !== segment) rest = [spelled, ...behind];
      else {
        real = join(real, segment);
        rest = behind;
      }
      continue;
    }
    if (++links > maxLinks) refuse('path-character', 'expected a path with no circle of links');
    // a link's own `..` steps from where the link stands, and this text has no other
    const segments = target.split('/').filter((each) => each !== '' && each !== '.');
    const from = target.startsWith('/') ? '/' : real;
    const up = segments.findIndex((each) => each !== '..');
    const steps = up < 0 ? segments.length : up;
    real = join(from, ...segments.slice(0, steps));
    rest = [...segments.slice(steps), ...behind];
    if (rest.includes('..')) {
      const whole = join('/', realOrRefused(join(real, ...segments.slice(steps))), ...behind);
      return realOf(whole);
    }
  }
  return real;
}
