import { describe, expect, it } from 'vitest';
import { allowedTools, checkSkill, parseSkill } from '../../../src/audit/subject/skill.js';
import { agentSubject, checkUnchanged, policySubject, skillSubject } from '../../../src/audit/subject/subject.js';
import type { TreeFile } from '../../../src/audit/subject/tree.js';
import { codeOf } from '../code-of.js';

const skill = (head: string, body = '# Steps\n'): string => `---\n${head}\n---\n${body}`;
const good = 'name: make-tea\ndescription: Makes tea. Use when someone is thirsty.';

describe('parseSkill', () => {
  it('gives the fields and what stands after them (AUD-17)', () => {
    const text = skill(`${good}\nlicense: MIT\nmetadata:\n  version: "1"\nallowed-tools: Read Bash(git add:*)`);
    expect(parseSkill(text, 'make-tea')).toEqual({
      frontmatter: {
        name: 'make-tea',
        description: 'Makes tea. Use when someone is thirsty.',
        license: 'MIT',
        metadata: { version: '1' },
        'allowed-tools': 'Read Bash(git add:*)',
      },
      body: '# Steps\n',
    });
  });

  it('takes carriage returns before line feeds, and a body of nothing (AUD-17)', () => {
    expect(parseSkill(skill(good).replaceAll('\n', '\r\n')).body).toBe('# Steps\r\n');
    expect(parseSkill(`---\n${good}\n---`).body).toBe('');
  });

  it.each([
    ['no fence', good, 'skill-frontmatter'],
    ['a space before the fence', ` ${skill(good)}`, 'skill-frontmatter'],
    ['no second fence', `---\n${good}\n`, 'skill-frontmatter'],
    ['a byte order mark', `\ufeff${skill(good)}`, 'syntax'],
    ['no name', skill('description: d'), 'missing-key'],
    ['no description', skill('name: a'), 'missing-key'],
    ['a field that the rules do not have', skill(`${good}\nhooks: x`), 'unknown-key'],
    ['a name with capitals', skill('name: Tea\ndescription: d'), 'bad-value'],
    ['a name with two hyphens', skill('name: a--b\ndescription: d'), 'bad-value'],
    ['a name that ends in a hyphen', skill('name: a-\ndescription: d'), 'bad-value'],
    ['a name with letters beyond a-z', skill('name: t\u00e9\ndescription: d'), 'bad-value'],
    ['a name of 65', skill(`name: ${'a'.repeat(65)}\ndescription: d`), 'bad-value'],
    ['an empty description', skill('name: a\ndescription: " "'), 'bad-value'],
    ['a description of 1,025', skill(`name: a\ndescription: ${'d'.repeat(1025)}`), 'bad-value'],
    ['a number in the metadata', skill(`${good}\nmetadata: { version: 1 }`), 'wrong-type'],
    ['a list of tools', skill(`${good}\nallowed-tools: [Read]`), 'wrong-type'],
    ['parentheses that do not close', skill(`${good}\nallowed-tools: Bash(git`), 'bad-value'],
    ['an anchor', skill(`name: &a tea\ndescription: d`), 'yaml-feature'],
    ['a key twice', skill(`${good}\nname: make-tea`), 'duplicate-key'],
    ['a list', skill('- a'), 'wrong-type'],
  ])('refuses %s (AUD-17)', (_, text, code) => {
    expect(codeOf(() => parseSkill(text))).toBe(code);
  });

  it('refuses another name than that of the folder (AUD-17)', () => {
    expect(codeOf(() => parseSkill(skill(good), 'tea'))).toBe('bad-value');
  });

  it('says where in the file, and all of it', () => {
    const found = checkSkill(skill('name: A\ndescription: d\nx: 1'));
    expect('problems' in found && found.problems.map(({ code, where }) => [code, where.file, where.line, where.column])).toEqual([
      ['bad-value', 'SKILL.md', 2, 7],
      ['unknown-key', 'SKILL.md', 4, 1],
    ]);
  });

  it('keeps the pattern of a tool in one piece, with the commas that people write between them (AUD-17)', () => {
    expect(allowedTools('Bash(git add:*), Read  Write,Bash(a (b) c)')).toEqual(['Bash(git add:*)', 'Read', 'Write', 'Bash(a (b) c)']);
    expect(allowedTools('')).toEqual([]);
  });
});

describe('subjects', () => {
  const file = (path: string, text: string, isExecutable = false): TreeFile => ({ path, isExecutable, bytes: new TextEncoder().encode(text) });
  const head = file('SKILL.md', skill(good));

  it('of a skill has the digest of its tree, and says what hides in it and whether it brings scripts (AUD-18)', () => {
    expect(skillSubject([head, file('references/Thumbs.db', 'x')], { folder: 'make-tea', source: 'https://example.com/tea' })).toMatchObject({
      kind: 'skill',
      name: 'make-tea',
      source: 'https://example.com/tea',
      fileCount: 2,
      hiddenFiles: [{ path: 'references/Thumbs.db', reason: 'junk-name' }],
      hasScripts: false,
    });
  });

  it.each([
    ['below scripts/', file('scripts/a.txt', 'x')],
    ['executable', file('a', 'x', true)],
    ['with #! in front', file('a', '#!/bin/sh')],
  ])('of a skill has scripts where a file is %s (AUD-18)', (_, script) => {
    expect(skillSubject([head, script]).hasScripts).toBe(true);
  });

  it('of a skill needs its SKILL.md at the root (AUD-17)', () => {
    expect(codeOf(() => skillSubject([file('skill.md', skill(good))]))).toBe('skill-missing');
    expect(codeOf(() => skillSubject([file('a/SKILL.md', skill(good))]))).toBe('skill-missing');
  });

  it('that changed by a byte, or is of another kind, voids the audit (AUD-18)', () => {
    const subject = skillSubject([head]);
    expect(codeOf(() => checkUnchanged(subject, skillSubject([head])))).toBeUndefined();
    expect(codeOf(() => checkUnchanged(subject, skillSubject([file('SKILL.md', skill(good, '# Steps \n'))])))).toBe('subject-changed');
    const policy = policySubject('p', { version: 1, rules: [] });
    expect(codeOf(() => checkUnchanged(policy, { ...agentSubject('p', ''), digest: policy.digest }))).toBe('subject-changed');
  });

  it('of an agent keeps its name and its prompt apart (AUD-18)', () => {
    expect(agentSubject('ab', 'c').digest).not.toBe(agentSubject('a', 'bc').digest);
    expect(agentSubject('a', '').digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(policySubject('p', { version: 1, rules: [] }).digest).toBe(policySubject('q', { version: 2, rules: [] }).digest);
  });
});
