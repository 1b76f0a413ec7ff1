/**
 * Preimages and digests (spec/digest.md).
 * @module
 */
import { hex } from '../../src/bytes.js';
import { policyDigest, policyPreimage, ruleDigest, rulePreimage } from '../../src/digest/digest.js';
import type { Policy } from '../../src/policy/model.js';
import { type Case, type Fields, type Group, type Json, type Notes, type Rest, topic, utf16, type VectorFile } from './kit.js';

const notes: Notes = {
  'rule-order': {
    why: 'Rules are digested in the order of the policy.',
    effect: 'Deny rules are scanned first and cut short, so two orders would share a digest and cite different rules.',
  },
  sorted: {
    why: 'Agent ids and methods are sets: they are sorted by their UTF-8 bytes before they are digested.',
    effect: 'Two spellings of one set would be two policies.',
  },
  'utf-8-order': {
    why: 'The order of UTF-8 bytes is that of code points, and not that of UTF-16 code units, which is what JavaScript, Java and C# sort by.',
    effect: 'Implementations in two languages would name one policy by two digests.',
  },
  lengths: {
    why: 'Two free strings stand side by side, and only their length prefixes say where one ends.',
    effect: 'Without the lengths two policies would have one preimage.',
  },
  'as-written': {
    why: 'The text or the number is digested as it stands in the policy.',
    effect: 'Cleaning it up would let two policies share a digest.',
  },
  'no-version': {
    why: 'The version is not in the preimage.',
    effect: 'The digest says which rules; the version beside it says which installation.',
  },
  'no-digest': {
    why: 'This is no policy, so it has no digest.',
    effect: 'A digest of it would be shared with another text, or would name rules that no engine takes.',
  },
};

const rule = (name: Json, effect: string, action: Json, agents: Json = 'any'): Fields => ({ name, effect, agents, action });
const policy = (rules: readonly Json[], version = 1): Fields => ({ version, rules });
const tool = (server: Json, name: Json): Json => ({ tool: { server, name } });
const files = (path: string, methods: Json = 'any'): Json => ({ filesystem: { path, methods } });
const net = (host: string, ports: Json = 'any', methods: Json = 'any'): Json => ({ network: { host, ports, methods } });
const exec = (...argv: string[]): Json => ({ process: { argv } });

interface Relations extends Rest {
  /** Ids of cases with the same digest. */
  readonly same?: readonly string[];
  /** Ids of cases whose digest must be another. */
  readonly other?: readonly string[];
}

type Row = readonly [id: string, policy: Fields, comment: string, relations?: Relations];

const worked = rule('r', 'deny', tool('s', 'n'));
const allowRead = rule('read', 'allow', files('/srv/**', ['read']));
const denyKeys = rule('keys', 'deny', files('/srv/keys/**'));

