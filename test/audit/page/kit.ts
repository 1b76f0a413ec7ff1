/**
 * A view of an audit that was really run: scripted agents over false tools behind a real gate, in a folder; the statements made of its records.
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agent } from '../../../src/audit/agents/agent.js';
import { canaryCommitment, canaryValue } from '../../../src/audit/canary.js';
import type { AuditView, Held } from '../../../src/audit/evidence/view.js';
import type { Arm, Cell, PlanRules } from '../../../src/audit/plan-rules.js';
import { usualThresholds } from '../../../src/audit/plan-rules.js';
import type { RecordedEpoch } from '../../../src/audit/run/lines.js';
import { schedule } from '../../../src/audit/run/schedule.js';
import { expectationsOf, readScenario, type Scenario, type ScenarioDocument } from '../../../src/audit/scenario.js';
import { type Hit, severities } from '../../../src/audit/signals/hit.js';
import { injectObey, violation } from '../../../src/audit/signals/inject-obey.js';
import { judgeEpoch, type InvalidCode } from '../../../src/audit/signals/judge.js';
import type { Rate } from '../../../src/audit/statistics.js';
import { auditResult, type EpochSummary, isSevere } from '../../../src/audit/verdict.js';
import { sha256Text } from '../../../src/hash.js';
import {
  type AuditEpochStatement,
  auditConflict,
  type AuditPlanStatement,
  type AuditReportStatement,
  type EpochHit,
} from '../../../src/receipt/audit-statements.js';
import { runEpochs } from '../../../src/audit/run.js';
import { openLedger } from '../../../src/ledger/open.js';
import { signer } from '../../ledger/kit.js';
import { epochsIn, recordsIn } from '../run/kit.js';
import { auditMapper, gateOf, startTime } from '../tools/kit.js';

export const seed = new Uint8Array(32).fill(7);

const hashOf = (value: unknown): string => sha256Text(new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)));
const held = <S>(statement: S, seq: number): Held<S> => ({ statement, seq, hash: hashOf(statement) });

export interface Sketch {
  readonly subject: AuditPlanStatement['subject'];
  readonly skill: string;
  readonly models: readonly string[];
  readonly scenarios: readonly ScenarioDocument[];
  readonly epochs: (scenario: ScenarioDocument, arm: Arm) => number;
  readonly agent: (model: number, scenario: string, arm: Arm, epoch: number) => Agent;
  readonly grade?: 'screening' | 'validation';
  readonly staticHits?: readonly EpochHit[];
}

/** Runs it, and reads what is left. */
export async function auditOf(sketch: Sketch): Promise<AuditView> {
  const folder = mkdtempSync(join(tmpdir(), 'ruleprint-page-'));
  try {
    return await viewOf(sketch, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function viewOf(sketch: Sketch, folder: string): Promise<AuditView> {
  const { models, skill, agent, grade = 'screening' } = sketch;
  const scenarios = sketch.scenarios.map(readScenario);
  const cells = models.flatMap((_, model) =>
    sketch.scenarios.flatMap((scenario) =>
      (['with_skill', 'baseline'] as const).flatMap((arm): Cell[] => {
        const epochs = sketch.epochs(scenario, arm);
        return epochs === 0 ? [] : [{ model, scenario: scenario.id, arm, epochs }];
      }),
    ),
  );
  const plan = held(planOf(sketch, scenarios, cells), 2);
  const scheduled = schedule(cells);
  let ticks = 0;
  const ledger = await openLedger(join(folder, 'ledger'), { engineId: 'engine-a', signer, now: () => startTime, lockTimeout: 0 });
  await runEpochs({
    gate: gateOf(ledger),
    folder,
    plan: plan.hash,
    seed,
    canary: (epoch, slot) => canaryValue(seed, plan.hash, epoch, slot),
    epochs: scheduled.length,
    concurrency: 1,
    now: () => startTime + 731 * ticks++,
    setup: (epoch) => {
      const { model, scenario, arm } = scheduled[epoch] as (typeof scheduled)[number];
      const of = scenarios.find(({ id }) => id === scenario) as Scenario;
      return { scenario: of, arm, model, agent: agent(model, scenario, arm, epoch), skill };
    },
  }).finally(() => ledger.close());
  const transcripts = epochsIn(folder);
  const rules: PlanRules = { grade, cells, scenarios, thresholds: usualThresholds, models: models.map((id) => ({ id, isSampled: true })) };
  const judged = recordsIn(folder).map((record, epoch) => {
    const scenario = scenarios.find(({ id }) => id === record.scenario) as Scenario;
    return epochOf(plan.hash, record, transcripts[epoch] as RecordedEpoch, scenario);
  });
  const epochs = judged.map((statement, i) => held(statement, 10 + 4 * i));
  const report = held(reportOf(sketch, rules, plan.hash, epochs, transcripts, scenarios), 10 + 4 * epochs.length);
  for (const { statement } of [plan, ...epochs, report]) {
    const conflict = auditConflict(statement);
    if (conflict !== undefined) throw new Error(conflict);
  }
  return { plan, epochs, report, transcript: (epoch) => transcripts[epoch] };
}

function planOf({ subject, models, grade = 'screening' }: Sketch, scenarios: readonly Scenario[], cells: readonly Cell[]): AuditPlanStatement {
  const { alpha, rateAlpha, rateDifference, maxInvalid } = usualThresholds;
  return {
    statement: 'audit-plan',
    engine_id: 'engine-a',
    time: startTime - 60_000,
    subject,
    harness: { name: 'ruleprint', version: '0.1.0' },
    signals: 'ruleprint-signals/1',
    grade,
    policy_digest: hashOf('policy'),
    mapping: hashOf('mapping'),
    scenarios: scenarios.map(({ id, kind, digest }) => ({ id, kind, digest })),
    models: models.map((id) => ({ id, requested: id, sampled: true, temperature: 700, max_tokens: 1_024 })),
    cells: cells.map(({ scenario, ...cell }) => ({ ...cell, scenario: scenarios.findIndex(({ id }) => id === scenario) })),
    limits: { max_turns: 20, max_calls: 50, epoch_time_limit: 600_000, retries: 2 },
    thresholds: { alpha, rate_alpha: rateAlpha, rate_difference: rateDifference, max_invalid: maxInvalid },
    seed_commitment: canaryCommitment(seed),
  };
}

function epochOf(plan: string, record: ReturnType<typeof recordsIn>[number], recorded: RecordedEpoch, scenario: Scenario): AuditEpochStatement {
  const { head, transcript } = recorded;
  const canaries = head.slots.map((slot) => ({ slot, value: canaryValue(seed, plan, head.epoch, slot), allowedSinks: scenario.sinks[slot] ?? [] }));
  const { failure, calls, ...rest } = record;
  const { outcome, invalid, hits, seen } = judgeEpoch({ transcript, canaries, ...(failure && { failure }) }, expectationsOf(scenario, auditMapper));
  const sorted = [...hits].sort((a, b) => severities.indexOf(b.severity) - severities.indexOf(a.severity));
  return {
    statement: 'audit-epoch',
    engine_id: 'engine-a',
    time: record.ended_at,
    ...rest,
    ...(failure && { failure }),
    calls: calls.map(({ receipt, decision, parsed, answered, args_bytes, result_digest }) => ({
      receipt,
      decision,
      parsed,
      answered,
      args_bytes,
      result_digest,
    })),
    outcome,
    ...(invalid && { invalid }),
    hits: sorted.map(wireHit),
    more_hits: 0,
    seen,
    violated: scenario.rules.filter((rule) => violation(rule, transcript) !== undefined).map(({ id }) => id),
  };
}

function wireHit({ signal, severity, locus, ruleVersion, excerptDigest, callIndex, messageIndex }: Hit): EpochHit {
  return {
    signal,
    rule_version: ruleVersion,
    severity,
    locus,
    excerpt_digest: excerptDigest,
    ...(callIndex !== undefined && { call: callIndex }),
    ...(messageIndex !== undefined && { message: messageIndex }),
  };
}

function reportOf(
  { staticHits = [] }: Sketch,
  rules: PlanRules,
  plan: string,
  epochs: readonly Held<AuditEpochStatement>[],
  transcripts: readonly RecordedEpoch[],
  scenarios: readonly Scenario[],
): AuditReportStatement {
  const kept = (scenario: Scenario, id: string): Rate => {
    const mine = epochs.filter(({ statement }) => statement.arm === 'baseline' && statement.scenario === scenario.id);
    return { k: mine.filter(({ statement }) => !statement.violated.includes(id)).length, n: mine.length };
  };
  const summaries = epochs.map(({ statement }, i): EpochSummary => {
    const scenario = scenarios.find(({ id }) => id === statement.scenario) as Scenario;
    const rates = new Map(scenario.rules.map(({ id }) => [id, kept(scenario, id)]));
    const obeyed = statement.arm === 'with_skill' ? injectObey((transcripts[i] as RecordedEpoch).transcript, scenario.rules, rates) : [];
    return {
      model: statement.model,
      scenario: statement.scenario,
      arm: statement.arm,
      outcome: obeyed.length > 0 ? 'hit' : statement.outcome,
      hits: [...(statement.hits as EpochSummary['hits']), ...obeyed],
      ...(statement.invalid !== undefined && { invalid: statement.invalid as InvalidCode }),
      seen: statement.seen as EpochSummary['seen'],
      transcriptDigest: statement.transcript_digest,
    };
  });
  const result = auditResult(rules, summaries, staticHits as EpochSummary['hits']);
  const controls = new Set(scenarios.filter(({ kind }) => kind.startsWith('control')).map(({ id }) => id));
  const severe = epochs.filter(({ statement: { arm, scenario } }) => arm === 'with_skill' && !controls.has(scenario));
  return {
    statement: 'audit-report',
    engine_id: 'engine-a',
    time: startTime + 3_600_000,
    plan,
    seed,
    verdict: result.verdict,
    reasons: result.reasons,
    more_reasons: 0,
    started: result.started,
    planned: result.planned,
    ...(epochs[0] && { first_epoch: epochs[0].hash, last_epoch: (epochs.at(-1) as Held<AuditEpochStatement>).hash }),
    static_hits: staticHits,
    more_static_hits: 0,
    counts: result.counts.map(({ model, signal, withSkill, invalid, bounds, baseline, scenarios: over, scenarioBound, clustering }) => ({
      model,
      signal,
      hits: withSkill.k,
      epochs: withSkill.n,
      invalid,
      bound: bounds.completed,
      worst_case: bounds.worstCase,
      baseline_hits: baseline.k,
      baseline_epochs: baseline.n,
      scenarios_hit: over.k,
      scenarios: over.n,
      scenario_bound: scenarioBound,
      ...(clustering && {
        icc: Math.max(0, Math.round(clustering.icc * 1e6)),
        design_effect: Math.ceil(clustering.designEffect * 1e6),
        effective_size: Math.floor(clustering.effectiveSize * 1e6),
      }),
    })),
    rates: result.rates
      .filter(({ withSkill, baseline }) => withSkill.k + baseline.k > 0)
      .map(({ model, scenario, signal, withSkill, baseline, p, isFailed }) => ({
        model,
        scenario,
        signal,
        hits: withSkill.k,
        epochs: withSkill.n,
        baseline_hits: baseline.k,
        baseline_epochs: baseline.n,
        p,
        failed: isFailed,
      })),
    rate_tests: result.rates.length,
    distinct_transcripts: result.distinctTranscripts,
    transcripts_root: hashOf('transcripts'),
    findings: severe.reduce(
      (sum, { statement: { hits } }) =>
        sum + new Set(hits.filter(({ severity, call }) => call !== undefined && isSevere(severity)).map(({ call }) => call)).size,
      0,
    ),
    not_claimed: result.notClaimed,
  };
}
