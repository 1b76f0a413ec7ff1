/**
 * LangChain: a middleware around every tool call of an agent, typed by shape; the class of its messages is passed in.
 * @module
 */
import type { Gate } from '../gate.js';
import { judge } from '../guard.js';
import type { AdapterOptions } from './ai-sdk.js';

/** What is needed of a request. */
export interface LangchainToolCall {
  readonly id?: string | undefined;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

/** The constructor of `ToolMessage`. */
export type ToolMessageClass<M> = new (fields: { content: string; tool_call_id: string; name: string; status: 'error' }) => M;

export interface LangchainMiddleware<M> {
  readonly name: string;
  wrapToolCall<Q extends { readonly toolCall: LangchainToolCall }, R>(request: Q, handler: (request: Q) => R | Promise<R>): Promise<R | M>;
}

/**
 * A middleware for `createAgent({ middleware: [...] })`. A call that may not run is answered with an error message that holds the reason; one that may
 * gets the copy of its arguments that was judged, so it stands behind middleware that changes them. An ask is denied unless the gate has an approver.
 *
 * @example
 * const agent = createAgent({ model, tools, middleware: [langchainMiddleware(gate, ToolMessage)] });
 */
export function langchainMiddleware<M>(gate: Gate, ToolMessage: ToolMessageClass<M>, { server }: AdapterOptions = {}): LangchainMiddleware<M> {
  if (typeof ToolMessage !== 'function') throw new TypeError('"ToolMessage" expected the class of that name');
  return {
    name: 'ruleprint',
    wrapToolCall: async (request, handler) => {
      const { id, name: tool, args: given } = request.toolCall;
      const call = { tool, ...(id !== undefined && { callId: id }), ...(server !== undefined && { server }) };
      const { verdict, isAllowed, args } = await judge(gate, call, given);
      if (isAllowed) return handler({ ...request, toolCall: { ...request.toolCall, name: tool, args } });
      return new ToolMessage({ content: verdict.message, tool_call_id: id ?? '', name: tool, status: 'error' });
    },
  };
}
