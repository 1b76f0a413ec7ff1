/**
 * Adversarial inputs. Patterns are derived from the inputs that they shall cover: a stream of choices says where to put a wildcard or to miss narrowly,
 * and the empty stream says the literal pattern, so that a failure shrinks to the simplest pair.
 *
 * @module
 */
import fc from 'fast-check';
import type { Action, ActionPattern, Effect, Policy, Request, Rule } from '../reference/decide.js';
import { canonicalHost, canonicalPath, checkArgvItem, checkHostPattern, checkPathPattern, checkTextPattern } from '../reference/match.js';
import { nameCode } from '../reference/policy.js';

/** A stream of small choices. When it has run dry every choice is 0, the plain one. */
export class Choices {
  readonly #stream: readonly number[];
  #at = 0;
  constructor(stream: readonly number[]) {
    this.#stream = stream;
  }
  next(count: number): number {
    const value = this.#stream[this.#at] ?? 0;
    this.#at += 1;
    return value % count;
  }
  pick<T>(items: readonly T[]): T {
    return items[this.next(items.length)] as T;
  }
}

export const stream = (maxLength = 12, minLength = 0): fc.Arbitrary<number[]> => fc.array(fc.nat(9_999), { minLength, maxLength });

// ---- Texts

/** Names that every JavaScript object inherits. */
const inherited = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];

/** Where UTF-8 and UTF-16 order differ, where normalisation would join two texts, where a decoder might drop something. */
const delicate = ['\uffff', '\u{10000}', '\u{10ffff}', '\ue000', '\ufeff', 'é', 'e\u0301', '\u212b', 'Å', '\u2028', ' ', '\u00a0', 'İ', 'ß'];

const controls = ['\0', '\u0001', '\n', '\u007f', '\u009f', '\u202e', '\u2066', '\u2069'];

const syntax = ['*', '?', '**', '\\', '[', ']', '{', '}', '(', ')', '!', '@', '+', '/', '.', '..', '-', '~', ',', '|', '^', '$'];

const pieces = (...pools: readonly string[][]): fc.Arbitrary<string> => fc.constantFrom('a', 'b', 'ab', 'A', '0', ...pools.flat());

const joined = (piece: fc.Arbitrary<string>, minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.array(piece, { minLength, maxLength }).map((parts) => parts.join(''));

/** Well-formed text that may hold anything. */
export const text = joined(pieces(syntax, delicate, controls, inherited), 0, 6);

/** Text with unpaired surrogates among the rest. */
export const brokenText = joined(
  fc.oneof({ weight: 3, arbitrary: pieces(syntax, delicate) }, { weight: 1, arbitrary: fc.constantFrom('\ud800', '\udfff', '\udc00\ud800') }),
  0,
  5,
);

/** A name within POL-8; few different ones, so that they often meet. */
export const name = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'ab', 'b', ...inherited, ...delicate.filter((piece) => nameCode(piece) === undefined)) },
  {
    weight: 1,
    arbitrary: joined(pieces(syntax, delicate), 1, 4).filter((value) => nameCode(value) === undefined),
  },
);

/** An item of an argv: anything but NUL. */
const argument = fc.oneof(
  fc.constantFrom('', 'git', '-c', 'sh', '--', '**', 'é', 'e\u0301', 'Å'),
  joined(pieces(syntax, delicate, inherited, ['\n', '\u202e']), 0, 4),
);

// ---- Paths

const segment = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'b', 'ab', 'srv', '.ssh', '...', '.a', ...inherited) },
  {
    weight: 1,
    arbitrary: joined(
      pieces(
        syntax.filter((piece) => piece !== '/' && piece !== '\\'),
        delicate,
        ['\n'],
      ),
      1,
      4,
    ).filter((value) => value !== '.' && value !== '..'),
  },
);

/** A canonical path. */
export const path = fc.array(segment, { maxLength: 5 }).map((segments) => `/${segments.join('/')}`);

