import { describe, expect, it } from 'vitest';
import { limits } from '../../src/limits.js';
import { canonicalRequest } from '../../src/policy/request.js';
import { changed, objectsIn, refusal, refused, type Loose } from './kit.js';

const good: Loose = {
  agent: 'builder',
  actions: [
    { filesystem: { path: '/srv/a', method: 'read' } },
    { network: { host: 'example.com', port: 443, method: 'GET' } },
    { process: { argv: ['git', 'push', ''] } },
    { tool: { server: 'fs', name: 'read_file' } },
  ],
};
const file = ['actions', 0, 'filesystem'] as const;
const net = ['actions', 1, 'network'] as const;
const run = ['actions', 2, 'process'] as const;
const call = ['actions', 3, 'tool'] as const;

type Path = readonly (string | number)[];
type Row = [title: string, path: Path, to: unknown, code: string, at?: Path];
const pointer = (path: Path): string => path.map((step) => `/${step}`).join('');

function refusals(rows: readonly Row[]): void {
  it.each<Row>(rows)('refuses %s', (...[, path, to, code, at = path]: Row) => {
    expect(refusal(() => canonicalRequest(path.length === 0 ? to : changed(good, path, to)))).toEqual({ code, pointer: pointer(at) });
  });
}

/** The good request with one property defined as said. */
const defined = (path: Path, key: string, property: PropertyDescriptor): Loose => {
  const copy = structuredClone(good);
  Object.defineProperty(
    path.reduce((at: Loose, step) => at[step], copy),
    key,
    property,
  );
  return copy;
};

describe('the good request that is changed below', () => {
  it('is canonical already', () => {
    expect(canonicalRequest(good)).toEqual(good);
  });
});

