import { chmodSync, cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AuditCheck } from '../../src/audit/evidence/view.js';
import { type AuditVerification, verifyAudit } from '../../src/audit/verify.js';
import { scanLedger } from '../../src/audit/evidence/scan.js';
import { fromHex } from '../../src/bytes.js';
import { createSigner } from '../../src/index.js';
import { readLedger } from '../../src/ledger/folder.js';
import type { AuditEpochStatement, AuditPlanStatement, AuditReportStatement, EpochCall } from '../../src/receipt/audit-statements.js';
import { reportedId } from '../../src/receipt/finding-ids.js';
import { prepareStatement } from '../../src/receipt/issue.js';
import type { FindingStatement } from '../../src/receipt/statement.js';
import { keys } from '../ledger/chain-kit.js';
import { audit, auditTrust, badText, folderFor, lyingAudit, type Lies } from './evidence/kit.js';
import { startTime } from './tools/kit.js';

let good = '';
let bad = '';
beforeAll(async () => {
  [good, bad] = [folderFor('good'), folderFor('bad')];
  await audit({ folder: good });
  await audit({ folder: bad, text: badText });
}, 60_000);

/** A copy in which something is changed. */
function changed(of: string, change: (folder: string) => void): AuditVerification {
  const folder = folderFor('changed');
  cpSync(of, folder, { recursive: true });
  change(folder);
  return verifyAudit(folder, { trust: auditTrust });
}
const failed = ({ checks }: AuditVerification): readonly string[] =>
  Object.entries(checks).flatMap(([check, { status }]) => (status === 'fail' ? [check] : []));
const codes = ({ problems }: AuditVerification, check: AuditCheck): readonly string[] => [
  ...new Set(problems.flatMap((problem) => (problem.check === check ? [problem.code] : []))),
];
const transcript = (folder: string, epoch: number): string => join(folder, 'transcripts', `${String(epoch).padStart(6, '0')}.jsonl`);

