/**
 * JSON as a document (POL-4, POL-11 to POL-13): `JSON.parse` judges the syntax; what it lets through, and where that stands, is found by
 * ./json-places.ts.
 * @module
 */
import { RuleprintError } from '../errors.js';
import type { Path } from '../shape.js';
import { type Document, type Placer, placer, problemAt } from './document.js';
import { offsetsIn, surprises, syntaxProblem } from './json-places.js';
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
  let offsetOf: ReturnType<typeof offsetsIn> | undefined;
  const placeOf = (path: Path, member: boolean): ReturnType<Placer> => {
    offsetOf ??= offsetsIn(text);
    return place(offsetOf(path, member));
  };
  return { value, problems: isPlain(text, value) ? [] : surprises(text, place), placeOf };
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

/**
 * Whether a text that is JSON says no more than was made of it: as many members as there are keys, none of them `__proto__`, each number in plain
 * digits. Where it is false, json-places.ts finds out what is wrong.
 */
function isPlain(text: string, value: unknown): boolean {
  let members = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === quoteMark) i = endOfString(text, i);
    else if (char === colon) members++;
    else if (char === minus || (char >= zero && char <= nine)) {
      const [written = ''] = /^[-+.0-9eE]+/.exec(text.slice(i, i + longestNumber)) ?? [];
      if (!/^(0|[1-9][0-9]{0,15})$/.test(written) || !Number.isSafeInteger(Number(written))) return false;
      i += written.length - 1;
    }
  }
  return members === keysIn(value);
}

const [quoteMark, colon, minus, zero, nine, backslash] = [0x22, 0x3a, 0x2d, 0x30, 0x39, 0x5c] as const;
/** More than the digits of any integer that is taken. */
const longestNumber = 32;

function endOfString(text: string, start: number): number {
  for (let i = start + 1; ; i++) {
    const char = text.charCodeAt(i);
    if (char === backslash) i++;
    else if (char === quoteMark) return i;
  }
}

/** NaN, which no count is, where a key is `__proto__`. */
function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + keysIn(item), 0);
  const keys = Object.keys(value);
  return keys.reduce((sum, key) => sum + (key === '__proto__' ? Number.NaN : keysIn((value as Record<string, unknown>)[key])), keys.length);
}
