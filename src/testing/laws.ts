/**
 * The laws of deciding, as functions over any engine, with promises or without: for the property-based suites of whoever implements one.
 *
 * Each takes an engine without a policy and data, and its promise is rejected with a `LawError` that says which law does not hold and for what.
 * @module
 */
import type { AuditEvent, PolicyEngine } from '../engine/engine.js';
import { copyPolicy } from '../policy/copy.js';
import { type Decision, effects, type Policy, type Request } from '../policy/model.js';
import type { NearMiss } from './arbitraries.js';
import type { BadRequest, RequestPair, Spelling } from './request-pairs.js';

/** A law that an engine does not keep. */
export class LawError extends Error {
  override readonly name = 'LawError';
  readonly law: string;

  constructor(law: string, message: string) {
    super(`${law}: ${message}`);
    this.law = law;
  }
}

function demand(holds: boolean, law: string, message: () => string): void {
  if (!holds) throw new LawError(law, message());
}

const shown = (value: unknown): string => JSON.stringify(value);

/** The events of both ways to ask: what holds for one holds for the other. */
async function eventsOf(engine: PolicyEngine, request: Request): Promise<readonly [AuditEvent, AuditEvent]> {
  return [await engine.evaluate(request), (await engine.evaluateTraced(request)).event];
}

/**
 * Before any policy everything is denied, and the event cites none (DEC-5, DEC-14).
 *
 * @example
 * await fc.assert(fc.asyncProperty(requests(), (request) => lawNoPolicyDenies(new MyEngine(), request)));
 */
export async function lawNoPolicyDenies(engine: PolicyEngine, request: Request): Promise<void> {
  for (const event of await eventsOf(engine, request)) {
    demand(event.decision.effect === 'deny' && event.decision.reason === 'no-policy', 'no policy denies', () => `got ${shown(event.decision)}`);
    const cited = ['policyVersion', 'policyDigest', 'matchProfile'].filter((field) => field in event);
    demand(cited.length === 0, 'no policy denies', () => `the event has ${cited.join(', ')}`);
  }
}

/**
 * A request that cannot be made canonical is refused with its code, without a policy and under one that would allow it (DEC-3).
 *
 * @example
 * await fc.assert(fc.asyncProperty(badRequests, (bad) => lawBadRequestRefused(new MyEngine(), bad)));
 */
export async function lawBadRequestRefused(engine: PolicyEngine, { why, request, code }: BadRequest): Promise<void> {
  const check = async (when: string): Promise<void> => {
    for (const ask of [() => engine.evaluate(request), () => engine.evaluateTraced(request)]) {
      const got = await codeOf(ask);
      demand(got === code, 'bad request refused', () => `${why}, ${when}: expected ${code}, got ${got}`);
    }
  };
  await check('without a policy');
  await engine.install(allOf('allow', 1, []));
  await check('under a policy that allows all');
}

/**
 * The spelling of a request changes neither the decision nor what is recorded (DEC-3).
 *
 * @example
 * await fc.assert(fc.asyncProperty(policies(), spellings, (policy, spelling) => lawSpellingIsNothing(new MyEngine(), policy, spelling)));
 */
export async function lawSpellingIsNothing(engine: PolicyEngine, policy: Policy, { given, canonical }: Spelling): Promise<void> {
  await engine.install(policy);
  const [expected] = await eventsOf(engine, canonical);
  for (const event of await eventsOf(engine, given)) {
    demand(
      sameDecision(event.decision, expected.decision),
      'spelling is nothing',
      () => `${shown(canonical)} is ${shown(expected.decision)}, ${shown(given)} is ${shown(event.decision)}`,
    );
    demand(sameActions(event, canonical), 'spelling is nothing', () => `expected ${shown(canonical.actions)} in the event, got ${shown(event.actions)}`);
  }
}

/**
 * An event records the request that was judged: two requests that differ give two events that differ.
 *
 * @example
 * await fc.assert(fc.asyncProperty(policies(), requestPairs, (policy, pair) => lawEventNamesRequest(new MyEngine(), policy, pair)));
 */
