import { describe, expect, it } from 'vitest';
import { limits } from '../../src/limits.js';
import { parsePolicy } from '../../src/policy/parse.js';
import { problemsOf, refused, type Refusal } from './kit.js';

const good = '{"version":1,"rules":[]}';
const one = (code: string, pointer: string): unknown[] => [{ code, pointer }];
const codes = (text: string | Uint8Array): unknown[] => problemsOf(text).map(({ code }: Refusal) => code);
const bytes = (...parts: readonly (string | number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...new TextEncoder().encode(part)] : part)));

describe('POL-11: JSON is UTF-8 without a byte order mark', () => {
  it('reads the bytes and the text of a document as one policy', () => {
    expect(parsePolicy(bytes(good), { format: 'json' })).toEqual(parsePolicy(good, { format: 'json' }));
  });

  it.each<[string, number[]]>([
    ['a byte that begins nothing', [0xff]],
    ['a continuation alone', [0x80]],
    ['a character cut short', [0xe2, 0x82]],
    ['a character in more bytes than it needs', [0xc0, 0xaf]],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80]],
    ['a code point beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
  ])('refuses %s inside a string', (_, bad) => {
    expect(codes(bytes('{"version":1,"rules":[],"', bad, '":0}'))).toEqual(['utf8']);
  });

  it('refuses UTF-16', () => {
    const utf16 = Uint8Array.from([0xff, 0xfe, ...[...good].flatMap((char) => [char.charCodeAt(0), 0])]);
    expect(codes(utf16)).toEqual(['utf8']);
  });

  it('refuses a byte order mark, in bytes and in text', () => {
    expect(codes(bytes([0xef, 0xbb, 0xbf], good))).toEqual(['syntax']);
    expect(codes(`\ufeff${good}`)).toEqual(['syntax']);
  });
});

describe('POL-11: JSON is RFC 8259 text', () => {
  it.each<[string, string]>([
    ['nothing', ''],
    ['white space alone', ' \n'],
    ['a comment', '{"version":1,/* one */"rules":[]}'],
    ['a line comment', '{"version":1,"rules":[]} // end'],
    ['a comma at the end of an object', '{"version":1,"rules":[],}'],
    ['a comma at the end of a list', '{"version":1,"rules":[null,]}'],
    ['two commas', '{"version":1,,"rules":[]}'],
    ['no comma', '{"version":1 "rules":[]}'],
    ['no colon', '{"version" 1,"rules":[]}'],
    ['single quotes', "{'version':1,'rules':[]}"],
    ['keys without quotes', '{version:1,rules:[]}'],
    ['an object that does not end', '{"version":1,"rules":[]'],
    ['a string that does not end', '{"version":1,"rules'],
    ['a second value', `${good}${good}`],
    ['a bracket too many', `${good}]`],
    ['a line break inside a string', '{"version":1,"ru\nles":[]}'],
    ['a tab inside a string', '{"version":1,"ru\tles":[]}'],
    ['an escape that is none', '{"version":1,"rules":"\\x41"}'],
    ['a short Unicode escape', '{"version":1,"rules":"\\u41"}'],
    ['a word in upper case', '{"version":1,"rules":TRUE}'],
    ['undefined', '{"version":1,"rules":undefined}'],
    ['a no-break space between tokens', '{"version":1,\u00a0"rules":[]}'],
    ['a form feed between tokens', '{"version":1,\f"rules":[]}'],
    ['a line separator between tokens', '{"version":1,\u2028"rules":[]}'],
    ['YAML', 'version: 1\nrules: []\n'],
  ])('refuses %s', (_, text) => {
    expect(codes(text)).toEqual(['syntax']);
  });

  it('takes the white space of RFC 8259 around every token', () => {
    expect(problemsOf(' {\t"version"\n:\r1 ,\r\n"rules" : [ ] } ')).toEqual([]);
  });

  it('never guesses the format: YAML that is also JSON is read as what was named', () => {
    expect(parsePolicy(good, { format: 'yaml' })).toEqual(parsePolicy(good, { format: 'json' }));
    expect(codes('version: 1\nrules: []\n')).toEqual(['syntax']);
  });

  it.each(['toml', 'JSON', '', undefined, null])('refuses the format %s as misuse', (format) => {
    expect(() => parsePolicy(good, { format: format as 'json' })).toThrow(TypeError);
  });

  it.each([undefined, null, 1, {}, [], new ArrayBuffer(2)])('refuses a source that is neither text nor bytes as misuse: %s', (source) => {
    expect(() => parsePolicy(source as string, { format: 'json' })).toThrow(TypeError);
  });
});

