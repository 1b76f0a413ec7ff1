/**
 * An MCP client as others write one, by the SDK: starts a server as a client's configuration says, or reaches it, calls tools, and prints the results.
 *
 *   node client.mjs '{ "command", "args" } or { "url" }' '[{ "name", "arguments" }, ...]'
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [{ command, args, url }, calls] = process.argv.slice(2).map((text) => JSON.parse(text));
const client = new Client({ name: 'docs', version: '1.0.0' });
await client.connect(
  url === undefined ? new StdioClientTransport({ command, args, env: process.env, stderr: 'ignore' }) : new StreamableHTTPClientTransport(new URL(url)),
);
const results = [];
for (const call of calls) results.push(await client.callTool(call));
await client.close();
process.stdout.write(JSON.stringify(results));
