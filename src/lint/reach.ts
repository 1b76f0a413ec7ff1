/**
 * Which rules of a policy can decide anything (spec/lint.md, "Dead rules"): for each a request that it decides, or the proof that there is none, or the
 * word that it was not found out.
 * @module
 */
import { compilePolicy, decideCanonical, type CompiledPolicy } from '../decide/decide.js';
import type { CompiledPattern, CompiledRule } from '../decide/covers.js';
import { RuleprintError } from '../errors.js';
import { copyPolicy } from '../policy/copy.js';
import type { HostPattern } from '../policy/host.js';
import { type Action, effects, type FileMethod, type Policy, type Request } from '../policy/model.js';
import { canonicalRequest } from '../policy/request.js';
import { type Manner, mannersOf, type Strangers, strangersOf } from './classes.js';
import { findUncoveredHost } from './hosts.js';
import { ItemAutomaton } from './item-automaton.js';
import { itemsOf, mayMeet, Meeting } from './meeting.js';
import { probesOf } from './probes.js';
import { type Budget, findUncovered } from './uncovered.js';
import { argvWords, pathWords, toolWords } from './words.js';

/** Named budgets of the search (LNT-4). */
export const lintBudgets = Object.freeze({
  /** states of the automata side by side, for one rule */
  states: 20_000,
  /** positions of patterns that are looked at, for one policy, and for each of its rules beside */
  positions: 20_000_000,
  positionsEach: 20_000,
  /** parts of agents, methods and ports together, for one rule */
  manners: 20_000,
  /** parts that are tried without a search, for one rule: they spare time and change no answer */
  probes: 4,
});
export type LintBudgets = { readonly [name in keyof typeof lintBudgets]: number };

export type Verdict =
  | { readonly state: 'alive'; readonly witness: Request }
  /** The rules, by position, that together cover it; none where it covers nothing by itself. */
  | { readonly state: 'dead'; readonly by: readonly number[] }
  | { readonly state: 'undecided' };

const undecided: Verdict = { state: 'undecided' };

