/**
 * Checks that are counted, folders that are taken away, and the command that is tested.
 * @module
 */
import { deepStrictEqual } from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../..');

let passed = 0;
const failures = [];
const made = [];

/** One thing that passes or fails. Words of the command line choose some: `node main.js everything`. */
export async function check(name, act, limit) {
  const wanted = process.argv.slice(2);
  if (!wanted.every((word) => name.includes(word))) return;
  const start = performance.now();
  try {
    await withLimit(act(), limit);
    passed++;
    console.log(`ok    ${name} (${Math.round(performance.now() - start)} ms)`);
  } catch (error) {
    failures.push(name);
    console.log(`FAIL  ${name}\n${error instanceof Error ? error.stack : String(error)}`);
  }
}

async function withLimit(work, ms = 60_000) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Says the result on the last line, and takes everything away. */
export function finish() {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
  if (failures.length > 0) console.log(`\nfailed:\n${failures.map((name) => `  ${name}`).join('\n')}`);
  console.log(`\n${passed} passed, ${failures.length} failed`);
  process.exit(failures.length === 0 && passed > 0 ? 0 : 1);
}

export function equal(actual, expected, what) {
  deepStrictEqual(actual, expected, what);
}

export function demand(holds, what) {
  if (!holds) throw new Error(what);
}

export function newFolder(files = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ruleprint-mcp-')));
  made.push(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** `ruleprint`, built; from source where RULEPRINT_SOURCE is set. */
export const ruleprint = process.env.RULEPRINT_SOURCE
  ? [process.execPath, '--import', join(root, 'node_modules/tsx/dist/esm/index.mjs'), join(root, 'src/cli/main.ts')]
  : [process.execPath, join(root, 'dist/cli/main.js')];

export function run(...words) {
  const { cwd, ...rest } = typeof words.at(-1) === 'string' ? {} : words.pop();
  const [program, ...args] = ruleprint;
  const { status, stdout, stderr } = spawnSync(program, [...args, ...words], { cwd, encoding: 'utf8', ...rest });
  return { code: status, stdout, stderr };
}

const rule = (name, effect, action) => ({ name, effect, agents: 'any', action });
export const tool = (effect, server, name) => rule(`${effect} ${server} ${name}`, effect, { tool: { server, name } });
export const files = (effect, path, ...methods) => rule(`${effect} ${path}`, effect, { filesystem: { path, methods } });

let keyFolder;
function keys() {
  if (keyFolder !== undefined) return keyFolder;
  keyFolder = newFolder();
  for (const role of ['engine', 'approver']) {
    const { code, stderr } = run('keygen', '--out', `${role}.jwk`, '--trust', 'trust.json', '--role', role, { cwd: keyFolder });
    demand(code === 0, stderr);
  }
  return keyFolder;
}

/** A folder with a policy, keys, and what puts a gate before a command. */
export function newGate(rules, { server = 'server', options = [] } = {}) {
  const folder = newFolder({ 'policy.json': JSON.stringify({ version: 1, rules }) });
  cpSync(keys(), folder, { recursive: true });
  const at = (name) => join(folder, name);
  const recorded = ['--ledger', at('audit'), '--key', at('engine.jwk'), '--approver-key', at('approver.jwk')];
  const words = ['mcp', '--policy', at('policy.json'), ...recorded, '--server', server, ...options];
  return {
    folder,
    words,
    before: (command) => [...ruleprint, ...words, '--', ...command],
    /** The decisions in the ledger, once the gate has ended. Everything in it must verify. */
    decisions: () => {
      const { code, stdout } = run('verify', at('audit'), '--trust', at('trust.json'), '--require', 'approvals', { cwd: folder });
      demand(code === 0, `the ledger does not verify:\n${stdout}`);
      const shown = run('ledger', 'show', at('audit'), '--json', { cwd: folder }).stdout;
      return shown
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter((entry) => JSON.stringify(entry).includes('"decision"'));
    },
  };
}

export const text = (file) => readFileSync(file, 'utf8');
