/**
 * From the arguments of a mapped tool to its actions, row by row (MAP-7 to MAP-15).
 * @module
 */
import { quote, refuse } from '../errors.js';
import { limits } from '../limits.js';
import type { Action } from '../policy/model.js';
import { checkHttpMethod } from '../policy/text.js';
import { globBase } from './glob-base.js';
import { refusedAs } from './refusal.js';
import type { ActionRow, FilesystemRow, NetworkRow, PathRules, ProcessRow, ShellRow, ToolMapping } from './table.js';
import { hostAndPort } from './url.js';
import { type Bases, writtenPath } from './written-path.js';

/** From shell text to actions: `mapShell`, handed in, because its parser takes its time to load. */
export type ShellMapper = (text: string, options: { readonly cwd?: string }) => readonly Action[];

/** What a row needs beside the arguments. */
export interface Around {
  readonly paths: PathRules;
  readonly bases: Bases;
  readonly shell: ShellMapper | undefined;
}

export type Args = Readonly<Record<string, unknown>>;

/** The actions of one call of one tool, in the order of its rows. `args` is a copy of plain data. */
export function derive(tool: ToolMapping, args: Args, around: Around): readonly Action[] {
  checkNames(tool, Object.keys(args));
  const row = new Rows(args, around);
  for (const action of tool.actions) row.add(action);
  return row.actions;
}

/** What a tool's arguments may be called: worked out once for each tool of a table, which is frozen. */
interface Names {
  readonly known: ReadonlySet<string>;
  readonly folded: ReadonlySet<string>;
}

const namesOfTools = new WeakMap<ToolMapping, Names>();

function namesOf(tool: ToolMapping): Names {
  const found = namesOfTools.get(tool);
  if (found !== undefined) return found;
  const known = new Set([...tool.actions.flatMap(argumentsOf), ...(tool.arguments ?? [])]);
  const names = { known, folded: new Set([...known].map(fold)) };
  namesOfTools.set(tool, names);
  return names;
}

/** MAP-8: no argument that the server may take for one of the table's, and in a closed list no other. */
function checkNames(tool: ToolMapping, keys: readonly string[]): void {
  const { known, folded } = namesOf(tool);
  for (const key of keys) {
    if (known.has(key)) continue;
    if (folded.has(fold(key))) refuse('argument-case', 'expected the arguments as the table spells them', { hint: spelling(known) });
    if (tool.arguments !== undefined) refuse('argument-unknown', 'expected no argument beside those of the table', { hint: spelling(known) });
  }
}

const spelling = (known: ReadonlySet<string>): string => `the arguments are ${[...known].map((name) => quote(name)).join(', ')}`;

/** A name as a lax server reads it: without case, `_` and `-`, in ASCII. */
export function fold(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/[_-]/g, '');
}

function argumentsOf(action: ActionRow): readonly string[] {
  const names = (...list: readonly (string | undefined)[]): readonly string[] => list.filter((name) => name !== undefined);
  if ('filesystem' in action) return names(action.filesystem.path, action.filesystem.glob, action.filesystem.unless?.argument);
  if ('network' in action) return names(action.network.url, action.network.method_argument, action.network.unless?.argument);
  if ('process' in action) return names(...action.process.argv, action.process.unless?.argument);
  return names(action.shell.command, action.shell.cwd, action.shell.unless?.argument);
}

class Rows {
  readonly actions: Action[] = [];
  readonly #args: Args;
  readonly #around: Around;

  constructor(args: Args, around: Around) {
    this.#args = args;
    this.#around = around;
  }

  add(action: ActionRow): void {
    if ('filesystem' in action) this.#filesystem(action.filesystem);
    else if ('network' in action) this.#network(action.network);
    else if ('process' in action) this.#process(action.process);
    else this.#shell(action.shell);
  }

  #filesystem(row: FilesystemRow): void {
    if (this.#isOff(row)) return;
    for (const text of this.#texts(row.path, row)) {
      const path = this.#at(row.path, () => this.#path(row, text));
      const isTree = row.subtree === true || row.glob !== undefined;
      for (const method of row.methods) {
        this.#put({ filesystem: { path, method } });
        // MAP-14: a mark for what is below, that only a rule on all of it covers
        if (isTree) this.#put({ filesystem: { path: path === '/' ? '/**' : `${path}/**`, method } });
      }
    }
  }

