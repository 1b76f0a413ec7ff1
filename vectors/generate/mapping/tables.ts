/**
 * Documents that are mapping tables, and documents that are none, each wrong in one thing.
 * @module
 */
type Problem = readonly [code: string, pointer: string];
export type TableRow = readonly [id: string, document: string, comment: string, problem?: Problem, flags?: readonly string[]];

const doc = (tools: string, more = ''): string => `{"format":"ruleprint-mapping/1","tools":${tools}${more}}`;
const rows = (...list: string[]): string => doc(`{"t":{"actions":[${list.join(',')}]}}`);
const read = (more = ''): string => `{"filesystem":{"path":"p","methods":["read"]${more}}}`;
const at = '/tools/t/actions/0';

export const tableRows: readonly TableRow[] = [
  ['table-least', doc('{}'), 'The least table (MAP-1)'],
  [
    'table-all',
    `${doc(
      `{"t":{"actions":[${[
        '{"filesystem":{"path":"p","methods":["read","write"],"each":true,"subtree":true,"absent":"cwd","glob":"g","unless":{"argument":"u","is":false}}}',
        '{"network":{"url":"u","method":"GET","method_argument":"m","each":true,"absent":"none","unless":{"argument":"x","is":true}}}',
        '{"process":{"argv":["a","b"],"absent":"none","unless":{"argument":"x","is":true}}}',
        '{"shell":{"command":"c","cwd":"d","absent":"none","unless":{"argument":"x","is":true}}}',
      ].join(',')}],"arguments":["z"]}}`,
      ',"server":"s","mcp_names":true,"paths":{"relative":"cwd","home":"expand","dot_dot":"resolve"}',
    )}`,
    'Every field (MAP-1)',
  ],
  ['table-spaced', ' { "tools" : { } , "format" : "ruleprint-mapping/1" } ', 'Another spelling of the least table has its digest (DIG-12)'],
  ['table-no-actions', doc('{"t":{"actions":[],"arguments":[]}}'), 'A tool that does nothing but be called (MAP-1)'],
  ['table-constructor', doc('{"constructor":{"actions":[]}}'), 'A tool may have any name (MAP-2)'],
  ['table-no-format', '{"tools":{}}', 'No format (MAP-1)', ['missing-key', '']],
  ['table-other-format', '{"format":"ruleprint-mapping/2","tools":{}}', 'The format of another version (MAP-1)', ['bad-value', '/format']],
  ['table-no-tools', '{"format":"ruleprint-mapping/1"}', 'No tools (MAP-1)', ['missing-key', '']],
  ['table-list', '[]', 'A list (MAP-1)', ['wrong-type', '']],
  ['table-unknown-field', doc('{}', ',"default":"allow"'), 'An unknown field (MAP-1)', ['unknown-key', '/default']],
  ['table-key-twice', doc('{"t":{"actions":[]},"t":{"actions":[]}}'), 'A tool that stands twice (MAP-1)', ['duplicate-key', '/tools/t']],
  ['table-proto', doc('{"__proto__":{"actions":[]}}'), 'The key that no table has (MAP-1)', ['forbidden-key', '/tools/__proto__']],
  ['table-server-empty', doc('{}', ',"server":""'), 'A server without a name (MAP-2)', ['empty-text', '/server']],
  ['table-server-type', doc('{}', ',"server":null'), 'Null is not absent (MAP-1)', ['wrong-type', '/server']],
  ['table-mcp-names-false', doc('{}', ',"mcp_names":false'), 'False is spelled by leaving it off (MAP-1)', ['bad-value', '/mcp_names']],
  ['table-paths-half', doc('{}', ',"paths":{"relative":"cwd","home":"refuse"}'), 'Rules for paths are there in full (MAP-1)', ['missing-key', '/paths']],
  [
    'table-paths-word',
    doc('{}', ',"paths":{"relative":"base","home":"refuse","dot_dot":"refuse"}'),
    'An unknown word (MAP-1)',
    ['bad-value', '/paths/relative'],
  ],
  ['table-tool-name', doc('{"a\\u202eb":{"actions":[]}}'), 'A tool name that misleads (MAP-2)', ['control-character', '/tools/a\u202eb']],
  ['table-tool-no-actions', doc('{"t":{}}'), 'A tool without actions (MAP-1)', ['missing-key', '/tools/t']],
  ['table-tool-type', doc('{"t":[]}'), 'A tool that is a list (MAP-1)', ['wrong-type', '/tools/t']],
  ['table-row-none', rows('{}'), 'A row of no kind (MAP-1)', ['exactly-one', at]],
  ['table-row-two', rows('{"process":{"argv":["a"]},"shell":{"command":"c"}}'), 'A row of two kinds (MAP-1)', ['exactly-one', at]],
  ['table-row-no-path', rows('{"filesystem":{"methods":["read"]}}'), 'A row without its argument (MAP-1)', ['missing-key', `${at}/filesystem`]],
  [
    'table-row-misspelt',
    rows('{"filesystem":{"path":"p","method":["read"],"methods":["read"]}}'),
    'A misspelt field (MAP-1)',
    ['unknown-key', `${at}/filesystem/method`],
  ],
  ['table-methods-empty', rows('{"filesystem":{"path":"p","methods":[]}}'), 'No methods (MAP-2)', ['empty-list', `${at}/filesystem/methods`]],
  [
    'table-methods-any',
    rows('{"filesystem":{"path":"p","methods":"any"}}'),
    'A call does not do anything that there is (MAP-1)',
    ['wrong-type', `${at}/filesystem/methods`],
  ],
  ['table-methods-word', rows('{"filesystem":{"path":"p","methods":["list"]}}'), 'Listing is read (MAP-1)', ['bad-value', `${at}/filesystem/methods/0`]],
  [
    'table-methods-twice',
    rows('{"filesystem":{"path":"p","methods":["read","read"]}}'),
    'A method twice (MAP-2)',
    ['duplicate-item', `${at}/filesystem/methods/1`],
  ],
  ['table-each-false', rows(read(',"each":false')), 'False is spelled by leaving it off (MAP-1)', ['bad-value', `${at}/filesystem/each`]],
  ['table-absent-word', rows(read(',"absent":"root"')), 'An unknown word (MAP-1)', ['bad-value', `${at}/filesystem/absent`]],
  ['table-absent-cwd-elsewhere', rows('{"network":{"url":"u","absent":"cwd"}}'), 'A URL has no working folder (MAP-1)', ['bad-value', `${at}/network/absent`]],
  ['table-unless-half', rows(read(',"unless":{"argument":"d"}')), 'Unless what (MAP-1)', ['missing-key', `${at}/filesystem/unless`]],
  ['table-unless-text', rows(read(',"unless":{"argument":"d","is":"true"}')), 'Only true and false (MAP-1)', ['wrong-type', `${at}/filesystem/unless/is`]],
  ['table-method-lower', rows('{"network":{"url":"u","method":"get"}}'), 'A method in lower case (MAP-1)', ['bad-value', `${at}/network/method`]],
  ['table-argv-empty', rows('{"process":{"argv":[]}}'), 'A command without a name (MAP-2)', ['empty-list', `${at}/process/argv`]],
  ['table-argv-twice', rows('{"process":{"argv":["a","a"]}}'), 'An argument twice (MAP-2)', ['duplicate-item', `${at}/process/argv/1`]],
  ['table-argument-name', rows('{"shell":{"command":""}}'), 'An argument without a name (MAP-2)', ['empty-text', `${at}/shell/command`]],
  ['table-arguments-type', doc('{"t":{"actions":[],"arguments":"any"}}'), 'A closed list is a list (MAP-1)', ['wrong-type', '/tools/t/arguments']],
  ['table-lone-surrogate', doc('{}', ',"server":"\\ud800"'), 'Half a pair (MAP-2)', ['lone-surrogate', '/server']],
  ['table-rows-limit', rows(...Array.from({ length: 65 }, () => '{"shell":{"command":"c"}}')), '65 rows (MAP-1)', ['limit', '/tools/t/actions']],
  ['table-number', doc('{"t":{"actions":[],"arguments":[1]}}'), 'An argument that is a number (MAP-1)', ['wrong-type', '/tools/t/arguments/0']],
];
