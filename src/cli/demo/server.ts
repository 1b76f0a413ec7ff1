/**
 * The real MCP filesystem server and the real MCP client, wherever they are: ruleprint itself depends on neither.
 * @module
 */
import { spawn } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Failure, systemReason, unreadable } from '../failure.js';
import { exit, type Io } from '../io.js';
import { printable } from '../printable.js';

export const serverPackage = '@modelcontextprotocol/server-filesystem';
export const serverVersion = '2026.8.31';

/** Longest wait for npx, and for an answer of the server. */
const fetchMs = 60_000;
const answerMs = 5_000;

export interface FoundServer {
  /** The program of the server. */
  readonly entry: string;
  readonly version: string;
}

/** Finds the server in node_modules, else has npx fetch it. `tell` gets one line before a wait. */
export async function findServer(io: Io, signal: AbortSignal, tell: (line: string) => void, near: string = import.meta.url): Promise<FoundServer> {
  const installed = serverNear(near);
  if (installed !== undefined) return installed;
  tell(`fetching ${serverPackage} ${serverVersion} with npx, once`);
  const bin = await npxPath(io, signal);
  const found = serverNear(bin);
  if (found === undefined) throw unreadable(`npx gave ${printable(bin)}, which is not in ${serverPackage}`);
  return found;
}

/** The server as a module at this place would import it. */
function serverNear(place: string): FoundServer | undefined {
  let manifestFile: string;
  try {
    manifestFile = createRequire(place).resolve(`${serverPackage}/package.json`);
  } catch {
    return undefined; // not installed
  }
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as { version: string; bin: Record<string, string> };
  return { entry: join(dirname(manifestFile), Object.values(manifest.bin)[0] ?? ''), version: manifest.version };
}

/** The path of the server's program in the cache of npx. */
async function npxPath(io: Io, signal: AbortSignal): Promise<string> {
  const program = 'mcp-server-filesystem';
  const args = ['--yes', '--prefer-offline', '--package', `${serverPackage}@${serverVersion}`, '--call', `command -v ${program}`];
  // without retries: who is offline shall hear it at once
  const env = { ...io.env, npm_config_fetch_retries: '0', npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' };
  const cannot = (why: string, cause?: unknown): Failure =>
    new Failure(
      exit.unreadable,
      `the demo needs ${serverPackage} ${serverVersion}, and npx cannot fetch it: ${why}`,
      'it is fetched once: try again when you are online',
      { cause },
    );

  const child = spawn('npx', args, { cwd: io.cwd, env, stdio: ['ignore', 'pipe', 'pipe'], signal: AbortSignal.any([signal, AbortSignal.timeout(fetchMs)]) });
  const output = gather(child.stdout);
  const complaint = gather(child.stderr);
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve)).catch((error: unknown) => {
    throw cannot(child.pid === undefined ? `npx: ${systemReason(error)}` : 'no answer in time', error);
  });
  const path = output().trim().split('\n').at(-1) ?? '';
  if (code !== 0 || path === '') throw cannot(reasonOf(complaint()));
  // the path in .bin is a link into the package
  return realpathSync(path);
}

/** What a stream has said so far. */
function gather(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: string[] = [];
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  return () => chunks.join('');
}

/** What npm complains of, in its own words: the line with its code. */
function reasonOf(complaint: string): string {
  const line = /npm (?:error|ERR!) code (\S+)/.exec(complaint)?.[1] ?? complaint.trim().split('\n')[0];
  return line === undefined || line === '' ? 'no reason given' : printable(line);
}

/** What the demo uses of a client of the MCP SDK. */
interface SdkClient {
  connect(transport: unknown, options: object): Promise<void>;
  listTools(params: undefined, options: object): Promise<{ tools: readonly { name: string }[] }>;
  callTool(call: { name: string; arguments: object }, schema: undefined, options: object): Promise<ToolResult>;
  close(): Promise<void>;
}

export interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

interface Sdk {
  readonly Client: new (info: { name: string; version: string }) => SdkClient;
  readonly StdioClientTransport: new (server: object) => { readonly stderr: NodeJS.ReadableStream | null };
}

/** A server that runs, with a client that is connected to it. */
export interface Connection {
  readonly tools: readonly string[];
  call(name: string, args: Readonly<Record<string, string>>): Promise<ToolResult>;
  /** Ends the server's process. */
  close(): Promise<void>;
}

/** Starts the server on one folder and connects to it. */
export async function connect(server: FoundServer, folder: string, signal: AbortSignal): Promise<Connection> {
  // the client that the server's own package depends on: one path for a clone and for npx
  const load = createRequire(server.entry) as (specifier: string) => unknown;
  const { Client, StdioClientTransport } = {
    ...(load('@modelcontextprotocol/sdk/client/index.js') as Pick<Sdk, 'Client'>),
    ...(load('@modelcontextprotocol/sdk/client/stdio.js') as Pick<Sdk, 'StdioClientTransport'>),
  };
  const transport = new StdioClientTransport({ command: process.execPath, args: [server.entry, folder], cwd: folder, stderr: 'pipe' });
  const said = gather(transport.stderr);
  const client = new Client({ name: 'ruleprint-demo', version: '1.0.0' });
  const options = { signal, timeout: answerMs };
  const noAnswer = (error: unknown): never => {
    throw unreadable(`the server does not answer: ${printable(`${error instanceof Error ? error.message : error} ${said().trim()}`)}`, undefined, error);
  };
  try {
    await client.connect(transport, options);
    const { tools } = await client.listTools(undefined, options);
    return {
      tools: tools.map(({ name }) => name),
      call: (name, args) => client.callTool({ name, arguments: args }, undefined, options).catch((error: unknown) => noAnswer(error)),
      close: () => client.close(),
    };
  } catch (error) {
    await client.close();
    return noAnswer(error);
  }
}
