/**
 * Ledgers (spec/ledger.md): what a verifier answers to whole chains, to checkpoints of them, and to the statements that only a ledger has. The cases
 * stand in ledger/.
 * @module
 */
import { type Group, type Notes, topic, type VectorFile } from './kit.js';
import { approvals, approvalsInOrder } from './ledger/approvals.js';
import { auditConflicts, audits, refusedFields, refusedValues, takenStatements } from './ledger/audit.js';
import { completeness, untrusted } from './ledger/completeness.js';
import { damaged, orders, tails } from './ledger/order.js';
import { records, roles } from './ledger/records.js';
import { conflicts, missing, unknown, values } from './ledger/statements.js';
import { authorizations, citations, installs, reDecisions } from './ledger/timeline.js';
import { keyTrusts, revokedLater } from './ledger/trust.js';
import { files, wholeLedgers } from './ledger/whole.js';

const notes: Notes = {
  keyless: {
    why: 'Made by somebody who has the files and not the key of the engine.',
    effect: 'Entries could be removed, repeated or put in another order by anyone on the way.',
  },
  'with-key': {
    why: 'Made, linked and signed by somebody who has the key of the engine.',
    effect: 'A verifier that asks for links and signatures alone finds nothing.',
  },
  rests: { why: 'An axis that rests on a failed one is not checked.', effect: 'Words of unknown origin would count as a proof, or one fault as many.' },
  several: { why: 'There are several problems, and all of them are listed; their order is free.', effect: 'A report would hide one problem behind another.' },
  order: { why: 'There is more wrong than one thing, and the chapter says what is named.', effect: 'Two verifiers would name two codes.' },
  note: { why: 'A note is listed and fails nothing.', effect: 'An honest engine with a bad clock would fail, or its clock would be hidden.' },
  'half-open': {
    why: 'The last of what passes, or the first of what does not.',
    effect: 'Two verifiers would differ about one millisecond, one entry or one byte.',
  },
  'effective-time': {
    why: 'Who holds a key can write any time into a statement; the time of the chain goes on.',
    effect: 'A key that expired or was revoked would be good again by being dated back.',
  },
  'revoked-later': {
    why: 'Who holds a stolen key can write any time into an entry: a checkpoint by another key, or a known seq, shows that the entry was there before.',
    effect: 'An entry from after the theft would pass as one from before, or all honest ones would be lost with the key.',
  },
  'used-up': {
    why: 'A release that fails has been tried: its ask and its approval are used.',
    effect: 'An approval could be tried until it fits.',
  },
  'no-digest': {
    why: 'The engine cannot hash its rules and leaves digest and profile off.',
    effect: 'A verifier that fails here fails honest engines; one that takes a digest where none is in force believes what nobody installed.',
  },
  absent: { why: 'A field that has no value is left out.', effect: 'Null, empty and absent would be three spellings of one statement.' },
  conflict: { why: 'Each field is good, and together they cannot be true.', effect: 'An entry would have no place in a chain, or one that it cannot have.' },
  'over-limit': { why: 'At a limit, or over it.', effect: 'A record could hold what no verifier would read.' },
  'loose-algorithm': {
    why: '-8 leaves the curve to the key and is taken only where the caller says so.',
    effect: 'Old senders cannot be verified, or new ones are verified by less than they say.',
  },
  'rfc-6979': {
    why: 'The signatures are made with the nonce of RFC 6979, so that their bytes repeat.',
    effect: 'Only who signs by RFC 6979 can make these bytes again; a verifier sees no difference.',
  },
};

export function ledgerVectors(): VectorFile {
  const spec = (section: string): string => `spec/ledger.md, ${section}`;
  const evidence = (section: string): string => `spec/audit-evidence.md, ${section}`;
  const groups: readonly Group[] = [
    { name: 'ledgers verified', source: spec('Verifier'), cases: wholeLedgers() },
    { name: 'files and engines', source: spec('Verifier'), cases: files() },
    { name: 'order', source: spec('LED-11'), cases: orders() },
    { name: 'what is synced', source: spec('LED-11'), cases: tails() },
    { name: 'entries that are bad', source: spec('Verifier'), cases: damaged() },
    { name: 'records', source: spec('LED-2'), cases: records() },
    { name: 'roles', source: spec('LED-3'), cases: roles() },
    { name: 'key trust', source: spec('LED-12'), cases: keyTrusts() },
    { name: 'keys revoked later', source: spec('LED-12'), cases: revokedLater() },
    { name: 'completeness', source: spec('LED-13'), cases: completeness() },
    { name: 'checkpoints that count for nothing', source: spec('LED-13'), cases: untrusted() },
    { name: 'installs', source: spec('LED-14'), cases: installs() },
    { name: 'authorizations', source: spec('LED-14'), cases: authorizations() },
    { name: 'what a decision cites', source: spec('LED-14'), cases: citations() },
    { name: 'rules and re-decision', source: spec('LED-15'), cases: reDecisions() },
    { name: 'approvals', source: spec('LED-16'), cases: approvals() },
    { name: 'approvals, more than one thing', source: spec('LED-16'), cases: approvalsInOrder() },
    { name: 'statements without a field', source: spec('LED-1'), cases: missing() },
    { name: 'statements with a field too many', source: spec('LED-1'), cases: unknown() },
    { name: 'statements with a wrong value', source: spec('LED-1'), cases: values() },
    { name: 'statements in conflict', source: spec('LED-1'), cases: conflicts() },
    { name: 'audits', source: evidence('AUE-1'), cases: audits() },
    { name: 'audit statements taken', source: evidence('AUE-3 to AUE-16'), cases: takenStatements() },
    { name: 'audit statements with wrong fields', source: evidence('The plan, An epoch, The report'), cases: refusedFields() },
    { name: 'audit statements with wrong values', source: evidence('AUE-3, AUE-16'), cases: refusedValues() },
    { name: 'audit statements in conflict', source: evidence('AUE-4 to AUE-15'), cases: auditConflicts() },
  ];
  return topic('ledger', notes, groups);
}
