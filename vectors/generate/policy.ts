/**
 * Which documents are policies (spec/policy.md): JSON and YAML, taken and refused.
 * @module
 */
import { policyDigest } from '../../src/digest/digest.js';
import type { Policy } from '../../src/policy/model.js';
import { type Case, type Fields, type Group, type Json, mark, marked, type Notes, type Rest, topic, type VectorFile } from './kit.js';

const notes: Notes = {
  'misspelt-field': {
    why: 'Every field is required and no other is taken.',
    effect: 'A misspelt field would silently widen or narrow a rule.',
  },
  'two-readers': {
    why: 'Parsers differ here: one keeps the first, another the last, a third cleans up.',
    effect: 'Who reads the policy sees other rules than the engine.',
  },
  'plain-digits': {
    why: 'An integer is written in plain digits, at most 2^53-1.',
    effect: 'Two texts would become one number, or a number would be rounded.',
  },
  'yaml-surprise': {
    why: 'YAML reads this as something else than it looks like.',
    effect: 'A rule would hold another value than its author wrote.',
  },
  'escaped-surrogate': {
    why: 'The document is ASCII and its JSON is well-formed; the escape in it stands for half a character.',
    effect: 'UTF-8 would turn two such texts into one, and two policies would share a digest.',
  },
  several: {
    why: 'The document has several problems; all of them are reported, in document order.',
    effect: 'Who mends a policy would find the next problem only after the first.',
  },
  bytes: {
    why: 'The document is given as bytes, because it is no UTF-8 text or begins with a byte order mark.',
    effect: 'A lenient decoder would make text of it, and two files would be one policy.',
  },
  'over-limit': { why: 'One more than is taken.', effect: 'An implementation without the limit takes what others refuse.' },
  'at-limit': { why: 'The most that is taken.', effect: 'An implementation with a lower limit refuses what others take.' },
};

const flagsOf = (rest: Rest = {}): readonly string[] => rest.flags ?? [];

// ---- Parts of JSON text, each to be replaced by a wrong one

const tool = '{"tool":{"server":"s","name":"n"}}';
interface RuleText {
  readonly name?: string;
  readonly effect?: string;
  readonly agents?: string;
  readonly action?: string;
}
const rule = ({ name = '"r"', effect = '"deny"', agents = '"any"', action = tool }: RuleText = {}): string =>
  `{"name":${name},"effect":${effect},"agents":${agents},"action":${action}}`;
const policy = (...rules: readonly string[]): string => `{"version":1,"rules":[${rules.join(',')}]}`;
const files = (path: string, methods = '"any"'): string => `{"filesystem":{"path":${path},"methods":${methods}}}`;
const net = ({ host = '"h"', ports = '"any"', methods = '"any"' } = {}): string => `{"network":{"host":${host},"ports":${ports},"methods":${methods}}}`;
const exec = (argv: string): string => `{"process":{"argv":${argv}}}`;
const acting = (action: string): string => policy(rule({ action }));

/** Letters, at the limit and one over it. */
const letters = (count: number): string => 'n'.repeat(count);
const items = (count: number): string => `[${Array.from({ length: count }, () => '"x"').join(',')}]`;

// ---- Taken

type GoodRow = readonly [id: string, document: string, value: Fields, comment: string, rest?: Rest];

const plain = (rules: readonly Json[] = [], version = 1): Fields => ({ version, rules });
const plainRule = (change: Fields = {}): Fields => ({ name: 'r', effect: 'deny', agents: 'any', action: { tool: { server: 's', name: 'n' } }, ...change });

const chapter: Fields = plain([
  { name: 'no-keys', effect: 'deny', agents: 'any', action: { filesystem: { path: '/srv/keys/**', methods: 'any' } } },
  { name: 'read-srv', effect: 'allow', agents: { one_of: ['builder', 'reviewer'] }, action: { filesystem: { path: '/srv/**', methods: ['read'] } } },
]);

