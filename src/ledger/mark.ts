/**
 * The side file that says how far a ledger is synced (LED-5).
 * @module
 */
import { utf8 } from '../bytes.js';
import { type Problem, refuse } from '../errors.js';
import { readJson } from '../policy/json.js';
import { checkDocument } from '../policy/door.js';
import { hashShape, uintShape } from '../receipt/statement.js';
import { integer, object } from '../shape.js';
import { markFile } from './layout.js';
import type { DurableMark } from './source.js';
import type { Store } from './store.js';

/** The last entry that is synced, and where its bytes end. */
export interface Mark extends DurableMark {
  /** The first seq of its segment. */
  readonly segment: number;
  /** Where the bytes of the entry begin and end in it. */
  readonly start: number;
  readonly offset: number;
}

const maxMarkBytes = 4_096;

const shape = object('a durable mark', {
  segment: uintShape,
  start: uintShape,
  // an entry at least: a ledger has no mark before it has a genesis
  offset: integer(1, Number.MAX_SAFE_INTEGER),
  seq: uintShape,
  hash: hashShape,
});

export function markBytes({ segment, start, offset, seq, hash }: Mark): Uint8Array {
  return utf8(JSON.stringify({ segment, start, offset, seq, hash }));
}

/**
 * The mark of a folder; undefined where it has none yet.
 *
 * @throws RuleprintError `ledger-damaged` for one that cannot be read
 */
export function readMark(store: Store): Mark | undefined {
  const bytes = store.read(markFile, maxMarkBytes);
  if (bytes === undefined) return undefined;
  const result = checkDocument(bytes, { format: 'json' }, readJson, shape, (value) => ({ mark: value as Mark }));
  if ('mark' in result) return result.mark;
  return refuseDamaged(store, markFile, 'expected the mark of what is synced, got what is none', result.problems[0]);
}

/** LED-6: the open stops, and nothing is changed. */
export function refuseDamaged(store: Store, name: string, message: string, problem?: Problem, evidence: Readonly<Record<string, unknown>> = {}): never {
  const { file: _, ...place } = problem?.where ?? {};
  refuse('ledger-damaged', problem === undefined ? message : `${message}: ${problem.message}`, {
    where: { file: `${store.place}/${name}`, ...place },
    hint: 'keep a copy of the folder before anything else, and verify it',
    evidence: { ...evidence, ...(problem && { problem: problem.code }) },
  });
}
