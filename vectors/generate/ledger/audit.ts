/**
 * The statements of an audit (AUE-1 to AUE-16), each alone in a file under a good signature, and a ledger of a whole audit.
 * @module
 */
import type { Case, Fields, Json } from '../kit.js';
import { cbor, longHex } from '../receipt/parts.js';
import {
  bareCall,
  bareEpoch,
  bareHit,
  bareModel,
  bareCount,
  barePlan,
  bareReport,
  call,
  cell,
  count,
  epoch,
  hit,
  model,
  plan,
  rate,
  report,
  scenario,
  skill,
  why,
} from './audit-parts.js';
import {
  approverKey,
  type Asked,
  auditorKey,
  type Chain,
  chainCase,
  engineKey,
  fails,
  harnessKey,
  hashOf,
  keyTrustFails,
  passes,
  receiptOf,
  type Said,
  shortChain,
  startTime,
  statementFails,
  trusted,
  trustOf,
  type VectorKey,
} from './chain.js';

const harness = trusted(harnessKey, { role: 'harness' });
const standalone: Asked = { kind: 'file', policies: null, require: null, trust: { keys: [harness] } };
const good = { plan, epoch, report } as const;
type Name = keyof typeof good;

interface More {
  readonly codes?: readonly string[];
  readonly flags?: readonly string[];
  /** A piece of the receipt that stands there many times. */
  readonly piece?: Fields;
}

function taken(id: string, comment: string, of: Said, { flags = [], piece }: More = {}): Case {
  return chainCase(id, comment, [written(receiptOf(of, harnessKey), piece)], { flags, axes: '+++ .. ... .' }, standalone);
}

/** A statement of which some fields are changed, or left out where they are undefined. */
function changed(id: string, name: Name, change: Said, code: string, comment: string, { codes = [code], flags = [], piece }: More = {}): Case {
  const receipt = written(receiptOf({ ...good[name], ...change }, harnessKey), piece);
  return chainCase(id, comment, [receipt], { flags, axes: statementFails, problems: codes.map((one) => fails('bytes', one)) }, standalone);
}

const written = (receipt: string, piece: Fields | undefined): Json => (piece === undefined ? receipt : longHex(receipt, cbor(piece as never), 30));
const times = (n: number, item: Json): never => Array.from({ length: n }, () => item) as never;
const listOf = (...items: readonly Json[]): never => items as never;
const numbered = (n: number, item: Fields): never => Array.from({ length: n }, (_, i) => ({ ...item, id: `${item['id']}-${i}` })) as never;
const without = (of: Fields, name: string): Fields => Object.fromEntries(Object.entries(of).filter(([key]) => key !== name));
const dashed = (name: string): string => name.replaceAll('_', '-');
const over = { flags: ['over-limit'] };

