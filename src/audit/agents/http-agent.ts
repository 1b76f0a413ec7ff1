/**
 * An agent behind an OpenAI-compatible server (spec/audit-run.md, AUR-5 to AUR-9): the one thing in an audit that opens a socket.
 *
 * node:http and not fetch: no redirect is followed, no proxy of the environment stands in between, and a slow local model may take its time.
 * @module
 */
import { Agent as HttpConnections, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsConnections, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { concat, fromUtf8, utf8 } from '../../bytes.js';
import { quote, refuse, RuleprintError } from '../../errors.js';
import type { Agent, AgentReply, AgentTurn } from './agent.js';
import { replyOf, requestOf, type Sampling, unparsedReply } from './completion.js';

export interface HttpAgentOptions extends Sampling {
  /** `http://127.0.0.1:8080/v1`: what stands before `/chat/completions`. */
  readonly base: string;
  /** Allows an address that is not this machine's own. */
  readonly allowOutside?: boolean;
  /** The name of the variable that holds the key; the key itself is never taken. */
  readonly keyVariable?: string;
  /** The environment of the process: where the variable is looked for. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Further tries where no answer came: 2 by default. */
  readonly retries?: number;
  /** Before the second try, in milliseconds; doubled for each further one: 250 by default. */
  readonly retryDelay?: number;
  /** For one request with its answer, in milliseconds: 120,000 by default. */
  readonly timeLimit?: number;
}

/** Bytes of one answer. */
const maxAnswer = 16_777_216;

/** The longest that a server's `retry-after` is heeded. */
const longestDelay = 30_000;

/** The model was not asked: the server is busy or not there yet. */
const busy: readonly number[] = [429, 503];

/**
 * Makes the agent.
 *
 * @throws RuleprintError `agent-address`, `agent-key`; TypeError and RangeError for options that are none
 * @example
 * const agent = httpAgent({ base: 'http://127.0.0.1:11434/v1', model: 'qwen2.5:0.5b', keyVariable: 'MODEL_KEY' });
 */
export function httpAgent(options: HttpAgentOptions): Agent {
  return new HttpAgent(options);
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly retryAfter: number | undefined;
}

class HttpAgent implements Agent {
  readonly #options: HttpAgentOptions;
  readonly #url: URL;
  readonly #key: string | undefined;
  readonly #connections: HttpConnections;

  constructor(options: HttpAgentOptions) {
    if (typeof options.model !== 'string' || options.model === '') throw new TypeError('"model" expected the name of a model');
    checkWhole('retries', options.retries);
    checkWhole('retryDelay', options.retryDelay);
    checkWhole('timeLimit', options.timeLimit, 1);
    this.#options = options;
    this.#url = addressOf(options.base, options.allowOutside === true);
    this.#key = options.keyVariable === undefined ? undefined : keyOf(options.keyVariable, options.environment ?? {});
    this.#connections = this.#url.protocol === 'https:' ? new HttpsConnections({ keepAlive: true }) : new HttpConnections({ keepAlive: true });
  }

  async next(turn: AgentTurn): Promise<AgentReply> {
    const { retries = 2, retryDelay = 250 } = this.#options;
    const body = utf8(JSON.stringify(requestOf(turn, this.#options)));
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt > retries;
      let delay = retryDelay * 2 ** (attempt - 1);
      try {
        const answer = await this.#post(body, turn.signal);
        if (isLast || !busy.includes(answer.status)) return { ...readAnswer(answer, turn), attempts: attempt };
        delay = Math.min(answer.retryAfter ?? delay, longestDelay);
      } catch (error) {
        // AUR-8: what is no answer is tried again; an answer, or a limit that was reached, is not
        if (isLast || !(error instanceof RuleprintError) || error.code !== 'agent-transport') throw error;
      }
      await pause(delay, turn.signal);
    }
  }

  #post(body: Uint8Array, signal: AbortSignal | undefined): Promise<Answer> {
    const { timeLimit = 120_000 } = this.#options;
    const send = this.#url.protocol === 'https:' ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const fail = (code: 'agent-transport' | 'agent-timeout' | 'agent-reply', message: string, evidence: Readonly<Record<string, unknown>> = {}): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        reject(new RuleprintError({ code, message, where: {}, evidence }));
        outgoing.destroy();
      };
      const onAbort = (): void => fail('agent-timeout', 'expected a reply in time, the epoch has no more');
      const timer = setTimeout(() => fail('agent-timeout', `expected a reply in ${timeLimit} ms`, { timeLimit }), timeLimit);
      const outgoing = send(this.#url, {
        method: 'POST',
        agent: this.#connections,
        lookup: loopbackOf(this.#url.hostname),
        headers: {
          'content-type': 'application/json',
          'content-length': body.length,
          accept: 'application/json',
          ...(this.#key !== undefined && { authorization: `Bearer ${this.#key}` }),
        },
      });
      // nothing of the error but its code: what it holds beside may be anything
      const broken = (error: unknown): void => fail('agent-transport', 'expected an answer, the connection broke', { cause: codeOf(error) });
      outgoing.on('error', broken);
      outgoing.on('response', (incoming) => {
        incoming.on('error', broken);
        collect(incoming, () => fail('agent-reply', `expected an answer of at most ${maxAnswer} bytes`)).then((bytes) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
          if (bytes === undefined) return;
          const text = fromUtf8(bytes);
          if (text === undefined) return fail('agent-reply', 'expected an answer in UTF-8');
          resolve({ status: incoming.statusCode ?? 0, body: this.#withoutKey(text), retryAfter: retryAfterOf(incoming.headers['retry-after']) });
        }, broken);
      });
      if (signal?.aborted === true) return onAbort();
      signal?.addEventListener('abort', onAbort);
      outgoing.end(body);
    });
  }

  /** AUR-6: a server may send back what it was sent. */
  #withoutKey(text: string): string {
    return this.#key === undefined ? text : text.replaceAll(this.#key, '[key]');
  }
}

