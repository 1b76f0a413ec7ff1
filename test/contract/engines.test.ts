import { afterAll, describe, expect, it } from 'vitest';
import type { AuditEvent, PolicyEngine } from '../../src/engine/engine.js';
import { InMemoryPolicyEngine } from '../../src/engine/in-memory.js';
import { openEngine, openLedger } from '../../src/ledger/index.js';
import type { Policy, Request } from '../../src/policy/model.js';
import { type AnySigner, randomOf, signer, slowSigner } from '../ledger/kit.js';
import { MemoryDisk } from '../ledger/memory-disk.js';
import { clauses, engineContract, type Subject } from './engine-contract.js';
import { RemoteHost } from './remote-engine.js';

const inMemory: Subject = { open: (engineId) => new InMemoryPolicyEngine({ engineId }), hasDigest: true };
engineContract('InMemoryPolicyEngine, which answers at once', inMemory);

const host = new RemoteHost();
afterAll(async () => host.close());
const remote: Subject = { open: (engineId) => host.open(engineId), hasDigest: false };
engineContract('an engine in a worker thread, with promises and without a digest', remote);

/** Ledgers on a disk in memory, opened by the engine id that a clause asks for. */
const ofLedger = (by: AnySigner): Subject => ({
  open: async (engineId) => openEngine({ ledger: await openLedger('memory', { engineId, signer: by, store: new MemoryDisk(randomOf(1)) }) }),
  hasDigest: true,
});
engineContract('the engine of a ledger, which answers once it has written', ofLedger(signer));
engineContract('the engine of a ledger whose signer answers in its own time', ofLedger(slowSigner()));

describe('the engine in a worker thread', () => {
  it('answers with promises and has no way to ask for a digest', async () => {
    const engine = await remote.open('engine-a');
    const answer = engine.evaluate({ agent: 'a', actions: [{ tool: { server: 's', name: 'n' } }] });
    expect(answer).toBeInstanceOf(Promise);
    expect('policyDigest' in engine).toBe(false);
    await answer;
  });
});

/** An engine in memory with some of its answers spoiled. */
type Spoil = (engine: InMemoryPolicyEngine) => Partial<PolicyEngine>;

function spoiled(spoil: Spoil, hasDigest = true): Subject {
  return {
    hasDigest,
    open: (engineId) => {
      const engine = new InMemoryPolicyEngine({ engineId });
      const sound: PolicyEngine = {
        engineId,
        install: (policy) => engine.install(policy),
        evaluate: (request) => engine.evaluate(request),
        evaluateTraced: (request) => engine.evaluateTraced(request),
        policyDigest: () => engine.policyDigest(),
      };
      return { ...sound, ...spoil(engine) };
    },
  };
}

const events =
  (change: (event: AuditEvent, engine: InMemoryPolicyEngine) => AuditEvent): Spoil =>
  (engine) => ({
    evaluate: (request) => change(engine.evaluate(request), engine),
    evaluateTraced: (request) => {
      const { event, trace } = engine.evaluateTraced(request);
      return { event: change(event, engine), trace };
    },
  });
const frozen = <T extends object>(value: T): T => Object.freeze(value);
const without = (event: AuditEvent, key: 'policyDigest'): AuditEvent => {
  const { [key]: _, ...rest } = event;
  return frozen(rest);
};

