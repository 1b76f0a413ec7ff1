/**
 * The DER form of an ECDSA signature (RFC 3279 section 2.2.3), which key services give and COSE does not take.
 * @module
 */

/** `SEQUENCE { INTEGER r, INTEGER s }` as r || s in 32 bytes each, or undefined for other bytes. */
export function fromDer(der: Uint8Array): Uint8Array | undefined {
  // two numbers below 2^256 always fit the short form of a length
  if (der[0] !== SEQUENCE || der[1] !== der.length - 2 || der.length > 2 + 127) return undefined;
  const out = new Uint8Array(64);
  const afterR = readInteger(der, 2, out.subarray(0, 32));
  const afterS = afterR === undefined ? undefined : readInteger(der, afterR, out.subarray(32));
  return afterS === der.length ? out : undefined;
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;

/** Writes a positive INTEGER of at most 32 bytes to the right end of `into`; gives the offset after it. */
function readInteger(der: Uint8Array, at: number, into: Uint8Array): number | undefined {
  const length = der[at + 1];
  if (der[at] !== INTEGER || length === undefined || length === 0) return undefined;
  const end = at + 2 + length;
  if (end > der.length) return undefined;
  const [first = 0, second = 0] = der.subarray(at + 2, end);
  if (first >= 0x80) return undefined; // negative
  if (first === 0 && length > 1 && second < 0x80) return undefined; // a zero too many
  const digits = der.subarray(first === 0 ? at + 3 : at + 2, end);
  if (digits.length > 32) return undefined;
  into.set(digits, 32 - digits.length);
  return end;
}
