/**
 * Engine, digests, receipts and verifiers run where there is no Node.
 * @module
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from './tree.js';

/** The whole way, in a page's words: judge, sign, verify with the policy in hand, refuse YAML that is none. */
const page = `
  import { InMemoryPolicyEngine, RuleprintError, createSigner, generateKey, parsePolicy, parseTrustStore, policyDigest, publicJwk, signReceipt, verifyReceipt } from './src/index.ts';

  export function run() {
    const text = 'version: 1\\nrules:\\n  - { name: read-srv, effect: allow, agents: any, action: { filesystem: { path: "/srv/**", methods: [read] } } }\\n';
    const policy = parsePolicy(text, { format: 'yaml' });
    const engine = new InMemoryPolicyEngine({ engineId: 'page', now: () => 1793318400000 });
    engine.install(policy);
    const event = engine.evaluate({ agent: 'builder', actions: [{ filesystem: { path: '/srv/a', method: 'read' } }] });
    const out = { digest: policyDigest(policy), effect: event.decision.effect, verified: [] };
    for (const alg of ['Ed25519', 'ESP256']) {
      const key = generateKey(alg);
      const trust = parseTrustStore(JSON.stringify({ keys: [{ role: 'engine', engine_ids: ['page'], key: publicJwk(key.public) }] }));
      const report = verifyReceipt(signReceipt(event, createSigner(key)), { trust, policies: [policy] });
      out.verified.push(report.ok ? alg : JSON.stringify(report.problems));
    }
    try {
      parsePolicy('version: *a', { format: 'yaml' });
    } catch (error) {
      out.refused = error instanceof RuleprintError ? error.code : String(error);
    }
    return out;
  }
`;

/** What a browser does not have. Taken away before the bundle is loaded; \`say\` is kept by the harness alone. */
const harness = `
  const say = process.stdout.write.bind(process.stdout);
  const nodeOnly = ['process', 'Buffer', 'global', 'require', 'module', 'setImmediate', 'clearImmediate', '__dirname', '__filename'];
  const url = process.argv[1];
  for (const name of nodeOnly) delete globalThis[name];
  const { run } = await import(url);
  say(JSON.stringify({ ...run(), left: nodeOnly.filter((name) => name in globalThis) }));
`;

let folder = '';
let bundle: { metafile: Metafile; warnings: readonly unknown[] };
let text = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ruleprint-browser-'));
  bundle = await build({
    stdin: { contents: page, resolveDir: root, sourcefile: 'page.js' },
    absWorkingDir: root,
    bundle: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    outfile: join(folder, 'page.mjs'),
    metafile: true,
    logLevel: 'silent',
  });
  text = readFileSync(join(folder, 'page.mjs'), 'utf8');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a bundle for the browser', () => {
  it('imports nothing that it does not hold', () => {
    const imports = Object.values(bundle.metafile.outputs).flatMap((output) => output.imports);
    expect(imports).toEqual([]);
    expect(Object.keys(bundle.metafile.inputs).filter((input) => /^\(disabled\)|^node:/.test(input))).toEqual([]);
    expect(bundle.warnings).toEqual([]);
  });

  it('makes no code out of text, because a strict content security policy forbids it', () => {
    expect(text.match(/\beval\s*\(|\bnew\s+Function\b|\bFunction\s*\(/g) ?? []).toEqual([]);
  });

  it('holds nothing of the command line and no library of the tests', () => {
    const inputs = Object.keys(bundle.metafile.inputs);
    expect(inputs.filter((input) => /^src\/(cli|testing)\/|node_modules\/(commander|cli-progress|fast-check|cose-kit)\//.test(input))).toEqual([]);
  });

  it('judges, signs and verifies where process, Buffer and require do not exist', () => {
    const said = execFileSync(process.execPath, ['--input-type=module', '--eval', harness, `file://${join(folder, 'page.mjs')}`], { encoding: 'utf8' });
    expect(JSON.parse(said)).toEqual({
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      effect: 'allow',
      verified: ['Ed25519', 'ESP256'],
      refused: 'yaml-feature',
      left: [],
    });
  });
});
