/**
 * The decision (spec/decision.md).
 * @module
 */
import { effects, type Decision, type Effect, type Policy, type Request } from '../policy/model.js';
import { copyPolicy } from '../policy/copy.js';
import { canonicalRequest } from '../policy/request.js';
import { compileRule, firstUncovered, subjectOf, type CompiledRule, type Part } from './covers.js';
import { RuleIndex } from './rule-index.js';

/** A policy made ready to decide. */
export interface CompiledPolicy {
  readonly rules: readonly CompiledRule[];
  readonly byEffect: readonly { readonly effect: Effect; readonly index: RuleIndex }[];
}

/** For one action, what each rule of the policy said of it. */
export interface ActionTrace {
  readonly action: number;
  readonly rules: readonly { readonly rule: string; readonly effect: Effect; readonly matched: boolean; readonly failed?: Part }[];
}
export type Trace = readonly ActionTrace[];

const compiled = new WeakMap<Policy, CompiledPolicy>();

/** Compiles a policy that came through the door, once. */
export function compilePolicy(policy: Policy): CompiledPolicy {
  const found = compiled.get(policy);
  if (found !== undefined) return found;
  const rules = policy.rules.map(compileRule);
  const byEffect = effects.map((effect) => ({ effect, index: new RuleIndex(rules, effect) }));
  const made = { rules, byEffect };
  compiled.set(policy, made);
  return made;
}

/**
 * Decides a request by a policy; without a policy everything is denied. Synchronous, without I/O, the same answer for the same input.
 *
 * @throws RuleprintError for a request that cannot be made canonical (before anything else), or an object that is no policy
 * @example
 * const policy = parsePolicy('{"version":1,"rules":[]}', { format: 'json' });
 * decide(policy, { agent: 'a', actions: [{ tool: { server: 's', name: 'n' } }] });
 * // { effect: 'deny', action: 0, reason: 'no-rule' }
 */
export function decide(policy: Policy | undefined, request: Request): Decision {
  const canonical = canonicalRequest(request); // DEC-3: before an absent policy
  return decideCanonical(policy === undefined ? undefined : compilePolicy(copyPolicy(policy)), canonical);
}

/** The same decision with what each rule said of each action (DEC-11). */
export function decideTraced(policy: Policy | undefined, request: Request): { readonly decision: Decision; readonly trace: Trace } {
  const canonical = canonicalRequest(request);
  const ready = policy === undefined ? undefined : compilePolicy(copyPolicy(policy));
  return { decision: decideCanonical(ready, canonical), trace: traceCanonical(ready, canonical) };
}

const noPolicy: Decision = Object.freeze({ effect: 'deny', reason: 'no-policy' });

/** `request` is canonical. */
export function decideCanonical(policy: CompiledPolicy | undefined, request: Request): Decision {
  if (policy === undefined) return noPolicy; // DEC-5
  let decision: Decision | undefined;
  for (let i = 0; i < request.actions.length; i++) {
    const outcome = decideAction(policy, request, i);
    if (decision === undefined || isStricter(outcome.effect, decision.effect)) decision = outcome; // DEC-7: the first with that effect
    if (decision.effect === 'deny') break;
  }
  return Object.freeze(decision as Decision);
}

/** DEC-6: deny rules in order, then ask, then allow; the first match decides. */
function decideAction({ rules, byEffect }: CompiledPolicy, { agent, actions }: Request, action: number): Decision {
  const subject = subjectOf(actions[action] as Request['actions'][number]);
  for (const { effect, index } of byEffect) {
    const position = index.first(agent, subject);
    if (position >= 0) return { effect, rule: (rules[position] as CompiledRule).name, action };
  }
  return { effect: 'deny', action, reason: 'no-rule' };
}

function isStricter(a: Effect, b: Effect): boolean {
  return effects.indexOf(a) < effects.indexOf(b);
}

/** `request` is canonical. Every rule is asked, none is cut short. */
export function traceCanonical(policy: CompiledPolicy | undefined, request: Request): Trace {
  const trace = request.actions.map((each, action) => {
    const subject = subjectOf(each);
    const rules = (policy?.rules ?? []).map((rule) => {
      const failed = firstUncovered(rule, request.agent, subject);
      const answer = { rule: rule.name, effect: rule.effect, matched: failed === undefined };
      return Object.freeze(failed === undefined ? answer : { ...answer, failed });
    });
    return Object.freeze({ action, rules: Object.freeze(rules) });
  });
  return Object.freeze(trace);
}
