/**
 * A gate around any function (spec/gate.md, GAT-15, GAT-17).
 * @module
 */
import { RuleprintError } from '../errors.js';
import type { Call } from '../mapping/call.js';
import { copyPlain } from '../policy/plain.js';
import type { CheckOptions, Gate } from './gate.js';
import type { Verdict } from './verdict.js';

export interface GuardOptions<P extends readonly unknown[]> {
  /** The tool server; by default that of the mapper. */
  readonly server?: string;
  /**
   * Names the parameters, for the mapping. By default one parameter that is an object is the arguments themselves, and others are
   * `{ "0": first, "1": second, … }`.
   */
  readonly args?: (...parameters: P) => Readonly<Record<string, unknown>>;
}

/** A verdict, and the arguments that it is about: a copy that is the caller's alone. */
export interface Judged<T> {
  readonly verdict: Verdict;
  readonly isAllowed: boolean;
  readonly args: T;
}

/**
 * Wraps a function: each call is judged by its parameters, and the function gets a copy of what was judged. A call that may not run rejects with
 * RuleprintError `denied`, whose `evidence` holds `effect` and, where they are there, `rule`, `reason`, `code` and `receipt`.
 *
 * @example
 * const readFile = guard(gate, 'read_file', ({ path }: { path: string }) => fs.readFile(path, 'utf8'));
 * await readFile({ path: '/srv/a' });
 */
export function guard<P extends readonly unknown[], R>(
  gate: Gate,
  name: string,
  fn: (...parameters: P) => R,
  { server, args = named }: GuardOptions<P> = {},
): (...parameters: P) => Promise<Awaited<R>> {
  if (typeof fn !== 'function') throw new TypeError('"fn" expected a function');
  return async (...parameters): Promise<Awaited<R>> => {
    const call = { tool: name, ...(server !== undefined && { server }) };
    const judged = await judge(gate, call, parameters, (copy) => args(...copy));
    if (!judged.isAllowed) throw deniedError(judged.verdict);
    return (await fn(...judged.args)) as Awaited<R>;
  };
}

/**
 * Copies what a tool is given and has the copy judged, so that no change from outside comes between (GAT-15). Never rejects: what fails is a
 * verdict that denies. What is no plain data is judged as such: a recorded deny, and where the gate only observes, the original goes through.
 */
export async function judge<T>(
  gate: Gate,
  call: Omit<Call, 'args'>,
  given: T,
  argsOf: (copy: T) => unknown = identity,
  options?: CheckOptions,
): Promise<Judged<T>> {
  try {
    const copied = copyOf(given, argsOf);
    // NaN has no digest: the call is recorded as unmapped
    const verdict = await gate.checkAsync({ ...call, args: copied === undefined ? Number.NaN : copied.args }, options);
    const isAllowed = verdict.allowed === true && (copied !== undefined || gate.mode === 'observe');
    return { verdict, isAllowed, args: copied === undefined ? given : copied.given };
  } catch {
    return { verdict: broken, isAllowed: false, args: given };
  }
}

function copyOf<T>(given: T, argsOf: (copy: T) => unknown): { given: T; args: unknown } | undefined {
  try {
    const copy = copyPlain(given) as T;
    // a second copy: who names the arguments may hold on to what they got
    return { given: copy, args: copyPlain(argsOf(copyPlain(given) as T)) };
  } catch {
    return undefined;
  }
}

/** What to throw where a call may not run. */
export function deniedError({ effect, message, rule, reason, code, receipt }: Verdict): RuleprintError {
  return new RuleprintError({
    code: 'denied',
    message,
    where: {},
    evidence: {
      effect,
      ...(rule !== undefined && { rule }),
      ...(reason !== undefined && { reason }),
      ...(code !== undefined && { code }),
      ...(receipt !== undefined && { receipt: receipt.hash }),
    },
  });
}

function identity<T>(value: T): T {
  return value;
}

function named(...parameters: readonly unknown[]): Readonly<Record<string, unknown>> {
  const [only] = parameters;
  if (parameters.length === 1 && typeof only === 'object' && only !== null && !Array.isArray(only)) return only as Record<string, unknown>;
  return Object.fromEntries(parameters.map((parameter, i) => [String(i), parameter]));
}

/** For a gate that is none of ours and breaks its promise never to reject. */
const broken: Verdict = Object.freeze({
  effect: 'deny',
  allowed: false,
  message: 'denied: the gate could not judge the call (gate-fault)',
  code: 'gate-fault',
});