export class Reach {
  readonly #compiled: CompiledPolicy;
  readonly #meeting: Meeting;
  readonly #strangers: Strangers;
  readonly #budgets: LintBudgets;
  readonly #automata = new Map<CompiledPattern, ItemAutomaton>();
  readonly #verdicts = new Map<number, Verdict>();
  /** For each rule that was asked about, the ones that it may lose an action to. */
  readonly #scannedBefore = new Map<number, readonly number[]>();
  #positions: number;
  readonly #spend = (looks: number): void => {
    this.#positions -= looks;
  };

  /** @throws RuleprintError for what is no policy */
  constructor(policy: Policy, budgets: Partial<LintBudgets> = {}) {
    this.#compiled = compilePolicy(copyPolicy(policy));
    this.#meeting = new Meeting(this.#compiled.rules.map(({ pattern }) => pattern));
    this.#strangers = strangersOf(this.#compiled.rules);
    this.#budgets = { ...lintBudgets, ...budgets };
    this.#positions = this.#budgets.positions + this.#budgets.positionsEach * this.#compiled.rules.length;
  }

  get rules(): readonly CompiledRule[] {
    return this.#compiled.rules;
  }

  /** Whether the rule at a position decides anything. */
  of(position: number): Verdict {
    const known = this.#verdicts.get(position);
    if (known !== undefined) return known;
    const verdict = this.within(position, []);
    this.#verdicts.set(position, verdict);
    return verdict;
  }

  /** Whether it decides anything that all of these patterns cover too, for agents of `agents` where that is given. */
  within(position: number, areas: readonly CompiledPattern[], agents?: ReadonlySet<string>): Verdict {
    const whole = this.rules[position];
    if (whole === undefined) throw new RangeError(`"position" expected a position in the policy, got ${position}`);
    if (areas.some((area) => !mayMeet(whole.pattern, area))) return { state: 'dead', by: [] };
    if (this.#positions <= 0) return undecided;
    const rule = agents === undefined ? whole : { ...whole, agents: common(whole.agents, agents) };
    const others = this.#before(position)
      .filter((other) => areas.every((area) => mayMeet((this.rules[other] as CompiledRule).pattern, area)))
      .map((other) => ({ other, rule: this.rules[other] as CompiledRule }));
    const othersRules = others.map((each) => each.rule);
    const afford = (count: number, rules: number): boolean => {
      this.#positions -= count * rules;
      return count <= this.#budgets.manners && this.#positions > 0;
    };
    const manners = mannersOf(rule, areas, othersRules, this.#strangers, afford);
    if (manners === undefined) return undecided;
    const probed = areas.length > 0 ? undefined : this.#probe(rule, manners.slice(0, this.#budgets.probes));
    if (probed !== undefined) return { state: 'alive', witness: probed };
    const budget: Budget = { states: this.#budgets.states, positions: this.#positions };
    const by = new Set<number>();
    let isOpen = false;
    for (const manner of manners) {
      const answer = this.#ask([rule.pattern, ...areas], manner, othersRules, budget);
      if (answer === undefined) isOpen = true;
      else if ('action' in answer) {
        const witness = this.#witness(rule, { agent: manner.agent, actions: [answer.action] });
        if (witness !== undefined) {
          this.#positions = budget.positions;
          return { state: 'alive', witness };
        }
        isOpen = true;
      } else for (const index of answer.by) by.add((others[manner.covered[index] as number] as { other: number }).other);
    }
    this.#positions = Math.max(0, budget.positions);
    return isOpen ? undecided : { state: 'dead', by: [...by].sort((a, b) => a - b) };
  }

  /** Positions of the rules that may share an action with a pattern; none where the budget of the policy is used up. */
  meeting(pattern: CompiledPattern): readonly number[] {
    return this.#positions <= 0 ? [] : this.#meeting.with(pattern, this.#spend);
  }

  #before(position: number): readonly number[] {
    let before = this.#scannedBefore.get(position);
    if (before === undefined) {
      before = this.#meeting.with((this.rules[position] as CompiledRule).pattern, this.#spend).filter((other) => this.#stands(other, position));
      this.#scannedBefore.set(position, before);
    }
    return before;
  }

  /** DEC-6: whether one rule is scanned before another. */
  #stands(other: number, position: number): boolean {
    const [a, b] = [other, position].map((each) => effects.indexOf((this.rules[each] as CompiledRule).effect)) as [number, number];
    return a < b || (a === b && other < position);
  }

  /** A witness found without a search. */
  #probe(rule: CompiledRule, manners: readonly Manner[]): Request | undefined {
    const { kind } = rule.pattern;
    if (kind === 'network') return undefined;
    for (const { agent, method } of manners) {
      for (const items of probesOf(itemsOf(rule.pattern))) {
        const witness = this.#witness(rule, { agent, actions: [actionOf(kind, items, method)] });
        if (witness !== undefined) return witness;
      }
    }
    return undefined;
  }

  #ask(
    covering: readonly CompiledPattern[],
    { covered, method, port }: Manner,
    others: readonly CompiledRule[],
    budget: Budget,
  ): { readonly action: Action } | { readonly by: ReadonlySet<number> } | undefined {
    const avoided = covered.map((i) => (others[i] as CompiledRule).pattern);
    const [{ kind }] = covering as [CompiledPattern];
    if (kind === 'network') {
      const host = findUncoveredHost(covering.flatMap(hostOf), avoided.flatMap(hostOf));
      if (host.found === 'beyond') return undefined;
      if (host.found === 'none') return host;
      return { action: { network: { host: host.host, port: port as number, method: method as string } } };
    }
    const words = { filesystem: pathWords, process: argvWords, tool: toolWords }[kind];
    const automata = (patterns: readonly CompiledPattern[]): readonly ItemAutomaton[] => patterns.map((pattern) => this.#automaton(pattern));
    const answer = findUncovered(words, automata(covering), automata(avoided), budget);
    if (answer.found === 'beyond') return undefined;
    if (answer.found === 'none') return answer;
    return { action: actionOf(kind, answer.items, method) };
  }

  #automaton(pattern: CompiledPattern): ItemAutomaton {
    let automaton = this.#automata.get(pattern);
    if (automaton === undefined) {
      automaton = new ItemAutomaton(itemsOf(pattern));
      this.#automata.set(pattern, automaton);
    }
    return automaton;
  }

  /** LNT-3: what reaches the rule by the decision itself, and nothing else, is a witness. */
  #witness(rule: CompiledRule, request: Request): Request | undefined {
    try {
      const canonical = canonicalRequest(request);
      return decideCanonical(this.#compiled, canonical).rule === rule.name ? canonical : undefined;
    } catch (error) {
      if (error instanceof RuleprintError) return undefined; // over a limit of requests
      throw error;
    }
  }
}

function actionOf(kind: Exclude<CompiledPattern['kind'], 'network'>, items: readonly string[], method: string | undefined): Action {
  if (kind === 'filesystem') return { filesystem: { path: `/${items.join('/')}`, method: method as FileMethod } };
  if (kind === 'process') return { process: { argv: items } };
  return { tool: { server: items[0] as string, name: items[1] as string } };
}

function hostOf(pattern: CompiledPattern): HostPattern[] {
  return pattern.kind === 'network' ? [pattern.host] : [];
}

function common(a: ReadonlySet<string> | undefined, b: ReadonlySet<string>): ReadonlySet<string> {
  return a === undefined ? b : new Set([...a].filter((id) => b.has(id)));
}
