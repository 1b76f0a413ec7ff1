/**
 * Keys: what they are, how they are made and read, and their thumbprint (spec/receipt.md, Keys, RCP-6).
 * @module
 */
import { base64url, equalBytes, hex } from '../bytes.js';
import { quote, refuse } from '../errors.js';
import { sha256 } from '../hash.js';
import type { KeyAlgorithm, Sign, Verify } from './algorithm.js';
import { encodeCbor } from './cbor.js';
import { isEd25519Point, isP256Point, randomEd25519Seed, randomP256Scalar } from './curves.js';
import { ed25519PublicKey, ed25519Signer, ed25519Verifier } from './ed25519.js';
import { type Jwk, type KeySource, readKey } from './key-formats.js';
import { p256PublicKey, p256Signer, p256Verifier } from './p256.js';

export type { Jwk, KeySource };

/** A public key that passed RCP-6. Plain data: what the functions here need of it they copied when it was made. */
export interface PublicKey {
  readonly alg: KeyAlgorithm;
  /** The COSE Key Thumbprint (RFC 9679, SHA-256) in 64 lower-case hex digits. */
  readonly kid: string;
  readonly x: Uint8Array;
  /** P-256 alone. */
  readonly y?: Uint8Array;
}

/**
 * A private key. However it is printed or serialized it shows its algorithm and kid and nothing else;
 * `toJwk` is the one way to its secret.
 */
export class PrivateKey {
  readonly public: PublicKey;

  /** Not for callers: {@link importPrivateKey} and {@link generateKey} make keys. */
  constructor(publicKey: PublicKey) {
    this.public = publicKey;
    Object.freeze(this);
  }

  /** The key as a JWK with its secret in `d`. Keep it where only its owner reads. */
  toJwk(): Jwk {
    const secret = secrets.get(this);
    if (secret === undefined) throw new TypeError('"key" expected a key made by importPrivateKey or generateKey, got another object');
    return { ...publicJwk(this.public), d: base64url(secret.d) };
  }

  toJSON(): { readonly alg: KeyAlgorithm; readonly kid: string } {
    return { alg: this.public.alg, kid: this.public.kid };
  }

