/**
 * The page of an audit in a real Chromium. The last line is the result: "N passed, N failed".
 * With --picture no test is run, and docs/audit-report.png is made.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findChromium, howToInstall } from './chromium.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const bin = join(root, 'node_modules', '.bin');
const run = (command, args, cwd = root) => spawnSync(command, args, { cwd, stdio: 'inherit' }).status ?? 1;

const isPicture = process.argv.includes('--picture');
let passed = 0;
let failed = 0;
const step = (name, status) => {
  if (status !== 0) {
    failed++;
    process.stderr.write(`${name}: FAILED\n`);
  }
  return status === 0;
};

if (findChromium() === undefined) {
  process.stderr.write(`${howToInstall}\n`);
  failed++;
}
// the driver is told where Chromium is, and brings none itself
else if (step('install', run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], folder))) {
  if (isPicture) step('picture', run(join(bin, 'tsx'), [join(folder, 'picture.ts')]));
  else {
    step('types', run(join(bin, 'tsc'), ['-p', join(folder, 'tsconfig.json'), '--noEmit']));
    const reports = mkdtempSync(join(tmpdir(), 'ruleprint-browser-'));
    const report = join(reports, 'report.json');
    const status = run(join(bin, 'vitest'), ['run', '--project', 'browser', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]);
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
    rmSync(reports, { recursive: true });
    passed = numPassedTests;
    failed += numFailedTests;
    // a file that cannot be loaded fails without a failed test
    if (status !== 0 && numFailedTests === 0) failed++;
  }
}
if (!isPicture) process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
