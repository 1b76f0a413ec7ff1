/**
 * A whole audit (spec/audit-run.md, spec/audit-evidence.md): the plan is signed, the epochs are run, judged and taken into the ledger one by one, and the report
 * closes it. What was killed goes on where it stopped.
 * @module
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AsyncSigner, Signer } from '../cose/signer.js';
import { policyDigest } from '../digest/digest.js';
import { createGate } from '../gate/gate.js';
import { sha256Text } from '../hash.js';
import { openEngine } from '../ledger/engine.js';
import { readLedger } from '../ledger/folder.js';
import { openLedger } from '../ledger/open.js';
import type { Mapper } from '../mapping/mapper.js';
import type { Mapping } from '../mapping/table.js';
import type { Policy } from '../policy/model.js';
import type { AuditReportStatement } from '../receipt/audit-statements.js';
import type { Agent } from './agents/agent.js';
import { canaryValue } from './canary.js';
import { keepDocument, keepTree, layout } from './evidence/folder.js';
import { findingsOf } from './evidence/findings.js';
import { epochStatement, summaryOf } from './evidence/judged.js';
import { auditMapper } from './evidence/mapper.js';
import { cellsOf, type ModelSettings, planRulesOf, planStatement } from './evidence/plan.js';
import { reportStatement } from './evidence/reported.js';
import { scanLedger } from './evidence/scan.js';
import { Sealer } from './evidence/sealer.js';
import { staticHitsOf } from './evidence/static.js';
import type { Held } from './evidence/view.js';
import type { Cell, Grade, Thresholds } from './plan-rules.js';
import { runEpochs, type RunProgress } from './run.js';
import { schedule } from './run/schedule.js';
import { expectationsOf, readScenario, type Scenario, type ScenarioDocument } from './scenario.js';
import type { Expectations } from './signals/judge.js';
import type { Subject } from './subject/subject.js';
import type { TreeFile } from './subject/tree.js';
import { type AuditResult, auditResult } from './verdict.js';

/** A model, and who speaks for it in a scenario. */
export interface AuditedModel extends ModelSettings {
  readonly agent: (scenario: Scenario) => Agent;
}

export interface AuditOptions {
  /** Where the evidence goes, and is. */
  readonly folder: string;
  readonly subject: Subject;
  /** The tree of a skill, and what of it the agent is shown. */
  readonly skill?: { readonly files: readonly TreeFile[]; readonly text: string };
  readonly scenarios: readonly ScenarioDocument[];
  readonly models: readonly AuditedModel[];
  readonly cells: readonly Cell[];
  readonly grade: Grade;
  readonly thresholds?: Thresholds;
  /** In force in every epoch. */
  readonly policy: Policy;
  readonly mapping: Mapping | readonly Mapping[];
  readonly engineId?: string;
  readonly engineSigner: Signer | AsyncSigner;
  readonly harness: { readonly name: string; readonly version: string };
  /** With a key of its own: judge and reporter are not one. */
  readonly harnessSigner: Signer | AsyncSigner;
  /** 32 bytes: secret until the report. */
  readonly seed: Uint8Array;
  readonly maxTurns?: number;
  readonly maxCalls?: number;
  /** For one epoch, in milliseconds. */
  readonly timeLimit?: number;
  /** On the wire, for one turn. */
  readonly retries?: number;
  readonly concurrency?: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly onProgress?: (progress: AuditProgress) => void;
  readonly signal?: AbortSignal;
}

export interface AuditProgress extends RunProgress {
  /** Epochs with a hit of more than info, of those that this process has sealed; controls too. */
  readonly hits: number;
}

export interface AuditOutcome {
  readonly plan: string;
  readonly sealed: number;
  readonly planned: number;
  /** Epochs that were killed in the middle. */
  readonly interrupted: readonly number[];
  /** Absent where epochs are left: the same call goes on with them. */
  readonly report?: Held<AuditReportStatement>;
  readonly result?: AuditResult;
}

/**
 * Runs what is left of an audit, up to its report.
 *
 * @throws RuleprintError `audit-plan`, `run-differs`, `run-damaged`, `run-receipt`, what the ledger and the disk throw. What is recorded stays, and the audit goes on
 * when it is called again
 */
export async function runAudit(options: AuditOptions): Promise<AuditOutcome> {
  const { folder, engineId = 'audit', engineSigner, policy, mapping, now } = options;
  const scenarios = options.scenarios.map(readScenario);
  const map = auditMapper(mapping);
  const plan = planStatement({ ...options, ...statedOptions(options, map), scenarios, time: now() });
  mkdirSync(folder, { recursive: true });
  const ledger = await openLedger(join(folder, layout.ledger), { engineId, signer: engineSigner, now });
  try {
    keepDocument(folder, layout.scenarios, options.scenarios);
    keepDocument(folder, layout.mapping, mapping);
    if (options.skill !== undefined) keepTree(folder, options.skill.files);
    const sealer = await Sealer.begin(ledger, options.harnessSigner, plan, scanLedger(readLedger(join(folder, layout.ledger))));
    // behind the plan: what is refused there has installed nothing
    const gate = createGate({ engine: openEngine({ ledger, policy }), map, agent: 'subject' });
    return await new Audit(options, scenarios, map, sealer).run(gate);
  } finally {
    await ledger.close();
  }
}

