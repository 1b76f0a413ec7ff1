/**
 * The small wildcard language under path segments and text globs: `*` any run, `?` one code point, `\` an escape (spec/match.md).
 * Matched by two pointers, so the work is at most pattern times input whatever the agent sends (MAT-1).
 * @module
 */
import { quote, refuse } from '../errors.js';

const star = -1;
const any = -2;

/** `literal` is set where there is no wildcard, and is then all there is to compare. */
export interface Wildcard {
  readonly literal?: string;
  /** Code points, or -1 for `*` and -2 for `?`. */
  readonly tokens: readonly number[];
}

/** Where the dialects differ. */
export interface WildcardDialect {
  /** What `\` may stand before. */
  readonly escapable: string;
  /** What is refused unescaped: other dialects read it as syntax. */
  readonly forbidden: string;
  /** What makes an unescaped `(` right behind it a group in other dialects. */
  readonly openers: string;
}

/** Reads a pattern (MAT-9, MAT-19). `**` is for the caller: here it is refused. */
export function parseWildcard(pattern: string, dialect: WildcardDialect): Wildcard {
  const tokens: number[] = [];
  let literal = '';
  let isLiteral = true;
  let before = ''; // the unescaped character before, for `**` and openers
  for (let i = 0; i < pattern.length; i++) {
    let char = String.fromCodePoint(pattern.codePointAt(i) as number);
    i += char.length - 1;
    if (char === '\\') {
      char = pattern[++i] ?? '';
      if (char === '' || !dialect.escapable.includes(char)) {
        syntax(pattern, `a backslash that stands before none of ${dialect.escapable}`, 'a backslash takes the next character literally');
      }
      before = '';
    } else {
      if (dialect.forbidden.includes(char)) syntax(pattern, `${char} unescaped`, `write \\${char} for the character itself; there are no classes or alternatives`);
      if (char === '(' && before !== '' && dialect.openers.includes(before)) syntax(pattern, `${before}( unescaped`, `write ${before}\\( for the characters themselves`);
      if (char === '*' && before === '*') syntax(pattern, '** beside other characters', 'write * for any run here');
      before = char;
      if (char === '*' || char === '?') {
        tokens.push(char === '*' ? star : any);
        isLiteral = false;
        continue;
      }
    }
    tokens.push(char.codePointAt(0) as number);
    literal += char;
  }
  return isLiteral ? { literal, tokens } : { tokens };
}

function syntax(pattern: string, got: string, hint: string): never {
  refuse('pattern-syntax', `expected a pattern of the match profile, got ${got} in ${quote(pattern)}`, { hint });
}

/** Whether the whole text is covered. Greedy with one way back: to the last `*`, one code point further. */
export function wildcardCovers(wildcard: Wildcard, text: string): boolean {
  if (wildcard.literal !== undefined) return wildcard.literal === text;
  const { tokens } = wildcard;
  let t = 0;
  let i = 0;
  let afterStar = -1;
  let retry = 0;
  while (i < text.length) {
    const point = text.codePointAt(i) as number;
    const token = tokens[t];
    if (token === star) {
      afterStar = ++t;
      retry = i;
    } else if (token === any || token === point) {
      t++;
      i += point > 0xffff ? 2 : 1;
    } else if (afterStar >= 0) {
      retry += (text.codePointAt(retry) as number) > 0xffff ? 2 : 1;
      i = retry;
      t = afterStar;
    } else {
      return false;
    }
  }
  while (tokens[t] === star) t++;
  return t === tokens.length;
}
