import { createPrivateKey, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { concat, hex } from '../../src/bytes.js';
import { fromDer } from '../../src/cose/ecdsa-der.js';
import { generateKey, type PrivateKey, verifierOf } from '../../src/cose/keys.js';
import { lowS } from '../../src/cose/p256.js';
import { createSigner, wrapKmsSigner } from '../../src/cose/signer.js';
import { unhex } from './hex.js';
import { describeBothPaths } from './paths.js';

const message = unhex('68656c6c6f');
const ed = generateKey('Ed25519');
const ec = generateKey('ESP256');

/** A key service: node:crypto with the private key, in the form that is asked for. */
function service(key: PrivateKey, form: 'der' | 'ieee-p1363') {
  const keyObject = createPrivateKey({ key: key.toJwk() as Record<string, string>, format: 'jwk' });
  const algorithm = key.public.alg === 'Ed25519' ? null : 'sha256';
  return (bytes: Uint8Array): Uint8Array => sign(algorithm, bytes, { key: keyObject, dsaEncoding: form });
}

const isHigh = (signature: Uint8Array) => hex(lowS(signature)) !== hex(signature);

describeBothPaths('createSigner', () => {
  it.each([ed, ec])('signs so that the public key verifies, %#', (key) => {
    const signer = createSigner(key);
    expect(signer.alg).toBe(key.public.alg);
    expect(hex(signer.kid)).toBe(key.public.kid);
    expect(verifierOf(key.public).verify(message, signer.sign(message))).toBeUndefined();
  });

  it('gives plain bytes of the caller’s own', () => {
    const signature = createSigner(ed).sign(message);
    expect(signature.constructor).toBe(Uint8Array);
    expect(signature).toHaveLength(64);
    expect(signature.buffer.byteLength).toBe(64);
  });
});

describeBothPaths('wrapKmsSigner', () => {
  it('takes the 64 bytes of Ed25519 as they are', async () => {
    const signer = wrapKmsSigner({ key: ed.public, sign: service(ed, 'der') });
    expect(hex(await signer.sign(message))).toBe(hex(createSigner(ed).sign(message)));
  });

  it.each(['der', 'ieee-p1363'] as const)('turns %s of ECDSA to r and s with s in the lower half, whichever half the service gives', async (form) => {
    const halves = new Set<boolean>();
    for (let i = 0; halves.size < 2 || i < 8; i++) {
      const signer = wrapKmsSigner({
        key: ec.public,
        sign: async (bytes) => {
          const given = service(ec, form)(bytes);
          halves.add(isHigh(form === 'der' ? (fromDer(given) as Uint8Array) : given));
          return given;
        },
      });
      const text = Uint8Array.of(i);
      const signature = await signer.sign(text);
      expect(verifierOf(ec.public).verify(text, signature)).toBeUndefined();
    }
  });

  it('takes 64 bytes that begin as DER does for what they are', async () => {
    // 0x30 in front stands in one signature of 256
    let raw = new Uint8Array(64);
    while (raw[0] !== 0x30) raw = new Uint8Array(service(ec, 'ieee-p1363')(message));
    const signer = wrapKmsSigner({ key: ec.public, sign: () => raw });
    expect(hex(await signer.sign(message))).toBe(hex(lowS(raw)));
  });

  it.each<[string, (good: Uint8Array) => unknown]>([
    ['no bytes', () => new Uint8Array(0)],
    ['a text', () => 'signature'],
    ['nothing', () => undefined],
    ['63 bytes', (good) => good.subarray(0, 63)],
    ['a signature of another message', (good) => good.map((byte, i) => (i === 5 ? byte ^ 1 : byte))],
  ])('refuses %s with signer-output', async (_, output) => {
    for (const key of [ed, ec]) {
      const signer = wrapKmsSigner({ key: key.public, sign: (bytes) => output(createSigner(key).sign(bytes)) as Uint8Array });
      await expect(signer.sign(message)).rejects.toMatchObject({ name: 'RuleprintError', code: 'signer-output' });
    }
  });

  it('refuses a signature by another key, since a wrong key id shows nowhere else', async () => {
    for (const key of [ed, ec]) {
      const signer = wrapKmsSigner({ key: generateKey(key.public.alg).public, sign: service(key, 'der') });
      await expect(signer.sign(message)).rejects.toMatchObject({ code: 'signer-output' });
    }
  });

  it('passes on the error of the service', async () => {
    const error = new Error('throttled');
    const signer = wrapKmsSigner({ key: ed.public, sign: () => Promise.reject(error) });
    await expect(signer.sign(message)).rejects.toBe(error);
  });
});

describe('fromDer', () => {
  const number = (text: string) => concat(Uint8Array.of(2, text.length / 2), unhex(text));
  const sequence = (...parts: Uint8Array[]) =>
    concat(
      Uint8Array.of(
        0x30,
        parts.reduce((sum, part) => sum + part.length, 0),
      ),
      ...parts,
    );
  const r = number(`00${'ff'.repeat(32)}`);
  const s = number('01');
  const good = sequence(r, s);

  it('puts r and s into 32 bytes each', () => {
    expect(hex(fromDer(good) as Uint8Array)).toBe(`${'ff'.repeat(32)}${'00'.repeat(31)}01`);
    expect(hex(fromDer(sequence(number('7f'), number(`00${'80'.repeat(32)}`))) as Uint8Array)).toBe(`${'00'.repeat(31)}7f${'80'.repeat(32)}`);
    expect(hex(fromDer(sequence(number('00'), number('0080'))) as Uint8Array)).toBe(`${'00'.repeat(63)}80`);
  });

  it.each([
    ['no bytes', new Uint8Array(0)],
    ['another tag', good.map((byte, i) => (i === 0 ? 0x31 : byte))],
    ['a byte after the end', concat(good, Uint8Array.of(0))],
    ['a byte less', good.subarray(0, -1)],
    ['a byte inside the sequence and after s', sequence(r, s, Uint8Array.of(0))],
    ['one number', sequence(r)],
    ['a long form of the length', concat(Uint8Array.of(0x30, 0x81, r.length + s.length), r, s)],
    [
      'a number with another tag',
      sequence(
        r,
        s.map((byte, i) => (i === 0 ? 3 : byte)),
      ),
    ],
    ['a number without bytes', sequence(r, Uint8Array.of(2, 0))],
    ['a number longer than the rest', sequence(r, Uint8Array.of(2, 2, 1))],
    ['a negative number', sequence(r, number('80'))],
    ['a zero too many in front', sequence(r, number('0001'))],
    ['a number of 33 bytes', sequence(r, number(`01${'00'.repeat(32)}`))],
    ['a number of 34 bytes', sequence(r, number(`00ff${'00'.repeat(32)}`))],
  ])('refuses %s', (_, der) => {
    expect(fromDer(good)).toBeDefined();
    expect(fromDer(der)).toBeUndefined();
  });
});
