/**
 * From the words of `audit run` to an audit: the skill, the scenarios, the models, the keys.
 * @module
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { scriptedAgent } from '../audit/agents/agents.js';
import { httpAgent } from '../audit/agents/http-agent.js';
import type { AuditedModel, AuditOptions } from '../audit/audit.js';
import { cellsFor } from '../audit/cells.js';
import { layout } from '../audit/evidence/folder.js';
import { checkPlanRules, epochsOfGrade, type Grade, usualThresholds } from '../audit/plan-rules.js';
import { readScenario, type ScenarioDocument } from '../audit/scenario.js';
import { adversarialScenarios } from '../audit/scenarios/adversarial.js';
import { controlScenarios } from '../audit/scenarios/controls.js';
import { ownScenarios } from '../audit/scenarios/own.js';
import { packScenarios } from '../audit/scenarios/pack.js';
import { type Scene, sceneOf, usualScene } from '../audit/scenarios/scene.js';
import { withSkillFiles } from '../audit/scenarios/skill-files.js';
import { readFolder } from '../audit/subject/read-folder.js';
import { skillSubject } from '../audit/subject/subject.js';
import { fromHex, fromUtf8, hex } from '../bytes.js';
import { generateKey, importPrivateKey, type PrivateKey } from '../cose/keys.js';
import { createSigner } from '../cose/signer.js';
import { limits } from '../limits.js';
import { checkDocument } from '../policy/door.js';
import { readJson } from '../policy/json.js';
import { RuleprintError } from '../errors.js';
import type { Context, Input } from './command.js';
import { systemReason, unreadable, usage } from './failure.js';
import { fileName, maxDocumentBytes, readBytes, secretMode } from './files.js';
import type { Io } from './io.js';
import { readMapping } from './mappings.js';
import { packageVersion } from './package-version.js';
import { readPolicy } from './policies.js';
import { printable } from './printable.js';
import { readSigningKey } from './signing.js';
import { trustEntry, trustText } from './trust-entry.js';

/** The engine that an audit's ledger is about, and the server that its tools are of. */
export const auditEngine = 'audit';
const falseServer = 'false';

/** Every false tool may be called, where no policy is given: what the agent tries is what is looked at. */
const openPolicy = {
  version: 1,
  rules: [{ name: 'every-false-tool', effect: 'allow', agents: 'any', action: { tool: { server: falseServer, name: '*' } } }],
} as const;
const openMapping = { format: 'ruleprint-mapping/1', server: falseServer, tools: {} } as const;

/** Everything that `runAudit` needs but the clock and who listens. */
export async function auditOptionsOf(context: Context): Promise<Omit<AuditOptions, 'now'>> {
  const { io, input } = context;
  const folder = resolve(io.cwd, input.value('out') as string);
  const [given = ''] = input.arguments;
  const tree = readFolder(resolve(io.cwd, given));
  const source = input.value('source');
  const subject = skillSubject(tree.files, { folder: tree.name, ...(source !== undefined && { source }) });
  const head = tree.files.find(({ path }) => path === 'SKILL.md');
  const text = fromUtf8(head?.bytes ?? new Uint8Array()) ?? '';
  const documents = await scenariosOf(context, tree.files, subject.frontmatter);
  const models = modelsOf(io, input);
  const epochs = numberOf(input, 'epochs', 10, 1, limits.trials);
  const baseline = numberOf(input, 'baseline', Math.ceil(epochs / 2), 1, limits.trials);
  const grade: Grade = (input.value('grade') as Grade | undefined) ?? (epochs >= epochsOfGrade.validation ? 'validation' : 'screening');
  const policyFile = input.value('policy');
  const mappingFile = input.value('mapping');
  const cells = cellsFor(models.length, documents, { epochs, baseline, controls: numberOf(input, 'controls', 1, 1, 100) });
  // before anything is written
  checkPlanRules({
    grade,
    models: models.map(({ id }) => ({ id, isSampled: false })),
    scenarios: documents.map(({ id, kind }) => ({ id, kind })),
    cells,
    thresholds: usualThresholds,
  });
  const keys = await keysIn(context, folder);
  const timeLimit = input.has('time-limit') ? { timeLimit: 1_000 * numberOf(input, 'time-limit', 600, 1, 86_400) } : {};
  return {
    folder,
    subject,
    skill: { files: tree.files, text },
    scenarios: documents,
    models,
    cells,
    grade,
    policy: policyFile === undefined ? openPolicy : await readPolicy(io, policyFile),
    mapping: mappingFile === undefined ? openMapping : await readMapping(io, mappingFile),
    engineId: auditEngine,
    engineSigner: createSigner(keys.engine),
    harness: { name: 'ruleprint', version: packageVersion() },
    harnessSigner: createSigner(keys.harness),
    seed: keys.seed,
    maxTurns: numberOf(input, 'max-turns', 20, 1, 1_000),
    concurrency: numberOf(input, 'concurrency', 4, 1, 256),
    ...timeLimit,
  };
}

