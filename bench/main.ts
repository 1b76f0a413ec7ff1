/**
 * `npm run bench [-- --json]`: see README.md in this folder.
 * @module
 */
import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { benchAudit } from './audit.js';
import { benchDecide } from './decide.js';
import { benchDigest } from './digest.js';
import { seed } from './fixtures.js';
import { benchGate } from './gate.js';
import { benchGlobs } from './globs.js';
import { benchLedger } from './ledger.js';
import { benchMcp } from './mcp.js';
import { benchLint } from './lint.js';
import { normalEffort, quickEffort } from './measure.js';
import { howToInstall, loadPeers, type Peer } from './peers.js';
import { benchReceipt } from './receipt.js';
import { compare, Report, readSaved } from './report.js';
import { benchSize } from './size.js';

/** What users load: the built entries, with the types of the source. */
export type Library = typeof import('../src/index.js') &
  typeof import('../src/ledger/index.js') &
  Pick<typeof import('../src/cose/index.js'), 'verifySign1'> &
  Pick<typeof import('../src/lint/index.js'), 'lintPolicy' | 'Reach'>;

/** What a topic gets. */
export interface Bench {
  readonly library: Library;
  /** Folder of the built entries. */
  readonly dist: string;
  readonly report: Report;
  readonly peers: readonly Peer[];
  /** Peers over every number of rules, ledgers as long as promises go. */
  readonly full: boolean;
  /** Shows that everything runs. */
  readonly quick: boolean;
}

const topics = {
  decide: benchDecide,
  digest: benchDigest,
  receipt: benchReceipt,
  ledger: benchLedger,
  gate: benchGate,
  mcp: benchMcp,
  audit: benchAudit,
  lint: benchLint,
  globs: benchGlobs,
  size: benchSize,
};
type Topic = keyof typeof topics;

const help = `usage: npm run bench -- [options]

  --json            print the run as JSON, and nothing else, to standard output
  --compare=FILE    print how this run differs from one that was saved with --json
  --only=TOPICS     some of ${Object.keys(topics).join(',')}
  --full            peers over 10, 1,000 and 10,000 rules too, and ledgers of 100,000 and 1,000,000 receipts (many minutes, 600 MB)
  --quick           short rounds: shows that the bench works, not how fast anything is
  --check           exit with 1 if a target is missed
  --dist=FOLDER     measure another build than dist/`;

function readOptions() {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      compare: { type: 'string' },
      only: { type: 'string', default: Object.keys(topics).join(',') },
      full: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      dist: { type: 'string', default: fileURLToPath(new URL('../dist', import.meta.url)) },
      help: { type: 'boolean', default: false },
    },
  });
  const chosen = values.only.split(',');
  const unknown = chosen.find((topic) => !Object.hasOwn(topics, topic));
  if (unknown !== undefined) throw new Error(`unknown topic ${unknown}, expected some of ${Object.keys(topics).join(', ')}`);
  const dist = resolve(values.dist);
  if (!values.help && !existsSync(`${dist}/index.js`)) throw new Error(`no build in ${dist}: npm run build`);
  // before anything is timed: a wrong file should not cost a run
  const saved = values.compare === undefined ? undefined : readSaved(values.compare);
  return { ...values, chosen: chosen as Topic[], dist, saved };
}

async function main({ chosen, dist, saved, ...options }: ReturnType<typeof readOptions>): Promise<number> {
  if (options.help) {
    console.log(help);
    return 0;
  }
  const print = options.json ? () => undefined : (line: string): void => console.log(line);
  const report = new Report(print, options.quick ? quickEffort : normalEffort);
  const { peers, missing } = await loadPeers();
  if (missing.length > 0 && chosen.includes('decide')) {
    const line = `going on without ${missing.join(', ')}: ${howToInstall} installs what ruleprint is compared with`;
    report.note(line);
    if (options.json) console.error(line);
  }
  const entry = (name: string): Promise<unknown> => import(pathToFileURL(`${dist}/${name}.js`).href);
  const [index, ledger, { verifySign1 }, { lintPolicy, Reach }] = (await Promise.all(['index', 'ledger', 'cose', 'lint'].map(entry))) as [
    Library,
    Library,
    Library,
    Library,
  ];
  const bench: Bench = { library: { ...index, ...ledger, verifySign1, lintPolicy, Reach }, dist, report, peers, full: options.full, quick: options.quick };
  for (const topic of chosen) await topics[topic](bench);

  const { all, missed } = report.judged;
  report.note(missed.length === 0 ? `All ${all.length} targets met.` : `${missed.length} of ${all.length} targets missed: ${missed.join('; ')}.`);
  if (saved !== undefined) compare(saved, report, options.json ? (line) => console.error(line) : print);
  if (options.json) {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
    const environment = {
      ruleprint: version,
      node: process.version,
      machine: `${process.platform} ${process.arch}, ${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown processor'}`,
      seed,
      effort: options.quick ? 'quick' : 'normal',
      peers: Object.fromEntries(peers.map(({ packageName, version: pinned }) => [packageName, pinned])),
    };
    console.log(JSON.stringify(report.toJson(environment), null, 2));
  }
  return options.check && missed.length > 0 ? 1 : 0;
}

let options: ReturnType<typeof readOptions> | undefined;
try {
  options = readOptions();
} catch (error) {
  console.error(`bench: error: ${error instanceof Error ? error.message : String(error)}`);
}
process.exitCode = options === undefined ? 2 : await main(options);
