/**
 * A text read into plain data that still knows where each value stands; what JSON and YAML have in common.
 * @module
 */
import { fromUtf8, utf8Length } from '../bytes.js';
import { RuleprintError, refuse, type ErrorCode, type Problem, type Where } from '../errors.js';
import { pointer, type Path } from '../shape.js';
import { limits } from '../limits.js';

export type Format = 'json' | 'yaml';

export interface Document {
  readonly value: unknown;
  /** What the text itself already has wrong: duplicate keys, numbers not in plain digits. */
  readonly problems: readonly Problem[];
  /** Where the value of a path stands, or its key where `member` is true. */
  readonly placeOf: (path: Path, member: boolean) => ReturnType<Placer>;
}

/** Line and column of an offset, each from 1. */
export type Placer = (offset: number) => { readonly line: number; readonly column: number; readonly offset: number };

/** Finds places in one text. The lines are looked for once, at the first question: a text may have as many problems as it has letters. */
export function placer(text: string): Placer {
  let starts: number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    let line = 0;
    // the last line that begins at or before the offset
    for (let above = starts.length; above - line > 1; ) {
      const middle = (line + above) >> 1;
      if ((starts[middle] as number) <= offset) line = middle;
      else above = middle;
    }
    return { line: line + 1, column: offset - (starts[line] as number) + 1, offset };
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Makes a problem of a text, with its place. */
export function problemAt(place: Placer, offset: number, code: ErrorCode, message: string, rest: { path?: Path; hint?: string } = {}): Problem {
  const where: Where = { ...place(offset), ...(rest.path && { pointer: pointer(rest.path) }) };
  return { code, message, where, ...(rest.hint !== undefined && { hint: rest.hint }) };
}

/** Whole text of a document: decoded, within the limit of its format. */
export function textOf(source: string | Uint8Array, format: Format): string {
  const max = format === 'json' ? limits.jsonBytes : limits.yamlBytes;
  // a text has at least as many bytes as UTF-16 code units, and at most three times as many
  const bytes = typeof source === 'string' && source.length <= max && 3 * source.length > max ? utf8Length(source) : source.length;
  if (bytes > max) refuse('limit', `expected a document of at most ${max} bytes, got ${bytes}`, { evidence: { limit: 'document', max, got: bytes } });
  const text = typeof source === 'string' ? source : fromUtf8(source);
  if (text === undefined) refuse('utf8', 'expected UTF-8');
  if (text.startsWith('\ufeff'))
    throw new RuleprintError(problemAt(placer(text), 0, 'syntax', 'expected no byte order mark', { hint: 'save the file without it' }));
  return text;
}
