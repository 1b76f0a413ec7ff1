/**
 * `ruleprint audit verify`: the evidence of an audit, made again offline (spec/audit-evidence.md, "Verifying").
 * @module
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { layout } from '../../audit/evidence/folder.js';
import { readEvidence } from '../../audit/evidence/read.js';
import { type AuditCheck, auditChecks } from '../../audit/evidence/view.js';
import { readFolder } from '../../audit/subject/read-folder.js';
import { verifyAudit } from '../../audit/verify.js';
import { parseTrustStore } from '../../receipt/trust.js';
import { verdictLines, verificationJson, verificationLines } from '../audit-words.js';
import type { Command, Input } from '../command.js';
import { unreadable, usage } from '../failure.js';
import { fileName, maxDocumentBytes, readBytes } from '../files.js';
import { exit } from '../io.js';
import { printable } from '../printable.js';
import { progressOf } from '../progress.js';

export const auditVerify: Command = {
  arguments: [{ syntax: '<folder>', about: 'the evidence folder of an audit' }],
  options: [
    { syntax: '--trust <file>', about: 'the trust store: keys of engine, harness and auditors', isRequired: true },
    { syntax: '--skill <folder>', about: 'a skill at hand: whether it is the one that was audited' },
    { syntax: '--checkpoint <file...>', about: 'checkpoints kept elsewhere' },
    { syntax: '--require <check...>', about: `checks that must pass as well: ${auditChecks.join(', ')}` },
  ],
  details: `Exit code 0 says that the evidence is what it says it is, whatever the verdict: that stands in the last part.
Keys that lie in the folder itself prove that it agrees with itself, and no more.`,
  json: '{ "ok", "verdict"?, "checks": { check: { "status", "reason"? } }, "asked", "problems": [{ "check", "code", "message", "where" }], "epochs", "planned", "plans", "ledger": { "ok", "receipts", "axes" } }',
  examples: [
    'ruleprint audit verify evidence --trust trust.json',
    'ruleprint audit verify evidence --trust trust.json --skill skills/tidy-notes --json',
    'ruleprint audit verify evidence --trust trust.json --checkpoint checkpoint.cbor --require selection',
  ],
  run: async ({ io, out, input }) => {
    const [given = ''] = input.arguments;
    const folder = resolve(io.cwd, given);
    if (!existsSync(join(folder, layout.ledger))) throw unreadable(`${fileName(given)} is no evidence folder: it has no ledger`);
    const require = requiredOf(input);
    const trustFile = input.value('trust') as string;
    const trust = parseTrustStore(await readBytes(io, trustFile, maxDocumentBytes), { file: fileName(trustFile) });
    const skill = input.value('skill');
    const checkpoints = [];
    for (const file of input.values('checkpoint') ?? []) checkpoints.push({ file: fileName(file), bytes: await readBytes(io, file, maxDocumentBytes) });
    const view = readEvidence(folder);
    const progress = await progressOf(io, 'verify', view.epochs.length, 'epochs');
    try {
      const report = verifyAudit(folder, {
        trust,
        require,
        ...(checkpoints.length > 0 && { checkpoints }),
        ...(skill !== undefined && { skill: readFolder(resolve(io.cwd, skill)).files }),
        onProgress: (epochs) => progress.update(epochs),
      });
      progress.stop();
      if (input.has('json')) out.json(verificationJson(report));
      else {
        for (const line of verificationLines(report, out.colours)) out.line(line);
        out.line();
        const open = report.asked.filter((check) => report.checks[check].status !== 'pass');
        out.line(report.ok ? out.colours.good('good: the evidence is what it says it is') : out.colours.bad(`bad: ${open.join(', ')} did not pass`));
        if (view.report !== undefined && report.ok)
          for (const line of ['', ...verdictLines(view.plan.statement, view.report.statement, out.colours)]) out.line(line);
      }
      return report.ok ? exit.good : exit.bad;
    } finally {
      progress.stop();
    }
  },
};

function requiredOf(input: Input): readonly AuditCheck[] {
  return (input.values('require') ?? []).map((name) => {
    const check = auditChecks.find((one) => one === name);
    if (check === undefined) throw usage(`--require takes ${auditChecks.join(', ')}, not "${printable(name)}"`);
    return check;
  });
}
