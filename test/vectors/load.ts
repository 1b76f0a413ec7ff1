/**
 * Reads the vectors as a reader in any language would: the file, then its notation (vectors/README.md). Knows nothing of the generator.
 * @module
 */
import { readFileSync } from 'node:fs';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type Fields = { readonly [key: string]: Json };

export interface Case {
  readonly id: string;
  readonly comment: string;
  readonly flags: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: the schemas in vectors/schema say what is in it
  readonly input: any;
  // biome-ignore lint/suspicious/noExplicitAny: the schemas in vectors/schema say what is in it
  readonly expect: any;
}

export interface Group {
  readonly name: string;
  readonly source?: string;
  readonly cases: readonly Case[];
}

export interface VectorFile {
  readonly spec: string;
  readonly schema: string;
  readonly notes: Readonly<Record<string, { readonly why: string; readonly effect: string }>>;
  readonly groups: readonly Group[];
}

export const topics = ['policy', 'match', 'decision', 'digest', 'mapping', 'cbor', 'receipt', 'ledger', 'finding', 'audit'] as const;
export type Topic = (typeof topics)[number];

export function text(topic: Topic): string {
  return readFileSync(new URL(`../../vectors/${topic}.json`, import.meta.url), 'utf8');
}

const loaded = new Map<Topic, VectorFile>();

/** One reading of each file; who changes it clones it. */
export function load(topic: Topic): VectorFile {
  const found = loaded.get(topic) ?? (JSON.parse(text(topic)) as VectorFile);
  loaded.set(topic, found);
  return found;
}

/** The cases of one group. Throws where there is none, so that no test passes over nothing. */
export function casesOf(topic: Topic, group: string): readonly Case[] {
  const found = load(topic).groups.find(({ name }) => name === group)?.cases ?? [];
  if (found.length === 0) throw new RangeError(`vectors/${topic}.json has no cases in the group ${group}`);
  return found;
}

/** The value with its notation read: `$utf16_hex` and `$repeat` become text. */
// biome-ignore lint/suspicious/noExplicitAny: what comes out is what the code under test takes
export function read(value: Json): any {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(read);
  const fields = value as Fields;
  if (typeof fields['$utf16_hex'] === 'string') {
    const units = fields['$utf16_hex'].match(/.{4}/g) ?? [];
    return String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16)));
  }
  if ('$repeat' in fields) return repeated(fields['$repeat'] as readonly [string, number]);
  return Object.fromEntries(Object.entries(fields).map(([key, member]) => [key, read(member)]));
}

function repeated([piece, times]: readonly [string, number]): string {
  return piece.repeat(times);
}

export function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Hex, or its notation for what is long: `$repeat` and `$concat`. */
export function readHex(value: Json): Uint8Array {
  const whole = (part: Json): string => {
    if (typeof part === 'string') return part;
    const fields = part as Fields;
    if (Array.isArray(fields['$concat'])) return (fields['$concat'] as readonly Json[]).map(whole).join('');
    return repeated(fields['$repeat'] as readonly [string, number]);
  };
  return Uint8Array.from(Buffer.from(whole(value), 'hex'));
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** Only the members of a place that a vector can hold. */
export function placeOf(where: object): Fields {
  const { pointer, line, column, offset } = where as Record<string, Json | undefined>;
  return {
    ...(pointer !== undefined && { pointer }),
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
    ...(offset !== undefined && { offset }),
  };
}

/** What `expect` holds for a refusal: the code, and of the place as much as the vector gives. */
export function refusal(problem: { readonly code: string; readonly where: object }, expected: { readonly where?: object }): Fields {
  if (expected.where === undefined) return { error: problem.code };
  const place = placeOf(problem.where);
  return { error: problem.code, where: Object.fromEntries(Object.keys(expected.where).map((key) => [key, place[key] ?? null])) };
}

/** In one order, for lists whose order is free. */
export function sorted<T>(list: readonly T[]): readonly T[] {
  return [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