function readAnswer({ status, body }: Answer, turn: AgentTurn): AgentReply {
  if (status < 200 || status > 299) {
    return unparsedReply(status, body) ?? refuse('agent-http', `expected a chat completion, got status ${status}`, { evidence: { status } });
  }
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    refuse('agent-reply', 'expected a chat completion as JSON'); // without the cause: it quotes the answer
  }
  return replyOf(value, turn);
}

/** All bytes; undefined where there were too many, and then the callee has said so. */
async function collect(incoming: IncomingMessage, tooLong: () => void): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxAnswer) {
      tooLong();
      return undefined;
    }
    chunks.push(chunk);
  }
  return concat(...chunks);
}

/** AUR-5. */
function addressOf(base: string, allowOutside: boolean): URL {
  if (typeof base !== 'string' || !URL.canParse(base)) refuse('agent-address', 'expected the URL of a model server');
  const url = new URL(base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') refuse('agent-address', `expected http or https, got ${quote(url.protocol)}`);
  // they would stand in messages and in the plan
  if (url.username !== '' || url.password !== '')
    refuse('agent-address', 'expected a URL without user and password', { hint: 'name the variable that holds the key' });
  if (!allowOutside && !isLoopback(url.hostname)) {
    refuse('agent-address', `expected an address of this machine, got ${quote(url.hostname)}`, {
      hint: 'what the harness plants and what the skill says leave the machine: allow it by name',
    });
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`;
  url.hash = '';
  return url;
}

function isLoopback(hostname: string): boolean {
  // the URL parser has made every spelling of an IPv4 address the plain one
  return hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));
}

/** `localhost` is this machine, whatever a resolver says. */
function loopbackOf(hostname: string): LookupFunction | undefined {
  if (hostname !== 'localhost') return undefined;
  const addresses = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  return (_, options, callback) => (options.all === true ? callback(null, addresses) : callback(null, '127.0.0.1', 4));
}

/** AUR-6. */
function keyOf(variable: string, environment: Readonly<Record<string, string | undefined>>): string {
  const key = environment[variable]?.trim();
  if (key === undefined || key === '') return refuse('agent-key', `expected a key in the variable ${quote(variable)}, it is not set`);
  if (key.length < 8 || !/^[\x21-\x7e]+$/.test(key)) refuse('agent-key', `expected at least 8 printable characters in the variable ${quote(variable)}`);
  return key;
}

function retryAfterOf(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header.trim()) ? Number(header) * 1_000 : undefined;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(new RuleprintError({ code: 'agent-timeout', message: 'expected a reply in time, the epoch has no more', where: {} }));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    if (signal?.aborted === true) return onAbort();
    signal?.addEventListener('abort', onAbort);
  });
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'unknown';
}

function checkWhole(name: string, value: number | undefined, least = 0): void {
  if (value !== undefined && (!Number.isSafeInteger(value) || value < least)) throw new RangeError(`"${name}" expected a whole number from ${least} on`);
}
