/**
 * The gate (spec/gate.md): a tool call is mapped, decided and recorded, and then it may act.
 * @module
 */
import type { ErrorCode } from '../errors.js';
import type { PolicyEngine } from '../engine/engine.js';
import { isHashText } from '../hash.js';
import type { LedgerEngine } from '../ledger/engine.js';
import type { Appended, Ledger } from '../ledger/ledger.js';
import type { Call } from '../mapping/call.js';
import type { Mapper } from '../mapping/mapper.js';
import { checkName } from '../policy/text.js';
import { answerOf, type Approver, type Ask, readApproval } from './approver.js';
import { codeOf, type Reading, type ReadingParts, readingOf, type Refused, requestOf } from './reading.js';
import { isPending, type Outcome, type Recorder, recorderOf } from './recorder.js';
import { namesHost, type Resolve, withAddresses } from './resolve.js';
import { type Verdict, wordsOf, wordsOfAsk, wordsOfFailure } from './verdict.js';

export interface GateOptions {
  /** The engine of a ledger, or any other; without a ledger there are verdicts and no receipts. */
  readonly engine: PolicyEngine | LedgerEngine;
  readonly map: Mapper;
  /** Whose calls these are, where a call does not say: a name (POL-8). */
  readonly agent: string;
  /** For an engine that has none of its own. */
  readonly ledger?: Ledger;
  /** Who is asked where the rules say ask; without one such a call is denied. */
  readonly approver?: Approver;
  /** `observe` lets everything through and records what the rules say: `enforce` by default. */
  readonly mode?: 'enforce' | 'observe';
  /** Gives a salt for each call, so that the digest of a guessable value gives nothing away. See `randomSalt`. */
  readonly salt?: () => string;
  /** Has the addresses of host names judged beside the names. See `systemResolve`. */
  readonly resolve?: Resolve;
  /** Milliseconds since the Unix epoch; the clock of the ledger, or `Date.now`, by default. */
  readonly now?: () => number;
}

export interface CheckOptions {
  /** Whether the answer waits until its entries survive loss of power. */
  readonly durable?: boolean;
  /** Aborted where the caller no longer waits for an approval. */
  readonly signal?: AbortSignal;
}

export interface Gate {
  readonly engine: PolicyEngine;
  readonly mode: 'enforce' | 'observe';
  /** Whether the gate itself asks a human; else a host that can may. */
  readonly hasApprover: boolean;
  /** Judges and records a call. Never throws. With an engine or a signer that takes its time the answer is a deny (`gate-async`). */
  check(call: Call): Verdict;
  /** The same with every engine, signer, approver and resolver. Never rejects. */
  checkAsync(call: Call, options?: CheckOptions): Promise<Verdict>;
}

/**
 * Makes a gate.
 *
 * @throws TypeError for options that are none; RuleprintError for an agent that is no name
 * @example
 * const gate = createGate({ engine, map: createMapper(mapping), agent: 'builder' });
 * const verdict = gate.check({ tool: 'read_file', args: { path: '/srv/a' } });
 * if (!verdict.allowed) throw new Error(verdict.message);
 */
export function createGate(options: GateOptions): Gate {
  return new PolicyGate(options);
}

/** How often a call is judged because policies are installed while a human is asked. */
const maxRounds = 3;

class PolicyGate implements Gate {
  readonly engine: PolicyEngine;
  readonly mode: 'enforce' | 'observe';
  readonly hasApprover: boolean;
  readonly #parts: ReadingParts;
  readonly #recorder: Recorder;
  readonly #approver: Approver | undefined;
  readonly #resolve: Resolve | undefined;
  readonly #now: () => number;
  /** The highest time that this gate has put into the chain: a release is judged at it (LED-12). */
  #time = 0;

