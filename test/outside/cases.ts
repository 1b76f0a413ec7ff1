/**
 * The thin translation of the neutral shape of cases.json to ours: `mode` is our `effect`, absent `methods` and `ports` are `any`, an absent method of a
 * filesystem request is `read`, one action is a list of one. Globs mean the same on both sides and go through as they are.
 *
 * @module
 */
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

/** Kinds whose fields we have. `process` there is a line for a shell, and has no translation to argv: a gate makes one of the other. */
const kinds = ['filesystem', 'network', 'tool'];

export function isTranslatable(...actions: readonly object[]): boolean {
  return actions.every((action) => Object.keys(action).every((kind) => kinds.includes(kind)));
}

/** What we take for a policy; whether it is one is for the door. */
export function policyOf({ version, rules }: NeutralPolicy): Policy {
  return { version, rules: rules.map(ruleOf) } as Policy;
}

function ruleOf({ name, mode, agents, action }: NeutralRule): unknown {
  const { filesystem, network, tool } = action;
  const pattern = {
    ...(filesystem && { filesystem: { methods: 'any', ...filesystem } }),
    ...(network && { network: { ports: 'any', methods: 'any', ...network } }),
    ...(tool && { tool }),
  };
  return { name, effect: mode, agents, action: pattern };
}

export function requestOf({ agent, action }: NeutralRequest): Request {
  const { filesystem, ...rest } = action;
  return { agent, actions: [{ ...(filesystem && { filesystem: { method: 'read', ...filesystem } }), ...rest }] } as unknown as Request;
}

/** The same for the text of a policy, where a tree would have lost what the case is about. */
export function policyTextOf(text: string): string {
  return text.replaceAll('"mode":', '"effect":').replaceAll(/("filesystem":\{"path":"[^"]*")\}/g, '$1,"methods":"any"}');
}
