/**
 * The words of chat completions: a request made, and a reply read as servers really write them (spec/audit-run.md, AUR-7). Pure.
 * @module
 */
import { refuse } from '../../errors.js';
import { type Parsed, stableText } from '../transcript.js';
import { type AgentCall, type AgentReply, type AgentTurn, callsIn, type TurnMessage } from './agent.js';

/** What a request says beside the conversation. */
export interface Sampling {
  readonly model: string;
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxTokens?: number;
  /** Left out where a server does not know it. */
  readonly parallelToolCalls?: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

export function requestOf(turn: AgentTurn, { model, temperature, topP, maxTokens, parallelToolCalls }: Sampling): Fields {
  const { tools, messages, seed } = turn;
  return {
    model,
    messages: messages.map(messageOf),
    // an empty list is refused by some servers
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, schema: parameters }) => ({
        type: 'function',
        function: { name, ...(description !== undefined && { description }), parameters },
      })),
      tool_choice: 'auto',
      ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
    }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    seed,
    stream: false,
  };
}

function messageOf(message: TurnMessage): Fields {
  switch (message.role) {
    case 'assistant': {
      const { text, calls } = message.reply;
      return {
        role: 'assistant',
        // never null: llama-cpp-python refuses a call without a text with status 500
        content: text,
        ...(calls.length > 0 && {
          // templates parse the arguments again: text that is none breaks the next turn
          tool_calls: calls.map(({ id, name, raw }) => ({ id, type: 'function', function: { name, arguments: raw === '' ? '{}' : raw } })),
        }),
      };
    }
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.text };
    default:
      return { role: message.role, content: message.text };
  }
}

/** What a reply is read against: calls that were made before, and tools by whose names a call in a text is known. */
export type Conversation = Pick<AgentTurn, 'messages'> & { readonly tools: readonly { readonly name: string }[] };

/**
 * Reads a reply. What is a call is told by the calls alone: `finish_reason` says "stop" beside calls, and "tool" or "tool_calls" without any.
 *
 * @throws RuleprintError `agent-reply` for what is no chat completion
 */
export function replyOf(body: unknown, turn: Conversation): AgentReply {
  const choice = isFields(body) && Array.isArray(body['choices']) ? (body['choices'] as readonly unknown[])[0] : undefined;
  const message = isFields(choice) ? choice['message'] : undefined;
  if (!isFields(body) || !isFields(choice) || !isFields(message)) return refuse('agent-reply', 'expected a chat completion with a message');
  const finishReason = textAt(choice, 'finish_reason');
  const isCut = finishReason === 'length';
  const before = callsIn(turn);
  const text = contentOf(message['content']) + refusalOf(message);
  const given = callsOf(message, before, isCut);
  const calls = given.length > 0 ? given : callsLeftIn(text, before, turn);
  const reasoning = contentOf(message['reasoning_content'] ?? message['reasoning']);
  const failure = isCut
    ? 'truncated'
    : calls.some(({ parsed }) => parsed !== 'ok') || (calls.length === 0 && isUnreadCall(text))
      ? 'malformed-args'
      : undefined;
  const usage = usageOf(body['usage']);
  return {
    text,
    ...(reasoning !== '' && { reasoning }),
    calls,
    ...(failure !== undefined && { failure }),
    ...named('model', textAt(body, 'model')),
    ...named('fingerprint', textAt(body, 'system_fingerprint')),
    ...named('finishReason', finishReason),
    ...(usage !== undefined && { usage }),
  };
}

/** What a server says in place of a reply when it cannot read the model's arguments: the model did speak, so this is its reply. */
export function unparsedReply(status: number, body: string): AgentReply | undefined {
  if (status !== 500 || !/parse tool call|tool call arguments/i.test(body)) return undefined;
  return { text: body, calls: [], failure: 'malformed-args' };
}

function callsOf(message: Fields, before: readonly AgentCall[], isCut: boolean): readonly AgentCall[] {
  const taken = new Set(before.map(({ id }) => id));
  const written = message['tool_calls'];
  const items: readonly unknown[] = Array.isArray(written)
    ? written
    : isFields(written)
      ? [written]
      : isFields(message['function_call'])
        ? [message['function_call']]
        : [];
  return items.map((item) => {
    const given = isFields(item) ? textAt(item, 'id') : undefined;
    const id = given === undefined || given === '' || taken.has(given) ? freshId(taken) : given;
    taken.add(id);
    const named = isFields(item) && isFields(item['function']) ? item['function'] : item;
    const name = isFields(named) ? (textAt(named, 'name') ?? '') : '';
    const read = isFields(named) ? argumentsOf(named['arguments'] ?? named['parameters'], isCut) : unread(stableText(item), isCut);
    return { id, name, ...read };
  });
}

