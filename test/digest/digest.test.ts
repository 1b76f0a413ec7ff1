import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { policyDigest, policyPreimage, ruleDigest, rulePreimage } from '../../src/digest/digest.js';
import { native } from '../../src/native.js';
import type { ActionPattern, AgentMatcher, Policy, Rule } from '../../src/policy/model.js';
import { copyPolicy } from '../../src/policy/copy.js';
import { parsePolicy } from '../../src/policy/parse.js';
import { argv, codeOf, filesystem, network, policyOf, ruleOf, tool, type Loose } from '../policy/kit.js';

const digestOf = (...rules: Rule[]): string => policyDigest(policyOf(...rules));
const agents = (matcher: AgentMatcher): string => digestOf(ruleOf({ agents: matcher }));
const action = (pattern: ActionPattern): string => digestOf(ruleOf({ action: pattern }));

describe('policyDigest', () => {
  it('is SHA-256 of the preimage, in lower-case hex behind its name', () => {
    const policy = policyOf(ruleOf());
    expect(policyDigest(policy)).toBe(`sha256:${createHash('sha256').update(policyPreimage(policy)).digest('hex')}`);
    expect(policyDigest(policy)).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('is the same without native crypto', () => {
    const policy = policyOf(ruleOf());
    const digest = policyDigest(policy);
    const { crypto } = native;
    native.crypto = undefined;
    try {
      expect(policyDigest(policy)).toBe(digest);
    } finally {
      native.crypto = crypto;
    }
  });

  it('is the same for one policy in JSON, in YAML and as an object', () => {
    const policy = policyOf(ruleOf({ agents: { one_of: ['b', 'a'] } }));
    const text = JSON.stringify(policy);
    expect(policyDigest(parsePolicy(text, { format: 'json' }))).toBe(policyDigest(policy));
    expect(policyDigest(parsePolicy(text, { format: 'yaml' }))).toBe(policyDigest(policy));
    expect(policyDigest(copyPolicy(policy))).toBe(policyDigest(policy));
  });

  it('does not depend on the order in which an object has its fields', () => {
    const { name, effect, agents: who, action: what } = ruleOf();
    expect(policyDigest({ rules: [{ action: what, agents: who, effect, name }], version: 1 })).toBe(digestOf(ruleOf()));
  });

  it('refuses an object that is no policy, because a digest would lend it weight', () => {
    expect(codeOf(() => policyDigest({ version: 1, rules: [{ ...ruleOf(), effect: 'audit' } as Loose] }))).toBe('bad-value');
    expect(codeOf(() => policyDigest({ version: 1 } as Loose))).toBe('missing-key');
    expect(codeOf(() => ruleDigest({ ...ruleOf(), note: '' } as Loose))).toBe('unknown-key');
  });
});

describe('what is in the digest', () => {
  it('rule order is in the digest because order is semantics (DIG-1)', () => {
    const a = ruleOf({ name: 'a', effect: 'deny', action: filesystem('/srv/**') });
    const b = ruleOf({ name: 'b', effect: 'deny', action: filesystem('/srv/keys/**') });
    expect(digestOf(a, b)).not.toBe(digestOf(b, a));
  });

  it('rule order is in the digest even where the effects differ, since the trace shows it (DIG-1)', () => {
    const a = ruleOf({ name: 'a', effect: 'allow' });
    const b = ruleOf({ name: 'b', effect: 'deny' });
    expect(digestOf(a, b)).not.toBe(digestOf(b, a));
  });

  it('agent-list order is not, because it is a set (DIG-2)', () => {
    expect(agents({ one_of: ['a', 'b', 'c'] })).toBe(agents({ one_of: ['c', 'a', 'b'] }));
  });

  it('method-list order is not, because it is a set, for files and for HTTP (DIG-2)', () => {
    expect(action(filesystem('/', ['read', 'write', 'delete']))).toBe(action(filesystem('/', ['write', 'delete', 'read'])));
    expect(action(network({ methods: ['GET', 'PUT'] }))).toBe(action(network({ methods: ['PUT', 'GET'] })));
  });

  it('sets are sorted by their UTF-8 bytes, not by UTF-16 units, so that every language gets one digest (DIG-2)', () => {
    // U+FFFF is below U+10000 in bytes and above it in UTF-16 units
    const policy = policyOf(ruleOf({ agents: { one_of: ['\u{10000}', '\uffff', '\ue000', 'z'] } }));
    const text = new TextDecoder().decode(policyPreimage(policy));
    const positions = ['z', '\ue000', '\uffff', '\u{10000}'].map((id) => text.lastIndexOf(id));
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    expect(positions).not.toContain(-1);
    expect(policyDigest(policy)).toBe('sha256:d483725f2175978b8e026e3e01aa9bd7ee7803513dbcadb137d52ed62ed9111d');
  });

  it('a shorter id stands before a longer one that begins with it (DIG-2)', () => {
    const text = new TextDecoder().decode(policyPreimage(policyOf(ruleOf({ agents: { one_of: ['ab', 'a', 'aa'] } }))));
    expect(text.replace(/[^a-z]+/g, ' ')).toContain('a aa ab');
  });

  it('argv order is, because it is a list', () => {
    expect(action(argv('a', 'b'))).not.toBe(action(argv('b', 'a')));
  });

  it('a port range is digested as written (DIG-3)', () => {
    const ports = (from: number, to: number): string => action(network({ ports: { from, to } }));
    expect(ports(443, 80)).not.toBe(ports(80, 443));
    expect(ports(0, 65_535)).not.toBe(action(network({ ports: 'any' })));
  });

  it('the version is not in the digest (DIG-4)', () => {
    const { rules } = policyOf(ruleOf());
    const digest = policyDigest({ version: 1, rules });
    for (const version of [2, 257, Number.MAX_SAFE_INTEGER]) expect(policyDigest({ version, rules })).toBe(digest);
  });

  it('one named agent is not any agent, and one of every method is not any method', () => {
    expect(agents({ one_of: ['any'] })).not.toBe(agents('any'));
    expect(action(filesystem('/', ['read', 'write', 'delete', 'execute']))).not.toBe(action(filesystem('/', 'any')));
  });

  it('pattern text is as it stands, escapes included (DIG-7)', () => {
    // both cover /a and nothing else, and are two texts
    expect(action(filesystem('/a\\@b'))).not.toBe(action(filesystem('/a@b')));
    expect(action(argv('\\*'))).not.toBe(action(argv('*')));
  });

  it('text is not normalised, because two texts are two policies (DIG-7)', () => {
    expect(action(filesystem('/\u00e9'))).not.toBe(action(filesystem('/e\u0301')));
    expect(agents({ one_of: ['\u212b'] })).not.toBe(agents({ one_of: ['\u00c5'] }));
  });

  it('each field of a rule is', () => {
    const base = ruleOf({ agents: { one_of: ['a'] }, action: network({ ports: { from: 1, to: 2 }, methods: ['GET'] }) });
    const variants: Rule[] = [
      { ...base, name: 's' },
      { ...base, effect: 'ask' },
      { ...base, effect: 'deny' },
      { ...base, agents: { one_of: ['b'] } },
      { ...base, agents: 'any' },
      { ...base, action: network({ host: 'example.org', ports: { from: 1, to: 2 }, methods: ['GET'] }) },
      { ...base, action: network({ ports: { from: 0, to: 2 }, methods: ['GET'] }) },
      { ...base, action: network({ ports: { from: 1, to: 3 }, methods: ['GET'] }) },
      { ...base, action: network({ ports: 'any', methods: ['GET'] }) },
      { ...base, action: network({ ports: { from: 1, to: 2 }, methods: ['PUT'] }) },
      { ...base, action: network({ ports: { from: 1, to: 2 }, methods: 'any' }) },
      { ...base, action: filesystem('/', ['read']) },
      { ...base, action: filesystem('/a', ['read']) },
      { ...base, action: filesystem('/', ['write']) },
      { ...base, action: argv('a') },
      { ...base, action: argv('b') },
      { ...base, action: tool('s', 'n') },
      { ...base, action: tool('t', 'n') },
      { ...base, action: tool('s', 'm') },
    ];
    const digests = [base, ...variants].map((rule) => digestOf(rule));
    expect(new Set(digests).size).toBe(digests.length);
  });

  it('a rule that no action can reach is, since a digest names rules and not their effect', () => {
    const dead = ruleOf({ name: 'dead', action: network({ ports: { from: 2, to: 1 } }) });
    expect(digestOf(ruleOf(), dead)).not.toBe(digestOf(ruleOf()));
  });
});

describe('no two policies share a preimage by shifting a boundary (DIG-6)', () => {
  /** The bytes with every length and count taken out: what would be hashed if nothing carried its length. */
  const stripped = (rule: Rule): string => {
    const bytes = rulePreimage(rule);
    let text = '';
    for (let at = 0; at < bytes.length; ) {
      const length = new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0);
      const value = new TextDecoder().decode(bytes.subarray(at + 4, at + 4 + length));
      text += value;
      at += 4 + length;
      if (value === 'agents:one_of' || value === 'methods:one_of' || value === 'action:process') at += 4;
    }
    return text;
  };

  it.each<[string, Rule, Rule]>([
    ['agent ids ["ab","c"] and ["a","bc"]', ruleOf({ agents: { one_of: ['ab', 'c'] } }), ruleOf({ agents: { one_of: ['a', 'bc'] } })],
    ["a tool's server and name", ruleOf({ action: tool('ab', 'c') }), ruleOf({ action: tool('a', 'bc') })],
    ['the items of argv', ruleOf({ action: argv('ab', 'c') }), ruleOf({ action: argv('a', 'bc') })],
    ['an empty argument', ruleOf({ action: argv('a', '') }), ruleOf({ action: argv('', 'a') })],
    ['HTTP methods', ruleOf({ action: network({ methods: ['AB', 'C'] }) }), ruleOf({ action: network({ methods: ['A', 'BC'] }) })],
  ])('%s: without their lengths they would be one', (_, a, b) => {
    // the pair proves something only because nothing else separates the two texts
    expect(stripped(a)).toBe(stripped(b));
    expect(policyPreimage(policyOf(a))).not.toEqual(policyPreimage(policyOf(b)));
    expect(policyDigest(policyOf(a))).not.toBe(policyDigest(policyOf(b)));
    expect(ruleDigest(a)).not.toBe(ruleDigest(b));
  });

  it('a text that spells a field, its length included, is still one text', () => {
    expect(action(argv('a\u0001', 'b'))).not.toBe(action(argv('a', '\u0001b')));
    expect(action(tool('s', 'nmethods:any'))).not.toBe(action(tool('sn', 'methods:any')));
  });

  it('the number of items is said, so that one set cannot end in the next field', () => {
    expect(agents({ one_of: ['a'] })).not.toBe(agents({ one_of: ['a', 'action:filesystem'] }));
  });
});

describe('ruleDigest', () => {
  it('is one for a rule in two policies, wherever it stands', () => {
    const rule = ruleOf();
    const [inPolicy] = copyPolicy(policyOf(rule, ruleOf({ name: 's' }))).rules;
    expect(ruleDigest(inPolicy as Rule)).toBe(ruleDigest(rule));
    expect(ruleDigest(rule)).toBe(`sha256:${createHash('sha256').update(rulePreimage(rule)).digest('hex')}`);
  });

  it('sorts sets as the policy digest does (DIG-2)', () => {
    expect(ruleDigest(ruleOf({ agents: { one_of: ['b', 'a'] } }))).toBe(ruleDigest(ruleOf({ agents: { one_of: ['a', 'b'] } })));
  });
});

describe('what a version number cannot say', () => {
  it('two policies of one version have two digests where one of them would also allow /etc/shadow', () => {
    const narrow: Policy = policyOf(ruleOf({ action: filesystem('/srv/**', ['read']) }));
    const wide: Policy = policyOf(...narrow.rules, ruleOf({ name: 'wide', action: filesystem('/etc/shadow', ['read']) }));
    expect(narrow.version).toBe(wide.version);
    expect(policyDigest(narrow)).not.toBe(policyDigest(wide));
  });
});
