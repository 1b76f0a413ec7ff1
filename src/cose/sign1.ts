/**
 * COSE_Sign1 (RFC 9052 section 4.2) over one payload: the Sig_structure, signing, and verifying in the numbered
 * steps of spec/receipt.md. Knows nothing of what the payload says.
 * @module
 */
import { equalBytes, hex } from '../bytes.js';
import { type Problem, type Problems, refuse } from '../errors.js';
import { sha256Text } from '../hash.js';
import { limits } from '../limits.js';
import { type Algorithm, keyAlgorithms, signatureBytes } from './algorithm.js';
import { byteStringLength, headLength, writeByteString } from './head.js';
import { encodeHeader, fits, type Header, type HeaderProfile, readHeader } from './header.js';
import { type PublicKey, verifierOf } from './keys.js';
import { rangeFault } from './p256.js';
import { itemEnd } from './sequence.js';
import { buildSigStructure, sigStructureBehind, sigStructureStart } from './sig-structure.js';
import type { AsyncSigner, Signer } from './signer.js';
import { usualParts } from './usual.js';
import { type CborMap, type CborValue, isProblem, walkWholeCbor } from './walk.js';

// the bytes of tag 18, of the head of an array of four, and of an empty map
const TAG_SIGN1 = 0xd2;
const ARRAY_OF_4 = 0x84;
const EMPTY_MAP = 0xa0;

export interface SignOptions {
  /** In place of the signer's own kid: at least one byte. */
  readonly kid?: Uint8Array;
  readonly typ?: string;
  /** Data that is signed and not sent (RFC 9052 section 4.3). */
  readonly externalAad?: Uint8Array;
  /** The older name of the signer's algorithm, for a verifier that knows no other. */
  readonly alg?: Algorithm;
}

/** A message that lacks its signature. Its hash is known before the signature is made. */
export interface PreparedSign1 {
  /** What to sign. */
  readonly sigStructure: Uint8Array;
  /** `sha256:` and hex of the Sig_structure (RCP-4). */
  hash(): string;
  /** The message with this signature. Throws RuleprintError `signer-output` where it is not one of the right form. */
  finish(signature: Uint8Array): Uint8Array;
}

/**
 * Signs a payload: tag 18, alg and kid in the protected header, nothing in the unprotected one.
 *
 * @throws TypeError for options that do not fit the signer
 * @throws RuleprintError `limit` for a message over 1,048,576 bytes, `signer-output` for a signer that gives no signature
 * @example
 * const key = generateKey();
 * const message = signSign1(encodeCbor({ hello: 'world' }), createSigner(key));
 * verifySign1(message, [{ kid: thumbprint(key.public), key: key.public }]).ok; // true
 */
export function signSign1(payload: Uint8Array, signer: Signer, options?: SignOptions): Uint8Array;
export function signSign1(payload: Uint8Array, signer: AsyncSigner, options?: SignOptions): Promise<Uint8Array>;
export function signSign1(payload: Uint8Array, signer: Signer | AsyncSigner, options?: SignOptions): Uint8Array | Promise<Uint8Array>;
export function signSign1(payload: Uint8Array, signer: Signer | AsyncSigner, options?: SignOptions): Uint8Array | Promise<Uint8Array> {
  const prepared = prepareSign1(payload, signer, options);
  const signature = signer.sign(prepared.sigStructure);
  return isPending(signature) ? Promise.resolve(signature).then(prepared.finish) : prepared.finish(signature);
}

/**
 * The same in two halves, for who needs the hash before the signature or has it made elsewhere.
 *
 * @throws TypeError for options that do not fit the signer, RuleprintError `limit` for a message over 1,048,576 bytes
 * @example
 * const prepared = prepareSign1(payload, signer);
 * const message = prepared.finish(await somewhere.sign(prepared.sigStructure));
 */
