import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { copyScript } from '../../../src/audit/tools/script.js';
import { argsDigest } from '../../../src/digest/args-digest.js';
import { createGate } from '../../../src/gate/gate.js';
import { InMemoryPolicyEngine } from '../../../src/engine/in-memory.js';
import type { RuleprintError } from '../../../src/errors.js';
import { ledgerIn } from '../../../src/ledger/folder.js';
import { verifyLedger } from '../../../src/ledger/verify.js';
import { decisionsIn } from '../../gate/kit.js';
import { trustOf } from '../../ledger/chain-kit.js';
import { files, importsOf } from '../../house/tree.js';
import { auditMapper, auditPolicy, calling, memoryGate, toolsWith } from './kit.js';

describe('a script (AUR-2)', () => {
  it('answers with the first row that fits', async () => {
    const tools = await toolsWith({
      script: [
        { tool: 'read_file', where: [{ pointer: '/path', equals: '/etc/passwd' }], result: 'no such file', error: true },
        { tool: 'read_file', result: 'text of {{args:/path}}' },
      ],
    });
    expect(await tools.call(calling('read_file', { path: '/etc/passwd' }))).toMatchObject({ result: 'no such file', isError: true, isAnswered: true });
    expect(await tools.call(calling('read_file', { path: '/a' }))).toMatchObject({ result: 'text of /a', isError: false });
    expect(await tools.call(calling('send_mail'))).toMatchObject({ result: '{"ok":true}' });
  });

  it('remembers what was counted, kept and used up', async () => {
    const tools = await toolsWith({
      script: [
        { tool: 'send_mail', times: 2, counts: 'mails', keeps: { name: 'last', pointer: '/to' }, result: 'mail {{count:mails}}' },
        { tool: 'send_mail', result: 'no more', error: true },
        { tool: 'read_file', after: { counter: 'mails', count: 2 }, has: 'last', result: 'sent to {{kept:last}}' },
        { tool: 'read_file', result: 'nothing sent' },
      ],
    });
    const said: string[] = [];
    for (const call of [
      calling('read_file'),
      calling('send_mail', { to: 'a' }),
      calling('read_file'),
      calling('send_mail', { to: 'b' }),
      calling('read_file'),
      calling('send_mail'),
    ]) {
      said.push((await tools.call(call)).result);
    }
    expect(said).toEqual(['nothing sent', 'mail 1', 'nothing sent', 'mail 2', 'sent to b', 'no more']);
  });

  it('does not look again at what a value brought in, because an argument could else ask for a canary', async () => {
    const tools = await toolsWith({ script: [{ tool: 'read_file', result: '{{args:/path}} {{canary:file}}' }], canaries: new Map([['file', 'SECRET']]) });
    expect((await tools.call(calling('read_file', { path: '{{canary:file}}' }))).result).toBe('{{canary:file}} SECRET');
  });

  it.each([
    ['an unknown field', [{ tool: 'a', result: '', code: 'process.exit()' }], 'unknown-key'],
    ['no result', [{ tool: 'a' }], 'missing-key'],
    ['a condition of two kinds', [{ tool: 'a', result: '', where: [{ pointer: '', equals: 1, contains: '1' }] }], 'exactly-one'],
    ['a condition of none', [{ tool: 'a', result: '', where: [{ pointer: '' }] }], 'exactly-one'],
    ['a pointer that is none', [{ tool: 'a', result: '', where: [{ pointer: 'path', equals: 1 }] }], 'bad-value'],
    ['a row for no call', [{ tool: 'a', result: '', times: 0 }], 'bad-value'],
    ['no list', {}, 'wrong-type'],
  ])('is refused with %s', (_, script, code) => {
    let got = 'no error';
    try {
      copyScript(script);
    } catch (error) {
      got = (error as RuleprintError).code;
    }
    expect(got).toBe(code);
  });
});

