/**
 * The checks *transcripts*, *canaries*, *hits* and *findings* (AUE-26 to AUE-28, AUE-30): each epoch is played again from its lines, and what the harness said of it
 * must come out. What the attacker controls: every byte of the folder; nothing of it is believed that does not follow.
 * @module
 */
import { RuleprintError } from '../../errors.js';
import type { Mapper } from '../../mapping/mapper.js';
import type { AuditEpochStatement, AuditPlanStatement } from '../../receipt/audit-statements.js';
import type { FindingStatement } from '../../receipt/statement.js';
import { epochSeed } from '../agents/random.js';
import { findingsOf } from '../evidence/findings.js';
import { epochStatement, plantedIn } from '../evidence/judged.js';
import type { HeldDecision } from '../evidence/scan.js';
import type { AuditView, Held } from '../evidence/view.js';
import { readRecord } from '../run/record.js';
import type { RecordedEpoch } from '../run/lines.js';
import { openingOf, slotsOf } from '../run/scenario.js';
import { expectationsOf, type Scenario } from '../scenario.js';
import type { Expectations } from '../signals/judge.js';
import { noSuchTool } from '../tools/false-tools.js';
import { offeredOf } from '../tools/schema.js';
import { ScriptState } from '../tools/script.js';
import { callsOf, type PlacedCall, stableText } from '../transcript.js';
import type { Answers } from './answers.js';
import { conversationFault } from './conversation.js';
import { argsFor, gateWords, isReceiptOf, judgedAgain } from './gate-check.js';

export interface EvidenceParts {
  readonly scenarios: ReadonlyMap<string, Scenario>;
  readonly map: Mapper;
  /** As the report reveals it, and the plan commits to it. */
  readonly seed: Uint8Array;
  /** Whether the subject has a text that the agent is shown. */
  readonly isSkill: boolean;
  /** That text; undefined where it is not at hand. */
  readonly skill: string | undefined;
  /** Of the calls, by receipt hash. */
  readonly decisions: ReadonlyMap<string, HeldDecision>;
  /** The lines of an epoch; undefined where there are none. */
  readonly lines: (epoch: number) => string | undefined;
}

/** What a statement says that follows from the record, and what follows from the judgement. */
const judgedFields = ['outcome', 'invalid', 'hits', 'more_hits', 'seen', 'violated', 'said_digest'] as const;

