import { describe, expect, it } from 'vitest';
import { limits } from '../../src/limits.js';
import { checkPolicy, parsePolicy } from '../../src/policy/parse.js';
import { problemsOf, refused } from './kit.js';

/** The example of the chapter. */
const example = `version: 1
rules:
  - name: no-keys
    effect: deny
    agents: any
    action: { filesystem: { path: "/srv/keys/**", methods: any } }
  - name: read-srv
    effect: allow
    agents: { one_of: ["builder", "reviewer"] }
    action: { filesystem: { path: "/srv/**", methods: [read] } }
`;
const asObject = {
  version: 1,
  rules: [
    { name: 'no-keys', effect: 'deny', agents: 'any', action: { filesystem: { path: '/srv/keys/**', methods: 'any' } } },
    { name: 'read-srv', effect: 'allow', agents: { one_of: ['builder', 'reviewer'] }, action: { filesystem: { path: '/srv/**', methods: ['read'] } } },
  ],
};

const yaml = (text: string): unknown => parsePolicy(text, { format: 'yaml' });
const problems = (text: string | Uint8Array): unknown[] => problemsOf(text, 'yaml');
const codes = (text: string | Uint8Array): unknown[] => problemsOf(text, 'yaml').map(({ code }) => code);
/** The example with one piece replaced. */
const edited = (from: string, to: string): string => {
  expect(example).toContain(from);
  return example.replace(from, () => to);
};

describe('a policy in YAML', () => {
  it('is what the same policy in JSON is', () => {
    expect(yaml(example)).toEqual(asObject);
    expect(yaml(example)).toEqual(parsePolicy(JSON.stringify(asObject), { format: 'json' }));
  });

  it.each<[string, string]>([
    ['comments', edited('    agents: any\n', '    agents: any # all of them\n')],
    ['plain, single and double quoted text', edited('name: no-keys', '\'name\': "no-keys"')],
    ['a start mark', `---\n${example}`],
    ['blank lines', example.replaceAll('\n', '\n\n')],
    ['CRLF line ends', example.replaceAll('\n', '\r\n')],
    ['no line feed at the end', example.trimEnd()],
    ['an escape in double quotes', edited('"builder"', '"b\\u0075ilder"')],
    ['block text', edited('name: no-keys', 'name: >-\n      no-keys')],
    ['flow style across lines', edited('["builder", "reviewer"]', '[\n      "builder",\n      "reviewer",\n      ]')],
    ['an explicit key', edited('    effect: deny\n', '    ? effect\n    : deny\n')],
  ])('may use %s, which hide nothing', (_, text) => {
    expect(yaml(text)).toEqual(asObject);
  });

  it('keeps text that only other YAML versions read as something else', () => {
    expect(yaml(edited('name: no-keys', 'name: no'))).toMatchObject({ rules: [{ name: 'no' }, {}] });
    expect(yaml(edited('name: no-keys', 'name: 12:30:45'))).toMatchObject({ rules: [{ name: '12:30:45' }, {}] });
    expect(yaml(edited('name: no-keys', 'name: 2001-12-14'))).toMatchObject({ rules: [{ name: '2001-12-14' }, {}] });
  });
});

