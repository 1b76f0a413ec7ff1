/**
 * The decoding ladder (AUD-24): a text, what it decodes to, and what that decodes to, up to three rungs up. Every rung takes time in proportion to its text, and
 * the whole climb has a budget (AUD-25): a transcript cannot exhaust it, it can only be called too much to judge.
 * @module
 */
import { limits } from '../limits.js';
import { ignorable } from './fold.js';

/** Names the rungs: other rungs are another number. */
export const ladderVersion = 'ruleprint-ladder/1';

export const rungs = ['reverse', 'rot13', 'base64', 'base32', 'hex', 'escape', 'codes', 'binary', 'invisible', 'initials'] as const;
export type Rung = (typeof rungs)[number];

export interface View {
  readonly text: string;
  /** The rungs from the text as it stands, the first first. */
  readonly via: readonly Rung[];
}

/** What a view costs however short it is. */
const leastCost = 256;

/** How many rungs stand on one another. */
export const ladderDepth = 3;

/** What is left to spend, in characters of views. Shared by all texts of one epoch. */
export interface Budget {
  characters: number;
}

/** The budget of one epoch. */
export function newBudget(): Budget {
  return { characters: limits.ladderCharacters };
}

/**
 * Hands each view of a text to a visitor, the text itself first; the visitor ends the climb with `true`.
 *
 * @returns false where the budget did not suffice: what was not seen may hold anything
 */
export function climb(text: string, budget: Budget, visit: (view: View) => boolean, most = ladderDepth): boolean {
  const seen = new Set<string>();
  let level: View[] = [{ text, via: [] }];
  for (let depth = 0; level.length > 0; depth++) {
    const next: View[] = [];
    // a level grows while it is walked: invisible characters are read before they are dropped, and dropping them is no rung
    for (const view of level) {
      if (seen.has(view.text)) continue;
      seen.add(view.text);
      budget.characters -= Math.max(view.text.length, leastCost);
      if (budget.characters < 0) return false;
      if (visit(view)) return true;
      const plain = plainOf(view.text);
      if (plain !== view.text) level.push({ text: plain, via: view.via });
      if (depth === most) continue;
      for (const rung of rungs) for (const higher of decoders[rung](view.text)) next.push({ text: higher, via: [...view.via, rung] });
    }
    level = next;
  }
  return true;
}

/** A piece of a canary that is worth a hit has 12 characters, and 16 where it is encoded: shorter texts decode to nothing of interest. */
const shortest = 12;

function plainOf(text: string): string {
  return isAscii(text) ? text : text.replaceAll(ignorable, '').normalize('NFKC');
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

const decoders: Readonly<Record<Rung, (text: string) => readonly string[]>> = {
  reverse: (text) => [isAscii(text) ? text.split('').reverse().join('') : [...text].reverse().join('')],
  rot13: (text) => [text.replaceAll(/[a-z]/gi, (letter) => String.fromCharCode(rotated(letter.charCodeAt(0))))],
  base64: fromBase64,
  base32: fromBase32,
  hex: fromHexRuns,
  escape: fromEscapes,
  codes: fromCodes,
  binary: fromBinary,
  invisible: fromInvisible,
  initials: fromInitials,
};

function rotated(code: number): number {
  const first = code < 0x61 ? 0x41 : 0x61;
  return ((code - first + 13) % 26) + first;
}

/** What is worth climbing on: runs of printable characters, as bytes stand for ASCII, or for UTF-8 where they do. One view, or none. */
function readable(decoded: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const binary of decoded) {
    const dense = binary.replaceAll('\0', ''); // UTF-16 of ASCII
    for (const [run] of dense.matchAll(/[\t\n\r\x20-\x7e]{12,}/g)) kept.push(run);
    if (/[\xc2-\xf4][\x80-\xbf]/.test(dense)) {
      const text = lenient.decode(bytesOf(dense));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they end a run
      for (const [run] of text.matchAll(/[^\0-\x08\x0e-\x1f\x7f-\x9f\ufffd]{12,}/g)) kept.push(run);
    }
  }
  return kept.length === 0 ? [] : [kept.join('\n')];
}

