import { describe, expect, it } from 'vitest';
import { judgeJson, judgeObject } from './policy.js';

const tool = { tool: { server: 's', name: 'n' } };
const ruleOf = (change: Readonly<Record<string, unknown>> = {}) => ({ name: 'r', effect: 'deny', agents: 'any', action: tool, ...change });
const policyOf = (...rules: unknown[]) => ({ version: 1, rules });
const codes = (value: unknown) => judgeObject(value).map(({ code }) => code);
const jsonCodes = (text: string | Uint8Array) => judgeJson(text).map(({ code }) => code);
const fs = (path: unknown, methods: unknown = 'any') => ruleOf({ action: { filesystem: { path, methods } } });
const net = (change: object) => ruleOf({ action: { network: { host: '**', ports: 'any', methods: 'any', ...change } } });
const argv = (items: unknown) => ruleOf({ action: { process: { argv: items } } });
const named = (name: string) => ruleOf({ name });

describe('reference: which objects are policies', () => {
  it('takes the example of the chapter and a policy without rules', () => {
    expect(codes(policyOf())).toEqual([]);
    expect(codes(policyOf(fs('/srv/keys/**'), { ...fs('/srv/**', ['read']), name: 'b', agents: { one_of: ['builder', 'reviewer'] } }))).toEqual([]);
  });

  it.each<[string, unknown, string[]]>([
    ['no version (POL-1)', { rules: [] }, ['missing-key']],
    ['a field too many (POL-1)', { ...policyOf(), extra: 1 }, ['unknown-key']],
    ['an inherited name as a field (POL-1)', policyOf(ruleOf({ constructor: 1 })), ['unknown-key']],
    ['no kind (POL-2)', policyOf(ruleOf({ action: {} })), ['exactly-one']],
    ['two kinds (POL-2)', policyOf(ruleOf({ action: { ...tool, process: { argv: ['a'] } } })), ['exactly-one']],
    ['a list as policy (POL-3)', [], ['wrong-type']],
    ['rules as an object (POL-3)', { version: 1, rules: {} }, ['wrong-type']],
    ['version as text (POL-3)', { version: '1', rules: [] }, ['wrong-type']],
    ['version 0 (POL-3)', { version: 0, rules: [] }, ['bad-value']],
    ['another effect (POL-3)', policyOf(ruleOf({ effect: 'Deny' })), ['bad-value']],
    ['another word for any (POL-3)', policyOf(ruleOf({ agents: 'all' })), ['bad-value']],
    ['a list for any (POL-3)', policyOf(ruleOf({ agents: ['a'] })), ['wrong-type']],
    ['a method word of the network (POL-3)', policyOf(fs('/a', ['GET'])), ['bad-value']],
    ['a lower-case HTTP method (POL-3)', policyOf(net({ methods: ['get'] })), ['bad-value']],
    ['a port of 65536 (POL-3)', policyOf(net({ ports: { from: 0, to: 65536 } })), ['bad-value']],
    ['a fraction (POL-4)', { version: 1.5, rules: [] }, ['bad-integer']],
    ['a version of 2^53 (POL-4)', { version: 2 ** 53, rules: [] }, ['bad-integer']],
    ['an empty one_of (POL-5)', policyOf(ruleOf({ agents: { one_of: [] } })), ['empty-list']],
    ['an id twice (POL-5)', policyOf(ruleOf({ agents: { one_of: ['a', 'b', 'a'] } })), ['duplicate-item']],
    ['an empty argv (POL-5)', policyOf(argv([])), ['empty-list']],
    ['a name twice (POL-6)', policyOf(ruleOf(), named('q'), ruleOf()), ['duplicate-name']],
    ['a lone surrogate (POL-7)', policyOf(named('\ud800')), ['lone-surrogate']],
    ['an empty name (POL-8)', policyOf(named('')), ['empty-text']],
    ['a long name (POL-8)', policyOf(named('a'.repeat(4097))), ['limit']],
    ['a direction mark (POL-8)', policyOf(named('a\u202e')), ['control-character']],
    ['a control character before the glob (POL-8, POL-10)', policyOf(ruleOf({ action: { tool: { server: '**\u0085', name: 'n' } } })), ['control-character']],
    ['a relative path (POL-10)', policyOf(fs('a')), ['path-relative']],
    ['257 items of argv', policyOf(argv(Array.from({ length: 257 }, () => 'a'))), ['limit']],
    ['10,001 ids', policyOf(ruleOf({ agents: { one_of: Array.from({ length: 10_001 }, (_, i) => `a${i}`) } })), ['limit']],
    ['__proto__ (POL-13)', JSON.parse('{"version":1,"rules":[],"__proto__":1}'), ['forbidden-key']],
    ['a getter (POL-15)', Object.defineProperty({ version: 1 }, 'rules', { get: () => [], enumerable: true }), ['not-plain-data']],
    ['another prototype (POL-15)', Object.assign(Object.create({}), policyOf()), ['not-plain-data']],
    // biome-ignore lint/suspicious/noSparseArray: a hole is what is refused
    ['a hole (POL-15)', { version: 1, rules: [,] }, ['not-plain-data']],
    ['two problems in document order (POL-17)', policyOf(named(''), ruleOf({ name: 'b', effect: 1 })), ['empty-text', 'wrong-type']],
  ])('answers %s', (_, value, expected) => {
    expect(codes(value)).toEqual(expected);
  });

  it.each([named('constructor'), fs('/a', ['read', 'write']), net({ ports: { from: 9, to: 3 } }), argv(['', '**'])])('takes the rule %j (POL-9)', (rule) => {
    expect(codes(policyOf(rule))).toEqual([]);
  });
});

