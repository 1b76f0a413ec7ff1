/**
 * Wycheproof: signatures of Ed25519 and P-256, good ones and ones that some library took for good. Judged on both crypto paths by the raw verify of a key, without
 * any message around it (RCP-7, RCP-8); those in DER by way of the signer that takes DER from a key service (RCP-5).
 *
 * @module
 */
import { describe, expect, it } from 'vitest';
import { importPublicKey, type PublicKey, wrapKmsSigner } from '../../src/cose/index.js';
import { verifierOf } from '../../src/cose/keys.js';
import { RuleprintError } from '../../src/errors.js';
import { cryptoPaths, fromHex, load, onPath, onPathAsync, outside, tally } from './outside.js';

interface Test {
  readonly tcId: number;
  readonly msg: string;
  readonly sig: string;
  readonly result: 'valid' | 'invalid';
}

interface File {
  readonly numberOfTests: number;
  readonly testGroups: readonly {
    readonly publicKeyPem: string;
    readonly publicKeyJwk?: Readonly<Record<string, string>>;
    readonly tests: readonly Test[];
  }[];
}

interface Judged extends Test {
  readonly key: PublicKey;
}

const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');
const half = order / 2n;
const digits = (n: bigint): string => n.toString(16).padStart(64, '0');
const verdict = (fault: string | undefined): string => fault ?? 'good';

/** The tests of a file, each with its key; a key is read in both forms that the file has. */
function testsOf(file: string): readonly Judged[] {
  const { numberOfTests, testGroups } = load<File>(`vectors/wycheproof/${file}`);
  const tests = testGroups.flatMap(({ publicKeyPem, publicKeyJwk, tests: those }) => {
    const key = importPublicKey(publicKeyPem);
    if (publicKeyJwk !== undefined) expect(importPublicKey(publicKeyJwk)).toEqual(key);
    return those.map((test) => ({ ...test, key }));
  });
  expect(tests).toHaveLength(numberOfTests);
  return tests;
}

const judge = ({ key, msg, sig }: Judged): string => verdict(verifierOf(key).verify(fromHex(msg), fromHex(sig)));

/** What differs from what was expected, so that a failure names its cases. */
const differing = (tests: readonly Judged[], got: readonly string[], expected: (test: Judged) => string): string[] =>
  tests.flatMap((test, i) => (got[i] === expected(test) ? [] : [`${test.tcId}: expected ${expected(test)}, got ${got[i]}`]));

outside('Wycheproof, Ed25519', () => {
  const tests = testsOf('ed25519_test.json');

  describe.each(cryptoPaths)('with %s crypto', (path) => {
    it('gives the verdict of each of the 151 tests: a wrong one, one with S too great and one of another length are all signature-invalid (RCP-7)', () => {
      const got = onPath(path, () => tests.map(judge));
      expect(differing(tests, got, ({ result }) => (result === 'valid' ? 'good' : 'signature-invalid'))).toEqual([]);
      expect(tally(got)).toEqual({ good: 88, 'signature-invalid': 63 });
    });
  });
});

outside('Wycheproof, P-256 in r || s', () => {
  const tests = testsOf('ecdsa_secp256r1_sha256_p1363_test.json');

  /** RCP-8: the range first, then the half in which s lies, then whether it is right. */
  const expected = ({ sig, result }: Judged): string => {
    if (sig.length !== 128) return 'signature-invalid';
    const [r, s] = [sig.slice(0, 64), sig.slice(64)].map((part) => BigInt(`0x${part}`)) as [bigint, bigint];
    if (r === 0n || r >= order || s === 0n || s >= order) return 'signature-invalid';
    if (s > half) return 'signature-high-s';
    return result === 'valid' ? 'good' : 'signature-invalid';
  };

  describe.each(cryptoPaths)('with %s crypto', (path) => {
    it('gives the verdict of each of the 262 tests, but for those with a high s, which have a code of their own (RCP-8)', () => {
      const got = onPath(path, () => tests.map(judge));
      expect(differing(tests, got, expected)).toEqual([]);
      expect(tally(got.map((one, i) => `${tests[i]?.result}: ${one}`))).toEqual({
        'valid: good': 103,
        'valid: signature-high-s': 70,
        'invalid: signature-high-s': 9,
        'invalid: signature-invalid': 80,
      });
    });

    it('takes each right signature with a high s once it is spelled with the low one', () => {
      const high = tests.filter((test) => test.result === 'valid' && expected(test) === 'signature-high-s');
      const lowered = high.map((test) => ({ ...test, sig: test.sig.slice(0, 64) + digits(order - BigInt(`0x${test.sig.slice(64)}`)) }));
      expect(tally(onPath(path, () => lowered.map(judge)))).toEqual({ good: 70 });
    });
  });
});

outside('Wycheproof, P-256 in DER', () => {
  const tests = testsOf('ecdsa_secp256r1_sha256_test.json');

  /** A key service that gives the bytes of the test, behind the signer that makes 64 bytes of them. */
  const signed = async ({ key, msg, sig }: Judged): Promise<string> => {
    const signer = wrapKmsSigner({ key, sign: () => fromHex(sig) });
    try {
      return Buffer.from(await signer.sign(fromHex(msg))).toString('hex');
    } catch (error) {
      if (!(error instanceof RuleprintError)) throw error;
      return error.code;
    }
  };

  /** r || s with s in the lower half, of the DER of a right signature. */
  const expected = ({ sig, result }: Judged): string => {
    if (result === 'invalid') return 'signer-output';
    const lengthOfR = Number.parseInt(sig.slice(6, 8), 16);
    const r = BigInt(`0x${sig.slice(8, 8 + 2 * lengthOfR)}`);
    const s = BigInt(`0x${sig.slice(8 + 2 * lengthOfR + 4)}`);
    return digits(r) + digits(s > half ? order - s : s);
  };

  describe.each(cryptoPaths)('with %s crypto', (path) => {
    it('becomes r || s with a low s where it is right, and is signer-output where it is wrong or not in the one DER form: 484 tests (RCP-5)', async () => {
      const got = await onPathAsync(path, () => Promise.all(tests.map(signed)));
      expect(differing(tests, got, expected)).toEqual([]);
      expect(tally(got.map((one) => (one === 'signer-output' ? one : 'good')))).toEqual({ good: 174, 'signer-output': 310 });
    });
  });
});
