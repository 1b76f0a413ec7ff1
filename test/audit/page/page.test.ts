/** The page of an audit as bytes: what stands in it, that nothing in it is made by a transcript, and that the same audit gives the same page. */
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { auditChecks, type AuditView, type CheckAnswer } from '../../../src/audit/evidence/view.js';
import type { Checks } from '../../../src/audit/page/facts.js';
import { reportPage } from '../../../src/audit/page/page.js';
import { script } from '../../../src/audit/page/script.js';
import { canaryValue } from '../../../src/audit/canary.js';
import { auditOf, seed } from './kit.js';
import { failing, hostile, injected, passing } from './samples.js';

let failed: AuditView;
let passed: AuditView;
let bad: AuditView;

beforeAll(async () => {
  [failed, passed, bad] = [await auditOf(failing), await auditOf(passing), await auditOf(hostile)];
});

/** The text between tags, as a reader has it without scripts. */
const textOf = (page: string): string =>
  page
    .replaceAll(/<(style|script)[^>]*>[\s\S]*?<\/\1>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ');

const dataOf = (page: string, epoch: number): { readonly facts: Record<string, unknown>; readonly said: Record<string, unknown> } => {
  const [, json = ''] = new RegExp(`<script type="application/json" id="data-${epoch}">(.*)</script>`).exec(page) ?? [];
  return JSON.parse(json) as ReturnType<typeof dataOf>;
};

describe('the page of an audit', () => {
  it('says verdict, subject, grade, models and what is not claimed before anything else', () => {
    const page = reportPage(failed);
    const head = textOf(page.slice(page.indexOf('<header'), page.indexOf('</header>')));
    for (const words of [
      'meeting-notes',
      'Fail',
      'screening',
      'scripted-careful',
      'scripted-eager',
      failed.plan.statement.subject.digest,
      '2026-10-30 01:00:00 UTC',
    ]) {
      expect(head).toContain(words);
    }
    for (const claim of failed.report?.statement.not_claimed ?? []) expect(head).toContain(claim);
    expect(textOf(reportPage(passed))).toContain('\u2713 Pass');
  });

  it('has a sentence for each reason, a bar for each count, and both bounds in numbers', () => {
    const page = reportPage(failed);
    const { reasons = [], counts = [] } = failed.report?.statement ?? {};
    expect(reasons.length).toBeGreaterThan(4);
    expect(page.match(/<li class="(critical|high|medium|low|info|doubt)">/g)).toHaveLength(reasons.length);
    expect(page.match(/<div class="bar( any)?">/g)).toHaveLength(counts.length);
    const [any] = counts;
    expect(textOf(page)).toContain(`${any?.hits} / ${any?.epochs}`);
    expect(page).toContain(`<span class="bound" style="width:${(any?.bound ?? 0) / 10_000}%">`);
    expect(page).toContain(`<span class="worst" style="width:${(any?.worst_case ?? 0) / 10_000}%">`);
  });

  it('has one square for each epoch, told apart by a letter and a class, and controls apart', () => {
    const page = reportPage(failed);
    const squares = [...page.matchAll(/<button type="button" class="sq (\w+)" data-epoch="(\d+)"[^>]*>(.)<\/button>/g)];
    expect(squares).toHaveLength(failed.epochs.length);
    for (const [, style, epoch, letter] of squares) {
      const { outcome, violated } = failed.epochs[Number(epoch)]?.statement ?? {};
      const expected = outcome === 'hit' ? ['severe', 'H'] : violated?.length ? ['rule', 'R'] : outcome === 'invalid' ? ['invalid', '?'] : ['clean', '\u00b7'];
      expect([style, letter]).toEqual(expected);
    }
    expect(new Set(squares.map(([, style]) => style))).toEqual(new Set(['severe', 'rule', 'invalid', 'clean']));
    const [tasks = '', controls = ''] = page.split('<h3 id="controls">');
    for (const [, , epoch] of squares) {
      const isControl = failed.epochs[Number(epoch)]?.statement.scenario.startsWith('control') === true;
      expect((isControl ? controls : tasks).includes(`data-epoch="${epoch}"`)).toBe(true);
    }
  });

  it('says of a control whether it was as it must be, and of nothing else', () => {
    const text = textOf(reportPage(failed));
    expect(text.match(/2 of 2 hit, as it must be/g)).toHaveLength(2);
    expect(text.match(/0 of 2 hit, as it must be/g)).toHaveLength(2);
    expect(text.match(/as it must be/g)).toHaveLength(4);
    expect(textOf(reportPage(bad)).match(/as it must be/g)).toHaveLength(1);
  });

  it('names the hashes by which the audit is found again', () => {
    const text = textOf(reportPage(failed));
    for (const hash of [failed.plan.hash, failed.report?.hash, failed.plan.statement.seed_commitment]) expect(text).toContain(hash);
    expect(text).toContain(`${failed.report?.statement.findings} finding receipts`);
  });

  it('says that nothing was verified, and how to; or what was', () => {
    expect(textOf(reportPage(failed))).toContain('Nothing was verified for this page');
    expect(textOf(reportPage(failed))).toContain('ruleprint audit verify DIR --trust FILE');
    const answers = auditChecks.map((check): [string, CheckAnswer] => [
      check,
      check === 'hits' ? { status: 'fail', reason: 'epoch 3 gives <other> hits' } : { status: check === 'findings' ? 'not-checked' : 'pass' },
    ]);
    const page = reportPage(failed, { checks: Object.fromEntries(answers) as Checks });
    expect(textOf(page)).not.toContain('Nothing was verified');
    for (const check of auditChecks) expect(page).toContain(`<th scope="row">${check}</th>`);
    expect(page).toContain('\u2715 fail <span class="reason">epoch 3 gives &lt;other&gt; hits</span>');
    expect(page).toContain('\u2013 not checked');
  });

  it('speaks of a run without a report as one without a verdict, and marks no planted value', () => {
    const { report: _, ...open } = failed;
    const page = reportPage(open);
    expect(textOf(page)).toContain('No verdict yet');
    expect(page).not.toContain('id="bounds"');
    expect(dataOf(page, 0).said['canaries']).toEqual([]);
  });

  it('says which planned epochs never started', () => {
    const short = { ...failed, epochs: failed.epochs.slice(0, -3) };
    expect(textOf(reportPage(short))).toMatch(/\d epochs? not started/);
  });

  it('gives the same bytes for the same audit', () => {
    expect(reportPage(failed)).toBe(reportPage(failed));
  });

  it('gives the planted values of each epoch, from the seed that the report reveals', () => {
    const page = reportPage(failed);
    const { canaries } = dataOf(page, 5).said;
    expect(canaries).toEqual(['system', 'env', 'file'].map((slot) => ({ slot, value: canaryValue(seed, failed.plan.hash, 5, slot) })));
    const other = { ...failed, report: { ...failed.report, statement: { ...failed.report?.statement, seed: new Uint8Array(32) } } } as AuditView;
    expect(dataOf(reportPage(other), 5).said['canaries']).toEqual([]);
    expect(textOf(reportPage(other))).toContain('not what the plan commits to');
  });
});

describe('a page that asks nobody', () => {
  it('allows one script, by the hash of its bytes, and no other source of anything', () => {
    const page = reportPage(failed);
    const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, code]) => code);
    expect(scripts).toEqual([script]);
    const [, policy] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page) ?? [];
    expect(policy).toBe(
      `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'; base-uri 'none'; form-action 'none'`,
    );
    expect(page.indexOf('Content-Security-Policy')).toBeLessThan(page.indexOf('<style'));
  });

  it('has no address in its markup, its style or its script', () => {
    const page = reportPage(failed).replaceAll(/<script type="application\/json"[\s\S]*?<\/script>/g, '');
    expect(page).not.toMatch(/\s(src|href|action|data|poster|srcset|ping|on\w+)=/);
    expect(page).not.toMatch(/url\(|@import|\bimport\(/);
  });

  it('has a script that makes no markup of texts and reaches nothing', () => {
    expect(() => new Function(script)).not.toThrow();
    expect(script).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc|\beval\b|\bFunction\b|fetch|XMLHttp|WebSocket|sendBeacon|Storage/,
    );
  });
});

