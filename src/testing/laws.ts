/**
 * The laws of deciding, as functions over any engine, with promises or without: for the property-based suites of whoever implements one.
 *
 * Each takes an engine without a policy and data, and throws a `LawError` that says which law does not hold and for what.
 * @module
 */
import type { AuditEvent, PolicyEngine } from '../engine/engine.js';
import { RuleprintError } from '../errors.js';
import { copyPolicy } from '../policy/copy.js';
import { type Decision, effects, type Policy, type Request } from '../policy/model.js';
import type { NearMiss } from './arbitraries.js';

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

/** Before any policy everything is denied, and the event cites none (DEC-5). */
export async function lawNoPolicyDenies(engine: PolicyEngine, request: Request): Promise<void> {
  const event = await engine.evaluate(request);
  demand(event.decision.effect === 'deny' && event.decision.reason === 'no-policy', 'no policy denies', () => `got ${shown(event.decision)}`);
  const cited = ['policyVersion', 'policyDigest', 'matchProfile'].filter((field) => field in event);
  demand(cited.length === 0, 'no policy denies', () => `the event has ${cited.join(', ')}`);
}

/** The same request under the same policy has the same decision (DEC-6). */
export async function lawDeterministic(engine: PolicyEngine, policy: Policy, request: Request): Promise<void> {
  await engine.install(policy);
  const [first, second] = [await engine.evaluate(request), await engine.evaluate(request)];
  demand(shown(first.decision) === shown(second.decision), 'deterministic', () => `got ${shown(first.decision)}, then ${shown(second.decision)}`);
}

/** `evaluateTraced` decides as `evaluate` does, and its trace bears the decision out (DEC-11). */
export async function lawTraceAgrees(engine: PolicyEngine, policy: Policy, request: Request): Promise<void> {
  await engine.install(policy);
  const { decision } = await engine.evaluate(request);
  const { event, trace } = await engine.evaluateTraced(request);
  demand(shown(event.decision) === shown(decision), 'trace agrees', () => `evaluate says ${shown(decision)}, evaluateTraced ${shown(event.decision)}`);
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

/** A request of several actions is decided as its most restrictive action is alone, the first of these (DEC-7). */
export async function lawMostRestrictive(engine: PolicyEngine, policy: Policy, request: Request): Promise<void> {
  await engine.install(policy);
  const alone: Decision[] = [];
  for (const [action, each] of request.actions.entries()) {
    const { decision } = await engine.evaluate({ agent: request.agent, actions: [each] });
    alone.push({ ...decision, action });
  }
  const { decision } = await engine.evaluate(request);
  const expected = strictest(alone);
  demand(sameDecision(decision, expected), 'most restrictive', () => `alone ${shown(expected)}, together ${shown(decision)}`);
}

/** A rule that denies everything, put last, denies everything: no rule before it can help (DEC-6). */
export async function lawDenyWins(engine: PolicyEngine, policy: Policy, request: Request): Promise<void> {
  const deny = { name: 'deny-all', effect: 'deny', agents: 'any' } as const;
  const all = [{ filesystem: { path: '/**', methods: 'any' } }, { network: { host: '**', ports: 'any', methods: 'any' } }, { process: { argv: ['**'] } }, { tool: { server: '*', name: '*' } }] as const;
  await engine.install(copyPolicy({ version: policy.version, rules: [...policy.rules, ...all.map((action, i) => ({ ...deny, name: `deny-all-${i}`, action }))] }));
  const { decision } = await engine.evaluate(request);
  demand(decision.effect === 'deny' && decision.rule !== undefined, 'deny wins', () => `got ${shown(decision)}`);
}

/** Without rules nothing is allowed (DEC-6). */
export async function lawDefaultDenies(engine: PolicyEngine, request: Request): Promise<void> {
  await engine.install(copyPolicy({ version: 1, rules: [] }));
  const { decision } = await engine.evaluate(request);
  demand(decision.effect === 'deny' && decision.reason === 'no-rule' && decision.action === 0, 'default denies', () => `got ${shown(decision)}`);
}

/** An install that does not rise is refused and changes nothing (DEC-12). */
export async function lawInstallRises(engine: PolicyEngine, policy: Policy, request: Request): Promise<void> {
  await engine.install(copyPolicy({ ...policy, version: 5 }));
  const before = await engine.evaluate(request);
  for (const [version, code] of [[5, 'version-equal'], [4, 'version-lower']] as const) {
    const refusal = await codeOf(() => engine.install(copyPolicy({ version, rules: [] })));
    demand(refusal === code, 'install rises', () => `expected ${code} for version ${version} after 5, got ${refusal}`);
  }
  const after = await engine.evaluate(request);
  demand(shown(cited(before)) === shown(cited(after)), 'install rises', () => `a refused install changed ${shown(cited(before))} to ${shown(cited(after))}`);
}

/** An event says which policy decided, whatever is installed later (DEC-13). */
export async function lawEventKeepsItsPolicy(engine: PolicyEngine, policy: Policy, request: Request): Promise<void> {
  await engine.install(copyPolicy({ ...policy, version: 1 }));
  const events = [await engine.evaluate(request), (await engine.evaluateTraced(request)).event];
  const then = events.map((event) => shown(event));
  await engine.install(copyPolicy({ version: 2, rules: [] }));
  demand(events.every((event, i) => shown(event) === then[i] && event.policyVersion === 1), 'event keeps its policy', () => 'an event changed with a later install');
  demand(events.every(isFrozen), 'event keeps its policy', () => 'expected a deep frozen event');
}

/** With a digest, it names the rules and nothing else; without, it is absent and never empty (DIG-1 to DIG-7, DEC-14). Takes two engines. */
export async function lawDigestNamesRules(engines: readonly [PolicyEngine, PolicyEngine], { why, a, b, same }: NearMiss, request: Request): Promise<void> {
  const digests: (string | undefined)[] = [];
  for (const [i, policy] of [a, b].entries()) {
    const engine = engines[i] as PolicyEngine;
    await engine.install(policy);
    const event = await engine.evaluate(request);
    if ('policyDigest' in event) demand(/^sha256:[0-9a-f]{64}$/.test(String(event.policyDigest)), 'digest names rules', () => `expected a digest or none, got ${shown(event.policyDigest)}`);
    digests.push(event.policyDigest);
  }
  const [first, second] = digests;
  if (first === undefined && second === undefined) return;
  demand((first === second) === same, 'digest names rules', () => `${why}: expected ${same ? 'one digest' : 'two digests'}, got ${first} and ${second}`);
}

function strictest(decisions: readonly Decision[]): Decision {
  return decisions.reduce((worst, each) => (effects.indexOf(each.effect) < effects.indexOf(worst.effect) ? each : worst));
}

function sameDecision(a: Decision, b: Decision): boolean {
  return a.effect === b.effect && a.rule === b.rule && a.action === b.action && a.reason === b.reason;
}

function cited({ decision, policyVersion, policyDigest }: AuditEvent): unknown {
  return { decision, policyVersion, policyDigest };
}

async function codeOf(install: () => unknown): Promise<string> {
  try {
    await install();
    return 'none';
  } catch (error) {
    return error instanceof RuleprintError ? error.code : String(error);
  }
}

function isFrozen(value: unknown): boolean {
  return typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
}
