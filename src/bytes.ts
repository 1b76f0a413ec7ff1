/**
 * Bytes: UTF-8, hex, base64url, order, the length-prefixed field.
 * @module
 */

const encoder = new TextEncoder();
// fatal: a bad byte is refused; ignoreBOM: U+FEFF is kept, since dropping it would make two texts one
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** UTF-8 of well-formed text. The caller has refused unpaired surrogates, which would become U+FFFD here. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Text of UTF-8 bytes, or undefined where they are not UTF-8. A leading U+FEFF is kept. */
export function fromUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined; // the one thing that a fatal decoder throws for; the caller names the code
  }
}

/** The same for a part of bytes. Short ASCII goes around the decoder, whose call costs more than the characters. */
export function textOf(bytes: Uint8Array, start: number, end: number): string | undefined {
  const length = end - start;
  if (length <= 40) {
    const codes = new Array<number>(length);
    let i = 0;
    for (; i < length; i++) {
      const byte = bytes[start + i] as number;
      if (byte >= 0x80) break;
      codes[i] = byte;
    }
    if (i === length) return String.fromCharCode.apply(undefined, codes);
  }
  return fromUtf8(bytes.subarray(start, end));
}

/** Number of bytes that UTF-8 needs for well-formed text, without encoding it. */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    // each unit of a surrogate pair stands for two of its four bytes
    length += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return length;
}

/** Lower-case hex. */
export function hex(bytes: Uint8Array): string {
  let out = '';
  for (const byte of bytes) out += hexOf[byte];
  return out;
}

const hexOf: readonly string[] = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Bytes of hex digits, or undefined where it is not hex of whole bytes. */
export function fromHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** Base64url without padding (RFC 4648 section 5). */
export function base64url(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Bytes of unpadded base64url, or undefined where it is not the one spelling of its bytes. */
export function fromBase64url(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
  return base64url(bytes) === text ? bytes : undefined;
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** The four bytes of an integer below 2^32, big-endian. */
export function u32be(value: number): Uint8Array {
  const out = new Uint8Array(4);
  new DataView(out.buffer).setUint32(0, value);
  return out;
}

/** `u32be(byte length of UTF-8(x)) || UTF-8(x)` (DIG-6), for well-formed text. */
export function field(text: string): Uint8Array {
  const bytes = utf8(text);
  return concat(u32be(bytes.length), bytes);
}

/** Order of two byte strings: negative, zero or positive. Not constant in time: for public bytes only. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && compareBytes(a, b) === 0;
}

/**
 * Order of two well-formed texts by their UTF-8 bytes, which is the order of their code points and not that of
 * JavaScript strings: U+FFFF sorts below U+10000.
 */
export function compareUtf8(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const xPair = x >= 0xd800 && x <= 0xdfff;
    const yPair = y >= 0xd800 && y <= 0xdfff;
    return xPair === yPair ? x - y : xPair ? 1 : -1;
  }
  return a.length - b.length;
}
