/**
 * Does a rule match an action (spec/decision.md): the literal answer, part by part, in the order of the digest.
 * @module
 */
import { parseHostPattern, hostPatternCovers, type HostPattern } from '../policy/host.js';
import type { Action, Effect, MethodMatcher, PortMatcher, Rule } from '../policy/model.js';
import { parsePathGlob, pathGlobCovers, pathSegments, type PathGlob } from '../policy/path.js';
import { argvGlobCovers, parseArgvGlob, parseNameGlob, type ArgvGlob } from '../policy/text-glob.js';
import { wildcardCovers, type Wildcard } from '../policy/wildcard.js';

/** The first part of a rule that does not cover an action. */
export type Part = 'agents' | 'kind' | 'path' | 'methods' | 'host' | 'ports' | 'argv' | 'server' | 'name';

/** A rule whose patterns are read once. */
export interface CompiledRule {
  readonly name: string;
  readonly effect: Effect;
  /** undefined: any */
  readonly agents: ReadonlySet<string> | undefined;
  readonly pattern: CompiledPattern;
}

export type CompiledPattern =
  | { readonly kind: 'filesystem'; readonly path: PathGlob; readonly methods: MethodMatcher }
  | { readonly kind: 'network'; readonly host: HostPattern; readonly ports: PortMatcher; readonly methods: MethodMatcher }
  | { readonly kind: 'process'; readonly argv: ArgvGlob }
  | { readonly kind: 'tool'; readonly server: Wildcard; readonly name: Wildcard };

/** An action with its path split once for all rules. */
export type Subject =
  | { readonly kind: 'filesystem'; readonly segments: readonly string[]; readonly method: string }
  | { readonly kind: 'network'; readonly host: string; readonly port: number; readonly method: string | undefined }
  | { readonly kind: 'process'; readonly argv: readonly string[] }
  | { readonly kind: 'tool'; readonly server: string; readonly name: string };

export function compileRule(rule: Rule): CompiledRule {
  const agents = rule.agents === 'any' ? undefined : new Set(rule.agents.one_of);
  return { name: rule.name, effect: rule.effect, agents, pattern: compilePattern(rule) };
}

function compilePattern({ action }: Rule): CompiledPattern {
  if ('filesystem' in action) {
    return { kind: 'filesystem', path: parsePathGlob(action.filesystem.path), methods: action.filesystem.methods };
  }
  if ('network' in action) {
    const { host, ports, methods } = action.network;
    return { kind: 'network', host: parseHostPattern(host), ports, methods };
  }
  if ('process' in action) return { kind: 'process', argv: parseArgvGlob(action.process.argv) };
  return { kind: 'tool', server: parseNameGlob(action.tool.server), name: parseNameGlob(action.tool.name) };
}

/** `action` is canonical. */
export function subjectOf(action: Action): Subject {
  if ('filesystem' in action) return { kind: 'filesystem', segments: pathSegments(action.filesystem.path), method: action.filesystem.method };
  if ('network' in action) {
    const { host, port } = action.network;
    // own, since an inherited method would speak for an action that has none
    return { kind: 'network', host, port, method: Object.hasOwn(action.network, 'method') ? action.network.method : undefined };
  }
  if ('process' in action) return { kind: 'process', argv: action.process.argv };
  return { kind: 'tool', server: action.tool.server, name: action.tool.name };
}

/** The first part of the rule that does not cover, or undefined where the rule matches. */
export function firstUncovered(rule: CompiledRule, agent: string, subject: Subject): Part | undefined {
  if (rule.agents !== undefined && !rule.agents.has(agent)) return 'agents'; // DEC-8
  const { pattern } = rule;
  switch (pattern.kind) {
    case 'filesystem':
      if (subject.kind !== 'filesystem') return 'kind';
      if (!pathGlobCovers(pattern.path, subject.segments)) return 'path';
      return methodsCover(pattern.methods, subject.method, rule.effect) ? undefined : 'methods';
    case 'network':
      if (subject.kind !== 'network') return 'kind';
      if (!hostPatternCovers(pattern.host, subject.host)) return 'host';
      if (!portsCover(pattern.ports, subject.port)) return 'ports';
      return methodsCover(pattern.methods, subject.method, rule.effect) ? undefined : 'methods';
    case 'process':
      if (subject.kind !== 'process') return 'kind';
      return argvGlobCovers(pattern.argv, subject.argv) ? undefined : 'argv';
    case 'tool':
      if (subject.kind !== 'tool') return 'kind';
      if (!wildcardCovers(pattern.server, subject.server)) return 'server';
      return wildcardCovers(pattern.name, subject.name) ? undefined : 'name';
  }
}

/** DEC-9: what has no method is covered by `any`, and by every deny. */
function methodsCover(methods: MethodMatcher, method: string | undefined, effect: Effect): boolean {
  if (methods === 'any') return true;
  if (method === undefined) return effect === 'deny';
  return methods.includes(method);
}

/** DEC-10: a range whose `from` is above its `to` covers nothing. */
function portsCover(ports: PortMatcher, port: number): boolean {
  return ports === 'any' || (ports.from <= port && port <= ports.to);
}
