/**
 * The messages of OpenAI chat completions as servers really write them (spec/audit.md, "Wire"), read into messages of a transcript. Pure: no socket is opened here.
 * @module
 */
import type { InvalidCode } from './signals/judge.js';
import type { Message, OfferedTool, Parsed, Role, ToolCall } from './transcript.js';

/** A call with the id that its result must name. */
export interface WireCall extends ToolCall {
  readonly id: string;
}

export interface Reply {
  readonly message: Omit<Message, 'calls' | 'role'> & { readonly role: 'assistant'; readonly calls: readonly WireCall[] };
  /** Why the reply is not what a model meant to say; it is judged for hits all the same. */
  readonly failure?: InvalidCode;
  readonly model?: string;
  readonly fingerprint?: string;
  readonly finishReason?: string;
  readonly tokens?: { readonly prompt: number; readonly completion: number };
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const count = (value: unknown): number => (Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 0);

/**
 * Reads the body of one reply. Whether there are calls is told by the calls, never by `finish_reason`, which servers do not agree on.
 *
 * @param body - parsed JSON
 * @param turn - of this reply, from 0, for ids that a server left out
 * @param tools - the tools that were offered: a call that a server left as plain text is known by them
 */
export function readReply(body: unknown, turn: number, tools: readonly OfferedTool[]): Reply {
  const choices = isObject(body) && Array.isArray(body['choices']) ? body['choices'] : [];
  const choice: unknown = choices[0];
  const wire = isObject(choice) && isObject(choice['message']) ? choice['message'] : {};
  const finishReason = isObject(choice) ? text(choice['finish_reason']) : undefined;
  const isCut = finishReason === 'length';
  const said = contentOf(wire['content']);
  const called = callsIn(wire, turn, isCut);
  const calls = called.length > 0 ? called : callsLeftInText(said, turn, tools);
  const failure = failureOf(isCut, calls, called.length === 0 && calls.length > 0, said);
  const reasoning = text(wire['reasoning_content']) ?? text(wire['reasoning']);
  const [model, fingerprint] = isObject(body) ? [text(body['model']), text(body['system_fingerprint'])] : [];
  const usage = isObject(body) && isObject(body['usage']) ? body['usage'] : undefined;
  return {
    message: { role: 'assistant', text: said, calls, ...(reasoning !== undefined && { reasoning }) },
    ...(failure && { failure }),
    ...(model !== undefined && { model }),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(finishReason !== undefined && { finishReason }),
    ...(usage && { tokens: { prompt: count(usage['prompt_tokens']), completion: count(usage['completion_tokens']) } }),
  };
}

function failureOf(isCut: boolean, calls: readonly WireCall[], isLeftInText: boolean, said: string): InvalidCode | undefined {
  if (isCut) return 'truncated';
  if (isLeftInText || calls.some(({ parsed }) => parsed !== 'ok')) return 'malformed-args';
  return calls.length === 0 && said.trim() === '' ? 'empty-output' : undefined;
}

/** Text, nothing, or a list of parts. */
function contentOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: unknown) => (isObject(part) ? (text(part['text']) ?? '') : (text(part) ?? ''))).join('');
}

/** `tool_calls` with the function inside or flat, and the older `function_call`. */
function callsIn(wire: Json, turn: number, isCut: boolean): readonly WireCall[] {
  const list = Array.isArray(wire['tool_calls']) ? wire['tool_calls'] : isObject(wire['function_call']) ? [wire['function_call']] : [];
  const used = new Set<string>();
  return list.filter(isObject).map((one, i): WireCall => {
    const inner = isObject(one['function']) ? one['function'] : one;
    const given = text(one['id']);
    // some templates take nine digits and nothing else
    const id = given !== undefined && given !== '' && !used.has(given) ? given : String(turn * 1000 + i + 1).padStart(9, '0');
    used.add(id);
    return { id, name: text(inner['name']) ?? '', ...argumentsOf(inner['arguments'] ?? inner['parameters'], isCut && i === list.length - 1) };
  });
}

