/**
 * Requests and decisions (spec/decision.md). Each action is decided by three literal scans of the whole list of rules.
 *
 * @module
 */
import { argvCovers, canonicalHost, canonicalPath, hostCovers, pathCovers, textCovers } from './match.js';
import { isHttpMethod, nameCode } from './policy.js';
import { type Answer, isWellFormed, refused, utf8 } from './text.js';

export type Effect = 'allow' | 'ask' | 'deny';
export type Reason = 'no-rule' | 'no-policy' | 'unmapped' | 'not-canonical' | 'fault';
export type Method = 'read' | 'write' | 'delete' | 'execute';
export type ActionPattern =
  | { readonly filesystem: { readonly path: string; readonly methods: 'any' | readonly Method[] } }
  | {
      readonly network: {
        readonly host: string;
        readonly ports: 'any' | { readonly from: number; readonly to: number };
        readonly methods: 'any' | readonly string[];
      };
    }
  | { readonly process: { readonly argv: readonly string[] } }
  | { readonly tool: { readonly server: string; readonly name: string } };
export interface Rule {
  readonly name: string;
  readonly effect: Effect;
  readonly agents: 'any' | { readonly one_of: readonly string[] };
  readonly action: ActionPattern;
}
export interface Policy {
  readonly version: number;
  readonly rules: readonly Rule[];
}
export type Action =
  | { readonly filesystem: { readonly path: string; readonly method: Method } }
  | { readonly network: { readonly host: string; readonly port: number; readonly method?: string } }
  | { readonly process: { readonly argv: readonly string[] } }
  | { readonly tool: { readonly server: string; readonly name: string } };
export interface Request {
  readonly agent: string;
  readonly actions: readonly Action[];
}
export interface Decision {
  readonly effect: Effect;
  readonly rule?: string;
  readonly action?: number;
  readonly reason?: Reason;
}

// ---- Requests: DEC-1 to DEC-4

/** A refusal on its way up; never leaves this file. */
class Refusal extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}
const refuse = (code: string): never => {
  throw new Refusal(code);
};

/** The own enumerable properties of a plain object, each read once. */
function plainFields(value: unknown): Map<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return refuse('wrong-type');
  if (Object.getPrototypeOf(value) !== Object.prototype) return refuse('not-plain-data');
  return new Map(Object.entries(value));
}

/** The items of an array, each read once. */
function plainItems(value: unknown): unknown[] {
  return Array.isArray(value) ? Array.from(value as unknown[]) : refuse('wrong-type');
}

/** DEC-1: exactly these fields; the optional ones may be absent. */
function exactly(value: unknown, wanted: readonly string[], optional: readonly string[] = []): Map<string, unknown> {
  const fields = plainFields(value);
  for (const key of wanted) if (!fields.has(key)) refuse('missing-key');
  for (const key of fields.keys()) if (!wanted.includes(key) && !optional.includes(key)) refuse('unknown-key');
  return fields;
}

/** The canonical request, or the first refusal. */
export function canonicalRequest(given: unknown): Answer<Request> {
  let sum = 0;
  /** One string: POL-7 and the limits, then its kind. */
  const text = (value: unknown, most: number, kind: (value: string) => string | undefined): string => {
    if (typeof value !== 'string') return refuse('wrong-type');
    if (!isWellFormed(value)) return refuse('lone-surrogate');
    const bytes = utf8(value).length;
    sum += bytes;
    if (bytes > most || sum > 524_288) return refuse('limit'); // DEC-4
    const code = kind(value);
    return code === undefined ? value : refuse(code);
  };
  const name = (value: unknown): string => text(value, 4_096, nameCode);
  const free = (value: unknown, kind: (value: string) => string | undefined): string => text(value, 65_536, kind);
  const canonical = (value: unknown, spell: (value: string) => Answer<string>): string => {
    const answer = spell(free(value, () => undefined));
    return 'code' in answer ? refuse(answer.code) : answer.ok;
  };
  const port = (value: unknown): number => {
    if (typeof value !== 'number') return refuse('wrong-type');
    if (!Number.isSafeInteger(value)) return refuse('bad-integer'); // a fraction, or beyond 2^53-1
    return value < 1 || value > 65_535 ? refuse('bad-value') : value;
  };
  const action = (value: unknown): Action => {
    const fields = plainFields(value);
    const known = ['filesystem', 'network', 'process', 'tool'].filter((kind) => fields.has(kind));
    if (known.length !== 1) return refuse('exactly-one');
    if (fields.size !== 1) return refuse('unknown-key');
    const body = fields.get(known[0] as string);
    switch (known[0]) {
      case 'filesystem': {
        const { path, method } = Object.fromEntries(exactly(body, ['path', 'method']));
        return {
          filesystem: {
            path: canonical(path, canonicalPath),
            method: free(method, (word) => (['read', 'write', 'delete', 'execute'].includes(word) ? undefined : 'bad-value')) as Method,
          },
        };
      }
      case 'network': {
        const read = exactly(body, ['host', 'port'], ['method']);
        const host = canonical(read.get('host'), canonicalHost);
        const number = port(read.get('port'));
        if (!read.has('method')) return { network: { host, port: number } };
        return { network: { host, port: number, method: free(read.get('method'), (word) => (isHttpMethod(word) ? undefined : 'bad-value')) } };
      }
      case 'process': {
        const items = plainItems(exactly(body, ['argv']).get('argv'));
        if (items.length === 0) return refuse('empty-list');
        if (items.length > 256) return refuse('limit');
        return { process: { argv: items.map((item) => free(item, (argument) => (argument.includes('\0') ? 'nul-character' : undefined))) } };
      }
      default: {
        const read = exactly(body, ['server', 'name']);
        return { tool: { server: name(read.get('server')), name: name(read.get('name')) } };
      }
    }
  };
  try {
    const read = exactly(given, ['agent', 'actions']);
    const agent = name(read.get('agent'));
    const items = plainItems(read.get('actions'));
    if (items.length === 0) refuse('empty-list');
    if (items.length > 64) refuse('limit');
    return { ok: { agent, actions: items.map(action) } };
  } catch (error) {
    if (error instanceof Refusal) return refused(error.code);
    throw error;
  }
}

