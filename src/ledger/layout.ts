/**
 * What the files of a ledger folder are called (spec/ledger.md, "The folder").
 * @module
 */
import { isHashText } from '../hash.js';

export const lockFile = 'lock';
/** Held for the moment in which a dead owner's lock is taken away. */
export const stealFile = 'lock.steal';
export const markFile = 'durable.json';
export const policiesFolder = 'policies';

/** Twelve digits keep a listing in order up to 10^12 entries; beyond that the name grows. */
export function segmentName(firstSeq: number): string {
  return `segment-${String(firstSeq).padStart(12, '0')}.cbor`;
}

/** The first seq of a segment, by its name; undefined for what is no segment. */
export function segmentSeq(name: string): number | undefined {
  const digits = /^segment-(\d{12,16})\.cbor$/.exec(name)?.[1];
  const seq = Number(digits);
  return digits !== undefined && segmentName(seq) === name ? seq : undefined;
}

/** The segments among the names of a folder, by their first seq, in order. */
export function segmentsIn(names: readonly string[]): readonly number[] {
  return names
    .map(segmentSeq)
    .filter((seq) => seq !== undefined)
    .sort((a, b) => a - b);
}

export function policyName(digest: string): string {
  return `${policiesFolder}/${digest.slice('sha256:'.length)}.json`;
}

/** The digest that a file of the policies folder is named by; undefined for another file. */
export function policyDigestOf(name: string): string | undefined {
  const digest = `sha256:${/^(.*)\.json$/.exec(name)?.[1]}`;
  return isHashText(digest) ? digest : undefined;
}