  toString(): string {
    return `PrivateKey ${this.public.alg} ${this.public.kid}`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

interface Secret {
  readonly d: Uint8Array;
  readonly sign: Sign;
}

/** What verifies by a key, and which kind of key it is. */
export interface Verifier {
  readonly alg: KeyAlgorithm;
  readonly verify: Verify;
}

// INVARIANT (secret apart): the secret is no property of the key, so that no printer, copier or debugger meets it
const secrets = new WeakMap<PrivateKey, Secret>();
// INVARIANT (checked once): what is in here passed RCP-6, and works on bytes that nobody else holds
const verifiers = new WeakMap<PublicKey, Verifier>();

/**
 * Reads a public key from a JWK (an object or JSON), a PEM text (`PUBLIC KEY`), or the bytes of a COSE_Key in
 * deterministic CBOR, and checks its point.
 *
 * @throws RuleprintError `key-format`, `key-point`, or `key-private` for a private key
 * @example
 * importPublicKey({ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }).kid;
 */
export function importPublicKey(source: KeySource): PublicKey {
  const parts = readKey(source);
  if (parts.d !== undefined) refuse('key-private', 'expected a public key, got a private one');
  if (parts.x === undefined || (parts.alg === 'ESP256' && parts.y === undefined)) refuse('key-format', 'expected the whole public key, got a part of it');
  return checkedPublicKey(parts.alg, parts.x, parts.y);
}

/**
 * Reads a private key from a JWK (an object or JSON), a PEM text (`PRIVATE KEY`: PKCS #8), or the bytes of a
 * COSE_Key in deterministic CBOR.
 *
 * @throws RuleprintError `key-format`, also where the public part is not that of the secret, or `key-private` for a public key
 * @example
 * const signer = createSigner(importPrivateKey(readFileSync('engine.jwk.json', 'utf8')));
 */
export function importPrivateKey(source: KeySource): PrivateKey {
  const { alg, x, y, d } = readKey(source);
  if (d === undefined) refuse('key-private', 'expected a private key, got a public one');
  const key = privateKey(alg, d);
  const matches = (x === undefined || equalBytes(x, key.public.x)) && (y === undefined || equalBytes(y, key.public.y as Uint8Array));
  if (!matches) refuse('key-format', 'expected the public key that belongs to the private one, got another');
  return key;
}

/**
 * A new private key from the runtime's random source.
 *
 * @throws TypeError for another algorithm
 * @example
 * const key = generateKey('ESP256');
 * publicJwk(key.public); // { kty: 'EC', crv: 'P-256', x: '…', y: '…' }
 */
export function generateKey(alg: KeyAlgorithm = 'Ed25519'): PrivateKey {
  if (alg !== 'Ed25519' && alg !== 'ESP256') throw new TypeError(`"alg" expected Ed25519 or ESP256, got ${String(alg)}`);
  return privateKey(alg, alg === 'Ed25519' ? randomEd25519Seed() : randomP256Scalar());
}

/** The public key as a JWK: the members that the kind of key needs and no other. */
export function publicJwk(key: PublicKey): Jwk {
  if (key.alg === 'Ed25519') return { kty: 'OKP', crv: 'Ed25519', x: base64url(key.x) };
  return { kty: 'EC', crv: 'P-256', x: base64url(key.x), y: base64url(key.y as Uint8Array) };
}

/**
 * The COSE Key Thumbprint (RFC 9679, SHA-256): the hash of the COSE_Key with the required members alone, in
 * deterministic CBOR. 32 bytes, owned by the caller; in hex it is the key's `kid`.
 *
 * @example
 * verifySign1(message, [{ kid: thumbprint(key), key }]);
 */
export function thumbprint({ alg, x, y }: Pick<PublicKey, 'alg' | 'x' | 'y'>): Uint8Array {
  const required = new Map<number, number | Uint8Array>();
  if (alg === 'Ed25519') required.set(1, 1).set(-1, 6).set(-2, x);
  else
    required
      .set(1, 2)
      .set(-1, 1)
      .set(-2, x)
      .set(-3, y as Uint8Array);
  return sha256(encodeCbor(required));
}

/**
 * How to verify by a key. One that was not made here (an application may load this module twice, as ESM and as CJS,
 * or write the object itself) is checked as on import.
 *
 * @throws TypeError for what is no public key, RuleprintError `key-point` or `kid-mismatch`
 */
export function verifierOf(key: PublicKey): Verifier {
  return verifiers.get(key) ?? adopt(key);
}

function adopt(key: PublicKey): Verifier {
  if (!isPublicKeyShape(key)) throw new TypeError('"key" expected a public key, got another value');
  const own = checkedPublicKey(key.alg, key.x, key.y);
  if (own.kid !== key.kid) refuse('kid-mismatch', `expected the kid ${own.kid}, got ${quote(String(key.kid))}`);
  const verifier = verifiers.get(own) as Verifier;
  verifiers.set(key, verifier);
  return verifier;
}

function isPublicKeyShape(key: PublicKey): boolean {
  const is32 = (bytes: unknown) => bytes instanceof Uint8Array && bytes.length === 32;
  return typeof key === 'object' && key !== null && is32(key.x) && (key.alg === 'Ed25519' || (key.alg === 'ESP256' && is32(key.y)));
}

/** How to sign with a key, also with one that another copy of this module made. */
export function signOf(key: PrivateKey): Sign {
  const secret = secrets.get(key) ?? (secrets.get(importPrivateKey(key.toJwk())) as Secret);
  return secret.sign;
}

function checkedPublicKey(alg: KeyAlgorithm, x: Uint8Array, y: Uint8Array | undefined): PublicKey {
  // RCP-6
  if (alg === 'Ed25519' && !isEd25519Point(x)) {
    refuse('key-point', 'expected the canonical encoding of a point of Ed25519 without a torsion part, got other bytes');
  }
  if (alg === 'ESP256' && !isP256Point(x, y as Uint8Array)) refuse('key-point', 'expected the coordinates of a point of P-256, got other numbers');
  return publicKey(alg, x, y);
}

function publicKey(alg: KeyAlgorithm, x: Uint8Array, y: Uint8Array | undefined): PublicKey {
  const copy = () => ({ x: new Uint8Array(x), ...(y && { y: new Uint8Array(y) }) });
  const key: PublicKey = Object.freeze({ alg, kid: hex(thumbprint({ alg, x, ...(y && { y }) })), ...copy() });
  const own = copy();
  verifiers.set(key, { alg, verify: own.y === undefined ? ed25519Verifier(own.x) : p256Verifier(own.x, own.y) });
  return key;
}

function privateKey(alg: KeyAlgorithm, secret: Uint8Array): PrivateKey {
  const d = secret.slice();
  // a public key that was computed from the secret is a good point, there is nothing to check
  if (alg === 'Ed25519') {
    const x = ed25519PublicKey(d);
    return keep(new PrivateKey(publicKey(alg, x, undefined)), { d, sign: ed25519Signer(d, x) });
  }
  const point = p256PublicKey(d);
  if (point === undefined) refuse('key-format', 'expected a private key from 1 to below the group order, got another number');
  return keep(new PrivateKey(publicKey(alg, point.x, point.y)), { d, sign: p256Signer(d, point.x, point.y) });
}

function keep(key: PrivateKey, secret: Secret): PrivateKey {
  secrets.set(key, secret);
  return key;
}
