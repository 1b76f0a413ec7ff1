/**
 * What a verifier reports of one standalone receipt (spec/receipt.md, RCP-20 to RCP-24), axis by axis.
 *
 * @module
 */
import type { Cbor } from './cbor.js';
import { type Action, canonicalRequest, type Decision, decide, type Policy, type Request } from './decide.js';
import { policyDigest } from './digest.js';
import type { Key } from './keys.js';
import { verifyBytes, verifySignature } from './receipt.js';
import { hexOf } from './text.js';

/** One key of a trust store. */
export interface Trusted {
  readonly key: Key;
  readonly role: 'engine' | 'installer' | 'approver' | 'harness' | 'auditor';
  readonly engine_ids: readonly string[];
  readonly valid_from?: number;
  readonly valid_until?: number;
  readonly revoked_at?: number;
  readonly revoked_from_seq?: Readonly<Record<string, number>>;
}

export interface Axis {
  readonly status: 'pass' | 'fail' | 'not-checked';
  readonly code?: string;
}

export interface Answers {
  readonly bytes: Axis;
  readonly signature: Axis;
  readonly 'key-trust': Axis;
  readonly rules: Axis;
  readonly 're-decision': Axis;
  readonly ok: boolean;
}

const pass: Axis = { status: 'pass' };
const unasked: Axis = { status: 'not-checked' };
const fail = (code: string): Axis => ({ status: 'fail', code });
const open = (code: string): Axis => ({ status: 'not-checked', code });

/** A CBOR map as the object that it was made of. */
function objectOf(value: Cbor): unknown {
  if (Array.isArray(value)) return (value as readonly Cbor[]).map(objectOf);
  if (value instanceof Map) return Object.fromEntries([...(value as ReadonlyMap<string, Cbor>)].map(([key, item]) => [key, objectOf(item)]));
  return value;
}

interface Statement {
  readonly engine_id: string;
  readonly time: number;
  readonly seq?: number;
  readonly agent: string;
  readonly actions: readonly Action[];
  readonly decision: Decision;
  readonly policy_digest?: string;
  readonly match_profile?: string;
}

/** RCP-21, at the receipt's own time. */
function keyTrust(said: Statement, trusted: Trusted): Axis {
  const { time } = said;
  if (trusted.role !== 'engine') return fail('key-role');
  if (!trusted.engine_ids.includes(said.engine_id)) return fail('key-engine');
  if (trusted.valid_from !== undefined && time < trusted.valid_from) return fail('key-not-yet-valid'); // RCP-10
  if (trusted.valid_until !== undefined && time >= trusted.valid_until) return fail('key-expired');
  if (trusted.revoked_at === undefined) return pass;
  if (time >= trusted.revoked_at) return fail('key-revoked');
  return open('key-revoked-later'); // a seq counts in a chain alone
}

/** RCP-22. */
function rules(said: Statement, policy: Policy | undefined): Axis {
  if (said.decision.reason === 'no-policy') return unasked; // RCP-23
  if (said.policy_digest === undefined) return open('digest-absent');
  return policy === undefined ? open('policy-missing') : pass;
}

/** RCP-23. */
function reDecision(said: Statement, policy: Policy | undefined): Axis {
  const { agent, actions, decision } = said;
  if (['unmapped', 'not-canonical', 'fault'].includes(decision.reason ?? '')) return pass;
  const isBound = decision.reason !== 'no-policy';
  // Another profile has another idea of what is canonical.
  if (isBound && policy === undefined) return unasked;
  if (isBound && said.match_profile !== 'ruleprint-match/1') return open('profile-unknown');
  const request: Request = { agent, actions };
  const canonical = canonicalRequest(request);
  if ('code' in canonical || JSON.stringify(canonical.ok.actions) !== JSON.stringify(actions.map(inShape))) return fail('action-not-canonical');
  if (policy === undefined) return pass;
  const again = decide(policy, request);
  const isSame = again.effect === decision.effect && again.rule === decision.rule && again.reason === decision.reason && again.action === decision.action;
  return isSame ? pass : fail('decision-differs');
}

/** The fields of an action in the order of the grammar, so that two actions can be compared as text. */
function inShape(action: Action): unknown {
  const order = ['path', 'host', 'port', 'method', 'argv', 'server', 'name'];
  const [kind, body] = Object.entries(action)[0] as [string, Readonly<Record<string, unknown>>];
  return { [kind]: Object.fromEntries(Object.entries(body).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))) };
}

/** The report of one receipt. Without policies nothing is asked of the rules. */
export function report(receipt: Uint8Array, store: readonly Trusted[], policies: readonly Policy[] | undefined): Answers {
  const walked = verifyBytes(receipt);
  const bytes = walked.codes[0] === undefined ? pass : fail(walked.codes[0]);
  const nothing = { bytes, signature: unasked, 'key-trust': unasked, rules: unasked, 're-decision': unasked, ok: false };
  if (walked.parts === undefined) return nothing;
  const kid = hexOf(walked.parts.kid);
  const trusted = store.find(({ key }) => hexOf(key.kid) === kid);
  if (trusted === undefined) return { ...nothing, 'key-trust': fail('key-unknown') }; // RCP-20
  const verified = verifySignature(walked.parts, new Map([[kid, trusted.key]]));
  if (verified !== 'pass') return { ...nothing, signature: fail(verified) };
  if (walked.statement === undefined || bytes.status === 'fail') return { ...nothing, signature: pass };
  const said = objectOf(walked.statement) as Statement;
  const trust = keyTrust(said, trusted);
  // RCP-24: statements of unknown origin prove nothing.
  const isAsked = policies !== undefined && trust.status !== 'fail';
  const policy = policies?.find((one) => policyDigest(one) === said.policy_digest);
  const answers = {
    bytes,
    signature: pass,
    'key-trust': trust,
    rules: isAsked ? rules(said, policy) : unasked,
    're-decision': isAsked ? reDecision(said, policy) : unasked,
  };
  const asked = [answers.bytes, answers.signature, answers['key-trust'], ...(policies === undefined ? [] : [answers.rules, answers['re-decision']])];
  return { ...answers, ok: asked.every(({ status }) => status === 'pass') };
}
