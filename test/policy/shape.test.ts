import { describe, expect, it } from 'vitest';
import { limits } from '../../src/limits.js';
import { copyPolicy } from '../../src/policy/copy.js';
import { parsePolicy } from '../../src/policy/parse.js';
import { argv, changed, filesystem, network, policyOf, problemsOf, problemsOfObject, refused, ruleOf, tool, type Loose } from './kit.js';

/** One rule of each kind, with every field that there is. */
const good = policyOf(
  ruleOf({ name: 'files', agents: { one_of: ['builder', 'reviewer'] }, action: filesystem('/srv/**', ['read', 'write']) }),
  ruleOf({ name: 'net', effect: 'ask', action: network({ ports: { from: 443, to: 8443 }, methods: ['GET', 'POST'] }) }),
  ruleOf({ name: 'run', effect: 'deny', action: argv('git', 'push', '**') }),
  ruleOf({ name: 'call', action: tool() }),
);
const files = ['rules', 0, 'action', 'filesystem'] as const;
const net = ['rules', 1, 'action', 'network'] as const;
const run = ['rules', 2, 'action', 'process'] as const;
const call = ['rules', 3, 'action', 'tool'] as const;
const ids = ['rules', 0, 'agents', 'one_of'] as const;

type Path = readonly (string | number)[];
type Row = [title: string, path: Path, to: unknown, code: string, at?: Path];

const pointer = (path: Path): string => path.map((step) => `/${step}`).join('');

/** The one problem, by both doors, placed where the change was made or at `at`. */
function expectOne(value: unknown, code: string, at: Path): void {
  const expected = [{ code, pointer: pointer(at) }];
  expect(problemsOf(JSON.stringify(value))).toEqual(expected);
  expect(problemsOfObject(value)).toEqual(expected);
}

function refusals(rows: readonly Row[]): void {
  it.each<Row>(rows)('refuses %s', (...[, path, to, code, at = path]: Row) => expectOne(changed(good, path, to), code, at));
}

describe('the good policy that is changed below', () => {
  it('is taken by both doors, as one value', () => {
    expect(problemsOf(JSON.stringify(good))).toEqual([]);
    expect(copyPolicy(good)).toEqual(good);
    expect(parsePolicy(JSON.stringify(good), { format: 'json' })).toEqual(good);
  });
});

describe('POL-1: every field there, no other', () => {
  const missing = (path: Path): Row => [`no ${path.at(-1)} at ${pointer(path.slice(0, -1)) || 'the top'}`, path, undefined, 'missing-key', path.slice(0, -1)];
  refusals([
    missing(['version']),
    missing(['rules']),
    ...['name', 'effect', 'agents', 'action'].map((field) => missing(['rules', 0, field])),
    missing(ids),
    ...['path', 'methods'].map((field) => missing([...files, field])),
    ...['host', 'ports', 'methods'].map((field) => missing([...net, field])),
    ...['from', 'to'].map((field) => missing([...net, 'ports', field])),
    missing([...run, 'argv']),
    ...['server', 'name'].map((field) => missing([...call, field])),
  ]);

  const unknown = (path: Path): Row => [`another field ${pointer(path)}, because a misspelt field must not widen or narrow a rule`, path, 'any', 'unknown-key'];
  refusals([
    unknown(['Version']),
    unknown(['rules', 0, 'agent']),
    unknown(['rules', 0, 'agents', 'none_of']),
    unknown([...files, 'method']),
    unknown([...net, 'port']),
    unknown([...net, 'ports', 'step']),
    unknown([...run, 'cwd']),
    unknown([...call, 'arguments']),
    // names that a plain object inherits: a look-up in a table would find them
    unknown(['rules', 0, 'constructor']),
    unknown(['rules', 0, 'toString']),
    unknown(['rules', 0, 'hasOwnProperty']),
  ]);

  it('takes a policy without rules, because then everything is denied', () => {
    expect(copyPolicy({ version: 1, rules: [] })).toEqual({ version: 1, rules: [] });
  });

  it('reports a misspelt field as missing and as unknown, the missing one first', () => {
    const { effect, ...rest } = ruleOf();
    const value = { version: 1, rules: [{ ...rest, efect: effect }] };
    const expected = [
      { code: 'missing-key', pointer: '/rules/0' },
      { code: 'unknown-key', pointer: '/rules/0/efect' },
    ];
    expect(problemsOf(JSON.stringify(value))).toEqual(expected);
    expect(problemsOfObject(value)).toEqual(expected);
  });

  it('reports every unknown field, because a person mends them all at once', () => {
    const value = { version: 1, rules: [], a: 1, b: 2 };
    expect(problemsOf(JSON.stringify(value)).map(({ pointer: at }) => at)).toEqual(['/a', '/b']);
  });

  it('escapes a key in the pointer (RFC 6901)', () => {
    expect(problemsOfObject({ version: 1, rules: [], 'a/b~c': 1 })).toEqual([{ code: 'unknown-key', pointer: '/a~1b~0c' }]);
  });
});

