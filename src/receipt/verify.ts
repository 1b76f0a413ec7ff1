/**
 * The verifier of standalone receipts (spec/receipt.md, "Verifier"): works on the received bytes, answers every input with a report, trusts nobody.
 * @module
 */
import type { LooseAlgorithm } from '../cose/algorithm.js';
import { itemEnd } from '../cose/sequence.js';
import { isProblem } from '../cose/walk.js';
import type { Policy } from '../policy/model.js';
import { type Entry, keyProblems, needsPin, readEntry, revokedLater, signatureProblem } from './entry.js';
import { byDigest, judgeDecision, type PoliciesByDigest } from './re-decide.js';
import { type MappingOptions, needsArguments, type Remapping, remappingOf } from './re-map.js';
import { askedAxes, axes, type Axis, Gathering, Judgement, notChecked, pass, type Report, restsOn } from './report.js';
import type { Statement } from './statement.js';
import type { TrustedKey, TrustStore } from './trust.js';

export interface VerifyOptions extends MappingOptions {
  /** Keys come from here alone (RCP-11). */
  readonly trust: TrustStore;
  /** Policy texts at hand: they ask for the axes rules and re-decision. */
  readonly policies?: Iterable<Policy>;
  /** Axes that must pass beside those asked by default. */
  readonly require?: readonly Axis[];
  /** -8 (EdDSA) and -7 (ES256) verify only where the caller says so. */
  readonly alsoAlgorithms?: readonly LooseAlgorithm[];
}

/**
 * Verifies one receipt. Never throws for what is in `bytes`, and never says more than it checked.
 *
 * @throws RuleprintError for a policy that is none; RangeError for an unknown axis
 * @example
 * const report = verifyReceipt(bytes, { trust, policies: [policy] });
 * report.ok; // true
 * report.axes['re-decision']; // { status: 'pass' }
 * report.axes.completeness; // { status: 'not-checked', reason: 'standalone' }
 */
export function verifyReceipt(bytes: Uint8Array, options: VerifyOptions): Report {
  checkBytes(bytes);
  const verifier = prepare(options);
  const gathering = new Gathering();
  gathering.add(judgeReceipt(bytes, 0, {}, verifier));
  return gathering.report(verifier.asked);
}

/**
 * Verifies receipts that stand one after another, a CBOR sequence (RFC 8742). `onProgress` gets the number of bytes read so far.
 *
 * @throws as `verifyReceipt`
 */
export function verifyReceipts(sequence: Uint8Array, options: VerifyOptions, onProgress?: (bytes: number) => void): Report {
  checkBytes(sequence);
  const verifier = prepare(options);
  const gathering = new Gathering();
  let start = 0;
  for (let receipt = 0; start < sequence.length; receipt++) {
    const end = itemEnd(sequence, start);
    gathering.add(judgeReceipt(sequence.subarray(start, end), start, { receipt }, verifier));
    if (end === undefined) {
      const message = `expected receipts up to byte ${sequence.length}, cannot find the end of the one at ${start}`;
      gathering.found('bytes', { code: 'sequence-broken', message, where: { receipt, offset: start } });
      break;
    }
    start = end;
    onProgress?.(start);
  }
  return gathering.report(verifier.asked);
}

/** Options made ready: policies by digest. */
interface Verifier {
  readonly trust: TrustStore;
  readonly asked: readonly Axis[];
  readonly alsoAlgorithms: readonly LooseAlgorithm[];
  readonly policies: PoliciesByDigest | undefined;
  readonly remapping: Remapping | undefined;
}

const optionNames: readonly string[] = ['trust', 'policies', 'mappings', 'calls', 'require', 'alsoAlgorithms'];

function prepare(options: VerifyOptions): Verifier {
  checkOptions(options, optionNames);
  const { trust, policies, require = [], alsoAlgorithms = [] } = options ?? {};
  checkTrust(trust);
  checkAxes(require);
  const remapping = remappingOf(options);
  return {
    trust,
    asked: askedAxes([
      ...(policies === undefined ? [] : (['rules', 're-decision'] as const)),
      ...(remapping === undefined ? [] : (['mapping'] as const)),
      ...require,
    ]),
    alsoAlgorithms,
    policies: policies && byDigest(policies),
    remapping,
  };
}

/** A misspelt option would leave unasked what the caller wanted to know. */
export function checkOptions(options: { readonly policies?: unknown }, names: readonly string[]): void {
  const unknown = Object.keys(options ?? {}).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new TypeError(`"options" expected ${names.join(', ')}, got ${unknown}`);
  const policies = options?.policies as Partial<Iterable<unknown>> | undefined | null;
  if (policies !== undefined && typeof policies?.[Symbol.iterator] !== 'function') throw new TypeError('"policies" expected a list of policies');
}

