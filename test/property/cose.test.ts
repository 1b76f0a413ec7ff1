import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSigner, importPrivateKey, importPublicKey, signSign1, verifySign1 } from '../../src/cose/index.js';
import type { Cbor } from '../reference/cbor.js';
import { signatureCode, sign } from '../reference/keys.js';
import * as reference from '../reference/receipt.js';
import { hexOf } from '../reference/text.js';
import { runs } from './agreement.js';
import { Choices, stream } from './arbitraries.js';
import { withByteFault } from './cbor-arbitraries.js';
import { ed25519, p256 } from './receipts.js';

const payloads = fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ minLength: 250, maxLength: 260 }));
const kids = fc.oneof(fc.constant(ed25519.kid), fc.constant(p256.kid), fc.uint8Array({ minLength: 1, maxLength: 40 }));
const typs = fc.option(fc.constantFrom('application/x+cose', '', '\ufeff', 'é'), { nil: undefined });

const headerOf = (alg: number, kid: Uint8Array, typ: string | undefined): Uint8Array =>
  reference.encoded(new Map<number, Cbor>([[1, alg], [4, kid], ...(typ === undefined ? [] : [[16, typ] as const])]));

describe('COSE layer alone: src against the reference', () => {
  it('signs the same bytes for any payload, kid, typ and external data', () => {
    fc.assert(
      fc.property(payloads, kids, typs, payloads, fc.constantFrom(ed25519, p256), (payload, kid, typ, externalAad, key) => {
        const signed = signSign1(payload, createSigner(importPrivateKey(key.jwk)), { kid, externalAad, ...(typ === undefined ? {} : { typ }) });
        const header = headerOf(reference.algorithms[key.alg], kid, typ);
        const signature = signed.slice(-64);
        expect(hexOf(signed)).toBe(hexOf(reference.messageOf(header, payload, signature)));
        expect(signatureCode(key, reference.sigStructure(header, payload, externalAad), signature)).toBeUndefined();
      }),
      runs(0.5),
    );
  });

  it('verifies alike, changed or not', () => {
    const algs = fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(-7, -8, -9, -19, 1) });
    fc.assert(
      fc.property(
        fc.record({
          payload: payloads,
          kid: kids,
          known: fc.boolean(),
          typ: typs,
          wanted: typs,
          aad: payloads,
          key: fc.constantFrom(ed25519, p256),
          alg: algs,
          also: fc.subarray<'EdDSA' | 'ES256'>(['EdDSA', 'ES256']),
        }),
        fc.option(stream(4), { freq: 2 }),
        ({ payload, kid, known, typ, wanted, aad, key, alg, also }, fault) => {
          const header = headerOf(alg ?? reference.algorithms[key.alg], kid, typ);
          const good = reference.messageOf(header, payload, sign(key, reference.sigStructure(header, payload, aad)));
          const given = fault === null ? good : withByteFault(good, new Choices(fault));
          const keys = known ? [{ kid, key: importPublicKey(key.publicJwk) }] : [];
          const expected = reference.cosePart(given, { alsoAlgorithms: also, ...(wanted === undefined ? {} : { typ: wanted }) });
          const signature =
            expected.parts === undefined ? undefined : reference.verifySignature(expected.parts, new Map(known ? [[hexOf(kid), key]] : []), aad);
          const code = expected.codes[0] ?? (signature === 'not-checked' ? 'key-unknown' : signature);
          const answer = verifySign1(given, keys, { externalAad: aad, alsoAlgorithms: also, ...(wanted === undefined ? {} : { typ: wanted }) });
          expect(answer.ok ? 'pass' : answer.problems[0].code).toBe(code);
          if (answer.ok && expected.parts !== undefined)
            expect([hexOf(answer.payload), hexOf(answer.kid)]).toEqual([hexOf(expected.parts.payload), hexOf(expected.parts.kid)]);
        },
      ),
      runs(3),
    );
  });
});
