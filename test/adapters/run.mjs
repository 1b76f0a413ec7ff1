/**
 * Installs the agent SDKs beside this file and runs the adapters against them. The last line is the result: "N passed, N failed".
 * With --check the SDKs are installed and the types judged, and no test is run: for .ci/run, which counts the tests itself.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const bin = join(root, 'node_modules', '.bin');
const run = (command, args, cwd = root) => spawnSync(command, args, { cwd, stdio: 'inherit' }).status ?? 1;

let failed = 0;
const step = (name, status) => {
  if (status !== 0) {
    failed++;
    process.stderr.write(`${name}: FAILED\n`);
  }
  return status === 0;
};

// no install script of a dependency is needed, and no program for another machine
const isInstalled = step('install', run('npm', ['ci', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', '--loglevel=error'], folder));
if (isInstalled) step('types', run(join(bin, 'tsc'), ['-p', join(folder, 'tsconfig.json'), '--noEmit']));
if (process.argv.includes('--check')) process.exit(failed === 0 ? 0 : 1);

let passed = 0;
if (isInstalled) {
  const reports = mkdtempSync(join(tmpdir(), 'ruleprint-adapters-'));
  const report = join(reports, 'report.json');
  const status = run(join(bin, 'vitest'), ['run', '--project', 'adapters', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]);
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
  rmSync(reports, { recursive: true });
  passed = numPassedTests;
  failed += numFailedTests;
  // a file that cannot be loaded fails without a failed test
  if (status !== 0 && numFailedTests === 0) failed++;
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
