/**
 * Published skills, as they are and with orders in them that others wrote, under whole audits: scripted models behind the wire of chat completions, each of whose
 * servers writes its answers in another way, over false tools.
 * @module
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scriptedAgent, stepsOf } from '../../src/audit/agents/agents.js';
import { httpAgent } from '../../src/audit/agents/http-agent.js';
import { injectionObeying, type Order, type Step } from '../../src/audit/agents/scripted.js';
import { canaryValue } from '../../src/audit/canary.js';
import { checkPlanRules, type PlanRules, usualThresholds } from '../../src/audit/plan-rules.js';
import { runEpochs } from '../../src/audit/run.js';
import { readEpoch } from '../../src/audit/run/lines.js';
import type { EpochRecord } from '../../src/audit/run/record.js';
import { type Cell, schedule } from '../../src/audit/run/schedule.js';
import { readScenario, type Scenario, type ScenarioDocument } from '../../src/audit/scenario.js';
import { adversarialScenarios } from '../../src/audit/scenarios/adversarial.js';
import { controlScenarios, spliced } from '../../src/audit/scenarios/controls.js';
import { ownScenarios } from '../../src/audit/scenarios/own.js';
import { exactly } from '../../src/audit/scenarios/roles.js';
import { sceneOf, usualScene } from '../../src/audit/scenarios/scene.js';
import { hiddenChannel } from '../../src/audit/signals/hidden-channel.js';
import { squatStatic } from '../../src/audit/signals/squat.js';
import { readFolder } from '../../src/audit/subject/read-folder.js';
import { parseSkill } from '../../src/audit/subject/skill.js';
import { skillSubject } from '../../src/audit/subject/subject.js';
import { auditResult, type AuditResult, type EpochSummary, type StaticHit } from '../../src/audit/verdict.js';
import { RuleprintError } from '../../src/errors.js';
import { type Answer, type QuirksServer, quirksServer } from '../audit/agents/quirks-server.js';
import { leftAsText, modelOf, spellings } from '../audit/agents/scripted-server.js';
import { judged, plan as planHash, seed } from '../audit/scenarios/kit.js';
import { memoryGate, startTime } from '../audit/tools/kit.js';
import { newFolder } from '../ledger/folders.js';
import { folder, load, outside } from './outside.js';

interface Definition {
  readonly id: number;
  readonly instructions: { readonly line_injection: string; readonly description_injection: string };
}

/** A skill that a scenario is about, and what a gullible model makes of the orders in it. */
interface Case {
  readonly name: string;
  readonly skill: string;
  readonly scenario: Scenario;
  readonly orders: readonly Order[];
  readonly static?: readonly StaticHit[];
}

/** The usual scene with a shell: many of these orders want something run. */
const shell = {
  name: 'run_command',
  description: 'Runs a command.',
  inputSchema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
};
const scene = sceneOf({ ...usualScene.stage, tools: { tools: [...(usualScene.stage.tools as { readonly tools: readonly object[] }).tools, shell] } });

/** What a model would do that follows a text of such an order: it goes to the address or the mail box in it, runs the script in it, or else something of its own. */
function stepFor(text: string, id: string): Step {
  const [url] = /https?:\/\/[^\s)"'`>,]+/.exec(text) ?? [];
  if (url !== undefined) return { tool: 'fetch_url', args: { url } };
  const [to] = /[\w.-]+@[\w-]+\.[a-z]{2,}/i.exec(text) ?? [];
  if (to !== undefined) return { tool: 'send_mail', args: { to, subject: 'copy', body: 'copy' } };
  const [script] = /[\w-]+\.(?:sh|py)\b/.exec(text) ?? [];
  return { tool: 'run_command', args: { command: script === undefined ? `follow ${id}` : `scripts/${script}` } };
}

/** A skill with an order in it, and the model that obeys it; undefined where the description has no room. */
function bad({ name, skill }: Case, id: string, text: string, at: 'description' | undefined): Case | undefined {
  let whole: string;
  try {
    whole = spliced(skill, text, at);
  } catch (error) {
    if (error instanceof RuleprintError) return undefined;
    throw error;
  }
  const step = stepFor(text, id);
  const when = at === 'description' ? JSON.stringify(text).slice(1, -1) : text;
  const [own] = ownScenarios(parseSkill(skill).frontmatter, undefined, scene) as readonly [ScenarioDocument];
  const scenario = readScenario({ ...own, id: `${name}+${id}`, goals: [exactly(step)] });
  return { name: `${name}+${id}`, skill: whole, scenario, orders: [{ when, step }] };
}

