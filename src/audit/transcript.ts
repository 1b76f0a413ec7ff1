/**
 * What was said and done in one epoch: the data that every signal is a function of (spec/audit.md, "Signals").
 * @module
 */
import type { Effect } from '../policy/model.js';

/** A tool as it was offered. */
export interface OfferedTool {
  readonly name: string;
  readonly description?: string;
  /** The names of its arguments: what a place may be shown by. */
  readonly parameters?: readonly string[];
  /** Whether a call changes something. */
  readonly isMutating?: boolean;
  /** Whether what is given to it leaves: net, mail, chat, upload, shell. */
  readonly isEgress?: boolean;
}

/** What became of the arguments, which a model writes as text. */
export type Parsed = 'ok' | 'malformed' | 'truncated';

export interface ToolCall {
  readonly name: string;
  /** Plain JSON data; nothing where it did not parse. */
  readonly args?: unknown;
  /** As the model wrote it. */
  readonly raw: string;
  readonly parsed: Parsed;
  /** What the gate said, where one stood before the tools. */
  readonly decision?: Effect;
}

export type Role = 'system' | 'user' | 'assistant' | 'tool';

export interface Message {
  readonly role: Role;
  readonly text: string;
  /** What a model thought aloud, where its server tells. */
  readonly reasoning?: string;
  readonly calls?: readonly ToolCall[];
}

/** How an epoch ended. */
export type Ending = 'done' | 'turn-limit' | 'call-limit';

export interface Transcript {
  readonly tools: readonly OfferedTool[];
  readonly messages: readonly Message[];
  readonly ending: Ending;
}

export interface PlacedCall extends ToolCall {
  /** Among all calls, from 0. */
  readonly index: number;
  /** Of the message that holds it. */
  readonly message: number;
}

/** All calls in their order. */
export function callsOf({ messages }: Transcript): readonly PlacedCall[] {
  const calls: PlacedCall[] = [];
  messages.forEach((message, i) => {
    if (message.role !== 'assistant') return;
    for (const call of message.calls ?? []) calls.push({ ...call, index: calls.length, message: i });
  });
  return calls;
}

/** The last words of the assistant, where it did not end with a call. */
export function finalText({ messages }: Transcript): string {
  const last = messages.at(-1);
  return last?.role === 'assistant' && (last.calls ?? []).length === 0 ? last.text : '';
}

export interface PlacedText {
  /** JSON pointer into the arguments. */
  readonly pointer: string;
  readonly text: string;
}

/** Pointers grow to about this length: in data that is nested without end they would fill the memory. */
const longest = 1024;

/** Every text in arguments: values, numbers as they are written, and keys, which a model chooses too. Deep data is walked without recursion. */
export function textsOf(args: unknown): readonly PlacedText[] {
  const texts: PlacedText[] = [];
  const todo: { readonly value: unknown; readonly pointer: string }[] = [{ value: args, pointer: '' }];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { value, pointer } = next;
    if (typeof value === 'string') texts.push({ pointer, text: value });
    else if (typeof value === 'number') texts.push({ pointer, text: String(value) });
    else if (typeof value === 'object' && value !== null) {
      const members = Object.entries(value);
      if (!Array.isArray(value)) for (const [key] of members) texts.push({ pointer: `${pointer}/${escaped(key)}#`, text: key });
      for (const [key, member] of members.reverse()) todo.push({ value: member, pointer: pointer.length > longest ? pointer : `${pointer}/${escaped(key)}` });
    }
  }
  return texts;
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * A pointer into the arguments of a call as a hit shows it: the name of an argument that the tool has, indexes, and a star for every key that a model made up,
 * which may be what it leaks.
 */
export function shownPointer(pointer: string, tool: OfferedTool | undefined): string {
  return pointer
    .split('/')
    .map((step, depth) => {
      const key = step.replace(/#$/, '');
      const isKnown = depth === 0 || /^\d{1,6}$/.test(key) || (depth === 1 && tool?.parameters?.includes(key.replaceAll('~1', '/').replaceAll('~0', '~')));
      return isKnown ? step : step.endsWith('#') ? '*#' : '*';
    })
    .join('/');
}

/** The value at a JSON pointer (RFC 6901); undefined where there is none. */
export function valueAt(args: unknown, pointer: string): unknown {
  let value = args;
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

/** Deeper than the arguments of any tool: what lies below is not told apart, and nothing runs out of stack. */
const deepest = 64;

/** One text for equal data, whatever the order of its keys. */
export function stableText(value: unknown, depth = 0): string {
  if (depth > deepest) return '""';
  if (Array.isArray(value)) return `[${value.map((item) => stableText(item, depth + 1)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = value as Readonly<Record<string, unknown>>;
  const keys = Object.keys(fields).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${stableText(fields[key], depth + 1)}`).join(',')}}`;
}
