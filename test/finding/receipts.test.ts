/**
 * Finding receipts: emission, and the axis *findings*. The five acceptance cases of the document that they come from stand first, under its own words.
 * @module
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argsDigest } from '../../src/digest/args-digest.js';
import { policyDigest } from '../../src/digest/digest.js';
import { RuleprintError } from '../../src/errors.js';
import { citing, emitFinding, type FindingClaim, findingStatement } from '../../src/finding/emit.js';
import { createSigner, type PrivateKey, publicJwk, type Report, receiptHash } from '../../src/index.js';
import { verifyLedger, type VerifyLedgerOptions } from '../../src/ledger/verify.js';
import { matchProfile } from '../../src/policy/model.js';
import { copyPolicy } from '../../src/policy/copy.js';
import { readReceipt } from '../../src/receipt/read.js';
import { reportedId, stableId } from '../../src/receipt/finding-ids.js';
import { ChainKit, keyOf, keys, sign, trustOf } from '../ledger/chain-kit.js';
import { epoch, hashOf, plan } from '../receipt/audit-kit.js';

const policy = copyPolicy({
  version: 1,
  rules: [
    { name: 'no-export', effect: 'deny', agents: 'any', action: { tool: { server: 'crm', name: 'export_all' } } },
    { name: 'ask-refund', effect: 'ask', agents: 'any', action: { tool: { server: 'crm', name: 'refund' } } },
    { name: 'crm', effect: 'allow', agents: 'any', action: { tool: { server: 'crm', name: '*' } } },
  ],
});
const cites = { policy_version: 1, policy_digest: policyDigest(policy), match_profile: matchProfile };
const args = { to: 'attacker@example.com', rows: 100_000 };

type Effect = 'allow' | 'ask' | 'deny';
const rules: Readonly<Record<Effect, readonly [rule: string, tool: string]>> = {
  allow: ['crm', 'export'],
  ask: ['ask-refund', 'refund'],
  deny: ['no-export', 'export_all'],
};

/** A chain of a genesis, an install and a decision of each effect, in the order asked for. */
class Run extends ChainKit {
  readonly decisions: Uint8Array[] = [];

  constructor(...effects: readonly Effect[]) {
    super();
    this.genesis();
    this.install(policy);
    for (const effect of effects) this.decide(effect);
  }

  decide(effect: Effect, rest: Record<string, unknown> = {}): number {
    const [rule, name] = rules[effect];
    this.decision({ actions: [{ tool: { server: 'crm', name } }], decision: { effect, rule, action: 0 }, args_digest: argsDigest(args), ...cites, ...rest });
    this.decisions.push(this.entries.at(-1) as Uint8Array);
    return this.decisions.length - 1;
  }

  claim(cited: number, rest: Partial<FindingClaim> = {}): FindingClaim {
    const about = citing(this.decisions[cited] as Uint8Array);
    const expectedDecision = rest.expectedDecision ?? 'deny';
    const verdict = expectedDecision !== about.actualDecision ? 'confirmed' : expectedDecision === 'allow' ? 'expected_pass' : 'refuted';
    return { ...about, harness: 'qm', testId: 'exfil:oversized-export', verdict, expectedDecision, detectedAt: this.time, time: this.time, ...rest };
  }

  /** Emits a claim and takes it in. Gives the receipt. */
  report(claim: FindingClaim, key: PrivateKey = keys.harness): Uint8Array {
    return this.take(emitFinding(claim, createSigner(key)));
  }

  /** The same with what emission would have computed changed. */
  forge(claim: FindingClaim, changes: Record<string, unknown>, key: PrivateKey = keys.harness): Uint8Array {
    const { x_finding: block, ...rest } = findingStatement(claim);
    return this.take(sign({ ...rest, x_finding: { ...block, ...changes } }, key));
  }

  take(recorded: Uint8Array): Uint8Array {
    this.add({ statement: 'record', recorded });
    return recorded;
  }

  /** A plan of this harness, signed. */
  sealed(change: Record<string, unknown> = {}): Uint8Array {
    return sign({ ...plan, time: this.time, ...change }, keys.harness);
  }

  /** Takes a plan in. Gives the hash of the entry that holds it. */
  planned(): string {
    return this.add({ statement: 'record', recorded: this.sealed() });
  }

  /** Takes a plan in. Gives its hash. */
  plan(change: Record<string, unknown> = {}): string {
    return receiptHash(this.take(this.sealed(change)));
  }
}

