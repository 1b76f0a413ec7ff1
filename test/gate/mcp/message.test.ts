import { describe, expect, it } from 'vitest';
import { type Line, LineSplitter } from '../../../src/gate/mcp/lines.js';
import { numbersSurvive, outerKeys } from '../../../src/gate/mcp/json-text.js';
import { judgeMessage, messageOf } from '../../../src/gate/mcp/message.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const judge = (text: string | object) => judgeMessage(bytes(typeof text === 'string' ? text : JSON.stringify(text)));
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'write_file', arguments: { path: '/a' } } };
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

describe('lines', () => {
  const split = (chunks: readonly string[], max?: number): string[] => {
    const splitter = new LineSplitter(max);
    const show = (line: Line): string => ('bytes' in line ? new TextDecoder().decode(line.bytes) : `too long: ${line.tooLong}`);
    return chunks.flatMap((chunk) => splitter.push(bytes(chunk)).map(show));
  };

  it('are the same however they are cut into chunks (MCP-1)', () => {
    const text = 'one\ntwo\r\n\nthree\nrest';
    for (let at = 0; at <= text.length; at++) expect(split([text.slice(0, at), text.slice(at)])).toEqual(['one', 'two\r', '', 'three']);
    expect(split([...text])).toEqual(['one', 'two\r', '', 'three']);
  });

  it('are refused whole over the limit, and none of their bytes begins another line (MCP-1)', () => {
    expect(split(['12345\n123456\n1\n'], 5)).toEqual(['12345', 'too long: 6', '1']);
    expect(split(['123', '456', '789', '\n', 'a\n'], 5)).toEqual(['too long: 9', 'a']);
  });
});

