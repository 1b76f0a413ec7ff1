/**
 * Verifies the evidence folder of an audit, offline and believing nothing (spec/audit-evidence.md, "Verifying"): ledger, plan, subject, epochs, receipts, transcripts,
 * canaries, hits, counts, verdict, findings, selection.
 * @module
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LooseAlgorithm } from '../cose/algorithm.js';
import { fromUtf8 } from '../bytes.js';
import { quote } from '../errors.js';
import { isProblem } from '../cose/walk.js';
import { sha256Text } from '../hash.js';
import { checkpointFault } from '../ledger/citations.js';
import { readLedger } from '../ledger/folder.js';
import type { LedgerSource } from '../ledger/source.js';
import { verifyLedger } from '../ledger/verify.js';
import type { Mapper } from '../mapping/mapper.js';
import type { Mapping } from '../mapping/table.js';
import { readEntry } from '../receipt/entry.js';
import type { AuditPlanStatement, AuditReportStatement } from '../receipt/audit-statements.js';
import type { FindingStatement } from '../receipt/statement.js';
import type { Report } from '../receipt/report.js';
import type { TrustStore } from '../receipt/trust.js';
import { layout, readDocument } from './evidence/folder.js';
import { summaryOf } from './evidence/judged.js';
import { auditMapper } from './evidence/mapper.js';
import { planRulesOf } from './evidence/plan.js';
import { readTranscript, transcriptsIn, viewOf } from './evidence/read.js';
import { scanLedger, type Scanned } from './evidence/scan.js';
import { staticHitsOf } from './evidence/static.js';
import type { AuditCheck, AuditView } from './evidence/view.js';
import { transcriptName } from './run/folder.js';
import type { Scenario } from './scenario.js';
import { readFolder } from './subject/read-folder.js';
import { skillSubject } from './subject/subject.js';
import type { TreeFile } from './subject/tree.js';
import { stableText } from './transcript.js';
import { type AuditResult, auditResult } from './verdict.js';
import { type AuditAnswers, type AuditProblem, Answers } from './verify/answers.js';
import { checkEpochs, checkKey, checkReceipts } from './verify/epochs-check.js';
import { checkEvidence } from './verify/evidence-check.js';
import { checkFiles } from './verify/files-check.js';
import { checkAtHand, checkPlan, checkSubject, laxity, withoutBaseline } from './verify/plan-check.js';
import { checkReport, checkSelection } from './verify/report-check.js';

export type { AuditAnswers, AuditProblem };

export interface VerifyAuditOptions {
  /** Keys of engine, harness and auditors. Those that lie beside the evidence prove no more than that the folder agrees with itself. */
  readonly trust: TrustStore;
  /** Checkpoints kept elsewhere. */
  readonly checkpoints?: readonly { readonly file: string; readonly bytes: Uint8Array }[];
  /** A skill at hand: whether it is the one that was audited. */
  readonly skill?: readonly TreeFile[];
  /** Checks that must pass beside those that are asked by default: all but `selection`, and `subject` where there is no tree. */
  readonly require?: readonly AuditCheck[];
  readonly alsoAlgorithms?: readonly LooseAlgorithm[];
  readonly onProgress?: (epochs: number, of: number) => void;
}

export interface AuditVerification {
  /** Nothing failed, and all that was asked was checked: the evidence is what it says it is. What it says is the verdict. */
  readonly ok: boolean;
  readonly checks: AuditAnswers;
  readonly asked: readonly AuditCheck[];
  readonly problems: readonly AuditProblem[];
  /** As the report says, where there is one. */
  readonly verdict?: AuditReportStatement['verdict'];
  readonly epochs: number;
  readonly planned: number;
  /** Plans of this subject in the ledger. */
  readonly plans: number;
  /** By axis, of the ledger. */
  readonly ledger: Report;
}

const askedAlways: readonly AuditCheck[] = ['ledger', 'plan', 'epochs', 'receipts', 'transcripts', 'canaries', 'hits', 'counts', 'verdict', 'findings'];

/**
 * Never throws for what is in the folder, but for a folder without a ledger or without a plan.
 *
 * @throws RuleprintError `plan-missing`; `run-damaged` for a ledger that is not made of files; what the disk throws
 * @example
 * const { ok, verdict, checks } = verifyAudit('evidence', { trust });
 * checks.selection; // { status: 'not-checked', reason: 'one plan for this subject in the ledger, and no checkpoint …' }
 */