function statedOptions({ maxTurns = 20, maxCalls = 50, timeLimit = 600_000, retries = 2, policy, seed, engineId = 'audit' }: AuditOptions, map: Mapper) {
  return {
    engineId,
    policyDigest: policyDigest(policy),
    mapping: map.digest,
    limits: { max_turns: maxTurns, max_calls: maxCalls, epoch_time_limit: timeLimit, retries },
    seedCommitment: sha256Text(seed),
  };
}

class Audit {
  readonly #options: AuditOptions;
  readonly #scenarios: ReadonlyMap<string, Scenario>;
  readonly #map: Mapper;
  readonly #sealer: Sealer;
  readonly #expectations = new Map<string, Expectations>();
  #hits = 0;

  constructor(options: AuditOptions, scenarios: readonly Scenario[], map: Mapper, sealer: Sealer) {
    this.#options = options;
    this.#scenarios = new Map(scenarios.map((scenario) => [scenario.id, scenario]));
    this.#map = map;
    this.#sealer = sealer;
  }

  async run(gate: ReturnType<typeof createGate>): Promise<AuditOutcome> {
    const { statement: plan, hash } = this.#sealer.plan;
    const { models, skill, seed, folder, now, concurrency, signal, onProgress } = this.#options;
    const scheduled = schedule(cellsOf(plan));
    const agents = new Map<string, Agent>();
    const agentOf = (model: number, scenario: Scenario): Agent => {
      const key = `${model} ${scenario.id}`;
      const agent = agents.get(key) ?? models[model]?.agent(scenario);
      if (agent === undefined) throw new TypeError('"models" expected an agent of each');
      agents.set(key, agent);
      return agent;
    };
    const done = await runEpochs({
      folder,
      plan: hash,
      epochs: scheduled.length,
      setup: (epoch) => {
        const { model, scenario: id, arm } = scheduled[epoch] ?? { model: 0, scenario: '', arm: 'with_skill' };
        const scenario = this.#scenario(id);
        return { scenario, arm, model, agent: agentOf(model, scenario), ...(skill && { skill: skill.text }) };
      },
      gate,
      canary: (epoch, slot) => canaryValue(seed, hash, epoch, slot),
      seed,
      now,
      maxTurns: plan.limits.max_turns,
      maxCalls: plan.limits.max_calls,
      timeLimit: plan.limits.epoch_time_limit,
      seal: async (record, recorded) => {
        const scenario = this.#scenario(record.scenario);
        const expectations = this.#expectationsOf(scenario);
        const statement = epochStatement(record, recorded, { scenario, expectations, engineId: plan.engine_id, seed });
        if (statement.outcome === 'hit') this.#hits++;
        await this.#sealer.epoch(statement, findingsOf(statement, recorded, plan, this.#map));
      },
      ...(concurrency !== undefined && { concurrency }),
      ...(signal && { signal }),
      ...(onProgress && { onProgress: (progress: RunProgress) => onProgress({ ...progress, hits: this.#hits }) }),
    });
    const outcome = { plan: hash, sealed: done.sealed, planned: scheduled.length, interrupted: done.interrupted };
    return done.isComplete ? { ...outcome, ...(await this.#conclude()) } : outcome;
  }

  /** Made once: an envelope is compiled. */
  #expectationsOf(scenario: Scenario): Expectations {
    const known = this.#expectations.get(scenario.id) ?? expectationsOf(scenario, this.#map);
    this.#expectations.set(scenario.id, known);
    return known;
  }

  #scenario(id: string): Scenario {
    const scenario = this.#scenarios.get(id);
    if (scenario === undefined) throw new TypeError('"scenarios" expected every scenario of the plan');
    return scenario;
  }

  async #conclude(): Promise<{ readonly report: Held<AuditReportStatement>; readonly result: AuditResult }> {
    const { statement: plan, hash } = this.#sealer.plan;
    const { skill, subject, seed, now } = this.#options;
    const scenarios = [...this.#scenarios.values()];
    const epochs = this.#sealer.epochs;
    const staticHits = staticHitsOf(subject, skill?.files ?? [], scenarios);
    const result = auditResult(
      planRulesOf(plan, scenarios),
      epochs.map(({ statement }) => summaryOf(statement)),
      staticHits,
    );
    const report =
      this.#sealer.report ??
      (await this.#sealer.conclude(
        reportStatement({
          engineId: plan.engine_id,
          time: now(),
          plan: hash,
          seed,
          result,
          staticHits,
          epochs: epochs.map(({ hash: of }) => of),
          transcripts: epochs.map(({ statement }) => statement.transcript_digest),
          findings: this.#sealer.findings,
        }),
      ));
    return { report, result };
  }
}
