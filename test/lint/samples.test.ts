/** The linter on policies made for it: every planted defect is found, where it stands, and nothing else; clean ones are silent. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { lintPolicy } from '../../src/lint/lint.js';
import { allLintRules, lintRules } from '../../src/lint/registry.js';
import { renderJson } from '../../src/finding/json.js';
import { renderSarif } from '../../src/finding/sarif.js';
import { renderText } from '../../src/finding/text.js';
import { type SarifLog, sarifFaults } from '../finding/github-sarif.js';

const folder = (name: string): readonly { readonly file: string; readonly text: string }[] => {
  const at = new URL(`${name}/`, import.meta.url);
  return readdirSync(at)
    .sort()
    .map((file) => ({ file, text: readFileSync(new URL(file, at), 'utf8') }));
};
const planted = folder('planted');
const clean = folder('clean');

/** A line that ends in `# <- rule, rule` holds these defects. */
const defectsIn = (text: string): readonly string[] =>
  text.split('\n').flatMap((line, i) => (/# <- (.*)$/.exec(line)?.[1] ?? '').split(', ').flatMap((rule) => (rule === '' ? [] : [`${i + 1} ${rule}`])));

describe('policies with planted defects', () => {
  it('are forty, and hold each rule but the one of a budget that is used up', () => {
    expect(planted).toHaveLength(40);
    const held = new Set(planted.flatMap(({ text }) => defectsIn(text)).map((defect) => defect.split(' ')[1]));
    expect(lintRules.map(({ id }) => id).filter((id) => !held.has(id))).toEqual(['policy.undecided-rule']);
  });

  it.each(planted)('$file: all are found on their lines, and nothing else (LNT-5)', ({ file, text }) => {
    const found = lintPolicy(text, { format: 'yaml', path: file });
    const shown = found.map(({ rule_id: rule, evidence }) => `${evidence[0]?.line_start} ${rule}`);
    expect(shown.sort()).toEqual([...defectsIn(text)].sort());
    for (const { evidence } of found) expect(evidence[0]).toMatchObject({ path: file, column_start: expect.any(Number) });
  });
});

describe('clean policies', () => {
  it('are twenty', () => {
    expect(clean).toHaveLength(20);
  });

  it.each(clean)('$file: nothing is found', ({ file, text }) => {
    expect(lintPolicy(text, { format: 'yaml', path: file }).map(({ message }) => message)).toEqual([]);
  });
});

describe('policies in JSON', () => {
  it.each(planted.filter(({ text }) => !text.includes('hard-coded')))(
    '$file: has the same findings, on the lines where the rules begin (LNT-5)',
    ({ text }) => {
      const policy = parse(text) as { version: number; rules: { name: string }[] };
      const json = JSON.stringify(policy, null, 2);
      const ids = (found: ReturnType<typeof lintPolicy>) => found.map(({ id }) => id);
      const found = lintPolicy(json, { format: 'json', path: 'policy' });
      expect(ids(found)).toEqual(ids(lintPolicy(text, { format: 'yaml', path: 'policy' })));
      const lines = json.split('\n');
      for (const { evidence } of found) for (const { line_start: line = 0 } of evidence) expect(lines[line - 1]).toBe('    {');
    },
  );
});

describe('a policy with one of each defect', () => {
  const text = readFileSync(new URL('one-of-each.yaml', import.meta.url), 'utf8');

  it('has a finding of every rule, the one of a budget that is used up where the budget is', () => {
    const ids = (budgets = {}) => new Set(lintPolicy(text, { format: 'yaml', path: 'one-of-each.yaml', budgets }).map(({ rule_id: rule }) => rule));
    const all = lintRules.map(({ id }) => id);
    expect(all.filter((id) => !ids().has(id))).toEqual(['policy.undecided-rule']);
    expect(ids({ states: 1 })).toContain('policy.undecided-rule');
  });

  it('has the same findings as text, as JSON and as SARIF, one by one (LNT-12)', () => {
    const found = lintPolicy(text, { format: 'yaml', path: 'one-of-each.yaml' });
    const sarif = renderSarif(found, { rules: allLintRules, tool: { version: '1.0.0' } });
    expect(sarifFaults(sarif)).toEqual([]);
    const inJson = (JSON.parse(renderJson(found)) as { findings: typeof found }).findings;
    const inSarif = (JSON.parse(sarif) as SarifLog).runs[0]?.results ?? [];
    const inText = renderText(found, { details: true });
    expect(inJson.map(({ id }) => id)).toEqual(inSarif.map(({ properties }) => properties.ruleprint.id));
    expect(inJson.map(({ id }) => id)).toEqual([...inText.matchAll(/^ {2}id: (.*)$/gm)].map(([, id]) => id));
    expect(inJson.map(({ id }) => id).sort()).toEqual(found.map(({ id }) => id).sort());
  });
});
