/**
 * The statements of a ledger that are none (LED-1, RCP-19), each alone in a file under a good signature.
 * @module
 */
import type { Case } from '../kit.js';
import { bytesOf, cbor, head, map, message, tstr } from '../receipt/parts.js';
import {
  approverKey,
  args,
  type Asked,
  auditorKey,
  chainCase,
  digestA,
  engineKey,
  fails,
  hashOf,
  installerKey,
  ledgerId,
  receiptOf,
  type Said,
  startTime,
  statementFails,
  type VectorKey,
} from './chain.js';

interface Kind {
  readonly said: Said;
  readonly key: VectorKey;
}

const said = (statement: string, fields: Said): Said => ({ statement, engine_id: 'engine-a', time: startTime, ...fields });
const link: Said = { seq: 1, prev: hashOf('d') };

/** A good statement of each kind, with every field that it may have. */
const kinds = {
  genesis: { said: said('genesis', { seq: 0, ledger_id: ledgerId }), key: engineKey },
  install: {
    said: said('install', {
      ...link,
      policy_version: 1,
      policy_digest: digestA,
      match_profile: 'ruleprint-match/1',
      replaces: hashOf('b'),
      authorization: hashOf('c'),
    }),
    key: engineKey,
  },
  release: { said: said('release', { ...link, ask: hashOf('b'), approval: hashOf('c') }), key: engineKey },
  record: {
    said: said('record', { ...link, recorded: bytesOf(receiptOf(said('authorization', { policy_version: 1, policy_digest: digestA }), installerKey)) }),
    key: engineKey,
  },
  authorization: { said: said('authorization', { policy_version: 1, policy_digest: digestA, replaces: hashOf('b') }), key: installerKey },
  approval: {
    said: said('approval', { ask: hashOf('b'), args_digest: args, approved: true, expires: startTime + 1000, approver: 'someone' }),
    key: approverKey,
  },
  checkpoint: { said: said('checkpoint', { ledger_id: ledgerId, seq: 7, receipt_hash: hashOf('b') }), key: auditorKey },
} satisfies { readonly [name: string]: Kind };
type Name = keyof typeof kinds;

const standalone: Asked = { kind: 'file', policies: null, require: null };
interface More {
  readonly codes?: readonly string[];
  readonly flags?: readonly string[];
}

/** A statement with some fields changed, or left out where they are undefined. */
function changed(id: string, name: Name, change: Said, code: string, comment: string, { codes = [code], flags = [] }: More = {}): Case {
  const { said: good, key } = kinds[name];
  return refused(id, receiptOf({ ...good, ...change }, key), codes, comment, flags);
}

function refused(id: string, receipt: string, codes: readonly string[], comment: string, flags: readonly string[] = []): Case {
  const problems = codes.map((code) => fails('bytes', code));
  return chainCase(id, comment, [receipt], { flags, axes: statementFails, problems }, standalone);
}

