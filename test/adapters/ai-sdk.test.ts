import { describe, expect, it } from 'vitest';
import * as ai6 from 'ai';
import * as test6 from 'ai/test';
import * as ai5 from 'ai5';
import * as test5 from 'ai5/test';
import * as ai7 from 'ai7';
import * as test7 from 'ai7/test';
import { z } from 'zod';
import { aiToolApproval, guardTools } from '../../src/gate/adapters/ai-sdk.js';
import type { Gate } from '../../src/gate/gate.js';
import { decisionsIn, gateWith, problemsIn } from '../gate/kit.js';
import { contract, recorder, type Run, textOf, type ToolCall } from './kit.js';

const inputSchema = z.object({ path: z.string() });

/** A model that calls a tool, and then is done. */
function turns(call: ToolCall, isOld = false): () => Promise<never> {
  let turn = 0;
  const usage = isOld ? { inputTokens: 1, outputTokens: 1, totalTokens: 2 } : { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const finished = (unified: string): unknown => (isOld ? unified : { unified, raw: unified });
  return async () =>
    (turn++ === 0
      ? {
          content: [{ type: 'tool-call', toolCallId: 'c1', toolName: call.name, input: JSON.stringify(call.args) }],
          finishReason: finished('tool-calls'),
          usage,
          warnings: [],
        }
      : { content: [{ type: 'text', text: 'done' }], finishReason: finished('stop'), usage, warnings: [] }) as never;
}

const versions = [
  { name: 'ai 5', ai: ai5, model: (call: ToolCall) => new test5.MockLanguageModelV2({ doGenerate: turns(call, true) }) },
  { name: 'ai 6', ai: ai6, model: (call: ToolCall) => new test6.MockLanguageModelV3({ doGenerate: turns(call) }) },
  { name: 'ai 7', ai: ai7, model: (call: ToolCall) => new test7.MockLanguageModelV4({ doGenerate: turns(call) }) },
];

for (const { name, ai, model } of versions) {
  const { generateText, stepCountIs, tool } = ai as typeof ai6;
  contract({
    name: `guardTools with ${name}`,
    asks: "asks for a human's approval",
    hasCallId: true,
    run: async (gate, call) => {
      const { ran, execute } = recorder();
      const fake = model(call);
      const tools = guardTools(gate, { read: tool({ inputSchema, execute }), write: tool({ inputSchema, execute }) });
      const result = await generateText({ model: fake as never, prompt: 'go', tools, stopWhen: stepCountIs(3) });
      expect(result.text).toBe('done');
      return { ran, told: textOf(fake.doGenerateCalls.at(-1)?.prompt) };
    },
  });
}

async function withApproval(gate: Gate, call: ToolCall): Promise<Run> {
  const { ran, execute } = recorder();
  const fake = new test7.MockLanguageModelV4({ doGenerate: turns(call) });
  const tools = { read: ai7.tool({ inputSchema, execute }), write: ai7.tool({ inputSchema, execute }) };
  const result = await ai7.generateText({ model: fake, prompt: 'go', tools, toolApproval: aiToolApproval(gate), stopWhen: ai7.stepCountIs(3) });
  return { ran, told: textOf([fake.doGenerateCalls.at(-1)?.prompt, result.content]) };
}

contract({ name: 'aiToolApproval with ai 7', asks: "rule `write-srv` asks for a human's approval", hasCallId: true, run: withApproval });

describe('aiToolApproval with ai 7', () => {
  it("runs an asked tool after the yes of the host's user, judged again, with no release that it could not prove (GAT-10)", async () => {
    const { gate, store } = await gateWith();
    const { ran, execute } = recorder();
    const tools = { write: ai7.tool({ inputSchema, execute }) };
    const toolApproval = aiToolApproval(gate);
    const call: ToolCall = { name: 'write', args: { path: '/srv/a' } };
    const messages: ai7.ModelMessage[] = [{ role: 'user', content: 'go' }];
    const first = await ai7.generateText({ model: new test7.MockLanguageModelV4({ doGenerate: turns(call) }), messages, tools, toolApproval });
    const request = first.content.find((part) => part.type === 'tool-approval-request');
    messages.push(...first.response.messages);
    expect(ran).toEqual([]);
    messages.push({ role: 'tool', content: [{ type: 'tool-approval-response', approvalId: request?.approvalId ?? '', approved: true }] });
    const later = turns(call);
    await later(); // the turn that calls
    await ai7.generateText({ model: new test7.MockLanguageModelV4({ doGenerate: later }), messages, tools, toolApproval });
    expect(ran).toEqual([{ path: '/srv/a' }]);
    expect(decisionsIn(store).map(({ decision }) => decision.effect)).toEqual(['ask', 'ask']);
    expect(problemsIn(store)).toEqual([]);
  });
});

describe('guardTools', () => {
  it('refuses a tool without execute, because somebody else runs it', async () => {
    const { gate } = await gateWith();
    expect(() => guardTools(gate, { read: ai6.tool({ inputSchema, outputSchema: z.string() }) })).toThrow(TypeError);
  });

  it('leaves a tool that gives results as it goes one, and does not begin it where it is denied (GAT-15)', async () => {
    const { gate } = await gateWith();
    const began: unknown[] = [];
    const tools = guardTools(gate, {
      read: ai6.tool({
        inputSchema,
        async *execute({ path }) {
          began.push(path);
          yield 'half';
          yield `content of ${path}`;
        },
      }),
    });
    for (const [path, seen] of [
      ['/srv/a', 'content of /srv/a'],
      ['/srv/keys/a', 'no-keys'],
    ] as const) {
      const model = new test6.MockLanguageModelV3({ doGenerate: turns({ name: 'read', args: { path } }) });
      await ai6.generateText({ model, prompt: 'go', tools, stopWhen: ai6.stepCountIs(3) });
      expect(textOf(model.doGenerateCalls.at(-1)?.prompt)).toContain(seen);
    }
    expect(began).toEqual(['/srv/a']);
  });

  it('waits for a plain function that gives an async iterable, and hands over its last result', async () => {
    const { gate } = await gateWith();
    async function* results(path: string): AsyncGenerator<string> {
      yield 'half';
      yield `content of ${path}`;
    }
    const tools = guardTools(gate, { read: ai6.tool({ inputSchema, execute: ({ path }) => results(path) }) });
    const model = new test6.MockLanguageModelV3({ doGenerate: turns({ name: 'read', args: { path: '/srv/a' } }) });
    await ai6.generateText({ model, prompt: 'go', tools, stopWhen: ai6.stepCountIs(3) });
    expect(textOf(model.doGenerateCalls.at(-1)?.prompt)).toContain('content of /srv/a');
  });

  it('hands the tool the copy that was judged, whatever becomes of the input meanwhile (GAT-15)', async () => {
    const { gate } = await gateWith();
    const { ran, execute } = recorder();
    const { read } = guardTools(gate, { read: ai6.tool({ inputSchema, execute }) });
    const input = { path: '/srv/a' };
    const result = read.execute?.(input, { toolCallId: 'c1', messages: [] });
    input.path = '/srv/keys/a';
    await result;
    expect(ran).toEqual([{ path: '/srv/a' }]);
  });
});
