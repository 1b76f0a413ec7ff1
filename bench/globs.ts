/**
 * The worst patterns: a bound on the time of one call, and whether time grows with pattern times input and no faster
 * (MAT-1). picomatch needs more than 15 seconds for the shortest of the first two, so no peer is asked.
 * @module
 */
import { type Trap, worstGlobs } from './fixtures.js';
import type { Bench } from './main.js';
import { timed } from './measure.js';

/** Few, so that nothing is warm: an agent asks once. The best of them is taken, since the first compiles. */
const calls = 3;
/** For one call, the parsing of the pattern included. */
const shortBoundMs = 5;
/** For a pattern and an input as long as the spec allows: 4,096 and 65,536 bytes. */
const longestBoundMs = 2_000;
const patternLimit = 4_096;
const inputLimit = 65_536;
/** Pattern and input both grow so, the time by the square; as much again is left to caches and noise. */
const growth = 8;

export function benchGlobs({ library, report }: Bench): void {
  const { pathCovers, argvCovers } = library;
  // an argument is the text that may be long
  const coversOf = { path: pathCovers, argument: (pattern: string, input: string) => argvCovers([pattern], [input]) };
  const rows: Parameters<typeof report.list>[0]['rows'][number][] = [];
  for (const { name, kind, scaled } of worstGlobs) {
    const covers = coversOf[kind];
    const lengths = [
      { length: 'short', trap: scaled(1, 1), boundMs: shortBoundMs },
      { length: 'longest', trap: longest(scaled), boundMs: longestBoundMs },
    ];
    for (const { length, trap, boundMs } of lengths) {
      const call = (): void => {
        if (covers(trap.pattern, trap.input)) throw new Error(`the pattern of ${name} covers its input`);
      };
      const times = Array.from({ length: calls }, () => timed(call));
      const figure = { unit: 'ns', value: Math.min(...times), rounds: times } as const;
      const remark = `${trap.pattern.length} on ${trap.input.length} bytes`;
      rows.push({ name: `${name}, ${length}`, figure, atMost: boundMs * 1e6, remark });
    }
  }
  report.list({ id: 'globs', title: `worst patterns, the best of ${calls} calls`, rows });

  for (const { name, kind, scaled } of worstGlobs) {
    const covers = coversOf[kind];
    const [short, long] = [scaled(4, 4), scaled(4 * growth, 4 * growth)];
    report.race({
      id: `globs/growth/${name}`,
      title: `worst patterns, ${name}, both ${growth} times as long`,
      contenders: [
        { name: 'short', run: () => covers(short.pattern, short.input) },
        { name: 'long', run: () => covers(long.pattern, long.input) },
      ],
      targets: { long: { atMost: 2 * growth ** 2 } },
    });
  }
}

function longest(scaled: (pattern: number, input: number) => Trap): Trap {
  let pattern = 1;
  while (scaled(pattern + 1, 1).pattern.length <= patternLimit) pattern += 1;
  let input = 1;
  while (scaled(1, input + 1).input.length <= inputLimit) input += 1;
  return scaled(pattern, input);
}
