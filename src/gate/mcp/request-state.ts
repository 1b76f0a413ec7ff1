/**
 * The state of a question that was put into an `input_required` result: it comes back with the answer, from a client that could have changed it
 * (spec/mcp.md, MCP-12).
 * @module
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** By this a state is one of the gate; no other is looked at. */
export const statePrefix = 'rp1.';

/** What a question was about. */
export interface Asked {
  /** The receipt hash of the ask. */
  readonly ask: string;
  readonly server: string;
  readonly tool: string;
  readonly argsDigest: string;
  readonly rule: string;
  readonly policyDigest: string;
}

/** What a state must agree with to be that of this question: all but the ask, whose hash it carries itself. */
type About = Omit<Asked, 'ask'>;

export class RequestStates {
  /** Of this process: after a restart every question is asked anew. */
  readonly #key = randomBytes(32);
  readonly #now: () => number;
  readonly #lifetime: number;
  /** States that were used, until they would have expired. */
  readonly #used = new Map<string, number>();

  constructor(lifetime: number, now: () => number) {
    this.#lifetime = lifetime;
    this.#now = now;
  }

  make({ ask, ...about }: Asked): string {
    const expires = this.#now() + this.#lifetime;
    const head = `${statePrefix}${expires}.${ask.slice('sha256:'.length)}`;
    return `${head}.${this.#mac(head, about)}`;
  }

  /** Whether it is a state of ours about this, in time and for the first time; from now on it is used. */
  take(state: string, about: About): boolean {
    const cut = state.lastIndexOf('.');
    const [head, mac] = [state.slice(0, cut), state.slice(cut + 1)];
    const expires = Number(/^rp1\.(\d{1,16})\.[0-9a-f]{64}$/.exec(head)?.[1]);
    const now = this.#now();
    const expected = Buffer.from(this.#mac(head, about));
    const given = Buffer.from(mac);
    // the MAC first: what is not ours has no time and leaves no trace
    if (given.length !== expected.length || !timingSafeEqual(given, expected) || !(expires > now) || this.#used.has(mac)) return false;
    for (const [each, until] of this.#used) if (until <= now) this.#used.delete(each);
    this.#used.set(mac, expires);
    return true;
  }

  #mac(head: string, { server, tool, argsDigest, rule, policyDigest }: About): string {
    // JSON of a list: no two lists have one text
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([head, server, tool, argsDigest, rule, policyDigest]))
      .digest('base64url');
  }
}
