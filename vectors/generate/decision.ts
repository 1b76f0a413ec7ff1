/**
 * Requests and decisions (spec/decision.md): what is refused, what the canonical form is, which rule decides, and what the trace says.
 * @module
 */
import { type Case, type Fields, type Group, type Json, type Notes, repeat, type Rest, topic, utf16, type VectorFile } from './kit.js';

const notes: Notes = {
  'deny-first': {
    why: 'Deny rules are scanned first, then ask, then allow, wherever they stand in the policy.',
    effect: 'An engine that takes the first rule in the file allows what a later rule denies.',
  },
  'most-restrictive': {
    why: 'One call can be several actions; it is judged once, by the strictest outcome, and by the first action that has it.',
    effect: 'A call with one denied action would go through, or two engines would cite two rules.',
  },
  'refused-not-denied': {
    why: 'What cannot be made canonical is refused with an error, before any rule and before the question whether there is a policy.',
    effect: 'A denial in place of the error would put a request on record that was never understood.',
  },
  'no-method': {
    why: 'A network action without a method is covered by "any", and by every deny rule.',
    effect: 'What is not known would slip past a deny.',
  },
  'utf-16': {
    why: 'The text is no well-formed Unicode. It is given by its UTF-16 code units; a language whose strings cannot hold it refuses it by nature.',
    effect: 'UTF-8 would write U+FFFD for it, and two agents would become one.',
  },
  'at-limit': { why: 'The greatest that is taken.', effect: 'An implementation with a lower limit refuses what others decide.' },
  'over-limit': { why: 'One more than is taken.', effect: 'The agent chooses how much work a request is.' },
};

// ---- Requests

const file = (path: Json, method: Json = 'read'): Json => ({ filesystem: { path, method } });
const net = (host: Json, port: Json = 443, method?: Json): Json => ({ network: { host, port, ...(method !== undefined && { method }) } });
const exec = (...argv: Json[]): Json => ({ process: { argv } });
const tool = (server: Json, name: Json): Json => ({ tool: { server, name } });
const by = (agent: Json, ...actions: Json[]): Fields => ({ agent, actions });

type CanonicalRow = readonly [id: string, request: Fields, canonical: Fields, comment: string, rest?: Rest];

const canonicalRequests: readonly CanonicalRow[] = [
  [
    'request-canonical-forms',
    by('a', file('/srv//a/./b/', 'write'), net('EXAMPLE.com.', 443, 'GET'), net('[::FFFF:10.0.0.1]', 22), exec('git', '', 'a b'), tool('fs', 'Read File')),
    by('a', file('/srv/a/b', 'write'), net('example.com', 443, 'GET'), net('10.0.0.1', 22), exec('git', '', 'a b'), tool('fs', 'Read File')),
    'Paths and hosts change, everything else stays as it is (DEC-3)',
  ],
  [
    'request-ports-and-methods',
    by('a', net('h', 1, 'M-SEARCH'), net('h', 65535, 'X_1')),
    by('a', net('h', 1, 'M-SEARCH'), net('h', 65535, 'X_1')),
    'The first and the last port, and methods beyond the usual (DEC-2)',
  ],
  [
    'request-64-actions',
    by('a', ...Array.from({ length: 64 }, () => tool('s', 'n'))),
    by('a', ...Array.from({ length: 64 }, () => tool('s', 'n'))),
    '64 actions (DEC-4)',
    { flags: ['at-limit'] },
  ],
  [
    'request-name-4096-bytes',
    by(repeat('\u00e9', 2048), tool('s', 'n')),
    by(repeat('\u00e9', 2048), tool('s', 'n')),
    'A name of 4,096 bytes in 2,048 characters (POL-8)',
    { flags: ['at-limit'] },
  ],
  [
    'request-string-65536-bytes',
    by('a', exec('echo', repeat('x', 65_536))),
    by('a', exec('echo', repeat('x', 65_536))),
    'A string of 65,536 bytes (DEC-4)',
    { flags: ['at-limit'] },
  ],
];

