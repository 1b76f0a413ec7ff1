import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { CallJudge, ClientApprover } from '../../../src/gate/mcp/call-judge.js';
import { createHttpGate } from '../../../src/gate/mcp/http.js';
import { withResources } from '../../../src/gate/mcp/resources.js';
import { AnswerReader } from '../../../src/gate/mcp/sse.js';
import { approverSigner, gateWith, kindsIn, mapper, problemsIn } from '../kit.js';
import { callOf, initialize, type Message, startTime, stateless } from './session-kit.js';

interface Got {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A gate before a server that notes what it gets and answers as told. */
async function front({ names, answer }: { names?: readonly string[]; answer?: (got: Got, response: ServerResponse) => void } = {}) {
  const got: Got[] = [];
  const upstream = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const one = { method: incoming.method, url: incoming.url, headers: incoming.headers, body: Buffer.concat(chunks).toString() };
    got.push(one);
    if (answer !== undefined) answer(one, response);
    else response.writeHead(200, { 'Content-Type': 'application/json', 'Mcp-Session-Id': 's-1' }).end('{"jsonrpc":"2.0","id":1,"result":{}}');
  });
  const at = await listen(upstream);
  const approver = new ClientApprover(approverSigner, () => startTime);
  const fixture = await gateWith({ map: withResources(mapper), approver: approver.approver });
  const told: string[] = [];
  const judge = new CallJudge({ gate: fixture.gate, server: 'files', tell: (line) => void told.push(line), now: () => startTime, approver });
  const gate = createHttpGate({ judge, upstream: new URL(`http://localhost:${at}`), tell: (line) => void told.push(line), ...(names && { names }) });
  const port = await listen(gate);
  return { ...fixture, got, at, port, told, send: (body?: string | object | Buffer, options: Sending = {}) => send(port, body, options) };
}

interface Sending {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  /** Hears the body as it comes. */
  readonly onChunk?: (text: string) => void;
}

function send(port: number, body: string | object | Buffer | undefined, { method = 'POST', path = '/mcp', headers = {}, onChunk }: Sending): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const accept = { Accept: 'application/json, text/event-stream', ...(body !== undefined && { 'Content-Type': 'application/json' }) };
    const sent = request({ port, host: '127.0.0.1', method, path, headers: { ...accept, ...headers } }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        onChunk?.(chunk.toString());
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
}

const read = callOf('read', { path: '/srv/a' });
const denied = callOf('read', { path: '/etc/canary' });
const ask = callOf('write', { path: '/srv/a' });
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