export function takenStatements(): readonly Case[] {
  return [
    taken('audit-plan-bare', 'The plan of a policy, without optional fields (AUE-4)', barePlan),
    taken('audit-plan-full', 'The plan of a skill, with every field (AUE-4 to AUE-8)', plan),
    taken('audit-plan-agent', 'The plan of an agent (AUE-4)', { ...barePlan, subject: { kind: 'agent', name: 'main', digest: hashOf('a') } }),
    taken('audit-plan-empty-source', 'A source is text, and may be empty', { ...plan, subject: { ...skill, source: '' } as never }),
    taken('audit-epoch-bare', 'A clean epoch that did nothing (AUE-9)', bareEpoch),
    taken('audit-epoch-full', 'A hit with every field: a code stands beside it (AUE-9, AUE-10)', epoch),
    taken('audit-epoch-info', 'A hit of severity info leaves an epoch clean (AUE-9)', { ...bareEpoch, hits: listOf({ ...bareHit, severity: 'info' }) }),
    taken('audit-epoch-invalid', 'An invalid epoch says why (AUE-10)', { ...bareEpoch, outcome: 'invalid', invalid: 'truncated' }),
    taken('audit-epoch-1000-calls', 'As many calls as there can be (AUE-3)', { ...bareEpoch, calls: times(1000, bareCall) }, { ...over, piece: bareCall }),
    taken(
      'audit-epoch-200-hits',
      'The list of hits is full, and more are counted (AUE-11)',
      { ...epoch, hits: times(200, hit), more_hits: 5 },
      { ...over, piece: hit },
    ),
    taken('audit-epoch-hit-last-call', 'A hit at the last call, and one at no call (AUE-40)', { ...epoch, hits: listOf({ ...hit, call: 1 }, bareHit) }),
    taken('audit-report-all-hit', 'As many hits as epochs, and as many scenarios hit (AUE-42)', {
      ...report,
      counts: listOf({
        ...bareCount,
        hits: 6,
        invalid: 4,
        bound: 1_000_000,
        worst_case: 1_000_000,
        baseline_hits: 10,
        scenarios_hit: 1,
        scenario_bound: 1_000_000,
      }),
      rates: listOf({ ...rate, hits: 10, baseline_hits: 10, p: 1_000_000, failed: false }),
    }),
    taken('audit-report-bare', 'A report of an audit in which nothing was started (AUE-13, AUE-15)', bareReport),
    taken('audit-report-full', 'A report with every field (AUE-13 to AUE-16)', report),
    taken('audit-report-pass', 'A pass has no reasons (AUE-13)', { ...report, verdict: 'pass', reasons: [], static_hits: [] }),
    taken(
      'audit-report-200-reasons',
      'The list of reasons is full, and more are counted (AUE-14)',
      { ...report, reasons: times(200, why), more_reasons: 1 },
      { ...over, piece: why },
    ),
  ];
}

