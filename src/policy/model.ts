/**
 * What a policy, a request and a decision are (spec/policy.md, spec/decision.md): plain readonly data, named as on the wire.
 * @module
 */

/** The three effects, the most restrictive first: the order in which rules are scanned. */
export const effects = ['deny', 'ask', 'allow'] as const;
export type Effect = (typeof effects)[number];

export const fileMethods = ['read', 'write', 'delete', 'execute'] as const;
export type FileMethod = (typeof fileMethods)[number];

export type AgentMatcher = 'any' | { readonly one_of: readonly string[] };
export type MethodMatcher = 'any' | readonly string[];
/** Kept as written: `from` above `to` matches nothing. */
export type PortMatcher = 'any' | { readonly from: number; readonly to: number };

export type ActionPattern =
  | { readonly filesystem: { readonly path: string; readonly methods: MethodMatcher } }
  | { readonly network: { readonly host: string; readonly ports: PortMatcher; readonly methods: MethodMatcher } }
  | { readonly process: { readonly argv: readonly string[] } }
  | { readonly tool: { readonly server: string; readonly name: string } };

export interface Rule {
  readonly name: string;
  readonly effect: Effect;
  readonly agents: AgentMatcher;
  readonly action: ActionPattern;
}

export interface Policy {
  /** 1 to 2^53-1: says which installation, and is not in the digest. */
  readonly version: number;
  readonly rules: readonly Rule[];
}

export type Action =
  | { readonly filesystem: { readonly path: string; readonly method: FileMethod } }
  | { readonly network: { readonly host: string; readonly port: number; readonly method?: string } }
  | { readonly process: { readonly argv: readonly string[] } }
  | { readonly tool: { readonly server: string; readonly name: string } };

/** One call of one agent, with all the actions that it would take. */
export interface Request {
  readonly agent: string;
  readonly actions: readonly Action[];
}

export const reasons = ['no-rule', 'no-policy', 'unmapped', 'not-canonical', 'fault'] as const;
export type Reason = (typeof reasons)[number];

/** Exactly one of `rule` and `reason`; `action` is the index of the action that decided, with a rule and with `no-rule`. */
export interface Decision {
  readonly effect: Effect;
  readonly rule?: string;
  readonly action?: number;
  readonly reason?: Reason;
}

/** The one match profile of this version (spec/match.md). */
export const matchProfile = 'ruleprint-match/1';
