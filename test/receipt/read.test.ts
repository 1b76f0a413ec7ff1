import { describe, expect, it } from 'vitest';
import { readReceipt } from '../../src/receipt/read.js';
import { codeOf, type Loose } from '../policy/kit.js';
import { bstr, cbor, headerOf, integer, key, map, otherKey, p256Key, receipt, receiptOf, statement, tstr } from './kit.js';

describe('readReceipt: what a receipt says, without a word on whether it is true', () => {
  it('reads a receipt whose signature is wrong and whose key nobody knows', () => {
    expect({ ...readReceipt(receipt({ signature: new Uint8Array(64) })).statement }).toEqual({ ...statement() });
    expect(readReceipt(receipt({ by: otherKey })).kid).toBe(otherKey.public.kid);
  });

  it('names the algorithm, also those that a verifier takes only when told', () => {
    expect(readReceipt(receipt()).alg).toBe('Ed25519');
    expect(readReceipt(receipt({ by: p256Key })).alg).toBe('ESP256');
    expect(readReceipt(receipt({ header: headerOf(key, -8) })).alg).toBe('EdDSA');
  });

  it.each<[string, Uint8Array, string]>([
    ['no bytes (RCP-12)', new Uint8Array(), 'cbor-truncated'],
    ['no tag (RCP-13)', receipt().subarray(1), 'cose-tag'],
    ['a cut (RCP-14)', receipt().subarray(0, -1), 'cbor-truncated'],
    ['another shape (RCP-15)', Uint8Array.of(0xd2, 0x80), 'cose-shape'],
    ['an empty protected header (RCP-16)', receipt({ header: new Uint8Array() }), 'cose-protected'],
    ['an unprotected header (RCP-17)', receipt({ unprotected: map([integer(4), bstr(new Uint8Array(1))]) }), 'cose-header'],
    ['a short signature (RCP-18)', receipt({ signature: new Uint8Array(1) }), 'cose-signature-size'],
    ['a statement that is none (RCP-19)', receipt({ payload: tstr('x') }), 'wrong-type'],
    ['a statement with a wrong field (RCP-19)', receiptOf({ agent: '' }), 'empty-text'],
    ['a statement that is not deterministic (RCP-14)', receipt({ payload: Uint8Array.of(0xbf, 0xff) }), 'cbor-indefinite'],
  ])('refuses %s', (_, bytes, code) => {
    expect(codeOf(() => readReceipt(bytes))).toBe(code);
  });

  it('takes no text for bytes', () => {
    expect(() => readReceipt('d2' as Loose)).toThrow(TypeError);
  });

  it('lends no field from a prototype to the statement', () => {
    expect(Object.getPrototypeOf(readReceipt(receipt()).statement)).toBeNull();
    expect(cbor(readReceipt(receipt()).statement)).toEqual(cbor(statement()));
  });
});