describe('POL-14: what surprises in YAML is closed', () => {
  it.each<[string, string]>([
    ['an anchor', edited('agents: any', 'agents: &all any')],
    ['an anchor on a mapping', edited('action: { filesystem: { path: "/srv/keys/**"', 'action: &a { filesystem: { path: "/srv/keys/**"')],
    ['an alias', edited('agents: any', 'agents: *all')],
    ['an alias in a flow list', edited('["builder", "reviewer"]', '[*builder]')],
    ['an alias as a key', edited('    agents: any', '    *agents : any')],
    ['an explicit core tag', edited('name: no-keys', 'name: !!str no-keys')],
    ['a local tag', edited('name: no-keys', 'name: !name no-keys')],
    ['a verbatim tag', edited('name: no-keys', 'name: !<tag:yaml.org,2002:str> no-keys')],
    ['the non-specific tag', edited('name: no-keys', 'name: ! no-keys')],
    ['a tag on a list', edited('["builder", "reviewer"]', '!!set ["builder", "reviewer"]')],
    ['binary', edited('name: no-keys', 'name: !!binary bm8=')],
    ['a version directive', `%YAML 1.2\n---\n${example}`],
    ['the version directive of YAML 1.1, which reads "no" as false', `%YAML 1.1\n---\n${example}`],
    ['a tag directive', `%TAG ! tag:example.com,2026:\n---\n${example}`],
    ['an unknown directive', `%FOO bar\n---\n${example}`],
    ['a second document', `${example}---\nversion: 2\nrules: []\n`],
    ['an empty second document', `${example}---\n`],
    ['an end mark', `${example}...\n`],
    ['a merge key', edited('  - name: no-keys\n', '  - <<: { name: no-keys }\n')],
    ['a merge key of a list', edited('  - name: no-keys\n', '  - <<: [{ name: no-keys }]\n')],
    ['a number as a key', edited('    agents: any', '    1: any')],
    ['a boolean as a key', edited('    agents: any', '    true: any')],
    ['null as a key', edited('    agents: any', '    null: any')],
    ['nothing as a key', edited('    agents: any', '    : any')],
    ['a list as a key', edited('    agents: any', '    ? [agents]\n    : any')],
    ['a mapping as a key', edited('    agents: any', '    ? { agents: all }\n    : any')],
  ])('refuses %s', (_, text) => {
    expect(codes(text)).toContain('yaml-feature');
    expect(checkPolicy(text, { format: 'yaml' })).toHaveProperty('problems');
  });

  it.each<[string, string]>([
    ['a carriage return without a line feed', '\r'],
    ['a line feed in front of a carriage return', '\n\r'],
    ['a next-line character', '\u0085'],
    ['a line separator', '\u2028'],
    ['a paragraph separator', '\u2029'],
    ['a byte order mark further in', '\ufeff'],
    ['NUL', '\0'],
    ['a backspace', '\b'],
    ['a form feed', '\f'],
    ['an escape character', '\u001b'],
    ['DEL', '\u007f'],
    ['U+009F', '\u009f'],
  ])('refuses %s anywhere, because readers differ on which of these end a line', (_, character) => {
    for (const text of [
      edited('"/srv/keys/**"', `"/srv/${character}keys/**"`),
      `${example}# ${character}x\n`,
      edited('name: no-keys', `name: no${character}keys`),
    ]) {
      expect(codes(text)).toContain('yaml-feature');
    }
  });

  it('takes a tab inside a text, and the neighbours of what is refused', () => {
    for (const character of ['\t', '\u00a0', '\u2027', '\u202f', '\ufefe', '~']) {
      expect(problems(edited('"/srv/keys/**"', `"/srv/${character}keys/**"`))).toEqual([]);
    }
  });

  it('says to quote an unquoted star, the first thing that a newcomer types', () => {
    const text = edited('{ filesystem: { path: "/srv/keys/**", methods: any } }', '{ tool: { server: *, name: "*" } }');
    const [problem] = (checkPolicy(text, { format: 'yaml' }) as { problems: readonly { code: string; hint?: string }[] }).problems;
    expect(problem).toMatchObject({ code: 'yaml-feature', hint: expect.stringContaining('quote it') });
  });

  it('reports every feature at its place, because a person mends them all at once', () => {
    const result = checkPolicy('version: &v 1\nrules: !!seq []\n', { format: 'yaml' });
    expect(result).toMatchObject({
      problems: [
        { code: 'yaml-feature', where: { line: 1, column: 10, offset: 9 } },
        { code: 'yaml-feature', where: { line: 2, column: 8, offset: 21 } },
      ],
    });
  });

  it('takes what only looks like a feature inside quotes', () => {
    expect(yaml(edited('name: no-keys', "name: '*&!%<<'"))).toMatchObject({ rules: [{ name: '*&!%<<' }, {}] });
    expect(yaml(edited('name: no-keys', 'name: "--- ... %YAML"'))).toMatchObject({ rules: [{ name: '--- ... %YAML' }, {}] });
    expect(yaml(edited('name: no-keys', 'name: a*b&c!d'))).toMatchObject({ rules: [{ name: 'a*b&c!d' }, {}] });
  });
});

