/**
 * A call read once (spec/gate.md, GAT-2): the caller's objects may change, or answer differently the next time they are asked.
 * @module
 */
import { refuse } from '../errors.js';
import type { Call } from '../mapping/call.js';
import { copyPlain, freezeDeep } from '../policy/plain.js';

/** A call as it was judged: deep frozen, without a prototype, so that a field that is not there is found nowhere. */
export type Snapshot = Call & { readonly args: unknown };

/** The call, and what is wrong with it, if anything is: then its arguments are `undefined`. */
export interface Read {
  readonly call: Snapshot;
  readonly problem?: unknown;
}

const textFields = ['tool', 'server', 'callId', 'agent', 'cwd'] as const;

/** Reads each field once; never throws. A field that is no text is left off where it may be, and a problem. */
export function readCall(given: unknown): Read {
  const call = Object.create(null) as Record<string, unknown>;
  let problem: unknown;
  const attempt = (name: string, read: () => unknown): void => {
    try {
      const value = read();
      if (value !== undefined) call[name] = value;
    } catch (error) {
      problem ??= error;
    }
  };
  call['tool'] = ''; // no name: without a canonical tool action
  for (const name of textFields) attempt(name, () => textOf(fieldOf(given, name), name));
  attempt('args', () => {
    const args = fieldOf(given, 'args');
    return freezeDeep(args === undefined ? {} : copyPlain(args));
  });
  return Object.freeze({ call: Object.freeze(call) as unknown as Snapshot, ...(problem !== undefined && { problem }) });
}

/** Own data alone: a getter of the caller's would run while the call is judged, and once more when it is used. */
function fieldOf(given: unknown, name: string): unknown {
  if (typeof given !== 'object' || given === null) return refuse('wrong-type', 'expected a call');
  const property = Object.getOwnPropertyDescriptor(given, name);
  if (property === undefined) return undefined;
  if (!('value' in property)) return refuse('not-plain-data', 'expected plain data, got an accessor');
  return property.value;
}

function textOf(value: unknown, name: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  return refuse('wrong-type', `expected ${name} to be text`);
}
