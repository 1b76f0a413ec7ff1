/**
 * The statements of an audit (spec/audit-evidence.md): the grammar of each, and what has to agree in it.
 * @module
 */
import { describe, expect, it } from 'vitest';
import { roleOf } from '../../src/receipt/entry.js';
import type { Statement } from '../../src/receipt/statement.js';
import { changed, type Loose } from '../policy/kit.js';
import { call, cell, count, epoch, hashOf, hit, model, plan, policyPlan, rate, report, scenario, staticHit, why } from './audit-kit.js';
import { cbor, codesOf, entry, key, receipt, trustOf, verify } from './kit.js';

const good = { plan, epoch, report };
type Kind = keyof typeof good;
type Path = readonly (string | number)[];

const trust = trustOf(entry(key, { role: 'harness' }));
const judged = (of: Loose) => verify(receipt({ payload: cbor(of) }), { trust });
/** `code pointer` of everything that is wrong with the statement. */
const wrong = (of: Loose): string[] => judged(of).problems.map(({ code, where }) => `${code} ${where.pointer}`);
const at = (path: Path): string => path.map((step) => `/${step}`).join('');
const conflict = ['field-conflict '];
const times = (n: number, item: Loose): Loose[] => new Array(n).fill(item);

describe('statements of an audit', () => {
  it.each(Object.entries({ ...good, 'plan of a policy': policyPlan }))('takes a %s with every field', (_, of) => {
    expect(wrong(of)).toEqual([]);
    expect(judged(of).ok).toBe(true);
    expect(roleOf(of as Statement)).toBe('harness');
  });

  it('takes each without its optional fields', () => {
    const bare = (of: Loose, ...names: string[]): Loose => Object.fromEntries(Object.entries(of).filter(([name]) => !names.includes(name)));
    const { source: _, ...subject } = plan.subject;
    const models = [bare(model, 'provider', 'temperature', 'top_p', 'max_tokens', 'weights_digest')];
    expect(wrong({ ...plan, subject, models, cells: [cell] })).toEqual([]);
    const calls = [bare(call, 'args_digest', 'policy_digest')];
    expect(wrong(bare({ ...epoch, calls, hits: [bare(hit, 'call', 'message')] }, 'failure', 'invalid'))).toEqual([]);
    const counts = [bare(count, 'icc', 'design_effect', 'effective_size')];
    expect(wrong(bare({ ...report, counts, reasons: [{ why: 'models-few' }], started: 0 }, 'first_epoch', 'last_epoch'))).toEqual([]);
  });

  it.each(['engine', 'installer', 'approver', 'auditor'])('are not for a key of the role %s (AUE-1)', (role) => {
    for (const of of Object.values(good)) {
      expect(codesOf(verify(receipt({ payload: cbor(of) }), { trust: trustOf(entry(key, { role })) }))).toEqual(['key-role']);
    }
  });

  it('have no place in a chain of their own (AUE-1)', () => {
    for (const of of Object.values(good)) {
      expect(wrong({ ...of, seq: 1 })).toEqual(['unknown-key /seq']);
      expect(wrong({ ...of, prev: hashOf('1') })).toEqual(['unknown-key /prev']);
    }
  });
});

/** Every object of a statement, by its path. */
function objectsOf(value: Loose, path: Path = []): Path[] {
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return [];
  const inner = Object.entries(value).flatMap(([name, member]) => objectsOf(member, [...path, Array.isArray(value) ? Number(name) : name]));
  return Array.isArray(value) ? inner : [path, ...inner];
}
const within = (value: Loose, path: Path): Loose => path.reduce((inner, step) => inner[step], value);
/** Fields that may be left off: some of them where others are too. */
const optional =
  /^\/(subject\/(source|tree_hash|files|hidden|scripts)|models\/\d+\/(provider|temperature|top_p|max_tokens|weights_digest)|failure|invalid|first_epoch|last_epoch|calls\/\d+\/(args_digest|policy_digest)|hits\/\d+\/(call|message)|reasons\/\d+\/(?!why$)\w+|counts\/\d+\/(icc|design_effect|effective_size))$/;

