/**
 * The laws hold for sound engines on random data, and each turns red on an engine that breaks it.
 * @module
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditEvent, PolicyEngine } from '../../src/engine/engine.js';
import { InMemoryPolicyEngine } from '../../src/engine/in-memory.js';
import { copyPolicy } from '../../src/policy/copy.js';
import type { Decision, Policy, Request } from '../../src/policy/model.js';
import * as testing from '../../src/testing/index.js';
import { call, policyOf, read, ruleOf, rulesOf, tool } from '../policy/kit.js';

const numRuns = Number(process.env['RULEPRINT_RUNS'] ?? 60);
const fresh = (): InMemoryPolicyEngine => new InMemoryPolicyEngine({ engineId: 'e', now: () => 0 });

/** A sound engine that answers later and cannot hash its rules. */
function later(): PolicyEngine {
  const engine = fresh();
  const answer = async <T>(value: T): Promise<T> => new Promise((resolve) => setImmediate(() => resolve(value)));
  const bare = ({ policyDigest: _, ...event }: AuditEvent): AuditEvent => Object.freeze(event);
  return {
    engineId: engine.engineId,
    install: async (policy) => answer({ version: engine.install(policy).version }),
    evaluate: async (request) => answer(bare(engine.evaluate(request))),
    evaluateTraced: async (request) => {
      const { event, trace } = engine.evaluateTraced(request);
      return answer({ event: bare(event), trace });
    },
  };
}

describe('checkLaws', () => {
  it('holds for the engine in memory', async () => testing.checkLaws(fresh, { numRuns }));

  it('holds for an engine with promises and without a digest', async () => testing.checkLaws(later, { numRuns }));

  it('may be given an engine by a promise', async () => testing.checkLaws(async () => fresh(), { numRuns: 2 }));

  it('is rejected with the law, the data and the seed', async () => {
    const broken = (): PolicyEngine => spoiled((event) => ({ ...event, decision: { effect: 'allow', rule: 'x', action: 0 } }));
    const failure = testing.checkLaws(broken, { numRuns: 20, seed: 7 });
    await expect(failure).rejects.toThrow(/seed: 7/);
    await expect(failure).rejects.toMatchObject({ cause: { name: 'LawError', law: expect.any(String) } });
  });
});

/** An engine that is ours but for what it says in its events. */
function spoiled(change: (event: AuditEvent, count: number, request: Request) => object, ways: 'both' | 'evaluate' | 'traced' = 'both'): PolicyEngine {
  const engine = fresh();
  let count = 0;
  return {
    engineId: 'e',
    install: (policy) => engine.install(policy),
    evaluate: (request) => {
      const event = engine.evaluate(request);
      return ways === 'traced' ? event : (change(event, count++, request) as AuditEvent);
    },
    evaluateTraced: (request) => {
      const { event, trace } = engine.evaluateTraced(request);
      return { event: ways === 'evaluate' ? event : (change(event, count++, request) as AuditEvent), trace };
    },
  };
}

