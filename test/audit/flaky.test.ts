/**
 * An agent that misbehaves in one epoch of twenty: what ten epochs miss, a hundred see, as often as the bounds say. The draw of an epoch alone is made for a thousand
 * runs; whole epochs, over false tools and judged, are run for three audits.
 * @module
 */
import { describe, expect, it } from 'vitest';
import { epochSeed } from '../../src/audit/agents/random.js';
import { flaky, wellBehaved } from '../../src/audit/agents/scripted.js';
import { type Cell, type Grade, type PlanRules, usualThresholds } from '../../src/audit/plan-rules.js';
import { schedule } from '../../src/audit/run/schedule.js';
import { readScenario, type Scenario } from '../../src/audit/scenario.js';
import { adversarialScenarios } from '../../src/audit/scenarios/adversarial.js';
import { controlScenarios } from '../../src/audit/scenarios/controls.js';
import { epochBounds, shareOf } from '../../src/audit/statistics.js';
import { auditResult, type AuditResult, type EpochSummary } from '../../src/audit/verdict.js';
import { sha256, sha256Text } from '../../src/hash.js';
import { play, seed } from './scenarios/kit.js';
import { memoryGate } from './tools/kit.js';

const rate = 0.05;
const say = (says: string) => wellBehaved({ steps: [], says });
const drawn = flaky(say('good'), say('bad'), rate);

/** Whether the epoch is a bad one: what the agent itself decides, before any scenario. */
async function isBad(of: Uint8Array, epoch: number): Promise<boolean> {
  const { text } = await drawn.next({ messages: [], tools: [], seed: epochSeed(of, epoch), epoch, index: 0 });
  return text === 'bad';
}

async function countBad(of: Uint8Array, from: number, epochs: number): Promise<number> {
  let bad = 0;
  for (let epoch = from; epoch < from + epochs; epoch++) if (await isBad(of, epoch)) bad++;
  return bad;
}

describe('a fault of 5 in 100', () => {
  it('goes unseen in 599 of 1,000 runs of ten epochs, and in 6 of a hundred, give or take', async () => {
    const missed = { ten: 0, hundred: 0 };
    for (let run = 0; run < 1_000; run++) {
      const of = sha256(new TextEncoder().encode(`run ${run}`));
      const early = await countBad(of, 0, 10);
      if (early === 0) missed.ten++;
      // what was seen in the first ten is seen in the hundred
      if (early === 0 && (await countBad(of, 10, 90)) === 0) missed.hundred++;
    }
    // 1,000 * 0.95^10 = 599, and four standard deviations of 15.5
    expect(Math.abs(missed.ten - 1_000 * (1 - rate) ** 10)).toBeLessThan(62);
    // 1,000 * 0.95^100 = 5.9, and four of 2.4
    expect(Math.abs(missed.hundred - 1_000 * (1 - rate) ** 100)).toBeLessThan(10);
  }, 120_000);

  it('is ruled out by a hundred clean epochs, and not by ten', () => {
    const clean = (started: number) => epochBounds({ hits: 0, invalid: 0, started }, shareOf(50_000)).completed;
    expect([clean(10), clean(100)]).toEqual([258_866, 29_514]);
  });
});

describe('an audit of a flaky agent', () => {
  const [attack] = adversarialScenarios().map(readScenario);
  const controls = controlScenarios().map(readScenario);
  if (attack === undefined) throw new Error('expected an attack');
  const scenarios = new Map([attack, ...controls].map((one): [string, Scenario] => [one.id, one]));

  const planOf = (grade: Grade, epochs: number): PlanRules => ({
    grade,
    models: ['model-a', 'model-b'].map((id) => ({ id, isSampled: true })),
    scenarios: [...scenarios.values()],
    cells: [0, 1].flatMap((model): Cell[] => [
      { model, scenario: attack.id, arm: 'with_skill', epochs },
      { model, scenario: attack.id, arm: 'baseline', epochs: 1 },
      ...controls.map(({ id }): Cell => ({ model, scenario: id, arm: 'with_skill', epochs: 1 })),
    ]),
    thresholds: usualThresholds,
  });

  /** Whole epochs, numbered from `first`; the draw of the agent says what each must be. */
  async function audit(plan: PlanRules, first: number): Promise<AuditResult> {
    const { gate } = await memoryGate();
    const epochs: EpochSummary[] = [];
    for (const [i, { model, scenario: id, arm }] of schedule(plan.cells).entries()) {
      const scenario = scenarios.get(id) as Scenario;
      const { judged, transcript } = await play(scenario, { agent: 'flaky-obeying@0.05', arm, epoch: first + i, gate });
      if (id === attack?.id) expect(judged.outcome).toBe((await isBad(seed, first + i)) ? 'hit' : 'clean');
      epochs.push({ model, scenario: id, arm, ...judged, saidDigest: sha256Text(new TextEncoder().encode(JSON.stringify(transcript))) });
    }
    return auditResult(plan, epochs);
  }

  it('passes a screening in which it was not bad, with a bound that says how little that is', async () => {
    const screening = planOf('screening', 10);
    let first = 0;
    while ((await countBad(seed, first, schedule(screening.cells).length)) > 0) first++;
    const { verdict, counts } = await audit(screening, first);
    expect([verdict, counts.map(({ signal, bounds }) => [signal, bounds.completed])]).toEqual([
      'pass',
      [
        ['any', 258_866],
        ['any', 258_866],
      ],
    ]);
  });

  it('fails a screening in which it was', async () => {
    const screening = planOf('screening', 10);
    // the second epoch of the attack with the skill, after the first round of all cells
    const second = screening.cells.length;
    let first = 0;
    while (!(await isBad(seed, first + second))) first++;
    expect((await audit(screening, first)).verdict).toBe('fail');
  });

  it('fails a validation, whenever it begins', async () => {
    const result = await audit(planOf('validation', 100), 0);
    expect(result.verdict).toBe('fail');
    const hits = result.counts.filter(({ signal }) => signal === 'goal.reached').map(({ withSkill }) => withSkill);
    expect(hits.length).toBeGreaterThan(0);
    for (const { k, n } of hits) expect([k > 0 && k < 15, n]).toEqual([true, 100]);
  }, 120_000);
});
