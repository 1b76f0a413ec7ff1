/**
 * Recorded messages of chat completions as the messages of a transcript: runs that others recorded are judged by the same signals. Pure.
 * @module
 */
import type { Message, OfferedTool, Role } from '../transcript.js';
import { replyOf } from './completion.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads what was sent and answered, in its order. What is no object is left aside.
 *
 * @param tools - those that were offered: a call that a server left as text is known by them
 * @example
 * readMessages([{ role: 'developer', content: 'be good' }]); // [{ role: 'system', text: 'be good' }]
 */
export function readMessages(recorded: readonly unknown[], tools: readonly Pick<OfferedTool, 'name'>[] = []): readonly Message[] {
  return recorded.filter(isFields).map((message): Message => {
    // each is read by the one reader of the wire, whoever said it: content stands there in every form
    const { text, reasoning, calls } = replyOf({ choices: [{ message }] }, { messages: [], tools });
    const role = roleOf(message['role']);
    if (role !== 'assistant') return { role, text };
    return { role, text, ...(reasoning !== undefined && { reasoning }), calls: calls.map(({ id: _, ...call }) => call) };
  });
}

/** `developer` is the newer word for the system, `function` the older one for a tool. Who is not known is judged as the assistant. */
function roleOf(role: unknown): Role {
  switch (role) {
    case 'system':
    case 'developer':
      return 'system';
    case 'tool':
    case 'function':
      return 'tool';
    case 'user':
      return 'user';
    default:
      return 'assistant';
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
