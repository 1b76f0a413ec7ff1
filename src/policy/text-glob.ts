/**
 * Text globs: the items of argv, and a tool's server and name (spec/match.md, "Text glob").
 * @module
 */
import { refuse } from '../errors.js';
import { limits } from '../limits.js';
import { checkName, checkText } from './text.js';
import { parseWildcard, wildcardCovers, type Wildcard } from './wildcard.js';

const dialect = { escapable: '*?\\', forbidden: '', openers: '' };

/** Reads the pattern of a tool's server or name: a name (POL-8), then a text glob (MAT-19). */
export function parseNameGlob(pattern: string): Wildcard {
  checkName(pattern);
  return parseWildcard(pattern, dialect);
}

/** The patterns of argv; `open` where `**` stands last and takes any further arguments. */
export interface ArgvGlob {
  readonly items: readonly Wildcard[];
  readonly open: boolean;
}

/** Reads one item of an argv pattern; undefined for `**` as the whole last item (MAT-19). */
export function parseArgvItem(pattern: string, isLast: boolean): Wildcard | undefined {
  checkText(pattern, limits.ruleStringBytes);
  const wildcard = isLast && pattern === '**' ? undefined : parseWildcard(pattern, dialect);
  if (pattern.includes('\0')) refuse('nul-character', 'expected an argument without NUL');
  return wildcard;
}

export function parseArgvGlob(patterns: readonly string[]): ArgvGlob {
  const items = patterns.map((pattern, i) => parseArgvItem(pattern, i === patterns.length - 1));
  const open = items.at(-1) === undefined;
  return { items: (open ? items.slice(0, -1) : items) as readonly Wildcard[], open };
}

/** Item by item; with an open end at least as many as stand before it (MAT-20). */
export function argvGlobCovers(glob: ArgvGlob, argv: readonly string[]): boolean {
  if (glob.open ? argv.length < glob.items.length : argv.length !== glob.items.length) return false;
  return glob.items.every((item, i) => wildcardCovers(item, argv[i] as string));
}
