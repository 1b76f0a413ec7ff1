/**
 * Numbers and times as a page writes them.
 * @module
 */
import { million } from '../statistics.js';

/** `29.6 %` of millionths, rounded up to a tenth: a bound is never shown better than it is (AUD-1). */
export function percentUp(millionths: number): string {
  return `${tenths(Math.ceil(millionths / 1_000))} %`;
}

/** Of a rate, to the nearest tenth; no epochs have no rate. */
export function percentOf(k: number, n: number): string {
  return n === 0 ? 'none' : `${tenths(Math.round((k * 1_000) / n))} %`;
}

function tenths(count: number): string {
  return count % 10 === 0 ? String(count / 10) : `${Math.floor(count / 10)}.${count % 10}`;
}

/** `0.000512`: a probability in millionths. */
export function probability(millionths: number): string {
  return millionths >= million ? '1' : `0.${String(millionths).padStart(6, '0')}`;
}

/** As the width of an element. */
export function width(millionths: number): string {
  return `${Math.min(100, millionths / 10_000)}%`;
}

/** Thousands told apart by a thin space, which no place reads as a point. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, '\u2009');
}

/** `1 epoch`, `2 epochs`. */
export function many(value: number, word: string): string {
  return `${count(value)} ${word}${value === 1 ? '' : 's'}`;
}

/** `2026-11-30 12:00:00 UTC` of milliseconds since 1970, by the civil calendar: the clock of the machine and its place have no part in it. */
export function time(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const { year, month, day } = civil(Math.floor(seconds / 86_400));
  const inDay = seconds % 86_400;
  return `${year}-${two(month)}-${two(day)} ${two(Math.floor(inDay / 3_600))}:${two(Math.floor(inDay / 60) % 60)}:${two(inDay % 60)} UTC`;
}

/** The year begins in March here, so that the day that comes and goes is its last. */
function civil(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const ofEra = shifted - era * 146_097;
  const yearOfEra = Math.floor((ofEra - Math.floor(ofEra / 1_460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365);
  const dayOfYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day: dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1 };
}

/** `3, 7 to 9`. */
export function ranges(numbers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else runs.push([number, number]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`)).join(', ');
}