/** Another spelling of a canonical path. */
export function spelledPath(canonical: string, choices: Choices): string {
  const noise = (): string => choices.pick(['', '', '/', '/.', '/./', '//.']);
  const spelled = canonical
    .slice(1)
    .split('/')
    .map((part, index) => (index === 0 ? `/${part}` : `${noise()}/${part}`))
    .join('');
  return `${spelled}${choices.pick(['', '', '/', '/.', '//', '/./'])}`.replace(/^\/+/u, '/');
}

/** A path of a request, good or bad. */
export const anyPath = fc.oneof(
  fc.tuple(path, stream()).map(([canonical, choices]) => spelledPath(canonical, new Choices(choices))),
  fc.array(fc.constantFrom('', '.', '..', 'a', '...', ' ', '\\', '\0', '~', 'C:', 'é'), { maxLength: 5 }).map((parts) => parts.join('/')),
  text.map((value) => `/${value}`),
  text,
);

const escaped = (value: string, special: string): string => Array.from(value, (point) => (special.includes(point) ? `\\${point}` : point)).join('');

/** What a matcher that normalises or folds case would take for the same. */
const otherSpelling = (value: string, choices: Choices): string =>
  choices.pick([value.normalize('NFD'), value.normalize('NFC'), value.toUpperCase(), value.toLowerCase()]);

/** One segment made into a glob for it, or nearly. */
function segmentPattern(value: string, choices: Choices): string {
  const points = Array.from(value);
  const literal = (part: readonly string[]): string => escaped(part.join(''), '*?[]{}()!@+');
  const cut = choices.next(points.length + 1);
  switch (choices.next(12)) {
    case 1:
      return '*';
    case 2:
      return `${literal(points.slice(0, cut))}?${literal(points.slice(cut + 1))}`;
    case 3:
      return `${literal(points.slice(0, cut))}*`;
    case 4:
      return `*${literal(points.slice(cut))}`;
    case 5:
      return `${literal(points.slice(0, cut))}*${literal(points.slice(cut))}`;
    case 6:
      return '**';
    case 7:
      return '?'.repeat(points.length);
    case 8:
      return '?'.repeat(value.length + choices.next(2));
    case 9:
      return `${literal(points)}${choices.pick(['x', '*', '?', '@', '(', '[a]', '{a', ')', '!(a)', '@(a)', '+(a)', '?(a)', '*(a)', '\\!(a)', '!\\(a)', '\\', '\\a'])}`;
    case 10:
      return value;
    case 11:
      return otherSpelling(value, choices);
    default:
      return literal(points);
  }
}

/** A path pattern for a canonical path. */
export function pathPattern(canonical: string, choices: Choices): string {
  const segments = canonical === '/' ? [] : canonical.slice(1).split('/');
  const made: string[] = [];
  for (const [index, part] of segments.entries()) {
    const kind = choices.next(10);
    if (kind === 1) made.push('**', segmentPattern(part, choices));
    else if (kind === 2) continue;
    else if (kind === 3) {
      made.push('**');
      if (choices.next(2) === 1) return `/${made.join('/')}`;
    } else if (kind === 4) made.push(segmentPattern(part, choices), '**');
    else if (kind === 5 && index > 0) made.push(`${made.pop()}*${part}`);
    else made.push(segmentPattern(part, choices));
  }
  return `/${made.join('/')}${choices.pick(['', '', '', '', '', '/**', '/**', '/*', '/x', '/', '/.', '/..', '//a', '/**/**'])}`.replace(/^\/\/\*/u, '/*');
}

// ---- Hosts

