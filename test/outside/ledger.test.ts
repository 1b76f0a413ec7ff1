/**
 * The neutral ledgers: each case says how a chain is built, what is then done to it and what is known of it from outside; our chain, our checkpoint and
 * our exact answer stand here. A receipt of a case is a decision, behind our genesis and install; its anchor is a checkpoint of the last receipt.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';
import { argsDigest } from '../../src/digest/args-digest.js';
import { citing, emitFinding } from '../../src/finding/emit.js';
import { copyPolicy } from '../../src/policy/copy.js';
import { type Effect, matchProfile } from '../../src/policy/model.js';
import { createSigner, policyDigest, type Report } from '../../src/index.js';
import { verifyLedger } from '../../src/ledger/verify.js';
import type { FindingVerdict } from '../../src/receipt/statement.js';
import { ChainKit, folderOf, keys, startTime, trustOf } from '../ledger/chain-kit.js';
import { cryptoPaths, load, onPath, outside } from './outside.js';

interface FindingOf {
  readonly verdict: FindingVerdict;
  /** The number of a receipt, or `unknown` for one that is nowhere. */
  readonly cites: number | 'unknown';
  readonly expected_decision: Effect;
  readonly actual_decision: Effect;
}

interface Case {
  readonly id: string;
  readonly kind: string;
  readonly level: string;
  readonly description: string;
  readonly input: {
    readonly build: { readonly receipts?: number; readonly times?: readonly number[]; readonly decisions?: readonly Effect[] };
    readonly ops?: readonly { readonly drop: readonly number[] }[];
    readonly anchor?: { readonly count: number; readonly head: string } | null;
    readonly findings?: readonly FindingOf[];
  };
  readonly expect: { readonly verdict: string; readonly also_ok?: readonly string[] };
}

/** What we say to each: what is said of completeness, and every problem with its status. */
const answers: Readonly<Record<string, readonly [completeness: string, ...problems: readonly string[]]>> = {
  'O-LED-01': ['pass'],
  'O-LED-02': ['fail', 'completeness checkpoint-beyond fail'],
  'O-LED-03': ['not-checked'],
  'O-LED-04': ['not-checked', 'order seq-gap fail'],
  'O-LED-05': ['not-checked', 'findings cited-missing fail'],
  'O-LED-06': ['not-checked', 'findings cited-misreported fail'],
  'O-LED-07': ['not-checked', 'order time-back note'],
};

/** The verdicts of the cases in our words. */
const verdicts: Readonly<Record<string, (report: Report) => boolean>> = {
  ok: (report) => report.ok && report.problems.length === 0,
  'ok-with-warning': (report) => report.ok && report.problems.length > 0 && report.problems.every(({ status }) => status === 'note'),
  'ok-completeness-unknown': (report) => report.ok && report.axes.completeness.status === 'not-checked',
  fail: (report) => !report.ok && report.problems.some(({ status }) => status === 'fail'),
};

const policy = copyPolicy({
  version: 1,
  rules: [{ name: 'read', effect: 'allow', agents: 'any', action: { tool: { server: 'files', name: 'read' } } }],
});
const cites = { policy_version: 1, policy_digest: policyDigest(policy), match_profile: matchProfile };
/** Our own entries in front of the receipts. */
const before = 2;

function build({ receipts = 0, times, decisions }: Case['input']['build']): ChainKit {
  const chain = new ChainKit();
  chain.genesis();
  chain.install(policy);
  for (const [i, effect] of (decisions ?? Array<Effect>(receipts).fill('allow')).entries()) {
    const time = times?.[i];
    // times are in seconds; only an allow follows from our policy, and no case has another
    chain.decision({
      decision: { effect, rule: 'read', action: 0 },
      args_digest: argsDigest({}),
      ...cites,
      ...(time !== undefined && { time: startTime + time * 1000 }),
    });
  }
  return chain;
}

/** A finding is a record behind the receipts: what the case leaves open is as the receipt that it is about has it. */
function report(chain: ChainKit, { verdict, cites: cited, expected_decision, actual_decision }: FindingOf): void {
  const about = citing(chain.entries[before + (cited === 'unknown' ? 0 : cited)] as Uint8Array);
  const claim = { ...about, harness: 'harness', testId: 'test', verdict, expectedDecision: expected_decision, actualDecision: actual_decision };
  const citedReceipt = cited === 'unknown' ? `sha256:${'0'.repeat(64)}` : about.citedReceipt;
  const recorded = emitFinding({ ...claim, citedReceipt, detectedAt: chain.time, time: chain.time }, createSigner(keys.harness));
  chain.add({ statement: 'record', recorded });
}

function judge({ build: recipe, ops = [], anchor, findings = [] }: Case['input'], require: readonly 'completeness'[] = []): Report {
  const chain = build(recipe);
  for (const finding of findings) report(chain, finding);
  const dropped = ops.flatMap(({ drop }) => drop.map((i) => i + before));
  const left = chain.entries.filter((_, seq) => !dropped.includes(seq));
  const checkpoints = anchor ? [{ file: 'checkpoint.cbor', bytes: chain.checkpoint(before + anchor.count - 1) }] : [];
  return verifyLedger([folderOf(left, [policy])], { trust: trustOf(), checkpoints, require });
}

outside('neutral ledgers', () => {
  const cases = load<{ cases: readonly Case[] }>('cases.json').cases.filter(({ kind }) => kind === 'ledger');
  const title = ({ id, level, description }: Case): string => `${id} (${level}): ${description}`;

  it('are seven, two of them about findings', () => {
    expect(cases.map(({ id }) => id)).toEqual(Object.keys(answers));
    expect(cases.filter(({ input }) => input.findings !== undefined).map(({ id }) => id)).toEqual(['O-LED-05', 'O-LED-06']);
    // what this suite can build, and nothing else
    expect([...new Set(cases.flatMap(({ input }) => [...Object.keys(input), ...Object.keys(input.build)]))].sort()).toEqual([
      'anchor',
      'build',
      'decisions',
      'findings',
      'one_engine',
      'ops',
      'receipts',
      'times',
    ]);
  });

  describe.each(cryptoPaths)('with %s crypto', (path) => {
    it.each(cases.map((one) => [title(one), one] as const))('%s', (_, { id, input, expect: expected }) => {
      const report = onPath(path, () => judge(input));
      const said = [report.axes.completeness.status, ...report.problems.map(({ axis, code, status }) => `${axis} ${code} ${status}`)];
      expect(said).toEqual(answers[id]);
      expect([expected.verdict, ...(expected.also_ok ?? [])].filter((verdict) => verdicts[verdict]?.(report))).toHaveLength(1);
    });
  });

  it('have anchors of the last receipt as it was built, so that what is missing behind it is seen', () => {
    for (const { input } of cases.filter((one) => one.input.anchor)) {
      expect(input.anchor?.count).toBe(input.build.receipts);
      expect(['last', 'original last']).toContain(input.anchor?.head);
    }
  });

  it('are not good where completeness is required and nothing is known from outside (LED-13)', () => {
    const unknown = cases.filter(({ expect: expected }) => expected.verdict === 'ok-completeness-unknown');
    expect(unknown.map(({ id }) => id)).toEqual(['O-LED-03']);
    for (const { input } of unknown) expect(judge(input, ['completeness']).ok).toBe(false);
  });
});
