/**
 * The RFC 8785 form and the digests over it (spec/digest.md), character by character.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { bytesOf, hexOf, isWellFormed, utf8 } from './text.js';

/** The form of a JSON value, or undefined where it has none (DIG-8, DIG-9, DIG-11). */
export function form(value: unknown): string | undefined {
  try {
    return write(value);
  } catch {
    return undefined;
  }
}

function write(value: unknown): string {
  if (value === null) return 'null';
  if (value === true) return 'true';
  if (value === false) return 'false';
  if (typeof value === 'number') return number(value);
  if (typeof value === 'string') return string(value);
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object') throw new Error('not JSON');
  const keys = Object.keys(value);
  if (keys.includes('__proto__')) throw new Error('no such key');
  // by code units, number by number
  keys.sort((a, b) => {
    for (let i = 0; i < a.length && i < b.length; i++) if (a.charCodeAt(i) !== b.charCodeAt(i)) return a.charCodeAt(i) - b.charCodeAt(i);
    return a.length - b.length;
  });
  return `{${keys.map((key) => `${string(key)}:${write((value as Record<string, unknown>)[key])}`).join(',')}}`;
}

const short: Readonly<Record<number, string>> = { 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r', 34: '\\"', 92: '\\\\' };

function string(text: string): string {
  if (!isWellFormed(text)) throw new Error('half a pair');
  let out = '"';
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (short[unit] !== undefined) out += short[unit];
    else if (unit < 32) out += `\\u00${unit < 16 ? '0' : '1'}${(unit % 16).toString(16)}`;
    else out += text.charAt(i);
  }
  return `${out}"`;
}

/** ECMA-262, Number::toString(x, 10): the fewest digits that are this double and no other, then where the point goes. */
function number(value: number): string {
  if (!(Math.abs(value) <= Number.MAX_VALUE)) throw new Error('not finite');
  if (Math.floor(value) === value && Math.abs(value) > 9_007_199_254_740_991) throw new Error('too large');
  if (value === 0) return '0';
  if (value < 0) return `-${number(-value)}`;
  let k = 1;
  while (Number(value.toExponential(k - 1)) !== value) k++;
  const [mantissa = '', power = ''] = value.toExponential(k - 1).split('e');
  const digits = even(mantissa.replace('.', ''), value);
  const n = Number(power) + 1;
  if (k <= n && n <= 21) return digits + '0'.repeat(n - k);
  if (0 < n && n <= 21) return `${digits.slice(0, n)}.${digits.slice(n)}`;
  if (-6 < n && n <= 0) return `0.${'0'.repeat(-n)}${digits}`;
  const exponent = `e${n - 1 < 0 ? '-' : '+'}${Math.abs(n - 1)}`;
  return k === 1 ? digits + exponent : `${digits.slice(0, 1)}.${digits.slice(1)}${exponent}`;
}

/** Of two texts that are as near the even one counts; toExponential takes the larger one. */
function even(digits: string, value: number): string {
  const exact = (value.toExponential(40).split('e')[0] ?? '').replace('.', '').replace(/0+$/, '');
  const below = exact.slice(0, -1);
  const isTie = exact.length === digits.length + 1 && exact.endsWith('5') && Number(below) + 1 === Number(digits);
  return isTie && /[02468]$/.test(below) && Number(`${below}e${Math.floor(Math.log10(value)) - below.length + 1}`) === value ? below : digits;
}

const field = (text: string): string => utf8(text).length.toString(16).padStart(8, '0') + hexOf(utf8(text));
const sha256 = (hex: string): string => `sha256:${createHash('sha256').update(bytesOf(hex)).digest('hex')}`;

export const argsDigest = (formed: string, salt: string): string => sha256(field('ruleprint/args-digest/1') + field(salt) + field(formed));
export const mappingDigest = (formed: string): string => sha256(field('ruleprint/mapping-digest/1') + field(formed));
