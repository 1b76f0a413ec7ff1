/**
 * The axis *mapping* (MAP-19, MAP-20).
 * @module
 */
import { describe, expect, it } from 'vitest';
import { createSigner } from '../../src/cose/signer.js';
import { argsDigest } from '../../src/digest/args-digest.js';
import { InMemoryPolicyEngine } from '../../src/engine/in-memory.js';
import { createMapper } from '../../src/mapping/mapper.js';
import { shippedMappings } from '../../src/mapping/shipped.js';
import type { Mapping } from '../../src/mapping/table.js';
import type { Action } from '../../src/policy/model.js';
import { type CallFacts, signReceipt } from '../../src/receipt/issue.js';
import type { RawCall } from '../../src/receipt/re-map.js';
import type { AxisAnswer, Report } from '../../src/receipt/report.js';
import { verifyReceipt, verifyReceipts } from '../../src/receipt/verify.js';
import { concat } from '../../src/bytes.js';
import { ruleOf, tool } from '../policy/kit.js';
import { cbor, key, otherKey, receipt, statement, trust } from './kit.js';

const table = shippedMappings.get('server-filesystem') as Mapping;
const mapper = createMapper(table, { server: 'fs' });
const move: RawCall = { tool: 'move_file', args: { source: '/srv/a', destination: '/srv/x/../b' }, callId: '7' };
const actions = mapper.map(move);

/** What a gate records of a call. */
function recorded(given: readonly Action[] = actions, facts: CallFacts = {}): Uint8Array {
  const engine = new InMemoryPolicyEngine({ engineId: 'engine-a', now: () => 1_793_318_400_000 });
  engine.install({ version: 1, rules: [ruleOf({ action: tool('*', '*') })] });
  const event = engine.evaluate({ agent: 'builder', actions: given });
  return signReceipt(event, createSigner(key), { argsDigest: argsDigest(move.args), mapping: mapper.digest, callId: '7', ...facts });
}

const reportOf = (bytes: Uint8Array, ...calls: readonly RawCall[]): Report => verifyReceipt(bytes, { trust, mappings: [mapper], calls });
const answer = (bytes: Uint8Array, ...calls: readonly RawCall[]): AxisAnswer => reportOf(bytes, ...calls).axes.mapping;
const refusedAs = (reason: string, facts: object = {}): Uint8Array =>
  receipt({
    payload: cbor(
      statement({
        actions: [{ tool: { server: 'fs', name: 'move_file' } }],
        decision: { effect: 'deny', reason },
        mapping: mapper.digest,
        call_id: '7',
        ...facts,
      }),
    ),
  });

