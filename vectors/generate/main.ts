/**
 * Makes the vectors.
 *
 *   npm run vectors          writes vectors/*.json
 *   npm run vectors:check    makes them in memory and demands the committed bytes; leaves <file>.rej beside a file that differs
 *
 * No clock and no random source is reached from here: twice run, the bytes are the same.
 * @module
 */
import './repeatable.js';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { auditVectors } from './audit.js';
import { cborVectors } from './cbor.js';
import { decisionVectors } from './decision.js';
import { digestVectors } from './digest.js';
import { findingVectors } from './finding.js';
import { render, type VectorFile } from './kit.js';
import { ledgerVectors } from './ledger.js';
import { mappingVectors } from './mapping.js';
import { matchVectors } from './match.js';
import { policyVectors } from './policy.js';
import { receiptVectors } from './receipt.js';

const topics: Readonly<Record<string, () => VectorFile>> = {
  policy: policyVectors,
  match: matchVectors,
  decision: decisionVectors,
  digest: digestVectors,
  mapping: mappingVectors,
  cbor: cborVectors,
  receipt: receiptVectors,
  ledger: ledgerVectors,
  finding: findingVectors,
  audit: auditVectors,
};

const check = process.argv.includes('--check');
let differing = 0;
const seen = new Map<string, string>();
for (const [name, make] of Object.entries(topics)) {
  const file = make();
  for (const { id } of file.groups.flatMap((group) => group.cases)) {
    const other = seen.get(id);
    if (other !== undefined) throw new RangeError(`the id ${id} stands in ${other} and in ${name}`);
    seen.set(id, name);
  }
  const made = render(file);
  const path = fileURLToPath(new URL(`../${name}.json`, import.meta.url));
  const rejected = `${path}.rej`;
  if (!check) {
    writeFileSync(path, made);
    console.log(`vectors/${name}.json: ${file.groups.reduce((sum, group) => sum + group.cases.length, 0)} cases`);
    continue;
  }
  if (existsSync(path) && readFileSync(path, 'utf8') === made) {
    rmSync(rejected, { force: true });
    continue;
  }
  differing++;
  writeFileSync(rejected, made);
  console.error(`vectors/${name}.json differs from what the generator makes: see vectors/${name}.json.rej`);
}
if (differing > 0) process.exitCode = 1;
