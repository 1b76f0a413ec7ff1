import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isProblem, walkWholeCbor } from '../../src/cose/walk.js';
import { readEntry, readEntryByWalk } from '../../src/receipt/entry.js';
import { readStatement } from '../../src/receipt/statement.js';
import { readUsualDecision, saysDecision } from '../../src/receipt/usual-decision.js';
import type { Cbor } from '../reference/cbor.js';
import * as reference from '../reference/receipt.js';
import { runs } from '../property/agreement.js';
import { Choices, stream } from '../property/arbitraries.js';
import { encodedCbor, withByteFault, withFieldFault } from '../property/cbor-arbitraries.js';
import { ed25519, madeReceipt } from '../property/receipts.js';
import { cbor } from './kit.js';

/** What the walk and the shape make of a payload: the statement, its fields not yet compared, or undefined. */
function byShape(payload: Uint8Array): unknown {
  const walked = walkWholeCbor(payload);
  if (isProblem(walked)) return undefined;
  const read = readStatement(walked.value);
  if ('statement' in read) return read;
  // the fast way does not ask whether the fields agree
  return read.every(({ code }) => code === 'field-conflict') ? 'conflict' : undefined;
}

const hash = `sha256:${'0a'.repeat(32)}`;
const statement = {
  statement: 'decision',
  seq: 7,
  prev: hash,
  time: 1_700_000_000_000,
  engine_id: 'engine-a',
  agent: 'builder',
  actions: [{ tool: { server: 'files', name: 'read_file' } }, { filesystem: { path: '/srv/a', method: 'read' } }] as object[],
  decision: { effect: 'allow', rule: 'read-srv', action: 0 } as object,
  policy_version: 1,
  policy_digest: hash,
  match_profile: 'ruleprint-match/1',
  args_digest: hash,
  mapping: hash,
  call_id: 'call-1',
};

