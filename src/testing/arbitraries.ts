/**
 * Random policies and requests for property-based suites, made so that rules and requests meet often: both draw from one small world of agents,
 * folders, hosts, programs and tools. fast-check is an optional peer, imported in this folder alone.
 * @module
 */
import fc, { type Arbitrary } from 'fast-check';
import { copyPolicy } from '../policy/copy.js';
import {
  type Action,
  type ActionPattern,
  type AgentMatcher,
  effects,
  fileMethods,
  type MethodMatcher,
  type Policy,
  type PortMatcher,
  type Request,
  type Rule,
} from '../policy/model.js';

const agents = ['builder', 'reviewer', 'any', 'constructor', 'ab', 'a', 'b', 'agent\u{10000}', 'agent\uffff'] as const;
const segments = ['srv', 'data', 'keys', 'a', 'b', '.git', 'a.csv', 'Ünïcode', 'é'] as const;
const labels = ['www', 'api', 'example', 'internal', 'xn--bcher-kva'] as const;
const addresses = ['127.0.0.1', '10.1.2.3', '169.254.169.254', '2001:db8::1', '::1'] as const;
const blocks = ['10.0.0.0/8', '127.0.0.0/8', '2001:db8::/32', '0.0.0.0/0'] as const;
const programs = ['git', 'rm', 'sh', 'node'] as const;
const words = ['-c', 'status', '-rf', '/srv', '', 'push', '*'] as const;
const servers = ['files', 'web', 'files__x'] as const;
const names = ['read', 'write', 'read_file', 'move_file'] as const;
const httpMethods = ['GET', 'POST', 'CONNECT'] as const;

const set = <T>(item: Arbitrary<T>, maxLength: number): Arbitrary<T[]> => fc.uniqueArray(item, { minLength: 1, maxLength });
/** `any` more often than not, so that rules match. */
const anyOr = <T>(other: Arbitrary<T>): Arbitrary<'any' | T> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant('any' as const) }, { weight: 1, arbitrary: other });
const methods = (words: readonly string[]): Arbitrary<MethodMatcher> => anyOr(set(fc.constantFrom(...words), words.length));

const pathGlob: Arbitrary<string> = fc
  .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...segments) }, { weight: 3, arbitrary: fc.constantFrom('*', '**', '**', '*.csv', '?', 'a*') }), {
    maxLength: 4,
  })
  .map((parts) => `/${parts.join('/')}`);
const host: Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...labels), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.')),
  fc.constantFrom(...addresses),
);
const hostPattern: Arbitrary<string> = fc.oneof(
  host,
  fc.array(fc.constantFrom(...labels), { minLength: 1, maxLength: 2 }).map((parts) => `*.${parts.join('.')}`),
  fc.constantFrom('**', '**', ...blocks),
);
const ports: Arbitrary<PortMatcher> = anyOr(fc.record({ from: fc.constantFrom(0, 22, 80, 443, 65_535), to: fc.constantFrom(0, 22, 80, 443, 65_535) }));
const escaped = (text: string): string => text.replaceAll(/[*?\\]/g, '\\$&');
const argvPattern: Arbitrary<string[]> = fc
  .tuple(
    fc.constantFrom(...programs, '*'),
    fc.array(fc.oneof(fc.constantFrom(...words).map(escaped), fc.constantFrom('*', '-*', '?')), { maxLength: 2 }),
    fc.boolean(),
  )
  .map(([program, rest, isOpen]) => [program, ...rest, ...(isOpen ? ['**'] : [])]);

/** Patterns of all four kinds, canonical as the door of policies wants them. */
export const actionPatterns: Arbitrary<ActionPattern> = fc.oneof(
  fc.record({ filesystem: fc.record({ path: pathGlob, methods: methods(fileMethods) }) }),
  fc.record({ network: fc.record({ host: hostPattern, ports, methods: methods(httpMethods) }) }),
  fc.record({ process: fc.record({ argv: argvPattern }) }),
  fc.record({ tool: fc.record({ server: fc.constantFrom(...servers, '*', '*', '*'), name: fc.constantFrom(...names, '*', '*', 'read*') }) }),
);

const agentMatchers: Arbitrary<AgentMatcher> = anyOr(fc.record({ one_of: set(fc.constantFrom(...agents), 3) }));

/** Policies of up to `maxRules` rules, version 1 where not given. */
export function policies({ maxRules = 8, version = 1 }: { maxRules?: number; version?: number } = {}): Arbitrary<Policy> {
  const rule = fc.record({ effect: fc.constantFrom(...effects), agents: agentMatchers, action: actionPatterns });
  return fc.array(rule, { maxLength: maxRules }).map((rules) => copyPolicy({ version, rules: rules.map((each, i): Rule => ({ name: `rule-${i}`, ...each })) }));
}