describe('the grammar of the statements of an audit (RCP-19)', () => {
  it.each(Object.keys(good) as Kind[])('closes every object of a %s', (kind) => {
    const paths = objectsOf(good[kind]);
    expect(paths.length).toBeGreaterThan(2);
    for (const path of paths) expect(wrong(changed(good[kind], [...path, 'extra'], 1))).toEqual([`unknown-key ${at([...path, 'extra'])}`]);
  });

  it.each(Object.keys(good) as Kind[])('misses each required field of a %s', (kind) => {
    let fields = 0;
    for (const path of objectsOf(good[kind])) {
      for (const name of Object.keys(within(good[kind], path))) {
        if (name === 'statement' || optional.test(at([...path, name]))) continue;
        expect(wrong(changed(good[kind], [...path, name], undefined))).toEqual([`missing-key ${at(path)}`]);
        fields++;
      }
    }
    expect(fields).toBeGreaterThan(20);
  });

  it.each(Object.keys(good) as Kind[])('refuses another type of each field of a %s', (kind) => {
    for (const path of objectsOf(good[kind])) {
      for (const [name, value] of Object.entries(within(good[kind], path))) {
        if (name === 'statement') continue;
        const other = typeof value === 'number' || typeof value === 'boolean' ? 'x' : 1;
        expect(wrong(changed(good[kind], [...path, name], other))).toEqual([`wrong-type ${at([...path, name])}`]);
      }
    }
  });

  it.each<[Kind, Path, unknown, string]>([
    ['plan', ['subject', 'kind'], 'tool', 'bad-value'],
    ['plan', ['subject', 'digest'], '9'.repeat(64), 'bad-value'],
    ['plan', ['subject', 'tree_hash'], hashOf('9'), 'bad-value'],
    ['plan', ['subject', 'tree_hash'], 'A'.repeat(64), 'bad-value'],
    ['plan', ['subject', 'source'], 'a'.repeat(4_097), 'limit'],
    ['plan', ['subject', 'name'], '', 'empty-text'],
    ['plan', ['harness', 'name'], 'a\nb', 'control-character'],
    ['plan', ['grade'], 'Screening', 'bad-value'],
    ['plan', ['scenarios', 0, 'kind'], 'control', 'bad-value'],
    ['plan', ['cells', 0, 'arm'], 'with-skill', 'bad-value'],
    ['plan', ['cells', 0, 'epochs'], 0, 'bad-value'],
    ['plan', ['cells', 0, 'epochs'], 10_001, 'bad-value'],
    ['plan', ['thresholds', 'alpha'], 1_000_001, 'bad-value'],
    ['plan', ['limits', 'max_turns'], -1, 'bad-integer'],
    ['epoch', ['arm'], 'skill', 'bad-value'],
    ['epoch', ['seed'], 2_147_483_648, 'bad-value'],
    ['epoch', ['ending'], 'time-limit', 'bad-value'],
    ['epoch', ['outcome'], 'error', 'bad-value'],
    ['epoch', ['calls', 0, 'decision'], 'block', 'bad-value'],
    ['epoch', ['calls', 0, 'parsed'], 'yes', 'bad-value'],
    ['epoch', ['hits', 0, 'severity'], 'severe', 'bad-value'],
    ['epoch', ['plan'], '', 'bad-value'],
    ['epoch', ['failure'], '', 'empty-text'],
    ['report', ['verdict'], 'passed', 'bad-value'],
    ['report', ['reasons', 0, 'severity'], 'HIGH', 'bad-value'],
    ['report', ['counts', 0, 'bound'], 1_000_001, 'bad-value'],
    ['report', ['counts', 0, 'icc'], -1, 'bad-integer'],
    ['report', ['rates', 0, 'p'], 1_000_001, 'bad-value'],
    ['report', ['transcripts_root'], '', 'bad-value'],
  ])('refuses in a %s %j as %j', (kind, path, to, code) => {
    expect(wrong(changed(good[kind], path, to))).toEqual([`${code} ${at(path)}`]);
  });

  it('takes a seed of 32 bytes and no other (AUE-16)', () => {
    for (const size of [0, 31, 33, 64]) expect(wrong({ ...report, seed: new Uint8Array(size) })).toEqual(['bad-value /seed']);
    expect(wrong({ ...report, seed: '07'.repeat(32) })).toEqual(['wrong-type /seed']);
  });

  const words = (n: number): string[] => times(n, 'a');
  it.each<[Kind, string, number, (n: number) => unknown, Loose]>([
    ['plan', 'scenarios', 1_000, (n) => Array.from({ length: n }, (_, i) => ({ ...scenario, id: `s${i}` })), {}],
    ['plan', 'models', 64, (n) => Array.from({ length: n }, (_, i) => ({ ...model, id: `m${i}` })), {}],
    [
      'plan',
      'cells',
      4_000,
      (n) => Array.from({ length: n }, (_, i) => ({ ...cell, model: i % 64, scenario: Math.floor(i / 64) })),
      {
        models: Array.from({ length: 64 }, (_, i) => ({ ...model, id: `m${i}` })),
        scenarios: Array.from({ length: 63 }, (_, i) => ({ ...scenario, id: `s${i}` })),
      },
    ],
    ['epoch', 'calls', 1_000, (n) => times(n, call), {}],
    ['epoch', 'hits', 200, (n) => times(n, hit), {}],
    ['epoch', 'models_reported', 32, words, {}],
    ['epoch', 'fingerprints', 32, words, {}],
    ['epoch', 'finish_reasons', 32, words, {}],
    ['epoch', 'seen', 32, words, {}],
    ['epoch', 'violated', 32, words, {}],
    ['report', 'reasons', 200, (n) => times(n, why), {}],
    ['report', 'static_hits', 200, (n) => times(n, staticHit), {}],
    ['report', 'counts', 1_000, (n) => times(n, count), {}],
    ['report', 'rates', 1_000, (n) => times(n, rate), {}],
    ['report', 'not_claimed', 32, words, {}],
  ])('takes in a %s the list %s of %i, and not one more (AUE-3)', (kind, field, most, of, rest) => {
    expect(wrong({ ...good[kind], ...rest, [field]: of(most) })).toEqual([]);
    expect(wrong({ ...good[kind], ...rest, [field]: of(most + 1) })).toEqual([`limit /${field}`]);
  });

  it.each(['scenarios', 'models', 'cells'])('refuses a plan without %s (AUE-3)', (field) => {
    expect(wrong({ ...plan, [field]: [] })).toEqual([`empty-list /${field}`]);
  });
});

