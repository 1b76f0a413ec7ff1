/**
 * Steps 10 to 12 of the verifier (RCP-21 to RCP-23), the report (RCP-24), and files of several receipts.
 * @module
 */
import { policyDigest } from '../../../src/digest/digest.js';
import type { Policy } from '../../../src/policy/model.js';
import type { Case, Fields, Json } from '../kit.js';
import { full, madeRows } from './made.js';
import {
  type Answer,
  array,
  auditorKey,
  baseStatement,
  bstr,
  engineKey,
  engineKeyP256,
  engineTrust,
  goodPayload,
  headerOf,
  longHex,
  message,
  otherKey,
  payloadOf,
  policyA,
  problem,
  signed,
  time,
  trust,
  trusted,
  verified,
} from './parts.js';

const receiptOf = (fields: Fields, key = engineKey): string => message({ key, payload: payloadOf(fields) });
const good = receiptOf(baseStatement);
const previous = `sha256:${'cd'.repeat(32)}`;

// ---- Key trust

function keyTrust(
  id: string,
  store: Fields,
  found: readonly string[],
  comment: string,
  { fields = baseStatement, signs = found.length === 0 ? '+++..' : '++-..', flags = [] as readonly string[] } = {},
): Case {
  return verified(
    id,
    comment,
    { receipt_hex: receiptOf(fields), trust: store },
    { flags, axes: signs, problems: found.map((error) => problem('key-trust', error)) },
  );
}

const revoked = (at: number, from?: Json): Fields => trust(trusted(engineKey, { revoked_at: at, ...(from !== undefined && { revoked_from_seq: from }) }));
const half = ['half-open'];
const later = ['revoked-later'];
const inChain = (seq: number): Fields => full({ seq, prev: previous });

