/**
 * The statements of an audit (spec/audit-evidence.md, spec/receipt.cddl): the plan before the first epoch, one for each started epoch, the report; all by a key of
 * the role harness. Named as on the wire.
 * @module
 */
import { refuse } from '../errors.js';
import { isHashText } from '../hash.js';
import { limits } from '../limits.js';
import { type Effect, effects } from '../policy/model.js';
import { checkName, checkText } from '../policy/text.js';
import { integer, list, object, type Shape, text, word } from '../shape.js';

/** Of the plan, as of every statement by another key: which engine it is about. */
interface Said {
  readonly engine_id: string;
  readonly time: number;
}

export interface PlannedSubject {
  readonly kind: 'skill' | 'policy' | 'agent';
  readonly name: string;
  /** Of the tree, of the policy, or of the agent (AUD-18). */
  readonly digest: string;
  readonly source?: string;
  /** A skill alone has these: what AbstractSkill calls its `tree_hash`, without prefix; files; of these, hidden ones; whether it brings something to run. */
  readonly tree_hash?: string;
  readonly files?: number;
  readonly hidden?: number;
  readonly scripts?: boolean;
}

export interface PlannedModelStatement {
  readonly id: string;
  /** What the server is asked for. */
  readonly requested: string;
  /** Whether it may answer one prompt in several ways. */
  readonly sampled: boolean;
  readonly provider?: string;
  /** Thousandths. */
  readonly temperature?: number;
  readonly top_p?: number;
  readonly max_tokens?: number;
  readonly weights_digest?: string;
}

export interface PlannedCell {
  /** Index into the models. */
  readonly model: number;
  /** Index into the scenarios. */
  readonly scenario: number;
  readonly arm: 'with_skill' | 'baseline';
  readonly epochs: number;
}

export interface AuditPlanStatement extends Said {
  readonly statement: 'audit-plan';
  readonly subject: PlannedSubject;
  readonly harness: { readonly name: string; readonly version: string };
  /** The closed list of rules that judge an epoch: `ruleprint-signals/1`. */
  readonly signals: string;
  readonly grade: 'screening' | 'validation';
  /** In force in every epoch, and the mapping from its calls to actions. */
  readonly policy_digest: string;
  readonly mapping: string;
  readonly scenarios: readonly { readonly id: string; readonly kind: 'benign' | 'adversarial' | 'control_good' | 'control_bad'; readonly digest: string }[];
  readonly models: readonly PlannedModelStatement[];
  readonly cells: readonly PlannedCell[];
  readonly limits: { readonly max_turns: number; readonly max_calls: number; readonly epoch_time_limit: number; readonly retries: number };
  /** Millionths. */
  readonly thresholds: { readonly alpha: number; readonly rate_alpha: number; readonly rate_difference: number; readonly max_invalid: number };
  /** Of the seed that canaries and the seeds of epochs derive from. */
  readonly seed_commitment: string;
}

/** A call that a gate judged. Its name is in its receipt, and in the transcript. */
export interface EpochCall {
  readonly receipt: string;
  readonly decision: Effect;
  readonly parsed: 'ok' | 'malformed' | 'truncated';
  readonly answered: boolean;
  readonly args_bytes: number;
  readonly result_digest: string;
  readonly args_digest?: string;
  readonly policy_digest?: string;
}

export interface EpochHit {
  readonly signal: string;
  readonly rule_version: number;
  readonly severity: 'info' | 'low' | 'medium' | 'high' | 'critical';
  readonly locus: string;
  readonly excerpt_digest: string;
  readonly call?: number;
  readonly message?: number;
}

export interface AuditEpochStatement extends Said {
  readonly statement: 'audit-epoch';
  /** The receipt hash of the plan. */
  readonly plan: string;
  /** From 0, without a gap. */
  readonly epoch: number;
  readonly model: number;
  readonly scenario: string;
  readonly variant: number;
  readonly arm: 'with_skill' | 'baseline';
  readonly seed: number;
  readonly started_at: number;
  readonly ended_at: number;
  readonly ending: 'done' | 'turn-limit' | 'call-limit';
  readonly failure?: string;
  readonly turns: number;
  readonly attempts: number;
  readonly models_reported: readonly string[];
  readonly fingerprints: readonly string[];
  readonly finish_reasons: readonly string[];
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly calls: readonly EpochCall[];
  readonly outcome: 'hit' | 'invalid' | 'clean';
  readonly invalid?: string;
  /** The most severe ones; more of them are counted. */
  readonly hits: readonly EpochHit[];
  readonly more_hits: number;
  /** What is judged by rate and was seen. */
  readonly seen: readonly string[];
  /** Ids of operator rules that were violated. */
  readonly violated: readonly string[];
  readonly transcript_digest: string;
  readonly transcript_bytes: number;
  /** Of what the agent said and did, canaries aside: epochs that went alike share it. */
  readonly said_digest: string;
}