type RefusedRow = readonly [id: string, request: Json, error: string, pointer: string, comment: string, rest?: Rest];

const refusedRequests: readonly RefusedRow[] = [
  ['request-list', [], 'wrong-type', '', 'A list is no request (DEC-1)'],
  ['request-no-agent', { actions: [tool('s', 'n')] }, 'missing-key', '', 'No agent (DEC-1)'],
  ['request-no-actions', { agent: 'a' }, 'missing-key', '', 'No actions (DEC-1)'],
  ['request-unknown-key', { ...by('a', tool('s', 'n')), context: {} }, 'unknown-key', '/context', 'A field that nobody would read (DEC-1)'],
  ['request-agent-number', by(7, tool('s', 'n')), 'wrong-type', '/agent', 'An agent that is no text (DEC-1)'],
  ['request-agent-null', by(null, tool('s', 'n')), 'wrong-type', '/agent', 'Null is not absent and not a name (DEC-1)'],
  ['request-agent-empty', by('', tool('s', 'n')), 'empty-text', '/agent', 'An agent without a name (DEC-2, POL-8)'],
  ['request-agent-control', by('a\u0007', tool('s', 'n')), 'control-character', '/agent', 'A control character in a name (DEC-2, POL-8)'],
  [
    'request-agent-direction',
    by('a\u202eb', tool('s', 'n')),
    'control-character',
    '/agent',
    'A character that turns the direction of a log line (DEC-2, POL-8)',
  ],
  ['request-agent-surrogate', by(utf16('a\ud800'), tool('s', 'n')), 'lone-surrogate', '/agent', 'Half a character (DEC-2, POL-7)', { flags: ['utf-16'] }],
  [
    'request-agent-swapped',
    by(utf16('\udc00\ud800'), tool('s', 'n')),
    'lone-surrogate',
    '/agent',
    'Both halves the wrong way round (POL-7)',
    { flags: ['utf-16'] },
  ],
  ['request-agent-long', by(repeat('\u00e9', 2049), tool('s', 'n')), 'limit', '/agent', 'A name of 4,098 bytes (POL-8)', { flags: ['over-limit'] }],
  ['request-actions-object', { agent: 'a', actions: {} }, 'wrong-type', '/actions', 'Actions that are no list (DEC-1)'],
  ['request-actions-empty', by('a'), 'empty-list', '/actions', 'A call without an action (DEC-2)'],
  ['request-65-actions', by('a', ...Array.from({ length: 65 }, () => tool('s', 'n'))), 'limit', '/actions', '65 actions (DEC-4)', { flags: ['over-limit'] }],
  ['request-action-text', by('a', 'read /srv'), 'wrong-type', '/actions/0', 'An action that is text (DEC-1)'],
  ['request-action-no-kind', by('a', {}), 'exactly-one', '/actions/0', 'No kind (DEC-1)'],
  [
    'request-action-two-kinds',
    by('a', { process: { argv: ['x'] }, tool: { server: 's', name: 'n' } }),
    'exactly-one',
    '/actions/0',
    'Two kinds in one action (DEC-1)',
  ],
  ['request-action-other-kind', by('a', { database: { table: 't' } }), 'exactly-one', '/actions/0', 'A kind that nobody knows is none of the four (DEC-1)'],
  ['request-file-no-method', by('a', { filesystem: { path: '/srv' } }), 'missing-key', '/actions/0/filesystem', 'No method (DEC-1)'],
  [
    'request-file-unknown-key',
    by('a', { filesystem: { path: '/srv', method: 'read', follow: true } }),
    'unknown-key',
    '/actions/0/filesystem/follow',
    'A field that nobody would read (DEC-1)',
  ],
  ['request-file-method', by('a', file('/srv', 'list')), 'bad-value', '/actions/0/filesystem/method', 'Listing a folder is read (DEC-2)'],
  ['request-file-method-case', by('a', file('/srv', 'READ')), 'bad-value', '/actions/0/filesystem/method', 'Case counts (DEC-2)'],
  [
    'request-file-dot-dot',
    by('a', tool('s', 'n'), file('/srv/../etc')),
    'path-dot-dot',
    '/actions/1/filesystem/path',
    'The second action is not canonical (DEC-3, MAT-5)',
    { flags: ['refused-not-denied'] },
  ],
  [
    'request-file-relative',
    by('a', file('srv')),
    'path-relative',
    '/actions/0/filesystem/path',
    'A relative path (DEC-3, MAT-3)',
    { flags: ['refused-not-denied'] },
  ],
  [
    'request-file-surrogate',
    by('a', file(utf16('/srv/\udfff'))),
    'lone-surrogate',
    '/actions/0/filesystem/path',
    'Half a character in a path (DEC-3, POL-7)',
    { flags: ['utf-16'] },
  ],
  [
    'request-file-long',
    by('a', file(repeat('/a', 32_769))),
    'limit',
    '/actions/0/filesystem/path',
    'A path of 65,538 bytes (DEC-4)',
    { flags: ['over-limit'] },
  ],
  [
    'request-host-user',
    by('a', net('me@h')),
    'host-character',
    '/actions/0/network/host',
    'A user in the host (DEC-3, MAT-12)',
    { flags: ['refused-not-denied'] },
  ],
  ['request-port-text', by('a', net('h', '443')), 'wrong-type', '/actions/0/network/port', 'A port as text (DEC-2)'],
  ['request-port-fraction', by('a', net('h', 443.5)), 'bad-integer', '/actions/0/network/port', 'A fraction (DEC-2)'],
  ['request-port-0', by('a', net('h', 0)), 'bad-value', '/actions/0/network/port', 'No connection goes to port 0 (DEC-2)'],
  ['request-port-65536', by('a', net('h', 65_536)), 'bad-value', '/actions/0/network/port', 'Above the last port (DEC-2)'],
  ['request-no-port', by('a', { network: { host: 'h' } }), 'missing-key', '/actions/0/network', 'No port (DEC-1)'],
  ['request-http-method-case', by('a', net('h', 443, 'get')), 'bad-value', '/actions/0/network/method', 'Lower case (DEC-2)'],
  ['request-http-method-empty', by('a', net('h', 443, '')), 'bad-value', '/actions/0/network/method', 'Empty is not absent (DEC-2)'],
  ['request-http-method-null', by('a', net('h', 443, null)), 'wrong-type', '/actions/0/network/method', 'Null is not absent (DEC-1)'],
  ['request-argv-empty', by('a', exec()), 'empty-list', '/actions/0/process/argv', 'No program (DEC-2)'],
  ['request-argv-text', by('a', { process: { argv: 'ls -l' } }), 'wrong-type', '/actions/0/process/argv', 'A command line is no argv (DEC-1)'],
  ['request-argv-nul', by('a', exec('cat', 'a\0b')), 'nul-character', '/actions/0/process/argv/1', 'NUL in an argument (DEC-2)'],
  [
    'request-argv-257',
    by('a', exec(...Array.from({ length: 257 }, () => 'x'))),
    'limit',
    '/actions/0/process/argv',
    '257 arguments (DEC-4)',
    { flags: ['over-limit'] },
  ],
  ['request-tool-empty-name', by('a', tool('s', '')), 'empty-text', '/actions/0/tool/name', 'A tool without a name (DEC-2, POL-8)'],
  ['request-tool-line-break', by('a', tool('s\n', 'n')), 'control-character', '/actions/0/tool/server', 'A line break in a server (DEC-2, POL-8)'],
  ['request-tool-joined', by('a', { tool: 's.n' }), 'wrong-type', '/actions/0/tool', 'Server and name are two fields (DEC-1)'],
  [
    'request-524289-bytes',
    by('a', ...Array.from({ length: 8 }, () => exec(repeat('x', 65_536)))),
    'limit',
    '',
    'Each string is within its limit, all together are one byte over theirs (DEC-4)',
    { flags: ['over-limit'] },
  ],
  [
    'request-first-of-two',
    by('a', net('h', 0), file('srv')),
    'bad-value',
    '/actions/0/network/port',
    'Two problems: the first action answers (DEC-3)',
    { flags: ['refused-not-denied'] },
  ],
];

