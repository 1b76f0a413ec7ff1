/**
 * spec/report.schema.json: takes every report that the verifier gives, and no other. (The tests of `verify` hold their reports to it too.)
 * @module
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { errorCodes } from '../../src/errors.js';
import { limits } from '../../src/limits.js';
import { axes } from '../../src/receipt/report.js';
import { decideInto, newDesk, readLine } from './ledger-kit.js';
import { checkedReport, reportSchema, validateReport } from './report-schema.js';

let report: Record<string, unknown>;
beforeAll(async () => {
  const desk = await newDesk();
  await decideInto(desk, readLine, '--policy', 'policy-1.json');
  await desk.ran('keygen', '--out', 'x.jwk', '--trust', 'other.json');
  const { stdout } = await desk.ran('verify', 'audit', '--trust', 'other.json', '--json');
  report = JSON.parse(stdout) as Record<string, unknown>;
});

const problem = () => (report['problems'] as Record<string, unknown>[])[0] as Record<string, unknown>;

describe('spec/report.schema.json', () => {
  it('names the axes of the code, in their order', () => {
    expect(reportSchema.definitions['axis']?.enum).toEqual([...axes]);
    expect(reportSchema.properties.axes.required).toEqual([...axes]);
    expect(Object.keys(reportSchema.properties.axes.properties)).toEqual([...axes]);
  });

  it('has room for as many problems as the verifier lists', () => {
    expect(reportSchema.properties.problems.maxItems).toBe(limits.reportedProblems);
  });

  it('takes a report with problems', () => {
    expect(checkedReport(report).problems.length).toBeGreaterThan(0);
  });

  it('takes every code', () => {
    for (const code of errorCodes) expect({ code, taken: validateReport({ ...report, problems: [{ ...problem(), code }] }) }).toEqual({ code, taken: true });
  });

  it.each<readonly [what: string, change: () => Record<string, unknown>]>([
    ['a field of which it does not speak', () => ({ valid: true })],
    ['a report without an axis', () => ({ axes: { ...(report['axes'] as object), order: undefined } })],
    ['an axis that fails without a reason', () => ({ axes: { ...(report['axes'] as object), order: { status: 'fail' } } })],
    ['an answer that is none', () => ({ axes: { ...(report['axes'] as object), order: { status: 'valid' } } })],
    ['a problem without a code', () => ({ problems: [{ ...problem(), code: undefined }] })],
    ['a place that is none', () => ({ problems: [{ ...problem(), where: { line: 1 } }] })],
    ['a negative offset', () => ({ problems: [{ ...problem(), where: { offset: -1 } }] })],
  ])('refuses %s', (_what, change) => {
    expect(validateReport(JSON.parse(JSON.stringify({ ...report, ...change() })))).toBe(false);
  });
});