const goodJson: readonly GoodRow[] = [
  ['json-no-rules', '{"version":1,"rules":[]}', plain(), 'A policy without rules: everything is denied'],
  ['json-blanks', ' \t\r\n{ "rules" : [ ] , "version" : 1 }\n', plain(), 'Blanks and the order of keys mean nothing'],
  [
    'json-version-greatest',
    '{"version":9007199254740991,"rules":[]}',
    plain([], 9_007_199_254_740_991),
    'The greatest version (POL-4)',
    { flags: ['at-limit', 'plain-digits'] },
  ],
  ['json-tool', policy(rule()), plain([plainRule()]), 'One rule of each field'],
  [
    'json-files',
    acting(files('"/srv/**"', '["read","write","delete","execute"]')),
    plain([plainRule({ action: { filesystem: { path: '/srv/**', methods: ['read', 'write', 'delete', 'execute'] } } })]),
    'All methods of files, in the order of the document',
  ],
  [
    'json-network',
    acting(net({ host: '"*.example.com"', ports: '{"to":80,"from":443}', methods: '["GET","M-SEARCH","X_1"]' })),
    plain([plainRule({ action: { network: { host: '*.example.com', ports: { to: 80, from: 443 }, methods: ['GET', 'M-SEARCH', 'X_1'] } } })]),
    'A reversed range is kept as written (POL-9)',
  ],
  [
    'json-network-all-ports',
    acting(net({ ports: '{"from":0,"to":65535}' })),
    plain([plainRule({ action: { network: { host: 'h', ports: { from: 0, to: 65_535 }, methods: 'any' } } })]),
    'The least and the greatest port (POL-9)',
    { flags: ['at-limit'] },
  ],
  [
    'json-process',
    acting(exec('["git","","**"]')),
    plain([plainRule({ action: { process: { argv: ['git', '', '**'] } } })]),
    'An empty argument is an argument',
  ],
  [
    'json-escapes',
    policy(rule({ name: '"\\u00e9\\ud83d\\udd11\\/\\""' })),
    plain([plainRule({ name: '\u00e9\u{1f511}/"' })]),
    'Escapes are read before anything is judged; a pair of them is one character',
  ],
  [
    'json-name-constructor',
    policy(rule({ name: '"constructor"' })),
    plain([plainRule({ name: 'constructor' })]),
    'A name that some languages inherit is a name',
  ],
  [
    'json-name-4096',
    policy(rule({ name: `"${letters(4096)}"` })),
    plain([plainRule({ name: letters(4096) })]),
    'A name of 4,096 bytes (POL-8)',
    { flags: ['at-limit'] },
  ],
  [
    'json-argv-256',
    acting(exec(items(256))),
    plain([plainRule({ action: { process: { argv: Array.from({ length: 256 }, () => 'x') } } })]),
    '256 arguments',
    { flags: ['at-limit'] },
  ],
];

const goodYaml: readonly GoodRow[] = [
  [
    'yaml-chapter-example',
    `version: 1
rules:
  - name: no-keys
    effect: deny
    agents: any
    action: { filesystem: { path: "/srv/keys/**", methods: any } }
  - name: read-srv
    effect: allow
    agents: { one_of: ["builder", "reviewer"] }
    action: { filesystem: { path: "/srv/**", methods: [read] } }
`,
    chapter,
    'The example of the chapter',
  ],
  ['yaml-flow', '{version: 1, rules: []}', plain(), 'On one line'],
  ['yaml-json-is-yaml', policy(rule()), plain([plainRule()]), 'JSON text is YAML text'],
  ['yaml-document-start', '---\nversion: 1\nrules: []\n', plain(), 'The mark in front of the one document'],
  ['yaml-crlf', 'version: 1\r\nrules: []\r\n', plain(), 'Lines that end with CR and LF'],
  ['yaml-comments', '# the rules\nversion: 1 # first\nrules: []\n', plain(), 'Comments'],
  [
    'yaml-words-are-text',
    'version: 1\nrules:\n  - { name: yes, effect: deny, agents: { one_of: [no, on, 1.2.3] }, action: { tool: { server: 2026-01-01, name: 12:30 } } }\n',
    plain([plainRule({ name: 'yes', agents: { one_of: ['no', 'on', '1.2.3'] }, action: { tool: { server: '2026-01-01', name: '12:30' } } })]),
    'Words that YAML 1.1 reads as booleans, dates and base-60 numbers are text',
    { flags: ['yaml-surprise'] },
  ],
  [
    'yaml-folded',
    'version: 1\nrules:\n  - name: >-\n      two\n      words\n    effect: deny\n    agents: any\n    action:\n      process:\n        argv: [ls, "**"]\n',
    plain([plainRule({ name: 'two words', action: { process: { argv: ['ls', '**'] } } })]),
    'A folded text is text',
  ],
];

// ---- Refused

/** The mark stands where the problem is; a document without one leaves line and column open. */
type BadRow = readonly [id: string, document: string, error: string, pointer: string, comment: string, rest?: Rest];

const misspelt = { flags: ['misspelt-field'] };
const digits = { flags: ['plain-digits'] };
const readers = { flags: ['two-readers'] };
const over = { flags: ['over-limit'] };
const surprise = { flags: ['yaml-surprise'] };

