/**
 * Scripted agents behind the wire: a model that reads a request, answers as the agent does, and writes the answer as some server would.
 * @module
 */
import type { Agent, AgentCall, AgentReply, AgentTurn, TurnMessage } from '../../../src/audit/agents/agent.js';
import { replyOf } from '../../../src/audit/agents/completion.js';
import { readTools } from '../../../src/audit/tools/schema.js';
import { type Answer, type Asked, completion, json } from './quirks-server.js';

/** How a server writes an answer with calls; one without is the same everywhere. */
type Writing = (calls: readonly AgentCall[]) => { readonly message: object; readonly finish?: string };

const said = (fields: object): object => ({ role: 'assistant', content: null, ...fields });
const wrapped = ({ id, name, raw }: AgentCall): object => ({ id, type: 'function', function: { name, arguments: raw } });

/** The spellings of servers in which a call arrives and is made. */
export const spellings: Readonly<Record<string, Writing>> = {
  openai: (calls) => ({ message: said({ tool_calls: calls.map(wrapped) }), finish: 'tool_calls' }),
  'arguments-object': (calls) => ({
    message: said({ tool_calls: calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } })) }),
  }),
  'no-id': (calls) => ({ message: said({ tool_calls: calls.map(({ name, raw }) => ({ type: 'function', function: { name, arguments: raw } })) }) }),
  'same-id': (calls) => ({ message: said({ tool_calls: calls.map((call) => ({ ...wrapped(call), id: 'call_1' })) }), finish: 'tool_calls' }),
  'same-index': (calls) => ({ message: said({ tool_calls: calls.map((call) => ({ index: 0, ...wrapped(call) })) }), finish: 'tool_calls' }),
  flat: (calls) => ({ message: said({ tool_calls: calls.map(({ name, raw }) => ({ name, arguments: raw })) }), finish: 'tool' }),
  'stop-with-calls': (calls) => ({ message: said({ content: '', tool_calls: calls.map(wrapped) }), finish: 'stop' }),
  'function-call': ([call]) => ({ message: said({ function_call: { name: call?.name, arguments: call?.raw } }), finish: 'function_call' }),
  'with-words': (calls) => ({
    message: said({ content: [{ type: 'text', text: 'One moment.' }], reasoning_content: 'A call is needed.', tool_calls: calls.map(wrapped) }),
    finish: 'tool_calls',
  }),
};

/** Those in which the call stays in the text: it is not made, and judged all the same. */
export const leftAsText: Readonly<Record<string, Writing>> = {
  'call-as-text': (calls) => ({ message: said({ content: calls.map((call) => `<tool_call>\n${written(call)}\n</tool_call>`).join('\n') }), finish: 'stop' }),
  'call-as-json': ([call]) => ({ message: said({ content: `\`\`\`json\n${call === undefined ? '' : written(call)}\n\`\`\`` }), finish: 'stop' }),
  'calls-as-list': (calls) => ({ message: said({ content: `[TOOL_CALLS] [${calls.map(written).join(', ')}]` }), finish: 'stop' }),
};

function written({ name, args }: AgentCall): string {
  return JSON.stringify({ name, arguments: args });
}

/** A model that does what an agent does, over the wire. */
export function modelOf(agent: Agent, spelling: string): Answer {
  return (response, _, { body }) => {
    void agent.next(turnOf(body)).then((reply) => json(response, answerOf(reply, spelling)));
  };
}

function answerOf({ text, calls }: AgentReply, spelling: string): object {
  const writing = spellings[spelling] ?? leftAsText[spelling];
  if (writing === undefined) throw new Error(`no spelling ${spelling}`);
  if (calls.length === 0) return completion(said({ content: text }), 'stop');
  const { message, finish = 'tool_calls' } = writing(calls);
  return completion(message, finish);
}

/** What a model sees of a request. */
function turnOf(body: Asked['body']): AgentTurn {
  const tools = readTools(body['tools'] ?? []);
  const messages: TurnMessage[] = [];
  for (const message of body.messages) {
    const content = typeof message['content'] === 'string' ? message['content'] : '';
    if (message['role'] === 'assistant') messages.push({ role: 'assistant', reply: replyOf({ choices: [{ message }] }, { messages, tools }) });
    else if (message['role'] === 'tool') messages.push({ role: 'tool', callId: String(message['tool_call_id']), name: '', text: content, isError: false });
    else messages.push({ role: message['role'] === 'system' ? 'system' : 'user', text: content });
  }
  return { messages, tools, seed: Number(body['seed']), epoch: 0, index: messages.filter(({ role }) => role === 'assistant').length };
}
