/**
 * Rules that decide nothing, and why (spec/lint.md, "Dead rules").
 * @module
 */
import { compareUtf8 } from '../../bytes.js';
import type { Policy, Rule } from '../../policy/model.js';
import { lintRule, listed, patternOf, type Seen, type Subject } from '../rule.js';

/** Several rules ask for the same. */
const known = new WeakMap<Policy, ReadonlyMap<number, number>>();

/** For each rule that says the same as an earlier one, the position of that one. */
function duplicatesIn(policy: Policy): ReadonlyMap<number, number> {
  const found = known.get(policy) ?? findDuplicates(policy);
  known.set(policy, found);
  return found;
}

function findDuplicates(policy: Policy): ReadonlyMap<number, number> {
  const first = new Map<string, number>();
  const duplicates = new Map<number, number>();
  policy.rules.forEach((rule, position) => {
    const key = JSON.stringify([rule.effect, sorted(rule.agents), sorted(rule.action)]);
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, position);
    else duplicates.set(position, earlier);
  });
  return duplicates;
}

/** Sets in one order, and members by name; argv keeps its order. */
function sorted(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return name === 'argv' ? value : [...(value as string[])].sort(compareUtf8);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => compareUtf8(a, b))
      .map(([key, member]) => [key, sorted(member, key)]),
  );
}

function isReversed({ action }: Rule): boolean {
  return 'network' in action && action.network.ports !== 'any' && action.network.ports.from > action.network.ports.to;
}

interface Dead {
  readonly position: number;
  readonly rule: Rule;
  readonly by: readonly number[];
}

/** Dead rules that have no simpler name. */
function* deadIn({ policy, reach }: Subject): Generator<Dead> {
  const duplicates = duplicatesIn(policy);
  for (const [position, rule] of policy.rules.entries()) {
    if (duplicates.has(position) || isReversed(rule)) continue;
    const verdict = reach.of(position);
    if (verdict.state === 'dead') yield { position, rule, by: verdict.by };
  }
}

const isUnderAsk = ({ policy }: Subject, { rule, by }: Dead): boolean => rule.effect === 'allow' && by.some((other) => policy.rules[other]?.effect === 'ask');

const covered = (subject: Subject, { position, by }: Dead): Pick<Seen, 'position' | 'others'> & { names: string } => ({
  position,
  others: by,
  names: `${by.length === 1 ? 'the rule' : `${by.length} rules together:`} ${listed(by.map(subject.nameOf))}`,
});

export const deadRule = lintRule({
  id: 'policy.dead-rule',
  title: 'A rule that no request reaches',
  help: 'Every request that the rule covers is decided by rules of stronger effect (deny, ask, allow) or by earlier ones of the same effect. The rule can go, or it stands in the wrong place, or a rule in front of it is wider than was meant. The answer is exact: it counts all agents, methods, ports and patterns together.',
  remediation: 'remove the rule, or narrow the rules that cover it',
  severity: 'medium',
  confidence: 'high',
  isSecurity: false,
  *look(subject) {
    for (const dead of deadIn(subject)) {
      if (dead.by.length === 0 || isUnderAsk(subject, dead)) continue;
      const { names, ...seen } = covered(subject, dead);
      const message = `no request reaches the ${dead.rule.effect} rule ${subject.nameOf(dead.position)}: it is covered by ${names}`;
      // a deny that is denied already opens nothing
      yield { ...seen, message, ...(dead.rule.effect === 'deny' && { severity: 'low' }) };
    }
  },
});

export const allowUnderAsk = lintRule({
  id: 'policy.allow-under-ask',
  title: 'An allow rule that ask rules cover',
  help: 'Ask rules are scanned before allow rules wherever they stand, so an allow rule that is covered by an ask rule never allows anything: a human is asked each time. Whoever wrote the allow rule as an exception to the ask rule gets no exception.',
  remediation: 'narrow the ask rule so that it leaves the exception out, or remove the allow rule',
  severity: 'medium',
  confidence: 'high',
  isSecurity: false,
  *look(subject) {
    for (const dead of deadIn(subject)) {
      if (!isUnderAsk(subject, dead)) continue;
      const { names, ...seen } = covered(subject, dead);
      yield { ...seen, message: `the allow rule ${subject.nameOf(dead.position)} allows nothing: ask rules come first, and it is covered by ${names}` };
    }
  },
});

