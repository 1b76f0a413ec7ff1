/**
 * Requests in twos and bad ones: one request in two spellings, two requests that are nearly one, and requests that no engine may decide.
 * @module
 */
import fc, { type Arbitrary } from 'fast-check';
import type { ErrorCode } from '../errors.js';
import type { Action, Request } from '../policy/model.js';
import { actions, requests } from './arbitraries.js';

/** One request as a caller may write it, and in canonical form. */
export interface Spelling {
  readonly given: Request;
  readonly canonical: Request;
}

/** Ways to write a path: each leads to the same canonical form. */
const pathSpellings: readonly ((path: string) => string)[] = [
  (path) => (path === '/' ? path : `${path}/`),
  (path) => (path === '/' ? '/./' : path.replaceAll(/(?<=.)\//g, '//')),
  (path) => `/.${path}`,
  (path) => (path === '/' ? '/.' : `${path}/.`),
];

/** Ways to write a host. */
function hostSpellings(host: string): readonly string[] {
  if (host.includes(':')) return [`[${host}]`, host.toUpperCase(), `[${host.toUpperCase()}]`];
  if (!/^[0-9.]+$/.test(host)) return [`${host}.`, host.toUpperCase()];
  const parts = host.split('.').map(Number);
  const number = parts.reduce((value, part) => value * 256 + part, 0);
  return [String(number), `0x${number.toString(16)}`, parts.map((part) => `0${part.toString(8)}`).join('.'), `[::ffff:${host}]`, `${host}.`];
}

function spelled(action: Action, pick: number): Action {
  if ('filesystem' in action) {
    const { path, method } = action.filesystem;
    return { filesystem: { path: pathSpellings[pick % pathSpellings.length]?.(path) ?? path, method } };
  }
  if (!('network' in action)) return action;
  const others = hostSpellings(action.network.host);
  return { network: { ...action.network, host: others[pick % others.length] ?? action.network.host } };
}

/** A request in another spelling than the canonical one, where its actions have another. */
export const spellings: Arbitrary<Spelling> = fc
  .tuple(requests(), fc.nat(99))
  .map(([canonical, pick]) => ({ canonical, given: { agent: canonical.agent, actions: canonical.actions.map((action, i) => spelled(action, pick + i)) } }));

/** Two canonical requests that are nearly one: an event that does not tell them apart says too little. */
export interface RequestPair {
  readonly why: string;
  readonly a: Request;
  readonly b: Request;
}

const call = (...all: readonly Action[]): Request => ({ agent: 'builder', actions: all });
const pair = (why: string, a: Action, b: Action): RequestPair => ({ why, a: call(a), b: call(b) });
const file = (path: string, method: 'read' | 'write' = 'read'): Action => ({ filesystem: { path, method } });
const connect = (host: string, port = 443, method?: string): Action => ({ network: { host, port, ...(method !== undefined && { method }) } });
const word: Arbitrary<string> = fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('a', 'b', '-', '\u{10000}') });

export const requestPairs: Arbitrary<RequestPair> = fc.oneof(
  fc
    .tuple(requests(), word)
    .filter(([{ agent }, other]) => agent !== other)
    .map(([a, agent]): RequestPair => ({ why: 'another agent', a, b: { ...a, agent } })),
  requests({ maxActions: 2 }).map((a): RequestPair => ({ why: 'one action more', a, b: { ...a, actions: [...a.actions, a.actions[0] as Action] } })),
  fc
    .tuple(actions, actions)
    .filter(([x, y]) => JSON.stringify(x) !== JSON.stringify(y))
    .map(([x, y]): RequestPair => ({ why: 'actions in another order', a: call(x, y), b: call(y, x) })),
  word.map((name) => pair('a folder deeper', file(`/${name}`), file(`/${name}/${name}`))),
  word.map((name) => pair('another case', file(`/a${name}`), file(`/A${name}`))),
  word.map((name) => pair('another method', file(`/${name}`), file(`/${name}`, 'write'))),
  fc.integer({ min: 1, max: 65_534 }).map((port) => pair('the next port', connect('example.com', port), connect('example.com', port + 1))),
  fc.constantFrom('example.com', '10.0.0.1').map((host) => pair('a method or none', connect(host), connect(host, 443, 'GET'))),
  fc.constant(pair('a label in front', connect('example.com'), connect('www.example.com'))),
  fc
    .tuple(word, word, word)
    .map(([x, y, z]) => pair('the border between two arguments moves', { process: { argv: [x + y, z] } }, { process: { argv: [x, y + z] } })),
  word.map((item) => pair('an empty argument', { process: { argv: [item] } }, { process: { argv: [item, ''] } })),
  fc
    .tuple(word, word, word)
    .map(([x, y, z]) => pair('the border between server and name moves', { tool: { server: x + y, name: z } }, { tool: { server: x, name: y + z } })),
);

/** A request that cannot be made canonical: it must be refused with this code, whatever the policy. */
export interface BadRequest {
  readonly why: string;
  readonly request: Request;
  readonly code: ErrorCode;
}

const bad = (why: string, code: ErrorCode, action: unknown): { readonly why: string; readonly code: ErrorCode; readonly action: Action } => ({
  why,
  code,
  action: action as Action,
});

const badActions = fc.constantFrom(
  bad('a relative path', 'path-relative', file('srv/a')),
  bad('an empty path', 'path-relative', file('')),
  bad('a parent segment', 'path-dot-dot', file('/srv/../etc/shadow')),
  bad('NUL in a path', 'path-character', file('/srv/a\0.txt')),
  bad('a backslash in a path', 'path-character', file('\\srv')),
  bad('two slashes in front', 'path-leading-slashes', file('//srv')),
  bad('a surrogate alone', 'lone-surrogate', file('/\ud800')),
  bad('a host with a port', 'host-ipv6', connect('example.com:443')),
  bad('a host that ends in a number', 'host-number', connect('1.2.3.999')),
  bad('a host outside ASCII', 'host-not-ascii', connect('bücher.example')),
  bad('no host', 'host-empty', connect('')),
  bad('port 0', 'bad-value', connect('example.com', 0)),
  bad('a port as text', 'wrong-type', { network: { host: 'example.com', port: '443' } }),
  bad('no arguments', 'empty-list', { process: { argv: [] } }),
  bad('NUL in an argument', 'nul-character', { process: { argv: ['a\0'] } }),
  bad('an empty tool name', 'empty-text', { tool: { server: 's', name: '' } }),
  bad('a field too many', 'unknown-key', { tool: { server: 's', name: 'n', arguments: {} } }),
  bad('no kind of action', 'exactly-one', {}),
  bad('two kinds of action', 'exactly-one', { tool: { server: 's', name: 'n' }, process: { argv: ['a'] } }),
);

/** The bad action stands behind good ones, or alone. */
export const badRequests: Arbitrary<BadRequest> = fc
  .tuple(requests(), badActions, fc.boolean())
  .map(([{ agent, actions: good }, { why, code, action }, isAlone]) => ({ why, code, request: { agent, actions: isAlone ? [action] : [...good, action] } }));