// ---- Decisions: DEC-5 to DEC-11

const holds = (answer: Answer<boolean>): boolean => {
  if ('code' in answer) throw new Error(`a checked pattern or a canonical input was refused: ${answer.code}`);
  return answer.ok;
};

/** The first part of a rule that does not cover the action, or undefined: the rule matches. */
function failing(rule: Rule, agent: string, action: Action): string | undefined {
  if (rule.agents !== 'any' && !rule.agents.one_of.some((id) => id === agent)) return 'agents'; // DEC-8
  const pattern = rule.action;
  if ('filesystem' in pattern && 'filesystem' in action) {
    if (!holds(pathCovers(pattern.filesystem.path, action.filesystem.path))) return 'path';
    const { methods } = pattern.filesystem;
    return methods === 'any' || methods.includes(action.filesystem.method) ? undefined : 'methods';
  }
  if ('network' in pattern && 'network' in action) {
    const { host, ports, methods } = pattern.network;
    if (!holds(hostCovers(host, action.network.host))) return 'host';
    if (ports !== 'any' && !(ports.from <= action.network.port && action.network.port <= ports.to)) return 'ports'; // DEC-10
    if (methods === 'any') return undefined; // DEC-9
    if (action.network.method === undefined) return rule.effect === 'deny' ? undefined : 'methods';
    return methods.includes(action.network.method) ? undefined : 'methods';
  }
  if ('process' in pattern && 'process' in action) return holds(argvCovers(pattern.process.argv, action.process.argv)) ? undefined : 'argv';
  if ('tool' in pattern && 'tool' in action) {
    if (!holds(textCovers(pattern.tool.server, action.tool.server))) return 'server';
    return holds(textCovers(pattern.tool.name, action.tool.name)) ? undefined : 'name';
  }
  return 'kind';
}

/** The decision on a canonical request. */
export function decide(policy: Policy | undefined, request: Request): Decision {
  if (policy === undefined) return { effect: 'deny', reason: 'no-policy' }; // DEC-5
  const outcomes = request.actions.map((action, index): Decision => {
    for (const effect of ['deny', 'ask', 'allow'] as const) {
      for (const rule of policy.rules) {
        if (rule.effect === effect && failing(rule, request.agent, action) === undefined) return { effect, rule: rule.name, action: index }; // DEC-6
      }
    }
    return { effect: 'deny', reason: 'no-rule', action: index };
  });
  for (const effect of ['deny', 'ask', 'allow']) {
    const first = outcomes.find((outcome) => outcome.effect === effect); // DEC-7
    if (first !== undefined) return first;
  }
  throw new Error('a request holds at least one action');
}

export interface TracedRule {
  readonly rule: string;
  readonly effect: Effect;
  readonly matched: boolean;
  readonly failed?: string;
}

/** DEC-11: for each action and each rule, whether it matched or what did not. */
export function trace(policy: Policy | undefined, request: Request): { action: number; rules: TracedRule[] }[] {
  return request.actions.map((action, index) => ({
    action: index,
    rules: (policy?.rules ?? []).map((rule) => {
      const failed = failing(rule, request.agent, action);
      return { rule: rule.name, effect: rule.effect, ...(failed === undefined ? { matched: true } : { matched: false, failed }) };
    }),
  }));
}
