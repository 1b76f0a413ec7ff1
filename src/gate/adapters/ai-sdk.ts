/**
 * The AI SDK (`ai` 5 to 7): tools whose `execute` is guarded, and the approval function of version 7, typed by shape, without the SDK.
 * @module
 */
import type { Gate } from '../gate.js';
import { deniedError, judge } from '../guard.js';
import { questionOf } from '../verdict.js';

export interface AdapterOptions {
  /** The tool server; by default that of the mapper. */
  readonly server?: string;
}

/** What is needed of a tool; SDKs have more in theirs. */
type Executable = (input: never, options: never) => unknown;

/** What is read of the options that a tool is executed with. */
interface ExecutionOptions {
  readonly toolCallId?: unknown;
  readonly abortSignal?: AbortSignal;
}

/**
 * The same tools, each judged by the gate before it runs: one that may not run throws, which the model sees as the error of its call. A tool gets the
 * copy of its input that was judged. An ask is denied unless the gate has an approver.
 *
 * @throws TypeError for a tool without `execute`: who runs that one must guard it
 * @example
 * const result = await generateText({ model, prompt, tools: guardTools(gate, { read_file: tool({ … }) }) });
 */
export function guardTools<T extends Readonly<Record<string, object>>>(gate: Gate, tools: T, { server }: AdapterOptions = {}): T {
  const guarded = Object.entries(tools).map(([name, tool]) => {
    const { execute } = tool as { execute?: unknown };
    if (typeof execute !== 'function') throw new TypeError(`"tools" expected tools with execute, "${name}" has none: it is run elsewhere`);
    const run = isGenerator(execute) ? guardedGenerator : guardedFunction;
    const copy = Object.create(Object.getPrototypeOf(tool), Object.getOwnPropertyDescriptors(tool)) as object;
    return [
      name,
      Object.defineProperty(copy, 'execute', {
        value: run(gate, name, execute.bind(tool) as Executable, server),
        enumerable: true,
        configurable: true,
        writable: true,
      }),
    ];
  });
  return Object.fromEntries(guarded) as T;
}

function guardedFunction(gate: Gate, name: string, execute: Executable, server: string | undefined): Executable {
  return async (input: never, options: never) => lastOf(await execute((await admitted(gate, name, input, options, server)) as never, options));
}

/** A tool that gives results as it goes stays one. */
function guardedGenerator(gate: Gate, name: string, execute: Executable, server: string | undefined): Executable {
  return async function* (input: never, options: never) {
    yield* execute((await admitted(gate, name, input, options, server)) as never, options) as AsyncIterable<unknown>;
  };
}

/** The input that was judged, or a throw. */
async function admitted(gate: Gate, tool: string, input: unknown, options: ExecutionOptions | undefined, server: string | undefined): Promise<unknown> {
  const { toolCallId: callId, abortSignal: signal } = options ?? {};
  const call = { tool, ...(server !== undefined && { server }), ...(typeof callId === 'string' && { callId }) };
  const { verdict, isAllowed, args } = await judge(gate, call, input, undefined, signal && { signal });
  if (!isAllowed) throw deniedError(verdict);
  return args;
}

function isGenerator(execute: object): boolean {
  return Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]';
}

/** A plain function may give an async iterable too; the SDK would not look for it behind our promise. */
async function lastOf(result: unknown): Promise<unknown> {
  const iterate = (result as Partial<AsyncIterable<unknown>> | null | undefined)?.[Symbol.asyncIterator];
  if (typeof iterate !== 'function') return result;
  let last: unknown;
  for await (const each of result as AsyncIterable<unknown>) last = each;
  return last;
}

export type AiApprovalStatus = { readonly type: 'not-applicable' } | { readonly type: 'denied' | 'user-approval'; readonly reason: string };

/**
 * A function for `toolApproval` of version 7. An ask is put to the host's user, unless the gate has an approver of its own; then no release
 * follows, and none is claimed. An allow leaves other approvals as they are.
 *
 * @example
 * const result = await generateText({ model, prompt, tools, toolApproval: aiToolApproval(gate) });
 */
export function aiToolApproval(
  gate: Gate,
  { server }: AdapterOptions = {},
): (options: { readonly toolCall: { readonly toolName: string; readonly toolCallId: string; readonly input: unknown } }) => Promise<AiApprovalStatus> {
  return async ({ toolCall }) => {
    const { toolName: tool, toolCallId: callId, input } = toolCall;
    const { verdict, isAllowed } = await judge(gate, { tool, callId, ...(server !== undefined && { server }) }, input);
    if (isAllowed) return { type: 'not-applicable' };
    if (verdict.effect === 'ask' && !gate.hasApprover) return { type: 'user-approval', reason: questionOf(verdict) };
    return { type: 'denied', reason: verdict.message };
  };
}