function judge(run: ChainKit, options: Partial<VerifyLedgerOptions> = {}): Report {
  return verifyLedger([run.source([policy])], { trust: trustOf(), require: ['findings'], ...options });
}

/** `axis code seq` of everything that is wrong. */
function wrong(run: ChainKit, options: Partial<VerifyLedgerOptions> = {}): string[] {
  return judge(run, options).problems.map(({ axis, code, where }) => `${axis} ${code} ${where.seq}`);
}

describe('acceptance', () => {
  it('a QM-class run over the gate: an allowed request, a denied request, a confirmed finding (expected deny, observed allow) citing the allowed receipt, a refuted finding citing the denied receipt, and an expected_pass finding, all verify offline as one chain', () => {
    const run = new Run('allow', 'deny');
    const confirmed = run.report(run.claim(0));
    const refuted = run.report(run.claim(1, { testId: 'exfil:everything' }));
    const passed = run.report(run.claim(0, { testId: 'use:export', expectedDecision: 'allow' }));
    const verdicts = [confirmed, refuted, passed].map((bytes) => (readReceipt(bytes).statement as { x_finding: { verdict: string } }).x_finding.verdict);
    expect(verdicts).toEqual(['confirmed', 'refuted', 'expected_pass']);
    const report = judge(run);
    expect(report.problems).toEqual([]);
    expect(report.ok).toBe(true);
    expect(report.axes.findings).toEqual({ status: 'pass', reason: '3 of 7: expectations unbound, no raw arguments given' });
  });

  it('a finding that misreports the gate\u2019s decision fails verification with a named error (FND-25)', () => {
    const run = new Run('allow');
    run.report(run.claim(0, { expectedDecision: 'allow', actualDecision: 'deny', verdict: 'confirmed' }));
    expect(wrong(run)).toEqual(['findings cited-misreported 3']);
    expect(judge(run).ok).toBe(false);
    expect(judge(run).axes.findings.reason).toContain('misreports the cited receipt');
  });

  it('a finding citing a receipt not in the chain fails verification with a named error (FND-24)', () => {
    const run = new Run('allow');
    run.report(run.claim(0, { citedReceipt: `sha256:${'9'.repeat(64)}` }));
    expect(wrong(run)).toEqual(['findings cited-missing 3']);
    expect(judge(run).axes.findings.reason).toContain('cites a receipt that is not in the chain');
  });

  it('the verdict vocabulary is closed at emission (FND-22)', () => {
    const run = new Run('allow');
    for (const verdict of ['CONFIRMED', 'maybe', '', undefined]) {
      expect(() => emitFinding({ ...run.claim(0), verdict: verdict as 'confirmed' }, createSigner(keys.harness))).toThrow(RuleprintError);
    }
    expect(() => emitFinding({ ...run.claim(0), verdict: 'maybe' as 'confirmed' }, createSigner(keys.harness))).toThrow(
      expect.objectContaining({ code: 'bad-value', where: { pointer: '/x_finding/verdict' } }),
    );
  });

  it('repeated emission of the same (harness, test_id, cited receipt) yields the same finding id (FND-26)', () => {
    const run = new Run('allow');
    const ids = [run.claim(0), run.claim(0, { verdict: 'refuted', detectedAt: 1, note: 'again' })].map((claim) => findingStatement(claim).x_finding.finding_id);
    expect(ids[0]).toMatch(/^finding_[0-9a-f]{16}$/);
    expect(ids[1]).toBe(ids[0]);
    expect(findingStatement(run.claim(0, { testId: 'other' })).x_finding.finding_id).not.toBe(ids[0]);
  });
});

describe('emitFinding', () => {
  it('records the claim unchecked against any ledger (FND-22)', () => {
    const claim = { ...new Run('allow').claim(0), actualDecision: 'deny', citedReceipt: `sha256:${'0'.repeat(64)}`, verdict: 'expected_pass' } as const;
    expect(readReceipt(emitFinding(claim, createSigner(keys.harness))).statement).toEqual(findingStatement(claim));
  });

  it('signs with a signer that answers later', async () => {
    const claim = new Run('allow').claim(0);
    const signer = createSigner(keys.harness);
    const bytes = await emitFinding(claim, { ...signer, alg: signer.alg, kid: signer.kid, sign: async (message: Uint8Array) => signer.sign(message) });
    expect(bytes).toEqual(emitFinding(claim, signer));
  });

  it('leaves out what is absent', () => {
    expect(Object.keys(findingStatement(new Run('allow').claim(0)).x_finding)).not.toContain('note');
  });

  it('keeps apart what plain joining would make one: the harness and the test (FND-26)', () => {
    const hash = `sha256:${'0'.repeat(64)}`;
    expect(reportedId('qm', 'exfil', hash)).not.toBe(reportedId('qme', 'xfil', hash));
    expect(stableId('qm', 'exfil', hash, undefined)).not.toBe(stableId('qme', 'xfil', hash, undefined));
  });

  it('refuses a note of two lines', () => {
    expect(() => emitFinding({ ...new Run('allow').claim(0), note: 'a\nb' }, createSigner(keys.harness))).toThrow(/control/);
  });
});