const badJson: readonly BadRow[] = [
  ['json-list', `${mark}[]`, 'wrong-type', '', 'A list (POL-3)'],
  ['json-null', `${mark}null`, 'wrong-type', '', 'Null (POL-3)'],
  ['json-no-version', `${mark}{"rules":[]}`, 'missing-key', '', 'No version (POL-1)', misspelt],
  ['json-no-rules-key', `${mark}{"version":1}`, 'missing-key', '', 'No rules (POL-1)', misspelt],
  [
    'json-unknown-key',
    `{"version":1,"rules":[],${mark}"default":"allow"}`,
    'unknown-key',
    '/default',
    'A field that the policy does not have (POL-1)',
    misspelt,
  ],
  ['json-unknown-key-slash', `{"version":1,"rules":[],${mark}"a/b~c":1}`, 'unknown-key', '/a~1b~0c', 'Slash and tilde in a pointer (POL-1, POL-17)', misspelt],
  ['json-unknown-key-empty', `{"version":1,"rules":[],${mark}"":1}`, 'unknown-key', '/', 'A key without letters (POL-1)', misspelt],
  [
    'json-unknown-key-constructor',
    `{"version":1,"rules":[],${mark}"constructor":1}`,
    'unknown-key',
    '/constructor',
    'A key that some languages inherit (POL-1)',
    misspelt,
  ],
  [
    'json-rule-no-agents',
    policy(`${mark}{"name":"r","effect":"deny","action":${tool}}`),
    'missing-key',
    '/rules/0',
    'No agents: not any agent (POL-1)',
    misspelt,
  ],
  [
    'json-rule-unknown-key',
    policy(`{"name":"r","effect":"deny","agents":"any","action":${tool},${mark}"priority":1}`),
    'unknown-key',
    '/rules/0/priority',
    'Rules have an order and no priority (POL-1)',
    misspelt,
  ],
  [
    'json-files-no-methods',
    acting(`{"filesystem":${mark}{"path":"/srv"}}`),
    'missing-key',
    '/rules/0/action/filesystem',
    'No methods: not any method (POL-1)',
    misspelt,
  ],
  ['json-network-no-ports', acting(`{"network":${mark}{"host":"h","methods":"any"}}`), 'missing-key', '/rules/0/action/network', 'No ports (POL-1)', misspelt],
  ['json-range-no-to', acting(net({ ports: `${mark}{"from":1}` })), 'missing-key', '/rules/0/action/network/ports', 'Half a range (POL-1)', misspelt],
  ['json-action-empty', acting(`${mark}{}`), 'exactly-one', '/rules/0/action', 'No kind (POL-2)'],
  [
    'json-action-two',
    acting(`${mark}{"tool":{"server":"s","name":"n"},"process":{"argv":["x"]}}`),
    'exactly-one',
    '/rules/0/action',
    'Two kinds: which of them would count (POL-2)',
  ],
  ['json-version-text', `{"version":${mark}"1","rules":[]}`, 'wrong-type', '/version', 'A number as text (POL-3)'],
  ['json-version-0', `{"version":${mark}0,"rules":[]}`, 'bad-value', '/version', 'Versions begin at 1 (POL-3)'],
  ['json-rules-object', `{"version":1,"rules":${mark}{}}`, 'wrong-type', '/rules', 'Rules have an order (POL-3)'],
  ['json-rule-null', policy(`${mark}null`), 'wrong-type', '/rules/0', 'Null in place of a rule (POL-3)'],
  ['json-name-number', policy(rule({ name: `${mark}7` })), 'wrong-type', '/rules/0/name', 'A number in place of a name (POL-3)'],
  ['json-effect-case', policy(rule({ effect: `${mark}"Deny"` })), 'bad-value', '/rules/0/effect', 'Case counts (POL-3)'],
  ['json-effect-other', policy(rule({ effect: `${mark}"audit"` })), 'bad-value', '/rules/0/effect', 'A fourth effect (POL-3)'],
  ['json-effect-true', policy(rule({ effect: `${mark}true` })), 'wrong-type', '/rules/0/effect', 'True is no effect (POL-3)'],
  ['json-agents-star', policy(rule({ agents: `${mark}"*"` })), 'bad-value', '/rules/0/agents', 'Any agent is "any" (POL-3)'],
  ['json-agents-list', policy(rule({ agents: `${mark}["a"]` })), 'wrong-type', '/rules/0/agents', 'A list without its name (POL-3)'],
  [
    'json-method-other',
    acting(files('"/srv"', `["read",${mark}"list"]`)),
    'bad-value',
    '/rules/0/action/filesystem/methods/1',
    'Listing a folder is read (POL-3)',
  ],
  [
    'json-method-of-network',
    acting(files('"/srv"', `[${mark}"GET"]`)),
    'bad-value',
    '/rules/0/action/filesystem/methods/0',
    'A method of another kind (POL-3)',
  ],
  [
    'json-http-method-case',
    acting(net({ methods: `[${mark}"get"]` })),
    'bad-value',
    '/rules/0/action/network/methods/0',
    'A method in lower case would match nothing (POL-3)',
  ],
  [
    'json-http-method-digit',
    acting(net({ methods: `[${mark}"1GET"]` })),
    'bad-value',
    '/rules/0/action/network/methods/0',
    'A method begins with a letter (POL-3)',
  ],
  ['json-port-65536', acting(net({ ports: `{"from":1,"to":${mark}65536}` })), 'bad-value', '/rules/0/action/network/ports/to', 'Above the last port (POL-3)'],
  ['json-version-fraction', `{"version":${mark}1.0,"rules":[]}`, 'bad-integer', '/version', 'A fraction of nothing (POL-4)', digits],
  ['json-version-exponent', `{"version":${mark}1e0,"rules":[]}`, 'bad-integer', '/version', 'An exponent (POL-4)', digits],
  ['json-version-minus', `{"version":${mark}-1,"rules":[]}`, 'bad-integer', '/version', 'A sign (POL-4)', digits],
  ['json-version-minus-0', `{"version":${mark}-0,"rules":[]}`, 'bad-integer', '/version', 'Zero with a sign (POL-4)', digits],
  ['json-version-2-53', `{"version":${mark}9007199254740992,"rules":[]}`, 'bad-integer', '/version', '2^53 (POL-4)', digits],
  ['json-version-rounded', `{"version":${mark}9007199254740993,"rules":[]}`, 'bad-integer', '/version', '2^53+1, which a double reads as 2^53 (POL-4)', digits],
  ['json-port-minus', acting(net({ ports: `{"from":${mark}-1,"to":1}` })), 'bad-integer', '/rules/0/action/network/ports/from', 'A sign (POL-4)', digits],
  [
    'json-port-fraction',
    acting(net({ ports: `{"from":1,"to":${mark}80.5}` })),
    'bad-integer',
    '/rules/0/action/network/ports/to',
    'A fraction (POL-4)',
    digits,
  ],
  ['json-one-of-empty', policy(rule({ agents: `{"one_of":${mark}[]}` })), 'empty-list', '/rules/0/agents/one_of', 'No agent at all (POL-5)'],
  ['json-methods-empty', acting(files('"/srv"', `${mark}[]`)), 'empty-list', '/rules/0/action/filesystem/methods', 'No method at all (POL-5)'],
  ['json-argv-empty', acting(exec(`${mark}[]`)), 'empty-list', '/rules/0/action/process/argv', 'No program (POL-5)'],
  [
    'json-agent-twice',
    policy(rule({ agents: `{"one_of":["a","b",${mark}"a"]}` })),
    'duplicate-item',
    '/rules/0/agents/one_of/2',
    'An agent twice, reported at the second (POL-5)',
  ],
  [
    'json-agent-twice-escaped',
    policy(rule({ agents: `{"one_of":["a",${mark}"\\u0061"]}` })),
    'duplicate-item',
    '/rules/0/agents/one_of/1',
    'in another spelling (POL-5)',
  ],
  ['json-method-twice', acting(net({ methods: `["GET",${mark}"GET"]` })), 'duplicate-item', '/rules/0/action/network/methods/1', 'A method twice (POL-5)'],
  [
    'json-name-twice',
    policy(rule(), rule({ name: '"q"' }), rule({ name: `${mark}"r"`, effect: '"allow"' })),
    'duplicate-name',
    '/rules/2/name',
    'A rule name twice (POL-6)',
  ],
  [
    'json-surrogate-name',
    policy(rule({ name: `${mark}"\\ud800"` })),
    'lone-surrogate',
    '/rules/0/name',
    'Half a character in a name (POL-7)',
    { flags: ['escaped-surrogate'] },
  ],
  [
    'json-surrogate-agent',
    policy(rule({ agents: `{"one_of":[${mark}"a\\udc00b"]}` })),
    'lone-surrogate',
    '/rules/0/agents/one_of/0',
    'in an agent id (POL-7)',
    { flags: ['escaped-surrogate'] },
  ],
  [
    'json-surrogate-path',
    acting(files(`${mark}"/srv/\\udc00\\ud800"`)),
    'lone-surrogate',
    '/rules/0/action/filesystem/path',
    'Both halves the wrong way round, in a pattern (POL-7)',
    { flags: ['escaped-surrogate'] },
  ],
  [
    'json-surrogate-host',
    acting(net({ host: `${mark}"\\ud800.example"` })),
    'lone-surrogate',
    '/rules/0/action/network/host',
    'in a host, before the question whether it is ASCII (POL-7, POL-10)',
    { flags: ['escaped-surrogate'] },
  ],
  ['json-name-empty', policy(rule({ name: `${mark}""` })), 'empty-text', '/rules/0/name', 'A rule without a name (POL-8)'],
  ['json-agent-empty', policy(rule({ agents: `{"one_of":[${mark}""]}` })), 'empty-text', '/rules/0/agents/one_of/0', 'An agent without a name (POL-8)'],
  ['json-server-empty', acting(`{"tool":{"server":${mark}"","name":"n"}}`), 'empty-text', '/rules/0/action/tool/server', 'A pattern for no server (POL-8)'],
  ['json-name-escape', policy(rule({ name: `${mark}"a\\u001b[2J"` })), 'control-character', '/rules/0/name', 'A command to the terminal (POL-8)'],
  ['json-name-c1', policy(rule({ name: `${mark}"a\\u0085"` })), 'control-character', '/rules/0/name', 'A control character beyond ASCII (POL-8)'],
  ['json-name-direction', policy(rule({ name: `${mark}"a\\u202e"` })), 'control-character', '/rules/0/name', 'A character that turns the direction (POL-8)'],
  ['json-name-isolate', policy(rule({ name: `${mark}"a\\u2066"` })), 'control-character', '/rules/0/name', 'Another of them (POL-8)'],
  [
    'json-tool-line-break',
    acting(`{"tool":{"server":"s","name":${mark}"n\\n"}}`),
    'control-character',
    '/rules/0/action/tool/name',
    'A line break in a tool pattern (POL-8)',
  ],
  ['json-name-4097', policy(rule({ name: `${mark}"${letters(4097)}"` })), 'limit', '/rules/0/name', 'A name of 4,097 bytes', over],
  ['json-path-4097', acting(files(`${mark}"/${letters(4096)}"`)), 'limit', '/rules/0/action/filesystem/path', 'A pattern of 4,097 bytes', over],
  [
    'json-name-4098-bytes',
    policy(rule({ name: `${mark}"${'\u00e9'.repeat(2049)}"` })),
    'limit',
    '/rules/0/name',
    'The limit counts bytes of UTF-8 and not characters',
    over,
  ],
  ['json-argv-257', acting(exec(`${mark}${items(257)}`)), 'limit', '/rules/0/action/process/argv', '257 arguments', over],
  [
    'json-pattern-relative',
    acting(files(`${mark}"srv/**"`)),
    'path-relative',
    '/rules/0/action/filesystem/path',
    'A path pattern is judged where it stands (POL-10, MAT-7)',
  ],
  ['json-pattern-slash', acting(files(`${mark}"/srv/"`)), 'pattern-not-canonical', '/rules/0/action/filesystem/path', 'and never cleaned (POL-10, MAT-8)'],
  ['json-pattern-host', acting(net({ host: `${mark}"10.0.0.1/8"` })), 'cidr', '/rules/0/action/network/host', 'A host pattern too (POL-10, MAT-17)'],
  ['json-pattern-argv', acting(exec(`[${mark}"**","x"]`)), 'pattern-syntax', '/rules/0/action/process/argv/0', 'An item of argv too (POL-10, MAT-19)'],
  ['json-pattern-argv-nul', acting(exec(`[${mark}"a\\u0000"]`)), 'nul-character', '/rules/0/action/process/argv/0', 'NUL in an item of argv (POL-10, MAT-19)'],
  [
    'json-pattern-tool',
    acting(`{"tool":{"server":${mark}"**","name":"n"}}`),
    'pattern-syntax',
    '/rules/0/action/tool/server',
    'A tool pattern too (POL-10, MAT-19)',
  ],
  ['json-key-twice', `{"version":1,"rules":[],${mark}"version":1}`, 'duplicate-key', '/version', 'A key twice, with the same value (POL-12)', readers],
  [
    'json-key-twice-escaped',
    policy(`{"name":"r","effect":"deny",${mark}"\\u0065ffect":"allow","agents":"any","action":${tool}}`),
    'duplicate-key',
    '/rules/0/effect',
    'A key twice in two spellings (POL-12)',
    readers,
  ],
  [
    'json-proto',
    `{"version":1,"rules":[],${mark}"__proto__":{"rules":[]}}`,
    'forbidden-key',
    '/__proto__',
    'A key that sets what others inherit (POL-13)',
    readers,
  ],
  [
    'json-proto-inside',
    acting(`{"tool":{"server":"s","name":"n",${mark}"__proto__":1}}`),
    'forbidden-key',
    '/rules/0/action/tool/__proto__',
    'at any depth (POL-13)',
    readers,
  ],
];

