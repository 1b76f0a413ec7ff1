/**
 * Requests: read once, judged and made canonical before anything else is looked at (DEC-1 to DEC-4).
 *
 * Written out rather than through a shape: this runs at every decision.
 * @module
 */
import { utf8Length } from '../bytes.js';
import { quote, refuse, RuleprintError, type ErrorCode } from '../errors.js';
import { pointer, type Path } from '../shape.js';
import { canonicalCheckedHost } from './host.js';
import { limits } from './limits.js';
import { fileMethods, type Action, type FileMethod, type Request } from './model.js';
import { canonicalCheckedPath } from './path.js';
import { checkHttpMethod, checkName, checkText } from './text.js';

/**
 * The canonical, deep frozen form of a request. The request is the agent's: each of its properties is read once, so a getter or a proxy
 * cannot show one value to the rules and another to the receipt.
 *
 * @throws RuleprintError the first problem, with its JSON pointer (spec/decision.md)
 * @example
 * canonicalRequest({ agent: 'a', actions: [{ filesystem: { path: '/srv//x/', method: 'read' } }] });
 * // { agent: 'a', actions: [{ filesystem: { path: '/srv/x', method: 'read' } }] }
 */
export function canonicalRequest(value: unknown): Request {
  const request = members(value, [], 'a request', 'agent', 'actions');
  const agent = at(['agent'], () => checkedName(request['agent']));
  const list = request['actions'];
  if (!Array.isArray(list)) wrongType(['actions'], 'a list of actions', list);
  const count = list.length;
  if (count === 0) refuseAt(['actions'], 'empty-list', 'expected at least 1 action');
  if (count > limits.actions) tooMany(['actions'], 'actions', limits.actions, count);
  const actions: Action[] = [];
  let bytes = utf8Length(agent);
  for (let i = 0; i < count; i++) {
    const action = at(['actions', i], () => canonicalAction(list[i] as unknown));
    bytes += textBytes(action);
    actions.push(action);
  }
  if (bytes > limits.requestBytes) tooMany([], 'bytes of text', limits.requestBytes, bytes);
  return Object.freeze({ agent, actions: Object.freeze(actions) });
}

/** The canonical, frozen form of one action; pointers of its problems begin at the action. */
export function canonicalAction(value: unknown): Action {
  const kinds = plainKeys(value, [], 'an action');
  const kind = kinds[0];
  if (kinds.length !== 1) {
    const known = kinds.filter((key) => actionKinds.includes(key)).length;
    if (known !== 1) refuseAt([], 'exactly-one', `expected exactly one of ${actionKinds.join(', ')}, got ${known}`);
    refuseUnknown(kinds, actionKinds, 'an action', []);
  }
  const fields: unknown = (value as Record<string, unknown>)[kind as string];
  switch (kind) {
    case 'filesystem':
      return Object.freeze({ filesystem: Object.freeze(filesystem(fields)) });
    case 'network':
      return Object.freeze({ network: Object.freeze(network(fields)) });
    case 'process':
      return Object.freeze({ process: Object.freeze({ argv: argv(fields) }) });
    case 'tool':
      return Object.freeze({ tool: Object.freeze(tool(fields)) });
    default:
      return refuseAt([], 'exactly-one', `expected exactly one of ${actionKinds.join(', ')}, got 0`);
  }
}

const actionKinds: readonly string[] = ['filesystem', 'network', 'process', 'tool'];

function filesystem(value: unknown): { path: string; method: FileMethod } {
  const { path, method } = members(value, ['filesystem'], 'a filesystem action', 'path', 'method');
  const canonical = at(['filesystem', 'path'], () => {
    const text = checkedText(path);
    return canonicalCheckedPath(text);
  });
  if (typeof method !== 'string') wrongType(['filesystem', 'method'], 'a method', method);
  if (!isFileMethod(method)) refuseAt(['filesystem', 'method'], 'bad-value', `expected one of ${fileMethods.join(', ')}, got ${quote(method)}`);
  return { path: canonical, method };
}

function network(value: unknown): { host: string; port: number; method?: string } {
  const { host, port, method } = members(value, ['network'], 'a network action', 'host', 'port', '?method');
  const canonical = at(['network', 'host'], () => canonicalCheckedHost(checkedText(host)));
  if (typeof port !== 'number') wrongType(['network', 'port'], 'a port', port);
  if (!Number.isSafeInteger(port)) refuseAt(['network', 'port'], 'bad-integer', `expected an integer, got ${port}`);
  if (port < 1 || port > 65_535) refuseAt(['network', 'port'], 'bad-value', `expected a port of 1 to 65535, got ${port}`);
  if (method === undefined) return { host: canonical, port };
  const checked = at(['network', 'method'], () => {
    const text = checkedText(method);
    checkHttpMethod(text);
    return text;
  });
  return { host: canonical, port, method: checked };
}

