/**
 * From a path as an agent wrote it to the canonical path that is judged (MAP-9 to MAP-11).
 * @module
 */
import { refuse } from '../errors.js';
import { limits } from '../limits.js';
import { canonicalCheckedPath } from '../policy/path.js';
import { checkText } from '../policy/text.js';
import type { PathRules } from './table.js';

/** What relative paths and `~` stand for, each absolute and canonical where it is known. */
export interface Bases {
  readonly cwd?: string | undefined;
  readonly home?: string | undefined;
}

/** Without a word in the table (MAP-9). */
export const strictPaths: PathRules = { relative: 'refuse', home: 'refuse', dot_dot: 'refuse' };

/**
 * @throws RuleprintError `lone-surrogate`, `limit`, `path-character`, `path-relative`, `path-leading-slashes`, `path-dot-dot`; no message repeats the path
 */
export function writtenPath(text: string, rules: PathRules, bases: Bases): string {
  checkText(text, limits.requestStringBytes);
  if (/[\0\\]/.test(text)) refuse('path-character', 'expected a path without NUL and backslash');
  // servers cut it off: what was judged would be another path (MAP-10)
  if (whiteSpaceAround.test(text)) refuse('path-character', 'expected a path without white space at its ends');
  const absolute = text.startsWith('/') ? text : below(text, rules, bases);
  if (absolute.startsWith('//')) refuse('path-leading-slashes', 'expected a path with one slash in front');
  const path = rules.dot_dot === 'resolve' ? withoutDotDot(absolute) : absolute;
  if (/(?:^|\/)\.\.(?:\/|$)/.test(path)) refuse('path-dot-dot', 'expected a path without ".." segments');
  checkText(path, limits.requestStringBytes);
  return canonicalCheckedPath(path);
}

/** What `String.prototype.trim` cuts off. */
const whiteSpaceAround = /^\s|\s$/u;

function below(text: string, { relative, home }: PathRules, bases: Bases): string {
  if (text.startsWith('~')) {
    const expands = home === 'expand' && (text === '~' || text.startsWith('~/'));
    if (!expands || bases.home === undefined) refuse('path-relative', 'expected a path whose home folder is known', { hint: 'write the home folder out' }); // MAP-11
    return under(bases.home, text.slice(1));
  }
  // "C:/x" and "file:///x" are relative paths to POSIX, and something else to whoever reads them as what they look like
  const looksOtherwise = text === '' || /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text);
  if (relative === 'refuse' || looksOtherwise || bases.cwd === undefined) {
    refuse('path-relative', 'expected a path that begins with "/"', { hint: 'write the whole path' }); // MAP-9
  }
  return under(bases.cwd, `/${text}`);
}

/** `rest` is empty or begins with a slash. */
function under(base: string, rest: string): string {
  return base === '/' && rest !== '' ? rest : base + rest;
}

/** In the text alone, as `path.resolve` does: above the root is the root. */
function withoutDotDot(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}`;
}
