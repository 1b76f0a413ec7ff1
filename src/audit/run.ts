/**
 * Runs the epochs of an audit (spec/audit-run.md, AUR-12, AUR-13): side by side, recorded in their order, and on from where a run was killed.
 * @module
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { refuse } from '../errors.js';
import type { Gate } from '../gate/gate.js';
import { isHashText, sha256Text } from '../hash.js';
import { statementLimits } from '../receipt/audit-statements.js';
import { epochSeed } from './agents/random.js';
import { type EpochLimits, runEpoch } from './run/epoch.js';
import { EvidenceFolder } from './run/folder.js';
import { endLine, readEpoch, type RecordedEpoch } from './run/lines.js';
import { type EpochRecord, readRecord } from './run/record.js';
import type { EpochSetup } from './run/scenario.js';

export interface RunOptions extends Partial<EpochLimits> {
  /** Where the evidence goes, and is. */
  readonly folder: string;
  /** Of the plan that was signed before: it says what `setup` gives. */
  readonly plan: string;
  /** All of them: fixed before the first. */
  readonly epochs: number;
  /** The same for an epoch every time. */
  readonly setup: (epoch: number) => EpochSetup;
  /** With a ledger, whose one writer is this run. */
  readonly gate: Gate;
  /** The value of a slot: `canaryValue` of the seed and the plan. */
  readonly canary: (epoch: number, slot: string) => string;
  /** 32 bytes: the seeds of the epochs derive from them. */
  readonly seed: Uint8Array;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Epochs side by side: 4 by default. */
  readonly concurrency?: number;
  /**
   * Called for each epoch in order, before its record is written: where a record becomes a statement of a ledger. After a kill in between it is called again for
   * the same epoch with the same record.
   */
  readonly seal?: (record: EpochRecord, recorded: RecordedEpoch) => void | Promise<void>;
  readonly onProgress?: (progress: RunProgress) => void;
  /** Aborted where no further epoch shall start: those that run are brought to their end. */
  readonly signal?: AbortSignal;
}

export interface RunProgress {
  readonly sealed: number;
  readonly epochs: number;
  /** Of the epochs that this process has run. */
  readonly calls: number;
  readonly failed: number;
}

export interface RunResult {
  /** Whether every epoch of the plan has its record. */
  readonly isComplete: boolean;
  readonly sealed: number;
  /** Epochs that this process has run. */
  readonly ran: number;
  /** Epochs that were killed in the middle, and are recorded as that. */
  readonly interrupted: readonly number[];
}

/** Most epochs of one run. */
export const maxEpochs = 1_000_000;

/**
 * Runs what is left of a run.
 *
 * @throws RuleprintError `run-differs`, `run-damaged`, `run-receipt`; what the disk or `seal` throws. What is recorded until then stays, and the run goes on when it
 * is called again.
 */
export async function runEpochs(options: RunOptions): Promise<RunResult> {
  checkOptions(options);
  const { epochs, plan, seed, maxTurns = 20, maxCalls = 50, timeLimit = 600_000 } = options;
  const limits: EpochLimits = { maxTurns, maxCalls, timeLimit };
  const folder = new EvidenceFolder(options.folder, {
    format: 'ruleprint-run/1',
    plan,
    epochs,
    seed_commitment: sha256Text(seed),
    max_turns: maxTurns,
    max_calls: maxCalls,
    epoch_time_limit: timeLimit,
  });
  try {
    return await new Run(options, limits, folder).finish();
  } finally {
    folder.close();
  }
}

/** An epoch with its end. */
interface EndedEpoch {
  readonly record: EpochRecord;
  readonly recorded: RecordedEpoch;
}

class Run {
  readonly #options: RunOptions;
  readonly #limits: EpochLimits;
  readonly #folder: EvidenceFolder;
  /** Ended, and waiting for those before them: never more than the window. */
  readonly #ended = new Map<number, EndedEpoch>();
  readonly #window: number;
  readonly #concurrency: number;
  readonly #waiting: (() => void)[] = [];
  readonly #interrupted: number[] = [];
  #next: number;
  #ran = 0;
  #calls = 0;
  #failed = 0;
  #sealing: Promise<void> = Promise.resolve();
  #broken: { readonly error: unknown } | undefined;

  constructor(options: RunOptions, limits: EpochLimits, folder: EvidenceFolder) {
    this.#options = options;
    this.#limits = limits;
    this.#folder = folder;
    this.#concurrency = options.concurrency ?? 4;
    this.#window = 4 * this.#concurrency;
    this.#next = folder.sealed;
  }

