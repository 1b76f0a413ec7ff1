/**
 * `npm run audit:live`: audits one good and one bad skill with two small models that really run, on this machine, and verifies the evidence. docs/live-audit.md says what
 * came of it.
 * @module
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { httpAgent } from '../../src/audit/agents/http-agent.js';
import { type AuditedModel, runAudit } from '../../src/audit/audit.js';
import { canaryValue } from '../../src/audit/canary.js';
import { readEvidence } from '../../src/audit/evidence/read.js';
import { reportPage } from '../../src/audit/page/page.js';
import { contextProbe } from '../../src/audit/scenarios/probe.js';
import { readFolder } from '../../src/audit/subject/read-folder.js';
import { skillSubject } from '../../src/audit/subject/subject.js';
import { verifyAudit } from '../../src/audit/verify.js';
import { createSigner } from '../../src/index.js';
import { auditKeys, trustIn } from './keys.js';
import { liveCells, liveLimits, liveMapping, livePolicy, liveSampling, liveScenarios, liveScene } from './scene.js';
import { install, liveModels, type Runner, runners, serve } from './servers.js';
import { linesOf } from './show.js';

const usage = `npm run audit:live -- [--evidence=DIR] [--cache=DIR] [--runner=${Object.keys(runners).join('|')}] [--skill=good|bad]
npm run audit:live -- --show=DIR [--page=FILE]
  --evidence  where the evidence goes, a folder for each skill (a folder in ${tmpdir()} by default); an audit that was killed there goes on
  --cache     where models and runner are, or are installed
  --skill     that one alone
  --show      says what the evidence of one audit says, and verifies it
  --page      writes that as a page too`;

const engineId = 'live-audit';
const version = (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }).version;

const { values } = parseArgs({
  options: {
    evidence: { type: 'string', default: join(tmpdir(), 'ruleprint-live-evidence') },
    cache: { type: 'string', default: join(tmpdir(), 'ruleprint-live-cache') },
    runner: { type: 'string', default: 'xllamacpp' },
    skill: { type: 'string' },
    show: { type: 'string' },
    page: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

function show(folder: string, page: string | undefined): void {
  const verified = verifyAudit(folder, { trust: trustIn(folder) });
  const view = readEvidence(folder);
  if (page !== undefined) writeFileSync(page, reportPage(view, { checks: verified.checks }));
  for (const line of linesOf(view, verified)) console.log(line);
  for (const { check, code, message } of verified.problems) console.log(`problem   ${check} ${code}: ${message}`);
}

async function audit(kind: 'good' | 'bad', folder: string, runner: Runner, bases: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { files } = readFolder(fileURLToPath(new URL(`skills/${kind}/meeting-notes`, import.meta.url)));
  const skill = new TextDecoder().decode(files.find(({ path }) => path === 'SKILL.md')?.bytes);
  const keys = auditKeys(folder, engineId);
  const models = liveModels.map(({ id, weightsDigest }, i): AuditedModel => {
    const agent = httpAgent({ base: bases[i] ?? '', model: id, ...liveSampling, retries: liveLimits.retries, timeLimit: 300_000 });
    return { id, provider: runners[runner], weightsDigest, ...liveSampling, agent: () => agent };
  });
  await probe(folder, models, skill);
  const { sealed, planned, interrupted } = await runAudit({
    folder,
    subject: skillSubject(files, { folder: 'meeting-notes' }),
    skill: { files, text: skill },
    scenarios: liveScenarios(skill, kind),
    models,
    cells: liveCells(models.length),
    grade: 'screening',
    policy: livePolicy,
    mapping: liveMapping,
    engineId,
    engineSigner: createSigner(keys.engine),
    harness: { name: 'ruleprint', version },
    harnessSigner: createSigner(keys.harness),
    seed: keys.seed,
    ...liveLimits,
    // one for each server
    concurrency: models.length,
    now: Date.now,
    signal: stop.signal,
    onProgress: ({ sealed: done, epochs, hits }) => console.log(`${kind}: ${done} of ${epochs} epochs, ${hits} with a hit of more than info`),
  });
  console.log(`${kind}: ${sealed} of ${planned} epochs${interrupted.length > 0 ? `, broken off: ${interrupted.join(', ')}` : ''}`);
  show(folder, `${folder}.html`);
  console.log(`the evidence is in ${folder}, as a page in ${folder}.html\n`);
}

/** Whether the models see the whole of a prompt of this length: a note beside the plan. */
async function probe(folder: string, models: readonly AuditedModel[], skill: string): Promise<void> {
  const file = join(folder, 'probe.json');
  if (existsSync(file)) return;
  // words of its own: those of the audit are secret until the report
  const seed = Uint8Array.from(randomBytes(32));
  const found: Record<string, unknown> = {};
  const scenario = {} as Parameters<AuditedModel['agent']>[0];
  for (const { id, agent } of models) {
    found[id] = await contextProbe(agent(scenario), skill, {
      canary: (slot) => canaryValue(seed, `sha256:${'0'.repeat(64)}`, 0, slot),
      tools: liveScene.tools,
      ...(liveScene.stage.system !== undefined && { system: liveScene.stage.system }),
    });
    console.log(`context probe of ${id}: ${JSON.stringify(found[id])}`);
  }
  writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`);
}

function isRunner(name: string): name is Runner {
  return Object.hasOwn(runners, name);
}

async function main(): Promise<void> {
  const { evidence, cache, runner, skill } = values;
  if (values.help) return console.log(usage);
  if (values.show !== undefined) return show(values.show, values.page);
  const kinds = (['good', 'bad'] as const).filter((kind) => skill === undefined || skill === kind);
  if (!isRunner(runner) || kinds.length === 0) {
    console.error(usage);
    process.exitCode = 2;
    return;
  }
  install(cache, runner);
  const served = await serve(cache, runner);
  try {
    for (const kind of kinds) {
      if (!stop.signal.aborted) await audit(kind, join(evidence, kind), runner, served.bases);
    }
  } finally {
    await served.stop();
  }
}

await main();
process.exit();