export function prepareSign1(payload: Uint8Array, signer: SignerName, options: SignOptions = {}): PreparedSign1 {
  if (!(payload instanceof Uint8Array)) throw new TypeError(`"payload" expected bytes, got ${typeof payload}`);
  const header = protectedHeader(signer, options);
  const start = 2 + byteStringLength(header) + 1;
  const length = start + byteStringLength(payload) + 2 + signatureBytes;
  if (length > limits.receiptBytes) refuse('limit', `expected a message of at most ${limits.receiptBytes} bytes, got ${length}`);
  const sigStructure = buildSigStructure(header, payload, options.externalAad);
  // INVARIANT (sent as signed): the message takes its payload from here, and not from the caller's array, which may
  // have other bytes by the time that an asynchronous signer answers
  const ownPayload = sigStructure.subarray(sigStructure.length - payload.length);
  return {
    sigStructure,
    hash: () => sha256Text(sigStructure),
    finish: (signature) => {
      checkSignerOutput(signer, signature);
      const message = new Uint8Array(length);
      message[0] = TAG_SIGN1;
      message[1] = ARRAY_OF_4;
      writeByteString(message, 2, header);
      message[start - 1] = EMPTY_MAP;
      writeByteString(message, writeByteString(message, start, ownPayload), signature);
      return message;
    },
  };
}

function isPending(signature: Uint8Array | Promise<Uint8Array>): signature is Promise<Uint8Array> {
  return typeof (signature as Partial<Promise<Uint8Array>> | undefined)?.then === 'function';
}

/** RCP-5: of the right form. Whether it verifies is for ./signer.ts, which knows the public key. */
function checkSignerOutput(signer: SignerName, signature: Uint8Array): void {
  if (!(signature instanceof Uint8Array)) refuse('signer-output', 'expected bytes from the signer, got another value');
  if (signature.length !== signatureBytes) refuse('signer-output', `expected ${signatureBytes} bytes from the signer, got ${signature.length}`);
  if (signer.alg === 'ESP256' && rangeFault(signature) !== undefined) {
    refuse('signer-output', 'expected r and s below the group order and s in the lower half, got other numbers');
  }
}

/** Who signs: a signer without its function. */
type SignerName = Pick<Signer, 'alg' | 'kid'>;

// the header is the same for all that one signer signs, and encoding it costs more than all else around the signature
const headers = new WeakMap<SignerName, { readonly header: Header; readonly bytes: Uint8Array }>();

function protectedHeader(signer: SignerName, options: SignOptions): Uint8Array {
  const { alg = signer.alg, kid = signer.kid, typ } = options;
  const cached = headers.get(signer);
  if (cached !== undefined && cached.header.alg === alg && cached.header.typ === typ && equalBytes(cached.header.kid, kid)) return cached.bytes;
  if (!Object.hasOwn(keyAlgorithms, alg) || keyAlgorithms[alg] !== signer.alg) throw new TypeError(`"alg" expected one for a key of ${signer.alg}, got ${alg}`);
  if (!(kid instanceof Uint8Array) || kid.length === 0) throw new TypeError('"kid" expected at least 1 byte, got none');
  const header: Header = { alg, kid: new Uint8Array(kid), typ };
  const bytes = encodeHeader(header);
  headers.set(signer, { header, bytes });
  return bytes;
}

/** What a verifier asks of a message. */
export interface Sign1Profile extends HeaderProfile {
  /** Data that was signed and not sent. */
  readonly externalAad?: Uint8Array;
  /** What `where.offset` counts the first byte of the message as: its place in a file. */
  readonly base?: number;
}

/** A message whose bytes passed steps 1 to 7. Nothing here proves anything before {@link checkSignature}. */
export interface ParsedSign1 extends Header {
  readonly protectedBytes: Uint8Array;
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
  readonly sigStructure: Uint8Array;
  /** Where the payload and the signature begin in the message. */
  readonly payloadOffset: number;
  readonly signatureOffset: number;
  /** What its first byte counts as in `where.offset`. */
  readonly base: number;
}

/**
 * Steps 1 to 7 of the verifier (RCP-12 to RCP-18) on the received bytes. All that is given out is copied, so that what
 * is verified and what is read cannot come apart; the header may be shared with another message that has the same.
 */
