/**
 * `ruleprint lint`: what policies hold that their authors will not have meant (spec/lint.md).
 * @module
 */
import { parseFindings, renderJson } from '../../finding/json.js';
import type { Finding } from '../../finding/model.js';
import { renderSarif } from '../../finding/sarif.js';
import { severities, type Severity } from '../../finding/severity.js';
import { renderText } from '../../finding/text.js';
import { blocks, compareWith } from '../../lint/baseline.js';
import { lintPolicy } from '../../lint/lint.js';
import { allLintRules } from '../../lint/registry.js';
import { parseSuppressions, suppress, type Suppressed } from '../../lint/suppressions.js';
import type { Command, Context } from '../command.js';
import { unreadable, usage } from '../failure.js';
import { fileName, formatOf, maxDocumentBytes, policyFilesIn, readBytes } from '../files.js';
import { exit } from '../io.js';
import { packageVersion } from '../package-version.js';
import { count } from '../printable.js';
import { pathFromRoot } from '../roots.js';

const formats = ['human', 'json', 'sarif'] as const;

export const lint: Command = {
  arguments: [{ syntax: '<policy...>', about: 'policies in JSON or YAML, or folders of them' }],
  options: [
    { syntax: '--format <format>', about: 'how findings are printed: human (the default), json, sarif', choices: formats },
    { syntax: '--fail-on <severity>', about: 'the lowest severity that blocks, high by default', choices: severities },
    { syntax: '--baseline <file>', about: 'an earlier result of --json: what is in it does not block' },
    { syntax: '--suppressions <file>', about: 'findings to live with: rule, finding, reason, expires' },
    { syntax: '--root <folder>', about: 'the root of the repository, where it is not the folder with .git' },
    { syntax: '--details', about: 'with the remedy, the help page and the id of each finding' },
  ],
  details: `Exit code 1 means blocked: there is a finding of the severity of --fail-on or above that is neither suppressed nor in the baseline.

A file of suppressions, in JSON or YAML; expired and stale ones are findings themselves:
  version: 1
  suppressions:
    - { rule: policy.any-path, finding: "ruleprint:finding:sha256:...", reason: "reviewed", expires: "2027-06-30" }`,
  json: '{ "schema_version": "1.2.0", "findings": [{ "id", "rule_id", "message", "severity", "evidence": [{ "path", "line_start", "column_start", … }], "change_state", … }], "suppressed"?: [{ "id", "reason" }] }',
  jsonOption: 'the same as --format json',
  examples: [
    'ruleprint lint policy.yaml',
    'ruleprint lint policies/ --fail-on medium --details',
    'ruleprint lint policies/ --json > lint-baseline.json',
    'ruleprint lint policies/ --baseline lint-baseline.json --suppressions lint-suppressions.yaml --format sarif > lint.sarif',
  ],
  run: async (context) => {
    const { out, input } = context;
    const format = input.value('format') ?? (input.has('json') ? 'json' : 'human');
    if (input.has('json') && format !== 'json') throw usage(`--json is --format json, and --format is ${format}`);
    const threshold = (input.value('fail-on') ?? 'high') as Severity;
    const files = await policiesOf(context);
    const found: Finding[] = [];
    for (const { file, path } of files) {
      found.push(...lintPolicy(await readBytes(context.io, file, maxDocumentBytes), { format: formatOf(file), file: fileName(file), path }));
    }
    const { findings: reported, suppressions } = await suppressed(context, found);
    const findings = await compared(context, reported);
    const isAsked = input.has('suppressions');
    const options = isAsked ? { suppressions } : {};
    if (format === 'json') out.raw(renderJson(findings, options));
    else if (format === 'sarif')
      out.raw(renderSarif(findings, { ...options, rules: allLintRules, tool: { version: packageVersion() }, category: 'ruleprint-lint' }));
    else {
      out.raw(renderText(findings, { ...options, colours: out.colours, details: input.has('details') }));
      out.line(summaryOf(findings, suppressions, threshold, files.length));
    }
    return findings.some((finding) => blocks(finding, threshold, suppressions)) ? exit.bad : exit.good;
  },
};

interface PolicyFile {
  readonly file: string;
  readonly path: string;
}

async function policiesOf({ io, input }: Context): Promise<readonly PolicyFile[]> {
  const files: PolicyFile[] = [];
  for (const given of input.arguments) {
    const inside = given === '-' ? undefined : await policyFilesIn(io, given);
    if (inside?.length === 0) throw unreadable(`there is no policy in ${fileName(given)}`, 'policies are its files that end in .json, .yaml or .yml');
    for (const file of inside ?? [given]) {
      formatOf(file, undefined, 'the names of policy files end in .json, .yaml or .yml');
      const path = await pathFromRoot(io, file, input.value('root'));
      // findings about two files with one path would have one id
      if (files.some((other) => other.path === path))
        throw usage(`two policies would be reported as ${fileName(path)}`, 'give each once, and say with --root what their paths begin at');
      files.push({ file, path });
    }
  }
  return files;
}

async function suppressed({ io, input }: Context, findings: readonly Finding[]): Promise<Suppressed> {
  const file = input.value('suppressions');
  if (file === undefined) return { findings, suppressions: new Map() };
  const source = await readBytes(io, file, maxDocumentBytes);
  const suppressions = parseSuppressions(source, { format: formatOf(file), file: fileName(file) });
  const today = new Date().toISOString().slice(0, 10);
  return suppress(findings, suppressions, await pathFromRoot(io, file, input.value('root')), today);
}

async function compared({ io, input }: Context, findings: readonly Finding[]): Promise<readonly Finding[]> {
  const file = input.value('baseline');
  if (file === undefined) return findings;
  const baseline = parseFindings(await readBytes(io, file, maxDocumentBytes), { file: fileName(file) });
  return compareWith(findings, baseline, new Set(allLintRules.map(({ id }) => id)));
}

function summaryOf(findings: readonly Finding[], suppressions: ReadonlyMap<string, unknown>, threshold: Severity, policies: number): string {
  const there = findings.filter(({ change_state: state }) => state !== 'removed');
  const kinds = [...severities].reverse().flatMap((severity) => {
    const some = there.filter((finding) => finding.severity === severity).length;
    return some === 0 ? [] : [`${some} ${severity}`];
  });
  const blocking = findings.filter((finding) => blocks(finding, threshold, suppressions)).length;
  const parts = [
    `${there.length === 0 ? 'no findings' : count(there.length, 'finding')} in ${policies === 1 ? '1 policy' : `${policies} policies`}${kinds.length > 0 ? `: ${kinds.join(', ')}` : ''}`,
    ...(there.length < findings.length ? [`${findings.length - there.length} gone since the baseline`] : []),
    ...(suppressions.size > 0 ? [`${suppressions.size} suppressed`] : []),
    ...(blocking > 0 ? [`blocked by ${blocking} of severity ${threshold} or above`] : []),
  ];
  return parts.join('; ');
}