describe('POL-2: exactly one kind of action', () => {
  const action = ['rules', 3, 'action'] as const;
  refusals([
    ['no kind', action, {}, 'exactly-one'],
    ['two kinds', action, { ...tool(), ...argv('a') }, 'exactly-one'],
    ['all four', action, { ...tool(), ...argv('a'), ...network(), ...filesystem() }, 'exactly-one'],
    ['a kind beside an unknown one', action, { ...tool(), shell: {} }, 'unknown-key', [...action, 'shell']],
    ['a kind that is no object', [...action, 'tool'], 'fs', 'wrong-type'],
  ]);

  it('refuses an unknown kind alone, as none and as unknown', () => {
    expect(problemsOfObject(changed(good, action, { shell: { command: 'ls' } }))).toEqual([
      { code: 'exactly-one', pointer: '/rules/3/action' },
      { code: 'unknown-key', pointer: '/rules/3/action/shell' },
    ]);
  });
});

describe('POL-3: the type that the shape names, and the values that are allowed', () => {
  const others: readonly (readonly [string, unknown])[] = [
    ['null', null],
    ['true', true],
    ['a number', 1],
    ['text', 'any-other'],
    ['a list', []],
    ['an object', {}],
  ];
  const allBut = (path: Path, ...right: readonly string[]): Row[] =>
    others.filter(([name]) => !right.includes(name)).map(([name, to]) => [`${name} at ${pointer(path)}`, path, to, 'wrong-type']);
  refusals([
    ...allBut(['version'], 'a number'),
    ...allBut(['rules'], 'a list'),
    ...allBut(['rules', 0], 'an object'),
    ...allBut(['rules', 0, 'name'], 'text'),
    ...allBut(['rules', 0, 'effect'], 'text'),
    ...allBut(['rules', 0, 'agents'], 'an object', 'text'),
    ...allBut(ids, 'a list'),
    ...allBut([...ids, 0], 'text'),
    ...allBut(['rules', 0, 'action'], 'an object'),
    ...allBut([...files, 'path'], 'text'),
    ...allBut([...files, 'methods'], 'a list', 'text'),
    ...allBut([...files, 'methods', 0], 'text'),
    ...allBut([...net, 'host'], 'text'),
    ...allBut([...net, 'ports'], 'an object', 'text'),
    ...allBut([...net, 'ports', 'from'], 'a number'),
    ...allBut([...net, 'methods'], 'a list', 'text'),
    ...allBut([...run, 'argv'], 'a list'),
    ...allBut([...run, 'argv', 0], 'text'),
    ...allBut([...call, 'server'], 'text'),
    ...allBut([...call, 'name'], 'text'),
    ['a version as text, because 1 and "1" are two values', ['version'], '1', 'wrong-type'],
    ['a port as text', [...net, 'ports', 'from'], '443', 'wrong-type'],
  ]);

  it.each(others.filter(([name]) => name !== 'an object'))('refuses %s as the whole policy', (_, value) => expectOne(value, 'wrong-type', []));

  refusals([
    ['a version of 0', ['version'], 0, 'bad-value'],
    ['another effect', ['rules', 0, 'effect'], 'audit', 'bad-value'],
    ['an effect in upper case', ['rules', 0, 'effect'], 'Allow', 'bad-value'],
    ['an effect with a space', ['rules', 0, 'effect'], 'allow ', 'bad-value'],
    ['an agent id in place of "any", because it would look like a matcher', ['rules', 0, 'agents'], 'builder', 'bad-value'],
    ['another word than "any" for methods', [...files, 'methods'], 'all', 'bad-value'],
    ['another word than "any" for ports', [...net, 'ports'], 'all', 'bad-value'],
    ['an HTTP method for a file', [...files, 'methods', 0], 'GET', 'bad-value'],
    ['the method "list", which is read', [...files, 'methods', 0], 'list', 'bad-value'],
    ['"any" inside a list of file methods', [...files, 'methods', 0], 'any', 'bad-value'],
    ['"any" inside a list of HTTP methods', [...net, 'methods', 0], 'any', 'bad-value'],
    ['an HTTP method in lower case', [...net, 'methods', 0], 'get', 'bad-value'],
    ['an HTTP method that begins with a digit', [...net, 'methods', 0], '1GET', 'bad-value'],
    ['an HTTP method that begins with a hyphen', [...net, 'methods', 0], '-GET', 'bad-value'],
    ['an HTTP method with a space', [...net, 'methods', 0], 'GET ', 'bad-value'],
    ['an HTTP method with a line feed behind it', [...net, 'methods', 0], 'GET\n', 'bad-value'],
    ['an HTTP method with a star', [...net, 'methods', 0], 'GE*', 'bad-value'],
    ['an empty HTTP method', [...net, 'methods', 0], '', 'bad-value'],
    ['a first port above 65535', [...net, 'ports', 'from'], 65_536, 'bad-value'],
    ['a last port above 65535', [...net, 'ports', 'to'], 65_536, 'bad-value'],
  ]);

  it.each(['CONNECT', 'M-SEARCH', 'A', 'VERSION_1', 'X9'])('takes the HTTP method %s', (method) => {
    expect(copyPolicy(changed(good, [...net, 'methods', 0], method)).rules).toHaveLength(4);
  });
});

