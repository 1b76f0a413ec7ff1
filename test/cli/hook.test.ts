/**
 * `ruleprint hook claude` (GAT-18): what Claude Code is told, and that every fault of ours blocks.
 * @module
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { judgeHook, maxInputBytes } from '../../src/cli/hook/judge.js';
import { type HookSettings, plainSettings } from '../../src/cli/hook/settings.js';
import { copyTrustStore, generateKey, parsePolicy, publicJwk, RuleprintError } from '../../src/index.js';
import { openLedger } from '../../src/ledger/open.js';
import { readLedger } from '../../src/ledger/folder.js';
import { createSigner } from '../../src/cose/signer.js';
import { verifyLedger } from '../../src/ledger/verify.js';
import { root } from '../house/tree.js';
import { cli, command, newFolder } from './cli.js';

const tool = (name: string): object => ({ tool: { server: 'claude', name } });
const argv = (...items: string[]): object => ({ process: { argv: items } });
const rules = [
  ['tools', 'allow', tool('*')],
  ['no-rm', 'deny', argv('rm', '**')],
  ['git-status', 'allow', argv('git', 'status', '**')],
  ['git-log', 'allow', argv('git', 'log', '**')],
  ['git-push', 'ask', argv('git', 'push', '**')],
  ['read-srv', 'allow', { filesystem: { path: '/srv/**', methods: ['read'] } }],
  ['no-keys', 'deny', { filesystem: { path: '/srv/keys/**', methods: 'any' } }],
] as const;
const policyText = JSON.stringify({ version: 1, rules: rules.map(([name, effect, action]) => ({ name, effect, agents: 'any', action })) });
const key = generateKey();
const other = generateKey();
const trust = copyTrustStore({ keys: [{ role: 'engine', engine_ids: ['engine'], key: publicJwk(key.public) }] });

const files = { 'policy.json': policyText, 'key.json': JSON.stringify(key.toJwk()), 'other.json': JSON.stringify(other.toJwk()) };
const place = (): { cwd: string; env: Record<string, string> } => {
  const cwd = newFolder(files);
  for (const secret of ['key.json', 'other.json']) chmodSync(join(cwd, secret), 0o600);
  return { cwd, env: { HOME: '/home/someone' } };
};
const plain: HookSettings = { policy: 'policy.json', observe: false, realpath: false, resolve: false };
const recorded: HookSettings = { ...plain, ledger: 'audit', key: 'key.json' };

const inputOf = (toolName: string, toolInput: unknown, more: object = {}): Buffer =>
  Buffer.from(
    JSON.stringify({
      session_id: 's',
      transcript_path: '/t',
      cwd: '/srv',
      hook_event_name: 'PreToolUse',
      tool_name: toolName,
      tool_input: toolInput,
      tool_use_id: 'toolu_1',
      ...more,
    }),
  );
const bash = (text: string): Buffer => inputOf('Bash', { command: text });

async function decisionOf(input: Uint8Array, settings = plain, at = place()): Promise<{ decision: string | undefined; reason: string | undefined }> {
  const text = await judgeHook(at, settings, input);
  if (text === '') return { decision: undefined, reason: undefined };
  const { hookSpecificOutput: said } = JSON.parse(text) as {
    hookSpecificOutput: { hookEventName: string; permissionDecision: string; permissionDecisionReason: string };
  };
  expect(said.hookEventName).toBe('PreToolUse');
  return { decision: said.permissionDecision, reason: said.permissionDecisionReason };
}

describe('a command of Bash', () => {
  it.each(['git status', 'git status -s', 'git log && git status', 'git status; git log', "git log --format='%H'"])(
    'is allowed by its rules: %s',
    async (text) => {
      expect(await decisionOf(bash(text))).toMatchObject({ decision: 'allow' });
    },
  );

  it.each([
    'rm -rf /srv',
    'git status; rm -rf /srv',
    'git status && rm -rf /srv',
    'git status || rm -rf /srv',
    'git status | rm -rf /srv',
    'git status & rm -rf /srv',
    'git status\nrm -rf /srv',
    'LD_PRELOAD=x rm -rf /srv',
    'A=1 B=2 rm -rf /srv',
    'env A=1 rm -rf /srv',
    'bash -c "rm -rf /srv"',
    "sh -c 'rm -rf /srv'",
    'git status $(rm -rf /srv)',
    'git status `rm -rf /srv`',
    'git status "$(rm -rf /srv)"',
    'git status <(rm -rf /srv)',
    'R=rm; $R -rf /srv',
    '$R -rf /srv',
    'r"m" -rf /srv',
    "r''m -rf /srv",
    'r\\m -rf /srv',
    "$'\\x72m' -rf /srv",
    'eval "rm -rf /srv"',
    '(rm -rf /srv)',
    '{ rm -rf /srv; }',
    'if true; then rm -rf /srv; fi',
    'for f in a; do rm -rf /srv; done',
    'f() { rm -rf /srv; }; f',
    'git status <<< $(rm -rf /srv)',
    'xargs rm -rf < list',
    'git status > /srv/keys/a',
    'sudo rm -rf /srv',
    'exec rm -rf /srv',
    'command rm -rf /srv',
    'git status; unterminated "',
  ])('is not allowed to hide what it does: %s', async (text) => {
    expect(await decisionOf(bash(text))).toMatchObject({ decision: 'deny' });
  });

  it('is put to the user where a rule asks, and no release is claimed (GAT-10)', async () => {
    const at = place();
    expect(await decisionOf(bash('git push'), recorded, at)).toEqual({ decision: 'ask', reason: "rule `git-push` asks for a human's approval" });
    const report = verifyLedger([readLedger(join(at.cwd, 'audit'))], { trust, require: ['order', 'timeline', 're-decision', 'approvals'] });
    expect(report.problems).toEqual([]);
  });
});

describe('a call', () => {
  it('takes relative paths from the folder of the session', async () => {
    expect(await decisionOf(inputOf('Read', { file_path: 'a' }))).toMatchObject({ decision: 'allow' });
    expect(await decisionOf(inputOf('Read', { file_path: 'keys/a' }))).toMatchObject({ decision: 'deny', reason: expect.stringContaining('no-keys') });
    expect(await decisionOf(inputOf('Read', { file_path: '../etc/passwd' }))).toMatchObject({ decision: 'deny' });
  });

  it('is recorded with its actions, the call id and the digests, and the ledger verifies (GAT-1)', async () => {
    const at = place();
    await decisionOf(inputOf('Read', { file_path: '/srv/a' }), recorded, at);
    await decisionOf(inputOf('Read', { file_path: '/srv/keys/a' }), recorded, at);
    await decisionOf(inputOf('Read', { file_path: 7 }), recorded, at);
    const { stdout } = await cli('ledger', 'export', 'audit', { cwd: at.cwd });
    const entries = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { statement: { statement: string; call_id?: string; decision?: object } });
    const decisions = entries.map((entry) => entry.statement).filter(({ statement }) => statement === 'decision');
    expect(decisions).toMatchObject([
      { call_id: 'toolu_1', decision: { effect: 'allow' }, mapping: expect.stringMatching(/^sha256:/), args_digest: expect.stringMatching(/^sha256:/) },
      { decision: { effect: 'deny', rule: 'no-keys' } },
      { decision: { effect: 'deny', reason: 'unmapped' } },
    ]);
    const report = verifyLedger([readLedger(join(at.cwd, 'audit'))], {
      trust,
      policies: [parsePolicy(policyText, { format: 'json' })],
      require: ['order', 'timeline', 'rules', 're-decision', 'approvals'],
    });
    expect(report).toMatchObject({ ok: true, problems: [] });
  });

  it('is answered by nothing in observe mode, whatever the rules say (GAT-13)', async () => {
    expect(await decisionOf(bash('rm -rf /srv'), { ...recorded, observe: true })).toEqual({ decision: undefined, reason: undefined });
  });
});

describe('eight hooks at once', () => {
  it('are all recorded, one after another (LED-7)', async () => {
    const { cwd } = place();
    const children = Array.from({ length: 8 }, (_, i) => {
      const child = start(cwd, '--policy', 'policy.json', '--ledger', 'audit', '--key', 'key.json');
      child.stdin.end(inputOf('Read', { file_path: `/srv/${i}` }));
      return once(child, 'close');
    });
    expect(await Promise.all(children)).toEqual(children.map(() => [0, null]));
    const report = verifyLedger([readLedger(join(cwd, 'audit'))], { trust, require: ['order', 'timeline', 're-decision'] });
    expect(report).toMatchObject({ ok: true, receipts: 10 });
  });
});

const entry = [...command.slice(1, -1), join(root, 'test/cli/hook-entry.ts'), 'claude'];

function start(cwd: string, ...words: string[]): ReturnType<typeof spawn> & { stdin: NonNullable<ReturnType<typeof spawn>['stdin']> } {
  return spawn(process.execPath, [...entry, ...words], { cwd, stdio: ['pipe', 'pipe', 'pipe'] }) as never;
}

describe('a fault of ours', () => {
  const blocks = (cwd: string, input: string | Buffer, ...words: string[]): string => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [...entry, ...words], { cwd, input, encoding: 'utf8', maxBuffer: 1 << 26 });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^ruleprint: error: the call is not judged: /);
    return stderr;
  };
  const good = inputOf('Read', { file_path: '/srv/a' });

  const refusedWith = (input: Uint8Array, settings: Partial<HookSettings> = {}, at = place()): Promise<unknown> =>
    judgeHook({ ...at, lockTimeout: 50 }, { ...plain, ...settings }, input).then(
      (answer) => `answered ${answer}`,
      (error: unknown) => error,
    );

  it.each([
    ['nothing', ''],
    ['no JSON', '{"canary'],
    ['a list', '[]'],
    ['another event', '{"hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{}}'],
    ['no tool', '{"hook_event_name":"PreToolUse","tool_input":{}}'],
    ['no input', '{"hook_event_name":"PreToolUse","tool_name":"Read"}'],
    ['a tool that is no text', '{"hook_event_name":"PreToolUse","tool_name":7,"tool_input":{}}'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['too long', Buffer.alloc(maxInputBytes + 1, 0x20)],
  ])('gives no answer to input that is %s, and shows none of it (GAT-18)', async (_, input) => {
    const error = await refusedWith(Buffer.from(input));
    expect(error).toBeInstanceOf(RuleprintError);
    expect(String(error)).not.toContain('canary');
  });

  it.each<[string, Partial<HookSettings>]>([
    ['a policy that is not there', { policy: 'none.json' }],
    ['a policy that is none', { policy: 'key.json' }],
    ['a policy in a format that cannot be told', { policy: 'policy.txt' }],
    ['a key that is not there', { ledger: 'audit', key: 'none.json' }],
    ['a key that is none', { ledger: 'audit', key: 'policy.json' }],
    ['a ledger without a key', { ledger: 'audit' }],
    ['a key without a ledger', { key: 'key.json' }],
    ['a ledger that is a file', { ledger: 'policy.json', key: 'key.json' }],
    ['a table that is none', { mapping: ['policy.json'] }],
    ['an agent that is no name', { agent: 'a\nb' }],
  ])('gives no answer with %s (GAT-18)', async (_, settings) => {
    expect(await refusedWith(good, settings)).toBeInstanceOf(Error);
  });

  it.each([
    ['input that is none', '{"canary', ['--policy', 'policy.json']],
    ['no policy', good, []],
    ['a policy that is not there', good, ['--policy', 'none.json']],
  ])('blocks by exit code 2: %s (GAT-18)', (_, input, words) => {
    const { cwd } = place();
    if (words.length > 0) expect(blocks(cwd, input, ...words)).not.toContain('canary');
    else expect(blocks(cwd, input)).toContain('--policy');
  });

  it('blocks by exit code 2: words that it does not know (GAT-18)', () => {
    expect(spawnSync(process.execPath, [...entry, '--polcy', 'policy.json'], { cwd: place().cwd, input: good }).status).toBe(2);
  });

  it('gives no answer with a ledger by another key, and with other rules for its version (GAT-18)', async () => {
    const at = place();
    await decisionOf(good, recorded, at);
    expect(await refusedWith(good, { ...recorded, key: 'other.json' }, at)).toMatchObject({ code: 'ledger-engine' });
    writeFileSync(join(at.cwd, 'again.json'), '{"version":1,"rules":[]}');
    expect(await refusedWith(good, { ...recorded, policy: 'again.json' }, at)).toMatchObject({ code: 'version-reused' });
  });

  it('gives no answer with a ledger that another writer does not let go of (GAT-18)', async () => {
    const at = place();
    const ledger = await openLedger(join(at.cwd, 'audit'), { engineId: 'engine', signer: createSigner(key) });
    expect(await refusedWith(good, recorded, at)).toMatchObject({ code: 'ledger-locked' });
    await ledger.close();
  });

  it('blocks by exit code 2: an answer that nobody can read (GAT-18)', async () => {
    const child = start(place().cwd, '--policy', 'policy.json');
    child.stdout?.destroy();
    child.stdin.end(good);
    expect(await once(child, 'close')).toEqual([2, null]);
  });

  it('holds nothing back where it only looks on (GAT-13)', () => {
    const { status, stderr } = spawnSync(process.execPath, [...entry, '--policy', 'none.json', '--observe'], {
      cwd: place().cwd,
      input: good,
      encoding: 'utf8',
    });
    expect([status, stderr.startsWith('ruleprint: error: ')]).toEqual([0, true]);
  });

  it('waits for input that comes in pieces and late', async () => {
    const child = start(place().cwd, '--policy', 'policy.json');
    child.stdin.write(good.subarray(0, 20));
    await new Promise((resolve) => setTimeout(resolve, 800));
    child.stdin.end(good.subarray(20));
    expect(await once(child, 'close')).toEqual([0, null]);
  });
});

describe('the command', () => {
  it('prints the settings to paste, with every failure set to block (GAT-18)', async () => {
    const { cwd } = place();
    mkdirSync(join(cwd, 'a b'));
    const { code, stdout } = await cli(
      'hook',
      'claude',
      '--policy',
      'policy.json',
      '--ledger',
      'a b/audit',
      '--key',
      'key.json',
      '--agent',
      'coder',
      '--print-settings',
      { cwd },
    );
    expect(code).toBe(0);
    const { hooks } = JSON.parse(stdout) as { hooks: { PreToolUse: { matcher: string; hooks: { type: string; command: string; onFailure: string }[] }[] } };
    const [
      {
        matcher,
        hooks: [hook],
      },
    ] = hooks.PreToolUse as never as [{ matcher: string; hooks: [{ type: string; command: string; onFailure: string }] }];
    expect([matcher, hook.type, hook.onFailure]).toEqual(['*', 'command', 'block']);
    expect(hook.command).toContain(
      `hook claude --policy ${join(cwd, 'policy.json')} --ledger '${join(cwd, 'a b/audit')}' --key ${join(cwd, 'key.json')} --agent coder`,
    );
  });

  it('judges by the long way too, as by the short one', async () => {
    const at = place();
    const { code, stdout } = await cli('hook', 'claude', '--policy', 'policy.json', '--format', 'json', { cwd: at.cwd, stdin: bash('git status') });
    expect([code, stdout]).toEqual([0, await judgeHook(at, plain, bash('git status'))]);
    expect(await cli('hook', 'claude', '--policy', 'policy.json', { cwd: at.cwd, stdin: 'x' })).toMatchObject({ code: 3, stdout: '' });
    expect(spawnSync(command[0], [...command.slice(1), 'hook', 'claude', '--policy', 'policy.json'], { cwd: at.cwd, input: 'x' }).status).toBe(2);
  });

  it('reads plain words the short way, and leaves the rest to the reader of command lines', () => {
    expect(
      plainSettings([
        '--policy',
        'p',
        '--ledger',
        'l',
        '--key',
        'k',
        '--engine-id',
        'e',
        '--trust',
        't',
        '--agent',
        'a',
        '--observe',
        '--realpath',
        '--resolve',
      ]),
    ).toEqual({
      policy: 'p',
      ledger: 'l',
      key: 'k',
      engineId: 'e',
      trust: 't',
      agent: 'a',
      observe: true,
      realpath: true,
      resolve: true,
    });
    for (const words of [
      ['--policy'],
      ['--policy', '--observe'],
      ['--policy', 'a', '--policy', 'b'],
      ['--policy=a'],
      ['--help'],
      ['x'],
      ['--observe', '--observe'],
      ['--mapping', 'a'],
    ]) {
      expect(plainSettings(words)).toBeUndefined();
    }
  });
});