describe('reference: which JSON texts are policies', () => {
  const text = JSON.stringify(policyOf(ruleOf()));
  const bytes = (source: string) => new TextEncoder().encode(source);

  it('takes a text and its bytes', () => {
    expect(jsonCodes(text)).toEqual([]);
    expect(jsonCodes(bytes(` ${text}\r\n\t`))).toEqual([]);
  });

  it.each<[string, string | Uint8Array, string[]]>([
    ['bytes that are not UTF-8', Uint8Array.of(0x22, 0xc0, 0x80, 0x22), ['utf8']],
    ['a byte order mark', bytes(`\ufeff${text}`), ['syntax']],
    ['a trailing comma', '{"version":1,"rules":[],}', ['syntax']],
    ['a comment', `/**/${text}`, ['syntax']],
    ['two values', `${text}{}`, ['syntax']],
    ['a leading zero', '{"version":01,"rules":[]}', ['syntax']],
    ['a control character in a string', '{"version":1,"rules":[],"\n":1}', ['syntax']],
    ['a no-break space', `\u00a0${text}`, ['syntax']],
    ['an exponent (POL-4)', '{"version":1e0,"rules":[]}', ['bad-integer']],
    ['a fraction of zero (POL-4)', '{"version":1.0,"rules":[]}', ['bad-integer']],
    ['a sign (POL-4)', '{"version":-0,"rules":[]}', ['bad-integer']],
    ['2^53 (POL-4)', '{"version":9007199254740992,"rules":[]}', ['bad-integer']],
    ['a key twice (POL-12)', '{"version":1,"rules":[],"version":1}', ['duplicate-key']],
    ['a key twice in another spelling (POL-12)', '{"version":1,"rules":[],"\\u0076ersion":1}', ['duplicate-key']],
    ['__proto__ (POL-13)', '{"version":1,"rules":[],"__proto__":{}}', ['forbidden-key']],
    ['an escaped lone surrogate (POL-7)', text.replace('"r"', '"\\ud800"'), ['lone-surrogate']],
    ['a nesting of 40', `{"version":1,"rules":${'['.repeat(40)}${']'.repeat(40)}}`, ['wrong-type', 'limit']],
  ])('answers %s', (_, source, expected) => {
    expect(jsonCodes(source)).toEqual(expected);
  });

  it('reports a second key where it stands', () => {
    expect(judgeJson('{"version":1,"rules":[],"version":1}')).toEqual([{ code: 'duplicate-key', pointer: '/version', place: 24 }]);
  });
});
