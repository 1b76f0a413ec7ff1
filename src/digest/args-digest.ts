/**
 * The digest of a call's raw arguments, and that of the mapping that made actions of them (spec/digest.md, "Arguments and mappings").
 * @module
 */
import { concat, utf8 } from '../bytes.js';
import { sha256Text } from '../hash.js';
import { limits } from '../limits.js';
import { checkText } from '../policy/text.js';
import { canonicalJson } from './canonical-json.js';

/**
 * The digest of the raw arguments of a call (DIG-10). A salt keeps a digest of guessable arguments from giving them away.
 *
 * @param args plain JSON data; undefined is `{}`
 * @returns `sha256:` and 64 lower-case hex digits
 * @throws RuleprintError for what has no digest, as `canonicalJson`; for a salt `lone-surrogate` and `limit`
 * @example
 * argsDigest({ path: '/srv/a' }) === argsDigest({ path: '/srv/a' }, ''); // true
 */
export function argsDigest(args: unknown, salt = ''): string {
  if (typeof salt !== 'string') throw new TypeError('"salt" expected text');
  checkText(salt, limits.requestStringBytes);
  return sha256Text(fields('ruleprint/args-digest/1', salt, canonicalJson(args === undefined ? {} : args)));
}

/**
 * The digest of a mapping (DIG-12): of one table, or of a list of tables.
 *
 * @throws RuleprintError as `canonicalJson`
 */
export function mappingDigest(mapping: unknown): string {
  return sha256Text(fields('ruleprint/mapping-digest/1', canonicalJson(mapping)));
}

/** `u32be(byte length of UTF-8(x)) || UTF-8(x)` of each (DIG-6). */
function fields(...texts: readonly string[]): Uint8Array {
  return concat(
    ...texts.flatMap((text) => {
      const bytes = utf8(text);
      const length = new Uint8Array(4);
      new DataView(length.buffer).setUint32(0, bytes.length);
      return [length, bytes];
    }),
  );
}
