/**
 * What is measured on: policies, requests and keys that are the same in every run, from a seeded generator.
 * @module
 */
import { createECDH, createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** Every fixture hangs on this number: with another one a saved baseline means nothing. */
export const seed = 20261130;

/** Seeded random numbers (mulberry32): enough for fixtures, for nothing else. */
export function randomFrom(start: number): { below(limit: number): number; pick<T>(list: readonly T[]): T; shuffled<T>(list: readonly T[]): T[] } {
  let state = start >>> 0;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  return {
    below,
    pick: <T>(list: readonly T[]) => list[below(list.length)] as T,
    shuffled: <T>(list: readonly T[]) => {
      const out = [...list];
      for (let i = out.length - 1; i > 0; i--) {
        const j = below(i + 1);
        [out[i], out[j]] = [out[j] as T, out[i] as T];
      }
      return out;
    },
  };
}

type Methods = 'any' | readonly string[];
export type BenchAction =
  | { readonly filesystem: { readonly path: string; readonly methods: Methods } }
  | { readonly network: { readonly host: string; readonly ports: 'any' | { readonly from: number; readonly to: number }; readonly methods: Methods } };

export interface BenchRule {
  readonly name: string;
  readonly effect: 'allow' | 'deny';
  readonly agents: 'any' | { readonly one_of: readonly string[] };
  readonly action: BenchAction;
}

/** A policy as plain data, in the shape of spec/policy.md. */
export interface BenchPolicy {
  readonly version: number;
  readonly rules: readonly BenchRule[];
}

export interface BenchRequest {
  readonly agent: string;
  readonly actions: readonly [
    | { readonly filesystem: { readonly path: string; readonly method: 'read' } }
    | { readonly network: { readonly host: string; readonly port: number; readonly method: string } },
  ];
}

/**
 * The workload that every peer can express too: half deny and half allow rules in a shuffled order, three quarters path
 * globs and one quarter host patterns, one tenant or service a rule. The first rule is a deny rule on paths.
 */
export function tenantPolicy(count: number): BenchPolicy {
  const hosts = Math.floor(count / 4);
  const hostDenies = Math.floor(hosts / 2);
  const pathDenies = Math.floor(count / 2) - hostDenies;
  const rules = Array.from({ length: count }, (_, i): BenchRule => {
    const onHosts = i < hosts;
    const effect = (onHosts ? i < hostDenies : i - hosts < pathDenies) ? 'deny' : 'allow';
    return onHosts
      ? { name: `${effect}-svc-${i}`, effect, agents: 'any', action: { network: { host: `*.svc${i}.example.com`, ports: 'any', methods: 'any' } } }
      : { name: `${effect}-tenant-${i}`, effect, agents: 'any', action: { filesystem: { path: `/srv/tenant-${i}/data/**/*.csv`, methods: 'any' } } };
  });
  const order = randomFrom(seed + count).shuffled(rules);
  const first = order.findIndex(({ effect, action }) => effect === 'deny' && 'filesystem' in action);
  order.unshift(...order.splice(first, 1));
  return { version: 1, rules: order };
}

function read(path: string): BenchRequest {
  return { agent: 'builder', actions: [{ filesystem: { path, method: 'read' } }] };
}

function get(host: string): BenchRequest {
  return { agent: 'builder', actions: [{ network: { host, port: 443, method: 'GET' } }] };
}

/** A request that the rule of a tenant policy covers. */
function covered({ action }: BenchRule, file: number): BenchRequest {
  return 'filesystem' in action
    ? read(action.filesystem.path.replace('**/*', `2026/q${1 + (file % 4)}/report-${file}`))
    : get(action.network.host.replace('*', `api-${file}`));
}

/** The four kinds of request, in the order in which the mix takes them. */
export const requestKinds = ['first deny', 'last path allow', 'last host allow', 'no rule'] as const;

/** One request of each kind for a {@link tenantPolicy}. */
export function tenantRequests({ rules }: BenchPolicy): Record<(typeof requestKinds)[number], BenchRequest> {
  const deny = rules.find(({ effect }) => effect === 'deny');
  const path = rules.findLast(({ effect, action }) => effect === 'allow' && 'filesystem' in action);
  const host = rules.findLast(({ effect, action }) => effect === 'allow' && 'network' in action);
  if (!deny || !path || !host) throw new Error('the tenant policy lacks a kind of rule');
  return {
    'first deny': covered(deny, 7),
    'last path allow': covered(path, 8),
    'last host allow': covered(host, 9),
    'no rule': read(`/srv/tenant-${rules.length + 1}/data/2026/q2/report-10.csv`),
  };
}

/** Requests to compare verdicts on before anything is timed: rules hit, and near misses of rules. */
export function agreementRequests({ rules }: BenchPolicy, count: number): BenchRequest[] {
  const random = randomFrom(seed ^ 0x5eed);
  const unknown = rules.length + 17;
  return Array.from({ length: count }, (_, i) => {
    const rule = random.pick(rules);
    const { action } = rule;
    const way = random.below(4);
    if (way === 0) return 'filesystem' in action ? read(`/srv/tenant-${unknown}/data/a.csv`) : get(`api.svc${unknown}.example.com`);
    // the name itself without a label in front, a file of another type
    if (way === 1) return 'filesystem' in action ? read(action.filesystem.path.replace('**/*.csv', 'a/b.txt')) : get(action.network.host.slice(2));
    // several labels, no folder between
    if (way === 2) return 'filesystem' in action ? read(action.filesystem.path.replace('**/*', 'top')) : get(action.network.host.replace('*', 'a.b'));
    return covered(rule, i);
  });
}

/** Rules with two agents, a list of methods and ports: what a digest has to write in practice. */
export function teamPolicy(count: number): BenchPolicy {
  const random = randomFrom(seed + 1);
  const teams = ['builder', 'reviewer', 'release', 'triage', 'docs', 'data-import', 'support', 'nightly'];
  const rules = tenantPolicy(count).rules.map((rule): BenchRule => {
    const [first, second] = random.shuffled(teams) as [string, string];
    const { action } = rule;
    return {
      ...rule,
      agents: { one_of: [first, `${second}-${random.below(100)}`] },
      action:
        'filesystem' in action
          ? { filesystem: { path: action.filesystem.path, methods: ['read', 'write'] } }
          : { network: { host: action.network.host, ports: { from: 443, to: 8443 }, methods: ['GET', 'POST'] } },
    };
  });
  return { version: 1, rules };
}

/** The workload that is worst for an index on first segments: every path begins with `**`. */
export function starsInFrontPolicy(count: number): BenchPolicy {
  const rules = Array.from({ length: count }, (_, i): BenchRule => {
    const effect = i % 2 === 0 ? 'deny' : 'allow';
    return { name: `anywhere-${i}`, effect, agents: 'any', action: { filesystem: { path: `/**/secret-${i}/*.pem`, methods: 'any' } } };
  });
  return { version: 1, rules };
}

/** A request that no rule of {@link starsInFrontPolicy} covers. */
export const starsInFrontRequest = read('/srv/tenant-7/data/2026/q2/secret/report-10.pem');

/** A pattern and an input that it does not cover. */
export interface Trap {
  readonly pattern: string;
  readonly input: string;
}

/**
 * Patterns that a rule author can write in good faith, each with an input that an agent can choose. The first of each
 * kind send a backtracking matcher into minutes; the tails are the worst for one that goes back to the last star only.
 * `scaled(p, i)` makes the pattern p times and the input i times as long.
 */
export const worstGlobs: readonly { readonly name: string; readonly kind: 'path' | 'argument'; scaled(pattern: number, input: number): Trap }[] = [
  {
    name: 'stars in one segment',
    kind: 'path',
    scaled: (p, i) => ({ pattern: `/a/*${'a*'.repeat(8 * p)}b`, input: `/a/${'a'.repeat(60 * i)}` }),
  },
  {
    name: 'star segments',
    kind: 'path',
    scaled: (p, i) => ({ pattern: `/**${'/x/**'.repeat(6 * p)}/y`, input: '/x'.repeat(61 * i) }),
  },
  {
    name: 'tail behind a star',
    kind: 'path',
    scaled: (p, i) => ({ pattern: `/a/*${'a'.repeat(16 * p)}b`, input: `/a/${'a'.repeat(60 * i)}` }),
  },
  {
    name: 'tail behind a star segment',
    kind: 'path',
    scaled: (p, i) => ({ pattern: `/**${'/x'.repeat(14 * p)}/y`, input: '/x'.repeat(61 * i) }),
  },
  {
    name: 'tail of stars behind a star segment',
    kind: 'path',
    scaled: (p, i) => ({ pattern: `/**${'/*aab*'.repeat(4 * p)}/y`, input: '/aaaaaaaab'.repeat(15 * i) }),
  },
  {
    name: 'stars in an argument',
    kind: 'argument',
    scaled: (p, i) => ({ pattern: `*${'a*'.repeat(8 * p)}b`, input: 'a'.repeat(60 * i) }),
  },
  {
    name: 'tail behind a star in an argument',
    kind: 'argument',
    scaled: (p, i) => ({ pattern: `*${'a'.repeat(16 * p)}b`, input: 'a'.repeat(60 * i) }),
  },
];

export interface BenchKey {
  readonly name: 'Ed25519' | 'ESP256';
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Keys that are the same in every run. Their secret is the hash of a public text, so they protect nothing. */
export function benchKeys(): readonly BenchKey[] {
  const secret = createHash('sha256').update('ruleprint bench key').digest();
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), secret]);
  const ed25519 = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(secret);
  const point = ecdh.getPublicKey();
  const [d, x, y] = [secret, point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url')) as [string, string, string];
  const p256 = createPrivateKey({ key: { kty: 'EC', crv: 'P-256', d, x, y }, format: 'jwk' });
  return [
    { name: 'Ed25519', privateKey: ed25519, publicKey: createPublicKey(ed25519) },
    { name: 'ESP256', privateKey: p256, publicKey: createPublicKey(p256) },
  ];
}

/**
 * The signature of a receipt and the message that it is over (spec/receipt.md), cut out by hand, so that the floor does
 * not rest on the code under test.
 */
export function cutReceipt(receipt: Uint8Array): { message: Uint8Array; signature: Uint8Array } {
  const bytes = Buffer.from(receipt);
  let at = 2;
  const byteString = (): Buffer => {
    const start = at;
    const short = bytes.readUInt8(at) & 0x1f;
    const argument = short < 24 ? 0 : 2 ** (short - 24);
    at += 1 + argument + (short < 24 ? short : bytes.readUIntBE(at + 1, argument));
    return bytes.subarray(start, at);
  };
  if (bytes.readUInt16BE(0) !== 0xd284) throw new Error('not a COSE_Sign1 message');
  const header = byteString();
  if (bytes[at] !== 0xa0) throw new Error('the unprotected header is not empty');
  at += 1;
  const payload = byteString();
  const signature = byteString().subarray(2);
  if (at !== bytes.length || signature.length !== 64) throw new Error('not a receipt');
  return { message: Buffer.concat([Buffer.from('\x84\x6aSignature1', 'latin1'), header, Buffer.from([0x40]), payload]), signature };
}
