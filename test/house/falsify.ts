/**
 * `npm run falsify`: breaks the source in one place after another, in a copy, and demands each time that the test which names the requirement turns
 * red. What passes here has been seen to fail.
 * @module
 */
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createVitest, type Vitest } from 'vitest/node';
import { type Edit, list } from './falsify-edits.js';
import { root } from './tree.js';

/** As many copies work side by side. */
const workers = 2;
/** An edit may make a loop of what ended. */
const patience = 240_000;
const copied = ['src', 'test', 'docs', 'vectors', 'package.json', 'tsconfig.json', 'tsconfig.base.json', 'vitest.config.ts'];

interface Result {
  readonly file: string;
  readonly name: string;
  readonly isRed: boolean;
  readonly errors: readonly string[];
}

/** A copy of the repository with a runner that stays, because starting one costs more than a test. */
interface Copy {
  readonly path: string;
  runner: Vitest;
}

/** Words to run some of the edits alone: `npm run falsify -- RCP-14 "order of keys"`. */
const wanted = process.argv.slice(2);
const edits = list.filter((edit) => wanted.every((word) => `${edit.id} ${edit.what} ${edit.file}`.includes(word)));

const folder = mkdtempSync(join(tmpdir(), 'ruleprint-falsify-'));
let failed = 0;
try {
  const copies = await Promise.all(Array.from({ length: workers }, (_, i) => makeCopy(join(folder, String(i)))));
  await mustBeGreen(copies[0] as Copy);
  const todo = edits.map((edit, i) => ({ edit, i }));
  await Promise.all(
    copies.map(async (copy) => {
      for (let next = todo.shift(); next !== undefined; next = todo.shift()) {
        const { edit, i } = next;
        const start = performance.now();
        const wrong = await tryEdit(copy, edit);
        if (wrong !== undefined) failed++;
        const seconds = ((performance.now() - start) / 1000).toFixed(1);
        console.log(`${wrong === undefined ? 'red' : 'NOT RED'} ${i + 1}/${edits.length} ${edit.id} ${edit.what} (${seconds} s)`);
        if (wrong !== undefined) console.log(`    ${wrong}\n    ${edit.file}: ${edit.put}\n    ${edit.test}: ${edit.name}`);
      }
    }),
  );
} catch (error) {
  failed ||= 1;
  console.error(error instanceof Error ? error.message : error);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\n${edits.length - failed} passed, ${failed} failed`);
// a test that loops for ever ends with its thread, and that with the process
process.exit(failed === 0 && edits.length > 0 ? 0 : 1);

async function makeCopy(to: string): Promise<Copy> {
  for (const name of copied) cpSync(join(root, name), join(to, name), { recursive: true, filter: (from) => basename(from) !== 'node_modules' });
  symlinkSync(join(root, 'node_modules'), join(to, 'node_modules'));
  const path = realpathSync(to);
  return { path, runner: await makeRunner(path) };
}

function makeRunner(path: string): Promise<Vitest> {
  return createVitest('test', { root: path, watch: false, project: ['main'], reporters: [{}], pool: 'threads', maxWorkers: 1 });
}

/** Every named test is there and green before anything is broken, so that an edit alone makes it red. */
async function mustBeGreen(copy: Copy): Promise<void> {
  const files = [...new Set(edits.map(({ test }) => test))];
  const results = await run(copy, files);
  const wrong = edits.flatMap(({ test, name }) => {
    const named = results.filter((result) => result.file === test && result.name.startsWith(spaced(name)));
    if (named.length === 0) return [`${test} has no test "${name}"`];
    return named.some(({ isRed }) => isRed) ? [`${test}: "${name}" is red before any edit`] : [];
  });
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
  console.log(`${edits.length} edits; what they name in ${files.length} test files is green without them`);
}

/** Makes one edit, runs the tests that it names, takes the edit back. What is wrong, or undefined where the test turned red. */
async function tryEdit(copy: Copy, { file, find, put, test, name }: Edit): Promise<string | undefined> {
  const path = join(copy.path, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(find).length !== 2) return `expected the line once in ${file}, got it ${source.split(find).length - 1} times`;
  const write = (text: string): void => {
    writeFileSync(path, text);
    copy.runner.invalidateFile(path);
  };
  write(source.replace(find, () => put));
  try {
    const named = (await run(copy, [test], name)).filter((result) => result.name.startsWith(spaced(name)));
    if (named.length === 0) return 'the named test did not run, or not to its end';
    const red = named.filter(({ isRed }) => isRed);
    if (red.length === 0) return 'the named test stayed green';
    // a name that is not there or a text that does not parse turns everything red, and shows nothing
    const broken = red.flatMap(({ errors }) => errors).find((error) => /^(ReferenceError|SyntaxError)|is not a function/.test(error));
    return broken === undefined ? undefined : `the edit does not run: ${broken.split('\n', 1)[0]}`;
  } finally {
    write(source);
  }
}

/** Runs test files, or the tests in them whose full name begins so. None where it takes too long. */
async function run(copy: Copy, files: readonly string[], name?: string): Promise<readonly Result[]> {
  const { runner } = copy;
  const specifications = (await runner.globTestSpecifications([...files])).filter(({ moduleId }) => files.some((file) => moduleId === join(copy.path, file)));
  if (name === undefined) runner.resetGlobalTestNamePattern();
  else runner.setGlobalTestNamePattern(new RegExp(`^${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`));
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, name === undefined ? 10 * patience : patience, undefined).unref());
  const ended = await Promise.race([runner.runTestSpecifications(specifications), late]);
  if (ended === undefined) {
    copy.runner = await makeRunner(copy.path);
    return [];
  }
  return ended.testModules
    .filter(({ relativeModuleId }) => files.includes(relativeModuleId))
    .flatMap((module) => [...module.children.allTests()])
    .flatMap((test): Result[] => {
      const { state, errors = [] } = test.result();
      if (state !== 'passed' && state !== 'failed') return [];
      const shown = errors.map((error) => `${error.name}: ${error.message}`);
      return [{ file: test.module.relativeModuleId, name: spaced(test.fullName), isRed: state === 'failed', errors: shown }];
    });
}

/** A runner joins the names of suites and test with " > ", a pattern sees them joined with a space. */
function spaced(name: string): string {
  return name.replaceAll(' > ', ' ');
}
