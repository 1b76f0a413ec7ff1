/**
 * Paths and path globs (spec/match.md, "Canonical path" and "Path glob").
 * @module
 */
import { quote, refuse } from '../errors.js';
import { limits } from '../limits.js';
import { checkText } from './text.js';
import { parseWildcard, wildcardCovers, type Wildcard } from './wildcard.js';

const slash = 0x2f;
const dot = 0x2e;

/**
 * The canonical form of an absolute POSIX path (MAT-2 to MAT-6). The text is the agent's.
 *
 * @throws RuleprintError `lone-surrogate`, `limit`, `path-character`, `path-relative`, `path-leading-slashes`, `path-dot-dot`
 * @example
 * canonicalPath('/srv//a/./b/'); // '/srv/a/b'
 */
export function canonicalPath(text: string): string {
  checkText(text, limits.requestStringBytes);
  return canonicalCheckedPath(text);
}

/** The same for text that is known to be well-formed and within its limit. */
export function canonicalCheckedPath(text: string): string {
  if (text.includes('\0') || text.includes('\\')) {
    refuse('path-character', `expected a path without NUL and backslash, got ${quote(text)}`, { hint: 'Windows paths are not taken' }); // MAT-2
  }
  if (text.charCodeAt(0) !== slash) {
    refuse('path-relative', `expected a path that begins with "/", got ${quote(text)}`, { hint: 'resolve it before asking' }); // MAT-3
  }
  if (text.charCodeAt(1) === slash) refuse('path-leading-slashes', `expected one slash in front, got ${quote(text)}`); // MAT-4
  if (isCanonical(text)) return text;
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.'); // MAT-6
  if (segments.includes('..')) {
    refuse('path-dot-dot', `expected a path without ".." segments, got ${quote(text)}`, { hint: 'only the caller knows the links: resolve it before asking' }); // MAT-5
  }
  return `/${segments.join('/')}`;
}

/** Whether a path that begins with one slash has no empty, `.` or `..` segment and no slash at its end: most have none. */
function isCanonical(text: string): boolean {
  if (text.length === 1) return true;
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) !== slash) continue;
    const next = text.charCodeAt(i + 1);
    if (next === slash || next === dot || i === text.length - 1) {
      if (next !== dot) return false;
      const second = text.charCodeAt(i + 2);
      // "/." or "/.." at the end of a segment; a dot name such as "/.git" is ordinary
      if (second === slash || i + 2 === text.length) return false;
      if (second === dot && (text.charCodeAt(i + 3) === slash || i + 3 === text.length)) return false;
    }
  }
  return true;
}

/** The segments of a canonical path; none for `/`. */
export function pathSegments(path: string): readonly string[] {
  return path.length === 1 ? [] : path.slice(1).split('/');
}

/** A segment of a glob; undefined stands for `**`. */
export type PathGlob = readonly (Wildcard | undefined)[];

const dialect = { escapable: '*?[]{}()!@+', forbidden: '[]{}', openers: '@?*+!' };

/** Reads a path glob that is canonical itself (MAT-7 to MAT-10, MAT-21). */
export function parsePathGlob(pattern: string): PathGlob {
  checkText(pattern, limits.ruleStringBytes);
  if (pattern.includes('\0')) refuse('path-character', 'expected a path pattern without NUL'); // MAT-7
  if (!pattern.startsWith('/')) refuse('path-relative', `expected a path pattern that begins with "/", got ${quote(pattern)}`, { hint: relativeHint(pattern) });
  if (pattern.startsWith('//')) refuse('path-leading-slashes', `expected one slash in front, got ${quote(pattern)}`);
  if (pattern === '/') return [];
  return pattern
    .slice(1)
    .split('/')
    .map((segment) => {
      if (segment === '') notCanonical(pattern); // MAT-8
      if (segment === '**') return undefined;
      const wildcard = parseWildcard(segment, dialect); // MAT-9
      if (wildcard.literal === '..') refuse('path-dot-dot', `expected a pattern without ".." segments, got ${quote(pattern)}`); // MAT-10
      if (wildcard.literal === '.') notCanonical(pattern);
      return wildcard;
    });
}

function relativeHint(pattern: string): string {
  if (/^[A-Za-z]:/.test(pattern)) return 'Windows paths are not taken';
  return pattern.startsWith('~') ? 'write the home folder out' : `write the whole path, or ${quote(`/**/${pattern}`, '"')} for any folder`;
}

function notCanonical(pattern: string): never {
  const canonical = `/${pattern
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/')}`;
  refuse('pattern-not-canonical', `expected a pattern without empty or "." segments, got ${quote(pattern)}`, {
    hint: `write ${quote(canonical, '"')}`,
    evidence: { canonical },
  });
}

/**
 * Whether the whole path is covered. Segment by segment with one way back, to the last `**`, one segment further: each pair of
 * pattern segment and path segment is compared at most once between two `**`, so the work stays within pattern times input.
 */
export function pathGlobCovers(glob: PathGlob, segments: readonly string[]): boolean {
  let g = 0;
  let s = 0;
  let afterStars = -1;
  let retry = 0;
  while (s < segments.length) {
    const part = glob[g];
    if (g < glob.length && part === undefined) {
      afterStars = ++g;
      retry = s;
    } else if (part !== undefined && wildcardCovers(part, segments[s] as string)) {
      g++;
      s++;
    } else if (afterStars >= 0) {
      s = ++retry;
      g = afterStars;
    } else {
      return false;
    }
  }
  while (g < glob.length && glob[g] === undefined) g++;
  return g === glob.length;
}
