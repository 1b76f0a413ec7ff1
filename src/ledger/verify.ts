/**
 * The verifier of ledgers (spec/ledger.md, "Verifier"). Two passes over the sources, in order, in flat memory.
 * @module
 */
import { hex } from '../bytes.js';
import type { LooseAlgorithm } from '../cose/algorithm.js';
import { isProblem } from '../cose/walk.js';
import type { Problem, Where } from '../errors.js';
import { limits } from '../limits.js';
import type { Policy } from '../policy/model.js';
import { type Entry, entryHash, keyProblems, needsPin, ownSeq, readEntry, revokedLater } from '../receipt/entry.js';
import { byDigest, judgeDecision, type PoliciesByDigest } from '../receipt/re-decide.js';
import { type MappingOptions, needsArguments, type Remapping, remappingOf } from '../receipt/re-map.js';
import { askedAxes, type Axis, Gathering, Judgement, notChecked, pass, type Report, restsOn } from '../receipt/report.js';
import type { RecordStatement, Statement } from '../receipt/statement.js';
import type { TrustedKey, TrustStore } from '../receipt/trust.js';
import { checkAxes, checkTrust, judgeSignature } from '../receipt/verify.js';
import { Chain, type Fault } from './chain.js';
import { type Checkpoint, checkpointFault, collect, readCheckpoint, readRecorded } from './citations.js';
import { Findings, type Recorded } from './findings.js';
import { Pins } from './pins.js';
import { type Item, itemsOf, type LedgerSource } from './source.js';

export interface VerifyLedgerOptions extends MappingOptions {
  readonly trust: TrustStore;
  /** Policy texts at hand beside those that folders hold. */
  readonly policies?: Iterable<Policy>;
  /** Checkpoint receipts kept elsewhere, with a name for reports. They ask for completeness. */
  readonly checkpoints?: readonly { readonly file: string; readonly bytes: Uint8Array }[];
  readonly require?: readonly Axis[];
  /** Raw arguments of calls, by the hash of the receipt about each: the digests in findings are made again from them. */
  readonly args?: ReadonlyMap<string, unknown>;
  /** Engine ids that must have entries. */
  readonly expectEngines?: readonly string[];
  readonly alsoAlgorithms?: readonly LooseAlgorithm[];
  /** Do not check again the signatures of entries that a good checkpoint covers. */
  readonly resume?: boolean;
  /** Signatures checked elsewhere, by the place of the receipt in the reading: its problem, or none. Internal to workers. */
  readonly signatures?: (receipt: number) => Problem | undefined;
  /** Gets the number of receipts read, twice from 0 on. */
  readonly onProgress?: (receipts: number, pass: 1 | 2) => void;
}

/**
 * Verifies ledgers and files of receipts together. Never throws for what is in them; what a source throws while it reads goes through.
 *
 * @example
 * const report = verifyLedger([readLedger('audit')], { trust, checkpoints: [{ file: 'checkpoint.cbor', bytes }] });
 * report.axes.completeness; // { status: 'pass', reason: 'up to seq 41; the 3 beyond are not checked' }
 */
export function verifyLedger(sources: readonly LedgerSource[], options: VerifyLedgerOptions): Report {
  checkTrust(options.trust);
  checkAxes(options.require ?? []);
  return new LedgerVerifier(sources, options).report();
}

/** Axes of an entry that rest on others. */
const content = ['rules', 're-decision'] as const;
const inChain = ['order', 'timeline', 'approvals'] as const;

const noPolicies = notChecked('no policies given');

class LedgerVerifier {
  readonly #sources: readonly LedgerSource[];
  readonly #options: VerifyLedgerOptions;
  readonly #gathering = new Gathering();
  readonly #policies: PoliciesByDigest | undefined;
  readonly #remapping: Remapping | undefined;
  readonly #findings: Findings;
  readonly #chains = new Map<string, Chain>();
  readonly #pins = new Map<string, Pins>();
  /** Receipt hashes that some entry cites. */
  #cited: ReadonlySet<string> = new Set();
  /** Checkpoints from outside, by keys that are trusted. */
  readonly #outside: Checkpoint[] = [];
  /** Checkpoints in the chains, by the place of their record in the reading. Who signed them is for the second pass. */
  #recorded: ReadonlyMap<number, Checkpoint> = new Map();
  #receipts = 0;

