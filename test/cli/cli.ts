/**
 * Runs the command in this process, with streams and a folder of its own.
 * @module
 */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterAll, expect } from 'vitest';
import { run } from '../../src/cli/run.js';
import type { Io, Screen } from '../../src/cli/io.js';
import { root } from '../house/tree.js';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Around {
  readonly cwd?: string;
  readonly stdin?: string | Uint8Array | Iterable<string | Uint8Array>;
  readonly env?: Readonly<Record<string, string>>;
  /** Which streams are terminals. */
  readonly terminal?: boolean;
  /** Interrupts the run. */
  readonly signal?: AbortSignal;
}

/** `cli('check', 'policy.yaml')`, or with what is around it as the last argument. */
export async function cli(...words: readonly (string | Around)[]): Promise<Ran> {
  const args = words.filter((word) => typeof word === 'string');
  const around = (words.find((word) => typeof word !== 'string') ?? {}) as Around;
  const [stdout, stderr] = [screen(around.terminal ?? false), screen(around.terminal ?? false)];
  const code = await run(args, { ...io(around.cwd, around), stdout: stdout.stream, stderr: stderr.stream });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** What a run has beside its screens. */
export function io(cwd = tmpdir(), { stdin = '', env = {}, signal = new AbortController().signal }: Around = {}): Omit<Io, 'stdout' | 'stderr'> {
  const program = { url: pathToFileURL(command.at(-1) as string), execArgv: command.slice(1, -1) };
  return { stdin: Readable.from(chunksOf(stdin)), env: { PATH: process.env['PATH'], ...env }, cwd, program, interruption: () => signal };
}

// the loader that `--import tsx` names does nothing in a worker thread, and this one does
const loader = `import { register } from '${pathToFileURL(join(root, 'node_modules/tsx/dist/esm/api/index.mjs')).href}'; register();`;

/** The command as its own process, from source. */
export const command: readonly [program: string, ...args: string[]] = [
  process.execPath,
  '--import',
  `data:text/javascript,${encodeURIComponent(loader).replaceAll("'", '%27')}`,
  join(root, 'src/cli/main.ts'),
];

function* chunksOf(stdin: NonNullable<Around['stdin']>): Generator<Buffer> {
  const chunks = typeof stdin === 'string' || stdin instanceof Uint8Array ? [stdin] : stdin;
  for (const chunk of chunks) if (chunk.length > 0) yield Buffer.from(chunk as string);
}

export function screen(isTTY: boolean): { stream: Screen; text: () => string } {
  const chunks: string[] = [];
  const stream = new PassThrough();
  stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  return { stream: Object.assign(stream, { isTTY }), text: () => chunks.join('') };
}

const made: string[] = [];
afterAll(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A new folder, taken away after the tests of the file. */
export function newFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ruleprint-cli-')));
  made.push(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

export function textIn(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

/** The result of `--json`; nothing may be on stderr. */
export function jsonOf(ran: Ran): Record<string, unknown> {
  expect(ran.stderr).toBe('');
  return JSON.parse(ran.stdout) as Record<string, unknown>;
}

export const policyYaml = `version: 1
rules:
  - name: no-keys
    effect: deny
    agents: any
    action: { filesystem: { path: "/srv/keys/**", methods: any } }
  - name: read-srv
    effect: allow
    agents: { one_of: ["builder", "reviewer"] }
    action: { filesystem: { path: "/srv/**", methods: [read] } }
`;

export const readRequest = { agent: 'builder', actions: [{ filesystem: { path: '/srv/a', method: 'read' } }] };
export const writeRequest = { agent: 'builder', actions: [{ filesystem: { path: '/srv/a', method: 'write' } }] };
