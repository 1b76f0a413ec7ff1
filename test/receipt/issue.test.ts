import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSigner, wrapKmsSigner } from '../../src/cose/signer.js';
import { policyDigest } from '../../src/digest/digest.js';
import type { AuditEvent } from '../../src/engine/engine.js';
import { InMemoryPolicyEngine } from '../../src/engine/in-memory.js';
import type { Policy } from '../../src/policy/model.js';
import { signReceipt, type CallFacts } from '../../src/receipt/issue.js';
import { readReceipt, receiptHash } from '../../src/receipt/read.js';
import { call, codeOf, connect, filesystem, policyOf, read, refusal, ruleOf, run, type Loose } from '../policy/kit.js';
import {
  bstr,
  cbor,
  codesOf,
  digest,
  entry,
  headerOf,
  key,
  kidOf,
  map,
  p256Key,
  policy,
  receipt,
  sigStructure,
  statement,
  time,
  trustOf,
  tstr,
  verify,
} from './kit.js';

const signer = createSigner(key);
const event: AuditEvent = {
  engineId: 'engine-a',
  time,
  agent: 'builder',
  actions: [read('/srv/a')],
  decision: { effect: 'allow', rule: 'srv', action: 0 },
  policyVersion: 1,
  policyDigest: digest,
  matchProfile: 'ruleprint-match/1',
};
const payloadOf = (bytes: Uint8Array): Uint8Array => {
  const { statement: said } = readReceipt(bytes);
  return cbor(said);
};
const engineOf = (installed?: Policy): InMemoryPolicyEngine => {
  const engine = new InMemoryPolicyEngine({ engineId: 'engine-a', now: () => time });
  if (installed !== undefined) engine.install(installed);
  return engine;
};

describe('a round trip', () => {
  it('makes the bytes of the chapter: tag, header, empty map, statement, signature', () => {
    expect(signReceipt(event, signer)).toEqual(receipt());
    expect(signReceipt(event, createSigner(p256Key)).subarray(0, -64)).toEqual(receipt({ by: p256Key }).subarray(0, -64));
  });

  it('goes from an engine over a receipt to a good report, decision included', () => {
    const engine = engineOf(policy);
    for (const actions of [
      [read('/srv//a/')],
      [read('/srv/keys/a')],
      [call('db', 'drop')],
      [run('ls')],
      [connect('EXAMPLE.com', 443, 'GET')],
      [read('/srv/a'), call('db', 'drop')],
    ]) {
      const signed = signReceipt(engine.evaluate({ agent: 'builder', actions }), signer);
      expect(verify(signed, { policies: [policy] })).toMatchObject({ ok: true, problems: [] });
      expect(signReceipt(engine.evaluateTraced({ agent: 'builder', actions }).event, signer)).toEqual(signed);
    }
  });

  it('says what the event said', () => {
    const { statement: said, alg, kid, hash } = readReceipt(signReceipt(event, signer, { callId: 'c', argsDigest: digest, mapping: digest, enforced: false }));
    expect({ ...said }).toEqual({ ...statement({ call_id: 'c', args_digest: digest, mapping: digest, enforced: false }) });
    expect({ alg, kid }).toEqual({ alg: 'Ed25519', kid: key.public.kid });
    expect(hash).toBe(receiptHash(signReceipt(event, signer, { callId: 'c', argsDigest: digest, mapping: digest, enforced: false })));
  });

  it('is the same bytes each time, by Ed25519', () => {
    expect(signReceipt(event, signer)).toEqual(signReceipt({ ...event }, createSigner(key)));
  });

  it('gives a promise where the signer does', async () => {
    const asynchronous = wrapKmsSigner({ key: key.public, sign: async (message) => signer.sign(message) });
    const promise = signReceipt(event, asynchronous);
    expect(promise).toBeInstanceOf(Promise);
    expect(await promise).toEqual(receipt());
  });
});