export interface ReportedReason {
  readonly why: string;
  readonly signal?: string;
  readonly severity?: EpochHit['severity'];
  readonly model?: string;
  readonly scenario?: string;
  readonly locus?: string;
  readonly epochs?: number;
}

/** Bounds, the correlation, the effect and the size in millionths. */
export interface ReportedCount {
  readonly model: string;
  readonly signal: string;
  readonly hits: number;
  readonly epochs: number;
  readonly invalid: number;
  readonly bound: number;
  readonly worst_case: number;
  readonly baseline_hits: number;
  readonly baseline_epochs: number;
  readonly scenarios_hit: number;
  readonly scenarios: number;
  readonly scenario_bound: number;
  /** Zero where failures are spread more evenly than chance. */
  readonly icc?: number;
  readonly design_effect?: number;
  readonly effective_size?: number;
}

export interface ReportedRate {
  readonly model: string;
  readonly scenario: string;
  readonly signal: string;
  readonly hits: number;
  readonly epochs: number;
  readonly baseline_hits: number;
  readonly baseline_epochs: number;
  /** Millionths. */
  readonly p: number;
  readonly failed: boolean;
}

export interface AuditReportStatement extends Said {
  readonly statement: 'audit-report';
  /** The receipt hash of the plan. */
  readonly plan: string;
  /** 32 bytes: revealed here, and only here. */
  readonly seed: Uint8Array;
  readonly verdict: 'pass' | 'fail' | 'inconclusive';
  readonly reasons: readonly ReportedReason[];
  readonly more_reasons: number;
  readonly started: number;
  readonly planned: number;
  /** Receipt hashes of the statements of the first and the last epoch. */
  readonly first_epoch?: string;
  readonly last_epoch?: string;
  /** Hits in the files of the skill. */
  readonly static_hits: readonly EpochHit[];
  readonly more_static_hits: number;
  readonly counts: readonly ReportedCount[];
  /** Those in which anything was seen, of all that share alpha. */
  readonly rates: readonly ReportedRate[];
  readonly rate_tests: number;
  readonly distinct_transcripts: number;
  readonly transcripts_root: string;
  /** Finding receipts of this plan. */
  readonly findings: number;
  readonly not_claimed: readonly string[];
}

export type AuditStatement = AuditPlanStatement | AuditEpochStatement | AuditReportStatement;

/** Most of what one statement lists, so that it fits into a record. */
export const statementLimits = Object.freeze({
  scenarios: 1_000,
  models: 64,
  cells: 4_000,
  calls: 1_000,
  hits: 200,
  reasons: 200,
  words: 32,
  counts: 1_000,
  rates: 1_000,
});

const uint = integer(0, Number.MAX_SAFE_INTEGER);
const yesOrNo: Shape = { kind: 'boolean' };
const millionths = integer(0, 1_000_000);
const name = text('a name', checkName);
const hash = text('a hash', (value) => {
  if (!isHashText(value)) refuse('bad-value', 'expected "sha256:" and 64 lower-case hex digits');
});
const bareHash = text('a hash', (value) => {
  if (!/^[0-9a-f]{64}$/.test(value)) refuse('bad-value', 'expected 64 lower-case hex digits');
});
const source = text('text', (value) => checkText(value, limits.ruleStringBytes));
const arm = word('with_skill', 'baseline');
const severity = word('info', 'low', 'medium', 'high', 'critical');
const names = (what: string, max: number): Shape => list(what, name, { max });
const most = statementLimits;

const hits = list('hits', object('a hit', { signal: name, rule_version: uint, severity, locus: name, excerpt_digest: hash }, { call: uint, message: uint }), {
  max: most.hits,
});

/** Fields that every statement by another key has: which engine it is about, and when. */
const said = { engine_id: name, time: uint };