const label = fc.oneof(
  fc.constantFrom('a', 'b', 'example', 'com', 'x-y', '_dmarc', '0xg', '1a', 'constructor', 'xn--nxasmq6b'),
  fc.constantFrom('c'.repeat(62), 'd'.repeat(63)),
);
const hostName = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
const ipv4 = fc.oneof(fc.constantFrom(0x7f000001, 0x0a000000, 0x0a0000ff, 0xc0a80101, 0, 0xffffffff, 0x08080808), fc.nat(0xffffffff)).map(BigInt);
const group = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(1, 0xffff, 0xfd00, 0x2001, 0xdb8, 0xa, 0x64, 0xff9b) },
  fc.nat(0xffff),
);
const ipv6 = fc.oneof(
  { weight: 4, arbitrary: fc.array(group, { minLength: 8, maxLength: 8 }) },
  { weight: 1, arbitrary: fc.array(group, { minLength: 2, maxLength: 2 }).map(([a = 0, b = 0]) => [0, 0, 0, 0, 0, 0xffff, a, b]) },
);

const base = (value: bigint, choices: Choices): string => {
  const zeros = '0'.repeat(choices.next(3));
  return choices.pick([
    value.toString(),
    value.toString(),
    value === 0n ? '0' : `0${zeros}${value.toString(8)}`,
    `0x${zeros}${value.toString(16)}`,
    value === 0n ? '0x' : `0X${value.toString(16)}`,
  ]);
};

/** A spelling of an IPv4 address: dotted decimal, or in one to four parts of any base, or mapped. */
function spelledIpv4(value: bigint, choices: Choices): string {
  const bytes = [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n);
  const kind = choices.next(9);
  const [a, b, c, d] = bytes.map(String) as [string, string, string, string];
  if (kind === 1) return `::ffff:${a}.${b}.${c}.${d}`;
  if (kind === 2) return `[::FFFF:${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}]`;
  if (kind === 3) return `0:0:0::ffff:${a}.${b}.${c}.${d}`;
  if (kind === 4) return `${a}.${b}.${c}.${d}.`;
  if (kind < 4) return `${a}.${b}.${c}.${d}`;
  const count = 1 + choices.next(4);
  const first = bytes.slice(0, count - 1).map((byte) => base(byte, choices));
  const rest = value % 256n ** BigInt(5 - count);
  return [...first, base(rest + BigInt(choices.next(40) === 39 ? 256 : 0), choices)].join('.') + choices.pick(['', '', '.']);
}

/** A spelling of an IPv6 address: any run of zero groups left out, or none, any case, padded or not, dotted end, brackets. */
function spelledIpv6(groups: readonly number[], choices: Choices): string {
  const texts = groups.map((value) => value.toString(16).padStart(choices.pick([1, 1, 4]), '0'));
  const isDotted = choices.next(4) === 3;
  const end = isDotted
    ? [`${(groups[6] as number) >> 8}.${(groups[6] as number) & 255}.${(groups[7] as number) >> 8}.${(groups[7] as number) & 255}`]
    : texts.slice(6);
  const parts = [...texts.slice(0, 6), ...end];
  const zeroAt = [...groups.keys()].filter((at) => groups[at] === 0 && at < (isDotted ? 6 : 8));
  let spelled = parts.join(':');
  if (zeroAt.length > 0 && choices.next(4) !== 3) {
    const start = choices.pick(zeroAt);
    let stop = start + 1;
    while (stop < (isDotted ? 6 : 8) && groups[stop] === 0 && choices.next(5) !== 4) stop += 1;
    spelled = `${parts.slice(0, start).join(':')}::${parts.slice(stop).join(':')}`;
  }
  if (choices.next(8) === 7) {
    const colons = [...spelled.matchAll(/:/gu)].map(({ index }) => index);
    const place = choices.pick([0, spelled.length, ...colons]);
    spelled = `${spelled.slice(0, place)}${choices.pick(['::', ':'])}${spelled.slice(place)}`;
  }
  spelled = choices.next(3) === 2 ? spelled.toUpperCase() : spelled;
  return choices.pick([spelled, spelled, `[${spelled}]`, `[${spelled}`, `${spelled}:`, `${spelled}]`].slice(0, choices.next(6) === 5 ? 6 : 3));
}

const mixedCase = (value: string, choices: Choices): string => choices.pick([value, value, value.toUpperCase(), `${value}.`, `${value.toUpperCase()}.`]);