  constructor({ engine, map, agent, ledger, approver, mode = 'enforce', salt, resolve, now }: GateOptions) {
    if (mode !== 'enforce' && mode !== 'observe') throw new TypeError('"mode" expected enforce or observe');
    if (typeof agent !== 'string') throw new TypeError('"agent" expected a name');
    if (typeof map?.map !== 'function' || typeof map.toolAction !== 'function' || !isHashText(String(map.digest))) {
      throw new TypeError('"map" expected a mapper, see createMapper');
    }
    checkName(agent);
    this.engine = engine;
    this.mode = mode;
    this.#parts = { map, mapping: map.digest, agent, salt, enforced: mode === 'enforce' };
    this.#recorder = recorderOf(engine, ledger, now);
    this.#now = now ?? this.#recorder.ledger?.now ?? Date.now;
    this.#resolve = resolve;
    this.#approver = approver;
    this.hasApprover = approver !== undefined;
    if (approver !== undefined) checkApprover(approver, this.#recorder.ledger);
  }

  check(call: Call): Verdict {
    let reading: Reading | undefined;
    try {
      reading = readingOf(call, this.#parts);
      if (this.#resolve !== undefined && 'actions' in reading.judged && reading.judged.actions.some(namesHost)) {
        reading = { ...reading, judged: { reason: 'unmapped', code: 'gate-resolve' } };
      }
      const outcome = this.#begin(reading);
      if (isPending(outcome)) {
        outcome.then(undefined, () => undefined); // nobody waits for it here
        return this.#failed('gate-async', reading);
      }
      const verdict = this.#verdictOf(outcome, reading);
      const { receipt } = outcome;
      if (receipt !== undefined && !this.#isRecorded(receipt)) return this.#failed('gate-async', reading);
      return needsApproval(verdict) ? unreleased(verdict, isReleasable(outcome, reading) ? 'approval-missing' : 'ask-not-releasable') : verdict;
    } catch (error) {
      return this.#failed(codeOf(error), reading);
    }
  }

  async checkAsync(call: Call, { durable = false, signal }: CheckOptions = {}): Promise<Verdict> {
    let reading: Reading | undefined;
    try {
      reading = await this.#resolved(readingOf(call, this.#parts));
      for (let round = 1; ; round++) {
        const verdict = await this.#judge(reading, durable, signal);
        // GAT-12: judged anew by the rules that are in force now
        if (verdict.code !== 'install-between' || round === maxRounds) return verdict;
      }
    } catch (error) {
      return this.#failed(codeOf(error), reading);
    }
  }

  /** Decides, records, and asks where the rules say so. */
  async #judge(reading: Reading, durable: boolean, signal: AbortSignal | undefined): Promise<Verdict> {
    const outcome = await this.#begin(reading);
    const { receipt } = outcome;
    await receipt?.recorded;
    const verdict = this.#verdictOf(outcome, reading);
    if (needsApproval(verdict) && isReleasable(outcome, reading) && this.#approver !== undefined) {
      const released = await this.#ask(this.#approver, outcome, reading, verdict, signal);
      if (durable) await (released.release?.durable ?? receipt?.durable);
      return released.verdict;
    }
    if (durable) await receipt?.durable;
    if (!needsApproval(verdict)) return verdict;
    return unreleased(verdict, isReleasable(outcome, reading) ? 'approval-missing' : 'ask-not-releasable');
  }

  /** GAT-10 to GAT-12: an approval for this very ask, recorded, and the release behind it. */
  async #ask(
    approver: Approver,
    outcome: Outcome,
    reading: Reading,
    verdict: Verdict,
    signal: AbortSignal | undefined,
  ): Promise<{ verdict: Verdict; release?: Appended }> {
    const ledger = this.#recorder.ledger as Ledger;
    const ask: Ask = Object.freeze({
      hash: outcome.receipt?.hash ?? '',
      argsDigest: reading.facts.argsDigest ?? '',
      engineId: this.engine.engineId,
      call: reading.call,
      verdict,
    });
    const denied = (code: ErrorCode) => ({ verdict: unreleased(verdict, code) });
    let answer: Uint8Array | undefined;
    try {
      answer = await answerOf(approver, ask, signal);
    } catch {
      return denied('gate-fault');
    }
    if (answer === undefined || signal?.aborted === true) return denied('approval-missing');
    const given = readApproval(answer, ask, approver.keys);
    if (!given.isAboutIt) return denied(given.code);
    // INVARIANT (one turn): from here to the release nothing else takes a place in the chain
    const { recordedHash } = ledger.record(answer);
    const time = Math.max(this.#now(), ledger.now(), this.#time);
    if (!given.statement.approved) return denied('approval-refused');
    if (outcome.inForce !== ledger.inForce) return denied('install-between');
    if (given.statement.expires <= time) return denied('approval-expired');
    this.#time = time;
    const release = ledger.append({ statement: 'release', engine_id: this.engine.engineId, time, ask: ask.hash, approval: recordedHash });
    await release.recorded;
    const { seq, hash } = release;
    return { verdict: Object.freeze({ ...verdict, allowed: true, message: `${verdict.message}: approved`, release: Object.freeze({ seq, hash }) }), release };
  }

  #begin(reading: Reading): Outcome | Promise<Outcome> {
    const { judged, facts } = reading;
    if ('reason' in judged) return this.#refuse(reading, judged.reason, judged.code);
    try {
      const outcome = this.#recorder.decide(judged, facts);
      return isPending(outcome) ? outcome.then(undefined, (error) => this.#fault(reading, error)) : outcome;
    } catch (error) {
      return this.#fault(reading, error);
    }
  }

  /** GAT-8: an engine that throws is a recorded deny, where the ledger still takes one. */
  #fault(reading: Reading, error: unknown): Outcome {
    const code = codeOf(error);
    if (code === 'ledger-write' || code === 'ledger-closed') throw error;
    return this.#refuse(reading, 'fault', code);
  }

  #refuse({ agent, toolOf, facts }: Reading, reason: Refused['reason'], code: ErrorCode): Outcome {
    const tool = toolOf();
    return { ...this.#recorder.refuse({ agent, reason, ...(tool !== undefined && { tool }) }, facts), code };
  }

  /** GAT-16. */
  async #resolved(reading: Reading): Promise<Reading> {
    const { judged, agent } = reading;
    if (this.#resolve === undefined || !('actions' in judged) || !judged.actions.some(namesHost)) return reading;
    try {
      return { ...reading, judged: requestOf(agent, await withAddresses(judged, this.#resolve)) };
    } catch (error) {
      return { ...reading, judged: { reason: 'unmapped', code: codeOf(error) } };
    }
  }

  #verdictOf({ event, receipt, code }: Outcome, { argsSalt }: Reading): Verdict {
    const { decision, actions, policyVersion, policyDigest, time } = event;
    const { effect, rule, reason, action } = decision;
    this.#time = Math.max(this.#time, time);
    const words = wordsOf(decision, actions, code);
    const isObserved = this.mode === 'observe';
    return Object.freeze({
      effect,
      allowed: isObserved || effect === 'allow',
      ...(rule !== undefined && { rule }),
      ...(reason !== undefined && { reason }),
      ...(action !== undefined && { action }),
      message: isObserved ? observed(words) : words,
      ...(code !== undefined && { code }),
      ...(policyVersion !== undefined && { policyVersion }),
      ...(policyDigest !== undefined && { policyDigest }),
      ...(receipt !== undefined && { receipt: Object.freeze({ seq: receipt.seq, hash: receipt.hash, durable: receipt.durable }) }),
      ...(argsSalt !== undefined && { argsSalt }),
    });
  }

  /** GAT-4: nothing is let through unrecorded, but for what is only observed (GAT-13). */
  #failed(code: ErrorCode, reading: Reading | undefined): Verdict {
    const words = wordsOfFailure(code);
    const isObserved = this.mode === 'observe';
    return Object.freeze({
      effect: 'deny',
      allowed: isObserved,
      message: isObserved ? observed(words) : words,
      code,
      ...(reading?.argsSalt !== undefined && { argsSalt: reading.argsSalt }),
    });
  }

  #isRecorded({ seq }: Appended): boolean {
    return (this.#recorder.ledger?.recordedTo ?? -1) >= seq;
  }
}

function observed(words: string): string {
  return `only observed: ${words}`;
}

function needsApproval({ effect, allowed }: Verdict): boolean {
  return effect === 'ask' && !allowed;
}

/** LED-16: an ask without a place in a chain or without `args_digest` cannot be released. */
function isReleasable({ receipt }: Outcome, { facts }: Reading): boolean {
  return receipt !== undefined && facts.argsDigest !== undefined;
}

function unreleased(verdict: Verdict, code: ErrorCode): Verdict {
  return Object.freeze({ ...verdict, allowed: false, message: wordsOfAsk(verdict.rule, code), code });
}

function checkApprover({ keys, approve }: Approver, ledger: Ledger | undefined): void {
  if (!Array.isArray(keys) || typeof approve !== 'function') throw new TypeError('"approver" expected an approver, see localApprover');
  // GAT-11: an engine that approves its own asks has asked nobody
  if (keys.some(({ kid }) => kid === ledger?.kid)) throw new TypeError('"approver" expected another key than that of the engine');
}