describe('verifyAudit', () => {
  it.each([
    ['a pass', () => good, 'pass'],
    ['a fail', () => bad, 'fail'],
  ])('re-makes everything that %s says (AUE-21)', (_, of, verdict) => {
    const report = verifyAudit(of(), { trust: auditTrust });
    expect(report.problems).toEqual([]);
    expect([report.ok, report.verdict, report.epochs, report.planned, report.plans]).toEqual([true, verdict, 36, 36, 1]);
    expect(
      Object.entries(report.checks)
        .filter(([, { status }]) => status !== 'pass')
        .map(([check]) => check),
    ).toEqual(['selection']);
  });

  it('does not say that nothing was chosen (AUE-31)', () => {
    const report = verifyAudit(good, { trust: auditTrust, require: ['selection'] });
    expect(report.ok).toBe(false);
    expect(report.checks.selection).toMatchObject({ status: 'not-checked', reason: expect.stringContaining('no checkpoint') });
  });

  it('fails for keys that nobody trusts (AUE-21)', () => {
    const report = verifyAudit(good, { trust: { ...auditTrust, keys: new Map() } as typeof auditTrust });
    expect([report.ok, codes(report, 'ledger').includes('key-unknown')]).toEqual([false, true]);
  });

  it('refuses a changed tree, a changed mode bit and a file more (AUE-23)', () => {
    const skill = (folder: string): string => join(folder, 'subject/SKILL.md');
    for (const change of [
      (folder: string) => writeFileSync(skill(folder), `${readFileSync(skill(folder), 'utf8')} `),
      (folder: string) => chmodSync(skill(folder), 0o755),
      (folder: string) => writeFileSync(join(folder, 'subject/desktop.ini'), 'x'),
    ]) {
      expect(codes(changed(good, change), 'subject')).toEqual(['subject-changed']);
    }
  });

  it('refuses a skill at hand that is another (AUE-23)', () => {
    const report = verifyAudit(good, { trust: auditTrust, skill: [{ path: 'SKILL.md', isExecutable: false, bytes: new Uint8Array([1]) }] });
    expect([report.ok, codes(report, 'subject')]).toEqual([false, ['subject-changed']]);
  });

  it('names a missing tree and lets nothing that rests on it pass (AUE-23)', () => {
    const report = changed(good, (folder) => rmSync(join(folder, 'subject'), { recursive: true }));
    expect([report.ok, report.checks.subject.status, report.checks.verdict.status]).toEqual([false, 'not-checked', 'not-checked']);
  });

  it('refuses other scenarios and another mapping (AUE-22)', () => {
    const replaced = (name: string, from: string, to: string) => (folder: string) => {
      const path = join(folder, name);
      const text = readFileSync(path, 'utf8');
      expect(text).toContain(from);
      writeFileSync(path, text.replace(from, to));
    };
    const scenarios = changed(good, replaced('scenarios.json', 'Sum up my notes.', 'Sum it up.'));
    expect([failed(scenarios), codes(scenarios, 'plan'), scenarios.checks.hits.status]).toEqual([['plan'], ['scenario-differs'], 'not-checked']);
    expect(codes(changed(good, replaced('mapping.json', '"false"', '"other"')), 'plan')).toEqual(['mapping-differs']);
    expect(changed(good, (folder) => rmSync(join(folder, 'scenarios.json'))).checks.plan.status).toBe('fail');
    expect(changed(good, (folder) => writeFileSync(join(folder, 'scenarios.json'), '[')).checks.plan.status).toBe('fail');
  });

  it('refuses a missing transcript, a changed one and one too many (AUE-26)', () => {
    expect(
      codes(
        changed(good, (folder) => rmSync(transcript(folder, 3))),
        'transcripts',
      ),
    ).toEqual(['transcript-missing']);
    const edited = changed(good, (folder) => writeFileSync(transcript(folder, 3), readFileSync(transcript(folder, 3), 'utf8').replace('Milk', 'Melk')));
    expect(codes(edited, 'transcripts')).toEqual(['transcript-differs']);
    const swapped = changed(good, (folder) => renameSync(transcript(folder, 3), transcript(folder, 4)));
    expect(codes(swapped, 'transcripts')).toEqual(['transcript-missing', 'transcript-differs']);
    expect(
      codes(
        changed(good, (folder) => cpSync(transcript(folder, 3), transcript(folder, 99))),
        'transcripts',
      ),
    ).toEqual(['transcript-beyond']);
    expect(
      codes(
        changed(good, (folder) => writeFileSync(transcript(folder, 3), 'no line\n')),
        'transcripts',
      ),
    ).toEqual(['run-damaged']);
  });
});