describe('the HTTP gate', () => {
  it('passes what is no call byte for byte, with its headers, path and query (MCP-19)', async () => {
    const t = await front();
    const odd = '{ "jsonrpc":"2.0",\r\n"id":9007199254740993 ,"method":"x"}';
    const headers = {
      'Mcp-Session-Id': 'a',
      'MCP-Protocol-Version': '2025-11-25',
      'Last-Event-ID': 'e',
      Authorization: 'Bearer t',
      'Mcp-Method': 'x',
      'X-Own': 'y',
    };
    const answer = await t.send(odd, { headers, path: '/mcp?a=b' });
    expect(answer).toMatchObject({ status: 200, headers: { 'mcp-session-id': 's-1' } });
    expect(t.got).toMatchObject([
      { method: 'POST', url: '/mcp?a=b', body: odd, headers: Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value])) },
    ]);
    for (const method of ['GET', 'DELETE', 'OPTIONS']) expect((await t.send(undefined, { method })).status).toBe(200);
    expect(t.got.slice(1).map(({ method, body }) => [method, body])).toEqual([
      ['GET', ''],
      ['DELETE', ''],
      ['OPTIONS', ''],
    ]);
  });

  it('sends an allowed call on as it was judged, and answers a denied one with 200 (MCP-6, MCP-22)', async () => {
    const t = await front();
    expect((await t.send(`${JSON.stringify(read)}\n`)).status).toBe(200);
    expect(t.got.map(({ body }) => body)).toEqual([JSON.stringify(read)]);
    const answer = await t.send(denied);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    expect(JSON.parse(answer.body)).toMatchObject({ id: 1, result: { isError: true, _meta: { 'ruleprint/decision': { effect: 'deny', reason: 'no-rule' } } } });
    expect(answer.body + t.told.join()).not.toContain('canary');
    expect(t.got).toHaveLength(1);
    expect(problemsIn(t.store)).toEqual([]);
  });

  it('answers in a stream who takes nothing else (MCP-22)', async () => {
    const t = await front();
    const { headers, body } = await t.send(denied, { headers: { Accept: 'text/event-stream' } });
    expect(headers['content-type']).toBe('text/event-stream');
    expect(JSON.parse(/^event: message\ndata: (.*)\n\n$/.exec(body)?.[1] ?? '')).toMatchObject({ id: 1, result: { isError: true } });
  });

  it.each([
    ['a batch', [read], 400],
    ['a call without an id', { ...read, id: undefined }, 400],
    ['an unknown member', { ...read, METHOD: 'x' }, 400],
    ['the method in capitals', { ...read, method: 'TOOLS/CALL' }, 400],
    ['no JSON', 'name=read', 400],
    ['half of it', '{"jsonrpc":', 400],
    ['nothing', '', 400],
    ['white space', ' ', 400],
    ['UTF-16', Buffer.from(JSON.stringify(read), 'utf16le'), 400],
  ])('refuses %s (MCP-19)', async (_, body, status) => {
    const t = await front();
    expect((await t.send(body)).status).toBe(status);
    expect(t.got).toEqual([]);
  });

  it.each(['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'])('judges a call in the body of %s too, because a lax server may read it (MCP-19)', async (method) => {
    const t = await front();
    expect((await t.send(denied, { method, headers: { 'Content-Length': String(JSON.stringify(denied).length) } })).body).toContain('isError');
    expect(t.got).toEqual([]);
  });

  it('judges a call on every path (MCP-19)', async () => {
    const t = await front();
    for (const path of ['/', '/MCP', '/messages?session=1', '//mcp']) expect((await t.send(denied, { path })).body).toContain('isError');
    expect(t.got).toEqual([]);
  });

  it.each([
    [{ 'Content-Encoding': 'gzip' }, 415],
    [{ 'Content-Type': 'application/json; charset=utf-16' }, 415],
    [{ 'Content-Type': 'application/json; charset="UTF-7"' }, 415],
    [{ 'Content-Type': 'text/plain; charset=utf-8' }, 200],
  ])('takes a body as the server will: %j (MCP-19)', async (headers, status) => {
    expect((await (await front()).send(ping, { headers })).status).toBe(status);
  });

  it('refuses a body over the limit, chunked or not (MCP-1)', async () => {
    const t = await front();
    const big = JSON.stringify(callOf('read', { path: '/srv/a', text: 'x'.repeat(10_485_760) }));
    for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }] as Record<string, string>[]) {
      const answer = await t.send(big, { headers }).catch((error: Error) => error.message);
      if (typeof answer !== 'string') expect(answer.status).toBe(413);
    }
    expect(t.got).toEqual([]);
  });

  it('judges a body as one however it is cut (MCP-19)', async () => {
    const t = await front();
    const open = request({ port: t.port, host: '127.0.0.1', method: 'POST', path: '/mcp', headers: { 'Content-Type': 'application/json' } });
    const answered = once(open, 'response');
    const text = `${' '.repeat(2_000)}${JSON.stringify(read)}`;
    for (const char of text) open.write(char);
    open.end();
    const [response] = (await answered) as [IncomingMessage];
    response.resume();
    expect([response.statusCode, t.got.map(({ body }) => body)]).toEqual([200, [JSON.stringify(read)]]);
  });

  it('sends no message on twice that two servers could cut in two ways', async () => {
    const t = await front();
    const inner = JSON.stringify(denied);
    const smuggled = [
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nPOST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
      `POST http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}`,
    ];
    for (const raw of smuggled) {
      const socket = connect(t.port, '127.0.0.1');
      socket.end(raw);
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk as Buffer);
      expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 400/);
    }
    expect(t.got).toEqual([]);
  });

  it('drops headers of one connection, also those that Connection names', async () => {
    const t = await front();
    await t.send(ping, { headers: { Connection: 'close, x-hop', 'X-Hop': '1', TE: 'trailers', 'Proxy-Authorization': 'x' } });
    for (const name of ['x-hop', 'te', 'proxy-authorization']) expect(t.got[0]?.headers).not.toHaveProperty([name]);
  });
});

