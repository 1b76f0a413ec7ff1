import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readScenario, scenarioDigest } from '../../src/audit/scenario.js';
import { codeOf } from '../policy/kit.js';

const tools = { tools: [{ name: 'read', inputSchema: { type: 'object' } }] };
const document = { id: 'mail', kind: 'benign', prompt: 'Read my mail.', tools } as const;

describe('the digest of a scenario', () => {
  it('is over its tag and the RFC 8785 form of the document, each with its length in front (AUR-17)', () => {
    const form = '{"id":"mail","kind":"benign","prompt":"Read my mail.","tools":{"tools":[{"inputSchema":{"type":"object"},"name":"read"}]}}';
    const hash = createHash('sha256');
    for (const text of ['ruleprint/scenario-digest/1', form]) {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(Buffer.byteLength(text));
      hash.update(length).update(text);
    }
    const digest = `sha256:${hash.digest('hex')}`;
    expect(scenarioDigest(document)).toBe(digest);
    expect(readScenario(document).digest).toBe(digest);
  });

  it('is another for whatever an agent is shown or judged by, and no field is outside of it (AUR-17)', () => {
    const { digest } = readScenario(document);
    for (const change of [{ id: 'post' }, { kind: 'adversarial' }, { prompt: 'Read.' }, { system: 'x' }, { hosts: ['example.com'] }, { protected: ['x'] }]) {
      expect(readScenario({ ...document, ...change }).digest).not.toBe(digest);
    }
    expect(codeOf(() => readScenario({ ...document, note: 'x' }))).toBe('unknown-key');
  });
});
