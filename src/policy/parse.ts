/**
 * The one strict door of policies (spec/policy.md).
 * @module
 */
import { RuleprintError, type Problem, type Problems } from '../errors.js';
import { checkShape, pointer, type Shape } from '../shape.js';
import { placeIn, textOf, type Document, type Format } from './document.js';
import { readJson } from './json.js';
import type { Policy } from './model.js';
import { copyPlain, freezeDeep } from './plain.js';
import { policyShape } from './shape.js';
import { readYaml } from './yaml.js';

/** Where the text comes from: `format` is named, never guessed; `file` is only for messages. */
export interface ParseOptions {
  readonly format: Format;
  readonly file?: string;
}

/** Policies that came through the door: deep frozen, so what was checked once stays so. */
const checked = new WeakSet<object>();

/**
 * Reads a policy from JSON or YAML text, or its UTF-8 bytes.
 *
 * @returns a deep frozen policy
 * @throws RuleprintError the first problem in document order, all of them in `problems` (spec/policy.md)
 * @example
 * const policy = parsePolicy('version: 1\nrules: []', { format: 'yaml' });
 * policy.version; // 1
 */
export function parsePolicy(source: string | Uint8Array, options: ParseOptions): Policy {
  const result = checkPolicy(source, options);
  if ('problems' in result) throw new RuleprintError(result.problems);
  return result.policy;
}

/** The same, with the problems as an answer: for a check that shows all of them. */
export function checkPolicy(source: string | Uint8Array, options: ParseOptions): { policy: Policy } | { problems: Problems } {
  const { format } = options;
  if (format !== 'json' && format !== 'yaml') throw new TypeError('"format" expected "json" or "yaml"');
  if (typeof source !== 'string' && !(source instanceof Uint8Array)) throw new TypeError('"source" expected text or bytes');
  return checkText(source, options, format === 'json' ? readJson : readYaml, policyShape, admit);
}

/** Marks and freezes a policy that its shape has found good. The caller owns the value alone. */
function admit(value: unknown): { policy: Policy } {
  const policy = freezeDeep(value) as Policy;
  checked.add(policy);
  return { policy };
}

/** Judges one text by one shape: what the text has wrong and what the shape finds, in document order. */
export function checkText<T extends object>(
  source: string | Uint8Array,
  { format, file }: ParseOptions,
  read: (text: string) => Document,
  shape: Shape,
  admitted: (value: unknown) => T,
): T | { problems: Problems } {
  const inFile = (problem: Problem): Problem => (file === undefined ? problem : { ...problem, where: { file, ...problem.where } });
  try {
    const text = textOf(source, format);
    const document = read(text);
    // what is wrong at a place is said once: by the text, but for a number where no integer belongs
    const problems: Problem[] = [...document.problems];
    const byPlace = new Map(problems.map((problem) => [problem.where.pointer, problem]));
    checkShape(shape, document.value, (problem, path, member) => {
      const at = pointer(path);
      const said = byPlace.get(at);
      if (said !== undefined) {
        if (said.code !== 'bad-integer' || (problem.code !== 'wrong-type' && problem.code !== 'unknown-key')) return;
        problems.splice(problems.indexOf(said), 1);
        byPlace.delete(at);
      }
      problems.push({ ...problem, where: { pointer: at, ...placeIn(text, document.offsetOf(path, member)) } });
    });
    const [first, ...rest] = problems.sort((a, b) => (a.where.offset ?? 0) - (b.where.offset ?? 0)).map(inFile);
    return first === undefined ? admitted(document.value) : { problems: [first, ...rest] };
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    const [first, ...rest] = error.problems.map(inFile);
    return { problems: [first as Problem, ...rest] };
  }
}

/**
 * Takes a policy handed in as an object: copies its plain data (POL-15), judges it, freezes the copy (POL-16). A policy that came through
 * the door before is given back as it is, since it is frozen.
 *
 * @throws RuleprintError as `parsePolicy`, and `not-plain-data`
 * @example
 * copyPolicy({ version: 1, rules: [] });
 */
export function copyPolicy(value: unknown): Policy {
  if (typeof value === 'object' && value !== null && checked.has(value)) return value as Policy;
  const copy = copyPlain(value);
  return admit(checkedPlain(policyShape, copy)).policy;
}

/** Judges plain data by a shape and gives it back. Throws all problems. */
export function checkedPlain(shape: Shape, value: unknown): unknown {
  const problems: Problem[] = [];
  checkShape(shape, value, (problem, path) => problems.push({ ...problem, where: { pointer: pointer(path) } }));
  const [first, ...rest] = problems;
  if (first !== undefined) throw new RuleprintError([first, ...rest]);
  return value;
}
