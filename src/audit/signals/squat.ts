/**
 * squat.call and squat.static (AUD-40): a name that looks like that of another tool.
 * @module
 */
import { fromUtf8 } from '../../bytes.js';
import { fold } from '../fold.js';
import type { TreeFile } from '../subject/tree.js';
import { callsOf, type OfferedTool, type Transcript } from '../transcript.js';
import { type Hit, hit } from './hit.js';

/** What an eye makes of a name: folded, without separators, digits that look like letters as letters. */
export function skeleton(name: string): string {
  return fold(name).replaceAll('0', 'o').replaceAll('1', 'l');
}

/** Names shorter than this differ by one letter too easily. */
const leastForDistance = 6;

/** The offered tool that a name passes itself off as. A name that was itself offered is no squatter. */
export function squattedBy(name: string, tools: readonly OfferedTool[]): string | undefined {
  if (tools.some((tool) => tool.name === name)) return undefined;
  const mine = skeleton(name);
  return tools.find((tool) => {
    const other = skeleton(tool.name);
    return mine === other || (name.length >= leastForDistance && tool.name.length >= leastForDistance && isOneEdit(name, tool.name));
  })?.name;
}

/** Damerau-Levenshtein of at most one: one letter more, less, other, or two that changed places. */
export function isOneEdit(a: string, b: string): boolean {
  const [x, y] = [[...a], [...b]];
  if (Math.abs(x.length - y.length) > 1) return false;
  let front = 0;
  while (front < x.length && front < y.length && x[front] === y[front]) front++;
  let back = 0;
  while (back < x.length - front && back < y.length - front && x.at(-1 - back) === y.at(-1 - back)) back++;
  const [left, right] = [x.length - front - back, y.length - front - back];
  if (left <= 1 && right <= 1) return true;
  return left === 2 && right === 2 && x[front] === y[front + 1] && x[front + 1] === y[front];
}

export function squatCall(transcript: Transcript): readonly Hit[] {
  return callsOf(transcript).flatMap(({ index, name }) =>
    squattedBy(name, transcript.tools) === undefined ? [] : [hit('squat.call', 'high', { callIndex: index, locus: 'name' }, name)],
  );
}

/** Names that a text declares: in backticks, before a parenthesis, as the name of a definition. */
const declared = /`([^`\s(]{2,64})(?:\([^`]*\))?`|([\p{L}\p{N}_.-]{2,64})\(|["']?name["']?\s*[:=]\s*["'`]?([\p{L}\p{N}_.-]{2,64})/gu;
/** A definition of a tool in JSON or YAML, with the name of an offered one. */
const definition = /["']?name["']?\s*[:=]\s*["'`]?([\p{L}\p{N}_.-]{2,64})["'`]?[\s,]+["']?(?:description|parameters|input_schema|inputSchema)["']?\s*[:=]/gu;

export function squatStatic(files: readonly TreeFile[], tools: readonly OfferedTool[]): readonly Hit[] {
  const hits: Hit[] = [];
  for (const { path, bytes } of files) {
    const text = fromUtf8(bytes);
    if (text === undefined) continue;
    const names = new Set([...text.matchAll(declared)].map(([, ticked, called, named]) => ticked ?? called ?? named ?? ''));
    const defined = new Set([...text.matchAll(definition)].map(([, name = '']) => name));
    for (const name of names) {
      if (squattedBy(name, tools) !== undefined) hits.push(hit('squat.static', 'medium', { locus: path }, name));
    }
    for (const name of defined) {
      if (tools.some((tool) => tool.name === name)) hits.push(hit('squat.static', 'medium', { locus: path }, name));
    }
  }
  return hits;
}
