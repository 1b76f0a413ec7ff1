/**
 * The forms in which a key is read (spec/receipt.md, Keys): JWK, PEM and COSE_Key, each to the same bare parts.
 * Whether the parts make a good key is for ./keys.ts. No message here shows any part.
 * @module
 */
import { equalBytes, fromBase64url, fromHex } from '../bytes.js';
import { quote, refuse } from '../errors.js';
import { type Algorithm, algorithmOf, type KeyAlgorithm, keyAlgorithms } from './algorithm.js';
import { type CborMap, walkWholeCbor } from './walk.js';

/** A JSON Web Key (RFC 7517), as an object; members that are not named in the spec are ignored. */
export type Jwk = { readonly [member: string]: unknown };

/** A key from outside: a JWK as an object or as JSON text, a PEM text, or the bytes of a COSE_Key. */
export type KeySource = Jwk | string | Uint8Array;

/** The numbers of a key, 32 bytes each; `d` is the secret: a seed for Ed25519, a scalar for P-256. */
export interface KeyParts {
  readonly alg: KeyAlgorithm;
  readonly x?: Uint8Array;
  readonly y?: Uint8Array;
  readonly d?: Uint8Array;
}

/** @throws RuleprintError `key-format` for another form, another curve, or a number that has not 32 bytes */
export function readKey(source: KeySource): KeyParts {
  if (typeof source === 'string') return source.trimStart().startsWith('-----') ? readPem(source) : readJwk(parseJson(source));
  if (source instanceof Uint8Array) return readCoseKey(source);
  if (typeof source === 'object' && source !== null) return readJwk(source);
  throw new TypeError(`"source" expected a JWK, PEM text or the bytes of a COSE_Key, got ${source === null ? 'null' : typeof source}`);
}

function parseJson(text: string): Jwk {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // the cause would quote the text, and the text may hold the secret
    refuse('key-format', 'expected a PEM text or a JWK in JSON, got text that is neither');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse('key-format', 'expected a JWK as a JSON object, got another value');
  return value as Jwk;
}

/** RFC 7517, RFC 8037 section 2, RFC 7518 section 6.2. */
function readJwk(jwk: Jwk): KeyParts {
  const kty = own(jwk, 'kty');
  const crv = own(jwk, 'crv');
  const alg: KeyAlgorithm | undefined = kty === 'OKP' && crv === 'Ed25519' ? 'Ed25519' : kty === 'EC' && crv === 'P-256' ? 'ESP256' : undefined;
  if (alg === undefined) refuse('key-format', `expected kty OKP with crv Ed25519 or kty EC with crv P-256, got kty ${shown(kty)} with crv ${shown(crv)}`);
  fitting(alg, own(jwk, 'alg'), (name) => (typeof name === 'string' && Object.hasOwn(keyAlgorithms, name) ? (name as Algorithm) : undefined));
  const parts = {
    alg,
    x: jwkNumber(jwk, 'x'),
    ...(alg === 'ESP256' && { y: jwkNumber(jwk, 'y') }),
    ...(Object.hasOwn(jwk, 'd') && { d: jwkNumber(jwk, 'd') }),
  };
  return parts;
}

function jwkNumber(jwk: Jwk, member: 'x' | 'y' | 'd'): Uint8Array {
  const text = own(jwk, member);
  const bytes = typeof text === 'string' ? fromBase64url(text) : undefined;
  if (bytes === undefined) refuse('key-format', `expected ${member} in base64url without padding, got ${text === undefined ? 'none' : 'another value'}`);
  return ofLength32(member, bytes);
}

function own(jwk: Jwk, member: string): unknown {
  return Object.hasOwn(jwk, member) ? jwk[member] : undefined;
}

// RFC 8410, RFC 5480, RFC 5958 and RFC 5915, as OpenSSL writes them: these exact bytes around the numbers.
// A general DER reader would take many spellings of one key.
const pemForms: readonly { readonly label: string; readonly alg: KeyAlgorithm; readonly der: readonly string[] }[] = [
  { label: 'PUBLIC KEY', alg: 'Ed25519', der: ['302a300506032b6570032100', 'x'] },
  { label: 'PRIVATE KEY', alg: 'Ed25519', der: ['302e020100300506032b657004220420', 'd'] },
  { label: 'PUBLIC KEY', alg: 'ESP256', der: ['3059301306072a8648ce3d020106082a8648ce3d03010703420004', 'x', 'y'] },
  {
    label: 'PRIVATE KEY',
    alg: 'ESP256',
    der: ['308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420', 'd', 'a14403420004', 'x', 'y'],
  },
  { label: 'PRIVATE KEY', alg: 'ESP256', der: ['3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420', 'd'] },
];

