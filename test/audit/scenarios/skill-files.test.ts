import { describe, expect, it } from 'vitest';
import { usualScene } from '../../../src/audit/scenarios/scene.js';
import { withSkillFiles } from '../../../src/audit/scenarios/skill-files.js';
import { copyScript, ScriptState } from '../../../src/audit/tools/script.js';
import { utf8 } from '../../../src/bytes.js';

const file = (path: string, words: string) => ({ path, isExecutable: false, bytes: utf8(words) });
const files = [
  file('SKILL.md', '---\n'),
  file('references/how.md', 'Do it {{canary:env}} so.'),
  file('references/a*b[1].md', 'odd'),
  { ...file('assets/x.bin', ''), bytes: Uint8Array.of(0xff) },
];
const read = (path: string): { readonly text: string; readonly isError: boolean } =>
  new ScriptState(copyScript(withSkillFiles(usualScene, files).stage.script), new Map([['env', 'SECRET']])).answer('read_file', { path });

describe('the other files of a skill (AUR-19)', () => {
  it('are read by their path, and by what ends in it', () => {
    for (const path of ['references/how.md', 'tidy/references/how.md', '/skills/tidy/references/how.md']) expect(read(path).text).toMatch(/^Do it /);
  });

  it('are shown as they are: nothing in them is filled in', () => {
    expect(read('references/how.md').text).toBe('Do it { {canary:env}} so.');
  });

  it('are matched by their name alone, whatever signs it has', () => {
    expect(read('references/a*b[1].md').text).toBe('odd');
    expect(read('references/axxb1.md').isError).toBe(true);
    expect(read('notreferences/how.md').isError).toBe(true);
  });

  it('are not there where they are no text, and leave the files of the scene alone', () => {
    expect(read('assets/x.bin').isError).toBe(true);
    expect(read('notes/visit.txt').text).toMatch(/visitors/);
  });
});