export const duplicateRule = lintRule({
  id: 'policy.duplicate-rule',
  title: 'A rule that says what an earlier one says',
  help: 'Two rules have the same effect, agents and action; only their names differ. The second decides nothing. Lists of agents and methods are sets, so their order makes no difference.',
  remediation: 'remove one of the two',
  severity: 'low',
  confidence: 'high',
  isSecurity: false,
  *look(subject) {
    for (const [position, earlier] of duplicatesIn(subject.policy)) {
      yield { position, others: [earlier], message: `the rule ${subject.nameOf(position)} says the same as ${subject.nameOf(earlier)}` };
    }
  },
});

export const reversedPorts = lintRule({
  id: 'policy.reversed-ports',
  title: 'A port range with its ends the wrong way round',
  help: 'A range whose "from" is above its "to" is legal and covers no port, so the rule decides nothing. A deny rule with such a range protects nothing.',
  remediation: 'put the lower port into "from"',
  severity: 'high',
  confidence: 'high',
  *look(subject) {
    for (const [position, rule] of subject.policy.rules.entries()) {
      if (!isReversed(rule) || !('network' in rule.action) || rule.action.network.ports === 'any') continue;
      const { from, to } = rule.action.network.ports;
      yield { position, message: `the ports of the rule ${subject.nameOf(position)} run from ${from} to ${to}, which is no port at all` };
    }
  },
});

export const matchesNothing = lintRule({
  id: 'policy.matches-nothing',
  title: 'A pattern that covers nothing',
  help: 'No request has what the pattern of the rule asks for: port 0 alone, or names longer than names can be. The rule decides nothing whatever the other rules say.',
  remediation: 'write the pattern that was meant',
  severity: 'high',
  confidence: 'high',
  *look(subject) {
    for (const { position, rule, by } of deadIn(subject)) {
      if (by.length > 0) continue;
      yield { position, message: `nothing can match the pattern ${subject.show(patternOf(rule))} of the rule ${subject.nameOf(position)}` };
    }
  },
});

export const undecidedRule = lintRule({
  id: 'policy.undecided-rule',
  title: 'A rule of which it was not found out whether it is dead',
  help: 'The search for a request that reaches the rule used up its budget. The rule is called neither dead nor alive. Patterns with many stars, and many rules with such patterns, make the search long.',
  remediation: 'write the patterns around this rule with fewer stars',
  severity: 'info',
  confidence: 'high',
  isSecurity: false,
  *look(subject) {
    for (const position of subject.policy.rules.keys()) {
      if (subject.reach.of(position).state !== 'undecided') continue;
      yield { position, message: `it was not found out whether any request reaches the rule ${subject.nameOf(position)}` };
    }
  },
});

/** Pattern texts of a rule, and agent ids. */
function* textsOf({ agents, action }: Rule): Generator<string> {
  if (agents !== 'any') yield* agents.one_of;
  if ('filesystem' in action) yield action.filesystem.path;
  else if ('process' in action) yield* action.process.argv;
  else if ('tool' in action) yield* [action.tool.server, action.tool.name];
}

export const edgeSpace = lintRule({
  id: 'policy.edge-space',
  title: 'A pattern or an agent id with white space at its edge',
  help: 'Patterns and ids are compared byte for byte. One that ends in a line feed, as a YAML block scalar does (path: |), covers only what ends in a line feed too, and so hardly ever anything: a deny rule written so protects nothing.',
  remediation: 'write the text on one line, in double quotes, without space at its edges',
  severity: 'high',
  confidence: 'medium',
  *look(subject) {
    for (const [position, rule] of subject.policy.rules.entries()) {
      const text = [...textsOf(rule)].find((each) => each.trim() !== each && each.trim() !== '');
      if (text === undefined) continue;
      const edge = /[\r\n]$/.test(text) ? 'ends in a line feed' : 'begins or ends with white space';
      yield { position, message: `${subject.show(text)} in the rule ${subject.nameOf(position)} ${edge}` };
    }
  },
});