describe('Host and Origin (MCP-20)', () => {
  it.each([
    [{ Host: 'evil.example' }, 403],
    [{ Host: 'localhost.evil.example' }, 403],
    [{ Host: 'localhost@evil.example' }, 403],
    [{ Origin: 'http://evil.example' }, 403],
    [{ Origin: 'null' }, 403],
    [{ Origin: 'http://localhost.evil.example' }, 403],
    [{ Origin: 'http://localhost:6274' }, 200],
    [{ Host: 'LOCALHOST:1', Origin: 'https://127.0.0.1' }, 200],
    [{ Host: '[::1]:1' }, 200],
  ])('%j is answered with %i', async (headers, status) => {
    const t = await front();
    expect((await t.send(ping, { headers })).status).toBe(status);
    expect(t.got).toHaveLength(status === 200 ? 1 : 0);
  });

  it('are not left off: a request without Host is for nobody', async () => {
    const t = await front();
    const socket = connect(t.port, '127.0.0.1');
    socket.end('GET /mcp HTTP/1.0\r\n\r\n');
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 403/);
    expect(t.got).toEqual([]);
  });

  it('come to the server with the client’s name and the server’s port, so that its own protection still judges them', async () => {
    const t = await front();
    await t.send(ping, { headers: { Host: `localhost:${t.port}`, Origin: 'http://localhost:6274' } });
    await t.send(ping, { headers: { Host: '127.0.0.1' } });
    expect(t.got.map(({ headers }) => [headers.host, headers.origin])).toEqual([
      [`localhost:${t.at}`, 'http://localhost:6274'],
      [`127.0.0.1:${t.at}`, undefined],
    ]);
  });

  it('may have names that the gate was told of, and then the server sees its own', async () => {
    const t = await front({ names: ['gate.example'] });
    expect((await t.send(ping, { headers: { Host: 'Gate.example:443', Origin: 'https://gate.example' } })).status).toBe(200);
    expect(t.got[0]?.headers.host).toBe(`localhost:${t.at}`);
    expect((await t.send(ping, { headers: { Host: 'other.example' } })).status).toBe(403);
  });
});

describe('Mcp-Method and Mcp-Name (MCP-21)', () => {
  const mismatch = { error: { code: -32_020 } };
  it.each([
    [read, { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'read' }, {}],
    [read, { 'Mcp-Name': '=?base64?cmVhZA==?=' }, {}],
    [read, { 'Mcp-Method': 'tools/list' }, mismatch],
    [read, { 'Mcp-Name': 'write' }, mismatch],
    [denied, { 'Mcp-Method': 'tools/list' }, mismatch],
    [ping, { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'write' }, mismatch],
    [ping, { 'Mcp-Method': 'Tools/Call' }, mismatch],
    [ping, { 'Mcp-Method': ['tools/call', 'ping'] }, mismatch],
    [ping, { 'Mcp-Method': ['ping', 'tools/call'] }, mismatch],
    [ping, { 'Mcp-Method': 'ping, tools/call' }, mismatch],
    [ping, { Mcp_Method: 'tools/call' }, mismatch],
    [ping, { 'Mcp-Method': '=?BASE64?dG9vbHMvY2FsbA==?=' }, mismatch],
    [undefined, { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'write' }, mismatch],
    [read, { 'Mcp-Name': ['read', 'write'] }, mismatch],
    [read, { Mcp_Name: 'write' }, mismatch],
    [ping, { 'Mcp-Method': 'tools/list' }, {}],
  ])('%# are never decided on, and let nothing through that the body does not say', async (message, headers, expected) => {
    const t = await front();
    const method = message === undefined ? 'GET' : 'POST';
    const { status, body } = await t.send(message, { method, headers: headers as Record<string, string> });
    expect(JSON.parse(body)).toMatchObject(expected);
    expect([status, t.got.length]).toEqual('error' in expected ? [400, 0] : [200, 1]);
  });
});

