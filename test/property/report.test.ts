import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyPolicy, type Policy as CopiedPolicy } from '../../src/index.js';
import { parseTrustStore, verifyReceipt } from '../../src/receipt/index.js';
import type { Cbor } from '../reference/cbor.js';
import type { Action, Decision, Policy } from '../reference/decide.js';
import type { Event } from '../reference/receipt.js';
import * as receipts from '../reference/receipt.js';
import { report, type Trusted } from '../reference/report.js';
import { runs } from './agreement.js';
import { spelledAction } from './arbitraries.js';
import { ed25519, event, p256, stranger } from './receipts.js';

const role = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Trusted['role']>('engine') },
  { weight: 1, arbitrary: fc.constantFrom<Trusted['role'][]>('installer', 'approver', 'harness', 'auditor') },
);

/** Times near each other, so that windows open, close and touch. */
const time = fc.nat(4);

/** By name, so that a failure is printed short. */
const keys = { ed25519, p256, stranger };

const trustedOf = (key: keyof typeof keys) =>
  fc
    .record(
      {
        key: fc.constant(key),
        role,
        engine_ids: fc.oneof(
          { weight: 3, arbitrary: fc.constant(['engine-a', 'constructor', '__proto__', '\u{10000}']) },
          { weight: 1, arbitrary: fc.constantFrom(['engine-b'], ['engine-a'], ['Engine-a', 'engine-a ']) },
        ),
        valid_from: fc.oneof(fc.constant(0), time),
        valid_until: fc.oneof(fc.constant(5), time),
        revoked_at: fc.oneof(fc.constant(5), time),
        revoked_from_seq: fc.constantFrom({ 'engine-a': 1 }, { 'engine-a': 2, 'engine-b': 9 }, { 'engine-b': 9 }),
      },
      { requiredKeys: ['key', 'role', 'engine_ids'], noNullPrototype: true },
    )
    // refused at the door (RCP-9)
    .filter((entry) => entry.revoked_from_seq === undefined || entry.revoked_at !== undefined);

/** What the engine says instead of the truth, or beside it. */
interface Twist {
  readonly kind: string;
  readonly number: number;
  readonly seq: number | null;
  readonly spelled: Action;
}

function twisted(said: Event, { kind, number, spelled }: Twist, policy: Policy): Event {
  const { policyVersion: _, policyDigest: __, matchProfile: ___, ...unbound } = said;
  const tool: Action = { tool: { server: 's', name: 'n' } };
  const decisions: Record<string, Decision> = {
    effect: { ...said.decision, effect: 'deny' },
    rule: { effect: 'allow', rule: policy.rules[number % Math.max(1, policy.rules.length)]?.name ?? 'r', action: 0 },
    'no-rule': { effect: 'deny', reason: 'no-rule', action: number % said.actions.length },
  };
  const decision = decisions[kind];
  if (decision !== undefined) return { ...said, decision };
  if (kind === 'profile') return said.policyVersion === undefined ? said : { ...said, matchProfile: 'ruleprint-match/2' };
  if (kind === 'digest') return said.policyVersion === undefined ? said : { ...said, policyDigest: `sha256:${'0'.repeat(64)}` };
  if (kind === 'fault')
    return { ...unbound, actions: number % 2 === 0 ? [] : [tool], decision: { effect: 'deny', reason: number % 3 === 0 ? 'fault' : 'unmapped' } };
  if (kind === 'no-policy') return { ...unbound, decision: { effect: 'deny', reason: 'no-policy' } };
  // An action as the caller spelled it, not as it was decided.
  if (kind === 'spelled') return { ...said, actions: said.actions.map((action, index) => (index === number % said.actions.length ? spelled : action)) };
  if (kind === 'agent') return { ...said, agent: 'another' };
  return said;
}

describe('report: src against the reference', () => {
  it('answers signature, key trust, rules and re-decision alike (RCP-20 to RCP-24)', () => {
    const twist: fc.Arbitrary<Twist> = fc.record({
      kind: fc.oneof(
        { weight: 1, arbitrary: fc.constant('none') },
        { weight: 2, arbitrary: fc.constantFrom('effect', 'rule', 'no-rule', 'profile', 'digest', 'fault', 'no-policy', 'spelled', 'agent') },
      ),
      number: fc.nat(8),
      seq: fc.option(fc.nat(3), { freq: 2 }),
      spelled: spelledAction,
    });
    const stores = fc.tuple(trustedOf('ed25519'), trustedOf('p256')).chain((both) => fc.subarray(both, { minLength: 1 }));
    const hand = fc.constantFrom('right', 'none', 'other', 'both', 'unasked');
    fc.assert(
      fc.property(
        event,
        twist,
        time,
        fc.constantFrom<(keyof typeof keys)[]>('ed25519', 'p256', 'stranger'),
        stores,
        hand,
        ({ event: honest, policy }, change, at, by, trusting, kind) => {
          const key = keys[by];
          const store = trusting.map((one): Trusted => ({ ...one, key: keys[one.key] }));
          const said = { ...twisted(honest, change, policy), time: at, ...(change.number > 1 ? { engineId: 'engine-a' } : {}) };
          const statement = new Map<number | string, Cbor>(receipts.statementOf(said));
          if (change.seq !== null) statement.set('seq', change.seq);
          if (change.seq !== null && change.seq > 0) statement.set('prev', `sha256:${'0'.repeat(64)}`);
          const receipt = receipts.signedOver(key, receipts.encoded(receipts.headerOf(key)), receipts.encoded(statement));
          const other: Policy = { version: 1, rules: [] };
          const policies = { right: [policy], none: [], other: [other], both: [other, policy], unasked: undefined }[kind];
          const trust = parseTrustStore(JSON.stringify({ keys: store.map(({ key: one, ...rest }) => ({ ...rest, key: one.publicJwk })) }));
          const answer = verifyReceipt(receipt, {
            trust,
            ...(policies === undefined ? {} : { policies: policies.map((one): CopiedPolicy => copyPolicy(one)) }),
          });
          const expected = report(receipt, store, policies);
          const told = (axis: 'bytes' | 'signature' | 'key-trust' | 'rules' | 're-decision'): string => {
            const { status, code } = answer.axes[axis];
            // Why a thing is not checked has a code only where the chapter gives one.
            return `${axis} ${status} ${expected[axis].code === undefined ? '' : code}`;
          };
          const axes = ['bytes', 'signature', 'key-trust', 'rules', 're-decision'] as const;
          expect(axes.map(told)).toEqual(axes.map((axis) => `${axis} ${expected[axis].status} ${expected[axis].code ?? ''}`));
          expect(answer.ok).toBe(expected.ok);
          for (const axis of ['order', 'completeness', 'timeline', 'approvals'] as const) expect(answer.axes[axis].status).toBe('not-checked');
        },
      ),
      runs(2),
    );
  });
});
