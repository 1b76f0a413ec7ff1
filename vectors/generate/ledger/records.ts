/**
 * Statements by other keys that the engine takes into its chain (LED-2), and which role says what (LED-3).
 * @module
 */
import type { Case, Json } from '../kit.js';
import { longHex } from '../receipt/parts.js';
import {
  approverKey,
  askedChain,
  auditorKey,
  type Chain,
  chainCase,
  citesA,
  engineKey,
  fails,
  harnessKey,
  hashOf,
  installerKey,
  keyTrustFails,
  keyUnknown,
  ledgerId,
  open,
  otherKey,
  passes,
  refuses,
  shortChain,
  type Said,
  signatureFails,
  startTime,
  statementFails,
  strangerKey,
  trusted,
  trustOf,
  type Asked,
} from './chain.js';

/** A good chain, and behind it the record of something. */
function recording(recorded: (chain: Chain) => string): readonly string[] {
  const chain = shortChain();
  const inner = recorded(chain);
  chain.take(inner);
  return chain.entries;
}

/** A record in which something is wrong with what it holds: it fails by its bytes, and everything behind rests on them. */
function refused(id: string, recorded: (chain: Chain) => string, codes: readonly string[], comment: string, flags: readonly string[] = []): Case {
  return chainCase(id, comment, recording(recorded), { flags, axes: statementFails, problems: codes.map((code) => fails('bytes', code, 3)) });
}

/** What an engine says, signed by its key. */
const own = (said: Said) => (chain: Chain) => chain.said(said, engineKey);
const linked = (chain: Chain) => ({ seq: 3, prev: chain.hash(2) });

