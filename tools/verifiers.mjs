/**
 * The verifiers in other languages, against this one:
 *
 *   node tools/verifiers.mjs            all of them; `npm run verifiers`
 *   node tools/verifiers.mjs go rust    some of them
 *
 * Each runs all vectors; then each reads a ledger that the built package wrote (`npm run build` first), and the same with an entry cut out of the
 * middle, and must give the answer of `ruleprint verify`: good or not, every axis, the codes of the problems.
 *
 * A language that is not there is skipped with the reason; with CI=true it fails. What is installed and built goes into a folder for temporary
 * files (for cargo into CARGO_TARGET_DIR, where that is set).
 * @module
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = resolve(import.meta.dirname, '..');
const verifiers = join(root, 'vectors/verifiers');
const temp = mkdtempSync(join(tmpdir(), 'ruleprint-verifiers-'));

/** What has to be there, which version, how the program is made; `make` gives the command that runs it and its environment. */
const languages = {
  python: {
    version: ['python3', '--version'],
    least: ['README.md', /Python (\d+\.\d+)/],
    make(folder) {
      const venv = join(temp, 'venv');
      const python = join(venv, 'bin/python');
      run('python3', ['-m', 'venv', venv]);
      run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', join(folder, 'requirements.txt')]);
      return { command: [python, '-m', 'ruleprint_verifier'], env: { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' } };
    },
  },
  go: {
    version: ['go', 'version'],
    least: ['go.mod', /^go (\d+\.\d+)/m],
    make(folder) {
      const program = join(temp, 'go-verifier');
      run('go', ['build', '-o', program, '.'], { cwd: folder });
      return { command: [program] };
    },
  },
  rust: {
    version: ['cargo', '--version'],
    least: ['Cargo.toml', /^rust-version = "(\d+\.\d+)/m],
    make(folder) {
      const target = resolve(process.env.CARGO_TARGET_DIR ?? join(temp, 'cargo'));
      try {
        run('cargo', ['build', '--release', '--quiet'], { cwd: folder, env: { CARGO_TARGET_DIR: target } });
      } finally {
        rmSync(join(folder, 'Cargo.lock'), { force: true }); // it would name a registry
      }
      return { command: [join(target, 'release/ruleprint-verifier')] };
    },
  },
};

/** Runs a program to its end. @param {string} program @param {string[]} args @param {{ cwd?: string, env?: object }} options */
function attempt(program, args, { cwd = temp, env = {} } = {}) {
  return spawnSync(program, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 256 * 1024 * 1024,
    timeout: 20 * 60 * 1000,
  });
}
/** The same; throws where it does not end well. Gives what was printed. */
function run(program, args, options) {
  const ended = attempt(program, args, options);
  if (ended.status !== 0) throw new Error(`${[program, ...args].join(' ')}: ${ended.error ?? `exit code ${ended.status}`}\n${ended.stderr}${ended.stdout}`);
  return ended.stdout;
}

/** Why a language cannot be used here; undefined where it can. */
function missing({ version: [program, argument], least: [file, pattern] }, folder) {
  const least = pattern.exec(readFileSync(join(folder, file), 'utf8'))?.[1];
  if (least === undefined) throw new Error(`${file} of ${folder} does not say which version is needed`);
  const asked = attempt(program, [argument]);
  if (asked.status !== 0) return `no ${program}`;
  const found = /\d+\.\d+/.exec(asked.stdout)?.[0] ?? '0.0';
  const number = (version) => version.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0);
  return number(found) < number(least) ? `${program} ${found}, and ${least} is needed` : undefined;
}

// ---- the ledger

const cli = join(root, 'dist/cli/main.js');
const policy = (version, effect) => ({
  version,
  rules: [
    {
      name: 'no-keys',
      effect: 'deny',
      agents: 'any',
      action: { filesystem: { path: '/srv/keys/**', methods: 'any' } },
    },
    { name: 'read-srv', effect: 'allow', agents: { one_of: ['builder'] }, action: { filesystem: { path: '/srv/**', methods: ['read'] } } },
    { name: 'search', effect: 'allow', agents: 'any', action: { tool: { server: 'web', name: 'search' } } },
    { name: 'web', effect, agents: 'any', action: { network: { host: '*.example.com', ports: { from: 443, to: 443 }, methods: 'any' } } },
  ],
});
const file = (path, method = 'read') => ({ filesystem: { path, method } });
const requests = [
  { agent: 'builder', actions: [file('/srv//docs/./a.txt')] },
  { agent: 'builder', actions: [file('/srv/docs/a.txt'), file('/srv/keys/k')] },
  { agent: 'reader', actions: [{ network: { host: 'WWW.example.com', port: 443 } }] },
  { agent: 'reader', actions: [{ process: { argv: ['ls', '-l'] } }] },
];

const tool = { server: 'web', name: 'search' };
const args = 'sha256:'.padEnd(71, 'a');

/**
 * Writes a ledger of two installs, decisions before, between and behind them, records and a rotation; a checkpoint of it that is kept outside; and
 * a copy that lacks an entry. Gives the arguments of `verify`, and whether it must be good.
 */
async function writeLedgers() {
  const entry = (name) => import(pathToFileURL(join(root, 'dist', name)).href);
  const { createSigner, generateKey, parsePolicy, publicJwk } = await entry('index.js');
  const { openEngine, openLedger } = await entry('ledger.js');
  const { emitFinding } = await entry('finding.js');
  const [engineKey, auditorKey, harnessKey] = [generateKey(), generateKey('ESP256'), generateKey()];
  const at = (name) => join(temp, name);
  const [folder, cut, trust, auditor] = [at('ledger'), at('ledger-cut'), at('trust.json'), at('auditor.jwk')];
  const trusted = (role, key) => ({ role, engine_ids: ['engine-a'], key: publicJwk(key.public) });
  writeFileSync(trust, JSON.stringify({ keys: [trusted('engine', engineKey), trusted('auditor', auditorKey), trusted('harness', harnessKey)] }));
  writeFileSync(auditor, JSON.stringify(auditorKey.toJwk()), { mode: 0o600 });
  const checkpoint = (name) => {
    run(process.execPath, [cli, 'ledger', 'checkpoint', folder, '--key', auditor, '--trust', trust, '--out', at(name)]);
    return at(name);
  };
  const install = (version, effect) => parsePolicy(JSON.stringify(policy(version, effect)), { format: 'json' });

  const ledger = await openLedger(folder, { engineId: 'engine-a', signer: createSigner(engineKey) });
  const segment = join(folder, readdirSync(folder).find((name) => name.endsWith('.cbor')) ?? '');
  const engine = openEngine({ ledger });
  engine.decide(requests[0]); // no policy yet
  engine.install(install(1, 'ask'));
  for (const request of requests) engine.decide(request);
  const before = statSync(segment).size;
  engine.decide(requests[0], { callId: 'the one that is cut' }); // written when the call returns
  const after = statSync(segment).size;
  for (const request of requests) engine.decide(request);
  await ledger.sync();
  engine.record(readFileSync(checkpoint('recorded.cbor')));
  const { event, receipt } = engine.decide({ agent: 'reader', actions: [{ tool }] }, { argsDigest: args });
  const report = (expectedDecision, verdict, more = {}) => {
    const cited = { engineId: 'engine-a', citedReceipt: receipt.hash, tool, argsDigest: args, policyDigest: event.policyDigest, actualDecision: 'allow' };
    const claim = { ...cited, harness: 'harness', testId: verdict, verdict, expectedDecision, detectedAt: event.time, time: event.time, ...more };
    engine.record(emitFinding(claim, createSigner(harnessKey)));
  };
  report('deny', 'confirmed');
  report('allow', 'expected_pass');
  await ledger.rotate();
  engine.install(install(2, 'allow'));
  for (const request of requests) engine.decide(request);
  await ledger.sync();
  const outside = checkpoint('checkpoint.cbor');
  engine.decide(requests[1]); // behind the checkpoint
  await ledger.close();

  cpSync(folder, cut, { recursive: true });
  const bytes = readFileSync(segment);
  if (!(before > 0 && after > before && bytes.length > after)) throw new Error('the entry that is cut is not in the middle of its segment');
  writeFileSync(join(cut, segment.slice(folder.length + 1)), Buffer.concat([bytes.subarray(0, before), bytes.subarray(after)]));
  const torn = at('ledger-torn');
  cpSync(folder, torn, { recursive: true });
  writeFileSync(join(torn, 'durable.json'), readFileSync(join(folder, 'durable.json')).subarray(0, 40));
  const lying = at('ledger-lying');
  cpSync(folder, lying, { recursive: true });
  const again = await openLedger(lying, { engineId: 'engine-a', signer: createSigner(engineKey) });
  const lie = { engineId: 'engine-a', citedReceipt: receipt.hash, tool, argsDigest: args, policyDigest: event.policyDigest, actualDecision: 'deny' };
  const claim = { ...lie, harness: 'harness', testId: 'refuted', verdict: 'refuted', expectedDecision: 'deny', detectedAt: event.time, time: event.time };
  again.record(emitFinding(claim, createSigner(harnessKey)));
  await again.close();
  return [
    { name: 'a ledger', folder, trust, outside, good: true },
    { name: 'a ledger with an entry cut out', folder: cut, trust, outside, good: false },
    { name: 'a ledger whose durable.json is torn', folder: torn, trust, outside, good: false },
    { name: 'a ledger with a finding that misreports', folder: lying, trust, outside, good: false },
  ];
}

/** What is compared. */
function answer(output, status) {
  const { ok, axes, problems } = JSON.parse(output);
  const statuses = Object.entries(axes).map(([axis, said]) => [axis, status(said)]);
  return JSON.stringify({ ok, axes: Object.fromEntries(statuses.sort()), problems: problems.map((problem) => problem.code).sort() });
}

/** The ledgers with the answer of this implementation, which must be the one that is known beforehand. */
async function judgedLedgers() {
  if (!existsSync(cli)) throw new Error('dist/cli/main.js is not there: npm run build');
  const ledgers = await writeLedgers();
  for (const ledger of ledgers) {
    const { stdout, stderr } = attempt(process.execPath, [cli, 'verify', ledger.folder, '--trust', ledger.trust, '--checkpoint', ledger.outside, '--json']);
    try {
      ledger.answer = answer(stdout, (said) => said.status);
    } catch (cause) {
      throw new Error(`ruleprint verify does not answer for ${ledger.name}\n${stderr}`, { cause });
    }
    if (JSON.parse(ledger.answer).ok !== ledger.good) throw new Error(`ruleprint verify answers for ${ledger.name}: ${ledger.answer}`);
  }
  return ledgers;
}

// ---- one language

/** The vectors and the ledgers, by one program. Gives the counts. */
function check({ command: [program, ...first], env }, ledgers) {
  const verified = attempt(program, [...first, 'verify', join(root, 'vectors')], { env });
  const lines = verified.stdout.trimEnd().split('\n');
  const last = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/.exec(lines.at(-1) ?? '');
  const [passed, failed, skipped] = (last ?? []).slice(1).map((count) => Number(count ?? 0));
  const counts = last ? { passed, failed, skipped } : { passed: 0, failed: 1, skipped: 0 };
  if (last && passed > 0 && verified.status === 0) {
    const reasons = lines.filter((line) => line.startsWith('skipped'));
    for (const reason of reasons) console.log(`  ${reason}`);
  } else {
    if (counts.failed === 0) counts.failed = 1; // it says that nothing failed, and does not end well
    for (const line of lines.slice(-60)) console.log(`  ${line.slice(0, 400)}`);
    if (verified.error || verified.stderr) console.log(`  ${verified.error ?? ''}${verified.stderr.slice(-4000)}`);
  }
  for (const ledger of ledgers) {
    const said = attempt(program, [...first, 'ledger', ledger.folder, ledger.trust, '--checkpoint', ledger.outside], { env });
    let got;
    try {
      got = answer(said.stdout, (status) => status);
    } catch {
      got = `no answer, exit code ${said.status} ${said.error ?? ''}${said.stderr.slice(-2000)}`;
    }
    if (got === ledger.answer) {
      counts.passed++;
    } else {
      counts.failed++;
      console.log(`  ${ledger.name}:\n    ruleprint ${ledger.answer}\n    this one  ${got}`);
    }
  }
  return counts;
}

const total = { passed: 0, failed: 0, skipped: 0 };
/** Prints the line of a language, and adds it up. */
function tell(name, counts, why) {
  for (const key of Object.keys(total)) total[key] += counts[key] ?? 0;
  console.log(`${name}: ${why ?? `${counts.passed} passed, ${counts.failed} failed${counts.skipped ? `, ${counts.skipped} skipped` : ''}`}`);
}

async function main() {
  const asked = process.argv.slice(2);
  const unknown = asked.find((name) => !Object.hasOwn(languages, name));
  if (unknown !== undefined) throw new Error(`no verifier in ${unknown}; there are ${Object.keys(languages).join(', ')}`);
  const ledgers = await judgedLedgers();
  for (const [name, language] of Object.entries(languages)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    const folder = join(verifiers, name);
    try {
      const reason = missing(language, folder);
      if (reason === undefined) tell(name, check(language.make(folder), ledgers));
      else if (process.env.CI === 'true') tell(name, { failed: 1 }, `FAILED: ${reason}`);
      else tell(name, { skipped: 1 }, `skipped: ${reason}`);
    } catch (error) {
      tell(name, { failed: 1 }, `FAILED: ${error.message.trimEnd()}`);
    }
  }
}

try {
  await main();
} catch (error) {
  tell('verifiers', { failed: 1 }, `FAILED: ${error.message.trimEnd()}${error.cause ? ` (${error.cause.message})` : ''}`);
} finally {
  rmSync(temp, { recursive: true, force: true });
}
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped ? `, ${total.skipped} skipped` : ''}`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
