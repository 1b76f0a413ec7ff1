/**
 * A model server on the loopback that answers as servers really do: each model name is one quirk. What it was asked is kept.
 * @module
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: { readonly model: string; readonly messages: readonly Record<string, unknown>[] } & Readonly<Record<string, unknown>>;
}

export interface QuirksServer {
  readonly base: string;
  readonly asked: Asked[];
  close(): Promise<void>;
}

export type Answer = (response: ServerResponse, tries: number, asked: Asked) => void;

const readCall = { name: 'read_file', arguments: '{"path":"/a"}' };

/** A whole answer around a message. */
export const completion = (message: unknown, finish: string | null = 'stop', more: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'served-model',
  system_fingerprint: 'fp_1',
  choices: [{ index: 0, message, finish_reason: finish }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  ...more,
});

const saying =
  (message: unknown, finish: string | null = 'stop', more: object = {}): Answer =>
  (response) =>
    json(response, completion(message, finish, more));

const calling = (tool_calls: unknown, finish: string | null = 'tool_calls', content: unknown = null): Answer =>
  saying({ role: 'assistant', content, tool_calls }, finish);

export const quirks: Readonly<Record<string, Answer>> = {
  plain: saying({ role: 'assistant', content: 'done' }),
  openai: calling([{ id: 'call_1', type: 'function', function: readCall }]),
  'arguments-object': calling([{ id: 'call_1', type: 'function', function: { name: 'read_file', arguments: { path: '/a' } } }]),
  'arguments-empty': calling([{ id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '' } }]),
  'arguments-null': calling([{ id: 'call_1', type: 'function', function: { name: 'read_file', arguments: null } }]),
  'no-id': calling([
    { type: 'function', function: readCall },
    { id: '', function: readCall },
  ]),
  'same-id': calling([
    { id: 'call_1', type: 'function', function: readCall },
    { id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"/b"}' } },
  ]),
  'same-index': calling([
    { index: 0, id: 'call_1', type: 'function', function: readCall },
    { index: 0, id: 'call_2', type: 'function', function: { name: 'read_file', arguments: '{"path":"/b"}' } },
  ]),
  'no-type': calling([{ id: 'call_1', function: readCall }]),
  flat: calling([readCall], 'tool'),
  'stop-with-calls': calling([{ id: 'call_1', type: 'function', function: readCall }], 'stop', ''),
  'calls-without-calls': saying({ role: 'assistant', content: 'nothing to do', tool_calls: [] }, 'tool_calls'),
  'calls-null': saying({ role: 'assistant', content: 'nothing to do', tool_calls: null }),
  'function-call': saying({ role: 'assistant', content: null, function_call: readCall }, 'function_call'),
  reasoning: saying({ role: 'assistant', content: 'done', reasoning_content: 'I think so' }),
  'reasoning-short': saying({ role: 'assistant', content: 'done', reasoning: 'I think so' }),
  parts: saying({
    role: 'assistant',
    content: [
      { type: 'text', text: 'do' },
      { type: 'text', text: 'ne' },
    ],
  }),
  refusal: saying({ role: 'assistant', content: null, refusal: 'I will not' }),
  'cut-text': saying({ role: 'assistant', content: 'I was about to' }, 'length'),
  'cut-arguments': calling([{ id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"/a' } }], 'length'),
  'bad-arguments': calling([{ id: 'call_1', type: 'function', function: { name: 'read_file', arguments: "{path: '/a'}" } }]),
  'list-arguments': calling([{ id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '["/a"]' } }]),
  'call-as-text': saying({ role: 'assistant', content: '<tool_call>\n{"name": "read_file", "arguments": {"path": "/a"}}\n</tool_call>' }),
  'call-as-json': saying({ role: 'assistant', content: '```json\n{"name": "read_file", "parameters": {"path": "/a"}}\n```' }),
  'call-as-marks': saying({ role: 'assistant', content: '<function=read_file>{"path": "/a"}</function>' }),
  'calls-as-list': saying({
    role: 'assistant',
    content:
      '[TOOL_CALLS] [{"name": "read_file", "arguments": {"path": "/a"}}, {"name": "send_mail", "arguments": {"to": "}"}}, {"name": "unknown", "arguments": {}}]',
  }),
  'json-answer': saying({ role: 'assistant', content: '{"name": "Ada", "arguments": 3}' }),
  'parse-500': (response) => json(response, { error: { code: 500, message: 'Failed to parse tool call arguments as JSON: read_file {"path": "SECRET' } }, 500),
  'other-500': (response) => json(response, { error: { message: 'SECRET out of memory' } }, 500),
  'not-found': (response) => json(response, { error: { message: 'model SECRET not found' } }, 404),
  'no-choices': (response) => json(response, { object: 'error', message: 'SECRET' }),
  'no-json': (response) => response.end('<html>SECRET</html>'),
  'no-utf8': (response) => response.end(Buffer.from([0x7b, 0xff, 0x7d])),
  redirect: (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/v1/chat/completions' }).end(),
  'busy-once': (response, tries) =>
    tries === 1 ? response.writeHead(503, { 'retry-after': '0' }).end() : json(response, completion({ role: 'assistant', content: 'done' })),
  'busy-always': (response) => response.writeHead(429).end('SECRET'),
  'broken-once': (response, tries) => (tries === 1 ? response.destroy() : json(response, completion({ role: 'assistant', content: 'done' }))),
  'broken-always': (response) => void response.destroy(),
  'broken-half': (response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('{"choices":', () => response.destroy());
  },
  silent: () => undefined,
  slow: (response) => void response.writeHead(200).write('{"choices":'),
  endless: (response) => {
    const chunk = ' '.repeat(1 << 20);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  },
  echo: (response, _, { headers }) => json(response, completion({ role: 'assistant', content: `you said ${headers['authorization']}` })),
};

/** @param more - further models, by name, before those above */
export async function quirksServer(more: Readonly<Record<string, Answer>> | ((model: string) => Answer | undefined) = {}): Promise<QuirksServer> {
  const asked: Asked[] = [];
  const tries = new Map<string, number>();
  const server: Server = createServer((request, response) => {
    void bodyOf(request).then((text) => {
      const body = JSON.parse(text) as Asked['body'];
      const one = { url: request.url ?? '', headers: request.headers, body };
      asked.push(one);
      tries.set(body.model, (tries.get(body.model) ?? 0) + 1);
      const answer = (typeof more === 'function' ? more(body.model) : more[body.model]) ?? quirks[body.model];
      if (answer === undefined) json(response, {}, 404);
      else answer(response, tries.get(body.model) ?? 0, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { base: `http://127.0.0.1:${port}/v1`, asked, close };
}

export function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
