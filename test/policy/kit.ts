/**
 * Good values, to be changed in one thing, and the refusal that the change must bring.
 * @module
 */
import { expect } from 'vitest';
import { RuleprintError, type ErrorCode, type Problem } from '../../src/errors.js';
import type { Action, ActionPattern, Policy, Rule } from '../../src/policy/model.js';
import { copyPolicy } from '../../src/policy/copy.js';
import { checkPolicy } from '../../src/policy/parse.js';

export const filesystem = (path = '/srv/**', methods: 'any' | string[] = 'any'): ActionPattern => ({ filesystem: { path, methods } });
export const network = (change: Partial<Extract<ActionPattern, { network: unknown }>['network']> = {}): ActionPattern => ({
  network: { host: 'example.com', ports: 'any', methods: 'any', ...change },
});
export const argv = (...items: string[]): ActionPattern => ({ process: { argv: items } });
export const tool = (server = 'fs', name = 'read_file'): ActionPattern => ({ tool: { server, name } });

export const ruleOf = (change: Partial<Rule> = {}): Rule => ({ name: 'r', effect: 'allow', agents: 'any', action: filesystem(), ...change });
export const policyOf = (...rules: readonly Rule[]): Policy => ({ version: 1, rules });

/** Rules named a, b, c … that differ in their effect and action alone. */
export const rulesOf = (...pairs: readonly (readonly [Rule['effect'], ActionPattern])[]): Rule[] =>
  pairs.map(([effect, action], i) => ruleOf({ name: String.fromCharCode(97 + i), effect, action }));

export const read = (path = '/srv/a'): Action => ({ filesystem: { path, method: 'read' } });
export const connect = (host = 'example.com', port = 443, method?: string): Action => ({ network: { host, port, ...(method !== undefined && { method }) } });
export const run = (...items: string[]): Action => ({ process: { argv: items } });
export const call = (server = 'fs', name = 'read_file'): Action => ({ tool: { server, name } });

/** A loose value: for what the types would refuse before the code does. */
// biome-ignore lint/suspicious/noExplicitAny: bad values have no type
export type Loose = any;

export interface Refusal {
  readonly code: ErrorCode;
  readonly pointer: string | undefined;
}

/** The one problem that an act is refused with. */
export function refused(act: () => unknown): Problem {
  let got: unknown;
  try {
    got = act();
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    expect(error.problems).toHaveLength(1);
    return error.problems[0];
  }
  throw new Error(`expected a refusal, got ${JSON.stringify(got)}`);
}

/** Its code alone. */
export const codeOf = (act: () => unknown): ErrorCode => refused(act).code;

/** Its code and place. */
export function refusal(act: () => unknown): Refusal {
  const { code, where } = refused(act);
  return { code, pointer: where.pointer };
}

/** The problems of a text, by code and pointer. */
export function problemsOf(text: string | Uint8Array, format: 'json' | 'yaml' = 'json'): Refusal[] {
  const result = checkPolicy(text, { format });
  return 'problems' in result ? result.problems.map(({ code, where }) => ({ code, pointer: where.pointer })) : [];
}

/** The problems of an object, by code and pointer. */
export function problemsOfObject(value: unknown): Refusal[] {
  try {
    copyPolicy(value);
    return [];
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    return error.problems.map(({ code, where }) => ({ code, pointer: where.pointer }));
  }
}

/** A deep copy with the member at a path replaced, or left out where the value is `undefined`. */
export function changed(value: unknown, path: readonly (string | number)[], to: unknown): Loose {
  const copy = structuredClone(value) as Loose;
  const last = path.at(-1) as string | number;
  const parent = path.slice(0, -1).reduce((at: Loose, step) => at[step], copy);
  if (to === undefined) delete parent[last];
  else parent[last] = to;
  return copy;
}

/** Every object inside, the value itself first. */
export function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}
