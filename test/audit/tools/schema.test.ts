import { describe, expect, it } from 'vitest';
import { offeredOf, readTools } from '../../../src/audit/tools/schema.js';
import { RuleprintError } from '../../../src/errors.js';

const codeOf = (act: () => unknown): string => {
  try {
    act();
    return 'no error';
  } catch (error) {
    return error instanceof RuleprintError ? error.code : String(error);
  }
};

const parameters = { type: 'object', properties: { path: { type: 'string' } } };

describe('readTools (AUR-1)', () => {
  it.each([
    ['tools/list of MCP', { tools: [{ name: 'read', title: 'Read', description: 'd', inputSchema: parameters, outputSchema: { type: 'object' } }] }],
    ['its JSON-RPC answer', { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'read', description: 'd', inputSchema: parameters }] } }],
    ['chat completions', [{ type: 'function', function: { name: 'read', description: 'd', parameters, strict: true } }]],
    ['an object with them', { tools: [{ type: 'function', function: { name: 'read', description: 'd', parameters } }] }],
    ['responses', [{ type: 'function', name: 'read', description: 'd', parameters }]],
  ])('reads the tools of %s', (_, source) => {
    expect(readTools(source)).toEqual([{ name: 'read', description: 'd', parameters: ['path'], schema: parameters }]);
  });

  it('takes from annotations what changes something and what leaves, and lets marks say otherwise', () => {
    const source = { tools: [{ name: 'a', inputSchema: parameters, annotations: { readOnlyHint: true, openWorldHint: true } }, { name: 'b' }] };
    const tools = readTools(source, { b: { isMutating: true } });
    expect(offeredOf(tools)).toEqual([
      { name: 'a', isMutating: false, isEgress: true, parameters: ['path'] },
      { name: 'b', isMutating: true, parameters: [] },
    ]);
  });

  it.each([
    ['no list', {}, 'tool-schema'],
    ['text', 'tools', 'tool-schema'],
    ['an item that is no object', ['read'], 'tool-schema'],
    ['a function that is no object', [{ type: 'function', function: 'read' }], 'tool-schema'],
    ['no name', [{ inputSchema: parameters }], 'tool-schema'],
    ['an empty name', [{ name: '' }], 'empty-text'],
    ['a name with a direction character', [{ name: 'a\u202eb' }], 'control-character'],
    ['a description that is no text', [{ name: 'a', description: 1 }], 'tool-schema'],
    ['arguments that are no object', [{ name: 'a', parameters: { type: 'string' } }], 'tool-schema'],
    ['a schema that is a list', [{ name: 'a', inputSchema: [] }], 'tool-schema'],
    ['a name twice', [{ name: 'a' }, { name: 'a' }], 'duplicate-name'],
    ['one page of several', { tools: [{ name: 'a' }], nextCursor: 'x' }, 'tool-schema'],
    ['more tools than the limit', Array.from({ length: 1_001 }, (_, i) => ({ name: `t${i}` })), 'limit'],
    ['a key that changes the prototype', JSON.parse('[{"name":"a","inputSchema":{"__proto__":{}}}]'), 'forbidden-key'],
    ['an accessor', [Object.defineProperty({}, 'name', { enumerable: true, get: () => 'a' })], 'not-plain-data'],
  ])('refuses %s', (_, source, code) => {
    expect(codeOf(() => readTools(source))).toBe(code);
  });

  it('refuses marks of a tool that is not there, because a mark with a misspelt name marks nothing', () => {
    expect(codeOf(() => readTools([{ name: 'a' }], { b: { isEgress: true } }))).toBe('tool-schema');
  });
});