// ---- Decisions

const rule = (name: string, effect: 'allow' | 'ask' | 'deny', action: Json, agents: Json = 'any'): Json => ({ name, effect, agents, action });
const policy = (...rules: Json[]): Json => ({ version: 1, rules });
const files = (path: string, methods: Json = 'any'): Json => ({ filesystem: { path, methods } });
const hosts = (host: string, ports: Json = 'any', methods: Json = 'any'): Json => ({ network: { host, ports, methods } });
const programs = (...argv: string[]): Json => ({ process: { argv } });
const tools = (server: string, name: string): Json => ({ tool: { server, name } });

const layered = policy(
  rule('read-srv', 'allow', files('/srv/**', ['read'])),
  rule('ask-write', 'ask', files('/srv/**', ['write', 'delete'])),
  rule('no-keys', 'deny', files('/srv/keys/**')),
  rule('builders', 'allow', files('/build/**'), { one_of: ['builder', 'b\u00fcilder'] }),
);

const web = policy(
  rule('no-posts', 'deny', hosts('*.example.com', 'any', ['POST'])),
  rule('ask-high-ports', 'ask', hosts('**', { from: 1024, to: 65_535 }, ['GET', 'CONNECT'])),
  rule('allow-get', 'allow', hosts('**', { from: 443, to: 443 }, ['GET'])),
  rule('allow-any-method', 'allow', hosts('api.test')),
);

