/**
 * The tables that ship, against the real server and against what is known of the tools of Claude Code.
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMapper } from '../../src/mapping/mapper.js';
import { shippedNames } from '../../src/mapping/names.js';
import { mapShell } from '../../src/mapping/shell.js';
import { mappingFor, shippedMapping, shippedMappings } from '../../src/mapping/shipped.js';
import type { Action } from '../../src/policy/model.js';
import { codeOf } from '../policy/kit.js';

interface Tool {
  readonly name: string;
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean };
  readonly inputSchema: { readonly properties?: Readonly<Record<string, { readonly type?: string }>>; readonly required?: readonly string[] };
}

describe('the shipped tables', () => {
  it('are four, under their names', () => {
    expect([...shippedMappings.keys()].sort()).toEqual([...shippedNames].sort());
  });

  it('have these digests, which receipts cite: a changed table is another mapping', () => {
    expect(Object.fromEntries([...shippedMappings].map(([name, table]) => [name, createMapper(table).digest]))).toEqual({
      claude: 'sha256:45ba7ce0e6272290daa996b0a815596373ca1fa3295846b2ec1dca8c1ca02354',
      fetch: 'sha256:d22e6c8535bdab652506d8ce34bca7ef39788cbf565869fc0ff5dd4953db8b3a',
      'server-filesystem': 'sha256:018690b64e902b2faf564102e7e3e102a653ce08d5dd66dc331b5218f0ba7a91',
      shell: 'sha256:b099670d5c94d709c1fd53bdf8e201b8eb8f98f6baee567580dee897d29ae2df',
    });
  });

  it('are for another server under another name, with another digest', () => {
    const table = mappingFor('files', shippedMapping('server-filesystem'));
    expect(table.server).toBe('files');
    expect(createMapper(table).digest).not.toBe(createMapper(shippedMapping('server-filesystem')).digest);
  });
});

describe('server-filesystem', () => {
  const table = shippedMapping('server-filesystem');
  const mapper = createMapper(table, { server: 'fs', home: '/home/u' });
  let folder = '';
  let client: Client;
  let tools: readonly Tool[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ruleprint-shipped-'));
    const server = join(dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json')), 'dist/index.js');
    client = new Client({ name: 'test', version: '0' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [server, folder], stderr: 'ignore' }));
    tools = (await client.listTools()).tools as unknown as Tool[];
  }, 30_000);
  afterAll(async () => {
    await client.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has all tools of the server and no other', () => {
    expect(Object.keys(table.tools).sort()).toEqual(tools.map(({ name }) => name).sort());
  });

  it('knows all arguments of each tool, so that its lists can be closed', () => {
    for (const { name, inputSchema } of tools) {
      const row = table.tools[name];
      const known = new Set([
        ...(row?.arguments ?? []),
        ...(row?.actions ?? []).flatMap((action) => ('filesystem' in action ? [action.filesystem.path, action.filesystem.unless?.argument] : [])),
      ]);
      known.delete(undefined);
      expect({ name, known: [...known].sort() }).toEqual({ name, known: Object.keys(inputSchema.properties ?? {}).sort() });
    }
  });

  /** What a call of a tool needs, each path another. */
  const argsOf = ({ inputSchema }: Tool): Record<string, unknown> =>
    Object.fromEntries(
      (inputSchema.required ?? []).map((key) => [key, inputSchema.properties?.[key]?.type === 'array' ? (key === 'paths' ? [`/${key}`] : []) : `/${key}`]),
    );
  const methodsOf = (actions: readonly Action[]): readonly string[] => actions.flatMap((action) => ('filesystem' in action ? [action.filesystem.method] : []));

  it('reads alone where the server says that a tool reads alone, and else does not', () => {
    for (const tool of tools) {
      const methods = methodsOf(mapper.map({ tool: tool.name, args: argsOf(tool) }));
      const isReading = methods.every((method) => method === 'read');
      // hints are no policy, but a table that contradicts them is a mistake in one of the two
      expect({ tool: tool.name, isReading }).toEqual({ tool: tool.name, isReading: tool.annotations?.readOnlyHint === true });
    }
  });

  it.each<[string, object, string[]]>([
    ['read_file', { path: '/a' }, ['read /a']],
    ['read_text_file', { path: '/a', head: 1 }, ['read /a']],
    ['read_media_file', { path: '/a' }, ['read /a']],
    ['read_multiple_files', { paths: ['/a', '/b'] }, ['read /a', 'read /b']],
    ['write_file', { path: '/a', content: '' }, ['write /a']],
    ['edit_file', { path: '/a', edits: [] }, ['read /a', 'write /a']],
    ['edit_file', { path: '/a', edits: [], dryRun: true }, ['read /a']],
    ['create_directory', { path: '/a/' }, ['write /a']],
    ['list_directory', { path: '/a' }, ['read /a']],
    ['list_directory_with_sizes', { path: '/a', sortBy: 'size' }, ['read /a']],
    ['directory_tree', { path: '/a' }, ['read /a', 'read /a/**']],
    ['search_files', { path: '/a', pattern: 'x' }, ['read /a', 'read /a/**']],
    ['move_file', { source: '~/a', destination: '/b/../c' }, ['delete /home/u/a', 'write /c']],
    ['get_file_info', { path: '/a' }, ['read /a']],
    ['list_allowed_directories', {}, []],
  ])('maps %s %j', (tool, args, expected) => {
    const [first, ...rest] = mapper.map({ tool, args });
    expect(first).toEqual({ tool: { server: 'fs', name: tool } });
    expect(rest.map((action) => ('filesystem' in action ? `${action.filesystem.method} ${action.filesystem.path}` : ''))).toEqual(expected);
  });

  it('refuses what the server would read as another path', () => {
    for (const path of ['a', '', '.', '../a', '~root', 'C:/a', '/a\0', '/a\\b', '/a ', ' /a']) {
      expect(codeOf(() => mapper.map({ tool: 'read_file', args: { path } }))).toMatch(/^path-/);
    }
  });
});

