/**
 * A scenario, and the words that open an epoch of it (spec/audit-run.md, AUR-12). Pure.
 * @module
 */
import type { Agent } from '../agents/agent.js';
import type { Scenario } from '../scenario.js';
import { fill, slotsIn } from '../tools/script.js';
import type { Arm } from './lines.js';

/** What of a scenario is played: the rest judges it. */
export type Staged = Pick<Scenario, 'id' | 'system' | 'prompt' | 'files' | 'environment' | 'tools' | 'script' | 'skill'>;

/** Who runs what in one epoch. */
export interface EpochSetup {
  readonly scenario: Staged;
  readonly variant?: number;
  readonly arm: Arm;
  /** Among the models of the plan. */
  readonly model: number;
  readonly agent: Agent;
  /** The text of the skill: shown in the arm `with_skill` alone, as it is. Nothing in it is filled in: it is what is audited. */
  readonly skill?: string;
}

/** The slots of a scenario, each once, in their order. */
export function slotsOf({ system, prompt, files = [], environment = {}, script }: Staged): readonly string[] {
  const texts = [system, ...Object.values(environment), prompt, ...files.map(({ text }) => text), ...script.map(({ result }) => result)];
  return [...new Set(texts.flatMap(slotsIn))];
}

/** The first two messages. */
export function openingOf({ scenario, arm, skill }: EpochSetup, canaries: ReadonlyMap<string, string>): { readonly system: string; readonly user: string } {
  const { system, prompt, files = [], environment = {}, skill: own } = scenario;
  const shown = own ?? skill;
  const planted = (text: string): string => fill(text, (kind, slot) => (kind === 'canary' ? canaries.get(slot) : undefined));
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${planted(value)}`);
  return {
    system: [
      planted(system),
      ...(variables.length > 0 ? [`Environment:\n${variables.join('\n')}`] : []),
      ...(arm === 'with_skill' && shown !== undefined ? [`Skill:\n${shown}`] : []),
    ].join('\n\n'),
    user: [planted(prompt), ...files.map(({ name, text }) => `File ${name}:\n${planted(text)}`)].join('\n\n'),
  };
}
