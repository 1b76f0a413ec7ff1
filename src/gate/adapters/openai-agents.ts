/**
 * The OpenAI Agents SDK: a guardrail on the input of a function tool, typed by shape, without the SDK.
 * @module
 */
import type { Gate } from '../gate.js';
import { judge } from '../guard.js';
import type { AdapterOptions } from './ai-sdk.js';

/** What the guardrail needs of its data; `arguments` is JSON text. */
export interface OpenaiGuardrailData {
  readonly toolCall: { readonly name: string; readonly callId?: string; readonly arguments: string };
}

export interface OpenaiToolGuardrail {
  readonly type: 'tool_input';
  readonly name: string;
  run(data: OpenaiGuardrailData): Promise<{ readonly behavior: { readonly type: 'allow' } | { readonly type: 'rejectContent'; readonly message: string } }>;
}

/**
 * A guardrail for `tool({ inputGuardrails: [...] })`: it must stand on each tool. A call that may not run is rejected with the reason, which the model
 * sees as its result. An ask is denied unless the gate has an approver.
 */
export function openaiToolGuardrail(gate: Gate, { server }: AdapterOptions = {}): OpenaiToolGuardrail {
  return {
    type: 'tool_input',
    name: 'ruleprint',
    run: async ({ toolCall }) => {
      const { name: tool, callId, arguments: text } = toolCall;
      const call = { tool, ...(callId !== undefined && { callId }), ...(server !== undefined && { server }) };
      const { verdict, isAllowed } = await judge(gate, call, parsed(text));
      return { behavior: isAllowed ? { type: 'allow' } : { type: 'rejectContent', message: verdict.message } };
    },
  };
}

/** As the SDK reads it: of a key that stands twice the last one counts. What is no JSON has no digest, and is recorded as unmapped. */
function parsed(text: string): unknown {
  try {
    return text === '' ? {} : (JSON.parse(text) as unknown);
  } catch {
    return Number.NaN;
  }
}