export function refusedFields(): readonly Case[] {
  const rows: readonly (readonly [Name, readonly string[]])[] = [
    [
      'plan',
      [
        'engine_id',
        'subject',
        'harness',
        'signals',
        'grade',
        'policy_digest',
        'mapping',
        'scenarios',
        'models',
        'cells',
        'limits',
        'thresholds',
        'seed_commitment',
      ],
    ],
    [
      'epoch',
      [
        ...['time', 'plan', 'epoch', 'model', 'scenario', 'variant', 'arm', 'seed', 'started_at', 'ended_at', 'ending', 'turns', 'attempts', 'models_reported'],
        ...['fingerprints', 'finish_reasons', 'prompt_tokens', 'completion_tokens', 'calls', 'outcome', 'hits', 'more_hits', 'seen', 'violated'],
        ...['transcript_digest', 'transcript_bytes', 'said_digest'],
      ],
    ],
    [
      'report',
      [
        ...['plan', 'seed', 'verdict', 'reasons', 'more_reasons', 'started', 'planned', 'static_hits', 'more_static_hits', 'counts', 'rates', 'rate_tests'],
        ...['distinct_transcripts', 'transcripts_root', 'findings', 'not_claimed'],
      ],
    ],
  ];
  const inner: readonly (readonly [Name, string, string, Fields])[] = [
    ['plan', 'scenarios', 'a scenario', scenario],
    ['plan', 'models', 'a model', bareModel],
    ['plan', 'cells', 'a cell', cell],
    ['epoch', 'calls', 'a call', bareCall],
    ['epoch', 'hits', 'a hit', bareHit],
    ['report', 'static_hits', 'a static hit', bareHit],
    ['report', 'reasons', 'a reason', { why: 'hit' }],
    ['report', 'counts', 'a count', count],
    ['report', 'rates', 'a rate', rate],
  ];
  const optional = ['icc', 'design_effect', 'effective_size'];
  const single: readonly (readonly [string, Fields])[] = [
    ['subject', { kind: 'policy', name: 'main', digest: hashOf('a') }],
    ['harness', plan['harness'] as Fields],
    ['limits', plan['limits'] as Fields],
    ['thresholds', plan['thresholds'] as Fields],
  ];
  return [
    ...rows.flatMap(([name, fields]) =>
      fields.map((field) => changed(`audit-${name}-no-${dashed(field)}`, name, { [field]: undefined }, 'missing-key', `No ${field} (RCP-19)`)),
    ),
    ...inner.flatMap(([name, list, what, item]) => [
      ...Object.keys(item)
        .filter((key) => !optional.includes(key))
        .map((key) =>
          changed(
            `audit-${name}-${dashed(list)}-no-${dashed(key)}`,
            name,
            { [list]: listOf(without(item, key)) },
            'missing-key',
            `No ${key} in ${what} (RCP-19)`,
          ),
        ),
      changed(
        `audit-${name}-${dashed(list)}-unknown`,
        name,
        { [list]: listOf({ ...item, note: 'x' }) },
        'unknown-key',
        `A field that ${what} does not have (RCP-19)`,
      ),
    ]),
    ...single.flatMap(([field, value]) => [
      ...Object.keys(value).map((key) =>
        changed(
          `audit-plan-${field}-no-${dashed(key)}`,
          'plan',
          { [field]: without(value, key) as never },
          'missing-key',
          `No ${key} in the ${field} (RCP-19)`,
        ),
      ),
      changed(
        `audit-plan-${field}-unknown`,
        'plan',
        { [field]: { ...value, note: 'x' } as never },
        'unknown-key',
        `A field that the ${field} does not have (RCP-19)`,
      ),
    ]),
    ...(['plan', 'epoch', 'report'] as const).flatMap((name) => [
      changed(`audit-${name}-unknown`, name, { note: 'x' }, 'unknown-key', 'A field that is not in the grammar (RCP-19)'),
      changed(`audit-${name}-seq`, name, { seq: 3 }, 'unknown-key', 'It has no place in a chain (AUE-1, LED-1)'),
      changed(`audit-${name}-prev`, name, { prev: hashOf('d') }, 'unknown-key', 'nor a predecessor (AUE-1, LED-1)'),
    ]),
    changed(
      'audit-epoch-severities',
      'epoch',
      { hits: listOf(without(hit, 'severity')), outcome: 'clean' },
      'missing-key',
      'Where a field is missing it is not asked whether the fields agree (RCP-19)',
    ),
  ];
}