describe('a page of what a hostile agent wrote', () => {
  it('has no markup but its own, whatever a model said or called', () => {
    const page = reportPage(bad);
    expect(page).not.toContain('<img');
    expect(page.match(/<script/g)).toHaveLength(bad.epochs.length + 1);
    expect(page.match(/<\/script>/g)).toHaveLength(bad.epochs.length + 1);
    expect(page).not.toContain('<!--');
    expect(JSON.stringify(dataOf(page, 0).said)).toContain(JSON.stringify(injected).slice(1, -1));
  });

  it('has no markup but its own where statements hold markup', () => {
    const { statement } = bad.plan;
    const plan = { ...bad.plan, statement: { ...statement, subject: { ...statement.subject, name: injected, source: `"${injected}` } } };
    const report = bad.report && { ...bad.report, statement: { ...bad.report.statement, not_claimed: [injected] } };
    const epochs = bad.epochs.map((held) => ({ ...held, statement: { ...held.statement, scenario: injected, violated: [injected] } }));
    const page = reportPage({ ...bad, plan, epochs, ...(report && { report }) });
    expect(page).not.toContain('<img');
    expect(page.match(/<script/g)).toHaveLength(bad.epochs.length + 1);
    expect(page).toContain('&lt;img src=x onerror=&quot;');
  });

  it('is well-formed, though a transcript is not', () => {
    expect(JSON.stringify(bad.transcript(0)?.transcript)).toContain('\\ud800');
    expect(reportPage(bad).isWellFormed()).toBe(true);
  });
});
