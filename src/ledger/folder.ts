/**
 * Reading a ledger folder, for the verifier.
 * @module
 */
import { type Problem, RuleprintError } from '../errors.js';
import { fileStore } from './file-store.js';
import { segmentName, segmentsIn } from './layout.js';
import { type Mark, readMark } from './mark.js';
import { PolicyFiles } from './policy-files.js';
import type { LedgerSource } from './source.js';
import type { Store } from './store.js';

/**
 * The ledger of a folder as it is now: what a writer adds later is not read, so that every pass reads the same. What the disk throws goes through.
 *
 * @example
 * verifyLedger([readLedger('audit')], { trust }).ok;
 */
export function readLedger(folder: string): LedgerSource {
  return ledgerIn(fileStore(folder));
}

/** The ledger of a store. */
export function ledgerIn(store: Store): LedgerSource {
  // the mark first: what it names is in the segments from then on
  const durable = markOrProblem(store);
  const segments = segmentsIn(store.list()).map((seq) => {
    const name = segmentName(seq);
    const size = store.size(name) ?? 0;
    return { file: `${store.place}/${name}`, chunks: () => store.chunks(name, 0, size) };
  });
  const policies = { [Symbol.iterator]: () => new PolicyFiles(store).all() };
  return { file: store.place, kind: 'folder', segments, policies, ...(durable && { durable }) };
}

function markOrProblem(store: Store): Mark | Problem | undefined {
  try {
    return readMark(store);
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    return error.problems[0];
  }
}