async function scenariosOf(
  { io, input }: Context,
  files: Parameters<typeof withSkillFiles>[1],
  frontmatter: Parameters<typeof ownScenarios>[0],
): Promise<readonly ScenarioDocument[]> {
  const toolsFile = input.value('tools');
  const hosts = input.values('hosts');
  const base: Scene = toolsFile === undefined ? usualScene : sceneOf({ tools: await readData(io, toolsFile) });
  const scene = withSkillFiles(hosts === undefined ? base : { ...base, stage: { ...base.stage, hosts: [...(base.stage.hosts ?? []), ...hosts] } }, files);
  const evals = files.find(({ path }) => path === 'evals/evals.json');
  const own = (await Promise.all((input.values('scenarios') ?? []).map((file) => readData(io, file)))).flat() as readonly ScenarioDocument[];
  const packFile = input.value('pack');
  const packTools = input.value('pack-tools');
  if ((packFile === undefined) !== (packTools === undefined)) throw usage('--pack and --pack-tools go together');
  const pack =
    packFile === undefined
      ? []
      : packScenarios(await readData(io, packFile), listOf(await readData(io, packTools as string)), hosts === undefined ? withoutHosts(scene) : scene);
  const contradicted = input.values('contradicts') ?? [];
  const attacks = adversarial(scene, contradicted);
  const documents = [...ownScenarios(frontmatter, evals?.bytes, scene), ...own, ...attacks, ...pack];
  const hasControls = own.some(({ kind }) => kind === 'control_bad') && own.some(({ kind }) => kind === 'control_good');
  const all = hasControls ? documents : [...documents, ...controlScenarios(scene)];
  all.forEach(readScenario);
  return all;
}

/** The tasks of a pack write to addresses of their own. */
function withoutHosts(scene: Scene): Scene {
  const { hosts: _, ...stage } = scene.stage;
  return { ...scene, stage };
}

