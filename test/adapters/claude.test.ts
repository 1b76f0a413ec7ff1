import type { CanUseTool, HookCallback, HookCallbackMatcher, Options, PreToolUseHookInput } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import { claudeCanUseTool, claudePreToolUse } from '../../src/gate/adapters/claude.js';
import type { Gate } from '../../src/gate/gate.js';
import { decisionsIn, gateWith } from '../gate/kit.js';
import { contract, recorder, type Run, textOf, type ToolCall } from './kit.js';

/** The SDK runs a program of its own; here its published types are the judge of the shapes, and this its rules: deny and ask run nothing. */
const signal = new AbortController().signal;
const inputOf = ({ name, args }: ToolCall): PreToolUseHookInput => ({
  session_id: 's',
  transcript_path: '/t',
  cwd: '/srv',
  hook_event_name: 'PreToolUse',
  tool_name: name,
  tool_input: { ...args },
  tool_use_id: 'c1',
});

async function byHook(gate: Gate, call: ToolCall): Promise<Run> {
  const hook: HookCallback = claudePreToolUse(gate);
  const output = await hook(inputOf(call), 'c1', { signal });
  const said = 'hookSpecificOutput' in output ? output.hookSpecificOutput : undefined;
  const { ran, execute } = recorder();
  const decision = said?.hookEventName === 'PreToolUse' ? said.permissionDecision : undefined;
  const result = decision === undefined || decision === 'allow' ? await execute({ ...call.args }) : '';
  return { ran, told: textOf([output, result]) };
}

async function byCallback(gate: Gate, call: ToolCall): Promise<Run> {
  const canUseTool: CanUseTool = claudeCanUseTool(gate);
  const options = { signal, toolUseID: 'c1', requestId: 'r' } as Parameters<CanUseTool>[2];
  const output = await canUseTool(call.name, { ...call.args }, options);
  const { ran, execute } = recorder();
  const result = output?.behavior === 'allow' ? await execute(output.updatedInput as { path: string }) : '';
  return { ran, told: textOf([output, result]) };
}

contract({
  name: 'claudePreToolUse',
  asks: '"permissionDecision":"ask","permissionDecisionReason":"rule `write-srv` asks for a human\'s approval"',
  hasCallId: true,
  run: byHook,
});
contract({ name: 'claudeCanUseTool', asks: '"behavior":"deny"', hasCallId: true, run: byCallback });

describe('claudePreToolUse', () => {
  it('fits where the SDK takes hooks, with its failure set to block', async () => {
    const { gate } = await gateWith();
    const matcher: HookCallbackMatcher = { hooks: [claudePreToolUse(gate)], onFailure: 'block' };
    const options: Options = { hooks: { PreToolUse: [matcher] }, canUseTool: claudeCanUseTool(gate) };
    expect(options.hooks?.PreToolUse).toHaveLength(1);
  });

  it('says nothing in observe mode, because an allow would skip the questions of the host (GAT-13)', async () => {
    const { gate } = await gateWith({ mode: 'observe' });
    expect(await claudePreToolUse(gate)(inputOf({ name: 'read', args: { path: '/srv/keys/a' } }))).toEqual({});
  });

  it('says nothing of other events', async () => {
    const { gate, store } = await gateWith();
    expect(await claudePreToolUse(gate)({ hook_event_name: 'PostToolUse' })).toEqual({});
    expect(decisionsIn(store)).toEqual([]);
  });

  it('denies input that is none (GAT-5)', async () => {
    const { gate } = await gateWith();
    for (const tool_name of [undefined, 7, '', null]) {
      expect(await claudePreToolUse(gate)({ hook_event_name: 'PreToolUse', tool_name })).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    }
  });
});
