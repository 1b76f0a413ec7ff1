/**
 * What every adapter must do: one table of calls, run by each SDK with a model that asks for that call and then is done.
 * @module
 */
import { describe, expect, it } from 'vitest';
import { createGate, type Gate } from '../../src/gate/gate.js';
import type { PolicyEngine } from '../../src/engine/engine.js';
import { answering, decisionsIn, gateWith, mapper, mapperWith, problemsIn } from '../gate/kit.js';

export interface ToolCall {
  readonly name: 'read' | 'write';
  readonly args: { readonly path: string };
}

/** What became of the call. */
export interface Run {
  /** The arguments of each time that the tool ran. */
  readonly ran: readonly unknown[];
  /** All that the model was told of it, and all that the host got, as text. */
  readonly told: string;
}

export interface Adapter {
  readonly name: string;
  /** Has the SDK run a call under a gate. */
  run(gate: Gate, call: ToolCall): Promise<Run>;
  /** What the host or the model is told where the rules ask and nobody has answered. */
  readonly asks: string;
  /** Whether the SDK tells the adapter the id of the call, which is `c1`. */
  readonly hasCallId: boolean;
}

const read = (path: string): ToolCall => ({ name: 'read', args: { path } });
const write: ToolCall = { name: 'write', args: { path: '/srv/a' } };

/** An engine that breaks. */
export const throwing: PolicyEngine = {
  engineId: 'engine-a',
  install: () => ({ version: 1 }),
  evaluate: () => {
    throw new Error('boom-secret');
  },
  evaluateTraced: () => {
    throw new Error('boom-secret');
  },
};

export function contract({ name, run, asks, hasCallId }: Adapter): void {
  describe(name, () => {
    it('runs a tool that is allowed, with what was judged, after the receipt (GAT-1)', async () => {
      const { gate, store } = await gateWith();
      const { ran, told } = await run(gate, read('/srv/a'));
      expect(ran).toEqual([{ path: '/srv/a' }]);
      expect(told).toContain('content of /srv/a');
      expect(decisionsIn(store)).toEqual([expect.objectContaining({ actions: expect.arrayContaining([{ filesystem: { path: '/srv/a', method: 'read' } }]) })]);
      expect(decisionsIn(store)[0]?.call_id).toBe(hasCallId ? 'c1' : undefined);
      expect(problemsIn(store)).toEqual([]);
    });

    it('does not run a tool that is denied, and says which rule (GAT-15)', async () => {
      const { gate, store } = await gateWith();
      const { ran, told } = await run(gate, read('/srv/keys/a'));
      expect(ran).toEqual([]);
      expect(told).toContain('no-keys');
      expect(decisionsIn(store)).toHaveLength(1);
    });

    it('does not run a tool whose ask nobody has answered (GAT-10, GAT-15)', async () => {
      const { gate, store } = await gateWith();
      const { ran, told } = await run(gate, write);
      expect(ran).toEqual([]);
      expect(told).toContain(asks);
      expect(decisionsIn(store)[0]?.decision.effect).toBe('ask');
      expect(problemsIn(store)).toEqual([]);
    });

    it('runs it after the yes of an approver, and not after the no (GAT-12)', async () => {
      const yes = await gateWith({ approver: answering(true) });
      expect((await run(yes.gate, write)).ran).toEqual([{ path: '/srv/a' }]);
      expect(problemsIn(yes.store)).toEqual([]);
      const no = await gateWith({ approver: answering(false) });
      expect((await run(no.gate, write)).ran).toEqual([]);
    });

    it('does not run a tool where the engine throws, and tells nobody what (GAT-8, GAT-14)', async () => {
      const { ran, told } = await run(createGate({ engine: throwing, map: mapper, agent: 'builder' }), read('/srv/a'));
      expect(ran).toEqual([]);
      expect(told).not.toContain('boom-secret');
    });

    it('does not run a tool where the gate itself breaks its promise and rejects (GAT-15)', async () => {
      const { gate } = await gateWith();
      const broken: Gate = {
        engine: gate.engine,
        mode: 'enforce',
        hasApprover: false,
        check: () => throwing.evaluate({ agent: 'a', actions: [] }) as never,
        checkAsync: () => Promise.reject(new Error('boom-secret')),
      };
      const { ran, told } = await run(broken, read('/srv/a'));
      expect(ran).toEqual([]);
      expect(told).not.toContain('boom-secret');
    });

    it('does not run a tool whose mapping breaks (GAT-8)', async () => {
      const { gate } = await gateWith({
        map: mapperWith({
          map: () => {
            throw new Error('boom-secret');
          },
        }),
      });
      expect((await run(gate, read('/srv/a'))).ran).toEqual([]);
    });

    it('runs everything in observe mode, and records what the rules say (GAT-13)', async () => {
      const { gate, store } = await gateWith({ mode: 'observe' });
      expect((await run(gate, read('/srv/keys/a'))).ran).toEqual([{ path: '/srv/keys/a' }]);
      expect(decisionsIn(store)[0]).toMatchObject({ enforced: false, decision: { effect: 'deny', rule: 'no-keys' } });
    });
  });
}

/** A tool that says what it ran with. */
export function recorder(): { readonly ran: unknown[]; readonly execute: (args: { path: string }) => Promise<string> } {
  const ran: unknown[] = [];
  return {
    ran,
    execute: async (args) => {
      ran.push(structuredClone(args));
      return `content of ${args.path}`;
    },
  };
}

/** Everything in it as text, messages of errors too. */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (member instanceof Error ? { message: member.message } : member)) ?? '';
}
