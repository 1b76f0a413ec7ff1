/**
 * A view of an audit that was really run: scripted agents over false tools behind a real gate, in a folder; the statements made of its records.
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agent } from '../../../src/audit/agents/agent.js';
import { canaryCommitment, canaryValue } from '../../../src/audit/canary.js';
import { findingsOf } from '../../../src/audit/evidence/findings.js';
import { epochStatement, summaryOf } from '../../../src/audit/evidence/judged.js';
import { reportStatement } from '../../../src/audit/evidence/reported.js';
import type { AuditView, Held } from '../../../src/audit/evidence/view.js';
import type { Arm, Cell, PlanRules } from '../../../src/audit/plan-rules.js';
import { usualThresholds } from '../../../src/audit/plan-rules.js';
import type { RecordedEpoch } from '../../../src/audit/run/lines.js';
import { schedule } from '../../../src/audit/run/schedule.js';
import { expectationsOf, readScenario, type Scenario, type ScenarioDocument } from '../../../src/audit/scenario.js';
import type { Hit } from '../../../src/audit/signals/hit.js';
import { auditResult } from '../../../src/audit/verdict.js';
import { sha256Text } from '../../../src/hash.js';
import { auditConflict } from '../../../src/receipt/audit-conflict.js';
import type { AuditEpochStatement, AuditPlanStatement, AuditReportStatement, EpochHit } from '../../../src/receipt/audit-statements.js';
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
    const by = { scenario, expectations: expectationsOf(scenario, auditMapper), engineId: 'engine-a', seed };
    return epochStatement(record, transcripts[epoch] as RecordedEpoch, by);
  });
  const epochs = judged.map((statement, i) => held(statement, 10 + 4 * i));
  const findings = epochs.flatMap(({ statement }, i) => findingsOf(statement, transcripts[i] as RecordedEpoch, plan.statement, auditMapper));
  const report = held(reportOf(sketch, rules, plan.hash, epochs, findings.length), 10 + 4 * epochs.length);
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

function reportOf(
  { staticHits = [] }: Sketch,
  rules: PlanRules,
  plan: string,
  epochs: readonly Held<AuditEpochStatement>[],
  findings: number,
): AuditReportStatement {
  const found = staticHits.map(
    ({ signal, rule_version: ruleVersion, severity, locus, excerpt_digest: excerptDigest }) => ({ signal, ruleVersion, severity, locus, excerptDigest }) as Hit,
  );
  const result = auditResult(
    rules,
    epochs.map(({ statement }) => summaryOf(statement)),
    found,
  );
  return reportStatement({
    engineId: 'engine-a',
    time: startTime + 3_600_000,
    plan,
    seed,
    result,
    staticHits: found,
    epochs: epochs.map(({ hash }) => hash),
    transcripts: epochs.map(({ statement }) => statement.transcript_digest),
    findings,
  });
}