describe('POL-11: YAML is UTF-8 and one document of YAML 1.2', () => {
  it.each<[string, string]>([
    ['a tab as indentation', 'version: 1\nrules:\n\t- name: a\n'],
    ['a list that does not end', 'version: 1\nrules: [\n'],
    ['a mapping that does not end', 'version: 1\nrules: {\n'],
    ['a quote that does not end', 'version: 1\nrules: "abc\n'],
    ['an escape that is none', 'version: 1\nrules: "\\q"\n'],
    ['a mapping inside plain text', 'version: 1\nrules: a: b\n'],
    ['indentation that fits nothing', 'version: 1\n  rules: []\n'],
    ['text behind a quoted value', 'version: 1\nrules: "a" b\n'],
    ['a reserved character', 'version: 1\nrules: @a\n'],
    ['a backquote', 'version: 1\nrules: `a`\n'],
  ])('refuses %s', (_, text) => {
    expect(codes(text)).toEqual(['syntax']);
  });

  it('refuses bytes that are not UTF-8, and a byte order mark', () => {
    expect(codes(Uint8Array.from([0x61, 0xff]))).toEqual(['utf8']);
    expect(codes(`\ufeff${example}`)).toEqual(['syntax']);
    expect(codes(new TextEncoder().encode(`\ufeff${example}`))).toEqual(['syntax']);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['a comment alone', '# nothing\n'],
    ['a start mark alone', '---\n'],
    ['null', 'null\n'],
    ['plain text', 'version\n'],
  ])('refuses %s as no policy', (_, text) => {
    expect(problems(text)).toEqual([{ code: 'wrong-type', pointer: '' }]);
  });
});

describe('POL-12, POL-13: keys in YAML', () => {
  it.each<[string, string, string]>([
    ['at the top', `${example}version: 1\n`, '/version'],
    ['in a rule', edited('    effect: deny\n', '    effect: deny\n    effect: allow\n'), '/rules/0/effect'],
    ['quoted once, because it is the same key', edited('    effect: deny\n', '    effect: deny\n    "effect": allow\n'), '/rules/0/effect'],
    ['in flow style', edited('methods: any }', 'methods: any, methods: [read] }'), '/rules/0/action/filesystem/methods'],
  ])('refuses a key that stands twice %s', (_, text, pointer) => {
    expect(problems(text)).toEqual([{ code: 'duplicate-key', pointer }]);
  });

  it('reports the second of two keys', () => {
    expect(refused(() => yaml('version: 1\nrules: []\nversion: 2\n')).where).toMatchObject({ line: 3, column: 1, offset: 21 });
  });

  it.each<[string, string, string]>([
    ['at the top', `${example}__proto__: {}\n`, '/__proto__'],
    ['quoted', `${example}"__proto__": {}\n`, '/__proto__'],
    ['written with an escape', `${example}"\\x5f_proto__": {}\n`, '/__proto__'],
    ['in a rule', edited('    agents: any\n', '    agents: any\n    __proto__: { effect: allow }\n'), '/rules/0/__proto__'],
  ])('refuses __proto__ %s', (_, text, pointer) => {
    expect(problems(text)).toEqual([{ code: 'forbidden-key', pointer }]);
  });
});

