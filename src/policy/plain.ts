/**
 * The door for objects (POL-15): a copy of own enumerable data properties of plain objects and dense arrays, so that what is judged is
 * what is used, and no getter runs and no prototype adds a field.
 * @module
 */
import { refuse } from '../errors.js';
import { pointer, type Path } from '../shape.js';
import { limits } from '../limits.js';

/**
 * Copies plain data, `undefined` members left out as JSON leaves them out; an object that stands in several places is copied once. Refuses anything
 * else with `not-plain-data`, and `__proto__` with `forbidden-key`.
 */
export function copyPlain(value: unknown): unknown {
  return copy(value, [], new Map());
}

/** Copies so far, by original; undefined while the original is being copied, which to meet again is a cycle. */
type Copies = Map<object, unknown>;

function copy(value: unknown, path: Path, copies: Copies): unknown {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') notPlain(path, `a ${typeof value}`);
    return value;
  }
  if (copies.has(value)) return copies.get(value) ?? notPlain(path, 'a cycle');
  if (path.length >= limits.documentDepth) {
    refuse('limit', `expected at most ${limits.documentDepth} levels of nesting`, {
      where: { pointer: pointer(path) },
      evidence: { limit: 'depth', max: limits.documentDepth },
    });
  }
  copies.set(value, undefined);
  const made = Array.isArray(value) ? copyList(value, path, copies) : copyObject(value, path, copies);
  copies.set(value, made);
  return made;
}

function copyList(value: readonly unknown[], path: Path, copies: Copies): unknown[] {
  if (Object.getPrototypeOf(value) !== Array.prototype) notPlain(path, 'an array with another prototype');
  const length = value.length;
  if (Reflect.ownKeys(value).length !== length + 1) notPlain(path, 'an array with holes or other properties');
  const items: unknown[] = [];
  for (let i = 0; i < length; i++) items.push(copy(dataOf(value, String(i), path), [...path, i], copies));
  return items;
}

function copyObject(value: object, path: Path, copies: Copies): Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) notPlain(path, 'an object with another prototype');
  const members: Record<string, unknown> = {};
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key === 'symbol') notPlain(path, 'a symbol as a key');
    if (key === '__proto__') refuse('forbidden-key', 'expected no key `__proto__`', { where: { pointer: pointer([...path, key]) } });
    const member = dataOf(value, key, path);
    if (member !== undefined) members[key] = copy(member, [...path, key], copies);
  }
  return members;
}

/** The value of an own enumerable data property. */
function dataOf(value: object, key: string, path: Path): unknown {
  const property = Object.getOwnPropertyDescriptor(value, key);
  if (property === undefined) notPlain(path, 'an array with holes');
  if (!('value' in property)) notPlain([...path, key], 'an accessor');
  if (!property.enumerable) notPlain([...path, key], 'a hidden property');
  return property.value;
}

function notPlain(path: Path, got: string): never {
  refuse('not-plain-data', `expected plain data, got ${got}`, { where: { pointer: pointer(path) } });
}

/** Freezes plain data, all levels. The caller owns it alone. */
export function freezeDeep<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) freezeDeep(member);
  }
  return value;
}