describe('a harness that lies', () => {
  const verified = async (lies: Lies, more: Partial<Parameters<typeof lyingAudit>[0]> = {}): Promise<AuditVerification> =>
    verifyAudit(await lyingAudit({ folder: folderFor('lie'), ...more }, lies), { trust: auditTrust });
  const about = (epoch: number, lie: (statement: AuditEpochStatement) => readonly AuditEpochStatement[]): Lies => ({
    epoch: (statement) => (statement.epoch === epoch ? lie(statement) : [statement]),
  });

  it('is believed where it tells the truth, so that what follows is the lies', async () => {
    const report = await verified({});
    expect([report.ok, report.problems]).toEqual([true, []]);
  });

  it.each<readonly [string, AuditCheck, string, Lies]>([
    ['leaves an epoch out (AUE-24)', 'epochs', 'epoch-gap', about(7, () => [])],
    ['says an epoch twice (AUE-24)', 'epochs', 'epoch-again', about(7, (statement) => [statement, statement])],
    [
      'calls an epoch one of another arm (AUE-24)',
      'epochs',
      'epoch-differs',
      about(7, (statement) => [{ ...statement, arm: statement.arm === 'baseline' ? 'with_skill' : 'baseline' }]),
    ],
    ['runs epochs beyond the plan (AUE-24)', 'epochs', 'epoch-beyond', about(35, (statement) => [statement, { ...statement, epoch: 36 }])],
    ['signs the plan behind the epochs (AUE-24)', 'epochs', 'epoch-before-plan', { planLast: true }],
  ])('that %s is found out', async (_, check, code, lies) => {
    expect(codes(await verified(lies), check)).toContain(code);
  });

  const callLie = (lie: (call: EpochCall) => Partial<EpochCall>): Lies =>
    about(7, (statement) => [{ ...statement, calls: statement.calls.map((call) => ({ ...call, ...lie(call) })) }]);
  it.each<readonly [string, string, Lies]>([
    ['names a receipt that is nowhere', 'call-missing', callLie(() => ({ receipt: `sha256:${'0'.repeat(64)}` }))],
    ['says that a call was denied', 'call-differs', callLie(() => ({ decision: 'deny' }))],
    ['says other arguments', 'call-differs', callLie(() => ({ args_digest: `sha256:${'0'.repeat(64)}` }))],
    ['says another policy', 'call-differs', callLie(() => ({ policy_digest: `sha256:${'0'.repeat(64)}` }))],
    ['leaves a call out', 'call-uncited', about(7, (statement) => [{ ...statement, calls: [] }])],
  ])('that %s is found out (AUE-25)', async (_, code, lies) => {
    expect(codes(await verified(lies), 'receipts')).toContain(code);
  });

  it('that names one receipt for two calls is found out (AUE-25)', async () => {
    let first: EpochCall | undefined;
    const report = await verified({
      epoch: (statement) => {
        first ??= statement.calls[0];
        return [statement.epoch === 7 && first !== undefined ? { ...statement, calls: [first] } : statement];
      },
    });
    expect(codes(report, 'receipts')).toEqual(expect.arrayContaining(['call-again', 'call-differs']));
  });

  it('that says other turns than the lines have is found out (AUE-26)', async () => {
    expect(codes(await verified(about(7, (statement) => [{ ...statement, turns: 9 }])), 'transcripts')).toEqual(['transcript-differs']);
  });

  it.each<readonly [string, string, Lies]>([
    ['plants values that do not derive', 'opening-differs', { canary: (epoch, slot) => `${'A'.repeat(25)}${epoch % 7}${slot}`.slice(0, 26) }],
    ['shows another prompt', 'opening-differs', { staged: (scenario) => ({ ...scenario, prompt: 'Do nothing.' }) }],
    ['shows another skill', 'opening-differs', { skill: badText }],
    [
      'lets tools answer otherwise',
      'result-differs',
      { staged: (scenario) => ({ ...scenario, script: [{ tool: 'read_file', result: 'bread {{canary:tool}}' }] }) },
    ],
  ])('that %s is found out (AUE-27)', async (_, code, lies) => {
    const report = await verified(lies);
    expect([report.ok, codes(report, 'canaries')]).toEqual([false, expect.arrayContaining([code])]);
  });

  it('that reveals another seed is found out (AUE-27)', async () => {
    const report = await verified({ report: (statement) => [{ ...statement, seed: new Uint8Array(32) }] });
    expect([codes(report, 'canaries'), report.checks.hits.status]).toEqual([['canary-seed'], 'not-checked']);
  });

  it.each<readonly [string, Lies]>([
    ['hides a hit', { epoch: (statement) => [{ ...statement, outcome: 'clean', hits: [] }] }],
    ['hides what is judged by rate', { epoch: (statement) => [{ ...statement, seen: ['say.do'] }] }],
    ['hides a rule that was violated', { epoch: (statement) => [{ ...statement, violated: [] }] }],
    ['says that all epochs went another way', { epoch: (statement) => [{ ...statement, said_digest: statement.transcript_digest }] }],
  ])('that %s is found out (AUE-28)', async (_, lies) => {
    const report = await verified(lies, { text: badText });
    expect([report.ok, codes(report, 'hits')]).toEqual([false, ['judgement-differs']]);
  });

  it.each<readonly [string, AuditCheck, string, (statement: AuditReportStatement) => readonly AuditReportStatement[]]>([
    ['counts fewer hits', 'counts', 'counts-differ', (of) => [{ ...of, counts: of.counts.map((count) => ({ ...count, hits: 0 })) }]],
    ['prints a smaller bound', 'counts', 'counts-differ', (of) => [{ ...of, counts: of.counts.map((count) => ({ ...count, bound: count.bound - 1 })) }]],
    ['says pass', 'verdict', 'report-differs', (of) => [{ ...of, verdict: 'pass', reasons: [] }]],
    ['claims more', 'verdict', 'report-differs', (of) => [{ ...of, not_claimed: [] }]],
    ['names other transcripts', 'verdict', 'report-differs', (of) => [{ ...of, transcripts_root: `sha256:${'0'.repeat(64)}` }]],
    ['reports twice', 'verdict', 'report-differs', (of) => [of, { ...of, time: of.time + 1 }]],
    ['never reports', 'verdict', 'report-missing', () => []],
  ])('that %s is found out (AUE-29)', async (_, check, code, lie) => {
    const report = await verified({ report: lie }, { text: badText });
    expect([report.ok, codes(report, check)]).toEqual([false, [code]]);
  });

  it('that leaves a finding out is found out (AUE-30)', async () => {
    expect(codes(await verified({ findings: () => [] }, { text: badText }), 'findings')).toEqual(['finding-missing']);
  });

  it('that claims a finding more is found out (AUE-30)', async () => {
    const more = (of: readonly FindingStatement[]): readonly FindingStatement[] => {
      const [first] = of;
      if (first === undefined) return of;
      const { harness, cited_receipt: cited } = first.x_finding;
      return [...of, { ...first, x_finding: { ...first.x_finding, test_id: 'made-up', finding_id: reportedId(harness, 'made-up', cited) } }];
    };
    expect(codes(await verified({ findings: more }, { text: badText }), 'findings')).toEqual(['finding-beyond']);
  });

  it('that ran the audit twice and shows one says so by its plans (AUE-31)', async () => {
    const report = await verified({
      before: (ledger) => {
        const other = { ...scanLedger(readLedger(join(good, 'ledger'))).plans[0]?.statement, time: 1 } as AuditPlanStatement;
        const prepared = prepareStatement(other, createSigner(keys.harness));
        ledger.record(prepared.finish(createSigner(keys.harness).sign(prepared.sigStructure)));
      },
    });
    expect([report.plans, report.checks.selection.reason]).toEqual([2, expect.stringContaining('2 plans')]);
  });

  it('passes the selection where an auditor pinned the one plan before the first epoch (AUE-31)', async () => {
    const auditor = createSigner(keys.auditor);
    const checkpointAt = (time: number): Lies => ({
      before: (ledger) => {
        const { seq, hash } = ledger.last;
        const statement = {
          statement: 'checkpoint',
          engine_id: 'engine-a',
          time,
          ledger_id: fromHex(ledger.ledgerId) as Uint8Array,
          seq,
          receipt_hash: hash,
        } as const;
        const prepared = prepareStatement(statement, auditor);
        ledger.record(prepared.finish(auditor.sign(prepared.sigStructure)));
      },
    });
    const pinned = await verified(checkpointAt(startTime));
    expect([pinned.ok, pinned.checks.selection]).toEqual([true, { status: 'pass', reason: expect.stringContaining('pinned') }]);
    // one that was made later, about an early entry, pins nothing
    expect((await verified(checkpointAt(startTime + 1))).checks.selection.status).toBe('not-checked');
  });
});