describe('citing', () => {
  it('reads off what a finding says of a decision', () => {
    const run = new Run('ask');
    const [bytes] = run.decisions as [Uint8Array];
    expect(citing(bytes)).toEqual({
      engineId: 'engine-a',
      citedReceipt: receiptHash(bytes),
      tool: { server: 'crm', name: 'refund' },
      argsDigest: argsDigest(args),
      policyDigest: policyDigest(policy),
      actualDecision: 'ask',
    });
  });

  it('refuses what no finding can cite', () => {
    const run = new Run();
    expect(() => citing(run.entries[0] as Uint8Array)).toThrow(/expected a decision to cite/);
    run.decide('allow', { args_digest: undefined });
    expect(() => citing(run.decisions[0] as Uint8Array)).toThrow(/digest of its arguments/);
    run.decide('allow', { actions: [{ process: { argv: ['ls'] } }] });
    expect(() => citing(run.decisions[1] as Uint8Array)).toThrow(/about a tool/);
  });
});

describe('the axis findings', () => {
  it('passes a finding about an ask, which a field of allow and deny could not report', () => {
    const run = new Run('ask');
    run.report(run.claim(0, { expectedDecision: 'ask' }));
    run.report(run.claim(0, { testId: 'other', expectedDecision: 'deny' }));
    expect(judge(run).ok).toBe(true);
  });

  it('takes the same finding twice (FND-26)', () => {
    const run = new Run('allow');
    run.report(run.claim(0));
    run.report(run.claim(0));
    expect(judge(run).ok).toBe(true);
  });

  it('names an entry of another chain (FND-24)', () => {
    const other = new ChainKit('engine-b', keys.other);
    other.genesis();
    other.install(policy);
    const hash = other.decision({
      actions: [{ tool: { server: 'crm', name: 'export' } }],
      decision: { effect: 'allow', rule: 'crm', action: 0 },
      args_digest: argsDigest(args),
      ...cites,
    });
    const run = new Run('allow');
    run.report(run.claim(0, { citedReceipt: hash }));
    const report = verifyLedger([other.source([policy]), run.source([policy])], { trust: trustOf(), require: ['findings'] });
    expect(report.problems.map(({ code }) => code)).toEqual(['cited-missing']);
  });

  it('names a decision that the engine did not sign (FND-24)', () => {
    const run = new Run();
    run.decision(
      {
        actions: [{ tool: { server: 'crm', name: 'export' } }],
        decision: { effect: 'allow', rule: 'crm', action: 0 },
        args_digest: argsDigest(args),
        ...cites,
      },
      keys.auditor,
    );
    run.decisions.push(run.entries.at(-1) as Uint8Array);
    run.report(run.claim(0));
    expect(wrong(run)).toEqual(['key-trust key-role 2', 'findings cited-missing 3']);
  });

  it.each([
    ['an install', 1],
    ['a genesis', 0],
    ['a record', 3],
  ])('names %s where a decision belongs (FND-24)', (_, seq) => {
    const run = new Run('allow');
    run.report(run.claim(0));
    run.report(run.claim(0, { citedReceipt: receiptHash(run.entries[seq] as Uint8Array) }));
    expect(wrong(run)).toEqual(['findings cited-not-decision 4']);
  });

  it('names another finding where a decision belongs (FND-24)', () => {
    const run = new Run('allow');
    const first = run.report(run.claim(0));
    run.report(run.claim(0, { citedReceipt: receiptHash(first) }));
    expect(wrong(run)).toEqual(['findings cited-not-decision 4']);
  });

  it('names another tool: by its server, by its name, and where none is recorded (FND-25)', () => {
    for (const tool of [
      { server: 'crm', name: 'other' },
      { server: 'other', name: 'export' },
    ]) {
      const run = new Run('allow');
      run.report(run.claim(0, { tool }));
      expect(wrong(run)).toEqual(['findings repro-tool-differs 3']);
    }
    const run = new Run('allow');
    const without = run.decide('allow', { actions: [], decision: { effect: 'deny', reason: 'unmapped' } });
    run.report({ ...run.claim(0), citedReceipt: receiptHash(run.decisions[without] as Uint8Array), actualDecision: 'deny', verdict: 'refuted' });
    expect(wrong(run)).toEqual(['findings repro-tool-differs 4']);
  });

  it('names another digest of arguments (FND-25)', () => {
    const run = new Run('allow');
    run.report(run.claim(0, { argsDigest: argsDigest({}) }));
    expect(wrong(run)).toEqual(['findings repro-args-differ 3']);
  });

  it('names a cited receipt without a digest of arguments (FND-25)', () => {
    const run = new Run('allow');
    const bare = run.decide('allow', { args_digest: undefined });
    run.report({ ...run.claim(0), citedReceipt: receiptHash(run.decisions[bare] as Uint8Array) });
    expect(wrong(run)).toEqual(['findings cited-args-missing 4']);
  });

  it('makes the digest again from the raw arguments and the salt, where they are given (FND-25)', () => {
    const run = new Run();
    const salted = run.decide('allow', { args_digest: argsDigest(args, 'pepper') });
    run.report(run.claim(salted, { argsSalt: 'pepper' }));
    const of = (raw: unknown): Partial<VerifyLedgerOptions> => ({ args: new Map([[receiptHash(run.decisions[0] as Uint8Array), raw]]) });
    expect(judge(run, of(args)).axes.findings).toEqual({ status: 'pass', reason: '1 of 4: expectations unbound' });
    expect(wrong(run, of({ ...args, rows: 1 }))).toEqual(['findings args-not-derived 3']);
    expect(wrong(run, of({ rows: 2 ** 60 }))).toEqual(['findings args-not-derived 3']);
  });

  it('names a finding that leaves out the salt (FND-25)', () => {
    const run = new Run();
    run.decide('allow', { args_digest: argsDigest(args, 'pepper') });
    run.report(run.claim(0));
    expect(judge(run).ok).toBe(true);
    expect(wrong(run, { args: new Map([[receiptHash(run.decisions[0] as Uint8Array), args]]) })).toEqual(['findings args-not-derived 3']);
  });

  const effects = ['allow', 'ask', 'deny'] as const;
  it.each(effects.flatMap((expected) => effects.map((actual) => [expected, actual] as const)))(
    'takes one verdict for %s expected and %s decided (FND-27)',
    (expected, actual) => {
      const right = expected !== actual ? 'confirmed' : expected === 'allow' ? 'expected_pass' : 'refuted';
      for (const verdict of ['confirmed', 'refuted', 'expected_pass'] as const) {
        const run = new Run(actual);
        run.report(run.claim(0, { expectedDecision: expected, verdict }));
        expect(wrong(run)).toEqual(verdict === right ? [] : ['findings verdict-differs 3']);
      }
    },
  );

  it('names two findings of one test with different expectations, at the later one (FND-27)', () => {
    const run = new Run('allow', 'allow');
    run.report(run.claim(0));
    run.report(run.claim(1, { expectedDecision: 'allow' }));
    run.report(run.claim(1, { testId: 'another', expectedDecision: 'allow' }));
    run.report(run.claim(1, { harness: 'another', expectedDecision: 'allow' }));
    expect(wrong(run)).toEqual(['findings expectation-differs 5']);
  });

  it('names an id that does not follow (FND-26)', () => {
    const run = new Run('allow');
    run.forge(run.claim(0), { finding_id: `finding_${'0'.repeat(16)}` });
    expect(wrong(run)).toEqual(['findings finding-id-differs 3']);
  });

  it('names one id for two inputs, and lets the thief take nothing from the owner (FND-26)', () => {
    for (const thiefFirst of [false, true]) {
      const run = new Run('allow');
      const owner = run.claim(0);
      const stolen = { finding_id: findingStatement(owner).x_finding.finding_id };
      if (thiefFirst) run.forge(run.claim(0, { testId: 'thief' }), stolen);
      run.report(owner);
      if (!thiefFirst) run.forge(run.claim(0, { testId: 'thief' }), stolen);
      expect(wrong(run)).toEqual(thiefFirst ? ['findings finding-id-differs 3'] : ['findings finding-id-differs 4', 'findings finding-id-again 4']);
    }
  });

  it('names a stable id that does not follow, and one of other rules (FND-26)', () => {
    const run = new Run('allow');
    run.forge(run.claim(0), { stable_id: `sha256:${'0'.repeat(64)}` });
    run.report(run.claim(0, { policyDigest: `sha256:${'0'.repeat(64)}` }));
    expect(wrong(run)).toEqual(['findings stable-id-differs 3', 'findings stable-id-differs 4']);
  });

  it('has the same stable id in another run over the same requests, and another finding id (FND-26)', () => {
    const [first, second] = [new Run('allow'), new Run('deny', 'allow')];
    const [a, b] = [findingStatement(first.claim(0)).x_finding, findingStatement(second.claim(1)).x_finding];
    expect(a.stable_id).toBe(b.stable_id);
    expect(a.finding_id).not.toBe(b.finding_id);
  });

  it('names a finding by a key without the harness role, on key trust (FND-23)', () => {
    const run = new Run('allow');
    run.report(run.claim(0));
    expect(wrong(run, { trust: trustOf({ harness: { role: 'auditor' } }) })).toEqual(['key-trust key-role 3']);
    expect(judge(run, { trust: trustOf({ harness: { role: 'auditor' } }) }).axes.findings).toMatchObject({
      status: 'not-checked',
      reason: '1 of 4: rests on key-trust',
    });
  });

  it('names a finding by the engine\u2019s own key, and by that of another engine (FND-23)', () => {
    const run = new Run('allow');
    run.report(run.claim(0), keys.engine);
    expect(wrong(run)).toEqual(['key-trust key-role 3', 'findings finding-by-engine 3']);
    const other = new Run('allow');
    other.report(other.claim(0), keys.other);
    expect(wrong(other)).toEqual(['key-trust key-role 3', 'key-trust key-engine 3', 'findings finding-by-engine 3']);
  });

  it('rests on a signature that is good and a key that is known (FND-23)', () => {
    const run = new Run('allow');
    const good = emitFinding(run.claim(0), createSigner(keys.harness));
    const spoiled = good.slice();
    spoiled[spoiled.length - 1] = (spoiled.at(-1) as number) ^ 1;
    run.take(spoiled);
    expect(wrong(run)).toEqual(['signature signature-invalid 3']);
    expect(judge(run).axes.findings.reason).toContain('rests on signature');
    const other = trustOf({ harness: { key: publicJwk(keyOf('another harness').public) } });
    expect(wrong(run, { trust: other })).toEqual(['key-trust key-unknown 3']);
  });

  it('is asked of every finding: one that is bad hides none that is worse, and the rest is still checked', () => {
    const run = new Run('allow', 'deny');
    run.report(run.claim(0, { actualDecision: 'deny', verdict: 'refuted' }));
    run.report(run.claim(1, { testId: 'b' }));
    run.report(run.claim(1, { testId: 'c', citedReceipt: `sha256:${'9'.repeat(64)}` }));
    const report = judge(run);
    expect(report.problems.map(({ code, where }) => `${code} ${where.seq} ${where.pointer}`)).toEqual([
      'cited-misreported 4 /recorded',
      'cited-missing 6 /recorded',
    ]);
    expect(report.axes['re-decision'].status).toBe('pass');
  });

  it('says what stays open, and in a ledger without findings that there are none (FND-28)', () => {
    const run = new Run('allow');
    expect(judge(run).axes.findings).toEqual({ status: 'not-checked', reason: 'there are no findings' });
    const plan = run.plan();
    run.report(run.claim(0, { plan }));
    expect(judge(run).axes.findings).toEqual({ status: 'pass', reason: '1 of 5: expectations bound by a plan, no raw arguments given' });
  });

  it('a plan that is not in the chain before it (FND-28)', () => {
    const missing = ['findings finding-plan-missing 3'];
    const nowhere = new Run('allow');
    nowhere.report(nowhere.claim(0, { plan: hashOf('0') }));
    expect(wrong(nowhere)).toEqual(missing);
    const late = new Run('allow');
    const same = new Run('allow', 'allow').sealed();
    late.report(late.claim(0, { plan: receiptHash(same) }));
    late.take(same);
    expect(wrong(late)).toEqual(missing);
  });

  it.each<[string, (run: Run) => string]>([
    ['the decision that it cites', (run) => receiptHash(run.decisions[0] as Uint8Array)],
    ['the record of a plan', (run) => run.planned()],
    ['an epoch', (run) => run.record({ ...epoch, time: run.time }, keys.harness)],
    ['a plan by an auditor', (run) => run.record({ ...plan, time: run.time }, keys.auditor)],
    ['a plan by a key that is not known', (run) => run.record({ ...plan, time: run.time }, keyOf('nobody'))],
    ['a plan whose signature is spoiled', (run) => receiptHash(run.take(run.sealed().with(-1, 1)))],
  ])('a plan that is %s (FND-28)', (_, of) => {
    const run = new Run('allow');
    run.report(run.claim(0, { plan: of(run) }));
    const seq = run.entries.length - 1;
    expect(wrong(run).filter((one) => one.startsWith('findings'))).toEqual([`findings finding-plan-missing ${seq}`]);
  });

  it('a plan of another chain (FND-28)', () => {
    const other = new ChainKit('engine-b', keys.other);
    other.genesis();
    const hash = other.record({ ...plan, engine_id: 'engine-b', time: other.time }, keys.harness);
    const run = new Run('allow');
    run.report(run.claim(0, { plan: hash }));
    const trust = trustOf({ harness: { engine_ids: ['engine-a', 'engine-b'] } });
    const report = verifyLedger([other.source(), run.source([policy])], { trust, require: ['findings'] });
    expect(report.problems.map(({ code }) => code)).toEqual(['finding-plan-missing']);
  });

  it('a plan of another harness (FND-28)', () => {
    const run = new Run('allow');
    run.report(run.claim(0, { plan: run.plan({ harness: { name: 'qn', version: '1' } }) }));
    expect(wrong(run)).toEqual(['findings finding-plan-harness 4']);
  });

  it('counts a misreport before anything else is believed: an ask that a human released was an ask', () => {
    const run = new Run('ask');
    run.report(run.claim(0, { actualDecision: 'allow', verdict: 'confirmed' }));
    expect(wrong(run)).toEqual(['findings cited-misreported 3']);
  });

  it('fails whatever field of a claim is changed, but for those that only the harness knows', () => {
    const free = new Set(['detected_at', 'note', 'args_salt', 'action']);
    const { x_finding: good } = findingStatement(new Run('allow').claim(0));
    const others: Readonly<Record<string, unknown>> = {
      ...good,
      finding_id: 'finding_ffffffffffffffff',
      stable_id: `sha256:${'e'.repeat(64)}`,
      harness: 'other',
      test_id: 'other',
      verdict: 'refuted',
      cited_receipt: `sha256:${'d'.repeat(64)}`,
    };
    const repros = {
      tool: { server: 'crm', name: 'other' },
      args_digest: `sha256:${'c'.repeat(64)}`,
      expected_decision: 'allow',
      actual_decision: 'ask',
    };
    const changes = [
      { plan: hashOf('0') },
      ...Object.keys(good).flatMap((key) => (free.has(key) || key === 'repro' ? [] : [{ [key]: others[key] }])),
      ...Object.entries(repros).map(([key, value]) => ({ repro: { ...good.repro, [key]: value } })),
    ];
    expect(changes).toHaveLength(11);
    for (const change of changes) {
      const run = new Run('allow');
      run.forge(run.claim(0), change);
      expect([change, judge(run).axes.findings.status]).toEqual([change, 'fail']);
    }
  });

  it('answers every claim with a report, and never throws', () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom('qm', 'allow', 'deny', 'confirmed', `sha256:${'0'.repeat(64)}`));
    const value = fc.oneof(text, fc.integer({ min: 0 }), fc.boolean(), fc.constant([]), fc.constant({}));
    const keysOf = ['finding_id', 'stable_id', 'harness', 'test_id', 'verdict', 'cited_receipt', 'repro', 'detected_at', 'args_salt', 'plan', 'note', 'more'];
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...keysOf), value, { maxKeys: 3 }), fc.jsonValue(), (changes, raw) => {
        if (!everyTextIsGood(changes)) return;
        const run = new Run('allow');
        run.forge(run.claim(0), changes);
        const report = judge(run, { args: new Map([[receiptHash(run.decisions[0] as Uint8Array), raw]]) });
        expect(report.receipts).toBe(4);
      }),
      { numRuns: 60 },
    );
  });
});

/** CBOR has no unpaired surrogates: a statement with one cannot be written. */
function everyTextIsGood(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  return typeof value !== 'object' || value === null || Object.values(value).every(everyTextIsGood);
}