const programsAndTools = policy(
  rule('no-push', 'deny', programs('git', 'push', '**')),
  rule('git', 'allow', programs('git', '**')),
  rule('fs-tools', 'allow', tools('fs', 'read_*')),
  rule('all-tools', 'ask', tools('*', '*')),
);

type DecisionRow = readonly [id: string, policy: Json, request: Fields, decision: Fields, trace: readonly (readonly string[])[], comment: string, rest?: Rest];

const decisions: readonly DecisionRow[] = [
  ['decide-no-policy', null, by('a', tool('s', 'n')), { effect: 'deny', reason: 'no-policy' }, [[]], 'Before any policy: no action index, no rule (DEC-5)'],
  [
    'decide-no-rules',
    policy(),
    by('a', tool('s', 'n')),
    { effect: 'deny', action: 0, reason: 'no-rule' },
    [[]],
    'A policy without rules denies everything (DEC-6)',
  ],
  [
    'decide-allow',
    layered,
    by('a', file('/srv/a')),
    { effect: 'allow', rule: 'read-srv', action: 0 },
    [['matched', 'methods', 'path', 'agents']],
    'An allow rule matches and nothing stricter does (DEC-6)',
  ],
  [
    'decide-ask',
    layered,
    by('a', file('/srv/a', 'write')),
    { effect: 'ask', rule: 'ask-write', action: 0 },
    [['methods', 'matched', 'path', 'agents']],
    'An ask rule (DEC-6)',
  ],
  [
    'decide-deny-stands-last',
    layered,
    by('a', file('/srv/keys/k')),
    { effect: 'deny', rule: 'no-keys', action: 0 },
    [['matched', 'methods', 'matched', 'agents']],
    'The deny rule wins though it stands last (DEC-6)',
    { flags: ['deny-first'] },
  ],
  [
    'decide-deny-folder-itself',
    layered,
    by('a', file('/srv/keys/', 'read')),
    { effect: 'deny', rule: 'no-keys', action: 0 },
    [['matched', 'methods', 'matched', 'agents']],
    'The folder itself, in another spelling (DEC-3, DEC-6)',
    { flags: ['deny-first'] },
  ],
  [
    'decide-no-rule',
    layered,
    by('a', file('/srv/a', 'execute')),
    { effect: 'deny', action: 0, reason: 'no-rule' },
    [['methods', 'methods', 'path', 'agents']],
    'No rule matches: deny, with the index and without a rule (DEC-6)',
  ],
  [
    'decide-agent',
    layered,
    by('b\u00fcilder', file('/build/x', 'delete')),
    { effect: 'allow', rule: 'builders', action: 0 },
    [['path', 'path', 'path', 'matched']],
    'An agent of the list (DEC-8)',
  ],
  [
    'decide-agent-decomposed',
    layered,
    by('bu\u0308ilder', file('/build/x')),
    { effect: 'deny', action: 0, reason: 'no-rule' },
    [['path', 'path', 'path', 'agents']],
    'The same name to the eye, in other bytes (DEC-8)',
  ],
  [
    'decide-agent-case',
    layered,
    by('Builder', file('/build/x')),
    { effect: 'deny', action: 0, reason: 'no-rule' },
    [['path', 'path', 'path', 'agents']],
    'Case counts (DEC-8)',
  ],
  [
    'decide-agent-before-kind',
    layered,
    by('a', tool('s', 'n')),
    { effect: 'deny', action: 0, reason: 'no-rule' },
    [['kind', 'kind', 'kind', 'agents']],
    'The trace names the first part that fails, agents before the kind (DEC-11)',
  ],
  [
    'decide-first-allow',
    policy(rule('one', 'allow', tools('*', '*')), rule('two', 'allow', tools('s', 'n'))),
    by('a', tool('s', 'n')),
    { effect: 'allow', rule: 'one', action: 0 },
    [['matched', 'matched']],
    'Of two allow rules the first, though the second says more (DEC-6)',
  ],
  [
    'decide-first-deny',
    policy(rule('allow', 'allow', tools('*', '*')), rule('one', 'deny', tools('s', '*')), rule('two', 'deny', tools('s', 'n'))),
    by('a', tool('s', 'n')),
    { effect: 'deny', rule: 'one', action: 0 },
    [['matched', 'matched', 'matched']],
    'Of two deny rules the first (DEC-6)',
    { flags: ['deny-first'] },
  ],
  [
    'decide-ask-beats-allow',
    policy(rule('allow', 'allow', tools('s', 'n')), rule('ask', 'ask', tools('*', '*'))),
    by('a', tool('s', 'n')),
    { effect: 'ask', rule: 'ask', action: 0 },
    [['matched', 'matched']],
    'An ask rule beats the allow rule that stands before it (DEC-6)',
    { flags: ['deny-first'] },
  ],
  [
    'decide-move-file',
    layered,
    by('a', file('/srv/a', 'read'), file('/srv/b', 'write'), file('/srv/c', 'read')),
    { effect: 'ask', rule: 'ask-write', action: 1 },
    [
      ['matched', 'methods', 'path', 'agents'],
      ['methods', 'matched', 'path', 'agents'],
      ['matched', 'methods', 'path', 'agents'],
    ],
    'Three actions: the strictest decides, with its own index (DEC-7)',
    { flags: ['most-restrictive'] },
  ],
  [
    'decide-first-of-equal',
    layered,
    by('a', file('/srv/a'), file('/srv/b'), file('/srv/c')),
    { effect: 'allow', rule: 'read-srv', action: 0 },
    [
      ['matched', 'methods', 'path', 'agents'],
      ['matched', 'methods', 'path', 'agents'],
      ['matched', 'methods', 'path', 'agents'],
    ],
    'Of equal outcomes the first action (DEC-7)',
    { flags: ['most-restrictive'] },
  ],
  [
    'decide-no-rule-before-deny',
    layered,
    by('a', file('/srv/a'), file('/etc/a'), file('/srv/keys/k')),
    { effect: 'deny', action: 1, reason: 'no-rule' },
    [
      ['matched', 'methods', 'path', 'agents'],
      ['path', 'path', 'path', 'agents'],
      ['matched', 'methods', 'matched', 'agents'],
    ],
    'A denial without a rule is as strict as one by a rule, and the first of both decides (DEC-7)',
    { flags: ['most-restrictive'] },
  ],
  [
    'decide-get',
    web,
    by('a', net('www.example.com', 443, 'GET')),
    { effect: 'allow', rule: 'allow-get', action: 0 },
    [['methods', 'ports', 'matched', 'host']],
    'Host, port and method are covered (DEC-9, DEC-10)',
  ],
  [
    'decide-post-denied',
    web,
    by('a', net('www.example.com', 443, 'POST')),
    { effect: 'deny', rule: 'no-posts', action: 0 },
    [['matched', 'ports', 'methods', 'host']],
    'A method of a deny rule (DEC-9)',
    { flags: ['deny-first'] },
  ],
  [
    'decide-no-method-denied',
    web,
    by('a', net('www.example.com', 443)),
    { effect: 'deny', rule: 'no-posts', action: 0 },
    [['matched', 'ports', 'methods', 'host']],
    'Without a method every deny rule for the host covers it (DEC-9)',
    { flags: ['no-method'] },
  ],
  [
    'decide-no-method-not-asked',
    web,
    by('a', net('other.test', 8080)),
    { effect: 'deny', action: 0, reason: 'no-rule' },
    [['host', 'methods', 'ports', 'host']],
    'An ask rule with a list of methods does not cover it (DEC-9)',
    { flags: ['no-method'] },
  ],
  [
    'decide-no-method-any',
    web,
    by('a', net('api.test', 80)),
    { effect: 'allow', rule: 'allow-any-method', action: 0 },
    [['host', 'ports', 'ports', 'matched']],
    'An allow rule for any method does (DEC-9)',
    { flags: ['no-method'] },
  ],
  [
    'decide-port-first',
    web,
    by('a', net('other.test', 1024, 'CONNECT')),
    { effect: 'ask', rule: 'ask-high-ports', action: 0 },
    [['host', 'matched', 'ports', 'host']],
    'The first port of a range (DEC-10)',
  ],
  [
    'decide-port-below',
    web,
    by('a', net('other.test', 1023, 'CONNECT')),
    { effect: 'deny', action: 0, reason: 'no-rule' },
    [['host', 'ports', 'ports', 'host']],
    'and the one below it (DEC-10)',
  ],
  [
    'decide-range-reversed',
    policy(rule('reversed', 'allow', hosts('**', { from: 443, to: 80 }))),
    by('a', net('h', 443, 'GET')),
    { effect: 'deny', action: 0, reason: 'no-rule' },
    [['ports']],
    'A range whose end is below its beginning covers nothing (DEC-10, POL-9)',
  ],
  [
    'decide-argv-denied',
    programsAndTools,
    by('a', exec('git', 'push', '--force')),
    { effect: 'deny', rule: 'no-push', action: 0 },
    [['matched', 'matched', 'kind', 'kind']],
    'A program with its arguments (DEC-6)',
    { flags: ['deny-first'] },
  ],
  [
    'decide-argv-spelled-around',
    programsAndTools,
    by('a', exec('git', '-c', 'x=y', 'push')),
    { effect: 'allow', rule: 'git', action: 0 },
    [['argv', 'matched', 'kind', 'kind']],
    'Text rules see argv and not what the program makes of it',
  ],
  [
    'decide-tool',
    programsAndTools,
    by('a', tool('fs', 'read_file')),
    { effect: 'ask', rule: 'all-tools', action: 0 },
    [['kind', 'kind', 'matched', 'matched']],
    'The wildcard asks, and ask beats allow (DEC-6)',
    { flags: ['deny-first'] },
  ],
  [
    'decide-tool-parts',
    policy(rule('fs', 'allow', tools('fs', 'read_*'))),
    by('a', tool('fs2', 'read_file'), tool('fs', 'write_file')),
    { effect: 'deny', action: 0, reason: 'no-rule' },
    [['server'], ['name']],
    'The trace names the server before the name (DEC-11)',
    { flags: ['most-restrictive'] },
  ],
];

