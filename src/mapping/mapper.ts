/**
 * From a tool call to the actions that it would take (spec/mapping.md).
 * @module
 */
import { compareUtf8 } from '../bytes.js';
import { mappingDigest } from '../digest/args-digest.js';
import { refuse, RuleprintError } from '../errors.js';
import { limits } from '../limits.js';
import type { Action } from '../policy/model.js';
import { canonicalPath } from '../policy/path.js';
import { copyPlain, freezeDeep } from '../policy/plain.js';
import { canonicalRequest } from '../policy/request.js';
import type { Call } from './call.js';
import { type Args, derive, fold, type ShellMapper } from './derive.js';
import { copyMapping } from './parse.js';
import { refusedAs } from './refusal.js';
import type { Mapping, ToolMapping } from './table.js';
import { strictPaths } from './written-path.js';

/** The real path, in true case, of an absolute canonical path: links resolved for the longest part that is there. Throws where it cannot tell. */
export type Realpath = (path: string) => string;

export interface MapperOptions {
  /** The server of calls that name none; by default that of the only table. */
  readonly server?: string;
  /** Absolute: what relative paths are relative to where the call has no `cwd`. */
  readonly cwd?: string;
  /** Absolute: what `~` stands for. */
  readonly home?: string;
  /** Gives the actions on real paths, which are judged beside those on the written ones. */
  readonly realpath?: Realpath;
  /** `mapShell`, for tables with shell rows: without it a call of such a tool is refused. */
  readonly shell?: ShellMapper;
}

export interface Mapper {
  /** `sha256:…` of the mapping table or tables (DIG-12). */
  readonly digest: string;
  /**
   * The actions of a call: `actions[0]` is the tool action, the derived ones follow, without repeats, in canonical form.
   *
   * @throws RuleprintError for a call that does not fit its table; `refusalReason` says which reason its receipt has
   */
  map(call: Call): readonly Action[];
  /** The tool action alone, for the receipt of a call that is not mapped; undefined where it is not canonical. */
  toolAction(call: Call): Action | undefined;
}

/**
 * Makes a mapper of one table, or of several for several servers.
 *
 * @throws RuleprintError for a table that is none; TypeError for two tables of one server, and for a folder that is not absolute
 * @example
 * const mapper = createMapper(mapping, { server: 'filesystem' });
 * mapper.map({ tool: 'read_text_file', args: { path: '/srv/a/../b' } });
 * // [{ tool: { name: 'read_text_file', server: 'filesystem' } }, { filesystem: { path: '/srv/b', method: 'read' } }]
 */
export function createMapper(tables: Mapping | readonly Mapping[], options: MapperOptions = {}): Mapper {
  return new TableMapper((Array.isArray(tables) ? (tables as readonly Mapping[]) : [tables as Mapping]).map(copyMapping), options);
}

export { refusalReason } from './refusal.js';

/** Which tool of which server a call is of. */
interface Named {
  readonly server: string;
  readonly tool: string;
}

class TableMapper implements Mapper {
  readonly digest: string;
  readonly #tables: readonly Mapping[];
  readonly #byServer: ReadonlyMap<string | undefined, Mapping>;
  readonly #server: string | undefined;
  readonly #options: MapperOptions;

