/**
 * `ruleprint verify`: everything that a receipt lets anyone check, offline (spec/receipt.md).
 * @module
 */
import { type Axis, axes } from '../../receipt/report.js';
import { parseTrustStore } from '../../receipt/trust.js';
import { verifyReceipts, type VerifyOptions } from '../../receipt/verify.js';
import type { Command } from '../command.js';
import { usage } from '../failure.js';
import { fileName, maxDocumentBytes, readBytes } from '../files.js';
import { exit, type Io } from '../io.js';
import { readPolicies } from '../policies.js';
import { printable } from '../printable.js';
import { progressOf } from '../progress.js';
import { type FileReport, joinReports, reportLines } from '../report-lines.js';

const looseAlgorithms = ['EdDSA', 'ES256'] as const;

export const verify: Command = {
  arguments: [{ syntax: '<file...>', about: 'receipts, one after another in each file (a CBOR sequence)' }],
  options: [
    { syntax: '--trust <file>', about: 'the trust store in JSON: keys come from here alone', isRequired: true },
    { syntax: '--policies <path...>', about: 'policies, or folders of them: asks for rules and re-decision too' },
    { syntax: '--require <axes...>', about: `axes that must pass as well, of ${axes.join(', ')}` },
    { syntax: '--also-algorithms <names...>', about: `older names of algorithms to take: ${looseAlgorithms.join(', ')}` },
  ],
  details:
    'Asked are bytes, signature and key trust, with --policies also rules and re-decision, and what --require adds.\nThe exit code is 0 when nothing failed and all that was asked passed, else 1.',
  json: '{ "ok", "receipts": 2, "axes": { "bytes": { "status": "pass" | "fail" | "not-checked", "reason"?, "code"? }, … }, "asked": ["bytes", …],\n  "problems": [{ "axis", "status": "fail" | "not-checked", "code", "message", "where": { "file", "receipt"?, "offset"?, "pointer"? }, "hint"?, "evidence"? }] }',
  examples: [
    'ruleprint verify receipts.cbor --trust trust.json',
    'ruleprint verify receipts.cbor --trust trust.json --policies policies/ --require rules,re-decision',
  ],
  run: async ({ io, out, input }) => {
    const require = listed<Axis>('--require', axes, input.values('require'));
    const alsoAlgorithms = listed<(typeof looseAlgorithms)[number]>('--also-algorithms', looseAlgorithms, input.values('also-algorithms'));
    const trustFile = input.value('trust') as string;
    const trust = parseTrustStore(await readBytes(io, trustFile, maxDocumentBytes), { file: fileName(trustFile) });
    const paths = input.values('policies');
    const policies = paths && (await readPolicies(io, paths));
    const options: VerifyOptions = { trust, require, alsoAlgorithms, ...(policies !== undefined && { policies }) };

    const reports: FileReport[] = [];
    for (const file of input.arguments) reports.push({ file: fileName(file), report: await verifyFile(io, file, options) });
    const report = joinReports(reports);
    if (input.has('json')) out.json(report);
    else for (const line of reportLines(report, out.colours, policies !== undefined)) out.line(line);
    return report.ok ? exit.good : exit.bad;
  },
};

async function verifyFile(io: Io, file: string, options: VerifyOptions): Promise<FileReport['report']> {
  const bytes = await readBytes(io, file);
  const progress = await progressOf(io, `verifying ${fileName(file)}`, bytes.length);
  try {
    return verifyReceipts(bytes, options, (done) => progress.update(done));
  } finally {
    progress.stop();
  }
}

/** Words of a closed list, with commas or spaces between them. */
function listed<T extends string>(option: string, known: readonly T[], given: readonly string[] = []): readonly T[] {
  const words = given.flatMap((value) => value.split(',')).map((word) => word.trim());
  for (const word of words) {
    if (!(known as readonly string[]).includes(word)) throw usage(`${option} takes ${known.join(', ')}, not "${printable(word)}"`);
  }
  return words as T[];
}