/** Actions of all four kinds, canonical. */
export const actions: Arbitrary<Action> = fc.oneof(
  fc.record({
    filesystem: fc.record({
      path: fc.array(fc.constantFrom(...segments), { maxLength: 4 }).map((parts) => `/${parts.join('/')}`),
      method: fc.constantFrom(...fileMethods),
    }),
  }),
  fc
    .record({ host, port: fc.constantFrom(22, 80, 443, 65_535), method: fc.option(fc.constantFrom(...httpMethods), { nil: undefined }) })
    .map(({ method, ...network }): Action => ({ network: method === undefined ? network : { ...network, method } })),
  fc.record({
    process: fc.record({
      argv: fc.tuple(fc.constantFrom(...programs), fc.array(fc.constantFrom(...words), { maxLength: 3 })).map(([program, rest]) => [program, ...rest]),
    }),
  }),
  fc.record({ tool: fc.record({ server: fc.constantFrom(...servers), name: fc.constantFrom(...names) }) }),
);

/** Requests of one to `maxActions` actions. */
export function requests({ maxActions = 3 }: { maxActions?: number } = {}): Arbitrary<Request> {
  return fc.record({ agent: fc.constantFrom(...agents), actions: fc.array(actions, { minLength: 1, maxLength: maxActions }) });
}

/** Two policies that are nearly one: an engine whose digest takes them for the same, or the other way round, is wrong. */
export interface NearMiss {
  readonly why: string;
  readonly a: Policy;
  readonly b: Policy;
  /** Whether the two have the same rules in the same order. */
  readonly same: boolean;
}

const tool = (server: string, name: string): ActionPattern => ({ tool: { server, name } });
const one = (rule: Partial<Rule>): Policy =>
  copyPolicy({ version: 1, rules: [{ name: 'rule', effect: 'allow', agents: 'any', action: tool('s', 'n'), ...rule }] });
const range = (from: number, to: number): Policy => one({ action: { network: { host: 'example.com', ports: { from, to }, methods: 'any' } } });
const text: Arbitrary<string> = fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom('a', 'b', 'c', '\uffff', '\u{10000}') });

/** A text cut at two places: the same letters, another boundary. */
const shifted: Arbitrary<{ front: readonly [string, string]; back: readonly [string, string] }> = fc
  .tuple(text, text, text)
  .map(([x, y, z]) => ({ front: [x + y, z] as const, back: [x, y + z] as const }));

export const nearMisses: Arbitrary<NearMiss> = fc.oneof(
  shifted
    .filter(({ front, back }) => front[0] !== front[1] && back[0] !== back[1] && new Set([...front, ...back]).size > 2)
    .map(({ front, back }) => ({
      why: 'the border between two agent ids moves',
      a: one({ agents: { one_of: front } }),
      b: one({ agents: { one_of: back } }),
      same: false,
    })),
  shifted.map(({ front, back }) => ({
    why: 'the border between server and name moves',
    a: one({ action: tool(...front) }),
    b: one({ action: tool(...back) }),
    same: false,
  })),
  shifted.map(({ front, back }) => ({
    why: 'the border between two arguments moves',
    a: one({ action: { process: { argv: front } } }),
    b: one({ action: { process: { argv: back } } }),
    same: false,
  })),
  fc.uniqueArray(text, { minLength: 2, maxLength: 4 }).map((ids) => ({
    why: 'a set is spelled in another order',
    a: one({ agents: { one_of: ids } }),
    b: one({ agents: { one_of: [...ids].reverse() } }),
    same: true,
  })),
  fc
    .tuple(fc.nat(65_535), fc.nat(65_535))
    .filter(([from, to]) => from !== to)
    .map(([from, to]) => ({ why: 'a port range is turned round', a: range(from, to), b: range(to, from), same: false })),
  policies()
    .filter(({ rules }) => rules.length > 1)
    .map((a) => ({ why: 'the first rule goes last', a, b: copyPolicy({ version: 1, rules: [...a.rules.slice(1), a.rules[0]] }), same: false })),
  policies()
    .filter(({ rules }) => rules.length > 0)
    .map((a) => {
      const [first, ...rest] = a.rules as [Rule, ...Rule[]];
      const effect = first.effect === 'allow' ? 'ask' : 'allow';
      return { why: 'the effect of one rule differs', a, b: copyPolicy({ version: 1, rules: [{ ...first, effect }, ...rest] }), same: false };
    }),
  policies()
    .filter(({ rules }) => rules.length > 0)
    .map((a) => ({ why: 'one rule is not there', a, b: copyPolicy({ version: 1, rules: a.rules.slice(1) }), same: false })),
  fc.uniqueArray(fc.constantFrom(...httpMethods, 'PUT', 'PATCH'), { minLength: 2 }).map((some) => ({
    why: 'a set of methods is spelled in another order',
    a: one({ action: { network: { host: '**', ports: 'any', methods: some } } }),
    b: one({ action: { network: { host: '**', ports: 'any', methods: [...some].reverse() } } }),
    same: true,
  })),
  fc.constantFrom(['é', 'e\u0301'], ['\u212b', '\u00c5'], ['A', 'a']).map(([x = '', y = '']) => ({
    why: 'two texts look alike',
    a: one({ agents: { one_of: [x] } }),
    b: one({ agents: { one_of: [y] } }),
    same: false,
  })),
  fc.constant({
    why: 'every method is not any method',
    a: one({ action: { filesystem: { path: '/**', methods: 'any' } } }),
    b: one({ action: { filesystem: { path: '/**', methods: [...fileMethods] } } }),
    same: false,
  }),
  policies().map((a) => ({ why: 'only the version differs', a, b: copyPolicy({ ...a, version: 2 }), same: true })),
);