describe('false tools (AUR-3)', () => {
  it('leave a receipt of every call, that verifies: allowed, denied, asked, not offered, malformed, and with arguments that have no digest', async () => {
    const { gate, store, ledger } = await memoryGate();
    const tools = await toolsWith({ gate });
    const calls = [
      calling('read_file', { path: '/a' }),
      calling('delete_file', { path: '/a' }),
      calling('send_letter'),
      calling('read_flle', {}),
      { name: 'read_file', raw: '{"path":', parsed: 'malformed' as const },
      { name: 'read_file', raw: '{"n":1e400}', args: { n: Number.POSITIVE_INFINITY }, parsed: 'ok' as const },
      { name: 'a\u0000b', raw: '{}', args: {}, parsed: 'ok' as const },
    ];
    const recorded = [];
    for (const call of calls) recorded.push(await tools.call(call));
    expect(recorded.map(({ decision, isAnswered }) => [decision, isAnswered])).toEqual([
      ['allow', true],
      ['deny', false],
      ['ask', false],
      ['allow', false],
      ['deny', false],
      ['deny', false],
      ['deny', false],
    ]);
    const decisions = decisionsIn(store);
    expect(decisions.map(({ call_id }) => call_id)).toEqual(calls.map((_, i) => `epoch-0/${i}`));
    expect(recorded.map(({ receipt }) => receipt.seq)).toEqual(decisions.map(({ seq }) => seq));
    expect(recorded.map(({ argsDigest: digest }) => digest)).toEqual(decisions.map(({ args_digest }) => args_digest));
    expect(recorded[0]).toMatchObject({ argsDigest: argsDigest({ path: '/a' }), raw: '{"path":"/a"}', argsBytes: 13 });
    await ledger.close();
    const report = verifyLedger([ledgerIn(store)], { trust: trustOf(), policies: [auditPolicy], require: ['order', 'timeline', 'rules', 're-decision'] });
    expect(report.ok).toBe(true);
  });

  it('answer nothing without a receipt, because what is not recorded is no evidence', async () => {
    const engine = new InMemoryPolicyEngine({ engineId: 'engine-a' });
    engine.install(auditPolicy);
    const tools = await toolsWith({ gate: createGate({ engine, map: auditMapper, agent: 'subject' }) });
    await expect(tools.call(calling('read_file'))).rejects.toMatchObject({ code: 'run-receipt' });
    const { gate, ledger } = await memoryGate();
    const closed = await toolsWith({ gate });
    await ledger.close();
    await expect(closed.call(calling('read_file'))).rejects.toMatchObject({ code: 'run-receipt', evidence: { code: 'ledger-closed' } });
  });
});

describe('the walls of false tools (AUR-4)', () => {
  const sources = files.filter((file) => /^src\/audit\/tools\/.*\.ts$/.test(file));

  it('reach no module that meets the machine', () => {
    const seen = new Set<string>();
    const outside = new Set<string>();
    const todo = [...sources];
    for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
      if (seen.has(file)) continue;
      seen.add(file);
      for (const one of importsOf(file)) {
        if (one.typeOnly) continue;
        if (one.specifier.startsWith('.')) todo.push(one.to);
        else outside.add(one.specifier);
      }
    }
    expect(sources.length).toBeGreaterThanOrEqual(3);
    expect([...outside].filter((name) => name.startsWith('node:') || !/^(@noble\/|yaml$|jsonc-parser$)/.test(name))).toEqual([]);
    expect([...seen].filter((file) => /src\/(gate|cli)\//.test(file))).toEqual([]);
  });

  it('run where no file can be written, no process started and no socket opened', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ruleprint-confined-'));
    try {
      const outfile = join(folder, 'confined.mjs');
      const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };
      const entry = fileURLToPath(new URL('./confined.ts', import.meta.url));
      await build({
        entryPoints: [entry],
        outfile,
        bundle: true,
        platform: 'node',
        format: 'esm',
        target: 'node20',
        mainFields: ['module', 'main'],
        banner,
        logLevel: 'silent',
      });
      const flag = Number(process.versions.node.split('.')[0]) >= 24 ? '--permission' : '--experimental-permission';
      const { stdout, stderr, status } = spawnSync(process.execPath, ['--no-warnings', flag, '--allow-fs-read=*', outfile], { encoding: 'utf8', cwd: folder });
      expect(stderr).toBe('');
      expect(status).toBe(0);
      // the walls stand: what tries to pass them fails
      expect(JSON.parse(stdout)).toEqual({ tried: ['ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED', 'socket'], answers: 200, sockets: 0 });
      expect(readdirSync(folder)).toEqual(['confined.mjs']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
