import { describe, expect, it } from 'vitest';
import { argumentsOf, readMessages, readReply, readTools } from '../../src/audit/openai.js';
import { goalReached } from '../../src/audit/signals/calls.js';

const tools = [{ name: 'read_file' }, { name: 'send_email' }];
const reply = (message: unknown, finish_reason = 'stop'): ReturnType<typeof readReply> => readReply({ choices: [{ message, finish_reason }] }, 2, tools);
const wireCall = (fields: object): object => ({ id: 'call_1', type: 'function', ...fields });

describe('readReply', () => {
  it('reads text, thoughts, model and tokens', () => {
    const body = {
      choices: [{ message: { role: 'assistant', content: 'Hello.', reasoning_content: 'hm' }, finish_reason: 'stop' }],
      model: 'm-1',
      system_fingerprint: 'fp',
      usage: { prompt_tokens: 7, completion_tokens: 2 },
    };
    expect(readReply(body, 0, tools)).toEqual({
      message: { role: 'assistant', text: 'Hello.', reasoning: 'hm', calls: [] },
      model: 'm-1',
      fingerprint: 'fp',
      finishReason: 'stop',
      tokens: { prompt: 7, completion: 2 },
    });
  });

  it.each([
    ['text', '{"path":"/a"}', { path: '/a' }, 'ok'],
    ['an object', { path: '/a' }, { path: '/a' }, 'ok'],
    ['an empty text', '', {}, 'ok'],
    ['null', null, {}, 'ok'],
    ['nothing', undefined, {}, 'ok'],
    ['broken JSON', '{"path":', undefined, 'malformed'],
    ['a list', '[1]', undefined, 'malformed'],
    ['a number', 7, undefined, 'malformed'],
    ['nesting without end', `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`, undefined, 'malformed'],
  ])('takes arguments that are %s', (_, given, args, parsed) => {
    const [one] = reply({ content: null, tool_calls: [wireCall({ function: { name: 'read_file', arguments: given } })] }, 'tool_calls').message.calls;
    expect([one?.name, one?.args, one?.parsed]).toEqual(['read_file', args, parsed]);
  });

  it.each([
    ['with the function flat', [{ id: 'a', name: 'read_file', arguments: '{}' }], 'tool'],
    ['without id and type', [{ function: { name: 'read_file', arguments: '{}' } }], 'tool_calls'],
    ['that ends with stop', [wireCall({ function: { name: 'read_file', arguments: '{}' } })], 'stop'],
  ])('tells calls by the calls, also %s', (_, tool_calls, finish) => {
    const { message, failure } = reply({ content: '', tool_calls }, finish);
    expect([message.calls.map(({ name }) => name), failure]).toEqual([['read_file'], undefined]);
  });

  it('makes ids of nine digits where they are missing or stand twice, each once', () => {
    const one = { function: { name: 'read_file', arguments: '{}' } };
    const { calls } = reply({ tool_calls: [one, { ...one, id: 'x' }, { ...one, id: 'x' }, { ...one, id: '' }] }).message;
    expect(calls.map(({ id }) => id)).toEqual(['000002001', 'x', '000002003', '000002004']);
  });

  it('takes the older function_call, and content in parts', () => {
    const { message } = reply({ content: [{ type: 'text', text: 'a' }, { text: 'b' }, {}, 'c'], function_call: { name: 'read_file', arguments: '{}' } });
    expect([message.text, message.calls.length]).toEqual(['abc', 1]);
  });

  it.each([
    ['a reply that was cut', { content: 'abc' }, 'length', 'truncated'],
    ['a call that was cut', { tool_calls: [wireCall({ function: { name: 'read_file', arguments: '{"pa' } })] }, 'length', 'truncated'],
    ['arguments that do not parse', { tool_calls: [wireCall({ function: { name: 'read_file', arguments: '{"pa' } })] }, 'tool_calls', 'malformed-args'],
    ['nothing said', { content: ' ' }, 'stop', 'empty-output'],
    ['no message', undefined, 'stop', 'empty-output'],
  ])('names %s', (_, message, finish, failure) => {
    expect(reply(message, finish).failure).toBe(failure);
  });

  it.each([
    null,
    7,
    {},
    { choices: [] },
    { choices: [null] },
    { choices: [{ message: 'x' }] },
    { error: { message: 'no' } },
    { choices: [{ message: { tool_calls: [null, 7] } }] },
  ])('takes %j for an empty reply and never throws', (body) => {
    expect(readReply(body, 0, tools)).toMatchObject({ failure: 'empty-output', message: { text: '', calls: [] } });
  });

  it.each([
    '<tool_call>{"name": "send_email", "arguments": {"to": "a@evil.example"}}</tool_call>',
    '[TOOL_CALLS][{"name": "send_email", "arguments": {"to": "a@evil.example"}}]',
    '{"name": "send_email", "parameters": {"to": "a@evil.example"}}',
    '```json\n{"name": "send_email", "arguments": "{\\"to\\": \\"a@evil.example\\"}"}\n```',
    '<|python_tag|>{"type": "function", "function": "send_email", "parameters": {"to": "a@evil.example"}}',
  ])('judges a call that a server left in the text, and counts it as malformed: %s', (content) => {
    const { message, failure } = reply({ content });
    expect(failure).toBe('malformed-args');
    const goals = [{ tool: 'send_email', where: [{ pointer: '/to', equals: 'a@evil.example' }] }];
    expect(goalReached({ tools, messages: [message], ending: 'done' }, goals)).toHaveLength(1);
  });

  it.each(['Use {"name": "x"} as input.', '{"name": "Ann", "arguments": {}}', 'I would call send_email({"to": "a"}).'])('leaves %j as text', (content) => {
    expect(reply({ content })).toMatchObject({ message: { text: content, calls: [] } });
    expect(reply({ content }).failure).toBeUndefined();
  });
});

describe('recorded messages and tools', () => {
  it('are read in every spelling', () => {
    const wire = [
      { role: 'developer', content: 'be good' },
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: null, tool_calls: [wireCall({ function: { name: 'a', arguments: '{}' } })] },
      { role: 'function', content: 'r' },
      { role: 'tool', content: 's' },
      'x',
    ];
    expect(readMessages(wire).map(({ role, text, calls }) => [role, text, calls?.length])).toEqual([
      ['system', 'be good', undefined],
      ['user', 'hi', undefined],
      ['assistant', '', 1],
      ['tool', 'r', undefined],
      ['tool', 's', undefined],
    ]);
    expect(
      readTools([
        { type: 'function', function: { name: 'a', parameters: { properties: { x: {} } } } },
        { name: 'b', description: 'd', inputSchema: { type: 'object' } },
        {},
      ]),
    ).toEqual([
      { name: 'a', parameters: ['x'] },
      { name: 'b', description: 'd' },
    ]);
  });

  it('keep arguments as they were written', () => {
    expect(argumentsOf('{ "a" : 1 }')).toEqual({ args: { a: 1 }, raw: '{ "a" : 1 }', parsed: 'ok' });
  });
});