  async finish(): Promise<RunResult> {
    await Promise.all(Array.from({ length: this.#concurrency }, () => this.#work()));
    await this.#sealing;
    if (this.#broken !== undefined) throw this.#broken.error;
    const { sealed } = this.#folder;
    return { isComplete: sealed === this.#options.epochs, sealed, ran: this.#ran, interrupted: this.#interrupted };
  }

  async #work(): Promise<void> {
    for (;;) {
      // scripted agents never wait for anything: without this nobody else has a turn, a signal of the operator least of all
      await nextTurn();
      if (this.#broken !== undefined || this.#next >= this.#options.epochs) return;
      // killed epochs are brought to their end even where no further one shall start
      if (this.#options.signal?.aborted === true && !this.#folder.leftBehind.has(this.#next)) return;
      const epoch = this.#next++;
      try {
        while (epoch - this.#folder.sealed >= this.#window && this.#broken === undefined) await new Promise<void>((resolve) => this.#waiting.push(resolve));
        if (this.#broken !== undefined) return;
        this.#ended.set(epoch, await this.#run(epoch));
        this.#sealing = this.#sealing.then(() => this.#seal());
        await this.#sealing;
      } catch (error) {
        this.#break(error);
      }
    }
  }

  /** INVARIANT (once): an epoch that a line was written of is never run again, whatever became of it. */
  async #run(epoch: number): Promise<EndedEpoch> {
    const { plan, setup, seed, gate, canary, now } = this.#options;
    if (this.#folder.leftBehind.has(epoch)) {
      const left = this.#left(epoch);
      if (left !== undefined) return left;
    }
    const file = this.#folder.begin(epoch);
    const lines: string[] = [];
    const write = (line: string): void => {
      file.write(line);
      lines.push(line);
    };
    try {
      this.#ran++;
      await runEpoch(setup(epoch), { ...this.#limits, epoch, seed: epochSeed(seed, epoch), gate, canary, now, write });
    } finally {
      file.close();
    }
    return readRecord(plan, lines.join(''));
  }

  /** What another process left of an epoch: its record, or undefined where not a line was written. */
  #left(epoch: number): EndedEpoch | undefined {
    const { plan, now } = this.#options;
    const lines = this.#folder.read(epoch);
    if (lines === '') {
      this.#folder.forget(epoch);
      return undefined;
    }
    const { head, end } = readEpoch(lines, { file: String(epoch) });
    if (head.epoch !== epoch) refuse('run-damaged', `expected the transcript of epoch ${epoch}, got that of epoch ${head.epoch}`);
    if (end !== undefined) return readRecord(plan, lines);
    this.#interrupted.push(epoch);
    const last = endLine({ ending: 'done', failure: 'harness', ended_at: now() });
    this.#folder.finish(epoch, last);
    return readRecord(plan, lines + last);
  }

  async #seal(): Promise<void> {
    for (let ended = this.#take(); ended !== undefined && this.#broken === undefined; ended = this.#take()) {
      const { record, recorded } = ended;
      await this.#options.seal?.(record, recorded);
      this.#folder.seal(record);
      this.#ended.delete(record.epoch);
      this.#calls += record.calls.length;
      if (record.failure !== undefined) this.#failed++;
      const { sealed } = this.#folder;
      this.#options.onProgress?.({ sealed, epochs: this.#options.epochs, calls: this.#calls, failed: this.#failed });
      this.#wake();
    }
  }

  #take(): EndedEpoch | undefined {
    return this.#ended.get(this.#folder.sealed);
  }

  #break(error: unknown): void {
    this.#broken ??= { error };
    this.#wake();
  }

  #wake(): void {
    for (const go of this.#waiting.splice(0)) go();
  }
}

function checkOptions({ plan, epochs, seed, concurrency = 4, maxTurns = 1, maxCalls = 1, timeLimit = 1 }: RunOptions): void {
  if (!isHashText(plan)) throw new TypeError('"plan" expected a hash');
  if (!(seed instanceof Uint8Array) || seed.length !== 32) throw new TypeError('"seed" expected 32 bytes');
  checkCount('epochs', epochs, maxEpochs);
  checkCount('concurrency', concurrency, 256);
  checkCount('maxTurns', maxTurns, 1_000);
  checkCount('maxCalls', maxCalls, statementLimits.calls);
  checkCount('timeLimit', timeLimit, 86_400_000);
}

function checkCount(name: string, value: number, most: number): void {
  if (!Number.isSafeInteger(value) || value < 1 || value > most) throw new RangeError(`"${name}" expected a whole number from 1 to ${most}`);
}
