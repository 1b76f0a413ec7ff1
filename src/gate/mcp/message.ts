/**
 * What one line from a client is: passed as it came, a call that the rules must allow, or neither (spec/mcp.md, MCP-2 to MCP-6). Bytes in, data
 * out. What is doubtful for any server, however lax its parser, is refused here.
 * @module
 */
import { fromUtf8 } from '../../bytes.js';
import { quote } from '../../errors.js';
import { numbersSurvive, outerKeys } from './json-text.js';

export type Id = string | number;
export type JsonObject = Readonly<Record<string, unknown>>;

/** A call that is judged by rules. */
export interface GatedCall {
  readonly method: 'tools/call' | 'resources/read';
  readonly id: Id;
  /** The tool that rules speak of: that of the call, or `resources/read`. */
  readonly tool: string;
  readonly args: unknown;
  readonly params: JsonObject;
  /** Whether the client asks for a task in place of a result. */
  readonly isTask: boolean;
  /** Whether it speaks the protocol of 2026: every request says so itself. */
  readonly isStateless: boolean;
  /** A part of the message has numbers that would be others when they are written again: it can be judged, and not be sent. */
  readonly losesNumbers: boolean;
}

/** What is of interest in a message that passes. */
export interface Passed {
  readonly method?: string;
  readonly id?: Id;
  readonly params?: JsonObject;
  /** Of an answer to a request of the server, or of the gate. */
  readonly result?: unknown;
  readonly isAnswer: boolean;
}

export type Judged =
  | { readonly kind: 'pass'; readonly message: Passed }
  | { readonly kind: 'call'; readonly call: GatedCall }
  /** Answered with an error. */
  | { readonly kind: 'refuse'; readonly id: Id | null; readonly code: number; readonly why: string }
  /** Not answered: what has no id is not answered, whatever becomes of it. */
  | { readonly kind: 'drop'; readonly why: string };

/** Codes of JSON-RPC, and ours for a denial where no result can say it. */
export const rpcCodes = Object.freeze({
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  headerMismatch: -32_020,
  denied: -32_003,
});

export const gatedMethods: readonly string[] = ['tools/call', 'resources/read'];

/** By the presence of this key a request is one of the protocol of 2026. */
export const protocolVersionKey = 'io.modelcontextprotocol/protocolVersion';
export const clientCapabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

/** Members of a message; a server that does not care for case would take `METHOD` for `method`. */
const members: readonly string[] = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'];

/** Members of the params of what is gated: a list, for the same reason. */
const paramsOf = {
  'tools/call': ['name', 'arguments', '_meta', 'task', 'inputResponses', 'requestState'],
  'resources/read': ['uri', '_meta', 'inputResponses', 'requestState'],
} as const satisfies Record<GatedCall['method'], readonly string[]>;

/** Judges a message: a line without its line feed, or the body of a request, whose white space ends nothing. */
export function judgeMessage(bytes: Uint8Array, framing: 'line' | 'body' = 'line'): Judged {
  if (framing === 'line' && isBlank(bytes)) return { kind: 'drop', why: 'a blank line' };
  const text = fromUtf8(bytes);
  if (text === undefined) return refused(null, rpcCodes.parseError, 'expected UTF-8');
  // MCP-2: a server that ends lines at carriage returns too would read a message inside this one
  const inner = framing === 'line' ? text.indexOf('\r') : -1;
  if (inner >= 0 && inner < text.length - 1) return refused(null, rpcCodes.invalidRequest, 'expected no carriage return inside a message');
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return refused(null, rpcCodes.parseError, 'expected JSON (RFC 8259)');
  }
  if (Array.isArray(message)) return refused(null, rpcCodes.invalidRequest, 'expected one message, got a batch');
  if (!isObject(message)) return refused(null, rpcCodes.invalidRequest, 'expected an object');
  return judgeObject(message, text);
}

