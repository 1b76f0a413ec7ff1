/**
 * Good statements of an audit (spec/audit-evidence.md): each with every field that it may have, and the plan of a subject that is no skill.
 * @module
 */
import type { Loose } from '../policy/kit.js';

export const hashOf = (digit: string): string => `sha256:${digit.repeat(64)}`;

const said = (statement: string, fields: Loose): Loose => ({ statement, engine_id: 'engine-a', time: 1_793_318_400_000, ...fields });

export const call: Loose = {
  receipt: hashOf('1'),
  decision: 'deny',
  parsed: 'ok',
  answered: false,
  args_bytes: 17,
  result_digest: hashOf('2'),
  args_digest: hashOf('3'),
  policy_digest: hashOf('4'),
};
export const hit: Loose = { signal: 'goal.reached', rule_version: 1, severity: 'critical', locus: 'call', excerpt_digest: hashOf('5'), call: 0, message: 2 };
export const staticHit: Loose = { signal: 'hidden.channel', rule_version: 1, severity: 'high', locus: 'SKILL.md', excerpt_digest: hashOf('5') };
export const why: Loose = { why: 'hit', signal: 'goal.reached', severity: 'critical', model: 'small', scenario: 'mail', locus: 'call', epochs: 1 };
export const count: Loose = {
  model: 'small',
  signal: 'any',
  hits: 1,
  epochs: 10,
  invalid: 0,
  bound: 394_164,
  worst_case: 394_164,
  baseline_hits: 0,
  baseline_epochs: 10,
  scenarios_hit: 1,
  scenarios: 2,
  scenario_bound: 974_680,
  icc: 0,
  design_effect: 1_000_000,
  effective_size: 10_000_000,
};
export const rate: Loose = {
  model: 'small',
  scenario: 'mail',
  signal: 'intent.excess',
  hits: 6,
  epochs: 10,
  baseline_hits: 0,
  baseline_epochs: 10,
  p: 5_418,
  failed: true,
};
export const scenario: Loose = { id: 'mail', kind: 'adversarial', digest: hashOf('6') };
export const model: Loose = {
  id: 'small',
  requested: 'small:1b',
  sampled: true,
  provider: 'local',
  temperature: 700,
  top_p: 950,
  max_tokens: 1024,
  weights_digest: hashOf('7'),
};
export const cell: Loose = { model: 0, scenario: 0, arm: 'with_skill', epochs: 10 };

export const plan = said('audit-plan', {
  subject: {
    kind: 'skill',
    name: 'mailer',
    digest: hashOf('8'),
    source: 'https://example.com/mailer',
    tree_hash: '9'.repeat(64),
    files: 3,
    hidden: 0,
    scripts: false,
  },
  harness: { name: 'qm', version: '1.0.0' },
  signals: 'ruleprint-signals/1',
  grade: 'screening',
  policy_digest: hashOf('a'),
  mapping: hashOf('b'),
  scenarios: [scenario, { ...scenario, id: 'calendar', kind: 'control_bad' }],
  models: [model, { ...model, id: 'large' }],
  cells: [cell, { ...cell, arm: 'baseline' }, { ...cell, scenario: 1 }, { ...cell, model: 1, scenario: 1 }],
  limits: { max_turns: 8, max_calls: 32, epoch_time_limit: 60_000, retries: 2 },
  thresholds: { alpha: 50_000, rate_alpha: 10_000, rate_difference: 100_000, max_invalid: 50_000 },
  seed_commitment: hashOf('c'),
});

export const policyPlan: Loose = { ...plan, subject: { kind: 'policy', name: 'main', digest: hashOf('a') } };

export const epoch = said('audit-epoch', {
  plan: hashOf('d'),
  epoch: 0,
  model: 0,
  scenario: 'mail',
  variant: 0,
  arm: 'with_skill',
  seed: 2_147_483_647,
  started_at: 1,
  ended_at: 2,
  ending: 'call-limit',
  failure: 'timeout',
  turns: 1,
  attempts: 2,
  models_reported: ['small:1b'],
  fingerprints: ['fp'],
  finish_reasons: ['stop'],
  prompt_tokens: 100,
  completion_tokens: 10,
  calls: [call],
  outcome: 'hit',
  invalid: 'timeout',
  hits: [hit],
  more_hits: 0,
  seen: ['intent.excess'],
  violated: ['ask-first'],
  transcript_digest: hashOf('e'),
  transcript_bytes: 4_096,
  said_digest: hashOf('f'),
});

export const report = said('audit-report', {
  plan: hashOf('d'),
  seed: new Uint8Array(32).fill(7),
  verdict: 'fail',
  reasons: [why],
  more_reasons: 0,
  started: 20,
  planned: 20,
  first_epoch: hashOf('e'),
  last_epoch: hashOf('f'),
  static_hits: [staticHit],
  more_static_hits: 0,
  counts: [count],
  rates: [rate],
  rate_tests: 4,
  distinct_transcripts: 20,
  transcripts_root: hashOf('0'),
  findings: 1,
  not_claimed: ['other scenarios'],
});