describe('DEC-1: own properties, exactly these fields', () => {
  refusals([
    ['null', [], null, 'wrong-type'],
    ['text', [], '{}', 'wrong-type'],
    ['a list', [], [], 'wrong-type'],
    ['nothing', [], undefined, 'wrong-type'],
    ['no agent', ['agent'], undefined, 'missing-key', []],
    ['no actions', ['actions'], undefined, 'missing-key', []],
    ['another field', ['context'], {}, 'unknown-key'],
    ['a field that plain objects inherit', ['constructor'], {}, 'unknown-key'],
    ['actions that are an object', ['actions'], { 0: good.actions[0], length: 1 }, 'wrong-type'],
    ['no action', ['actions'], [], 'empty-list'],
    ['an action that is text', ['actions', 0], '/srv/a', 'wrong-type'],
    ['an action that is null', ['actions', 0], null, 'wrong-type'],
    ['an action of no kind', ['actions', 0], {}, 'exactly-one'],
    ['an action of two kinds', ['actions', 0], { ...good.actions[0], ...good.actions[1] }, 'exactly-one'],
    ['an action of an unknown kind', ['actions', 0], { shell: {} }, 'exactly-one'],
    ['an action of a kind that plain objects inherit', ['actions', 0], { toString: {} }, 'exactly-one'],
    ['a kind beside an unknown one', ['actions', 0, 'shell'], {}, 'unknown-key'],
    ['no path', [...file, 'path'], undefined, 'missing-key', file],
    ['no file method', [...file, 'method'], undefined, 'missing-key', file],
    ['the field of a rule', [...file, 'methods'], ['read'], 'unknown-key'],
    ['no host', [...net, 'host'], undefined, 'missing-key', net],
    ['no port', [...net, 'port'], undefined, 'missing-key', net],
    ['a field that widens a network action', [...net, 'scheme'], 'https', 'unknown-key'],
    ['no argv', [...run, 'argv'], undefined, 'missing-key', run],
    ['a working folder', [...run, 'cwd'], '/', 'unknown-key'],
    ['no server', [...call, 'server'], undefined, 'missing-key', call],
    ['no tool name', [...call, 'name'], undefined, 'missing-key', call],
    ['arguments of a tool', [...call, 'arguments'], {}, 'unknown-key'],
    ['a kind that is text', ['actions', 0, 'filesystem'], '/srv/a', 'wrong-type'],
    ['a kind that is a list', ['actions', 0, 'filesystem'], ['/srv/a', 'read'], 'wrong-type'],
  ]);

  it.each<[string, (request: Loose) => unknown, string]>([
    ['a request with inherited fields', (request) => Object.setPrototypeOf(request, { agent: 'root' }), ''],
    ['a request of a class', () => Object.assign(new (class Request {})(), good), ''],
    ['an action with inherited fields', (request) => Object.setPrototypeOf(request.actions[0], { tool: {} }), '/actions/0'],
    ['fields that inherit', (request) => Object.setPrototypeOf(request.actions[0].filesystem, { method: 'read' }), '/actions/0/filesystem'],
    ['a Map', (request) => Object.assign(request.actions[0], { filesystem: new Map() }), '/actions/0/filesystem'],
  ])('refuses %s as no plain data', (_, change, at) => {
    const copy = structuredClone(good);
    const changedTo = change(copy);
    expect(refusal(() => canonicalRequest(at === '' ? changedTo : copy))).toEqual({ code: 'not-plain-data', pointer: at });
  });

  it('does not take an inherited field for one that is there', () => {
    const proto = Object.prototype as Loose;
    proto.method = 'read';
    try {
      const request = changed(good, [...file, 'method'], undefined);
      expect(refusal(() => canonicalRequest(request))).toEqual({ code: 'missing-key', pointer: '/actions/0/filesystem' });
    } finally {
      delete proto.method;
    }
  });

  it('takes objects without a prototype', () => {
    const bare = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(bare);
      if (typeof value !== 'object' || value === null) return value;
      return Object.assign(Object.create(null), Object.fromEntries(Object.entries(value).map(([key, member]) => [key, bare(member)])));
    };
    expect(canonicalRequest(bare(good))).toEqual(good);
  });

  it.each<[string, Path, string, readonly unknown[]]>([
    ['the agent', [], 'agent', ['builder', 'root']],
    ['a path', [...file], 'path', ['/srv/a', '/etc/shadow']],
    ['a file method', [...file], 'method', ['read', 'write']],
    ['a host', [...net], 'host', ['example.com', 'evil.example']],
    ['a port', [...net], 'port', [443, 22]],
    ['an HTTP method', [...net], 'method', ['GET', 'DELETE']],
    ['an argument', [...run, 'argv'], '1', ['push', '--force']],
    ['a server', [...call], 'server', ['fs', 'shell']],
    ['a tool name', [...call], 'name', ['read_file', 'write_file']],
    ['the actions', [], 'actions', [good.actions, [{ tool: { server: 'shell', name: 'run' } }]]],
    ['a kind', ['actions', 0], 'filesystem', [good.actions[0].filesystem, { path: '/etc/shadow', method: 'write' }]],
  ])('reads %s once, because what was judged must be what is recorded', (_, path, key, answers) => {
    let reads = 0;
    const request = defined(path, key, { get: () => answers[Math.min(reads++, 1)], enumerable: true, configurable: true });
    expect(canonicalRequest(request)).toEqual(good);
    expect(reads).toBe(1);
  });

  it('asks a proxy for each member once, the length of a list too', () => {
    const asked: string[] = [];
    const spy = (value: Loose, name: string): Loose =>
      new Proxy(value, {
        get: (target, key) => {
          asked.push(`${name}.${String(key)}`);
          return Reflect.get(target, key);
        },
      });
    const request = {
      agent: 'builder',
      actions: spy([spy({ process: spy({ argv: spy(['ls', '-l'], 'argv') }, 'process') }, 'action')], 'actions'),
    };
    expect(canonicalRequest(spy(request, 'request'))).toEqual({ agent: 'builder', actions: [{ process: { argv: ['ls', '-l'] } }] });
    expect([...asked].sort()).toEqual([...new Set(asked)].sort());
    expect(asked).toContain('argv.length');
  });

  it('does not look at symbols and hidden properties, which no rule and no receipt sees', () => {
    const request = defined([...file], 'hidden', { value: 1, enumerable: false });
    request[Symbol('agent')] = 'root';
    expect(canonicalRequest(request)).toEqual(good);
  });
});

