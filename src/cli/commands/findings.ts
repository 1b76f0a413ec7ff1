/**
 * `ruleprint findings`: what harnesses have reported into a ledger, once it is held against the decisions (spec/finding.md, FND-29).
 * @module
 */
import { renderJson } from '../../finding/json.js';
import type { Finding } from '../../finding/model.js';
import { findingsOfReports, type Reported, reportedRules } from '../../finding/reported.js';
import { renderSarif } from '../../finding/sarif.js';
import { reaches, severities, type Severity } from '../../finding/severity.js';
import { renderText } from '../../finding/text.js';
import { limits } from '../../limits.js';
import type { Report } from '../../receipt/report.js';
import type { DecisionStatement, FindingStatement, Statement } from '../../receipt/statement.js';
import type { Command, Context } from '../command.js';
import { entriesIn } from '../entries.js';
import { usage } from '../failure.js';
import { exit } from '../io.js';
import { packageVersion } from '../package-version.js';
import { count } from '../printable.js';
import { problemLines } from '../problem-lines.js';
import { pathFromRoot } from '../roots.js';
import { type Piece, type Place, placeOf } from '../sources.js';
import { readRecorded } from '../statement-words.js';
import { readCheckpoints, readTrust, verifyPlaces } from '../verifying.js';

const formats = ['human', 'json', 'sarif'] as const;
const shownProblems = 20;

export const findings: Command = {
  arguments: [{ syntax: '<ledger...>', about: 'ledgers (folders), or files of their entries' }],
  options: [
    { syntax: '--trust <file>', about: 'the trust store in JSON: keys come from here alone', isRequired: true },
    { syntax: '--checkpoint <file...>', about: "checkpoints by an auditor's key, kept elsewhere: needed where a key was revoked" },
    { syntax: '--format <format>', about: 'how findings are printed: human (the default), json, sarif', choices: formats },
    { syntax: '--fail-on <severity>', about: 'the lowest severity that blocks, high by default', choices: severities },
    { syntax: '--all', about: 'also what was as expected: refuted and expected_pass' },
    { syntax: '--at <file>', about: 'the file that findings are shown at, the policy say; the file of the ledger by default' },
    { syntax: '--root <folder>', about: 'the root of the repository, where it is not the folder with .git' },
    { syntax: '--details', about: 'with the remedy, the help page and the id of each finding' },
  ],
  details: `The ledger is verified first: only findings that hold against the decisions which they cite are shown, and what does not hold is said on stderr.
Exit code 1 means blocked: something in the ledger fails, or there is a finding of the severity of --fail-on or above. Confirmed findings are high
where the gate let a call through, medium where it asked or held back.`,
  json: '{ "schema_version": "1.2.0", "findings": [{ "id", "rule_id", "message", "severity", "affected_agent", "evidence": [{ "path"?, "document_digest" }], … }] }',
  jsonOption: 'the same as --format json',
  examples: [
    'ruleprint findings audit --trust trust.json',
    'ruleprint findings audit --trust trust.json --at policies/main.yaml --format sarif > findings.sarif',
    'ruleprint findings audit --trust trust.json --all --json',
  ],
  run: async (context) => {
    const { io, out, input } = context;
    const format = input.value('format') ?? (input.has('json') ? 'json' : 'human');
    if (input.has('json') && format !== 'json') throw usage(`--json is --format json, and --format is ${format}`);
    const threshold = (input.value('fail-on') ?? 'high') as Severity;
    const trust = await readTrust(io, input.value('trust') as string);
    const places: Place[] = [];
    for (const path of input.arguments) places.push(await placeOf(io, path));
    const checkpoints = await readCheckpoints(io, input.values('checkpoint') ?? []);
    const report = await verifyPlaces(io, places, trust, { checkpoints });
    tellFailures(report, context);

    const { reports, receipts } = await readReports(context, places, report);
    const all = findingsOfReports(reports);
    const shown = input.has('all') ? all : all.filter(({ rule_id: rule }) => rule !== 'harness.as-expected');
    const blocking = shown.filter(({ severity }) => reaches(severity, threshold));
    if (format === 'json') out.raw(renderJson(shown));
    else if (format === 'sarif') out.raw(renderSarif(shown, { rules: reportedRules, tool: { version: packageVersion() }, category: 'ruleprint-findings' }));
    else {
      out.raw(renderText(shown, { colours: out.colours, details: input.has('details') }));
      out.line(summaryOf(shown, { receipts, good: reports.length, blocking: blocking.length, threshold }));
    }
    return failuresOf(report).length > 0 || blocking.length > 0 ? exit.bad : exit.good;
  },
};