/** Where a syntax error stands depends on the parser, so only the code is given. */
const syntaxJson: readonly (readonly [id: string, document: string, comment: string, rest?: Rest])[] = [
  ['json-syntax-empty', '', 'Nothing (POL-11)'],
  ['json-syntax-comment', '{"version":1,/* first */"rules":[]}', 'A comment (POL-11)', readers],
  ['json-syntax-trailing-comma', '{"version":1,"rules":[],}', 'A comma at the end (POL-11)', readers],
  ['json-syntax-single-quotes', "{'version':1,'rules':[]}", 'Single quotes (POL-11)'],
  ['json-syntax-leading-zero', '{"version":01,"rules":[]}', 'A zero in front is not even JSON (POL-11)', digits],
  ['json-syntax-plus', '{"version":+1,"rules":[]}', 'Nor is a plus (POL-11)', digits],
  ['json-syntax-nan', '{"version":NaN,"rules":[]}', 'Nor is NaN (POL-11)', digits],
  ['json-syntax-two-values', '{"version":1,"rules":[]}{}', 'A second value (POL-11)', readers],
  ['json-syntax-control', '{"version":1,"rules":[],"a\n":1}', 'A line break in a string (POL-11)'],
  ['json-syntax-no-break-space', '\u00a0{"version":1,"rules":[]}', 'A blank that is none in JSON (POL-11)'],
  ['json-syntax-yaml', 'version: 1\nrules: []\n', 'YAML under the name of JSON: the format is never guessed (POL-11)'],
];

