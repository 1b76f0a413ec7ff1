/**
 * Whatever passes the gate as it came is no call to any reader that we can think of, however lax: one that takes the first of two keys, minds no case,
 * folds letters, splits lines at other characters, or looks into batches.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTree, type Node } from 'jsonc-parser';
import { judgeMessage, messageOf } from '../../../src/gate/mcp/message.js';

const isGated = (method: unknown): boolean =>
  typeof method === 'string' && /^[\W_\d]*(?:tools[\W_\d]*call|resources[\W_\d]*read)[\W_\d]*$/i.test(method.normalize('NFKC'));

/** Members as they stand, also those that stand twice. */
function membersOf(node: Node): { key: string; value: Node }[] {
  return (node.children ?? []).flatMap(({ children: [key, value] = [] }) => (key && value ? [{ key: String(key.value), value }] : []));
}

/** Whether some reader of this text, as one message, sees a call in it. */
function holdsCall(text: string): boolean {
  const node = parseTree(text, [], { allowTrailingComma: true });
  const look = (at: Node | undefined): boolean => {
    if (at?.type === 'array') return (at.children ?? []).some(look);
    if (at?.type !== 'object') return false;
    return membersOf(at).some(({ key, value }) => key.normalize('NFKC').trim().toLowerCase() === 'method' && isGated(value.value));
  };
  return look(node);
}

/** The same for readers that end lines where no line feed is. */
const lineEnds = ['\r', '\r\n\u2028\u2029\x85\v\f\x1c\x1d\x1e', '\0'];
const split = (text: string, ends: string): string[] => [...ends].reduce((parts, end) => parts.flatMap((part) => part.split(end)), [text]);
const anyReader = (text: string): boolean => [text, ...lineEnds.flatMap((ends) => split(text, ends))].some(holdsCall);

const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":{"path":"/etc/a"}}}';
const pieces = [
  call,
  '"method":"tools/call"',
  '"method":"ping"',
  '"METHOD":"tools/call"',
  '"m\\u0065thod":"tools/call"',
  '"method":"Tools/Call"',
  '"method":"resources/read"',
  '"jsonrpc":"2.0"',
  '"id":1',
  '"id":"a"',
  '"params":',
  '"result":{}',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\"',
  '\r',
  '\t',
  ' ',
  '\u2028',
  '\x85',
  '\0',
  '\ufeff',
  '//',
  'null',
];

/** Messages put together from pieces, whole messages with something put in, and good ones with members added. */
const lines = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join('')),
  fc.tuple(fc.nat(call.length), fc.constantFrom(...pieces), fc.nat(4)).map(([at, piece, cut]) => call.slice(0, at) + piece + call.slice(at + cut)),
  fc
    .tuple(
      fc.shuffledSubarray(['"jsonrpc":"2.0"', '"id":1', '"method":"ping"', '"params":{}', ...pieces.slice(1, 12)]),
      fc.constantFrom('', '\r', ' ', '\u2028'),
    )
    .map(([members, space]) => `{${members.map((member) => (member.endsWith(':') ? `${member}${space}${call}${space}` : member)).join(`,${space}`)}}`),
  fc
    .tuple(fc.constantFrom('"ping"', '"x"'), fc.constantFrom(...pieces))
    .map(([method, piece]) => `{"jsonrpc":"2.0","id":2,"method":${method},"params":{"a":${piece}}}`),
);

describe('what passes as it came', () => {
  it('holds a call to no reader, however lax (MCP-2, MCP-3, MCP-4)', () => {
    let passed = 0;
    fc.assert(
      fc.property(lines, (line) => {
        const judged = judgeMessage(new TextEncoder().encode(line));
        if (judged.kind !== 'pass') return;
        passed++;
        expect(anyReader(line)).toBe(false);
      }),
      { numRuns: 20_000, seed: 20_261_130 },
    );
    expect(passed).toBeGreaterThan(100);
  });

  it('is one call to every reader where it is one to the gate, once it is written again (MCP-6)', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), fc.oneof(fc.integer(), fc.string()), (value, tool, id) => {
        const text = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, arguments: { value } } });
        const judged = judgeMessage(new TextEncoder().encode(text));
        if (judged.kind !== 'call' || judged.call.losesNumbers) return;
        const sent = messageOf(judged.call, judged.call.params);
        expect(JSON.parse(sent)).toEqual(JSON.parse(text));
        expect(JSON.parse(sent).params).toEqual({ name: judged.call.tool, arguments: judged.call.args });
        expect(sent).not.toMatch(/[\r\n]/);
      }),
      { numRuns: 2_000, seed: 20_261_130 },
    );
  });

  it('is found by these readers where it leaks, or they would prove nothing', () => {
    for (const leak of [
      call,
      `[${call}]`,
      `{"a":\r${call}\r}`,
      call.replace('method', 'METHOD'),
      call.replace('}', ',"method":"x"}'),
      call.replace('tools/call', 'TOOLS/call '),
    ]) {
      expect(anyReader(leak)).toBe(true);
    }
    expect(anyReader('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"method":"tools/call"}}')).toBe(false);
  });
});
