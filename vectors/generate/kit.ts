/**
 * What every topic of the vectors is made with: cases, marks that say where a problem stands, and the one way a file is written.
 *
 * Verdicts (which code, where, covers or not, which decision) are written by hand from the spec; only bytes and digests come from the library. So a
 * library that answers wrongly fails its tests against these files instead of changing them.
 * @module
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type Fields = { readonly [key: string]: Json };

export interface Case {
  readonly id: string;
  readonly comment: string;
  readonly flags: readonly string[];
  readonly input: Fields;
  readonly expect: Fields;
}

export interface Group {
  readonly name: string;
  /** Where the cases of the group come from: a chapter, or a document that others published. */
  readonly source?: string;
  readonly cases: readonly Case[];
}

export type Notes = { readonly [flag: string]: { readonly why: string; readonly effect: string } };

export interface VectorFile {
  readonly spec: 'ruleprint/1';
  readonly schema: string;
  readonly notes: Notes;
  readonly groups: readonly Group[];
}

/** A file of one topic. Refuses what would make it hard to use: an id twice, a flag that no note explains, a note that no case needs. */
export function topic(name: string, notes: Notes, groups: readonly Group[]): VectorFile {
  const ids = new Set<string>();
  const used = new Set<string>();
  for (const { id, comment, flags } of groups.flatMap((group) => group.cases)) {
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id)) throw new RangeError(`${name}: "${id}" is no slug`);
    if (ids.has(id)) throw new RangeError(`${name}: the id ${id} stands twice`);
    if (comment === '' || /[\n\r]|\.$/.test(comment)) throw new RangeError(`${name}: ${id} needs a comment of one line without a final period`);
    ids.add(id);
    for (const flag of flags) {
      if (!Object.hasOwn(notes, flag)) throw new RangeError(`${name}: ${id} has the flag ${flag}, which no note explains`);
      used.add(flag);
    }
  }
  const unused = Object.keys(notes).filter((flag) => !used.has(flag));
  if (unused.length > 0) throw new RangeError(`${name}: no case has the flags ${unused.join(', ')}`);
  return { spec: 'ruleprint/1', schema: `schema/${name}.schema.json`, notes, groups };
}

/** Options of one case that most cases do without. */
export interface Rest {
  readonly flags?: readonly string[];
}

// ---- Where a problem stands

/** Stands in a document in front of the character that a problem is about, and is taken out. */
export const mark = '‸';

/** The text without its mark, and the place of the mark: line and column from 1, offset from 0, in UTF-16 code units. */
export function marked(text: string): { readonly text: string; readonly place: Fields | undefined } {
  const offset = text.indexOf(mark);
  if (offset < 0) return { text, place: undefined };
  const before = text.slice(0, offset);
  const lines = before.split('\n');
  const place = { line: lines.length, column: (lines.at(-1) ?? '').length + 1, offset };
  return { text: before + text.slice(offset + mark.length), place };
}

/** The same for hex: `^` stands in front of the byte, blanks are for the eye. */
export function markedHex(hex: string): { readonly hex: string; readonly offset: number | undefined } {
  const compact = hex.replaceAll(/\s/g, '');
  const at = compact.indexOf('^');
  return { hex: compact.replace('^', ''), offset: at < 0 ? undefined : at / 2 };
}

// ---- Text that not every JSON parser takes (vectors/README.md, "Notation")

/** Text by its UTF-16 code units, for what is no well-formed Unicode. */
export function utf16(text: string): Json {
  return { $utf16_hex: Array.from(text.split(''), (unit) => unit.charCodeAt(0).toString(16).padStart(4, '0')).join('') };
}

/** A text written many times, for limits. */
export function repeat(text: string, times: number): Json {
  return { $repeat: [text, times] };
}

// ---- Writing

const width = 150;

/** The committed form: ASCII alone, a value on one line where it fits, else one member a line. */
export function render(file: VectorFile): string {
  return `${write(file as unknown as Json, '')}\n`;
}

function write(value: Json, indent: string): string {
  const line = inline(value);
  if (indent.length + line.length <= width || typeof value !== 'object' || value === null) return line;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? (value as readonly Json[]).map((item) => `${inner}${write(item, inner)}`)
    : Object.entries(value as Fields).map(([key, member]) => `${inner}${text(key)}: ${write(member, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`;
}

function inline(value: Json): string {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(inline).join(', ')}]`;
  const members = Object.entries(value as Fields).map(([key, member]) => `${text(key)}: ${inline(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Escaped down to printable ASCII, so that no editor and no tool on the way changes a byte of what is tested. */
function text(value: string): string {
  if (!value.isWellFormed()) throw new RangeError('text with an unpaired surrogate: write it with utf16()');
  return JSON.stringify(value).replaceAll(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