export function parseSign1(bytes: Uint8Array, profile: Sign1Profile = {}): ParsedSign1 | Problem {
  if (!(bytes instanceof Uint8Array)) throw new TypeError(`"bytes" expected bytes, got ${typeof bytes}`);
  const { base = 0 } = profile;
  const problem = (code: Problem['code'], at: number, message: string): Problem => ({ code, message, where: { offset: base + at } });

  const usual = bytes.length > limits.receiptBytes ? undefined : parseUsual(bytes, profile, base);
  if (usual !== undefined) return usual;
  // RCP-12
  if (bytes.length > limits.receiptBytes) return problem('limit', 0, `expected a message of at most ${limits.receiptBytes} bytes, got ${bytes.length}`);
  if (bytes.length === 0) return problem('cbor-truncated', 0, 'expected a message, got no bytes');
  // RCP-13
  if (bytes[0] !== TAG_SIGN1) return problem('cose-tag', 0, `expected tag 18 (0xd2) in front, got byte 0x${hex(bytes.subarray(0, 1))}`);
  // RCP-14
  const walked = walkWholeCbor(bytes, 1, { base });
  if (isProblem(walked)) return walked;
  // RCP-15
  const parts = walked.value;
  if (!isArrayOfParts(parts)) return problem('cose-shape', shapeFaultAt(bytes, parts), 'expected [bytes, map, bytes, bytes], got another item');
  const [protectedBytes, unprotectedMap, payload, signature] = parts;
  // RCP-16
  const protectedStart = 2 + headLength(protectedBytes.length);
  if (protectedBytes.length === 0) return problem('cose-protected', 2, 'expected a map in the protected header, got no bytes');
  const walkedHeader = walkWholeCbor(protectedBytes, 0, { base: base + protectedStart });
  if (isProblem(walkedHeader)) return walkedHeader;
  const protectedMap = walkedHeader.value;
  if (!isMap(protectedMap)) return problem('cose-protected', protectedStart, 'expected a map in the protected header, got another item');
  // RCP-17
  const unprotectedStart = protectedStart + protectedBytes.length;
  const header = readHeader({ bytes, protectedMap, protectedStart, unprotectedMap, unprotectedStart, base }, profile);
  if (isProblem(header)) return header;
  // RCP-18; the unprotected header is one byte by now, since it is empty
  const payloadOffset = unprotectedStart + 1 + headLength(payload.length);
  const signatureOffset = bytes.length - signature.length;
  if (signature.length !== signatureBytes) {
    return problem('cose-signature-size', payloadOffset + payload.length, `expected a signature of ${signatureBytes} bytes, got ${signature.length}`);
  }
  lastHeader = { bytes: protectedBytes, front: sigStructureStart(protectedBytes), header };
  const sigStructure = buildSigStructure(protectedBytes, payload, profile.externalAad);
  return partsOf(header, protectedBytes, sigStructure, payload.length, signature, payloadOffset, signatureOffset, base);
}

/** The header that was read last: most messages of a file have the same, and reading it costs more than all the rest. */
let lastHeader: { readonly bytes: Uint8Array; readonly front: Uint8Array; readonly header: Header } | undefined;

/** The same for a usual message whose header is the one that was read last; undefined for any other. */
function parseUsual(bytes: Uint8Array, profile: Sign1Profile, base: number): ParsedSign1 | undefined {
  const parts = usualParts(bytes);
  if (parts === undefined || lastHeader === undefined) return undefined;
  const { protectedStart, protectedEnd, payloadStart, payloadEnd } = parts;
  const { header } = lastHeader;
  if (!stands(lastHeader.bytes, bytes, protectedStart, protectedEnd) || !fits(header, profile)) return undefined;
  const payload = bytes.subarray(payloadStart, payloadEnd);
  const signatureOffset = bytes.length - signatureBytes;
  // not bytes.slice: that of a Node Buffer is a view
  const signature = copyOf.call(bytes, signatureOffset) as Uint8Array;
  const { externalAad } = profile;
  const sigStructure = externalAad === undefined ? sigStructureBehind(lastHeader.front, payload) : buildSigStructure(lastHeader.bytes, payload, externalAad);
  return partsOf(header, lastHeader.bytes, sigStructure, payload.length, signature, payloadStart, signatureOffset, base);
}

const copyOf = Uint8Array.prototype.slice;

function stands(piece: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (piece.length !== end - start) return false;
  for (let i = 0; i < piece.length; i++) if (piece[i] !== bytes[start + i]) return false;
  return true;
}

