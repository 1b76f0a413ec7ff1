/**
 * The engine whose every decision is an entry of a ledger.
 * @module
 */
import { policyDigest } from '../digest/digest.js';
import type { AuditEvent, Installed, PolicyEngine, TracedEvent } from '../engine/engine.js';
import { checkRises, InMemoryPolicyEngine } from '../engine/in-memory.js';
import { refuse } from '../errors.js';
import { type Action, matchProfile, type Policy, type Request } from '../policy/model.js';
import { copyPolicy } from '../policy/copy.js';
import { canonicalRequest } from '../policy/request.js';
import type { CallFacts } from '../receipt/issue.js';
import { type Appended, appendDecided, type AppendedRecord, type Ledger } from './ledger.js';

export interface OpenEngineOptions {
  readonly ledger: Ledger;
  /** Installed, unless it is in force already. */
  readonly policy?: Policy;
  /** Milliseconds since the Unix epoch; the clock of the ledger by default. */
  readonly now?: () => number;
}

export interface InstallOptions {
  /** The receipt hash of an installer's authorization that was recorded before. */
  readonly authorization?: string;
}

/** A decision and its place in the chain. */
export interface Decided {
  readonly event: AuditEvent;
  readonly receipt: Appended;
}

/** A call that no rule was asked about. */
export interface Refusal {
  readonly agent: string;
  /** The tool action of the call, where that is canonical. */
  readonly tool?: Action;
  readonly reason: 'unmapped' | 'not-canonical' | 'fault';
}

/** What became of a policy that was offered. */
export interface Reloaded extends Installed {
  /** Its install entry; absent where it was in force already. */
  readonly receipt?: Appended;
}

/**
 * Opens the engine of a ledger: what was installed last is in force. A policy that is given is installed, as by `reload`.
 *
 * @throws RuleprintError `policy-file` where the policy that was installed last is not beside the entries; `version-reused`, `version-lower`
 * @example
 * const engine = openEngine({ ledger, policy: parsePolicy(text, { format: 'yaml' }) });
 * const { event, receipt } = engine.decide({ agent: 'builder', actions: [{ filesystem: { path: '/srv/a', method: 'read' } }] });
 * await receipt.durable;
 */
export function openEngine({ ledger, policy, now = ledger.now }: OpenEngineOptions): LedgerEngine {
  const offered = policy && copyPolicy(policy);
  const engine = new LedgerEngine(ledger, now, offered);
  if (offered !== undefined) engine.reload(offered);
  return engine;
}

export class LedgerEngine implements PolicyEngine {
  readonly ledger: Ledger;
  readonly #now: () => number;
  readonly #decider: InMemoryPolicyEngine;

  /** Not for callers: {@link openEngine} makes engines. */
  constructor(ledger: Ledger, now: () => number, offered?: Policy) {
    this.ledger = ledger;
    this.#now = now;
    this.#decider = new InMemoryPolicyEngine({ engineId: ledger.engineId, now });
    const { policy_version: version, policy_digest: digest, match_profile: profile } = ledger.inForce ?? {};
    if (version === undefined) return;
    if (digest === undefined || profile !== matchProfile) {
      refuse('policy-file', `expected an install with a digest under ${matchProfile}, got version ${version} without`, {
        where: { file: ledger.policies.place },
      });
    }
    // LED-8; the version is that of the entry: the file may have been written by an install of the same rules before
    const isOffered = offered !== undefined && policyDigest(offered) === digest && ledger.policies.holds(offered, digest);
    this.#decider.install({ version, rules: (isOffered ? offered : ledger.policies.read(digest)).rules });
  }

  get engineId(): string {
    return this.ledger.engineId;
  }

  /**
   * Puts a policy in force: its file is synced, its entry has its place, and from then on it decides.
   *
   * @throws RuleprintError `version-equal`, `version-lower` (DEC-12), or as `copyPolicy` and `Ledger.append`; nothing has changed then
   */
  install(policy: Policy, options: InstallOptions = {}): Installed {
    return this.#install(copyPolicy(policy), options).installed;
  }

