/**
 * Whether what is read of a ledger folder is files (AUE-36): a pipe would be waited for, and a device has no end.
 * @module
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { refuse } from '../../errors.js';
import { markFile, policiesFolder, segmentSeq } from '../../ledger/layout.js';

/** @throws RuleprintError `run-damaged`; what the disk throws */
export function checkFiles(ledger: string): void {
  const read = namesIn(ledger).filter((name) => name === markFile || segmentSeq(name) !== undefined);
  const policies = namesIn(join(ledger, policiesFolder)).map((name) => join(policiesFolder, name));
  for (const name of [...read, ...policies]) {
    const path = join(ledger, name);
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
      refuse('run-damaged', 'expected a file in the ledger, got another thing', { where: { file: path } });
  }
}

function namesIn(folder: string): readonly string[] {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(folder) : [];
}
