import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { AIMessage, createAgent, tool, ToolMessage } from 'langchain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { langchainMiddleware } from '../../src/gate/adapters/langchain.js';
import { gateWith } from '../gate/kit.js';
import { contract, recorder, textOf, type ToolCall } from './kit.js';

/** Calls a tool, and then is done. */
class FakeModel extends BaseChatModel {
  readonly seen: BaseMessage[][] = [];
  readonly call: ToolCall;

  constructor(call: ToolCall) {
    super({});
    this.call = call;
  }

  override _llmType(): string {
    return 'fake';
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.seen.push(messages);
    const { name, args } = this.call;
    const message =
      this.seen.length > 1 ? new AIMessage('done') : new AIMessage({ content: '', tool_calls: [{ id: 'c1', name, args: { ...args }, type: 'tool_call' }] });
    return { generations: [{ text: '', message }] };
  }
}

contract({
  name: 'langchainMiddleware with langchain',
  asks: "asks for a human's approval",
  hasCallId: true,
  run: async (gate, call) => {
    const { ran, execute } = recorder();
    const schema = z.object({ path: z.string() });
    const tools = (['read', 'write'] as const).map((name) => tool(execute, { name, description: name, schema }));
    const model = new FakeModel(call);
    const agent = createAgent({ model, tools, middleware: [langchainMiddleware(gate, ToolMessage)] });
    const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'go' }] });
    expect(messages.at(-1)?.content).toBe('done');
    return { ran, told: textOf(model.seen.at(-1)) };
  },
});

describe('langchainMiddleware', () => {
  it('hands the tool the copy that was judged, whatever becomes of the arguments meanwhile (GAT-15)', async () => {
    const { gate } = await gateWith();
    const args = { path: '/srv/a' };
    const given: unknown[] = [];
    const result = langchainMiddleware(gate, ToolMessage).wrapToolCall({ toolCall: { id: 'c1', name: 'read', args } }, (request) =>
      given.push(request.toolCall.args),
    );
    args.path = '/srv/keys/a';
    await result;
    expect(given).toEqual([{ path: '/srv/a' }]);
  });

  it('marks what it answers as an error of that call', async () => {
    const { gate } = await gateWith();
    const answer = await langchainMiddleware(gate, ToolMessage).wrapToolCall({ toolCall: { id: 'c1', name: 'read', args: { path: '/etc' } } }, () => 'ran');
    expect(answer).toBeInstanceOf(ToolMessage);
    expect(answer).toMatchObject({ status: 'error', tool_call_id: 'c1', name: 'read' });
  });
});
