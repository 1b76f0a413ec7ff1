import { describe, expect, it } from 'vitest';
import { withResources } from '../../../src/gate/mcp/resources.js';
import { mapper } from '../kit.js';

const resources = withResources(mapper, { realpath: (path) => path.replace('/srv/link', '/srv/real') });
const actionsOf = (uri: unknown): readonly unknown[] => resources.map({ server: 'files', tool: 'resources/read', args: { uri } });
const tool = { tool: { server: 'files', name: 'resources/read' } };
const file = (path: string) => ({ filesystem: { path, method: 'read' } });

describe('reading a resource', () => {
  it.each([
    ['file:///srv/a', [file('/srv/a')]],
    ['FILE:///srv/a', [file('/srv/a')]],
    ['file:/srv/a', [file('/srv/a')]],
    ['file://localhost/srv/a', [file('/srv/a')]],
    ['file:///srv/a%20b', [file('/srv/a%20b'), file('/srv/a b')]],
    ['file:///srv/link/a', [file('/srv/link/a'), file('/srv/real/a')]],
    ['http://example.com/a', [{ network: { host: 'example.com', port: 80, method: 'GET' } }]],
    ['HTTPS://example.com:8443', [{ network: { host: 'example.com', port: 8443, method: 'GET' } }]],
    ['https://127.1/', [{ network: { host: '127.0.0.1', port: 443, method: 'GET' } }]],
    ['demo://resource/1', []],
    ['data:text/plain,file:///etc/passwd', []],
    ['notes', []],
  ])('%s is what a server would do for it (MCP-7)', (uri, derived) => {
    expect(actionsOf(uri)).toEqual([tool, ...derived]);
  });

  it.each([
    'file://example.com/srv/a',
    'file:srv/a',
    'file:////srv/a',
    'file:///srv/../etc/a',
    'file:///srv/%2e%2e/etc/a',
    'file:///srv%2f..%2fetc',
    'file:///srv/a%00',
    'file:///srv/a?b',
    'file:///srv/a#b',
    'file:///srv/%ff',
    ' file:///etc/passwd',
    'fi\tle:///etc/passwd',
    'file:\\\\etc\\passwd',
    'http://user@example.com/',
    'http:example.com',
    'https://exämple.com/',
  ])('%j is refused, because servers would not agree on what it is (MCP-7)', (uri) => {
    expect(() => actionsOf(uri)).toThrow(expect.objectContaining({ name: 'RuleprintError' }));
  });

  it('changes no call of a tool, and not the digest', () => {
    const call = { server: 'files', tool: 'read', args: { path: '/srv/a', uri: 'file:///b' } };
    expect(resources.map(call)).toEqual(mapper.map(call));
    expect(resources.digest).toBe(mapper.digest);
  });
});
