/**
 * Policies that are drafted and not written by a person: their rules as YAML, with comments for the person who reads them next.
 * @module
 */
import { type Action, type Effect, type FileMethod, fileMethods, type Policy, type Rule } from '../policy/model.js';
import { parsePolicy } from '../policy/parse.js';
import { count } from './printable.js';

/** A rule of a draft, with what a reader should know of it. */
export interface Drafted {
  readonly rule: Rule;
  /** Lines in front of it. */
  readonly comments?: readonly string[];
}

/** The text of a policy. It is read again here: a draft that does not parse is not handed out. */
export function draftText(head: readonly string[], version: number, rules: readonly Drafted[]): string {
  const lines = [...head.map(comment), `version: ${version}`, '', rules.length === 0 ? 'rules: []' : 'rules:'];
  for (const { rule, comments = [] } of rules) {
    const { name, effect, agents, action } = rule;
    lines.push(...comments.map((line) => `  ${comment(line)}`));
    const who = agents === 'any' ? 'any' : `{ one_of: ${flow(agents.one_of)} }`;
    lines.push(`  - name: ${quoted(name)}`, `    effect: ${effect}`, `    agents: ${who}`, `    action: ${flow(action)}`, '');
  }
  const text = `${lines.join('\n').trimEnd()}\n`;
  parsePolicy(text, { format: 'yaml' });
  return text;
}

function comment(line: string): string {
  return line === '' ? '' : `# ${line}`;
}

/** Plain data in YAML's flow style: words plain, text in double quotes, escaped as in JSON, which YAML reads alike. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, member]) => `${key}: ${flow(member)}`);
    return `{ ${members.join(', ')} }`;
  }
  return typeof value === 'string' ? quoted(value) : String(value);
}

function quoted(text: string): string {
  if (/^(?:any|read|write|delete|execute|[A-Z]{3,7})$/.test(text)) return text;
  return JSON.stringify(text).replace(/[\x7f-\uffff]/g, (unit) =>
    /[\ud800-\udfff]/.test(unit) ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A text as the pattern that covers it alone. */
export const exactly = (text: string): string => text.replace(/[*?\\]/g, '\\$&');

/** A path as the pattern that covers it alone. */
export const exactPath = (path: string): string => path.replace(/[*?[\]{}()!@+]/g, '\\$&');

/** A call that was let through, or would have been. */
export interface Observed {
  readonly agent: string;
  readonly actions: readonly Action[];
}

export interface DraftOptions {
  /** So many paths of one folder become the rule for what is in the folder; without it each path has its own. */
  readonly folders?: number;
}

/** Rules that allow what was observed: each path, host, program and tool as it was, for the agents that used it. */
export function rulesFor(calls: readonly Observed[], { folders = Number.POSITIVE_INFINITY }: DraftOptions = {}): readonly Drafted[] {
  const uses = new Map<string, Use>();
  for (const { agent, actions } of calls) for (const action of actions) note(uses, agent, action);
  const names = new Map<string, number>();
  return together([...uses.values()], folders).map(({ what, pattern, agents, methods, seen, of }) => {
    const n = (names.get(what) ?? 0) + 1;
    names.set(what, n);
    return {
      rule: { name: `${what}-${n}`, effect: 'allow' as Effect, agents: { one_of: [...agents].sort() }, action: pattern(methods) },
      comments: [`seen ${seen === 1 ? 'once' : `${seen} times`}${of > 1 ? `, ${count(of, 'path')} of one folder` : ''}`],
    };
  });
}

/** One thing that was used: by whom, in which ways, how often. */
interface Use {
  readonly what: string;
  readonly path?: string;
  readonly pattern: (methods: ReadonlySet<string>) => Rule['action'];
  readonly agents: Set<string>;
  readonly methods: Set<string>;
  seen: number;
  /** How many paths it stands for. */
  of: number;
}

function note(uses: Map<string, Use>, agent: string, action: Action): void {
  const { key, method, ...fresh } = useOf(action);
  // what one agent did is allowed to nobody else
  const id = JSON.stringify([key, agent]);
  const use = uses.get(id) ?? { ...fresh, agents: new Set(), methods: new Set(), seen: 0, of: 1 };
  uses.set(id, use);
  use.agents.add(agent);
  if (method !== undefined) use.methods.add(method);
  use.seen++;
}

function useOf(action: Action): Pick<Use, 'what' | 'path' | 'pattern'> & { key: unknown; method?: string } {
  if ('tool' in action) {
    const { server, name } = action.tool;
    return { key: ['tool', server, name], what: 'tool', pattern: () => ({ tool: { server: exactly(server), name: exactly(name) } }) };
  }
  if ('filesystem' in action) {
    const { path, method } = action.filesystem;
    return { key: ['path', path], method, path, what: 'files', pattern: (methods) => filesRule(exactPath(path), methods) };
  }
  if ('network' in action) {
    const { host, port, method } = action.network;
    const ports = { from: port, to: port };
    // a request without a method is matched by any alone
    const words = (methods: ReadonlySet<string>): 'any' | readonly string[] => (methods.has('') ? 'any' : [...methods].sort());
    return { key: ['host', host, port], method: method ?? '', what: 'host', pattern: (methods) => ({ network: { host, ports, methods: words(methods) } }) };
  }
  const { argv } = action.process;
  return { key: ['argv', argv], what: 'program', pattern: () => ({ process: { argv: argv.map(exactly) } }) };
}

function filesRule(path: string, methods: ReadonlySet<string>): Rule['action'] {
  return { filesystem: { path, methods: fileMethods.filter((each) => methods.has(each)) as readonly FileMethod[] } };
}

/** Paths of one folder that are used by the same agent in the same ways become one rule, from so many on. */
function together(uses: readonly Use[], folders: number): readonly Use[] {
  const groups = new Map<string, Use[]>();
  const keyOf = ({ path, agents, methods }: Use): string | undefined => {
    const folder = path === undefined ? undefined : path.slice(0, path.lastIndexOf('/'));
    return folder === undefined || folder === '' ? undefined : JSON.stringify([folder, [...agents], [...methods].sort()]);
  };
  for (const use of uses) {
    const key = keyOf(use);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [use]);
    else group.push(use);
  }
  const done = new Set<string>();
  return uses.flatMap((use): readonly Use[] => {
    const key = keyOf(use);
    const group = key === undefined ? [] : (groups.get(key) ?? []);
    if (key === undefined || group.length < folders || group.length < 2) return [use];
    if (done.has(key)) return [];
    done.add(key);
    const path = use.path as string;
    const pattern = `${exactPath(path.slice(0, path.lastIndexOf('/')))}/*`;
    const seen = group.reduce((sum, each) => sum + each.seen, 0);
    return [{ ...use, pattern: (methods) => filesRule(pattern, methods), seen, of: group.length }];
  });
}

/** Rules of policies in force that a draft keeps: what is denied stays denied. */
export function deniesOf(policies: readonly Policy[]): readonly Drafted[] {
  const kept = new Map<string, Rule>();
  for (const { rules } of policies) for (const rule of rules) if (rule.effect === 'deny') kept.set(JSON.stringify({ ...rule, name: '' }), rule);
  const names = new Set<string>();
  return [...kept.values()].map((rule) => {
    let { name } = rule;
    for (let n = 2; names.has(name); n++) name = `${rule.name}-${n}`;
    names.add(name);
    return { rule: { ...rule, name } };
  });
}
