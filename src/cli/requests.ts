/**
 * Requests from outside: one JSON document (a request, or an array of them) or JSON lines, through the strict JSON door.
 *
 * Which of the two it is shows in the first line: JSON lines begin with a line that is a whole object, and a document that begins so has no further line.
 * @module
 */
import { fromUtf8 } from '../bytes.js';
import { type Problem, RuleprintError, type Where } from '../errors.js';
import { type Document, textOf } from '../policy/document.js';
import { readJson } from '../policy/json.js';
import { limits } from '../limits.js';
import { type Path, pointer } from '../shape.js';

/** What came at one place: a value that may be a request, or what is wrong with the text there. */
export type Incoming =
  | { readonly value: unknown /** The place in the text of a pointer into the value. */; readonly whereIs: (pointer: string) => Where }
  | { readonly problem: Problem };

/** The longest line: the strings of a request have at most half a mebibyte together, and each byte may be escaped as six. */
export const maxLineBytes = 4_194_304;

const LF = 0x0a;
const CR = 0x0d;

/**
 * Reads requests, in batches as the text arrives. Memory grows with the longest line, and with the whole text only where that is one document.
 *
 * @param file for the places of problems; undefined for stdin
 * @param isLines whether the text is JSON lines whatever its first line looks like
 */
export async function* readRequests(chunks: AsyncIterable<Uint8Array>, file: string | undefined, isLines: boolean): AsyncGenerator<readonly Incoming[]> {
  const splitter = new LineSplitter();
  const whole: Uint8Array[] = [];
  let size = 0;
  let isDocument = isLines ? false : undefined;
  const inFile = (where: Where): Where => ({ ...(file !== undefined && { file }), ...where });
  let number = 0;
  const batch = (lines: readonly Line[]): Incoming[] => lines.flatMap((line) => lineRequest(line, ++number, inFile));

  for await (const chunk of chunks) {
    if (isDocument !== true) {
      const lines = splitter.push(chunk);
      if (isDocument === undefined) {
        whole.push(chunk);
        size += chunk.length;
        isDocument = beginsDocument(lines.find((line) => !isBlank(line)) ?? (splitter.length > maxLineBytes ? tooLong : undefined));
        // until the first line is whole nothing is known, and the lines so far are blank
        if (isDocument === false) whole.length = 0;
      }
      if (isDocument !== true) yield batch(lines);
    } else {
      whole.push(chunk);
      size += chunk.length;
    }
    if (size > limits.jsonBytes && isDocument === true) break; // the door refuses it
  }
  const last = splitter.end();
  if (isDocument ?? beginsDocument(last) ?? false) yield documentRequests(Buffer.concat(whole), inFile);
  else if (last !== undefined) yield batch([last]);
}

/** A line that was let go because it is too long. */
const tooLong = Symbol('too long');
type Line = Uint8Array | typeof tooLong;

/** Whether a text whose first line is this one is a single document. Undefined: there is no line yet. */
function beginsDocument(line: Line | undefined): boolean | undefined {
  if (line === undefined) return undefined;
  if (line === tooLong) return true;
  const text = (fromUtf8(line) ?? '').replace('\ufeff', '').trimStart();
  return text.startsWith('[') || (text.startsWith('{') && !isJson(text));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // an answer here; what is wrong is for the door to say
  }
}

function isBlank(line: Line): boolean {
  return line !== tooLong && line.every((byte) => byte === 0x20 || byte === 0x09 || byte === CR);
}

/** Cuts chunks into lines at LF; a CR in front of it goes too. */
class LineSplitter {
  #parts: Uint8Array[] = [];
  /** How long the line that is not yet whole has become. */
  length = 0;

  push(chunk: Uint8Array): Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      this.#take(chunk.subarray(start, end));
      lines.push(this.#line());
      start = end + 1;
    }
    this.#take(chunk.subarray(start));
    return lines;
  }

  /** What stands after the last LF. */
  end(): Line | undefined {
    return this.length === 0 ? undefined : this.#line();
  }

  #take(part: Uint8Array): void {
    this.length += part.length;
    if (this.length > maxLineBytes) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  #line(): Line {
    const isTooLong = this.length > maxLineBytes;
    const line = Buffer.concat(this.#parts);
    this.#parts = [];
    this.length = 0;
    if (isTooLong) return tooLong;
    return line.at(-1) === CR ? line.subarray(0, -1) : line;
  }
}

function lineRequest(line: Line, number: number, inFile: (where: Where) => Where): Incoming[] {
  if (isBlank(line)) return [];
  if (line === tooLong) {
    const evidence = { limit: 'line', max: maxLineBytes };
    return [{ problem: { code: 'limit', message: `expected a line of at most ${maxLineBytes} bytes`, where: inFile({ line: number, column: 1 }), evidence } }];
  }
  const inLine = ({ column, offset: _, ...rest }: Where): Where => inFile({ ...rest, line: number, column: column ?? 1 });
  try {
    const text = textOf(line, 'json');
    const document = readJson(text);
    const [problem] = document.problems;
    if (problem !== undefined) return [{ problem: { ...problem, where: inLine(problem.where) } }];
    const whereIs = (at: string): Where => inLine({ pointer: at, column: document.placeOf(pathOf(document.value, at), false).column });
    return [{ value: document.value, whereIs }];
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    const { hint: _, ...problem } = error.problems[0];
    return [{ problem: { ...problem, where: inLine(problem.where) } }];
  }
}

const wholeHint = 'requests are one JSON object, one JSON array, or JSON lines; --lines reads lines whatever the first one looks like';

function documentRequests(bytes: Uint8Array, inFile: (where: Where) => Where): Incoming[] {
  let document: Document;
  try {
    document = readJson(textOf(bytes, 'json'));
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    const problem = error.problems[0];
    return [{ problem: { ...problem, where: inFile(withoutOffset(problem.where)), hint: wholeHint } }];
  }
  const { value, problems } = document;
  const isList = Array.isArray(value);
  const items: readonly unknown[] = isList ? value : [value];
  const problemOf = firstProblems(problems, isList);
  return items.map((item, i) => {
    const base: Path = isList ? [i] : [];
    const problem = problemOf.get(isList ? String(i) : '');
    if (problem !== undefined) {
      const { pointer: at = '', ...rest } = withoutOffset(problem.where);
      return { problem: { ...problem, where: inFile({ ...rest, pointer: at.slice(pointer(base).length) }) } };
    }
    const whereIs = (at: string): Where => inFile({ pointer: at, ...withoutOffset(document.placeOf([...base, ...pathOf(item, at)], false)) });
    return { value: item, whereIs };
  });
}

/** The first problem of each item of a list by its index, or of the one value by ''. */
function firstProblems(problems: readonly Problem[], isList: boolean): ReadonlyMap<string, Problem> {
  const first = new Map<string, Problem>();
  for (const problem of problems) {
    const key = isList ? (problem.where.pointer?.split('/')[1] ?? '') : '';
    if (!first.has(key)) first.set(key, problem);
  }
  return first;
}

function withoutOffset({ offset: _, ...rest }: Where): Where {
  return rest;
}

/** Steps of a JSON pointer, as numbers where they go into a list. */
function pathOf(root: unknown, at: string): Path {
  let value = root;
  return at
    .split('/')
    .slice(1)
    .map((token) => {
      const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
      const step = Array.isArray(value) ? Number(key) : key;
      value = typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[step] : undefined;
      return step;
    });
}