/** A host of a request that is good. */
export const spelledHost = fc
  .oneof(
    fc.tuple(hostName, stream()).map(([value, choices]) => mixedCase(value, new Choices(choices))),
    fc.tuple(ipv4, stream()).map(([value, choices]) => spelledIpv4(value, new Choices(choices))),
    fc.tuple(ipv6, stream()).map(([value, choices]) => spelledIpv6(value, new Choices(choices))),
  )
  .filter((value) => 'ok' in canonicalHost(value));

const hostGarbage = fc
  .array(
    fc.constantFrom('a', 'f', '0', '1', '08', '255', '256', '0x', '0X1', '.', '.', ':', ':', '::', '[', ']', '-', '_', '/', '*', '%', '@', ' ', 'é', 'İ', 'K'),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(''));

/** A host of a request, good or bad. */
export const anyHost = fc.oneof(
  spelledHost,
  fc.tuple(ipv6, stream()).map(([value, choices]) => spelledIpv6(value, new Choices(choices))),
  fc.tuple(ipv4, stream()).map(([value, choices]) => spelledIpv4(value, new Choices(choices))),
  hostGarbage,
  fc.tuple(spelledHost, hostGarbage, fc.nat(20)).map(([host, extra, at]) => host.slice(0, at) + extra.slice(0, 2) + host.slice(at)),
  fc.array(fc.constantFrom('c'.repeat(63), 'd'.repeat(64), 'a'.repeat(50), 'b'), { minLength: 3, maxLength: 6 }).map((labels) => labels.join('.')),
);

const dottedOf = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');

/** A CIDR block around an address, with the bits behind it cleared or left. */
function cidrAround(host: string, choices: Choices): string {
  const written = choices.next(5) === 4 ? choices.next(40).toString() : '';
  if (!host.includes(':')) {
    const value = host.split('.').reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
    const bits = BigInt(choices.pick([8, 0, 1, 16, 24, 31, 32, 33, 7, 9, 25]));
    const size = bits > 32n ? 1n : 2n ** (32n - bits);
    return `${dottedOf(choices.next(5) === 4 ? value : value - (value % size))}/${written === '' ? bits : written}`;
  }
  const bits = choices.pick([64, 0, 1, 8, 10, 96, 127, 128, 129, 48]);
  const canonical = canonicalHost(`${host.split(':').slice(0, 3).join(':').replace(/:*$/u, '')}::`);
  return `${choices.next(3) === 2 || 'code' in canonical ? host : canonical.ok}/${written === '' ? bits : `0${written}`.slice(choices.next(2))}`;
}

/** A host pattern for a canonical host. */
export function hostPattern(host: string, choices: Choices): string {
  const isAddress = host.includes(':') || /^[0-9]+$/u.test(host.split('.').at(-1) ?? '');
  const labels = host.split('.');
  switch (choices.next(12)) {
    case 1:
    case 2:
      return isAddress ? cidrAround(host, choices) : `*.${labels.slice(1 + choices.next(Math.max(1, labels.length - 1))).join('.')}`;
    case 3:
      return '**';
    case 4:
      return `*.${host}`;
    case 5:
      return isAddress ? cidrAround(host, choices) : mixedCase(host, choices);
    case 6:
      return host.includes(':') ? `[${host}]` : `${host}.`;
    case 7:
      return isAddress && !host.includes(':')
        ? spelledIpv4(
            host.split('.').reduce((sum, byte) => sum * 256n + BigInt(byte), 0n),
            choices,
          )
        : host.slice(1);
    case 8:
      return choices.pick([
        `x${host}`,
        `*${host}`,
        `${host}*`,
        '*',
        '*.',
        `${host}/`,
        `${host}/8`,
        `*.${host}/8`,
        `*.*.${host}`,
        `::ffff:${host}`,
        `::ffff:${host}/112`,
        `*.::ffff:${host}`,
      ]);
    case 9:
      return choices.pick(['0.0.0.0/0', '::/0', '10.0.0.0/8', '::/96', '::ffff:0:0/96', '*.example.com', '*.com', 'fd00::/8']);
    default:
      return host;
  }
}

