/**
 * One epoch as the page's script reads it: what its statement says, and what was said and done in it.
 * @module
 */
import { RuleprintError } from '../../errors.js';
import type { AuditEpochStatement, EpochHit } from '../../receipt/audit-statements.js';
import { canaryCommitment, canaryValue } from '../canary.js';
import type { AuditView, Held } from '../evidence/view.js';
import type { RecordedEpoch } from '../run/lines.js';
import { count, time } from './numbers.js';
import { armNames, invalidSays, rateSays, signalSays } from './words.js';

export interface ShownHit extends Pick<EpochHit, 'signal' | 'severity' | 'locus' | 'call' | 'message'> {
  readonly says: string;
}

export interface ShownCall {
  /** Among all calls of the epoch. */
  readonly index: number;
  readonly name: string;
  readonly raw: string;
  readonly parsed: string;
  /** Absent behind a limit, where no gate was asked. */
  readonly gate?: { readonly decision: string; readonly receipt: string; readonly seq: number; readonly answered: boolean; readonly error: boolean };
  readonly result?: { readonly index: number; readonly text: string };
}

export interface ShownMessage {
  /** Among all messages of the transcript, results of tools included. */
  readonly index: number;
  readonly role: string;
  readonly text: string;
  readonly reasoning?: string;
  readonly calls?: readonly ShownCall[];
}

export interface EpochFacts {
  readonly epoch: number;
  readonly title: string;
  readonly outcome: string;
  readonly outcomeSays: string;
  /** Pairs of a name and a value. */
  readonly facts: readonly (readonly [string, string])[];
  readonly hits: readonly ShownHit[];
  readonly moreHits: number;
}

export interface Conversation {
  /** Planted values of the epoch, where the report reveals the seed. */
  readonly canaries: readonly { readonly slot: string; readonly value: string }[];
  readonly messages: readonly ShownMessage[];
}

export function epochFacts({ statement, hash, seq }: Held<AuditEpochStatement>, { plan }: AuditView): EpochFacts {
  const { models, scenarios, subject } = plan.statement;
  const kind = scenarios.find(({ id }) => id === statement.scenario)?.kind ?? 'unplanned';
  const list = (values: readonly string[]): string => values.join(', ');
  const facts: (readonly [string, string])[] = [
    ['Model', models[statement.model]?.id ?? `model ${statement.model}`],
    ['Scenario', `${statement.scenario} (${kind.replace('_', ' ')})`],
    ['Arm', armNames(subject.kind)[statement.arm]],
    ['Ended', `${endingWords[statement.ending]}${statement.failure === undefined ? '' : `, ${invalidSays(statement.failure)}`}`],
    ['Turns', `${count(statement.turns)}, ${count(statement.attempts)} tries on the wire`],
    ['Began', `${time(statement.started_at)}, took ${count(Math.max(0, statement.ended_at - statement.started_at))} ms`],
  ];
  if (statement.models_reported.length > 0) facts.push(['Server says', list(statement.models_reported)]);
  if (statement.completion_tokens > 0) facts.push(['Tokens', `${count(statement.prompt_tokens)} in, ${count(statement.completion_tokens)} out`]);
  if (statement.seen.length > 0) facts.push(['Seen, judged by rate', list(statement.seen.map((signal) => `${signal} (${rateSays(signal)})`))]);
  facts.push(
    ['Seed', String(statement.seed)],
    ['Statement', `${hash}, record ${seq}`],
    ['Transcript', `${statement.transcript_digest}, ${count(statement.transcript_bytes)} bytes`],
  );
  return {
    epoch: statement.epoch,
    title: `Epoch ${statement.epoch}`,
    outcome: statement.outcome,
    outcomeSays: outcomeSays(statement),
    facts,
    hits: statement.hits.map(({ signal, severity, locus, call, message }) => ({
      signal,
      severity,
      locus,
      ...(call !== undefined && { call }),
      ...(message !== undefined && { message }),
      says: signalSays(signal),
    })),
    moreHits: statement.more_hits,
  };
}

const endingWords: Readonly<Record<AuditEpochStatement['ending'], string>> = {
  done: 'by itself',
  'turn-limit': 'at the limit of turns',
  'call-limit': 'at the limit of calls',
};

export function outcomeSays({ outcome, invalid, hits, violated }: AuditEpochStatement): string {
  const also = violated.length > 0 ? `, breaks the operator's ${violated.length === 1 ? 'rule' : 'rules'} ${violated.join(', ')}` : '';
  if (outcome === 'hit') return `hit: ${hits[0]?.signal ?? ''} ${hits[0]?.severity ?? ''}${also}`;
  return `${outcome === 'invalid' ? `invalid: ${invalidSays(invalid)}` : 'clean'}${also}`;
}

/** What was said and done; calls with what the gate said and what the tool answered, as far as it came to that. */
export function conversation(recorded: RecordedEpoch, view: AuditView): Conversation {
  const results = recorded.transcript.messages.flatMap(({ role, text }, index) => (role === 'tool' ? [{ index, text }] : []));
  let next = 0;
  const messages = recorded.transcript.messages.flatMap(({ role, text, reasoning, calls = [] }, index): readonly ShownMessage[] => {
    if (role === 'tool') return [];
    const made = role === 'assistant' ? calls : [];
    const shown = made.map(({ name, raw, parsed }): ShownCall => {
      const at = next++;
      const line = recorded.calls[at];
      const result = results[at];
      return {
        index: at,
        name,
        raw,
        parsed,
        ...(line && { gate: { decision: line.decision, receipt: line.receipt, seq: line.seq, answered: line.answered, error: line.error } }),
        ...(line && result && { result }),
      };
    });
    return [{ index, role, text, ...(reasoning !== undefined && { reasoning }), ...(shown.length > 0 && { calls: shown }) }];
  });
  return { canaries: plantedIn(recorded, view), messages };
}

/** Nothing without the seed of the plan (AUD-21): what another seed gives was not planted. */
function plantedIn({ head }: RecordedEpoch, view: AuditView): Conversation['canaries'] {
  const seed = view.report?.statement.seed;
  if (seed === undefined || !isSeedOfPlan(view)) return [];
  return head.slots.flatMap((slot) => {
    try {
      return [{ slot, value: canaryValue(seed, view.plan.hash, head.epoch, slot) }];
    } catch (error) {
      if (error instanceof RuleprintError) return []; // no name of a slot: nothing can have been planted there
      throw error;
    }
  });
}

export function isSeedOfPlan({ plan, report }: Pick<AuditView, 'plan' | 'report'>): boolean {
  return report !== undefined && canaryCommitment(report.statement.seed) === plan.statement.seed_commitment;
}
