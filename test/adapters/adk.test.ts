import {
  BaseLlm,
  BasePlugin,
  FunctionTool,
  InMemoryRunner,
  LlmAgent,
  type LlmRequest,
  type LlmResponse,
  SecurityPlugin,
  setLogLevel,
  LogLevel,
} from '@google/adk';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { adkPlugin, adkPolicyEngine } from '../../src/gate/adapters/adk.js';
import type { Gate } from '../../src/gate/gate.js';
import { decisionsIn, gateWith } from '../gate/kit.js';
import { contract, recorder, type Run, textOf, type ToolCall } from './kit.js';

setLogLevel(LogLevel.ERROR);

/** Makes its calls one after another, and then is done. */
class FakeModel extends BaseLlm {
  readonly seen: unknown[] = [];
  readonly #calls: readonly ToolCall[];

  constructor(calls: readonly ToolCall[]) {
    super({ model: 'fake' });
    this.#calls = calls;
  }

  override async *generateContentAsync({ contents }: LlmRequest): AsyncGenerator<LlmResponse, void> {
    const call = this.#calls[this.seen.length];
    this.seen.push(structuredClone(contents));
    yield {
      content: { role: 'model', parts: [call === undefined ? { text: 'done' } : { functionCall: { id: 'c1', name: call.name, args: { ...call.args } } }] },
    };
  }

  override connect(): never {
    throw new Error('not used here');
  }
}

async function runWith(plugin: BasePlugin, ...calls: readonly ToolCall[]): Promise<Run> {
  const { ran, execute } = recorder();
  const parameters = z.object({ path: z.string() });
  const tools = (['read', 'write'] as const).map((name) => new FunctionTool({ name, description: name, parameters, execute }));
  const model = new FakeModel(calls);
  const runner = new InMemoryRunner({ appName: 'app', agent: new LlmAgent({ name: 'root', model, tools }), plugins: [plugin] });
  const { id: sessionId } = await runner.sessionService.createSession({ appName: 'app', userId: 'u' });
  const events: unknown[] = [];
  for await (const event of runner.runAsync({ userId: 'u', sessionId, newMessage: { role: 'user', parts: [{ text: 'go' }] } })) events.push(event.content);
  return { ran, told: textOf([model.seen.at(-1), events]) };
}

contract({
  name: 'adkPolicyEngine with @google/adk',
  asks: "rule `write-srv` asks for a human's approval",
  hasCallId: false,
  run: (gate, call) => runWith(new SecurityPlugin({ policyEngine: adkPolicyEngine(gate) }), call),
});

const plugin = (gate: Gate): BasePlugin => adkPlugin(gate, BasePlugin);
contract({ name: 'adkPlugin with @google/adk', asks: "asks for a human's approval", hasCallId: true, run: (gate, call) => runWith(plugin(gate), call) });

describe('a call id that the model uses again', () => {
  const calls: readonly ToolCall[] = [
    { name: 'read', args: { path: '/srv/a' } },
    { name: 'read', args: { path: '/srv/keys/a' } },
  ];

  it('is judged again by the plugin: an id is no leave (GAT-15)', async () => {
    const { gate, store } = await gateWith();
    expect((await runWith(plugin(gate), ...calls)).ran).toEqual([{ path: '/srv/a' }]);
    expect(decisionsIn(store)).toHaveLength(2);
  });

  it('is not put to a policy engine again by the SecurityPlugin: why the plugin is the better one', async () => {
    const { gate, store } = await gateWith();
    const { ran } = await runWith(new SecurityPlugin({ policyEngine: adkPolicyEngine(gate) }), ...calls);
    expect(decisionsIn(store)).toHaveLength(1);
    expect(ran).toHaveLength(2);
  });
});

describe('adkPlugin', () => {
  it('judges calls as those of the agent that made them where that is asked for', async () => {
    const { gate, store } = await gateWith();
    await runWith(adkPlugin(gate, BasePlugin, { isAgentNamed: true }), { name: 'read', args: { path: '/srv/a' } });
    expect(decisionsIn(store)[0]?.agent).toBe('root');
  });
});
