/**
 * Which documents are policies (spec/policy.md, POL-1 to POL-13), judged on a tree that still knows how everything was written.
 *
 * @module
 */
import { type Node, type Placed, type Read, readJson, readObject, step } from './json.js';
import { checkArgvItem, checkHostPattern, checkPathPattern, checkTextPattern } from './match.js';
import { codePoints, isWellFormed, utf8 } from './text.js';

type Judge = (node: Node, pointer: string) => Placed[];

/** The limits of the table in the chapter. */
export const limits = { rules: 100_000, text: 4_096, list: 10_000, argv: 256 };

const problem = (code: string, node: Node, pointer: string): Placed[] => [{ code, pointer, place: node.place }];

/** The check of a name, a pattern or an HTTP method: its kind is a list of checks, the first that fails answers. */
const text =
  (...kind: ((value: string) => string | undefined)[]): Judge =>
  (node, pointer) => {
    if (node.kind !== 'string') return problem('wrong-type', node, pointer); // POL-3
    if (!isWellFormed(node.value)) return problem('lone-surrogate', node, pointer); // POL-7
    if (utf8(node.value).length > limits.text) return problem('limit', node, pointer);
    for (const check of kind) {
      const code = check(node.value);
      if (code !== undefined) return problem(code, node, pointer);
    }
    return [];
  };

const codeOf = (answer: { readonly ok: unknown } | { readonly code: string }): string | undefined => ('code' in answer ? answer.code : undefined);

/** POL-8, without the limit, which comes before. */
export function nameCode(value: string): string | undefined {
  if (value === '') return 'empty-text';
  const isControl = (p: number): boolean => p <= 0x1f || (p >= 0x7f && p <= 0x9f) || (p >= 0x202a && p <= 0x202e) || (p >= 0x2066 && p <= 0x2069);
  return codePoints(value).some(isControl) ? 'control-character' : undefined;
}

/** One of a few words; any other text is `bad-value`, whatever it holds. */
const oneOf =
  (...words: string[]): Judge =>
  (node, pointer) => {
    if (node.kind !== 'string') return problem('wrong-type', node, pointer);
    return words.includes(node.value) ? [] : problem('bad-value', node, pointer);
  };

/** `[A-Z][A-Z0-9_-]*` without a regular expression. */
export function isHttpMethod(value: string): boolean {
  const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
  return value !== '' && upper.includes(value.charAt(0)) && value.split('').every((unit) => `${upper}0123456789_-`.includes(unit));
}

/** POL-4: plain digits, at most 2^53-1; then the range that the field has. */
const integer =
  (from: number, to: number): Judge =>
  (node, pointer) => {
    if (node.kind !== 'number') return problem('wrong-type', node, pointer);
    if (!/^(?:0|[1-9][0-9]*)$/u.test(node.written) || BigInt(node.written) > 2n ** 53n - 1n) return problem('bad-integer', node, pointer);
    const value = BigInt(node.written);
    return value < BigInt(from) || value > BigInt(to) ? problem('bad-value', node, pointer) : [];
  };

/** POL-5: a list of at least one and at most so many items. */
const list =
  (item: (index: number, length: number) => Judge, most: number, isSet: boolean): Judge =>
  (node, pointer) => {
    if (node.kind !== 'array') return problem('wrong-type', node, pointer);
    if (node.items.length === 0) return problem('empty-list', node, pointer);
    if (node.items.length > most) return problem('limit', node, pointer);
    return node.items.flatMap((child, index) => {
      const here = step(pointer, index);
      const found = item(index, node.items.length)(child, here);
      const before = node.items.slice(0, index);
      const isTwice = isSet && child.kind === 'string' && before.some((other) => other.kind === 'string' && other.value === child.value);
      return isTwice ? [...found, ...problem('duplicate-item', child, here)] : found;
    });
  };

const set = (item: Judge): Judge => list(() => item, limits.list, true);

/** `"any"` or something that is no string. */
const anyOr =
  (other: Judge, otherKind: Node['kind']): Judge =>
  (node, pointer) => {
    if (node.kind === 'string') return oneOf('any')(node, pointer);
    return node.kind === otherKind ? other(node, pointer) : problem('wrong-type', node, pointer);
  };

