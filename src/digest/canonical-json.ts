/**
 * The one text of a JSON value: the form of RFC 8785 (DIG-8).
 * @module
 */
import { utf8Length } from '../bytes.js';
import { quote, refuse } from '../errors.js';
import { limits } from '../limits.js';
import { copyPlain } from '../policy/plain.js';

/**
 * The RFC 8785 form of plain JSON data: members by the UTF-16 code units of their keys, numbers as ECMAScript writes them. The value is the agent's:
 * it is copied first, each property read once.
 *
 * @throws RuleprintError `not-plain-data`, `forbidden-key`, `limit` (depth 32, 16 MiB of text), `lone-surrogate`, `bad-integer`
 * @example
 * canonicalJson({ b: [1.0, 1e-7], a: 'é' }); // '{"a":"é","b":[1,1e-7]}'
 */
export function canonicalJson(value: unknown): string {
  return formOf(copyPlain(value));
}

/** The same for a copy that `copyPlain` made: nothing in it calls back or runs deep. */
export function formOf(copy: unknown): string {
  const form = new Form();
  form.value(copy);
  return form.text;
}

/** What is written so far. A value that stands in many places is written as often: the count of bytes ends what would not. */
class Form {
  text = '';
  #bytes = 0;

  value(value: unknown): void {
    switch (typeof value) {
      case 'string':
        return this.#string(value);
      case 'number':
        return this.#put(numberText(value), 0);
      case 'boolean':
        return this.#put(String(value), 0);
      case 'object':
        if (value === null) return this.#put('null', 0);
        return Array.isArray(value) ? this.#list(value) : this.#object(value as Readonly<Record<string, unknown>>);
      default:
        refuse('not-plain-data', `expected JSON data, got ${typeof value}`);
    }
  }

  #list(items: readonly unknown[]): void {
    this.#put('[', 0);
    items.forEach((item, i) => {
      if (i > 0) this.#put(',', 0);
      this.value(item);
    });
    this.#put(']', 0);
  }

  #object(members: Readonly<Record<string, unknown>>): void {
    this.#put('{', 0);
    // sort() without a comparator goes by UTF-16 code units, as RFC 8785 section 3.2.3 does, and the policy digest does not
    for (const [i, key] of Object.keys(members).sort().entries()) {
      if (i > 0) this.#put(',', 0);
      this.#string(key);
      this.#put(':', 0);
      this.value(members[key]);
    }
    this.#put('}', 0);
  }

  #string(text: string): void {
    // RFC 8785 section 3.2.2.2: UTF-8 would turn two such texts into one
    if (!text.isWellFormed()) refuse('lone-surrogate', `expected well-formed text, got an unpaired surrogate in a text of ${text.length} code units`);
    // escapes as ECMAScript's JSON.stringify writes them, which is what RFC 8785 takes over
    const written = JSON.stringify(text);
    this.#put(written, utf8Length(written) - written.length);
  }

  #put(written: string, moreBytes: number): void {
    this.#bytes += written.length + moreBytes;
    if (this.#bytes > limits.argsBytes) {
      refuse('limit', `expected at most ${limits.argsBytes} bytes of JSON`, { evidence: { limit: 'arguments', max: limits.argsBytes } });
    }
    this.text += written;
  }
}

/** RFC 8785 section 3.2.2.3. An integer that other languages may read as its neighbour has no form (DIG-9). */
function numberText(value: number): string {
  if (!Number.isFinite(value)) refuse('not-plain-data', `expected a finite number, got ${quote(String(value))}`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    refuse('bad-integer', 'expected integers from -(2^53-1) to 2^53-1 among the arguments', { hint: 'send a larger number as text' });
  }
  return JSON.stringify(value);
}
