/**
 * The gate before an MCP server over standard input and output: the server is a child process, and the client does not notice anything between
 * (spec/mcp.md, MCP-14 to MCP-17).
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { CallJudge } from './call-judge.js';
import { type Line, LineSplitter } from './lines.js';
import { Session } from './session.js';

export interface StdioGateOptions {
  readonly judge: CallJudge;
  /** The program of the server and its arguments. */
  readonly command: readonly [program: string, ...args: string[]];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Where the server's standard error goes: the stream, or that of this process. */
  readonly stderr: Writable | 'inherit';
  readonly tell: (line: string) => void;
  /** Aborted by a signal to this process, with `128 + its number` as the reason; the server gets the same signal. */
  readonly interruption?: AbortSignal;
}

/** How long a server may take to end after its client has gone. */
const graceMs = 5_000;

/**
 * Runs the server until it ends.
 *
 * @returns its exit code, or 128 and the number of the signal that ended it
 * @throws what the system says where the server cannot be started
 */
export async function runStdioGate(options: StdioGateOptions): Promise<number> {
  const { judge, command, cwd, env, stdin, stdout, stderr, tell, interruption } = options;
  const [program, ...args] = command;
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', stderr === 'inherit' ? 'inherit' : 'pipe'],
    ...(cwd !== undefined && { cwd }),
    ...(env !== undefined && { env: env as NodeJS.ProcessEnv }),
  });
  const [toServer, fromServer] = [child.stdin as Writable, child.stdout as Readable];
  // at once: nobody need read any more by the time that the server has started
  const client = new ClientEnd(stdout, fromServer);
  await started(child);
  if (stderr !== 'inherit') child.stderr?.pipe(stderr, { end: false });
  const session = new Session(judge, {
    toServer: (line) => void toServer.write(line),
    toClient: (line) => client.inject(line),
    tell,
  });
  const closed = new Promise<number>((resolve) => child.once('close', (code, signal) => resolve(code ?? 128 + numberOf(signal))));

  let grace: NodeJS.Timeout | undefined;
  const forward = (): void => void child.kill(nameOf(Number(interruption?.reason)));
  const hangUp = (): void => {
    session.end();
    toServer.end();
    grace ??= setTimeout(() => child.kill('SIGTERM'), graceMs);
  };
  // a server that has closed its input takes nothing more; what it still says is heard
  toServer.on('error', () => session.end());
  client.whenGone(hangUp);
  fromServer.on('data', (chunk: Buffer) => {
    session.fromServer(chunk);
    client.pass(chunk);
  });
  if (interruption?.aborted) forward();
  interruption?.addEventListener('abort', forward);

  const pumped = pump(stdin, session, toServer, closed);
  try {
    const code = await closed;
    session.end();
    client.end();
    return code;
  } finally {
    clearTimeout(grace);
    interruption?.removeEventListener('abort', forward);
    stdin.destroy();
    await pumped;
  }
}

/** So much of the client may wait here before it is read no further. */
const maxWaiting = 1_048_576;

/** Lines of the client, one after the other, no faster than the server takes them. Resolves at the end of the client. */
function pump(stdin: Readable, session: Session, toServer: Writable, closed: Promise<unknown>): Promise<void> {
  const lines = new LineSplitter();
  const waiting: Line[] = [];
  let bytes = 0;
  let isBusy = false;
  let isEnded = false;
  return new Promise((resolve) => {
    const finish = (): void => {
      session.end();
      toServer.end();
      resolve();
    };
    const work = async (): Promise<void> => {
      isBusy = true;
      for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
        bytes -= sizeOf(line);
        const judged = session.fromClient(line);
        if (judged !== undefined) await judged;
        if (toServer.writableNeedDrain && !toServer.destroyed) await Promise.race([drained(toServer), closed]);
      }
      isBusy = false;
      if (isEnded) finish();
      else if (stdin.isPaused()) stdin.resume();
    };
    const end = (): void => {
      isEnded = true;
      if (!isBusy) finish();
    };
    // events and not an iterator: it costs a fifth of what the gate adds to a call
    stdin.on('data', (chunk: Buffer) => {
      for (const line of lines.push(chunk)) {
        bytes += sizeOf(line);
        waiting.push(line);
      }
      if (!isBusy) void work();
      if (isBusy && bytes > maxWaiting) stdin.pause();
    });
    // one that breaks is one that ends
    for (const event of ['end', 'error', 'close']) stdin.once(event, end);
  });
}

function sizeOf(line: Line): number {
  return 'bytes' in line ? line.bytes.length : 0;
}

/** The client's end: what the server says as it comes, and lines of the gate between its lines. */
class ClientEnd {
  #onGone: () => void = () => undefined;
  readonly #stdout: Writable;
  readonly #source: Readable;
  #waiting: string[] = [];
  #atLineStart = true;
  #isGone = false;

  constructor(stdout: Writable, source: Readable) {
    this.#stdout = stdout;
    this.#source = source;
    stdout.on('error', () => this.#gone());
    stdout.on('drain', () => source.resume());
  }

  /** Nobody reads any more, or did already. */
  whenGone(act: () => void): void {
    this.#onGone = act;
    if (this.#isGone) act();
  }

  pass(chunk: Buffer): void {
    if (this.#waiting.length > 0 && !this.#atLineStart) {
      const end = chunk.indexOf(0x0a);
      if (end >= 0) {
        this.#write(chunk.subarray(0, end + 1));
        this.#flush();
        if (end + 1 < chunk.length) this.#write(chunk.subarray(end + 1));
        this.#atLineStart = chunk.at(-1) === 0x0a;
        return;
      }
    }
    this.#write(chunk);
    this.#atLineStart = chunk.at(-1) === 0x0a;
  }

  inject(line: string): void {
    if (this.#atLineStart) this.#write(line);
    else this.#waiting.push(line);
  }

  /** The server has ended, perhaps in the middle of a line. */
  end(): void {
    if (this.#waiting.length === 0) return;
    this.#write('\n');
    this.#flush();
  }

  #flush(): void {
    for (const line of this.#waiting.splice(0)) this.#write(line);
  }

  #write(data: Uint8Array | string): void {
    if (this.#isGone) return;
    if (!this.#stdout.write(data)) this.#source.pause();
  }

  #gone(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    // nobody reads: what the server still says must not keep it from ending
    this.#source.resume();
    this.#onGone();
  }
}

function started(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
}

function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done).off('error', done);
      resolve();
    };
    stream.on('drain', done).on('close', done).on('error', done);
  });
}

function numberOf(signal: NodeJS.Signals | null): number {
  return signal === null ? 0 : (constants.signals[signal] ?? 0);
}

/** 143 is SIGTERM. */
function nameOf(code: number): NodeJS.Signals {
  const found = Object.entries(constants.signals).find(([, number]) => number === code - 128);
  return (found?.[0] ?? 'SIGTERM') as NodeJS.Signals;
}
