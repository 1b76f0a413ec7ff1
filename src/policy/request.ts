/**
 * Requests: read once, judged and made canonical before anything else is looked at (DEC-1 to DEC-4).
 *
 * Written out rather than through a shape, and without a closure or a path for each field: this runs at every decision.
 * @module
 */
import { quote, refuse, RuleprintError } from '../errors.js';
import { canonicalCheckedHost } from './host.js';
import { limits } from '../limits.js';
import { fileMethods, type Action, type FileMethod, type Request } from './model.js';
import { canonicalCheckedPath } from './path.js';
import { checkArgument, checkHttpMethod, checkName, checkText } from './text.js';

/** Where the reading is: the JSON pointer is put together only when something is refused. */
interface Place {
  /** -1 outside of the actions. */
  action: number;
  /** Pointer below the action, or below the request. */
  field: string;
  /** Index in argv, or -1. */
  item: number;
  /** UTF-8 bytes of all texts so far. */
  bytes: number;
}

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
  if (made.has(value as object)) return value as Request;
  const place: Place = { action: -1, field: '', item: -1, bytes: 0 };
  try {
    return readRequest(value, place);
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    const { action, field, item } = place;
    const pointer = `${action < 0 ? '' : `/actions/${action}`}${field}${item < 0 ? '' : `/${item}`}${error.where.pointer ?? ''}`;
    throw new RuleprintError({ ...error.problems[0], where: { pointer } }, { cause: error });
  }
}

function readRequest(value: unknown, place: Place): Request {
  checkKeys(value, 'a request', requestKeys);
  const { agent, actions: list } = value;
  place.field = '/agent';
  const name = readName(agent, place);
  place.field = '/actions';
  if (!Array.isArray(list)) wrongType('a list of actions', list);
  const count = list.length;
  if (count === 0) refuse('empty-list', 'expected at least 1 action');
  if (count > limits.actions) tooMany('actions', limits.actions, count);
  const actions: Action[] = [];
  for (let i = 0; i < count; i++) {
    place.action = i;
    place.field = '';
    actions.push(readAction(list[i], place));
  }
  place.action = -1;
  place.field = '';
  if (place.bytes > limits.requestBytes) tooMany('bytes of text', limits.requestBytes, place.bytes);
  const request: Request = Object.freeze({ agent: name, actions: Object.freeze(actions) });
  made.add(request);
  return request;
}

// INVARIANT (made here): deep frozen and canonical, so whoever hands it on need not have it read again
const made = new WeakSet<object>();

function readAction(value: unknown, place: Place): Action {
  const keys = plainKeys(value, 'an action');
  const kind = keys[0] as string;
  if (keys.length !== 1 || !actionKinds.includes(kind)) refuseKinds(keys);
  const fields = (value as Record<string, unknown>)[kind];
  switch (kind) {
    case 'filesystem':
      return Object.freeze({ filesystem: Object.freeze(readFilesystem(fields, place)) });
    case 'network':
      return Object.freeze({ network: Object.freeze(readNetwork(fields, place)) });
    case 'process':
      return Object.freeze({ process: Object.freeze(readProcess(fields, place)) });
    default:
      return Object.freeze({ tool: Object.freeze(readTool(fields, place)) });
  }
}

function readFilesystem(value: unknown, place: Place): { path: string; method: FileMethod } {
  place.field = '/filesystem';
  checkKeys(value, 'a filesystem action', filesystemKeys);
  const { path, method } = value;
  place.field = '/filesystem/path';
  const canonical = canonicalCheckedPath(readText(path, place));
  place.field = '/filesystem/method';
  if (typeof method !== 'string') wrongType('a method', method);
  if (!isFileMethod(method)) {
    checkText(method, limits.requestStringBytes);
    refuse('bad-value', `expected one of ${fileMethods.join(', ')}, got ${quote(method)}`);
  }
  place.bytes += method.length;
  return { path: canonical, method };
}

function readNetwork(value: unknown, place: Place): { host: string; port: number; method?: string } {
  place.field = '/network';
  checkKeys(value, 'a network action', networkKeys);
  const { host, port } = value;
  // own, since an inherited method would speak for a request that has none (DEC-9)
  const method = Object.hasOwn(value, 'method') ? value['method'] : undefined;
  place.field = '/network/host';
  const given = readText(host, place);
  const canonical = canonicalCheckedHost(given);
  // a number becomes a longer address: the longer of the two counts (DEC-4)
  place.bytes += Math.max(0, canonical.length - given.length);
  place.field = '/network/port';
  if (typeof port !== 'number') wrongType('a port', port);
  if (!Number.isSafeInteger(port)) refuse('bad-integer', `expected an integer, got ${port}`);
  if (port < 1 || port > 65_535) refuse('bad-value', `expected a port of 1 to 65535, got ${port}`);
  if (method === undefined) return { host: canonical, port };
  place.field = '/network/method';
  const word = readText(method, place);
  checkHttpMethod(word);
  return { host: canonical, port, method: word };
}

