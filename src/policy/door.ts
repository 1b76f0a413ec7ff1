/**
 * The strict door for documents and objects: every problem with its place (POL-17). What the shape is, and what reads the text, are the caller's:
 * so a trust store comes through the same door as a policy, without a YAML reader.
 * @module
 */
import { type Problem, type Problems, RuleprintError } from '../errors.js';
import { checkShape, pointer, type Shape } from '../shape.js';
import { type Document, type Format, textOf } from './document.js';

/** Where the text comes from: `format` is named, never guessed; `file` is only for messages. */
export interface ParseOptions {
  readonly format: Format;
  readonly file?: string;
}

/** Judges one text by one shape: what the text has wrong and what the shape finds, in document order. */
export function checkDocument<T extends object>(
  source: string | Uint8Array,
  { format, file }: ParseOptions,
  read: (text: string) => Document,
  shape: Shape,
  admitted: (value: unknown, document: Document) => T,
): T | { problems: Problems } {
  const inFile = (problem: Problem): Problem => (file === undefined ? problem : { ...problem, where: { file, ...problem.where } });
  try {
    const text = textOf(source, format);
    const document = read(text);
    // what is wrong at a place is said once: by the text, but for a number where no integer belongs
    const byPlace = new Map(document.problems.map((problem) => [problem.where.pointer, problem]));
    const withdrawn = new Set<Problem>();
    const problems: Problem[] = [];
    checkShape(shape, document.value, (problem, path, member) => {
      const at = pointer(path);
      const said = byPlace.get(at);
      if (said !== undefined) {
        if (said.code !== 'bad-integer' || (problem.code !== 'wrong-type' && problem.code !== 'unknown-key')) return;
        withdrawn.add(said);
        byPlace.delete(at);
      }
      problems.push({ ...problem, where: { pointer: at, ...document.placeOf(path, member) } });
    });
    const [first, ...rest] = [...document.problems.filter((problem) => !withdrawn.has(problem)), ...problems]
      .sort((a, b) => (a.where.offset ?? 0) - (b.where.offset ?? 0))
      .map(inFile);
    return first === undefined ? admitted(document.value, document) : { problems: [first, ...rest] };
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    const [first, ...rest] = error.problems.map(inFile);
    return { problems: [first as Problem, ...rest] };
  }
}

/** Judges plain data by a shape and gives it back. Throws all problems. */
export function checkedPlain(shape: Shape, value: unknown): unknown {
  const problems: Problem[] = [];
  checkShape(shape, value, (problem, path) => problems.push({ ...problem, where: { pointer: pointer(path) } }));
  const [first, ...rest] = problems;
  if (first !== undefined) throw new RuleprintError([first, ...rest]);
  return value;
}
