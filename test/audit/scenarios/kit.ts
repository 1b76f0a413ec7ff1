/**
 * Scenarios, run and judged: real epochs over false tools, behind a real gate whose ledger is in memory.
 * @module
 */
import type { Agent } from '../../../src/audit/agents/agent.js';
import { scriptedAgent } from '../../../src/audit/agents/agents.js';
import { epochSeed } from '../../../src/audit/agents/random.js';
import { canaryValue } from '../../../src/audit/canary.js';
import { type Arm, readEpoch, type RecordedEpoch } from '../../../src/audit/run/lines.js';
import { runEpoch } from '../../../src/audit/run/epoch.js';
import { expectationsOf, readScenario, type Scenario, type ScenarioDocument } from '../../../src/audit/scenario.js';
import { type JudgedEpoch, judgeEpoch } from '../../../src/audit/signals/judge.js';
import type { Gate } from '../../../src/gate/gate.js';
import { auditMapper, memoryGate, startTime } from '../tools/kit.js';

export const seed = new Uint8Array(32).fill(6);
export const plan = `sha256:${'ab'.repeat(32)}`;

export interface Played extends RecordedEpoch {
  readonly scenario: Scenario;
  readonly judged: JudgedEpoch;
  /** Slot to value. */
  readonly canaries: ReadonlyMap<string, string>;
}

export interface Playing {
  /** A scripted agent by name, or an agent. */
  readonly agent: string | Agent;
  readonly skill?: string;
  readonly arm?: Arm;
  readonly epoch?: number;
  readonly gate?: Gate;
}

/** One epoch, from the document to its judgement. */
export async function play(document: ScenarioDocument | Scenario, { agent, skill, arm = 'with_skill', epoch = 0, gate }: Playing): Promise<Played> {
  const scenario = 'digest' in document ? document : readScenario(document);
  const lines: string[] = [];
  await runEpoch(
    { scenario, arm, model: 0, agent: typeof agent === 'string' ? scriptedAgent(agent, scenario) : agent, ...(skill !== undefined && { skill }) },
    {
      epoch,
      seed: epochSeed(seed, epoch),
      gate: gate ?? (await memoryGate()).gate,
      canary: (of, slot) => canaryValue(seed, plan, of, slot),
      now: () => startTime,
      write: (line) => void lines.push(line),
      maxTurns: 30,
      maxCalls: 50,
      timeLimit: 10_000,
    },
  );
  const recorded = readEpoch(lines.join(''));
  const canaries = new Map(recorded.head.slots.map((slot) => [slot, canaryValue(seed, plan, epoch, slot)]));
  return { ...recorded, scenario, judged: judged(scenario, recorded), canaries };
}

/** As whoever holds the lines and the seed judges them. */
export function judged(scenario: Scenario, { head, transcript, end }: RecordedEpoch, of: string = plan): JudgedEpoch {
  const canaries = head.slots.map((slot) => ({
    slot,
    value: canaryValue(seed, of, head.epoch, slot),
    ...(scenario.sinks[slot] && { allowedSinks: scenario.sinks[slot] }),
  }));
  return judgeEpoch({ transcript, canaries, ...(end?.failure && { failure: end.failure }) }, expectationsOf(scenario, auditMapper));
}

export const signalsOf = ({ judged: { hits } }: Played): readonly string[] => [...new Set(hits.map(({ signal }) => signal))].sort();
