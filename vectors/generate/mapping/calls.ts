/**
 * Calls and what a table makes of them. One small server for all, and tables of their own where a case needs one.
 * @module
 */
import type { Case, Fields, Json } from '../kit.js';

const format = 'ruleprint-mapping/1';
const fs = (path: string, methods: readonly string[], more: Fields = {}): Fields => ({ filesystem: { path, methods, ...more } });
const strict: Fields = {
  format,
  tools: {
    read: { actions: [fs('path', ['read'])], arguments: ['head'] },
    open: { actions: [fs('path', ['read'])] },
    many: { actions: [fs('paths', ['read'], { each: true })], arguments: [] },
    move: { actions: [fs('from', ['delete']), fs('to', ['write'])], arguments: [] },
    edit: { actions: [fs('path', ['read']), fs('path', ['write'], { unless: { argument: 'dryRun', is: true } })], arguments: ['edits'] },
    tree: { actions: [fs('path', ['read', 'write'], { subtree: true })], arguments: [] },
    fetch: { actions: [{ network: { url: 'url', method: 'GET', method_argument: 'method' } }] },
    get: { actions: [{ network: { url: 'urls', each: true, absent: 'none' } }] },
    run: { actions: [{ process: { argv: ['command', 'args'] } }] },
    nothing: { actions: [], arguments: [] },
    maybe: { actions: [fs('path', ['read'], { absent: 'none' })] },
    constructor: { actions: [fs('toString', ['read'])] },
  },
};
const loose: Fields = {
  format,
  server: 'host',
  mcp_names: true,
  paths: { relative: 'cwd', home: 'expand', dot_dot: 'resolve' },
  tools: {
    Read: { actions: [fs('file_path', ['read'])] },
    Glob: { actions: [fs('path', ['read'], { glob: 'pattern', absent: 'cwd' })] },
    Grep: { actions: [fs('path', ['read'], { subtree: true, absent: 'cwd' })] },
  },
};

type Action = Json;
const tool = (name: string, server = 's'): Action => ({ tool: { server, name } });
const file = (path: string, method = 'read'): Action => ({ filesystem: { path, method } });
const net = (host: string, port: number, method?: string): Action => ({ network: { host, port, ...(method !== undefined && { method }) } });
const exec = (...argv: string[]): Action => ({ process: { argv } });

interface Setting {
  readonly tables?: readonly Json[];
  readonly server?: string | null;
  readonly cwd?: string;
  readonly home?: string;
  readonly callServer?: string;
  readonly callCwd?: string;
  readonly flags?: readonly string[];
}
type Expected = readonly Action[] | readonly [code: string, reason: 'unmapped' | 'not-canonical'];

const refused = (code: string): readonly [string, 'unmapped' | 'not-canonical'] => [code, /^(path|host)-/.test(code) ? 'not-canonical' : 'unmapped'];

function made(id: string, comment: string, name: string, args: Json | undefined, expected: Expected, setting: Setting): Case {
  const { tables = [strict], server = 's', cwd, home, callServer, callCwd, flags = [] } = setting;
  const call: Fields = {
    tool: name,
    ...(callServer !== undefined && { server: callServer }),
    ...(args !== undefined && { args }),
    ...(callCwd !== undefined && { cwd: callCwd }),
  };
  const input: Fields = { tables, ...(server !== null && { server }), ...(cwd !== undefined && { cwd }), ...(home !== undefined && { home }), call };
  const isRefused = typeof expected[0] === 'string';
  const expect: Fields = isRefused ? { error: expected[0] as string, reason: expected[1] as string } : { actions: expected as readonly Json[] };
  return { id: `call-${id}`, comment, flags, input, expect };
}

type Row = readonly [id: string, comment: string, name: string, args: Json | undefined, expected: Expected, setting?: Setting];
const rows = (...list: readonly Row[]): readonly Case[] =>
  list.map(([id, comment, name, args, expected, setting = {}]) => made(id, comment, name, args, expected, setting));

/** One path after another through one tool. */
const paths = (
  what: string,
  read: (path: string) => readonly [name: string, args: Json, before: readonly Action[]],
  setting: Setting,
  ...list: readonly (readonly [id: string, path: string, expected: string, comment: string, flags?: readonly string[]])[]
): readonly Case[] =>
  list.map(([id, path, expected, comment, flags = []]) => {
    const [name, args, before] = read(path);
    return made(`${what}-${id}`, comment, name, args, expected.startsWith('/') ? [...before, file(expected)] : refused(expected), { ...setting, flags });
  });