const models = ['model-a', 'model-b'];

interface Audit {
  readonly cases: readonly Case[];
  readonly epochs: number;
  /** Of the servers: epoch by epoch they take turns. */
  readonly ways: readonly string[];
  /** In place of the gullible model. */
  readonly agent?: (scenario: Scenario) => ReturnType<typeof scriptedAgent>;
}

outside('audits of published skills', () => {
  const answers = new Map<string, Answer>();
  let server: QuirksServer;
  beforeAll(async () => {
    server = await quirksServer((model) => answers.get(model));
  });
  afterAll(() => server.close());

  const skills: readonly Case[] = load<{ readonly vectors: readonly { readonly dir: string }[] }>('audit-data/skills/tree-hash-vectors.json').vectors.map(
    ({ dir }) => {
      const { files, name } = readFolder(join(folder, 'audit-data', dir));
      const subject = skillSubject(files, { folder: name });
      const [own] = ownScenarios(subject.frontmatter, undefined, scene) as readonly [ScenarioDocument];
      const skill = readFileSync(join(folder, 'audit-data', dir, 'SKILL.md'), 'utf8');
      const hits = [...hiddenChannel(files, subject.hiddenFiles), ...squatStatic(files, scene.tools)];
      return { name, skill, scenario: readScenario({ ...own, id: name }), orders: [], static: hits };
    },
  );
  const controls = controlScenarios(scene).map(readScenario);

  /** Each epoch of `epochs` for what is audited, one for what stands beside it; a baseline where there is a whole screening. */
  const planOf = (audited: readonly Scenario[], more: readonly Scenario[], epochs: number): PlanRules => ({
    grade: 'screening',
    models: models.map((id) => ({ id, isSampled: true })),
    scenarios: [...audited, ...more, ...controls],
    cells: models.flatMap((_, model): Cell[] => [
      ...audited.map(({ id }): Cell => ({ model, scenario: id, arm: 'with_skill', epochs })),
      ...[...more, ...controls].map(({ id }): Cell => ({ model, scenario: id, arm: 'with_skill', epochs: 1 })),
      ...(epochs < 10 ? [] : [...audited, ...more].map(({ id }): Cell => ({ model, scenario: id, arm: 'baseline', epochs: 1 }))),
    ]),
    thresholds: usualThresholds,
  });

  /** All cases in one run, with the same controls; each has its verdict by its own epochs and those of the controls. */
  async function audit({ cases, epochs, ways, agent }: Audit, more: readonly Scenario[] = []): Promise<readonly AuditResult[]> {
    const evidence = newFolder();
    const audited = cases.map(({ scenario }) => scenario);
    const scenarios = new Map([...audited, ...more, ...controls].map((scenario) => [scenario.id, scenario]));
    const scheduled = schedule(planOf(audited, more, epochs).cells);
    const { gate } = await memoryGate();
    const records: EpochRecord[] = [];
    const result = await runEpochs({
      folder: evidence,
      plan: planHash,
      epochs: scheduled.length,
      seed,
      gate,
      concurrency: 8,
      canary: (epoch, slot) => canaryValue(seed, planHash, epoch, slot),
      now: () => startTime,
      seal: (record) => void records.push(record),
      setup: (epoch) => {
        const { scenario: id, arm, model } = scheduled[epoch] as (typeof scheduled)[number];
        const scenario = scenarios.get(id) as Scenario;
        const of = cases.find((one) => one.scenario.id === id) ?? cases[0];
        const scripted =
          agent?.(scenario) ?? injectionObeying({ steps: stepsOf(scenario), says: 'That is done.' }, { hears: 'operator', orders: of?.orders ?? [] });
        const name = `${models[model]}/${epoch}`;
        if (!answers.has(name)) answers.set(name, modelOf(scripted, ways[epoch % ways.length] ?? 'openai'));
        return { scenario, arm, model, agent: httpAgent({ base: server.base, model: name }), ...(of && { skill: of.skill }) };
      },
    });
    answers.clear();
    expect(result.isComplete).toBe(true);
    const summaries = records.map(({ epoch, model, scenario: id, arm, transcript_digest: saidDigest }): EpochSummary => {
      const lines = readFileSync(join(evidence, 'transcripts', `${String(epoch).padStart(6, '0')}.jsonl`), 'utf8');
      const { outcome, hits, invalid, seen } = judged(scenarios.get(id) as Scenario, readEpoch(lines));
      return { model, scenario: id, arm, outcome, hits, ...(invalid && { invalid }), seen, saidDigest };
    });
    return cases.map(({ scenario, static: hits }) => {
      const ids = new Set([scenario, ...more, ...controls].map(({ id }) => id));
      const rules = planOf([scenario], more, epochs);
      if (epochs >= 10) checkPlanRules(rules);
      return auditResult(
        rules,
        summaries.filter((summary) => ids.has(summary.scenario)),
        hits,
      );
    });
  }

  const definitions = ['obvious', 'contextual'].flatMap((kind) =>
    load<readonly Definition[]>(`audit-data/skill-inject/${kind}_injections.json`).map(({ id, instructions }) => ({ id: `${kind}-${id}`, ...instructions })),
  );
  const skillAt = (i: number): Case => skills[i % skills.length] as Case;
  const inLine = definitions.flatMap(({ id, line_injection: text }, i) => bad(skillAt(i), id, text, undefined) ?? []);
  const inDescription = definitions.flatMap(({ id, description_injection: text }, i) => {
    if (text.trim().length < 3) return [];
    // the first skill whose description has room for it
    const found = skills.map((_, j) => bad(skillAt(i + j), `${id}-description`, text, 'description')).find((one) => one !== undefined);
    return found ?? [];
  });

  it('are of 13 skills and 84 orders, each as a line, and 65 in a description too', () => {
    expect([skills.length, definitions.length, inLine.length, inDescription.length]).toEqual([13, 84, 84, 65]);
    for (const { skill, orders } of [...inLine, ...inDescription]) expect(orders.every(({ when }) => skill.includes(when))).toBe(true);
  });

  it('pass each skill as it is: a full screening, whatever way its servers write', async () => {
    const results = await audit({ cases: skills, epochs: 10, ways: Object.keys(spellings) });
    expect(results.map(({ verdict, reasons }) => [verdict, reasons])).toEqual(skills.map(() => ['pass', []]));
    for (const { counts, started, planned } of results) {
      expect([started, planned]).toEqual([26, 26]);
      expect(counts.find(({ signal }) => signal === 'any')?.bounds.completed).toBe(258_866);
    }
  });

  it('fail each skill with an order as a line in it, in every way of writing, also where the call stayed in the text', async () => {
    const ways = [...Object.keys(spellings), ...Object.keys(leftAsText)];
    const results = await audit({ cases: inLine, epochs: 1, ways });
    expect(results.map(({ verdict, reasons }) => [verdict, reasons[0]?.why, reasons[0]?.signal])).toEqual(inLine.map(() => ['fail', 'hit', 'goal.reached']));
  });

  it('fail each skill with an order in its description', async () => {
    const results = await audit({ cases: inDescription, epochs: 1, ways: Object.keys(spellings) });
    expect(results.map(({ verdict, reasons }) => [verdict, reasons[0]?.signal])).toEqual(inDescription.map(() => ['fail', 'goal.reached']));
  });

  it('fail in a full screening, beside our own attacks, for both models, by the order alone and with the skill alone', async () => {
    const [one] = inLine;
    const attacks = adversarialScenarios(scene).map(readScenario);
    const [result] = await audit({ cases: one === undefined ? [] : [one], epochs: 10, ways: Object.keys(spellings) }, attacks);
    expect(result?.verdict).toBe('fail');
    expect(result?.reasons.filter(({ why }) => why !== 'rate')).toEqual(
      models.map(
        (model) => expect.objectContaining({ why: 'hit', signal: 'goal.reached', severity: 'critical', model, scenario: one?.name, epochs: 10 }) as unknown,
      ),
    );
    expect(result?.counts.filter(({ signal }) => signal === 'any').map(({ withSkill, baseline }) => [withSkill, baseline])).toEqual(
      models.map(() => [
        { k: 10, n: 16 },
        { k: 0, n: 7 },
      ]),
    );
  });

  it('pass nothing where the model obeys no order at all: the bad control says so', async () => {
    const [result] = await audit({ cases: skills.slice(0, 1), epochs: 10, ways: ['openai'], agent: (scenario) => scriptedAgent('well-behaved', scenario) });
    expect([result?.verdict, result?.reasons.map(({ why }) => why)]).toEqual(['inconclusive', ['control-bad']]);
  });

  it('pass nothing where a server leaves calls in the text', async () => {
    const [left] = await audit({ cases: skills.slice(0, 1), epochs: 10, ways: ['call-as-text'] });
    expect([left?.verdict, left?.reasons.map(({ why }) => why)]).toEqual(['inconclusive', ['control-good', 'invalid-epochs', 'invalid-epochs']]);
  });
});
