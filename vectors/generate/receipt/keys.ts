/**
 * Keys: their derivation and thumbprints, the forms in which they are read, and what is refused.
 * @module
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { base64url, hex } from '../../../src/bytes.js';
import type { Case, Fields, Json } from '../kit.js';
import { allKeys, bstr, bytesOf, engineKey, engineKeyP256, int, map, plainHex, type VectorKey } from './parts.js';

const numbers = (key: VectorKey): { x: string; y: string } => ({ x: hex(key.key.public.x), y: hex(key.key.public.y ?? new Uint8Array()) });

/** The bytes that the thumbprint hashes, which are a COSE_Key too. */
function coseKey(key: VectorKey): string {
  const { x, y } = numbers(key);
  return key.alg === 'Ed25519'
    ? map([int(1), int(1)], [int(-1), int(6)], [int(-2), bstr(x)])
    : map([int(1), int(2)], [int(-1), int(1)], [int(-2), bstr(x)], [int(-3), bstr(y)]);
}

function pem(label: string, der: string): string {
  const base64 = Buffer.from(plainHex(der), 'hex').toString('base64');
  return `-----BEGIN ${label}-----\n${base64.replaceAll(/(.{64})(?=.)/g, '$1\n')}\n-----END ${label}-----\n`;
}

function publicPem(key: VectorKey): string {
  const { x, y } = numbers(key);
  return pem('PUBLIC KEY', key.alg === 'Ed25519' ? `302a300506032b6570032100${x}` : `3059301306072a8648ce3d020106082a8648ce3d03010703420004${x}${y}`);
}

export function derivedKeys(): readonly Case[] {
  const names = ['key-engine-a-ed25519', 'key-engine-a-p256', 'key-engine-b-ed25519', 'key-auditor-ed25519'];
  return allKeys.map((key, i): Case => {
    const { x, y } = numbers(key);
    return {
      id: names[i] as string,
      comment: `${key.alg === 'Ed25519' ? 'The seed' : 'The scalar'} is the SHA-256 of the label`,
      flags: ['published-secret'],
      input: { alg: key.alg, label: key.label },
      expect: { d_hex: hex(key.secret), x_hex: x, ...(key.alg === 'ESP256' && { y_hex: y }), thumbprint_input_hex: coseKey(key), kid: key.kid, jwk: key.jwk },
    };
  });
}

export function readKeys(): readonly Case[] {
  const rows: readonly (readonly [string, string, Fields, VectorKey])[] = [
    ['key-jwk-ed25519', 'A JWK', { public_key_jwk: engineKey.jwk }, engineKey],
    ['key-jwk-p256', 'A JWK', { public_key_jwk: engineKeyP256.jwk }, engineKeyP256],
    ['key-pem-ed25519', 'A SubjectPublicKeyInfo in PEM', { public_key_pem: publicPem(engineKey) }, engineKey],
    ['key-pem-p256', 'A SubjectPublicKeyInfo in PEM with an uncompressed point', { public_key_pem: publicPem(engineKeyP256) }, engineKeyP256],
    ['key-cose-ed25519', 'A COSE_Key', { public_key_cose_hex: coseKey(engineKey) }, engineKey],
    ['key-cose-p256', 'A COSE_Key', { public_key_cose_hex: coseKey(engineKeyP256) }, engineKeyP256],
  ];
  return rows.map(([id, comment, input, key]): Case => ({ id, comment: `${comment} (RCP-6)`, flags: [], input, expect: { alg: key.alg, kid: key.kid } }));
}

// ---- Points that are no keys

const p = 2n ** 255n - 19n;
const littleEndian = (value: bigint): string => Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse().toString('hex');
const okp = (x: string): Fields => ({ kty: 'OKP', crv: 'Ed25519', x: base64url(bytesOf(x)) });
const ec = (x: string, y: string): Fields => ({ kty: 'EC', crv: 'P-256', x: base64url(bytesOf(x)), y: base64url(bytesOf(y)) });

/** One of the eight points whose multiples by 8 are the identity; its own order is 8. */
const torsion = ed25519.Point.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', false);

const smallOrder: readonly (readonly [string, string, string])[] = [
  ['order-1', littleEndian(1n), 'The identity'],
  ['order-2', littleEndian(p - 1n), 'The point of order 2'],
  ['order-4', littleEndian(0n), 'A point of order 4'],
  ['order-4-sign', littleEndian(2n ** 255n), 'The other point of order 4'],
  ['order-8', torsion.toHex(), 'A point of order 8'],
  ['order-8-other', torsion.multiplyUnsafe(3n).toHex(), 'Another point of order 8'],
];

function greatest(bits: number): string {
  return 'ff'.repeat(bits / 8);
}

