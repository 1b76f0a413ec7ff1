/**
 * Step 9 of the verifier (RCP-20): signatures, right, wrong and crooked.
 * @module
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { concat, hex, utf8 } from '../../../src/bytes.js';
import { buildSigStructure } from '../../../src/cose/sig-structure.js';
import type { Case, Fields, Rest } from '../kit.js';
import { full } from './made.js';
import {
  bytesOf,
  engineKey,
  engineKeyP256,
  goodPayload,
  headerOf,
  headerParts,
  int,
  map,
  message,
  otherKey,
  payloadOf,
  problem,
  signed,
  trust,
  trusted,
  type VectorKey,
  verified,
} from './parts.js';

const bothKeys = trust(trusted(engineKey), trusted(engineKeyP256));

function refused(id: string, receipt_hex: string, error: string, comment: string, rest: Rest & { readonly input?: Fields } = {}): Case {
  return verified(id, comment, { receipt_hex, trust: bothKeys, ...rest.input }, { ...rest, axes: '+-...', problems: [problem('signature', error)] });
}

// ---- Numbers of the two groups

const big = (bigEndian: string): bigint => BigInt(`0x${bigEndian}`);
const reversed = (hexText: string): string => (hexText.match(/../g) ?? []).reverse().join('');
const hex32 = (value: bigint): string => value.toString(16).padStart(64, '0');
/** Group order of Ed25519. */
const L = ed25519.Point.Fn.ORDER;
/** Group order of P-256 (SEC 2 section 2.4.2). */
const n = big('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');

const goodSignature = (key: VectorKey): string => signed(key, headerOf(key), goodPayload);
const sigStructure = (key: VectorKey): Uint8Array => buildSigStructure(bytesOf(headerOf(key)), bytesOf(goodPayload));

const R = goodSignature(engineKey).slice(0, 64);
const S = big(reversed(goodSignature(engineKey).slice(64)));
const r = goodSignature(engineKeyP256).slice(0, 64);
const s = big(goodSignature(engineKeyP256).slice(64));
const ed = (signature: string): string => message({ signature });
const ec = (signature: string): string => message({ key: engineKeyP256, signature });

/** A signature that only the holder of the key can make: R has a part of small order, and S answers the challenge over that R. */
function withTorsion(): string {
  const { Point } = ed25519;
  const { scalar } = ed25519.utils.getExtendedPublicKey(engineKey.secret);
  const torsion = Point.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', false);
  const nonce = Point.Fn.create(big(hex(sha512(utf8('ruleprint vectors: nonce')))));
  const crooked = Point.BASE.multiply(nonce).add(torsion).toBytes();
  const k = Point.Fn.create(big(reversed(hex(sha512(concat(crooked, engineKey.key.public.x, sigStructure(engineKey)))))));
  return hex(crooked) + reversed(hex32(Point.Fn.create(nonce + k * scalar)));
}

const crooked = { flags: ['crooked-signature'] };
const tampered = { flags: ['tampered'] };
const loose = { flags: ['loose-algorithm'] };

const flipped = (hexText: string, byte: number): string => {
  const at = (byte < 0 ? hexText.length / 2 + byte : byte) * 2;
  return hexText.slice(0, at) + (Number.parseInt(hexText.slice(at, at + 2), 16) ^ 1).toString(16).padStart(2, '0') + hexText.slice(at + 2);
};