describe('RCP-1: what has no value is left out', () => {
  const facts: Record<keyof CallFacts, [Loose, string]> = {
    callId: ['c', 'call_id'],
    argsDigest: [digest, 'args_digest'],
    mapping: [digest, 'mapping'],
    enforced: [false, 'enforced'],
  };

  it.each(Object.entries(facts))('a receipt without %s is byte-identical to one made before the field existed', (name, [value, field]) => {
    const without = signReceipt(event, signer);
    expect(without).toEqual(receipt());
    expect(signReceipt(event, signer, { [name]: undefined } as Loose)).toEqual(without);
    expect(signReceipt(event, signer, {})).toEqual(without);
    // and with it the statement differs by exactly that key
    const { [field]: added, ...rest } = readReceipt(signReceipt(event, signer, { [name]: value } as Loose)).statement as Loose;
    expect(added).toBe(value);
    expect(cbor(rest)).toEqual(payloadOf(without));
  });

  it('a receipt of an engine without a digest is byte-identical to one made before the field existed (DEC-14)', () => {
    const { policyDigest: _, ...without } = event;
    expect(signReceipt(without, signer)).toEqual(receipt({ payload: cbor(statement({ policy_digest: undefined })) }));
    expect(signReceipt({ ...without, policyDigest: undefined } as Loose, signer)).toEqual(signReceipt(without, signer));
  });

  it('the digest adds exactly one key to a receipt, and changes no other byte of the statement', () => {
    const { policyDigest: _, ...without } = event;
    const bare = payloadOf(signReceipt(without, signer));
    const bound = payloadOf(signReceipt(event, signer));
    const added = [...tstr('policy_digest'), ...tstr(digest)];
    const at = Buffer.from(bound).indexOf(Buffer.from(added));
    expect(at).toBeGreaterThan(0);
    // the one other difference is the number of entries, in the first byte
    expect([...bound.subarray(1, at), ...bound.subarray(at + added.length)]).toEqual([...bare.subarray(1)]);
    expect((bound[0] as number) - (bare[0] as number)).toBe(1);
  });

  it('before an install version, digest and profile are all left out', () => {
    const signed = signReceipt(engineOf().evaluate({ agent: 'builder', actions: [read('/srv/a')] }), signer);
    expect(Object.keys(readReceipt(signed).statement).sort()).toEqual(['actions', 'agent', 'decision', 'engine_id', 'statement', 'time']);
    expect(verify(signed).ok).toBe(true);
  });

  it.each<[string, Loose]>([
    ['an empty digest', { policyDigest: '' }],
    ['a digest that is null', { policyDigest: null }],
    ['a digest without its name', { policyDigest: digest.slice(7) }],
    ['a version that is null', { policyVersion: null }],
    ['an empty profile', { matchProfile: '' }],
  ])('does not sign %s, because a blank binding looks like data', (_, change) => {
    expect(() => signReceipt({ ...event, ...change }, signer)).toThrow();
  });

  it.each<[string, Loose]>([
    ['an empty call id', { callId: '' }],
    ['an args digest that is no hash', { argsDigest: 'x' }],
    ['an empty mapping', { mapping: '' }],
    ['enforced: true', { enforced: true }],
  ])('does not sign %s', (_, extra) => {
    expect(() => signReceipt(event, signer, extra)).toThrow();
  });
});

describe('RCP-2: actions in canonical form', () => {
  it('records what the engine judged and not what was asked', () => {
    const made = engineOf(policy).evaluate({ agent: 'builder', actions: [read('/srv/./a//'), connect('[::FFFF:1.2.3.4]', 80)] });
    expect(readReceipt(signReceipt(made, signer)).statement).toMatchObject({ actions: [read('/srv/a'), connect('1.2.3.4', 80)] });
  });

  it.each<[string, Loose[], string]>([
    ['a path', [read('/srv/a/')], '/actions/0'],
    ['a host', [read('/srv/a'), connect('Example.com')], '/actions/1'],
    ['a path that no form is canonical of', [read('../a')], '/actions/0'],
  ])('does not sign an event of another engine whose %s is not canonical', (_, actions, pointer) => {
    const problem = refusal(() => signReceipt({ ...event, actions }, signer));
    expect(problem.code).toBe('action-not-canonical');
    expect(problem.pointer?.startsWith(pointer)).toBe(true);
  });
});

