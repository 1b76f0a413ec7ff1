/**
 * Hosts and host patterns (spec/match.md, "Canonical host" and "Host pattern"). ASCII only: Unicode tables differ between runtimes.
 * @module
 */
import { quote, refuse } from '../errors.js';
import { addressOf, endsInNumber, formatAddress, networkOf, parseIpv4, parseIpv6, samePrefix, unmapped, type Address } from './address.js';
import { limits } from '../limits.js';
import { checkText } from './text.js';

/**
 * The canonical form of a name or address (MAT-11 to MAT-15). The text is the agent's.
 *
 * @throws RuleprintError `lone-surrogate`, `limit`, `host-empty`, `host-not-ascii`, `host-character`, `host-ipv6`, `host-number`, `host-label`, `host-too-long`
 * @example
 * canonicalHost('EXAMPLE.com.'); // 'example.com'
 * canonicalHost('0x7f.1'); // '127.0.0.1'
 * canonicalHost('[::FFFF:1.2.3.4]'); // '1.2.3.4'
 */
export function canonicalHost(text: string): string {
  checkText(text, limits.requestStringBytes);
  return canonicalCheckedHost(text);
}

/** The same for text that is known to be well-formed and within its limit. */
export function canonicalCheckedHost(text: string): string {
  if (isPlainName(text)) return text;
  if (text === '') refuse('host-empty', 'expected a host, got nothing'); // MAT-11
  if (/[^\0-\x7f]/.test(text)) refuse('host-not-ascii', `expected an ASCII host, got ${quote(text)}`, { hint: 'toAsciiHost() gives the ASCII form' });
  if (/[^A-Za-z0-9._\-:[\]]/.test(text)) refuse('host-character', `expected a host alone, got ${quote(text)}`, { hint: 'no user, no port, no path' }); // MAT-12
  const lower = text.toLowerCase();
  if (/[:[\]]/.test(lower)) return canonicalIpv6(lower); // MAT-13
  const name = lower.endsWith('.') ? lower.slice(0, -1) : lower;
  if (name === '') refuse('host-empty', 'expected a host, got a dot');
  if (endsInNumber(name)) {
    const address = parseIpv4(name); // MAT-14
    if (address === undefined) refuse('host-number', `expected an IPv4 address, since it ends in a number, got ${quote(text)}`);
    return formatAddress(address);
  }
  for (const label of name.split('.')) {
    if (label === '' || label.length > 63) refuse('host-label', `expected labels of 1 to 63 characters, got ${quote(label)} in ${quote(text)}`); // MAT-15
  }
  if (name.length > 253) refuse('host-too-long', `expected at most 253 characters, got ${name.length}`);
  return name;
}

/** Most hosts are canonical names already: short labels of lower-case letters, the last one beginning with a letter. */
function isPlainName(text: string): boolean {
  return text.length <= 63 && /^(?:[a-z0-9_-]+\.)*[a-z_-][a-z0-9_-]*$/.test(text);
}

function canonicalIpv6(text: string): string {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  const address = parseIpv6(bare);
  if (address === undefined) refuse('host-ipv6', `expected an IPv6 address, got ${quote(text)}`, { hint: 'a port does not belong in a host' });
  return formatAddress(unmapped(address) ?? address);
}

export type HostPattern =
  | { readonly kind: 'any' }
  | { readonly kind: 'exact'; readonly host: string }
  /** One or more labels in front of `suffix`, which begins with the dot. */
  | { readonly kind: 'below'; readonly suffix: string }
  | { readonly kind: 'block'; readonly address: Address; readonly bits: number };