export function refusedKeys(): readonly Case[] {
  const { x: edX } = numbers(engineKey);
  const { x, y } = numbers(engineKeyP256);
  const withTorsion = ed25519.Point.fromHex(edX, false).add(torsion).toHex();
  const badY = (BigInt(`0x${y}`) ^ 1n).toString(16).padStart(64, '0');
  const jwk = engineKey.jwk;
  const jwkP256 = engineKeyP256.jwk;
  const points: readonly (readonly [string, Fields, string])[] = [
    ...smallOrder.map(([name, encoded, what]) => [`key-point-${name}`, okp(encoded), `${what}: any signature verifies for some message`] as const),
    ['key-point-torsion', okp(withTorsion), 'A good point with a point of order 8 added: verifiers differ over its signatures'],
    ['key-point-not-canonical-1', okp(littleEndian(p + 1n)), 'The identity with y above p: a second encoding'],
    ['key-point-not-canonical-0', okp(littleEndian(p)), 'A point of order 4 with y above p'],
    ['key-point-not-canonical-sign', okp(littleEndian(2n ** 255n + 1n)), 'The identity with the sign of an x that is 0'],
    ['key-point-not-on-curve', okp(littleEndian(2n)), 'A y that no point of the curve has'],
    ['key-point-p256-not-on-curve', ec(x, badY), 'Another y for the same x'],
    ['key-point-p256-zero', ec('00'.repeat(32), '00'.repeat(32)), 'Zeros, which some code writes for infinity'],
    ['key-point-p256-x-above', ec(greatest(256), y), 'An x above the field'],
  ];
  const formats: readonly (readonly [string, Fields, string, string])[] = [
    ['key-jwk-kty', { public_key_jwk: { ...jwk, kty: 'oct' } }, 'key-format', 'Another type of key'],
    ['key-jwk-kty-missing', { public_key_jwk: without(jwk, 'kty') }, 'key-format', 'No type'],
    ['key-jwk-crv', { public_key_jwk: { ...jwk, crv: 'Ed448' } }, 'key-format', 'Another curve'],
    ['key-jwk-crv-x25519', { public_key_jwk: { ...jwk, crv: 'X25519' } }, 'key-format', 'A curve that signs nothing'],
    ['key-jwk-crv-p384', { public_key_jwk: { ...jwkP256, crv: 'P-384' } }, 'key-format', 'Another curve'],
    ['key-jwk-kty-of-other', { public_key_jwk: { ...jwkP256, kty: 'OKP' } }, 'key-format', 'A type that does not go with the curve'],
    ['key-jwk-x-missing', { public_key_jwk: without(jwk, 'x') }, 'key-format', 'No x'],
    ['key-jwk-y-missing', { public_key_jwk: without(jwkP256, 'y') }, 'key-format', 'No y'],
    ['key-jwk-x-short', { public_key_jwk: { ...jwk, x: base64url(bytesOf(edX.slice(2))) } }, 'key-format', '31 bytes'],
    ['key-jwk-x-long', { public_key_jwk: { ...jwkP256, x: base64url(bytesOf(`00${x}`)) } }, 'key-format', '33 bytes, the first of them zero'],
    ['key-jwk-x-padded', { public_key_jwk: { ...jwk, x: `${String(jwk['x'])}=` } }, 'key-format', 'Padding'],
    ['key-jwk-x-hex', { public_key_jwk: { ...jwk, x: edX } }, 'key-format', 'Hex, which as base64url has another length'],
    ['key-jwk-x-number', { public_key_jwk: { ...jwk, x: 7 } }, 'key-format', 'A number'],
    ['key-jwk-private', { public_key_jwk: { ...jwk, d: base64url(engineKey.secret) } }, 'key-private', 'A private key'],
    [
      'key-pem-p256-compressed',
      { public_key_pem: pem('PUBLIC KEY', `3039301306072a8648ce3d020106082a8648ce3d03010703220002${x}`) },
      'key-format',
      'A compressed point',
    ],
    ['key-pem-x25519', { public_key_pem: pem('PUBLIC KEY', `302a300506032b656e032100${edX}`) }, 'key-format', 'Another algorithm'],
    ['key-pem-certificate', { public_key_pem: pem('CERTIFICATE', `302a300506032b6570032100${edX}`) }, 'key-format', 'Another label'],
    ['key-pem-trailing', { public_key_pem: pem('PUBLIC KEY', `302a300506032b6570032100${edX}00`) }, 'key-format', 'A byte behind the key'],
    ['key-pem-private', { public_key_pem: pem('PRIVATE KEY', `302e020100300506032b657004220420${hex(engineKey.secret)}`) }, 'key-private', 'A private key'],
    ['key-cose-kty', { public_key_cose_hex: map([int(1), int(4)], [int(-1), int(6)], [int(-2), bstr(edX)]) }, 'key-format', 'Another type of key'],
    ['key-cose-crv', { public_key_cose_hex: map([int(1), int(1)], [int(-1), int(7)], [int(-2), bstr(edX)]) }, 'key-format', 'Another curve'],
    ['key-cose-x-short', { public_key_cose_hex: map([int(1), int(1)], [int(-1), int(6)], [int(-2), bstr(edX.slice(2))]) }, 'key-format', '31 bytes'],
    [
      'key-cose-y-sign',
      { public_key_cose_hex: map([int(1), int(2)], [int(-1), int(1)], [int(-2), bstr(x)], [int(-3), 'f5']) },
      'key-format',
      'The sign of y in place of y: a compressed point',
    ],
    ['key-cose-cut', { public_key_cose_hex: coseKey(engineKey).slice(0, -2) }, 'key-format', 'A byte too few'],
    [
      'key-cose-private',
      { public_key_cose_hex: map([int(1), int(1)], [int(-1), int(6)], [int(-2), bstr(edX)], [int(-4), bstr(hex(engineKey.secret))]) },
      'key-private',
      'A private key',
    ],
  ];
  return [
    ...points.map(
      ([id, public_key_jwk, comment]): Case => ({
        id,
        comment: `${comment} (RCP-6)`,
        flags: ['crooked-key'],
        input: { public_key_jwk },
        expect: { error: 'key-point' },
      }),
    ),
    ...formats.map(([id, input, error, comment]): Case => ({ id, comment, flags: [], input, expect: { error } })),
  ];
}

function without(fields: Fields, key: string): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== key)) as { [key: string]: Json };
}
