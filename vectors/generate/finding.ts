/**
 * Finding receipts (spec/finding.md): what a verifier answers to a harness's claims in a ledger, the statement that holds one, and the ids. The cases
 * stand in finding/.
 * @module
 */
import { identities, occurrences, reportedIds } from './finding/ids.js';
import { plans } from './finding/plans.js';
import { acceptance, citations, claims, good, keys, rests } from './finding/receipts.js';
import { statements } from './finding/statements.js';
import { type Group, type Notes, topic, type VectorFile } from './kit.js';

const notes: Notes = {
  acceptance: { why: 'An acceptance case of the document that finding receipts come from.', effect: 'Findings would be what a harness says, and no more.' },
  several: { why: 'There are several problems, and all of them are listed; their order is free.', effect: 'A report would hide one problem behind another.' },
  rests: { why: 'An axis that rests on a failed one is not checked.', effect: 'Words of unknown origin would count as a proof, or one fault as many.' },
  salted: {
    why: 'The digest of the arguments has a salt, which stands in the finding.',
    effect: 'A digest could not be made again, or a wrong one would pass.',
  },
  prefix: {
    why: 'Two texts stand side by side: only their lengths say where one ends.',
    effect: 'Two tests would have one id, and a suppression of one would silence the other.',
  },
  excluded: { why: 'Something that may change from run to run differs.', effect: 'The same finding would be a new one after each change.' },
  order: { why: 'Bytes are sorted, not the units of a string.', effect: 'One finding would have two ids in two languages.' },
  'over-limit': { why: 'Over a limit.', effect: 'A statement could hold what no verifier would read.' },
};

export function findingVectors(): VectorFile {
  const spec = (section: string): string => `spec/finding.md, ${section}`;
  const groups: readonly Group[] = [
    { name: 'acceptance', source: spec('Finding receipts'), cases: acceptance() },
    { name: 'findings that hold', source: spec('Verifier'), cases: good() },
    { name: 'what is cited', source: spec('FND-24'), cases: citations() },
    { name: 'what is claimed', source: spec('FND-25 to FND-27'), cases: claims() },
    { name: 'keys', source: spec('FND-23'), cases: keys() },
    { name: 'plans', source: spec('FND-28'), cases: plans() },
    { name: 'what the axis rests on', source: spec('Verifier'), cases: rests() },
    { name: 'statements', source: spec('FND-22'), cases: statements() },
    { name: 'ids of claims', source: spec('FND-26'), cases: reportedIds() },
    { name: 'ids of findings', source: spec('Identity'), cases: identities() },
    { name: 'occurrences', source: spec('FND-10'), cases: occurrences() },
  ];
  return topic('finding', notes, groups);
}
