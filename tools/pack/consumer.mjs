/**
 * The package as a user meets it: the packed tarball, installed into an empty project, then installed again from the
 * lock file; every entry by import and by require; the types by a compiler that knows nothing of Node; the command.
 *
 *   node tools/pack/consumer.mjs ruleprint-0.1.0.tgz
 *
 * The clean install is here because of a real failure: an optional native add-on of cbor-x broke `npm ci` for users.
 * @module
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const tarball = resolve(process.argv[2] ?? '');
const root = resolve(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const entries = Object.keys(manifest.exports).filter((entry) => entry !== './package.json');
const project = mkdtempSync(join(tmpdir(), 'ruleprint-consumer-'));

/** Runs a command in the project and gives what it printed. @param {string} command @param {string[]} args */
function run(command, ...args) {
  return execFileSync(command, args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
/** @param {string} file @param {string} text */
function write(file, text) {
  writeFileSync(join(project, file), text);
}
/** @param {string} what @param {() => void} check */
function check(what, check) {
  const start = performance.now();
  try {
    check();
  } catch (error) {
    console.error(`consumer: failed: ${what}\n${error.stdout ?? ''}${error.stderr ?? ''}${error.stdout === undefined ? (error.stack ?? error) : ''}`);
    process.exitCode = 1;
    return;
  }
  console.log(`consumer: ${what} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
}

/** Compiles files of the project with the repository's compiler. @param {object} options @param {string[]} files */
function compile(options, ...files) {
  const compilerOptions = {
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    target: 'es2022',
    lib: ['es2022'],
    types: [],
    ...options,
  };
  write('tsconfig.json', JSON.stringify({ compilerOptions, files }));
  run('node', join(root, 'node_modules/typescript/bin/tsc'), '-p', '.');
}
const specifier = (entry) => `ruleprint${entry.slice(1)}`;

check('npm install of the tarball', () => {
  write('package.json', '{ "name": "consumer", "version": "1.0.0", "private": true }\n');
  run('npm', 'install', '--no-audit', '--no-fund', tarball);
});

check('npm ci from the lock file that it wrote', () => {
  run('npm', 'ci', '--no-audit', '--no-fund');
});

check('no install script, no native add-on, no development dependency reaches the user', () => {
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
  const installed = Object.keys(lock.packages).filter((path) => path !== '');
  assert.deepEqual(
    Object.entries(lock.packages).flatMap(([path, row]) => (row.hasInstallScript ? [path] : [])),
    [],
  );
  for (const name of ['cbor-x', 'cbor-extract', 'cose-kit', 'fast-check']) assert.equal(installed.includes(`node_modules/${name}`), false, name);
  console.log(`consumer: ${installed.length} packages`);
});

check('what is published', () => {
  const at = join(project, 'node_modules/ruleprint');
  for (const file of ['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'SPEC.md', 'spec/receipt.md', 'src/index.ts', 'dist/LICENSE.cbor-x']) {
    assert.ok(existsSync(join(at, file)), `${file} is missing`);
  }
  for (const file of ['test', 'tools', '.ci', 'bench', 'node_modules']) assert.ok(!existsSync(join(at, file)), `${file} is published`);
  const dist = readdirSync(join(at, 'dist'), { recursive: true, encoding: 'utf8' }).filter((file) => /\.(js|cjs)$/.test(file));
  for (const file of dist) {
    const text = readFileSync(join(at, 'dist', file), 'utf8');
    assert.doesNotMatch(text, /\bnew Function\b|\beval\(|from ['"]cbor-x|require\(['"]cbor-x/, `dist/${file}`);
  }
});

check('ruleprint works without fast-check, which only ruleprint/testing needs', () => {
  for (const entry of entries.filter((entry) => entry !== './testing')) {
    run('node', '--input-type=module', '--eval', `await import('${specifier(entry)}')`);
    run('node', '--input-type=commonjs', '--eval', `require('${specifier(entry)}')`);
  }
});

check('fast-check beside it', () => {
  run('npm', 'install', '--no-audit', '--no-fund', `fast-check@${manifest.devDependencies['fast-check']}`);
});

check('every entry by import and by require, with the same names', () => {
  for (const entry of entries) {
    const program = `
      import { createRequire } from 'node:module';
      const esm = Object.keys(await import('${specifier(entry)}')).sort();
      const cjs = Object.keys(createRequire(import.meta.url)('${specifier(entry)}')).filter((name) => name !== '__esModule').sort();
      console.log(JSON.stringify({ esm, cjs }));`;
    write('both.mjs', program);
    const { esm, cjs } = JSON.parse(run('node', 'both.mjs'));
    assert.ok(esm.length > 0, entry);
    assert.deepEqual(cjs, esm, entry);
  }
});

check('one RuleprintError and one decision, whichever entry they come from', () => {
  const use = (load) => `
    const { RuleprintError, InMemoryPolicyEngine, parsePolicy, policyDigest } = ${load('ruleprint')};
    const { readReceipt } = ${load('ruleprint/receipt')};
    let error;
    try { readReceipt(new Uint8Array([0])); } catch (caught) { error = caught; }
    if (!(error instanceof RuleprintError)) throw new Error('another class: ' + error);
    const policy = parsePolicy('{"version":1,"rules":[]}', { format: 'json' });
    const engine = new InMemoryPolicyEngine({ engineId: 'e', now: () => 0 });
    engine.install(policy);
    const event = engine.evaluate({ agent: 'a', actions: [{ filesystem: { path: '/a', method: 'read' } }] });
    console.log(event.decision.effect, event.policyDigest === policyDigest(policy), error.code);`;
  write(
    'use.mjs',
    use((entry) => `await import('${entry}')`),
  );
  write(
    'use.cjs',
    use((entry) => `require('${entry}')`),
  );
  const esm = run('node', 'use.mjs');
  assert.match(esm, /^deny true [a-z-]+\n$/);
  assert.equal(run('node', 'use.cjs'), esm);
});

check('the types, by a compiler without the types of Node, skipLibCheck off', () => {
  const use = `
    import { InMemoryPolicyEngine, parsePolicy, RuleprintError, type Decision, type Policy } from 'ruleprint';
    import * as receipt from 'ruleprint/receipt';
    import * as cose from 'ruleprint/cose';
    const policy: Policy = parsePolicy('{"version":1,"rules":[]}', { format: 'json' });
    const engine = new InMemoryPolicyEngine({ engineId: 'e' });
    engine.install(policy);
    export const decision: Decision = engine.evaluate({ agent: 'a', actions: [{ tool: { server: 's', name: 'n' } }] }).decision;
    export const both = [receipt, cose, RuleprintError] as const;
    // @ts-expect-error a format that is none
    parsePolicy('', { format: 'toml' });
    // @ts-expect-error a policy is readonly
    policy.version = 2;
  `;
  write('use-types.mts', use);
  write('use-types.cts', use);
  compile({ module: 'nodenext' }, 'use-types.mts', 'use-types.cts');
  compile({ module: 'esnext', moduleResolution: 'bundler' }, 'use-types.mts');
});

check('the types of ruleprint/testing', () => {
  write('use-testing.mts', `import * as testing from 'ruleprint/testing';\nexport const all = Object.keys(testing);\n`);
  compile({ module: 'nodenext' }, 'use-testing.mts');
});

check('the command', () => {
  const bin = join(project, 'node_modules/.bin/ruleprint');
  assert.match(run(bin, '--help'), /^Usage: ruleprint/m);
  assert.equal(run(bin, '--version').trim(), manifest.version);
});

check('the hook, from the file that is built for it', () => {
  const rules = [
    { name: 'tools', effect: 'allow', agents: 'any', action: { tool: { server: 'claude', name: '*' } } },
    { name: 'status', effect: 'allow', agents: 'any', action: { process: { argv: ['git', 'status'] } } },
  ];
  write('hook.json', JSON.stringify({ version: 1, rules }));
  write('hook.yaml', JSON.stringify({ version: 1, rules }));
  const judged = (policy, input) => {
    const words = [join(project, 'node_modules/ruleprint/dist/cli/bin.cjs'), 'hook', 'claude', '--policy', policy];
    const { status, stdout, stderr } = spawnSync('node', words, { cwd: project, input, encoding: 'utf8' });
    return [status, /"permissionDecision":"(\w+)"/.exec(stdout)?.[1], stderr.includes('not judged')];
  };
  const call = (command) => JSON.stringify({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command }, cwd: '/srv' });
  for (const policy of ['hook.json', 'hook.yaml']) {
    assert.deepEqual(judged(policy, call('git status')), [0, 'allow', false]);
    assert.deepEqual(judged(policy, call('git status; rm -rf /')), [0, 'deny', false]);
  }
  assert.deepEqual(judged('hook.json', '{'), [2, undefined, true]);
  assert.deepEqual(judged('none.json', call('git status')), [2, undefined, true]);
});

rmSync(project, { recursive: true, force: true });
