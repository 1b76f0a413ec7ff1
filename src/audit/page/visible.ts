/**
 * Characters that a reader does not see, or that move what they see: a page shows them by their numbers, because what it shows was written by a model.
 * @module
 */

/**
 * The inside of a character class, for expressions with the flag `u`: controls but tab and line feed, format characters, fillers, variation selectors, tags, line
 * separators, and surrogates without their other half. Text, because the script of the page has the same one.
 */
export const unseen =
  '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164' +
  '\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\ud800-\\udfff\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}';

/** Marks that pile up on one letter, and reach over the lines above: no language has this many. */
export const piled = '\\p{M}{5,}';

const pattern = /* @__PURE__ */ new RegExp(`[${unseen}]|${piled}`, 'gu');

/** `[U+202E]` for each of them, a number for piles of marks; the rest as it is. */
export function shown(text: string): string {
  return text.replaceAll(pattern, (found) => {
    const [first = '', ...others] = found;
    return others.length > 0 ? `[${others.length + 1} marks]` : `[U+${(first.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;
  });
}