export function verifyAudit(folder: string, options: VerifyAuditOptions): AuditVerification {
  const { trust, checkpoints = [], skill, require = [], alsoAlgorithms } = options;
  const loose = alsoAlgorithms === undefined ? {} : { alsoAlgorithms };
  checkFiles(join(folder, layout.ledger));
  const source = readLedger(join(folder, layout.ledger));
  const scanned = scanLedger(source, { withDecisions: true, ...loose });
  const view = viewOf(folder, scanned);
  const answers = new Answers();
  const ledger = checkLedger(source, options, scanned, answers);
  const map = mapperIn(folder, answers);
  const scenarios = checkPlan(view.plan, documentsIn(folder, answers), map, answers);
  const tree = treeIn(folder, answers);
  const isSame = checkSubject(view.plan, tree, 'the tree beside the ledger', answers);
  if (skill !== undefined) checkAtHand(view.plan, skill, answers);
  const planned = checkEpochs(view, answers);
  checkKey(view, scanned, answers);
  checkReceipts(view, scanned, answers);
  checkTranscriptNames(folder, view, answers);
  judge(folder, options, { view, scanned, scenarios, map, tree: isSame ? tree : undefined, isTrusted: isTrusted(ledger) }, answers);
  const plans = checkSelection(view, scanned, pinsOf(scanned, checkpoints, trust, loose), answers);
  const checks = answers.answers();
  const subject: readonly AuditCheck[] = view.plan.statement.subject.kind === 'skill' || skill !== undefined ? ['subject'] : [];
  const asked = [...new Set<AuditCheck>([...askedAlways, ...subject, ...require])];
  const isFailed = Object.values(checks).some(({ status }) => status === 'fail');
  return {
    ok: !isFailed && asked.every((check) => checks[check].status === 'pass'),
    checks,
    asked,
    problems: answers.problems,
    ...(view.report && { verdict: view.report.statement.verdict }),
    epochs: view.epochs.length,
    planned,
    plans,
    ledger,
  };
}

/** AUE-36: bytes, signature and key of every entry are good; else whoever made the folder wrote what he liked. */
function isTrusted({ axes }: Report): boolean {
  return (['bytes', 'signature', 'key-trust'] as const).every((axis) => axes[axis].status === 'pass');
}

function checkLedger(source: LedgerSource, { trust, checkpoints = [], alsoAlgorithms }: VerifyAuditOptions, { findings }: Scanned, answers: Answers): Report {
  const report = verifyLedger([source], {
    trust,
    ...(checkpoints.length > 0 && { checkpoints }),
    require: ['order', 'timeline', 'rules', 're-decision', ...(findings.length > 0 ? (['findings'] as const) : [])],
    ...(alsoAlgorithms && { alsoAlgorithms }),
  });
  for (const { code, message, where, status, axis } of report.problems) if (status !== 'note') answers.fail('ledger', code, `${axis}: ${message}`, where);
  const open = report.asked.find((axis) => report.axes[axis].status !== 'pass');
  if (!report.ok && open !== undefined) answers.open('ledger', `${open}: ${report.axes[open].reason ?? report.axes[open].status}`);
  answers.note('ledger', `${report.receipts} receipts`);
  return report;
}

function mapperIn(folder: string, answers: Answers): Mapper | undefined {
  try {
    return auditMapper(readDocument(folder, layout.mapping) as Mapping | readonly Mapping[]);
  } catch (error) {
    answers.fail('plan', 'mapping-differs', `expected a mapping in ${layout.mapping}: ${error instanceof Error ? error.message : 'it cannot be read'}`);
    return undefined;
  }
}

/** Undefined where there are none: then none of them is that of the plan. */
function documentsIn(folder: string, answers: Answers): unknown {
  if (!existsSync(join(folder, layout.scenarios))) return undefined;
  try {
    return readDocument(folder, layout.scenarios);
  } catch (error) {
    answers.refused('plan', error);
    return undefined;
  }
}

function treeIn(folder: string, answers: Answers): readonly TreeFile[] | undefined {
  const root = join(folder, layout.subject);
  if (!existsSync(root)) return undefined;
  try {
    return readFolder(root).files;
  } catch (error) {
    answers.refused('subject', error);
    return undefined;
  }
}

/** AUE-26: no transcript that no epoch speaks of. */
function checkTranscriptNames(folder: string, { epochs, report }: AuditView, answers: Answers): void {
  const known = new Set(epochs.map(({ statement }) => transcriptName(statement.epoch)));
  // of a run that goes on, epochs that are under way have lines and no statement
  if (report === undefined) return;
  try {
    for (const name of transcriptsIn(folder)) {
      if (!known.has(name)) answers.fail('transcripts', 'transcript-beyond', 'expected transcripts of epochs of the ledger alone', { file: quote(name, '') });
    }
  } catch (error) {
    answers.refused('transcripts', error);
  }
}

interface Judged {
  readonly view: AuditView;
  readonly scanned: Scanned;
  readonly scenarios: ReadonlyMap<string, Scenario> | undefined;
  readonly map: Mapper | undefined;
  /** Where it is that of the plan. */
  readonly tree: readonly TreeFile[] | undefined;
  readonly isTrusted: boolean;
}

