/**
 * Timing: contenders run in turn, in short slices, so that whatever else the machine does falls on all of them alike.
 * Only ratios within one run mean anything, and the ratio of a round is taken inside that round.
 *
 * The clock is the processor time of the process: what another program takes in between does not count, what the
 * garbage collector does on other threads does.
 * @module
 */

export interface Contender {
  readonly name: string;
  /** One call, the i-th of its slice. */
  run(i: number): unknown;
  /** How many calls make a whole, such as the kinds of a mix: every slice holds a multiple of it. 1 by default. */
  readonly cycle?: number;
  /** Makes what the calls of a slice use up; not timed. */
  prepare?(calls: number): void;
}

/** Nanoseconds a call. */
export interface Timing {
  readonly median: number;
  readonly rounds: readonly number[];
}

export interface Effort {
  readonly rounds: number;
  /** Slices that each contender gets in a round. */
  readonly slices: number;
  readonly sliceMs: number;
  readonly warmMs: number;
}

export const normalEffort: Effort = { rounds: 5, slices: 8, sliceMs: 4, warmMs: 60 };
/** Shows that the bench works, not how fast anything is. */
export const quickEffort: Effort = { rounds: 3, slices: 2, sliceMs: 1, warmMs: 5 };

/** Where results go, so that no call can be optimised away. */
const sink: { value: unknown } = { value: undefined };

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}

/** Nanoseconds of processor time that a call takes. */
export function timed(call: () => void): number {
  const start = process.cpuUsage();
  call();
  const { user, system } = process.cpuUsage(start);
  return Math.max(1, user + system) * 1_000; // never 0, since ratios are taken
}

/** Nanoseconds for all calls of a slice. */
function slice(contender: Contender, calls: number): number {
  contender.prepare?.(calls);
  return timed(() => {
    for (let i = 0; i < calls; i++) sink.value = contender.run(i);
  });
}

/** Runs until it is warm, and says how many calls fill a slice. */
function calibrate(contender: Contender, { sliceMs, warmMs }: Effort): number {
  const { cycle = 1 } = contender;
  const fitting = (perCall: number): number => cycle * Math.max(1, Math.floor((sliceMs * 1e6) / perCall / cycle));
  let calls = cycle;
  let perCall = slice(contender, cycle); // pays for lazy work, so its price counts for nothing
  for (let spent = 0; spent < warmMs * 1e6; ) {
    const took = slice(contender, calls);
    spent += took;
    perCall = took / calls;
    calls = Math.min(calls * 4, fitting(perCall));
  }
  return fitting(perCall);
}

/** Times contenders side by side; the answer is by name. */
export function race(contenders: readonly Contender[], effort: Effort): Map<string, Timing> {
  const lanes = contenders.map((contender) => ({ contender, calls: calibrate(contender, effort), rounds: [] as number[], samples: [] as number[] }));
  for (let round = 0; round < effort.rounds; round++) {
    for (let turn = 0; turn < effort.slices; turn++) {
      // each turn begins with another lane
      const from = (round + turn) % lanes.length;
      for (const lane of [...lanes.slice(from), ...lanes.slice(0, from)]) lane.samples.push(slice(lane.contender, lane.calls) / lane.calls);
    }
    for (const lane of lanes) lane.rounds.push(median(lane.samples.splice(0)));
  }
  return new Map(lanes.map(({ contender, rounds }) => [contender.name, { median: median(rounds), rounds }]));
}

/** How many times as long as the base: the median of the ratios of the rounds. */
export function ratio(timing: Timing, base: Timing): number {
  return median(timing.rounds.map((value, i) => value / (base.rounds[i] as number)));
}

/** One run of something that is too long for slices, or that waits. Gives nanoseconds for each of its calls. */
export interface LongContender {
  readonly name: string;
  run(): number | Promise<number>;
}

/** Runs long contenders in turn, once in each round, each round begun by another. */
export async function raceLong(contenders: readonly LongContender[], rounds: number): Promise<Map<string, Timing>> {
  const taken = new Map(contenders.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    const from = round % contenders.length;
    for (const { name, run } of [...contenders.slice(from), ...contenders.slice(0, from)]) taken.get(name)?.push(await run());
  }
  return new Map([...taken].map(([name, all]) => [name, { median: median(all), rounds: all }]));
}