/** What fails, and findings that could not be held against anything: neither is shown as a finding. */
function failuresOf({ problems }: Report): Report['problems'] {
  return problems.filter(({ status }) => status === 'fail');
}

function tellFailures(report: Report, { out }: Context): void {
  const failures = failuresOf(report);
  for (const problem of failures.slice(0, shownProblems)) out.error(problemLines(problem).text);
  if (failures.length > shownProblems) out.error(`and ${failures.length - shownProblems} more problems`);
  if (failures.length > 0) out.hint('ruleprint verify says what holds and what does not');
}

/** The finding receipts that nothing was found against, and how many there are. */
async function readReports({ io, input }: Context, places: readonly Place[], report: Report): Promise<{ reports: readonly Reported[]; receipts: number }> {
  const key = (engine: string | undefined, seq: number | undefined): string => JSON.stringify([engine, seq]);
  const bad = new Set(report.problems.flatMap(({ status, where: { engine, seq } }) => (status === 'note' ? [] : [key(engine, seq)])));
  // a key that was revoked is named once, with the first of its entries; and a list that is full names no more: then nothing is proven
  const isOpen = report.problems.length >= limits.reportedProblems || report.problems.some(({ code }) => code === 'key-revoked-later');
  const pieces = places.flatMap((place) => place.pieces);
  const cited = new Map<string, DecisionStatement | undefined>();
  const held: { statement: FindingStatement; piece: Piece }[] = [];
  let receipts = 0;
  for (const [statement, , piece] of statementsIn(pieces)) {
    const recorded = statement.statement === 'record' ? readRecorded(statement.recorded)?.statement : undefined;
    if (statement.statement !== 'record' || recorded?.statement !== 'finding') continue;
    receipts++;
    if (isOpen || bad.has(key(statement.engine_id, statement.seq))) continue;
    held.push({ statement: recorded, piece });
    cited.set(recorded.x_finding.cited_receipt, undefined);
  }
  // a second reading: a ledger has many decisions, and few of them are cited
  if (held.length > 0) {
    for (const [statement, hash] of statementsIn(pieces)) if (statement.statement === 'decision' && cited.has(hash)) cited.set(hash, statement);
  }
  const paths = new Map<Piece, string | undefined>();
  const at = input.value('at');
  const reports: Reported[] = [];
  for (const { statement, piece } of held) {
    const decision = cited.get(statement.x_finding.cited_receipt);
    if (decision === undefined) continue;
    if (!paths.has(piece)) {
      const file = at ?? ('path' in piece ? piece.path : undefined);
      paths.set(piece, file === undefined ? undefined : await pathFromRoot(io, file, input.value('root')));
    }
    const path = paths.get(piece);
    reports.push({ statement, cited: decision, ...(path !== undefined && { path }) });
  }
  if (input.value('format') === 'sarif' && reports.some(({ path }) => path === undefined)) {
    throw usage('a ledger from a pipe has no place in a repository', 'say with --at which file its findings are shown at');
  }
  return { reports, receipts };
}

function* statementsIn(pieces: readonly Piece[]): Generator<readonly [Statement, string, Piece]> {
  for (const piece of pieces) {
    for (const { receipt } of entriesIn([piece])) if (!('code' in receipt)) yield [receipt.statement, receipt.hash, piece];
  }
}

interface Counts {
  readonly receipts: number;
  readonly good: number;
  readonly blocking: number;
  readonly threshold: Severity;
}

function summaryOf(shown: readonly Finding[], { receipts, good, blocking, threshold }: Counts): string {
  const parts = [
    `${shown.length === 0 ? 'no findings' : count(shown.length, 'finding')} in ${count(receipts, 'finding receipt')}`,
    ...(good < receipts ? [`${receipts - good} left out: not proven`] : []),
    ...(blocking > 0 ? [`blocked by ${blocking} of severity ${threshold} or above`] : []),
  ];
  return parts.join('; ');
}