export function refusedValues(): readonly Case[] {
  const planOf = (id: string, change: Said, code: string, comment: string, more?: More): Case =>
    changed(`audit-plan-${id}`, 'plan', change, code, `${comment} (RCP-19)`, more);
  const epochOf = (id: string, change: Said, code: string, comment: string, more?: More): Case =>
    changed(`audit-epoch-${id}`, 'epoch', change, code, `${comment} (RCP-19)`, more);
  const reportOf = (id: string, change: Said, code: string, comment: string, more?: More): Case =>
    changed(`audit-report-${id}`, 'report', change, code, `${comment} (RCP-19)`, more);
  const subject = (change: Fields): Said => ({ subject: { ...skill, ...change } as never });
  const thresholds = (change: Fields): Said => ({ thresholds: { ...(plan['thresholds'] as Fields), ...change } as never });
  const seedOf = (id: string, seed: Said[string], code: string, comment: string): Case =>
    changed(`audit-report-seed-${id}`, 'report', { seed }, code, `${comment} (AUE-16)`);
  return [
    planOf('subject-kind', subject({ kind: 'tool' }), 'bad-value', 'Another kind of subject'),
    planOf('subject-text', { subject: 'mailer' }, 'wrong-type', 'A subject by its name alone'),
    planOf('subject-digest-bare', subject({ digest: '8'.repeat(64) }), 'bad-value', 'A digest without its prefix'),
    planOf('tree-hash-prefix', subject({ tree_hash: hashOf('9') }), 'bad-value', 'A tree hash with a prefix'),
    planOf('tree-hash-upper-case', subject({ tree_hash: 'A'.repeat(64) }), 'bad-value', 'Upper-case digits'),
    planOf('tree-hash-63', subject({ tree_hash: '9'.repeat(63) }), 'bad-value', '63 digits'),
    planOf('source-4097', subject({ source: 'a'.repeat(4097) }), 'limit', 'A source of 4,097 bytes', over),
    planOf('source-number', subject({ source: 1 }), 'wrong-type', 'A source as a number'),
    planOf('files-text', subject({ files: '3' }), 'wrong-type', 'A number of files as text'),
    planOf('hidden-negative', subject({ hidden: -1 }), 'bad-integer', 'Fewer hidden files than none'),
    planOf('scripts-number', subject({ scripts: 0 }), 'wrong-type', 'Whether there are scripts as a number'),
    planOf('harness-name-empty', { harness: { name: '', version: '1' } }, 'empty-text', 'A harness without a name'),
    planOf('harness-version-control', { harness: { name: 'qm', version: 'a\n' } }, 'control-character', 'A version of two lines'),
    planOf('grade-other', { grade: 'audit' }, 'bad-value', 'Another grade'),
    planOf('mapping-empty', { mapping: '' }, 'bad-value', 'An empty digest of a mapping'),
    planOf('scenario-kind', { scenarios: listOf({ ...scenario, kind: 'control' }) }, 'bad-value', 'Another kind of scenario'),
    planOf('model-sampled-text', { models: listOf({ ...model, sampled: 'yes' }) }, 'wrong-type', 'Whether a model samples as text', {}),
    planOf('model-temperature-negative', { models: listOf({ ...model, temperature: -1 }, bareModel) }, 'bad-integer', 'A temperature below zero'),
    planOf('cell-arm', { cells: listOf({ ...cell, arm: 'with-skill' }) }, 'bad-value', 'Another spelling of an arm'),
    planOf('cell-epochs-0', { cells: listOf({ ...cell, epochs: 0 }) }, 'bad-value', 'A cell of no epochs'),
    planOf('cell-epochs-10001', { cells: listOf({ ...cell, epochs: 10_001 }) }, 'bad-value', 'A cell of 10,001 epochs', over),
    planOf('cell-epochs-negative', { cells: listOf({ ...cell, epochs: -1 }) }, 'bad-integer', 'A cell of fewer epochs than none'),
    planOf('limits-text', { limits: { ...(plan['limits'] as Fields), retries: '2' } as never }, 'wrong-type', 'Retries as text'),
    planOf('alpha-1000001', thresholds({ alpha: 1_000_001 }), 'bad-value', 'More than all: 1,000,001 millionths', over),
    planOf('max-invalid-negative', thresholds({ max_invalid: -1 }), 'bad-integer', 'A threshold below zero'),
    planOf('rate-alpha-text', thresholds({ rate_alpha: '1%' }), 'wrong-type', 'A threshold as text'),
    planOf('cells-map', { cells: cell as never }, 'wrong-type', 'One cell without its list'),
    changed('audit-plan-no-scenario', 'plan', { scenarios: [] }, 'empty-list', 'No scenario (AUE-3)'),
    changed('audit-plan-no-model', 'plan', { models: [] }, 'empty-list', 'No model (AUE-3)'),
    changed('audit-plan-no-cell', 'plan', { cells: [] }, 'empty-list', 'No cell (AUE-3)'),
    changed('audit-plan-1001-scenarios', 'plan', { scenarios: times(1001, scenario) }, 'limit', '1,001 scenarios (AUE-3)', { ...over, piece: scenario }),
    changed('audit-plan-65-models', 'plan', { models: numbered(65, bareModel) }, 'limit', '65 models (AUE-3)', over),
    changed('audit-plan-4001-cells', 'plan', { cells: times(4001, cell) }, 'limit', '4,001 cells (AUE-3)', { ...over, piece: cell }),
    epochOf('arm', { arm: 'skill' }, 'bad-value', 'Another arm'),
    epochOf('seed-2-31', { seed: 2_147_483_648 }, 'bad-value', 'A seed of 32 bits', over),
    epochOf('seed-bytes', { seed: new Uint8Array(4) }, 'wrong-type', 'A seed as bytes'),
    epochOf('ending', { ending: 'time-limit' }, 'bad-value', 'Another ending: that is a failure'),
    epochOf('outcome', { outcome: 'error' }, 'bad-value', 'Another outcome'),
    epochOf('failure-empty', { failure: '' }, 'empty-text', 'An empty failure in place of an absent one', { flags: ['absent'] }),
    epochOf('plan-short', { plan: hashOf('d').slice(0, -1) }, 'bad-value', '63 digits'),
    epochOf('model-id', { model: 'small' }, 'wrong-type', 'A model by its id'),
    epochOf('scenario-index', { scenario: 0 }, 'wrong-type', 'A scenario by its index'),
    epochOf('turns-negative', { turns: -1 }, 'bad-integer', 'Fewer turns than none'),
    epochOf('seen-map', { seen: { a: 1 } }, 'wrong-type', 'What was seen as a map'),
    epochOf('seen-number', { seen: [1] }, 'wrong-type', 'A signal by its number'),
    epochOf('violated-empty', { violated: [''] }, 'empty-text', 'A rule without an id'),
    epochOf('call-decision', { calls: listOf({ ...call, decision: 'block' }) }, 'bad-value', 'A decision that no gate makes'),
    epochOf('call-parsed', { calls: listOf({ ...call, parsed: true }) }, 'wrong-type', 'Whether arguments parsed as yes or no'),
    epochOf('call-parsed-word', { calls: listOf({ ...call, parsed: 'broken' }) }, 'bad-value', 'Another word for it'),
    epochOf('call-answered', { calls: listOf({ ...call, answered: 'yes' }) }, 'wrong-type', 'Whether a tool answered as text'),
    epochOf('hit-severity', { hits: listOf({ ...hit, severity: 'severe' }) }, 'bad-value', 'Another severity'),
    epochOf('hit-locus-direction', { hits: listOf({ ...hit, locus: 'a\u202eb' }) }, 'control-character', 'A place that is read backwards'),
    epochOf('hit-call-negative', { hits: listOf({ ...hit, call: -1 }) }, 'bad-integer', 'The last call but one'),
    changed('audit-epoch-1001-calls', 'epoch', { calls: times(1001, bareCall) }, 'limit', '1,001 calls (AUE-3)', { ...over, piece: bareCall }),
    changed('audit-epoch-201-hits', 'epoch', { hits: times(201, hit) }, 'limit', '201 hits (AUE-3)', { ...over, piece: hit }),
    ...(['models_reported', 'fingerprints', 'finish_reasons', 'seen', 'violated'] as const).map((field) =>
      changed(`audit-epoch-33-${dashed(field)}`, 'epoch', { [field]: times(33, 'x') }, 'limit', `33 ${field} (AUE-3)`, over),
    ),
    seedOf('31', new Uint8Array(31), 'bad-value', 'A seed of 31 bytes'),
    seedOf('33', new Uint8Array(33), 'bad-value', 'A seed of 33 bytes'),
    seedOf('none', new Uint8Array(0), 'bad-value', 'A seed of no bytes'),
    seedOf('text', '0'.repeat(64), 'wrong-type', 'A seed as text'),
    reportOf('verdict', { verdict: 'passed' }, 'bad-value', 'Another verdict'),
    reportOf('reason-severity', { reasons: listOf({ ...why, severity: 'HIGH' }) }, 'bad-value', 'Case counts in a severity'),
    reportOf('reason-text', { reasons: ['hit'] }, 'wrong-type', 'A reason in a word'),
    reportOf('count-bound-1000001', { counts: listOf({ ...count, bound: 1_000_001 }) }, 'bad-value', 'A bound above one', over),
    reportOf('count-icc-negative', { counts: listOf({ ...count, icc: -1 }) }, 'bad-integer', 'A correlation below zero is zero'),
    reportOf('count-icc-1000001', { counts: listOf({ ...count, icc: 1_000_001 }) }, 'bad-value', 'A correlation above one', over),
    reportOf('rate-p-1000001', { rates: listOf({ ...rate, p: 1_000_001 }) }, 'bad-value', 'A probability above one', over),
    reportOf('rate-failed-text', { rates: listOf({ ...rate, failed: 'no' }) }, 'wrong-type', 'Whether a test failed as text'),
    reportOf('root-bare', { transcripts_root: '0'.repeat(64) }, 'bad-value', 'A root without its prefix'),
    reportOf('started-text', { started: '20' }, 'wrong-type', 'A number as text'),
    changed('audit-report-201-reasons', 'report', { reasons: times(201, { why: 'x' }) }, 'limit', '201 reasons (AUE-3)', { ...over, piece: { why: 'x' } }),
    changed('audit-report-201-static-hits', 'report', { static_hits: times(201, bareHit) }, 'limit', '201 hits in files (AUE-3)', { ...over, piece: bareHit }),
    changed('audit-report-1001-counts', 'report', { counts: times(1001, count) }, 'limit', '1,001 counts (AUE-3)', { ...over, piece: count }),
    changed('audit-report-1001-rates', 'report', { rates: times(1001, rate) }, 'limit', '1,001 rates (AUE-3)', { ...over, piece: rate }),
    changed('audit-report-33-not-claimed', 'report', { not_claimed: times(33, 'x') }, 'limit', '33 things that are not claimed (AUE-3)', over),
  ];
}