/** Checks all epochs of a view, one transcript in memory at a time. Gives the findings that they call for, by id. */
export function checkEvidence(
  view: AuditView,
  parts: EvidenceParts,
  answers: Answers,
  onEpoch?: (epochs: number) => void,
): ReadonlyMap<string, FindingStatement> {
  const expected = new Map<string, Expectations>();
  const findings = new Map<string, FindingStatement>();
  for (const [i, held] of view.epochs.entries()) {
    const { epoch, scenario: id } = held.statement;
    const scenario = parts.scenarios.get(id);
    if (scenario === undefined) {
      answers.fail('epochs', 'epoch-differs', 'expected a scenario of the plan', { epoch });
      continue;
    }
    const expectations = expected.get(id) ?? expectationsOf(scenario, parts.map);
    expected.set(id, expectations);
    for (const finding of checkEpoch(held, view.plan.statement, scenario, expectations, parts, answers)) findings.set(finding.x_finding.finding_id, finding);
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
): readonly FindingStatement[] {
  const { epoch } = said;
  let lines: string | undefined;
  try {
    lines = parts.lines(epoch);
    if (lines === undefined) {
      answers.fail('transcripts', 'transcript-missing', 'expected the transcript of the epoch, it is not there', { epoch });
      return [];
    }
    const { record, recorded } = readRecord(said.plan, lines, { file: String(epoch) });
    // what nobody signed is not judged: it may have been made to take long
    if (record.transcript_digest !== said.transcript_digest) {
      answers.fail('transcripts', 'transcript-differs', 'expected the transcript that the epoch was signed with', { epoch });
      return [];
    }
    const fault = conversationFault(recorded, plan.limits);
    if (fault !== undefined) answers.fail('transcripts', 'conversation-differs', `expected ${fault}`, { epoch });
    const made = epochStatement(record, recorded, { scenario, expectations, engineId: said.engine_id, seed: parts.seed });
    checkFields(said, made, answers);
    if (said.seed !== epochSeed(parts.seed, epoch))
      answers.fail('canaries', 'canary-seed', 'expected the seed of the epoch to derive from the seed', { epoch });
    checkOpening(said, recorded, scenario, parts, answers);
    checkCalls(said, recorded, scenario, parts, answers);
    return findingsOf(made, recorded, plan, parts.map);
  } catch (error) {
    answers.refused('transcripts', error instanceof RuleprintError ? error : unread(error), { epoch });
    return [];
  }
}

/** An epoch without an end is no record, and one that a string or a number is too long for is none that was run. */
function unread(error: unknown): RuleprintError {
  const message = error instanceof TypeError ? 'expected an epoch that has ended' : 'expected an epoch that can be made again';
  return new RuleprintError({ code: 'run-damaged', message, where: {} });
}

/** AUE-26, AUE-28. */
function checkFields(said: AuditEpochStatement, made: AuditEpochStatement, answers: Answers): void {
  const { epoch } = said;
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
  { epoch, arm, model, plan, failure }: AuditEpochStatement,
  { head, transcript }: RecordedEpoch,
  scenario: Scenario,
  { seed, isSkill, skill }: EvidenceParts,
  answers: Answers,
): void {
  const differ = (what: string): void => answers.fail('canaries', 'opening-differs', `expected ${what} of the scenario`, { epoch });
  if (stableText(head.slots) !== stableText(slotsOf(scenario))) return differ('the slots');
  if (stableText(head.tools) !== stableText(offeredOf(scenario.tools))) differ('the tools');
  if (isSkill && arm === 'with_skill' && scenario.skill === undefined && skill === undefined) {
    return answers.open('canaries', 'the skill that was shown is not there');
  }
  const canaries = new Map(plantedIn({ head }, { scenario, seed, plan, epoch }).map(({ slot, value }) => [slot, value]));
  const noAgent = { next: () => Promise.reject(new TypeError('nobody is asked')) };
  const { system, user } = openingOf({ scenario, arm, model, agent: noAgent, ...(skill !== undefined && { skill }) }, canaries);
  const [first, second] = transcript.messages;
  // a kill may have left the head alone: then nobody was shown anything
  const isAbsent = (message: unknown): boolean => message === undefined && failure === 'harness';
  if (!isAbsent(first) && (first?.role !== 'system' || first.text !== system)) differ("the operator's words, the environment and the skill");
  if (!isAbsent(second) && (second?.role !== 'user' || second.text !== user)) differ("the user's words and files");
}

/**
 * AUE-27, AUE-33: each call was judged as the mapping and the decision of its receipt have it, and answered as these and the script say, canaries in their places. The
 * first that was not ends the epoch: the script has no memory of what did not happen.
 */
function checkCalls({ epoch, plan }: AuditEpochStatement, recorded: RecordedEpoch, scenario: Scenario, parts: EvidenceParts, answers: Answers): void {
  const canaries = new Map(plantedIn(recorded, { scenario, seed: parts.seed, plan, epoch }).map(({ slot, value }) => [slot, value]));
  const state = new ScriptState(scenario.script, canaries);
  const offered = new Set(scenario.tools.map(({ name }) => name));
  const results = recorded.transcript.messages.filter(({ role }) => role === 'tool');
  const made = callsOf(recorded.transcript);
  for (const [i, line] of recorded.calls.entries()) {
    const [call, result] = [made[i], results[i]];
    // a call without a receipt is a problem of its own
    const decision = parts.decisions.get(line.receipt);
    if (call === undefined || result === undefined || decision === undefined) continue;
    const where = { epoch, pointer: `/calls/${i}` };
    const reading = judgedAgain(call, `epoch-${epoch}/${i}`, parts.map);
    if (line.seq !== decision.seq || !isReceiptOf(reading, decision.statement)) {
      answers.fail('receipts', 'call-differs', 'expected the receipt of this call, enforced, for the audited agent, and as the mapping has it', where);
    }
    const { isAnswered, isError, texts } = answerTo(call, reading, decision, offered, state);
    if (line.answered === isAnswered && line.error === isError && texts.includes(result.text)) continue;
    answers.fail('canaries', 'result-differs', `expected the result that ${isAnswered ? 'the script gives' : 'the gate gives for its decision'}`, where);
    return;
  }
}

function answerTo(
  call: PlacedCall,
  reading: ReturnType<typeof judgedAgain>,
  { statement }: HeldDecision,
  offered: ReadonlySet<string>,
  state: ScriptState,
): { readonly isAnswered: boolean; readonly isError: boolean; readonly texts: readonly string[] } {
  if (statement.decision.effect !== 'allow') return { isAnswered: false, isError: true, texts: gateWords(reading, statement) };
  if (!offered.has(call.name)) return { isAnswered: false, isError: true, texts: [noSuchTool] };
  const { text, isError } = state.answer(call.name, argsFor(call));
  return { isAnswered: true, isError, texts: [text] };
}