  constructor(tables: readonly Mapping[], { server, cwd, home, realpath, shell }: MapperOptions) {
    this.#tables = [...tables].sort((a, b) => serverOrder(a.server, b.server));
    this.#byServer = new Map(this.#tables.map((table) => [table.server, table]));
    if (tables.length === 0 || this.#byServer.size < tables.length) throw new TypeError('"tables" expected at least one table, and one of each server at most');
    this.#server = server ?? (tables.length === 1 ? tables[0]?.server : undefined);
    this.#options = {
      ...(cwd !== undefined && { cwd: canonicalPath(cwd) }),
      ...(home !== undefined && { home: canonicalPath(home) }),
      ...(realpath !== undefined && { realpath }),
      ...(shell !== undefined && { shell }),
    };
    this.digest = mappingDigest(this.#tables.length === 1 ? this.#tables[0] : this.#tables); // DIG-12
  }

  map(call: Call): readonly Action[] {
    const { server, args, cwd } = call;
    const named = this.#named(call.tool, server);
    const actions = [toolActionOf(named), ...this.#derived(named, args, cwd)];
    return unique([...actions, ...this.#real(actions)]);
  }

  toolAction(call: Call): Action | undefined {
    try {
      return toolActionOf(this.#named(call.tool, call.server));
    } catch (error) {
      if (!(error instanceof RuleprintError)) throw error;
      // a name that cannot be split is recorded as it stands
      return error.code === 'tool-split' ? this.#asItStands(call) : undefined;
    }
  }

  #asItStands({ tool, server = this.#server }: Call): Action | undefined {
    return server === undefined ? undefined : toolActionOf({ server, tool });
  }

  /** MAP-4, MAP-6. */
  #named(tool: unknown, given: unknown): Named {
    const server = given ?? this.#server;
    if (typeof tool !== 'string' || typeof server !== 'string')
      refuse('wrong-type', 'expected the names of a tool and of its server', { where: { pointer: '/tool' } });
    if (this.#tableOf(server)?.mcp_names !== true || !tool.startsWith('mcp__')) return { server, tool };
    const parts = tool.split('__');
    const [, of = '', name = ''] = parts;
    if (parts.length !== 3 || of === '' || name === '' || of.endsWith('_') || name.startsWith('_')) {
      refuse('tool-split', 'expected mcp__server__tool, with one way to split it');
    }
    return { server: of, tool: name };
  }

  #tableOf(server: string): Mapping | undefined {
    return this.#byServer.get(server) ?? this.#byServer.get(undefined);
  }

  #derived({ server, tool }: Named, args: unknown, cwd: unknown): readonly Action[] {
    const table = this.#tableOf(server);
    const row = table && toolOf(table, tool);
    if (table === undefined || row === undefined) return [];
    const copy = args === undefined ? {} : copyArgs(args);
    if (cwd !== undefined && typeof cwd !== 'string') refuse('argument-type', 'expected text as the working folder of the call');
    const folder = cwd === undefined ? this.#options.cwd : canonicalPath(cwd);
    return derive(row, copy, { paths: table.paths ?? strictPaths, bases: { cwd: folder, home: this.#options.home }, shell: this.#options.shell });
  }

  /** MAP-16: behind all others, so that what the table makes can be told from what the disk adds. */
  #real(actions: readonly Action[]): readonly Action[] {
    const { realpath } = this.#options;
    if (realpath === undefined) return [];
    return actions.flatMap((action): readonly Action[] => {
      if (!('filesystem' in action)) return [];
      const { path, method } = action.filesystem;
      const mark = path.endsWith('/**') ? '/**' : '';
      const real = realpath(mark === '' ? path : path.slice(0, -mark.length) || '/');
      return [{ filesystem: { path: canonicalPath(mark === '' ? real : real.replace(/\/$/, '') + mark), method } }];
    });
  }
}

/** MAP-5: an unknown tool is its tool action and nothing more, but for one that a lax server may take for a known one. */
function toolOf({ tools }: Mapping, name: string): ToolMapping | undefined {
  if (Object.hasOwn(tools, name)) return tools[name];
  if (foldedTools(tools).has(fold(name))) refuse('tool-case', 'expected a tool as the table spells it');
  return undefined;
}

/** Once for each table: its tools are frozen. */
const folded = new WeakMap<Mapping['tools'], ReadonlySet<string>>();

function foldedTools(tools: Mapping['tools']): ReadonlySet<string> {
  const found = folded.get(tools);
  if (found !== undefined) return found;
  const made = new Set(Object.keys(tools).map(fold));
  folded.set(tools, made);
  return made;
}

/** The copy that is mapped: the caller's own may change, or answer otherwise at the second look. */
function copyArgs(args: unknown): Args {
  const copy = refusedAs('expected arguments that are plain JSON data', {}, () => copyPlain(args));
  if (typeof copy !== 'object' || copy === null || Array.isArray(copy)) refuse('argument-type', 'expected an object of arguments');
  return copy as Args;
}

function toolActionOf({ server, tool }: Named): Action {
  return refusedAs('expected canonical names of a tool and its server', { pointer: '/tool' }, () => {
    const { actions } = canonicalRequest({ agent: 'agent', actions: [{ tool: { server, name: tool } }] });
    return actions[0] as Action;
  });
}

/** Frozen, each once, in order; and within the limit with the real paths too. */
function unique(actions: readonly Action[]): Action[] {
  // a tool action and one other cannot be equal
  if (actions.length < 3) return freezeDeep([...actions]);
  const byText = new Map(actions.map((action) => [JSON.stringify(action), action]));
  if (byText.size > limits.actions) refuse('limit', `expected at most ${limits.actions} actions`, { evidence: { limit: 'actions', max: limits.actions } });
  return freezeDeep([...byText.values()]);
}

/** DIG-12: the table without a server first. */
function serverOrder(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  return compareUtf8(a, b);
}