export function signatures(): readonly Case[] {
  const { kid, typ } = headerParts(engineKey);
  const p256 = headerParts(engineKeyP256);
  const eddsa = map([int(1), int(-8)], kid, typ);
  const es256 = map([int(1), int(-7)], p256.kid, p256.typ);
  const later = payloadOf(full({ time: 1_767_225_600_001 }));
  return [
    refused('signature-bit-r', ed(flipped(goodSignature(engineKey), 0)), 'signature-invalid', 'One bit of R (RCP-7)', tampered),
    refused('signature-bit-s', ed(flipped(goodSignature(engineKey), 32)), 'signature-invalid', 'One bit of S (RCP-7)', tampered),
    refused(
      'signature-other-payload',
      message({ payload: later, signature: goodSignature(engineKey) }),
      'signature-invalid',
      'The signature of another statement (RCP-7)',
      tampered,
    ),
    refused(
      'signature-other-header',
      message({ header: map([int(1), int(-8)], kid, typ), signature: goodSignature(engineKey) }),
      'signature-invalid',
      'The algorithm was exchanged under the signature (RCP-4, RCP-7)',
      {
        flags: ['tampered', 'loose-algorithm'],
        input: { also_algorithms: ['EdDSA'] },
      },
    ),
    refused(
      'signature-other-key',
      ed(signed(otherKey, headerOf(engineKey), goodPayload)),
      'signature-invalid',
      'Signed by another key than the kid names (RCP-20)',
      tampered,
    ),
    refused(
      'signature-of-payload-alone',
      ed(hex(engineKey.signer.sign(bytesOf(goodPayload)))),
      'signature-invalid',
      'Signed over the payload and not over the Sig_structure (RCP-7)',
      tampered,
    ),
    refused('signature-of-empty-header', ed(signed(engineKey, '', goodPayload)), 'signature-invalid', 'Signed over an empty header (RCP-7)', tampered),
    refused('signature-external-data', message({ aad: '00' }), 'signature-invalid', 'Signed with external data, of which a receipt has none (RCP-7)', tampered),
    refused(
      'signature-of-the-hash',
      ed(hex(engineKey.signer.sign(engineKeyHash()))),
      'signature-invalid',
      'Signed over the hash of the Sig_structure (RCP-7)',
      tampered,
    ),
    refused('signature-zeros', ed('00'.repeat(64)), 'signature-invalid', 'Zeros (RCP-7)', crooked),
    refused(
      'signature-s-plus-l',
      ed(R + reversed(hex32(S + L))),
      'signature-invalid',
      'S with the order of the group added: the same number to a lax verifier (RCP-7)',
      crooked,
    ),
    refused('signature-s-greatest', ed(R + 'ff'.repeat(32)), 'signature-invalid', 'S of 2^256-1 (RCP-7)', crooked),
    refused(
      'signature-r-torsion',
      ed(withTorsion()),
      'signature-invalid',
      'R with a part of small order: good by the equation with the cofactor, and by this one not (RCP-7)',
      crooked,
    ),
    refused('signature-r-identity', ed(hex32(1n << 248n) + reversed(hex32(S))), 'signature-invalid', 'R is the identity (RCP-7)', crooked),
    refused(
      'signature-r-not-canonical',
      ed(reversed(hex32(2n ** 255n - 18n)) + reversed(hex32(S))),
      'signature-invalid',
      'R is the identity with y above p (RCP-7)',
      crooked,
    ),
    refused('signature-p256-bit-r', ec(flipped(goodSignature(engineKeyP256), 31)), 'signature-invalid', 'One bit of r (RCP-8)', tampered),
    refused('signature-p256-bit-s', ec(flipped(goodSignature(engineKeyP256), 63)), 'signature-invalid', 'One bit of s (RCP-8)', tampered),
    refused(
      'signature-p256-other-payload',
      message({ key: engineKeyP256, payload: later, signature: goodSignature(engineKeyP256) }),
      'signature-invalid',
      'The signature of another statement (RCP-8)',
      tampered,
    ),
    refused('signature-p256-high-s', ec(r + hex32(n - s)), 'signature-high-s', 'The other s that the equation takes (RCP-8)', crooked),
    refused('signature-p256-high-s-wrong', ec(r + hex32(n - s - 1n)), 'signature-high-s', 'A high s that is wrong too (RCP-8)', {
      flags: ['crooked-signature', 'order'],
    }),
    refused('signature-p256-half-order', ec(r + hex32(n / 2n)), 'signature-invalid', 'The greatest s that is taken, and it is wrong (RCP-8)', crooked),
    refused('signature-p256-half-order-plus-1', ec(r + hex32(n / 2n + 1n)), 'signature-high-s', 'One above it (RCP-8)', crooked),
    refused('signature-p256-r-zero', ec('00'.repeat(32) + hex32(s)), 'signature-invalid', 'r of zero (RCP-8)', crooked),
    refused('signature-p256-s-zero', ec(r + '00'.repeat(32)), 'signature-invalid', 's of zero (RCP-8)', crooked),
    refused('signature-p256-zeros', ec('00'.repeat(64)), 'signature-invalid', 'Both of zero (RCP-8)', crooked),
    refused('signature-p256-r-order', ec(hex32(n) + hex32(s)), 'signature-invalid', 'r of the order of the group (RCP-8)', crooked),
    refused('signature-p256-s-order', ec(r + hex32(n)), 'signature-invalid', 's of the order of the group: out of range is seen before high (RCP-8)', {
      flags: ['crooked-signature', 'order'],
    }),
    refused('signature-p256-little-endian', ec(reversed(r) + hex32(s)), 'signature-invalid', 'r the other way round (RCP-8)', crooked),
    refused('cose-alg-of-other-key', message({ header: map([int(1), int(-9)], kid, typ) }), 'cose-alg-key', 'ESP256 over the kid of an Ed25519 key (RCP-20)'),
    refused(
      'cose-alg-of-other-key-p256',
      message({ key: engineKeyP256, header: map([int(1), int(-19)], p256.kid, p256.typ) }),
      'cose-alg-key',
      'Ed25519 over the kid of a P-256 key (RCP-20)',
    ),
    refused(
      'cose-alg-loose-of-other-key',
      message({ key: engineKeyP256, header: map([int(1), int(-8)], p256.kid, p256.typ) }),
      'cose-alg-key',
      'EdDSA over the kid of a P-256 key (RCP-20)',
      {
        ...loose,
        input: { also_algorithms: ['EdDSA', 'ES256'] },
      },
    ),
    verified(
      'cose-alg-loose-eddsa',
      '-8 where the caller says so (RCP-17)',
      { receipt_hex: message({ header: eddsa }), trust: bothKeys, also_algorithms: ['EdDSA'] },
      { ...loose, axes: '+++..', problems: [] },
    ),
    verified(
      'cose-alg-loose-es256',
      '-7 where the caller says so (RCP-17)',
      { receipt_hex: message({ key: engineKeyP256, header: es256 }), trust: bothKeys, also_algorithms: ['ES256'] },
      { ...loose, axes: '+++..', problems: [] },
    ),
    verified(
      'cose-alg-loose-other',
      '-8 where the caller said -7 alone (RCP-17)',
      { receipt_hex: message({ header: eddsa }), trust: bothKeys, also_algorithms: ['ES256'] },
      { ...loose, axes: '-....', problems: [problem('bytes', 'cose-alg')] },
    ),
  ];
}

function engineKeyHash(): Uint8Array {
  return sha512(sigStructure(engineKey));
}
