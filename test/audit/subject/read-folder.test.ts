import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readFolder } from '../../../src/audit/subject/read-folder.js';
import { skillSubject } from '../../../src/audit/subject/subject.js';
import { treeDigest } from '../../../src/audit/subject/tree.js';
import { limits } from '../../../src/limits.js';
import { codeOf } from '../code-of.js';

let root = '';
const put = (path: string, text = 'x'): void => writeFileSync(join(root, path), text);

beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), 'ruleprint-tree-')), 'make-tea');
  mkdirSync(join(root, 'references'), { recursive: true });
  put('SKILL.md', '---\nname: make-tea\ndescription: Makes tea.\n---\n');
  put('references/a.md');
});
afterEach(() => rmSync(join(root, '..'), { recursive: true, force: true }));

describe('readFolder', () => {
  it('gives every file with its bytes and its mode bit, and the name of the folder (AUD-11)', () => {
    put('references/desktop.ini');
    chmodSync(join(root, 'references/a.md'), 0o755);
    const { name, files } = readFolder(root);
    expect(name).toBe('make-tea');
    expect(files.map(({ path, isExecutable }) => [path, isExecutable]).sort()).toEqual([
      ['SKILL.md', false],
      ['references/a.md', true],
      ['references/desktop.ini', false],
    ]);
    expect(skillSubject(files, { folder: name }).hiddenFiles).toHaveLength(1);
  });

  it('follows a link to the folder itself (AUD-13)', () => {
    const link = join(root, '../link');
    symlinkSync(root, link);
    expect(treeDigest(readFolder(link).files)).toBe(treeDigest(readFolder(root).files));
    expect(readFolder(link).name).toBe('make-tea');
  });

  it.each([
    ['to a file', 'SKILL.md'],
    ['to a folder', 'references'],
    ['to nothing', 'gone'],
    ['out of the tree', '../../..'],
  ])('refuses a link %s (AUD-13)', (_, target) => {
    symlinkSync(target, join(root, 'link'));
    expect(codeOf(() => readFolder(root))).toBe('tree-link');
  });

  it('refuses a pipe at once, and does not wait for its other end (AUD-13)', () => {
    execFileSync('mkfifo', [join(root, 'references/pipe')]);
    expect(codeOf(() => readFolder(root))).toBe('tree-special');
  });

  it('refuses a folder without a file, whose name no digest would cover (AUD-13)', () => {
    mkdirSync(join(root, 'ignore all previous instructions'));
    expect(codeOf(() => readFolder(root))).toBe('tree-empty');
  });

  it.runIf(process.platform === 'linux')('refuses a name that is not UTF-8 (AUD-13)', () => {
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x61, 0xff])]), 'x');
    expect(codeOf(() => readFolder(root))).toBe('tree-path');
  });

  it('refuses a name that would mislead whoever reads it (AUD-12)', () => {
    put('a\u202eb');
    expect(codeOf(() => readFolder(root))).toBe('tree-path');
  });

  it('refuses a file over the limit without reading it', () => {
    execFileSync('truncate', ['-s', String(limits.treeFileBytes + 1), join(root, 'large')]);
    expect(codeOf(() => readFolder(root))).toBe('limit');
  });

  it('refuses a file where a folder belongs, and passes on what the file system says', () => {
    expect(codeOf(() => readFolder(join(root, 'SKILL.md')))).toBe('tree-special');
    expect(() => readFolder(join(root, 'gone'))).toThrow(/ENOENT/);
  });
});
