/**
 * The independent peer: cose-kit must verify what we sign, and we what it signs.
 * @module
 */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { coseSign, coseVerify } from 'cose-kit';
import { describe, expect, it } from 'vitest';
import { hex, utf8 } from '../../src/bytes.js';
import { encodeCbor } from '../../src/cose/cbor.js';
import { generateKey } from '../../src/cose/keys.js';
import { signSign1, verifySign1 } from '../../src/cose/sign1.js';
import { createSigner } from '../../src/cose/signer.js';
import { describeBothPaths } from './paths.js';

const payload = encodeCbor({ hello: 'world', time: 1793318400000 });
const kid = utf8('k1');

describeBothPaths('cose-kit', () => {
  describe.each([
    ['EdDSA', generateKey('Ed25519')],
    ['ES256', generateKey('ESP256')],
  ] as const)('with %s', (alg, key) => {
    const secret = createPrivateKey({ key: key.toJwk() as Record<string, string>, format: 'jwk' });
    const keys = [{ kid, key: key.public }];

    it('verifies what we sign', async () => {
      const bytes = signSign1(payload, createSigner(key), { alg, kid });
      expect((await coseVerify(bytes, createPublicKey(secret))).isValid).toBe(true);
    });

    it('verifies what we sign with external data', async () => {
      const bytes = signSign1(payload, createSigner(key), { alg, kid, externalAad: utf8('order 7') });
      expect((await coseVerify(bytes, createPublicKey(secret), utf8('order 7'))).isValid).toBe(true);
      expect((await coseVerify(bytes, createPublicKey(secret))).isValid).toBe(false);
    });

    it('signs what we verify, but for s in the upper half, which it writes about every second time', async () => {
      const verdicts = new Set<string>();
      for (let i = 0; i < 12; i++) {
        const bytes = await coseSign({ alg, kid }, {}, payload, secret);
        const result = verifySign1(bytes, keys, { alsoAlgorithms: [alg] });
        verdicts.add(result.ok ? 'good' : result.problems[0].code);
        if (result.ok) expect(hex(result.payload)).toBe(hex(payload));
      }
      expect(verdicts).toContain('good');
      for (const verdict of verdicts) expect(alg === 'ES256' ? ['good', 'signature-high-s'] : ['good']).toContain(verdict);
    });
  });

  it('does not reach into our encoder, though it adds extensions to its own copy of cbor-x', () => {
    expect(hex(encodeCbor(new Map([[1, new Uint8Array(1)]])))).toBe('a1014100');
  });
});
