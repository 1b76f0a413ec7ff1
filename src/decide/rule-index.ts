/**
 * Which rules of one effect could match an action, found without looking at all of them.
 *
 * Only a filter: every rule that it names is still asked in full (`firstUncovered`), and every rule that could match is named, so the
 * answer is that of the plain scan (DEC-6); a property test holds the two together. Patterns that begin with literal text are
 * found through that text, the others stand in the lists that every action walks.
 * @module
 */
import { firstUncovered, type CompiledRule, type Subject } from './covers.js';

/** Positions of rules in the policy, ascending. */
type Positions = number[];

interface PathNode {
  /** Rules whose leading literal segments end here. */
  readonly here: Positions;
  readonly below: Map<string, PathNode>;
}

export class RuleIndex {
  readonly #rules: readonly CompiledRule[];
  readonly #paths: PathNode = { here: [], below: new Map() };
  readonly #hosts = new Map<string, Positions>();
  /** By the suffix with its dot. */
  readonly #suffixes = new Map<string, Positions>();
  readonly #openHosts: Positions = [];
  readonly #programs = new Map<string, Positions>();
  readonly #openPrograms: Positions = [];
  readonly #servers = new Map<string, Positions>();
  readonly #openServers: Positions = [];

  constructor(rules: readonly CompiledRule[], effect: CompiledRule['effect']) {
    this.#rules = rules;
    rules.forEach((rule, position) => {
      if (rule.effect === effect) this.#listFor(rule).push(position);
    });
  }

  /** Position of the first rule that matches, or -1. */
  first(agent: string, subject: Subject): number {
    let best = Number.POSITIVE_INFINITY;
    const look = (positions: Positions | undefined): void => {
      if (positions === undefined) return;
      for (const position of positions) {
        if (position >= best) return;
        if (firstUncovered(this.#rules[position] as CompiledRule, agent, subject) === undefined) {
          best = position;
          return;
        }
      }
    };
    switch (subject.kind) {
      case 'filesystem': {
        let node: PathNode | undefined = this.#paths;
        look(node.here);
        for (const segment of subject.segments) {
          node = node.below.get(segment);
          if (node === undefined) break;
          look(node.here);
        }
        break;
      }
      case 'network': {
        const { host } = subject;
        look(this.#hosts.get(host));
        if (this.#suffixes.size > 0) {
          for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) look(this.#suffixes.get(host.slice(dot)));
        }
        look(this.#openHosts);
        break;
      }
      case 'process':
        look(this.#programs.get(subject.argv[0] as string));
        look(this.#openPrograms);
        break;
      case 'tool':
        look(this.#servers.get(subject.server));
        look(this.#openServers);
        break;
    }
    return best === Number.POSITIVE_INFINITY ? -1 : best;
  }

  #listFor({ pattern }: CompiledRule): Positions {
    switch (pattern.kind) {
      case 'filesystem': {
        let node = this.#paths;
        for (const part of pattern.path) {
          if (part?.literal === undefined) break;
          node = entry(node.below, part.literal, () => ({ here: [], below: new Map() }));
        }
        return node.here;
      }
      case 'network':
        if (pattern.host.kind === 'exact') return entry(this.#hosts, pattern.host.host, () => []);
        return pattern.host.kind === 'below' ? entry(this.#suffixes, pattern.host.suffix, () => []) : this.#openHosts;
      case 'process': {
        const program = pattern.argv.items[0]?.literal;
        return program === undefined ? this.#openPrograms : entry(this.#programs, program, () => []);
      }
      case 'tool':
        return pattern.server.literal === undefined ? this.#openServers : entry(this.#servers, pattern.server.literal, () => []);
    }
  }
}

function entry<V>(map: Map<string, V>, key: string, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
