import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSigner, generateKey, InMemoryPolicyEngine, type Policy } from '../../src/index.js';
import type { AuditEvent } from '../../src/engine/engine.js';
import { isPlain, preparePlain } from '../../src/receipt/decided.js';
import { type CallFacts, decisionStatement, prepareStatement } from '../../src/receipt/issue.js';
import { name, policyAndRequest } from '../property/arbitraries.js';

const signer = createSigner(generateKey());
const hash = `sha256:${'a'.repeat(64)}`;

function eventOf(policy: Policy | undefined, request: Parameters<InMemoryPolicyEngine['evaluate']>[0], engineId: string, time: number): AuditEvent {
  const engine = new InMemoryPolicyEngine({ engineId, now: () => time });
  if (policy !== undefined) engine.install(policy);
  return engine.evaluate(request);
}

const anyFacts: fc.Arbitrary<CallFacts> = fc.record(
  { callId: fc.constantFrom('call-0', '~', '!'.repeat(200)), argsDigest: fc.constant(hash), mapping: fc.constant(hash), enforced: fc.constant(false as const) },
  { requiredKeys: [] },
);
const anyTime = fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, 23, 24, 0xffff_ffff, 0x1_0000_0000, Number.MAX_SAFE_INTEGER));

describe('the fast way of a decision into a chain', () => {
  it('gives the bytes of the long way, for whatever an engine of our own decides', () => {
    fc.assert(
      fc.property(policyAndRequest, name, fc.boolean(), anyFacts, anyTime, anyTime, ({ policy, request }, engineId, isInstalled, facts, time, seq) => {
        const event = eventOf(isInstalled ? policy : undefined, request, engineId, time);
        expect(isPlain(event, facts)).toBe(true);
        const place = { seq: Math.max(1, seq), prev: hash };
        const long = prepareStatement({ ...place, ...decisionStatement(event, facts) }, signer);
        const fast = preparePlain(event, facts, place.seq, hash, signer);
        expect(Buffer.from(fast.sigStructure).equals(long.sigStructure)).toBe(true);
        expect(fast.hash()).toBe(long.hash());
      }),
      { numRuns: 400 },
    );
  });

  it('takes every kind of action, and every field of it', () => {
    const actions = [
      { filesystem: { path: '/a', method: 'read' } },
      { network: { host: 'example.com', port: 443 } },
      { network: { host: '::1', port: 1, method: 'GET' } },
      { process: { argv: ['sh', '-c', '\u00e9\u{1f600}'] } },
      { tool: { server: 'files', name: 'read' } },
    ] as const;
    const event = eventOf(undefined, { agent: 'a', actions }, 'e', 5);
    const long = prepareStatement({ seq: 1, prev: hash, ...decisionStatement(event) }, signer);
    expect(preparePlain(event, {}, 1, hash, signer).sigStructure).toEqual(long.sigStructure);
  });

  const asked = { agent: 'a', actions: [{ tool: { server: 's', name: 'n' } }] };
  const good = eventOf(undefined, asked, 'e', 5);
  it.each([
    ['an event of another engine', { ...good }, {}],
    ['a clock that gives no time', eventOf(undefined, asked, 'e', 1.5), {}],
    ['a clock before 1970', eventOf(undefined, asked, 'e', -1), {}],
    ['a call id that is empty', good, { callId: '' }],
    ['a call id beyond ASCII', good, { callId: '\u00e9' }],
    ['a call id with a space', good, { callId: 'a b' }],
    ['a call id that is none', good, { callId: 5 }],
    ['a long call id', good, { callId: 'a'.repeat(201) }],
    ['a digest that is none', good, { argsDigest: 'x' }],
    ['a mapping that is none', good, { mapping: [hash] }],
    ['an enforced that is not false', good, { enforced: true }],
  ])('is closed for %s, which the long way judges', (_, event, facts) => {
    expect(isPlain(event as AuditEvent, facts as CallFacts)).toBe(false);
  });
});
