/**
 * Ed25519 where implementations are known to differ: keys and R of small order, with a torsion part, or not in their canonical encoding, S beyond the group order. RCP-6 refuses
 * such keys when they are loaded, so the one equation of RCP-7 is asked only by good keys, where every way to compute it gives one answer.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';
import { importPublicKey } from '../../src/cose/index.js';
import { verifierOf } from '../../src/cose/keys.js';
import { RuleprintError } from '../../src/errors.js';
import { base64url, cryptoPaths, fromHex, load, onPath, outside, tally } from './outside.js';

interface FlaggedCase {
  readonly number: number;
  readonly key: string;
  readonly sig: string;
  /** Text, not hex. */
  readonly msg: string;
  readonly flags: readonly string[] | null;
}

interface BareCase {
  readonly message: string;
  readonly pub_key: string;
  readonly signature: string;
}

/** The code of the key, or else of the signature, or `good`. */
function verdict(key: string, message: Uint8Array, signature: string): string {
  try {
    const imported = importPublicKey({ kty: 'OKP', crv: 'Ed25519', x: base64url(fromHex(key)) });
    return verifierOf(imported).verify(message, fromHex(signature)) ?? 'good';
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    return error.code;
  }
}

outside('Ed25519 edge cases with flags', () => {
  const cases = load<readonly FlaggedCase[]>('vectors/ed25519-edge/cctv-ed25519vectors.json');

  // a point of small order is a point with a torsion part, or the identity, which has a flag of its own
  const faultsOfKey = ['low_order_A', 'low_order_component_A', 'non_canonical_A'];
  // what is left of the equation when it is not multiplied by the cofactor; and an R that is not the one encoding of its point
  const faultsOfEquation = ['low_order_residue', 'non_canonical_R', 'reencoded_k'];

  /** By the flags alone: what the spec demands of such a key and such a signature. */
  const expected = ({ flags }: FlaggedCase): string => {
    const has = (faults: readonly string[]): boolean => faults.some((fault) => flags?.includes(fault));
    if (has(faultsOfKey)) return 'key-point';
    return has(faultsOfEquation) ? 'signature-invalid' : 'good';
  };

  describe.each(cryptoPaths)('with %s crypto', (path) => {
    it('are judged as their flags and RCP-6 and RCP-7 demand: 914 cases', () => {
      const got = onPath(path, () => cases.map(({ key, msg, sig }) => verdict(key, new TextEncoder().encode(msg), sig)));
      expect(cases.flatMap((one, i) => (got[i] === expected(one) ? [] : [`${one.number}: expected ${expected(one)}, got ${got[i]}`]))).toEqual([]);
      expect(tally(got)).toEqual({ 'key-point': 886, 'signature-invalid': 26, good: 2 });
    });
  });
});

outside('Ed25519 edge cases without flags', () => {
  const cases = load<readonly BareCase[]>('vectors/ed25519-edge/speccheck-cases.json');

  // in the order of the file; the paper behind it says of each key of which order it is
  const expected = [
    'key-point', // A and R of small order, S = 0
    'key-point', // A of small order
    'key-point', // A with a torsion part, R of small order
    'key-point', // A and R with a torsion part
    'key-point', // A with a torsion part: right only when multiplied by the cofactor
    'key-point', // the same, and right only when the multiplication comes before the reduction
    'signature-invalid', // a good key, S not below the group order
    'signature-invalid', // a good key, S far beyond
    'key-point', // A with a torsion part, R not canonical
    'key-point', // the same, hashed in the other spelling
    'key-point', // A of small order and not canonical
    'key-point', // the same, hashed in the other spelling
  ];

  describe.each(cryptoPaths)('with %s crypto', (path) => {
    it('are judged as RCP-6 and RCP-7 demand: 12 cases', () => {
      expect(onPath(path, () => cases.map(({ pub_key, message, signature }) => verdict(pub_key, fromHex(message), signature)))).toEqual(expected);
    });
  });
});
