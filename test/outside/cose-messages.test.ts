/**
 * COSE messages that others signed. Our form is narrower than RFC 9052: tag 18, alg and kid in the protected header and nothing else there but a type, an empty
 * unprotected header. So whole messages are refused, each with a stated code, and the signatures in them are judged apart, over the Sig_structure that we build.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';
import { buildSigStructure, createSigner, importPrivateKey, importPublicKey, type PublicKey, signSign1, verifySign1 } from '../../src/cose/index.js';
import { verifierOf } from '../../src/cose/keys.js';
import type { ErrorCode } from '../../src/errors.js';
import { walk } from '../reference/cbor.js';
import { messageOf } from '../reference/receipt.js';
import { answerOf, base64url, cryptoPaths, filesBelow, fromHex, load, onPath, outside, tally } from './outside.js';

// ---- The files

type Jwk = Readonly<Record<string, string>>;

interface Signer {
  readonly key: Jwk;
  readonly protected: { readonly alg: string };
}

interface WorkingGroupFile {
  readonly input: {
    readonly plaintext: string;
    readonly sign0?: { readonly key: Jwk; readonly alg: string; readonly external?: string };
    readonly sign?: { readonly signers: readonly Signer[] };
  };
  readonly intermediates: { readonly ToBeSign_hex?: string; readonly signers?: readonly { readonly ToBeSign_hex: string }[] };
  readonly output: { readonly cbor: string };
}

interface GluecoseFile {
  readonly key: Jwk;
  readonly alg: string;
  readonly 'sign1::sign'?: { readonly external?: string; readonly tbsHex: { readonly cborHex: string }; readonly expectedOutput: { readonly cborHex: string } };
  readonly 'sign1::verify'?: { readonly external?: string; readonly shouldVerify: boolean; readonly taggedCOSESign1: { readonly cborHex: string } };
}

interface ManifestFile {
  readonly envelope_hex?: string;
  readonly signature_valid?: boolean;
  readonly expected?: { readonly signature_verified: boolean };
}

/** One message of one signer, or of several, as its file has it. */
interface Message {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly externalAad: Uint8Array;
  readonly jwk: Jwk;
  readonly alg: string;
  /** The Sig_structure that was signed, where the file gives it. */
  readonly signed?: Uint8Array;
  /** Whether the signature is over this message, where the file says so. */
  readonly holds?: boolean;
}

const isMessageFile = (file: string): boolean => file.endsWith('.json') && !/\/(index|keys)\.json$/.test(file);

function workingGroup(file: string): Message {
  const { input, intermediates, output } = load<WorkingGroupFile>(file);
  const bytes = fromHex(output.cbor);
  const signed = fromHex((intermediates.ToBeSign_hex ?? intermediates.signers?.[0]?.ToBeSign_hex) as string);
  if (input.sign0 !== undefined) {
    const { key, alg, external = '' } = input.sign0;
    return { file, bytes, externalAad: fromHex(external), jwk: key, alg, signed };
  }
  const signer = input.sign?.signers[0] as Signer;
  return { file, bytes, externalAad: new Uint8Array(), jwk: signer.key, alg: signer.protected.alg, signed };
}

function gluecose(file: string): Message {
  const { key, alg, 'sign1::sign': made, 'sign1::verify': check } = load<GluecoseFile>(file);
  const bytes = fromHex((made?.expectedOutput ?? check?.taggedCOSESign1)?.cborHex as string);
  const rest = made !== undefined ? { signed: fromHex(made.tbsHex.cborHex) } : { holds: check?.shouldVerify as boolean };
  return { file, bytes, externalAad: fromHex((made ?? check)?.external ?? ''), jwk: key, alg, ...rest };
}

function manifests(files: readonly string[]): Message[] {
  const { public_key_b64url: x } = load<{ public_key_b64url: string }>('vectors/agent-manifest/keys.json');
  return files.flatMap((file) => {
    const { envelope_hex, signature_valid, expected } = load<ManifestFile>(file);
    if (envelope_hex === undefined) return [];
    const holds = signature_valid ?? expected?.signature_verified ?? true;
    return [{ file, bytes: fromHex(envelope_hex), externalAad: new Uint8Array(), jwk: { kty: 'OKP', crv: 'Ed25519', x: x as string }, alg: 'EdDSA', holds }];
  });
}