export function keyTrusts(): readonly Case[] {
  return [
    keyTrust('trust-pass', engineTrust, [], 'The engine, in its name, at any time (RCP-21)'),
    keyTrust(
      'trust-all-options',
      trust(trusted(otherKey), trusted(engineKey, { kid: engineKey.kid, engine_ids: ['engine-b', 'engine-a'], valid_from: 1, valid_until: time + 1 })),
      [],
      'One key of several, with a window (RCP-21)',
    ),
    keyTrust('trust-unknown', trust(trusted(otherKey)), ['key-unknown'], 'No key of this kid (RCP-20)', { signs: '+.-..' }),
    keyTrust('trust-empty', trust(), ['key-unknown'], 'A store without keys (RCP-20)', { signs: '+.-..' }),
    keyTrust('trust-role-auditor', trust(trusted(engineKey, { role: 'auditor' })), ['key-role'], 'An auditor decides nothing (RCP-21)'),
    keyTrust('trust-role-installer', trust(trusted(engineKey, { role: 'installer' })), ['key-role'], 'An installer decides nothing (RCP-21)'),
    keyTrust('trust-engine', trust(trusted(engineKey, { engine_ids: ['engine-b'] })), ['key-engine'], 'The key speaks for another engine (RCP-21)'),
    keyTrust('trust-engine-case', trust(trusted(engineKey, { engine_ids: ['Engine-A'] })), ['key-engine'], 'Case counts (RCP-21)'),
    keyTrust('trust-valid-from', trust(trusted(engineKey, { valid_from: time })), [], 'The first moment of the window (RCP-10)', { flags: half }),
    keyTrust('trust-not-yet-valid', trust(trusted(engineKey, { valid_from: time + 1 })), ['key-not-yet-valid'], 'A moment before it (RCP-10, RCP-21)', {
      flags: half,
    }),
    keyTrust('trust-valid-until', trust(trusted(engineKey, { valid_until: time + 1 })), [], 'The last moment of the window (RCP-10)', { flags: half }),
    keyTrust('trust-expired', trust(trusted(engineKey, { valid_until: time })), ['key-expired'], 'The end is not in it (RCP-10, RCP-21)', { flags: half }),
    keyTrust('trust-revoked', revoked(time), ['key-revoked'], 'The moment of the revocation (RCP-10, RCP-21)', { flags: half }),
    keyTrust('trust-revoked-before', revoked(time - 1), ['key-revoked'], 'After the revocation (RCP-21)'),
    keyTrust('trust-revoked-later', revoked(time + 1), ['key-revoked-later'], 'Before the revocation, and nothing shows that the receipt was there (RCP-21)', {
      signs: '++...',
      flags: later,
    }),
    keyTrust(
      'trust-revoked-below-seq',
      revoked(time + 1, { 'engine-a': 18 }),
      ['key-revoked-later'],
      'Alone, a seq below says nothing: who holds the key chooses it (RCP-21)',
      {
        fields: inChain(17),
        signs: '++...',
        flags: later,
      },
    ),
    keyTrust('trust-revoked-at-seq', revoked(time + 1, { 'engine-a': 17 }), ['key-revoked-later'], 'At that seq (RCP-21)', {
      fields: inChain(17),
      signs: '++...',
      flags: ['revoked-later', 'half-open'],
    }),
    keyTrust('trust-revoked-seq-of-other', revoked(time + 1, { 'engine-b': 18 }), ['key-revoked-later'], 'The seq of another engine says nothing (RCP-21)', {
      fields: inChain(17),
      signs: '++...',
      flags: later,
    }),
    keyTrust('trust-revoked-no-seq', revoked(time + 1, { 'engine-a': 18 }), ['key-revoked-later'], 'A standalone receipt has no seq (RCP-21)', {
      signs: '++...',
      flags: later,
    }),
    keyTrust('trust-revoked-seq-and-time', revoked(time, { 'engine-a': 18 }), ['key-revoked'], 'The seq does not help after the revocation (RCP-21)', {
      fields: inChain(17),
      flags: later,
    }),
    keyTrust(
      'trust-several',
      trust(trusted(engineKey, { role: 'harness', engine_ids: ['x'], valid_until: 0 })),
      ['key-role', 'key-engine', 'key-expired'],
      'All that is wrong with the key is listed (RCP-21)',
      { flags: ['several'] },
    ),
    verified(
      'trust-unknown-and-no-statement',
      'An unknown key is named though the payload is no statement (RCP-20)',
      { receipt_hex: message({ payload: 'a0' }), trust: trust(trusted(otherKey)) },
      { flags: ['several'], axes: '-.-..', problems: [problem('bytes', 'missing-key', { pointer: '' }), problem('key-trust', 'key-unknown')] },
    ),
    verified(
      'trust-signature-and-no-statement',
      'A wrong signature is named though the payload is no statement (RCP-20)',
      { receipt_hex: message({ payload: '80', signature: signed(engineKey, headerOf(engineKey), goodPayload) }), trust: engineTrust },
      { flags: ['several'], axes: '--...', problems: [problem('bytes', 'wrong-type', { pointer: '' }), problem('signature', 'signature-invalid')] },
    ),
    verified(
      'trust-key-inside',
      'Another key of the same engine does not help: the kid decides (RCP-11)',
      { receipt_hex: receiptOf(baseStatement, engineKeyP256), trust: engineTrust },
      { axes: '+.-..', problems: [problem('key-trust', 'key-unknown')] },
    ),
  ];
}

// ---- Rules and re-decision

const rules = policyA['rules'] as readonly Json[];
const asPolicy = (fields: Fields): Policy => fields as unknown as Policy;
/** The same rules in another installation, and other rules. */
const policyAgain: Fields = { ...policyA, version: 2 };
const policyB: Fields = { version: 1, rules: rules.slice(1) };
const digestB = policyDigest(asPolicy(policyB));

function judged(id: string, fields: Fields, answer: Answer, comment: string, input: Fields = {}): Case {
  return unasked(id, fields, answer, comment, { policies: [policyA], ...input });
}

/** Without policies, so that nobody asks about rules. */
function unasked(id: string, fields: Fields, answer: Answer, comment: string, input: Fields = {}): Case {
  return verified(id, comment, { receipt_hex: receiptOf(fields), trust: engineTrust, ...input }, answer);
}

