/**
 * The gate before an MCP server over streamable HTTP (spec/mcp.md, MCP-19 to MCP-23): bodies are read and judged, everything else streams.
 * @module
 */
import { Agent as HttpAgent, createServer, type IncomingMessage, request as httpRequest, type Server, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { errorAnswer, lineOf } from './answers.js';
import type { CallJudge, Outcome } from './call-judge.js';
import { headerTexts, hostFor, isForUs, isPlainBody, passedHeaders } from './http-headers.js';
import { HttpSessions } from './http-sessions.js';
import { maxLineBytes } from './lines.js';
import { type GatedCall, type Id, isLikeGated, isObject, type JsonObject, judgeMessage, type Passed, rpcCodes } from './message.js';
import { AnswerReader } from './sse.js';

export interface HttpGateOptions {
  readonly judge: CallJudge;
  /** Whose origin is the server's. Paths and queries of requests stay. */
  readonly upstream: URL;
  /** Names by which clients reach the gate, beside the loopback ones. */
  readonly names?: readonly string[];
  readonly tell: (line: string) => void;
}

/** A server that is not listening yet. */
export function createHttpGate(options: HttpGateOptions): Server {
  const gate = new HttpGate(options);
  const server = createServer((request, response) => {
    gate.handle(request, response).catch(() => {
      // the connection has broken in the middle: nobody is left to tell
      response.destroy();
    });
  });
  // streams may stay silent for hours
  server.timeout = 0;
  server.on('close', () => gate.close());
  return server;
}

class HttpGate {
  readonly #judge: CallJudge;
  readonly #upstream: URL;
  readonly #names: readonly string[];
  readonly #tell: (line: string) => void;
  readonly #agent: HttpAgent;
  readonly #sessions = new HttpSessions();

  constructor({ judge, upstream, names = [], tell }: HttpGateOptions) {
    this.#judge = judge;
    this.#upstream = upstream;
    this.#names = names.map((name) => name.toLowerCase());
    this.#tell = tell;
    this.#agent = upstream.protocol === 'https:' ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  }

  close(): void {
    this.#agent.destroy();
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // MCP-20: before the body is looked at
    if (!isForUs(request, this.#names)) return this.#refuse(response, 403, null, rpcCodes.invalidRequest, 'expected a Host and an Origin of this gate');
    // another form of target could name another server
    if (!request.url?.startsWith('/') && request.url !== '*') return this.#refuse(response, 400, null, rpcCodes.invalidRequest, 'expected a path');
    const body = await readBody(request);
    if (body === undefined) return this.#refuse(response, 413, null, rpcCodes.invalidRequest, `expected at most ${maxLineBytes} bytes`);
    // whatever the method says: a lax server may read the body of a GET
    if (body.length === 0) {
      if (saysGated(request, undefined)) return this.#mismatch(response, null);
      if (request.method === 'POST') return this.#refuse(response, 400, null, rpcCodes.parseError, 'expected a message');
      return this.#pass(request, response, undefined);
    }
    if (!isPlainBody(request)) return this.#refuse(response, 415, null, rpcCodes.invalidRequest, 'expected JSON in UTF-8, not encoded');
    const judged = judgeMessage(body, 'body');
    switch (judged.kind) {
      case 'refuse':
        return this.#refuse(response, 400, judged.id, judged.code, judged.why);
      case 'drop':
        return this.#refuse(response, 400, null, rpcCodes.invalidRequest, judged.why);
      case 'call':
        if (!agreesWith(request, judged.call)) return this.#mismatch(response, judged.call.id);
        return this.#call(request, response, judged.call, body);
      case 'pass': {
        const { method, id } = judged.message;
        if (saysGated(request, method)) return this.#mismatch(response, id ?? null);
        return this.#passMessage(request, response, judged.message, body);
      }
    }
  }

  async #call(request: IncomingMessage, response: ServerResponse, call: GatedCall, body: Uint8Array): Promise<void> {
    const controller = new AbortController();
    response.once('close', () => controller.abort());
    const stream = new Answering(request, response);
    const session = this.#sessions.of(request);
    const elicit = session?.canElicit && stream.mayStream ? (question: JsonObject, signal: AbortSignal) => session.ask(question, signal, stream) : undefined;
    const done = session?.begin(call.id, controller);
    if (done === false) return this.#refuse(response, 400, call.id, rpcCodes.invalidRequest, 'expected an id that no call that waits has');
    let outcome: Outcome;
    try {
      outcome = await this.#judge.decide(call, controller.signal, elicit === undefined ? {} : { elicit });
    } finally {
      done?.();
    }
    if (controller.signal.aborted) {
      response.end();
      return;
    }
    if (outcome.kind === 'answer') {
      stream.answer(outcome.message);
      return;
    }
    const sent = outcome.message === undefined ? body : Buffer.from(outcome.message);
    const reader = outcome.onInputRequired === undefined ? undefined : new AnswerReader(call.id, watcher(outcome.onInputRequired));
    if (stream.isStreaming) await this.#continueStream(request, stream, sent, call.id, reader);
    else await this.#pass(request, response, sent, reader);
  }

  async #passMessage(request: IncomingMessage, response: ServerResponse, message: Passed, body: Uint8Array): Promise<void> {
    const session = this.#sessions.of(request);
    if (session?.takes(message)) {
      response.writeHead(202).end();
      return;
    }
    const capabilities = message.method === 'initialize' ? (message.params?.['capabilities'] ?? {}) : undefined;
    await this.#pass(request, response, body, undefined, (answer) => {
      if (capabilities !== undefined) this.#sessions.begin(request, answer, capabilities);
    });
  }

  /** To the server and back, as it comes. */
  #pass(
    request: IncomingMessage,
    response: ServerResponse,
    body: Uint8Array | undefined,
    reader?: AnswerReader,
    onAnswer: (answer: IncomingMessage) => void = () => undefined,
  ): Promise<void> {
    return this.#send(request, response, body, reader !== undefined, (answer) => {
      onAnswer(answer);
      response.writeHead(answer.statusCode ?? 502, statusText(answer), passedHeaders(answer));
      response.flushHeaders();
      reader?.begin(answer.headers['content-type']);
      // first the reader, so that it knows what the client hears before the client does
      answer.on('data', (chunk: Buffer) => {
        reader?.push(chunk);
        if (!response.write(chunk)) answer.pause();
      });
      response.on('drain', () => answer.resume());
      answer.on('end', () => {
        reader?.end();
        response.end();
      });
      answer.on('error', () => response.destroy());
    });
  }

  /** The client is listening to a stream of ours already: what the server answers goes on in it. */
  #continueStream(request: IncomingMessage, stream: Answering, body: Uint8Array, id: Id, reader: AnswerReader | undefined): Promise<void> {
    return this.#send(request, stream.response, body, true, (answer) => {
      const type = answer.headers['content-type'] ?? '';
      reader?.begin(type);
      const isStream = /^text\/event-stream\b/i.test(type);
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => {
        reader?.push(chunk);
        if (!isStream) chunks.push(chunk);
        else if (!stream.response.write(chunk)) answer.pause();
      });
      stream.response.on('drain', () => answer.resume());
      answer.on('end', () => {
        reader?.end();
        if (!isStream) stream.event(oneLine(Buffer.concat(chunks)) ?? lineOf(errorAnswer(id, rpcCodes.internal, `the server answered ${answer.statusCode}`)));
        stream.response.end();
      });
      answer.on('error', () => stream.response.destroy());
    });
  }

  #send(
    request: IncomingMessage,
    response: ServerResponse,
    body: Uint8Array | undefined,
    isRead: boolean,
    take: (answer: IncomingMessage) => void,
  ): Promise<void> {
    const { protocol, hostname, port } = this.#upstream;
    const send = protocol === 'https:' ? httpsRequest : httpRequest;
    const headers = passedHeaders(request, ['host', 'content-length', 'expect', ...(isRead ? ['accept-encoding'] : [])]);
    headers.push('Host', hostFor(this.#upstream, request));
    if (body !== undefined) headers.push('Content-Length', String(body.length));
    return new Promise((resolve) => {
      const host = hostname.replace(/^\[|\]$/g, '');
      const sent = send({ protocol, host, port, method: request.method, path: request.url, headers, agent: this.#agent, setHost: false });
      response.once('close', () => {
        // a client that hangs up ends the server's work too
        if (!response.writableFinished) sent.destroy();
        resolve();
      });
      sent.on('response', (answer) => {
        try {
          take(answer);
        } catch {
          sent.destroy(new Error('no answer')); // its status or a header is none that can be written
        }
      });
      sent.on('error', () => {
        if (response.headersSent) response.destroy();
        else this.#refuse(response, 502, null, rpcCodes.internal, 'the server cannot be reached');
      });
      sent.end(body);
    });
  }

  #mismatch(response: ServerResponse, id: Id | null): void {
    this.#refuse(response, 400, id, rpcCodes.headerMismatch, 'expected Mcp-Method and Mcp-Name to say what the body says');
  }

  #refuse(response: ServerResponse, status: number, id: Id | null, code: number, why: string): void {
    this.#tell(`REFUSED a request: ${why}`);
    // what is still on its way of the body is not waited for
    response.writeHead(status, { 'Content-Type': 'application/json', ...(status === 413 && { Connection: 'close' }) });
    response.end(lineOf(errorAnswer(id, code, why)));
  }
}

/** The answer of the gate itself to one request: JSON, or a stream where there is more to say than the answer. */
export class Answering {
  readonly response: ServerResponse;
  readonly mayStream: boolean;
  readonly #takesJson: boolean;
  isStreaming = false;

  constructor({ headers }: IncomingMessage, response: ServerResponse) {
    this.response = response;
    const accept = headers.accept ?? '*/*';
    this.mayStream = /text\/event-stream/i.test(accept);
    this.#takesJson = !this.mayStream || /application\/(?:json|\*)|\*\/\*/i.test(accept);
  }

  /** The one answer to the request. */
  answer(message: JsonObject): void {
    if (this.#takesJson && !this.isStreaming) {
      this.response.writeHead(200, { 'Content-Type': 'application/json' });
      this.response.end(lineOf(message).trimEnd());
      return;
    }
    this.event(lineOf(message));
    this.response.end();
  }

  event(line: string): void {
    if (!this.isStreaming) {
      this.isStreaming = true;
      this.response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
      this.response.flushHeaders();
    }
    this.response.write(`event: message\ndata: ${line.trimEnd()}\n\n`);
  }
}

/** The whole body, or undefined where it is over the limit. Copied as it comes: a sender of very many small chunks costs no more than of large ones. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  let held = Buffer.alloc(0);
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    const end = length + chunk.length;
    if (end > maxLineBytes) return undefined;
    if (end > held.length) {
      const larger = Buffer.alloc(Math.max(end, 2 * held.length));
      larger.set(held.subarray(0, length));
      held = larger;
    }
    held.set(chunk, length);
    length = end;
  }
  return held.subarray(0, length);
}

/** What stands behind the status code; Node reads some bytes there that it does not write. */
function statusText({ statusMessage = '' }: IncomingMessage): string {
  return /[^\t\x20-\x7e\x80-\xff]/.test(statusMessage) ? '' : statusMessage;
}

/** MCP-21: what headers say is never decided on, and must be what the body says where a server could go by it. */
function agreesWith(request: IncomingMessage, { method, params }: GatedCall): boolean {
  const name = method === 'tools/call' ? params['name'] : params['uri'];
  return headerTexts(request, 'mcp-method').every((said) => said === method) && headerTexts(request, 'mcp-name').every((said) => said === name);
}

/** MCP-21: whether headers name a gated method that the body does not have: a server that goes by them would run a call that was not judged. */
function saysGated(request: IncomingMessage, method: string | undefined): boolean {
  return headerTexts(request, 'mcp-method').some((said) => said !== method && said.split(',').some(isLikeGated));
}

function watcher(onInputRequired: (state: string | undefined) => void): (result: unknown) => void {
  return (result) => {
    if (!isObject(result) || result['resultType'] !== 'input_required') return;
    const { requestState: state } = result;
    onInputRequired(typeof state === 'string' ? state : undefined);
  };
}

/** A JSON text as one line, for an event; undefined for what is no JSON object. */
function oneLine(body: Buffer): string | undefined {
  try {
    const message: unknown = JSON.parse(body.toString());
    // line feeds stand outside of texts alone, and there they mean nothing
    return isObject(message) ? body.toString().replace(/[\r\n]/g, ' ') : undefined;
  } catch {
    return undefined; // an error page
  }
}
