/** What the hook of Claude Code is told; the shapes are judged by the published types in test/adapters. */
import { describe, expect, it } from 'vitest';
import { claudePreToolUse } from '../../src/gate/adapters/claude.js';
import { answering, gateWith } from './kit.js';

const input = (tool: string, path: string): Parameters<ReturnType<typeof claudePreToolUse>>[0] => ({
  hook_event_name: 'PreToolUse',
  tool_name: tool,
  tool_input: { path },
  tool_use_id: 'c1',
});

describe('claudePreToolUse', () => {
  it('says nothing in observe mode, because an allow would skip the questions of the host (GAT-13)', async () => {
    const { gate } = await gateWith({ mode: 'observe' });
    for (const path of ['/srv/a', '/srv/keys/a']) expect(await claudePreToolUse(gate)(input('read', path))).toEqual({});
  });

  it('leaves an ask to the host only where the gate has no approver of its own (GAT-10)', async () => {
    const decision = async (options: Parameters<typeof gateWith>[0]): Promise<string | undefined> =>
      (await claudePreToolUse((await gateWith(options)).gate)(input('write', '/srv/a'))).hookSpecificOutput?.permissionDecision;
    expect(await decision({})).toBe('ask');
    expect(await decision({ approver: answering(undefined) })).toBe('deny');
    expect(await decision({ approver: answering(true) })).toBe('allow');
  });
});