function partsOf(
  { alg, kid, typ }: Header,
  protectedBytes: Uint8Array,
  sigStructure: Uint8Array,
  payloadLength: number,
  signature: Uint8Array,
  payloadOffset: number,
  signatureOffset: number,
  base: number,
): ParsedSign1 {
  // INVARIANT (read as verified): the payload is taken from what is verified, a copy of our own
  const own = sigStructure.subarray(sigStructure.length - payloadLength);
  // field by field, since a spread with more fields after it costs several times the whole walk
  return { alg, kid, typ, protectedBytes, payload: own, signature, sigStructure, payloadOffset, signatureOffset, base };
}

function isMap(value: CborValue): value is CborMap {
  return value instanceof Map;
}

const partTests = [isBytes, isMap, isBytes, isBytes] as const;
type Parts = readonly [Uint8Array, CborMap, Uint8Array, Uint8Array];

function isBytes(value: CborValue): value is Uint8Array {
  return value instanceof Uint8Array;
}

function isArrayOfParts(value: CborValue): value is Parts {
  return Array.isArray(value) && value.length === 4 && partTests.every((test, i) => test(value[i] as CborValue));
}

/** Where a message is not the array of four: at the first part of another type, or at the item where it is none at all. */
function shapeFaultAt(bytes: Uint8Array, value: CborValue): number {
  if (!Array.isArray(value) || value.length !== 4) return 1;
  let at = 2;
  for (let i = 0; i < 3 && partTests[i]?.(value[i] as CborValue); i++) at = itemEnd(bytes, at) as number;
  return at;
}

/** RCP-20, once the key is known: whether its algorithm fits and the signature verifies. Undefined: it does. */
export function checkSignature(parsed: ParsedSign1, key: PublicKey): Problem | undefined {
  const { alg, verify } = verifierOf(key);
  const where = { offset: parsed.base + parsed.signatureOffset };
  if (keyAlgorithms[parsed.alg] !== alg) return { code: 'cose-alg-key', message: `expected an algorithm for a key of ${alg}, got ${parsed.alg}`, where };
  const fault = verify(parsed.sigStructure, parsed.signature);
  if (fault === 'signature-high-s') return { code: fault, message: 'expected s of at most half the group order, got a greater one', where };
  if (fault === 'signature-invalid') return { code: fault, message: `expected a signature by key ${key.kid}, got one that does not verify`, where };
  return undefined;
}

/** Keys to verify by, each under the kid that messages name it by. */
export type Sign1Keys = Iterable<{ readonly kid: Uint8Array; readonly key: PublicKey }>;

export type VerifiedSign1 =
  | { readonly ok: true; readonly alg: Algorithm; readonly kid: Uint8Array; readonly payload: Uint8Array; readonly hash: string }
  | { readonly ok: false; readonly problems: Problems };

/**
 * Verifies a COSE_Sign1 by the caller's keys: strictly the one form that {@link signSign1} writes, with a kid that is
 * among `keys`, and with the `typ` that is named or none. What the payload says is not looked into.
 *
 * A kid may stand for several keys (RFC 9052 section 3.1): the message is good if it is good by one of them.
 *
 * @returns the payload and the hash of the Sig_structure, or the first problem found
 * @throws TypeError for what are no bytes or no keys
 * @example
 * const result = verifySign1(message, [{ kid: new TextEncoder().encode('k1'), key: importPublicKey(jwk) }], { alsoAlgorithms: ['EdDSA'] });
 * if (result.ok) use(result.payload);
 * else console.error(result.problems[0].code); // signature-invalid, cbor-unsorted, …
 */
export function verifySign1(bytes: Uint8Array, keys: Sign1Keys, profile: Omit<Sign1Profile, 'kidBytes' | 'base'> = {}): VerifiedSign1 {
  const parsed = parseSign1(bytes, profile);
  if (isProblem(parsed)) return { ok: false, problems: [parsed] };
  let first: Problem | undefined;
  for (const { kid, key } of keys) {
    if (!equalBytes(kid, parsed.kid)) continue;
    const problem = checkSignature(parsed, key);
    if (problem === undefined)
      return { ok: true, alg: parsed.alg, kid: parsed.kid.slice(), payload: parsed.payload.slice(), hash: sha256Text(parsed.sigStructure) };
    first ??= problem;
  }
  // RCP-20
  first ??= { code: 'key-unknown', message: `expected a kid that is among the keys, got ${hex(parsed.kid)}`, where: {} };
  return { ok: false, problems: [first] };
}
