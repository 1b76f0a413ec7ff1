/**
 * A text read into plain data that still knows where each value stands; what JSON and YAML have in common.
 * @module
 */
import { fromUtf8, utf8Length } from '../bytes.js';
import { RuleprintError, refuse, type ErrorCode, type Problem, type Where } from '../errors.js';
import { pointer, type Path } from '../shape.js';
import { limits } from './limits.js';

export type Format = 'json' | 'yaml';

export interface Document {
  readonly value: unknown;
  /** What the text itself already has wrong: duplicate keys, numbers not in plain digits. */
  readonly problems: readonly Problem[];
  /** The offset at which the value of a path stands, or its key where `member` is true. */
  readonly offsetOf: (path: Path, member: boolean) => number;
}

/** Line and column of an offset, each from 1. */
export function placeIn(text: string, offset: number): { line: number; column: number; offset: number } {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
    line++;
    start = at + 1;
  }
  return { line, column: offset - start + 1, offset };
}

/** Makes problems of one text: with its places, and its file where it has one. */
export function problemAt(
  text: string,
  offset: number,
  code: ErrorCode,
  message: string,
  rest: { path?: Path; hint?: string } = {},
): Problem {
  const where: Where = { ...placeIn(text, offset), ...(rest.path && { pointer: pointer(rest.path) }) };
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
  if (text.startsWith('\ufeff')) throw new RuleprintError(problemAt(text, 0, 'syntax', 'expected no byte order mark', { hint: 'save the file without it' }));
  return text;
}