// ---- What we say of each whole message

interface Row {
  readonly code: ErrorCode;
  readonly why: string;
  readonly files: readonly string[];
}

const numbered = (stem: string, ...numbers: readonly string[]): string[] => numbers.map((number) => `${stem}${number}.json`);
const sign1 = (...names: readonly string[]): string[] => numbered('vectors/cose-wg-examples/sign1-tests/sign-', ...names);
const ecdsa = (...names: readonly string[]): string[] => numbered('vectors/cose-wg-examples/ecdsa-examples/ecdsa-', ...names);
const eddsa = (...names: readonly string[]): string[] => numbered('vectors/cose-wg-examples/eddsa-examples/eddsa-', ...names);
const glue = (...names: readonly string[]): string[] => numbered('vectors/gluecose/sign1-', ...names.flatMap((name) => [`sign-${name}`, `verify-${name}`]));
const manifest = (...names: readonly string[]): string[] => numbered('vectors/agent-manifest/AM-VEC-COSE-', ...names);

const rows: readonly Row[] = [
  { code: 'cose-tag', why: 'a message of several signers, tag 98 (RCP-13)', files: [...ecdsa('01', '02', '03', '04'), ...eddsa('01', '02')] },
  { code: 'cose-tag', why: 'another tag in front (RCP-13)', files: sign1('fail-01') },
  { code: 'cose-tag', why: 'no tag in front, which RFC 9052 leaves open and we do not (RCP-13)', files: [...sign1('pass-03'), ...manifest('006')] },
  {
    code: 'cose-header',
    why: 'kid, or alg, in the unprotected header, which no signature covers (RCP-17)',
    files: [
      ...sign1('fail-02', 'fail-03', 'fail-04', 'fail-07', 'pass-01', 'pass-02'),
      ...ecdsa('sig-02', 'sig-03', 'sig-04'),
      ...eddsa('sig-02'),
      ...glue('0000', '0002', '0003', '0004', '0005', '0006'),
    ],
  },
  {
    code: 'cose-header',
    why: 'a content type in the protected header: the type of what is signed is in typ, and one place is enough (RCP-17)',
    files: [
      ...sign1('fail-06'),
      ...ecdsa('sig-01'),
      ...eddsa('sig-01'),
      ...glue('0001'),
      ...manifest('001', '002', '003', '004', '005', '009', '010', '011', '012', '013', '015'),
      'vectors/agent-manifest/interop-cose_sign1_eddsa.json',
    ],
  },
  { code: 'cbor-trailing', why: 'bytes after the message (RCP-14)', files: manifest('007') },
  { code: 'cbor-simple', why: 'null in place of the payload, which is seen before the headers are read (RCP-14)', files: manifest('008') },
];

/** The same messages of one signer, with tag 18 in front and the unprotected header emptied: what is wrong with the protected header. */
const emptied: readonly Row[] = [
  {
    code: 'cose-kid',
    why: 'the kid stood in the unprotected header alone',
    files: [...sign1('fail-01', 'fail-02', 'fail-07', 'pass-02', 'pass-03'), ...eddsa('sig-02'), ...glue('0000')],
  },
  {
    code: 'cose-alg',
    why: 'no algorithm there, or another than the four that we know',
    files: [...sign1('fail-03', 'fail-04', 'pass-01'), ...ecdsa('sig-02', 'sig-03', 'sig-04'), ...glue('0002', '0003', '0004', '0005', '0006')],
  },
  { code: 'cose-header', why: 'a content type', files: [...sign1('fail-06'), ...ecdsa('sig-01'), ...eddsa('sig-01'), ...glue('0001')] },
];

// ---- Helpers

interface Parts {
  readonly header: Uint8Array;
  readonly payload: Uint8Array;
  /** The first of them in a message of several signers. */
  readonly signature: Uint8Array;
}

/** What is in a message, as the reference reads it behind whatever tag stands in front. */
function partsOf({ bytes }: Message): Parts {
  const start = bytes.indexOf(0x84);
  const [header, , payload, last] = walk(bytes, start).value as readonly [Uint8Array, unknown, Uint8Array, Uint8Array | readonly (readonly Uint8Array[])[]];
  return { header, payload, signature: last instanceof Uint8Array ? last : (last[0]?.[2] as Uint8Array) };
}

