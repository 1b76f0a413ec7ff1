/**
 * What a mapping table is (spec/mapping.md): plain readonly data, named as on the wire, and the shape that judges it.
 * @module
 */
import { limits } from '../limits.js';
import { type FileMethod, fileMethods } from '../policy/model.js';
import { checkHttpMethod, checkName } from '../policy/text.js';
import { list, object, one, type Shape, text, word } from '../shape.js';

/** The format of this version; a table of another is refused. */
export const mappingFormat = 'ruleprint-mapping/1';

/** What becomes of a path as the agent wrote it. */
export interface PathRules {
  /** Without a slash in front: refused, or taken below the working folder of the call. */
  readonly relative: 'refuse' | 'cwd';
  /** With a tilde in front: refused, or `~` and `~/…` taken below the home folder. */
  readonly home: 'refuse' | 'expand';
  /** `..` segments: refused, or resolved in the text alone, as the server does. */
  readonly dot_dot: 'refuse' | 'resolve';
}

/** In every row: what an absent argument means (by default that the call does not fit), and when the row does not count. */
interface Row {
  readonly absent?: string;
  readonly unless?: { readonly argument: string; readonly is: boolean };
}

export interface FilesystemRow extends Row {
  /** The argument that holds the path. */
  readonly path: string;
  readonly methods: readonly FileMethod[];
  /** It holds a list of paths. */
  readonly each?: true;
  /** It stands for all that is below it too. */
  readonly subtree?: true;
  /** The argument that holds a glob below the path. */
  readonly glob?: string;
  readonly absent?: 'none' | 'cwd';
}

export interface NetworkRow extends Row {
  readonly url: string;
  readonly each?: true;
  /** The HTTP method, where the call does not name one. */
  readonly method?: string;
  readonly method_argument?: string;
  readonly absent?: 'none';
}

export interface ProcessRow extends Row {
  /** Arguments that hold a text or a list of texts, one after another. */
  readonly argv: readonly string[];
  readonly absent?: 'none';
}

export interface ShellRow extends Row {
  readonly command: string;
  /** The argument that holds the working folder. */
  readonly cwd?: string;
  readonly absent?: 'none';
}

export type ActionRow =
  | { readonly filesystem: FilesystemRow }
  | { readonly network: NetworkRow }
  | { readonly process: ProcessRow }
  | { readonly shell: ShellRow };

export interface ToolMapping {
  readonly actions: readonly ActionRow[];
  /** All arguments that the tool has beside those of the rows: with it the list is closed. */
  readonly arguments?: readonly string[];
}

/** Which arguments of the tools of one server become which actions. */
export interface Mapping {
  readonly format: typeof mappingFormat;
  /** Whose tools these are; absent: those of every server that no other table names. */
  readonly server?: string;
  /** `mcp__server__tool` is the tool of that server. */
  readonly mcp_names?: true;
  /** By default everything is refused that is not absolute and plain. */
  readonly paths?: PathRules;
  readonly tools: Readonly<Record<string, ToolMapping>>;
}

const name = text('a name', checkName, { minLength: 1 });
const argument = text('the name of an argument', checkName, { minLength: 1 });
const yes: Shape = { kind: 'boolean', only: true };
const unless = object('{ argument, is }', { argument, is: { kind: 'boolean' } });
const none = word('none');
const httpMethod = text(
  'an HTTP method',
  (method) => {
    checkName(method);
    checkHttpMethod(method);
  },
  { pattern: '^[A-Z][A-Z0-9_-]*$' },
);
const names = (what: string, min: number): Shape => list(what, argument, { min, max: limits.mappedRows, set: true });

const row = one('an action row', {
  filesystem: object(
    'a filesystem row',
    { path: argument, methods: list('a list of methods', word(...fileMethods), { min: 1, max: fileMethods.length, set: true }) },
    { each: yes, subtree: yes, glob: argument, absent: word('none', 'cwd'), unless },
  ),
  network: object('a network row', { url: argument }, { each: yes, method: httpMethod, method_argument: argument, absent: none, unless }),
  process: object('a process row', { argv: names('a list of arguments', 1) }, { absent: none, unless }),
  shell: object('a shell row', { command: argument }, { cwd: argument, absent: none, unless }),
});

const tool = object(
  'a tool',
  { actions: list('a list of action rows', row, { max: limits.mappedRows }) },
  { arguments: names('a list of the other arguments', 0) },
);

/** MAP-1, MAP-2. */
export const mappingShape: Shape = object(
  'a mapping table',
  { format: word(mappingFormat), tools: { kind: 'record', what: 'tools by name', value: tool, key: (key) => void checkName(key) } },
  {
    server: name,
    mcp_names: yes,
    paths: object('rules for paths', { relative: word('refuse', 'cwd'), home: word('refuse', 'expand'), dot_dot: word('refuse', 'resolve') }),
  },
);
