/**
 * The laws hold for our engine on random data, and each turns red on an engine that breaks it.
 * @module
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditEvent, PolicyEngine } from '../../src/engine/engine.js';
import { InMemoryPolicyEngine } from '../../src/engine/in-memory.js';
import { copyPolicy } from '../../src/policy/copy.js';
import type { Policy, Request } from '../../src/policy/model.js';
import * as testing from '../../src/testing/index.js';

const runs = { numRuns: Number(process.env['RULEPRINT_RUNS'] ?? 60) };
const fresh = (): InMemoryPolicyEngine => new InMemoryPolicyEngine({ engineId: 'e', now: () => 0 });
const { nearMisses, policies, requests } = testing;

const withPolicy = {
  lawDeterministic: testing.lawDeterministic,
  lawTraceAgrees: testing.lawTraceAgrees,
  lawMostRestrictive: testing.lawMostRestrictive,
  lawDenyWins: testing.lawDenyWins,
  lawInstallRises: testing.lawInstallRises,
  lawEventKeepsItsPolicy: testing.lawEventKeepsItsPolicy,
};

describe('laws', () => {
  it.each(Object.entries(withPolicy))('%s holds for the engine in memory', async (_, law) => {
    await fc.assert(
      fc.asyncProperty(policies(), requests(), (policy, request) => law(fresh(), policy, request)),
      runs,
    );
  });

  it('lawNoPolicyDenies, lawDefaultDenies and lawDigestNamesRules hold for the engine in memory', async () => {
    await fc.assert(
      fc.asyncProperty(requests(), nearMisses, async (request, pair) => {
        await testing.lawNoPolicyDenies(fresh(), request);
        await testing.lawDefaultDenies(fresh(), request);
        await testing.lawDigestNamesRules([fresh(), fresh()], pair, request);
      }),
      runs,
    );
  });

  it('draw policies and requests that meet: allows, asks and denies by rule all come often', () => {
    const seen = { allow: 0, ask: 0, deny: 0, none: 0 };
    fc.assert(
      fc.property(policies(), requests({ maxActions: 1 }), (policy, request) => {
        const engine = fresh();
        engine.install(policy);
        const { decision } = engine.evaluate(request);
        seen[decision.rule === undefined ? 'none' : decision.effect]++;
      }),
      { numRuns: 2000, seed: 1 },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(60);
  });
});

describe('a law turns red', () => {
  const request: Request = { agent: 'a', actions: [{ tool: { server: 's', name: 'n' } }, { tool: { server: 's', name: 'm' } }] };
  const policy: Policy = copyPolicy({
    version: 1,
    rules: [
      { name: 'yes', effect: 'allow', agents: 'any', action: { tool: { server: 's', name: '*' } } },
      { name: 'no', effect: 'deny', agents: 'any', action: { tool: { server: 's', name: 'm' } } },
    ],
  });

  /** An engine that is ours but for what it says in its events. */
  function broken(change: (event: AuditEvent, count: number) => object, traced: 'too' | 'not' = 'too'): PolicyEngine {
    const engine = fresh();
    let count = 0;
    return {
      engineId: 'e',
      install: (each) => engine.install(each),
      evaluate: (each) => change(engine.evaluate(each), count++) as AuditEvent,
      evaluateTraced: (each) => {
        const { event, trace } = engine.evaluateTraced(each);
        return { event: traced === 'too' ? (change(event, count++) as AuditEvent) : event, trace };
      },
    };
  }
  const allow = { effect: 'allow', rule: 'yes', action: 0 } as const;

  it('on an engine that allows without a policy', async () => {
    await expect(testing.lawNoPolicyDenies(broken((event) => ({ ...event, decision: allow })), request)).rejects.toThrow(/^no policy denies/);
    await expect(testing.lawNoPolicyDenies(broken((event) => ({ ...event, policyDigest: '' })), request)).rejects.toThrow(/policyDigest/);
  });

  it('on an engine that allows by default', async () => {
    await expect(testing.lawDefaultDenies(broken((event) => ({ ...event, decision: allow })), request)).rejects.toThrow(/^default denies/);
  });

  it('on an engine that changes its mind', async () => {
    await expect(testing.lawDeterministic(broken((event, count) => (count % 2 ? { ...event, decision: allow } : event)), policy, request)).rejects.toThrow(/^deterministic/);
  });

  it('on an engine whose trace says another thing', async () => {
    await expect(testing.lawTraceAgrees(broken((event) => ({ ...event, decision: allow }), 'not'), policy, request)).rejects.toThrow(/^trace agrees/);
    await expect(testing.lawTraceAgrees(broken((event) => ({ ...event, decision: allow })), policy, request)).rejects.toThrow(/the trace gives/);
  });

  it('on an engine that takes the first action for the whole call', async () => {
    const first = broken((event) => ({ ...event, decision: event.actions.length > 1 ? allow : event.decision }));
    await expect(testing.lawMostRestrictive(first, policy, request)).rejects.toThrow(/^most restrictive/);
  });

  it('on an engine that scans allow before deny', async () => {
    await expect(testing.lawDenyWins(broken((event) => ({ ...event, decision: allow })), policy, request)).rejects.toThrow(/^deny wins/);
  });

  it('on an engine that takes an equal version', async () => {
    const engine = fresh();
    const lax: PolicyEngine = { ...broken((event) => event), install: (each) => (engine.policyVersion() === each.version ? { version: each.version } : engine.install(each)) };
    await expect(testing.lawInstallRises(lax, policy, request)).rejects.toThrow(/expected version-equal/);
  });

  it('on an engine that reads the policy off itself when the event is looked at', async () => {
    const engine = fresh();
    const late = (event: AuditEvent): AuditEvent => ({ ...event, get policyVersion() { return engine.policyVersion() as number; } }); // prettier-ignore
    const lazy: PolicyEngine = {
      engineId: 'e',
      install: (each) => engine.install(each),
      evaluate: (each) => late(engine.evaluate(each)),
      evaluateTraced: (each) => engine.evaluateTraced(each),
    };
    await expect(testing.lawEventKeepsItsPolicy(lazy, policy, request)).rejects.toThrow(/^event keeps its policy/);
  });

  it('on an engine whose digest is the version, or empty', async () => {
    const pair = { why: 'only the version differs', a: policy, b: copyPolicy({ ...policy, version: 2 }), same: true };
    const byVersion = () => broken((event) => ({ ...event, policyDigest: `sha256:${String(event.policyVersion).padStart(64, '0')}` }));
    await expect(testing.lawDigestNamesRules([byVersion(), byVersion()], pair, request)).rejects.toThrow(/expected one digest/);
    const empty = () => broken((event) => ({ ...event, policyDigest: '' }));
    await expect(testing.lawDigestNamesRules([empty(), empty()], pair, request)).rejects.toThrow(/expected a digest or none/);
  });
});
