/**
 * `npm run falsify`: breaks the source in one place after another, in a copy, and demands each time that the test which names the requirement turns
 * red. What passes here has been seen to fail.
 * @module
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type Edit, list } from './falsify-edits.js';
import { root } from './tree.js';

/** As many copies work side by side. */
const workers = 2;
/** An edit may make a loop of what ended. */
const patience = 60_000;
const copied = ['src', 'test', 'package.json', 'tsconfig.json', 'tsconfig.base.json', 'vitest.config.ts'];

interface TestResult {
  readonly file: string;
  readonly fullName: string;
  readonly status: 'passed' | 'failed' | 'pending' | 'skipped' | 'todo';
  readonly failureMessages?: readonly string[];
}

/** Words to run some of the edits alone: `npm run falsify -- RCP-14 "order of keys"`. */
const wanted = process.argv.slice(2);
const edits = list.filter((edit) => wanted.every((word) => `${edit.id} ${edit.what} ${edit.file}`.includes(word)));

const folder = mkdtempSync(join(tmpdir(), 'ruleprint-falsify-'));
let failed = 0;
try {
  const copies = Array.from({ length: workers }, (_, i) => makeCopy(join(folder, String(i))));
  await mustBeGreen(copies[0] as string);
  const todo = edits.map((edit, i) => ({ edit, i }));
  await Promise.all(
    copies.map(async (copy) => {
      for (let next = todo.shift(); next !== undefined; next = todo.shift()) {
        const { edit, i } = next;
        const start = performance.now();
        const wrong = await tryEdit(copy, edit);
        if (wrong !== undefined) failed++;
        const seconds = ((performance.now() - start) / 1000).toFixed(1);
        console.log(
          `${wrong === undefined ? 'red' : 'NOT RED'} ${i + 1}/${edits.length} ${edit.id} ${edit.what} (${seconds} s)${wrong === undefined ? '' : `\n    ${wrong}\n    ${edit.file}: ${edit.put}\n    ${edit.test}: ${edit.name}`}`,
        );
      }
    }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\n${edits.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 && edits.length > 0 ? 0 : 1;

function makeCopy(to: string): string {
  for (const name of copied) cpSync(join(root, name), join(to, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(to, 'node_modules'));
  return to;
}

/** Every named test is there and green before anything is broken, so that an edit alone makes it red. */
async function mustBeGreen(copy: string): Promise<void> {
  const files = [...new Set(edits.map(({ test }) => test))];
  const results = await run(copy, files);
  const wrong = edits.flatMap(({ test, name }) => {
    const named = results.filter(({ file, fullName }) => file === test && fullName.startsWith(name));
    if (named.length === 0) return [`${test} has no test "${name}"`];
    return named.every(({ status }) => status === 'passed') ? [] : [`${test}: "${name}" is red before any edit`];
  });
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
  console.log(`${edits.length} edits; what they name in ${files.length} test files is green without them`);
}

/** Makes one edit, runs the tests that it names, takes the edit back. What is wrong, or undefined where the test turned red. */
async function tryEdit(copy: string, { file, find, put, test, name }: Edit): Promise<string | undefined> {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(find).length !== 2) return `expected the line once in ${file}, got it ${source.split(find).length - 1} times`;
  writeFileSync(
    path,
    source.replace(find, () => put),
  );
  try {
    const results = await run(copy, [test], name);
    const named = results.filter(({ fullName, status }) => fullName.startsWith(name) && (status === 'passed' || status === 'failed'));
    if (named.length === 0) return 'the named test did not run';
    const red = named.filter(({ status }) => status === 'failed');
    if (red.length === 0) return 'the named test stayed green';
    // a name that is not there or a text that does not parse turns everything red, and shows nothing
    const broken = red.flatMap(({ failureMessages = [] }) => failureMessages).find((message) => /^(ReferenceError|SyntaxError)/.test(message));
    return broken === undefined ? undefined : `the edit does not run: ${broken.split('\n', 1)[0]}`;
  } finally {
    writeFileSync(path, source);
  }
}

/** Runs test files, or the tests in them whose full name begins so. */
function run(copy: string, files: readonly string[], name?: string): Promise<readonly TestResult[]> {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const only = name === undefined ? [] : ['--testNamePattern', `^${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`];
  const options = ['run', '--project', 'main', ...files, ...only, '--reporter=json', `--outputFile=${report}`];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', ...options], {
      cwd: copy,
      stdio: 'ignore',
      timeout: patience,
      killSignal: 'SIGKILL',
    });
    child.on('error', reject);
    child.on('close', () => resolve(read(copy, report)));
  });
}

function read(copy: string, report: string): readonly TestResult[] {
  let text: string;
  try {
    text = readFileSync(report, 'utf8');
  } catch {
    return []; // killed before it could report: no test ran
  }
  const { testResults } = JSON.parse(text) as { testResults: readonly { name: string; assertionResults: readonly Omit<TestResult, 'file'>[] }[] };
  return testResults.flatMap(({ name, assertionResults }) => assertionResults.map((result) => ({ ...result, file: relative(realpathSync(copy), name) })));
}
