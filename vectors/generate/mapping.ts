/**
 * Digests of arguments and of mapping tables, and the actions that tables make of calls (spec/digest.md, spec/mapping.md). No shell rows: few languages
 * have a parser of shell text, and no two parsers agree.
 * @module
 */
import { argsDigest, mappingDigest } from '../../src/digest/args-digest.js';
import { type Case, type Fields, type Group, type Json, type Notes, type Rest, topic, type VectorFile } from './kit.js';
import { callRows } from './mapping/calls.js';
import { tableRows } from './mapping/tables.js';

const notes: Notes = {
  'utf-16-order': {
    why: 'RFC 8785 sorts keys by UTF-16 code units, and the sets of a policy are sorted by UTF-8 bytes.',
    effect: 'Implementations in two languages would name the same arguments by two digests.',
  },
  numbers: {
    why: 'A number is the double that it stands for, written as ECMAScript writes it.',
    effect: 'Two spellings of one number would have two digests, or two numbers one.',
  },
  'no-form': {
    why: 'This has no RFC 8785 form, or one that another reader would take for something else.',
    effect: 'One digest would stand for two calls.',
  },
  'closed-table': {
    why: 'A table is closed: what it does not say is refused.',
    effect: 'A misspelt field would leave an argument unseen.',
  },
  'lax-server': {
    why: 'A server may take this spelling for the one that the table names.',
    effect: 'The call would pass as one that does nothing.',
  },
  'other-reading': {
    why: 'Another reader of this text finds another path or another host in it.',
    effect: 'What was judged would not be what happens.',
  },
  unknown: {
    why: 'The table says nothing of it.',
    effect: 'An unknown tool is a tool action; anything else would be a guess.',
  },
};

type ArgsRow = readonly [id: string, json: string, form: string | { readonly error: string }, comment: string, rest?: Rest & { readonly salt?: string }];

