/**
 * Headers on their way through the HTTP gate, and whom it answers at all (spec/mcp.md, MCP-19 to MCP-21).
 * @module
 */
import type { IncomingMessage } from 'node:http';

/** Headers of one connection, and what Node writes itself. */
const ofTheConnection: readonly string[] = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** All headers but those of the connection and some others, as a list of names and values in their order and spelling. */
export function passedHeaders(message: IncomingMessage, without: readonly string[] = []): string[] {
  const named = (message.headers.connection ?? '').split(',').map((word) => word.trim().toLowerCase());
  const out: string[] = [];
  for (let i = 0; i + 1 < message.rawHeaders.length; i += 2) {
    const [name = '', value = ''] = message.rawHeaders.slice(i, i + 2);
    const key = name.toLowerCase();
    if (!ofTheConnection.includes(key) && !named.includes(key) && !without.includes(key)) out.push(name, value);
  }
  return out;
}

const loopback: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Whether a request is for this gate by its Host, and from no foreign page by its Origin: what stops DNS rebinding, before the server does.
 *
 * @param names host names that clients may use beside the loopback ones, in lower case
 */
export function isForUs({ headers }: IncomingMessage, names: readonly string[]): boolean {
  const known = (host: string | undefined): boolean => host !== undefined && (loopback.includes(host) || names.includes(host));
  if (!known(hostNameOf(headers.host))) return false;
  const { origin } = headers;
  return origin === undefined || known(hostNameOf(/^https?:\/\/([^/?#]*)$/.exec(origin)?.[1]));
}

/** The Host that the server gets: the client's name with the server's port where both are on this machine, else the server's own. */
export function hostFor(upstream: URL, { headers }: IncomingMessage): string {
  const name = hostNameOf(headers.host);
  if (name === undefined || !loopback.includes(name) || !loopback.includes(upstream.hostname)) return upstream.host;
  return upstream.port === '' ? name : `${name}:${upstream.port}`;
}

/** The name of `name:port`, in lower case; undefined for what is neither. */
function hostNameOf(authority: string | undefined): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/.exec(authority?.toLowerCase() ?? '')?.[1];
}

/** Whether a body is JSON as it stands: no other encoding, and no other letters than UTF-8. */
export function isPlainBody({ headers }: IncomingMessage): boolean {
  const encoding = headers['content-encoding'];
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(headers['content-type'] ?? '')?.[1];
  return (encoding === undefined || encoding.toLowerCase() === 'identity') && (charset === undefined || /^utf-?8$/i.test(charset));
}

/**
 * All values of a header, decoded where they are encoded: a server may go by the first line or the last, or by one whose name has `_` for `-`, and what
 * joins lines puts commas between.
 */
export function headerTexts({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  const texts: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase().replaceAll('_', '-') === name) texts.push(decoded(rawHeaders[i + 1] ?? ''));
  }
  return texts;
}

function decoded(value: string): string {
  const encoded = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/i.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8');
}
