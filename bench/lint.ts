/**
 * The linter: a policy as organisations have it, from its text to all findings, and the search for dead rules alone.
 * @module
 */
import { realisticPolicy } from './lint-fixture.js';
import type { Bench } from './main.js';
import { median, timed } from './measure.js';

const size = 1_000;
const second = 1e9;

export function benchLint({ library, report, quick, full }: Bench): void {
  const { copyPolicy, lintPolicy, Reach } = library;
  const rounds = quick ? 1 : 5;
  const sizes = full ? [100, size, 10_000] : [100, size];
  const rows = sizes.flatMap((count) => {
    const plain = realisticPolicy(count);
    const text = JSON.stringify(plain);
    const title = `${count.toLocaleString('en')} rules`;
    /** A new policy for every call, so that nothing kept from the call before counts. */
    const search = (): number => {
      const policy = copyPolicy(plain);
      return timed(() => {
        const reach = new Reach(policy);
        for (const position of policy.rules.keys()) reach.of(position);
      });
    };
    const lint = (): number => timed(() => lintPolicy(text, { format: 'json', path: 'policy.json' }));
    const row = (name: string, call: () => number, atMost?: number) => {
      const taken = Array.from({ length: rounds }, call);
      return { name: `${name}, ${title}`, figure: { unit: 'ns', value: median(taken), rounds: taken } as const, ...(atMost !== undefined && { atMost }) };
    };
    return [row('which rules are dead', search, count === size ? second : undefined), row('text to findings', lint, count === size ? 2 * second : undefined)];
  });
  report.list({ id: 'lint', title: 'lint of a realistic policy', rows });
  const reach = new Reach(copyPolicy(realisticPolicy(size)));
  const undecided = reach.rules.filter((_, position) => reach.of(position).state === 'undecided').map(({ name }) => name);
  report.must(`lint decides of each of ${size.toLocaleString('en')} realistic rules whether it is dead`, undecided);
}