describe('POL-4: integers in plain digits, at most 2^53-1', () => {
  const version = (written: string): string => `{"version":${written},"rules":[]}`;

  it.each([
    '1.0',
    '1.5',
    '1e0',
    '1E3',
    '10e-1',
    '-1',
    '-0',
    '0.0',
    '9007199254740992',
    '9007199254740993',
    '10000000000000000',
    '1e400',
    '123456789012345678901234567890',
  ])('refuses %s in a text, because two texts would become one number', (written) => {
    expect(problemsOf(version(written))).toEqual([{ code: 'bad-integer', pointer: '/version' }]);
  });

  it.each(['1.0', '-1', '1e3', '9007199254740992'])('refuses the port %s', (written) => {
    const text = JSON.stringify(changed(good, [...net, 'ports', 'from'], 'PORT')).replace('"PORT"', written);
    expect(problemsOf(text)).toEqual([{ code: 'bad-integer', pointer: '/rules/1/action/network/ports/from' }]);
  });

  it.each([1.5, -1, -0, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, Number.MIN_SAFE_INTEGER])('refuses the number %s in an object', (value) => {
    expect(problemsOfObject({ version: value, rules: [] })).toEqual([{ code: 'bad-integer', pointer: '/version' }]);
  });

  it('takes 2^53-1 as it is, the highest that every reader of JSON keeps', () => {
    expect(parsePolicy(version('9007199254740991'), { format: 'json' }).version).toBe(9_007_199_254_740_991);
    expect(copyPolicy({ version: Number.MAX_SAFE_INTEGER, rules: [] }).version).toBe(9_007_199_254_740_991);
  });

  it.each(['01', '+1', '.5', '1.', '0x10', 'NaN', 'Infinity'])('refuses %s as no JSON at all', (written) => {
    expect(problemsOf(version(written)).map(({ code }) => code)).toEqual(['syntax']);
  });
});