function readProcess(value: unknown, place: Place): { argv: readonly string[] } {
  place.field = '/process';
  checkKeys(value, 'a process action', processKeys);
  const list = value['argv'];
  place.field = '/process/argv';
  if (!Array.isArray(list)) wrongType('a list of arguments', list);
  const count = list.length;
  if (count === 0) refuse('empty-list', 'expected at least 1 argument');
  if (count > limits.argvItems) tooMany('arguments', limits.argvItems, count);
  const argv: string[] = [];
  for (let i = 0; i < count; i++) {
    place.item = i;
    const text: unknown = list[i];
    if (typeof text !== 'string') wrongType('text', text);
    place.bytes += checkArgument(text);
    argv.push(text);
  }
  place.item = -1;
  return { argv: Object.freeze(argv) };
}

function readTool(value: unknown, place: Place): { server: string; name: string } {
  place.field = '/tool';
  checkKeys(value, 'a tool action', toolKeys);
  const { server, name } = value;
  place.field = '/tool/server';
  const serverName = readName(server, place);
  place.field = '/tool/name';
  // in the order of deterministic CBOR, so that a receipt need not sort it
  return { name: readName(name, place), server: serverName };
}

function readText(value: unknown, place: Place): string {
  if (typeof value !== 'string') wrongType('text', value);
  place.bytes += checkText(value, limits.requestStringBytes);
  return value;
}

function readName(value: unknown, place: Place): string {
  if (typeof value !== 'string') wrongType('a name', value);
  place.bytes += checkName(value);
  return value;
}

/** Fields of an object: those that must be there, and one that may. */
interface Keys {
  readonly required: readonly string[];
  readonly optional?: string;
}

const requestKeys: Keys = { required: ['agent', 'actions'] };
const actionKinds: readonly string[] = ['filesystem', 'network', 'process', 'tool'];
const filesystemKeys: Keys = { required: ['path', 'method'] };
const networkKeys: Keys = { required: ['host', 'port'], optional: 'method' };
const processKeys: Keys = { required: ['argv'] };
const toolKeys: Keys = { required: ['server', 'name'] };

/** Refuses what does not have exactly these own keys. Values are not read here. */
function checkKeys(value: unknown, what: string, { required, optional }: Keys): asserts value is Readonly<Record<string, unknown>> {
  const keys = plainKeys(value, what);
  for (const key of required) {
    if (!keys.includes(key)) refuse('missing-key', `expected a field "${key}" in ${what}`);
  }
  const hasOptional = optional !== undefined && keys.includes(optional);
  if (keys.length !== required.length + (hasOptional ? 1 : 0)) {
    refuseUnknown(keys, optional === undefined ? required : [...required, optional], what);
  }
}

/** Own enumerable keys of a plain object. */
function plainKeys(value: unknown, what: string): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrongType(what, value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) refuse('not-plain-data', 'expected plain data, got an object with another prototype');
  return Object.keys(value);
}

function refuseKinds(keys: readonly string[]): never {
  const known = keys.filter((key) => actionKinds.includes(key)).length;
  if (known !== 1) refuse('exactly-one', `expected exactly one of ${actionKinds.join(', ')}, got ${known}`);
  return refuseUnknown(keys, actionKinds, 'an action');
}

function refuseUnknown(keys: readonly string[], known: readonly string[], what: string): never {
  const unknown = keys.find((key) => !known.includes(key)) ?? '';
  const pointer = `/${unknown.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return refuse('unknown-key', `unknown field ${quote(unknown)} in ${what}`, { where: { pointer }, hint: `the fields are ${known.join(', ')}` });
}

function isFileMethod(text: string): text is FileMethod {
  return (fileMethods as readonly string[]).includes(text);
}

function wrongType(expected: string, got: unknown): never {
  return refuse('wrong-type', `expected ${expected}, got ${got === null ? 'null' : Array.isArray(got) ? 'a list' : typeof got}`);
}

function tooMany(what: string, max: number, got: number): never {
  return refuse('limit', `expected at most ${max} ${what}, got ${got}`, { evidence: { limit: what, max, got } });
}
