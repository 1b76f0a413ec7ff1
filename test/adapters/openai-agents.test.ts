import { Agent, type AgentInputItem, type Model, type ModelRequest, type ModelResponse, Runner, tool, Usage } from '@openai/agents-core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openaiToolGuardrail } from '../../src/gate/adapters/openai-agents.js';
import { decisionsIn, gateWith, problemsIn } from '../gate/kit.js';
import { contract, recorder, textOf, type ToolCall } from './kit.js';

/** Calls a tool, and then is done. */
class FakeModel implements Model {
  readonly seen: (string | AgentInputItem[])[] = [];
  readonly #call: ToolCall;

  constructor(call: ToolCall) {
    this.#call = call;
  }

  async getResponse({ input }: ModelRequest): Promise<ModelResponse> {
    this.seen.push(input);
    const { name, args } = this.#call;
    if (this.seen.length > 1) {
      return { usage: new Usage(), output: [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done' }] }] };
    }
    return { usage: new Usage(), output: [{ type: 'function_call', callId: 'c1', name, arguments: JSON.stringify(args), status: 'completed' }] };
  }

  getStreamedResponse(): never {
    throw new Error('not used here');
  }
}

contract({
  name: 'openaiToolGuardrail with @openai/agents',
  asks: "asks for a human's approval",
  hasCallId: true,
  run: async (gate, call) => {
    const { ran, execute } = recorder();
    const parameters = z.object({ path: z.string() });
    const tools = (['read', 'write'] as const).map((name) =>
      tool({ name, description: name, parameters, execute, inputGuardrails: [openaiToolGuardrail(gate)] }),
    );
    const model = new FakeModel(call);
    const result = await new Runner({ tracingDisabled: true }).run(new Agent({ name: 'builder', model, tools }), 'go');
    expect(result.finalOutput).toBe('done');
    return { ran, told: textOf(model.seen.at(-1)) };
  },
});

describe('openaiToolGuardrail', () => {
  it.each(['{', '[1', 'undefined', '{"path":"/srv/a"'])('records arguments that are no JSON as unmapped: %s (GAT-6)', async (text) => {
    const { gate, store } = await gateWith();
    const { behavior } = await openaiToolGuardrail(gate).run({ toolCall: { name: 'read', callId: 'c1', arguments: text } });
    expect(behavior.type).toBe('rejectContent');
    expect(decisionsIn(store)[0]?.decision).toEqual({ effect: 'deny', reason: 'unmapped' });
    expect(problemsIn(store)).toEqual([]);
  });

  it('judges the last of two equal keys, as the SDK runs it (GAT-15)', async () => {
    const { gate } = await gateWith();
    const { behavior } = await openaiToolGuardrail(gate).run({ toolCall: { name: 'read', arguments: '{"path":"/srv/a","path":"/srv/keys/a"}' } });
    expect(behavior).toMatchObject({ type: 'rejectContent', message: expect.stringContaining('no-keys') });
  });
});