const passes: Answer = { axes: '+++++', problems: [] };
const differs: Answer = { flags: ['re-made'], axes: '++++-', problems: [problem('re-decision', 'decision-differs')] };
/** Placed at the first action that is not; the sum of all texts is at none. */
const notCanonical = (pointer?: string): Answer => ({
  flags: ['re-made'],
  axes: '++++-',
  problems: [problem('re-decision', 'action-not-canonical', pointer === undefined ? undefined : { pointer })],
});
const file = (path: string, method = 'read'): Json => ({ filesystem: { path, method } });
const echo = (length: number): Json => ({ process: { argv: ['x'.repeat(length)] } });
const net = (host: string): Json => ({ network: { host, port: 443 } });
const deny: Fields = { effect: 'deny', action: 0, reason: 'no-rule' };

function madeStatement(id: string): Fields {
  const row = madeRows.find(([name]) => name === id);
  if (row === undefined) throw new RangeError(`no receipt ${id}`);
  return row[1];
}

export function reDecisions(): readonly Case[] {
  return [
    judged('rules-pass', full(), passes, 'The policy is at hand and gives the same decision (RCP-22, RCP-23)'),
    judged('rules-pass-other-version', full(), passes, 'The same rules under another version have the same digest (RCP-22)', {
      policies: [policyB, policyAgain],
    }),
    judged('rules-pass-no-rule', madeStatement('receipt-no-rule'), passes, '"no-rule" is made again too (RCP-23)'),
    judged('rules-pass-several-actions', madeStatement('receipt-several-actions'), passes, 'with the index of the action that decided (RCP-23)'),
    judged(
      'rules-missing',
      full(),
      { ok: false, axes: '+++..', problems: [problem('rules', 'policy-missing')] },
      'No policy has the digest: both axes stay open, and the report is not good (RCP-22, RCP-24)',
      { policies: [policyB] },
    ),
    judged(
      'rules-none-at-hand',
      full(),
      { ok: false, axes: '+++..', problems: [problem('rules', 'policy-missing')] },
      'An empty list of policies asks all the same (RCP-22)',
      { policies: [] },
    ),
    judged(
      'rules-digest-absent',
      baseStatement,
      { ok: false, flags: ['no-digest'], axes: '+++..', problems: [problem('rules', 'digest-absent')] },
      'The engine has no digest: nothing says which rules (RCP-22)',
    ),
    unasked('rules-not-asked', full(), { axes: '+++..', problems: [] }, 'Without policies the axes are not asked, and the report is good (RCP-24)'),
    judged(
      'decision-no-policy',
      madeStatement('receipt-no-policy'),
      { ok: false, axes: '+++.+', problems: [] },
      'No policy gives "no-policy"; which rules is not answered, and it was asked (RCP-23)',
    ),
    judged(
      'decision-unmapped',
      madeStatement('receipt-unmapped'),
      { flags: ['not-re-made'], axes: '+++++', problems: [] },
      'A call that was not mapped cannot be decided again: the axis passes beside it (RCP-23)',
    ),
    judged(
      'decision-fault',
      full({ actions: [], decision: { effect: 'deny', reason: 'fault' } }),
      { flags: ['not-re-made'], axes: '+++++', problems: [] },
      'nor can a fault (RCP-23)',
    ),
    judged('decision-differs-effect', full({ decision: { effect: 'ask', rule: 'read-srv', action: 0 } }), differs, 'Another effect (RCP-23)'),
    judged('decision-differs-rule', full({ decision: { effect: 'allow', rule: 'git', action: 0 } }), differs, 'Another rule of the same effect (RCP-23)'),
    judged(
      'decision-differs-no-such-rule',
      full({ decision: { effect: 'allow', rule: 'made-up', action: 0 } }),
      differs,
      'A rule that is not in the policy (RCP-23)',
    ),
    judged('decision-differs-allowed', full({ actions: [file('/srv/keys/k')] }), differs, 'Allowed where a rule denies (RCP-23)'),
    judged('decision-differs-denied', full({ decision: deny }), differs, 'Denied where a rule allows (RCP-23)'),
    judged(
      'decision-differs-no-rule',
      full({ decision: { effect: 'deny', rule: 'no-keys', action: 0 } }),
      differs,
      'Denied by a rule that does not match (RCP-23)',
    ),
    judged(
      'decision-differs-index',
      full({ actions: [file('/srv/a'), file('/srv/b')], decision: { effect: 'allow', rule: 'read-srv', action: 1 } }),
      differs,
      'The index of the second of two equal outcomes (RCP-23, DEC-7)',
    ),
    judged('decision-differs-agent', full({ agent: 'stranger' }), differs, 'An agent that the rule is not about (RCP-23)'),
    judged(
      'decision-differs-other-policy',
      full({ actions: [file('/srv/keys/k')], policy_digest: digestB }),
      { ...passes, flags: ['re-made'] },
      'Under the rules that the digest names, the same call is allowed (RCP-22, RCP-23)',
      { policies: [policyA, policyB] },
    ),
    judged(
      'action-not-canonical-slashes',
      full({ actions: [file('/srv//a.txt')] }),
      notCanonical('/actions/0'),
      'A recorded path with an empty segment (RCP-2, RCP-23)',
    ),
    judged(
      'action-not-canonical-dot-dot',
      full({ actions: [file('/srv/x/../a.txt')] }),
      notCanonical('/actions/0'),
      'A recorded path with dots (RCP-2, RCP-23)',
    ),
    judged(
      'action-not-canonical-relative',
      full({ actions: [file('/srv/a.txt'), file('srv')], decision: { effect: 'allow', rule: 'read-srv', action: 0 } }),
      notCanonical('/actions/1'),
      'A recorded path that is relative (RCP-2, RCP-23)',
    ),
    judged(
      'action-not-canonical-host-case',
      full({ actions: [net('Example.com')], decision: { effect: 'allow', rule: 'web', action: 0 } }),
      notCanonical('/actions/0'),
      'A recorded host in upper case (RCP-2, RCP-23)',
    ),
    judged(
      'action-not-canonical-mapped',
      full({ actions: [net('::ffff:10.0.0.1')], decision: { effect: 'allow', rule: 'web', action: 0 } }),
      notCanonical('/actions/0'),
      'A recorded address in another spelling (RCP-2, RCP-23)',
    ),
    verified(
      'action-not-canonical-524289-bytes',
      'Strings that are together one byte over 524,288, each of them good (RCP-19, RCP-23, DEC-4)',
      {
        receipt_hex: longHex(receiptOf(full({ agent: 'a', actions: Array.from({ length: 8 }, () => echo(65_536)) })), '78'),
        trust: engineTrust,
        policies: [policyA],
      },
      { ...notCanonical(), flags: ['re-made', 'over-limit'] },
    ),
    unasked(
      'action-not-canonical-not-asked',
      full({ actions: [file('/srv//a.txt')] }),
      { axes: '+++..', problems: [] },
      'Without policies nobody asks (RCP-24)',
    ),
    judged(
      'profile-unknown',
      full({ match_profile: 'ruleprint-match/2' }),
      { ok: false, axes: '++++.', problems: [problem('re-decision', 'profile-unknown')] },
      'Another match profile: these rules of matching are not known (RCP-23)',
    ),
    judged(
      'profile-absent',
      full({ match_profile: undefined }),
      { ok: false, axes: '++++.', problems: [problem('re-decision', 'profile-unknown')] },
      'No match profile (RCP-23)',
    ),
    verified(
      'rests-on-signature',
      'A wrong signature: what a stranger says about rules proves nothing (RCP-24)',
      {
        receipt_hex: message({ payload: payloadOf(full()), signature: signed(engineKey, headerOf(engineKey), goodPayload) }),
        trust: engineTrust,
        policies: [policyA],
      },
      { flags: ['rests'], axes: '+-...', problems: [problem('signature', 'signature-invalid')] },
    ),
    verified(
      'rests-on-key-trust',
      'An expired key: the rules are not looked at (RCP-24)',
      { receipt_hex: receiptOf(full()), trust: trust(trusted(engineKey, { valid_until: time })), policies: [policyA] },
      { flags: ['rests'], axes: '++-..', problems: [problem('key-trust', 'key-expired')] },
    ),
    verified(
      'rests-on-unknown-key',
      'An unknown key, although the policy is at hand (RCP-24)',
      { receipt_hex: receiptOf(full()), trust: trust(trusted(auditorKey)), policies: [policyA] },
      { flags: ['rests'], axes: '+.-..', problems: [problem('key-trust', 'key-unknown')] },
    ),
    judged('asked-order', full(), { ok: false, axes: '+++++', problems: [] }, 'A standalone receipt does not answer for its order (RCP-24)', {
      require: ['order'],
    }),
    unasked('asked-rules-without-policies', full(), { ok: false, axes: '+++..', problems: [] }, 'Asked for, and nothing to answer it with (RCP-24)', {
      require: ['rules'],
    }),
    judged('asked-rules', full(), passes, 'Asked for and answered (RCP-24)', { require: ['rules', 're-decision'] }),
  ];
}

