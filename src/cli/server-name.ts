/**
 * The name of an MCP server where nobody gives one.
 * @module
 */
import { basename } from 'node:path';

/** By the first word that names a server: `@modelcontextprotocol/server-filesystem` and `mcp-server-filesystem` are `filesystem`; else by the program. */
export function serverNameOf(command: readonly string[]): string {
  for (const word of command) {
    const [, name] = /^(?:.*\/)?(?:mcp-)?server-([a-z0-9][a-z0-9-]*)(?:@[^/]*)?(?:\/(?:dist|build|lib)\/index\.[cm]?js)?$/i.exec(word) ?? [];
    if (name !== undefined) return name.toLowerCase();
  }
  return basename(command[0] ?? '') || 'server';
}