export async function lawEventNamesRequest(engine: PolicyEngine, policy: Policy, { why, a, b }: RequestPair): Promise<void> {
  await engine.install(policy);
  for (const request of [a, b]) {
    for (const event of await eventsOf(engine, request)) {
      const isNamed = event.agent === request.agent && sameActions(event, request) && event.engineId === engine.engineId;
      demand(isNamed, 'event names request', () => `${why}: ${shown(request)} is recorded as ${shown([event.agent, event.actions])}`);
    }
  }
}

/**
 * The same request under the same policy has the same decision (DEC-6).
 *
 * @example
 * await fc.assert(fc.asyncProperty(policies(), requests(), (policy, request) => lawDeterministic(new MyEngine(), policy, request)));
 */
export async function lawDeterministic(engine: PolicyEngine, policy: Policy, request: Request): Promise<void> {
  await engine.install(policy);
  const [first, second] = [await engine.evaluate(request), await engine.evaluate(request)];
  demand(shown(first.decision) === shown(second.decision), 'deterministic', () => `got ${shown(first.decision)}, then ${shown(second.decision)}`);
}

/**
 * `evaluateTraced` decides as `evaluate` does, and its trace bears the decision out: a line for every rule of the policy (DEC-11).
 *
 * @example
 * await fc.assert(fc.asyncProperty(policies(), requests(), (policy, request) => lawTraceAgrees(new MyEngine(), policy, request)));
 */
export async function lawTraceAgrees(engine: PolicyEngine, policy: Policy, request: Request): Promise<void> {
  await engine.install(policy);
  const { decision } = await engine.evaluate(request);
  const { event, trace } = await engine.evaluateTraced(request);
  demand(shown(event.decision) === shown(decision), 'trace agrees', () => `evaluate says ${shown(decision)}, evaluateTraced ${shown(event.decision)}`);
  const names = shown(policy.rules.map(({ name }) => name));
  demand(trace.length === request.actions.length, 'trace agrees', () => `expected a trace of ${request.actions.length} actions, got ${trace.length}`);
  for (const { rules } of trace) {
    demand(shown(rules.map(({ rule }) => rule)) === names, 'trace agrees', () => `expected a line for each of ${names}, got ${shown(rules)}`);
    const odd = rules.find(({ matched, failed }) => matched === (failed !== undefined));
    demand(odd === undefined, 'trace agrees', () => `expected what failed exactly where a rule did not match, got ${shown(odd)}`);
  }
  const remade = strictest(
    trace.map(({ action, rules }): Decision => {
      for (const effect of effects) {
        const found = rules.find((rule) => rule.matched && rule.effect === effect);
        if (found !== undefined) return { effect, rule: found.rule, action };
      }
      return { effect: 'deny', action, reason: 'no-rule' };
    }),
  );
  demand(sameDecision(remade, decision), 'trace agrees', () => `the trace gives ${shown(remade)}, the decision is ${shown(decision)}`);
}

/**
 * A request of several actions is decided as its most restrictive action is alone, the first of these (DEC-7).
 *
 * @example
 * await fc.assert(fc.asyncProperty(policies(), requests(), (policy, request) => lawMostRestrictive(new MyEngine(), policy, request)));
 */
export async function lawMostRestrictive(engine: PolicyEngine, policy: Policy, request: Request): Promise<void> {
  await engine.install(policy);
  const alone: Decision[] = [];
  for (const [action, each] of request.actions.entries()) {
    const { decision } = await engine.evaluate({ agent: request.agent, actions: [each] });
    alone.push({ ...decision, action });
  }
  const expected = strictest(alone);
  for (const { decision } of await eventsOf(engine, request)) {
    demand(sameDecision(decision, expected), 'most restrictive', () => `alone ${shown(expected)}, together ${shown(decision)}`);
  }
}

/**
 * Rules that deny everything, put last, deny everything: no rule before them can help (DEC-6).
 *
 * @example
 * await fc.assert(fc.asyncProperty(policies(), requests(), (policy, request) => lawDenyWins(new MyEngine(), policy, request)));
 */
export async function lawDenyWins(engine: PolicyEngine, policy: Policy, request: Request): Promise<void> {
  await engine.install(allOf('deny', policy.version, policy.rules));
  for (const { decision } of await eventsOf(engine, request))
    demand(decision.effect === 'deny' && decision.rule !== undefined, 'deny wins', () => `got ${shown(decision)}`);
}