function bytesOf(binary: string): Uint8Array {
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// what is not UTF-8 becomes U+FFFD, which ends a run
const lenient = /* @__PURE__ */ new TextDecoder('utf-8');

/**
 * Both alphabets; broken over lines or by any other separator; glued to what stands before, so every alignment is tried; and in pieces that were each encoded
 * apart.
 */
function fromBase64(text: string): readonly string[] {
  const views: string[] = [];
  const runs = text.replaceAll(/\s+/g, '').match(/[A-Za-z0-9+/_-]{16,}/g) ?? [];
  const stripped = text.replaceAll(/[^A-Za-z0-9+/]+/g, '');
  for (let shift = 0; shift < 4; shift++) {
    views.push(...readable(runs.map((run) => atBase64(run, shift))));
    if (stripped.length >= 16) views.push(...readable([atBase64(stripped, shift)]));
  }
  const pieces = text.match(/[A-Za-z0-9+/_-]{2,}/g) ?? [];
  if (pieces.length > 1) views.push(...readable([pieces.map((piece) => atBase64(piece, 0)).join('')]));
  return [...new Set(views)];
}

/** Bytes as characters. What does not fill a byte at the end is dropped. */
function atBase64(run: string, shift: number): string {
  const usual = run.slice(shift).replaceAll('-', '+').replaceAll('_', '/');
  return atob(usual.length % 4 === 1 ? usual.slice(0, -1) : usual);
}

/** A piece may be glued to what stands before: every alignment is tried. */
function fromBase32(text: string): readonly string[] {
  const runs = (text.match(/[a-z2-7]{16,}/gi) ?? []).map((run) => run.toUpperCase());
  const shifts = runs.length === 0 ? [] : [0, 1, 2, 3, 4, 5, 6, 7];
  return [...new Set(shifts.flatMap((shift) => readable(runs.map((run) => atBase32(run, shift)))))];
}

function atBase32(run: string, shift: number): string {
  let out = '';
  let bits = 0;
  let value = 0;
  for (let i = shift; i < run.length; i++) {
    const code = run.charCodeAt(i);
    value = ((value << 5) | (code >= 0x41 ? code - 0x41 : code - 0x18)) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      out += String.fromCharCode((value >>> bits) & 0xff);
    }
  }
  return out;
}

function fromHexRuns(text: string): readonly string[] {
  const dense = text.replaceAll(/\\x|0x|%|[\s:,;|_.-]+/gi, '');
  const runs = dense.match(/[0-9a-f]{16,}/gi) ?? [];
  return [...new Set([0, 1].flatMap((shift) => readable(runs.map((run) => pairs(run, shift)))))];
}

function pairs(run: string, shift: number): string {
  let out = '';
  for (let i = shift; i + 1 < run.length; i += 2) out += String.fromCharCode(Number.parseInt(run.slice(i, i + 2), 16));
  return out;
}

const escapes =
  /((?:[%=][0-9a-f]{2})+)|(?:\\u\{|&#x)([0-9a-f]{1,6})[};]?|U\+([0-9a-f]{4,6})\s?|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|&#(\d{1,7});?|\\([0-3][0-7]{2})/gi;

/** Percent signs, quoted printable, backslashes, entities: each in place, once, the rest stays. */
function fromEscapes(text: string): readonly string[] {
  if (!/[%=\\&+]/.test(text)) return [];
  const out = text.replaceAll(escapes, (_, bytes?: string, braced?: string, plus?: string, unit?: string, byte?: string, decimal?: string, octal?: string) => {
    if (bytes !== undefined) return lenient.decode(bytesOf(pairs(bytes.replaceAll(/[%=]/g, ''), 0)));
    // by units: a pair of surrogates is one character again
    if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16));
    if (decimal !== undefined) return character(Number(decimal));
    return octal !== undefined ? character(Number.parseInt(octal, 8)) : character(Number.parseInt(braced ?? plus ?? byte ?? '', 16));
  });
  return out === text ? [] : [out];
}

function character(code: number): string {
  return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code);
}

/** Twelve or more numbers in a row that are codes of characters. */
function fromCodes(text: string): readonly string[] {
  const runs = text.match(/\d{2,3}(?:[^0-9a-z]{1,3}\d{2,3}){11,}/gi) ?? [];
  return readable(runs.map((run) => (run.match(/\d+/g) ?? []).map((digits) => String.fromCharCode(Math.min(255, Number(digits)))).join('')));
}

function fromBinary(text: string): readonly string[] {
  const runs = text.replaceAll(/[\s,_|-]+/g, '').match(/[01]{96,}/g) ?? [];
  return readable(runs.map((run) => (run.match(/.{8}/g) ?? []).map((bits) => String.fromCharCode(Number.parseInt(bits, 2))).join('')));
}

/** Tags stand for ASCII, variation selectors for bytes. */
function fromInvisible(text: string): readonly string[] {
  if (isAscii(text)) return [];
  let tags = '';
  let selectors = '';
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (code >= 0xe0020 && code <= 0xe007e) tags += String.fromCharCode(code - 0xe0000);
    else if (code >= 0xfe00 && code <= 0xfe0f) selectors += String.fromCharCode(code - 0xfe00);
    else if (code >= 0xe0100 && code <= 0xe01ef) selectors += String.fromCharCode(code - 0xe0100 + 16);
  }
  return [tags, ...readable([selectors])].filter((hidden) => hidden.length >= shortest);
}

const numberWords: Readonly<Record<string, string>> = { two: '2', three: '3', tree: '3', four: '4', fower: '4', five: '5', fife: '5', six: '6', seven: '7' };

/** The first letter of each word, as in an acrostic or a spelling alphabet; and of each line. */
function fromInitials(text: string): readonly string[] {
  const initialsOf = (words: readonly string[]): string =>
    words.map((word) => (Object.hasOwn(numberWords, word.toLowerCase()) ? numberWords[word.toLowerCase()] : (word[0] ?? ''))).join('');
  const words = text.match(/[a-z0-9]+/gi) ?? [];
  const lines = text.split('\n').map((line) => /[a-z0-9]/i.exec(line)?.[0] ?? '');
  return [initialsOf(words), initialsOf(lines.filter((first) => first !== ''))].filter((initials) => initials.length >= shortest);
}
