/**
 * `ruleprint demo`, with the real server and the real client.
 * @module
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../src/cli/failure.js';
import type { Io } from '../../src/cli/io.js';
import { findServer, serverPackage, serverVersion } from '../../src/cli/demo/server.js';
import { play } from '../../src/cli/demo/play.js';
import { buildStage, policyText } from '../../src/cli/demo/scene.js';
import { parsePolicy } from '../../src/policy/parse.js';
import { read } from '../house/tree.js';
import { cli, jsonOf, newFolder, type Ran } from './cli.js';

interface DemoJson {
  readonly ok: boolean;
  readonly server: { readonly version: string; readonly tools: number };
  readonly policies: readonly { readonly version: number; readonly digest: string; readonly text: string }[];
  readonly calls: readonly {
    readonly tool: string;
    readonly actions: readonly Record<string, Record<string, string>>[];
    readonly decision: { readonly effect: string; readonly rule?: string; readonly reason?: string; readonly action: number };
    readonly policy_digest: string;
    readonly sent: boolean;
    readonly answer?: string;
  }[];
  readonly report: { readonly ok: boolean; readonly receipts: number };
  readonly tampered: { readonly receipt: number; readonly report: { readonly ok: boolean; readonly problems: readonly { readonly code: string }[] } };
  readonly verify: string;
  readonly failures: readonly string[];
  readonly ms: number;
}

describe('ruleprint demo', () => {
  const temporary = newFolder();
  let ran: Ran;
  beforeAll(async () => {
    ran = await cli('demo', { env: { TMPDIR: temporary } });
  });

  it('is good, and says nothing on stderr', () => {
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/\nall as promised, in \d+\.\d s\n$/);
  });

  it('takes less than ten seconds', () => {
    expect(Number(/in (\d+\.\d) s\n$/.exec(ran.stdout)?.[1])).toBeLessThan(10);
  });

  it('shows each decision on a line, with its rule and its digest', () => {
    const decisions = ran.stdout.split('\n').filter((line) => /^ {3}(allow|deny) /.test(line));
    expect(decisions).toHaveLength(6);
    for (const line of decisions) expect(line).toMatch(/(rule [\w-]+|no rule allows: (read|write|delete) \S+) +(sent|not sent).* sha256:[0-9a-f]{12}\.\.\.$/);
  });

  it('fits on a screen and a half', () => {
    const lines = ran.stdout.split('\n');
    expect(lines.length).toBeLessThan(60);
    for (const line of lines) expect(line.length).toBeLessThan(140);
  });

  it('leaves nothing behind', () => {
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describe('ruleprint demo --json --keep', () => {
  // the way of macOS: the temporary folder is a link
  const around = newFolder();
  const temporary = join(around, 'link');
  let ran: Ran;
  let json: DemoJson;
  beforeAll(async () => {
    mkdirSync(join(around, 'real [folder]'));
    symlinkSync('real [folder]', temporary);
    ran = await cli('demo', '--json', '--keep', 'kept', { cwd: around, env: { TMPDIR: temporary } });
    json = jsonOf(ran) as unknown as DemoJson;
  });

  it('is good where the temporary folder is a link, and has what looks like a pattern in its name', () => {
    expect({ code: ran.code, ok: json.ok, failures: json.failures }).toEqual({ code: 0, ok: true, failures: [] });
    expect(readdirSync(join(around, 'real [folder]'))).toEqual([]);
    expect(ran.stdout).not.toContain(temporary);
  });

  it('runs the server that the lock file names, by a client that lists its tools', () => {
    expect(json.server).toMatchObject({ version: serverVersion });
    expect(json.server.tools).toBeGreaterThan(10);
    const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
    expect(devDependencies[serverPackage]).toBe(serverVersion);
  });

  it('sends what is allowed and nothing else', () => {
    expect(json.calls.map(({ tool, decision, sent }) => [tool, decision.effect, decision.rule ?? decision.reason, sent])).toEqual([
      ['read_text_file', 'allow', 'call-file-tools', true],
      ['write_file', 'deny', 'no-rule', false],
      ['read_text_file', 'deny', 'no-rule', false],
      ['write_file', 'allow', 'call-file-tools', true],
      ['move_file', 'deny', 'no-rule', false],
      ['write_file', 'deny', 'no-keys', false],
    ]);
    expect(json.calls[0]?.answer).toBe('buy milk');
  });

  it('judges a move as the deletion of one path and the writing of another, behind the call of the tool', () => {
    const [tool, source, destination] = json.calls.find((call) => call.tool === 'move_file')?.actions ?? [];
    expect(tool).toEqual({ tool: { server: 'filesystem', name: 'move_file' } });
    expect(source?.['filesystem']).toMatchObject({ method: 'delete', path: expect.stringMatching(/\/notes\.txt$/) });
    expect(destination?.['filesystem']).toMatchObject({ method: 'write', path: expect.stringMatching(/\/old-notes\.txt$/) });
  });

  it('has earlier receipts cite the first policy after the second is installed', () => {
    const [first, second] = json.policies.map(({ digest }) => digest);
    expect(first).not.toBe(second);
    expect(json.calls.map((call) => call.policy_digest)).toEqual([first, first, first, second, second, second]);
  });

  it('verifies every receipt, and refuses the one with a flipped byte', () => {
    expect(json.report).toMatchObject({ ok: true, receipts: 6 });
    expect(json.tampered.report.ok).toBe(false);
    expect(json.tampered.report.problems[0]?.code).toBe('signature-invalid');
  });

  it('leaves what the printed command verifies', async () => {
    expect(json.verify).toBe('ruleprint verify kept/receipts.cbor --trust kept/trust.json --policies kept/policies');
    const [, ...words] = json.verify.split(' ');
    const verified = await cli(...words, { cwd: around });
    expect(verified.code).toBe(0);
    expect(verified.stdout).toContain('good: 6 receipts, asked and passed: bytes, signature, key trust, rules, re-decision');
  });

  it('overwrites nothing', async () => {
    const before = readFileSync(join(around, 'kept/receipts.cbor'));
    const again = await cli('demo', '--keep', 'kept', { cwd: around });
    expect(again).toMatchObject({ code: 3, stdout: '' });
    expect(again.stderr).toContain('kept is not empty');
    expect(readFileSync(join(around, 'kept/receipts.cbor'))).toEqual(before);
  });
});

describe('the demo', () => {
  it('finds out when it is not as promised: a server that answers something else and does nothing', async () => {
    const stage = await buildStage({ env: { TMPDIR: newFolder() } } as unknown as Io);
    const server = { tools: [], call: async () => ({ content: [{ type: 'text', text: 'done' }] }), close: async () => undefined };
    const quiet = { installed: async () => undefined, called: async () => undefined };
    const { failures, report, tampered } = await play(stage, server, quiet);
    expect(failures[0]).toBe('read_text_file notes.txt: the server answered something else: done');
    expect(failures[1]).toBe('write_file notes.txt: notes.txt does not hold buy oat milk');
    expect([report.ok, tampered.report.ok]).toEqual([true, false]);
    await stage.remove();
  });

  it('says where it cannot make its folder', async () => {
    const missing = join(newFolder(), 'missing');
    expect(await cli('demo', { env: { TMPDIR: missing } })).toEqual({
      code: 3,
      stdout: '',
      stderr: `ruleprint: error: cannot make a folder in ${missing}: no such file or folder\n`,
    });
  });
});

describe('the policies of the demo', () => {
  it('are good, whatever the folder is called', () => {
    for (const folder of ['/tmp/a', '/tmp/[a]*?{b}(c)!@+', '/tmp/"quoted" \u00e9']) {
      for (const version of [1, 2] as const) expect(parsePolicy(policyText(folder, version), { format: 'yaml' }).version).toBe(version);
    }
  });
});

describe('the server, where it is not installed', () => {
  const nowhere = pathToFileURL(join(newFolder(), 'ruleprint.js')).href;
  const never = new AbortController().signal;

  /** A folder with an npx of our own. */
  function withNpx(script: string): Pick<Io, 'cwd' | 'env'> {
    const folder = newFolder({ npx: `#!/bin/sh\n${script}\n` });
    chmodSync(join(folder, 'npx'), 0o755);
    return { cwd: folder, env: { PATH: `${folder}:/usr/bin:/bin` } };
  }
  const find = (io: Pick<Io, 'cwd' | 'env'>, told: string[] = []): ReturnType<typeof findServer> =>
    findServer(io as Io, never, (line) => told.push(line), nowhere);

  it('is taken from where npx has it, pinned to one version, after one line that says so', async () => {
    const installed = createRequire(import.meta.url).resolve(`${serverPackage}/package.json`);
    const bin = join(dirname(installed), '../../.bin/mcp-server-filesystem');
    const io = withNpx(`echo "$@" > asked; echo '${bin}'`);
    const told: string[] = [];
    expect(await find(io, told)).toEqual({ entry: join(dirname(installed), 'dist/index.js'), version: serverVersion });
    expect(told).toEqual([`fetching ${serverPackage} ${serverVersion} with npx, once`]);
    expect(readFileSync(join(io.cwd, 'asked'), 'utf8')).toContain(`--package ${serverPackage}@${serverVersion} `);
  });

  it.each([
    ['offline', 'echo "npm error code ENOTFOUND" >&2; echo "npm error network" >&2; exit 1', 'npx cannot fetch it: ENOTFOUND'],
    ['silent', 'exit 1', 'npx cannot fetch it: no reason given'],
    ['a stranger', 'echo; exit 0', 'npx cannot fetch it: no reason given'],
  ])('is not had from an npx that is %s: one clear line and a hint', async (_what, script, why) => {
    const failure = await find(withNpx(script)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({
      exitCode: 3,
      message: `the demo needs ${serverPackage} ${serverVersion}, and ${why}`,
      hint: expect.stringContaining('online'),
    });
  });

  it('is not had without npx', async () => {
    const failure = await find({ cwd: newFolder(), env: { PATH: newFolder() } }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ exitCode: 3, message: expect.stringContaining('npx: no such file or folder') });
  });

  it('is said to be silent when it does not start', async () => {
    const folder = newFolder();
    const at = join(folder, 'node_modules', serverPackage);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, 'package.json'), JSON.stringify({ name: serverPackage, version: '0.0.1', bin: { x: 'x.js' } }));
    const found = await findServer({} as Io, never, () => undefined, pathToFileURL(join(folder, 'a.js')).href);
    expect(found).toEqual({ entry: join(at, 'x.js'), version: '0.0.1' });
  });
});
