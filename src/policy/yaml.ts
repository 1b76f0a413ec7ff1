/**
 * YAML as a document (POL-14): one document of the 1.2 core schema, with everything closed that surprises.
 * @module
 */
import { CST, isMap, isNode, isScalar, isSeq, Lexer, parseDocument } from 'yaml';
import { quote, RuleprintError, type Problem, type Problems } from '../errors.js';
import type { Path } from '../shape.js';
import { type Document, type Placer, placer, problemAt } from './document.js';
import { numberProblem } from './json-places.js';
import { limits } from '../limits.js';

/** Reads YAML text. Throws `syntax`, `yaml-feature` or `limit`; what else is wrong is in the document's problems. */
export function readYaml(text: string): Document {
  const place = placer(text);
  const strange = strangeCharacter.exec(text);
  if (strange !== null) {
    const message = `expected plain text with line feeds, got ${quote(strange[0])}`;
    throw new RuleprintError(
      problemAt(place, strange.index, 'yaml-feature', message, { hint: 'write it as an escape in double quotes, and end lines with line feeds' }),
    );
  }
  const features = featureProblems(text, place);
  if (isSome(features)) throw new RuleprintError(features);
  // keys that stand twice are found in plainOf, with their path
  const document = parseDocument(text, { version: '1.2', schema: 'core', strict: true, uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
  // only the first: a parser that has lost its way reports what follows from it too
  const broken = document.errors[0];
  if (broken !== undefined) throw new RuleprintError(problemAt(place, broken.pos[0], 'syntax', `expected YAML 1.2: ${quote(firstLine(broken.message))}`));
  const warned = document.warnings[0];
  if (warned !== undefined)
    throw new RuleprintError(problemAt(place, warned.pos[0], 'yaml-feature', `expected plain YAML data: ${quote(firstLine(warned.message))}`));
  const problems: Problem[] = [];
  const value = plainOf(document.contents, [], { text, place, problems });
  return { value, problems, placeOf: (path, member) => place(offsetIn(document.contents, path, member)) };
}

const refused: Readonly<Record<string, string>> = {
  anchor: 'an anchor',
  alias: 'an alias',
  tag: 'a tag',
  'directive-line': 'a directive',
  'doc-end': 'an end of document',
};

/**
 * What readers of YAML do not agree on: a carriage return alone and the other line breaks end a line, and so a comment, for some and not for others, and
 * a rule would be there for one reader alone.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const strangeCharacter = /\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff]/;

/** Marks of the lexer that stand for no character of the text. */
const marks: readonly (string | null)[] = ['doc-mode', 'flow-error-end', 'scalar'];

/**
 * Looks at the tokens before any of them has a meaning: features that are closed, and nesting. The depth is bounded here, roughly, from the columns
 * of what is open, because the composer calls itself for each level and builds regular expressions from the indentation, which can end the process;
 * the exact limit is for `plainOf`.
 */
function featureProblems(text: string, place: Placer): readonly Problem[] {
  const problems: Problem[] = [];
  const columns: number[] = [];
  let flowDepth = 0;
  let offset = 0;
  let lineStart = 0;
  let isLineStart = true;
  let documents = 0;
  let isScalarText = false;
  for (const token of new Lexer().lex(text)) {
    const type: string | null = isScalarText ? 'scalar-text' : CST.tokenType(token);
    isScalarText = type === 'scalar';
    if (marks.includes(type)) {
      if (type === 'scalar' && documents === 0) documents = 1;
      continue;
    }
    const start = offset;
    const column = start - lineStart;
    const wasLineStart = isLineStart;
    offset += token.length;
    const lastBreak = type === 'newline' || type === 'scalar-text' ? token.lastIndexOf('\n') : -1;
    if (lastBreak >= 0) lineStart = start + lastBreak + 1;
    if (type === 'space' || type === 'comment') continue;
    isLineStart = lastBreak >= 0 && lineStart === offset;
    if (type === 'newline') continue;
    if (flowDepth === 0 && (wasLineStart || type === 'seq-item-ind' || type === 'explicit-key-ind')) {
      while ((columns.at(-1) ?? -1) >= column) columns.pop();
      columns.push(column);
    }
    if (type === 'flow-seq-start' || type === 'flow-map-start') flowDepth++;
    if (type === 'flow-seq-end' || type === 'flow-map-end') flowDepth--;
    if (columns.length + flowDepth > 2 * limits.documentDepth) tooDeep(place, start);
    const got = type === 'doc-start' && documents++ > 0 ? 'a second document' : refused[type ?? ''];
    if (got === undefined) continue;
    const hint = type === 'alias' ? 'an unquoted * is an alias in YAML: quote it' : 'write the data out plainly';
    problems.push(problemAt(place, start, 'yaml-feature', `expected plain YAML data, got ${got} ${quote(token)}`, { hint }));
  }
  return problems;
}

interface Reading {
  readonly text: string;
  readonly place: Placer;
  /** What is wrong on the way. */
  readonly problems: Problem[];
}

/** A node as plain data. */
function plainOf(node: unknown, path: Path, reading: Reading): unknown {
  const { text, place, problems } = reading;
  if (path.length >= limits.documentDepth && (isMap(node) || isSeq(node))) tooDeep(place, startOf(node));
  if (isScalar(node)) {
    const [start, end] = node.range ?? [0, 0];
    const problem = typeof node.value === 'number' ? numberProblem(text.slice(start, end), start, place, () => path) : undefined;
    if (problem !== undefined) problems.push(problem);
    return node.value;
  }
  if (isSeq(node)) return node.items.map((item, i) => plainOf(item, [...path, i], reading));
  if (!isMap(node)) return null; // nothing there; aliases were refused before
  const object: Record<string, unknown> = {};
  for (const { key, value } of node.items) {
    const name: unknown = isScalar(key) ? key.value : undefined;
    if (typeof name !== 'string' || name === '<<') {
      problems.push(problemAt(place, startOf(key, node), 'yaml-feature', 'expected a plain text key', { path, hint: 'quote the key' }));
    } else if (name === '__proto__') {
      problems.push(problemAt(place, startOf(key, node), 'forbidden-key', 'expected no key `__proto__`', { path: [...path, name] }));
    } else {
      const at = [...path, name];
      if (Object.hasOwn(object, name)) problems.push(problemAt(place, startOf(key, node), 'duplicate-key', `key ${quote(name)} stands twice`, { path: at }));
      object[name] = plainOf(value, at, reading);
    }
  }
  return object;
}

function tooDeep(place: Placer, offset: number): never {
  throw new RuleprintError(problemAt(place, offset, 'limit', `expected at most ${limits.documentDepth} levels of nesting`));
}

/** Offset of the value at a path, or of its key. */
function offsetIn(root: unknown, path: Path, member: boolean): number {
  let node = root;
  let offset = startOf(root);
  path.forEach((step, depth) => {
    const wantsKey = member && depth === path.length - 1;
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === step) : undefined;
    const parent = node;
    node = isSeq(parent) ? parent.items[Number(step)] : pair?.value;
    offset = startOf(wantsKey ? pair?.key : node, parent);
  });
  return offset;
}

/** Where a node begins; where nothing stands, its parent. */
function startOf(node: unknown, parent?: unknown): number {
  if (isNode(node) && node.range) return node.range[0];
  return isNode(parent) && parent.range ? parent.range[0] : 0;
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? '';
}

function isSome(problems: readonly Problem[]): problems is Problems {
  return problems.length > 0;
}
