/**
 * The verifier (spec/receipt.md, "Verifier"): works on the received bytes, answers every input with a report, trusts nobody.
 * @module
 */
import { itemEnd } from '../cose/sequence.js';
import { checkSignature, parseSign1, type ParsedSign1 } from '../cose/sign1.js';
import type { LooseAlgorithm } from '../cose/algorithm.js';
import { isProblem, walkWholeCbor } from '../cose/walk.js';
import { hex } from '../bytes.js';
import { compilePolicy, decideCanonical } from '../decide/decide.js';
import { policyDigest } from '../digest/digest.js';
import { quote, type Problem } from '../errors.js';
import { limits } from '../limits.js';
import { matchProfile, type Decision, type Policy } from '../policy/model.js';
import { copyPolicy } from '../policy/copy.js';
import { canonicalOrProblem } from './canonical.js';
import { receiptProfile } from './profile.js';
import { askedAxes, axes, Gathering, Judgement, notChecked, pass, restsOn, type Axis, type Report } from './report.js';
import { readStatement, type DecisionStatement } from './statement.js';
import type { TrustedKey, TrustStore } from './trust.js';

export interface VerifyOptions {
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
  gathering.add(judgeReceipt(bytes, 0, undefined, verifier));
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
    gathering.add(judgeReceipt(sequence.subarray(start, end), start, receipt, verifier));
    if (end === undefined) {
      const message = `expected receipts up to byte ${sequence.length}, cannot find the end of the one at ${start}`;
      gathering.broken({ code: 'sequence-broken', message, where: { receipt, offset: start } });
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
  readonly policies: ReadonlyMap<string, Policy> | undefined;
}

const optionNames: readonly string[] = ['trust', 'policies', 'require', 'alsoAlgorithms'];

function prepare(options: VerifyOptions): Verifier {
  // a misspelt option would leave unasked what the caller wanted to know
  const unknown = Object.keys(options ?? {}).find((name) => !optionNames.includes(name));
  if (unknown !== undefined) throw new TypeError(`"options" expected ${optionNames.join(', ')}, got ${unknown}`);
  const { trust, policies, require = [], alsoAlgorithms = [] } = options ?? {};
  if (policies !== undefined && typeof policies?.[Symbol.iterator] !== 'function') throw new TypeError('"policies" expected a list of policies');
  if (!(trust?.keys instanceof Map)) throw new TypeError('"trust" expected a trust store, see parseTrustStore');
  for (const axis of require) {
    if (!axes.includes(axis)) throw new RangeError(`"require" expected axes of ${axes.join(', ')}, got ${String(axis)}`);
  }
  const byDigest = policies && new Map(Array.from(policies, copyPolicy).map((policy) => [policyDigest(policy), policy]));
  return { trust, asked: askedAxes({ policies, require }), alsoAlgorithms, policies: byDigest };
}

function checkBytes(bytes: unknown): void {
  if (!(bytes instanceof Uint8Array)) throw new TypeError('"bytes" expected a Uint8Array');
}

/** One receipt, step by step. `base` is its place in the file, for offsets. */
function judgeReceipt(bytes: Uint8Array, base: number, receipt: number | undefined, verifier: Verifier): Judgement {
  const judgement = new Judgement();
  const place = (problem: Problem): Problem => ({ ...problem, where: { ...(receipt !== undefined && { receipt }), ...problem.where } });
  for (const axis of ['order', 'completeness', 'timeline', 'approvals'] as const) judgement.answer(axis, notChecked('standalone'));
  judgement.answer('findings', notChecked('standalone'));
  judgement.answer('mapping', notChecked('needs the raw arguments and the mapping table'));

  const parsed = parseSign1(bytes, { ...receiptProfile, alsoAlgorithms: verifier.alsoAlgorithms, base }); // steps 1 to 7
  if (isProblem(parsed)) {
    judgement.found('bytes', place(parsed));
    for (const axis of ['signature', 'key-trust', 'rules', 're-decision'] as const) judgement.answer(axis, restsOn('bytes'));
    return judgement;
  }
  const statement = judgePayload(parsed, base, (problem) => judgement.found('bytes', place(problem))); // step 8
  const key = verifier.trust.keys.get(hex(parsed.kid));
  judgeSignature(parsed, key, judgement, place); // step 9
  if (statement === undefined) {
    for (const axis of ['rules', 're-decision'] as const) judgement.answer(axis, restsOn('bytes'));
    if (key !== undefined) judgement.answer('key-trust', restsOn('bytes'));
    return judgement;
  }
  judgement.answer('bytes', pass);
  const hasSignature = judgement.answers.signature.status === 'pass';
  if (hasSignature) judgeKeyTrust(statement, key as TrustedKey, judgement, place); // step 10
  const weak = (['signature', 'key-trust'] as const).find((axis) => judgement.answers[axis].status === 'fail') ?? (hasSignature ? undefined : 'key-trust');
  if (weak !== undefined) {
    for (const axis of ['rules', 're-decision'] as const) judgement.answer(axis, restsOn(weak));
  } else if (verifier.policies === undefined) {
    for (const axis of ['rules', 're-decision'] as const) judgement.answer(axis, notChecked('no policies given'));
  } else {
    const policy = judgeRules(statement, verifier.policies, judgement, place); // step 11
    judgeDecision(statement, policy, judgement, place); // step 12
  }
  return judgement;
}

type Place = (problem: Problem) => Problem;

/** RCP-19. Undefined where the payload is no statement. */
function judgePayload({ payload, payloadOffset }: ParsedSign1, base: number, found: (problem: Problem) => void): DecisionStatement | undefined {
  const walked = walkWholeCbor(payload, 0, { maxDepth: limits.receiptDepth, base: base + payloadOffset });
  if (isProblem(walked)) {
    found(walked);
    return undefined;
  }
  const statement = readStatement(walked.value);
  if ('statement' in statement) return statement;
  for (const problem of statement) found({ ...problem, where: { offset: base + payloadOffset, ...problem.where } });
  return undefined;
}

/** RCP-20. */
function judgeSignature(parsed: ParsedSign1, key: TrustedKey | undefined, judgement: Judgement, place: Place): void {
  if (key === undefined) {
    judgement.found('key-trust', place({ code: 'key-unknown', message: `the trust store has no key ${hex(parsed.kid)}`, where: {} }));
    return judgement.answer('signature', notChecked('there is no key to check it with'));
  }
  const problem = checkSignature(parsed, key.key);
  if (problem === undefined) return judgement.answer('signature', pass);
  judgement.found('signature', place(problem));
  judgement.answer('key-trust', restsOn('signature'));
}

/** RCP-21, at the receipt's own time. */
function judgeKeyTrust(statement: DecisionStatement, key: TrustedKey, judgement: Judgement, place: Place): void {
  const { engine_id: engine, time } = statement;
  const problem = (code: Problem['code'], message: string): void => judgement.found('key-trust', place({ code, message, where: {} }));
  if (key.role !== 'engine') problem('key-role', `expected a key with the role engine, got ${key.role}`);
  if (!key.engineIds.has(engine)) problem('key-engine', 'the key may not speak for this engine');
  // RCP-10: half-open windows
  if (time < key.validFrom) problem('key-not-yet-valid', `expected a time from ${key.validFrom} on, got ${time}`);
  if (time >= key.validUntil) problem('key-expired', `expected a time below ${key.validUntil}, got ${time}`);
  if (time >= key.revokedAt) problem('key-revoked', `expected a time below the revocation at ${key.revokedAt}, got ${time}`);
  if (judgement.answers['key-trust'].status === 'fail') return;
  // whoever holds the key chooses seq as freely as time: revoked_from_seq counts in a chain alone
  if (key.revokedAt !== Number.POSITIVE_INFINITY) {
    const message = `the key was revoked at ${key.revokedAt}, and nothing shows that the receipt was there before`;
    return judgement.found('key-trust', place({ code: 'key-revoked-later', message, where: {} }), 'not-checked');
  }
  judgement.answer('key-trust', pass);
}

/** RCP-22. Gives the policy that the receipt names, where it is at hand. */
function judgeRules(statement: DecisionStatement, policies: ReadonlyMap<string, Policy>, judgement: Judgement, place: Place): Policy | undefined {
  const { policy_digest: digest, decision } = statement;
  const open = (code: Problem['code'], message: string): void => judgement.found('rules', place({ code, message, where: {} }), 'not-checked');
  if (decision.reason === 'no-policy') {
    judgement.answer('rules', notChecked('the receipt says that no policy was in force'));
    return undefined;
  }
  if (digest === undefined) {
    open('digest-absent', 'the receipt names no digest');
    return undefined;
  }
  const policy = policies.get(digest);
  if (policy === undefined) open('policy-missing', `no policy at hand has the digest ${digest}`);
  else judgement.answer('rules', pass);
  return policy;
}

/** RCP-23. */
function judgeDecision(statement: DecisionStatement, policy: Policy | undefined, judgement: Judgement, place: Place): void {
  const { decision, match_profile: profile } = statement;
  if (decision.reason === 'unmapped' || decision.reason === 'not-canonical' || decision.reason === 'fault') {
    return judgement.answer('re-decision', { status: 'pass', reason: 'a decision without its actions cannot be made again' });
  }
  if (policy === undefined && decision.reason !== 'no-policy') return judgement.answer('re-decision', restsOn('rules'));
  if (policy !== undefined && profile !== matchProfile) {
    const message = `expected the match profile ${matchProfile}, got ${profile === undefined ? 'none' : 'another'}`;
    return judgement.found('re-decision', place({ code: 'profile-unknown', message, where: {} }), 'not-checked');
  }
  const problem = remake(statement, policy);
  if (problem !== undefined) return judgement.found('re-decision', place(problem));
  judgement.answer('re-decision', pass);
}

/** Makes the decision again from the recorded request; what is not as recorded, or undefined. */
function remake(statement: DecisionStatement, policy: Policy | undefined): Problem | undefined {
  const { decision } = statement;
  const request = canonicalOrProblem(statement);
  if (isProblem(request)) return request;
  const remade = decideCanonical(policy && compilePolicy(policy), request);
  if (sameDecision(remade, decision)) return undefined;
  const message = `the rules give ${sentence(remade)}, the receipt says ${sentence(decision)}`;
  return { code: 'decision-differs', message, where: { pointer: '/decision' }, evidence: { remade, recorded: { ...decision } } };
}

function sameDecision(a: Decision, b: Decision): boolean {
  return a.effect === b.effect && a.rule === b.rule && a.action === b.action && a.reason === b.reason;
}

function sentence({ effect, rule, reason, action }: Decision): string {
  const at = action === undefined ? '' : ` for action ${action}`;
  return rule === undefined ? `${effect} (${reason})${at}` : `${effect} by ${quote(rule)}${at}`;
}