/**
 * Rules that ask for everything, put last, leave nothing allowed: an ask beats an allow that stands before it (DEC-6).
 *
 * @example
 * await fc.assert(fc.asyncProperty(policies(), requests(), (policy, request) => lawAskBeatsAllow(new MyEngine(), policy, request)));
 */
export async function lawAskBeatsAllow(engine: PolicyEngine, policy: Policy, request: Request): Promise<void> {
  await engine.install(allOf('ask', policy.version, policy.rules));
  for (const { decision } of await eventsOf(engine, request))
    demand(decision.effect !== 'allow' && decision.rule !== undefined, 'ask beats allow', () => `got ${shown(decision)}`);
}

/**
 * Without rules nothing is allowed, and without allow rules neither (DEC-6).
 *
 * @example
 * await fc.assert(fc.asyncProperty(requests(), (request) => lawDefaultDenies(new MyEngine(), request)));
 */
export async function lawDefaultDenies(engine: PolicyEngine, request: Request): Promise<void> {
  await engine.install(copyPolicy({ version: 1, rules: [] }));
  for (const { decision } of await eventsOf(engine, request)) {
    demand(decision.effect === 'deny' && decision.reason === 'no-rule' && decision.action === 0, 'default denies', () => `got ${shown(decision)}`);
  }
}

/**
 * An install that does not rise is refused and changes nothing (DEC-12).
 *
 * @example
 * await fc.assert(fc.asyncProperty(policies(), requests(), (policy, request) => lawInstallRises(new MyEngine(), policy, request)));
 */
export async function lawInstallRises(engine: PolicyEngine, policy: Policy, request: Request): Promise<void> {
  await engine.install(copyPolicy({ ...policy, version: 5 }));
  const before = await engine.evaluate(request);
  for (const [version, code] of [
    [5, 'version-equal'],
    [4, 'version-lower'],
  ] as const) {
    const got = await codeOf(() => engine.install(copyPolicy({ version, rules: [] })));
    demand(got === code, 'install rises', () => `expected ${code} for version ${version} after 5, got ${got}`);
  }
  const after = await engine.evaluate(request);
  demand(shown(cited(before)) === shown(cited(after)), 'install rises', () => `a refused install changed ${shown(cited(before))} to ${shown(cited(after))}`);
}

/**
 * An event says which policy decided, whatever is installed later, and nobody can change it (DEC-13).
 *
 * @example
 * await fc.assert(fc.asyncProperty(policies(), requests(), (policy, request) => lawEventKeepsItsPolicy(new MyEngine(), policy, request)));
 */
export async function lawEventKeepsItsPolicy(engine: PolicyEngine, policy: Policy, request: Request): Promise<void> {
  await engine.install(copyPolicy({ ...policy, version: 1 }));
  const events = await eventsOf(engine, request);
  const then = events.map((event) => shown(event));
  const [first, second] = events.map(({ policyVersion, policyDigest, matchProfile }) => shown([policyVersion, policyDigest, matchProfile]));
  demand(first === second, 'event keeps its policy', () => `evaluate cites ${first}, evaluateTraced ${second}`);
  await engine.install(copyPolicy({ version: 2, rules: [] }));
  demand(
    events.every((event, i) => shown(event) === then[i] && event.policyVersion === 1),
    'event keeps its policy',
    () => 'an event changed with a later install',
  );
  demand(events.every(isFrozen), 'event keeps its policy', () => 'expected a deep frozen event');
}

/**
 * What a caller does to its policy or request afterwards changes neither a decision nor an event (POL-16, DEC-1).
 *
 * @example
 * await fc.assert(fc.asyncProperty(policies(), requests(), (policy, request) => lawKeepsCopies(new MyEngine(), policy, request)));
 */