type Broken = readonly [what: string, spoil: Spoil, clause: RegExp, hasDigest: boolean];
const broken: readonly Broken[] = (
  [
    ['gives another name in its events', events((event) => frozen({ ...event, engineId: 'other' })), /has the name/],
    [
      'allows before an install',
      events((event) =>
        event.policyVersion === undefined ? frozen({ ...event, decision: frozen({ effect: 'allow' as const, reason: 'no-policy' as const }) }) : event,
      ),
      /denies everything before an install/,
    ],
    [
      'denies a request that it should refuse',
      (engine) => ({
        evaluate: (request) => {
          try {
            return engine.evaluate(request);
          } catch {
            return frozen({ engineId: engine.engineId, time: 0, agent: 'a', actions: [], decision: { effect: 'deny', reason: 'no-rule' } }) as AuditEvent;
          }
        },
      }),
      /makes a request canonical/,
    ],
    [
      'records the request as it was spelled',
      (engine) => ({ evaluate: (request) => frozen({ ...engine.evaluate(request), actions: request.actions }) }),
      /makes a request canonical/,
    ],
    [
      'scans its allow rules first',
      (engine) => {
        const allowFirst = (policy: Policy): Policy => {
          const kept = policy.rules.filter(({ effect }) => effect === 'allow');
          return { version: policy.version, rules: kept.length > 0 ? kept : policy.rules };
        };
        return { install: (policy) => engine.install(allowFirst(policy)) };
      },
      /decides by the rules/,
    ],
    [
      'judges the first action alone',
      (engine) => {
        const cut = (request: Request): Request => ({ agent: request.agent, actions: request.actions.slice(0, 1) });
        return { evaluate: (request) => engine.evaluate(cut(request)), evaluateTraced: (request) => engine.evaluateTraced(cut(request)) };
      },
      /most restrictive/,
    ],
    ['gives an empty trace', (engine) => ({ evaluateTraced: (request) => ({ ...engine.evaluateTraced(request), trace: [] }) }), /trace of every rule/],
    [
      'takes an equal version',
      (engine) => {
        let raised = 0;
        return { install: (policy) => engine.install(policy.version === engine.policyVersion() ? { ...policy, version: policy.version + ++raised } : policy) };
      },
      /version that is equal or lower/,
    ],
    [
      'takes a lower version',
      (engine) => ({
        install: (policy) =>
          engine.install(policy.version < (engine.policyVersion() ?? 0) ? { ...policy, version: (engine.policyVersion() ?? 0) + 1 } : policy),
      }),
      /version that is equal or lower/,
    ],
    [
      'drops its policy when it refuses another',
      (engine) => {
        let inForce = engine;
        return {
          install: (policy) => {
            try {
              return inForce.install(policy);
            } catch (error) {
              inForce = new InMemoryPolicyEngine({ engineId: engine.engineId });
              throw error;
            }
          },
          evaluate: (request) => inForce.evaluate(request),
          evaluateTraced: (request) => inForce.evaluateTraced(request),
        };
      },
      /changes nothing when it refuses/,
    ],
    ['does not say what it replaced', (engine) => ({ install: (policy) => ({ version: engine.install(policy).version }) }), /what an install put in force/],
    [
      'reads its digest when an event is read',
      events((event, engine) => {
        const { policyDigest: _, ...rest } = event;
        return frozen(Object.defineProperty(rest, 'policyDigest', { get: () => engine.policyDigest(), enumerable: true }) as AuditEvent);
      }),
      /records the policy that decided/,
    ],
    [
      'has no digest in evaluateTraced',
      (engine) => ({
        evaluateTraced: (request) => {
          const { event, trace } = engine.evaluateTraced(request);
          return { event: without(event, 'policyDigest'), trace };
        },
      }),
      /omits a digest/,
    ],
    ['has an empty digest', events((event) => frozen({ ...event, policyDigest: '' })), /omits a digest/, false],
    ['has a digest that is null', events((event) => frozen({ ...event, policyDigest: null as unknown as string })), /omits a digest/, false],
    ['has a digest that is undefined by name', events((event) => frozen({ ...event, policyDigest: undefined as unknown as string })), /omits a digest/, false],
    [
      'names the digest that is in force when the answer arrives',
      (engine) => ({
        evaluate: async (request) => {
          const event = engine.evaluate(request);
          await null;
          await null;
          const digest = engine.policyDigest();
          return digest === undefined ? event : frozen({ ...event, policyDigest: digest });
        },
      }),
      /does not mix two policies/,
    ],
    ['hands out events that can be changed', events((event) => ({ ...event })), /deep frozen/],
    [
      'reads the request late',
      (engine) => ({
        evaluate: async (request) => {
          await null;
          return engine.evaluate(request);
        },
      }),
      /takes the request as it was/,
    ],
    [
      'copies the policy late',
      (engine) => ({
        install: async (policy) => {
          await null;
          return engine.install(policy);
        },
      }),
      /takes the policy as it was/,
    ],
    ['drops the fields that it does not know', (engine) => ({ install: ({ version, rules }) => engine.install({ version, rules }) }), /judges an object/],
  ] as readonly (readonly [string, Spoil, RegExp, boolean?])[]
).map(([what, spoil, clause, hasDigest = true]): Broken => [what, spoil, clause, hasDigest]);

describe('the contract catches an engine that', () => {
  it.each(broken)('%s', async (_, spoil, clause, hasDigest) => {
    const meant = clauses.filter(({ title }) => clause.test(title));
    expect(meant).toHaveLength(1);
    await expect(meant[0]?.check(spoiled(spoil, hasDigest))).rejects.toThrow();
    // and nothing but the spoiling is caught
    if (hasDigest) await expect(meant[0]?.check(spoiled(() => ({})))).resolves.toBeUndefined();
  });

  it.each(clauses.map(({ title }) => title))('is broken in one way at least: %s', (title) => {
    const untested = /keeps two engines apart/;
    expect(untested.test(title) || broken.some(([, , clause]) => clause.test(title))).toBe(true);
  });
});
