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
  /** What the chain says to each; undefined until it comes to its seq. */
  readonly #verdicts = new Map<Checkpoint, 'good' | Problem['code'] | undefined>();
  readonly #bySeq = new Map<number, Checkpoint[]>();
  /** Rising. */
  readonly #seqs: readonly number[];
  readonly #pending = new Map<string, Pending>();

  /** All checkpoints that speak of one engine. */
  constructor(checkpoints: readonly Checkpoint[]) {
    for (const checkpoint of checkpoints) {
      this.#verdicts.set(checkpoint, undefined);
      const others = this.#bySeq.get(checkpoint.seq);
      if (others === undefined) this.#bySeq.set(checkpoint.seq, [checkpoint]);
      else others.push(checkpoint);
    }
    this.#seqs = [...this.#bySeq.keys()].sort((a, b) => a - b);
  }

  /** The chain has an entry at `seq`. */
  pass(seq: number, hash: string, ledgerId: string | undefined): void {
    for (const checkpoint of this.#bySeq.get(seq) ?? []) {
      if (this.#verdicts.get(checkpoint) !== undefined || !this.#verdicts.has(checkpoint)) continue;
      const fault = checkpoint.ledgerId !== ledgerId ? 'checkpoint-ledger' : checkpoint.hash !== hash ? 'checkpoint-differs' : 'good';
      this.#verdicts.set(checkpoint, fault);
    }
  }

  /** A checkpoint that turns out to be nobody's who is trusted: it counts for nothing, whatever the chain says to it. */
  drop(checkpoint: Checkpoint): void {
    this.#verdicts.delete(checkpoint);
  }

  get #good(): readonly Checkpoint[] {
    return [...this.#verdicts].flatMap(([checkpoint, verdict]) => (verdict === 'good' ? [checkpoint] : []));
  }

  /** An entry needs a checkpoint by another key from before the revocation of its own. */
  needs(key: TrustedKey, seq: number, where: Where): void {
    const next = this.#seqs[firstFrom(this.#seqs, seq)] ?? Number.POSITIVE_INFINITY;
    const pending = this.#pending.get(key.kid) ?? { key, byNext: new Map() };
    const bucket = pending.byNext.get(next) ?? { count: 0, first: where };
    bucket.count++;
    pending.byNext.set(next, bucket);
    this.#pending.set(key.kid, pending);
  }

  /** What speaks against completeness: each fails the axis. The chain is undefined where the engine has no entry. */
  problems(chain: { readonly ledgerId: string | undefined; readonly lastSeq: number | undefined } | undefined): readonly Problem[] {
    return [...this.#verdicts].flatMap(([checkpoint, verdict]) => {
      const isOther = chain !== undefined && chain.ledgerId !== checkpoint.ledgerId;
      const fault = verdict ?? (isOther ? 'checkpoint-ledger' : 'checkpoint-beyond');
      return fault === 'good' ? [] : [{ code: fault, message: saying(fault, checkpoint, chain?.lastSeq), where: checkpoint.where }];
    });
  }

  /** Up to where the chain is complete, after {@link problems} found none. */
  completeness(lastSeq: number): AxisAnswer {
    const pinned = highest(this.#good);
    if (pinned < 0) return notChecked('there is no checkpoint');
    const beyond = lastSeq - pinned;
    return { status: 'pass', reason: `up to seq ${pinned}${beyond > 0 ? `; the ${beyond} beyond are not checked` : ''}` };
  }

  /** Whether a checkpoint was borne out by the chain. */
  isGood(checkpoint: Checkpoint): boolean {
    return this.#verdicts.get(checkpoint) === 'good';
  }

  /** Entries that no good checkpoint pins, by key. */
  unpinned(): readonly { readonly key: TrustedKey; readonly count: number; readonly first: Where }[] {
    return [...this.#pending.values()].flatMap(({ key, byNext }) => {
      const pinned = highest(this.#good.filter(({ kid, time }) => kid !== key.kid && time < key.revokedAt));
      const open = [...byNext].filter(([next]) => next > pinned).map(([, bucket]) => bucket);
      const [first] = open;
      return first === undefined ? [] : [{ key, count: open.reduce((sum, { count }) => sum + count, 0), first: first.first }];
    });
  }
}

/** The highest seq; -1 of none. */
function highest(checkpoints: readonly Checkpoint[]): number {
  return checkpoints.reduce((most, { seq }) => Math.max(most, seq), -1);
}

function saying(fault: Problem['code'], { seq }: Checkpoint, lastSeq: number | undefined): string {
  if (fault === 'checkpoint-ledger') return 'a checkpoint is about another ledger of this engine';
  if (fault === 'checkpoint-differs') return `a checkpoint names another entry at seq ${seq}`;
  return `a checkpoint names seq ${seq}, the chain ends at ${lastSeq ?? 'none'}`;
}

/** The index of the first number that is not below `least`: the list rises, and whoever writes the ledger decides how long it is. */
function firstFrom(rising: readonly number[], least: number): number {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rising[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
