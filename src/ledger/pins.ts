/**
 * Checkpoints against a chain (LED-13), and the entries whose key was revoked later, which a checkpoint must pin (LED-12). Whether a checkpoint
 * is borne out is known only when the chain has come to its seq, so entries are counted by the next checkpoint and settled at the end.
 * @module
 */
import type { Problem, Where } from '../errors.js';
import type { AxisAnswer } from '../receipt/report.js';
import { notChecked } from '../receipt/report.js';
import type { TrustedKey } from '../receipt/trust.js';
import type { Checkpoint } from './citations.js';

interface Pending {
  readonly key: TrustedKey;
  /** By the seq of the next checkpoint, or infinity. */
  readonly byNext: Map<number, { count: number; first: Where }>;
}

export class Pins {
  readonly #checkpoints: readonly Checkpoint[];
  readonly #seqs: readonly number[];
  readonly #good: Checkpoint[] = [];
  readonly #reached = new Set<Checkpoint>();
  readonly #problems: Problem[] = [];
  readonly #pending = new Map<string, Pending>();

  /** All checkpoints that speak of one engine. */
  constructor(checkpoints: readonly Checkpoint[]) {
    this.#checkpoints = checkpoints;
    this.#seqs = [...new Set(checkpoints.map(({ seq }) => seq))].sort((a, b) => a - b);
  }

  /** The chain has an entry at `seq`. */
  pass(seq: number, hash: string, ledgerId: string | undefined): void {
    if (!this.#seqs.includes(seq)) return;
    for (const checkpoint of this.#checkpoints) {
      if (checkpoint.seq !== seq || this.#reached.has(checkpoint)) continue;
      this.#reached.add(checkpoint);
      if (checkpoint.ledgerId !== ledgerId) this.#otherLedger(checkpoint);
      else if (checkpoint.hash !== hash) this.#problem('checkpoint-differs', checkpoint, `a checkpoint names another entry at seq ${seq}`);
      else this.#good.push(checkpoint);
    }
  }

  /** An entry needs a checkpoint by another key from before the revocation of its own. */
  needs(key: TrustedKey, seq: number, where: Where): void {
    const next = this.#seqs.find((each) => each >= seq) ?? Number.POSITIVE_INFINITY;
    const pending = this.#pending.get(key.kid) ?? { key, byNext: new Map() };
    const bucket = pending.byNext.get(next) ?? { count: 0, first: where };
    bucket.count++;
    pending.byNext.set(next, bucket);
    this.#pending.set(key.kid, pending);
  }

  /** What speaks against completeness: each fails the axis. The chain is undefined where the engine has no entry. */
  problems(chain: { readonly ledgerId: string | undefined; readonly lastSeq: number | undefined } | undefined): readonly Problem[] {
    for (const checkpoint of this.#checkpoints) {
      if (this.#reached.has(checkpoint)) continue;
      this.#reached.add(checkpoint);
      if (chain !== undefined && chain.ledgerId !== checkpoint.ledgerId) this.#otherLedger(checkpoint);
      else this.#problem('checkpoint-beyond', checkpoint, `a checkpoint names seq ${checkpoint.seq}, the chain ends at ${chain?.lastSeq ?? 'none'}`);
    }
    return this.#problems;
  }

  /** Up to where the chain is complete, after {@link problems} found none. */
  completeness(lastSeq: number): AxisAnswer {
    const pinned = Math.max(-1, ...this.#good.map(({ seq }) => seq));
    if (pinned < 0) return notChecked('there is no checkpoint');
    const beyond = lastSeq - pinned;
    return { status: 'pass', reason: `up to seq ${pinned}${beyond > 0 ? `; the ${beyond} beyond are not checked` : ''}` };
  }

  /** Whether a checkpoint was borne out by the chain. */
  isGood({ seq, hash }: Checkpoint): boolean {
    return this.#good.some((good) => good.seq === seq && good.hash === hash);
  }

  /** Entries that no good checkpoint pins, by key. */
  unpinned(): readonly { readonly key: TrustedKey; readonly count: number; readonly first: Where }[] {
    return [...this.#pending.values()].flatMap(({ key, byNext }) => {
      const pinned = Math.max(-1, ...this.#good.filter(({ kid, time }) => kid !== key.kid && time < key.revokedAt).map(({ seq }) => seq));
      const open = [...byNext].filter(([next]) => next > pinned).map(([, bucket]) => bucket);
      const [first] = open;
      return first === undefined ? [] : [{ key, count: open.reduce((sum, { count }) => sum + count, 0), first: first.first }];
    });
  }

  #otherLedger(checkpoint: Checkpoint): void {
    this.#problem('checkpoint-ledger', checkpoint, 'a checkpoint is about another ledger of this engine');
  }

  #problem(code: Problem['code'], { where }: Checkpoint, message: string): void {
    this.#problems.push({ code, message, where });
  }
}
