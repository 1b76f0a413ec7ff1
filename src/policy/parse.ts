/**
 * Policies as text, JSON or YAML, through the one strict door (spec/policy.md).
 * @module
 */
import { type Problems, RuleprintError } from '../errors.js';
import { admitPolicy } from './copy.js';
import { checkDocument, type ParseOptions } from './door.js';
import { readJson } from './json.js';
import type { Policy } from './model.js';
import type { Path } from '../shape.js';
import { policyShape } from './shape.js';
import { readYaml } from './yaml.js';

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
  const result = readPlacedPolicy(source, options);
  return 'problems' in result ? result : { policy: result.policy };
}

/** A policy whose text is at hand. */
export interface PlacedPolicy {
  readonly policy: Policy;
  /** Where the value at a path begins in the text. */
  readonly placeOf: (path: Path) => { readonly line: number; readonly column: number };
}

/** The same, with the places of what the policy holds: for a report that points into the text. */
export function readPlacedPolicy(source: string | Uint8Array, options: ParseOptions): PlacedPolicy | { problems: Problems } {
  const format = options?.format;
  if (format !== 'json' && format !== 'yaml') throw new TypeError('"format" expected "json" or "yaml"');
  if (typeof source !== 'string' && !(source instanceof Uint8Array)) throw new TypeError('"source" expected text or bytes');
  return checkDocument(source, options, format === 'json' ? readJson : readYaml, policyShape, (value, document) => ({
    policy: admitPolicy(value),
    placeOf: (path: Path) => document.placeOf(path, false),
  }));
}
