import { describe, expect, it } from 'vitest';
import { concat } from '../../src/bytes.js';
import { axes, type Axis } from '../../src/receipt/report.js';
import { verifyReceipt, verifyReceipts, type VerifyOptions } from '../../src/receipt/verify.js';
import { call, type Loose } from '../policy/kit.js';
import { answers, codesOf, entry, otherKey, policy, receipt, receiptOf, statuses, time, trust, trustOf, verify } from './kit.js';

const good = receipt();
const all = (of: Uint8Array, options: Partial<VerifyOptions> = {}): ReturnType<typeof verifyReceipts> => verifyReceipts(of, { trust, ...options });

describe('RCP-24: the answer', () => {
  it('has one line for each axis, and no line that says valid', () => {
    const report = verify(good);
    expect(Object.keys(report.axes)).toEqual([...axes]);
    expect([...axes]).toEqual([
      'bytes',
      'signature',
      'key-trust',
      'order',
      'completeness',
      'timeline',
      'rules',
      're-decision',
      'approvals',
      'findings',
      'mapping',
    ]);
    expect(Object.keys(report).sort()).toEqual(['asked', 'axes', 'ok', 'problems', 'receipts']);
    expect(statuses(report)).toEqual({
      bytes: 'pass',
      signature: 'pass',
      'key-trust': 'pass',
      order: 'not-checked',
      completeness: 'not-checked',
      timeline: 'not-checked',
      rules: 'not-checked',
      're-decision': 'not-checked',
      approvals: 'not-checked',
      findings: 'not-checked',
      mapping: 'not-checked',
    });
  });

  it.each(['order', 'completeness', 'timeline', 'approvals'] as const)('says of %s that a standalone receipt cannot show it', (axis) => {
    expect(verify(good).axes[axis]).toEqual({ status: 'not-checked', reason: 'standalone' });
  });

  it('gives a reason wherever an axis is not checked, and a code wherever a problem answers', () => {
    for (const report of [verify(good), verify(receipt({ by: otherKey })), verify(new Uint8Array()), verify(good, { policies: [] })]) {
      for (const axis of axes) {
        const { status, reason } = report.axes[axis];
        if (status !== 'pass') expect({ axis, reason }).toEqual({ axis, reason: expect.stringMatching(/./) });
      }
      for (const { code, axis, status } of report.problems) expect(report.axes[axis]).toMatchObject({ status, code });
    }
  });

  it('asks by default for bytes, signature and key trust; policies add rules and re-decision; a caller adds any', () => {
    expect(verify(good).asked).toEqual(['bytes', 'signature', 'key-trust']);
    expect(verify(good, { policies: [policy] }).asked).toEqual(['bytes', 'signature', 'key-trust', 'rules', 're-decision']);
    expect(verify(good, { require: ['completeness', 'bytes'] }).asked).toEqual(['bytes', 'signature', 'key-trust', 'completeness']);
    expect(verify(good, { require: ['rules'] }).asked).toEqual(['bytes', 'signature', 'key-trust', 'rules']);
  });

  it.each(axes.filter((axis) => !['bytes', 'signature', 'key-trust'].includes(axis)))('is not good where %s was asked and did not pass', (axis) => {
    const report = verify(good, { require: [axis] });
    expect(report.problems).toEqual([]);
    expect(report.axes[axis].status).toBe('not-checked');
    expect(report.ok).toBe(false);
  });

  it('is not good where anything failed, asked or not', () => {
    const report = verify(receiptOf({ decision: { effect: 'deny', rule: 'keys', action: 0 } }), { policies: [policy] });
    expect(report.axes['re-decision'].status).toBe('fail');
    expect(report.ok).toBe(false);
  });

  it('takes misuse for misuse, whatever the bytes are', () => {
    expect(() => verifyReceipt('d2' as Loose, { trust })).toThrow(TypeError);
    expect(() => verifyReceipt([...good] as Loose, { trust })).toThrow(TypeError);
    expect(() => verifyReceipt(good, {} as Loose)).toThrow(TypeError);
    expect(() => verifyReceipt(good, { trust: { keys: [] } } as Loose)).toThrow(TypeError);
    expect(() => verifyReceipt(good, { trust, require: ['valid' as Axis] })).toThrow(RangeError);
    expect(() => verifyReceipt(good, undefined as Loose)).toThrow(TypeError);
    expect(() => verifyReceipt(good, { trust, policies: policy as Loose })).toThrow(TypeError);
    // a misspelt option would leave unasked what the caller wanted to know
    expect(() => verifyReceipt(good, { trust, policy: [policy] } as Loose)).toThrow(TypeError);
    expect(() => verifyReceipts(good, { trust, requires: ['rules'] } as Loose)).toThrow(TypeError);
  });

  it('does not depend on how the caller holds the bytes: a view, a Buffer', () => {
    const padded = concat(Uint8Array.of(1, 2, 3), good, Uint8Array.of(4));
    expect(verify(padded.subarray(3, 3 + good.length)).ok).toBe(true);
    expect(verify(Buffer.from(good)).ok).toBe(true);
  });

  it('does not change what it reads', () => {
    const before = good.slice();
    verify(good, { policies: [policy] });
    expect(good).toEqual(before);
  });
});