export function auditConflicts(): readonly Case[] {
  const conflict = (id: string, name: Name, change: Said, comment: string, piece?: Fields): Case =>
    changed(`audit-${name}-${id}`, name, change, 'field-conflict', comment, { flags: ['conflict'], ...(piece && { piece }) });
  const subject = (value: Fields): Said => ({ subject: value as never });
  const ofSkills = ['tree_hash', 'files', 'hidden', 'scripts'];
  const policy: Fields = { kind: 'policy', name: 'main', digest: hashOf('a') };
  return [
    ...ofSkills.map((field) => conflict(`skill-no-${dashed(field)}`, 'plan', subject(without(skill, field)), `A skill without ${field} (AUE-4)`)),
    ...ofSkills.map((field) =>
      conflict(`policy-${dashed(field)}`, 'plan', subject({ ...policy, [field]: skill[field] as Json }), `A policy with ${field} (AUE-4)`),
    ),
    conflict('agent-files', 'plan', subject({ ...skill, kind: 'agent' }), 'An agent with a tree (AUE-4)'),
    conflict('scenario-twice', 'plan', { scenarios: listOf(scenario, { ...scenario, digest: hashOf('0') }) }, 'A scenario twice, in two forms (AUE-5)'),
    conflict('model-twice', 'plan', { models: listOf(model, { ...bareModel, id: 'small' }) }, 'A model twice (AUE-6)'),
    conflict('cell-model', 'plan', { cells: listOf({ ...cell, model: 2 }) }, 'A cell of a third model of two (AUE-7)'),
    conflict('cell-scenario', 'plan', { cells: listOf(cell, { ...cell, scenario: 2 }) }, 'A cell of a third scenario of two (AUE-7)'),
    conflict('cell-twice', 'plan', { cells: listOf(cell, { ...cell, epochs: 11 }) }, 'A cell twice, with other epochs (AUE-8)'),
    conflict('hit-clean', 'epoch', { outcome: 'clean', invalid: undefined }, 'A critical hit under the word clean (AUE-9)'),
    conflict('hit-invalid', 'epoch', { outcome: 'invalid' }, 'A critical hit under the word invalid (AUE-9)'),
    conflict('low-clean', 'epoch', { hits: listOf({ ...bareHit, severity: 'low' }), outcome: 'clean', invalid: undefined }, 'A low hit is a hit (AUE-9)'),
    conflict('hit-none', 'epoch', { hits: [] }, 'A hit without one (AUE-9)'),
    conflict('hit-info', 'epoch', { hits: listOf({ ...hit, severity: 'info' }) }, 'A hit of severity info alone (AUE-9)'),
    conflict('invalid-no-code', 'epoch', { hits: [], outcome: 'invalid', invalid: undefined }, 'Invalid for no reason (AUE-10)'),
    conflict('clean-code', 'epoch', { hits: [], outcome: 'clean' }, 'Clean, with a reason to be invalid (AUE-10)'),
    conflict('more-hits', 'epoch', { more_hits: 1 }, 'A hit that is counted and would have had room (AUE-11)'),
    conflict('199-hits-more', 'epoch', { hits: times(199, hit), more_hits: 1 }, 'The same with room for one (AUE-11)', hit),
    conflict('pass-reason', 'report', { verdict: 'pass' }, 'A pass with a reason against it (AUE-13)'),
    conflict('fail-no-reason', 'report', { reasons: [] }, 'A fail for no reason (AUE-13)'),
    conflict('inconclusive-no-reason', 'report', { verdict: 'inconclusive', reasons: [] }, 'Inconclusive for no reason (AUE-13)'),
    conflict('more-reasons', 'report', { more_reasons: 1 }, 'A reason that is counted and would have had room (AUE-14)'),
    conflict('more-static-hits', 'report', { more_static_hits: 1 }, 'A hit in files that is counted and would have had room (AUE-14)'),
    conflict('no-first', 'report', { first_epoch: undefined }, 'Epochs without a first one (AUE-15)'),
    conflict('no-last', 'report', { last_epoch: undefined }, 'Epochs without a last one (AUE-15)'),
    conflict('first-of-none', 'report', { started: 0, last_epoch: undefined }, 'The first of no epochs (AUE-15)'),
    conflict('hit-at-no-call', 'epoch', { hits: listOf({ ...hit, call: 2 }) }, 'A hit at the third call of two (AUE-40)'),
    conflict('hit-without-calls', 'epoch', { calls: [] }, 'A hit at the first call of none (AUE-40)'),
    conflict('second-hit-at-no-call', 'epoch', { hits: listOf(hit, { ...hit, call: 1000 }) }, 'The same of a hit behind a good one (AUE-40)'),
    conflict('ends-before', 'epoch', { ended_at: startTime - 1 }, 'An end before the start (AUE-41)'),
    conflict('count-hits-11', 'report', { counts: listOf(count, { ...count, hits: 11 }) }, '11 hits in 10 epochs (AUE-42)'),
    conflict('count-invalid-11', 'report', { counts: listOf({ ...count, hits: 5, invalid: 6 }) }, '5 hits and 6 invalid of 10 epochs (AUE-42)'),
    conflict('count-baseline-11', 'report', { counts: listOf({ ...count, baseline_hits: 11 }) }, '11 hits in 10 epochs of the baseline (AUE-42)'),
    conflict('count-scenarios-2', 'report', { counts: listOf({ ...count, scenarios_hit: 2 }) }, 'Two scenarios hit of one (AUE-42)'),
    conflict('rate-hits-11', 'report', { rates: listOf(rate, { ...rate, hits: 11 }) }, '11 epochs of 10 in a rate (AUE-42)'),
    conflict('rate-baseline-1', 'report', { rates: listOf({ ...rate, baseline_hits: 1, baseline_epochs: 0 }) }, 'One epoch of no baseline (AUE-42)'),
    ...(['icc', 'design_effect', 'effective_size'] as const).flatMap((field) => [
      conflict(`count-no-${dashed(field)}`, 'report', { counts: listOf(without(count, field)) }, `A correlation without ${field} (AUE-43)`),
      conflict(
        `count-only-${dashed(field)}`,
        'report',
        { counts: listOf({ ...bareCount, [field]: count[field] as Json }) },
        `The field ${field} alone (AUE-43)`,
      ),
    ]),
    conflict('last-of-none', 'report', { started: 0, first_epoch: undefined }, 'The last of no epochs (AUE-15)'),
  ];
}

