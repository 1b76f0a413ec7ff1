import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentTurn } from '../../../src/audit/agents/agent.js';
import { httpAgent, type HttpAgentOptions } from '../../../src/audit/agents/http-agent.js';
import { RuleprintError } from '../../../src/errors.js';
import { someTools } from '../tools/kit.js';
import { type Asked, quirks, type QuirksServer, quirksServer } from './quirks-server.js';

let server: QuirksServer;
beforeAll(async () => {
  server = await quirksServer();
});
afterAll(() => server.close());

const turn: AgentTurn = {
  messages: [
    { role: 'system', text: 's' },
    { role: 'user', text: 'u' },
  ],
  tools: someTools,
  seed: 7,
  epoch: 0,
  index: 0,
};
const key = 'sk-0123456789abcdef';

const agentOf = (model: string, options: Partial<HttpAgentOptions> = {}) =>
  httpAgent({ base: server.base, model, retryDelay: 1, timeLimit: 5_000, environment: { MODEL_KEY: key }, ...options });

const ask = (model: string, options: Partial<HttpAgentOptions> = {}, more: Partial<AgentTurn> = {}) => agentOf(model, options).next({ ...turn, ...more });

const refusalOf = async (act: () => unknown): Promise<RuleprintError> => {
  try {
    await act();
  } catch (error) {
    if (error instanceof RuleprintError) return error;
    throw error;
  }
  throw new Error('expected a refusal');
};

const a = { name: 'read_file', raw: '{"path":"/a"}', parsed: 'ok', args: { path: '/a' } };
/** A call that a server left as text. */
const left = { ...a, id: '000000001', parsed: 'malformed' };
const b = { ...a, raw: '{"path":"/b"}', args: { path: '/b' } };

