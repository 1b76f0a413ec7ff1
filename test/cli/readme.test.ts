/**
 * The commands in README.md work as they stand there.
 * @module
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { read, root } from '../house/tree.js';
import { command, newFolder } from './cli.js';

describe('README.md', () => {
  const script = [...read('README.md').matchAll(/^```sh\n([\s\S]*?)^```/gm)]
    .map(([, text = '']) => text)
    .filter((text) => text.includes('ruleprint decide'))
    .join('\n');

  it('shows commands that can be typed one after another', () => {
    const words = command.map((word) => `'${word}'`).join(' ');
    const cwd = newFolder();
    const stdout = execFileSync('sh', ['-euc', `ruleprint() { ${words} "$@"; }\n${script}`], { cwd, encoding: 'utf8', timeout: 60_000 });
    expect(stdout).toMatch(/^valid, \d+ rules, (sha256:[0-9a-f]{64})\n\1\n\{"effect":"allow",/m);
    expect(stdout).toContain('\ngood: 1 receipt, asked and passed: bytes, signature, key trust, rules, re-decision\n');
    // the ledger: genesis, install, decision, up to a checkpoint
    expect(stdout).toMatch(/\ngood: 3 (receipts|entries), asked and passed: bytes, signature, key trust, order, completeness, timeline, rules, re-decision\n/);
  }, 60_000);

  it('shows an audit of a good and of a bad skill, with the lines that come out', () => {
    const [runs = '', checks = ''] = [...read('README.md').matchAll(/^```sh\n([\s\S]*?)^```/gm)]
      .map(([, text = '']) => text)
      .filter((text) => text.includes('ruleprint audit'));
    const shown = /^```\n(PASS {2}tidy-notes[\s\S]*?)^```/m.exec(read('README.md'))?.[1] ?? '';
    const cwd = newFolder();
    cpSync(join(root, 'docs/try'), join(cwd, 'docs/try'), { recursive: true });
    const words = command.map((word) => `'${word}'`).join(' ');
    const stdout = execFileSync('sh', ['-euc', `ruleprint() { ${words} "$@"; }\n${runs}\n${checks}`], { cwd, encoding: 'utf8', timeout: 120_000 });
    for (const line of shown.split('\n').filter((one) => one !== '' && one !== '…')) expect(stdout.split('\n')).toContain(line);
    expect(stdout).toContain('good: the evidence is what it says it is');
    expect(existsSync(join(cwd, 'sandbox/bad.html'))).toBe(true);
  }, 120_000);
});