export function checkTrust(trust: TrustStore | undefined): void {
  if (!(trust?.keys instanceof Map)) throw new TypeError('"trust" expected a trust store, see parseTrustStore');
}

export function checkAxes(require: readonly Axis[]): void {
  for (const axis of require) {
    if (!axes.includes(axis)) throw new RangeError(`"require" expected axes of ${axes.join(', ')}, got ${String(axis)}`);
  }
}

function checkBytes(bytes: unknown): void {
  if (!(bytes instanceof Uint8Array)) throw new TypeError('"bytes" expected a Uint8Array');
}

const alone = ['order', 'completeness', 'timeline', 'approvals', 'findings'] as const;

/** One receipt, step by step. `base` is its place in the file, for offsets. */
function judgeReceipt(bytes: Uint8Array, base: number, where: { receipt?: number }, verifier: Verifier): Judgement {
  const judgement = new Judgement(where);
  for (const axis of alone) judgement.answer(axis, notChecked('standalone'));
  judgement.answer('mapping', verifier.remapping === undefined ? needsArguments : restsOn('bytes'));
  const entry = readEntry(bytes, { base, alsoAlgorithms: verifier.alsoAlgorithms }); // steps 1 to 8
  if (isProblem(entry)) {
    judgement.found('bytes', entry);
    for (const axis of ['signature', 'key-trust', 'rules', 're-decision'] as const) judgement.answer(axis, restsOn('bytes'));
    return judgement;
  }
  for (const problem of entry.problems) judgement.found('bytes', problem);
  const { statement } = entry;
  if (statement !== undefined) judgement.answer('bytes', pass);
  const key = verifier.trust.keys.get(entry.kid);
  const isSigned = judgeSignature(entry, key, judgement); // step 9
  if (statement === undefined) {
    for (const axis of ['rules', 're-decision'] as const) judgement.answer(axis, restsOn('bytes'));
    if (isSigned) judgement.answer('key-trust', restsOn('bytes'));
    return judgement;
  }
  if (isSigned) judgeKey(statement, key as TrustedKey, judgement); // step 10
  judgeContent(statement, verifier.policies, judgement); // steps 11 and 12
  const weak = (['bytes', 'signature', 'key-trust'] as const).find((axis) => judgement.answers[axis]?.status === 'fail');
  if (weak === undefined) verifier.remapping?.judge(statement, judgement);
  else if (verifier.remapping !== undefined) judgement.answer('mapping', restsOn(weak));
  return judgement;
}

/** RCP-20. Whether the signature passed. */
export function judgeSignature(entry: Entry, key: TrustedKey | undefined, judgement: Judgement): boolean {
  if (key === undefined) {
    judgement.found('key-trust', { code: 'key-unknown', message: `the trust store has no key ${entry.kid}`, where: {} });
    judgement.answer('signature', notChecked('there is no key to check it with'));
    return false;
  }
  const problem = signatureProblem(entry, key);
  if (problem === undefined) {
    judgement.answer('signature', pass);
    return true;
  }
  judgement.found('signature', problem);
  judgement.answer('key-trust', restsOn('signature'));
  return false;
}

/** RCP-21, at the receipt's own time. */
function judgeKey(statement: Statement, key: TrustedKey, judgement: Judgement): void {
  const problems = keyProblems(statement, key, statement.time);
  for (const problem of problems) judgement.found('key-trust', problem);
  if (problems.length > 0) return;
  // whoever holds the key chooses seq as freely as time: revoked_from_seq counts in a chain alone
  if (needsPin(statement.engine_id, undefined, key)) judgement.found('key-trust', revokedLater(key), 'not-checked');
  else judgement.answer('key-trust', pass);
}

/** RCP-22 and RCP-23, for what decides. */
function judgeContent(statement: Statement, policies: PoliciesByDigest | undefined, judgement: Judgement): void {
  const weak = (['signature', 'key-trust'] as const).find((axis) => judgement.answers[axis]?.status === 'fail');
  const answerBoth = (answer: Parameters<Judgement['answer']>[1]): void => {
    for (const axis of ['rules', 're-decision'] as const) judgement.answer(axis, answer);
  };
  if (weak !== undefined) answerBoth(restsOn(weak));
  else if (policies === undefined) answerBoth(notChecked('no policies given'));
  else if (statement.statement === 'decision') judgeDecision(statement, policies, judgement, false);
  else answerBoth({ status: 'pass', reason: 'not a decision' });
}
