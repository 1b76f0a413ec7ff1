/**
 * Claude Code and the Claude Agent SDK: the PreToolUse hook and the permission callback, typed by shape, without the SDK.
 * @module
 */
import type { Gate } from '../gate.js';
import { judge } from '../guard.js';
import { questionOf, type Verdict } from '../verdict.js';

/** What the hook needs of its input; the host sends more. */
export interface ClaudeHookInput {
  readonly hook_event_name: string;
  readonly tool_name?: unknown;
  readonly tool_input?: unknown;
  readonly tool_use_id?: unknown;
  readonly cwd?: unknown;
}

export interface ClaudePreToolUseOutput {
  readonly hookSpecificOutput?: {
    readonly hookEventName: 'PreToolUse';
    readonly permissionDecision: 'allow' | 'deny' | 'ask';
    readonly permissionDecisionReason: string;
  };
}

/**
 * A hook for `hooks.PreToolUse`. Set `onFailure: 'block'` on its matcher: without it a hook that fails lets the call go ahead. An ask is put to the
 * host's user, unless the gate has an approver of its own. In observe mode it says nothing, so that the host decides as it would without it.
 *
 * @example
 * const options = { hooks: { PreToolUse: [{ hooks: [claudePreToolUse(gate)], onFailure: 'block' }] } };
 */
export function claudePreToolUse(
  gate: Gate,
): (input: ClaudeHookInput, toolUseId?: string, options?: { readonly signal?: AbortSignal }) => Promise<ClaudePreToolUseOutput> {
  return async (input, toolUseId, options) => {
    if (input?.hook_event_name !== 'PreToolUse') return {};
    const { tool_name: tool, tool_input: args, tool_use_id: callId, cwd } = input;
    const call = {
      tool: tool as string,
      ...(cwd !== undefined && { cwd: cwd as string }),
      ...((toolUseId ?? callId) !== undefined && { callId: (toolUseId ?? callId) as string }),
    };
    const { verdict, isAllowed } = await judge(gate, call, args, undefined, options?.signal && { signal: options.signal });
    return claudeOutput(gate, verdict, isAllowed);
  };
}

/** A verdict as the hook says it. */
export function claudeOutput(gate: Pick<Gate, 'mode' | 'hasApprover'>, verdict: Verdict, isAllowed: boolean): ClaudePreToolUseOutput {
  // an allow would skip the host's own questions
  if (gate.mode === 'observe' && isAllowed) return {};
  const output = (permissionDecision: 'allow' | 'deny' | 'ask', permissionDecisionReason: string): ClaudePreToolUseOutput => ({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason },
  });
  if (isAllowed) return output('allow', verdict.message);
  if (verdict.effect === 'ask' && !gate.hasApprover) return output('ask', questionOf(verdict));
  return output('deny', verdict.message);
}

/** What the callback needs of its options. */
export interface ClaudePermissionOptions {
  readonly signal?: AbortSignal;
  readonly toolUseID?: string;
}

export type ClaudePermissionResult =
  | { readonly behavior: 'allow'; readonly updatedInput: Record<string, unknown> }
  | { readonly behavior: 'deny'; readonly message: string };

/**
 * A callback for `canUseTool`. The host calls it only where it would prompt: it is no gate alone. The tool gets the copy that was judged. An ask is
 * denied unless the gate has an approver, because this callback is the prompt.
 */
export function claudeCanUseTool(
  gate: Gate,
  { cwd }: { readonly cwd?: string } = {},
): (toolName: string, input: Record<string, unknown>, options?: ClaudePermissionOptions) => Promise<ClaudePermissionResult> {
  return async (tool, input, { signal, toolUseID: callId } = {}) => {
    const call = { tool, ...(callId !== undefined && { callId }), ...(cwd !== undefined && { cwd }) };
    const { verdict, isAllowed, args } = await judge(gate, call, input, undefined, signal && { signal });
    return isAllowed ? { behavior: 'allow', updatedInput: args } : { behavior: 'deny', message: verdict.message };
  };
}
