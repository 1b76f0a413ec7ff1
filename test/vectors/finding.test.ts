import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hex } from '../../src/bytes.js';
import { RuleprintError } from '../../src/errors.js';
import { findingId, findingPreimage, occurrenceOf } from '../../src/finding/identity.js';
import { verifyLedger } from '../../src/ledger/verify.js';
import { native } from '../../src/native.js';
import { reportedId, stableId } from '../../src/receipt/finding-ids.js';
import { copyTrustStore } from '../../src/receipt/trust.js';
import { type Case, type Fields, type Json, load, readHex, sorted } from './load.js';

const { crypto } = native;
const paths = [
  ['native', crypto],
  ['pure', undefined],
] as const;

const { groups } = load('finding');
const cases = groups.flatMap((group) => group.cases);

function answer(input: Case['input']): Fields {
  try {
    return answered(input);
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    return { error: error.code };
  }
}

function answered({ claim, finding, occurrence, occurrence_of: label, ...ledger }: Case['input']): Fields {
  if (claim !== undefined) {
    const { harness, test_id: test, cited_receipt: cited, args_digest: args, policy_digest: policy } = claim;
    return { finding_id: reportedId(harness, test, cited), stable_id: stableId(harness, test, args, policy) };
  }
  if (finding !== undefined) return { preimage_hex: hex(findingPreimage(finding, occurrence)), id: findingId(finding, occurrence) };
  if (label !== undefined) return { occurrence: occurrenceOf(label.kind, label.content, label.key) };
  return report(ledger);
}

function report({ segments_hex: segments, kind, trust, policies, require, args }: Case['input']): Fields {
  const read = segments.map((entries: readonly Json[], i: number) => ({ file: `segment ${i}`, chunks: () => entries.map(readHex) }));
  const { ok, axes, problems } = verifyLedger([{ file: 'ledger', kind, segments: read }], {
    trust: copyTrustStore(trust),
    ...(policies && { policies }),
    ...(require && { require }),
    ...(args && { args: new Map(args.map(({ receipt, arguments: raw }: { receipt: string; arguments: unknown }) => [receipt, raw])) }),
  });
  const said = problems.map(({ axis, code, status, where: { engine, seq } }) => ({
    axis,
    code,
    status,
    ...(engine !== undefined && { engine }),
    ...(seq !== undefined && { seq }),
  }));
  return { ok, axes: Object.fromEntries(Object.entries(axes).map(([axis, { status }]) => [axis, status])), problems: sorted(said) };
}

describe.each(paths)('vectors: finding, %s crypto', (_, path) => {
  beforeEach(() => {
    native.crypto = path;
  });
  afterEach(() => {
    native.crypto = crypto;
  });

  describe.each(groups)('$name', ({ cases: those }) => {
    it.each(those)('$id: $comment', ({ input, expect: expected }) => {
      expect(answer(input)).toEqual({ ...expected, ...(expected.problems && { problems: sorted(expected.problems) }) });
    });
  });
});

describe('vectors: finding, what they cover', () => {
  const problemsOf = ({ expect: expected }: Case): readonly { code: string; status: string; axis: string }[] => expected.problems ?? [];

  it('are refusals for the most part', () => {
    const refusals = cases.filter(({ expect: expected }) => expected.ok === false || expected.error !== undefined);
    expect(cases.length).toBeGreaterThanOrEqual(100);
    expect(refusals.length).toBeGreaterThan(cases.length / 2);
  });

  it('are every code of the axis', () => {
    const errors = readFileSync(new URL('../../spec/errors.md', import.meta.url), 'utf8');
    const section = errors.split(/^## /m).find((text) => text.startsWith('Findings')) ?? '';
    const codes = [...section.matchAll(/^\| `([a-z-]+)`/gm)].map(([, code]) => code as string);
    const seen = new Set(cases.flatMap(problemsOf).map(({ code }) => code));
    expect(codes.length).toBeGreaterThan(10);
    expect(codes.filter((code) => !seen.has(code))).toEqual([]);
  });

  it('are wrong in one way each, unless their flags say that there are several', () => {
    const several = cases.filter((one) => problemsOf(one).length > 1 && !one.flags.includes('several'));
    expect(several.map(({ id }) => id)).toEqual([]);
  });

  it('say of an axis that fails which problem fails it, and the reverse', () => {
    for (const one of cases.filter(({ expect: expected }) => expected.axes !== undefined)) {
      const failed = Object.keys(one.expect.axes).filter((axis) => one.expect.axes[axis] === 'fail');
      const named = problemsOf(one).flatMap(({ axis, status }) => (status === 'fail' ? [axis] : []));
      expect([one.id, ...new Set(named)].sort()).toEqual([one.id, ...failed].sort());
    }
  });
});
