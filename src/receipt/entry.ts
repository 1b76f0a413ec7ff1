/**
 * One receipt read by the steps 1 to 8 of the verifier (spec/receipt.md), and its signature (step 9).
 * @module
 */
import { hex } from '../bytes.js';
import type { LooseAlgorithm } from '../cose/algorithm.js';
import { checkSignature, type ParsedSign1, parseSign1 } from '../cose/sign1.js';
import { isProblem, walkWholeCbor } from '../cose/walk.js';
import type { Problem } from '../errors.js';
import { sha256Text } from '../hash.js';
import { limits } from '../limits.js';
import { receiptProfile } from './profile.js';
import { fieldConflict, readStatement, type Statement } from './statement.js';
import type { Role, TrustedKey } from './trust.js';
import { readUsualDecision } from './usual-decision.js';

/** A receipt whose COSE part is good. `statement` is undefined where the payload is none, and `problems` say why. */
export interface Entry {
  readonly parsed: ParsedSign1;
  /** 64 lower-case hex digits. */
  readonly kid: string;
  readonly statement: Statement | undefined;
  readonly problems: readonly Problem[];
}

export interface ReadOptions {
  /** What the offset of the first byte counts as. */
  readonly base?: number;
  readonly alsoAlgorithms?: readonly LooseAlgorithm[];
}

/** Steps 1 to 8; a problem alone where the COSE part is broken. */
export function readEntry(bytes: Uint8Array, options: ReadOptions = {}): Entry | Problem {
  return read(bytes, options, readUsualDecision);
}

/** The same without the fast way for decisions: no object in the statement has a prototype. For who hands a statement out. */
export function readEntryByWalk(bytes: Uint8Array, options: ReadOptions = {}): Entry | Problem {
  return read(bytes, options, () => undefined);
}

function read(bytes: Uint8Array, { base = 0, alsoAlgorithms = none }: ReadOptions, readFast: typeof readUsualDecision): Entry | Problem {
  const parsed = parseSign1(bytes, { typ: receiptProfile.typ, kidBytes: receiptProfile.kidBytes, alsoAlgorithms, base }); // RCP-12 to RCP-18
  if (isProblem(parsed)) return parsed;
  const kid = kidOf(parsed);
  const usual = readFast(parsed.payload);
  if (usual !== undefined && fieldConflict(usual) === undefined) return { parsed, kid, statement: usual, problems: none };
  const walked = walkWholeCbor(parsed.payload, 0, { maxDepth: limits.receiptDepth, base: base + parsed.payloadOffset }); // RCP-19
  if (isProblem(walked)) return { parsed, kid, statement: undefined, problems: [walked] };
  const statement = readStatement(walked.value);
  if ('statement' in statement) return { parsed, kid, statement, problems: none };
  const problems = statement.map((problem) => ({ ...problem, where: { offset: base + parsed.payloadOffset, ...problem.where } }));
  return { parsed, kid, statement: undefined, problems };
}

const none: readonly never[] = [];

// headers are shared between messages that have the same, and with them the kid
let lastKid: { readonly bytes: Uint8Array; readonly text: string } | undefined;

function kidOf({ kid }: ParsedSign1): string {
  if (lastKid?.bytes !== kid) lastKid = { bytes: kid, text: hex(kid) };
  return lastKid.text;
}

/** The receipt hash (RCP-4). */
export function entryHash(entry: Entry): string {
  return sha256Text(entry.parsed.sigStructure);
}

/** RCP-20, with the key of the trust store. Undefined: it verifies. */
export function signatureProblem(entry: Entry, key: TrustedKey): Problem | undefined {
  return checkSignature(entry.parsed, key.key);
}

/** Which role makes which statement (LED-3). */
const rolesOf: Readonly<Record<Statement['statement'], Role>> = {
  decision: 'engine',
  genesis: 'engine',
  install: 'engine',
  release: 'engine',
  record: 'engine',
  authorization: 'installer',
  approval: 'approver',
  finding: 'harness',
  checkpoint: 'auditor',
  'audit-plan': 'harness',
  'audit-epoch': 'harness',
  'audit-report': 'harness',
};

export function roleOf(statement: Statement): Role {
  return rolesOf[statement.statement];
}

/**
 * What speaks against a key, but for a later revocation (RCP-21, LED-12). `time` is the effective time: a standalone receipt's own, and in a chain
 * the highest so far, so that dating back does not help.
 */
export function keyProblems(statement: Statement, key: TrustedKey, time: number): readonly Problem[] {
  const problems: Problem[] = [];
  const problem = (code: Problem['code'], message: string): void => void problems.push({ code, message, where: {} });
  const role = roleOf(statement);
  if (key.role !== role) problem('key-role', `expected a key with the role ${role} for a ${statement.statement}, got ${key.role}`);
  if (!key.engineIds.has(statement.engine_id)) problem('key-engine', 'the key may not speak for this engine');
  // RCP-10: half-open windows
  if (time < key.validFrom) problem('key-not-yet-valid', `expected a time from ${key.validFrom} on, got ${time}`);
  if (time >= key.validUntil) problem('key-expired', `expected a time below ${key.validUntil}, got ${time}`);
  if (time >= key.revokedAt) problem('key-revoked', `expected a time below the revocation at ${key.revokedAt}, got ${time}`);
  return problems;
}

/** The place in a chain of an engine's own statement; the `seq` of a checkpoint is that of another entry. */
export function ownSeq(statement: Statement): number | undefined {
  return 'seq' in statement && statement.statement !== 'checkpoint' ? statement.seq : undefined;
}

/** Whether the key was revoked at some later time and its `revoked_from_seq` does not settle it: a checkpoint must. */
export function needsPin(engineId: string, seq: number | undefined, key: TrustedKey): boolean {
  if (key.revokedAt === Number.POSITIVE_INFINITY) return false;
  const revokedFrom = key.revokedFromSeq.get(engineId);
  return seq === undefined || revokedFrom === undefined || seq >= revokedFrom;
}

export function revokedLater(key: TrustedKey): Problem {
  const message = `the key was revoked at ${key.revokedAt}, and nothing shows that the receipt was there before`;
  return { code: 'key-revoked-later', message, where: {} };
}
