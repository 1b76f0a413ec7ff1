/**
 * Host and port of a URL (MAP-13): its plain form alone, so that no reader of URLs finds another host in it.
 * @module
 */
import { refuse } from '../errors.js';
import { limits } from '../limits.js';
import { canonicalCheckedHost } from '../policy/host.js';
import { checkText } from '../policy/text.js';

const defaultPorts: Readonly<Record<string, number>> = { http: 80, https: 443, ws: 80, wss: 443 };

/** Scheme, host or address in brackets, port; then the end or a path, a query, a fragment. */
const plain = /^([A-Za-z]{2,5}):\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([1-9][0-9]{0,4}))?(?:[/?#].*)?$/s;

/** @throws RuleprintError `lone-surrogate`, `limit`, `url-syntax`, and the codes of hosts; no message repeats the URL */
export function hostAndPort(url: string): { host: string; port: number } {
  checkText(url, limits.requestStringBytes);
  const [, scheme = '', host = '', digits] = plain.exec(url) ?? [];
  const name = scheme.toLowerCase();
  const port = digits === undefined ? (Object.hasOwn(defaultPorts, name) ? defaultPorts[name] : undefined) : Number(digits);
  // white space and control characters are dropped by some readers, and a backslash is a slash to some
  if (!Object.hasOwn(defaultPorts, name) || port === undefined || port > 65_535 || /[\0-\x20\x7f\\]/.test(url)) {
    refuse('url-syntax', 'expected a URL with http, https, ws or wss, a host and no user', { hint: 'write it as https://host[:port]/path' });
  }
  return { host: canonicalCheckedHost(host), port };
}