// ---- Text globs

/** A text glob for a text. */
export function textPattern(value: string, choices: Choices): string {
  const points = Array.from(value);
  let made = '';
  for (let at = 0; at < points.length; at += 1) {
    const literal = escaped(points[at] as string, '*?\\');
    const kind = choices.next(14);
    if (kind === 1) made += '?';
    else if (kind === 2) {
      made += '*';
      at += choices.next(4);
    } else if (kind === 3) made += `*${literal}`;
    else if (kind === 4) made += points[at];
    else if (kind === 5) made += choices.pick(['x', '\\a', '**', '??', '']);
    else if (kind === 6) made += escaped(otherSpelling(points[at] as string, choices), '*?\\');
    else made += literal;
  }
  return made + choices.pick(['', '', '', '', '*', '?', '\\', '**', '\\\\']);
}

/** An argv pattern for an argv. */
export function argvPattern(argv: readonly string[], choices: Choices): string[] {
  const made: string[] = [];
  for (const item of argv) {
    const kind = choices.next(10);
    if (kind === 1) made.push('*');
    else if (kind === 9) made.push(escaped(otherSpelling(item, choices), '*?\\'));
    else if (kind === 2) return [...made, '**'];
    else if (kind === 3) made.push(textPattern(item, choices), choices.pick(['*', '', '**', item]));
    else if (kind !== 4) made.push(textPattern(item, choices));
  }
  return [...made, ...choices.pick([[], [], [], ['**'], ['**'], ['*'], [''], ['\0']])];
}

// ---- Requests and policies

const httpMethod = fc.constantFrom('GET', 'POST', 'CONNECT', 'M-SEARCH', 'X_1', 'A');
const words = ['read', 'write', 'delete', 'execute'] as const;

/** A good action as a caller spells it. */
export const spelledAction: fc.Arbitrary<Action> = fc.oneof(
  fc
    .tuple(path, stream(), fc.constantFrom(...words))
    .map(([canonical, choices, method]) => ({ filesystem: { path: spelledPath(canonical, new Choices(choices)), method } })),
  fc
    .tuple(spelledHost, fc.oneof(fc.constantFrom(80, 443, 1, 65_535), fc.integer({ min: 1, max: 65_535 })), fc.option(httpMethod, { freq: 2 }))
    .map(([host, port, method]) => ({ network: method === null ? { host, port } : { host, port, method } })),
  fc.array(argument, { minLength: 1, maxLength: 4 }).map((argv) => ({ process: { argv } })),
  fc.tuple(name, name).map(([server, tool]) => ({ tool: { server, name: tool } })),
);

/** A good request as a caller spells it. */
export const spelledRequest: fc.Arbitrary<Request> = fc.record(
  { agent: name, actions: fc.array(spelledAction, { minLength: 1, maxLength: 4 }) },
  { noNullPrototype: true },
);

const valid = (made: string, check: (made: string) => { ok: unknown } | { code: string }, literal: string): string => ('ok' in check(made) ? made : literal);

/** Some of the items, at least one; one choice says which, so that a stream lasts. */
const some = <T>(items: readonly T[], choices: Choices): readonly T[] => {
  const left = choices.next(2 ** items.length);
  const kept = items.filter((_, index) => ((left >> index) & 1) === 0);
  return kept.length === 0 ? items.slice(0, 1) : kept;
};

/** The items in another order, by one choice: turned, and from the back. */
const shuffled = <T>(items: readonly T[], choices: Choices): T[] => {
  const turn = choices.next(2 * items.length);
  const turned = [...items.slice(turn % items.length), ...items.slice(0, turn % items.length)];
  return turn < items.length ? turned : turned.reverse();
};

