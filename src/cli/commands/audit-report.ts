/**
 * `ruleprint audit report`: what an audit says, in lines or as a page to read.
 * @module
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { layout } from '../../audit/evidence/folder.js';
import { readEvidence } from '../../audit/evidence/read.js';
import { auditChecks } from '../../audit/evidence/view.js';
import { reportPage } from '../../audit/page/page.js';
import { verifyAudit } from '../../audit/verify.js';
import { parseTrustStore } from '../../receipt/trust.js';
import { verdictLines } from '../audit-words.js';
import type { Command } from '../command.js';
import { unreadable } from '../failure.js';
import { fileName, maxDocumentBytes, readBytes, writeNewFiles } from '../files.js';
import { exit } from '../io.js';
import { shellWord } from '../printable.js';

export const auditReport: Command = {
  arguments: [{ syntax: '<folder>', about: 'the evidence folder of an audit' }],
  options: [
    { syntax: '--html <file>', about: 'write a page to read: verdict, bounds, every epoch with its transcript; one file that asks nothing of a network' },
    { syntax: '--trust <file>', about: 'verify first, and show the answers on the page' },
  ],
  details: 'Nothing is verified here without --trust. With it, exit code 1 where the evidence does not hold.',
  json: '{ "plan": hash, "verdict"?, "report"?: the statement of the report, "html"?: its file }',
  examples: ['ruleprint audit report evidence', 'ruleprint audit report evidence --html report.html --trust trust.json'],
  run: async ({ io, out, input }) => {
    const [given = ''] = input.arguments;
    const folder = resolve(io.cwd, given);
    if (!existsSync(join(folder, layout.ledger))) throw unreadable(`${fileName(given)} is no evidence folder: it has no ledger`);
    const view = readEvidence(folder);
    const html = input.value('html');
    const trustFile = input.value('trust');
    const checks =
      trustFile === undefined
        ? undefined
        : verifyAudit(folder, { trust: parseTrustStore(await readBytes(io, trustFile, maxDocumentBytes), { file: fileName(trustFile) }) }).checks;
    if (html !== undefined) await writeNewFiles(io, [{ file: html, text: reportPage(view, { ...(checks && { checks }) }) }]);
    const failed = checks && auditChecks.filter((check) => checks[check].status === 'fail');
    const { report, plan } = view;
    if (input.has('json')) {
      const { seed: _, ...statement } = report?.statement ?? { seed: undefined };
      out.json({ plan: plan.hash, ...(report && { verdict: report.statement.verdict, report: statement }), ...(html !== undefined && { html }) });
    } else if (report === undefined) out.line(`no report yet: ${view.epochs.length} epochs are recorded`);
    else for (const line of verdictLines(plan.statement, report.statement, out.colours)) out.line(line);
    if (html !== undefined) out.aside(`written: ${fileName(html)}`);
    if (failed === undefined) out.hint(`nothing was verified here: ruleprint audit verify ${shellWord(given)} --trust FILE`);
    else if (failed.length > 0) out.error(`the evidence does not hold: ${failed.join(', ')}; what is shown is what it claims`);
    return failed !== undefined && failed.length > 0 ? exit.bad : exit.good;
  },
};
