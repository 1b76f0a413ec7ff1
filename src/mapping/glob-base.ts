/**
 * How far a glob reaches, from its text alone (MAP-12): the folder that all its matches are in.
 * @module
 */
import { refuse } from '../errors.js';
import { limits } from '../limits.js';
import { checkText } from '../policy/text.js';

/** A segment that is only itself, in every dialect of globs. */
const literal = /^[^*?[\]{}()!@+|,\\]+$/;
/** A segment that matches names and is never `.`, `..` or empty, whatever its braces make of it: it has none, or it begins with a star and its braces are flat. */
const wild = /^(?:[^[\](){}\\]+|\*[^[\](){}\\]*(?:\{[^[\](){}\\]*\}[^[\](){}\\]*)*)$/;

/**
 * The literal segments in front, as written: `src/a*\/b.ts` gives `src`, `/etc/**` gives `/etc`, and `*.ts` nothing.
 *
 * @throws RuleprintError `lone-surrogate`, `limit`, `glob-reach`
 */
export function globBase(pattern: string): string {
  checkText(pattern, limits.requestStringBytes);
  const segments = pattern.split('/');
  // an absolute pattern has an empty segment in front, which is literal too
  const isFront = (segment: string, i: number): boolean => literal.test(segment) || (segment === '' && i === 0);
  let front = 0;
  while (front < segments.length && isFront(segments[front] as string, front)) front++;
  const rest = segments.slice(front);
  if (pattern === '' || pattern.includes('\0') || rest.some((segment) => segment === '.' || segment === '..' || !wild.test(segment))) {
    refuse('glob-reach', 'expected a glob of plain names, stars and question marks, with braces behind a star alone');
  }
  const base = segments.slice(0, front).join('/');
  return base === '' && pattern.startsWith('/') ? '/' : base;
}