describe('POL-5: sets and lists', () => {
  refusals([
    ['an empty one_of', ids, [], 'empty-list'],
    ['no file methods', [...files, 'methods'], [], 'empty-list'],
    ['no HTTP methods', [...net, 'methods'], [], 'empty-list'],
    ['an empty argv', [...run, 'argv'], [], 'empty-list'],
    ['an agent id twice', ids, ['a', 'b', 'a'], 'duplicate-item', [...ids, 2]],
    ['a file method twice', [...files, 'methods'], ['read', 'read'], 'duplicate-item', [...files, 'methods', 1]],
    ['an HTTP method twice', [...net, 'methods'], ['GET', 'PUT', 'GET'], 'duplicate-item', [...net, 'methods', 2]],
  ]);

  it('takes an argument twice, because argv is a list', () => {
    expect(copyPolicy(changed(good, [...run, 'argv'], ['a', 'a'])).rules).toHaveLength(4);
  });

  it('takes two ids that a normaliser would make one, because strings are never normalised (POL-7)', () => {
    expect(copyPolicy(changed(good, ids, ['\u00e9', 'e\u0301'])).rules).toHaveLength(4);
  });
});

describe('POL-6: rule names stand once', () => {
  it('refuses the second rule of a name, because a receipt cites a rule by its name', () => {
    expectOne(policyOf(ruleOf(), ruleOf({ name: 's' }), ruleOf({ effect: 'deny' })), 'duplicate-name', ['rules', 2, 'name']);
  });

  it('takes names that differ in case alone', () => {
    expect(copyPolicy(policyOf(ruleOf({ name: 'r' }), ruleOf({ name: 'R' }))).rules).toHaveLength(2);
  });
});

describe('POL-7: well-formed Unicode', () => {
  const high = '\ud800';
  const low = '\udc00';
  refusals([
    ['a high surrogate alone in a rule name', ['rules', 0, 'name'], high, 'lone-surrogate'],
    ['a low surrogate alone in an agent id', [...ids, 0], `a${low}`, 'lone-surrogate'],
    ['surrogates in the wrong order', [...ids, 0], low + high, 'lone-surrogate'],
    ['a surrogate alone in a path', [...files, 'path'], `/${high}`, 'lone-surrogate'],
    ['a surrogate alone in a host', [...net, 'host'], high, 'lone-surrogate'],
    ['a surrogate alone in an argument', [...run, 'argv', 0], high, 'lone-surrogate'],
    ['a surrogate alone in a server', [...call, 'server'], high, 'lone-surrogate'],
    ['a surrogate alone in a tool name', [...call, 'name'], high, 'lone-surrogate'],
    ['a surrogate alone in an HTTP method', [...net, 'methods', 0], high, 'lone-surrogate'],
    ['a surrogate alone where one of a few words is wanted, as another word', [...files, 'methods', 0], high, 'bad-value'],
    ['a surrogate alone in place of "any", as another word', ['rules', 0, 'agents'], high, 'bad-value'],
  ]);

  it('refuses a surrogate that stands in the text itself, not escaped', () => {
    const text = JSON.stringify(changed(good, ['rules', 0, 'name'], 'NAME')).replace('NAME', high);
    expect(problemsOf(text)).toEqual([{ code: 'lone-surrogate', pointer: '/rules/0/name' }]);
  });

  it('takes a pair, escaped or not, as one code point', () => {
    const text = JSON.stringify(changed(good, ['rules', 0, 'name'], 'NAME'));
    const escaped = parsePolicy(text.replace('NAME', '\\ud83d\\ude00'), { format: 'json' });
    expect(escaped).toEqual(parsePolicy(text.replace('NAME', '\u{1f600}'), { format: 'json' }));
  });

  it('keeps strings as they stand, composed or not', () => {
    const names = (value: unknown): string[] => copyPolicy(value).rules.map(({ name }) => name);
    expect(names(policyOf(ruleOf({ name: '\u00e9' }), ruleOf({ name: 'e\u0301' }), ruleOf({ name: '\ufb01' })))).toEqual(['\u00e9', 'e\u0301', '\ufb01']);
  });
});

