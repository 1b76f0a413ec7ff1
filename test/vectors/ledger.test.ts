import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerSource } from '../../src/ledger/source.js';
import { verifyLedger } from '../../src/ledger/verify.js';
import { native } from '../../src/native.js';
import type { Report } from '../../src/receipt/report.js';
import { copyTrustStore } from '../../src/receipt/trust.js';
import { bytesOf, type Case, type Json, load, readHex, sorted } from './load.js';

const { crypto } = native;
const paths = [
  ['native', crypto],
  ['pure', undefined],
] as const;

const { groups } = load('ledger');
const cases = groups.flatMap((group) => group.cases);

interface Found {
  readonly axis: string;
  readonly code: string;
  readonly status: string;
  readonly engine?: string;
  readonly seq?: number;
}

function sourceOf({ segments_hex: segments, kind, durable }: Case['input']): LedgerSource {
  return {
    file: 'ledger',
    kind,
    segments: segments.map((entries: readonly Json[], i: number) => ({ file: `segment ${i}`, chunks: () => entries.map(readHex) })),
    ...(durable && { durable }),
  };
}

function verify(input: Case['input']): Report {
  return verifyLedger([sourceOf(input)], {
    trust: copyTrustStore(input.trust),
    ...(input.policies && { policies: input.policies }),
    ...(input.checkpoints_hex && { checkpoints: input.checkpoints_hex.map((hex: string, i: number) => ({ file: `checkpoint ${i}`, bytes: bytesOf(hex) })) }),
    ...(input.require && { require: input.require }),
    ...(input.expect_engines && { expectEngines: input.expect_engines }),
    ...(input.also_algorithms && { alsoAlgorithms: input.also_algorithms }),
  });
}

/** The problems of a report, as far as vectors say them. */
function found(report: Report): readonly Found[] {
  return report.problems.map(({ axis, code, status, where: { engine, seq } }) => ({
    axis,
    code,
    status,
    ...(engine !== undefined && { engine }),
    ...(seq !== undefined && { seq }),
  }));
}

describe.each(paths)('vectors: ledger, %s crypto', (_, path) => {
  beforeEach(() => {
    native.crypto = path;
  });
  afterEach(() => {
    native.crypto = crypto;
  });

  describe.each(groups)('$name', ({ cases: those }) => {
    it.each(those)('$id: $comment', ({ input, expect: expected }) => {
      const report = verify(input);
      const axes = Object.fromEntries(Object.entries(report.axes).map(([axis, { status }]) => [axis, status]));
      expect({ axes, problems: sorted(found(report)), ok: report.ok }).toEqual({ ...expected, problems: sorted(expected.problems) });
    });
  });
});

describe('vectors: ledger, what they cover', () => {
  const failing = cases.filter(({ expect: expected }) => !expected.ok);
  const problemsOf = ({ expect: expected }: Case): readonly Found[] => expected.problems;

  it('is at least 120 cases, more than half of them refusals', () => {
    expect(cases.length).toBeGreaterThanOrEqual(120);
    expect(failing.length).toBeGreaterThan(cases.length / 2);
  });

  it('is every code of the ledger, on every axis that a ledger answers', () => {
    const errors = readFileSync(new URL('../../spec/errors.md', import.meta.url), 'utf8');
    const sections = errors.split(/^## /m).filter((section) => /^Ledger: (chain|completeness|timeline|approvals)/.test(section));
    const codes = sections.flatMap((section) => [...section.matchAll(/^\| `([a-z-]+)`/gm)].map(([, code]) => code as string));
    const seen = new Set(cases.flatMap(problemsOf).map(({ code }) => code));
    expect(sections).toHaveLength(4);
    expect(codes.filter((code) => !seen.has(code))).toEqual([]);
    const axes = new Set(failing.flatMap(({ expect: expected }) => Object.keys(expected.axes).filter((axis) => expected.axes[axis] === 'fail')));
    expect([...axes].sort()).toEqual(['approvals', 'bytes', 'completeness', 'key-trust', 'order', 're-decision', 'signature', 'timeline']);
  });

  it('is wrong in one way for each case, unless its flags say that there are several', () => {
    const several = cases.filter((one) => problemsOf(one).length > 1 && !one.flags.includes('several'));
    expect(several.map(({ id }) => id)).toEqual([]);
  });

  it('says of an axis that fails which problem fails it, and the reverse', () => {
    for (const { id, expect: expected } of cases) {
      const failed = Object.keys(expected.axes).filter((axis) => expected.axes[axis] === 'fail');
      const named = expected.problems.filter(({ status }: Found) => status === 'fail').map(({ axis }: Found) => axis);
      expect([id, ...new Set<string>(named)].sort()).toEqual([id, ...failed].sort());
    }
  });
});