describe('the axis mapping', () => {
  it('passes where the mapping makes the recorded actions of the call (MAP-20)', () => {
    expect(reportOf(recorded(), move)).toMatchObject({
      ok: true,
      axes: { mapping: { status: 'pass' } },
      asked: ['bytes', 'signature', 'key-trust', 'mapping'],
    });
  });

  it('is asked only where mappings and calls are given (MAP-19)', () => {
    const open = { status: 'not-checked', reason: 'needs the raw arguments and the mapping table' };
    expect(verifyReceipt(recorded(), { trust }).axes.mapping).toEqual(open);
    expect(verifyReceipt(recorded(), { trust, mappings: [mapper] })).toMatchObject({ ok: true, axes: { mapping: open } });
    expect(verifyReceipt(recorded(), { trust, calls: [move] })).toMatchObject({ ok: true, axes: { mapping: open } });
  });

  it.each<[string, readonly Action[]]>([
    ['left out', actions.slice(0, 2)],
    ['turned', [actions[0], actions[2], actions[1]] as Action[]],
    ['with another path', [...actions.slice(0, 2), { filesystem: { path: '/srv/c', method: 'write' } }]],
    ['with another method', [...actions.slice(0, 2), { filesystem: { path: '/srv/b', method: 'read' } }]],
    ['with an action of another kind beside them', [...actions, { network: { host: 'example.com', port: 443 } }]],
    ['with another method beside them', [...actions, { filesystem: { path: '/srv/real', method: 'execute' } }]],
    ['of another tool', [{ tool: { server: 'fs', name: 'read_file' } }, ...actions.slice(1)]],
  ])('fails where an action is %s (MAP-20)', (_what, given) => {
    expect(answer(recorded(given), move)).toMatchObject({ status: 'fail', code: 'actions-differ' });
  });

  it('passes beside real paths and says how many, because they make a decision stricter and never looser (MAP-20)', () => {
    const real: Action = { filesystem: { path: '/data/b', method: 'write' } };
    expect(answer(recorded([...actions, real]), move)).toEqual({ status: 'pass', reason: '1 more actions are on real paths or addresses' });
  });

  it('fails where the arguments have another digest (MAP-19)', () => {
    expect(answer(recorded(), { ...move, args: { source: '/srv/a', destination: '/srv/b' } })).toMatchObject({ status: 'fail', code: 'args-digest-differs' });
    expect(answer(recorded(), { ...move, salt: 'x' })).toMatchObject({ status: 'fail', code: 'args-digest-differs' });
    const { callId: _, ...other } = move;
    expect(answer(recorded(), { ...other, args: {}, argsDigest: argsDigest(move.args) })).toMatchObject({ status: 'fail', code: 'args-digest-differs' });
  });

  it('finds a call by its digest alone, with its salt, whatever its id is called (MAP-19)', () => {
    const { callId: _, ...unnamed } = move;
    const salted = recorded(actions, { argsDigest: argsDigest(move.args, 'pepper') });
    expect(answer(recorded(), unnamed)).toEqual({ status: 'pass' });
    expect(answer(salted, { ...unnamed, salt: 'pepper' })).toEqual({ status: 'pass' });
    expect(answer(salted, unnamed)).toMatchObject({ status: 'not-checked', code: 'args-missing' });
  });

  it('finds a call by its id where the receipt has no digest (MAP-19)', () => {
    const bytes = receipt({
      payload: cbor(statement({ actions, decision: { effect: 'deny', reason: 'no-rule', action: 0 }, mapping: mapper.digest, call_id: '7' })),
    });
    expect(answer(bytes, move)).toEqual({ status: 'pass' });
    expect(answer(bytes, { ...move, callId: '8' })).toMatchObject({ status: 'not-checked', code: 'args-missing' });
  });

  it('tells two calls with one digest by their tools and folders (MAP-19)', () => {
    const read: RawCall = { tool: 'read_file', args: move.args };
    expect(answer(recorded(), read, move)).toEqual({ status: 'pass' });
    const loose = createMapper({ ...table, server: 'fs', paths: { relative: 'cwd', home: 'refuse', dot_dot: 'refuse' } });
    const call = (cwd: string): RawCall => ({ tool: 'read_file', args: { path: 'a' }, cwd });
    const bytes = recorded(loose.map(call('/v')), { mapping: loose.digest, argsDigest: argsDigest({ path: 'a' }), callId: '9' });
    const verify = (...calls: readonly RawCall[]): AxisAnswer => verifyReceipt(bytes, { trust, mappings: [loose], calls }).axes.mapping;
    expect(verify(call('/w'), call('/v'))).toEqual({ status: 'pass' });
    expect(verify(call('/w'))).toMatchObject({ status: 'fail', code: 'actions-differ' });
  });

  it('takes the recorded server for a call that names none, where the mapper does not know it either', () => {
    const anyServer = createMapper(table);
    expect(verifyReceipt(recorded(), { trust, mappings: [anyServer], calls: [move] }).axes.mapping).toEqual({ status: 'pass' });
    expect(verifyReceipt(recorded(), { trust, mappings: [anyServer], calls: [{ ...move, server: 'other' }] }).axes.mapping).toMatchObject({
      code: 'actions-differ',
    });
  });

  it('is open, and not good, where the mapping is not at hand (MAP-19)', () => {
    const report = reportOf(recorded(actions, { mapping: `sha256:${'0'.repeat(64)}` }), move);
    expect(report).toMatchObject({ ok: false, axes: { mapping: { status: 'not-checked', code: 'mapping-missing' } } });
    const { mapping: _, ...none } = { mapping: undefined, ...statement({ actions, decision: { effect: 'deny', reason: 'no-rule', action: 0 } }) };
    expect(answer(receipt({ payload: cbor(none) }), move)).toEqual({ status: 'not-checked', reason: 'the receipt names no mapping' });
  });

  it('passes a refusal that the mapping gives too, and fails one that it does not (MAP-20)', () => {
    const bad: RawCall = { ...move, args: { source: '/srv/a' } };
    expect(answer(refusedAs('unmapped', { args_digest: argsDigest(bad.args) }), bad)).toEqual({ status: 'pass' });
    expect(answer(refusedAs('not-canonical', { args_digest: argsDigest(bad.args) }), bad)).toMatchObject({ status: 'fail', code: 'actions-differ' });
    expect(answer(refusedAs('unmapped', { args_digest: argsDigest(move.args) }), move)).toMatchObject({ status: 'fail', code: 'actions-differ' });
  });

  it('passes a refusal of arguments that have no digest (MAP-20)', () => {
    expect(answer(refusedAs('unmapped'), { ...move, args: { source: '/a', destination: '/b', n: 2 ** 53 } })).toEqual({ status: 'pass' });
  });

  it('leaves open what a disk or a resolver may have refused (MAP-20)', () => {
    expect(answer(refusedAs('not-canonical'), move)).toMatchObject({ status: 'not-checked' });
  });

  it('passes a fault, which is not made again (MAP-20)', () => {
    expect(answer(refusedAs('fault'), move)).toEqual({ status: 'pass', reason: 'a fault is not made again' });
  });

  it('fails where the call was refused by the mapping and the receipt says that it was judged (MAP-20)', () => {
    const bad: RawCall = { ...move, args: { source: 'relative', destination: '/b' } };
    expect(answer(recorded(actions, { argsDigest: argsDigest(bad.args) }), bad)).toMatchObject({ status: 'fail', code: 'actions-differ' });
  });

  it('rests on the signature, because a receipt by nobody says nothing (MAP-19)', () => {
    const engine = receipt({ payload: cbor(statement({ actions })), signature: new Uint8Array(64) });
    expect(answer(engine, move)).toEqual({ status: 'not-checked', reason: 'rests on signature' });
    expect(answer(engine.subarray(0, -1), move)).toEqual({ status: 'not-checked', reason: 'rests on bytes' });
    expect(createSigner(otherKey).kid).not.toEqual(createSigner(key).kid);
  });

  it('is the worst of many receipts', () => {
    const report = verifyReceipts(concat(recorded(), recorded(actions.slice(0, 2))), { trust, mappings: [mapper], calls: [move] });
    expect(report).toMatchObject({ ok: false, axes: { mapping: { status: 'fail', code: 'actions-differ' } } });
    expect(report.problems).toMatchObject([{ axis: 'mapping', code: 'actions-differ', where: { receipt: 1 } }]);
  });

  it('never repeats an argument in a problem', () => {
    expect(JSON.stringify(reportOf(recorded(actions.slice(0, 2)), move).problems)).not.toContain('/srv');
  });
});
