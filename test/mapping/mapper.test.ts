import { describe, expect, it } from 'vitest';
import { RuleprintError } from '../../src/errors.js';
import { createMapper, type Mapper, type MapperOptions, refusalReason } from '../../src/mapping/mapper.js';
import { copyMapping, parseMapping } from '../../src/mapping/parse.js';
import { mapShell } from '../../src/mapping/shell.js';
import type { Mapping } from '../../src/mapping/table.js';
import { codeOf, type Loose } from '../policy/kit.js';

const tableOf = (tools: object, more: object = {}): Mapping => copyMapping({ format: 'ruleprint-mapping/1', tools, ...more });
const read = { actions: [{ filesystem: { path: 'path', methods: ['read'] } }] };
const table = tableOf({ read });
const mapperOf = (options: MapperOptions = {}, of: Mapping | readonly Mapping[] = table): Mapper => createMapper(of, { server: 's', ...options });

describe('createMapper', () => {
  it('refuses no tables, two of one server, and two of every server', () => {
    expect(() => createMapper([])).toThrow(TypeError);
    expect(() => createMapper([tableOf({}, { server: 'a' }), tableOf({ read }, { server: 'a' })])).toThrow(TypeError);
    expect(() => createMapper([tableOf({}), tableOf({ read })])).toThrow(TypeError);
  });

  it('refuses a table that is none, because an argument would go unseen (MAP-1)', () => {
    expect(codeOf(() => createMapper({ format: 'ruleprint-mapping/1', tools: { read: {} } } as Loose))).toBe('missing-key');
    expect(codeOf(() => createMapper(Object.create(table) as Loose))).toBe('not-plain-data');
  });

  it('refuses a folder that is not absolute', () => {
    expect(codeOf(() => mapperOf({ cwd: 'a' }))).toBe('path-relative');
    expect(codeOf(() => mapperOf({ home: '~' }))).toBe('path-relative');
  });

  it('has a digest of its tables that does not depend on its options', () => {
    expect(mapperOf({ cwd: '/a' }).digest).toBe(createMapper(table).digest);
  });

  it('keeps a table that is changed afterwards from changing what was digested', () => {
    const mine = JSON.parse(JSON.stringify(table)) as { tools: { read: { actions: object[] } } };
    const mapper = createMapper(mine as unknown as Mapping, { server: 's' });
    mine.tools.read.actions.length = 0;
    expect(mapper.map({ tool: 'read', args: { path: '/a' } })).toHaveLength(2);
    expect(Object.isFrozen(parseMapping(JSON.stringify(table)).tools)).toBe(true);
  });
});

