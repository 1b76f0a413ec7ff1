import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serverNameOf } from '../../src/cli/server-name.js';
import { cli } from './cli.js';
import { callOf, gated, newDesk, policyText, recorded } from './mcp-kit.js';

const ping = { jsonrpc: '2.0', id: 'p', method: 'ping' };

describe('ruleprint mcp', () => {
  it('passes what is not gated byte for byte, both ways (MCP-14)', async () => {
    const spoken = gated(await newDesk());
    const odd = '{ "method":"test/odd","id":1,  "params":{"n":9007199254740993,"x":1.0},"jsonrpc":"2.0" }\r\n';
    spoken.write(odd);
    await spoken.until(({ stdout }) => stdout.endsWith('\n'));
    expect(spoken.stdout).toBe('{ "result":{"b":9007199254740993,"a":1.0} , "id":1,"jsonrpc":"2.0"}\r\n');
    expect(await spoken.end()).toBe(0);
    expect(spoken.got).toBe(odd);
    expect(spoken.stderr).toContain('server: started');
  });

  it('lets an allowed call through and denies another, one line on stderr for each (MCP-6, MCP-8, MCP-10)', async () => {
    const desk = await newDesk();
    const spoken = gated(desk, recorded);
    spoken.write(callOf(1, 'look'), callOf(2, 'secret-canary', { path: '/canary' }));
    await spoken.until((one) => one.answered(1) !== undefined && one.answered(2) !== undefined);
    expect(spoken.answered(2)).toMatchObject({ result: { isError: true, _meta: { 'ruleprint/decision': { effect: 'deny', rule: 'no-secrets' } } } });
    expect(await spoken.end()).toBe(0);
    expect(spoken.got).toBe(`${JSON.stringify(callOf(1, 'look'))}\n`);
    expect(spoken.stderr.match(/^ruleprint: (ALLOW|DENY) .*$/gm)).toEqual([
      expect.stringMatching(/^ruleprint: ALLOW look \[rule tools\] sha256:[0-9a-f]{8}$/),
      expect.stringMatching(/^ruleprint: DENY secret-canary \[rule no-secrets\] sha256:[0-9a-f]{8}$/),
    ]);
    expect(spoken.stderr).not.toContain('/canary');
    expect((await cli('verify', 'audit', '--trust', 'trust.json', { cwd: desk.folder })).code).toBe(0);
  });

  it('starts again with the same policy and ledger', async () => {
    const desk = await newDesk();
    for (const id of [1, 2]) {
      const spoken = gated(desk, recorded);
      spoken.write(callOf(id, 'look'));
      await spoken.until((one) => one.answered(id) !== undefined);
      expect(await spoken.end()).toBe(0);
    }
    const shown = await cli('ledger', 'show', 'audit', { cwd: desk.folder });
    expect(shown.stdout.match(/ (genesis|install|decision) /g)).toEqual([' genesis ', ' install ', ' decision ', ' decision ']);
  });

  it('answers between lines of the server and never inside one (MCP-14)', async () => {
    const spoken = gated(await newDesk());
    spoken.write({ jsonrpc: '2.0', id: 1, method: 'test/half' });
    await spoken.until(({ stdout }) => stdout.length > 0);
    spoken.write(callOf(2, 'secret'));
    await spoken.until((one) => one.stdout.split('\n').length === 3);
    expect(spoken.messages.map(({ id }) => id)).toEqual([1, 2]);
    await spoken.end();
  });

  it('keeps a thousand calls in their order, and records each (MCP-15)', async () => {
    const desk = await newDesk();
    const spoken = gated(desk, recorded);
    const calls = Array.from({ length: 1_000 }, (_, i) => callOf(i, i % 10 === 9 ? 'secret' : 'look', { i }));
    spoken.write(calls.map((call) => `${JSON.stringify(call)}\n`).join(''));
    await spoken.until((one) => one.stdout.split('\n').length === 1_001);
    expect(await spoken.end()).toBe(0);
    const sent = spoken.got.trimEnd().split('\n');
    expect(sent).toEqual(calls.filter((_, i) => i % 10 !== 9).map((call) => JSON.stringify(call)));
    for (let i = 0; i < 1_000; i++) expect(spoken.answered(i)?.['result']).toMatchObject(i % 10 === 9 ? { isError: true } : {});
    const verified = await cli('verify', 'audit', '--trust', 'trust.json', '--json', { cwd: desk.folder });
    expect(verified.code).toBe(0);
    expect(JSON.parse(verified.stdout)).toMatchObject({ receipts: 1_002 });
  });

  it('passes more than any pipe holds, both ways (MCP-15)', async () => {
    const spoken = gated(await newDesk());
    const text = 'y'.repeat(3_000_000);
    spoken.write(
      { jsonrpc: '2.0', id: 1, method: 'x', params: { text } },
      { jsonrpc: '2.0', id: 2, method: 'test/big', params: { size: 5_000_000 } },
      callOf(3, 'look', { text }),
    );
    await spoken.until((one) => one.stdout.split('\n').length === 4);
    expect(spoken.stdout.length).toBeGreaterThan(5_000_000);
    expect(await spoken.end()).toBe(0);
    expect(spoken.got.length).toBeGreaterThan(6_000_000);
  });

  it('refuses a line that is too long, and goes on behind it (MCP-1)', async () => {
    const spoken = gated(await newDesk());
    const long = JSON.stringify(callOf(1, 'look', { text: 'z'.repeat(10_485_760) }));
    spoken.write(`${long}\n`, ping);
    await spoken.until((one) => one.answered('p') !== undefined);
    expect(spoken.messages[0]).toMatchObject({ id: null, error: { code: -32_600 } });
    expect(spoken.got).toBe(`${JSON.stringify(ping)}\n`);
    await spoken.end();
  });

  it('sends nothing on of a last line without its end (MCP-1)', async () => {
    const spoken = gated(await newDesk());
    spoken.write(ping, JSON.stringify(callOf(1, 'look')));
    await spoken.until((one) => one.answered('p') !== undefined);
    expect(await spoken.end()).toBe(0);
    expect(spoken.got).toBe(`${JSON.stringify(ping)}\n`);
  });

  it.each([0, 3, 255])('ends with the exit code %i of the server (MCP-16)', async (code) => {
    const spoken = gated(await newDesk(), recorded);
    spoken.write(callOf(1, 'look'), { jsonrpc: '2.0', id: 2, method: 'test/die', params: { code } });
    expect(await spoken.closed).toBe(code);
  });

  it('ends with 128 and the number of the signal that ended the server (MCP-16)', async () => {
    const spoken = gated(await newDesk());
    spoken.write({ jsonrpc: '2.0', id: 2, method: 'test/kill', params: { signal: 'SIGKILL' } });
    expect(await spoken.closed).toBe(137);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('hands %s to the server and ends with it, the ledger whole (MCP-16)', async (signal) => {
    const desk = await newDesk();
    const spoken = gated(desk, recorded);
    spoken.write(callOf(1, 'look'));
    await spoken.until((one) => one.answered(1) !== undefined);
    spoken.child.kill(signal);
    expect(await spoken.closed).toBe({ SIGTERM: 143, SIGINT: 130, SIGHUP: 129 }[signal]);
    expect((await cli('verify', 'audit', '--trust', 'trust.json', { cwd: desk.folder })).code).toBe(0);
  });

  it('closes the input of the server at the end of the client’s, and hears it out (MCP-16)', async () => {
    const spoken = gated(await newDesk(), [], ['says-goodbye']);
    spoken.write(ping);
    await spoken.until((one) => one.answered('p') !== undefined);
    expect(await spoken.end()).toBe(7);
    expect(spoken.stdout).toContain('notifications/goodbye');
  });

  it('lets no call through when the server has gone (MCP-17)', async () => {
    const spoken = gated(await newDesk());
    spoken.write({ jsonrpc: '2.0', id: 1, method: 'test/die' }, callOf(2, 'look'));
    expect(await spoken.closed).toBe(3);
    expect(spoken.answered(2)).toBeUndefined();
  });

  it('ends the server when nobody reads what it says (MCP-17)', async () => {
    const spoken = gated(await newDesk());
    spoken.write(ping);
    await spoken.until((one) => one.answered('p') !== undefined);
    spoken.child.stdout?.destroy();
    spoken.write({ jsonrpc: '2.0', id: 2, method: 'test/big', params: { size: 1_000_000 } });
    expect(await spoken.closed).toBe(0);
  });

  it('says that a server cannot be started', async () => {
    const spoken = gated(await newDesk(), recorded, [], ['/nowhere/server']);
    expect(await spoken.closed).toBe(3);
    expect(spoken.stderr).toContain('cannot start /nowhere/server: no such file or folder');
  });

  it('lets nothing through that a ledger cannot take', async () => {
    const desk = await newDesk();
    const spoken = gated(desk, recorded);
    spoken.write(callOf(1, 'look'));
    await spoken.until((one) => one.answered(1) !== undefined);
    // the next segment cannot be begun where its place is taken, and a full disk says the same
    rmSync(join(desk.folder, 'audit'), { recursive: true });
    writeFileSync(join(desk.folder, 'audit'), '');
    await sleep(50);
    spoken.write(callOf(2, 'look'));
    await spoken.until((one) => one.answered(2) !== undefined);
    await sleep(100);
    spoken.write(callOf(3, 'look'), callOf(4, 'look'), ping);
    await spoken.until((one) => one.answered('p') !== undefined);
    expect([3, 4].map((id) => spoken.answered(id))).toMatchObject(
      [3, 4].map(() => ({ result: { isError: true, _meta: { 'ruleprint/decision': { code: 'ledger-write' } } } })),
    );
    expect(spoken.got).not.toContain('"id":3');
  });
});

describe('a policy file that changes (MCP-18)', () => {
  const closed = (version: number): string =>
    policyText(version, '  - { name: closed, effect: deny, agents: any, action: { tool: { server: "files", name: "look" } } }\n');

  it('comes in force where its version is higher', async () => {
    const desk = await newDesk();
    const spoken = gated(desk, recorded);
    spoken.write(callOf(1, 'look'));
    await spoken.until((one) => one.answered(1) !== undefined);
    writeFileSync(desk.policy, closed(2));
    await spoken.until(({ stderr }) => stderr.includes('POLICY version 2'));
    spoken.write(callOf(2, 'look'));
    await spoken.until((one) => one.answered(2) !== undefined);
    expect(spoken.answered(2)).toMatchObject({ result: { isError: true, _meta: { 'ruleprint/decision': { rule: 'closed', policy_version: 2 } } } });
    await spoken.end();
    expect((await cli('verify', 'audit', '--trust', 'trust.json', { cwd: desk.folder })).code).toBe(0);
  });

  it.each([
    ['the same version with other rules', closed(1), 'version-reused'],
    ['a lower version', closed(0).replace('version: 0', 'version: 1'), 'version-lower', 2],
    ['no policy', 'version: 2\nrules: [', 'syntax'],
    ['an empty file', '', ''],
  ])('is refused aloud where it is %s, and the one before stays', async (_, text, code, before = 1) => {
    const desk = await newDesk(policyText(before as number));
    for (const options of [recorded, []]) {
      writeFileSync(desk.policy, policyText(before as number));
      const spoken = gated(desk, options);
      spoken.write(callOf(1, 'look'));
      await spoken.until((one) => one.answered(1) !== undefined);
      writeFileSync(desk.policy, text);
      await spoken.until(({ stderr }) => stderr.includes('REFUSED policy'));
      expect(spoken.stderr).toContain(code);
      spoken.write(callOf(2, 'look'));
      await spoken.until((one) => one.answered(2) !== undefined);
      expect(spoken.answered(2)).toMatchObject({ result: { n: 1 } });
      await spoken.end();
    }
  });

  it('is refused aloud where it is gone, and taken again where it comes back newer', async () => {
    const desk = await newDesk();
    const spoken = gated(desk);
    spoken.write(ping);
    await spoken.until((one) => one.answered('p') !== undefined);
    rmSync(desk.policy);
    await spoken.until(({ stderr }) => stderr.includes('REFUSED policy'));
    writeFileSync(desk.policy, closed(5));
    await spoken.until(({ stderr }) => stderr.includes('POLICY version 5'));
    await spoken.end();
  });
});

describe('usage of ruleprint mcp', () => {
  it.each([
    [['mcp', '--policy', 'p.yaml'], 'the command of the server is missing'],
    [['mcp', '--policy', 'p.yaml', '--'], 'the command of the server is missing'],
    [['mcp', '--policy', 'p.yaml', 'node', 'server.js'], 'too many arguments'],
    [['mcp', '--', 'node'], "required option '--policy <file>'"],
    [['mcp', '--policy', 'p.yaml', '--ledger', 'audit', '--', 'node'], '--ledger needs --key'],
    [['mcp', '--policy', 'p.yaml', '--key', 'key.jwk', '--', 'node'], '--key is for a ledger'],
    [['mcp', '--policy', 'p.yaml', '--approver-key', 'key.jwk', '--', 'node'], '--approver-key is for a ledger'],
    [['mcp', '--policy', '-', '--', 'node'], 'the policy cannot come from stdin'],
    [['mcp', '--policy', 'p.yaml', '--http', '8080'], '--http needs --upstream'],
    [['mcp', '--policy', 'p.yaml', '--upstream', 'http://localhost:1', '--', 'node'], '--upstream is for --http'],
    [['mcp', '--policy', 'p.yaml', '--http', '8080', '--upstream', 'http://localhost:1', '--', 'node'], 'are two gates'],
    [['mcp', '--policy', 'p.yaml', '--http', 'here', '--upstream', 'http://localhost:1'], '--http takes a port'],
    [['mcp', '--policy', 'p.yaml', '--http', 'example.com:80', '--upstream', 'http://localhost:1'], '--http takes a port'],
    [['mcp', '--policy', 'p.yaml', '--http', '99999', '--upstream', 'http://localhost:1'], '--http takes a port'],
    [['mcp', '--policy', 'p.yaml', '--http', '0.0.0.0:80', '--upstream', 'http://localhost:1'], 'is no loopback address'],
    [['mcp', '--policy', 'p.yaml', '--http', '[::]:80', '--upstream', 'http://localhost:1'], 'is no loopback address'],
    [['mcp', '--policy', 'p.yaml', '--http', '0.0.0.0:80', '--expose', '--upstream', 'http://localhost:1'], '--expose needs --allow-host'],
    [['mcp', '--policy', 'p.yaml', '--http', '80', '--upstream', 'ftp://localhost'], '--upstream takes a URL'],
    [['mcp', '--policy', 'p.yaml', '--http', '80', '--upstream', 'http://me:secret@localhost'], '--upstream takes a URL'],
  ])('%j', async (words, message) => {
    const { code, stderr } = await cli(...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('refuses one key for engine and approver, because an engine that approves its own asks has asked nobody', async () => {
    const desk = await newDesk();
    const spoken = gated(desk, [...recorded, '--approver-key', 'engine.jwk']);
    expect(await spoken.closed).toBe(2);
    expect(spoken.stderr).toContain('--approver-key');
  });

  it('reads no word behind the dashes', async () => {
    const { code, stdout } = await cli('mcp', '--help', '--', 'node', '--version');
    expect(code).toBe(0);
    expect(stdout).toContain('-- SERVER COMMAND...');
    expect((await cli('check', '--', 'missing.json')).code).toBe(3); // other commands read them as ever
  });

  it.each([
    [['npx', '-y', '@modelcontextprotocol/server-filesystem', '/srv'], 'filesystem'],
    [['npx', '-y', '@modelcontextprotocol/server-filesystem@2026.8.31', '/srv'], 'filesystem'],
    [['node', '/opt/server-memory/dist/index.js'], 'memory'],
    [['uvx', 'mcp-server-fetch'], 'fetch'],
    [['/usr/bin/github-mcp'], 'github-mcp'],
  ])('names the server of %j', (words, name) => {
    expect(serverNameOf(words)).toBe(name);
  });
});