describe('claude', () => {
  const mapper = createMapper(shippedMapping('claude'), { home: '/home/u', shell: mapShell });
  const map = (tool: string, args: object): readonly unknown[] => mapper.map({ tool, args, cwd: '/w' }).slice(1);
  const file = (path: string, method = 'read'): Action => ({ filesystem: { path, method: method as 'read' } });

  it.each<[string, object, readonly unknown[]]>([
    ['Read', { file_path: '/a', offset: 1 }, [file('/a')]],
    ['Write', { file_path: 'a', content: '' }, [file('/w/a', 'write')]],
    ['Edit', { file_path: '~/a', old_string: '', new_string: '' }, [file('/home/u/a'), file('/home/u/a', 'write')]],
    ['NotebookEdit', { notebook_path: '/a.ipynb', new_source: '' }, [file('/a.ipynb'), file('/a.ipynb', 'write')]],
    ['Glob', { pattern: '**/*.ts' }, [file('/w'), file('/w/**')]],
    ['Grep', { pattern: 'x', path: 'src', '-i': true }, [file('/w/src'), file('/w/src/**')]],
    ['Bash', { command: 'git status', description: '' }, [{ process: { argv: ['git', 'status'] } }]],
    ['WebFetch', { url: 'https://example.com/a', prompt: '' }, [{ network: { host: 'example.com', port: 443, method: 'GET' } }]],
    ['WebSearch', { query: 'x' }, []],
    ['Task', { prompt: 'x' }, []],
  ])('maps %s %j', (tool, args, expected) => {
    expect(map(tool, args)).toEqual(expected);
  });

  it('takes an MCP tool for one of its server', () => {
    expect(mapper.map({ tool: 'mcp__files__write_file', args: {} })).toEqual([{ tool: { server: 'files', name: 'write_file' } }]);
  });
});