/** A good action pattern, derived from an action. */
function actionPattern(action: Action, choices: Choices): ActionPattern {
  if ('filesystem' in action) {
    const canonical = canonicalPath(action.filesystem.path);
    const literal = 'ok' in canonical ? canonical.ok : '/';
    const glob = valid(pathPattern(literal, choices), checkPathPattern, escaped(literal, '*?[]{}()!@+'));
    const list = shuffled(some(words, choices), choices);
    const methods = choices.pick(['any' as const, list, list, [action.filesystem.method]]);
    return { filesystem: { path: glob, methods } };
  }
  if ('network' in action) {
    const canonical = canonicalHost(action.network.host);
    const literal = 'ok' in canonical ? canonical.ok : 'a';
    const { port, method } = action.network;
    const near = choices.next(3) - 1;
    const ports = choices.pick([
      'any' as const,
      { from: port, to: port },
      { from: Math.min(65_535, Math.max(0, port + near)), to: Math.min(65_535, port + choices.next(2)) },
      { from: Math.min(65_535, port + 1), to: port - 1 },
    ]);
    const list = shuffled(some(['GET', 'POST', 'X-Y', 'X_1', 'CONNECT'], choices), choices);
    const methods = choices.pick(['any' as const, list, list, [method ?? 'GET']]);
    return { network: { host: valid(hostPattern(literal, choices), checkHostPattern, literal), ports, methods } };
  }
  if ('process' in action) {
    const made = argvPattern(action.process.argv, choices);
    const isGood = made.length > 0 && made.every((item, index) => 'ok' in checkArgvItem(item, index === made.length - 1));
    return { process: { argv: isGood ? made : action.process.argv.map((item) => escaped(item, '*?\\')) } };
  }
  const glob = (value: string): string => {
    const made = textPattern(value, choices);
    return nameCode(made) === undefined ? valid(made, checkTextPattern, escaped(value, '*?\\')) : escaped(value, '*?\\');
  };
  return { tool: { server: glob(action.tool.server), name: glob(action.tool.name) } };
}

function agents(agent: string, choices: Choices): Rule['agents'] {
  const others = ['a', 'ab', 'b', 'constructor', '\uffff', '\u{10000}', '__proto__', 'é', 'e\u0301'].filter((id) => id !== agent);
  switch (choices.next(5)) {
    case 1:
      return { one_of: [agent] };
    case 2:
      return { one_of: shuffled([agent, ...some(others, choices)], choices) };
    case 3:
      return { one_of: shuffled(some(others, choices), choices) };
    default:
      return 'any';
  }
}

/** A request with a policy whose rules were derived from its actions. */
export const policyAndRequest: fc.Arbitrary<{ policy: Policy; request: Request }> = fc
  .record({
    request: spelledRequest,
    other: spelledAction,
    version: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constant(Number.MAX_SAFE_INTEGER)),
    // Often every action is allowed by some rule, so that the others decide.
    isGenerous: fc.boolean(),
    rules: fc.array(fc.record({ effect: fc.constantFrom<Effect[]>('deny', 'allow', 'ask', 'allow'), name, choices: stream(30, 16) }), { maxLength: 8 }),
  })
  .map(({ request, other, version, isGenerous, rules }) => {
    const taken = new Set<string>();
    const made = rules.map(({ effect, name: wanted, choices }, index): Rule => {
      const stepper = new Choices(choices);
      const from = stepper.pick([...request.actions, other]);
      const unique = taken.has(wanted) ? `${wanted}#${index}` : wanted;
      taken.add(unique);
      return { name: unique, effect, agents: agents(request.agent, stepper), action: actionPattern(from, stepper) };
    });
    const generous = request.actions.map(
      (action, index): Rule => ({ name: `generous ${index}`, effect: 'allow', agents: 'any', action: actionPattern(action, new Choices([])) }),
    );
    return { policy: { version, rules: isGenerous ? [...made, ...generous] : made }, request };
  });

/** A policy. */
export const policy: fc.Arbitrary<Policy> = policyAndRequest.map((both) => both.policy);
