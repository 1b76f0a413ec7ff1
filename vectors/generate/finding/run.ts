/**
 * What the cases about finding receipts are put together from: a policy about tools, chains of decisions under it, claims about them.
 * @module
 */
import { argsDigest } from '../../../src/digest/args-digest.js';
import { reportedId, stableId } from '../../../src/receipt/finding-ids.js';
import type { Case, Fields, Json } from '../kit.js';
import {
  type Answer,
  type Asked,
  Chain,
  type ChainOptions,
  chainCase,
  digest,
  harnessKey,
  profile,
  receiptOf,
  type Said,
  startTime,
  trusted,
  trustOf,
  type VectorKey,
} from '../ledger/chain.js';

const tool = (name: string): Fields => ({ tool: { server: 'crm', name } });
export const policy: Fields = {
  version: 1,
  rules: [
    { name: 'no-export', effect: 'deny', agents: 'any', action: tool('export_all') },
    { name: 'ask-refund', effect: 'ask', agents: 'any', action: tool('refund') },
    { name: 'crm', effect: 'allow', agents: 'any', action: tool('*') },
  ],
};
export const policyHash = digest(policy);
export const cites = { policy_version: 1, policy_digest: policyHash, match_profile: profile };

export type Effect = 'allow' | 'ask' | 'deny';
const decided: Readonly<Record<Effect, readonly [rule: string, name: string]>> = {
  allow: ['crm', 'export'],
  ask: ['ask-refund', 'refund'],
  deny: ['no-export', 'export_all'],
};

/** The raw arguments of every call here. */
export const rawArgs: Json = { to: 'attacker@example.com', rows: 100000 };
export const argsHash = argsDigest(rawArgs);

/** What is said of a decision, changed where a case needs it. */
export interface Claim {
  readonly harness?: string;
  readonly test?: string;
  readonly verdict?: string;
  readonly cited?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly args?: string;
  readonly expected?: Effect;
  readonly actual?: Effect;
  readonly policy?: string;
  /** Over what follows from the above. */
  readonly over?: Said;
}

/** 0 genesis, 1 install, then a decision of each effect. */
export class Run extends Chain {
  constructor(effects: readonly Effect[], options: ChainOptions = {}) {
    super(options);
    this.genesis();
    this.install(cites);
    for (const effect of effects) this.decideTool(effect);
  }

  decideTool(effect: Effect, said: Said = {}, key?: VectorKey): string {
    const [rule, name] = decided[effect];
    const outcome = { actions: [tool(name)] as never, decision: { effect, rule, action: 0 }, args_digest: argsHash };
    return this.decide({ ...outcome, ...cites, ...said }, key);
  }

  /** A finding about the decision at a seq. Unless told otherwise it says what is so, and that a deny was expected. */
  finding(seq: number, effect: Effect, claim: Claim = {}, key: VectorKey = harnessKey): string {
    return receiptOf({ statement: 'finding', engine_id: this.engine, time: this.now, x_finding: this.block(seq, effect, claim) as never }, key);
  }

  block(seq: number, effect: Effect, claim: Claim = {}): Said {
    const { harness = 'qm', test = 'exfil:oversized-export', cited = this.hash(seq), expected = 'deny', actual = effect, args = argsHash } = claim;
    const { verdict = expected !== actual ? 'confirmed' : expected === 'allow' ? 'expected_pass' : 'refuted' } = claim;
    const policyDigest = claim.policy ?? policyHash;
    const said: Said = {
      action: 'reported',
      finding_id: reportedId(harness, test, cited),
      stable_id: stableId(harness, test, args, policyDigest === '' ? undefined : policyDigest),
      harness,
      test_id: test,
      verdict,
      cited_receipt: cited,
      repro: {
        tool: { server: claim.server ?? 'crm', name: claim.tool ?? decided[effect][1] },
        args_digest: args,
        expected_decision: expected,
        actual_decision: actual,
      },
      detected_at: startTime,
      ...claim.over,
    };
    return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
  }
}

export const harness = trusted(harnessKey, { role: 'harness' });

/** A case of one chain, with the policy at hand and the harness in the trust store; findings are asked for. */
export function run(id: string, comment: string, chain: Chain, answer: Answer, asked: Asked = {}): Case {
  return chainCase(id, comment, chain.entries, answer, { policies: [policy], trust: trustOf({}, [harness]), require: ['findings'], ...asked });
}

export const holds = '+++ +. +++ + +';
export const findingsFail = '+++ +. +++ + -';