describe('a call', () => {
  it('is a call with its tool and arguments, and goes on written from them (MCP-6)', () => {
    const judged = judge(call);
    expect(judged).toMatchObject({
      kind: 'call',
      call: { id: 1, tool: 'write_file', args: { path: '/a' }, isTask: false, isStateless: false, losesNumbers: false },
    });
    if (judged.kind !== 'call') return;
    expect(messageOf(judged.call, judged.call.params)).toBe(JSON.stringify(call));
  });

  it('is found under a key that is written with escapes', () => {
    expect(judge(JSON.stringify(call).replace('"method"', '"\\u006dethod"')).kind).toBe('call');
    expect(judge(JSON.stringify(call).replace('tools/call', 'tools\\/c\\u0061ll')).kind).toBe('call');
  });

  it('goes on with the last of two keys, which is the one that was judged (MCP-6)', () => {
    const judged = judge('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","name":"write","arguments":{"path":"/a","path":"/b"}}}');
    expect(judged).toMatchObject({ kind: 'call', call: { tool: 'write', args: { path: '/b' } } });
    if (judged.kind === 'call') expect(messageOf(judged.call, judged.call.params)).not.toContain('read');
  });

  it.each([
    ['no id at all', { jsonrpc: '2.0', method: 'tools/call', params: call.params }],
    ['no id, for a resource', { jsonrpc: '2.0', method: 'resources/read', params: { uri: 'file:///a' } }],
  ])('with %s is dropped, because a lax server would obey it (MCP-5)', (_, message) => {
    expect(judge(message)).toMatchObject({ kind: 'drop', why: expect.stringContaining('without an id') });
  });

  it.each([
    ['id', { ...call, id: null }, -32_600],
    ['id', { ...call, id: {} }, -32_600],
    ['id', { ...call, id: [1] }, -32_600],
    ['id', { ...call, id: true }, -32_600],
    ['id', { ...call, id: 1.5 }, -32_600],
    ['id', { ...call, id: 2 ** 53 }, -32_600],
    ['params', { ...call, params: [] }, -32_602],
    ['params', { ...call, params: undefined }, -32_602],
    ['name', { ...call, params: { name: 1 } }, -32_602],
    ['arguments', { ...call, params: { name: 'a', arguments: null } }, -32_602],
    ['arguments', { ...call, params: { name: 'a', arguments: ['/a'] } }, -32_602],
    ['arguments', { ...call, params: { name: 'a', arguments: '{"path":"/a"}' } }, -32_602],
    ['_meta', { ...call, params: { name: 'a', _meta: 1 } }, -32_602],
    ['uri', { ...call, method: 'resources/read', params: { uri: 1 } }, -32_602],
  ])('is refused with another %s than one of its type (MCP-5) [%#]', (_, message, code) => {
    expect(judge(message)).toMatchObject({ kind: 'refuse', code });
  });

  it.each(['Name', 'NAME', 'argument\u017f', 'Arguments', 'ta\u017fk', 'extra', '__proto__'])(
    'is refused with the parameter %s, which some server may take for another (MCP-5)',
    (key) => {
      const text = JSON.stringify(call).replace('"arguments"', `${JSON.stringify(key)}:{"path":"/b"},"arguments"`);
      expect(judge(text)).toMatchObject({ kind: 'refuse', code: -32_602, id: 1 });
    },
  );

  it('tells a task and a request of 2026 (MCP-8, MCP-9)', () => {
    expect(judge({ ...call, params: { ...call.params, task: { ttl: 1 } } })).toMatchObject({ call: { isTask: true } });
    expect(judge({ ...call, params: { ...call.params, _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } } })).toMatchObject({
      call: { isStateless: true },
    });
  });

  it.each(['9007199254740993', '9007199254740992', '-9007199254740993', '1e400', '1e16', '0.10000000000000000555', '1e-400', '123456789012345678901234567890'])(
    'with the number %s cannot be sent as it was judged (MCP-6)',
    (number) => {
      expect(judge(JSON.stringify(call).replace('"/a"', `[{"n":${number}}]`))).toMatchObject({ kind: 'call', call: { losesNumbers: true } });
    },
  );

  it.each(['0', '-0', '1.0', '1e2', '1E+2', '9007199254740991', '-1.50', '0.1', '1e-7', '5e-324', '0.000', '100e-2', '1.7976931348623157'])(
    'with the number %s can (MCP-6)',
    (number) => {
      expect(judge(JSON.stringify(call).replace('"/a"', number))).toMatchObject({ kind: 'call', call: { losesNumbers: false } });
    },
  );
});

