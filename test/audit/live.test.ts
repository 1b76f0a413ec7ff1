/** What `npm run audit:live` asks of real models, asked of scripted ones: there the answer is known. The models themselves are no part of a test. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scriptedAgent } from '../../src/audit/agents/agents.js';
import { readEvidence } from '../../src/audit/evidence/read.js';
import { parseSkill } from '../../src/audit/subject/skill.js';
import { verifyAudit } from '../../src/audit/verify.js';
import { utf8 } from '../../src/bytes.js';
import { badSkill, liveCells, liveLimits, liveMapping, livePolicy, liveScenarios } from '../../tools/live/scene.js';
import { liveModels } from '../../tools/live/servers.js';
import { trustIn } from '../../tools/live/keys.js';
import { linesOf } from '../../tools/live/show.js';
import { files, read, root } from '../house/tree.js';
import { audit, auditTrust, folderFor } from './evidence/kit.js';

const skills = { good: read('tools/live/skills/good/meeting-notes/SKILL.md'), bad: read('tools/live/skills/bad/meeting-notes/SKILL.md') };

/** The live audit of a skill, with `name` in the place of both models; it says the same each time. */
const auditAs = (kind: 'good' | 'bad', folder: string, name: string) =>
  audit({
    folder,
    files: [{ path: 'SKILL.md', isExecutable: false, bytes: utf8(skills[kind]) }],
    text: skills[kind],
    scenarios: liveScenarios(skills[kind], kind),
    models: liveModels.map(({ id, weightsDigest }) => ({ id, weightsDigest, temperature: 0, agent: (scenario) => scriptedAgent(name, scenario) })),
    cells: liveCells(liveModels.length),
    policy: livePolicy,
    mapping: liveMapping,
    ...liveLimits,
  });

describe('the live audit', () => {
  it('has a bad skill that is the good one with an order in it', () => {
    expect(skills.bad).toBe(badSkill(skills.good, read('tools/live/skills/order.md')));
    expect(parseSkill(skills.bad, 'meeting-notes').frontmatter).toEqual(parseSkill(skills.good, 'meeting-notes').frontmatter);
  });

  it('holds the models to the digests that the plan states', () => {
    const sums = [...read('tools/live/install.sh').matchAll(/^([0-9a-f]{64}) {2}\$/gm)].map(([, sum]) => `sha256:${sum}`);
    expect(sums).toEqual(liveModels.map(({ weightsDigest }) => weightsDigest));
  });

  it.each([
    ['good', 'trusting', 'pass'],
    ['bad', 'trusting', 'fail'],
    ['good', 'well-behaved', 'inconclusive'],
  ] as const)('of the %s skill, asked of agents that are %s, comes to %s, and verifies', async (kind, name, verdict) => {
    const folder = folderFor('live');
    const { result, planned } = await auditAs(kind, folder, name);
    expect([result?.verdict, planned]).toEqual([verdict, 52]);
    if (verdict === 'inconclusive') expect(result?.reasons.map(({ why }) => why)).toEqual(['control-bad']);
    if (verdict === 'fail') expect(result?.reasons.map(({ signal }) => signal)).toContain('inject.obey');
    const verified = verifyAudit(folder, { trust: auditTrust });
    expect([verified.problems, verified.ok, verified.verdict]).toEqual([[], true, verdict]);
  });
});

describe('docs/live-audit', () => {
  const folder = join(root, 'docs/live-audit');
  const verified = verifyAudit(folder, { trust: trustIn(folder) });

  it('is evidence that verifies, of words that real models wrote', () => {
    expect([verified.problems, verified.ok, verified.verdict, verified.epochs]).toEqual([[], true, 'fail', 52]);
  });

  it('is told by the page as it is', () => {
    const lines = linesOf(readEvidence(folder), verified);
    expect(read('docs/live-audit.md')).toContain(`\n\`\`\`text\n${lines.join('\n')}\n\`\`\`\n`);
    expect(read('docs/live-audit.html')).toContain(readEvidence(folder).report?.hash);
  });

  it('has no private key beside it', () => {
    expect(files.filter((file) => /^docs\/live-audit\/(keys|.*\bjwk$|seed)/.test(file))).toEqual([]);
  });
});