function argv(value: unknown): readonly string[] {
  const list = members(value, ['process'], 'a process action', 'argv')['argv'];
  const path = ['process', 'argv'];
  if (!Array.isArray(list)) wrongType(path, 'a list of arguments', list);
  const count = list.length;
  if (count === 0) refuseAt(path, 'empty-list', 'expected at least 1 argument');
  if (count > limits.argvItems) tooMany(path, 'arguments', limits.argvItems, count);
  const items: string[] = [];
  for (let i = 0; i < count; i++) {
    items.push(
      at([...path, i], () => {
        const text = checkedText(list[i]);
        if (text.includes('\0')) refuse('nul-character', 'expected an argument without NUL');
        return text;
      }),
    );
  }
  return Object.freeze(items);
}

function tool(value: unknown): { server: string; name: string } {
  const { server, name } = members(value, ['tool'], 'a tool action', 'server', 'name');
  return {
    server: at(['tool', 'server'], () => checkedName(server)),
    name: at(['tool', 'name'], () => checkedName(name)),
  };
}

/** Reads the named members once each. A name that begins with `?` may be absent. Anything else in the object is refused. */
function members<K extends string>(value: unknown, path: Path, what: string, ...names: readonly K[]): Record<string, unknown> {
  const keys = plainKeys(value, path, what);
  const read: Record<string, unknown> = {};
  let found = 0;
  for (const name of names) {
    const key = name[0] === '?' ? name.slice(1) : name;
    if (keys.includes(key)) {
      read[key] = (value as Record<string, unknown>)[key];
      found++;
    } else if (key === name) {
      refuseAt(path, 'missing-key', `expected a field "${key}" in ${what}`);
    }
  }
  if (found !== keys.length) refuseUnknown(keys, names.map((name) => name.replace('?', '')), what, path);
  return read;
}

/** Own enumerable keys of a plain object. */
function plainKeys(value: unknown, path: Path, what: string): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrongType(path, what, value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) refuseAt(path, 'not-plain-data', `expected plain data, got an object with another prototype`);
  return Object.keys(value);
}

function refuseUnknown(keys: readonly string[], known: readonly string[], what: string, path: Path): never {
  const unknown = keys.find((key) => !known.includes(key)) ?? '';
  return refuseAt([...path, unknown], 'unknown-key', `unknown field ${quote(unknown)} in ${what}`, `the fields are ${known.join(', ')}`);
}

function checkedText(value: unknown): string {
  if (typeof value !== 'string') wrongType([], 'text', value);
  checkText(value, limits.requestStringBytes);
  return value;
}

function checkedName(value: unknown): string {
  if (typeof value !== 'string') wrongType([], 'a name', value);
  checkName(value);
  return value;
}

function isFileMethod(text: string): text is FileMethod {
  return (fileMethods as readonly string[]).includes(text);
}

/** UTF-8 bytes of all texts of an action. */
function textBytes(action: Action): number {
  if ('filesystem' in action) return utf8Length(action.filesystem.path) + action.filesystem.method.length;
  if ('network' in action) return action.network.host.length + (action.network.method?.length ?? 0);
  if ('process' in action) return action.process.argv.reduce((sum, item) => sum + utf8Length(item), 0);
  return utf8Length(action.tool.server) + utf8Length(action.tool.name);
}

/** Runs a judge; what it refuses is placed below `path`. */
function at<T>(path: Path, judge: () => T): T {
  try {
    return judge();
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    const problem = error.problems[0];
    throw new RuleprintError({ ...problem, where: { pointer: pointer(path) + (problem.where.pointer ?? '') } }, { cause: error.cause });
  }
}

function wrongType(path: Path, expected: string, got: unknown): never {
  return refuseAt(path, 'wrong-type', `expected ${expected}, got ${got === null ? 'null' : Array.isArray(got) ? 'a list' : typeof got}`);
}

function tooMany(path: Path, what: string, max: number, got: number): never {
  return refuse('limit', `expected at most ${max} ${what}, got ${got}`, { where: { pointer: pointer(path) }, evidence: { limit: what, max, got } });
}

function refuseAt(path: Path, code: ErrorCode, message: string, hint?: string): never {
  return refuse(code, message, { where: { pointer: pointer(path) }, ...(hint !== undefined && { hint }) });
}