/** A key of a file, in the one spelling of a JWK that we read. */
function jwkOf({ x_hex, d_hex, ...rest }: Jwk): Jwk {
  return { ...rest, ...(x_hex !== undefined && { x: base64url(fromHex(x_hex)) }), ...(d_hex !== undefined && { d: base64url(fromHex(d_hex)) }) };
}

function keyOf(jwk: Jwk): PublicKey {
  const { d: _, ...rest } = jwkOf(jwk);
  return importPublicKey(rest);
}

const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');
const isHighS = (key: PublicKey, signature: Uint8Array): boolean =>
  key.alg === 'ESP256' && BigInt(`0x${Buffer.from(signature.subarray(32)).toString('hex')}`) > order / 2n;

const isOurs = ({ jwk, alg }: Message): boolean => (jwk['crv'] === 'P-256' && alg === 'ES256') || (jwk['crv'] === 'Ed25519' && alg === 'EdDSA');
const hasOneSigner = ({ bytes }: Message): boolean => bytes[0] !== 0xd8;

outside('COSE messages of others', () => {
  const files = ['vectors/cose-wg-examples', 'vectors/gluecose', 'vectors/agent-manifest'].flatMap(filesBelow).filter(isMessageFile);
  const of = (set: string): string[] => files.filter((file) => file.startsWith(`vectors/${set}/`));
  const messages = [...of('cose-wg-examples').map(workingGroup), ...of('gluecose').map(gluecose), ...manifests(of('agent-manifest'))];
  const byFile = new Map(messages.map((message) => [message.file, message]));
  const messageIn = (file: string): Message => byFile.get(file) as Message;

  describe('the list', () => {
    it('is 51 files, one of which holds no message', () => {
      expect([of('cose-wg-examples').length, of('gluecose').length, of('agent-manifest').length]).toEqual([21, 14, 16]);
      expect(files.filter((file) => !byFile.has(file))).toEqual(manifest('014'));
    });

    it('has every message in one row of the table', () => {
      expect(rows.flatMap((row) => row.files).sort()).toEqual(messages.map(({ file }) => file).sort());
    });

    it('has every message of one signer of the two general sets in one row of the second table', () => {
      const general = messages.filter((message) => !message.file.includes('agent-manifest') && hasOneSigner(message));
      expect(emptied.flatMap((row) => row.files).sort()).toEqual(general.map(({ file }) => file).sort());
    });
  });

  describe.each(rows)('refuses with $code: $why', ({ code, files: those }) => {
    it.each(those)('%s', (file) => {
      const message = messageIn(file);
      const answer = answerOf(() => keyOf(message.jwk));
      const keys = 'value' in answer ? [{ kid: Uint8Array.of(0x31, 0x31), key: answer.value }] : [];
      const result = verifySign1(message.bytes, keys, { externalAad: message.externalAad, alsoAlgorithms: ['EdDSA', 'ES256'] });
      expect(result.ok || result.problems.map((problem) => problem.code)).toEqual([code]);
    });
  });

  describe.each(emptied)('with tag 18 and an empty unprotected header refuses with $code: $why', ({ code, files: those }) => {
    it.each(those)('%s', (file) => {
      const { header, payload, signature } = partsOf(messageIn(file));
      const result = verifySign1(messageOf(header, payload, signature), [], { alsoAlgorithms: ['EdDSA', 'ES256'] });
      expect(result.ok || result.problems.map((problem) => problem.code)).toEqual([code]);
    });
  });

  it('refuses every key of another kind with key-format', () => {
    const others = messages.filter(({ jwk }) => jwk['crv'] !== 'P-256' && jwk['crv'] !== 'Ed25519');
    expect(tally(others.map(({ jwk }) => jwk['crv'] ?? (jwk['kty'] as string)))).toEqual({ 'P-384': 4, 'P-521': 4, Ed448: 2, RSA: 6 });
    expect(new Set(others.map(({ jwk }) => JSON.stringify(answerOf(() => keyOf(jwk)))))).toEqual(new Set(['{"code":"key-format"}']));
  });

  describe('builds the bytes that were signed', () => {
    const given = messages.filter((message) => message.signed !== undefined && hasOneSigner(message));
    const built = (message: Message): Uint8Array => {
      const { header, payload } = partsOf(message);
      return buildSigStructure(header, payload, message.externalAad);
    };
    /** Messages that were changed after they were signed, and one that was signed over an empty protected header and carries an empty map there. */
    const others = sign1('fail-02', 'fail-03', 'fail-04', 'fail-06', 'fail-07', 'pass-01');

    it.each(given.filter(({ file }) => !others.includes(file)).map((message) => [message.file, message] as const))('%s', (_, message) => {
      expect(built(message)).toEqual(message.signed);
    });

    it.each(given.filter(({ file }) => others.includes(file)).map((message) => [message.file, message] as const))(
      '%s, which is not what was signed',
      (_, message) => {
        expect(built(message)).not.toEqual(message.signed);
      },
    );

    it('for 22 messages', () => {
      expect(given).toHaveLength(22);
    });
  });

  describe.each(cryptoPaths)('with %s crypto judges the signature alone', (path) => {
    const judged = messages.filter((message) => isOurs(message) && !manifest('008').includes(message.file));

    it.each(judged.map((message) => [message.file, message] as const))('%s', (_, message) => {
      const { header, payload, signature } = partsOf(message);
      const key = keyOf(message.jwk);
      const { verify } = verifierOf(key);
      const { signed } = message;
      // RCP-8: of a signature with a high s nothing more is said
      const high = isHighS(key, signature) ? 'signature-high-s' : undefined;
      if (signed !== undefined) expect(onPath(path, () => verify(signed, signature))).toBe(high);
      if (!hasOneSigner(message)) return;
      const structure = buildSigStructure(header, payload, message.externalAad);
      const holds = message.holds ?? Buffer.from(structure).equals(signed as Uint8Array);
      expect(onPath(path, () => verify(structure, signature))).toBe(high ?? (holds ? undefined : 'signature-invalid'));
    });

    it('for 31 signatures, 6 of them with s in the upper half', () => {
      expect(judged).toHaveLength(31);
      expect(judged.filter((message) => isHighS(keyOf(message.jwk), partsOf(message).signature))).toHaveLength(6);
    });
  });

  describe.each(cryptoPaths)('with %s crypto and the keys of others', (path) => {
    const secrets = messages.filter((message) => hasOneSigner(message) && isOurs(message) && (message.jwk['d'] ?? message.jwk['d_hex']) !== undefined);

    it.each(secrets.map((message) => [message.file, message] as const))('accepts the payload of %s once it is signed in our form', (_, one) => {
      const { jwk, externalAad } = one;
      const key = importPrivateKey(jwkOf(jwk));
      const { payload } = partsOf(one);
      const kid = Uint8Array.of(0x31, 0x31);
      const alg = one.alg as 'EdDSA' | 'ES256';
      const verify = (profile: Parameters<typeof verifySign1>[2]): ReturnType<typeof verifySign1> =>
        onPath(path, () => verifySign1(message, [{ kid, key: key.public }], profile));
      const message = onPath(path, () => signSign1(payload, createSigner(key), { kid, externalAad, alg }));
      expect(verify({ externalAad, alsoAlgorithms: [alg] })).toMatchObject({ ok: true, alg, payload });
      expect(verify({ externalAad })).toMatchObject({ ok: false, problems: [{ code: 'cose-alg' }] });
      expect(verify({ externalAad: Uint8Array.of(0), alsoAlgorithms: [alg] })).toMatchObject({ ok: false, problems: [{ code: 'signature-invalid' }] });
    });

    it('for 13 messages', () => {
      expect(secrets).toHaveLength(13);
    });

    it.each([...eddsa('sig-01'), ...manifest('001'), 'vectors/agent-manifest/interop-cose_sign1_eddsa.json'])(
      'signs %s to the same bytes (RFC 8032)',
      (file) => {
        const message = messageIn(file);
        const { header, payload, signature } = partsOf(message);
        // the seed of the manifests is published as the bytes 0 to 31
        const seed = base64url(Uint8Array.from({ length: 32 }, (_, i) => i));
        const key = importPrivateKey({ d: seed, ...jwkOf(message.jwk) });
        expect(onPath(path, () => createSigner(key).sign(buildSigStructure(header, payload)))).toEqual(signature);
      },
    );
  });
});