type UndecidedRow = readonly [id: string, policy: Json, request: Fields, error: string, pointer: string, comment: string, rest?: Rest];

const undecided: readonly UndecidedRow[] = [
  [
    'decide-refused-no-policy',
    null,
    by('a', file('srv')),
    'path-relative',
    '/actions/0/filesystem/path',
    'Without a policy too, what is not canonical is refused and not denied (DEC-3, DEC-5)',
    { flags: ['refused-not-denied'] },
  ],
  [
    'decide-refused-after-deny',
    layered,
    by('a', file('/srv/keys/k'), file('/srv/../etc')),
    'path-dot-dot',
    '/actions/1/filesystem/path',
    'A denied action in front decides nothing yet (DEC-3)',
    { flags: ['refused-not-denied'] },
  ],
  [
    'decide-refused-other-kind',
    programsAndTools,
    by('a', net('h\u00f6st')),
    'host-not-ascii',
    '/actions/0/network/host',
    'No rule is about hosts, and still the host has to be one (DEC-3)',
    { flags: ['refused-not-denied'] },
  ],
];

// ---- Installs

type InstallRow = readonly [id: string, versions: readonly number[], error: string | undefined, inForce: number, comment: string];

const installs: readonly InstallRow[] = [
  ['install-rising', [1, 2, 7], undefined, 7, 'Versions rise, and may leave numbers out (DEC-12)'],
  ['install-first-any', [42], undefined, 42, 'The first version may be any (DEC-12)'],
  ['install-equal', [3, 3], 'version-equal', 3, 'The version in force (DEC-12)'],
  ['install-lower', [3, 2], 'version-lower', 3, 'A version below it (DEC-12)'],
  ['install-lower-after-two', [1, 5, 1], 'version-lower', 5, 'A version that was in force before (DEC-12)'],
];