describe('DEC-2: what the fields may be', () => {
  refusals([
    ['an agent that is no text', ['agent'], 1, 'wrong-type'],
    ['an empty agent', ['agent'], '', 'empty-text'],
    ['a control character in the agent', ['agent'], 'a\u001b', 'control-character'],
    ['a surrogate alone in the agent', ['agent'], '\ud800', 'lone-surrogate'],
    ['a path that is no text', [...file, 'path'], 1, 'wrong-type'],
    ['a file method that is no text', [...file, 'method'], ['read'], 'wrong-type'],
    ['another file method', [...file, 'method'], 'list', 'bad-value'],
    ['a file method in upper case', [...file, 'method'], 'READ', 'bad-value'],
    ['"any" as a file method', [...file, 'method'], 'any', 'bad-value'],
    ['a host that is no text', [...net, 'host'], 2_130_706_433, 'wrong-type'],
    ['a port as text', [...net, 'port'], '443', 'wrong-type'],
    ['a port that is null', [...net, 'port'], null, 'wrong-type'],
    ['port 0', [...net, 'port'], 0, 'bad-value'],
    ['port 65536', [...net, 'port'], 65_536, 'bad-value'],
    ['a negative port', [...net, 'port'], -1, 'bad-value'],
    ['a fraction of a port', [...net, 'port'], 443.5, 'bad-integer'],
    ['NaN as a port', [...net, 'port'], Number.NaN, 'bad-integer'],
    ['an infinite port', [...net, 'port'], Number.POSITIVE_INFINITY, 'bad-integer'],
    ['an HTTP method in lower case', [...net, 'method'], 'get', 'bad-value'],
    ['an empty HTTP method', [...net, 'method'], '', 'bad-value'],
    ['an HTTP method with a line feed', [...net, 'method'], 'GET\n', 'bad-value'],
    ['"any" as an HTTP method', [...net, 'method'], 'any', 'bad-value'],
    ['an HTTP method that is null', [...net, 'method'], null, 'wrong-type'],
    ['argv that is text, since nothing here splits a command line', [...run, 'argv'], 'git push', 'wrong-type'],
    ['an empty argv', [...run, 'argv'], [], 'empty-list'],
    ['an argument that is no text', [...run, 'argv', 1], 1, 'wrong-type'],
    ['NUL in an argument', [...run, 'argv', 1], 'a\0b', 'nul-character'],
    ['a surrogate alone in an argument', [...run, 'argv', 1], '\udc00', 'lone-surrogate'],
    ['a server that is no text', [...call, 'server'], null, 'wrong-type'],
    ['an empty server', [...call, 'server'], '', 'empty-text'],
    ['a direction character in a tool name', [...call, 'name'], 'a\u202eb', 'control-character'],
    ['a surrogate before a bad value', [...net, 'method'], 'get\ud800', 'lone-surrogate'],
  ]);

  it('takes the ports at both ends', () => {
    for (const port of [1, 65_535])
      expect(canonicalRequest(changed(good, [...net, 'port'], port))).toMatchObject({ actions: [{}, { network: { port } }, {}, {}] });
  });

  it('takes a network action without a method, and keeps it without', () => {
    const { actions } = canonicalRequest(changed(good, [...net, 'method'], undefined));
    expect(actions[1]).toEqual({ network: { host: 'example.com', port: 443 } });
    expect(Object.keys((actions[1] as Loose).network)).toEqual(['host', 'port']);
  });

  it('takes no method from a prototype, which would speak for a request that has none (DEC-9)', () => {
    const proto = Object.prototype as Loose;
    proto.method = 'GET';
    try {
      const { actions } = canonicalRequest(changed(good, [...net, 'method'], undefined));
      expect(Object.hasOwn((actions[1] as Loose).network, 'method')).toBe(false);
    } finally {
      delete proto.method;
    }
  });

  it('takes a hole in a list for nothing', () => {
    const request = structuredClone(good);
    delete request.actions[2].process.argv[1];
    expect(refusal(() => canonicalRequest(request))).toEqual({ code: 'wrong-type', pointer: '/actions/2/process/argv/1' });
  });
});

describe('DEC-3: canonical before anything else', () => {
  refusals([
    ['a relative path', [...file, 'path'], 'srv/a', 'path-relative'],
    ['a parent segment', [...file, 'path'], '/srv/../etc/shadow', 'path-dot-dot'],
    ['NUL in a path', [...file, 'path'], '/srv/a\0.txt', 'path-character'],
    ['a backslash in a path', [...file, 'path'], '/srv\\a', 'path-character'],
    ['two slashes in front of a path', [...file, 'path'], '//srv', 'path-leading-slashes'],
    ['a host with a port', [...net, 'host'], 'example.com:443', 'host-ipv6'],
    ['a host that ends in a number', [...net, 'host'], '1.2.3.999', 'host-number'],
    ['a host outside ASCII', [...net, 'host'], 'bücher.example', 'host-not-ascii'],
  ]);

  it('makes paths and hosts canonical and changes nothing else', () => {
    const request = changed(changed(good, [...file, 'path'], '/srv//./a/'), [...net, 'host'], '[::FFFF:1.2.3.4]');
    expect(canonicalRequest(request)).toEqual(changed(good, [...net, 'host'], '1.2.3.4'));
  });

  it('leaves argv, agent, server and tool name as they stand, since a program sees them so', () => {
    const request = { agent: 'e\u0301', actions: [{ process: { argv: ['/srv//a', 'EXAMPLE.com.', ' '] } }, { tool: { server: 'FS', name: '/a/../b' } }] };
    expect(canonicalRequest(request)).toEqual(request);
  });

  it('gives a deep frozen copy and leaves what it was given alone', () => {
    const request = structuredClone(good);
    const canonical = canonicalRequest(request);
    const given = new Set(objectsIn(request));
    expect(objectsIn(canonical).filter((object) => !Object.isFrozen(object) || given.has(object))).toEqual([]);
    expect(Object.isFrozen(request)).toBe(false);
  });

  it('reports the first problem in the order of the actions and of their fields', () => {
    const request = changed(changed(good, [...net, 'port'], 0), [...net, 'host'], 'a b');
    expect(refusal(() => canonicalRequest(request))).toEqual({ code: 'host-character', pointer: '/actions/1/network/host' });
    expect(refusal(() => canonicalRequest(changed(request, [...file, 'method'], 'list')))).toEqual({
      code: 'bad-value',
      pointer: '/actions/0/filesystem/method',
    });
    expect(refusal(() => canonicalRequest(changed(request, ['agent'], '')))).toEqual({ code: 'empty-text', pointer: '/agent' });
  });
});