  /**
   * The same for a policy that may be in force already: then nothing happens, so that a second start with the same file works.
   *
   * @throws RuleprintError `version-reused` for the version in force with other rules; else as `install`
   */
  reload(policy: Policy, options: InstallOptions = {}): Reloaded {
    const copy = copyPolicy(policy);
    const version = this.#decider.policyVersion();
    if (version === undefined || copy.version !== version) {
      const { installed, receipt } = this.#install(copy, options);
      return { ...installed, receipt };
    }
    const digest = policyDigest(copy);
    const inForce = this.#decider.policyDigest();
    if (digest !== inForce) {
      const evidence = { version, inForce, offered: digest };
      refuse('version-reused', `expected version ${version} to have the digest ${inForce}, got ${digest}`, {
        evidence,
        hint: 'raise the version of the policy',
      });
    }
    return { version, digest };
  }

  /**
   * Decides and records. Version, digest, time and the place in the chain are taken in one step (LED-4).
   *
   * @throws RuleprintError the codes of requests: nothing is recorded then; or as `Ledger.append`: then there is no decision to act on
   */
  decide(request: Request, facts?: CallFacts): Decided {
    return this.#record(this.#decider.evaluate(request), facts);
  }

  /**
   * Records that a call was refused before any rule was asked (spec/gate.md, GAT-6): a deny that cites what is in force, with the tool action where
   * that is canonical and with no other.
   *
   * @throws RuleprintError the codes of requests; or as `Ledger.append`
   */
  recordRefusal({ agent, tool, reason }: Refusal, facts?: CallFacts): Decided {
    const actions = tool === undefined ? [] : canonicalRequest({ agent, actions: [tool] }).actions;
    const version = this.#decider.policyVersion();
    const digest = this.#decider.policyDigest();
    const event: AuditEvent = {
      engineId: this.engineId,
      time: this.#now(),
      agent,
      actions: Object.freeze([...actions]),
      decision: Object.freeze({ effect: 'deny', reason }),
      ...(version !== undefined && digest !== undefined && { policyVersion: version, policyDigest: digest, matchProfile }),
    };
    return this.#record(Object.freeze(event), facts);
  }

  /** The event of {@link decide}, once it is recorded: with a signer that answers at once, when the call returns. */
  evaluate(request: Request, facts?: CallFacts): AuditEvent | Promise<AuditEvent> {
    const { event, receipt } = this.decide(request, facts);
    return this.#onceRecorded(receipt, event);
  }

  evaluateTraced(request: Request, facts?: CallFacts): TracedEvent | Promise<TracedEvent> {
    const traced = this.#decider.evaluateTraced(request);
    const { receipt } = this.#record(traced.event, facts);
    return this.#onceRecorded(receipt, traced);
  }

  /**
   * Records that the call of an ask goes ahead, because of an approval: two receipt hashes. Whether they fit (LED-16) is for the caller to see
   * to, and for the verifier to judge.
   */
  release(ask: string, approval: string): Appended {
    return this.ledger.append({ statement: 'release', engine_id: this.engineId, time: this.#now(), ask, approval });
  }

  /** Takes a receipt by another key into the chain: as `Ledger.record`. */
  record(receipt: Uint8Array): AppendedRecord {
    return this.ledger.record(receipt);
  }

  /** The digest in force now. */
  policyDigest(): string | undefined {
    return this.#decider.policyDigest();
  }

  /** The version in force now. */
  policyVersion(): number | undefined {
    return this.#decider.policyVersion();
  }

  #record(event: AuditEvent, facts: CallFacts = {}): Decided {
    return { event, receipt: appendDecided(this.ledger, event, facts) };
  }

  #onceRecorded<T>(receipt: Appended, value: T): T | Promise<T> {
    return this.ledger.recordedTo >= receipt.seq ? value : receipt.recorded.then(() => value);
  }

  #install(policy: Policy, { authorization }: InstallOptions): { installed: Installed; receipt: Appended } {
    checkRises(this.#decider.policyVersion(), policy.version); // before anything is written
    const replaces = this.#decider.policyDigest();
    const digest = policyDigest(policy);
    this.ledger.policies.write(policy, digest); // LED-8
    const receipt = this.ledger.append({
      statement: 'install',
      engine_id: this.engineId,
      time: this.#now(),
      policy_version: policy.version,
      policy_digest: digest,
      match_profile: matchProfile,
      ...(replaces !== undefined && { replaces }),
      ...(authorization !== undefined && { authorization }),
    });
    return { installed: this.#decider.install(policy), receipt };
  }
}
