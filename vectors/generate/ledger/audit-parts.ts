/**
 * Good statements of an audit (spec/audit-evidence.md), and ledgers that hold them. Each statement comes with every field that it may have, and bare.
 * @module
 */
import { canaryCommitment } from '../../../src/audit/canary.js';
import { utf8 } from '../../../src/bytes.js';
import { sha256 } from '../../../src/hash.js';
import type { Fields } from '../kit.js';
import { hashOf, type Said, startTime } from './chain.js';

const said = (statement: string, fields: Said): Said => ({ statement, engine_id: 'engine-a', time: startTime, ...fields });
const seed = sha256(utf8('ruleprint vectors: seed of an audit'));

export const scenario: Fields = { id: 'mail', kind: 'adversarial', digest: hashOf('6') };
export const bareModel: Fields = { id: 'large', requested: 'large:8b', sampled: false };
export const model: Fields = {
  id: 'small',
  requested: 'small:1b',
  sampled: true,
  provider: 'local',
  temperature: 700,
  top_p: 950,
  max_tokens: 1024,
  weights_digest: hashOf('7'),
};
export const cell: Fields = { model: 0, scenario: 0, arm: 'with_skill', epochs: 10 };
export const bareCall: Fields = { receipt: hashOf('1'), decision: 'allow', parsed: 'ok', answered: true, args_bytes: 17, result_digest: hashOf('2') };
export const call: Fields = { ...bareCall, decision: 'deny', answered: false, args_digest: hashOf('3'), policy_digest: hashOf('4') };
export const bareHit: Fields = { signal: 'hidden.channel', rule_version: 1, severity: 'high', locus: 'SKILL.md', excerpt_digest: hashOf('5') };
export const hit: Fields = { ...bareHit, signal: 'goal.reached', severity: 'critical', locus: 'call', call: 0, message: 2 };
export const why: Fields = { why: 'hit', signal: 'goal.reached', severity: 'critical', model: 'small', scenario: 'mail', locus: 'call', epochs: 1 };
export const bareCount: Fields = {
  model: 'small',
  signal: 'any',
  hits: 0,
  epochs: 10,
  invalid: 0,
  bound: 258_866,
  worst_case: 258_866,
  baseline_hits: 0,
  baseline_epochs: 10,
  scenarios_hit: 0,
  scenarios: 1,
  scenario_bound: 950_000,
};
export const count: Fields = { ...bareCount, icc: 0, design_effect: 1_000_000, effective_size: 10_000_000 };
export const rate: Fields = {
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

export const skill: Fields = {
  kind: 'skill',
  name: 'mailer',
  digest: hashOf('8'),
  tree_hash: '9'.repeat(64),
  files: 3,
  hidden: 0,
  scripts: false,
};

export const barePlan: Said = said('audit-plan', {
  subject: { kind: 'policy', name: 'main', digest: hashOf('a') },
  harness: { name: 'qm', version: '1.0.0' },
  signals: 'ruleprint-signals/1',
  grade: 'screening',
  policy_digest: hashOf('a'),
  mapping: hashOf('b'),
  scenarios: [scenario] as never,
  models: [bareModel] as never,
  cells: [cell] as never,
  limits: { max_turns: 8, max_calls: 32, epoch_time_limit: 60_000, retries: 0 },
  thresholds: { alpha: 50_000, rate_alpha: 10_000, rate_difference: 100_000, max_invalid: 50_000 },
  seed_commitment: canaryCommitment(seed),
});
export const plan: Said = {
  ...barePlan,
  subject: { ...skill, source: 'https://example.com/mailer' } as never,
  grade: 'validation',
  scenarios: [scenario, { ...scenario, id: 'calendar', kind: 'control_bad' }] as never,
  models: [model, bareModel] as never,
  cells: [cell, { ...cell, arm: 'baseline' }, { ...cell, scenario: 1, epochs: 10_000 }, { ...cell, model: 1, epochs: 1 }] as never,
};

export const bareEpoch: Said = said('audit-epoch', {
  plan: hashOf('d'),
  epoch: 0,
  model: 0,
  scenario: 'mail',
  variant: 0,
  arm: 'baseline',
  seed: 0,
  started_at: startTime,
  ended_at: startTime,
  ending: 'done',
  turns: 0,
  attempts: 0,
  models_reported: [],
  fingerprints: [],
  finish_reasons: [],
  prompt_tokens: 0,
  completion_tokens: 0,
  calls: [],
  outcome: 'clean',
  hits: [],
  more_hits: 0,
  seen: [],
  violated: [],
  transcript_digest: hashOf('e'),
  transcript_bytes: 0,
  said_digest: hashOf('f'),
});
export const epoch: Said = {
  ...bareEpoch,
  arm: 'with_skill',
  seed: 2_147_483_647,
  ending: 'call-limit',
  failure: 'timeout',
  turns: 1,
  attempts: 2,
  models_reported: ['small:1b'],
  fingerprints: ['fp'],
  finish_reasons: ['stop'],
  calls: [call, bareCall] as never,
  outcome: 'hit',
  invalid: 'timeout',
  hits: [hit, { ...bareHit, severity: 'info' }] as never,
  seen: ['intent.excess'],
  violated: ['ask-first'],
};

export const bareReport: Said = said('audit-report', {
  plan: hashOf('d'),
  seed,
  verdict: 'inconclusive',
  reasons: [{ why: 'epochs-missing' }] as never,
  more_reasons: 0,
  started: 0,
  planned: 20,
  static_hits: [],
  more_static_hits: 0,
  counts: [],
  rates: [],
  rate_tests: 0,
  distinct_transcripts: 0,
  transcripts_root: hashOf('0'),
  findings: 0,
  not_claimed: [],
});
export const report: Said = {
  ...bareReport,
  verdict: 'fail',
  reasons: [why] as never,
  started: 20,
  first_epoch: hashOf('e'),
  last_epoch: hashOf('f'),
  static_hits: [bareHit] as never,
  counts: [count, bareCount] as never,
  rates: [rate] as never,
  rate_tests: 4,
  distinct_transcripts: 20,
  findings: 1,
  not_claimed: ['other scenarios'],
};
