/**
 * One chain as the verifier walks it: what the entries so far have put in force, and what later ones may cite.
 * @module
 */
import type { Problem } from '../errors.js';
import type {
  ApprovalStatement,
  AuthorizationStatement,
  Chained,
  DecisionStatement,
  InForce,
  InstallStatement,
  ReleaseStatement,
} from '../receipt/statement.js';
import type { Checkpoint } from './citations.js';

/** A problem without its place. */
export type Fault = Omit<Problem, 'where'>;

interface Ask {
  readonly statement: DecisionStatement;
  /** How many installs stood before it. */
  readonly installs: number;
  released: boolean;
}

interface Approval {
  readonly statement: ApprovalStatement;
  readonly isTrusted: boolean;
  used: boolean;
}

interface Authorization {
  readonly statement: AuthorizationStatement;
  readonly isTrusted: boolean;
}

export class Chain {
  /** Hex; undefined until a genesis. */
  ledgerId: string | undefined;
  lastSeq: number | undefined;
  lastHash: string | undefined;
  /** The highest time so far (LED-12). */
  time = 0;
  entries = 0;
  /** Checkpoints of this engine, by the seq that they speak of. */
  readonly checkpoints = new Map<number, Checkpoint[]>();
  readonly asks = new Map<string, Ask>();
  readonly approvals = new Map<string, Approval>();
  readonly authorizations = new Map<string, Authorization>();
  #inForce: InForce | undefined;
  #installs = 0;

  /** LED-11. Moves on to the entry whatever is wrong with it, so that one fault is one problem. */
  follow(seq: number, prev: string | undefined, hash: string, isGenesis: boolean): Fault | undefined {
    const fault = this.#orderFault(seq, prev, isGenesis);
    this.lastSeq = seq;
    this.lastHash = hash;
    this.entries++;
    return fault;
  }