const args: readonly ArgsRow[] = [
  ['args-worked-example', '{"path":"/a"}', '{"path":"/a"}', 'The worked example of the chapter (DIG-10)'],
  ['args-empty', '{}', '{}', 'What absent arguments count as (DIG-10)'],
  ['args-salted', '{"path":"/a"}', '{"path":"/a"}', 'The same with a salt is another digest (DIG-10)', { salt: 'salt' }],
  ['args-salt-beyond-ascii', '{}', '{}', 'A salt is text, by its UTF-8 bytes (DIG-10)', { salt: '\u{1f511}' }],
  ['args-boundary-left', '"b"', '"b"', 'A boundary between salt and arguments (DIG-6)', { salt: '"' }],
  ['args-white-space', ' { "b" : [ 1 , true ] ,\n"a":null } ', '{"a":null,"b":[1,true]}', 'White space goes, keys are sorted (DIG-8)'],
  [
    'args-order-utf-16',
    '{"\ufb33":1,"\u{1f600}":2,"\u20ac":3,"1":4,"\\r":5}',
    '{"\\r":5,"1":4,"\u20ac":3,"\u{1f600}":2,"\ufb33":1}',
    'U+1F600 sorts below U+FB33 by code units (DIG-8)',
    {
      flags: ['utf-16-order'],
    },
  ],
  ['args-order-prefix', '{"aa":1,"a":2,"":3,"A":4}', '{"":3,"A":4,"a":2,"aa":1}', 'A prefix stands in front (DIG-8)'],
  ['args-order-digits', '{"10":1,"9":2,"-1":3}', '{"-1":3,"10":1,"9":2}', 'Digits are text (DIG-8)'],
  ['args-nested', '[{"b":[],"a":{}},[[]],"x"]', '[{"a":{},"b":[]},[[]],"x"]', 'Arguments may be any value, and lists keep their order (DIG-8)'],
  [
    'args-escapes',
    '"\\u0000\\b\\t\\n\\f\\r\\"\\\\\\/\\u001F\\u007f\\u00e9\\ud83d\\ude00"',
    '"\\u0000\\b\\t\\n\\f\\r\\"\\\\/\\u001f\u007f\u00e9\u{1f600}"',
    'Only what ECMAScript escapes is escaped (DIG-8)',
  ],
  ['args-line-separators', '"\\u2028\\u2029\\ufeff"', '"\u2028\u2029\ufeff"', 'U+2028 and U+2029 are ordinary (DIG-8)'],
  ['args-not-normalised', '"e\\u0301"', '"e\u0301"', 'Text is not normalised (DIG-8)'],
  ...(
    [
      ['0', '0'],
      ['-0', '0'],
      ['-0.0e5', '0'],
      ['1.0', '1'],
      ['10', '10'],
      ['1E2', '100'],
      ['-1.50', '-1.5'],
      ['0.1', '0.1'],
      ['1e-6', '0.000001'],
      ['1e-7', '1e-7'],
      ['123e-9', '1.23e-7'],
      ['0.000001234', '0.000001234'],
      ['5e-324', '5e-324'],
      ['2.2250738585072014e-308', '2.2250738585072014e-308'],
      ['333333333.33333329', '333333333.3333333'],
      ['9007199254740991', '9007199254740991'],
      ['-9007199254740991', '-9007199254740991'],
      ['9007199254740991.0', '9007199254740991'],
      ['4503599627370495.5', '4503599627370495.5'],
      ['0.30000000000000004', '0.30000000000000004'],
      ['0.3000000000000000444', '0.30000000000000004'],
      ['1e-400', '0'],
      ['9.5367431640625e-7', '9.5367431640625e-7'],
      // two texts of so many digits are as near: the even one
      ['228898527159871.125', '228898527159871.12'],
      ['562949953421312.25', '562949953421312.2'],
      ['562949953421312.75', '562949953421312.8'],
      ['1125899906842623.25', '1125899906842623.2'],
      ['281474976710655.875', '281474976710655.88'],
    ] as const
  ).map(
    ([written, form]): ArgsRow => [
      `args-number-${written.toLowerCase().replace(/^-/, 'minus-').replaceAll('-', 'm').replace('minusm', 'minus-').replaceAll('.', 'p')}`,
      `[${written}]`,
      `[${form}]`,
      `The number ${written} (DIG-8)`,
      { flags: ['numbers'] },
    ],
  ),
  ['args-integer-2-53', '{"n":9007199254740992}', { error: 'bad-integer' }, 'One beyond (DIG-9)', { flags: ['no-form'] }],
  ['args-integer-2-53-plus-1', '{"n":9007199254740993}', { error: 'bad-integer' }, 'An integer that no double holds (DIG-9)', { flags: ['no-form'] }],
  ['args-integer-below', '[[-9007199254740992]]', { error: 'bad-integer' }, 'The same below zero (DIG-9)', { flags: ['no-form'] }],
  ['args-integer-with-a-point', '[9007199254740992.0]', { error: 'bad-integer' }, 'However it is written (DIG-9)', { flags: ['no-form'] }],
  ['args-integer-with-an-exponent', '[1e21]', { error: 'bad-integer' }, 'However it is written (DIG-9)', { flags: ['no-form'] }],
  ['args-integer-huge', '[1e300]', { error: 'bad-integer' }, 'Every double beyond 2^53 is an integer (DIG-9)', { flags: ['no-form'] }],
  ['args-integer-rounded-up', '[9007199254740991.6]', { error: 'bad-integer' }, 'The double that it stands for is beyond (DIG-9)', { flags: ['no-form'] }],
  ['args-not-finite', '[1e400]', { error: 'not-plain-data' }, 'No finite double holds it (DIG-9)', { flags: ['no-form'] }],
  ['args-not-finite-below', '[-1e400]', { error: 'not-plain-data' }, 'No finite double holds it (DIG-9)', { flags: ['no-form'] }],
  ['args-lone-high', '{"a":"\\ud800"}', { error: 'lone-surrogate' }, 'Half a pair (DIG-11)', { flags: ['no-form'] }],
  ['args-lone-low', '["\\udc00\\ud800"]', { error: 'lone-surrogate' }, 'Two halves in the wrong order (DIG-11)', { flags: ['no-form'] }],
  ['args-lone-in-key', '{"\\ud800":1}', { error: 'lone-surrogate' }, 'Half a pair in a key (DIG-11)', { flags: ['no-form'] }],
  ['args-proto', '{"__proto__":1}', { error: 'forbidden-key' }, 'The key that some readers take for the prototype (DIG-11)', { flags: ['no-form'] }],
  ['args-proto-deep', '[{"a":{"__proto__":{}}}]', { error: 'forbidden-key' }, 'The same deep inside (DIG-11)', { flags: ['no-form'] }],
  ['args-key-twice', '{"path":"/a","path":"/b"}', { error: 'duplicate-key' }, 'A key that stands twice (DIG-11)', { flags: ['no-form'] }],
  [
    'args-key-twice-escaped',
    '{"path":"/a","p\\u0061th":"/a"}',
    { error: 'duplicate-key' },
    'A key that stands twice, spelled in two ways (DIG-11)',
    { flags: ['no-form'] },
  ],
  ['args-depth-33', `${'['.repeat(33)}${']'.repeat(33)}`, { error: 'limit' }, '33 levels (DIG-11)', { flags: ['no-form'] }],
  ['args-depth-32', `${'['.repeat(32)}${']'.repeat(32)}`, `${'['.repeat(32)}${']'.repeat(32)}`, '32 levels (DIG-11)'],
  ['args-no-json', "{'a':1}", { error: 'syntax' }, 'Not JSON (DIG-11)', { flags: ['no-form'] }],
];

