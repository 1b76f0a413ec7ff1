/**
 * Text as the oracle sees it: code points and UTF-8 bytes, both worked out by hand from the code units.
 *
 * @module
 */

/** The answer of a check: a value, or the code of the refusal (with the canonical spelling where the chapter asks for one). */
export type Answer<T> = { readonly ok: T } | { readonly code: string; readonly hint?: string };

export const refused = (code: string): { readonly code: string } => ({ code });

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** The code points of a text. An unpaired surrogate stands for itself. */
export function codePoints(text: string): number[] {
  const points: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const next = at + 1 < text.length ? text.charCodeAt(at + 1) : 0;
    if (isHigh(unit) && isLow(next)) {
      points.push(0x10000 + (unit - 0xd800) * 0x400 + (next - 0xdc00));
      at += 1;
    } else {
      points.push(unit);
    }
  }
  return points;
}

/** POL-7: no unpaired surrogate. */
export function isWellFormed(text: string): boolean {
  return codePoints(text).every((point) => point < 0xd800 || point > 0xdfff);
}

/** The UTF-8 bytes of a well-formed text. */
export function utf8(text: string): number[] {
  const bytes: number[] = [];
  for (const point of codePoints(text)) {
    const tail = (shift: number): number => 0x80 | ((point >> shift) & 0x3f);
    if (point < 0x80) bytes.push(point);
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), tail(0));
    else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), tail(6), tail(0));
    else bytes.push(0xf0 | (point >> 18), tail(12), tail(6), tail(0));
  }
  return bytes;
}

/** The text of UTF-8 bytes, or undefined when they are not UTF-8 (overlong forms, surrogates and values above U+10FFFF are not). */
export function textOfUtf8(bytes: readonly number[]): string | undefined {
  let text = '';
  let at = 0;
  while (at < bytes.length) {
    const first = bytes[at] as number;
    const length = first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
    if (length === 0 || at + length > bytes.length) return undefined;
    let point = length === 1 ? first : first & (0x7f >> length);
    for (const next of bytes.slice(at + 1, at + length)) {
      if (next < 0x80 || next > 0xbf) return undefined;
      point = point * 64 + (next & 0x3f);
    }
    const least = [0, 0, 0x80, 0x800, 0x10000][length] as number;
    if (point < least || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined;
    text += String.fromCodePoint(point);
    at += length;
  }
  return text;
}

/** Bytes as lower-case hex. */
export const hexOf = (bytes: Iterable<number>): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Bytes of a hex text. */
export const bytesOf = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
