/**
 * Text as rules and requests hold it: well-formed, bounded, and for names free of what would mislead a reader (POL-7, POL-8).
 * @module
 */
import { utf8Length } from '../bytes.js';
import { quote, refuse } from '../errors.js';
import { limits } from '../limits.js';

/** Refuses unpaired surrogates (POL-7) and text over a limit, in this order. Returns the number of UTF-8 bytes. */
export function checkText(text: string, maxBytes: number): number {
  if (!text.isWellFormed()) refuse('lone-surrogate', `expected well-formed text, got an unpaired surrogate in ${quote(text)}`);
  // at most three bytes a code unit: most texts need no count against the limit
  const bytes = utf8Length(text);
  if (bytes > maxBytes) {
    refuse('limit', `expected at most ${maxBytes} bytes of text, got ${bytes}`, { evidence: { limit: 'text', max: maxBytes, got: bytes } });
  }
  return bytes;
}

/** Refuses what is not a name or id (POL-8). Returns the number of UTF-8 bytes. */
export function checkName(text: string): number {
  const bytes = checkText(text, limits.ruleStringBytes);
  if (bytes === 0) refuse('empty-text', 'expected a name of at least one byte');
  for (let i = 0; i < text.length; i++) {
    if (misleads(text.charCodeAt(i))) {
      refuse('control-character', `expected a name without control or direction characters, got ${quote(text)}`);
    }
  }
  return bytes;
}

/** Refuses what is not an argument of a request (DEC-2). Returns the number of UTF-8 bytes. */
export function checkArgument(text: string): number {
  const bytes = checkText(text, limits.requestStringBytes);
  if (text.includes('\0')) refuse('nul-character', 'expected an argument without NUL');
  return bytes;
}

/** Control characters, and those that turn the direction of what follows: a log must show what was decided. */
function misleads(unit: number): boolean {
  return unit < 0x20 || (unit >= 0x7f && unit <= 0x9f) || (unit >= 0x202a && unit <= 0x202e) || (unit >= 0x2066 && unit <= 0x2069);
}

/** An HTTP method: `[A-Z][A-Z0-9_-]*` (POL-3, DEC-2). */
export function checkHttpMethod(text: string): void {
  if (!/^[A-Z][A-Z0-9_-]*$/.test(text)) {
    refuse('bad-value', `expected an HTTP method in upper case, got ${quote(text)}`, { hint: 'methods are spelled like GET, POST, CONNECT' });
  }
}