function judgeObject(message: JsonObject, text: string): Judged {
  const { id, method } = message;
  const answerTo = isId(id) ? id : null;
  // whoever waits for no answer gets none
  const wrong = (code: number, why: string): Judged =>
    method === undefined || Object.hasOwn(message, 'id') ? refused(answerTo, code, why) : { kind: 'drop', why };
  const keys = outerKeys(text);
  const unknown = keys.find((key) => !members.includes(key));
  if (unknown !== undefined) return wrong(rpcCodes.invalidRequest, `expected no member ${quote(unknown)}`);
  if (new Set(keys).size !== keys.length) return wrong(rpcCodes.invalidRequest, 'expected each member once'); // MCP-3
  if (message['jsonrpc'] !== '2.0') return wrong(rpcCodes.invalidRequest, 'expected "jsonrpc": "2.0"');
  const isResult = Object.hasOwn(message, 'result');
  const isError = Object.hasOwn(message, 'error');
  if (!Object.hasOwn(message, 'method')) {
    if (isResult === isError || Object.hasOwn(message, 'params')) return refused(answerTo, rpcCodes.invalidRequest, 'expected a method, a result or an error');
    if (!isAnyId(id) && !isError) return refused(null, rpcCodes.invalidRequest, 'expected an answer with an id that is text or a number');
    return { kind: 'pass', message: { ...(isId(id) && { id }), isAnswer: true, ...(isResult && { result: message['result'] }) } };
  }
  if (isResult || isError) return wrong(rpcCodes.invalidRequest, 'expected a request or an answer, got both');
  if (Object.hasOwn(message, 'id') && !isAnyId(id)) return refused(null, rpcCodes.invalidRequest, 'expected an id that is text or a number');
  if (typeof method !== 'string') return wrong(rpcCodes.invalidRequest, 'expected the method as text');
  if (gatedMethods.includes(method)) return judgeCall(method as GatedCall['method'], message, text);
  // MCP-4: so much like a gated one that some server could take it for that
  if (isLikeGated(method)) return wrong(rpcCodes.methodNotFound, `expected a method in its own spelling, got ${quote(method)}`);
  const params = message['params'];
  return { kind: 'pass', message: { method, ...(isId(id) && { id }), ...(isObject(params) && { params }), isAnswer: false } };
}

function judgeCall(method: GatedCall['method'], message: JsonObject, text: string): Judged {
  const { id, params } = message;
  // MCP-5: a notification that a lax server would obey, and that nobody could be told of
  if (id === undefined) return { kind: 'drop', why: `${method} without an id` };
  if (!isId(id)) return refused(null, rpcCodes.invalidRequest, 'expected an id that is text or an integer up to 2^53-1');
  const wrong = (why: string): Judged => refused(id, rpcCodes.invalidParams, why);
  if (!isObject(params)) return wrong('expected params');
  const known: readonly string[] = paramsOf[method];
  const unknown = Object.keys(params).find((key) => !known.includes(key));
  if (unknown !== undefined) return wrong(`expected no parameter ${quote(unknown)}`);
  const tool = method === 'tools/call' ? params['name'] : method;
  if (typeof tool !== 'string') return wrong('expected the name of a tool as text');
  const { uri, arguments: given, _meta: meta, task } = params;
  if (method === 'resources/read' && typeof uri !== 'string') return wrong('expected the URI as text');
  if (given !== undefined && !isObject(given)) return wrong('expected the arguments as an object');
  if (meta !== undefined && !isObject(meta)) return wrong('expected _meta as an object');
  const args = method === 'tools/call' ? given : { uri };
  const isStateless = meta !== undefined && Object.hasOwn(meta, protocolVersionKey);
  const losesNumbers = !numbersSurvive(text); // MCP-6
  return { kind: 'call', call: { method, id, tool, args, params, isTask: task !== undefined, isStateless, losesNumbers } };
}

/** MCP-6: the message of a call, written again from what was judged. */
export function messageOf({ method, id }: Pick<GatedCall, 'method' | 'id'>, params: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

/** What passes as it came may have a number that JavaScript cannot hold. */
function isAnyId(id: unknown): boolean {
  return typeof id === 'string' || typeof id === 'number';
}

function refused(id: Id | null, code: number, why: string): Judged {
  return { kind: 'refuse', id, code, why };
}

/** Spaces, tabs and a carriage return alone. */
function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

/** Whether some server could take a method for a gated one. */
export function isLikeGated(method: string): boolean {
  return gatedLetters.includes(lettersOf(method));
}

/** The letters of a method, for a reader who minds neither case nor what stands around or between them. */
function lettersOf(method: string): string {
  return method
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^a-z]/g, '');
}

const gatedLetters: readonly string[] = gatedMethods.map(lettersOf);
