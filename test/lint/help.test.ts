/** The examples of docs/lint.md are policies, and each gets the finding that it stands for. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { lintPolicy } from '../../src/lint/lint.js';

const page = readFileSync(new URL('../../docs/lint.md', import.meta.url), 'utf8');
const examples = page.split('\n## ').flatMap((section) => {
  const rule = section.split('\n')[0] ?? '';
  return [...section.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block = '']) => ({ rule, block }));
});

const indented = (text: string, by: number): string => text.replace(/^(?=.)/gm, ' '.repeat(by));
const allow = (name: string, action: string): string => `  - name: ${name}\n    effect: allow\n    agents: { one_of: [builder] }\n    action:\n${action}`;

/** A block shows rules, one a line, or what of a rule counts: an action or a path. The rest is made up here. */
function policyOf(block: string): string {
  const lines = block.trimEnd().split('\n');
  if (block.startsWith('path:')) return `version: 1\nrules:\n${allow('shown', `      filesystem:\n        methods: [read]\n${indented(block, 8)}`)}`;
  const rules = lines.map((line, i) => (/^\{ name:/.test(line) ? `  - ${line}` : allow(`shown-${'abcdef'[i]}`, `      ${line}`)));
  return `version: 1\nrules:\n${rules.join('\n')}\n`;
}

describe('docs/lint.md', () => {
  it('has examples', () => expect(examples.length).toBeGreaterThanOrEqual(10));

  it.each(examples)('shows what is found: $rule', ({ rule, block }) => {
    const found = lintPolicy(policyOf(block), { format: 'yaml', path: 'policy.yaml' }).map(({ rule_id: id }) => id);
    expect(found).toContain(rule);
  });
});