describe('streams (MCP-19)', () => {
  it('come as the server sends them, headers first, and end with the client', async () => {
    let ended = false;
    const t = await front({
      answer: (_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.flushHeaders();
        response.on('close', () => {
          ended = true;
        });
        void sleep(150).then(() => response.write('data: 1\n\n'));
      },
    });
    const start = performance.now();
    const sent = request({ port: t.port, host: '127.0.0.1', path: '/mcp', headers: { Accept: 'text/event-stream' } });
    sent.end();
    const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
    expect(performance.now() - start).toBeLessThan(140);
    const [chunk] = (await once(response, 'data')) as [Buffer];
    expect(chunk.toString()).toBe('data: 1\n\n');
    sent.destroy();
    for (let i = 0; i < 100 && !ended; i++) await sleep(20);
    expect(ended).toBe(true);
  });

  it.each([
    ['200 O\u0001K', 200],
    ['099 OK', 502],
  ])('outlive a status that cannot be written again: %j', async (line, expected) => {
    const t = await front({ answer: (_, response) => void response.socket?.end(`HTTP/1.1 ${line}\r\nContent-Length: 2\r\n\r\n{}`) });
    expect((await t.send(ping)).status).toBe(expected);
  });

  it('say that a server cannot be reached', async () => {
    const t = await front({ answer: (_, response) => response.destroy() });
    expect((await t.send(read)).status).toBe(502);
  });
});

