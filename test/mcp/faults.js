/**
 * What goes wrong, with real clients and servers: a server that dies, a client that hangs up, a disk that is full.
 * @module
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { check, demand, equal, here, newGate, run, text, tool } from './check.js';
import { listening } from './conformance.js';

const server = [process.execPath, join(here, 'servers/modern.js')];
const allowed = [tool('allow', 'modern', '*')];

async function connect(command) {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({ command: command[0], args: command.slice(1), stderr: 'ignore' });
  await client.connect(transport);
  return { client, pid: transport.pid };
}

const echo = (client, message) =>
  client.callTool({ name: 'echo', arguments: { message } }).then(
    (result) => result.isError ?? false,
    (error) => error,
  );

const isRunning = (pid) => existsSync(`/proc/${pid}/stat`) && !/^\d+ \(.*\) Z/.test(text(`/proc/${pid}/stat`));

async function ended(pid) {
  for (let i = 0; i < 200 && isRunning(pid); i++) await new Promise((resolve) => setTimeout(resolve, 50));
  return !isRunning(pid);
}

function childOf(pid) {
  return Number(text(`/proc/${pid}/task/${pid}/children`).trim().split(' ')[0]);
}

export async function faults() {
  await check('a server that dies: the client hears it at once, and the ledger is whole', async () => {
    const gate = newGate(allowed, { server: 'modern' });
    const { client, pid } = await connect(gate.before([...server, join(gate.folder, 'log')]));
    equal(await echo(client, 'one'), false);
    const closed = new Promise((resolve) => {
      client.onclose = resolve;
    });
    process.kill(childOf(pid), 'SIGKILL');
    await closed;
    demand((await echo(client, 'two')) instanceof Error, 'a call was answered by nobody');
    demand(await ended(pid), 'the gate lives on');
    equal(gate.decisions().length, 1);
  });

  await check('a client that hangs up: gate and server end, what ran is recorded', async () => {
    const gate = newGate(allowed, { server: 'modern' });
    const log = join(gate.folder, 'log');
    const command = gate.before([...server, log]);
    const child = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'ignore'] });
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: hello })}\n`);
    await once(child.stdout, 'data');
    const inner = childOf(child.pid);
    const call = (id) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: { message: String(id) } } })}\n`;
    child.stdin.write(Array.from({ length: 200 }, (_, i) => call(i + 1)).join(''));
    child.stdin.destroy();
    child.stdout.destroy();
    demand((await ended(inner)) && (await ended(child.pid)), 'something lives on');
    const ran = existsSync(log) ? text(log).trim().split('\n').length : 0;
    demand(gate.decisions().length >= ran, `${ran} ran`);
  });

  await check('kill -9 of the gate: what ran is recorded, and the next start goes on', async () => {
    const gate = newGate(allowed, { server: 'modern' });
    const log = join(gate.folder, 'log');
    const { client, pid } = await connect(gate.before([...server, log]));
    const calls = Array.from({ length: 300 }, (_, i) => echo(client, String(i)));
    setTimeout(() => process.kill(pid, 'SIGKILL'), 30);
    await Promise.all(calls);
    const again = await connect(gate.before([...server, log]));
    equal(await echo(again.client, 'after'), false);
    await again.client.close();
    const ran = text(log).trim().split('\n').length;
    demand(gate.decisions().length >= ran, `${ran} ran, ${gate.decisions().length} are recorded`);
  });

  await check('a disk that is full: nothing runs that is not recorded, and the client is told', async () => {
    const gate = newGate(allowed, { server: 'modern' });
    const log = join(gate.folder, 'log');
    // no file may grow beyond 4 KiB: eight decisions or so
    const { client } = await connect(['sh', '-c', 'ulimit -f 8; exec "$@"', 'sh', ...gate.before([...server, log])]);
    const outcomes = [];
    for (let i = 0; i < 60; i++) outcomes.push(await echo(client, 'x'));
    const refused = await client.callTool({ name: 'echo', arguments: { message: 'last' } });
    await client.close().catch(() => undefined);
    equal([refused.isError, refused._meta['ruleprint/decision'].code], [true, 'ledger-write']);
    const ran = text(log).trim().split('\n').length;
    equal(ran, outcomes.filter((isError) => isError === false).length);
    demand(ran > 2 && ran < 40, `${ran} ran`);
    const shown = run('ledger', 'show', join(gate.folder, 'audit'), '--effect', 'allow').stdout.trim().split('\n').length;
    demand(shown >= ran, `${ran} ran, ${shown} are recorded`);
  });

  await check('streamable HTTP with the real client: calls, denials, a question in the stream, the end of a session', async () => {
    const upstream = await listening([process.execPath, join(here, 'servers/conformance.js')], /^(\d+)\n/);
    const rules = [tool('deny', 'conformance', 'test_image*'), tool('ask', 'conformance', 'test_tool_with_progress'), tool('allow', 'conformance', '*')];
    const gate = newGate(rules, { server: 'conformance' });
    const words = gate.before([]).slice(0, -1);
    const front = await listening([...words, '--http', '127.0.0.1:0', '--upstream', `http://localhost:${upstream.at}/mcp`], /listening at (http:\S+\/mcp)/);
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
    const asked = [];
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: { approve: asked.length === 1 } };
    });
    const transport = new StreamableHTTPClientTransport(new URL(front.at));
    await client.connect(transport);
    const call = (name, options) => client.callTool({ name, arguments: {} }, undefined, options);
    equal((await call('test_simple_text')).content[0].text, 'This is a simple text response for testing.');
    equal((await call('test_image_content')).isError, true);
    const ticks = [];
    equal((await call('test_tool_with_progress', { onprogress: ({ progress }) => ticks.push(progress) })).isError ?? false, false);
    equal(ticks, [0, 50, 100]);
    equal((await call('test_tool_with_progress')).isError, true);
    equal(asked.length, 2);
    await transport.terminateSession();
    await client.close();
    front.child.kill('SIGTERM');
    await once(front.child, 'close');
    upstream.child.kill();
    equal(gate.decisions().length > 0, true);
  });
}