describe('DEC-4: limits', () => {
  const action = good.actions[3];
  const limit = (request: unknown): unknown => {
    const { code, where, evidence } = refused(() => canonicalRequest(request));
    return { code, pointer: where.pointer, max: evidence?.['max'] };
  };

  it('are those of the spec', () => {
    expect(limits).toMatchObject({ actions: 64, argvItems: 256, requestStringBytes: 65_536, requestBytes: 524_288 });
  });

  it('takes 64 actions and not one more', () => {
    expect(canonicalRequest({ agent: 'a', actions: new Array(64).fill(action) }).actions).toHaveLength(64);
    expect(limit({ agent: 'a', actions: new Array(65).fill(action) })).toEqual({ code: 'limit', pointer: '/actions', max: 64 });
  });

  it('takes 256 arguments and not one more', () => {
    const argv = (n: number): unknown => changed(good, [...run, 'argv'], new Array(n).fill('a'));
    expect(canonicalRequest(argv(256)).actions).toHaveLength(4);
    expect(limit(argv(257))).toEqual({ code: 'limit', pointer: '/actions/2/process/argv', max: 256 });
  });

  it.each<[string, Path, (bytes: number) => string]>([
    ['an argument', [...run, 'argv', 0], (bytes) => 'é'.repeat(bytes >> 1) + 'a'.repeat(bytes & 1)],
    ['a path', [...file, 'path'], (bytes) => `/${'a'.repeat(bytes - 1)}`],
  ])('takes 65,536 bytes in %s and not one more', (_, path, text) => {
    expect(canonicalRequest(changed(good, path, text(65_536))).actions).toHaveLength(4);
    expect(limit(changed(good, path, text(65_537)))).toEqual({ code: 'limit', pointer: pointer(path), max: 65_536 });
  });

  it('takes a name of 4,096 bytes and not one more (POL-8)', () => {
    expect(canonicalRequest(changed(good, ['agent'], 'a'.repeat(4_096))).agent).toHaveLength(4_096);
    expect(limit(changed(good, ['agent'], 'a'.repeat(4_097)))).toEqual({ code: 'limit', pointer: '/agent', max: 4_096 });
  });

  it('takes 524,288 bytes in all strings together and not one more', () => {
    const total = (bytes: number): unknown => ({
      agent: 'a',
      actions: [{ process: { argv: [...new Array(7).fill('x'.repeat(65_536)), 'x'.repeat(bytes - 7 * 65_536 - 1)] } }],
    });
    expect(canonicalRequest(total(524_288)).actions).toHaveLength(1);
    expect(limit(total(524_289))).toEqual({ code: 'limit', pointer: '', max: 524_288 });
  });

  it('counts a host in its canonical form where that is longer, since that is what is recorded', () => {
    // "1" is 0.0.0.1
    const total = (bytes: number): unknown => ({
      agent: 'a',
      actions: [{ process: { argv: [...new Array(7).fill('x'.repeat(65_536)), 'x'.repeat(bytes - 7 * 65_536 - 1 - 7)] } }, { network: { host: '1', port: 1 } }],
    });
    expect(canonicalRequest(total(524_288)).actions[1]).toEqual({ network: { host: '0.0.0.1', port: 1 } });
    expect(limit(total(524_289))).toEqual({ code: 'limit', pointer: '', max: 524_288 });
  });

  it('counts strings as they were given, since that is what must be read', () => {
    const path = `/a${'/'.repeat(65_534)}`;
    const actions = new Array(9).fill({ filesystem: { path, method: 'read' } });
    expect(limit({ agent: 'a', actions })).toEqual({ code: 'limit', pointer: '', max: 524_288 });
  });
});
