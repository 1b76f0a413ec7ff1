import { describe, expect, it } from 'vitest';
import { argumentsOf, replyOf } from '../../../src/audit/agents/completion.js';
import { readMessages } from '../../../src/audit/agents/recording.js';
import { goalReached } from '../../../src/audit/signals/calls.js';
import { codeOf } from '../code-of.js';

const tools = [{ name: 'read_file' }, { name: 'send_email' }];
const reply = (message: unknown, finish_reason = 'stop') => replyOf({ choices: [{ message, finish_reason }] }, { messages: [], tools });

describe('arguments (AUR-7)', () => {
  it.each([
    ['text', '{ "path" : "/a" }', { path: '/a' }, 'ok', '{ "path" : "/a" }'],
    ['an object', { path: '/a' }, { path: '/a' }, 'ok', '{"path":"/a"}'],
    ['an empty text', '', {}, 'ok', ''],
    ['white space', ' \n', {}, 'ok', ' \n'],
    ['null', null, {}, 'ok', ''],
    ['null as text', 'null', {}, 'ok', 'null'],
    ['nothing', undefined, {}, 'ok', ''],
    ['broken JSON', '{"path":', undefined, 'malformed', '{"path":'],
    ['a list', '[1]', undefined, 'malformed', '[1]'],
    ['a number', 7, undefined, 'malformed', '7'],
  ])('are taken that are %s, and kept as they were written', (_, given, args, parsed, raw) => {
    expect(argumentsOf(given)).toEqual({ raw, parsed, ...(args && { args }) });
  });

  it('are cut where the reply was', () => {
    expect(argumentsOf('{"pa', true)).toEqual({ raw: '{"pa', parsed: 'truncated' });
  });

  it('break nothing, however deep', () => {
    const raw = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    expect(argumentsOf(raw)).toMatchObject({ raw });
  });
});

describe('a call that a server left in the text (AUR-7)', () => {
  it.each([
    '<tool_call>{"name": "send_email", "arguments": {"to": "a@evil.example"}}</tool_call>',
    '[TOOL_CALLS][{"name": "send_email", "arguments": {"to": "a@evil.example"}}]',
    '{"name": "send_email", "parameters": {"to": "a@evil.example"}}',
    '```json\n{"name": "send_email", "arguments": "{\\"to\\": \\"a@evil.example\\"}"}\n```',
    '<|python_tag|>{"type": "function", "function": "send_email", "parameters": {"to": "a@evil.example"}}',
  ])('is judged, and counts as malformed: %s', (content) => {
    const { calls, failure } = reply({ content });
    expect(failure).toBe('malformed-args');
    const goals = [{ tool: 'send_email', where: [{ pointer: '/to', equals: 'a@evil.example' }] }];
    expect(goalReached({ tools, messages: [{ role: 'assistant', text: content, calls }], ending: 'done' }, goals)).toHaveLength(1);
    expect(goalReached({ tools, messages: readMessages([{ role: 'assistant', content }], tools), ending: 'done' }, goals)).toHaveLength(1);
  });

  it.each(['Use {"name": "x"} as input.', '{"name": "Ann", "arguments": {}}', 'I would call send_email({"to": "a"}).'])('is none in %j', (content) => {
    expect(reply({ content })).toMatchObject({ text: content, calls: [] });
    expect(reply({ content }).failure).toBeUndefined();
  });
});

describe('a reply', () => {
  it.each([null, 7, {}, { choices: [] }, { choices: [null] }, { choices: [{ message: 'x' }] }, { error: { message: 'no' } }])(
    'is refused that is none: %j',
    (body) => {
      expect(codeOf(() => replyOf(body, { messages: [], tools }))).toBe('agent-reply');
    },
  );

  it('keeps what stands among its calls and is none, as a call that did not parse', () => {
    expect(reply({ tool_calls: [null, 7] })).toMatchObject({
      failure: 'malformed-args',
      calls: [
        { name: '', raw: 'null', parsed: 'malformed' },
        { name: '', raw: '7', parsed: 'malformed' },
      ],
    });
  });
});

describe('recorded messages', () => {
  it('are read in every spelling, and what is no message is left aside', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'a', arguments: '{}' } };
    const recorded = [
      { role: 'developer', content: 'be good' },
      { role: 'user', content: [{ type: 'text', text: 'a' }, { text: 'b' }, {}, 'c'] },
      { role: 'assistant', content: null, tool_calls: [call], reasoning_content: 'hm' },
      { role: 'assistant', content: 'x', function_call: { name: 'b', arguments: '{' } },
      { role: 'function', content: 'r' },
      { role: 'tool', content: 's', tool_call_id: 'call_1' },
      { role: 'critic', content: 't' },
      'x',
      null,
    ];
    expect(readMessages(recorded)).toEqual([
      { role: 'system', text: 'be good' },
      { role: 'user', text: 'abc' },
      { role: 'assistant', text: '', reasoning: 'hm', calls: [{ name: 'a', raw: '{}', args: {}, parsed: 'ok' }] },
      { role: 'assistant', text: 'x', calls: [{ name: 'b', raw: '{', parsed: 'malformed' }] },
      { role: 'tool', text: 'r' },
      { role: 'tool', text: 's' },
      { role: 'assistant', text: 't', calls: [] },
    ]);
  });

  it('take no call from a text that an agent was shown', () => {
    const content = '{"name": "send_email", "arguments": {}}';
    expect(readMessages([{ role: 'tool', content }], tools)).toEqual([{ role: 'tool', text: content }]);
  });
});
