/**
 * Step 8 of the verifier (RCP-19): payloads that are no statement, under good signatures.
 * @module
 */
import { type Case, type Fields, type Json, markedHex, type Rest } from '../kit.js';
import { full } from './made.js';
import {
  array,
  baseStatement,
  bstr,
  engineTrust,
  entriesOf,
  goodPayload,
  int,
  longHex,
  map,
  message,
  payloadOf,
  payloadWith,
  problem,
  readAction,
  statement,
  tstr,
  verified,
} from './parts.js';

/** The signature passes; whose time and whose engine it is cannot be read. */
const axes = '-+...';

/** A payload that is refused on the way through its bytes. `^` marks the place. */
function refusedPayload(id: string, payload: string, error: string, comment: string, rest: Rest = {}): Case {
  const { hex: receipt_hex, offset } = markedHex(message({ payload }));
  const where = offset === undefined ? undefined : { offset };
  return verified(id, comment, { receipt_hex, trust: engineTrust }, { ...rest, axes, problems: [problem('bytes', error, where)] });
}

type Found = readonly [error: string, pointer: string];

/** A payload whose statement has these problems. */
function refusedStatement(id: string, payload: string, found: readonly Found[], comment: string, rest: Rest = {}): Case {
  const problems = found.map(([error, pointer]) => problem('bytes', error, { pointer }));
  return verified(id, comment, { receipt_hex: message({ payload }), trust: engineTrust }, { ...rest, axes, problems });
}

const one = (id: string, payload: string, error: string, pointer: string, comment: string, rest?: Rest): Case =>
  refusedStatement(id, payload, [[error, pointer]], comment, rest);
const changed = (change: { readonly [key: string]: Json | undefined }): string => payloadOf(statement(change));
const acting = (action: Json): string => changed({ actions: [action] });
const decided = (decision: Fields, change: { readonly [key: string]: Json | undefined } = {}): string => changed({ decision, ...change });

const absent = { flags: ['absent'] };
const conflict = { flags: ['conflict'] };
const over = { flags: ['over-limit'] };

