/**
 * Agents, methods and ports, divided into what the rules at hand tell apart: for each part, which of them cover it (spec/lint.md, "Dead rules").
 * @module
 */
import type { CompiledPattern, CompiledRule } from '../decide/covers.js';
import { fileMethods, type MethodMatcher, type PortMatcher } from '../policy/model.js';

/** Names that no rule of the policy knows. */
export interface Strangers {
  readonly agent: string;
  readonly method: string;
}

/** One way to ask: who, how and where to. */
export interface Manner {
  readonly agent: string;
  readonly method?: string;
  readonly port?: number;
  /** Which of the other rules cover this manner, by index. */
  readonly covered: readonly number[];
}

/** The agent and the method that stand for all that are not named. */
export function strangersOf(rules: readonly CompiledRule[]): Strangers {
  const agents = new Set<string>();
  const methods = new Set<string>();
  for (const { agents: some, pattern } of rules) {
    for (const id of some ?? []) agents.add(id);
    if (pattern.kind === 'network' && pattern.methods !== 'any') for (const method of pattern.methods) methods.add(method);
  }
  return { agent: fresh(agents, ['any-agent'], 'agent'), method: fresh(methods, ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'], 'METHOD') };
}

function fresh(known: ReadonlySet<string>, wished: readonly string[], stem: string): string {
  const free = wished.find((name) => !known.has(name));
  if (free !== undefined) return free;
  for (let n = 1; ; n++) if (!known.has(`${stem}-${n}`)) return `${stem}-${n}`;
}

/**
 * The manners in which the rule is asked, one for each set of other rules that cover it, the smallest sets first. `areas` narrow what the rule covers.
 *
 * @param afford says whether so many manners, each held against so many rules, may be looked at
 * @returns undefined where they may not
 */
export function mannersOf(
  rule: CompiledRule,
  areas: readonly CompiledPattern[],
  others: readonly CompiledRule[],
  strangers: Strangers,
  afford: (manners: number, rules: number) => boolean,
): readonly Manner[] | undefined {
  const patterns = [rule.pattern, ...areas];
  const agents = agentParts(rule, others, strangers);
  const methods = methodParts(patterns, others, strangers);
  const ports = portParts(patterns, others);
  if (!afford(agents.length * methods.length * ports.length, others.length)) return undefined;
  const manners = new Map<string, Manner>();
  for (const agent of agents) {
    for (const method of methods) {
      for (const port of ports) {
        const covered = [...agent.covered].filter((i) => method.covered.has(i) && port.covered.has(i));
        const key = covered.join();
        if (manners.has(key)) continue;
        manners.set(key, {
          agent: agent.value,
          ...(method.value !== undefined && { method: method.value }),
          ...(port.value !== undefined && { port: port.value }),
          covered,
        });
      }
    }
  }
  return [...manners.values()].sort((a, b) => a.covered.length - b.covered.length);
}

interface Part<T> {
  readonly value: T;
  readonly covered: ReadonlySet<number>;
}

/** DEC-8. What covers an agent that no rule names covers every agent, so for `any` that one is enough. */
function agentParts(rule: CompiledRule, others: readonly CompiledRule[], strangers: Strangers): readonly Part<string>[] {
  const always: number[] = [];
  const named = new Map<string, number[]>();
  others.forEach(({ agents }, i) => {
    if (agents === undefined) always.push(i);
    else if (rule.agents !== undefined) {
      // the shorter list is walked
      const [few, many] = agents.size < rule.agents.size ? [agents, rule.agents] : [rule.agents, agents];
      for (const id of few) {
        if (!many.has(id)) continue;
        const list = named.get(id);
        if (list === undefined) named.set(id, [i]);
        else list.push(i);
      }
    }
  });
  if (rule.agents === undefined) return [{ value: strangers.agent, covered: new Set(always) }];
  const parts = new Map<string, Part<string>>();
  for (const id of rule.agents) {
    const list = named.get(id) ?? [];
    const key = list.join();
    if (!parts.has(key)) parts.set(key, { value: id, covered: new Set([...always, ...list].sort((a, b) => a - b)) });
  }
  return [...parts.values()];
}

/**
 * DEC-9. What covers a method that no rule names covers every method and none too, so for `any` that one is enough; and where a deny lists methods, what
 * covers one of them covers an action without a method.
 */
function methodParts(patterns: readonly CompiledPattern[], others: readonly CompiledRule[], strangers: Strangers): readonly Part<string | undefined>[] {
  const matchers = patterns.flatMap((pattern): MethodMatcher[] => (pattern.kind === 'filesystem' || pattern.kind === 'network' ? [pattern.methods] : []));
  if (matchers.length === 0) return [{ value: undefined, covered: new Set(others.keys()) }];
  const lists = matchers.filter((matcher) => matcher !== 'any');
  const isFile = patterns[0]?.kind === 'filesystem';
  const words = lists[0] ?? (isFile ? fileMethods : [strangers.method]);
  const covering = (method: string): ReadonlySet<number> => {
    const covered = new Set<number>();
    others.forEach(({ pattern }, i) => {
      if (pattern.kind !== 'filesystem' && pattern.kind !== 'network') return;
      if (pattern.methods === 'any' || pattern.methods.includes(method)) covered.add(i);
    });
    return covered;
  };
  return words.filter((method) => lists.every((list) => list.includes(method))).map((value) => ({ value, covered: covering(value) }));
}

/** DEC-10. A range whose `from` is above its `to` covers nothing, and port 0 is in no request. */
function portParts(patterns: readonly CompiledPattern[], others: readonly CompiledRule[]): readonly Part<number | undefined>[] {
  if (patterns[0]?.kind !== 'network') return [{ value: undefined, covered: new Set(others.keys()) }];
  let [from, to] = [1, 65_535];
  for (const pattern of patterns) {
    if (pattern.kind !== 'network' || pattern.ports === 'any') continue;
    from = Math.max(from, pattern.ports.from);
    to = Math.min(to, pattern.ports.to);
  }
  if (from > to) return [];
  const ports = others.map(({ pattern }) => (pattern.kind === 'network' ? pattern.ports : 'any'));
  const starts = new Set([from]);
  for (const range of ports) {
    if (range === 'any' || range.from > range.to) continue;
    for (const start of [range.from, range.to + 1]) if (start > from && start <= to) starts.add(start);
  }
  const parts = new Map<string, Part<number>>();
  // well-known ports first, for people to read
  for (const start of [...starts].sort((a, b) => a - b)) {
    const covered = new Set<number>();
    ports.forEach((range, i) => {
      if (holds(range, start)) covered.add(i);
    });
    const key = [...covered].join();
    if (!parts.has(key)) parts.set(key, { value: start, covered });
  }
  return [...parts.values()];
}

function holds(range: PortMatcher, port: number): boolean {
  return range === 'any' || (range.from <= port && port <= range.to);
}