const rows: readonly Row[] = [
  ['digest-worked-example', policy([worked]), 'The worked example of the chapter', { same: ['digest-version-2', 'digest-version-greatest'] }],
  ['digest-no-rules', policy([]), 'A policy without rules: the tag and a zero'],
  [
    'digest-version-2',
    policy([worked], 2),
    'Another version of the same rules (DIG-4)',
    { flags: ['no-version'], same: ['digest-worked-example', 'digest-version-greatest'] },
  ],
  [
    'digest-version-greatest',
    policy([worked], 9_007_199_254_740_991),
    'The greatest version (DIG-4)',
    { flags: ['no-version'], same: ['digest-worked-example', 'digest-version-2'] },
  ],
  ['digest-order-a', policy([allowRead, denyKeys]), 'Two rules in one order (DIG-1)', { flags: ['rule-order'], other: ['digest-order-b'] }],
  ['digest-order-b', policy([denyKeys, allowRead]), 'and in the other (DIG-1)', { flags: ['rule-order'], other: ['digest-order-a'] }],
  ['digest-effect-ask', policy([rule('r', 'ask', tool('s', 'n'))]), 'Each effect is a word', { other: ['digest-worked-example', 'digest-effect-allow'] }],
  ['digest-effect-allow', policy([rule('r', 'allow', tool('s', 'n'))]), 'Each effect is a word', { other: ['digest-worked-example', 'digest-effect-ask'] }],
  [
    'digest-agents',
    policy([rule('r', 'deny', tool('s', 'n'), { one_of: ['b', 'a'] })]),
    'Ids are sorted (DIG-2)',
    { flags: ['sorted'], same: ['digest-agents-sorted'] },
  ],
  [
    'digest-agents-sorted',
    policy([rule('r', 'deny', tool('s', 'n'), { one_of: ['a', 'b'] })]),
    'The same set (DIG-2)',
    { flags: ['sorted'], same: ['digest-agents'] },
  ],
  [
    'digest-agents-prefix',
    policy([rule('r', 'deny', tool('s', 'n'), { one_of: ['ab', 'b', 'a', 'B'] })]),
    'The shorter of two that begin alike comes first, upper case before lower (DIG-2)',
    { flags: ['sorted'] },
  ],
  [
    'digest-agents-utf-8-order',
    policy([rule('r', 'deny', tool('s', 'n'), { one_of: ['\u{10000}', '\uffff', '\u00e9', 'z'] })]),
    'U+FFFF sorts below U+10000, whose first UTF-16 unit is D800 (DIG-2)',
    { flags: ['sorted', 'utf-8-order'] },
  ],
  [
    'digest-lengths-agents-a',
    policy([rule('r', 'deny', tool('s', 'n'), { one_of: ['ab', 'c'] })]),
    'Two ids (DIG-6)',
    { flags: ['lengths'], other: ['digest-lengths-agents-b'] },
  ],
  [
    'digest-lengths-agents-b',
    policy([rule('r', 'deny', tool('s', 'n'), { one_of: ['a', 'bc'] })]),
    'with the border elsewhere (DIG-6)',
    { flags: ['lengths'], other: ['digest-lengths-agents-a'] },
  ],
  ['digest-lengths-tool-a', policy([rule('r', 'deny', tool('ab', 'c'))]), 'Server and name (DIG-6)', { flags: ['lengths'], other: ['digest-lengths-tool-b'] }],
  [
    'digest-lengths-tool-b',
    policy([rule('r', 'deny', tool('a', 'bc'))]),
    'with the border elsewhere (DIG-6)',
    { flags: ['lengths'], other: ['digest-lengths-tool-a'] },
  ],
  ['digest-lengths-argv-a', policy([rule('r', 'deny', exec('ab', 'c'))]), 'Two arguments (DIG-6)', { flags: ['lengths'], other: ['digest-lengths-argv-b'] }],
  [
    'digest-lengths-argv-b',
    policy([rule('r', 'deny', exec('a', 'bc'))]),
    'with the border elsewhere (DIG-6)',
    { flags: ['lengths'], other: ['digest-lengths-argv-a'] },
  ],
  [
    'digest-argv-order',
    policy([rule('r', 'deny', exec('c', 'ab'))]),
    'argv is a list and not a set',
    { flags: ['as-written'], other: ['digest-lengths-argv-a'] },
  ],
  ['digest-argv-empty-item', policy([rule('r', 'deny', exec('a', '', '**'))]), 'An empty argument has its length too (DIG-6)', { flags: ['lengths'] }],
  [
    'digest-tag-as-text',
    policy([rule('agents:any', 'deny', tool('action:tool', 'methods:any'))]),
    'Texts that are spelled like tags are fields like others (DIG-5, DIG-6)',
    { flags: ['lengths'] },
  ],
  [
    'digest-file-methods',
    policy([rule('r', 'allow', files('/srv/**', ['write', 'read', 'execute', 'delete']))]),
    'Methods are sorted (DIG-2)',
    { flags: ['sorted'], other: ['digest-file-methods-any'] },
  ],
  [
    'digest-file-methods-any',
    policy([rule('r', 'allow', files('/srv/**'))]),
    '"any" is another text than the list of all, though it covers the same',
    { flags: ['as-written'], other: ['digest-file-methods'] },
  ],
  [
    'digest-network',
    policy([rule('r', 'allow', net('*.example.com', { from: 80, to: 443 }, ['POST', 'GET', 'M-SEARCH']))]),
    'Host, range and methods (DIG-2, DIG-3)',
    { flags: ['sorted'], other: ['digest-network-reversed'] },
  ],
  [
    'digest-network-reversed',
    policy([rule('r', 'allow', net('*.example.com', { from: 443, to: 80 }, ['POST', 'GET', 'M-SEARCH']))]),
    'A reversed range is another policy (DIG-3)',
    { flags: ['as-written'], other: ['digest-network'] },
  ],
  [
    'digest-network-all-ports',
    policy([rule('r', 'allow', net('**', { from: 0, to: 65_535 }))]),
    'All ports as a range',
    { flags: ['as-written'], other: ['digest-network-any-port'] },
  ],
  ['digest-network-any-port', policy([rule('r', 'allow', net('**'))]), 'and as "any"', { flags: ['as-written'], other: ['digest-network-all-ports'] }],
  ['digest-escapes', policy([rule('r', 'deny', files('/srv/\\[a\\]/\\**'))]), 'A pattern is digested with its escapes (DIG-7)', { flags: ['as-written'] }],
  [
    'digest-composed',
    policy([rule('caf\u00e9', 'deny', tool('s', 'n'))]),
    'A composed character (DIG-7)',
    { flags: ['as-written'], other: ['digest-decomposed'] },
  ],
  [
    'digest-decomposed',
    policy([rule('cafe\u0301', 'deny', tool('s', 'n'))]),
    'and a decomposed one (DIG-7)',
    { flags: ['as-written'], other: ['digest-composed'] },
  ],
  [
    'digest-dead-rule',
    policy([worked, rule('again', 'deny', tool('s', 'n'))]),
    'A rule that never decides is in it',
    { flags: ['as-written'], other: ['digest-worked-example'] },
  ],
  [
    'digest-all-kinds',
    policy([
      rule('no-keys', 'deny', files('/srv/keys/**')),
      rule('read-srv', 'allow', files('/srv/**', ['read']), { one_of: ['reviewer', 'builder'] }),
      rule('web', 'ask', net('10.0.0.0/8', { from: 1, to: 1023 }, ['GET'])),
      rule('git', 'allow', exec('git', '**')),
      rule('\u{1f511}', 'allow', tool('fs', 'read_*')),
    ]),
    'All kinds of actions in one policy',
    { flags: ['sorted'] },
  ],
];

