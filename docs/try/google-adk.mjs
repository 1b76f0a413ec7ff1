/** A model that needs no key: it asks for three calls and then is done. It prints what it is told of each. */
import { BaseLlm } from '@google/adk';

const args = (name) => ({ path: `${process.cwd()}/project/${name}` });
const calls = [
  { id: 'call-1', name: 'read_file', args: args('plan.txt') },
  { id: 'call-2', name: 'read_file', args: args('keys/id') },
  { id: 'call-3', name: 'delete_file', args: args('plan.txt') },
];
let turn = 0;

class TryModel extends BaseLlm {
  async *generateContentAsync({ contents }) {
    const told = contents.at(-1).parts.at(0).functionResponse;
    if (told !== undefined) console.log(`${told.name}: ${String(told.response.result ?? told.response.error).trim()}`);
    const functionCall = calls[turn++];
    yield { content: { role: 'model', parts: [functionCall === undefined ? { text: 'done' } : { functionCall }] } };
  }
  connect() {
    throw new Error('this model has no live connection');
  }
}

export const model = new TryModel({ model: 'try' });
