/**
 * Raw arguments as text, for whoever checks a receipt later (DIG-11).
 * @module
 */
import { refuse, RuleprintError } from '../errors.js';
import { textOf } from '../policy/document.js';
import { readJson } from '../policy/json.js';

/**
 * Reads arguments from JSON text or its UTF-8 bytes: any numbers, but no key twice.
 *
 * @throws RuleprintError `utf8`, `syntax`, `limit`, `duplicate-key`, `forbidden-key`
 */
export function parseArguments(source: string | Uint8Array): unknown {
  const { value, problems } = readJson(textOf(source, 'json'));
  // how a number is written is for the digest to judge (DIG-9)
  const found = problems.find(({ code }) => code !== 'bad-integer');
  if (found !== undefined) throw new RuleprintError(found);
  return value;
}

/** One JSON object a line: what `--args` reads. */
export function parseArgumentLines(source: string | Uint8Array): readonly { readonly line: number; readonly value: Readonly<Record<string, unknown>> }[] {
  return textOf(source, 'json')
    .split('\n')
    .flatMap((text, i) => {
      if (text.trim() === '') return [];
      const value = onLine(i + 1, () => parseArguments(text));
      if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse('wrong-type', 'expected one object a line', { where: { line: i + 1 } });
      return [{ line: i + 1, value: value as Readonly<Record<string, unknown>> }];
    });
}

/** Moves a refusal to the line that it is about. */
function onLine<T>(line: number, act: () => T): T {
  let found: RuleprintError;
  try {
    return act();
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    found = error;
  }
  const { code, message, where, hint } = found;
  throw new RuleprintError({ code, message, where: { line, column: where.column ?? 1 }, ...(hint !== undefined && { hint }) });
}