describe('asking over HTTP', () => {
  const yes = { action: 'accept', content: { approve: true } };
  const question = (text: string): Message => JSON.parse(/data: (.*)\n\n/.exec(text)?.[1] ?? '{}') as Message;

  it('2025: puts the question into the stream of the call, and what the server answers behind it (MCP-23)', async () => {
    for (const type of ['application/json', 'text/event-stream']) {
      const t = await front({
        answer: (got, response) => {
          const { id, method } = JSON.parse(got.body) as Message;
          const text = JSON.stringify({ jsonrpc: '2.0', id, result: { said: 'done' } });
          response.writeHead(200, { 'Mcp-Session-Id': 's-1', 'Content-Type': method === 'initialize' ? 'application/json' : type });
          response.end(type === 'text/event-stream' && method !== 'initialize' ? `event: message\ndata: ${text}\n\n` : text);
        },
      });
      await t.send(initialize());
      const headers = { 'Mcp-Session-Id': 's-1' };
      const asked = t.send(ask, {
        headers,
        onChunk: (text) => {
          const { id, method } = question(text);
          if (method !== 'elicitation/create') return;
          // others may not answer it: another session, another authorization
          void t
            .send({ jsonrpc: '2.0', id, result: yes }, { headers: { 'Mcp-Session-Id': 's-2' } })
            .then(() => t.send({ jsonrpc: '2.0', id, result: yes }, { headers: { ...headers, Authorization: 'Bearer other' } }))
            .then(() => expect(kindsIn(t.store)).not.toContain('release'))
            .then(() => t.send({ jsonrpc: '2.0', id, result: yes }, { headers }))
            .then(({ status }) => expect(status).toBe(202));
        },
      });
      const { body } = await asked;
      expect(body.match(/^data: /gm)).toHaveLength(2);
      expect(body).toContain('"said":"done"');
      expect(t.got.filter((one) => one.body.includes('tools/call')).map((one) => one.body)).toEqual([JSON.stringify(ask)]);
      expect(kindsIn(t.store).slice(-2)).toEqual(['record', 'release']);
      expect(problemsIn(t.store)).toEqual([]);
    }
  });

  it('2025: denies in the stream after no, and drops a call that is cancelled or whose client has gone (MCP-23)', async () => {
    const t = await front();
    await t.send(initialize());
    const headers = { 'Mcp-Session-Id': 's-1' };
    const withAnswer = (message: (id: unknown) => object) =>
      t.send(ask, {
        headers,
        onChunk: (text) => void (question(text)['method'] === 'elicitation/create' && t.send(message(question(text)['id']), { headers })),
      });
    expect((await withAnswer((id) => ({ jsonrpc: '2.0', id, result: { action: 'decline' } }))).body).toContain('the answer was no');
    const cancelled = await withAnswer(() => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }));
    expect(cancelled.body.match(/^data: /gm)).toHaveLength(1);
    const sent = request({
      port: t.port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/mcp',
      headers: { ...headers, Accept: 'text/event-stream', 'Content-Type': 'application/json' },
    });
    sent.on('error', () => undefined);
    sent.end(JSON.stringify(ask));
    const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
    const [chunk] = (await once(response, 'data')) as [Buffer];
    sent.destroy();
    await sleep(100);
    await t.send({ jsonrpc: '2.0', id: question(chunk.toString())['id'], result: yes }, { headers });
    await sleep(50);
    expect(t.got.filter(({ body }) => body.includes('tools/call'))).toEqual([]);
    expect(kindsIn(t.store)).not.toContain('release');
  });

  it('2025: denies without a session, and where the client cannot be asked', async () => {
    const t = await front();
    await t.send(initialize({}));
    for (const headers of [{}, { 'Mcp-Session-Id': 's-1' }, { 'Mcp-Session-Id': 'other' }] as Record<string, string>[]) {
      expect((await t.send(ask, { headers })).body).toContain('none was given');
    }
  });

  it('2026: answers with the question, takes the answer once, and lets the server ask back (MCP-12, MCP-13)', async () => {
    for (const type of ['application/json', 'text/event-stream']) {
      let asked = 0;
      const t = await front({
        answer: (got, response) => {
          const { id } = JSON.parse(got.body) as Message;
          const result =
            asked++ === 0 ? { resultType: 'input_required', inputRequests: { q: {} }, requestState: 'theirs' } : { resultType: 'complete', content: [] };
          const text = JSON.stringify({ jsonrpc: '2.0', id, result });
          response.writeHead(200, { 'Content-Type': type });
          response.end(type === 'text/event-stream' ? `: hello\r\nevent: message\r\ndata: ${text}\r\n\r\n` : text);
        },
      });
      const call = (id: number, params: object): Message => callOf('write', { path: '/srv/a' }, { id, params: { ...stateless(), ...params } });
      const first = JSON.parse((await t.send(call(1, {}))).body) as Message;
      expect(first).toMatchObject({ id: 1, result: { resultType: 'input_required' } });
      const answered = { requestState: first['result'].requestState, inputResponses: { 'ruleprint-approval': yes } };
      expect((await t.send(call(2, answered))).body).toContain('theirs');
      expect((await t.send(call(3, answered))).body).toContain('rp1.');
      expect((await t.send(call(4, { requestState: 'theirs', inputResponses: { q: {} } }))).body).toContain('complete');
      expect(t.got).toHaveLength(2);
      expect(problemsIn(t.store)).toEqual([]);
    }
  });
});

describe('reading along', () => {
  const results = (chunks: readonly string[], type = 'text/event-stream'): unknown[] => {
    const found: unknown[] = [];
    const reader = new AnswerReader(1, (result) => found.push(result));
    reader.begin(type);
    for (const chunk of chunks) reader.push(new TextEncoder().encode(chunk));
    reader.end();
    return found;
  };
  const stream = 'retry: 5\r\n\r\nid: 1\ndata: {"id":2,"result":0}\n\ndata: {"id":1,\rdata:"result":7}\r\rdata: no\n\n';

  it('finds the answer in a stream, however it is cut and its lines end', () => {
    expect(results([stream])).toEqual([7]);
    for (let at = 0; at <= stream.length; at++) expect(results([stream.slice(0, at), stream.slice(at)])).toEqual([7]);
    expect(results(['{"id":1,', '"result":8}'], 'application/json; charset=utf-8')).toEqual([8]);
    expect(results(['{"id":1,"error":{}}'], 'application/json')).toEqual([]);
  });
});