const lax = ['lax-server'];
const other = ['other-reading'];
const host: Setting = { tables: [loose], server: null, cwd: '/w', home: '/home/u' };
const onHost = (name: string): Action => tool(name, 'host');

export const callRows: readonly Case[] = [
  ...rows(
    ['read', 'A tool action in front, then the row (MAP-3)', 'read', { path: '/srv/a' }, [tool('read'), file('/srv/a')]],
    ['no-arguments', 'A tool without arguments (MAP-7)', 'nothing', undefined, [tool('nothing')]],
    ['empty-arguments', 'Absent arguments are empty (MAP-7)', 'nothing', {}, [tool('nothing')]],
    ['two-rows', 'Rows in their order (MAP-3)', 'move', { to: '/b', from: '/a' }, [tool('move'), file('/a', 'delete'), file('/b', 'write')]],
    ['repeats', 'Equal actions once (MAP-3)', 'many', { paths: ['/a', '/b', '/a/', '//a'.slice(1)] }, [tool('many'), file('/a'), file('/b')]],
    ['list', 'Each of a list (MAP-7)', 'many', { paths: ['/b', '/a'] }, [tool('many'), file('/b'), file('/a')]],
    ['list-empty', 'Each of none (MAP-7)', 'many', { paths: [] }, [tool('many')]],
    ['unless', 'A row that this value takes away (MAP-7)', 'edit', { path: '/a', edits: [], dryRun: true }, [tool('edit'), file('/a')]],
    ['unless-false', 'and this one does not (MAP-7)', 'edit', { path: '/a', edits: [], dryRun: false }, [tool('edit'), file('/a'), file('/a', 'write')]],
    ['unless-absent', 'nor its absence (MAP-7)', 'edit', { path: '/a', edits: [] }, [tool('edit'), file('/a'), file('/a', 'write')]],
    ['absent-none', 'An absent argument that takes the row away (MAP-7)', 'maybe', {}, [tool('maybe')]],
    [
      'subtree',
      'A mark for what is below, for each method (MAP-14)',
      'tree',
      { path: '/a' },
      [tool('tree'), file('/a'), file('/a/**'), file('/a', 'write'), file('/a/**', 'write')],
    ],
    ['subtree-root', 'The mark of the root (MAP-14)', 'tree', { path: '/' }, [tool('tree'), file('/'), file('/**'), file('/', 'write'), file('/**', 'write')]],
    ['open-arguments', 'Others where the list is open (MAP-8)', 'open', { path: '/a', note: { path: 1 } }, [tool('open'), file('/a')]],
    ['closed-arguments', 'One of the closed list (MAP-8)', 'read', { path: '/a', head: 3.5 }, [tool('read'), file('/a')]],
    ['inherited-names', 'Names of inherited members are names (MAP-7)', 'constructor', { toString: '/a' }, [tool('constructor'), file('/a')]],
    ['argv', 'A command and a list (MAP-7)', 'run', { command: 'git', args: ['log', ''] }, [tool('run'), exec('git', 'log', '')]],
    ['argv-alone', 'Arguments after the first may be absent (MAP-7)', 'run', { command: 'git' }, [tool('run'), exec('git')]],
    ['argv-list-first', 'A list in front (MAP-7)', 'run', { command: ['git', 'log'], args: '-1' }, [tool('run'), exec('git', 'log', '-1')]],
    ['unknown-tool', 'An unknown tool (MAP-5)', 'write', { path: '/a' }, [tool('write')], { flags: ['unknown'] }],
    ['unknown-tool-arguments', 'Its arguments are not looked at (MAP-5)', 'write', [], [tool('write')], { flags: ['unknown'] }],
    ['unknown-server', 'A server without a table (MAP-5)', 'Read', { file_path: 1 }, [tool('Read', 'x')], { ...host, callServer: 'x', flags: ['unknown'] }],
    [
      'any-server',
      'A table without a server is for every other (MAP-4)',
      'read',
      { path: '/a' },
      [tool('read', 'x'), file('/a')],
      { tables: [loose, strict], callServer: 'x' },
    ],
    [
      'named-server',
      'The table with the name comes first (MAP-4)',
      'Read',
      { file_path: '/a' },
      [onHost('Read'), file('/a')],
      { tables: [loose, strict], callServer: 'host' },
    ],
    [
      'only-server',
      'A call without a server is of the only table’s (MAP-4)',
      'Read',
      { file_path: '/a' },
      [onHost('Read'), file('/a')],
      { tables: [loose], server: null },
    ],
    ['mcp-name', 'A tool of another server (MAP-6)', 'mcp__files__read_file', { path: 1 }, [tool('read_file', 'files')], host],
    [
      'mcp-name-mapped',
      'and its table (MAP-6)',
      'mcp__files__read',
      { path: '/a' },
      [tool('read', 'files'), file('/a')],
      { ...host, server: 'host', tables: [loose, strict] },
    ],
    ['mcp-name-elsewhere', 'Under another table it is a name (MAP-6)', 'mcp__files__read', {}, [tool('mcp__files__read')]],

    ['missing', 'A missing argument (MAP-7)', 'read', {}, refused('argument-missing')],
    ['missing-of-two', 'One of two (MAP-7)', 'move', { from: '/a' }, refused('argument-missing')],
    ['missing-undefined-args', 'No arguments at all (MAP-7)', 'read', undefined, refused('argument-missing')],
    ['missing-inherited', 'An inherited member is not there (MAP-7)', 'constructor', {}, refused('argument-missing')],
    ['missing-command', 'A command without a name (MAP-7)', 'run', { args: ['x'] }, refused('argument-missing')],
    ['null', 'Null is not absent (MAP-7)', 'maybe', { path: null }, refused('argument-type')],
    ['number', 'A number for a text (MAP-7)', 'read', { path: 1 }, refused('argument-type')],
    ['list-for-text', 'A list for a text (MAP-7)', 'read', { path: ['/a'] }, refused('argument-type')],
    ['text-for-list', 'A text for a list (MAP-7)', 'many', { paths: '/a' }, refused('argument-type')],
    ['list-of-numbers', 'A number in a list (MAP-7)', 'many', { paths: ['/a', 1] }, refused('argument-type')],
    ['unless-text', 'A text that is no true (MAP-7)', 'edit', { path: '/a', dryRun: 'true' }, refused('argument-type')],
    ['unless-null', 'Null is no false (MAP-7)', 'edit', { path: '/a', dryRun: null }, refused('argument-type')],
    ['argv-number', 'A number in argv (MAP-7)', 'run', { command: 'git', args: [1] }, refused('argument-type')],
    ['arguments-list', 'Arguments that are a list (MAP-7)', 'read', ['/a'], refused('argument-type')],
    ['arguments-text', 'Arguments that are a text (MAP-7)', 'read', '{"path":"/a"}', refused('argument-type')],
    ['arguments-null', 'Arguments that are null (MAP-7)', 'nothing', null, refused('argument-type')],
    ['unknown-argument', 'One too many (MAP-8)', 'read', { path: '/a', follow: true }, refused('argument-unknown')],
    ['unknown-argument-of-nothing', 'One too many where there is none (MAP-8)', 'nothing', { a: 1 }, refused('argument-unknown')],
    ['case-beside', 'Another case beside it (MAP-8)', 'open', { path: '/a', Path: '/etc' }, refused('argument-case'), { flags: lax }],
    ['case-alone', 'Another case alone (MAP-8)', 'maybe', { PATH: '/etc' }, refused('argument-case'), { flags: lax }],
    ['case-underscore', 'With an underscore (MAP-8)', 'open', { path: '/a', pa_th: '/etc' }, refused('argument-case'), { flags: lax }],
    ['case-camel', 'Without one (MAP-8)', 'Read', { file_path: '/a', filePath: '/etc' }, refused('argument-case'), { ...host, flags: lax }],
    ['tool-case', 'A tool in another case (MAP-5)', 'Read', { path: '/a' }, refused('tool-case'), { flags: lax }],
    ['tool-case-dash', 'A tool with a dash (MAP-5)', 're-ad', { path: '/a' }, refused('tool-case'), { flags: lax }],
    ['mcp-name-four', 'Four parts (MAP-6)', 'mcp__a__b__c', {}, refused('tool-split'), host],
    ['mcp-name-two', 'Two parts (MAP-6)', 'mcp__read', {}, refused('tool-split'), host],
    ['mcp-name-empty', 'An empty part (MAP-6)', 'mcp__files__', {}, refused('tool-split'), host],
    ['mcp-name-three-underscores', 'Three underscores split in two ways (MAP-6)', 'mcp__files___read', {}, refused('tool-split'), host],
    ['too-many', '64 files and the tool (MAP-17)', 'many', { paths: Array.from({ length: 64 }, (_, i) => `/${i}`) }, refused('limit')],
    [
      'many-enough',
      '63 files and the tool (MAP-17)',
      'many',
      { paths: Array.from({ length: 63 }, (_, i) => `/${i}`) },
      [tool('many'), ...Array.from({ length: 63 }, (_, i) => file(`/${i}`))],
    ],
    ['no-server', 'No server (MAP-4)', 'read', { path: '/a' }, ['wrong-type', 'not-canonical'], { server: null }],
    ['tool-control', 'A tool name that misleads (MAP-4)', 'a\u0007b', {}, ['control-character', 'not-canonical']],
    ['tool-empty', 'A tool without a name (MAP-4)', '', {}, ['empty-text', 'not-canonical']],
  ),
  ...paths(
    'path',
    (path) => ['read', { path }, [tool('read')]],
    { cwd: '/w', home: '/home/u' },
    ['collapsed', '/a//b/./c/', '/a/b/c', 'In canonical form (MAP-10)'],
    ['root', '/', '/', 'The root (MAP-10)'],
    ['dots', '/.../..a/a..', '/.../..a/a..', 'Dot names are ordinary (MAP-10)'],
    ['inner-tilde', '/a/~/b', '/a/~/b', 'A tilde inside is a name (MAP-11)'],
    ['inner-colon', '/a/C:/b', '/a/C:/b', 'A colon inside is a name (MAP-9)'],
    ['inner-space', '/a b/c', '/a b/c', 'White space inside is a name (MAP-10)'],
    ['relative', 'a', 'path-relative', 'A relative path (MAP-9)'],
    ['dot', '.', 'path-relative', 'The working folder itself (MAP-9)'],
    ['empty', '', 'path-relative', 'Nothing (MAP-9)'],
    ['tilde', '~/a', 'path-relative', 'The home folder (MAP-11)'],
    ['dot-dot', '/a/../b', 'path-dot-dot', 'A step up (MAP-10)'],
    ['dot-dot-end', '/a/..', 'path-dot-dot', 'A step up at the end (MAP-10)'],
    ['slashes', '//a', 'path-leading-slashes', 'Two slashes in front (MAP-10)'],
    ['nul', '/a\u0000b', 'path-character', 'NUL (MAP-10)', other],
    ['backslash', '/a\\b', 'path-character', 'A backslash (MAP-10)', other],
    ['space-end', '/a ', 'path-character', 'White space at the end (MAP-10)', other],
    ['newline-end', '/a\n', 'path-character', 'A line feed at the end (MAP-10)', other],
    ['no-break-space-end', '/a\u00a0', 'path-character', 'A no-break space at the end (MAP-10)', other],
    ['bom-front', '\ufeff/a', 'path-character', 'U+FEFF in front (MAP-10)', other],
    ['space-front', ' /a', 'path-character', 'White space in front (MAP-10)', other],
  ),
  ...paths(
    'loose-path',
    (path) => ['Read', { file_path: path }, [onHost('Read')]],
    host,
    ['relative', 'a/b', '/w/a/b', 'Below the working folder (MAP-9)'],
    ['dot', './a', '/w/a', 'Below the working folder (MAP-9)'],
    ['up', '../a', '/a', 'Out of the working folder (MAP-10)'],
    ['up-over-the-root', '../../../a', '/a', 'Above the root is the root (MAP-10)'],
    ['dot-dot', '/a/b/../../c/./d', '/c/d', 'In the text alone (MAP-10)'],
    ['dot-dot-root', '/..', '/', 'Above the root is the root (MAP-10)'],
    ['tilde', '~', '/home/u', 'The home folder (MAP-11)'],
    ['tilde-below', '~/a/../b', '/home/u/b', 'Below it (MAP-11)'],
    ['tilde-out', '~/../v', '/home/v', 'Out of it (MAP-11)'],
    ['dash', '-', '/w/-', 'Any other name (MAP-9)'],
    ['tilde-user', '~root/a', 'path-relative', 'The home folder of another (MAP-11)', other],
    ['tilde-name', '~a', 'path-relative', 'A tilde and a name (MAP-11)', other],
    ['drive', 'C:/a', 'path-relative', 'A drive (MAP-9)', other],
    ['drive-alone', 'c:', 'path-relative', 'A drive alone (MAP-9)', other],
    ['file-url', 'file:///etc/passwd', 'path-relative', 'A URL (MAP-9)', other],
    ['empty', '', 'path-relative', 'Nothing (MAP-9)'],
    ['slashes', '//a/../b', 'path-leading-slashes', 'Two slashes in front (MAP-10)'],
    ['backslash', '..\\a', 'path-character', 'A backslash (MAP-10)', other],
  ),
  ...rows(
    ['cwd-of-call', 'The folder of the call comes first (MAP-9)', 'Read', { file_path: 'a' }, [onHost('Read'), file('/v/a')], { ...host, callCwd: '/v/' }],
    ['cwd-root', 'The root as the folder (MAP-9)', 'Read', { file_path: 'a' }, [onHost('Read'), file('/a')], { ...host, cwd: '/' }],
    ['cwd-unknown', 'No folder is known (MAP-9)', 'Read', { file_path: 'a' }, refused('path-relative'), { tables: [loose], server: null }],
    ['home-unknown', 'No home folder is known (MAP-11)', 'Read', { file_path: '~/a' }, refused('path-relative'), { tables: [loose], server: null, cwd: '/w' }],
    ['cwd-relative', 'A folder that is not absolute (MAP-9)', 'Read', { file_path: 'a' }, refused('path-relative'), { ...host, callCwd: 'v' }],
    ['absent-cwd', 'The working folder in place of the path (MAP-7)', 'Grep', { pattern: 'x' }, [onHost('Grep'), file('/w'), file('/w/**')], host],
    ['absent-cwd-unknown', 'and none is known (MAP-7)', 'Grep', {}, refused('path-relative'), { tables: [loose], server: null }],
    ['glob-star', 'A glob below the path (MAP-12)', 'Glob', { path: '/a', pattern: '*.ts' }, [onHost('Glob'), file('/a'), file('/a/**')], host],
    [
      'glob-front',
      'Its literal part (MAP-12)',
      'Glob',
      { path: '/a', pattern: 'b/c/**/*.{ts,tsx}' },
      [onHost('Glob'), file('/a/b/c'), file('/a/b/c/**')],
      host,
    ],
    ['glob-cwd', 'Below the working folder (MAP-12)', 'Glob', { pattern: 'src/**' }, [onHost('Glob'), file('/w/src'), file('/w/src/**')], host],
    ['glob-absolute', 'An absolute one (MAP-12)', 'Glob', { path: '/a', pattern: '/etc/p*' }, [onHost('Glob'), file('/etc'), file('/etc/**')], host],
    ['glob-absolute-root', 'All of the disk (MAP-12)', 'Glob', { pattern: '/**' }, [onHost('Glob'), file('/'), file('/**')], host],
    ['glob-up', 'A step up in its literal part (MAP-12)', 'Glob', { path: '/a/b', pattern: '../c/*' }, [onHost('Glob'), file('/a/c'), file('/a/c/**')], host],
    ['glob-home', 'In the home folder (MAP-12)', 'Glob', { pattern: '~/x/*' }, [onHost('Glob'), file('/home/u/x'), file('/home/u/x/**')], host],
    ['glob-literal', 'No wildcard at all (MAP-12)', 'Glob', { pattern: 'a/b' }, [onHost('Glob'), file('/w/a/b'), file('/w/a/b/**')], host],
    ['glob-negated', 'A mark in front is no name (MAP-12)', 'Glob', { pattern: '!a/b' }, [onHost('Glob'), file('/w'), file('/w/**')], host],
    ['glob-missing', 'No glob (MAP-7)', 'Glob', { path: '/a' }, refused('argument-missing'), host],
    ['glob-type', 'A list of globs (MAP-7)', 'Glob', { pattern: ['*'] }, refused('argument-type'), host],
    ...(
      [
        ['empty', ''],
        ['up-behind', '*/../../etc/passwd'],
        ['dot-behind', '*/./a'],
        ['brace-absolute', '{/etc,x}/passwd'],
        ['brace-up', '{..,x}/a'],
        ['brace-joined', '.{.,x}/a'],
        ['brace-empty', '{,x}/etc'],
        ['brace-nested', '*{a,{b,c}}'],
        ['brace-open', '*{a'],
        ['brace-across', '*{a/../../b,c}'],
        ['class', '[.][.]/a'],
        ['extglob', '@(..|a)/b'],
        ['backslash', '\\../a'],
        ['empty-segment', '*//a'],
        ['end-slash', 'a/*/'],
        ['nul', '*\u0000'],
      ] as const
    ).map(([id, pattern]): Row => [`glob-${id}`, 'Its reach is not known (MAP-12)', 'Glob', { pattern }, refused('glob-reach'), { ...host, flags: other }]),
    ...(
      [
        ['https', 'https://example.com/x', net('example.com', 443, 'GET')],
        ['http', 'http://example.com', net('example.com', 80, 'GET')],
        ['ws', 'ws://example.com?x', net('example.com', 80, 'GET')],
        ['wss', 'wss://example.com#x', net('example.com', 443, 'GET')],
        ['port', 'https://example.com:8443/x', net('example.com', 8443, 'GET')],
        ['port-greatest', 'https://example.com:65535', net('example.com', 65_535, 'GET')],
        ['case', 'HTTPS://EXAMPLE.com./X', net('example.com', 443, 'GET')],
        ['number', 'http://0x7f.1/', net('127.0.0.1', 80, 'GET')],
        ['ipv6', 'http://[::FFFF:1.2.3.4]:81/', net('1.2.3.4', 81, 'GET')],
        ['user-in-path', 'https://example.com/@x:y@evil.example/\u00e9', net('example.com', 443, 'GET')],
      ] as const
    ).map(([id, url, action]): Row => [`url-${id}`, 'Host and port of a URL (MAP-13)', 'fetch', { url }, [tool('fetch'), action]]),
    [
      'url-method',
      'The method of the call (MAP-13)',
      'fetch',
      { url: 'https://example.com', method: 'pOst' },
      [tool('fetch'), net('example.com', 443, 'POST')],
    ],
    ['url-list', 'Each of a list, and no method (MAP-13)', 'get', { urls: ['http://a/', 'http://b:1'] }, [tool('get'), net('a', 80), net('b', 1)]],
    ['url-absent', 'No URL (MAP-7)', 'get', {}, [tool('get')]],
    ['url-method-bad', 'A method that is none (MAP-13)', 'fetch', { url: 'https://example.com', method: 'GET /' }, refused('bad-value')],
    ['url-method-type', 'A method that is no text (MAP-7)', 'fetch', { url: 'https://example.com', method: 1 }, refused('argument-type')],
    ...(
      [
        ['file', 'file:///etc/passwd'],
        ['ftp', 'ftp://example.com'],
        ['no-scheme', 'example.com'],
        ['no-slashes', 'https:example.com'],
        ['one-slash', 'https:/example.com'],
        ['three-slashes', 'https:///example.com'],
        ['user', 'https://good.example@evil.example/'],
        ['password', 'https://a:b@example.com/'],
        ['backslash', 'https://good.example\\@evil.example/'],
        ['tab', 'https://exa\tmple.com/'],
        ['newline', 'https://example.com/a\nb'],
        ['space-front', ' https://example.com/'],
        ['space-inside', 'https://example.com/a b'],
        ['percent', 'https://ex%61mple.com/'],
        ['not-ascii', 'https://ex\u00e4mple.com/'],
        ['port-empty', 'https://example.com:/'],
        ['port-zero', 'https://example.com:0/'],
        ['port-leading-zero', 'https://example.com:0443/'],
        ['port-too-large', 'https://example.com:65536/'],
        ['port-text', 'https://example.com:x/'],
        ['no-host', 'https:///'],
        ['zone', 'http://[fe80::1%25eth0]/'],
        ['empty', ''],
      ] as const
    ).map(([id, url]): Row => [`url-${id}`, 'Not in the plain form of a URL (MAP-13)', 'fetch', { url }, refused('url-syntax'), { flags: other }]),
    ['url-label', 'A host with an empty label (MAP-13)', 'fetch', { url: 'https://a..b/' }, refused('host-label')],
    ['url-ipv6-bad', 'No address (MAP-13)', 'fetch', { url: 'https://[::1::]/' }, refused('host-ipv6')],
    ['url-number-bad', 'A number that is no address (MAP-13)', 'fetch', { url: 'https://1.2.3.256/' }, refused('host-number')],
    ['url-type', 'A list for a text (MAP-7)', 'fetch', { url: ['https://example.com'] }, refused('argument-type')],
  ),
];
