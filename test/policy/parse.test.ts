import { describe, expect, it } from 'vitest';
import { RuleprintError, type Problem } from '../../src/errors.js';
import { copyPolicy } from '../../src/policy/copy.js';
import { checkPolicy, parsePolicy } from '../../src/policy/parse.js';
import { policyOf, ruleOf } from './kit.js';

const json = (text: string, file?: string): readonly Problem[] => problems(checkPolicy(text, { format: 'json', ...(file !== undefined && { file }) }));
const yaml = (text: string): readonly Problem[] => problems(checkPolicy(text, { format: 'yaml' }));
const problems = (result: ReturnType<typeof checkPolicy>): readonly Problem[] => ('problems' in result ? result.problems : []);
const places = (found: readonly Problem[]): unknown[] => found.map(({ code, where }) => ({ code, ...where }));

describe('POL-17: a refusal names its place', () => {
  const text = `{
  "version": 0,
  "rules": [
    { "name": "\u{1f600}é", "effect": "audit", "agents": "any", "action": { "tool": { "server": "s", "nane": "n" } } }
  ]
}`;
  const at = (piece: string): number => text.indexOf(piece);

  it('in JSON: pointer, line, column and offset, in UTF-16 code units', () => {
    expect(places(json(text))).toEqual([
      { code: 'bad-value', pointer: '/version', line: 2, column: 14, offset: at('0,') },
      // the smiling face before it is two code units
      { code: 'bad-value', pointer: '/rules/0/effect', line: 4, column: at('"audit"') - at('    { "name"') + 1, offset: at('"audit"') },
      // a missing key is placed at the object that lacks it
      { code: 'missing-key', pointer: '/rules/0/action/tool', line: 4, column: at('{ "server"') - at('    { "name"') + 1, offset: at('{ "server"') },
      // an unknown key at itself
      { code: 'unknown-key', pointer: '/rules/0/action/tool/nane', line: 4, column: at('"nane"') - at('    { "name"') + 1, offset: at('"nane"') },
    ]);
  });

  it('in YAML: pointer, line, column and offset, in UTF-16 code units', () => {
    const source = 'version: 0\nrules:\n  - name: "\u{1f600}é"\n    effect: audit\n    agents: any\n    action:\n      tool: { server: s, nane: n }\n';
    const index = (piece: string): number => source.indexOf(piece);
    expect(places(yaml(source))).toEqual([
      { code: 'bad-value', pointer: '/version', line: 1, column: 10, offset: index('0') },
      { code: 'bad-value', pointer: '/rules/0/effect', line: 4, column: 13, offset: index('audit') },
      { code: 'missing-key', pointer: '/rules/0/action/tool', line: 7, column: 13, offset: index('{ server') },
      { code: 'unknown-key', pointer: '/rules/0/action/tool/nane', line: 7, column: 26, offset: index('nane') },
    ]);
  });

  it('in the bytes of a text as in the text', () => {
    expect(problems(checkPolicy(new TextEncoder().encode(text), { format: 'json' }))).toEqual(json(text));
  });

  it('counts a line at each line feed, also behind a carriage return', () => {
    expect(places(json('{\r\n"version":1,\r\n"rules":[],"x":1}'))).toEqual([{ code: 'unknown-key', pointer: '/x', line: 3, column: 12, offset: 28 }]);
  });

  it('in an object: the pointer alone, since it has no text', () => {
    expect(() => copyPolicy(policyOf(ruleOf({ name: '' })))).toThrow(RuleprintError);
    try {
      copyPolicy(policyOf(ruleOf({ name: '' })));
    } catch (error) {
      expect((error as RuleprintError).where).toEqual({ pointer: '/rules/0/name' });
    }
  });

  it('points at the place where the text stops to be JSON', () => {
    expect(places(json('{"version":1,\n"rules":[],}'))).toMatchObject([{ code: 'syntax', line: 2, column: 12, offset: 25 }]);
    expect(places(json('{"version":1,\n"rules" []}'))).toMatchObject([{ code: 'syntax', line: 2, column: 9, offset: 22 }]);
  });

  it('points at the place where the text stops to be YAML', () => {
    expect(places(yaml('version: 1\nrules: [\n'))).toMatchObject([{ code: 'syntax', line: expect.any(Number), column: expect.any(Number) }]);
  });

  it('points at the bracket that is one too deep', () => {
    expect(places(json(`{"version":1,\n"rules":${'['.repeat(40)}`))).toMatchObject([{ code: 'limit', line: 2, column: 9 + 31, offset: 13 + 1 + 8 + 31 }]);
  });

  it('with the file where there is one, for messages that an editor opens', () => {
    expect(json('{}', 'policies/a.json').map(({ where }) => where.file)).toEqual(['policies/a.json', 'policies/a.json']);
    expect(json('{', 'a.json').map(({ where }) => where.file)).toEqual(['a.json']);
    expect(json('{}')[0]?.where).not.toHaveProperty('file');
  });

  it('reports all problems of a document in document order, whatever found them', () => {
    const rule = '{"name":"a","name":"a","effect":"no","agents":"any","action":{},"__proto__":0}';
    const all = json(`{"version":1.5,"x":1,"rules":[${rule}],"rules2":0}`);
    const offsets = all.map(({ where }) => where.offset ?? -1);
    expect(all.map(({ code }) => code)).toEqual(['bad-integer', 'unknown-key', 'duplicate-key', 'bad-value', 'exactly-one', 'forbidden-key', 'unknown-key']);
    expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
  });

  it('reports 100 problems at the most, in document order', () => {
    const unknown = (count: number): readonly Problem[] => json(`{"version":1,"rules":[],${Array.from({ length: count }, (_, i) => `"k${i}":0`).join(',')}}`);
    expect(unknown(100)).toHaveLength(100);
    expect(unknown(101).map(({ where }) => where.pointer)).toEqual(Array.from({ length: 100 }, (_, i) => `/k${i}`));
  });

  it('throws the first and carries all', () => {
    try {
      parsePolicy('{"version":0,"rules":[],"x":1}', { format: 'json' });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(RuleprintError);
      expect(error).toMatchObject({ name: 'RuleprintError', code: 'bad-value', where: { pointer: '/version', line: 1, column: 12, offset: 11 } });
      expect((error as RuleprintError).problems.map(({ code }) => code)).toEqual(['bad-value', 'unknown-key']);
    }
  });

  it('says what it expected and what it got in one line, with what the author wrote escaped', () => {
    const [problem] = json(JSON.stringify({ version: 1, rules: [], 'a\n\u001b[31m\u202eb': 1 }));
    expect(problem?.message).toMatch(/^[\x20-\x7e]+$/);
    expect(problem?.message).toContain('\\u001b');
  });

  it('hints at the field that was meant', () => {
    expect(json('{"version":1,"rules":[],"versions":1}')[0]?.hint).toContain('"version"');
  });
});

describe('checkPolicy', () => {
  it('answers with the policy of parsePolicy, or with the problems, and throws for no data', () => {
    const text = JSON.stringify(policyOf(ruleOf()));
    expect(checkPolicy(text, { format: 'json' })).toEqual({ policy: parsePolicy(text, { format: 'json' }) });
    for (const bad of ['', '{', '[]', '\ufeff', '['.repeat(100)]) {
      expect(checkPolicy(bad, { format: 'json' })).toHaveProperty('problems');
      expect(checkPolicy(bad, { format: 'yaml' })).toHaveProperty('problems');
    }
    expect(checkPolicy(Uint8Array.of(0xff), { format: 'json' })).toHaveProperty('problems');
  });
});