/** RFC 7468, one block and nothing around it but white space. */
function readPem(text: string): KeyParts {
  const [, label, body] = /^-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----$/.exec(text.trim()) ?? [];
  if (label === undefined || body === undefined) refuse('key-format', 'expected one PEM block, got another text');
  const der = fromBase64(body.replaceAll(/\s/g, ''));
  if (der === undefined) refuse('key-format', 'expected base64 in the PEM block, got other characters');
  for (const form of pemForms) {
    if (form.label !== label) continue;
    const numbers = matchDer(der, form.der);
    if (numbers !== undefined) return { alg: form.alg, ...numbers };
  }
  refuse('key-format', `expected PUBLIC KEY or PRIVATE KEY of Ed25519 or P-256 with an uncompressed point, got another ${label}`);
}

/** The numbers between the fixed pieces, or undefined where the bytes are not of this form. */
function matchDer(der: Uint8Array, form: readonly string[]): Omit<KeyParts, 'alg'> | undefined {
  const numbers: { x?: Uint8Array; y?: Uint8Array; d?: Uint8Array } = {};
  let at = 0;
  for (const piece of form) {
    const fixed = piece.length > 1 ? fromHex(piece) : undefined;
    const bytes = der.slice(at, at + (fixed?.length ?? 32));
    at += fixed?.length ?? 32;
    if (fixed === undefined) numbers[piece as 'x' | 'y' | 'd'] = bytes;
    else if (!equalBytes(bytes, fixed)) return undefined;
  }
  return at === der.length ? numbers : undefined;
}

/** RFC 4648 section 4, padded, the one spelling of its bytes. */
function fromBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  return fromBase64url(text.replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_'));
}

// labels of a COSE_Key (RFC 9052 section 7.1, RFC 9053 section 7) and what stands at them
const KTY = 1;
const ALG = 3;
const CRV = -1;
const KTY_OKP = 1;
const KTY_EC2 = 2;
const CRV_ED25519 = 6;
const CRV_P256 = 1;
const coseLabels = { x: -2, y: -3, d: -4 } as const;

/** A COSE_Key in deterministic CBOR. */
function readCoseKey(bytes: Uint8Array): KeyParts {
  const walked = walkWholeCbor(bytes);
  if ('code' in walked) refuse('key-format', `expected a COSE_Key in deterministic CBOR, got ${walked.code}`, { where: walked.where });
  const { value } = walked;
  if (!(value instanceof Map)) refuse('key-format', 'expected a COSE_Key, which is a map, got another item');
  const map: CborMap = value;
  const kty = map.get(KTY);
  const crv = map.get(CRV);
  const alg: KeyAlgorithm | undefined = kty === KTY_OKP && crv === CRV_ED25519 ? 'Ed25519' : kty === KTY_EC2 && crv === CRV_P256 ? 'ESP256' : undefined;
  if (alg === undefined) refuse('key-format', `expected kty 1 with crv 6 or kty 2 with crv 1, got kty ${shown(kty)} with crv ${shown(crv)}`);
  fitting(alg, map.get(ALG), algorithmOf);
  return {
    alg,
    ...(map.has(coseLabels.x) && { x: coseNumber(map, 'x') }),
    ...(alg === 'ESP256' && map.has(coseLabels.y) && { y: coseNumber(map, 'y') }),
    ...(map.has(coseLabels.d) && { d: coseNumber(map, 'd') }),
  };
}

function coseNumber(map: CborMap, name: 'x' | 'y' | 'd'): Uint8Array {
  const bytes = map.get(coseLabels[name]);
  if (!(bytes instanceof Uint8Array)) refuse('key-format', `expected ${name} as a byte string, got another item`);
  return ofLength32(name, bytes);
}

/** An algorithm that is named in a key restricts it, so a name that it cannot serve makes it no key. */
function fitting(alg: KeyAlgorithm, named: unknown, algorithm: (named: unknown) => Algorithm | undefined): void {
  if (named === undefined) return;
  const known = algorithm(named);
  if (known === undefined || keyAlgorithms[known] !== alg) refuse('key-format', `expected an alg that fits a key for ${alg}, got ${shown(named)}`);
}

function ofLength32(name: string, bytes: Uint8Array): Uint8Array {
  if (bytes.length !== 32) refuse('key-format', `expected 32 bytes of ${name}, got ${bytes.length}`);
  return bytes;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  return typeof value === 'number' ? `${value}` : value === undefined ? 'none' : 'another value';
}
