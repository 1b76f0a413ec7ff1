/**
 * Places in JSON text, and what `JSON.parse` lets through (POL-4, POL-12, POL-13): by jsonc-parser, which alone would be too lax. The only importer of
 * it. Most texts need neither, so a program that must be quick loads this file when it is asked.
 * @module
 */
import { findNodeAtLocation, parseTree, visit, type ParseError } from 'jsonc-parser';
import { quote, type Problem } from '../errors.js';
import type { Path } from '../shape.js';
import { type Placer, problemAt } from './document.js';
import { limits } from '../limits.js';

/** Gives the offset of what stands at a path, or of its name. */
export function offsetsIn(text: string): (path: Path, member: boolean) => number {
  let tree: ReturnType<typeof parseTree>;
  return (path, member) => {
    tree ??= parseTree(text);
    const node = tree && findNodeAtLocation(tree, [...path]);
    return (member ? node?.parent?.children?.[0] : node)?.offset ?? 0;
  };
}

/** Why `JSON.parse` refused a text. */
export function syntaxProblem(text: string, place: Placer): Problem {
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  const first = errors[0];
  return problemAt(place, first?.offset ?? 0, 'syntax', 'expected JSON (RFC 8259)', {
    hint: 'no comments, no trailing commas, keys and texts in double quotes',
  });
}

/** What `JSON.parse` lets through in well-formed JSON: keys that stand twice, `__proto__`, and numbers not in plain digits. */
export function surprises(text: string, place: Placer): readonly Problem[] {
  const problems: Problem[] = [];
  const tell = (problem: Problem): void => {
    if (problems.length < limits.problems) problems.push(problem);
  };
  const keysOfOpen: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void keysOfOpen.push(new Set()),
    onObjectEnd: () => void keysOfOpen.pop(),
    onObjectProperty: (key, offset, _length, _line, _column, pathSupplier) => {
      const keys = keysOfOpen.at(-1);
      const path = [...pathSupplier(), key];
      if (keys?.has(key)) tell(problemAt(place, offset, 'duplicate-key', `key ${quote(key)} stands twice`, { path }));
      if (key === '__proto__') tell(problemAt(place, offset, 'forbidden-key', 'expected no key `__proto__`', { path }));
      keys?.add(key);
    },
    onLiteralValue: (value, offset, length, _line, _column, pathSupplier) => {
      if (typeof value !== 'number') return;
      const problem = numberProblem(text.slice(offset, offset + length), offset, place, pathSupplier);
      // what stands under a forbidden key is not judged
      if (problem !== undefined && !pathSupplier().includes('__proto__')) tell(problem);
    },
  });
  return problems;
}

/** POL-4: what is written is not `0` or plain digits up to 2^53-1. */
export function numberProblem(written: string, offset: number, place: Placer, path: () => Path): Problem | undefined {
  if (/^(0|[1-9][0-9]{0,15})$/.test(written) && Number.isSafeInteger(Number(written))) return undefined;
  const message = `expected an integer from 0 to 2^53-1 in plain digits, got ${quote(written)}`;
  return problemAt(place, offset, 'bad-integer', message, { path: path() });
}