describe('a plan agrees with itself', () => {
  const ofSkills = ['tree_hash', 'files', 'hidden', 'scripts'];
  it.each(ofSkills)('refuses a skill without %s, and a policy or an agent with it (AUE-4)', (field) => {
    expect(wrong(changed(plan, ['subject', field], undefined))).toEqual(conflict);
    for (const kind of ['policy', 'agent']) {
      const subject = { kind, name: 'main', digest: hashOf('a'), [field]: plan.subject[field] };
      expect(wrong({ ...plan, subject })).toEqual(conflict);
    }
  });

  it('refuses a scenario twice (AUE-5)', () => {
    expect(wrong(changed(plan, ['scenarios', 1, 'id'], 'mail'))).toEqual(conflict);
  });

  it('refuses a model twice (AUE-6)', () => {
    expect(wrong(changed(plan, ['models', 1, 'id'], 'small'))).toEqual(conflict);
  });

  it.each(['model', 'scenario'])('refuses a cell of a %s that is not in the plan (AUE-7)', (of) => {
    expect(wrong(changed(plan, ['cells', 1, of], 2))).toEqual(conflict);
  });

  it('refuses a cell twice, whatever its number of epochs (AUE-8)', () => {
    expect(wrong({ ...plan, cells: [cell, { ...cell, epochs: 11 }] })).toEqual(conflict);
    const others = [cell, { ...cell, model: 1 }, { ...cell, scenario: 1 }, { ...cell, arm: 'baseline' }];
    expect(wrong({ ...plan, cells: others })).toEqual([]);
  });
});