export function records(): readonly Case[] {
  const approval =
    (said: Said = {}) =>
    (chain: Chain) =>
      chain.approval(hashOf('b'), said);
  const long = (length: number): readonly Json[] => {
    const chain = shortChain();
    chain.take('00'.repeat(length));
    return chain.entries.map((entry, i) => (i === 3 ? longHex(entry, '00') : entry));
  };
  return [
    chainCase('record-approval', 'An approval that nothing cites yet (LED-2)', recording(approval()), { axes: passes }),
    chainCase(
      'record-authorization',
      'An authorization (LED-2)',
      recording((chain) => chain.authorization()),
      { axes: passes },
    ),
    chainCase('record-twice', 'The same statement twice: each record is an entry (LED-2)', twice(), { axes: passes }),
    refused('record-genesis', own({ statement: 'genesis', seq: 0, ledger_id: ledgerId }), ['record-kind'], 'A genesis, which is the engine\u2019s own (LED-2)'),
    refused('record-decision', own({ statement: 'decision', agent: 'builder', ...refuses }), ['record-kind'], 'A decision, though a standalone one (LED-2)'),
    refused('record-install', (chain) => chain.said({ statement: 'install', ...citesA, ...linked(chain) }, engineKey), ['record-kind'], 'An install (LED-2)'),
    refused(
      'record-release',
      (chain) => chain.said({ statement: 'release', ask: hashOf('b'), approval: hashOf('c'), ...linked(chain) }, engineKey),
      ['record-kind'],
      'A release (LED-2)',
    ),
    refused(
      'record-record',
      (chain) => chain.said({ statement: 'record', recorded: new Uint8Array(0), ...linked(chain) }, engineKey),
      ['record-kind'],
      'A record, which is not looked into further (LED-2)',
      ['order'],
    ),
    refused(
      'record-genesis-of-other-engine',
      (chain) => chain.said({ statement: 'genesis', engine_id: 'engine-b', seq: 0, ledger_id: ledgerId }, otherKey),
      ['record-kind'],
      'The genesis of another engine: its kind is named first (LED-2)',
      ['order'],
    ),
    refused('record-other-engine', approval({ engine_id: 'engine-b' }), ['record-engine'], 'An approval about another engine (LED-2)'),
    refused('record-nothing', () => '', ['cbor-truncated'], 'No bytes (LED-2, RCP-12)'),
    refused('record-zero', () => '00', ['cose-tag'], 'An integer (LED-2, RCP-13)'),
    refused('record-untagged', (chain) => approval()(chain).slice(2), ['cose-tag'], 'An approval without its tag (LED-2, RCP-13)'),
    refused('record-cut', (chain) => approval()(chain).slice(0, -2), ['cbor-truncated'], 'An approval that is a byte short (LED-2, RCP-14)'),
    refused('record-trailing', (chain) => `${approval()(chain)}00`, ['cbor-trailing'], 'A byte behind an approval (LED-2, RCP-14)'),
    refused('record-two', (chain) => approval()(chain).repeat(2), ['cbor-trailing'], 'Two approvals in one record (LED-2, RCP-14)'),
    refused('record-missing-key', approval({ expires: undefined }), ['missing-key'], 'An approval that never ends (LED-2, RCP-19)'),
    refused(
      'record-unknown-statement',
      (chain) => chain.said({ statement: 'opinion' }, approverKey),
      ['unknown-statement'],
      'A statement that is not in the list (LED-2, RCP-19)',
    ),
    refused(
      'record-several-problems',
      approval({ expires: undefined, note: 'x', approver: '' }),
      ['missing-key', 'unknown-key', 'empty-text'],
      'All that is wrong with the statement is listed (LED-2, RCP-19)',
      ['several'],
    ),
    chainCase('record-786432', 'As long as a record can be: what it holds is looked at (LED-2)', long(786_432), {
      flags: ['over-limit', 'half-open'],
      axes: statementFails,
      problems: [fails('bytes', 'cose-tag', 3)],
    }),
    chainCase('record-786433', 'A byte longer: it is not looked at (LED-2)', long(786_433), {
      flags: ['over-limit', 'half-open', 'order'],
      axes: statementFails,
      problems: [fails('bytes', 'limit', 3)],
    }),
    chainCase('record-bad-in-the-middle', 'What is wrong in a record leaves no gap behind it (LED-11)', badInTheMiddle(), {
      axes: statementFails,
      problems: [fails('bytes', 'cose-tag', 3)],
    }),
    chainCase(
      'record-key-unknown',
      'The recorded receipt is by a key that is in no trust store: said of its record (LED-2)',
      recording((chain) => chain.approval(hashOf('b'), {}, strangerKey)),
      { flags: ['rests'], axes: keyUnknown, problems: [fails('key-trust', 'key-unknown', 3)] },
    ),
    chainCase('record-signature', 'The recorded receipt has a wrong signature (LED-2)', recording(badlySigned), {
      flags: ['rests'],
      axes: signatureFails,
      problems: [fails('signature', 'signature-invalid', 3)],
    }),
    chainCase(
      'record-key-engine',
      'by a key that may not speak for this engine (LED-2)',
      recording((chain) => chain.authorization()),
      { flags: ['rests'], axes: keyTrustFails, problems: [fails('key-trust', 'key-engine', 3)] },
      { trust: trustOf({ installer: { engine_ids: ['engine-b'] } }) },
    ),
    chainCase(
      'record-time-of-record',
      'The window of the recorded key is judged at the time of the record, not at that which the statement gives itself (LED-2, LED-12)',
      recording(approval({ time: startTime })),
      { flags: ['rests', 'effective-time'], axes: keyTrustFails, problems: [fails('key-trust', 'key-expired', 3)] },
      { trust: trustOf({ approver: { valid_until: startTime + 3 } }) },
    ),
    chainCase(
      'record-time-ahead',
      'A statement that is dated ahead, out of the window of its key, and recorded in it (LED-2, LED-12)',
      recording(approval({ time: startTime + 100 })),
      { flags: ['effective-time'], axes: passes },
      { trust: trustOf({ approver: { valid_until: startTime + 4 } }) },
    ),
    chainCase(
      'record-key-revoked-later',
      'by a key that was revoked later, and nothing pins the record (LED-2, LED-12)',
      recording(approval()),
      { flags: ['revoked-later'], axes: '++. +. +++ +', problems: [open('key-trust', 'key-revoked-later', 3)] },
      { trust: trustOf({ approver: { revoked_at: startTime + 100 } }) },
    ),
    chainCase(
      'record-key-revoked-below-seq',
      'by a key that was revoked later, from the next entry on (LED-2, LED-12)',
      recording(approval()),
      { flags: ['revoked-later', 'half-open'], axes: passes },
      { trust: trustOf({ approver: { revoked_at: startTime + 100, revoked_from_seq: { 'engine-a': 4 } } }) },
    ),
  ];
}

