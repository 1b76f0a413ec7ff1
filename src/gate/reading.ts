/**
 * From a call to the request that is judged, or to the reason why there is none (spec/gate.md, GAT-2 to GAT-7).
 * @module
 */
import { argsDigest } from '../digest/args-digest.js';
import { type ErrorCode, errorCodes, refuse } from '../errors.js';
import type { Refusal } from '../ledger/engine.js';
import { type Mapper, refusalReason } from '../mapping/mapper.js';
import type { Action, Request } from '../policy/model.js';
import { canonicalRequest } from '../policy/request.js';
import { checkName } from '../policy/text.js';
import type { CallFacts } from '../receipt/issue.js';
import { readCall, type Snapshot } from './snapshot.js';

/** Why no rule is asked. */
export interface Refused {
  readonly reason: Refusal['reason'];
  readonly code: ErrorCode;
}

/** A call on its way. */
export interface Reading {
  readonly call: Snapshot;
  readonly agent: string;
  /** Gives the tool action, where it is canonical: for the receipt of a call that no rule is asked about. */
  readonly toolOf: () => Action | undefined;
  readonly facts: CallFacts;
  readonly argsSalt: string | undefined;
  readonly judged: Request | Refused;
}

/** What a gate is made of, as far as reading a call needs it. */
export interface ReadingParts {
  readonly map: Mapper;
  readonly mapping: string;
  readonly agent: string;
  readonly salt: (() => string) | undefined;
  readonly enforced: boolean;
}

/** Never throws: what cannot be read, digested or mapped becomes a refusal. */
export function readingOf(given: unknown, { map, mapping, agent: own, salt, enforced }: ReadingParts): Reading {
  const { call, problem } = readCall(given);
  let refused: Refused | undefined;
  const attempt = <T>(reasonOf: (error: unknown) => Refusal['reason'], act: () => T): T | undefined => {
    try {
      return act();
    } catch (error) {
      refused ??= { reason: reasonOf(error), code: codeOf(error) };
      return undefined;
    }
  };
  const fault = (): Refusal['reason'] => 'fault';
  if (problem !== undefined) refused = { reason: 'unmapped', code: codeOf(problem) };
  // a receipt names an agent: a call whose agent is no name is recorded under the gate's own
  const agent =
    attempt(
      () => 'not-canonical',
      () => nameOf(call.agent ?? own),
    ) ?? own;
  const argsSalt = salt === undefined ? undefined : attempt(fault, () => saltOf(salt()));
  const isDigestible = problem === undefined && (salt === undefined) === (argsSalt === undefined);
  const digest = isDigestible
    ? attempt(
        () => 'unmapped',
        () => argsDigest(call.args, argsSalt),
      )
    : undefined;
  const callId = goodName(call.callId);
  const facts: CallFacts = {
    ...(callId !== undefined && { callId }),
    ...(digest !== undefined && { argsDigest: digest }),
    mapping,
    ...(!enforced && { enforced: false as const }),
  };
  const request = refused === undefined ? attempt(reasonOf, () => requestOf(agent, map.map(call))) : undefined;
  return { call, agent, toolOf: () => toolOf(map, call, own), facts, argsSalt, judged: request ?? (refused as Refused) };
}

/** A part of ours or of the mapper that failed is a fault; the rest is about the call. */
function reasonOf(error: unknown): Refusal['reason'] {
  return codeOf(error) === 'gate-fault' ? 'fault' : refusalReason(error);
}

/** In canonical form, its first action a tool action: else a rule on the tool would not bite. */
export function requestOf(agent: string, actions: readonly Action[]): Request {
  const request = canonicalRequest({ agent, actions });
  if (!('tool' in (request.actions[0] as Action))) refuse('gate-fault', 'expected a tool action in front');
  return request;
}

/** The code of what a part threw: ours, or `gate-fault`. */
export function codeOf(error: unknown): ErrorCode {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return known.has(code) ? (code as ErrorCode) : 'gate-fault';
}

const known: ReadonlySet<unknown> = new Set(errorCodes);

/** A mapper that fails here as well leaves the receipt without an action. */
function toolOf(map: Mapper, call: Snapshot, agent: string): Action | undefined {
  try {
    const tool = map.toolAction(call);
    return tool === undefined ? undefined : canonicalRequest({ agent, actions: [tool] }).actions[0];
  } catch {
    return undefined;
  }
}

function saltOf(salt: unknown): string {
  if (typeof salt !== 'string') refuse('gate-fault', 'expected text from the source of salts');
  return salt;
}

function nameOf(text: string): string {
  checkName(text);
  return text;
}

/** An id that is no name is left off: whoever chose it must not make a call unrecordable (GAT-7). */
function goodName(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return nameOf(text);
  } catch {
    return undefined;
  }
}
