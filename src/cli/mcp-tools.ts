/**
 * The tools of an MCP server, asked of the server itself: it is started, spoken to as a client does, and ended.
 * @module
 */
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { LineSplitter } from '../gate/mcp/lines.js';
import { clientCapabilitiesKey, isObject, type JsonObject, protocolVersionKey } from '../gate/mcp/message.js';
import { systemReason, unreadable } from './failure.js';
import { fileName } from './files.js';
import type { Io } from './io.js';

/** What a server says of a tool. The annotations are its own word: hints for a reader, and for nothing that decides. */
export interface ServerTool {
  readonly name: string;
  readonly title?: string;
  readonly isReadOnly: boolean;
  readonly hints: readonly string[];
}

export interface FoundTools {
  readonly tools: readonly ServerTool[];
  /** Of a filesystem server: where it lets its tools work. */
  readonly folders: readonly string[];
}

/** Longest wait for one answer. */
const answerMs = 30_000;
const maxPages = 1_000;

/** @throws Failure where the server does not start or does not answer */
export async function askTools(io: Io, command: readonly [string, ...string[]], signal: AbortSignal): Promise<FoundTools> {
  const [program, ...args] = command;
  const child = spawn(program, args, { cwd: io.cwd, env: io.env as NodeJS.ProcessEnv, stdio: ['pipe', 'pipe', 'ignore'] });
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) => reject(unreadable(`cannot start ${fileName(program)}: ${systemReason(error)}`, undefined, error)));
    child.once('close', () => reject(unreadable(`${fileName(program)} ended before it had listed its tools`)));
    signal.addEventListener('abort', () => reject(unreadable('interrupted')));
  });
  failed.catch(() => undefined); // looked at in each wait
  const speaker = new Speaker(child.stdin, child.stdout, failed, fileName(program));
  try {
    return await listTools(speaker);
  } finally {
    child.stdin.end();
    const late = setTimeout(() => child.kill('SIGTERM'), 2_000).unref();
    child.once('close', () => clearTimeout(late));
  }
}

async function listTools(speaker: Speaker): Promise<FoundTools> {
  const clientInfo = { name: 'ruleprint', version: '0' };
  const hello = await speaker.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  // a server of 2026 alone knows no initialize, and wants to be told with each request
  const meta =
    'error' in hello ? { _meta: { [protocolVersionKey]: '2026-07-28', [clientCapabilitiesKey]: {}, 'io.modelcontextprotocol/clientInfo': clientInfo } } : {};
  if (!('error' in hello)) speaker.tell('notifications/initialized');
  const tools: ServerTool[] = [];
  let cursor: unknown;
  for (let page = 0; page < maxPages; page++) {
    const { result } = await speaker.ask('tools/list', { ...meta, ...(cursor !== undefined && { cursor }) });
    if (!isObject(result) || !Array.isArray(result['tools'])) throw unreadable('the server lists no tools');
    tools.push(...result['tools'].flatMap(toolOf));
    cursor = result['nextCursor'];
    if (typeof cursor !== 'string') break;
  }
  const hasFolders = tools.some(({ name }) => name === 'list_allowed_directories');
  const answer = hasFolders ? await speaker.ask('tools/call', { name: 'list_allowed_directories', arguments: {}, ...meta }) : {};
  return { tools, folders: foldersIn(answer) };
}

function toolOf(tool: unknown): readonly ServerTool[] {
  if (!isObject(tool) || typeof tool['name'] !== 'string') return [];
  const annotations = isObject(tool['annotations']) ? tool['annotations'] : {};
  const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'].filter((hint) => annotations[hint] === true);
  const title = tool['title'] ?? annotations['title'];
  return [{ name: tool['name'], isReadOnly: annotations['readOnlyHint'] === true, hints, ...(typeof title === 'string' && { title }) }];
}

/** Lines that are absolute paths. */
function foldersIn({ result }: JsonObject): readonly string[] {
  const content = isObject(result) && Array.isArray(result['content']) ? result['content'] : [];
  const texts = content.flatMap((part: unknown) => (isObject(part) && typeof part['text'] === 'string' ? part['text'].split('\n') : []));
  return [...new Set(texts.filter((line) => line.startsWith('/')))];
}

/** One question at a time. */
class Speaker {
  readonly #to: Writable;
  readonly #failed: Promise<never>;
  readonly #name: string;
  readonly #waiting = new Map<number, (message: JsonObject) => void>();
  #next = 0;

  constructor(to: Writable, from: Readable, failed: Promise<never>, name: string) {
    this.#to = to;
    this.#failed = failed;
    this.#name = name;
    to.on('error', () => undefined); // the end of the process says it
    const lines = new LineSplitter();
    from.on('data', (chunk: Buffer) => {
      for (const line of lines.push(chunk)) if ('bytes' in line) this.#hear(line.bytes);
    });
  }

  async ask(method: string, params: JsonObject): Promise<JsonObject> {
    const id = this.#next++;
    const answer = new Promise<JsonObject>((resolve) => this.#waiting.set(id, resolve));
    this.#to.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    let late: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      late = setTimeout(() => reject(unreadable(`${this.#name} gives no answer to ${method}`)), answerMs);
    });
    try {
      return await Promise.race([answer, this.#failed, tooLate]);
    } finally {
      clearTimeout(late);
    }
  }

  tell(method: string): void {
    this.#to.write(`${JSON.stringify({ jsonrpc: '2.0', method })}\n`);
  }

  #hear(bytes: Uint8Array): void {
    let message: unknown;
    try {
      message = JSON.parse(Buffer.from(bytes).toString());
    } catch {
      return; // some servers greet their users here
    }
    if (!isObject(message) || typeof message['id'] !== 'number' || 'method' in message) return;
    this.#waiting.get(message['id'])?.(message);
    this.#waiting.delete(message['id']);
  }
}
