/**
 * JSON as a document (POL-4, POL-11 to POL-13): `JSON.parse` judges the syntax; jsonc-parser, which alone would be too lax, finds the
 * places, the duplicate keys and how numbers are written.
 * @module
 */
import { findNodeAtLocation, parseTree, visit, type Node, type ParseError } from 'jsonc-parser';
import { quote, RuleprintError, type Problem } from '../errors.js';
import type { Path } from '../shape.js';
import { type Document, type Placer, placer, problemAt } from './document.js';
import { limits } from '../limits.js';

/** Reads JSON text. Throws `syntax` or `limit`; what else is wrong is in the document's problems. */
export function readJson(text: string): Document {
  const place = placer(text);
  checkDepth(text, place);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new RuleprintError(syntaxProblem(text, place), { cause });
  }
  let tree: Node | undefined;
  const placeOf = (path: Path, member: boolean): ReturnType<Placer> => {
    tree ??= parseTree(text);
    const node = tree && findNodeAtLocation(tree, [...path]);
    return place((member ? node?.parent?.children?.[0] : node)?.offset ?? 0);
  };
  return { value, problems: surprises(text, place), placeOf };
}

/** A refusal before any parser that calls itself. Brackets inside strings are skipped; whether the text is JSON is not judged here. */
function checkDepth(text: string, place: Placer): void {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (inString) {
      if (char === '\\') i++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '[' || char === '{') {
      if (++depth > limits.documentDepth) {
        throw new RuleprintError(problemAt(place, i, 'limit', `expected at most ${limits.documentDepth} levels of nesting`));
      }
    } else if (char === ']' || char === '}') depth--;
  }
}

function syntaxProblem(text: string, place: Placer): Problem {
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  const first = errors[0];
  return problemAt(place, first?.offset ?? 0, 'syntax', 'expected JSON (RFC 8259)', {
    hint: 'no comments, no trailing commas, keys and texts in double quotes',
  });
}

/** What `JSON.parse` lets through in well-formed JSON: keys that stand twice, `__proto__`, and numbers not in plain digits. */
function surprises(text: string, place: Placer): readonly Problem[] {
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