  constructor(sources: readonly LedgerSource[], options: VerifyLedgerOptions) {
    this.#sources = sources;
    this.#options = options;
    this.#remapping = remappingOf(options);
    this.#findings = new Findings(options.trust, options.args);
    const kept = sources.flatMap(({ policies = [] }) => [...policies]);
    const hasPolicies = options.policies !== undefined || kept.length > 0;
    this.#policies = hasPolicies ? byDigest([...kept, ...(options.policies ?? [])]) : undefined;
  }

  report(): Report {
    for (const { file, bytes } of this.#options.checkpoints ?? []) {
      const checkpoint = readCheckpoint(bytes, file, this.#options);
      if (isProblem(checkpoint)) this.#gathering.list({ ...checkpoint, axis: 'completeness', status: 'not-checked' });
      else this.#outside.push(checkpoint);
    }
    const { cited, recorded } = collect(this.#sources, this.#options, this.#options.onProgress && ((receipts) => this.#options.onProgress?.(receipts, 1)));
    this.#cited = cited;
    this.#recorded = recorded;
    const byEngine = new Map<string, Checkpoint[]>();
    for (const checkpoint of [...this.#outside, ...this.#recorded.values()]) entry(byEngine, checkpoint.engineId, () => []).push(checkpoint);
    for (const [engineId, checkpoints] of byEngine) this.#pins.set(engineId, new Pins(checkpoints));
    for (const source of this.#sources) this.#judge(source);
    this.#conclude();
    return this.#gathering.report(this.#asked());
  }

  #asked(): readonly Axis[] {
    const { require = [], checkpoints = [] } = this.#options;
    const more: Axis[] = [...require];
    const hasFolder = this.#sources.some(({ kind }) => kind === 'folder');
    if (hasFolder) more.push('order');
    if (this.#policies !== undefined) more.push('rules', 're-decision', ...(hasFolder ? (['timeline'] as const) : []));
    if (checkpoints.length > 0) more.push('completeness');
    if (this.#remapping !== undefined) more.push('mapping');
    return askedAxes(more);
  }

  /** The second pass: every entry, in order. */
  #judge(source: LedgerSource): void {
    const { durable } = source;
    let reachesDurable = durable === undefined;
    for (const segment of source.segments) {
      for (const item of itemsOf(segment)) {
        if (isProblem(item)) {
          this.#gathering.found('bytes', item);
          continue;
        }
        const entry = this.#read(item.bytes, item.offset);
        const judgement = new Judgement(placeOf(item, this.#receipts++, isProblem(entry) ? undefined : entry.statement));
        const hash = this.#judgeEntry(source, entry, judgement);
        if (durable !== undefined && !isProblem(durable) && hash === durable.hash && judgement.where.seq === durable.seq) reachesDurable = true;
        this.#gathering.add(judgement);
        this.#options.onProgress?.(this.#receipts, 2);
      }
    }
    if (!reachesDurable) {
      const message =
        durable === undefined || isProblem(durable)
          ? `cannot tell which entries are synced: ${durable?.message}`
          : `expected the entries up to seq ${durable.seq}, which the folder says are synced`;
      this.#gathering.found('order', { code: 'tail-missing', message, where: { file: source.file } });
    }
  }

  #read(bytes: Uint8Array, base: number): Entry | Problem {
    const { alsoAlgorithms } = this.#options;
    return readEntry(bytes, alsoAlgorithms === undefined ? { base } : { base, alsoAlgorithms });
  }

  /** Answers the axes of one entry. Gives its hash, where it has one. */
  #judgeEntry(source: LedgerSource, entry: Entry | Problem, judgement: Judgement): string | undefined {
    judgement.answer('mapping', this.#remapping === undefined ? needsArguments : restsOn('bytes'));
    if (isProblem(entry)) {
      judgement.found('bytes', entry);
      judgement.answerAll(['signature', 'key-trust', ...inChain, ...content], restsOn('bytes'));
      return undefined;
    }
    const { statement } = entry;
    for (const problem of entry.problems) judgement.found('bytes', problem);
    if (statement === undefined) {
      this.#judgeSignature(entry, undefined, judgement);
      judgement.answerAll(['key-trust', ...inChain, ...content], restsOn('bytes'));
      return undefined;
    }
    judgement.answer('bytes', pass);
    const hash = entryHash(entry);
    const time = this.#effectiveTime(statement);
    const isSigned = this.#judgeSignature(entry, statement, judgement);
    if (isSigned) this.#judgeKey(statement, time, entry, judgement);
    const isTrusted = isSigned && judgement.answers['key-trust']?.status !== 'fail';
    const recorded = statement.statement === 'record' && isSigned ? this.#judgeRecorded(statement, time, judgement) : undefined;
    if (statement.statement === 'record') this.#judgeCheckpoint(statement, time);
    const weak = (['bytes', 'signature'] as const).find((axis) => judgement.answers[axis]?.status !== 'pass');
    // what rests on these is judged all the same, for the state that it leaves, and answers nothing
    const behind = weak === undefined ? judgement : new Judgement(judgement.where);
    const chain = this.#chainOf(source, statement, hash, behind);
    this.#judgeTimeline(statement, chain, behind);
    if (weak === undefined) {
      this.#judgeApprovals(statement, chain, judgement);
      this.#judgeContent(statement, chain, judgement);
      if (isTrusted) this.#remapping?.judge(statement, judgement);
      else if (this.#remapping !== undefined) judgement.answer('mapping', restsOn('key-trust'));
    } else {
      if (this.#remapping !== undefined) judgement.answer('mapping', restsOn(weak));
      judgement.answerAll([...(weak === 'bytes' ? (['key-trust'] as const) : []), ...inChain, ...content], restsOn(weak));
    }
    if (statement.statement === 'record') {
      this.#findings.judge(statement, entry.kid, recorded, recorded?.entry ?? readRecorded(statement, this.#options), judgement);
    }
    if (chain !== undefined) this.#remember(statement, recorded, hash, chain, isTrusted);
    if (chain !== undefined && weak === undefined) this.#findings.remember(statement, hash, recorded, judgement, this.#cited);
    return hash;
  }

  /** LED-12: the highest time at or before an entry in its chain. */
  #effectiveTime(statement: Statement): number {
    const chain = ownSeq(statement) === undefined ? undefined : this.#chains.get(statement.engine_id);
    return Math.max(chain?.time ?? 0, statement.time);
  }

  /** Moves the chain on. Undefined for a standalone receipt. */
  #chainOf(source: LedgerSource, statement: Statement, hash: string, judgement: Judgement): Chain | undefined {
    const seq = ownSeq(statement);
    if (seq === undefined) {
      this.#findings.alone(statement, judgement);
      if (source.kind === 'folder') {
        judgement.found('order', { code: 'seq-missing', message: 'expected an entry with a seq', where: {} });
        judgement.answerAll(['timeline', 'approvals'], restsOn('order'));
      } else judgement.answerAll(inChain, notChecked('standalone'));
      return undefined;
    }
    const chain = entry(this.#chains, statement.engine_id, () => new Chain());
    if (statement.statement === 'genesis' && chain.lastSeq === undefined) chain.ledgerId = hex(statement.ledger_id);
    const fault = chain.follow(seq, 'prev' in statement ? statement.prev : undefined, hash, statement.statement === 'genesis');
    settle(judgement, 'order', fault);
    const back = chain.tick(statement);
    if (back !== undefined) judgement.note('order', { ...back, where: {} });
    this.#pins.get(statement.engine_id)?.pass(seq, hash, chain.ledgerId);
    return chain;
  }

  #judgeSignature(entry: Entry, statement: Statement | undefined, judgement: Judgement): boolean {
    const { trust, signatures, resume } = this.#options;
    const key = trust.keys.get(entry.kid);
    const seq = statement && ownSeq(statement);
    if (resume && statement !== undefined && seq !== undefined && key !== undefined && this.#isCovered(statement.engine_id, seq)) {
      judgement.answer('signature', { status: 'pass', reason: 'pinned by a checkpoint, not checked again' });
      return true;
    }
    if (signatures === undefined || key === undefined) return judgeSignature(entry, key, judgement);
    const problem = signatures(this.#receipts - 1);
    if (problem === undefined) {
      judgement.answer('signature', pass);
      return true;
    }
    judgement.found('signature', problem);
    judgement.answer('key-trust', restsOn('signature'));
    return false;
  }

  /** Whether a checkpoint from outside names an entry at or behind this one. Whether the chain bears it out is settled at the end. */
  #isCovered(engineId: string, seq: number): boolean {
    return this.#outside.some((checkpoint) => checkpoint.engineId === engineId && seq <= checkpoint.seq);
  }

  /** LED-12. */
  #judgeKey(statement: Statement, time: number, entry: Entry, judgement: Judgement): void {
    const key = this.#options.trust.keys.get(entry.kid) as TrustedKey;
    const problems = keyProblems(statement, key, time);
    for (const problem of problems) judgement.found('key-trust', problem);
    if (problems.length > 0) return;
    judgement.answer('key-trust', pass);
    const seq = ownSeq(statement);
    if (needsPin(statement.engine_id, seq, key)) this.#needPin(statement.engine_id, seq, key, judgement);
  }

  #needPin(engineId: string, seq: number | undefined, key: TrustedKey, judgement: Judgement): void {
    if (seq === undefined) return judgement.found('key-trust', revokedLater(key), 'not-checked');
    entry(this.#pins, engineId, () => new Pins([])).needs(key, seq, { ...judgement.where, engine: engineId, seq });
  }

  /** LED-2: a whole statement by another key. Gives it where it can be cited. */
  #judgeRecorded(record: RecordStatement, time: number, judgement: Judgement): Recorded | undefined {
    const at = (problem: Problem): Problem => ({ ...problem, where: { ...problem.where, pointer: '/recorded' } });
    const size = record.recorded.length;
    if (size > limits.recordedBytes) {
      judgement.found('bytes', at({ code: 'limit', message: `expected a recorded receipt of at most ${limits.recordedBytes} bytes, got ${size}`, where: {} }));
      return undefined;
    }
    const recorded = readEntry(record.recorded, { alsoAlgorithms: this.#options.alsoAlgorithms ?? [] });
    if (isProblem(recorded) || recorded.statement === undefined) {
      for (const problem of isProblem(recorded) ? [recorded] : recorded.problems) judgement.found('bytes', at(problem));
      return undefined;
    }
    const { statement } = recorded;
    const wrong = recordedFault(record, statement);
    if (wrong !== undefined) {
      judgement.found('bytes', at({ ...wrong, where: {} }));
      return undefined;
    }
    const inner = new Judgement({ ...judgement.where, pointer: '/recorded' });
    const key = this.#options.trust.keys.get(recorded.kid);
    let isTrusted = judgeSignature(recorded, key, inner);
    if (isTrusted && key !== undefined) {
      const problems = keyProblems(statement, key, time);
      for (const problem of problems) inner.found('key-trust', problem);
      isTrusted = problems.length === 0;
      if (isTrusted && needsPin(record.engine_id, record.seq, key)) this.#needPin(record.engine_id, record.seq, key, judgement);
    }
    judgement.absorb(inner);
    return { entry: recorded, isTrusted };
  }

  /** LED-13: a recorded checkpoint is judged at the effective time of its record. */
  #judgeCheckpoint(record: RecordStatement, time: number): void {
    const checkpoint = this.#recorded.get(this.#receipts - 1);
    if (checkpoint === undefined) return;
    const recorded = readRecorded(record, this.#options) as Entry;
    if (checkpointFault(recorded, time, this.#options.trust) !== undefined) this.#pins.get(checkpoint.engineId)?.drop(checkpoint);
  }

  /** LED-14. */
  #judgeTimeline(statement: Statement, chain: Chain | undefined, judgement: Judgement): void {
    if (chain === undefined) return;
    let fault: Fault | undefined;
    if (statement.statement === 'install') fault = chain.install(statement, this.#options.trust.requireInstaller);
    else if (statement.statement === 'decision') fault = chain.cites(statement);
    if (judgement.answers.order?.status === 'fail') return judgement.answer('timeline', restsOn('order'));
    settle(judgement, 'timeline', fault);
  }

  /** LED-16. */
  #judgeApprovals(statement: Statement, chain: Chain | undefined, judgement: Judgement): void {
    if (chain === undefined) return;
    const fault = statement.statement === 'release' ? chain.release(statement) : undefined;
    if (judgement.answers.order?.status === 'fail') return judgement.answer('approvals', restsOn('order'));
    settle(judgement, 'approvals', fault);
  }

  /** LED-15. */
  #judgeContent(statement: Statement, chain: Chain | undefined, judgement: Judgement): void {
    const weak = (['signature', 'key-trust', 'order', 'timeline'] as const).find((axis) => judgement.answers[axis]?.status === 'fail');
    if (weak !== undefined) judgement.answerAll(content, restsOn(weak));
    else if (this.#policies === undefined) judgement.answerAll(content, noPolicies);
    else if (statement.statement === 'decision') judgeDecision(statement, this.#policies, judgement, chain !== undefined);
    else judgement.answerAll(content, pass);
  }

  /** Keeps what a later entry cites. */
  #remember(statement: Statement, recorded: Recorded | undefined, hash: string, chain: Chain, isTrusted: boolean): void {
    if (statement.statement === 'decision' && statement.decision.effect === 'ask' && isTrusted && this.#cited.has(hash)) chain.ask(hash, statement);
    const inner = recorded?.entry.statement;
    if (recorded === undefined || inner === undefined) return;
    const innerHash = entryHash(recorded.entry);
    if (!this.#cited.has(innerHash)) return;
    // a hash does not bind the signature: a spoiled copy takes nothing from a good one, and a second copy renews nothing
    if (inner.statement === 'approval' && !chain.approvals.get(innerHash)?.isTrusted) {
      chain.approvals.set(innerHash, { statement: inner, isTrusted: recorded.isTrusted, used: false });
    }
    if (inner.statement === 'authorization' && !chain.authorizations.get(innerHash)?.isTrusted) {
      chain.authorizations.set(innerHash, { statement: inner, isTrusted: recorded.isTrusted });
    }
  }

  /** What is known only at the end: completeness (LED-13), keys revoked later (LED-12), engines that are not there. */
  #conclude(): void {
    const engines = new Set([...this.#chains.keys(), ...this.#pins.keys()]);
    for (const engineId of engines) {
      const chain = this.#chains.get(engineId);
      const pins = this.#pins.get(engineId) ?? new Pins([]);
      const problems = pins.problems(chain);
      for (const problem of problems) this.#gathering.found('completeness', { ...problem, where: { ...problem.where, engine: engineId } });
      if (problems.length === 0 && chain?.lastSeq !== undefined) {
        const answer = pins.completeness(chain.lastSeq);
        this.#gathering.weigh('completeness', engines.size === 1 ? answer : { ...answer, reason: `engine ${engineId}: ${answer.reason}` });
      }
      for (const { key, count, first } of pins.unpinned()) {
        this.#gathering.found('key-trust', { ...revokedLater(key), where: first, evidence: { entries: count } }, 'not-checked');
      }
      if (this.#options.resume && this.#outside.some((each) => each.engineId === engineId && !pins.isGood(each))) {
        this.#gathering.weigh('signature', restsOn('completeness'));
      }
    }
    for (const engineId of this.#options.expectEngines ?? []) {
      if (this.#chains.has(engineId)) continue;
      this.#gathering.found('completeness', { code: 'engine-missing', message: 'expected entries of this engine, got none', where: { engine: engineId } });
    }
    this.#findings.conclude(this.#gathering);
    if (this.#chains.size === 0) this.#gathering.weigh('completeness', notChecked('standalone'));
  }
}

function recordedFault(record: RecordStatement, statement: Statement): Fault | undefined {
  if (ownSeq(statement) !== undefined || statement.statement === 'decision') {
    return { code: 'record-kind', message: `expected a statement by another key, got a ${statement.statement}` };
  }
  if (statement.engine_id !== record.engine_id) return { code: 'record-engine', message: 'expected a statement about this engine' };
  return undefined;
}

function placeOf({ file, offset }: Item, receipt: number, statement: Statement | undefined): Where {
  if (statement === undefined) return { file, receipt, offset };
  const seq = ownSeq(statement);
  return seq === undefined ? { file, receipt, offset, engine: statement.engine_id } : { file, receipt, offset, engine: statement.engine_id, seq };
}

function settle(judgement: Judgement, axis: Axis, fault: Fault | undefined): void {
  if (fault === undefined) judgement.answer(axis, pass);
  else judgement.found(axis, { ...fault, where: {} });
}

function entry<V>(map: Map<string, V>, key: string, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
