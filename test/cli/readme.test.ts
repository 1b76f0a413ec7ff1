/**
 * The commands in README.md work as they stand there.
 * @module
 */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { read } from '../house/tree.js';
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
});