function twice(): readonly string[] {
  const chain = shortChain();
  const approval = chain.approval(hashOf('b'));
  chain.record(approval);
  chain.record(approval);
  return chain.entries;
}

function badInTheMiddle(): readonly string[] {
  const chain = shortChain();
  chain.take('00');
  chain.decide();
  return chain.entries;
}

/** An approval with the signature of another one. */
export function badlySigned(chain: Chain, ask = hashOf('b')): string {
  const other = chain.approval(hashOf('f'));
  return chain.approval(ask).slice(0, -128) + other.slice(-128);
}

/** Each statement by a key of another role. */
export function roles(): readonly Case[] {
  const standalone: Asked = { kind: 'file', policies: null, require: null };
  const alone = (id: string, said: (chain: Chain) => string, comment: string, asked: Asked = {}): Case =>
    chainCase(
      id,
      `${comment} (LED-3)`,
      [said(shortChain())],
      { axes: '++- .. ... .', problems: [fails('key-trust', 'key-role', { engine: 'engine-a' })] },
      { ...standalone, ...asked },
    );
  /** The last entry of a chain, by a key of another role. */
  const last = (id: string, add: (chain: Chain) => void, comment: string): Case => {
    const chain = shortChain();
    add(chain);
    return chainCase(id, `${comment} (LED-3)`, chain.entries, { axes: keyTrustFails, problems: [fails('key-trust', 'key-role', 3)] });
  };
  const genesis = shortChain();
  genesis.entries.length = 0;
  genesis.genesis({}, auditorKey);
  return [
    alone('role-authorization-engine', (chain) => chain.authorization({}, engineKey), 'An engine authorizes its own install'),
    alone('role-authorization-approver', (chain) => chain.authorization({}, approverKey), 'An approver authorizes an install'),
    alone('role-approval-engine', (chain) => chain.approval(hashOf('b'), {}, engineKey), 'An engine approves its own ask'),
    alone('role-approval-installer', (chain) => chain.approval(hashOf('b'), {}, installerKey), 'An installer approves an ask'),
    alone('role-checkpoint-engine', (chain) => chain.checkpoint(2, {}, engineKey), 'An engine says how far it has come'),
    alone('role-checkpoint-approver', (chain) => chain.checkpoint(2, {}, approverKey), 'An approver says how far it has come'),
    alone('role-approval-harness', (chain) => chain.approval(hashOf('b'), {}, harnessKey), 'A harness approves an ask', {
      trust: trustOf({}, [trusted(harnessKey, { role: 'harness' })]),
    }),
    chainCase(
      'role-genesis-auditor',
      'An auditor begins a chain (LED-3)',
      genesis.entries,
      { axes: '++- +. +.. +', problems: [fails('key-trust', 'key-role', 0)] },
      { policies: null, require: ['timeline', 'approvals'] },
    ),
    last('role-decision-approver', (chain) => chain.decide({}, approverKey), 'An approver decides'),
    last('role-install-installer', (chain) => chain.installNext({}, installerKey), 'An installer installs, where it may authorize'),
    last('role-record-auditor', (chain) => chain.take(chain.approval(hashOf('b')), auditorKey), 'An auditor records'),
    released(),
  ];
}

function released(): Case {
  const { chain, ask } = askedChain();
  const approval = chain.record(chain.approval(ask));
  chain.add({ statement: 'release', ask, approval }, approverKey);
  return chainCase('role-release-approver', 'An approver releases what it approved (LED-3)', chain.entries, {
    axes: keyTrustFails,
    problems: [fails('key-trust', 'key-role', 4)],
  });
}