describe('a reply (AUR-7)', () => {
  it.each([
    ['plain', { text: 'done', calls: [], model: 'served-model', fingerprint: 'fp_1', finishReason: 'stop', usage: { promptTokens: 10, completionTokens: 5 } }],
    ['openai', { text: '', calls: [{ ...a, id: 'call_1' }] }],
    ['arguments-object', { calls: [{ ...a, id: 'call_1' }] }],
    ['arguments-empty', { calls: [{ ...a, id: 'call_1', raw: '', args: {} }] }],
    ['arguments-null', { calls: [{ ...a, id: 'call_1', raw: '', args: {} }] }],
    [
      'no-id',
      {
        calls: [
          { ...a, id: '000000001' },
          { ...a, id: '000000002' },
        ],
      },
    ],
    [
      'same-id',
      {
        calls: [
          { ...a, id: 'call_1' },
          { ...b, id: '000000002' },
        ],
      },
    ],
    [
      'same-index',
      {
        calls: [
          { ...a, id: 'call_1' },
          { ...b, id: 'call_2' },
        ],
      },
    ],
    ['no-type', { calls: [{ ...a, id: 'call_1' }] }],
    ['flat', { calls: [{ ...a, id: '000000001' }], finishReason: 'tool' }],
    ['stop-with-calls', { calls: [{ ...a, id: 'call_1' }], finishReason: 'stop' }],
    ['calls-without-calls', { text: 'nothing to do', calls: [] }],
    ['calls-null', { text: 'nothing to do', calls: [] }],
    ['function-call', { calls: [{ ...a, id: '000000001' }] }],
    ['reasoning', { text: 'done', reasoning: 'I think so' }],
    ['reasoning-short', { text: 'done', reasoning: 'I think so' }],
    ['parts', { text: 'done' }],
    ['refusal', { text: 'I will not', calls: [] }],
    ['json-answer', { text: '{"name": "Ada", "arguments": 3}', calls: [] }],
  ])('is read with the quirk %s', async (model, expected) => {
    const reply = await ask(model);
    expect(reply).toMatchObject(expected);
    expect(reply.failure).toBeUndefined();
    expect(reply.attempts).toBe(1);
  });

  it.each([
    ['cut-text', 'truncated', 'I was about to', []],
    ['cut-arguments', 'truncated', '', [{ id: 'call_1', name: 'read_file', raw: '{"path":"/a', parsed: 'truncated' }]],
    ['bad-arguments', 'malformed-args', '', [{ id: 'call_1', name: 'read_file', raw: "{path: '/a'}", parsed: 'malformed' }]],
    ['list-arguments', 'malformed-args', '', [{ id: 'call_1', name: 'read_file', raw: '["/a"]', parsed: 'malformed' }]],
    ['call-as-text', 'malformed-args', expect.stringContaining('<tool_call>'), [left]],
    ['call-as-json', 'malformed-args', expect.stringContaining('read_file'), [left]],
    ['call-as-marks', 'malformed-args', '<function=read_file>{"path": "/a"}</function>', []],
    [
      'calls-as-list',
      'malformed-args',
      expect.stringContaining('[TOOL_CALLS]'),
      [left, { ...left, id: '000000002', name: 'send_mail', raw: '{"to":"}"}', args: { to: '}' } }],
    ],
    ['parse-500', 'malformed-args', expect.stringContaining('SECRET'), []],
  ])('is kept, and named as failed, with the quirk %s', async (model, failure, text, calls) => {
    expect(await ask(model)).toEqual(expect.objectContaining({ failure, text, calls }));
  });

  it('has an identifier of its own for each call of a conversation', async () => {
    const first = await ask('no-id');
    const messages = [...turn.messages, { role: 'assistant' as const, reply: first }];
    const second = await ask('no-id', {}, { messages, index: 1 });
    expect([...first.calls, ...second.calls].map(({ id }) => id)).toEqual(['000000001', '000000002', '000000003', '000000004']);
  });

  it('is sent back with the results, in the one form that all servers take', async () => {
    const reply = await ask('arguments-empty');
    const messages: AgentTurn['messages'] = [
      ...turn.messages,
      { role: 'assistant', reply },
      { role: 'tool', callId: 'call_1', name: 'read_file', text: 'result', isError: false },
    ];
    await ask('plain', { temperature: 0, maxTokens: 100 }, { messages, index: 1 });
    const { body, url } = server.asked.at(-1) as Asked;
    expect(url).toBe('/v1/chat/completions');
    expect(body).toMatchObject({ model: 'plain', seed: 7, temperature: 0, max_tokens: 100, stream: false, tool_choice: 'auto' });
    expect(body.messages).toEqual([
      { role: 'system', content: 's' },
      { role: 'user', content: 'u' },
      // not null, which there are servers that answer with an error of theirs
      { role: 'assistant', content: '', tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'result' },
    ]);
    expect((body['tools'] as unknown[])[0]).toEqual({
      type: 'function',
      function: { name: 'read_file', description: 'reads', parameters: someTools[0]?.schema },
    });
  });

  it.each(['no-choices', 'no-json', 'no-utf8', 'endless'])('is refused with the quirk %s, without a word of it in the message', async (model) => {
    const error = await refusalOf(() => ask(model));
    expect(error.code).toBe('agent-reply');
    expect(JSON.stringify([error.message, error.problems, String(error.cause)])).not.toContain('SECRET');
  });
});

describe('retries (AUR-8)', () => {
  it.each(['busy-once', 'broken-once'])('are made with the quirk %s, and counted', async (model) => {
    expect(await ask(model)).toMatchObject({ text: 'done', attempts: 2 });
  });

  it.each([
    ['busy-always', 'agent-http', 3],
    ['broken-always', 'agent-transport', 3],
    ['broken-half', 'agent-transport', 3],
    ['other-500', 'agent-http', 1],
    ['not-found', 'agent-http', 1],
    ['redirect', 'agent-http', 1],
    ['no-choices', 'agent-reply', 1],
  ])('end, or are not made, with the quirk %s', async (model, code, tries) => {
    const before = server.asked.length;
    const error = await refusalOf(() => ask(model));
    expect(error.code).toBe(code);
    expect(server.asked.length - before).toBe(tries);
    expect(JSON.stringify([error.message, error.problems])).not.toContain('SECRET');
  });

  it('are none where there are to be none', async () => {
    const before = server.asked.length;
    expect((await refusalOf(() => ask('broken-always', { retries: 0 }))).code).toBe('agent-transport');
    expect(server.asked.length - before).toBe(1);
  });
});

