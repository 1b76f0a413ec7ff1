import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyPolicy } from '../../src/index.js';
import { createSigner, importPrivateKey, readReceipt, receiptHash, signReceipt, verifyReceipt } from '../../src/receipt/index.js';
import * as decision from '../reference/decide.js';
import { type Key, signatureCode } from '../reference/keys.js';
import * as reference from '../reference/receipt.js';
import { hexOf } from '../reference/text.js';
import { runs } from './agreement.js';
import { ed25519, event, extra, p256, trust } from './receipts.js';

const signerOf = (key: Key) => createSigner(importPrivateKey(key.jwk));

describe('receipt: src against the reference', () => {
  it('names a key by the same thumbprint', () => {
    for (const key of [ed25519, p256]) expect(hexOf(signerOf(key).kid)).toBe(hexOf(key.kid));
  });

  it('signs the same bytes with Ed25519 (RCP-1 to RCP-5)', () => {
    fc.assert(
      fc.property(event, extra, ({ event: said }, more) => {
        const receipt = signReceipt(said, signerOf(ed25519), more);
        expect(hexOf(receipt)).toBe(hexOf(reference.receiptOf(ed25519, said, more)));
      }),
      runs(),
    );
  });

  it('signs the same bytes with P-256 but for the signature, which verifies and has a low s (RCP-5)', () => {
    fc.assert(
      fc.property(event, extra, ({ event: said }, more) => {
        const receipt = signReceipt(said, signerOf(p256), more);
        const header = reference.encoded(reference.headerOf(p256));
        const payload = reference.encoded(reference.statementOf(said, more));
        const signature = receipt.slice(-64);
        expect(hexOf(receipt)).toBe(hexOf(reference.messageOf(header, payload, signature)));
        expect(signatureCode(p256, reference.sigStructure(header, payload), signature)).toBeUndefined();
      }),
      runs(0.5),
    );
  });

  it('hashes and reads the receipt of the reference (RCP-4)', () => {
    fc.assert(
      fc.property(event, extra, fc.constantFrom(ed25519, p256), ({ event: said }, more, key) => {
        const receipt = reference.receiptOf(key, said, more);
        const hash = reference.receiptHash(reference.encoded(reference.headerOf(key)), reference.encoded(reference.statementOf(said, more)));
        expect(receiptHash(receipt)).toBe(hash);
        expect(readReceipt(receipt).hash).toBe(hash);
      }),
      runs(0.5),
    );
  });

  it('finds every honest receipt good, the decision re-made (RCP-20 to RCP-23)', () => {
    fc.assert(
      fc.property(event, extra, fc.constantFrom(ed25519, p256), ({ event: said, policy }, more, key) => {
        const report = verifyReceipt(reference.receiptOf(key, said, more), { trust, policies: [copyPolicy(policy)] });
        const { bytes, signature, 'key-trust': keyTrust, rules, 're-decision': again } = report.axes;
        expect([bytes.status, signature.status, keyTrust.status]).toEqual(['pass', 'pass', 'pass']);
        const isBound = said.policyDigest !== undefined;
        expect(rules.status).toBe(isBound ? 'pass' : 'not-checked');
        expect(again.status).toBe(isBound || said.decision.reason === 'no-policy' ? 'pass' : 'not-checked');
        expect(report.ok).toBe(isBound);
      }),
      runs(0.5),
    );
  });

  it('finds a signed lie about the decision exactly when the rules decide otherwise (RCP-23)', () => {
    const lies = fc.record({
      effect: fc.constantFrom<decision.Effect[]>('allow', 'ask', 'deny'),
      by: fc.oneof(fc.nat(8), fc.constant('no-rule')),
      action: fc.nat(3),
    });
    fc.assert(
      fc.property(event, lies, ({ event: said, policy }, lie) => {
        if (said.policyDigest === undefined) return;
        const rule = typeof lie.by === 'number' ? policy.rules[lie.by % Math.max(1, policy.rules.length)]?.name : undefined;
        const told: decision.Decision =
          rule === undefined ? { effect: 'deny', reason: 'no-rule', action: lie.action } : { effect: lie.effect, rule, action: lie.action };
        if (lie.action >= said.actions.length) return;
        const report = verifyReceipt(reference.receiptOf(ed25519, { ...said, decision: told }), { trust, policies: [copyPolicy(policy)] });
        const truth = decision.decide(policy, said);
        const isTrue = truth.effect === told.effect && truth.rule === told.rule && truth.reason === told.reason && truth.action === told.action;
        expect(report.axes['re-decision'].status).toBe(isTrue ? 'pass' : 'fail');
        if (!isTrue) expect(report.axes['re-decision'].code).toBe('decision-differs');
        expect(report.ok).toBe(isTrue);
      }),
      runs(),
    );
  });
});