function argsCase([id, json, form, comment, { flags = [], salt } = {}]: ArgsRow): Case {
  const input = { args_json: json, ...(salt !== undefined && { salt }) };
  const expect: Fields = typeof form === 'string' ? { form, args_digest: argsDigest(JSON.parse(form), salt) } : form;
  return { id, comment, flags, input, expect };
}

const tables = tableRows.map(
  ([id, document, comment, problem, flags = problem === undefined ? [] : ['closed-table']]): Case => ({
    id,
    comment,
    flags,
    input: { document },
    expect: problem === undefined ? { mapping_digest: mappingDigest(JSON.parse(document)) } : { error: problem[0], where: { pointer: problem[1] } },
  }),
);

const table = (server?: string, tool = 't'): Fields => ({
  format: 'ruleprint-mapping/1',
  ...(server !== undefined && { server }),
  tools: { [tool]: { actions: [] } },
});

/** In the order of the digest already. */
const together: readonly (readonly [id: string, ordered: readonly Json[], given: readonly Json[], comment: string])[] = [
  ['mapping-several', [table('a'), table('b')], [table('a'), table('b')], 'Two tables are digested as a list (DIG-12)'],
  ['mapping-several-turned', [table('a'), table('b')], [table('b'), table('a')], 'and are a set (DIG-12)'],
  ['mapping-several-any', [table(), table('a')], [table('a'), table()], 'The table without a server stands in front (DIG-12)'],
  ['mapping-several-utf-8', [table('\uffff'), table('\u{10000}')], [table('\u{10000}'), table('\uffff')], 'Servers are sorted by UTF-8 bytes (DIG-12)'],
  ['mapping-alone', [table('a')], [table('a')], 'One table is no list (DIG-12)'],
];

const groups: readonly Group[] = [
  { name: 'arguments', source: 'spec/digest.md', cases: args.map(argsCase) },
  { name: 'tables', source: 'spec/mapping.md', cases: tables },
  {
    name: 'tables together',
    source: 'spec/digest.md',
    cases: together.map(([id, ordered, given, comment]) => ({
      id,
      comment,
      flags: [],
      input: { tables: given },
      expect: { mapping_digest: mappingDigest(ordered.length === 1 ? ordered[0] : ordered) },
    })),
  },
  { name: 'calls', source: 'spec/mapping.md', cases: callRows },
];

export function mappingVectors(): VectorFile {
  return topic('mapping', notes, groups);
}
