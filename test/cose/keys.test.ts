import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { ed25519 } from '@noble/curves/ed25519.js';
import { describe, expect, it, vi } from 'vitest';
import { base64url, concat, hex } from '../../src/bytes.js';
import { encodeCbor } from '../../src/cose/cbor.js';
import {
  generateKey,
  importPrivateKey,
  importPublicKey,
  type KeySource,
  PrivateKey,
  type PublicKey,
  publicJwk,
  thumbprint,
  verifierOf,
} from '../../src/cose/keys.js';
import { createSigner } from '../../src/cose/signer.js';
import { RuleprintError } from '../../src/errors.js';
import { unhex } from './hex.js';

// RFC 8037 appendix A.1
const ed = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A' };
// RFC 7517 appendix A.2
const ec = {
  kty: 'EC',
  crv: 'P-256',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
  d: '870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE',
};
const all = [ed, ec];
const open = <T extends { d: string }>({ d: _, ...jwk }: T) => jwk;
const bytesOf = (text: string | undefined): Uint8Array => Uint8Array.from(Buffer.from(text as string, 'base64url'));
const yOf = (jwk: object): string | undefined => (jwk as { y?: string }).y;

/** A point of order 8. */
const torsion = ed25519.Point.fromBytes(unhex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'));

/** A COSE_Key of a JWK; `change` gets the map before it is encoded. */
function coseKey(
  jwk: { kty: string; x: string; y?: string; d?: string },
  change: (map: Map<number, number | Uint8Array | boolean | string>) => void = () => undefined,
): Uint8Array {
  const map = new Map<number, number | Uint8Array | boolean | string>(
    jwk.kty === 'OKP'
      ? [
          [1, 1],
          [-1, 6],
        ]
      : [
          [1, 2],
          [-1, 1],
        ],
  ); // prettier-ignore
  map.set(-2, bytesOf(jwk.x));
  if (jwk.y !== undefined) map.set(-3, bytesOf(jwk.y));
  if (jwk.d !== undefined) map.set(-4, bytesOf(jwk.d));
  change(map);
  return encodeCbor(map);
}

function codeOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof RuleprintError) return error.code;
    throw error;
  }
  return undefined;
}