describe('RCP-3: the policy that decided', () => {
  it('stands in the receipt although another is in force when it is signed', () => {
    const engine = engineOf(policy);
    const made = engine.evaluate({ agent: 'builder', actions: [read('/srv/a')] });
    engine.install({ version: 2, rules: [] });
    const signed = signReceipt(made, signer);
    expect(readReceipt(signed).statement).toMatchObject({ policy_version: 1, policy_digest: policyDigest(policy), match_profile: 'ruleprint-match/1' });
    expect(verify(signed, { policies: [policy] }).ok).toBe(true);
    expect(codesOf(verify(signed, { policies: [{ version: 2, rules: [] }] }))).toEqual(['policy-missing']);
  });

  it('the headline: two engines at version 1, one of which would also allow /etc/shadow, give receipts that differ by their digest', () => {
    const wide = policyOf(...policy.rules, ruleOf({ name: 'shadow', action: filesystem('/etc/shadow', ['read']) }));
    const [a, b] = [policy, wide].map(
      (rules) => readReceipt(signReceipt(engineOf(rules).evaluate({ agent: 'builder', actions: [read('/srv/a')] }), signer)).statement,
    ) as [Loose, Loose];
    expect(a.policy_version).toBe(b.policy_version);
    expect(a.decision).toEqual(b.decision);
    expect({ ...a, policy_digest: '' }).toEqual({ ...b, policy_digest: '' });
    expect(a.policy_digest).not.toBe(b.policy_digest);
  });
});

describe('RCP-4: the receipt hash', () => {
  it('is SHA-256 over the Sig_structure', () => {
    const structure = sigStructure(headerOf(), cbor(statement()));
    expect(receiptHash(receipt())).toBe(`sha256:${createHash('sha256').update(structure).digest('hex')}`);
  });

  it('is not changed by what an outsider can vary: another signature over the same bytes', () => {
    const by = p256Key;
    const one = receipt({ by });
    const other = receipt({ by, signature: new Uint8Array(64) });
    expect(one).not.toEqual(other);
    expect(receiptHash(one)).toBe(receiptHash(other));
  });

  it('is changed by every byte of header and statement', () => {
    const hashes = [
      receipt(),
      receipt({ header: headerOf(key, -8) }),
      receipt({ header: headerOf(p256Key) }),
      receipt({ payload: cbor(statement({ time: time + 1 })) }),
    ].map(receiptHash);
    expect(new Set(hashes).size).toBe(4);
  });

  it('is refused for what is no receipt, rather than given for any bytes', () => {
    expect(codeOf(() => receiptHash(new Uint8Array()))).toBe('cbor-truncated');
    expect(codeOf(() => receiptHash(receipt({ unprotected: map([tstr('a'), bstr(new Uint8Array())]) })))).toBe('cose-header');
    expect(() => receiptHash('x' as Loose)).toThrow(TypeError);
  });
});

describe('RCP-5: signatures', () => {
  it('of Ed25519 are those of RFC 8032, so that the same receipt is the same bytes everywhere', () => {
    const signed = signReceipt(event, signer);
    expect(verify(signed).ok).toBe(true);
    expect(signed).toEqual(receipt());
  });

  it('of ESP256 are r || s with a low s, whatever the native signer gave', () => {
    const p256Trust = trustOf(entry(p256Key));
    const half = BigInt('0x7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8');
    for (let i = 0; i < 16; i++) {
      const signed = signReceipt({ ...event, time: time + i }, createSigner(p256Key));
      const s = BigInt(`0x${Buffer.from(signed.subarray(-32)).toString('hex')}`);
      expect(s <= half).toBe(true);
      expect(verify(signed, { trust: p256Trust }).ok).toBe(true);
    }
  });

  it.each<[string, Loose]>([
    ['63 bytes', new Uint8Array(63)],
    ['no bytes', new Uint8Array(0)],
    ['text', 'signed'],
    ['nothing', undefined],
  ])('are not taken from a signer that gives %s', (_, output) => {
    expect(codeOf(() => signReceipt(event, { alg: 'Ed25519', kid: kidOf(key), sign: () => output }))).toBe('signer-output');
  });

  it('are not made for an event that is no statement', () => {
    let signed = 0;
    const counting = {
      ...signer,
      sign: (message: Uint8Array) => {
        signed++;
        return signer.sign(message);
      },
    };
    for (const bad of [
      { agent: '' },
      { time: 1.5 },
      { time: -1 },
      { decision: { effect: 'allow' } },
      { decision: { effect: 'allow', reason: 'no-rule', action: 0 } },
      { actions: [] },
    ]) {
      expect(() => signReceipt({ ...event, ...bad } as Loose, counting)).toThrow();
    }
    expect(signed).toBe(0);
    signReceipt(event, counting);
    expect(signed).toBe(1);
  });
});