describe('a law turns red', () => {
  const request: Request = { agent: 'a', actions: [call('s', 'n'), call('s', 'm')] };
  const policy: Policy = copyPolicy(policyOf(...rulesOf(['allow', tool('s', '*')], ['deny', tool('s', 'm')])));
  const allow: Decision = { effect: 'allow', rule: 'a', action: 0 };
  const decides =
    (decision: Decision) =>
    (event: AuditEvent): object => ({ ...event, decision });
  const same = { why: 'only the version differs', a: policy, b: copyPolicy({ ...policy, version: 2 }), same: true };
  const other = { why: 'one rule differs', a: policy, b: copyPolicy(policyOf(ruleOf({ name: 'x' }))), same: false };
  const pair = { why: 'another agent', a: request, b: { ...request, agent: 'b' } };
  const spelling = { given: { agent: 'a', actions: [read('/srv//a')] }, canonical: { agent: 'a', actions: [read('/srv/a')] } };
  const bad = { why: 'a relative path', request: { agent: 'a', actions: [read('a')] }, code: 'path-relative' } as const;

  const broken: readonly (readonly [what: string, law: () => Promise<void>, message: RegExp])[] = [
    ['allows without a policy', () => testing.lawNoPolicyDenies(spoiled(decides(allow)), request), /^no policy denies/],
    ['allows without a policy when it is traced', () => testing.lawNoPolicyDenies(spoiled(decides(allow), 'traced'), request), /^no policy denies/],
    [
      'cites an empty digest without a policy',
      () =>
        testing.lawNoPolicyDenies(
          spoiled((event) => ({ ...event, policyDigest: '' })),
          request,
        ),
      /the event has policyDigest/,
    ],
    ['allows by default', () => testing.lawDefaultDenies(spoiled(decides(allow)), request), /^default denies/],
    ['gives another reason by default', () => testing.lawDefaultDenies(spoiled(decides({ effect: 'deny', reason: 'no-policy' })), request), /^default denies/],
    [
      'changes its mind',
      () =>
        testing.lawDeterministic(
          spoiled((event, count) => (count % 2 ? { ...event, decision: allow } : event)),
          policy,
          request,
        ),
      /^deterministic/,
    ],
    ['decides otherwise when it is traced', () => testing.lawTraceAgrees(spoiled(decides(allow), 'evaluate'), policy, request), /evaluate says/],
    ['decides otherwise than its trace', () => testing.lawTraceAgrees(spoiled(decides(allow)), policy, request), /the trace gives/],
    [
      'leaves rules out of its trace',
      () => {
        const engine = fresh();
        return testing.lawTraceAgrees(
          {
            engineId: 'e',
            install: (each) => engine.install(each),
            evaluate: (each) => engine.evaluate(each),
            evaluateTraced: (each) => {
              const { event, trace } = engine.evaluateTraced(each);
              return { event, trace: trace.map(({ action, rules }) => ({ action, rules: rules.filter(({ matched }) => matched) })) };
            },
          },
          policy,
          request,
        );
      },
      /expected a line for each/,
    ],
    [
      'takes the first action for the whole call',
      () =>
        testing.lawMostRestrictive(
          spoiled((event) => (event.actions.length > 1 ? { ...event, decision: allow } : event)),
          policy,
          request,
        ),
      /^most restrictive/,
    ],
    ['scans allow before deny', () => testing.lawDenyWins(spoiled(decides(allow)), policy, request), /^deny wins/],
    [
      'denies for want of a rule where one denies',
      () => testing.lawDenyWins(spoiled(decides({ effect: 'deny', reason: 'no-rule', action: 0 })), policy, request),
      /^deny wins/,
    ],
    ['scans allow before ask', () => testing.lawAskBeatsAllow(spoiled(decides(allow)), policy, request), /^ask beats allow/],
    [
      'takes an equal version',
      () => {
        const engine = fresh();
        const install: PolicyEngine['install'] = (each) => (engine.policyVersion() === each.version ? { version: each.version } : engine.install(each));
        return testing.lawInstallRises({ ...spoiled((event) => event), install }, policy, request);
      },
      /expected version-equal/,
    ],
    [
      'calls a lower version equal',
      () => {
        const sound = spoiled((event) => event);
        const install: PolicyEngine['install'] = (each) => sound.install(each.version === 4 ? { ...each, version: 5 } : each);
        return testing.lawInstallRises({ ...sound, install }, policy, request);
      },
      /expected version-lower/,
    ],
    [
      'changes when it refuses',
      () => {
        let refusals = 0;
        const sound = spoiled((event) => (refusals > 0 ? { ...event, policyVersion: 4 } : event));
        const install: PolicyEngine['install'] = (each) => {
          try {
            return sound.install(each);
          } catch (error) {
            refusals++;
            throw error;
          }
        };
        return testing.lawInstallRises({ ...sound, install }, policy, request);
      },
      /a refused install changed/,
    ],
    [
      'reads the policy off itself when an event is looked at',
      () => {
        let version = 0;
        const sound = spoiled((event) => ({
          ...event,
          get policyVersion() {
            return version;
          },
        }));
        const install: PolicyEngine['install'] = (each) => {
          version = each.version;
          return sound.install(each);
        };
        return testing.lawEventKeepsItsPolicy({ ...sound, install }, policy, request);
      },
      /an event changed with a later install/,
    ],
    [
      'leaves the digest out when it is traced',
      () =>
        testing.lawEventKeepsItsPolicy(
          spoiled(({ policyDigest: _, ...event }) => event, 'traced'),
          policy,
          request,
        ),
      /evaluateTraced/,
    ],
    [
      'hands out events that can be changed',
      () =>
        testing.lawEventKeepsItsPolicy(
          spoiled((event) => ({ ...event })),
          policy,
          request,
        ),
      /deep frozen/,
    ],
    [
      'keeps what its caller may change',
      () => {
        let own = policy;
        const install = (each: Policy) => {
          own = each;
          return { version: each.version };
        };
        const now = (asked: Request): AuditEvent => {
          const engine = fresh();
          engine.install({ version: 1, rules: own.rules });
          return engine.evaluate(asked);
        };
        return testing.lawKeepsCopies(
          { engineId: 'e', install, evaluate: now, evaluateTraced: (asked) => ({ event: now(asked), trace: [] }) },
          policy,
          request,
        );
      },
      /the caller's policy changed/,
    ],
    [
      'reads the request late',
      () => {
        const sound = spoiled((event) => event);
        const evaluate = async (asked: Request): Promise<AuditEvent> => {
          const { agent } = asked;
          const actions = [...asked.actions];
          await null;
          return sound.evaluate({ agent: asked.agent === agent ? agent : asked.agent, actions });
        };
        return testing.lawKeepsCopies({ ...sound, evaluate }, policy, request);
      },
      /the caller's request changed/,
    ],
    [
      'takes the version for the rules',
      () => {
        const byVersion = () => spoiled((event) => ({ ...event, policyDigest: `sha256:${String(event.policyVersion).padStart(64, '0')}` }));
        return testing.lawDigestNamesRules([byVersion(), byVersion()], same, request);
      },
      /expected one digest/,
    ],
    [
      'has one digest for all rules',
      () => {
        const one = () => spoiled((event) => ({ ...event, policyDigest: `sha256:${'0'.repeat(64)}` }));
        return testing.lawDigestNamesRules([one(), one()], other, request);
      },
      /expected two digests/,
    ],
    [
      'has an empty digest',
      () => {
        const empty = () => spoiled((event) => ({ ...event, policyDigest: '' }));
        return testing.lawDigestNamesRules([empty(), empty()], same, request);
      },
      /expected a digest or none/,
    ],
    [
      'has a digest that is undefined by name',
      () => {
        const unnamed = () => spoiled((event) => ({ ...event, policyDigest: undefined }));
        return testing.lawDigestNamesRules([unnamed(), unnamed()], same, request);
      },
      /expected a digest or none/,
    ],
    [
      'leaves the digest out of one way to ask',
      () => {
        const half = () => spoiled(({ policyDigest: _, ...event }) => event, 'evaluate');
        return testing.lawDigestNamesRules([half(), half()], same, request);
      },
      /evaluate gives undefined/,
    ],
    [
      'names another digest than its events',
      () => {
        const two = () => ({ ...spoiled((event) => event), policyDigest: () => `sha256:${'0'.repeat(64)}` });
        return testing.lawDigestNamesRules([two(), two()], same, request);
      },
      /the engine has/,
    ],
    [
      'denies a request that it should refuse',
      () => {
        const sound = spoiled((event) => event);
        const evaluate: PolicyEngine['evaluate'] = (asked) => {
          try {
            return sound.evaluate(asked);
          } catch {
            return { engineId: 'e', time: 0, agent: 'a', actions: [], decision: { effect: 'deny', reason: 'not-canonical' } };
          }
        };
        return testing.lawBadRequestRefused({ ...sound, evaluate }, bad);
      },
      /^bad request refused: a relative path, without a policy: expected path-relative, got none/,
    ],
    [
      'refuses a request only where there is a policy',
      () => {
        const sound = spoiled((event) => event);
        let installed = false;
        const install: PolicyEngine['install'] = (each) => {
          installed = true;
          return sound.install(each);
        };
        const evaluate: PolicyEngine['evaluate'] = (asked) =>
          installed ? ({ engineId: 'e', time: 0, ...asked, decision: allow } as AuditEvent) : sound.evaluate(asked);
        return testing.lawBadRequestRefused({ ...sound, install, evaluate }, bad);
      },
      /under a policy that allows all/,
    ],
    [
      'records the spelling',
      () =>
        testing.lawSpellingIsNothing(
          spoiled((event, _, asked) => ({ ...event, actions: asked.actions })),
          policy,
          spelling,
        ),
      /^spelling is nothing/,
    ],
    [
      'decides by the spelling',
      () =>
        testing.lawSpellingIsNothing(
          spoiled((event, _, asked) => (JSON.stringify(asked).includes('//') ? { ...event, decision: allow } : event)),
          policy,
          spelling,
        ),
      /^spelling is nothing/,
    ],
    [
      'records another agent',
      () =>
        testing.lawEventNamesRequest(
          spoiled((event) => ({ ...event, agent: 'a' })),
          policy,
          pair,
        ),
      /^event names request: another agent/,
    ],
    [
      'records the first action alone',
      () =>
        testing.lawEventNamesRequest(
          spoiled((event) => ({ ...event, actions: event.actions.slice(0, 1) })),
          policy,
          pair,
        ),
      /^event names request/,
    ],
  ];

  it.each(broken)('on an engine that %s', async (_, law, message) => {
    const failure = await law().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(testing.LawError);
    expect((failure as testing.LawError).message).toMatch(message);
  });

  it('is shown for every law that there is', () => {
    const laws = Object.keys(testing).filter((name) => /^law[A-Z]/.test(name));
    const shown = broken.map(([, law]) => String(law)).join('\n');
    expect(laws.length).toBeGreaterThan(12);
    expect(laws.filter((name) => !shown.includes(name))).toEqual([]);
  });

  it('and not on a sound engine with the same data', async () => {
    await testing.lawNoPolicyDenies(fresh(), request);
    await testing.lawDefaultDenies(fresh(), request);
    for (const law of [
      testing.lawDeterministic,
      testing.lawTraceAgrees,
      testing.lawMostRestrictive,
      testing.lawDenyWins,
      testing.lawAskBeatsAllow,
      testing.lawInstallRises,
      testing.lawEventKeepsItsPolicy,
      testing.lawKeepsCopies,
    ]) {
      for (const engine of [fresh(), later()]) await law(engine, policy, request);
    }
    await testing.lawDigestNamesRules([fresh(), fresh()], same, request);
    await testing.lawDigestNamesRules([fresh(), fresh()], other, request);
    await testing.lawDigestNamesRules([later(), later()], other, request);
    await testing.lawBadRequestRefused(fresh(), bad);
    await testing.lawSpellingIsNothing(fresh(), policy, spelling);
    await testing.lawEventNamesRequest(fresh(), policy, pair);
  });

  it('by a property, with the usual line of fast-check', async () => {
    const run = fc.assert(
      fc.asyncProperty(testing.policies(), testing.requests(), (each, asked) => testing.lawDenyWins(spoiled(decides(allow)), each, asked)),
      { numRuns: 5 },
    );
    await expect(run).rejects.toThrow(/Property failed/);
  });
});