describe('thumbprint', () => {
  it('is that of the example of RFC 9679 section 6', () => {
    const x = unhex('65eda5a12577c2bae829437fe338701a10aaa375e1bb5b5de108de439c08551d');
    const y = unhex('1e52ed75701163f7f9e40ddf9f341b3dc9ba860af7e0ca7ca7e9eecd0084d19c');
    expect(hex(thumbprint({ alg: 'ESP256', x, y }))).toBe('496bd8afadf307e5b08c64b0421bf9dc01528a344a43bda88fadd1669da253ec');
  });

  it('is the kid of a key, over the required members alone', () => {
    const key = importPublicKey({ ...open(ed), kid: 'other', use: 'sig' });
    expect(key.kid).toBe(hex(thumbprint(key)));
    expect(key.kid).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe.each(all)('importPublicKey of $crv', (jwk) => {
  const key = importPublicKey(open(jwk));
  const pem = createPrivateKey({ key: jwk, format: 'jwk' });

  it('reads the numbers', () => {
    expect(key.alg).toBe(jwk.kty === 'OKP' ? 'Ed25519' : 'ESP256');
    expect(base64url(key.x)).toBe(jwk.x);
    expect(key.y && base64url(key.y)).toBe(yOf(jwk));
  });

  it('reads the same key from a JWK object, JSON, PEM and a COSE_Key', () => {
    const spki = publicPem(jwk);
    for (const source of [JSON.stringify(open(jwk)), ` ${JSON.stringify(open(jwk))}\n`, spki, spki.replaceAll('\n', '\r\n'), spki.trim(), coseKey(open(jwk))]) {
      expect(importPublicKey(source)).toEqual(key);
    }
    expect(importPublicKey(Buffer.from(coseKey(open(jwk))))).toEqual(key);
  });

  it('takes the names of algorithms that it can serve, and no other', () => {
    const names = jwk.kty === 'OKP' ? ['Ed25519', 'EdDSA'] : ['ESP256', 'ES256'];
    for (const alg of names) expect(importPublicKey({ ...open(jwk), alg })).toEqual(key);
    for (const alg of jwk.kty === 'OKP' ? [-19, -8] : [-9, -7]) expect(importPublicKey(coseKey(open(jwk), (map) => map.set(3, alg)))).toEqual(key);
    for (const alg of ['ES384', '__proto__', '', 1, ...(jwk.kty === 'OKP' ? ['ES256'] : ['EdDSA'])]) {
      expect(codeOf(() => importPublicKey({ ...open(jwk), alg }))).toBe('key-format');
    }
    for (const alg of [-35, 'EdDSA', jwk.kty === 'OKP' ? -7 : -8])
      expect(codeOf(() => importPublicKey(coseKey(open(jwk), (map) => map.set(3, alg))))).toBe('key-format');
  });

  it('gives a frozen key whose JWK is the one it came from', () => {
    expect(Object.isFrozen(key)).toBe(true);
    expect(publicJwk(key)).toEqual(open(jwk));
  });

  it('refuses a private key in every form, because it does not belong where public keys are read', () => {
    const pkcs8 = pem.export({ format: 'pem', type: 'pkcs8' }) as string;
    for (const source of [jwk, JSON.stringify(jwk), pkcs8, coseKey(jwk)]) expect(codeOf(() => importPublicKey(source))).toBe('key-private');
  });

  it.each<[string, (jwk: Record<string, unknown>) => unknown]>([
    ['another kty', (key) => ({ ...key, kty: 'RSA' })],
    ['no kty', ({ kty: _, ...key }) => key],
    ['an inherited kty', ({ kty, ...key }) => Object.assign(Object.create({ kty }), key)],
    ['another curve', (key) => ({ ...key, crv: 'X25519' })],
    ['the curve of the other kind of key', (key) => ({ ...key, crv: key.crv === 'P-256' ? 'Ed25519' : 'P-256' })],
    ['no x', ({ x: _, ...key }) => key],
    ['x as a number', (key) => ({ ...key, x: 1 })],
    ['x with padding', (key) => ({ ...key, x: `${key.x as string}=` })],
    ['x of 31 bytes', (key) => ({ ...key, x: base64url(bytesOf(key.x as string).subarray(1)) })],
    ['x of 33 bytes', (key) => ({ ...key, x: base64url(concat(Uint8Array.of(0), bytesOf(key.x as string))) })],
    ['x that spells unused bits', (key) => ({ ...key, x: (key.x as string).slice(0, -1) + nextLetter((key.x as string).slice(-1)) })],
  ])('refuses a JWK with %s', (_, change) => {
    expect(codeOf(() => importPublicKey(change(open(jwk)) as KeySource))).toBe('key-format');
  });

  it.each<[string, (map: Map<number, number | Uint8Array | boolean | string>) => void]>([
    ['another kty', (map) => map.set(1, 4)],
    ['kty as text', (map) => map.set(1, 'OKP')],
    ['no kty', (map) => map.delete(1)],
    ['another curve', (map) => map.set(-1, 4)],
    ['no x', (map) => map.delete(-2)],
    ['x of 31 bytes', (map) => map.set(-2, new Uint8Array(31))],
    ['x as text', (map) => map.set(-2, 'x')],
  ])('refuses a COSE_Key with %s', (_, change) => {
    expect(codeOf(() => importPublicKey(coseKey(open(jwk), change)))).toBe('key-format');
  });

  it.each<[string, (pem: string) => string]>([
    ['another label', (text) => text.replaceAll('PUBLIC KEY', 'CERTIFICATE')],
    ['two labels', (text) => text.replace('PUBLIC KEY', 'PRIVATE KEY')],
    ['text in front', (text) => `key: ${text}`],
    ['text behind', (text) => `${text}x`],
    ['two blocks', (text) => text + text],
    ['a character that is not base64', (text) => text.replace('M', '*')],
    ['no last character', (text) => text.replace(/.\n-----END/, '\n-----END')],
    ['a byte more', (text) => rewrap(text, (der) => concat(der, Uint8Array.of(0)))],
    ['a byte less', (text) => rewrap(text, (der) => der.subarray(0, -1))],
    ['another object identifier', (text) => rewrap(text, (der) => der.map((byte, i) => (i === (der.length < 60 ? 8 : 20) ? byte ^ 1 : byte)))],
  ])('refuses a PEM with %s', (_, change) => {
    const spki = publicPem(jwk);
    expect(codeOf(() => importPublicKey(spki))).toBeUndefined();
    expect(codeOf(() => importPublicKey(change(spki)))).toBe('key-format');
  });
});

describe('importPublicKey refuses', () => {
  it('a P-256 key with a compressed point', () => {
    expect(codeOf(() => importPublicKey(coseKey(open(ec), (map) => map.set(-3, true))))).toBe('key-format');
    expect(codeOf(() => importPublicKey(coseKey(open(ec), (map) => map.delete(-3))))).toBe('key-format');
    const { y: _, ...compressed } = open(ec);
    expect(codeOf(() => importPublicKey(compressed))).toBe('key-format');
  });

  it('keys of other kinds in PEM', () => {
    for (const pair of [generateKeyPairSync('x25519'), generateKeyPairSync('ed448'), generateKeyPairSync('ec', { namedCurve: 'P-384' })]) {
      expect(codeOf(() => importPublicKey(pair.publicKey.export({ format: 'pem', type: 'spki' })))).toBe('key-format');
      expect(codeOf(() => importPrivateKey(pair.privateKey.export({ format: 'pem', type: 'pkcs8' })))).toBe('key-format');
    }
  });

  it('the older and the encrypted PEM forms of a private key', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(codeOf(() => importPrivateKey(privateKey.export({ format: 'pem', type: 'sec1' })))).toBe('key-format');
    const encrypted = privateKey.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'p' });
    expect(codeOf(() => importPrivateKey(encrypted))).toBe('key-format');
  });

  it.each(['', '{', '[]', 'null', '1', '-----', 'ssh-ed25519 AAAA'])('the text %j', (text) => {
    expect(codeOf(() => importPublicKey(text))).toBe('key-format');
  });

  it.each(['', 'f6', '80', 'a0', '01', 'a201010101', 'bf0101ff'])('the bytes %j', (text) => {
    expect(codeOf(() => importPublicKey(unhex(text)))).toBe('key-format');
  });

  it('a COSE_Key whose labels are out of order, because the walk that reads it is the strict one', () => {
    const bytes = coseKey(open(ed));
    expect(hex(bytes.subarray(0, 5))).toBe('a301012006');
    const swapped = concat(unhex('a320060101'), bytes.subarray(5));
    expect(codeOf(() => importPublicKey(swapped))).toBe('key-format');
  });

  it.each([
    ['a point of small order', ed, { x: unhex('0100000000000000000000000000000000000000000000000000000000000000') }],
    ['a point with a torsion part', ed, { x: ed25519.Point.fromBytes(bytesOf(ed.x)).add(torsion).toBytes() }],
    ['an encoding that is not canonical', ed, { x: unhex('eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f') }],
    ['bytes that are no point', ed, { x: unhex('0200000000000000000000000000000000000000000000000000000000000000') }],
    ['a point beside the curve', ec, { x: bytesOf(ec.y) }],
    ['infinity as some write it', ec, { x: new Uint8Array(32), y: new Uint8Array(32) }],
  ])('%s with key-point, in every form (RCP-6)', (_, jwk, change) => {
    const changed = { ...open(jwk), ...Object.fromEntries(Object.entries(change).map(([name, bytes]) => [name, base64url(bytes)])) };
    expect(codeOf(() => importPublicKey(changed))).toBe('key-point');
    expect(codeOf(() => importPublicKey(coseKey(changed)))).toBe('key-point');
    const from = (name: 'x' | 'y') => bytesOf((changed as { x: string; y?: string })[name]);
    const numbers = jwk === ed ? from('x') : concat(from('x'), from('y'));
    const pem = rewrap(publicPem(open(jwk)), (der) => concat(der.subarray(0, der.length - numbers.length), numbers));
    expect(codeOf(() => importPublicKey(pem))).toBe('key-point');
  });

  it('what is no key source with a TypeError, because that is the caller', () => {
    for (const source of [undefined, null, 1, true]) expect(() => importPublicKey(source as unknown as string)).toThrow(TypeError);
  });
});

describe.each(all)('importPrivateKey of $crv', (jwk) => {
  const key = importPrivateKey(jwk);

  it('knows its public key and gives back its JWK', () => {
    expect(key.public).toEqual(importPublicKey(open(jwk)));
    expect(key.toJwk()).toEqual(jwk);
  });

  it('reads the same key from JSON, PEM and a COSE_Key', () => {
    const pem = createPrivateKey({ key: jwk, format: 'jwk' }).export({ format: 'pem', type: 'pkcs8' }) as string;
    for (const source of [JSON.stringify(jwk), pem, coseKey(jwk)]) expect(importPrivateKey(source).toJwk()).toEqual(jwk);
  });

  it('reads a COSE_Key that holds the secret alone, and computes the rest', () => {
    const bytes = coseKey(jwk, (map) => {
      map.delete(-2);
      map.delete(-3);
    });
    expect(importPrivateKey(bytes).toJwk()).toEqual(jwk);
  });

  it('refuses a public key', () => {
    for (const source of [open(jwk), publicPem(jwk), coseKey(open(jwk))]) expect(codeOf(() => importPrivateKey(source))).toBe('key-private');
  });

  it('refuses a public part that is not that of the secret, because a signature by it would never verify', () => {
    const other = generateKey(jwk.kty === 'OKP' ? 'Ed25519' : 'ESP256').toJwk();
    expect(codeOf(() => importPrivateKey({ ...jwk, x: other.x }))).toBe('key-format');
    expect(codeOf(() => importPrivateKey({ ...jwk, d: other.d }))).toBe('key-format');
    expect(codeOf(() => importPrivateKey(coseKey({ ...jwk, d: other.d as string })))).toBe('key-format');
    if (jwk.kty === 'EC') expect(codeOf(() => importPrivateKey({ ...jwk, y: other.y }))).toBe('key-format');
  });

  it.each<[string, unknown]>([
    ['of 31 bytes', base64url(bytesOf(jwk.d).subarray(1))],
    ['of 33 bytes', base64url(concat(bytesOf(jwk.d), Uint8Array.of(0)))],
    ['that is no base64url', `${jwk.d}=`],
    ['that is no text', 1],
  ])('refuses a secret %s, and does not show it', (_, d) => {
    try {
      importPrivateKey({ ...jwk, d });
      expect.unreachable();
    } catch (error) {
      expect((error as RuleprintError).code).toBe('key-format');
      expect(JSON.stringify(inspect(error, { depth: 10, showHidden: true }))).not.toContain(jwk.d.slice(2, 20));
    }
  });
});

describe('importPrivateKey of P-256', () => {
  it('reads PKCS #8 that leaves the public key out', () => {
    const der = concat(unhex('3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420'), bytesOf(ec.d));
    expect(importPrivateKey(toPem('PRIVATE KEY', der)).toJwk()).toEqual(ec);
  });

  it('refuses PKCS #8 with the public key of another', () => {
    const pem = createPrivateKey({ key: ec, format: 'jwk' }).export({ format: 'pem', type: 'pkcs8' }) as string;
    const other = generateKey('ESP256').public;
    const wrong = rewrap(pem, (der) => concat(der.subarray(0, -64), other.x, other.y as Uint8Array));
    expect(codeOf(() => importPrivateKey(wrong))).toBe('key-format');
  });

  it.each([
    ['zero', '00'.repeat(32)],
    ['the order', 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'],
    ['above the order', 'ff'.repeat(32)],
  ])('refuses the secret %s', (_, d) => {
    expect(codeOf(() => importPrivateKey({ ...ec, d: base64url(unhex(d)) }))).toBe('key-format');
  });
});

describe('importPrivateKey of text', () => {
  it('does not show the text that it cannot read, because it may hold the secret', () => {
    const text = JSON.stringify(ed).slice(0, -1);
    try {
      importPrivateKey(text);
      expect.unreachable();
    } catch (error) {
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(ed.d.slice(2, 20));
    }
  });
});

describe.each(all)('a private key of $crv shows its secret nowhere', (jwk) => {
  const key = importPrivateKey(jwk);
  const secret = bytesOf(jwk.d);
  const spellings = [jwk.d, hex(secret), [...secret.subarray(0, 8)].join(','), [...secret.subarray(0, 8)].join(', '), secret.toString()];

  it.each<[string, () => string]>([
    ['String', () => String(key)],
    ['a template', () => `${key}`],
    ['JSON', () => JSON.stringify({ key, signer: createSigner(key) })],
    ['inspect', () => inspect(key)],
    ['inspect with all it can show', () => inspect({ key, signer: createSigner(key) }, { depth: 20, showHidden: true, getters: true })],
    ['its own inspection hook switched off', () => inspect(key, { customInspect: false, showHidden: true, depth: 20 })],
    ['structuredClone', () => inspect(structuredClone({ ...key }), { depth: 20 })],
    ['its own fields', () => inspect(Object.getOwnPropertyDescriptors(key), { depth: 20 })],
  ])('not in %s', (_, print) => {
    const text = print();
    for (const spelling of spellings) expect(text).not.toContain(spelling);
  });

  it('and shows its algorithm and kid instead', () => {
    expect(JSON.parse(JSON.stringify(key))).toEqual({ alg: key.public.alg, kid: key.public.kid });
    expect(inspect(key)).toBe(`PrivateKey ${key.public.alg} ${key.public.kid}`);
  });
});

describe('generateKey', () => {
  it('makes Ed25519 where nothing is said, and a new key each time', () => {
    const keys = [generateKey(), generateKey(), generateKey('ESP256'), generateKey('ESP256')];
    expect(keys.map((key) => key.public.alg)).toEqual(['Ed25519', 'Ed25519', 'ESP256', 'ESP256']);
    expect(new Set(keys.map((key) => key.public.kid)).size).toBe(4);
    for (const key of keys) expect(importPrivateKey(key.toJwk()).public).toEqual(key.public);
    for (const key of keys) expect(importPublicKey(publicJwk(key.public))).toEqual(key.public);
  });

  it('refuses another algorithm', () => {
    expect(() => generateKey('RS256' as 'ESP256')).toThrow(TypeError);
  });
});

describe('a public key object', () => {
  const message = unhex('6869');

  it('that is changed after it was made verifies as before, because its bytes were copied', () => {
    const key = generateKey();
    const signature = createSigner(key).sign(message);
    key.public.x.fill(0);
    expect(verifierOf(key.public).verify(message, signature)).toBeUndefined();
  });

  it('that was written by hand is checked as on import', () => {
    const { public: good } = generateKey();
    const x = unhex('0100000000000000000000000000000000000000000000000000000000000000');
    expect(codeOf(() => verifierOf({ ...good }))).toBeUndefined();
    expect(codeOf(() => verifierOf({ ...good, x }))).toBe('key-point');
    expect(codeOf(() => verifierOf({ ...good, kid: generateKey().public.kid }))).toBe('kid-mismatch');
    for (const wrong of [undefined, null, {}, { ...good, x: 'x' }, { ...good, alg: 'RS256' }, { ...good, alg: 'ESP256' }, { ...good, x: good.x.subarray(1) }]) {
      expect(() => verifierOf(wrong as PublicKey)).toThrow(TypeError);
    }
  });
});

describe('keys of another copy of the module, as when an application loads ESM and CJS', () => {
  it('sign and verify like our own', async () => {
    vi.resetModules();
    const other = await import('../../src/cose/keys.js');
    expect(other.PrivateKey).not.toBe(PrivateKey);
    for (const jwk of all) {
      const foreign = other.importPrivateKey(jwk);
      const message = unhex('6869');
      const signature = createSigner(foreign).sign(message);
      expect(verifierOf(foreign.public).verify(message, signature)).toBeUndefined();
    }
  });

  it('but an object that only looks like one is refused', () => {
    const hollow = new PrivateKey(generateKey().public);
    expect(() => hollow.toJwk()).toThrow(TypeError);
    expect(() => createSigner(hollow)).toThrow(TypeError);
    expect(() => createSigner({} as PrivateKey)).toThrow(TypeError);
  });
});

/** As OpenSSL writes it. */
function publicPem(jwk: Record<string, string>): string {
  return createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'pem', type: 'spki' }) as string;
}

function toPem(label: string, der: Uint8Array): string {
  const lines = Buffer.from(der)
    .toString('base64')
    .match(/.{1,64}/g) as string[];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

function rewrap(pem: string, change: (der: Uint8Array) => Uint8Array): string {
  const [, label, body] = /BEGIN ([A-Z ]+)-----([^-]*)-/.exec(pem) as unknown as [string, string, string];
  return toPem(label, change(Uint8Array.from(Buffer.from(body, 'base64'))));
}

/** The letter of base64url that differs in the last, unused, bit alone. */
function nextLetter(letter: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet[alphabet.indexOf(letter) ^ 1] as string;
}