describe('POL-3, POL-4: values in YAML', () => {
  const version = (written: string): string => `version: ${written}\nrules: []\n`;

  it.each(['01', '+1', '-1', '-0', '0x10', '0o17', '1.0', '1e3', '1.', '.5', '.inf', '-.inf', '.nan', '9007199254740992', '99999999999999999999'])(
    'refuses the number %s, because two texts would become one number',
    (written) => {
      expect(problems(version(written))).toEqual([{ code: 'bad-integer', pointer: '/version' }]);
    },
  );

  it.each(['"1"', "'1'", 'one', '1_000', '0b1', '~', 'null', '', 'true', 'False', '[1]', '{}', '1 2'])('refuses %s as no number', (written) => {
    expect(problems(version(written))).toEqual([{ code: 'wrong-type', pointer: '/version' }]);
  });

  it.each(['yes', 'on', 'null', '~', 'true', '1', '1.5'])('reads %s as YAML 1.2 does, so that a name needs quotes where it is no text', (written) => {
    const isText = written === 'yes' || written === 'on';
    const text = edited('name: no-keys', `name: ${written}`);
    expect(checkPolicy(text, { format: 'yaml' })).toHaveProperty(isText ? 'policy' : 'problems');
  });

  it('takes an escaped pair of surrogates as its code point and refuses one alone (POL-7)', () => {
    expect(problems(edited('name: no-keys', 'name: "\\ud800"'))).toEqual([{ code: 'lone-surrogate', pointer: '/rules/0/name' }]);
    expect(yaml(edited('name: no-keys', 'name: "\\U0001F600"'))).toMatchObject({ rules: [{ name: '\u{1f600}' }, {}] });
  });
});

describe('the size and the depth of a YAML document', () => {
  const base = 'version: 1\nrules: []\n#';

  it('takes 4 MiB and not one byte more', { timeout: 60_000 }, () => {
    const padded = (size: number): string => base + 'x'.repeat(size - base.length);
    expect(problems(padded(limits.yamlBytes))).toEqual([]);
    expect(codes(padded(limits.yamlBytes + 1))).toEqual(['limit']);
    expect(codes(new TextEncoder().encode(padded(limits.yamlBytes + 1)))).toEqual(['limit']);
  });

  it('counts bytes and not code units, so that a text and its bytes have one verdict', { timeout: 60_000 }, () => {
    const text = base + '\u20ac'.repeat(limits.yamlBytes / 3);
    expect(text.length).toBeLessThan(limits.yamlBytes);
    expect(codes(new TextEncoder().encode(text))).toEqual(['limit']);
    expect(codes(text)).toEqual(['limit']);
  });

  it.each<[string, (depth: number) => string]>([
    ['flow lists', (depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`],
    ['flow mappings', (depth) => `${'{a: '.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`],
    ['block lists', (depth) => `${'- '.repeat(depth)}a`],
    ['block lists on their own lines', (depth) => Array.from({ length: depth }, (_, i) => `${' '.repeat(i)}-\n`).join('')],
    ['block mappings', (depth) => Array.from({ length: depth }, (_, i) => `${' '.repeat(i)}a:\n`).join('')],
    ['block lists and mappings in turn', (depth) => Array.from({ length: depth / 2 }, (_, i) => `${' '.repeat(4 * i)}- a:\n`).join('')],
  ])('takes 32 levels of %s and not two more', (_, nested) => {
    expect(codes(nested(32))).not.toContain('limit');
    expect(codes(nested(34))).toEqual(['limit']);
  });

  it.each<[string, (depth: number) => string]>([
    ['flow lists', (depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`],
    ['block lists', (depth) => `${'- '.repeat(depth)}a`],
    ['block mappings', (depth) => Array.from({ length: depth }, (_, i) => `${' '.repeat(i)}a:\n`).join('')],
  ])('counts %s as JSON counts them', (_, nested) => {
    expect(codes(nested(33))).toEqual(['limit']);
  });
});
