import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { CallJudge } from '../../../src/gate/mcp/call-judge.js';
import { offerPolicy, PolicyFile } from '../../../src/gate/mcp/reload.js';
import { runStdioGate } from '../../../src/gate/mcp/stdio.js';
import { InMemoryPolicyEngine, parsePolicy, type Policy } from '../../../src/index.js';
import { gateWith, policyOf } from '../kit.js';
import { callOf } from './session-kit.js';

const folder = mkdtempSync(join(tmpdir(), 'ruleprint-stdio-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const server = fileURLToPath(new URL('server.mjs', import.meta.url));
let runs = 0;

/** The gate in this process, before a server of ours in another. */
async function started(...does: readonly string[]) {
  const got = join(folder, `got-${runs++}`);
  writeFileSync(got, '');
  const { gate } = await gateWith();
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let said = '';
  stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  stderr.resume();
  const controller = new AbortController();
  const judge = new CallJudge({ gate, server: 'files', tell: () => undefined });
  const command = [process.execPath, server, got, ...does] as const;
  const ended = runStdioGate({ judge, command, stdin, stdout, stderr, tell: () => undefined, interruption: controller.signal });
  const say = (message: object): void => void stdin.write(`${JSON.stringify(message)}\n`);
  const until = async (holds: () => boolean): Promise<void> => {
    for (let i = 0; i < 500 && !holds(); i++) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(holds()).toBe(true);
  };
  return { stdin, stdout, controller, ended, say, until, said: () => said, got: () => readFileSync(got, 'utf8') };
}

describe('a server behind the gate', () => {
  it('has lines of the gate between its own and never inside one (MCP-14)', async () => {
    const t = await started();
    t.say({ jsonrpc: '2.0', id: 1, method: 'test/half' });
    await t.until(() => t.said() !== '');
    t.say(callOf('read', { path: '/etc/a' }, { id: 2 }));
    await t.until(() => t.said().split('\n').length === 3);
    expect(t.said()).toMatch(/^\{"jsonrpc":"2\.0","id":1,"result":\{\}\}\n\{"jsonrpc":"2\.0","id":2,.*\n$/);
    t.stdin.end();
    expect(await t.ended).toBe(0);
  });

  it('gets a line of the gate an end of its own where it ends in the middle of one (MCP-14)', async () => {
    const t = await started();
    t.say({ jsonrpc: '2.0', id: 1, method: 'test/half' });
    await t.until(() => t.said() !== '');
    t.say(callOf('read', { path: '/etc/a' }, { id: 2 }));
    t.say({ jsonrpc: '2.0', id: 3, method: 'test/die' });
    expect(await t.ended).toBe(3);
    expect(t.said()).toMatch(/^\{"jsonrpc":"2\.0","id":\n\{"jsonrpc":"2\.0","id":2,.*\n$/);
  });

  it('gives the gate its exit code, or the signal that ended it (MCP-16)', async () => {
    const t = await started();
    t.say({ jsonrpc: '2.0', id: 1, method: 'test/die', params: { code: 9 } });
    expect(await t.ended).toBe(9);
    const killed = await started();
    killed.say({ jsonrpc: '2.0', id: 1, method: 'test/odd' });
    await killed.until(() => killed.said() !== '');
    killed.controller.abort(143);
    expect(await killed.ended).toBe(143);
  });

  it('is ended when nobody reads, though it minds neither its input nor a first signal (MCP-17)', async () => {
    const t = await started('deaf');
    await t.until(() => true);
    t.stdout.destroy(Object.assign(new Error('gone'), { code: 'EPIPE' }));
    expect([0, 143]).toContain(await t.ended);
  });
});

describe('a policy file', () => {
  const text = (policy: Policy): string => JSON.stringify(policy);

  it('with other rules under the version in force is refused, with the same rules left alone (MCP-18)', async () => {
    const engine = new InMemoryPolicyEngine({ engineId: 'a' });
    engine.install(policyOf(1));
    expect(await offerPolicy(engine, policyOf(1))).toBeUndefined();
    await expect(offerPolicy(engine, { version: 1, rules: [] })).rejects.toMatchObject({ code: 'version-reused' });
    expect((await offerPolicy(engine, policyOf(2)))?.version).toBe(2);
    await expect(offerPolicy(engine, policyOf(1))).rejects.toMatchObject({ code: 'version-lower' });
  });

  it('is read again where it has changed before the gate began to watch it (MCP-18)', async () => {
    const path = join(folder, 'policy.json');
    const engine = new InMemoryPolicyEngine({ engineId: 'a' });
    engine.install(policyOf(1));
    writeFileSync(path, text(policyOf(2)));
    const read = async (): Promise<Policy> => parsePolicy(readFileSync(path), { format: 'json' });
    const told: string[] = [];
    const file = new PolicyFile({ path, name: 'policy.json', read, engine, tell: (line) => void told.push(line) });
    try {
      await file.check();
      await file.check();
      expect([engine.policyVersion(), told.length]).toEqual([2, 1]);
    } finally {
      file.close();
    }
  });

  it('is read again when it changes, however fast it does, and the last text counts (MCP-18)', async () => {
    const path = join(folder, 'policy.json');
    writeFileSync(path, text(policyOf(1)));
    const engine = new InMemoryPolicyEngine({ engineId: 'a' });
    engine.install(policyOf(1));
    const told: string[] = [];
    const read = async (): Promise<Policy> => parsePolicy(readFileSync(path), { format: 'json' });
    const file = new PolicyFile({ path, name: 'policy.json', read, engine, tell: (line) => void told.push(line), pollMs: 20 });
    try {
      await file.check();
      for (let version = 2; version <= 30; version++) {
        writeFileSync(path, '{');
        writeFileSync(path, text(policyOf(version)));
        if (version % 10 === 0) await file.check();
      }
      for (let i = 0; i < 100 && engine.policyVersion() !== 30; i++) await new Promise((resolve) => setTimeout(resolve, 10));
      expect(engine.policyVersion()).toBe(30);
      expect(told.at(-1)).toMatch(/^POLICY version 30 sha256:/);
    } finally {
      file.close();
    }
  });
});