const bytesRefused: readonly (readonly [id: string, format: 'json' | 'yaml', hex: string, error: string, comment: string])[] = [
  ['json-utf8-latin-1', 'json', latin1('{"version":1,"rules":[],"\u00e9":1}'), 'utf8', 'A letter in Latin-1 (POL-11)'],
  ['json-utf8-overlong', 'json', latin1('{"version":1,"rules":[],"\u00c0\u0080":1}'), 'utf8', 'NUL in two bytes (POL-11)'],
  ['json-utf8-surrogate', 'json', latin1('{"version":1,"rules":[],"\u00ed\u00a0\u0080":1}'), 'utf8', 'Half a character in three bytes (POL-11)'],
  ['json-utf16', 'json', '7b007d00', 'syntax', 'UTF-16 without a mark: NUL between the characters (POL-11)'],
  ['json-bom', 'json', latin1('\u00ef\u00bb\u00bf{"version":1,"rules":[]}'), 'syntax', 'A byte order mark (POL-11)'],
  ['yaml-bom', 'yaml', latin1('\u00ef\u00bb\u00bfversion: 1\nrules: []\n'), 'syntax', 'A byte order mark (POL-11)'],
  ['yaml-utf8-latin-1', 'yaml', latin1('version: 1 # \u00e9\nrules: []\n'), 'utf8', 'A letter in Latin-1, though in a comment (POL-11)'],
];