describe('map', () => {
  it('gives frozen actions in the order of a receipt (MAP-3)', () => {
    const actions = mapperOf().map({ tool: 'read', args: { path: '/a//b' } });
    expect(JSON.stringify(actions)).toBe('[{"tool":{"name":"read","server":"s"}},{"filesystem":{"path":"/a/b","method":"read"}}]');
    expect(Object.isFrozen(actions) && Object.isFrozen(actions[1])).toBe(true);
  });

  it('reads each argument once, so that a getter cannot show the rules one path and the server another (MAP-7)', () => {
    let reads = 0;
    const args = {
      get path() {
        reads++;
        return '/a';
      },
    };
    expect(codeOf(() => mapperOf().map({ tool: 'read', args }))).toBe('not-plain-data');
    expect(reads).toBe(0);
  });

  it('does not look into the arguments of an unknown tool (MAP-5)', () => {
    expect(mapperOf().map({ tool: 'other', args: new Map() })).toEqual([{ tool: { server: 's', name: 'other' } }]);
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'takes %s for an unknown tool and no argument, whatever objects inherit (MAP-5)',
    (name) => {
      expect(mapperOf().map({ tool: name, args: {} })).toEqual([{ tool: { server: 's', name } }]);
      const mapper = createMapper(tableOf({ t: { actions: [{ filesystem: { path: name === '__proto__' ? 'valueOf' : name, methods: ['read'] } }] } }), {
        server: 's',
      });
      expect(codeOf(() => mapper.map({ tool: 't', args: {} }))).toBe('argument-missing');
    },
  );

  it('maps a shell row by the parser that it was given, and refuses it without one (MAP-15)', () => {
    const shell = tableOf(
      { sh: { actions: [{ shell: { command: 'command', cwd: 'dir' } }] } },
      { paths: { relative: 'cwd', home: 'refuse', dot_dot: 'refuse' } },
    );
    const call = { tool: 'sh', args: { command: 'git status > out', dir: 'sub' }, cwd: '/w' };
    expect(codeOf(() => mapperOf({}, shell).map(call))).toBe('shell-parser');
    expect(mapperOf({ shell: mapShell }, shell).map(call)).toEqual([
      { tool: { server: 's', name: 'sh' } },
      { process: { argv: ['git', 'status'] } },
      { filesystem: { path: '/w/sub/out', method: 'write' } },
    ]);
  });

  it('refuses shell text with more commands than a call has actions, since a deny on one that is left out would not bite (MAP-17)', () => {
    const shell = tableOf({ sh: { actions: [{ shell: { command: 'c' } }] } });
    const text = `${Array.from({ length: 70 }, (_, i) => `c${i}`).join(';')};rm -rf x`;
    expect(codeOf(() => mapperOf({ shell: mapShell }, shell).map({ tool: 'sh', args: { c: text } }))).toBe('limit');
  });

  it('puts real paths behind all others, each once (MAP-16)', () => {
    const two = tableOf({ move: { actions: [{ filesystem: { path: 'a', methods: ['read', 'delete'] } }, { filesystem: { path: 'b', methods: ['write'] } }] } });
    const mapper = mapperOf({ realpath: (path) => path.replace('/link', '/real') }, two);
    const paths = mapper
      .map({ tool: 'move', args: { a: '/link/x', b: '/y' } })
      .slice(1)
      .map((action) => ('filesystem' in action ? Object.values(action.filesystem).join(' ') : ''));
    expect(paths).toEqual(['/link/x read', '/link/x delete', '/y write', '/real/x read', '/real/x delete']);
  });

  it('refuses the call where the real path cannot be found out, and where it is none (MAP-16)', () => {
    const failing = mapperOf({
      realpath: () => {
        throw new RuleprintError({ code: 'path-unknown', message: 'expected a path', where: {} });
      },
    });
    expect(codeOf(() => failing.map({ tool: 'read', args: { path: '/a' } }))).toBe('path-unknown');
    expect(codeOf(() => mapperOf({ realpath: () => 'a' }).map({ tool: 'read', args: { path: '/a' } }))).toBe('path-relative');
  });

  it('counts real paths towards the limit (MAP-17)', () => {
    const many = tableOf({ many: { actions: [{ filesystem: { path: 'p', each: true, methods: ['read'] } }] } });
    const args = { p: Array.from({ length: 40 }, (_, i) => `/${i}`) };
    expect(mapperOf({}, many).map({ tool: 'many', args })).toHaveLength(41);
    expect(codeOf(() => mapperOf({ realpath: (path) => `/real${path}` }, many).map({ tool: 'many', args }))).toBe('limit');
  });

  it('never repeats in a refusal what an argument holds (MAP-17)', () => {
    const secret = 'hunter2';
    const all = tableOf(
      {
        t: {
          actions: [
            { filesystem: { path: 'p', methods: ['read'], absent: 'none', glob: 'g' } },
            { network: { url: 'u', absent: 'none', method_argument: 'm' } },
            { process: { argv: ['a'], absent: 'none' } },
          ],
          arguments: [],
        },
      },
      { paths: { relative: 'refuse', home: 'refuse', dot_dot: 'refuse' } },
    );
    const hostile: readonly object[] = [
      { p: secret },
      { p: `/${secret}\0` },
      { p: `/${secret}/..` },
      { p: `//${secret}` },
      { p: `~${secret}` },
      { p: `/${secret}\ud800` },
      { p: '/', g: `[${secret}` },
      { u: `x://${secret}` },
      { u: `https://${secret}..x/` },
      { u: `https://[${'a'.repeat(7)}]/`, m: secret },
      { u: 'https://a/', m: `${secret} ` },
      { a: [secret, 1] },
      { [secret]: 1 },
      { P: secret },
    ];
    for (const args of hostile) {
      try {
        mapperOf({}, all).map({ tool: 't', args });
        expect.unreachable(JSON.stringify(args));
      } catch (error) {
        expect(error).toBeInstanceOf(RuleprintError);
        const { message, hint, where, evidence, cause } = error as RuleprintError;
        expect(JSON.stringify({ message, hint, where, evidence, cause: String(cause) })).not.toContain(secret);
      }
    }
  });
});

describe('refusalReason (MAP-17)', () => {
  const reasonOf = (act: () => unknown): string => {
    try {
      act();
    } catch (error) {
      return refusalReason(error);
    }
    return 'mapped';
  };

  it('says not-canonical for paths, hosts and names, and unmapped for the rest', () => {
    const mapper = mapperOf();
    expect(reasonOf(() => mapper.map({ tool: 'read', args: { path: 'a' } }))).toBe('not-canonical');
    expect(reasonOf(() => mapper.map({ tool: 'a\nb', args: {} }))).toBe('not-canonical');
    expect(reasonOf(() => mapper.map({ tool: 'read', args: JSON.parse('{"path":"/a","__proto__":1}') }))).toBe('unmapped');
    expect(reasonOf(() => mapper.map({ tool: 'read', args: { path: 1 } }))).toBe('unmapped');
    // an argument that is called like the place of the tool
    expect(reasonOf(() => mapper.map({ tool: 'read', args: { tool: () => 1 } }))).toBe('unmapped');
  });

  it('says fault for whatever is no refusal', () => {
    expect(refusalReason(new Error('x'))).toBe('fault');
    expect(refusalReason(undefined)).toBe('fault');
  });
});

describe('toolAction', () => {
  it('is there for a call that is not mapped, and not where its names are none (MAP-17)', () => {
    expect(mapperOf().toolAction({ tool: 'read', args: {} })).toEqual({ tool: { server: 's', name: 'read' } });
    expect(mapperOf().toolAction({ tool: 'a\nb' })).toBeUndefined();
    expect(createMapper(table).toolAction({ tool: 'read' })).toBeUndefined();
  });

  it('is of the server that an MCP name names, and the name as it stands where it names two (MAP-6)', () => {
    const mapper = createMapper(tableOf({}, { server: 'claude', mcp_names: true }));
    expect(mapper.toolAction({ tool: 'mcp__fs__read' })).toEqual({ tool: { server: 'fs', name: 'read' } });
    expect(mapper.toolAction({ tool: 'mcp__a__b__c' })).toEqual({ tool: { server: 'claude', name: 'mcp__a__b__c' } });
  });
});
