/**
 * A recorded epoch, judged, as a statement (spec/audit-evidence.md): a function of its lines, of the scenario and of the seed, so that a verifier makes the same
 * bytes. Pure.
 * @module
 */
import { utf8 } from '../../bytes.js';
import { sha256Text } from '../../hash.js';
import { checkName } from '../../policy/text.js';
import { unlessRefused } from '../../errors.js';
import { type AuditEpochStatement, type EpochHit, statementLimits } from '../../receipt/audit-statements.js';
import { canaryValue } from '../canary.js';
import type { RecordedEpoch } from '../run/lines.js';
import type { EpochRecord } from '../run/record.js';
import type { Scenario } from '../scenario.js';
import type { PlantedCanary } from '../signals/canary-leak.js';
import { type Hit, type Severity, severities } from '../signals/hit.js';
import { type Expectations, judgeEpoch } from '../signals/judge.js';
import type { EpochSummary } from '../verdict.js';

export interface JudgedBy {
  readonly scenario: Scenario;
  /** Of the scenario. */
  readonly expectations: Expectations;
  readonly engineId: string;
  readonly seed: Uint8Array;
}

/** The statement of an epoch. Its time is that of its end. */
export function epochStatement(record: EpochRecord, recorded: RecordedEpoch, { scenario, expectations, engineId, seed }: JudgedBy): AuditEpochStatement {
  const { plan, epoch, failure } = record;
  const canaries = plantedIn(recorded, { scenario, seed, plan, epoch });
  const judged = judgeEpoch({ transcript: recorded.transcript, canaries, ...(failure !== undefined && { failure }) }, expectations);
  const hits = listed(judged.hits);
  return {
    statement: 'audit-epoch',
    engine_id: engineId,
    time: record.ended_at,
    plan,
    epoch,
    model: record.model,
    scenario: record.scenario,
    variant: record.variant,
    arm: record.arm,
    seed: record.seed,
    started_at: record.started_at,
    ended_at: record.ended_at,
    ending: record.ending,
    ...(failure !== undefined && { failure }),
    turns: record.turns,
    attempts: record.attempts,
    models_reported: named(record.models_reported),
    fingerprints: named(record.fingerprints),
    finish_reasons: named(record.finish_reasons),
    prompt_tokens: record.prompt_tokens,
    completion_tokens: record.completion_tokens,
    calls: record.calls.map((call) => ({
      receipt: call.receipt,
      decision: call.decision,
      parsed: call.parsed,
      answered: call.answered,
      args_bytes: call.args_bytes,
      result_digest: call.result_digest,
      ...(call.args_digest !== undefined && { args_digest: call.args_digest }),
      ...(call.policy_digest !== undefined && { policy_digest: call.policy_digest }),
    })),
    outcome: judged.outcome,
    ...(judged.invalid !== undefined && { invalid: judged.invalid }),
    hits: hits.map((hit) => statedHit(hit, record.calls.length)),
    more_hits: judged.hits.length - hits.length,
    seen: judged.seen,
    violated: judged.violated,
    transcript_digest: record.transcript_digest,
    transcript_bytes: record.transcript_bytes,
    said_digest: saidDigest(recorded, canaries),
  };
}

/** The canaries of an epoch, made again: each slot of its head, and where it may go. */
export function plantedIn(
  { head }: Pick<RecordedEpoch, 'head'>,
  { scenario, seed, plan, epoch }: { readonly scenario: Scenario; readonly seed: Uint8Array; readonly plan: string; readonly epoch: number },
): readonly PlantedCanary[] {
  return head.slots.map((slot) => {
    const allowedSinks = Object.hasOwn(scenario.sinks, slot) ? scenario.sinks[slot] : undefined;
    return { slot, value: canaryValue(seed, plan, epoch, slot), ...(allowedSinks && { allowedSinks }) };
  });
}

/**
 * Of what the agent said and did: texts, thoughts and calls in their order, as JSON, with the name of its slot in the place of each planted value. What differs by
 * epoch alone (the values, times, receipts) is not in it (AUE-20).
 */
export function saidDigest({ transcript }: Pick<RecordedEpoch, 'transcript'>, canaries: readonly PlantedCanary[]): string {
  const said = transcript.messages
    .filter(({ role }) => role === 'assistant')
    .map(({ text, reasoning = '', calls = [] }) => [text, reasoning, calls.map(({ name, raw }) => [name, raw])]);
  let words = JSON.stringify(said);
  // a function: in a text $ would have a meaning, and a slot may be called so
  for (const { slot, value } of canaries) words = words.replaceAll(value, () => `{{canary:${slot}}}`);
  return sha256Text(utf8(words));
}

/** An epoch as the verdict counts it. */
export function summaryOf(statement: AuditEpochStatement): EpochSummary {
  const { model, scenario, arm, outcome, hits, invalid, seen, violated, said_digest: digest } = statement;
  return {
    model,
    scenario,
    arm,
    outcome,
    hits: hits as EpochSummary['hits'],
    ...(invalid !== undefined && { invalid: invalid as NonNullable<EpochSummary['invalid']> }),
    seen: seen as EpochSummary['seen'],
    violated,
    saidDigest: digest,
  };
}

/** What is listed: the first of each signal and severity, the most severe first, then the others in their order, as many as a statement takes. */
export function listed(hits: readonly Hit[]): readonly Hit[] {
  const first = new Map<string, Hit>();
  for (const hit of hits) {
    const kind = `${hit.signal} ${hit.severity}`;
    if (!first.has(kind)) first.set(kind, hit);
  }
  const rank = (severity: Severity): number => severities.indexOf(severity);
  const firsts = [...first.values()].sort((a, b) => rank(b.severity) - rank(a.severity));
  const known = new Set(firsts);
  return [...firsts, ...hits.filter((hit) => !known.has(hit))].slice(0, statementLimits.hits);
}

/** A call that no gate judged, behind a limit or a kill, is in no statement: a hit at it has its message alone (AUE-40). */
export function statedHit({ signal, ruleVersion, severity, locus, excerptDigest, callIndex, messageIndex }: Hit, calls: number): EpochHit {
  return {
    signal,
    rule_version: ruleVersion,
    severity,
    locus: nameOr(locus, 'elsewhere'),
    excerpt_digest: excerptDigest,
    ...(callIndex !== undefined && callIndex < calls && { call: callIndex }),
    ...(messageIndex !== undefined && { message: messageIndex }),
  };
}

/** What a server said of itself, each once, where it is a name of no great length: it may say anything. */
function named(words: readonly string[]): readonly string[] {
  return [...new Set(words)].filter((word) => word.length <= 256 && isName(word)).slice(0, statementLimits.words);
}

function nameOr(word: string, other: string): string {
  return isName(word) ? word : other;
}

function isName(word: string): boolean {
  return unlessRefused(false, () => {
    checkName(word);
    return true;
  });
}