/** A good payload with one more entry, in its right place. */
function extended(key: string, value: string): string {
  return map(...[...entriesOf(baseStatement), [tstr(key), value] as const].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const hash = `sha256:${'ab'.repeat(32)}`;
const fileAction = (path: Json, method: Json = 'read'): Json => ({ filesystem: { path, method } });
const allow: Fields = { effect: 'allow', rule: 'read-srv', action: 0 };

export function refusedPayloads(): readonly Case[] {
  const entries = entriesOf(baseStatement);
  const swapped = [entries[1], entries[0], ...entries.slice(2)] as [string, string][];
  const twice = [...entries.slice(0, 1), ...entries] as [string, string][];
  const asHex = (list: readonly [string, string][], markAt: number): string =>
    `a${list.length.toString(16)}${list.map((entry, i) => (i === markAt ? '^' : '') + entry.join('')).join('')}`;
  return [
    refusedPayload('payload-none', '^', 'cbor-truncated', 'A payload of no bytes (RCP-19)'),
    refusedPayload(
      'payload-json',
      `^${Buffer.from('{"statement":"decision"}').toString('hex')}`,
      'cbor-truncated',
      'JSON, which as CBOR is a text that ends too early (RCP-19)',
    ),
    refusedPayload('payload-trailing', `${goodPayload}^00`, 'cbor-trailing', 'A byte behind the statement (RCP-19)', { flags: ['strict'] }),
    refusedPayload('payload-cut', `${goodPayload.slice(0, -2)}^18`, 'cbor-truncated', 'The version needs a byte that is not there (RCP-19)', {
      flags: ['strict'],
    }),
    refusedPayload('payload-unsorted', asHex(swapped, 1), 'cbor-unsorted', 'Two keys out of order (RCP-19)', { flags: ['strict'] }),
    refusedPayload('payload-key-twice', asHex(twice, 1), 'cbor-duplicate-key', 'The time twice (RCP-19)', { flags: ['strict'] }),
    refusedPayload('payload-null', payloadWith('policy_version', '^f6'), 'cbor-simple', 'Null in place of an absent version (RCP-1, RCP-19)', absent),
    refusedPayload('payload-undefined', payloadWith('policy_digest', '^f7'), 'cbor-simple', 'Undefined in place of an absent digest (RCP-1, RCP-19)', absent),
    refusedPayload('payload-time-float', payloadWith('time', '^fb4279b75d65000000'), 'cbor-float', 'The time as a float (RCP-19)', { flags: ['strict'] }),
    refusedPayload('payload-time-tagged', payloadWith('time', '^c11a6955b900'), 'cbor-tag', 'The time with the tag of an epoch time (RCP-19)', {
      flags: ['strict'],
    }),
    refusedPayload('payload-time-bignum', payloadWith('time', '^c246019b77420400'), 'cbor-tag', 'The time as a bignum (RCP-19)', { flags: ['strict'] }),
    refusedPayload('payload-time-long', payloadWith('time', '^1b0000000000000001'), 'cbor-not-shortest', 'A small time in nine bytes (RCP-19)', {
      flags: ['strict'],
    }),
    refusedPayload('payload-version-2-53', payloadWith('policy_version', '^1b0020000000000000'), 'cbor-integer', 'A version of 2^53 (RCP-19)', {
      flags: ['strict'],
    }),
    refusedPayload('payload-agent-utf8', payloadWith('agent', '^63eda080'), 'cbor-utf8', 'Half a character as an agent (RCP-19)', { flags: ['strict'] }),
    refusedPayload('payload-agent-indefinite', payloadWith('agent', '^7f6161ff'), 'cbor-indefinite', 'The agent in pieces (RCP-19)', { flags: ['strict'] }),
    refusedPayload('payload-key-bytes', `a1^4161${int(0)}`, 'cbor-key-type', 'A key that is a byte string (RCP-19)', { flags: ['strict'] }),
    refusedPayload(
      'payload-depth',
      extended('note', `${'81'.repeat(7)}^80`),
      'cbor-depth',
      'An unknown field that is nested too deep: the walk comes first (RCP-19)',
      { flags: ['strict'] },
    ),
    one('payload-array', array(goodPayload), 'wrong-type', '', 'An array of one statement (RCP-19)'),
    one('payload-text', tstr('decision'), 'wrong-type', '', 'A text (RCP-19)'),
    one('payload-bytes', bstr(goodPayload), 'wrong-type', '', 'A byte string that holds the statement (RCP-19)'),
  ];
}

export function refusedStatements(): readonly Case[] {
  return [
    one('statement-missing', changed({ statement: undefined }), 'missing-key', '', 'No statement: nothing else is looked at (RCP-19)'),
    one('statement-empty-map', map(), 'missing-key', '', 'An empty map lacks the statement and is not asked for more (RCP-19)'),
    one('statement-number', changed({ statement: 1 }), 'wrong-type', '/statement', 'A number (RCP-19)'),
    one('statement-unknown', changed({ statement: 'opinion' }), 'unknown-statement', '/statement', 'Another word than those of the list (RCP-19)'),
    one('statement-case', changed({ statement: 'Decision' }), 'unknown-statement', '/statement', 'Case counts (RCP-19)'),
    one('statement-no-engine', changed({ engine_id: undefined }), 'missing-key', '', 'No engine (RCP-19)'),
    one('statement-no-time', changed({ time: undefined }), 'missing-key', '', 'No time (RCP-19)'),
    one('statement-no-agent', changed({ agent: undefined }), 'missing-key', '', 'No agent (RCP-19)'),
    one('statement-no-actions', changed({ actions: undefined }), 'missing-key', '', 'No actions: empty is another thing (RCP-19)', absent),
    one('statement-no-decision', changed({ decision: undefined }), 'missing-key', '', 'No decision (RCP-19)'),
    one('statement-no-effect', decided({ rule: 'read-srv', action: 0 }), 'missing-key', '/decision', 'No effect (RCP-19)'),
    one('statement-no-path', acting({ filesystem: { method: 'read' } }), 'missing-key', '/actions/0/filesystem', 'An action without its path (RCP-19)'),
    one('statement-unknown-key', changed({ note: 'x' }), 'unknown-key', '/note', 'A field that is not in the grammar (RCP-19)'),
    one('statement-camel-case', changed({ policyDigest: hash }), 'unknown-key', '/policyDigest', 'A field in another spelling (RCP-19)'),
    one('statement-unknown-key-inside', decided({ ...allow, why: 'x' }), 'unknown-key', '/decision/why', 'inside the decision (RCP-19)'),
    one(
      'statement-unknown-key-action',
      acting({ filesystem: { path: '/srv/a', method: 'read', size: 1 } }),
      'unknown-key',
      '/actions/0/filesystem/size',
      'inside an action (RCP-19)',
    ),
    refusedPayload('statement-integer-key', map([int(1), int(0)], ...entriesOf(baseStatement)), 'unknown-key', 'A key that is an integer (RCP-19)'),
    one('statement-time-text', changed({ time: '2026-01-01T00:00:00Z' }), 'wrong-type', '/time', 'A time as text (RCP-19)'),
    one('statement-engine-bytes', payloadWith('engine_id', bstr('656e67696e652d61')), 'wrong-type', '/engine_id', 'A name as bytes (RCP-19)'),
    one('statement-digest-bytes', payloadWith('policy_digest', bstr('ab'.repeat(32))), 'wrong-type', '/policy_digest', 'A hash as bytes (RCP-19)'),
    one('statement-actions-map', changed({ actions: { tool: { server: 's', name: 'n' } } }), 'wrong-type', '/actions', 'One action without its list (RCP-19)'),
    one('statement-action-text', acting('read /srv/a'), 'wrong-type', '/actions/0', 'An action as text (RCP-19)'),
    one('statement-decision-text', changed({ decision: 'allow' }), 'wrong-type', '/decision', 'A decision as text (RCP-19)'),
    one('statement-argv-text', acting({ process: { argv: 'ls -l' } }), 'wrong-type', '/actions/0/process/argv', 'A command line (RCP-19)'),
    one('statement-enforced-0', changed({ enforced: 0 }), 'wrong-type', '/enforced', 'A number in place of false (RCP-19)'),
    one('statement-effect-true', decided({ ...allow, effect: true }), 'wrong-type', '/decision/effect', 'True in place of an effect (RCP-19)'),
    one('statement-time-negative', changed({ time: -1 }), 'bad-integer', '/time', 'A time before the epoch (RCP-19)'),
    one('statement-index-negative', decided({ ...allow, action: -1 }), 'bad-integer', '/decision/action', 'An index from the end (RCP-19)'),
    one('statement-effect-other', decided({ ...allow, effect: 'permit' }), 'bad-value', '/decision/effect', 'Another word (RCP-19)'),
    one(
      'statement-reason-other',
      decided({ effect: 'deny', action: 0, reason: 'forbidden' }),
      'bad-value',
      '/decision/reason',
      'A reason outside the list (RCP-19)',
    ),
    one(
      'statement-hash-empty',
      changed({ policy_digest: '' }),
      'bad-value',
      '/policy_digest',
      'An empty digest in place of an absent one (RCP-1, RCP-19)',
      absent,
    ),
    one(
      'statement-hash-upper-case',
      changed({ policy_digest: hash.toUpperCase().replace('SHA', 'sha') }),
      'bad-value',
      '/policy_digest',
      'Upper-case digits (RCP-19)',
    ),
    one('statement-hash-bare', changed({ policy_digest: hash.slice(7) }), 'bad-value', '/policy_digest', 'Digits without "sha256:" (RCP-19)'),
    one('statement-hash-short', changed({ args_digest: hash.slice(0, -2) }), 'bad-value', '/args_digest', '62 digits (RCP-19)'),
    one('statement-hash-sha512', changed({ mapping: `sha512:${'ab'.repeat(64)}` }), 'bad-value', '/mapping', 'Another hash (RCP-19)'),
    one('statement-hash-line-break', changed({ mapping: `${hash}\n` }), 'bad-value', '/mapping', 'A line break behind it (RCP-19)'),
    one('statement-enforced-true', changed({ enforced: true }), 'bad-value', '/enforced', 'True is the rule and is left out (RCP-1, RCP-19)', absent),
    one('statement-port-0', acting({ network: { host: 'h', port: 0 } }), 'bad-value', '/actions/0/network/port', 'Port 0 (RCP-19)'),
    one('statement-port-65536', acting({ network: { host: 'h', port: 65_536 } }), 'bad-value', '/actions/0/network/port', 'Above the last port (RCP-19)'),
    one(
      'statement-http-method',
      acting({ network: { host: 'h', port: 1, method: 'get' } }),
      'bad-value',
      '/actions/0/network/method',
      'A method in lower case (RCP-19)',
    ),
    one(
      'statement-http-method-empty',
      acting({ network: { host: 'h', port: 1, method: '' } }),
      'bad-value',
      '/actions/0/network/method',
      'An empty method in place of an absent one (RCP-1, RCP-19)',
      absent,
    ),
    one('statement-file-method', acting(fileAction('/srv/a', 'list')), 'bad-value', '/actions/0/filesystem/method', 'Another word (RCP-19)'),
    one('statement-engine-empty', changed({ engine_id: '' }), 'empty-text', '/engine_id', 'An engine without a name (RCP-19, POL-8)', absent),
    one('statement-call-id-empty', changed({ call_id: '' }), 'empty-text', '/call_id', 'An empty id in place of an absent one (RCP-1, RCP-19)', absent),
    one('statement-agent-control', changed({ agent: 'a\u0000' }), 'control-character', '/agent', 'A control character in a name (RCP-19, POL-8)'),
    one(
      'statement-rule-direction',
      decided({ ...allow, rule: 'a\u202e' }),
      'control-character',
      '/decision/rule',
      'A character that turns the direction (RCP-19, POL-8)',
    ),
    one(
      'statement-profile-line-break',
      changed({ match_profile: 'ruleprint-match/1\n' }),
      'control-character',
      '/match_profile',
      'A line break in the profile (RCP-19, POL-8)',
    ),
    one('statement-tool-empty', acting({ tool: { server: 's', name: '' } }), 'empty-text', '/actions/0/tool/name', 'A tool without a name (RCP-19, POL-8)'),
    one('statement-agent-4097', changed({ agent: 'a'.repeat(4097) }), 'limit', '/agent', 'A name of 4,097 bytes (RCP-19, POL-8)', over),
    one('statement-argv-empty', acting({ process: { argv: [] } }), 'empty-list', '/actions/0/process/argv', 'No program (RCP-19, DEC-2)'),
    one('statement-argv-nul', acting({ process: { argv: ['a', 'b\0'] } }), 'nul-character', '/actions/0/process/argv/1', 'NUL in an argument (RCP-19, DEC-2)'),
    one(
      'statement-argv-257',
      acting({ process: { argv: Array.from({ length: 257 }, () => 'x') } }),
      'limit',
      '/actions/0/process/argv',
      '257 arguments (RCP-19, DEC-4)',
      over,
    ),
    one('statement-65-actions', changed({ actions: Array.from({ length: 65 }, () => readAction) }), 'limit', '/actions', '65 actions (RCP-19, DEC-4)', over),
    one('statement-action-no-kind', acting({}), 'exactly-one', '/actions/0', 'An action of no kind (RCP-19)'),
    verified(
      'statement-text-65537',
      'A string of 65,537 bytes (RCP-19)',
      { receipt_hex: longHex(message({ payload: acting({ process: { argv: ['x'.repeat(65_537)] } }) }), '78'), trust: engineTrust },
      { ...over, axes, problems: [problem('bytes', 'limit', { pointer: '/actions/0/process/argv/0' })] },
    ),
    one(
      'statement-action-two-kinds',
      acting({ process: { argv: ['x'] }, tool: { server: 's', name: 'n' } }),
      'exactly-one',
      '/actions/0',
      'An action of two kinds (RCP-19)',
    ),
    refusedStatement(
      'statement-several',
      payloadOf({
        statement: 'decision',
        agent: '',
        actions: [{ tool: { server: 's' } }],
        decision: { effect: 'no', rule: 'r', action: 0 },
        zone: 1,
        policy_version: 1,
      }),
      [
        ['missing-key', ''],
        ['missing-key', ''],
        ['unknown-key', '/zone'],
        ['empty-text', '/agent'],
        ['missing-key', '/actions/0/tool'],
        ['bad-value', '/decision/effect'],
      ],
      'Missing keys, an unknown one, and what is wrong inside (RCP-19)',
      { flags: ['several'] },
    ),
    refusedStatement(
      'statement-problems-before-conflicts',
      decided({ effect: 'allow', rule: 'r', action: 7, reason: 'no' }),
      [['bad-value', '/decision/reason']],
      'Where a field is wrong, it is not asked whether the fields agree (RCP-19)',
      { flags: ['several'] },
    ),
  ];
}

/** Each field is good, and together they say nothing. */
export function conflicts(): readonly Case[] {
  const conflicting = (id: string, fields: Fields, comment: string): Case => one(id, payloadOf(fields), 'field-conflict', '', `${comment} (RCP-19)`, conflict);
  const tool: Json = { tool: { server: 's', name: 'n' } };
  return [
    conflicting('conflict-rule-and-reason', full({ decision: { effect: 'deny', rule: 'no-keys', action: 0, reason: 'no-rule' } }), 'A rule and a reason'),
    conflicting('conflict-neither', full({ decision: { effect: 'deny', action: 0 } }), 'Neither a rule nor a reason'),
    conflicting('conflict-reason-allows', full({ decision: { effect: 'allow', action: 0, reason: 'no-rule' } }), 'A reason that allows'),
    conflicting('conflict-reason-asks', full({ actions: [tool], decision: { effect: 'ask', reason: 'unmapped' } }), 'A reason that asks'),
    conflicting('conflict-rule-no-index', full({ decision: { effect: 'allow', rule: 'read-srv' } }), 'A rule without the index of its action'),
    conflicting('conflict-no-rule-no-index', full({ decision: { effect: 'deny', reason: 'no-rule' } }), '"no-rule" without the index of its action'),
    conflicting(
      'conflict-index-of-unmapped',
      full({ actions: [tool], decision: { effect: 'deny', action: 0, reason: 'unmapped' } }),
      'An index where no action decided',
    ),
    conflicting('conflict-index-too-high', full({ decision: { effect: 'allow', rule: 'read-srv', action: 1 } }), 'An index that no action has'),
    conflicting(
      'conflict-no-actions',
      full({ actions: [], decision: { effect: 'deny', reason: 'no-policy' }, policy_version: undefined, policy_digest: undefined, match_profile: undefined }),
      'No actions, though they were known',
    ),
    conflicting('conflict-fault-two-actions', full({ actions: [tool, tool], decision: { effect: 'deny', reason: 'fault' } }), 'Two actions beside a fault'),
    conflicting('conflict-unmapped-file', full({ decision: { effect: 'deny', reason: 'unmapped' } }), 'A file action beside "unmapped"'),
    conflicting(
      'conflict-digest-no-version',
      full({ actions: [], decision: { effect: 'deny', reason: 'fault' }, policy_version: undefined, match_profile: undefined }),
      'A digest without a version',
    ),
    conflicting(
      'conflict-profile-no-version',
      statement({ actions: [], decision: { effect: 'deny', reason: 'fault' }, policy_version: undefined }),
      'A profile without a version',
    ),
    conflicting('conflict-rule-no-version', statement({ policy_version: undefined, match_profile: undefined }), 'A rule, and no policy that it could be in'),
    conflicting(
      'conflict-no-policy-version',
      statement({ decision: { effect: 'deny', reason: 'no-policy' }, match_profile: undefined }),
      '"no-policy" beside a version',
    ),
    conflicting('conflict-prev-no-seq', full({ prev: hash }), 'A predecessor without a place in a chain'),
    conflicting('conflict-seq-0-prev', full({ seq: 0, prev: hash }), 'A predecessor of the first'),
    conflicting('conflict-seq-no-prev', full({ seq: 5 }), 'A place in a chain without a predecessor'),
  ];
}
