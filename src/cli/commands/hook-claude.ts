/**
 * `ruleprint hook claude`: the hook that Claude Code runs before each call of a tool (spec/gate.md, GAT-18).
 * @module
 */
import { resolve } from 'node:path';
import type { Command, Input } from '../command.js';
import { readBytes } from '../files.js';
import { gateOptions } from '../gating.js';
import { judgeHook, maxInputBytes } from '../hook/judge.js';
import type { HookSettings } from '../hook/settings.js';
import { exit, type Io } from '../io.js';
import { ownCommand } from '../own-command.js';
import { shellWord } from '../printable.js';

export const hookClaude: Command = {
  arguments: [],
  options: [...gateOptions, { syntax: '--print-settings', about: 'print the settings to paste, with these options, and judge nothing' }],
  details: `Reads the input of a PreToolUse hook from stdin and prints its answer: allow, deny, or ask, which Claude Code puts to its user (no approval is recorded
then). Rules know Claude Code's own tools as those of the server claude, and mcp__github__create_issue as create_issue of github.
Exit code 2 and a reason on stderr for every fault, which blocks the call. A hook that cannot even be started blocks only where the settings say
"onFailure": "block", as the printed ones do (Claude Code 2.1.295 or newer). With --observe it prints nothing, and no fault holds anything back.
A policy in JSON is read faster than one in YAML.`,
  json: '{ "hookSpecificOutput": { "hookEventName", "permissionDecision", "permissionDecisionReason" } }\nThe answer is this without the option too.',
  examples: [
    'ruleprint hook claude --policy policy.json --ledger audit --key engine.key.json --print-settings',
    'ruleprint hook claude --policy policy.json < input.json',
  ],
  run: async ({ io, out, input }) => {
    const settings = settingsOf(input);
    if (input.has('print-settings')) {
      out.line(JSON.stringify(claudeSettings(io, settings), undefined, 2));
      return exit.good;
    }
    out.raw(await judgeHook(io, settings, await readBytes(io, '-', maxInputBytes)));
    return exit.good;
  },
};

function settingsOf(input: Input): HookSettings {
  const values = { policy: 'policy', format: 'format', ledger: 'ledger', key: 'key', engineId: 'engine-id', trust: 'trust', agent: 'agent' } as const;
  const given = Object.entries(values).flatMap(([name, option]) => (input.has(option) ? [[name, input.value(option)]] : []));
  const mapping = input.values('mapping');
  return {
    ...(Object.fromEntries(given) as Partial<HookSettings>),
    ...(mapping !== undefined && { mapping }),
    observe: input.has('observe'),
    realpath: input.has('realpath'),
    resolve: input.has('resolve'),
  };
}

/** What goes into `.claude/settings.json`. Files are named in full, since a hook runs wherever the session does. */
function claudeSettings(io: Io, settings: HookSettings): unknown {
  const file = (name: string, value: string | undefined): readonly string[] => (value === undefined ? [] : [name, resolve(io.cwd, value)]);
  const text = (name: string, value: string | undefined): readonly string[] => (value === undefined ? [] : [name, value]);
  const flag = (name: string, isSet: boolean): readonly string[] => (isSet ? [name] : []);
  const words = [
    ...ownCommand(io),
    'hook',
    'claude',
    ...file('--policy', settings.policy),
    ...text('--format', settings.format),
    ...file('--ledger', settings.ledger),
    ...file('--key', settings.key),
    ...text('--engine-id', settings.engineId),
    ...file('--trust', settings.trust),
    ...text('--agent', settings.agent),
    ...flag('--observe', settings.observe),
    ...flag('--realpath', settings.realpath),
    ...flag('--resolve', settings.resolve),
    ...(settings.mapping === undefined ? [] : ['--mapping', ...settings.mapping.map((table) => resolve(io.cwd, table))]),
  ];
  const hook = { type: 'command', command: words.map(shellWord).join(' '), onFailure: 'block' };
  return { hooks: { PreToolUse: [{ matcher: '*', hooks: [hook] }] } };
}
