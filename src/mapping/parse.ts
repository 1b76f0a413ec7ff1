/**
 * The door for mapping tables (MAP-1): the one that policies come through, and JSON alone.
 * @module
 */
import { type Problems, RuleprintError } from '../errors.js';
import { checkDocument, checkedPlain } from '../policy/door.js';
import { readJson } from '../policy/json.js';
import { copyPlain, freezeDeep } from '../policy/plain.js';
import { type Mapping, mappingShape } from './table.js';

/** Tables that came through a door: deep frozen, so what was checked once stays so. */
const checked = new WeakSet<object>();

function admit(value: unknown): Mapping {
  const mapping = freezeDeep(value) as Mapping;
  checked.add(mapping);
  return mapping;
}

/**
 * Reads a mapping table from JSON text, or its UTF-8 bytes.
 *
 * @returns a deep frozen table
 * @throws RuleprintError the first problem in document order, all of them in `problems` (spec/mapping.md)
 * @example
 * parseMapping('{ "format": "ruleprint-mapping/1", "tools": {} }').tools; // {}
 */
export function parseMapping(source: string | Uint8Array, options: { readonly file?: string } = {}): Mapping {
  const result = checkMapping(source, options);
  if ('problems' in result) throw new RuleprintError(result.problems);
  return result.mapping;
}

/** The same, with the problems as an answer. */
export function checkMapping(source: string | Uint8Array, { file }: { readonly file?: string } = {}): { mapping: Mapping } | { problems: Problems } {
  if (typeof source !== 'string' && !(source instanceof Uint8Array)) throw new TypeError('"source" expected text or bytes');
  return checkDocument(source, { format: 'json', ...(file !== undefined && { file }) }, readJson, mappingShape, (value) => ({ mapping: admit(value) }));
}

/**
 * Takes a table handed in as an object: a deep frozen copy of its plain data. One that came through the door before is given back as it is.
 *
 * @throws RuleprintError as `parseMapping`, and `not-plain-data`
 */
export function copyMapping(value: unknown): Mapping {
  if (typeof value === 'object' && value !== null && checked.has(value)) return value as Mapping;
  return admit(checkedPlain(mappingShape, copyPlain(value)));
}