export async function lawKeepsCopies(engine: PolicyEngine, policy: Policy, request: Request): Promise<void> {
  const own = mutable(policy);
  await engine.install(own);
  const before = cited(await engine.evaluate(request));
  own.version = Number.MAX_SAFE_INTEGER;
  own.rules.length = 0;
  const after = cited(await engine.evaluate(request));
  demand(shown(before) === shown(after), 'keeps copies', () => `the caller's policy changed ${shown(before)} to ${shown(after)}`);
  const asked = mutable(request);
  const answer = engine.evaluate(asked);
  asked.agent = 'somebody-else';
  asked.actions.length = 0;
  const event = await answer;
  demand(
    event.agent === request.agent && sameActions(event, request),
    'keeps copies',
    () => `the caller's request changed the event to ${shown([event.agent, event.actions])}`,
  );
}

/**
 * With a digest, it names the rules and nothing else; without, it is absent and never empty (DIG-1 to DIG-7, DEC-14). Takes two engines.
 *
 * @example
 * await fc.assert(
 *   fc.asyncProperty(nearMisses, requests(), (pair, request) => lawDigestNamesRules([new MyEngine(), new MyEngine()], pair, request)),
 * );
 */
export async function lawDigestNamesRules(engines: readonly [PolicyEngine, PolicyEngine], { why, a, b, same }: NearMiss, request: Request): Promise<void> {
  const digests: (string | undefined)[] = [];
  for (const [i, policy] of [a, b].entries()) {
    const engine = engines[i] as PolicyEngine;
    await engine.install(policy);
    const events = await eventsOf(engine, request);
    for (const event of events) {
      if ('policyDigest' in event)
        demand(
          /^sha256:[0-9a-f]{64}$/.test(String(event.policyDigest)),
          'digest names rules',
          () => `expected a digest or none, got ${shown(event.policyDigest)}`,
        );
    }
    const [plain, traced] = events.map(({ policyDigest }) => policyDigest);
    demand(plain === traced, 'digest names rules', () => `evaluate gives ${plain}, evaluateTraced ${traced}`);
    const live = await engine.policyDigest?.();
    demand(live === undefined || live === plain, 'digest names rules', () => `the engine has ${live}, its event ${plain}`);
    digests.push(plain);
  }
  const [first, second] = digests;
  if (first === undefined && second === undefined) return;
  demand((first === second) === same, 'digest names rules', () => `${why}: expected ${same ? 'one digest' : 'two digests'}, got ${first} and ${second}`);
}

/** A policy whose last rules have this effect for everything. */
function allOf(effect: 'allow' | 'ask' | 'deny', version: number, rules: Policy['rules']): Policy {
  const everything = [
    { filesystem: { path: '/**', methods: 'any' } },
    { network: { host: '**', ports: 'any', methods: 'any' } },
    { process: { argv: ['**'] } },
    { tool: { server: '*', name: '*' } },
  ] as const;
  return copyPolicy({ version, rules: [...rules, ...everything.map((action, i) => ({ name: `${effect}-all-${i}`, effect, agents: 'any', action }))] });
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends object ? Mutable<T[K]> : T[K] };

/** A copy that its caller may change. */
function mutable<T>(value: T): Mutable<T> {
  return JSON.parse(JSON.stringify(value)) as Mutable<T>;
}

function strictest(decisions: readonly Decision[]): Decision {
  return decisions.reduce((worst, each) => (effects.indexOf(each.effect) < effects.indexOf(worst.effect) ? each : worst));
}

function sameDecision(a: Decision, b: Decision): boolean {
  return a.effect === b.effect && a.rule === b.rule && a.action === b.action && a.reason === b.reason;
}

/** Whether an event records the actions of a canonical request; the order of their fields says nothing. */
function sameActions({ actions }: Pick<AuditEvent, 'actions'>, request: Request): boolean {
  return shown(inOrder(actions)) === shown(inOrder(request.actions));
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => [key, inOrder(member)]);
}

function cited({ decision, policyVersion, policyDigest }: AuditEvent): unknown {
  return { decision, policyVersion, policyDigest };
}

/** The code of a refusal, whether it is thrown or a promise is rejected; the class is not asked for, since an application may load two. */
async function codeOf(act: () => unknown): Promise<string> {
  try {
    await act();
    return 'none';
  } catch (error) {
    const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    return typeof code === 'string' ? code : String(error);
  }
}

function isFrozen(value: unknown): boolean {
  return typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
}
