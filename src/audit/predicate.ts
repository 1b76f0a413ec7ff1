/**
 * Predicates over calls (AUD-31): what an attacker wants, what a task needs, what an operator forbids. A tool's name, compared exactly, and conditions on its
 * arguments, all of which must hold. No regular expression: a pattern is a text glob, whose work is at most its length times that of the text.
 * @module
 */
import { quote, refuse } from '../errors.js';
import { checkedPlain } from '../policy/door.js';
import { parseArgvItem } from '../policy/text-glob.js';
import { wildcardCovers } from '../policy/wildcard.js';
import { list, object, one, type Shape, text } from '../shape.js';
import { stableText, type ToolCall, valueAt } from './transcript.js';

export type Condition =
  /** The value is there and equal, as JSON data. */
  | { readonly pointer: string; readonly equals: unknown }
  /** The text holds this text, or the list an equal item. */
  | { readonly pointer: string; readonly contains: string }
  /** The text glob covers the whole text. */
  | { readonly pointer: string; readonly matches: string };

export interface Predicate {
  readonly tool: string;
  readonly where?: readonly Condition[];
}

const anyText = text('text');
const any: Shape = { kind: 'any' };
export const pointerShape = text('a JSON pointer', (value) => {
  if (value !== '' && !value.startsWith('/')) refuse('bad-value', `expected a JSON pointer, got ${quote(value)}`);
});
export const conditionShape = list(
  'a list of conditions',
  object('a condition', { pointer: pointerShape }, { equals: any, contains: anyText, matches: anyText }),
  { max: 64 },
);
/** Kinds of a condition: exactly one is there. */
const kinds = one('a condition', { equals: any, contains: any, matches: any });

/** Refuses conditions, of the shape above, without exactly one demand each, and a text glob that is none. */
export function checkConditions(where: readonly Condition[] = []): void {
  for (const { pointer: _, ...kind } of where) {
    checkedPlain(kinds, kind);
    if ('matches' in kind) parseArgvItem(kind.matches, false);
  }
}

export function holds(predicate: Predicate, call: Pick<ToolCall, 'name' | 'args'>): boolean {
  return call.name === predicate.tool && (predicate.where ?? []).every((condition) => isMet(condition, valueAt(call.args, condition.pointer)));
}

function isMet(condition: Condition, value: unknown): boolean {
  if (value === undefined) return false;
  if ('equals' in condition) return stableText(value) === stableText(condition.equals);
  if ('contains' in condition)
    return typeof value === 'string' ? value.includes(condition.contains) : Array.isArray(value) && value.includes(condition.contains);
  const glob = parseArgvItem(condition.matches, false);
  return glob !== undefined && typeof value === 'string' && wildcardCovers(glob, value);
}
