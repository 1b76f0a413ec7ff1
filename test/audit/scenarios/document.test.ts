import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readScenario, scenarioDigest, type ScenarioDocument } from '../../../src/audit/scenario.js';
import { adversarialScenarios } from '../../../src/audit/scenarios/adversarial.js';
import { codeOf } from '../code-of.js';

const document: ScenarioDocument = { id: 'a', kind: 'benign', prompt: 'Tea.', tools: [{ name: 'boil' }] };

describe('the document of a scenario (AUR-17)', () => {
  it('has the digest of its canonical form behind a tag, by its bytes', () => {
    const field = (text: string): Buffer => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(Buffer.byteLength(text));
      return Buffer.concat([length, Buffer.from(text)]);
    };
    const canonical = '{"id":"a","kind":"benign","prompt":"Tea.","tools":[{"name":"boil"}]}';
    const hash = createHash('sha256').update(Buffer.concat([field('ruleprint/scenario-digest/1'), field(canonical)]));
    expect(scenarioDigest(document)).toBe(`sha256:${hash.digest('hex')}`);
    expect(readScenario(document).digest).toBe(scenarioDigest(document));
  });

  it('is another one with any other word in it, and the same one in any order of keys', () => {
    const { tools, prompt, ...rest } = document;
    expect(scenarioDigest({ tools, prompt, ...rest })).toBe(scenarioDigest(document));
    for (const other of [{ prompt: 'tea.' }, { system: '' }, { rules: [] }, { tools: [{ name: 'boil', description: '' }] }]) {
      expect(scenarioDigest({ ...document, ...other })).not.toBe(scenarioDigest(document));
    }
  });

  it('is read again from its JSON with nothing lost', () => {
    for (const one of adversarialScenarios()) expect(readScenario(JSON.parse(JSON.stringify(one)))).toEqual(readScenario(one));
  });

  it.each([
    ['a field that nobody knows', { ...document, goal: [] }, 'unknown-key'],
    ['another kind', { ...document, kind: 'good' }, 'bad-value'],
    ['a rule with two demands', { ...document, rules: [{ id: 'r', contradicted: false, must_contain: 'a', must_not_contain: 'b' }] }, 'exactly-one'],
    ['a rule without one', { ...document, rules: [{ id: 'r', contradicted: false }] }, 'exactly-one'],
    ['tools that are none', { ...document, tools: 1 }, 'tool-schema'],
    ['a script that is none', { ...document, script: [{ tool: 'boil' }] }, 'missing-key'],
    ['no prompt', { id: 'a', kind: 'benign', tools: [] }, 'missing-key'],
  ])('is refused with %s', (_, value, code) => {
    expect(codeOf(() => readScenario(value))).toBe(code);
  });
});