/** The payload of a good statement in which the value at one key is other CBOR. */
function payloadWith(name: Name, key: string, value: string): string {
  const { said: good, key: signer } = kinds[name];
  const entries = Object.entries({ ...good, [key]: 0 }).map(([member, old]): [string, string] => [tstr(member), member === key ? value : cbor(old as never)]);
  const payload = map(...entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  return message({ key: signer, payload });
}

export function missing(): readonly Case[] {
  const rows: readonly (readonly [Name, string, string])[] = [
    ['genesis', 'ledger_id', 'A genesis without the id of its ledger'],
    ['genesis', 'engine_id', 'A genesis of nobody'],
    ['install', 'policy_version', 'An install without a version'],
    ['install', 'time', 'An install without a time'],
    ['release', 'ask', 'A release of nothing'],
    ['release', 'approval', 'A release without an approval'],
    ['record', 'recorded', 'A record of nothing'],
    ['authorization', 'policy_version', 'An authorization for any version'],
    ['authorization', 'policy_digest', 'An authorization for any rules'],
    ['authorization', 'engine_id', 'An authorization for any engine'],
    ['approval', 'ask', 'An approval of any ask'],
    ['approval', 'args_digest', 'An approval of any arguments'],
    ['approval', 'approved', 'An approval that says neither yes nor no'],
    ['approval', 'expires', 'An approval without an end'],
    ['approval', 'approver', 'An approval of nobody'],
    ['checkpoint', 'ledger_id', 'A checkpoint of any ledger'],
    ['checkpoint', 'seq', 'A checkpoint of no entry'],
    ['checkpoint', 'receipt_hash', 'A checkpoint without the hash'],
  ];
  return rows.map(([name, field, comment]) =>
    changed(`${name}-no-${field.replaceAll('_', '-')}`, name, { [field]: undefined }, 'missing-key', `${comment} (LED-1, RCP-19)`),
  );
}

export function unknown(): readonly Case[] {
  const rows: readonly (readonly [Name, string, Said, string])[] = [
    ['genesis', 'policy', { policy_version: 1 }, 'A genesis that installs'],
    ['install', 'agent', { agent: 'builder' }, 'An install for one agent'],
    ['release', 'args', { args_digest: args }, 'A release with arguments of its own: those of the ask count'],
    ['record', 'hash', { receipt_hash: hashOf('b') }, 'A record with the hash of what it holds'],
    ['authorization', 'profile', { match_profile: 'ruleprint-match/1' }, 'An authorization for a match profile'],
    ['authorization', 'expires', { expires: startTime }, 'An authorization with an end'],
    ['approval', 'note', { note: 'x' }, 'An approval with a remark'],
    ['approval', 'camel-case', { argsDigest: args }, 'A field in another spelling'],
    ['checkpoint', 'count', { count: 8 }, 'A checkpoint with a count'],
    ['authorization', 'seq', { seq: 1 }, 'An authorization has no place in a chain'],
    ['authorization', 'prev', { prev: hashOf('d') }, 'nor a predecessor'],
    ['approval', 'seq', { seq: 1 }, 'An approval has no place in a chain'],
    ['approval', 'prev', { prev: hashOf('d') }, 'nor a predecessor'],
    ['checkpoint', 'prev', { prev: hashOf('d') }, 'The seq of a checkpoint is that of the entry that it names: it has no predecessor'],
  ];
  return rows.map(([name, what, change, comment]) => changed(`${name}-unknown-${what}`, name, change, 'unknown-key', `${comment} (LED-1, RCP-19)`));
}

export function values(): readonly Case[] {
  return [
    changed('genesis-ledger-id-15', 'genesis', { ledger_id: ledgerId.slice(1) }, 'bad-value', 'An id of 15 bytes (LED-1)'),
    changed('genesis-ledger-id-17', 'genesis', { ledger_id: bytesOf('00'.repeat(17)) }, 'bad-value', 'An id of 17 bytes (LED-1)'),
    changed('genesis-ledger-id-none', 'genesis', { ledger_id: new Uint8Array(0) }, 'bad-value', 'An id of no bytes (LED-1)'),
    changed('genesis-ledger-id-text', 'genesis', { ledger_id: '0'.repeat(16) }, 'wrong-type', 'An id as text (LED-1, RCP-19)'),
    changed('genesis-seq-text', 'genesis', { seq: '0' }, 'wrong-type', 'A seq as text (RCP-19)'),
    changed('install-version-text', 'install', { policy_version: '1' }, 'wrong-type', 'A version as text (RCP-19)'),
    changed('install-version-negative', 'install', { policy_version: -1 }, 'bad-integer', 'A version below 0 (RCP-19)'),
    changed('install-digest-empty', 'install', { policy_digest: '' }, 'bad-value', 'An empty digest in place of an absent one (RCP-1, RCP-19)', {
      flags: ['absent'],
    }),
    changed('install-replaces-bare', 'install', { replaces: 'b'.repeat(64) }, 'bad-value', 'Digits without "sha256:" (RCP-19)'),
    changed('install-profile-empty', 'install', { match_profile: '' }, 'empty-text', 'An empty match profile in place of an absent one (RCP-1, RCP-19)', {
      flags: ['absent'],
    }),
    refused('install-replaces-null', payloadWith('install', 'replaces', 'f6'), ['cbor-simple'], 'Null in place of an absent digest (RCP-1, RCP-19)', [
      'absent',
    ]),
    changed('install-seq-negative', 'install', { seq: -1 }, 'bad-integer', 'A seq below 0 (RCP-19)'),
    changed('release-ask-upper-case', 'release', { ask: `sha256:${'B'.repeat(64)}` }, 'bad-value', 'Upper-case digits (RCP-19)'),
    changed('release-approval-bytes', 'release', { approval: bytesOf('cc'.repeat(32)) }, 'wrong-type', 'A hash as bytes (RCP-19)'),
    changed('release-approval-list', 'release', { approval: [hashOf('c')] }, 'wrong-type', 'A list of approvals (RCP-19)'),
    changed('record-recorded-text', 'record', { recorded: 'd284' }, 'wrong-type', 'A receipt as hex (RCP-19)'),
    refused(
      'record-recorded-open',
      payloadWith('record', 'recorded', receiptOf(kinds.approval.said, approverKey)),
      ['cbor-tag'],
      'A receipt that is not wrapped in a byte string (RCP-14, RCP-19)',
    ),
    changed('authorization-version-negative', 'authorization', { policy_version: -1 }, 'bad-integer', 'A version below 0 (RCP-19)'),
    changed('authorization-digest-sha512', 'authorization', { policy_digest: `sha512:${'a'.repeat(128)}` }, 'bad-value', 'Another hash (RCP-19)'),
    changed('authorization-replaces-empty', 'authorization', { replaces: '' }, 'bad-value', 'An empty digest in place of an absent one (RCP-1, RCP-19)', {
      flags: ['absent'],
    }),
    changed('approval-approved-1', 'approval', { approved: 1 }, 'wrong-type', 'A number in place of yes (RCP-19)'),
    changed('approval-approved-text', 'approval', { approved: 'false' }, 'wrong-type', 'A word in place of no, which many a reader takes for yes (RCP-19)'),
    changed('approval-expires-text', 'approval', { expires: '2027-01-01' }, 'wrong-type', 'A date as text (RCP-19)'),
    changed('approval-expires-negative', 'approval', { expires: -1 }, 'bad-integer', 'An end before the epoch (RCP-19)'),
    refused(
      'approval-expires-float',
      payloadWith('approval', 'expires', 'fb7ff0000000000000'),
      ['cbor-float'],
      'An approval that never ends, as infinity (RCP-14)',
    ),
    changed('approval-approver-empty', 'approval', { approver: '' }, 'empty-text', 'An approver without a name (LED-1, POL-8)'),
    changed('approval-approver-control', 'approval', { approver: 'a\u0000' }, 'control-character', 'A control character in the name (LED-1, POL-8)'),
    changed('approval-approver-4097', 'approval', { approver: 'a'.repeat(4097) }, 'limit', 'A name of 4,097 bytes (LED-1, POL-8)', { flags: ['over-limit'] }),
    changed('checkpoint-ledger-id-32', 'checkpoint', { ledger_id: bytesOf('00'.repeat(32)) }, 'bad-value', 'An id of 32 bytes (LED-1)'),
    changed('checkpoint-seq-negative', 'checkpoint', { seq: -1 }, 'bad-integer', 'A seq from the end (RCP-19)'),
    changed('checkpoint-hash-short', 'checkpoint', { receipt_hash: hashOf('b').slice(0, -2) }, 'bad-value', '62 digits (RCP-19)'),
    refused('checkpoint-seq-2-53', payloadWith('checkpoint', 'seq', head(0, 2 ** 53)), ['cbor-integer'], 'A seq of 2^53 (RCP-14)'),
    changed('statement-plan', 'approval', { statement: 'plan' }, 'unknown-statement', 'A statement of a later chapter (RCP-19)'),
    changed('statement-approve', 'approval', { statement: 'Approval' }, 'unknown-statement', 'Case counts (RCP-19)'),
    refused('approval-key-twice', message({ key: approverKey, payload: twice() }), ['cbor-duplicate-key'], 'An approval that says no, and then yes (RCP-14)'),
    changed('approval-several', 'approval', { ask: undefined, approved: 0, approver: '', why: 'x' }, 'missing-key', 'All that is wrong is listed (RCP-19)', {
      codes: ['missing-key', 'wrong-type', 'empty-text', 'unknown-key'],
      flags: ['several'],
    }),
  ];
}

/** A good approval with one entry twice. */
function twice(): string {
  const entries = Object.entries(kinds.approval.said).map(([member, value]): [string, string] => [tstr(member), cbor(value as never)]);
  entries.push([tstr('approved'), 'f4']);
  return map(...entries.sort(([a, yes], [b, no]) => (a < b || (a === b && yes < no) ? -1 : 1)));
}

export function conflicts(): readonly Case[] {
  const conflict = (id: string, name: Name, change: Said, comment: string): Case =>
    changed(id, name, change, 'field-conflict', `${comment} (LED-1)`, { flags: ['conflict'] });
  const unlinked: Said = { seq: undefined, prev: undefined };
  return [
    conflict('genesis-no-seq', 'genesis', { seq: undefined }, 'A genesis outside of a chain'),
    conflict('genesis-seq-1', 'genesis', link, 'A genesis in the middle of a chain'),
    conflict('genesis-seq-1-no-prev', 'genesis', { seq: 1 }, 'A genesis at seq 1, without a predecessor'),
    conflict('genesis-prev', 'genesis', { prev: hashOf('d') }, 'A genesis with a predecessor'),
    conflict('install-no-seq', 'install', unlinked, 'An install outside of a chain'),
    conflict('install-seq-0', 'install', { seq: 0, prev: undefined }, 'An install in place of the genesis'),
    conflict('install-no-prev', 'install', { prev: undefined }, 'An install without a predecessor'),
    conflict('install-prev-alone', 'install', { seq: undefined }, 'A predecessor without a place in a chain'),
    conflict('release-no-seq', 'release', unlinked, 'A release outside of a chain'),
    conflict('release-seq-0', 'release', { seq: 0, prev: undefined }, 'A release in place of the genesis'),
    conflict('release-no-prev', 'release', { prev: undefined }, 'A release without a predecessor'),
    conflict('record-no-seq', 'record', unlinked, 'A record outside of a chain'),
    conflict('record-seq-0', 'record', { seq: 0, prev: undefined }, 'A record in place of the genesis'),
    conflict('record-no-prev', 'record', { prev: undefined }, 'A record without a predecessor'),
  ];
}
