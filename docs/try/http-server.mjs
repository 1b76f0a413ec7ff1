/** An MCP server over streamable HTTP with three notes in it, to try a gate before it. It has no sessions. */
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const notes = new Map([
  ['plan', 'ship it'],
  ['todo', 'buy milk'],
  ['diary', 'dear diary'],
]);
const text = (words) => ({ content: [{ type: 'text', text: words }] });
const inputSchema = { name: z.string() };

function newServer() {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  server.registerTool('read_note', { inputSchema }, ({ name }) => text(notes.get(name) ?? 'no such note'));
  server.registerTool('delete_note', { inputSchema }, ({ name }) => text(notes.delete(name) ? 'deleted' : 'no such note'));
  return server;
}

const port = Number(process.argv[2] ?? 3000);
createServer(async (request, response) => {
  const server = newServer();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  response.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response);
}).listen(port, '127.0.0.1', () => console.log(`notes at http://127.0.0.1:${port}/mcp`));