describe('POL-8: names and ids', () => {
  const places: readonly Path[] = [
    ['rules', 0, 'name'],
    [...ids, 0],
    [...call, 'server'],
    [...call, 'name'],
  ];
  refusals(places.map((path): Row => [`an empty text at ${pointer(path)}`, path, '', 'empty-text']));

  const edges = [0x00, 0x1f, 0x7f, 0x80, 0x9f, 0x202a, 0x202e, 0x2066, 0x2069];
  refusals(
    edges.map(
      (point): Row => [
        `U+${point.toString(16).padStart(4, '0')} in a name, because a reader of a log must see what was decided`,
        ['rules', 0, 'name'],
        `a${String.fromCodePoint(point)}b`,
        'control-character',
      ],
    ),
  );
  refusals(places.map((path): Row => [`an escape character at ${pointer(path)}`, path, 'a\u001b[2Kb', 'control-character']));

  it.each([0x20, 0x7e, 0xa0, 0x2029, 0x202f, 0x2065, 0x206a, 0xfeff])('takes U+%s, which stands beside the refused ones', (point) => {
    expect(copyPolicy(changed(good, ['rules', 0, 'name'], `a${String.fromCodePoint(point)}b`)).rules).toHaveLength(4);
  });

  it.each(places.map((path) => [pointer(path), path] as const))('takes 4,096 bytes at %s and not one more', (_, path) => {
    // two bytes each, and one that has none to spare
    expect(problemsOfObject(changed(good, path, 'é'.repeat(2048)))).toEqual([]);
    expectOne(changed(good, path, `${'é'.repeat(2048)}a`), 'limit', path);
  });

  it('takes control characters in a path and in an argument, which are no names', () => {
    expect(copyPolicy(policyOf(ruleOf({ name: 'a', action: filesystem('/a\nb') }), ruleOf({ name: 'b', action: argv('\u001b', '') }))).rules).toHaveLength(2);
  });
});

describe('POL-9: ports as written', () => {
  it.each([
    [443, 80],
    [0, 0],
    [65_535, 65_535],
    [65_535, 0],
  ])('keeps %i to %i', (from, to) => {
    const value = policyOf(ruleOf({ action: network({ ports: { from, to } }) }));
    expect(parsePolicy(JSON.stringify(value), { format: 'json' })).toEqual(value);
    expect(copyPolicy(value)).toEqual(value);
  });
});

describe('POL-10: every pattern within the match profile and canonical', () => {
  refusals([
    ['a relative path', [...files, 'path'], 'srv/**', 'path-relative'],
    ['a path with a slash at its end', [...files, 'path'], '/srv/', 'pattern-not-canonical'],
    ['a path with a class', [...files, 'path'], '/srv/[ab]', 'pattern-syntax'],
    ['a host in upper case', [...net, 'host'], 'Example.com', 'pattern-not-canonical'],
    ['a star inside a host', [...net, 'host'], 'ex*.com', 'pattern-syntax'],
    ['a block with bits beyond its length', [...net, 'host'], '10.0.0.1/8', 'cidr'],
    ['a double star that is not the last argument', [...run, 'argv', 1], '**', 'pattern-syntax'],
    ['a backslash at the end of an argument', [...run, 'argv', 0], 'git\\', 'pattern-syntax'],
    ['NUL in an argument', [...run, 'argv', 0], 'git\0', 'nul-character'],
    ['a double star for a server', [...call, 'server'], '**', 'pattern-syntax'],
    ['a backslash before a letter in a tool name', [...call, 'name'], 'read\\_file', 'pattern-syntax'],
  ]);

  it('names the canonical spelling and does not clean the pattern itself (MAT-21)', () => {
    const { code, hint, evidence } = refused(() => copyPolicy(changed(good, [...net, 'host'], 'EXAMPLE.com.')));
    expect({ code, hint, evidence }).toEqual({ code: 'pattern-not-canonical', hint: 'write "example.com"', evidence: { canonical: 'example.com' } });
  });
});

