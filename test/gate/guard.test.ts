import { describe, expect, it } from 'vitest';
import { guard } from '../../src/gate/guard.js';
import { RuleprintError } from '../../src/errors.js';
import { answering, decisionsIn, gateWith, problemsIn } from './kit.js';

const refused = (work: Promise<unknown>): Promise<RuleprintError> =>
  work.then(
    () => {
      throw new Error('expected a refusal');
    },
    (error: RuleprintError) => error,
  );

describe('guard', () => {
  const read = async (gate: Parameters<typeof guard>[0], given: { path: unknown }): Promise<unknown> => {
    const ran: unknown[] = [];
    await guard(gate, 'read', async (args: { path: unknown }) => ran.push(args))(given);
    return ran;
  };

  it('runs a function that is allowed, with a copy of what was judged (GAT-15)', async () => {
    const { gate, store } = await gateWith();
    const given = { path: '/srv/a' };
    const run = guard(gate, 'read', async (args: { path: string }) => args);
    const result = run(given);
    given.path = '/srv/keys/a';
    expect(await result).toEqual({ path: '/srv/a' });
    expect(await result).not.toBe(given);
    expect(problemsIn(store)).toEqual([]);
  });

  it('throws denied in place of a function that may not run, with the verdict as evidence and no argument (GAT-17, GAT-14)', async () => {
    const { gate } = await gateWith();
    const error = await refused(read(gate, { path: '/srv/keys/canary' }));
    expect(error).toBeInstanceOf(RuleprintError);
    expect(error).toMatchObject({ code: 'denied', evidence: { effect: 'deny', rule: 'no-keys', receipt: expect.stringMatching(/^sha256:/) } });
    expect(JSON.stringify(error.problems)).not.toContain('canary');
    expect(await refused(read(gate, { path: '/etc/a' }))).toMatchObject({ evidence: { reason: 'no-rule' } });
  });

  it('asks the approver of the gate, and throws denied without one (GAT-10)', async () => {
    const write = (gate: Parameters<typeof guard>[0]): Promise<string> => guard(gate, 'write', ({ path }: { path: string }) => path)({ path: '/srv/a' });
    expect(await refused(write((await gateWith()).gate))).toMatchObject({ code: 'denied', evidence: { effect: 'ask', code: 'approval-missing' } });
    expect(await write((await gateWith({ approver: answering(true) })).gate)).toBe('/srv/a');
  });

  it('refuses what cannot be copied, and records it as unmapped: a getter could answer otherwise to the function (GAT-2)', async () => {
    const { gate, store } = await gateWith();
    let reads = 0;
    const sly = Object.defineProperty({}, 'path', { enumerable: true, get: () => (reads++ === 0 ? '/srv/a' : '/srv/keys/a') }) as { path: string };
    expect(await refused(read(gate, sly))).toMatchObject({ code: 'denied', evidence: { reason: 'unmapped' } });
    for (const given of [new Map(), () => 1, Object.create({ path: '/srv/a' })])
      expect(await refused(read(gate, given as never))).toMatchObject({ code: 'denied' });
    expect(reads).toBe(0);
    expect(decisionsIn(store).map(({ decision }) => decision.reason)).toEqual(['unmapped', 'unmapped', 'unmapped', 'unmapped']);
    expect(problemsIn(store)).toEqual([]);
  });

  it('takes several parameters by the names that it is given, or by their places (GAT-1)', async () => {
    const { gate, store } = await gateWith();
    const named = guard(gate, 'read', (path: string, lines: number) => `${path} ${lines}`, { args: (path, lines) => ({ path, lines }) });
    expect(await named('/srv/a', 3)).toBe('/srv/a 3');
    expect(await refused(named('/srv/keys/a', 3))).toMatchObject({ code: 'denied' });
    await guard(gate, 'other', (first: string, second: number) => [first, second], { server: 'files' })('x', 1);
    await guard(gate, 'none', () => 1)();
    expect(decisionsIn(store)[0]?.actions[1]).toEqual({ filesystem: { path: '/srv/a', method: 'read' } });
    expect(decisionsIn(store)).toHaveLength(4);
  });

  it('hands the function what was judged even where the names are given by a function that keeps what it got (GAT-15)', async () => {
    const { gate } = await gateWith();
    let kept: { path: string } | undefined;
    const run = guard(gate, 'read', (args: { path: string }) => args.path, {
      args: (args) => {
        kept = args;
        return args;
      },
    });
    const result = run({ path: '/srv/a' });
    if (kept !== undefined) kept.path = '/srv/keys/a';
    expect(await result).toBe('/srv/a');
  });

  it('lets everything through in observe mode, what cannot be copied too (GAT-13)', async () => {
    const { gate } = await gateWith({ mode: 'observe' });
    expect(await guard(gate, 'read', (map: Map<string, number>) => map.size)(new Map([['a', 1]]))).toBe(1);
  });

  it('passes on what the function throws, and refuses to guard what is none', async () => {
    const { gate } = await gateWith();
    const failing = guard(gate, 'list', () => {
      throw new Error('its own');
    });
    await expect(failing()).rejects.toThrow('its own');
    expect(() => guard(gate, 'list', 7 as never)).toThrow(TypeError);
  });
});