  #orderFault(seq: number, prev: string | undefined, isGenesis: boolean): Fault | undefined {
    if (this.lastSeq === undefined) {
      return isGenesis ? undefined : { code: 'genesis-missing', message: `expected a chain that begins with a genesis, got seq ${seq}` };
    }
    if (isGenesis) return { code: 'genesis-again', message: `expected one genesis, got another after seq ${this.lastSeq}` };
    const expected = this.lastSeq + 1;
    if (seq < expected) return { code: 'seq-repeat', message: `expected seq ${expected}, got ${seq}` };
    if (seq > expected) return { code: 'seq-gap', message: `expected seq ${expected}, got ${seq}` };
    if (prev !== this.lastHash) return { code: 'prev-differs', message: `expected prev to be the hash of seq ${this.lastSeq}` };
    return undefined;
  }

  /** Time may step back, which is noted and fails nothing. */
  tick({ time }: Chained): Fault | undefined {
    const before = this.time;
    this.time = Math.max(before, time);
    return time < before ? { code: 'time-back', message: `the time steps back from ${before} to ${time}` } : undefined;
  }

  /** LED-14, for an install. It is in force from here on whatever is wrong with it. */
  install(statement: InstallStatement, needsAuthorization: boolean): Fault | undefined {
    const fault = this.#installFault(statement, needsAuthorization);
    const { policy_version, policy_digest, match_profile } = statement;
    this.#inForce = { policy_version, ...(policy_digest !== undefined && { policy_digest }), ...(match_profile !== undefined && { match_profile }) };
    this.#installs++;
    return fault;
  }

  #installFault(statement: InstallStatement, needsAuthorization: boolean): Fault | undefined {
    const { policy_version: version, policy_digest: digest, replaces, authorization: cited } = statement;
    const before = this.#inForce;
    if (before?.policy_version !== undefined && version <= before.policy_version) {
      return { code: 'install-not-rising', message: `expected a version above ${before.policy_version}, got ${version}` };
    }
    if (replaces !== before?.policy_digest) return { code: 'install-replaces', message: 'expected replaces to name the digest that was in force' };
    if (cited === undefined) {
      return needsAuthorization ? { code: 'install-unauthorized', message: 'expected an installer to authorize the install' } : undefined;
    }
    const found = this.authorizations.get(cited);
    const agrees =
      found?.isTrusted && found.statement.policy_version === version && found.statement.policy_digest === digest && found.statement.replaces === replaces;
    return agrees
      ? undefined
      : { code: 'authorization-differs', message: 'expected an authorization in the chain for this version and digest, by a trusted key' };
  }

  /** LED-14, for a decision: it cites what the install in force has, field by field. */
  cites(statement: DecisionStatement): Fault | undefined {
    const inForce = this.#inForce;
    if (inForce === undefined) {
      if (statement.policy_version === undefined) return undefined;
      return { code: 'policy-before-install', message: `expected no policy before the first install, got version ${statement.policy_version}` };
    }
    if (statement.decision.reason === 'no-policy')
      return { code: 'no-policy-after-install', message: `expected version ${inForce.policy_version} to decide, got no-policy` };
    if (statement.policy_version !== inForce.policy_version) {
      return { code: 'version-differs', message: `expected version ${inForce.policy_version}, got ${statement.policy_version ?? 'none'}` };
    }
    return citedFault('digest', inForce.policy_digest, statement.policy_digest) ?? citedFault('profile', inForce.match_profile, statement.match_profile);
  }

  get hasPolicy(): boolean {
    return this.#inForce !== undefined;
  }

  ask(hash: string, statement: DecisionStatement): void {
    this.asks.set(hash, { statement, installs: this.#installs, released: false });
  }

  /** LED-16. Uses up the ask and the approval. */
  release({ ask: askHash, approval: approvalHash }: ReleaseStatement): Fault | undefined {
    const ask = this.asks.get(askHash);
    const approval = this.approvals.get(approvalHash);
    const fault = this.#releaseFault(askHash, ask, approval);
    if (ask !== undefined) ask.released = true;
    if (approval !== undefined) approval.used = true;
    return fault;
  }

  #releaseFault(askHash: string, ask: Ask | undefined, approval: Approval | undefined): Fault | undefined {
    if (ask === undefined) return { code: 'ask-missing', message: 'expected an earlier decision to ask in this chain' };
    const { args_digest: args, enforced } = ask.statement;
    if (args === undefined || enforced === false) return { code: 'ask-not-releasable', message: 'expected an ask with args_digest that was enforced' };
    if (ask.released) return { code: 'ask-again', message: 'the ask was released before' };
    if (ask.installs !== this.#installs)
      return { code: 'install-between', message: 'an install stands between the ask and its release: the call is to be judged anew' };
    if (approval === undefined || !approval.isTrusted)
      return { code: 'approval-missing', message: 'expected an approval by a trusted key, recorded earlier in this chain' };
    if (approval.used) return { code: 'approval-again', message: 'the approval was used before' };
    const { statement } = approval;
    if (statement.ask !== askHash || statement.args_digest !== args)
      return { code: 'approval-differs', message: 'expected an approval for this ask and its arguments' };
    if (!statement.approved) return { code: 'approval-refused', message: 'the approval says no' };
    if (statement.expires <= this.time) return { code: 'approval-expired', message: `expected a release before ${statement.expires}, got ${this.time}` };
    return undefined;
  }
}

function citedFault(field: 'digest' | 'profile', inForce: string | undefined, cited: string | undefined): Fault | undefined {
  if (cited === inForce) return undefined;
  const codes = field === 'digest' ? { missing: 'digest-missing', differs: 'digest-differs' } : { missing: 'profile-missing', differs: 'profile-differs' };
  const code = (cited === undefined ? codes.missing : codes.differs) as Fault['code'];
  return { code, message: `expected the ${field} of the install in force, got ${cited === undefined ? 'none' : 'another'}` };
}
