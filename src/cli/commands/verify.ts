/**
 * `ruleprint verify`: everything that receipts and ledgers let anyone check, offline (spec/receipt.md, spec/ledger.md).
 * @module
 */
import { shippedNames } from '../../mapping/names.js';
import type { VerifyLedgerOptions } from '../../ledger/verify.js';
import { type Axis, axes } from '../../receipt/report.js';
import type { Command, Input } from '../command.js';
import { usage } from '../failure.js';
import { exit, type Io } from '../io.js';
import { readPolicies } from '../policies.js';
import { printable } from '../printable.js';
import { reportLines, sortedReport, writeReport } from '../report-lines.js';
import { type Place, placeOf } from '../sources.js';
import { readCheckpoints, readTrust, verifyPlaces } from '../verifying.js';
import { listed, wordsOf } from '../words.js';

const looseAlgorithms = ['EdDSA', 'ES256'] as const;
const mostWorkers = 64;

export const verify: Command = {
  arguments: [{ syntax: '<path...>', about: 'ledgers (folders), or files of receipts one after another (CBOR sequences); several are verified together' }],
  options: [
    { syntax: '--trust <file>', about: 'the trust store in JSON: keys come from here alone', isRequired: true },
    { syntax: '--policies <path...>', about: 'policies, or folders of them, beside those that ledgers keep: asks for rules and re-decision too' },
    { syntax: '--checkpoint <file...>', about: "checkpoints by an auditor's key, kept elsewhere: asks for completeness too" },
    { syntax: '--mapping <file...>', about: `mapping tables, or names of those that ship (${shippedNames.join(', ')}): with --args asks for mapping too` },
    {
      syntax: '--args <file>',
      about:
        'the calls as they were kept, one JSON object a line: { call_id?, args_digest?, receipt?, server?, tool, args?, salt?, cwd? }; with receipt, findings about it are held to it',
    },
    { syntax: '--home <folder>', about: 'what ~ stood for where the calls were mapped' },
    { syntax: '--expect-engines <ids...>', about: 'engines that must have entries; one that has none fails completeness' },
    { syntax: '--require <axes...>', about: `axes that must pass as well, of ${axes.join(', ')}` },
    { syntax: '--workers <n>', about: 'check signatures in so many threads (default: 1, in none)' },
    { syntax: '--resume', about: 'do not check again the signatures of entries that a good --checkpoint covers' },
    { syntax: '--also-algorithms <names...>', about: `older names of algorithms to take: ${looseAlgorithms.join(', ')}` },
  ],
  details: `Asked are bytes, signature and key trust; of a ledger also order, and with the policies that it keeps timeline, rules and re-decision; and what
options add. The exit code is 0 when nothing failed and all that was asked passed, else 1.`,
  json: `{ "ok", "receipts": 2, "axes": { "bytes": { "status": "pass" | "fail" | "not-checked", "reason"?, "code"? }, … }, "asked": ["bytes", …],
  "problems": [{ "axis", "status": "fail" | "not-checked" | "note", "code", "message", "hint"?, "evidence"?,
    "where": { "file", "engine"?, "seq"?, "receipt"?, "offset"?, "pointer"? } }] }     the schema is spec/report.schema.json`,
  examples: [
    'ruleprint verify audit --trust trust.json --checkpoint checkpoint.cbor',
    'ruleprint verify receipts.cbor --trust trust.json --policies policies/ --require rules,re-decision',
    'ruleprint verify audit --trust trust.json --mapping server-filesystem --args calls.jsonl',
  ],
  run: async ({ io, out, input }) => {
    const require = listed<Axis>('--require', axes, input.values('require'));
    const alsoAlgorithms = listed<(typeof looseAlgorithms)[number]>('--also-algorithms', looseAlgorithms, input.values('also-algorithms'));
    const workers = workersOf(input);
    const resume = input.has('resume');
    if (resume && !input.has('checkpoint')) throw usage('--resume needs --checkpoint', 'only a checkpoint says which entries were there before');
    const trust = await readTrust(io, input.value('trust') as string);
    const paths = input.values('policies');
    const policies = paths && (await readPolicies(io, paths));
    const checkpoints = await readCheckpoints(io, input.values('checkpoint') ?? []);
    const expectEngines = wordsOf(input.values('expect-engines'));
    const calls = await callsOf(io, input);
    const places: Place[] = [];
    for (const path of input.arguments) places.push(await placeOf(io, path));

    const options = { require, alsoAlgorithms, checkpoints, expectEngines, resume, ...(policies && { policies }), ...calls };
    const report = sortedReport(await verifyPlaces(io, places, trust, options, workers));
    if (input.has('json')) writeReport(report, out);
    else {
      const isLedger = places.some(({ source }) => source.kind === 'folder');
      for (const line of reportLines(report, out.colours, { hasPolicies: policies !== undefined || isLedger, isLedger })) out.line(line);
    }
    return report.ok ? exit.good : exit.bad;
  },
};

/** A table says nothing without the calls; calls alone say something of the findings about receipts that they name. */
async function callsOf(io: Io, input: Input): Promise<Pick<VerifyLedgerOptions, 'mappings' | 'calls' | 'args'>> {
  const files = input.values('mapping');
  const file = input.value('args');
  if (files === undefined && input.has('home')) throw usage('--home needs --mapping and --args');
  const hint = 'actions are made again from a table and the raw arguments together';
  if (files !== undefined && file === undefined) throw usage('--mapping needs --args', hint);
  if (file === undefined) return {};
  const { readCalls, readMappers } = await import('../mappings.js');
  const calls = await readCalls(io, file);
  const args = new Map(calls.flatMap((call) => (call.receipt === undefined ? [] : [[call.receipt, call.args]])));
  if (files === undefined && args.size === 0) throw usage('--args needs --mapping, or calls that name the receipt about them', hint);
  return { args, ...(files && { mappings: await readMappers(io, files, input.value('home')), calls }) };
}

function workersOf(input: Input): number {
  const text = input.value('workers') ?? '1';
  const workers = Number(text);
  if (!/^\d+$/.test(text) || workers < 1 || workers > mostWorkers) throw usage(`--workers takes a number from 1 to ${mostWorkers}, not "${printable(text)}"`);
  return workers;
}