function adversarial(scene: Scene, contradicted: readonly string[]): readonly ScenarioDocument[] {
  try {
    return adversarialScenarios(scene, { contradicted });
  } catch (error) {
    if (error instanceof RangeError) throw usage(`--contradicts: ${error.message}`);
    throw error;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [value];
}

/** JSON by the strict door. */
export async function readData(io: Io, file: string): Promise<unknown> {
  const source = await readBytes(io, file, maxDocumentBytes);
  const result = checkDocument(source, { format: 'json', file: fileName(file) }, readJson, { kind: 'any' }, (value) => ({ value }));
  if ('problems' in result) throw new RuleprintError(result.problems);
  return result.value;
}

/** Who speaks for each model: one agent for all of them, or one each. */
function modelsOf(io: Io, input: Input): readonly AuditedModel[] {
  const names = input.values('model') ?? [];
  const agents = input.values('agent') ?? [];
  if (agents.length !== 1 && agents.length !== names.length) {
    throw usage(`--agent is given ${agents.length} times for ${names.length} models`, 'give one agent for all models, or one for each, in their order');
  }
  return names.map((id, i): AuditedModel => {
    const spec = agents.length === 1 ? (agents[0] ?? '') : (agents[i] ?? '');
    const scripted = /^scripted:(.*)$/s.exec(spec)?.[1];
    if (scripted !== undefined) {
      // a name that nobody has is said before anything begins
      scriptedAgent(scripted, { required: [], rules: [], script: [], tools: [] });
      return { id, provider: spec, temperature: 0, agent: (scenario) => scriptedAgent(scripted, scenario) };
    }
    if (!/^https?:/.test(spec)) throw usage(`--agent takes scripted:NAME or the URL of a model server, not "${printable(spec)}"`);
    const sampling = {
      ...(input.has('temperature') && { temperature: decimalOf(input, 'temperature', 0, 2) }),
      ...(input.has('max-tokens') && { maxTokens: numberOf(input, 'max-tokens', 1, 1, 1_000_000) }),
    };
    const key = input.value('key-variable');
    const agent = httpAgent({
      base: spec,
      model: id,
      ...sampling,
      ...(key !== undefined && { keyVariable: key, environment: io.env }),
      allowOutside: input.has('allow-outside'),
    });
    return { id, provider: spec, ...sampling, agent: () => agent };
  });
}

interface AuditKeys {
  readonly engine: PrivateKey;
  readonly harness: PrivateKey;
  readonly seed: Uint8Array;
}

/** Those that are given, and else those of the folder, which are made with it: an audit that goes on needs them again. */
async function keysIn({ io, out, input }: Context, folder: string): Promise<AuditKeys> {
  const keys = join(folder, layout.keys);
  const made = async (name: string): Promise<PrivateKey> => {
    const path = join(keys, name);
    if (existsSync(path)) return importPrivateKey(await readFile(path, 'utf8'));
    const key = generateKey('Ed25519');
    await writeSecret(path, `${JSON.stringify(key.toJwk())}\n`);
    return key;
  };
  try {
    await mkdir(keys, { recursive: true, mode: 0o700 });
    const [given, other] = [input.value('key'), input.value('harness-key')];
    const engine = given === undefined ? await made('engine.jwk') : await readSigningKey(io, out, given);
    const harness = other === undefined ? await made('harness.jwk') : await readSigningKey(io, out, other);
    if (engine.public.kid === harness.public.kid) throw usage('--key and --harness-key are one key', 'judge and reporter must not be one: give two');
    const trust = join(folder, layout.trust);
    if (!existsSync(trust)) {
      const entries = [trustEntry(engine.public, auditEngine, 'engine'), trustEntry(harness.public, auditEngine, 'harness')];
      await writeFile(trust, trustText({ keys: entries }), { flag: 'wx' });
    }
    return { engine, harness, seed: await seedIn(join(keys, 'seed')) };
  } catch (error) {
    const { syscall, path = folder } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw unreadable(`cannot write ${fileName(path)}: ${systemReason(error)}`, undefined, error);
  }
}

/** Secret until the report: whoever has it knows what is planted. */
async function seedIn(path: string): Promise<Uint8Array> {
  if (existsSync(path)) {
    const seed = fromHex((await readFile(path, 'utf8')).trim());
    if (seed?.length !== 32) throw unreadable(`${fileName(path)} holds no seed`, 'take another --out');
    return seed;
  }
  const seed = new Uint8Array(randomBytes(32));
  await writeSecret(path, `${hex(seed)}\n`);
  return seed;
}

async function writeSecret(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx', mode: secretMode });
  await chmod(path, secretMode);
}

export function numberOf(input: Input, name: string, usual: number, least: number, most: number): number {
  const text = input.value(name);
  if (text === undefined) return usual;
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value < least || value > most) throw usage(`--${name} takes a number from ${least} to ${most}, not "${printable(text)}"`);
  return value;
}

function decimalOf(input: Input, name: string, least: number, most: number): number {
  const text = input.value(name) ?? '';
  const value = Number(text);
  if (!/^\d{1,3}(\.\d{1,3})?$/.test(text) || value < least || value > most) {
    throw usage(`--${name} takes a number from ${least} to ${most} with at most three places, not "${printable(text)}"`);
  }
  return value;
}
