/**
 * The checks *transcripts*, *canaries*, *hits* and *findings* (AUE-26 to AUE-28, AUE-30): each epoch is played again from its lines, and what the harness said of it
 * must come out. What the attacker controls: every byte of the folder; nothing of it is believed that does not follow.
 * @module
 */
import { RuleprintError } from '../../errors.js';
import type { Mapper } from '../../mapping/mapper.js';
import type { AuditEpochStatement, AuditPlanStatement } from '../../receipt/audit-statements.js';
import { epochSeed } from '../agents/random.js';
import { findingsOf } from '../evidence/findings.js';
import { epochStatement, plantedIn } from '../evidence/judged.js';
import type { AuditView, Held } from '../evidence/view.js';
import { readRecord } from '../run/record.js';
import type { RecordedEpoch } from '../run/lines.js';
import { openingOf, slotsOf } from '../run/scenario.js';
import { expectationsOf, type Scenario } from '../scenario.js';
import type { Expectations } from '../signals/judge.js';
import { resultDigest } from '../tools/call-digest.js';
import { offeredOf } from '../tools/schema.js';
import { ScriptState } from '../tools/script.js';
import { callsOf, stableText } from '../transcript.js';
import type { Answers } from './answers.js';

export interface EvidenceParts {
  readonly scenarios: ReadonlyMap<string, Scenario>;
  readonly map: Mapper;
  /** As the report reveals it, and the plan commits to it. */
  readonly seed: Uint8Array;
  /** What the agent was shown of the skill; undefined where there is none. */
  readonly skill: string | undefined;
  /** The lines of an epoch; undefined where there are none. */
  readonly lines: (epoch: number) => string | undefined;
}

/** What a statement says that follows from the record, and what follows from the judgement. */
const judgedFields = ['outcome', 'invalid', 'hits', 'more_hits', 'seen', 'violated', 'said_digest'] as const;

/** Checks all epochs of a view, one transcript in memory at a time. Gives the ids of the findings that they call for. */
export function checkEvidence(view: AuditView, parts: EvidenceParts, answers: Answers, onEpoch?: (epochs: number) => void): ReadonlySet<string> {
  const expected = new Map<string, Expectations>();
  const findings = new Set<string>();
  for (const [i, held] of view.epochs.entries()) {
    const { epoch, scenario: id } = held.statement;
    const scenario = parts.scenarios.get(id);
    if (scenario === undefined) {
      answers.fail('epochs', 'epoch-differs', 'expected a scenario of the plan', { epoch });
      continue;
    }
    const expectations = expected.get(id) ?? expectationsOf(scenario, parts.map);
    expected.set(id, expectations);
    for (const finding of checkEpoch(held, view.plan.statement, scenario, expectations, parts, answers)) findings.add(finding);
    onEpoch?.(i + 1);
  }
  return findings;
}

function checkEpoch(
  { statement: said }: Held<AuditEpochStatement>,
  plan: AuditPlanStatement,
  scenario: Scenario,
  expectations: Expectations,
  parts: EvidenceParts,
  answers: Answers,
): readonly string[] {
  const { epoch } = said;
  let lines: string | undefined;
  try {
    lines = parts.lines(epoch);
    if (lines === undefined) {
      answers.fail('transcripts', 'transcript-missing', 'expected the transcript of the epoch, it is not there', { epoch });
      return [];
    }
    const { record, recorded } = readRecord(said.plan, lines, { file: String(epoch) });
    const made = epochStatement(record, recorded, { scenario, expectations, engineId: said.engine_id, seed: parts.seed });
    checkFields(said, made, answers);
    if (said.seed !== epochSeed(parts.seed, epoch))
      answers.fail('canaries', 'canary-seed', 'expected the seed of the epoch to derive from the seed', { epoch });
    checkOpening(said, recorded, scenario, parts, answers);
    checkResults(said, recorded, scenario, parts.seed, answers);
    return findingsOf(made, recorded, plan, parts.map).map(({ x_finding }) => x_finding.finding_id);
  } catch (error) {
    answers.refused('transcripts', error instanceof TypeError ? unended() : error, { epoch });
    return [];
  }
}

/** An epoch without an end is no record. */
function unended(): RuleprintError {
  return new RuleprintError({ code: 'run-damaged', message: 'expected an epoch that has ended', where: {} });
}

/** AUE-26, AUE-28. */
function checkFields(said: AuditEpochStatement, made: AuditEpochStatement, answers: Answers): void {
  const { epoch } = said;
  if (said.transcript_digest !== made.transcript_digest) {
    return answers.fail('transcripts', 'transcript-differs', 'expected the transcript that the epoch was signed with', { epoch });
  }
  const fields = [...new Set([...Object.keys(said), ...Object.keys(made)])] as (keyof AuditEpochStatement)[];
  for (const field of fields) {
    if (stableText(said[field]) === stableText(made[field])) continue;
    const isJudged = (judgedFields as readonly string[]).includes(field);
    if (isJudged) answers.fail('hits', 'judgement-differs', `expected ${field} as it follows from the transcript`, { epoch, pointer: `/${field}` });
    else answers.fail('transcripts', 'transcript-differs', `expected ${field} as the transcript has it`, { epoch, pointer: `/${field}` });
  }
}

/** AUE-27: the words that opened the epoch are those of the scenario, with the canaries that derive in their places, and the tools are those that it offers. */
function checkOpening(
  { epoch, arm, model, plan }: AuditEpochStatement,
  { head, transcript }: RecordedEpoch,
  scenario: Scenario,
  { seed, skill }: EvidenceParts,
  answers: Answers,
): void {
  const differ = (what: string): void => answers.fail('canaries', 'opening-differs', `expected ${what} of the scenario`, { epoch });
  if (stableText(head.slots) !== stableText(slotsOf(scenario))) return differ('the slots');
  if (stableText(head.tools) !== stableText(offeredOf(scenario.tools))) differ('the tools');
  if (arm === 'with_skill' && scenario.skill === undefined && skill === undefined) {
    return answers.open('canaries', 'the skill that was shown is not there');
  }
  const canaries = new Map(plantedIn({ head }, { scenario, seed, plan, epoch }).map(({ slot, value }) => [slot, value]));
  const noAgent = { next: () => Promise.reject(new TypeError('nobody is asked')) };
  const { system, user } = openingOf({ scenario, arm, model, agent: noAgent, ...(skill !== undefined && { skill }) }, canaries);
  const [first, second] = transcript.messages;
  if (first?.role !== 'system' || first.text !== system) differ("the operator's words, the environment and the skill");
  if (second?.role !== 'user' || second.text !== user) differ("the user's words and files");
}

/** AUE-27: what the tools answered is what the script says, canaries in their places; what the gate said in their place stands in the gate's own words. */
function checkResults({ epoch, plan }: AuditEpochStatement, recorded: RecordedEpoch, scenario: Scenario, seed: Uint8Array, answers: Answers): void {
  const canaries = new Map(plantedIn(recorded, { scenario, seed, plan, epoch }).map(({ slot, value }) => [slot, value]));
  const state = new ScriptState(scenario.script, canaries);
  const made = callsOf(recorded.transcript);
  for (const [i, { answered, name, result_digest: digest, args_digest: args }] of recorded.calls.entries()) {
    if (!answered) continue;
    const answer = state.answer(name, args === undefined ? undefined : made[i]?.args);
    if (resultDigest(answer.text) !== digest)
      answers.fail('canaries', 'result-differs', 'expected the result that the script gives', { epoch, pointer: `/calls/${i}` });
  }
}
