/**
 * The policies beside the entries, by digest (LED-8).
 * @module
 */
import { equalBytes, utf8 } from '../bytes.js';
import { policyDigest } from '../digest/digest.js';
import { quote, refuse, RuleprintError } from '../errors.js';
import { limits } from '../limits.js';
import type { Policy } from '../policy/model.js';
import { checkPolicy } from '../policy/parse.js';
import { policiesFolder, policyDigestOf, policyName } from './layout.js';
import type { Store } from './store.js';

export class PolicyFiles {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The folder, for messages. */
  get place(): string {
    return `${this.#store.place}/${policiesFolder}`;
  }

  /**
   * The policy of a digest. Its version is that of whoever wrote the file first: an install says which one is meant.
   *
   * @throws RuleprintError `policy-file` where it is not there, cannot be read, or has another digest
   */
  read(digest: string): Policy {
    const file = `${this.#store.place}/${policyName(digest)}`;
    const hint = 'put the text of the policy that was installed there, as JSON';
    const bytes = this.#store.read(policyName(digest), limits.jsonBytes + 1);
    if (bytes === undefined) return refuse('policy-file', `expected the policy ${digest} that was installed, got none`, { where: { file }, hint });
    const result = checkPolicy(bytes, { format: 'json', file });
    if ('problems' in result) {
      const cause = new RuleprintError(result.problems);
      throw new RuleprintError({ code: 'policy-file', message: `expected a policy: ${cause.message}`, where: cause.where, hint }, { cause });
    }
    const found = policyDigest(result.policy);
    if (found !== digest) refuse('policy-file', `expected a policy with the digest ${digest}, got ${found}`, { where: { file }, hint });
    return result.policy;
  }

  /** Whether the file of a digest holds a policy at hand, to the byte: then it need not be read as a document. */
  holds(policy: Policy, digest: string): boolean {
    const bytes = utf8(policyText(policy));
    const kept = this.#store.read(policyName(digest), bytes.length + 1);
    return kept !== undefined && equalBytes(kept, bytes);
  }

  /**
   * Keeps a policy, synced when it returns.
   *
   * @throws RuleprintError `ledger-write`, `limit`
   */
  write(policy: Policy, digest: string): void {
    if (this.#tryRead(digest) !== undefined) return;
    const bytes = utf8(policyText(policy));
    const { jsonBytes: max } = limits;
    if (bytes.length > max) refuse('limit', `expected a policy of at most ${max} bytes as JSON, got ${bytes.length}`);
    try {
      this.#store.makeFolder(policiesFolder);
      this.#store.replaceNow(policyName(digest), bytes);
    } catch (cause) {
      const message = `expected to write a policy, got ${quote(String((cause as { code?: unknown }).code ?? cause))}`;
      throw new RuleprintError({ code: 'ledger-write', message, where: { file: this.place } }, { cause });
    }
  }

  /** The policies that can be read: a verifier misses the others by their digest. */
  *all(): Generator<Policy> {
    for (const name of this.#store.list(policiesFolder)) {
      const digest = policyDigestOf(name);
      const policy = digest && this.#tryRead(digest);
      if (policy) yield policy;
    }
  }

  #tryRead(digest: string): Policy | undefined {
    try {
      return this.read(digest);
    } catch (error) {
      if (error instanceof RuleprintError && error.code === 'policy-file') return undefined;
      throw error;
    }
  }
}

/** For people and for `parsePolicy`, a rule a line. The digest is over the rules and not over this text. */
function policyText({ version, rules }: Policy): string {
  const lines = rules.map(({ name, effect, agents, action }) => JSON.stringify({ name, effect, agents, action }));
  return `{"version":${version},"rules":[\n${lines.join(',\n')}\n]}\n`;
}
