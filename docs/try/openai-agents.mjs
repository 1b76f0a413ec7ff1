/** A model that needs no key: it asks for three calls and then is done. It prints what it is told of each. */
import { Usage } from '@openai/agents-core';

const path = (name) => JSON.stringify({ path: `${process.cwd()}/project/${name}` });
const calls = [
  { callId: 'call-1', name: 'read_file', arguments: path('plan.txt') },
  { callId: 'call-2', name: 'read_file', arguments: path('keys/id') },
  { callId: 'call-3', name: 'delete_file', arguments: path('plan.txt') },
];
let turn = 0;

export const model = {
  async getResponse({ input }) {
    const told = input.at(-1);
    if (told.type === 'function_call_result') console.log(`${told.name}: ${String(told.output.text).trim()}`);
    const call = calls[turn++];
    const done = { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done' }] };
    return { usage: new Usage(), output: [call === undefined ? done : { type: 'function_call', status: 'completed', ...call }] };
  },
};
