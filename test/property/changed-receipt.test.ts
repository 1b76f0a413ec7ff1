import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { native } from '../../src/native.js';
import { verifyReceipt, verifyReceipts } from '../../src/receipt/index.js';
import type { Cbor } from '../reference/cbor.js';
import { mirrored, sign, withS } from '../reference/keys.js';
import * as reference from '../reference/receipt.js';
import { runs } from './agreement.js';
import { Choices, stream } from './arbitraries.js';
import { deepCbor, encodedCbor, nearlyCbor, tightCbor, withByteFault, withFieldFault } from './cbor-arbitraries.js';
import { ed25519, expectSameAnswer, madeReceipt, p256, trust } from './receipts.js';

const agree = (receipt: Uint8Array): void => expectSameAnswer(verifyReceipt(receipt, { trust }), reference.verifyBytes(receipt));

const builtIn = native.crypto;
afterEach(() => {
  native.crypto = builtIn;
});

describe('changed receipts: src answers bytes and signature as the reference does', () => {
  it('when a byte is flipped, cut, put in, left out, or a head is written longer (RCP-12 to RCP-20)', () => {
    fc.assert(
      fc.property(madeReceipt, stream(4), ({ receipt }, choices) => {
        agree(withByteFault(receipt, new Choices(choices)));
      }),
      runs(3),
    );
  });

  it('when the bytes of the payload are changed and signed again (RCP-14, RCP-19)', () => {
    fc.assert(
      fc.property(madeReceipt, stream(8), ({ key, statement }, choices) => {
        agree(reference.signedOver(key, encodedCbor(reference.headerOf(key)), withByteFault(encodedCbor(statement), new Choices(choices))));
      }),
      runs(2),
    );
  });

  it('when the bytes of the protected header are changed and signed again (RCP-16, RCP-17)', () => {
    fc.assert(
      fc.property(madeReceipt, stream(8), ({ key, statement }, choices) => {
        agree(reference.signedOver(key, withByteFault(encodedCbor(reference.headerOf(key)), new Choices(choices)), encodedCbor(statement)));
      }),
      runs(2),
    );
  });

  it('when labels of either header are others (RCP-17)', () => {
    const value: fc.Arbitrary<Cbor> = fc.constantFrom<Cbor[]>(
      -19,
      -9,
      -8,
      -7,
      1,
      true,
      'Ed25519',
      ed25519.kid,
      p256.kid,
      new Uint8Array(31),
      new Uint8Array(33),
      new Uint8Array(),
      reference.receiptType,
      'application/json',
      [],
    );
    const labels = fc.array(fc.tuple(fc.constantFrom<(number | string)[]>(1, 2, 3, 4, 5, 16, -1, 'alg', '2', 258), fc.option(value)), { maxLength: 3 });
    fc.assert(
      fc.property(
        madeReceipt,
        labels,
        fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: labels }),
        fc.subarray<'EdDSA' | 'ES256'>(['EdDSA', 'ES256']),
        ({ key, statement }, inside, outside, also) => {
          const header = new Map(reference.headerOf(key));
          for (const [label, set] of inside) {
            if (set === null) header.delete(label);
            else header.set(label, set);
          }
          const open = new Map(outside.flatMap(([label, set]) => (set === null ? [] : [[label, set] as const])));
          const [bytes, payload] = [encodedCbor(header), encodedCbor(statement)];
          const receipt = reference.messageOf(bytes, payload, sign(key, reference.sigStructure(bytes, payload)), encodedCbor(open));
          expectSameAnswer(verifyReceipt(receipt, { trust, alsoAlgorithms: also }), reference.verifyBytes(receipt, also));
        },
      ),
      runs(2),
    );
  });

  it('when payload, protected header or the whole is nearly CBOR (RCP-14)', () => {
    fc.assert(
      fc.property(fc.oneof(nearlyCbor, deepCbor, tightCbor), fc.constantFrom(0, 1, 2, 3), (written, place) => {
        const item = Uint8Array.from(written);
        const header = encodedCbor(reference.headerOf(ed25519));
        if (place === 0) agree(reference.signedOver(ed25519, header, item));
        else if (place === 1) agree(reference.signedOver(ed25519, item, encodedCbor(new Map())));
        else if (place === 2) agree(Uint8Array.from([0xd2, ...item]));
        else agree(reference.messageOf(header, encodedCbor(new Map()), new Uint8Array(64), item));
      }),
      runs(8),
    );
  });

  it('when fields of the statement are others (RCP-19)', () => {
    fc.assert(
      fc.property(madeReceipt, fc.array(stream(16), { minLength: 1, maxLength: 2 }), ({ key, statement }, faults) => {
        const changed = faults.reduce<Cbor>((value, fault) => withFieldFault(value, new Choices(fault)), statement);
        agree(reference.signedOver(key, encodedCbor(reference.headerOf(key)), encodedCbor(changed)));
      }),
      runs(5),
    );
  });

  it('when fields of a good shape do not agree (RCP-19)', () => {
    const tool = new Map([
      [
        'tool',
        new Map([
          ['server', 's'],
          ['name', 'n'],
        ]),
      ],
    ]);
    const file = new Map([
      [
        'filesystem',
        new Map([
          ['path', '/a'],
          ['method', 'read'],
        ]),
      ],
    ]);
    const digest = `sha256:${'0'.repeat(64)}`;
    const half = { freq: 2, nil: undefined };
    const combined = fc.record({
      actions: fc.constantFrom([tool], [], [file], [tool, tool], [file, tool]),
      effect: fc.constantFrom('deny', 'ask', 'allow'),
      rule: fc.option(fc.constant('r'), half),
      reason: fc.option(fc.constantFrom('no-rule', 'no-policy', 'unmapped', 'not-canonical', 'fault'), half),
      action: fc.option(fc.constantFrom(0, 1, 2), half),
      policy_version: fc.option(fc.constant(1), half),
      policy_digest: fc.option(fc.constant(digest), half),
      match_profile: fc.option(fc.constant('ruleprint-match/1'), half),
      seq: fc.option(fc.constantFrom(0, 1), half),
      prev: fc.option(fc.constant(digest), half),
    });
    // From a decision in which all agree, by one to three fields taken from another.
    const good = fc.constantFrom(
      { effect: 'allow', rule: 'r', action: 0, actions: [tool], policy_version: 1, policy_digest: digest, match_profile: 'ruleprint-match/1' },
      { effect: 'deny', reason: 'no-rule', action: 1, actions: [file, tool], policy_version: 1 },
      { effect: 'deny', reason: 'no-policy', actions: [file] },
      { effect: 'deny', reason: 'unmapped', actions: [tool] },
      { effect: 'deny', reason: 'fault', actions: [], policy_version: 1, policy_digest: digest, seq: 0 },
    );
    const names = ['actions', 'effect', 'rule', 'reason', 'action', 'policy_version', 'policy_digest', 'match_profile', 'seq', 'prev'] as const;
    fc.assert(
      fc.property(good, combined, fc.subarray([...names], { maxLength: 3 }), (agreeing, other, taken) => {
        const fields: Record<string, Cbor | undefined> = { ...agreeing };
        for (const name of taken) fields[name] = other[name];
        const { effect, rule, reason, action, ...outer } = fields;
        const present = (values: Record<string, Cbor | undefined>): [string, Cbor][] =>
          Object.entries(values).filter((entry): entry is [string, Cbor] => entry[1] !== undefined);
        const statement: [string, Cbor][] = [
          ['statement', 'decision'],
          ['engine_id', 'engine-a'],
          ['time', 1],
          ['agent', 'a'],
          ['decision', new Map(present({ effect, rule, reason, action }))],
          ...present(outer),
        ];
        agree(reference.signedOver(ed25519, encodedCbor(reference.headerOf(ed25519)), encodedCbor(new Map(statement))));
      }),
      runs(6),
    );
  });

  it('when the signature is another, with the crypto of the platform and without (RCP-7, RCP-8)', () => {
    const order25519 = 2n ** 252n + 27742317777372353535851937790883648493n;
    const order256 = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');
    fc.assert(
      fc.property(
        madeReceipt,
        fc.constantFrom('mirror', 'flip', 'add', 'zero-s', 'zero-r', 'order', 'good', 'swap', 'low-order-r'),
        fc.nat(511),
        fc.boolean(),
        ({ key, receipt }, kind, bit, isNative) => {
          const head = receipt.slice(0, -64);
          const good = receipt.slice(-64);
          const little = (bytes: Uint8Array): Uint8Array => Uint8Array.from([...bytes].reverse());
          const addOrder = (): Uint8Array => {
            if (key.alg === 'ESP256') return withS(good, (s) => (s + order256 < 2n ** 256n ? s + order256 : s));
            const shifted = withS(Uint8Array.from([...good.slice(0, 32), ...little(good.slice(32))]), (s) => s + order25519);
            return Uint8Array.from([...good.slice(0, 32), ...little(shifted.slice(32))]);
          };
          const other = {
            mirror: () => mirrored(key.alg === 'ESP256' ? good : withS(good, () => 1n)),
            flip: () => good.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte)),
            add: addOrder,
            'zero-s': () => withS(good, () => 0n),
            'zero-r': () => Uint8Array.from([...new Uint8Array(32), ...good.slice(32)]),
            order: () => withS(good, () => order256),
            good: () => good,
            swap: () => Uint8Array.from([...good.slice(32), ...good.slice(0, 32)]),
            'low-order-r': () => Uint8Array.from([1, ...new Uint8Array(31), ...new Uint8Array(32)]),
          }[kind]();
          native.crypto = isNative ? builtIn : undefined;
          agree(Uint8Array.from([...head, ...other]));
        },
      ),
      runs(),
    );
  });

  it('when several stand in a file, each by itself, up to one whose end cannot be found (RCP-24)', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(madeReceipt, stream(4), fc.nat(3)), { minLength: 1, maxLength: 4 }), (many) => {
        const file = Uint8Array.from(
          many.flatMap(([{ receipt }, choices, kind]) => [...(kind === 0 ? withByteFault(receipt, new Choices(choices)) : receipt)]),
        );
        const { receipts, rest } = reference.cutSequence(file);
        const report = verifyReceipts(file, { trust });
        const codes = (index: number): string[] =>
          report.problems.filter(({ axis, where }) => axis === 'bytes' && where.receipt === index).map(({ code }) => code);
        const answers = receipts.map((receipt) => reference.verifyBytes(receipt));
        expect(receipts.map((_, index) => codes(index).sort())).toEqual(answers.map((answer) => [...answer.codes].sort()));
        const isGood = rest.length === 0 && answers.every((answer) => answer.codes.length === 0);
        expect(report.axes.bytes.status).toBe(isGood ? 'pass' : 'fail');
        if (rest.length === 0) expect(report.receipts).toBe(receipts.length);
      }),
      runs(),
    );
  });
});