/** Nine digits, which is what the strictest templates take. */
function freshId(taken: ReadonlySet<string>): string {
  let number = taken.size;
  let id = '';
  do id = String(++number).padStart(9, '0');
  while (taken.has(id));
  return id;
}

/** The arguments of a call: text, an object, nothing. A text is kept as it was written. */
export function argumentsOf(given: unknown, isCut = false): Pick<AgentCall, 'raw' | 'args' | 'parsed'> {
  if (given === undefined || given === null) return { raw: '', args: {}, parsed: 'ok' };
  if (isFields(given)) return { raw: JSON.stringify(given), args: given, parsed: 'ok' };
  if (typeof given !== 'string') return unread(stableText(given), isCut);
  if (given.trim() === '') return { raw: given, args: {}, parsed: 'ok' };
  try {
    const args: unknown = JSON.parse(given);
    if (isFields(args) || args === null) return { raw: given, args: args ?? {}, parsed: 'ok' };
  } catch {
    // the outcome: no arguments
  }
  return unread(given, isCut);
}

function unread(raw: string, isCut: boolean): { readonly raw: string; readonly parsed: Parsed } {
  return { raw, parsed: isCut ? 'truncated' : 'malformed' };
}

/** The marks that templates put around a call. */
const marks = /<tool_call>|<\|python_tag\|>|\[TOOL_CALLS\]|<function=|<\|tool_call(s_begin)?\|>|<｜tool▁calls▁begin｜>/;

function isUnreadCall(text: string): boolean {
  return marks.test(text);
}

/**
 * Calls that the server left as text: objects that name an offered tool, in a text that has such a mark or is nothing else. They count as malformed, since a real
 * server would have made none; they are there so that what the model wanted is judged.
 */
function callsLeftIn(text: string, before: readonly AgentCall[], { tools }: Conversation): readonly AgentCall[] {
  const bare = text.trim().replace(/^```(?:json)?\s*|\s*```$/g, '');
  if (!marks.test(text) && !/^[[{][\s\S]*[\]}]$/.test(bare)) return [];
  const taken = new Set(before.map(({ id }) => id));
  return objectsIn(bare).flatMap((written): AgentCall[] => {
    const call = isFields(written['function']) ? written['function'] : written;
    const name = textAt(call, 'name') ?? textAt(written, 'function');
    if (name === undefined || !('arguments' in call || 'parameters' in call) || !tools.some((tool) => tool.name === name)) return [];
    const id = freshId(taken);
    taken.add(id);
    return [{ id, name, ...argumentsOf(call['arguments'] ?? call['parameters']), parsed: 'malformed' }];
  });
}

/** Objects that are looked for in one text. */
const mostObjects = 100;

/** The outermost objects of a text that parse. */
function objectsIn(text: string): readonly Fields[] {
  const found: Fields[] = [];
  let [depth, start, isInText] = [0, 0, false];
  for (let i = 0; i < text.length && found.length < mostObjects; i++) {
    const char = text[i];
    if (isInText && char === '\\') i++;
    else if (depth > 0 && char === '"') isInText = !isInText;
    else if (isInText) continue;
    else if (char === '{' && depth++ === 0) start = i;
    else if (char === '}' && depth > 0 && --depth === 0) {
      try {
        found.push(JSON.parse(text.slice(start, i + 1)) as Fields);
      } catch {
        // no object, only its braces
      }
    }
  }
  return found;
}

/** Text, or parts of which some are text. */
function contentOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: unknown) => (typeof part === 'string' ? part : isFields(part) ? (textAt(part, 'text') ?? '') : '')).join('');
}

function refusalOf(message: Fields): string {
  return textAt(message, 'refusal') ?? '';
}

function usageOf(usage: unknown): AgentReply['usage'] {
  if (!isFields(usage)) return undefined;
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = usage;
  return isCount(promptTokens) && isCount(completionTokens) ? { promptTokens, completionTokens } : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function named<K extends string>(key: K, value: string | undefined): { readonly [P in K]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: string };
}

function textAt(fields: Fields, key: string): string | undefined {
  const value = fields[key];
  return typeof value === 'string' ? value : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