describe('the time limit (AUR-9)', () => {
  it.each(['silent', 'slow'])('ends a request with the quirk %s, which is not tried again', async (model) => {
    const before = server.asked.length;
    expect((await refusalOf(() => ask(model, { timeLimit: 400 }))).code).toBe('agent-timeout');
    expect(server.asked.length - before).toBe(1);
  });

  it('is that of the epoch too, in a request and between two', async () => {
    expect((await refusalOf(() => ask('silent', {}, { signal: AbortSignal.timeout(60) }))).code).toBe('agent-timeout');
    expect((await refusalOf(() => ask('broken-always', { retryDelay: 10_000 }, { signal: AbortSignal.timeout(60) }))).code).toBe('agent-timeout');
    expect((await refusalOf(() => ask('plain', {}, { signal: AbortSignal.abort() }))).code).toBe('agent-timeout');
  });
});

describe('an address (AUR-5)', () => {
  const make = (base: string, options: Partial<HttpAgentOptions> = {}) => httpAgent({ base, model: 'm', ...options });

  it.each(['http://127.0.0.1:1/v1', 'http://127.9.9.9', 'http://localhost:11434/v1/', 'http://[::1]:8080', 'https://127.1/v1', 'http://2130706433/'])(
    'of this machine is taken: %s',
    (base) => {
      expect(() => make(base)).not.toThrow();
    },
  );

  it.each([
    'http://192.168.0.2/v1',
    'https://api.example.com/v1',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://0.0.0.0:1',
    'http://[::ffff:127.0.0.1]',
    'http://169.254.169.254/',
  ])('elsewhere is refused unless it is allowed: %s', async (base) => {
    expect((await refusalOf(() => make(base))).code).toBe('agent-address');
    expect(() => make(base, { allowOutside: true })).not.toThrow();
  });

  it.each(['ftp://127.0.0.1/', 'file:///etc/passwd', 'not a url', 'http://user:hunter2@127.0.0.1/'])('is refused that is none: %s', async (base) => {
    const error = await refusalOf(() => make(base, { allowOutside: true }));
    expect(error.code).toBe('agent-address');
    expect(JSON.stringify(error.problems)).not.toContain('hunter2');
  });

  it('localhost asks no resolver', async () => {
    const base = server.base.replace('127.0.0.1', 'localhost');
    expect(await ask('plain', { base })).toMatchObject({ text: 'done' });
  });
});

describe('a key (AUR-6)', () => {
  it('is read from the environment by name, sent, and taken out of what comes back', async () => {
    const reply = await ask('echo', { keyVariable: 'MODEL_KEY' });
    expect(server.asked.at(-1)?.headers['authorization']).toBe(`Bearer ${key}`);
    expect(reply.text).toBe('you said Bearer [key]');
  });

  it('is not sent where none is named', async () => {
    await ask('plain');
    expect(server.asked.at(-1)?.headers['authorization']).toBeUndefined();
  });

  it.each([undefined, '', '   ', 'short', 'with space inside', 'line\nbreak-in-it', 'ключ-из-букв'])(
    'that is none is refused, and not shown: %j',
    async (value) => {
      const error = await refusalOf(() => agentOf('plain', { keyVariable: 'MODEL_KEY', environment: { MODEL_KEY: value } }));
      expect(error.code).toBe('agent-key');
      expect(error.message).toContain('MODEL_KEY');
      if (value !== undefined && value.trim() !== '') expect(JSON.stringify([error.message, error.problems])).not.toContain(value.trim());
    },
  );

  it('is in no refusal', async () => {
    for (const model of Object.keys(quirks).filter((name) => /^(busy-always|broken-always|other-500|not-found|no-json|silent)$/.test(name))) {
      const error = await refusalOf(() => ask(model, { keyVariable: 'MODEL_KEY', timeLimit: 60 }));
      expect(JSON.stringify([error.message, error.problems, error.stack, String(error.cause)])).not.toContain(key);
    }
  });
});

it('options that are none are misuse', () => {
  expect(() => httpAgent({ base: 'http://127.0.0.1', model: '' })).toThrow(TypeError);
  expect(() => httpAgent({ base: 'http://127.0.0.1', model: 'm', retries: -1 })).toThrow(RangeError);
  expect(() => httpAgent({ base: 'http://127.0.0.1', model: 'm', timeLimit: 0 })).toThrow(RangeError);
});
