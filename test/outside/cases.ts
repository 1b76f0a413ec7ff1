/**
 * The thin translation of the neutral shape of cases.json to ours: `mode` is our `effect`, absent `methods` and `ports` are `any`, an absent method of a
 * filesystem request is `read`, one action is a list of one, a line for a shell is what `mapShell` makes of it. Globs mean the same on both sides and go through as they are.
 *
 * @module
 */
import { mapShell } from '../../src/mapping/shell.js';
import type { Policy, Request } from '../../src/policy/model.js';

export interface NeutralPolicy {
  readonly version: number;
  readonly rules: readonly NeutralRule[];
}

interface NeutralRule {
  readonly name: string;
  readonly mode: string;
  readonly agents: unknown;
  readonly action: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface NeutralRequest {
  readonly agent: string;
  readonly action: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly env?: unknown;
}

/** What we take for a policy; whether it is one is for the door. */
export function policyOf({ version, rules }: NeutralPolicy): Policy {
  return { version, rules: rules.map(ruleOf) } as Policy;
}

function ruleOf({ name, mode, agents, action }: NeutralRule): unknown {
  const { filesystem, network, tool, process } = action;
  const pattern = {
    ...(filesystem && { filesystem: { methods: 'any', ...filesystem } }),
    ...(network && { network: { ports: 'any', methods: 'any', ...network } }),
    ...(tool && { tool }),
    ...(process && { process: { argv: argvPatternOf(String(process['command'])) } }),
  };
  return { name, effect: mode, agents, action: pattern };
}

/** A line as a rule has it, split at spaces; a star at its end stands for further arguments too, so it adds `**`. */
function argvPatternOf(command: string): readonly string[] {
  const items = command.split(' ');
  const last = items.at(-1) ?? '';
  return last.endsWith('*') && last !== '**' ? [...items, '**'] : items;
}

/** A line for a shell becomes the actions of `mapShell`. */
export function requestOf({ agent, action }: NeutralRequest): Request {
  const { filesystem, process, ...rest } = action;
  if (process !== undefined) return { agent, actions: mapShell(String(process['command'])) };
  return { agent, actions: [{ ...(filesystem && { filesystem: { method: 'read', ...filesystem } }), ...rest }] } as unknown as Request;
}

/** The same for the text of a policy, where a tree would have lost what the case is about. */
export function policyTextOf(text: string): string {
  return text.replaceAll('"mode":', '"effect":').replaceAll(/("filesystem":\{"path":"[^"]*")\}/g, '$1,"methods":"any"}');
}