/** Reads a host pattern that is canonical itself (MAT-16 to MAT-18, MAT-21). */
export function parseHostPattern(pattern: string): HostPattern {
  checkText(pattern, limits.ruleStringBytes);
  if (pattern === '**') return { kind: 'any' };
  const isBelow = pattern.startsWith('*.');
  const rest = isBelow ? pattern.slice(2) : pattern;
  if (rest.includes('*')) {
    refuse('pattern-syntax', `expected a star only as "**" or in front as "*.", got ${quote(pattern)}`, { hint: 'name the hosts, or write "*.example.com"' }); // MAT-16
  }
  if (!isBelow && rest.includes('/')) return parseBlock(rest);
  const canonical = canonicalCheckedHost(rest); // MAT-18
  const address = addressOf(canonical);
  if (isBelow && address !== undefined) {
    refuse(address.length === 8 ? 'host-ipv6' : 'host-number', `expected a name behind "*.", got the address ${quote(rest)}`);
  }
  if (canonical !== rest) notCanonical(pattern, isBelow ? `*.${canonical}` : canonical);
  return isBelow ? { kind: 'below', suffix: `.${canonical}` } : { kind: 'exact', host: canonical };
}

/** `address/bits` (MAT-17). */
function parseBlock(pattern: string): HostPattern {
  const slash = pattern.indexOf('/');
  const front = pattern.slice(0, slash);
  const canonical = canonicalCheckedHost(front);
  const address = addressOf(canonical);
  if (address === undefined) refuse('cidr', `expected an address in front of the slash, got ${quote(front)}`);
  if (front.includes(':') && address.length === 2) {
    refuse('cidr', `expected no block inside ::ffff:0:0/96, got ${quote(pattern)}`, { hint: `write the IPv4 block, such as ${canonical}/24` });
  }
  const digits = pattern.slice(slash + 1);
  if (canonical !== front) notCanonical(pattern, `${canonical}/${digits}`);
  const size = address.length * 16;
  if (!/^(0|[1-9][0-9]{0,2})$/.test(digits) || Number(digits) >= size) {
    const hint = Number(digits) === size ? `write ${canonical} for the one address` : 'write the number of leading bits in plain digits';
    refuse('cidr', `expected 0 to ${size - 1} bits, got ${quote(digits)}`, { hint });
  }
  const bits = Number(digits);
  const network = networkOf(address, bits);
  if (!samePrefix(network, address, size)) {
    refuse('cidr', `expected no bit set beyond the first ${bits}, got ${quote(pattern)}`, { hint: `write ${formatAddress(network)}/${bits}` });
  }
  return { kind: 'block', address, bits };
}

function notCanonical(pattern: string, canonical: string): never {
  refuse('pattern-not-canonical', `expected the canonical spelling, got ${quote(pattern)}`, {
    hint: `write ${quote(canonical, '"')}`,
    evidence: { canonical },
  });
}

/** Whether a canonical host is covered. */
export function hostPatternCovers(pattern: HostPattern, host: string): boolean {
  switch (pattern.kind) {
    case 'any':
      return true;
    case 'exact':
      return host === pattern.host;
    case 'below':
      return host.length > pattern.suffix.length && host.endsWith(pattern.suffix);
    case 'block': {
      const address = addressOf(host);
      return address !== undefined && samePrefix(address, pattern.address, pattern.bits);
    }
  }
}

/**
 * The ASCII form of a host that a person typed, by the runtime's own URL parser: a step in front of `canonicalHost`, whose verdicts
 * must not depend on a runtime's Unicode tables.
 *
 * @throws RuleprintError `lone-surrogate`, `limit` (1,024 bytes), `host-character` where the URL parser takes it for no host, or where it holds white space or a delimiter of URLs
 * @example
 * toAsciiHost('bücher.example'); // 'xn--bcher-kva.example'
 */
export function toAsciiHost(text: string): string {
  if (typeof text !== 'string') throw new TypeError('"text" expected a host as text');
  checkText(text, limits.asciiHostBytes);
  // a URL parser would cut these off or read them as other parts of a URL
  if (/[/\\?#@:%\s]/.test(text) || !URL.canParse(`http://${text}/`)) refuse('host-character', `expected a host alone, got ${quote(text)}`);
  return new URL(`http://${text}/`).hostname;
}