/** AUE-26 to AUE-30: what needs the seed, the scenarios and the tree. */
function judge(folder: string, { onProgress }: VerifyAuditOptions, { view, scanned, scenarios, map, tree, isTrusted }: Judged, answers: Answers): void {
  const { plan, epochs, report } = view;
  const needs = (reason: string): void => {
    for (const check of ['transcripts', 'canaries', 'hits', 'counts', 'verdict', 'findings'] as const) answers.open(check, reason);
  };
  if (report === undefined) {
    answers.fail('verdict', 'report-missing', 'expected a report, the audit has not come to its end: as it stands it is inconclusive');
    return needs('there is no report, and no seed');
  }
  if (!isTrusted) return needs('rests on ledger');
  const reports = scanned.reports.filter(({ statement }) => statement.plan === plan.hash).length;
  if (reports > 1) answers.fail('verdict', 'report-differs', `expected one report, got ${reports}`);
  const { seed } = report.statement;
  if (sha256Text(seed) !== plan.statement.seed_commitment) {
    answers.fail('canaries', 'canary-seed', 'expected the seed that the plan commits to, got another');
    return needs('rests on canaries');
  }
  if (scenarios === undefined || map === undefined || !answers.isGood('plan')) return needs('rests on plan');
  const isSkill = plan.statement.subject.kind === 'skill';
  const head = tree?.find(({ path }) => path === 'SKILL.md');
  const skill = head && fromUtf8(head.bytes);
  const called = checkEvidence(
    view,
    { scenarios, map, seed, isSkill, skill, decisions: scanned.decisions, lines: (epoch) => readTranscript(folder, epoch) },
    answers,
    onProgress && ((done) => onProgress(done, epochs.length)),
  );
  checkFindings(called, view, scanned, answers);
  if (isSkill && tree === undefined) return answers.open('verdict', 'rests on subject');
  const subject = isSkill && tree ? skillSubject(tree) : { kind: 'agent' as const, name: '', digest: '' };
  const staticHits = staticHitsOf(subject, tree ?? [], [...scenarios.values()]);
  let result: AuditResult;
  try {
    result = auditResult(
      planRulesOf(plan.statement, [...scenarios.values()]),
      epochs.map(({ statement }) => summaryOf(statement)),
      staticHits,
    );
  } catch (error) {
    // epochs beyond the plan may be more than a bound is computed for
    if (!(error instanceof RangeError)) throw error;
    answers.fail('verdict', 'report-differs', 'expected epochs from which a report can be computed');
    return answers.open('counts', 'rests on epochs');
  }
  const parts = {
    plan: plan.hash,
    seed,
    result,
    staticHits,
    epochs: epochs.map(({ hash }) => hash),
    transcripts: epochs.map(({ statement }) => statement.transcript_digest),
    findings: called.size,
  };
  checkReport(report.statement, parts, answers);
  if (report.statement.verdict === 'pass') checkPass(plan.statement, answers);
}

/** AUE-37. */
function checkPass(plan: AuditPlanStatement, answers: Answers): void {
  const lax = laxity(plan);
  if (lax.length > 0) answers.open('verdict', `a pass by thresholds that are laxer than the usual ones: ${lax.join(', ')}`);
  const alone = withoutBaseline(plan);
  if (alone > 0) answers.note('verdict', `${alone} tasks ran without a baseline of their own: nothing that is judged by rate was judged there`);
}

/** AUE-30. */
function checkFindings(called: ReadonlyMap<string, FindingStatement>, { plan }: AuditView, { findings }: Scanned, answers: Answers): void {
  const there = new Map(
    findings.flatMap(({ statement }) => (statement.x_finding.plan === plan.hash ? [[statement.x_finding.finding_id, statement] as const] : [])),
  );
  for (const id of called.keys()) if (!there.has(id)) answers.fail('findings', 'finding-missing', `expected the finding ${id} in the ledger`);
  for (const [id, statement] of there) {
    const made = called.get(id);
    if (made === undefined) answers.fail('findings', 'finding-beyond', `expected no finding ${id}: no call of the epochs calls for it`);
    else if (stableText(made) !== stableText(statement)) answers.fail('findings', 'finding-differs', `expected the finding ${id} as its call calls for it`);
  }
  answers.note('findings', `${there.size}`);
}

/** Checkpoints whose key and signature are good: the ledger's own verifier holds them against the chain. */
function pinsOf(
  { checkpoints }: Scanned,
  outside: NonNullable<VerifyAuditOptions['checkpoints']>,
  trust: TrustStore,
  loose: { readonly alsoAlgorithms?: readonly LooseAlgorithm[] },
): readonly { readonly seq: number; readonly time: number }[] {
  const given = outside.flatMap(({ bytes }) => {
    const entry = readEntry(bytes, loose);
    if (isProblem(entry) || entry.statement?.statement !== 'checkpoint') return [];
    return checkpointFault(entry, entry.statement.time, trust) === undefined ? [entry.statement] : [];
  });
  return [...checkpoints.map(({ statement }) => statement), ...given];
}