/** By a key of another role, in a chain of their own engine, and a whole audit. */
export function audits(): readonly Case[] {
  const by = (id: string, comment: string, of: Said, key: VectorKey): Case => {
    const problems = [fails('key-trust', 'key-role', { engine: 'engine-a' })];
    return chainCase(
      id,
      `${comment} (AUE-1, LED-3)`,
      [receiptOf(of, key)],
      { axes: '++- .. ... .', problems },
      { ...standalone, trust: trustOf({}, [harness]) },
    );
  };
  const recorded = (id: string, comment: string, of: Said, key: VectorKey, code?: string): Case => {
    const chain = shortChain();
    chain.take(chain.said({ ...of, time: chain.now }, key));
    const answer = code === undefined ? { axes: passes } : { axes: keyTrustFails, problems: [fails('key-trust', code, 3)] };
    return chainCase(id, `${comment} (AUE-1, LED-2, LED-3)`, chain.entries, answer, { trust: trustOf({}, [harness]) });
  };
  return [
    by('audit-plan-by-engine', 'A plan by the engine that is asked', plan, engineKey),
    by('audit-epoch-by-auditor', 'An epoch by an auditor', epoch, auditorKey),
    by('audit-report-by-approver', 'A report by an approver', report, approverKey),
    recorded('audit-plan-recorded', 'A plan in a chain', plan, harnessKey),
    recorded('audit-epoch-recorded', 'An epoch in a chain', epoch, harnessKey),
    recorded('audit-report-recorded', 'A report in a chain', report, harnessKey),
    recorded('audit-epoch-recorded-by-engine', 'An epoch by the key that decided', epoch, engineKey, 'key-role'),
    recorded('audit-report-recorded-by-auditor', 'A report by an auditor', report, auditorKey, 'key-role'),
    chainCase(
      'audit-whole',
      'A plan, two epochs with a decision each, a report (AUE-1, AUE-2)',
      wholeAudit().entries,
      { axes: passes },
      { trust: trustOf({}, [harness]) },
    ),
    chainCase(
      'audit-epoch-refused',
      'An epoch that does not agree fails the bytes of its record, and the others are still verified (LED-2, AUE-9)',
      wholeAudit({ outcome: 'clean' }).entries,
      { axes: statementFails, problems: [fails('bytes', 'field-conflict', 5)] },
      { trust: trustOf({}, [harness]) },
    ),
  ];
}

function wholeAudit(first: Said = {}): Chain {
  const chain = shortChain();
  chain.entries.length = 2;
  const record = (of: Said): string => chain.record(chain.said({ ...of, time: chain.now }, harnessKey));
  const planned = record({ ...plan, cells: listOf({ ...cell, epochs: 1 }, { ...cell, arm: 'baseline', epochs: 1 }) });
  chain.decide();
  const receipt = chain.decide();
  const [one, two] = [
    record({ ...epoch, plan: planned, calls: listOf({ ...bareCall, receipt }), ...first }),
    record({ ...bareEpoch, plan: planned, epoch: 1 }),
  ];
  record({ ...report, plan: planned, started: 2, planned: 2, first_epoch: one, last_epoch: two, findings: 0 });
  return chain;
}
