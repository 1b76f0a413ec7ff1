/**
 * Reading a resource, as actions: its URI says what a server would do for it (spec/mcp.md, MCP-7).
 * @module
 */
import { refuse } from '../../errors.js';
import type { Call } from '../../mapping/call.js';
import { createMapper, type Mapper, type MapperOptions } from '../../mapping/mapper.js';
import { type Mapping, mappingFormat } from '../../mapping/table.js';
import type { Action } from '../../policy/model.js';

/** The tool that rules name for it. */
export const readingResources = 'resources/read';

/** What of a URI becomes a file or a request. Not a table for users: a table speaks of arguments, and here the scheme decides which rows count. */
const tables = {
  file: tableOf({ filesystem: { path: 'path', methods: ['read'] } }),
  web: tableOf({ network: { url: 'uri', method: 'GET' } }),
} as const;

/**
 * A mapper that also maps `resources/read`: a `file:` URI to the reading of the file, an `http:` or `https:` one to a GET, and each other one to its tool
 * action alone. Its digest is that of the mapper within: the actions that are added can only make a decision stricter.
 */
export function withResources(inner: Mapper, options: Pick<MapperOptions, 'realpath'> = {}): Mapper {
  const file = createMapper(tables.file, options);
  const web = createMapper(tables.web, options);
  return Object.freeze({
    digest: inner.digest,
    toolAction: (call: Call) => inner.toolAction(call),
    map: (call: Call) => {
      const actions = inner.map(call);
      if (call.tool !== readingResources) return actions;
      const uri = (call.args as { readonly uri?: unknown } | undefined)?.uri;
      return withoutRepeats([...actions, ...(typeof uri === 'string' ? derived(uri, file, web) : [])]);
    },
  });
}

function derived(uri: string, file: Mapper, web: Mapper): readonly Action[] {
  // a parser of URLs drops some of these: then the scheme that a server sees is not the one that stands here
  if (/[\0-\x20\x7f-\x9f\\]/.test(uri)) refuse('bad-value', 'expected a URI without spaces, control characters and backslashes');
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase();
  if (scheme === 'http' || scheme === 'https') return web.map({ tool: readingResources, args: { uri } }).slice(1);
  if (scheme !== 'file') return [];
  return pathsOf(uri).flatMap((path) => file.map({ tool: readingResources, args: { path } }).slice(1));
}

/** Both readings of a path with escapes: a server may decode them or not. */
function pathsOf(uri: string): readonly string[] {
  const path = /^file:(?:\/\/(?:localhost)?)?(\/(?!\/).*)$/i.exec(uri)?.[1];
  if (path === undefined || /[?#]/.test(path)) refuse('bad-value', 'expected a file URI of an absolute path on this host, without a query');
  if (!path.includes('%')) return [path];
  if (/%(?:2f|5c|00)/i.test(path)) refuse('bad-value', 'expected a file URI without escaped slashes');
  try {
    return [path, decodeURIComponent(path)];
  } catch {
    return refuse('bad-value', 'expected a file URI with escapes of UTF-8');
  }
}

function withoutRepeats(actions: readonly Action[]): readonly Action[] {
  return [...new Map(actions.map((action) => [JSON.stringify(action), action])).values()];
}

function tableOf(row: Mapping['tools'][string]['actions'][number]): Mapping {
  return { format: mappingFormat, server: 'resources', tools: { [readingResources]: { actions: [row] } } };
}