/** Hex of bytes that are written as characters up to U+00FF. */
function latin1(text: string): string {
  return Array.from(text, (char) => char.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

const yamlRule = (change: { name?: string; effect?: string; agents?: string; action?: string } = {}): string => {
  const { name = 'r', effect = 'deny', agents = 'any', action = '{ tool: { server: s, name: n } }' } = change;
  return `version: 1\nrules:\n  - name: ${name}\n    effect: ${effect}\n    agents: ${agents}\n    action: ${action}\n`;
};

const badYaml: readonly BadRow[] = [
  ['yaml-empty', `${mark}`, 'wrong-type', '', 'Nothing is null, and null is no policy (POL-3)', surprise],
  ['yaml-unknown-key', `version: 1\nrules: []\n${mark}default: deny\n`, 'unknown-key', '/default', 'A field that the policy does not have (POL-1)', misspelt],
  ['yaml-effect', yamlRule({ effect: `${mark}Deny` }), 'bad-value', '/rules/0/effect', 'Line and column (POL-3, POL-17)'],
  ['yaml-effect-boolean', yamlRule({ effect: `${mark}true` }), 'wrong-type', '/rules/0/effect', 'True is a boolean (POL-3)', surprise],
  ['yaml-name-number', yamlRule({ name: `${mark}7` }), 'wrong-type', '/rules/0/name', 'A number without quotes (POL-3)', surprise],
  ['yaml-name-null', yamlRule({ name: `${mark}null` }), 'wrong-type', '/rules/0/name', 'Null without quotes (POL-3)', surprise],
  ['yaml-name-tilde', yamlRule({ name: `${mark}~` }), 'wrong-type', '/rules/0/name', 'A tilde is null (POL-3)', surprise],
  ['yaml-name-missing-value', yamlRule({ name: '' }), 'wrong-type', '/rules/0/name', 'A key without a value is null (POL-3)', surprise],
  [
    'yaml-astral-column',
    yamlRule({ action: `{ tool: { server: "\u{1f511}", name: ${mark}7 } }` }),
    'wrong-type',
    '/rules/0/action/tool/name',
    'Columns count UTF-16 units (POL-17)',
  ],
  ['yaml-version-octal', `version: ${mark}010\nrules: []\n`, 'bad-integer', '/version', 'Eight or ten (POL-4)', { flags: ['plain-digits', 'yaml-surprise'] }],
  ['yaml-version-octal-1-2', `version: ${mark}0o10\nrules: []\n`, 'bad-integer', '/version', 'Octal as YAML 1.2 has it (POL-4)', digits],
  ['yaml-version-hex', `version: ${mark}0x10\nrules: []\n`, 'bad-integer', '/version', 'Hex (POL-4)', digits],
  ['yaml-version-plus', `version: ${mark}+1\nrules: []\n`, 'bad-integer', '/version', 'A sign (POL-4)', digits],
  ['yaml-version-fraction', `version: ${mark}1.0\nrules: []\n`, 'bad-integer', '/version', 'A fraction of nothing (POL-4)', digits],
  ['yaml-version-infinity', `version: ${mark}.inf\nrules: []\n`, 'bad-integer', '/version', 'Infinity (POL-4)', digits],
  ['yaml-version-underscore', `version: ${mark}1_000\nrules: []\n`, 'wrong-type', '/version', 'In YAML 1.2 an underscore makes it text (POL-3)', surprise],
  ['yaml-key-twice', `version: 1\nrules: []\n${mark}version: 2\n`, 'duplicate-key', '/version', 'A key twice (POL-12)', readers],
  ['yaml-key-twice-quoted', `version: 1\nrules: []\n${mark}"version": 1\n`, 'duplicate-key', '/version', 'in two spellings (POL-12)', readers],
  ['yaml-proto', `version: 1\nrules: []\n${mark}__proto__: {}\n`, 'forbidden-key', '/__proto__', 'A key that sets what others inherit (POL-13)', readers],
  [
    'yaml-agent-twice',
    yamlRule({ agents: `{ one_of: [a, ${mark}"a"] }` }),
    'duplicate-item',
    '/rules/0/agents/one_of/1',
    'An item twice in two spellings (POL-5)',
  ],
];

/** Features that are closed. They are seen before there is a tree, so a place is given and no pointer. */
const yamlFeatures: readonly (readonly [id: string, document: string, comment: string])[] = [
  ['yaml-star-unquoted', yamlRule({ action: `{ tool: { server: ${mark}*, name: n } }` }), 'A star without quotes is an alias (POL-14)'],
  ['yaml-alias', yamlRule({ name: `${mark}*r` }), 'An alias (POL-14)'],
  ['yaml-anchor', yamlRule({ name: `${mark}&r r` }), 'An anchor (POL-14)'],
  ['yaml-tag', yamlRule({ name: `${mark}!!str 7` }), 'A tag (POL-14)'],
  ['yaml-tag-own', yamlRule({ name: `${mark}!secret r` }), 'A tag of another application (POL-14)'],
  ['yaml-merge', `version: 1\nrules: []\n${mark}<<: { default: deny }\n`, 'A merge key (POL-14)'],
  ['yaml-directive', `${mark}%YAML 1.2\n---\nversion: 1\nrules: []\n`, 'A directive (POL-14)'],
  ['yaml-document-end', `version: 1\nrules: []\n${mark}...\n`, 'The mark of the end of a document (POL-14)'],
  ['yaml-two-documents', `version: 1\nrules: []\n${mark}---\nversion: 2\nrules: []\n`, 'A second document (POL-14)'],
  ['yaml-key-number', `version: 1\nrules: []\n${mark}1: x\n`, 'A key that is a number (POL-14)'],
  ['yaml-key-null', `version: 1\nrules: []\n${mark}~: x\n`, 'A key that is null (POL-14)'],
  ['yaml-key-list', `version: 1\nrules: []\n? ${mark}[a]\n: x\n`, 'A key that is a list (POL-14)'],
];

const syntaxYaml: readonly (readonly [id: string, document: string, comment: string])[] = [
  ['yaml-syntax-tab', 'version: 1\nrules:\n\t- name: r\n', 'A tab as indentation (POL-11)'],
  ['yaml-syntax-open', 'version: 1\nrules: [\n', 'A list that is not closed (POL-11)'],
  ['yaml-syntax-quote', 'version: 1\nrules: []\n"a: b\n', 'A quote that is not closed (POL-11)'],
];

/** Several problems in one document; each has its mark, in document order. */
const severalRows: readonly (readonly [
  id: string,
  format: 'json' | 'yaml',
  document: string,
  problems: readonly (readonly [string, string])[],
  comment: string,
])[] = [
  [
    'json-several',
    'json',
    `{"version":${mark}"1","rules":[${rule({ name: `${mark}""`, effect: `${mark}"DENY"` })},${rule({ agents: `{"one_of":["a",${mark}"a"]}` })}],${mark}"x":1}`,
    [
      ['wrong-type', '/version'],
      ['empty-text', '/rules/0/name'],
      ['bad-value', '/rules/0/effect'],
      ['duplicate-item', '/rules/1/agents/one_of/1'],
      ['unknown-key', '/x'],
    ],
    'Five problems (POL-17)',
  ],
  [
    'json-several-text-and-shape',
    'json',
    `{"version":${mark}1.0,"rules":[],${mark}"rules":[],${mark}"x":1}`,
    [
      ['bad-integer', '/version'],
      ['duplicate-key', '/rules'],
      ['unknown-key', '/x'],
    ],
    'What the text has wrong and what the shape has wrong, in one order (POL-17)',
  ],
  [
    'yaml-several',
    'yaml',
    `version: ${mark}0\nrules: []\n${mark}rule: []\n${mark}default: deny\n`,
    [
      ['bad-value', '/version'],
      ['unknown-key', '/rule'],
      ['unknown-key', '/default'],
    ],
    'Three problems (POL-17)',
  ],
];

// ---- Cases

const input = (format: 'json' | 'yaml', document: string): Fields => ({ format, document });

const taken =
  (format: 'json' | 'yaml') =>
  ([id, document, value, comment, rest]: GoodRow): Case => ({
    id,
    comment,
    flags: flagsOf(rest),
    input: input(format, document),
    expect: { policy: value, policy_digest: policyDigest(value as unknown as Policy) },
  });

const refused =
  (format: 'json' | 'yaml') =>
  ([id, document, error, pointer, comment, rest]: BadRow): Case => {
    const { text, place } = marked(document);
    return { id, comment, flags: flagsOf(rest), input: input(format, text), expect: { error, where: { pointer, ...place } } };
  };

const placed =
  (error: string) =>
  ([id, document, comment]: readonly [string, string, string]): Case => {
    const { text, place } = marked(document);
    if (place === undefined) throw new RangeError(`${id} has no mark`);
    return { id, comment, flags: ['yaml-surprise'], input: input('yaml', text), expect: { error, where: place } };
  };

const unread =
  (format: 'json' | 'yaml') =>
  ([id, document, comment, rest]: readonly [string, string, string, Rest?]): Case => ({
    id,
    comment,
    flags: flagsOf(rest),
    input: input(format, document),
    expect: { error: 'syntax' },
  });

function several([id, format, document, problems, comment]: (typeof severalRows)[number]): Case {
  let text = document;
  const found = problems.map(([error, pointer]): Fields => {
    const { text: rest, place } = marked(text);
    if (place === undefined) throw new RangeError(`${id} has too few marks`);
    text = rest;
    return { error, where: { pointer, ...place } };
  });
  const [first, ...more] = found as [Fields, ...Fields[]];
  return { id, comment, flags: ['several'], input: input(format, text), expect: { ...first, more } };
}

export function policyVectors(): VectorFile {
  const groups: readonly Group[] = [
    { name: 'JSON taken', source: 'spec/policy.md, Shape', cases: goodJson.map(taken('json')) },
    { name: 'JSON refused', source: 'spec/policy.md, Shape', cases: badJson.map(refused('json')) },
    { name: 'no JSON', source: 'spec/policy.md, One strict door', cases: syntaxJson.map(unread('json')) },
    { name: 'YAML taken', source: 'spec/policy.md, One strict door', cases: goodYaml.map(taken('yaml')) },
    { name: 'YAML refused', source: 'spec/policy.md, One strict door', cases: badYaml.map(refused('yaml')) },
    { name: 'YAML beyond plain data', source: 'spec/policy.md, One strict door', cases: yamlFeatures.map(placed('yaml-feature')) },
    { name: 'no YAML', source: 'spec/policy.md, One strict door', cases: syntaxYaml.map(unread('yaml')) },
    {
      name: 'bytes refused',
      source: 'spec/policy.md, One strict door',
      cases: bytesRefused.map(
        ([id, format, document_hex, error, comment]): Case => ({ id, comment, flags: ['bytes'], input: { format, document_hex }, expect: { error } }),
      ),
    },
    { name: 'several problems', source: 'spec/policy.md, One strict door', cases: severalRows.map(several) },
  ];
  return topic('policy', notes, groups);
}
