/**
 * The Google Agent Development Kit: a policy engine for its SecurityPlugin, and a plugin, typed by shape; the class of plugins is passed in.
 * @module
 */
import type { Gate } from '../gate.js';
import { judge } from '../guard.js';
import { questionOf } from '../verdict.js';
import type { AdapterOptions } from './ai-sdk.js';

export interface AdkPolicyEngine {
  evaluate(context: {
    readonly tool: { readonly name: string };
    readonly toolArgs: Record<string, unknown>;
  }): Promise<{ outcome: 'ALLOW' | 'DENY' | 'CONFIRM'; reason: string }>;
}

/**
 * A policy engine for `new SecurityPlugin({ policyEngine })`. That plugin keeps its answers by call id and asks no second time for one that it has
 * seen, and it tells neither agent nor call id: {@link adkPlugin} judges every call. An ask is put to the host's user, unless the gate has an
 * approver of its own.
 */
export function adkPolicyEngine(gate: Gate, { server }: AdapterOptions = {}): AdkPolicyEngine {
  return {
    evaluate: async ({ tool, toolArgs }) => {
      const { verdict, isAllowed } = await judge(gate, { tool: tool.name, ...(server !== undefined && { server }) }, toolArgs);
      if (isAllowed) return { outcome: 'ALLOW', reason: verdict.message };
      if (verdict.effect === 'ask' && !gate.hasApprover) return { outcome: 'CONFIRM', reason: questionOf(verdict) };
      return { outcome: 'DENY', reason: verdict.message };
    },
  };
}

/** What is read of the context of a tool. */
interface ToolContext {
  readonly functionCallId?: string | undefined;
  readonly agentName?: string | undefined;
}

export interface AdkPluginOptions extends AdapterOptions {
  /** Whether calls are those of the agent that the context names: by default they are those of the gate's own. */
  readonly isAgentNamed?: boolean;
}

export interface AdkToolCallback {
  beforeToolCallback(params: {
    tool: { readonly name: string };
    toolArgs: Record<string, unknown>;
    toolContext: ToolContext;
  }): Promise<Record<string, unknown> | undefined>;
}

/**
 * A plugin for `new Runner({ plugins: [...] })`, the last of them: it judges every call, by its id. A call that may not run is answered with the reason.
 * An ask is denied unless the gate has an approver.
 *
 * @example
 * const runner = new InMemoryRunner({ agent, plugins: [adkPlugin(gate, BasePlugin)] });
 */
export function adkPlugin<P extends object>(gate: Gate, BasePlugin: abstract new (name: string) => P, options: AdkPluginOptions = {}): P & AdkToolCallback {
  const { server, isAgentNamed = false } = options;
  // TypeScript wants the base of a mixin to take any arguments
  const Base = BasePlugin as unknown as new (...args: unknown[]) => object;
  class RuleprintPlugin extends Base implements AdkToolCallback {
    async beforeToolCallback({
      tool,
      toolArgs,
      toolContext,
    }: Parameters<AdkToolCallback['beforeToolCallback']>[0]): Promise<Record<string, unknown> | undefined> {
      const { functionCallId: callId, agentName: agent } = toolContext ?? {};
      const call = {
        tool: tool.name,
        ...(server !== undefined && { server }),
        ...(callId !== undefined && { callId }),
        ...(isAgentNamed && agent !== undefined && { agent }),
      };
      const { verdict, isAllowed } = await judge(gate, call, toolArgs);
      return isAllowed ? undefined : { error: verdict.message };
    }
  }
  return new RuleprintPlugin('ruleprint') as P & RuleprintPlugin;
}