describe('a line that leaks past no server', () => {
  const inside = JSON.stringify(call);
  it.each([
    ['a batch', `[${inside}]`, -32_600],
    ['a batch of a batch', `[[${inside}]]`, -32_600],
    ['a member in capitals beside a harmless method', inside.replace('"method":"tools/call"', '"METHOD":"tools/call","method":"tools/list"'), -32_600],
    ['a member that folds to one', inside.replace('"params"', '"param\u017f"'), -32_600],
    ['an unknown member', inside.replace('"id":1', '"id":1,"x":1'), -32_600],
    ['a method that stands twice, the harmless one last', inside.replace('"id":1', '"id":1').replace(/}$/, ',"method":"ping"}'), -32_600],
    ['a method that stands twice, once with escapes', inside.replace(/}$/, ',"m\\u0065thod":"ping"}'), -32_600],
    ['a call beside a result', inside.replace(/}$/, ',"result":{}}'), -32_600],
    ['another version of JSON-RPC', inside.replace('2.0', '1.0'), -32_600],
    ['no version', inside.replace('"jsonrpc":"2.0",', ''), -32_600],
    ['the method as a list', inside.replace('"tools/call"', '["tools/call"]'), -32_600],
    ['a message behind a carriage return', `{"jsonrpc":"2.0","id":2,"method":"ping","params":\r${inside}\r}`, -32_600],
    ['a byte order mark', `\ufeff${inside}`, -32_700],
    ['a comment', `/**/${inside}`, -32_700],
    ['two messages', `${inside}${inside}`, -32_700],
    ['half a message', inside.slice(0, -1), -32_700],
    ['a trailing comma', inside.replace(/}$/, ',}'), -32_700],
    ['single quotes', inside.replaceAll('"', "'"), -32_700],
    ['a text', JSON.stringify(inside), -32_600],
    ['null', 'null', -32_600],
    ['capitals', inside.replace('tools/call', 'TOOLS/CALL'), -32_601],
    ['a space', inside.replace('tools/call', 'tools/call '), -32_601],
    ['a NUL', inside.replace('tools/call', 'tools/call\\u0000'), -32_601],
    ['wide letters', inside.replace('tools/call', 'ｔｏｏｌｓ／ｃａｌｌ'), -32_601],
    ['a long s', inside.replace('tools/call', 'tool\u017f/call'), -32_601],
    ['two slashes', inside.replace('tools/call', 'tools//call'), -32_601],
    ['a dot', inside.replace('tools/call', 'tools.call'), -32_601],
    ['nothing between the words', inside.replace('tools/call', 'toolsCall'), -32_601],
    ['a slash in front', inside.replace('tools/call', '/tools/call'), -32_601],
    ['an answer without an id', '{"jsonrpc":"2.0","result":{}}', -32_600],
    ['neither a method nor an answer', '{"jsonrpc":"2.0","id":1,"params":{}}', -32_600],
  ])('%s (MCP-2, MCP-3, MCP-4)', (_, line, code) => {
    expect(judge(line)).toMatchObject({ kind: 'refuse', code });
  });

  it('bytes that are not UTF-8, an overlong spelling among them (MCP-2)', () => {
    for (const bad of [[0xff], [0xc1, 0xad], [0xed, 0xa0, 0x80]]) {
      expect(judgeMessage(Uint8Array.from([...bytes('{"jsonrpc":"2.0","id":1,"method":"'), ...bad, ...bytes('"}')]))).toMatchObject({
        kind: 'refuse',
        code: -32_700,
      });
    }
  });

  it('what nobody waits for is dropped without an answer', () => {
    expect(judge({ jsonrpc: '2.0', method: 'notifications/x', extra: 1 })).toMatchObject({ kind: 'drop' });
    expect(judge('  \t\r')).toMatchObject({ kind: 'drop', why: 'a blank line' });
  });
});

describe('what is not gated', () => {
  it.each([
    ['a request', ping],
    ['a request with an id that a double does not hold', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}'],
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }],
    ['an answer', { jsonrpc: '2.0', id: 'a', result: {} }],
    ['an error', { jsonrpc: '2.0', id: 1, error: { code: 1, message: '' } }],
    ['an error about what could not be read', { jsonrpc: '2.0', id: null, error: { code: -32_700, message: '' } }],
    ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { METHOD: 'tools/call', method: 'tools/call' } }],
    ['two equal keys further in', '{"jsonrpc":"2.0","id":1,"method":"a","params":{"a":1,"a":2}}'],
    ['a line separator in a text', { jsonrpc: '2.0', id: 1, method: 'a', params: { text: '\u2028\u2029\x85' } }],
    ['a carriage return at the end', `${JSON.stringify(ping)}\r`],
  ])('passes: %s (MCP-14)', (_, message) => {
    expect(judge(message)).toMatchObject({ kind: 'pass' });
  });
});

describe('how JSON is written', () => {
  it('is told by its outermost keys alone', () => {
    expect(outerKeys('{"a":{"b":[{"c":"\\\\"}],"d":"}\\""},"\\u0061":[1,{"e":2}],"f\\"":"x,y"}')).toEqual(['a', 'a', 'f"']);
    expect(outerKeys('{}')).toEqual([]);
  });

  it('is read without calling itself, and without more work than there is text', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect(outerKeys(`{"a":${deep}}`)).toEqual(['a']);
    const start = performance.now();
    expect(numbersSurvive(`{"a":"${'\\\\'.repeat(500_000)}","b":${'1'.repeat(1)}${'0'.repeat(300_000)}1}`)).toBe(false);
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