/** POL-1: exactly these fields. A missing one is placed at the object, an unknown one at its key. */
const fields =
  (shape: Readonly<Record<string, Judge>>): Judge =>
  (node, pointer) => {
    if (node.kind !== 'object') return problem('wrong-type', node, pointer);
    const missing = Object.keys(shape).filter((key) => !node.members.some((member) => member.key === key));
    const found = node.members.flatMap(({ key, place, value }): Placed[] => {
      if (key === '__proto__') return []; // POL-13, already told by the reader
      const judge = Object.hasOwn(shape, key) ? shape[key] : undefined;
      return judge === undefined ? [{ code: 'unknown-key', pointer: step(pointer, key), place }] : judge(value, step(pointer, key));
    });
    return [...missing.flatMap(() => problem('missing-key', node, pointer)), ...found];
  };

const methods = (item: Judge): Judge => anyOr(set(item), 'array');

const kinds: Readonly<Record<string, Judge>> = {
  filesystem: fields({
    path: text((value) => codeOf(checkPathPattern(value))),
    methods: methods(oneOf('read', 'write', 'delete', 'execute')),
  }),
  network: fields({
    host: text((value) => codeOf(checkHostPattern(value))),
    ports: anyOr(fields({ from: integer(0, 65_535), to: integer(0, 65_535) }), 'object'), // POL-9
    methods: methods(text((value) => (isHttpMethod(value) ? undefined : 'bad-value'))),
  }),
  process: fields({ argv: list((index, length) => text((value) => codeOf(checkArgvItem(value, index === length - 1))), limits.argv, false) }),
  tool: fields({
    server: text(nameCode, (value) => codeOf(checkTextPattern(value))),
    name: text(nameCode, (value) => codeOf(checkTextPattern(value))),
  }),
};

/** POL-2. */
const action: Judge = (node, pointer) => {
  if (node.kind !== 'object') return problem('wrong-type', node, pointer);
  const known = node.members.filter((member) => Object.hasOwn(kinds, member.key));
  const unknown = node.members.filter((member) => !Object.hasOwn(kinds, member.key) && member.key !== '__proto__');
  return [
    ...(known.length === 1 ? [] : problem('exactly-one', node, pointer)),
    ...unknown.map(({ key, place }) => ({ code: 'unknown-key', pointer: step(pointer, key), place })),
    ...(known.length === 1 ? known : []).flatMap(({ key, value }) => (kinds[key] as Judge)(value, step(pointer, key))),
  ];
};

const rule = fields({
  name: text(nameCode),
  effect: oneOf('allow', 'ask', 'deny'),
  agents: anyOr(fields({ one_of: set(text(nameCode)) }), 'object'),
  action,
});

const nameOf = (node: Node): string | undefined => {
  const name = node.kind === 'object' ? node.members.find((member) => member.key === 'name')?.value : undefined;
  return name?.kind === 'string' ? name.value : undefined;
};

const rules: Judge = (node, pointer) => {
  if (node.kind !== 'array') return problem('wrong-type', node, pointer);
  if (node.items.length > limits.rules) return problem('limit', node, pointer);
  const names = node.items.map(nameOf);
  return node.items.flatMap((item, index) => {
    const found = rule(item, step(pointer, index));
    const name = names[index];
    if (name === undefined || !names.slice(0, index).includes(name)) return found;
    const place = (item as Extract<Node, { kind: 'object' }>).members.find((member) => member.key === 'name') as { value: Node };
    return [...found, ...problem('duplicate-name', place.value, step(step(pointer, index), 'name'))]; // POL-6
  });
};

const policy = fields({ version: integer(1, Number.MAX_SAFE_INTEGER), rules });

/** All problems of what was read, in document order. */
function judge(read: Read): readonly Placed[] {
  const found = read.root === undefined ? [] : policy(read.root, '');
  return [...read.problems, ...found].sort((a, b) => a.place - b.place);
}

/** The problems of an object that a caller hands in; none when it is a policy. */
export const judgeObject = (value: unknown): readonly Placed[] => judge(readObject(value));

/** The problems of a JSON text; none when it is a policy. */
export const judgeJson = (input: string | Uint8Array): readonly Placed[] => judge(readJson(input));