describe('an epoch agrees with itself', () => {
  const { invalid: _, ...rest } = epoch;
  const of = (change: Loose): Loose => ({ ...rest, ...change });
  const only = (severity: string): Loose => [{ ...hit, severity }];

  it.each(['low', 'medium', 'high', 'critical'])('is a hit where a hit is %s (AUE-9)', (severity) => {
    expect(wrong(of({ hits: only(severity) }))).toEqual([]);
    expect(wrong(of({ hits: only(severity), outcome: 'clean' }))).toEqual(conflict);
    expect(wrong(of({ hits: only(severity), outcome: 'invalid', invalid: 'timeout' }))).toEqual(conflict);
  });

  it('is no hit for what is only worth knowing, or for nothing (AUE-9)', () => {
    for (const hits of [[], only('info')]) {
      expect(wrong(of({ hits }))).toEqual(conflict);
      expect(wrong(of({ hits, outcome: 'clean' }))).toEqual([]);
    }
    expect(wrong(of({ hits: [...only('info'), hit], outcome: 'clean' }))).toEqual(conflict);
  });

  it('says why it is invalid, and only then, unless it is a hit (AUE-10)', () => {
    expect(wrong(of({ hits: [], outcome: 'invalid', invalid: 'timeout' }))).toEqual([]);
    expect(wrong(of({ hits: [], outcome: 'invalid' }))).toEqual(conflict);
    expect(wrong(of({ hits: [], outcome: 'clean', invalid: 'timeout' }))).toEqual(conflict);
    expect(wrong(of({ invalid: 'timeout' }))).toEqual([]);
  });

  it('counts hits only where there is no room to list them (AUE-11)', () => {
    expect(wrong(of({ more_hits: 1 }))).toEqual(conflict);
    expect(wrong(of({ hits: times(199, hit), more_hits: 1 }))).toEqual(conflict);
    expect(wrong(of({ hits: times(200, hit), more_hits: 1 }))).toEqual([]);
  });

  it('has its hits at calls that it has (AUE-40)', () => {
    const at = (call: number): Loose => [{ ...hit, call }];
    expect(wrong(of({ hits: at(1) }))).toEqual(conflict);
    expect(wrong(of({ calls: [] }))).toEqual(conflict);
    expect(wrong(of({ hits: at(1), calls: [call, call] }))).toEqual([]);
    expect(wrong(of({ hits: [hit, ...at(2)], calls: [call, call] }))).toEqual(conflict);
    expect(wrong(of({ hits: [{ ...hit, call: undefined, message: 99 }].map(({ call: _, ...one }) => one), calls: [] }))).toEqual([]);
  });

  it('does not end before it starts (AUE-41)', () => {
    expect(wrong(of({ started_at: 2, ended_at: 1 }))).toEqual(conflict);
    expect(wrong(of({ started_at: 2, ended_at: 2 }))).toEqual([]);
  });
});

describe('a report agrees with itself', () => {
  it('passes exactly where nothing stands against it (AUE-13)', () => {
    expect(wrong({ ...report, verdict: 'pass' })).toEqual(conflict);
    expect(wrong({ ...report, verdict: 'pass', reasons: [] })).toEqual([]);
    for (const verdict of ['fail', 'inconclusive']) expect(wrong({ ...report, verdict, reasons: [] })).toEqual(conflict);
  });

  it('counts reasons and hits only where there is no room to list them (AUE-14)', () => {
    expect(wrong({ ...report, more_reasons: 1 })).toEqual(conflict);
    expect(wrong({ ...report, more_static_hits: 1 })).toEqual(conflict);
    expect(wrong({ ...report, reasons: times(200, why), more_reasons: 1, static_hits: times(200, staticHit), more_static_hits: 1 })).toEqual([]);
  });

  it('names the first and the last epoch exactly where one was started (AUE-15)', () => {
    const { first_epoch: _, ...noFirst } = report;
    const { last_epoch: __, ...noLast } = report;
    const { last_epoch: ___, ...neither } = noFirst;
    for (const started of [1, 20]) for (const of of [noFirst, noLast, neither]) expect(wrong({ ...of, started })).toEqual(conflict);
    for (const of of [noFirst, noLast, report]) expect(wrong({ ...of, started: 0 })).toEqual(conflict);
    expect(wrong({ ...neither, started: 0 })).toEqual([]);
  });

  it.each([
    ['counts', { hits: 11 }, { hits: 10 }],
    ['counts', { hits: 6, invalid: 5 }, { hits: 5, invalid: 5 }],
    ['counts', { baseline_hits: 11 }, { baseline_hits: 10 }],
    ['counts', { scenarios_hit: 3 }, { scenarios_hit: 2 }],
    ['rates', { hits: 11 }, { hits: 10 }],
    ['rates', { baseline_hits: 11 }, { baseline_hits: 10 }],
  ])('has in %s no more of %j than there were (AUE-42)', (field, tooMany, all) => {
    const whole = field === 'counts' ? count : rate;
    expect(wrong({ ...report, [field]: [whole, { ...whole, ...tooMany }] })).toEqual(conflict);
    expect(wrong({ ...report, [field]: [whole, { ...whole, ...all }] })).toEqual([]);
  });

  it('tells how its epochs cluster by three numbers or by none (AUE-43)', () => {
    const without = (...names: string[]): Loose => Object.fromEntries(Object.entries(count).filter(([name]) => !names.includes(name)));
    const three = ['icc', 'design_effect', 'effective_size'];
    expect(wrong({ ...report, counts: [without(...three)] })).toEqual([]);
    for (const name of three) {
      expect(wrong({ ...report, counts: [count, without(name)] })).toEqual(conflict);
      expect(wrong({ ...report, counts: [without(...three.filter((other) => other !== name))] })).toEqual(conflict);
    }
  });
});