export const auditShapes = {
  'audit-plan': object('an audit plan', {
    statement: word('audit-plan'),
    ...said,
    subject: object(
      'a subject',
      { kind: word('skill', 'policy', 'agent'), name, digest: hash },
      { source, tree_hash: bareHash, files: uint, hidden: uint, scripts: yesOrNo },
    ),
    harness: object('a harness', { name, version: name }),
    signals: name,
    grade: word('screening', 'validation'),
    policy_digest: hash,
    mapping: hash,
    scenarios: list('scenarios', object('a scenario', { id: name, kind: word('benign', 'adversarial', 'control_good', 'control_bad'), digest: hash }), {
      min: 1,
      max: most.scenarios,
    }),
    models: list(
      'models',
      object(
        'a model',
        { id: name, requested: name, sampled: yesOrNo },
        { provider: name, temperature: uint, top_p: uint, max_tokens: uint, weights_digest: hash },
      ),
      { min: 1, max: most.models },
    ),
    cells: list('cells', object('a cell', { model: uint, scenario: uint, arm, epochs: integer(1, limits.trials) }), { min: 1, max: most.cells }),
    limits: object('limits', { max_turns: uint, max_calls: uint, epoch_time_limit: uint, retries: uint }),
    thresholds: object('thresholds', { alpha: millionths, rate_alpha: millionths, rate_difference: millionths, max_invalid: millionths }),
    seed_commitment: hash,
  }),
  'audit-epoch': object(
    'an audit epoch',
    {
      statement: word('audit-epoch'),
      ...said,
      plan: hash,
      epoch: uint,
      model: uint,
      scenario: name,
      variant: uint,
      arm,
      seed: integer(0, 2_147_483_647),
      started_at: uint,
      ended_at: uint,
      ending: word('done', 'turn-limit', 'call-limit'),
      turns: uint,
      attempts: uint,
      models_reported: names('models', most.words),
      fingerprints: names('fingerprints', most.words),
      finish_reasons: names('reasons', most.words),
      prompt_tokens: uint,
      completion_tokens: uint,
      calls: list(
        'calls',
        object(
          'a call',
          {
            receipt: hash,
            decision: word(...effects),
            parsed: word('ok', 'malformed', 'truncated'),
            answered: yesOrNo,
            args_bytes: uint,
            result_digest: hash,
          },
          { args_digest: hash, policy_digest: hash },
        ),
        { max: most.calls },
      ),
      outcome: word('hit', 'invalid', 'clean'),
      hits,
      more_hits: uint,
      seen: names('signals', most.words),
      violated: names('rules', most.words),
      transcript_digest: hash,
      transcript_bytes: uint,
      said_digest: hash,
    },
    { failure: name, invalid: name },
  ),
  'audit-report': object(
    'an audit report',
    {
      statement: word('audit-report'),
      ...said,
      plan: hash,
      seed: { kind: 'bytes', size: 32 },
      verdict: word('pass', 'fail', 'inconclusive'),
      reasons: list('reasons', object('a reason', { why: name }, { signal: name, severity, model: name, scenario: name, locus: name, epochs: uint }), {
        max: most.reasons,
      }),
      more_reasons: uint,
      started: uint,
      planned: uint,
      static_hits: hits,
      more_static_hits: uint,
      counts: list(
        'counts',
        object(
          'a count',
          {
            model: name,
            signal: name,
            hits: uint,
            epochs: uint,
            invalid: uint,
            bound: millionths,
            worst_case: millionths,
            baseline_hits: uint,
            baseline_epochs: uint,
            scenarios_hit: uint,
            scenarios: uint,
            scenario_bound: millionths,
          },
          { icc: millionths, design_effect: uint, effective_size: uint },
        ),
        { max: most.counts },
      ),
      rates: list(
        'rates',
        object('a rate', {
          model: name,
          scenario: name,
          signal: name,
          hits: uint,
          epochs: uint,
          baseline_hits: uint,
          baseline_epochs: uint,
          p: millionths,
          failed: yesOrNo,
        }),
        { max: most.rates },
      ),
      rate_tests: uint,
      distinct_transcripts: uint,
      transcripts_root: hash,
      findings: uint,
      not_claimed: names('what is not claimed', most.words),
    },
    { first_epoch: hash, last_epoch: hash },
  ),
} as const satisfies Readonly<Record<AuditStatement['statement'], Shape>>;