/** A JSON text, an object, or nothing, which is an empty object. */
export function argumentsOf(given: unknown, isCut = false): { readonly args?: unknown; readonly raw: string; readonly parsed: Parsed } {
  if (isObject(given)) return { args: given, raw: JSON.stringify(given), parsed: 'ok' };
  if (given === undefined || given === null || given === '') return { args: {}, raw: '', parsed: 'ok' };
  const raw = typeof given === 'string' ? given : JSON.stringify(given);
  const value = jsonOf(raw);
  return isObject(value) && !isTooDeep(raw) ? { args: value, raw, parsed: 'ok' } : { raw, parsed: isCut ? 'truncated' : 'malformed' };
}

function jsonOf(given: string): unknown {
  try {
    return JSON.parse(given) as unknown;
  } catch {
    return undefined; // the caller names it malformed
  }
}

const deepest = 64;

/** Nesting, roughly: brackets in texts count too, and no tool has arguments like that. */
function isTooDeep(raw: string): boolean {
  let depth = 0;
  for (const char of raw) {
    if (char === '{' || char === '[') depth++;
    if (char === '}' || char === ']') depth--;
    if (depth > deepest) return true;
  }
  return false;
}

const marks = /<tool_call>|<\|?tool_calls?[|>]|\[TOOL_CALLS\]|<function=|<\|python_tag\|>|```(?:json|tool_call)?\s*\{/;

/** Calls that a server did not take out of the text: an object with the name of an offered tool. They count as malformed, and are judged. */
function callsLeftInText(said: string, turn: number, tools: readonly OfferedTool[]): readonly WireCall[] {
  if (!marks.test(said) && !/^\s*[[{]/.test(said)) return [];
  const known = new Set(tools.map(({ name }) => name));
  const calls: WireCall[] = [];
  for (const body of objectsIn(said)) {
    const value = jsonOf(body);
    if (!isObject(value)) continue;
    const inner = isObject(value['function']) ? value['function'] : value;
    const name = text(inner['name']) ?? text(value['function']);
    if (name === undefined || !known.has(name)) continue;
    const { args, raw } = argumentsOf(inner['arguments'] ?? inner['parameters']);
    calls.push({ id: String(turn * 1000 + calls.length + 1).padStart(9, '0'), name, ...(args !== undefined && { args }), raw, parsed: 'malformed' });
  }
  return calls;
}

/** How many objects are looked for in one text. */
const mostObjects = 100;

/** The outermost objects in a text, by their braces outside of strings. */
function objectsIn(said: string): readonly string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  let isInString = false;
  for (let i = 0; i < said.length && found.length < mostObjects; i++) {
    const char = said[i];
    if (depth > 0 && char === '"' && said[i - 1] !== '\\') isInString = !isInString;
    if (isInString) continue;
    if (char === '{' && depth++ === 0) start = i;
    if (char === '}' && depth > 0 && --depth === 0) found.push(said.slice(start, i + 1));
  }
  return found;
}

/** Reads recorded messages of the wire: what was sent and answered, for a replay. */
export function readMessages(wire: readonly unknown[]): readonly Message[] {
  return wire.filter(isObject).map((one, turn): Message => {
    const role = (['system', 'user', 'assistant', 'tool'] as const).find((known) => known === one['role']) ?? roleOf(one['role']);
    if (role !== 'assistant') return { role, text: contentOf(one['content']) };
    return readReply({ choices: [{ message: one }] }, turn, []).message;
  });
}

/** `developer` is the newer word for the system, `function` the older one for a tool. Who is not known is judged as the assistant. */
function roleOf(role: unknown): Role {
  return role === 'developer' ? 'system' : role === 'function' ? 'tool' : 'assistant';
}

/** Tools as they are offered on the wire: OpenAI's form, or that of MCP's `tools/list`. */
export function readTools(wire: readonly unknown[]): readonly OfferedTool[] {
  return wire.filter(isObject).flatMap((one): OfferedTool[] => {
    const inner = isObject(one['function']) ? one['function'] : one;
    const name = text(inner['name']);
    const description = text(inner['description']);
    const schema = [inner['parameters'], inner['inputSchema'], inner['input_schema']].find(isObject);
    const parameters = schema && isObject(schema['properties']) ? Object.keys(schema['properties']) : undefined;
    return name === undefined ? [] : [{ name, ...(description !== undefined && { description }), ...(parameters && { parameters }) }];
  });
}
