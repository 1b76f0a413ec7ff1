/**
 * The engine that holds its policy in memory. Synchronous, without I/O.
 * @module
 */
import { compilePolicy, decideCanonical, traceCanonical, type CompiledPolicy } from '../decide/decide.js';
import { policyDigest } from '../digest/digest.js';
import { refuse } from '../errors.js';
import { matchProfile, type Policy, type Request } from '../policy/model.js';
import { copyPolicy } from '../policy/copy.js';
import { canonicalRequest } from '../policy/request.js';
import { checkName } from '../policy/text.js';
import { type AuditEvent, type Installed, type PolicyEngine, sealEvent, type TracedEvent } from './engine.js';

export interface InMemoryPolicyEngineOptions {
  /** A name (POL-8): receipts cite it. */
  readonly engineId: string;
  /** Milliseconds since the Unix epoch; `Date.now` by default. */
  readonly now?: () => number;
}

/** All that an event says of the policy, made once at install and replaced as a whole. */
interface Snapshot {
  readonly version: number;
  readonly digest: string;
  readonly compiled: CompiledPolicy;
}

/**
 * @example
 * const engine = new InMemoryPolicyEngine({ engineId: 'engine-a' });
 * engine.install(parsePolicy(text, { format: 'yaml' }));
 * const event = engine.evaluate({ agent: 'builder', actions: [{ filesystem: { path: '/srv/a', method: 'read' } }] });
 * event.decision; // { effect: 'allow', rule: 'read-srv', action: 0 }
 */
export class InMemoryPolicyEngine implements PolicyEngine {
  readonly engineId: string;
  readonly #now: () => number;
  #inForce: Snapshot | undefined;

  constructor(options: InMemoryPolicyEngineOptions) {
    const { engineId, now = Date.now } = options ?? {};
    if (typeof engineId !== 'string') throw new TypeError('"engineId" expected a name');
    checkName(engineId);
    this.engineId = engineId;
    this.#now = now;
  }

  /**
   * Puts a policy in force: a deep frozen copy of it.
   *
   * @throws RuleprintError `version-equal`, `version-lower`, or as `copyPolicy`; nothing has changed then
   */
  install(policy: Policy): Installed {
    const copy = copyPolicy(policy); // POL-16
    const current = this.#inForce;
    checkRises(current?.version, copy.version);
    const digest = policyDigest(copy);
    this.#inForce = { version: copy.version, digest, compiled: compilePolicy(copy) };
    return Object.freeze({ version: copy.version, digest, ...(current && { replaces: current.digest }) });
  }

  evaluate(request: Request): AuditEvent {
    const canonical = canonicalRequest(request);
    return this.#event(this.#inForce, canonical);
  }

  evaluateTraced(request: Request): TracedEvent {
    const canonical = canonicalRequest(request);
    const inForce = this.#inForce;
    return Object.freeze({ event: this.#event(inForce, canonical), trace: traceCanonical(inForce?.compiled, canonical) });
  }

  /** The digest in force now. */
  policyDigest(): string | undefined {
    return this.#inForce?.digest;
  }

  /** The version in force now. */
  policyVersion(): number | undefined {
    return this.#inForce?.version;
  }

  /** DEC-13: everything from the snapshot that decides, by value, now. */
  #event(inForce: Snapshot | undefined, request: Request): AuditEvent {
    const { engineId } = this;
    const { agent, actions } = request;
    const time = this.#now();
    const decision = decideCanonical(inForce?.compiled, request);
    if (inForce === undefined) return sealEvent({ engineId, time, agent, actions, decision });
    const { version: policyVersion, digest: policyDigest } = inForce;
    return sealEvent({ engineId, time, agent, actions, decision, policyVersion, policyDigest, matchProfile });
  }
}

/** DEC-12: refuses a version that is not above the one in force. */
export function checkRises(current: number | undefined, offered: number): void {
  if (current === undefined || offered > current) return;
  const code = offered === current ? 'version-equal' : 'version-lower';
  refuse(code, `expected a version above ${current}, got ${offered}`, { evidence: { current, offered }, hint: 'raise the version of the policy' });
}
