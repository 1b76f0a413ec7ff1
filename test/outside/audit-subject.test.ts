/**
 * The trees of published skills: their hash as AbstractSkill records it, byte for byte, and their frontmatter by the published rules.
 * @module
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readFolder } from '../../src/audit/subject/read-folder.js';
import { readTools } from '../../src/audit/tools/schema.js';
import { hiddenChannel } from '../../src/audit/signals/hidden-channel.js';
import { squatStatic } from '../../src/audit/signals/squat.js';
import { skillSubject } from '../../src/audit/subject/subject.js';
import { interchangeHash, treeDigest } from '../../src/audit/subject/tree.js';
import { folder, load, outside } from './outside.js';

interface Vectors {
  readonly vectors: readonly { readonly dir: string; readonly files: number; readonly tree_hash: string; readonly recorded_upstream?: boolean }[];
}

outside('trees of skills', () => {
  const { vectors } = load<Vectors>('audit-data/skills/tree-hash-vectors.json');
  const trees = vectors.map((row) => ({ ...row, read: readFolder(join(folder, 'audit-data', row.dir)) }));

  it('are 13, and 11 of their hashes are recorded by those who made the hash', () => {
    expect([trees.length, trees.filter((row) => row.recorded_upstream).length]).toEqual([13, 11]);
  });

  it.each(trees)('$dir has its recorded hash', ({ files, tree_hash, read }) => {
    expect([read.files.length, interchangeHash(read.files)]).toEqual([files, tree_hash]);
  });

  it('have 13 digests of ours, and keep them apart where one more file hides from the recorded hash', () => {
    const digests = trees.map(({ read }) => treeDigest(read.files));
    expect(new Set(digests).size).toBe(13);
    for (const { tree_hash, read } of trees) {
      const more = [...read.files, { path: 'references/desktop.ini', isExecutable: false, bytes: new Uint8Array([0x21]) }];
      expect(interchangeHash(more)).toBe(tree_hash);
      expect(digests).not.toContain(treeDigest(more));
    }
  });

  it('have frontmatter by the rules, and nothing that hides', () => {
    const subjects = trees.map(({ read }) => skillSubject(read.files, { folder: read.name }));
    expect(subjects.flatMap(({ hiddenFiles }) => hiddenFiles)).toEqual([]);
    expect(subjects.filter(({ hasScripts }) => hasScripts)).toEqual([]);
  });

  it('have no hidden channel, and declare no name that looks like one of 44 tools', () => {
    const tools = ['tau-bench/airline-tools.json', 'tau-bench/retail-tools.json'].flatMap((file) => readTools(load<readonly unknown[]>(`audit-data/${file}`)));
    const more = readTools(load<readonly unknown[]>('audit-data/agentdojo/tools-v1.json'));
    const files = trees.flatMap(({ read }) => read.files);
    expect(hiddenChannel(files, [])).toEqual([]);
    expect(squatStatic(files, [...tools, ...more])).toEqual([]);
  });
});
