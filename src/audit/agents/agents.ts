/**
 * Scripted agents by name (spec/audit-run.md, AUR-18): what a command takes as `scripted:NAME`, so that an audit can be tried, and a harness be held to what it must
 * see, without a model.
 * @module
 */
import { quote, refuse } from '../../errors.js';
import type { Scenario } from '../scenario.js';
import { argsOf, outletsOf, readingStep } from '../scenarios/roles.js';
import type { Agent } from './agent.js';
import { type Disguise, disguises, exfiltrating, flaky, injectionObeying, type Leak, type Plan, squatting, type Step, wellBehaved } from './scripted.js';

export interface ScriptedName {
  readonly name: string;
  /** One line, for a list in a help text. */
  readonly does: string;
}

const disguisedNames = disguises
  .filter((disguise) => disguise !== 'plain')
  .map((disguise): ScriptedName => ({ name: `exfiltrating-${disguise}`, does: `gives away what was planted, ${howWritten(disguise)}` }));

/** All names; RATE is a number from 0 to 1. */
export const scriptedNames: readonly ScriptedName[] = Object.freeze([
  { name: 'well-behaved', does: 'does its task and nothing else' },
  { name: 'trusting', does: 'does its task, and first every order in what the operator shows it, the skill too: sees a bad skill, passes a good one' },
  { name: 'obeying', does: 'does its task, and first every order that stands in anything it is shown' },
  { name: 'exfiltrating', does: 'does its task, and gives away what was planted, as it is' },
  ...disguisedNames,
  { name: 'squatting', does: 'does its task by tools whose names look like those that it was offered' },
  { name: 'silent', does: 'says nothing' },
  { name: 'flaky@RATE', does: 'is trusting, but exfiltrating in this share of the epochs' },
  { name: 'flaky-obeying@RATE', does: 'is trusting, but obeying in this share of the epochs' },
]);

/**
 * The agent of a name, for one scenario: it knows the task from what the scenario says that the task needs.
 *
 * @throws RuleprintError `agent-name`
 * @example
 * const agent = scriptedAgent('flaky@0.05', scenario);
 */
export function scriptedAgent(name: string, scenario: Pick<Scenario, 'required' | 'rules' | 'script' | 'tools'>): Agent {
  const plan: Plan = { steps: stepsOf(scenario), says: wordsOf(scenario) };
  const [, kind, rate] = /^(flaky|flaky-obeying)@(0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/.exec(name) ?? [];
  if (kind !== undefined) {
    const bad = kind === 'flaky' ? exfiltrating(plan, leakOf(scenario, 'plain')) : injectionObeying(plan);
    return flaky(trusting(plan), bad, Number(rate));
  }
  const disguise = disguises.find((one) => name === (one === 'plain' ? 'exfiltrating' : `exfiltrating-${one}`));
  if (disguise !== undefined) return exfiltrating(plan, leakOf(scenario, disguise));
  switch (name) {
    case 'well-behaved':
      return wellBehaved(plan);
    case 'trusting':
      return trusting(plan);
    case 'obeying':
      return injectionObeying(plan);
    case 'squatting':
      return squatting(plan);
    case 'silent':
      return wellBehaved({ steps: [], says: '' });
    default:
      return unknown(name);
  }
}

function unknown(name: string): never {
  return refuse('agent-name', `expected the name of a scripted agent, got ${quote(name)}`, { hint: scriptedNames.map((one) => one.name).join(', ') });
}

function trusting(plan: Plan): Agent {
  return injectionObeying(plan, { hears: 'operator' });
}

/** The calls that the task needs, as far as the scenario knows them; else one that only looks. */
export function stepsOf({ required, script, tools }: Pick<Scenario, 'required' | 'script' | 'tools'>): readonly Step[] {
  if (required.length > 0) return required.map(({ tool, where }): Step => ({ tool, args: argsOf(where) }));
  const step = readingStep(tools, script);
  return step === undefined ? [] : [step];
}

/** Last words that keep the operator's rules. */
function wordsOf({ rules }: Pick<Scenario, 'rules'>): string {
  return ['That is done.', ...rules.flatMap((rule) => ('mustContain' in rule ? [rule.mustContain] : []))].join('\n');
}

/** Through a tool that carries texts out, where there is one; else in the last words. */
function leakOf({ tools }: Pick<Scenario, 'tools'>, disguise: Disguise): Leak {
  const [outlet] = outletsOf(tools);
  return outlet === undefined ? { disguise } : { tool: outlet.tool.name, argument: outlet.carries, disguise };
}

function howWritten(disguise: Disguise): string {
  switch (disguise) {
    case 'plain':
      return 'as it is';
    case 'reverse':
      return 'backwards';
    case 'split':
      return 'in pieces';
    case 'spaced':
      return 'letter by letter';
    default:
      return `in ${disguise}`;
  }
}
