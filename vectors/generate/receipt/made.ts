/**
 * Receipts that are good: every byte on the way from the statement to the message.
 * @module
 */
import { hex } from '../../../src/bytes.js';
import { policyDigest } from '../../../src/digest/digest.js';
import { sha256Text } from '../../../src/hash.js';
import type { Policy } from '../../../src/policy/model.js';
import { buildSigStructure } from '../../../src/cose/sig-structure.js';
import type { Case, Fields, Json, Rest } from '../kit.js';
import { baseStatement, bytesOf, engineKey, engineKeyP256, headerOf, message, payloadOf, policyA, signed, statement, type VectorKey } from './parts.js';

export const digestA = policyDigest(policyA as unknown as Policy);
const otherHash = `sha256:${'0123456789abcdef'.repeat(4)}`;

/** Decided by the policy with its digest: what an engine that can hash its rules writes. */
export const full = (change: { readonly [key: string]: Json | undefined } = {}): Fields => statement({ policy_digest: digestA, ...change });

const file = (path: string, method: string): Json => ({ filesystem: { path, method } });
const toolCall: Json = { tool: { server: 'fs', name: 'move_file' } };

type Row = readonly [id: string, statement: Fields, comment: string, rest?: Rest & { readonly key?: VectorKey }];

export const deniedStatement = statement({ actions: [file('/srv/keys/k', 'read')], decision: { effect: 'deny', rule: 'no-keys', action: 0 } });

export const madeRows: readonly Row[] = [
  ['receipt-1-allow', baseStatement, 'An engine without a digest allows a read: version and profile, no digest (DEC-14, RCP-1)', { flags: ['no-digest'] }],
  ['receipt-2-deny', deniedStatement, 'It denies by a rule', { flags: ['no-digest'] }],
  [
    'receipt-3-ask',
    statement({ actions: [file('/srv/a.txt', 'write')], decision: { effect: 'ask', rule: 'ask-write', action: 0 } }),
    'It asks, and the decision stays ask whatever becomes of it',
    { flags: ['no-digest'] },
  ],
  [
    'receipt-4-allow-digest',
    full(),
    'The decision of the first receipt with the digest: one key more, and no other byte of the others (RCP-1)',
    { flags: ['no-digest'] },
  ],
  [
    'receipt-no-rule',
    full({ actions: [file('/etc/passwd', 'read')], decision: { effect: 'deny', action: 0, reason: 'no-rule' } }),
    'No rule: the reason in place of the rule, with the index',
  ],
  [
    'receipt-no-policy',
    statement({ decision: { effect: 'deny', reason: 'no-policy' }, policy_version: undefined, match_profile: undefined }),
    'No policy: neither rule nor index, neither version nor profile (DEC-5, RCP-3)',
  ],
  [
    'receipt-several-actions',
    full({ actions: [toolCall, file('/srv/a.txt', 'read'), file('/srv/b.txt', 'write')], decision: { effect: 'ask', rule: 'ask-write', action: 2 } }),
    'One call with three actions: the index of the one that decided',
  ],
  [
    'receipt-network',
    full({ actions: [{ network: { host: '2001:db8::1', port: 65_535, method: 'CONNECT' } }], decision: { effect: 'allow', rule: 'web', action: 0 } }),
    'A connection, its host in canonical form (RCP-2)',
  ],
  [
    'receipt-network-no-method',
    full({ actions: [{ network: { host: 'example.com', port: 443 } }], decision: { effect: 'allow', rule: 'web', action: 0 } }),
    'Without a method: left out, neither null nor empty (RCP-1)',
  ],
  [
    'receipt-process',
    full({ actions: [{ process: { argv: ['git', '', 'a b', '\u00e9\u{1f511}\n'] } }], decision: { effect: 'allow', rule: 'git', action: 0 } }),
    'Arguments as they are, the empty one too',
  ],
  [
    'receipt-call-facts',
    full({ args_digest: otherHash, call_id: 'call-1', mapping: `sha256:${'f'.repeat(64)}`, enforced: false }),
    'All that a caller can add: every optional field but those of a ledger',
  ],
  [
    'receipt-unmapped',
    full({ actions: [toolCall], decision: { effect: 'deny', reason: 'unmapped' } }),
    'A call that no mapping knows: its tool action and nothing else',
  ],
  [
    'receipt-not-canonical',
    full({ actions: [], decision: { effect: 'deny', reason: 'not-canonical' } }),
    'A call whose actions could not be made canonical: no actions',
  ],
  [
    'receipt-fault',
    statement({ actions: [], decision: { effect: 'deny', reason: 'fault' }, policy_version: undefined, match_profile: undefined }),
    'An engine that failed before it had a policy',
  ],
  ['receipt-time-0', full({ time: 0 }), 'The least time'],
  ['receipt-time-greatest', full({ time: 9_007_199_254_740_991, policy_version: 4_294_967_296 }), 'Integers of eight bytes'],
  ['receipt-names', full({ engine_id: 'engine-\u00e4', agent: '\u5de5\u4eba', call_id: '\u{1f511}' }), 'Names beyond ASCII'],
  ['receipt-esp256', full(), 'The same statement by a P-256 key, with the nonce of RFC 6979 (RCP-5)', { flags: ['rfc-6979'], key: engineKeyP256 }],
  ['receipt-esp256-deny', deniedStatement, 'Another one', { flags: ['rfc-6979'], key: engineKeyP256 }],
];

export function madeReceipts(): readonly Case[] {
  return madeRows.map(([id, fields, comment, { flags = [], key = engineKey } = {}]): Case => {
    const header = headerOf(key);
    const payload = payloadOf(fields);
    const sigStructure = buildSigStructure(bytesOf(header), bytesOf(payload));
    return {
      id,
      comment,
      flags,
      input: { key: { alg: key.alg, label: key.label }, statement: fields },
      expect: {
        protected_hex: header,
        signed_core_cbor_hex: payload,
        sig_structure_hex: hex(sigStructure),
        receipt_hash: sha256Text(sigStructure),
        signature_hex: signed(key, header, payload),
        cose_sign1_hex: message({ key, header, payload }),
      },
    };
  });
}
