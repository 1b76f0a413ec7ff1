/**
 * Where the HTTP gate listens and what it stands before, from the options of `ruleprint mcp`.
 * @module
 */
import { isIP } from 'node:net';
import type { Context } from './command.js';
import { usage } from './failure.js';
import { printable } from './printable.js';

export interface HttpTarget {
  readonly host: string;
  readonly port: number;
  readonly upstream: URL;
  readonly names: readonly string[];
}

/** Undefined where the gate is to stand before a command. */
export function httpTargetOf({ input }: Context): HttpTarget | undefined {
  const listen = input.value('http');
  const url = input.value('upstream');
  if (listen === undefined) {
    for (const name of ['upstream', 'allow-host', 'expose']) if (input.has(name)) throw usage(`--${name} is for --http`);
    return undefined;
  }
  if (input.trailing !== undefined) throw usage('--http and the command of a server are two gates', 'give --upstream, or the command without --http');
  if (url === undefined) throw usage('--http needs --upstream', 'the URL of the server that the gate stands before');
  const names = input.values('allow-host') ?? [];
  const [, address = '127.0.0.1', digits = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(listen) ?? [];
  const host = address === 'localhost' ? '127.0.0.1' : address.replace(/^\[(.*)\]$/, '$1');
  const port = Number(digits);
  if (digits === '' || port > 65_535 || isIP(host) === 0)
    throw usage(`--http takes a port, or an address and a port, not "${printable(listen)}"`, 'as 8080, 127.0.0.1:8080 or [::1]:8080');
  const isLoopback = host === '::1' || /^127\./.test(host);
  if (!isLoopback && !input.has('expose'))
    throw usage(`${printable(host)} is no loopback address`, 'others could use the gate, and with it the server: --expose says that this is wanted');
  if (input.has('expose') && names.length === 0)
    throw usage('--expose needs --allow-host', 'the names by which clients reach the gate: every other Host is refused');
  return { host, port, upstream: upstreamOf(url), names };
}

function upstreamOf(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '') {
    // not repeated: it may hold a password
    throw usage('--upstream takes a URL with http or https and without a user');
  }
  return parsed;
}
