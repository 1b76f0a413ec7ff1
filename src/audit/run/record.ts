/**
 * The record of one epoch: a function of its recorded lines, so that whoever holds the lines makes the same record (spec/audit-run.md, AUR-15). Pure.
 * @module
 */
import { utf8 } from '../../bytes.js';
import type { Where } from '../../errors.js';
import { sha256Text } from '../../hash.js';
import { callsOf, type Ending, type Parsed } from '../transcript.js';
import { type Arm, type CallLine, type EpochFailure, readEpoch, type RecordedEpoch } from './lines.js';

/** A call that a gate judged. */
export interface JudgedCall extends Omit<CallLine, 'id'> {
  readonly parsed: Parsed;
}

/** One for each started epoch, in the order of epochs. */
export interface EpochRecord {
  readonly epoch: number;
  readonly plan: string;
  readonly scenario: string;
  readonly variant: number;
  readonly arm: Arm;
  readonly model: number;
  readonly seed: number;
  readonly started_at: number;
  readonly ended_at: number;
  readonly ending: Ending;
  readonly failure?: EpochFailure;
  readonly turns: number;
  /** Tries on the wire, of all turns. */
  readonly attempts: number;
  /** As the server said, each once. */
  readonly models_reported: readonly string[];
  readonly fingerprints: readonly string[];
  readonly finish_reasons: readonly string[];
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly calls: readonly JudgedCall[];
  readonly transcript_digest: string;
  readonly transcript_bytes: number;
}

/** The record of an epoch's lines. As `readRecord`. */
export function recordOf(plan: string, lines: string, where: Where = {}): EpochRecord {
  return readRecord(plan, lines, where).record;
}

/**
 * The record of an epoch's lines, and what they say.
 *
 * @throws RuleprintError `run-damaged` for lines that are none; TypeError for an epoch without an end
 */
export function readRecord(plan: string, lines: string, where: Where = {}): { readonly record: EpochRecord; readonly recorded: RecordedEpoch } {
  const recorded = readEpoch(lines, where);
  return { record: recordFrom(plan, lines, recorded), recorded };
}

function recordFrom(plan: string, lines: string, { head, transcript, replies, calls, end }: RecordedEpoch): EpochRecord {
  if (end === undefined) throw new TypeError('"lines" expected an epoch that has ended');
  const bytes = utf8(lines);
  const written = callsOf(transcript);
  const all = (values: readonly (string | undefined)[]): readonly string[] => [...new Set(values.filter((value) => value !== undefined))];
  const tokens = (of: 'promptTokens' | 'completionTokens'): number => replies.reduce((sum, { usage }) => sum + (usage?.[of] ?? 0), 0);
  return {
    epoch: head.epoch,
    plan,
    scenario: head.scenario,
    variant: head.variant,
    arm: head.arm,
    model: head.model,
    seed: head.seed,
    started_at: head.started_at,
    ended_at: Math.max(head.started_at, end.ended_at), // a clock may have been set back (AUE-41)
    ending: end.ending,
    ...(end.failure !== undefined && { failure: end.failure }),
    turns: replies.length,
    attempts: replies.reduce((sum, { attempts = 1 }) => sum + attempts, 0),
    models_reported: all(replies.map(({ model }) => model)),
    fingerprints: all(replies.map(({ fingerprint }) => fingerprint)),
    finish_reasons: replies.flatMap(({ finishReason }) => finishReason ?? []),
    prompt_tokens: tokens('promptTokens'),
    completion_tokens: tokens('completionTokens'),
    calls: calls.map(({ id: _, ...call }, i) => ({ ...call, parsed: written[i]?.parsed ?? 'malformed' })),
    transcript_digest: sha256Text(bytes),
    transcript_bytes: bytes.length,
  };
}