describe('POL-12: no key twice', () => {
  it.each<[string, string, string]>([
    ['at the top', '{"version":1,"version":1,"rules":[]}', '/version'],
    ['with the same value, because a reader cannot know', '{"version":1,"rules":[],"rules":[]}', '/rules'],
    ['written with an escape, because it is the same key', '{"version":1,"rules":[],"ru\\u006ces":[]}', '/rules'],
    [
      'in a rule',
      '{"version":1,"rules":[{"name":"a","effect":"deny","effect":"allow","agents":"any","action":{"tool":{"server":"s","name":"n"}}}]}',
      '/rules/0/effect',
    ],
    [
      'in an action',
      '{"version":1,"rules":[{"name":"a","effect":"deny","agents":"any","action":{"tool":{"server":"s","name":"n","name":"m"}}}]}',
      '/rules/0/action/tool/name',
    ],
    [
      'as a second kind that would replace the first',
      '{"version":1,"rules":[{"name":"a","effect":"deny","agents":"any","action":{"tool":{"server":"s","name":"n"},"tool":{"server":"s","name":"m"}}}]}',
      '/rules/0/action/tool',
    ],
  ])('refuses a key that stands twice %s', (_, text, pointer) => {
    expect(problemsOf(text)).toEqual(one('duplicate-key', pointer));
  });

  it('reports it at the second, because the first is what a reader saw', () => {
    expect(refused(() => parsePolicy('{"version":1,"rules":[],"version":2}', { format: 'json' })).where).toMatchObject({ offset: 24, line: 1, column: 25 });
  });

  it('reports every one of three', () => {
    expect(problemsOf('{"version":1,"version":1,"version":1,"rules":[]}').map(({ code }) => code)).toEqual(['duplicate-key', 'duplicate-key']);
  });

  it('takes one key in two objects', () => {
    const rule = (name: string): string => `{"name":"${name}","effect":"deny","agents":"any","action":{"tool":{"server":"s","name":"n"}}}`;
    expect(problemsOf(`{"version":1,"rules":[${rule('a')},${rule('b')}]}`)).toEqual([]);
  });
});

describe('POL-13: __proto__', () => {
  it.each<[string, string, string]>([
    ['at the top', '{"version":1,"rules":[],"__proto__":null}', '/__proto__'],
    ['with an object that would become a prototype', '{"__proto__":{"version":1,"rules":[]},"version":1,"rules":[]}', '/__proto__'],
    ['written with an escape', '{"version":1,"rules":[],"\\u005f_proto__":{}}', '/__proto__'],
    [
      'in an action',
      '{"version":1,"rules":[{"name":"a","effect":"deny","agents":"any","action":{"tool":{"server":"s","name":"n"},"__proto__":{}}}]}',
      '/rules/0/action/__proto__',
    ],
    [
      'in agents',
      '{"version":1,"rules":[{"name":"a","effect":"deny","agents":{"one_of":["a"],"__proto__":[]},"action":{"tool":{"server":"s","name":"n"}}}]}',
      '/rules/0/agents/__proto__',
    ],
  ])('is refused %s', (_, text, pointer) => {
    expect(problemsOf(text)).toEqual(one('forbidden-key', pointer));
  });

  it('lends no field: what stands inside it does not count as there', () => {
    expect(problemsOf('{"__proto__":{"version":1,"rules":[]}}').map(({ code }) => code)).toContain('missing-key');
    expect(({} as { version?: number }).version).toBeUndefined();
  });
});

describe('the size and the depth of a JSON document', () => {
  it('takes 64 MiB and not one byte more', () => {
    // a byte order mark is seen behind the size, and before anything is read
    const sized = (size: number): Uint8Array => {
      const document = new Uint8Array(size);
      document.set([0xef, 0xbb, 0xbf]);
      return document;
    };
    expect(codes(sized(limits.jsonBytes))).toEqual(['syntax']);
    expect(codes(sized(limits.jsonBytes + 1))).toEqual(['limit']);
    expect(codes(`\ufeff${' '.repeat(limits.jsonBytes - 3)}`)).toEqual(['syntax']);
    expect(codes(`\ufeff${' '.repeat(limits.jsonBytes - 2)}`)).toEqual(['limit']);
  });

  const nested = (depth: number): string => `{"version":1,"rules":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

  it('takes 32 levels of nesting and not one more, whatever they hold', () => {
    expect(codes(nested(32))).not.toContain('limit');
    expect(codes(nested(33))).toEqual(['limit']);
    expect(codes(nested(32).replaceAll('[', '{"a":').replaceAll(']', '}').replace('{"a":}', '{}'))).not.toContain('limit');
  });

  it('counts no brackets inside strings', () => {
    expect(problemsOf(`{"version":1,"rules":[],"${'['.repeat(100)}":0}`)).toEqual(one('unknown-key', `/${'['.repeat(100)}`));
    expect(codes(`{"version":1,"rules":[],"\\"${'['.repeat(100)}":0}`)).toEqual(['unknown-key']);
  });
});