describe('RCP-24: several receipts', () => {
  const second = receiptOf({ time: time + 1, actions: [call('db', 'drop')], decision: { effect: 'ask', rule: 'drop', action: 0 } });
  const wrong = receiptOf({ decision: { effect: 'deny', rule: 'keys', action: 0 } });
  const open = receiptOf({ policy_digest: undefined });

  it('are read one after another, and good only together', () => {
    expect(all(concat(good, second), { policies: [policy] })).toMatchObject({ ok: true, receipts: 2, problems: [] });
    expect(all(good)).toMatchObject({ ok: true, receipts: 1 });
  });

  it('fail on an axis where one fails, and every problem says which receipt and which byte of the file', () => {
    const report = all(concat(good, wrong, receipt({ signature: new Uint8Array(64) })), { policies: [policy] });
    expect(report.receipts).toBe(3);
    expect(statuses(report)).toMatchObject({ bytes: 'pass', signature: 'fail', 'key-trust': 'not-checked', rules: 'not-checked', 're-decision': 'fail' });
    expect(report.problems).toMatchObject([
      { code: 'decision-differs', where: { receipt: 1, pointer: '/decision' } },
      { code: 'signature-invalid', where: { receipt: 2, offset: good.length + wrong.length + good.length - 64 } },
    ]);
  });

  it('are not checked on an axis where one is not checked and none fails', () => {
    for (const receipts of [concat(good, open), concat(open, good), concat(good, open, good)]) {
      const report = all(receipts, { policies: [policy] });
      expect(statuses(report)).toMatchObject({ 'key-trust': 'pass', rules: 'not-checked', 're-decision': 'not-checked' });
      expect(codesOf(report)).toEqual(['digest-absent']);
      expect(report.ok).toBe(false);
    }
  });

  it('are each judged by themselves: a bad one in the middle does not hide the others', () => {
    const report = all(concat(good, receiptOf({ agent: '' }), wrong, second), { policies: [policy] });
    expect(report.receipts).toBe(4);
    expect(report.problems.map(({ code, where }) => [code, where.receipt])).toEqual([
      ['empty-text', 1],
      ['decision-differs', 2],
    ]);
  });

  it('are none in an empty file, and nothing is said of them', () => {
    const report = all(new Uint8Array());
    expect(report.receipts).toBe(0);
    expect(report.ok).toBe(false);
    expect(Object.values(statuses(report)).every((status) => status === 'not-checked')).toBe(true);
  });

  it.each<[string, Uint8Array]>([
    ['a receipt cut short', good.subarray(0, -1)],
    ['its first byte alone', good.subarray(0, 1)],
    ['a break', Uint8Array.of(0xff)],
    ['reserved additional information', Uint8Array.of(0xdc)],
    ['an array of more items than bytes', Uint8Array.of(0x9a, 255, 255, 255, 255, 0)],
    ['a string that is longer than the file', Uint8Array.of(0x5b, 0, 0, 1, 0, 0, 0, 0, 0, 1)],
  ])('end where the end of one cannot be found: %s', (_, rest) => {
    const report = all(concat(good, rest));
    const last = report.problems.at(-1);
    expect(last).toMatchObject({ code: 'sequence-broken', axis: 'bytes', where: { receipt: 1, offset: good.length } });
    expect(report.axes.bytes.status).toBe('fail');
    expect(report.ok).toBe(false);
  });

  it('leave what lies behind unread, and say so', () => {
    const report = all(concat(good, Uint8Array.of(0xff), second));
    expect(report.receipts).toBe(2);
    expect(codesOf(report)).toEqual(['cose-tag', 'sequence-broken']);
    expect(report.problems[1]?.where).toEqual({ receipt: 1, offset: good.length });
  });

  it('go on behind an item that is no receipt but has an end', () => {
    const report = all(concat(good, Uint8Array.of(0x00), Uint8Array.of(0x9f, 0xff), second));
    expect(report.receipts).toBe(4);
    expect(codesOf(report)).toEqual(['cose-tag', 'cose-tag']);
  });

  it('tell how far the reading is', () => {
    const seen: number[] = [];
    verifyReceipts(concat(good, second), { trust }, (bytes) => seen.push(bytes));
    expect(seen).toEqual([good.length, good.length + second.length]);
  });

  it('say of an axis how many it answers so', () => {
    const report = all(concat(good, wrong, wrong), { policies: [policy] });
    expect(report.axes['re-decision'].reason).toMatch(/^2 of 3/);
  });

  it('may be signed by different keys and engines', () => {
    const both = trustOf(entry(), entry(otherKey, { engine_ids: ['engine-b'] }));
    const other = receiptOf({ engine_id: 'engine-b' }, { by: otherKey });
    expect(all(concat(good, other), { trust: both }).ok).toBe(true);
    expect(codesOf(all(concat(good, receiptOf({}, { by: otherKey })), { trust: both }))).toEqual(['key-engine']);
  });

  it('are no ledger: the same receipt twice, or in another order, is not seen here, and nothing claims it', () => {
    const report = all(concat(second, good, good));
    expect(report.ok).toBe(true);
    expect(report.axes.order.status).toBe('not-checked');
    expect(report.axes.completeness.status).toBe('not-checked');
    expect(answers(report)).toMatchObject({ bytes: 'pass' });
  });
});
