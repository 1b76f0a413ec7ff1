/**
 * The small wildcard language under path segments and text globs: `*` any run, `?` one code point, `\` an escape (spec/match.md).
 * Matched chunk by chunk from the left, each at the first place where it fits, so nothing is ever tried again and the work is at most pattern times
 * input whatever the agent sends (MAT-1).
 * @module
 */
import { quote, refuse } from '../errors.js';

/** What stands between two stars: text, or, where a `?` is among it, code points with -1 for `?`. */
type Chunk = string | readonly number[];

const any = -1;

/** A pattern split at its stars. With `literal` there is no wildcard at all, and it is all there is to compare. */
export interface Wildcard {
  readonly literal?: string;
  /** One chunk where there is no star; else the first and the last stand at the two ends of the text. */
  readonly chunks: readonly Chunk[];
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
  const chunks: Chunk[] = [];
  let points: number[] = [];
  let before = ''; // the unescaped character before, for `**` and openers
  for (let i = 0; i < pattern.length; i++) {
    const char = String.fromCodePoint(pattern.codePointAt(i) as number);
    i += char.length - 1;
    if (char === '\\') {
      const escaped = pattern[++i] ?? '';
      if (escaped === '' || !dialect.escapable.includes(escaped)) {
        syntax(pattern, `a backslash that stands before none of ${dialect.escapable}`, 'a backslash takes the next character literally');
      }
      points.push(escaped.codePointAt(0) as number);
      before = '';
      continue;
    }
    if (dialect.forbidden.includes(char))
      syntax(pattern, `${char} unescaped`, `write \\${char} for the character itself; there are no classes or alternatives`);
    if (char === '(' && before !== '' && dialect.openers.includes(before))
      syntax(pattern, `${before}( unescaped`, `write ${before}\\( for the characters themselves`);
    if (char === '*' && before === '*') syntax(pattern, '** beside other characters', 'write * for any run here');
    before = char;
    if (char === '*') {
      chunks.push(chunkOf(points));
      points = [];
    } else {
      points.push(char === '?' ? any : (char.codePointAt(0) as number));
    }
  }
  chunks.push(chunkOf(points));
  const [only] = chunks;
  return chunks.length === 1 && typeof only === 'string' ? { literal: only, chunks } : { chunks };
}

/** Text where there is no `?`, since comparing text is what a runtime does best. */
function chunkOf(points: readonly number[]): Chunk {
  return points.includes(any) ? points : points.reduce((text, point) => text + String.fromCodePoint(point), '');
}

function syntax(pattern: string, got: string, hint: string): never {
  refuse('pattern-syntax', `expected a pattern of the match profile, got ${got} in ${quote(pattern)}`, { hint });
}

/** Whether the whole well-formed text is covered. */
export function wildcardCovers({ literal, chunks }: Wildcard, text: string): boolean {
  if (literal !== undefined) return literal === text;
  const last = chunks.length - 1;
  let at = endOf(chunks[0] as Chunk, text, 0);
  if (last === 0) return at === text.length;
  for (let i = 1; i < last && at >= 0; i++) at = endOfFirst(chunks[i] as Chunk, text, at);
  return at >= 0 && standsAtEnd(chunks[last] as Chunk, text, at);
}

/** The end of a chunk that begins at `at`, or -1 where it does not stand there. */
function endOf(chunk: Chunk, text: string, at: number): number {
  if (typeof chunk === 'string') return text.startsWith(chunk, at) ? at + chunk.length : -1;
  let end = at;
  for (const wanted of chunk) {
    const point = text.codePointAt(end);
    if (point === undefined || (wanted !== any && wanted !== point)) return -1;
    end += point > 0xffff ? 2 : 1;
  }
  return end;
}

/** The end of a chunk at its first place from `from` on, or -1. The first is the best: each chunk covers a fixed number of code points. */
function endOfFirst(chunk: Chunk, text: string, from: number): number {
  if (typeof chunk === 'string') {
    const at = text.indexOf(chunk, from);
    return at < 0 ? -1 : at + chunk.length;
  }
  for (let at = from; at < text.length; at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1) {
    const end = endOf(chunk, text, at);
    if (end >= 0) return end;
  }
  return -1;
}

/** Whether a chunk ends the text and begins at `from` or later. */
function standsAtEnd(chunk: Chunk, text: string, from: number): boolean {
  if (typeof chunk === 'string') return text.length - chunk.length >= from && text.endsWith(chunk);
  let at = text.length;
  for (let left = chunk.length; left > 0; left--) {
    if (at <= from) return false;
    at -= isLowSurrogate(text.charCodeAt(at - 1)) ? 2 : 1;
  }
  return at >= from && endOf(chunk, text, at) === text.length;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