// ---- Files

export function sequences(): readonly Case[] {
  const allowed = receiptOf(full());
  const length = (hex: string): number => hex.length / 2;
  const withNull = `d2${array(bstr(headerOf(engineKey)), 'a104f6', bstr(goodPayload), bstr(signed(engineKey, headerOf(engineKey), goodPayload)))}`;
  const nullAt = length(withNull.slice(0, withNull.indexOf('a104f6'))) + 2;
  const file = (id: string, sequence_hex: string, answer: Answer, comment: string): Case =>
    verified(id, comment, { sequence_hex, trust: engineTrust, policies: [policyA] }, answer);
  const badSignature = message({ payload: payloadOf(full()), signature: '11'.repeat(32) + '00'.repeat(32) });
  return [
    file('sequence-one', allowed, { axes: '+++++', problems: [] }, 'One receipt (RCP-24)'),
    file(
      'sequence-three',
      allowed + receiptOf(madeStatement('receipt-no-rule')) + receiptOf(madeStatement('receipt-several-actions')),
      { axes: '+++++', problems: [] },
      'Three receipts, one after another (RCP-24)',
    ),
    file('sequence-same-twice', allowed + allowed, { axes: '+++++', problems: [] }, 'The same receipt twice: standalone receipts have no order (RCP-24)'),
    file(
      'sequence-second-fails',
      allowed + badSignature + allowed,
      { axes: '+-...', problems: [problem('signature', 'signature-invalid', { receipt: 1 })] },
      'An axis fails if it fails for one, and is not checked if it is not checked for one (RCP-24)',
    ),
    file(
      'sequence-second-no-digest',
      allowed + good,
      { ok: false, axes: '+++..', problems: [problem('rules', 'digest-absent', { receipt: 1 })] },
      'One receipt that leaves an axis open leaves it open for all (RCP-24)',
    ),
    file(
      'sequence-second-refused',
      allowed + withNull + allowed,
      { axes: '-....', problems: [problem('bytes', 'cbor-simple', { receipt: 1, offset: length(allowed) + nullAt })] },
      'A receipt that is refused does not hide the next one; offsets count from the beginning of the file (RCP-24)',
    ),
    file(
      'sequence-cut',
      allowed + allowed.slice(0, -2),
      {
        flags: ['several'],
        axes: '-....',
        problems: [
          problem('bytes', 'cbor-truncated', { receipt: 1, offset: 2 * length(allowed) - 66 }),
          problem('bytes', 'sequence-broken', { receipt: 1, offset: length(allowed) }),
        ],
      },
      'The last receipt is a byte short: its end cannot be found (RCP-24)',
    ),
    file(
      'sequence-garbage',
      `${allowed}ff${allowed}`,
      {
        flags: ['several'],
        axes: '-....',
        problems: [
          problem('bytes', 'cose-tag', { receipt: 1, offset: length(allowed) }),
          problem('bytes', 'sequence-broken', { receipt: 1, offset: length(allowed) }),
        ],
      },
      'A byte that is no item: what lies behind it is unread, though a receipt can be seen there (RCP-24)',
    ),
  ];
}