  /** `written` is undefined where the argument is absent and stands for the working folder. */
  #path(row: FilesystemRow, written: string | undefined): string {
    const { paths, bases } = this.#around;
    const resolve = (text: string): string => writtenPath(text, paths, bases);
    // whatever the rule for relative paths is: the working folder is not written by the agent
    const folder = written === undefined ? writtenPath('.', { ...paths, relative: 'cwd' }, bases) : resolve(written);
    if (row.glob === undefined) return folder;
    const pattern = this.#text(row.glob) ?? missing(row.glob);
    const base = this.#at(row.glob, () => globBase(pattern));
    if (base === '') return folder;
    return this.#at(row.glob, () => writtenPath(base, { ...paths, relative: 'cwd' }, { ...bases, cwd: folder }));
  }

  #network(row: NetworkRow): void {
    if (this.#isOff(row)) return;
    for (const url of this.#texts(row.url, row)) {
      if (url === undefined) continue;
      const { host, port } = this.#at(row.url, () => hostAndPort(url));
      const method = this.#httpMethod(row);
      this.#put({ network: { host, port, ...(method !== undefined && { method }) } });
    }
  }

  #httpMethod(row: NetworkRow): string | undefined {
    const argument = row.method_argument;
    const written = argument === undefined ? undefined : this.#text(argument);
    if (argument === undefined || written === undefined) return row.method;
    const method = written.replace(/[a-z]/g, (letter) => letter.toUpperCase());
    this.#at(argument, () => checkHttpMethod(method));
    return method;
  }

  #process(row: ProcessRow): void {
    const [first = ''] = row.argv;
    if (this.#isOff(row) || this.#isAbsent(first, row)) return;
    const argv = row.argv.flatMap((argument): readonly string[] => {
      const value = this.#value(argument);
      if (value === undefined || typeof value === 'string') return value === undefined ? [] : [value];
      return this.#list(argument);
    });
    this.#put({ process: { argv } });
  }

  #shell(row: ShellRow): void {
    if (this.#isOff(row) || this.#isAbsent(row.command, row)) return;
    const { shell, paths, bases } = this.#around;
    const text = this.#text(row.command) as string;
    const folder = row.cwd === undefined ? undefined : this.#text(row.cwd);
    const cwd = folder === undefined ? bases.cwd : this.#at(row.cwd as string, () => writtenPath(folder, paths, bases));
    if (shell === undefined) refuse('shell-parser', 'expected a parser of shell text', { hint: 'createMapper(tables, { shell: mapShell })' });
    for (const action of this.#at(row.command, () => shell(text, cwd === undefined ? {} : { cwd }))) this.#put(action);
  }

  /** `unless`: only exactly this value takes the row away. */
  #isOff({ unless }: { readonly unless?: { readonly argument: string; readonly is: boolean } }): boolean {
    if (unless === undefined) return false;
    const value = this.#value(unless.argument);
    if (value !== undefined && typeof value !== 'boolean') wrongType(unless.argument, 'true or false');
    return value === unless.is;
  }

  #isAbsent(argument: string, row: { readonly absent?: string }): boolean {
    if (this.#value(argument) !== undefined) return false;
    return row.absent === 'none' || missing(argument);
  }

  /** The texts of a row's main argument; one undefined where it is absent and stands for the working folder. */
  #texts(argument: string, row: { readonly each?: true; readonly absent?: string }): readonly (string | undefined)[] {
    if (this.#value(argument) === undefined && row.absent === 'cwd') return [undefined];
    if (this.#isAbsent(argument, row)) return [];
    return row.each ? this.#list(argument) : [this.#text(argument)];
  }

  #list(argument: string): readonly string[] {
    const value = this.#value(argument);
    if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) wrongType(argument, 'a list of texts');
    return value as readonly string[];
  }

  #text(argument: string): string | undefined {
    const value = this.#value(argument);
    if (value !== undefined && typeof value !== 'string') wrongType(argument, 'text');
    return value;
  }

  /** Own members alone: a tool with an argument `constructor` has none by inheritance. */
  #value(argument: string): unknown {
    return Object.hasOwn(this.#args, argument) ? this.#args[argument] : undefined;
  }

  /** Names the argument in a refusal, and leaves out what it holds. */
  #at<T>(argument: string, act: () => T): T {
    return refusedAs(`the argument ${quote(argument)} cannot be mapped`, {}, act);
  }

  #put(action: Action): void {
    // one more is the tool action, which stands in front
    if (this.actions.length >= limits.actions - 1)
      refuse('limit', `expected at most ${limits.actions} actions`, { evidence: { limit: 'actions', max: limits.actions } });
    this.actions.push(action);
  }
}

function missing(argument: string): never {
  refuse('argument-missing', `expected an argument ${quote(argument)}`);
}

function wrongType(argument: string, expected: string): never {
  refuse('argument-type', `expected ${expected} as the argument ${quote(argument)}`);
}