type RefusedRow = readonly [id: string, policy: Json, error: string, pointer: string, comment: string];

const refused: readonly RefusedRow[] = [
  [
    'no-digest-surrogate',
    policy([rule(utf16('\ud800'), 'deny', tool('s', 'n'))]),
    'lone-surrogate',
    '/rules/0/name',
    'UTF-8 would write U+FFFD for it (POL-7)',
  ],
  [
    'no-digest-surrogate-agent',
    policy([rule('r', 'deny', tool('s', 'n'), { one_of: ['a', utf16('\udfffb')] })]),
    'lone-surrogate',
    '/rules/0/agents/one_of/1',
    'in the list of agents too (POL-7)',
  ],
  [
    'no-digest-agent-twice',
    policy([rule('r', 'deny', tool('s', 'n'), { one_of: ['a', 'a'] })]),
    'duplicate-item',
    '/rules/0/agents/one_of/1',
    'A set does not hold an item twice (POL-5)',
  ],
  ['no-digest-agents-empty', policy([rule('r', 'deny', tool('s', 'n'), { one_of: [] })]), 'empty-list', '/rules/0/agents/one_of', 'An empty set (POL-5)'],
  ['no-digest-name-twice', policy([worked, worked]), 'duplicate-name', '/rules/1/name', 'A receipt cites a rule by its name (POL-6)'],
  [
    'no-digest-trailing-slash',
    policy([rule('r', 'deny', files('/srv/'))]),
    'pattern-not-canonical',
    '/rules/0/action/filesystem/path',
    'A pattern that would have to be cleaned first (POL-10, MAT-8)',
  ],
  [
    'no-digest-upper-case-host',
    policy([rule('r', 'deny', net('Example.com'))]),
    'pattern-not-canonical',
    '/rules/0/action/network/host',
    'in a host too (POL-10, MAT-18)',
  ],
  [
    'no-digest-port',
    policy([rule('r', 'deny', net('h', { from: 0, to: 65_536 }))]),
    'bad-value',
    '/rules/0/action/network/ports/to',
    'A port above the last (POL-3)',
  ],
  ['no-digest-unknown-key', policy([{ ...worked, priority: 1 }]), 'unknown-key', '/rules/0/priority', 'A field that the preimage has no place for (POL-1)'],
];

/** Bytes and digests from the library. */
function digests(value: Fields): Fields {
  const given = value as unknown as Policy;
  return {
    preimage_hex: hex(policyPreimage(given)),
    policy_digest: policyDigest(given),
    rules: given.rules.map((one) => ({ preimage_hex: hex(rulePreimage(one)), rule_digest: ruleDigest(one) })),
  };
}

export function digestVectors(): VectorFile {
  const groups: readonly Group[] = [
    {
      name: 'digest',
      source: 'spec/digest.md',
      cases: rows.map(
        ([id, value, comment, relations = {}]): Case => ({
          id,
          comment,
          flags: relations.flags ?? [],
          input: { policy: value },
          expect: {
            ...digests(value),
            ...(relations.same && { same_digest_as: relations.same as Json }),
            ...(relations.other && { other_digest_than: relations.other as Json }),
          },
        }),
      ),
    },
    {
      name: 'no digest',
      source: 'spec/policy.md',
      cases: refused.map(
        ([id, value, error, pointer, comment]): Case => ({
          id,
          comment,
          flags: ['no-digest'],
          input: { policy: value },
          expect: { error, where: { pointer } },
        }),
      ),
    },
  ];
  return topic('digest', notes, groups);
}