describe('the fast way from bytes to a decision', () => {
  it.each([
    ['a decision with all of its fields', {}],
    ['one that was only observed', { enforced: false }],
    ['an action on the network', { actions: [{ network: { host: 'example.com', port: 443 } }] }],
    ['one with a method', { actions: [{ network: { host: '::1', port: 65_535, method: 'GET' } }] }],
    ['a process', { actions: [{ process: { argv: ['git', 'status', ''] } }] }],
    ['a long path', { actions: [{ filesystem: { path: `/${'x'.repeat(300)}`, method: 'execute' } }] }],
    ['a reason', { decision: { effect: 'deny', reason: 'no-rule', action: 0 } }],
    ['no action', { actions: [], decision: { effect: 'deny', reason: 'fault' } }],
    ['large numbers', { seq: 2 ** 32, time: Number.MAX_SAFE_INTEGER, policy_version: 65_536 }],
  ])('takes %s', (_, more) => {
    const payload = cbor({ ...statement, ...more });
    expect(readUsualDecision(payload)).toEqual({ ...statement, ...more });
    expect(byShape(payload)).toEqual({ ...statement, ...more });
  });

  it.each([
    ['a name beyond ASCII', { agent: '\u00e9' }],
    ['an empty name', { agent: '' }],
    ['a control character in a path', { actions: [{ filesystem: { path: '/a\n', method: 'read' } }] }],
    ['a list of 24 actions', { actions: Array.from({ length: 24 }, () => ({ tool: { server: 's', name: 'n' } })) }],
    ['an action of two kinds', { actions: [{ tool: { server: 's', name: 'n' }, process: { argv: ['a'] } }] }],
    ['an unknown field', { more: 1 }],
    ['an unknown field of a decision', { decision: { effect: 'allow', rule: 'r', action: 0, more: 1 } }],
    ['another method', { actions: [{ filesystem: { path: '/a', method: 'list' } }] }],
    ['a lower-case HTTP method', { actions: [{ network: { host: 'a', port: 1, method: 'get' } }] }],
    ['port 0', { actions: [{ network: { host: 'a', port: 0 } }] }],
    ['port 65536', { actions: [{ network: { host: 'a', port: 65_536 } }] }],
    ['an upper-case digest', { policy_digest: `sha256:${'0A'.repeat(32)}` }],
    ['a digest that is too short', { policy_digest: hash.slice(0, -1) }],
    ['enforced: true', { enforced: true }],
    ['no arguments', { actions: [{ process: { argv: [] } }] }],
    ['a number for a name', { call_id: 1 }],
    ['another statement', { statement: 'install' }],
  ])('leaves %s to the walk', (_, more) => {
    expect(readUsualDecision(cbor({ ...statement, ...more }))).toBeUndefined();
  });

  it.each(['time', 'agent', 'actions', 'decision', 'engine_id', 'statement'])('leaves a decision without %s to the shape', (key) => {
    const { [key as 'time']: _, ...rest } = statement;
    expect(readUsualDecision(cbor(rest))).toBeUndefined();
  });

  it('takes nothing that is cut short, and nothing with a byte behind it', () => {
    const payload = cbor(statement);
    for (let length = 0; length < payload.length; length++) expect(readUsualDecision(payload.slice(0, length))).toBeUndefined();
    expect(readUsualDecision(Uint8Array.from([...payload, 0]))).toBeUndefined();
  });

  it('takes no changed byte that the walk and the shape refuse, and reads every other as they do', () => {
    const payload = cbor(statement);
    for (let at = 0; at < payload.length; at++) {
      for (const flip of [1, 2, 4, 8, 16, 32, 64, 128, 255]) {
        const changed = payload.slice();
        changed[at] = (changed[at] as number) ^ flip;
        const fast = readUsualDecision(changed);
        if (fast === undefined) continue;
        const slow = byShape(changed);
        if (slow !== 'conflict') expect(slow).toEqual(fast);
      }
    }
  });

  it('agrees with the walk on made and on changed receipts, and makes the same entry of them', () => {
    fc.assert(
      fc.property(madeReceipt, stream(8), fc.constantFrom('none', 'byte', 'field'), ({ key, statement: made }, choices, kind) => {
        const changed = kind === 'field' ? withFieldFault(made as Cbor, new Choices(choices)) : (made as Cbor);
        const payload = kind === 'byte' ? withByteFault(encodedCbor(changed), new Choices(choices)) : encodedCbor(changed);
        const fast = readUsualDecision(payload);
        const slow = byShape(payload);
        if (fast !== undefined && slow !== 'conflict') expect(slow).toEqual(fast);
        const receipt = reference.signedOver(key, encodedCbor(reference.headerOf(key)), payload);
        expect(readEntry(receipt)).toEqual(readEntryByWalk(receipt));
      }),
      runs(4),
    );
  });
});

describe('the first look for a decision', () => {
  const receiptOf = (value: object): Uint8Array => reference.signedOver(ed25519, encodedCbor(reference.headerOf(ed25519)), cbor(value));

  it('knows one', () => {
    expect(saysDecision(receiptOf(statement))).toBe(true);
  });

  it.each([
    ['another statement', { statement: 'release', time: 1 }],
    ['another statement that holds the words elsewhere', { recorded: cbor({ statement: 'decision' }), statement: 'record', time: 1 }],
    ['the words as text', { agent: 'statementhdecision', statement: 'record', time: 1 }],
    ['the words in a map', { actions: [{ statement: 'decision' }], statement: 'record', time: 1 }],
  ])('takes %s for none', (_, value) => {
    expect(saysDecision(receiptOf(value))).toBe(false);
  });

  it('says so of nothing that can be read as another statement', () => {
    fc.assert(
      fc.property(madeReceipt, stream(8), ({ receipt }, choices) => {
        const changed = withByteFault(receipt, new Choices(choices));
        const entry = readEntryByWalk(changed);
        if (saysDecision(changed) && !isProblem(entry) && entry.statement !== undefined) expect(entry.statement.statement).toBe('decision');
      }),
      runs(2),
    );
  });
});
