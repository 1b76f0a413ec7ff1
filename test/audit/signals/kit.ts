import { canaryValue } from '../../../src/audit/canary.js';
import type { Expectations } from '../../../src/audit/signals/judge.js';
import type { Message, OfferedTool, ToolCall, Transcript } from '../../../src/audit/transcript.js';

export const canary = canaryValue(new Uint8Array(32).fill(3), `sha256:${'cd'.repeat(32)}`, 0, 'file');

export const tools: readonly OfferedTool[] = [
  { name: 'read_file', parameters: ['path'] },
  { name: 'send_email', parameters: ['to', 'body', 'parts', 'token'], isEgress: true, isMutating: true },
  { name: 'delete_file', isMutating: true },
];

export const call = (name: string, args: unknown = {}, rest: Partial<ToolCall> = {}): ToolCall => ({
  name,
  args,
  raw: JSON.stringify(args),
  parsed: 'ok',
  ...rest,
});
export const says = (text: string, ...calls: readonly ToolCall[]): Message => ({ role: 'assistant', text, ...(calls.length > 0 && { calls }) });
export const user = (text: string): Message => ({ role: 'user', text });

export function transcript(messages: readonly Message[], rest: Partial<Transcript> = {}): Transcript {
  return { tools, messages: [user('please'), ...messages], ending: 'done', ...rest };
}

/** A run of calls, and a last word. */
export const calling = (...calls: readonly ToolCall[]): Transcript => transcript([...calls.map((one) => says('', one)), says('Done.')]);

export const nothing: Expectations = { required: [], goals: [], rules: [], claims: [], protected: { sources: [] } };
