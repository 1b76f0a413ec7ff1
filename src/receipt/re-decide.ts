/**
 * The rules that a decision cites, and the decision made again from them (RCP-22, RCP-23).
 * @module
 */
import { isProblem } from '../cose/walk.js';
import { compilePolicy, decideCanonical } from '../decide/decide.js';
import { policyDigest } from '../digest/digest.js';
import { type Problem, quote } from '../errors.js';
import { type Decision, matchProfile, type Policy } from '../policy/model.js';
import { copyPolicy } from '../policy/copy.js';
import { canonicalOrProblem } from './canonical.js';
import { type Judgement, notChecked, pass, restsOn } from './report.js';
import type { DecisionStatement } from './statement.js';

export type PoliciesByDigest = ReadonlyMap<string, Policy>;

export function byDigest(policies: Iterable<Policy>): PoliciesByDigest {
  return new Map(Array.from(policies, copyPolicy).map((policy) => [policyDigest(policy), policy]));
}

/**
 * Answers the axes *rules* and *re-decision* of a decision. `timelineAnswers` is true where a timeline has said already that no policy was in
 * force when the decision says so (LED-15).
 */
export function judgeDecision(statement: DecisionStatement, policies: PoliciesByDigest, judgement: Judgement, timelineAnswers: boolean): void {
  const policy = judgeRules(statement, policies, judgement, timelineAnswers);
  const { decision, match_profile: profile } = statement;
  if (decision.reason === 'unmapped' || decision.reason === 'not-canonical' || decision.reason === 'fault') {
    return judgement.answer('re-decision', { status: 'pass', reason: 'a decision without its actions cannot be made again' });
  }
  if (policy === undefined && decision.reason !== 'no-policy') return judgement.answer('re-decision', restsOn('rules'));
  if (policy !== undefined && profile !== matchProfile) {
    const message = `expected the match profile ${matchProfile}, got ${profile === undefined ? 'none' : 'another'}`;
    return judgement.found('re-decision', { code: 'profile-unknown', message, where: {} }, 'not-checked');
  }
  const problem = remake(statement, policy);
  if (problem !== undefined) return judgement.found('re-decision', problem);
  judgement.answer('re-decision', pass);
}

/** RCP-22. Gives the policy that the receipt names, where it is at hand. */
function judgeRules(statement: DecisionStatement, policies: PoliciesByDigest, judgement: Judgement, timelineAnswers: boolean): Policy | undefined {
  const { policy_digest: digest, policy_version: version } = statement;
  const open = (code: Problem['code'], message: string): undefined => {
    judgement.found('rules', { code, message, where: {} }, 'not-checked');
    return undefined;
  };
  if (version === undefined && (timelineAnswers || statement.decision.reason === 'no-policy')) {
    judgement.answer('rules', timelineAnswers ? pass : notChecked('the receipt says that no policy was in force'));
    return undefined;
  }
  if (digest === undefined) return open('digest-absent', 'the receipt names no digest');
  const policy = policies.get(digest);
  if (policy === undefined) return open('policy-missing', `no policy at hand has the digest ${digest}`);
  judgement.answer('rules', pass);
  return policy;
}

/** Makes the decision again from the recorded request; what is not as recorded, or undefined. */
function remake(statement: DecisionStatement, policy: Policy | undefined): Problem | undefined {
  const { decision } = statement;
  const request = canonicalOrProblem(statement);
  if (isProblem(request)) return request;
  const remade = decideCanonical(policy && compilePolicy(policy), request);
  if (sameDecision(remade, decision)) return undefined;
  const message = `the rules give ${sentence(remade)}, the receipt says ${sentence(decision)}`;
  return { code: 'decision-differs', message, where: { pointer: '/decision' }, evidence: { remade, recorded: { ...decision } } };
}

function sameDecision(a: Decision, b: Decision): boolean {
  return a.effect === b.effect && a.rule === b.rule && a.action === b.action && a.reason === b.reason;
}

function sentence({ effect, rule, reason, action }: Decision): string {
  const at = action === undefined ? '' : ` for action ${action}`;
  return rule === undefined ? `${effect} (${reason})${at}` : `${effect} by ${quote(rule)}${at}`;
}
