/**
 * Makes each edit of edits.ts in a copy of the repository and demands that its tests go red.
 *
 *   npm run falsify              every edit
 *   npm run falsify -- DIG-      those whose description holds the text
 *
 * Exit 1 when an edit survives, or when the tests are not green before it.
 * @module
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { edits } from './edits.js';
import { files, root } from './tree.js';

const wanted = edits.filter(({ breaks }) => breaks.includes(process.argv[2] ?? ''));
const copy = mkdtempSync(join(tmpdir(), 'ruleprint-falsify-'));

interface Run {
  readonly passed: number;
  readonly failed: number;
  readonly first: string | undefined;
  readonly broken: boolean;
}

/** Runs test files by parts of their paths, until the first failure. */
function run(parts: readonly string[]): Run {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const filter = ['--exclude', 'test/house/**', '--bail', '1', '--reporter', 'json', '--outputFile.json', report];
  spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'main', ...filter, ...parts], { cwd: copy, timeout: 180_000 });
  try {
    const said = JSON.parse(readFileSync(report, 'utf8')) as {
      numPassedTests: number;
      numFailedTests: number;
      testResults: { status: string; assertionResults: { status: string; fullName: string }[] }[];
    };
    const failed = said.testResults.flatMap((file) => file.assertionResults).find((test) => test.status === 'failed');
    // a file that does not even load is no test that noticed
    const broken = said.testResults.some((file) => file.status === 'failed' && file.assertionResults.length === 0);
    return { passed: said.numPassedTests, failed: said.numFailedTests, first: failed?.fullName, broken };
  } catch {
    // no report: the run was ended from outside, by the time limit above
    return { passed: 0, failed: 0, first: undefined, broken: true };
  }
}

try {
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  spawnSync('git', ['init', '--quiet'], { cwd: copy });

  const before = run([...new Set(wanted.flatMap(({ red }) => red))]);
  console.log(`before any edit: ${before.passed} passed, ${before.failed} failed${before.first === undefined ? '' : ` (${before.first})`}`);
  if (before.failed > 0 || before.broken || before.passed === 0) process.exitCode = 1;

  let caught = 0;
  for (const { breaks, file, from, to, red } of process.exitCode === 1 ? [] : wanted) {
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    if (text.split(from).length !== 2) throw new Error(`${file}: the edit does not apply: ${breaks}`);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
    const after = run(red);
    writeFileSync(path, text);
    const noticed = after.failed > 0;
    if (noticed) caught++;
    console.log(noticed ? `red: ${breaks} (${after.first})` : `SURVIVED: ${breaks} (${after.passed} passed${after.broken ? ', a file did not load' : ''})`);
  }
  console.log(`${caught} of ${wanted.length} edits noticed`);
  if (caught < wanted.length) process.exitCode = 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
