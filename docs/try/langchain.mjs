/** A model that needs no key: it asks for three calls and then is done. It prints what it is told of each. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from 'langchain';

const args = (name) => ({ path: `${process.cwd()}/project/${name}` });
const calls = [
  { id: 'call-1', name: 'read_file', args: args('plan.txt') },
  { id: 'call-2', name: 'read_file', args: args('keys/id') },
  { id: 'call-3', name: 'delete_file', args: args('plan.txt') },
];
let turn = 0;

class TryModel extends BaseChatModel {
  _llmType() {
    return 'try';
  }
  bindTools() {
    return this;
  }
  async _generate(messages) {
    const told = messages.at(-1);
    if (told.getType() === 'tool') console.log(`${told.name}: ${told.content.trim()}`);
    const call = calls[turn++];
    const message = call === undefined ? new AIMessage('done') : new AIMessage({ content: '', tool_calls: [{ type: 'tool_call', ...call }] });
    return { generations: [{ text: '', message }] };
  }
}

export const model = new TryModel({});