describe('the order of checks on one string', () => {
  const long = 'a'.repeat(limits.ruleStringBytes);
  refusals([
    ['a surrogate before the length', ['rules', 0, 'name'], `${long}a\ud800`, 'lone-surrogate'],
    ['the length before what it holds', ['rules', 0, 'name'], `${long}\0`, 'limit'],
    ['a surrogate before the kind of a path', [...files, 'path'], 'a\ud800', 'lone-surrogate'],
    ['the length before the kind of a path', [...files, 'path'], `${long}a`, 'limit'],
    ['the length before the kind of a host', [...net, 'host'], `${long}/`, 'limit'],
    ['the length before the kind of an argument', [...run, 'argv', 0], `${long}\0`, 'limit'],
    ['the length before the kind of an HTTP method', [...net, 'methods', 0], `${long}a`, 'limit'],
    ['any length where one of a few words is wanted, as another word', ['rules', 0, 'effect'], `${long}a`, 'bad-value'],
    ['the pattern of an argument before NUL in it', [...run, 'argv', 0], 'git\\\0', 'pattern-syntax'],
    ['control characters before the pattern of a server', [...call, 'server'], '\0\\x', 'control-character'],
  ]);
});

describe('the limits of a policy', () => {
  const evidence = (value: unknown): unknown => {
    try {
      copyPolicy(value);
      return undefined;
    } catch (error) {
      return (error as Loose).problems.map(({ code, evidence: found }: Loose) => ({ code, max: found?.max }));
    }
  };

  it('are those of the spec', () => {
    expect(limits).toMatchObject({
      rules: 100_000,
      ruleStringBytes: 4_096,
      listItems: 10_000,
      argvItems: 256,
      jsonBytes: 64 * 1024 * 1024,
      yamlBytes: 4 * 1024 * 1024,
      documentDepth: 32,
    });
    expect(Object.isFrozen(limits)).toBe(true);
  });

  it('takes 100,000 rules and not one more', { timeout: 60_000 }, () => {
    const action = tool('s', 'n');
    const rules = Array.from({ length: 100_000 }, (_, i) => ruleOf({ name: `r${i}`, action }));
    expect(copyPolicy({ version: 1, rules }).rules).toHaveLength(100_000);
    expect(evidence({ version: 1, rules: [...rules, ruleOf()] })).toEqual([{ code: 'limit', max: 100_000 }]);
  });

  it('takes 10,000 ids in one_of and not one more', () => {
    const many = (n: number): unknown =>
      changed(
        good,
        ids,
        Array.from({ length: n }, (_, i) => `agent-${i}`),
      );
    expect(evidence(many(10_000))).toBeUndefined();
    expect(evidence(many(10_001))).toEqual([{ code: 'limit', max: 10_000 }]);
  });

  it('takes 10,000 HTTP methods and not one more', () => {
    const many = (n: number): unknown =>
      changed(
        good,
        [...net, 'methods'],
        Array.from({ length: n }, (_, i) => `M${i}`),
      );
    expect(evidence(many(10_000))).toBeUndefined();
    expect(evidence(many(10_001))).toEqual([{ code: 'limit', max: 10_000 }]);
  });

  it('takes 256 arguments and not one more', () => {
    const many = (n: number): unknown => changed(good, [...run, 'argv'], new Array(n).fill('a'));
    expect(evidence(many(256))).toBeUndefined();
    expect(evidence(many(257))).toEqual([{ code: 'limit', max: 256 }]);
  });

  it.each<[string, Path, string]>([
    ['a path', [...files, 'path'], '/'],
    ['an argument', [...run, 'argv', 0], ''],
    ['an HTTP method', [...net, 'methods', 0], 'M'],
  ])('takes 4,096 bytes of %s and not one more', (_, path, front) => {
    const size = (n: number): unknown => changed(good, path, front + 'M'.repeat(n - front.length));
    expect(evidence(size(4_096))).toBeUndefined();
    expect(evidence(size(4_097))).toEqual([{ code: 'limit', max: 4_096 }]);
  });
});
