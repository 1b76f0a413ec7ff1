/**
 * The gate before the real filesystem server, driven by the real client: what it adds to a small call, and to a large result. Direct and gated
 * calls take turns, one by one, so that what else the machine does falls on both.
 * @module
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { benchKeys } from './fixtures.js';
import type { Bench } from './main.js';
import { median, type Timing } from './measure.js';

const calls = { small: { quick: 30, normal: 400 }, large: { quick: 10, normal: 120 } } as const;
const warmUp = 20;

/** What is used of the real client; its own types want those of a browser. */
interface Client {
  connect(transport: object): Promise<void>;
  callTool(call: Call): Promise<{ readonly isError?: boolean }>;
  close(): Promise<void>;
}

interface Sdk {
  readonly Client: new (about: object) => Client;
  readonly StdioClientTransport: new (server: object) => object;
}

interface Call {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

export async function benchMcp({ dist, report, quick }: Bench): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ruleprint-bench-mcp-')));
  const clients: Client[] = [];
  const parts = ['index', 'stdio'].map((name) => import(`@modelcontextprotocol/sdk/client/${name}.js`) as Promise<Partial<Sdk>>);
  const { Client, StdioClientTransport } = Object.assign({}, ...(await Promise.all(parts))) as Sdk;
  const connect = async (command: readonly string[]): Promise<Client> => {
    const client = new Client({ name: 'bench', version: '1' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [...command], stderr: 'ignore' }));
    clients.push(client);
    return client;
  };
  try {
    const large = join(folder, 'large.txt');
    // the server gives each text twice, as content and as structured content
    writeFileSync(large, 'x'.repeat(51_200));
    const rules = [
      { name: 'tools', effect: 'allow', agents: 'any', action: { tool: { server: 'filesystem', name: '*' } } },
      { name: 'files', effect: 'allow', agents: 'any', action: { filesystem: { path: `${folder}/**`, methods: ['read'] } } },
    ];
    const policy = join(folder, 'policy.json');
    writeFileSync(policy, JSON.stringify({ version: 1, rules }));
    const key = join(folder, 'key.jwk');
    writeFileSync(key, JSON.stringify(benchKeys()[0]?.privateKey.export({ format: 'jwk' })), { mode: 0o600 });
    const server = [serverEntry(), folder];
    const gate = [join(dist, 'cli/main.js'), 'mcp', '--policy', policy, '--ledger', join(folder, 'audit'), '--key', key, '--server', 'filesystem', '--'];
    const [direct, gated] = [await connect(server), await connect([...gate, process.execPath, ...server])];

    const effort = quick ? 'quick' : 'normal';
    const small = await race(direct, gated, { name: 'list_allowed_directories', arguments: {} }, report.effort.rounds, calls.small[effort]);
    report.timed({ id: 'mcp/small', title: 'MCP over stdio, a small call, signed and recorded', timings: small });
    const added = (small.get('gated')?.median ?? 0) - (small.get('direct')?.median ?? 0);
    report.list({
      id: 'mcp/added',
      title: 'what the gate adds to it',
      rows: [{ name: 'at the median', figure: { unit: 'ns', value: added }, atMost: 350_000 }],
    });
    const big = await race(direct, gated, { name: 'read_text_file', arguments: { path: large } }, report.effort.rounds, calls.large[effort]);
    report.timed({ id: 'mcp/large', title: 'MCP over stdio, a result of 100 KB', timings: big, targets: { gated: { atMost: 1.5 } } });
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Rounds of calls in turn; a round is the median of its calls. */
async function race(direct: Client, gated: Client, call: Call, rounds: number, length: number): Promise<Map<string, Timing>> {
  const contenders = { direct, gated };
  const taken = { direct: [] as number[], gated: [] as number[] };
  for (let i = 0; i < warmUp; i++) for (const client of Object.values(contenders)) await time(client, call);
  for (let round = 0; round < rounds; round++) {
    const samples = { direct: [] as number[], gated: [] as number[] };
    for (let i = 0; i < length; i++) {
      const order = i % 2 === 0 ? (['direct', 'gated'] as const) : (['gated', 'direct'] as const);
      for (const name of order) samples[name].push(await time(contenders[name], call));
    }
    for (const name of ['direct', 'gated'] as const) taken[name].push(median(samples[name]));
  }
  return new Map(Object.entries(taken).map(([name, all]) => [name, { median: median(all), rounds: all }]));
}

async function time(client: Client, call: Call): Promise<number> {
  const start = process.hrtime.bigint();
  const { isError } = await client.callTool(call);
  const taken = Number(process.hrtime.bigint() - start);
  if (isError) throw new Error(`${call.name} was not answered well`);
  return taken;
}

function serverEntry(): string {
  const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json');
  return join(dirname(manifest), 'dist/index.js');
}