// ----

const flagsOf = (rest: Rest = {}): readonly string[] => rest.flags ?? [];

export function decisionVectors(): VectorFile {
  const groups: readonly Group[] = [
    {
      name: 'request made canonical',
      source: 'spec/decision.md, Request',
      cases: canonicalRequests.map(
        ([id, request, canonical, comment, rest]): Case => ({ id, comment, flags: flagsOf(rest), input: { request }, expect: { canonical } }),
      ),
    },
    {
      name: 'request refused',
      source: 'spec/decision.md, Request',
      cases: refusedRequests.map(
        ([id, request, error, pointer, comment, rest]): Case => ({
          id,
          comment,
          flags: flagsOf(rest),
          input: { request },
          expect: { error, where: { pointer } },
        }),
      ),
    },
    {
      name: 'decision',
      source: 'spec/decision.md, Procedure',
      cases: decisions.map(
        ([id, rules, request, decision, trace, comment, rest]): Case => ({
          id,
          comment,
          flags: flagsOf(rest),
          input: { policy: rules, request },
          expect: { decision, trace: trace as Json },
        }),
      ),
    },
    {
      name: 'request refused, not decided',
      source: 'spec/decision.md, Request',
      cases: undecided.map(
        ([id, rules, request, error, pointer, comment, rest]): Case => ({
          id,
          comment,
          flags: flagsOf(rest),
          input: { policy: rules, request },
          expect: { error, where: { pointer } },
        }),
      ),
    },
    {
      name: 'install',
      source: 'spec/decision.md, Install',
      cases: installs.map(
        ([id, versions, error, inForce, comment]): Case => ({
          id,
          comment,
          flags: [],
          input: { install_versions: versions as Json },
          expect: { ...(error !== undefined && { error }), version_in_force: inForce },
        }),
      ),
    },
  ];
  return topic('decision', notes, groups);
}
