/**
 * The axis *findings*: what a harness says that it saw, held against the decisions that it cites (spec/finding.md, FND-23 to FND-28).
 * @module
 */
import { argsDigest } from '../digest/args-digest.js';
import { quote, unlessRefused } from '../errors.js';
import { type Entry, entryHash } from '../receipt/entry.js';
import { reportedId, stableId } from '../receipt/finding-ids.js';
import { type Gathering, type Judgement, notChecked, pass, restsOn } from '../receipt/report.js';
import type { DecisionStatement, FindingStatement, RecordStatement, ReportedFinding, Statement } from '../receipt/statement.js';
import type { TrustStore } from '../receipt/trust.js';
import type { Fault } from './chain.js';

/** What is kept of an entry that a finding cites: of a plan, which may be large, the name of its harness alone. */
type Cited = DecisionStatement | { readonly statement: 'audit-plan'; readonly harness: string } | { readonly statement: 'other' };

/** What findings of one chain have cited and claimed so far. */
interface Claims {
  /** Entries that some finding cites, by receipt hash. */
  readonly cited: Map<string, Cited>;
  /** Inputs by the id that follows from them. */
  readonly ids: Map<string, string>;
  /** What a test expects, as its first finding says. */
  readonly expectations: Map<string, string>;
}

/** A recorded receipt as far as it is judged. */
export interface Recorded {
  readonly entry: Entry;
  readonly isTrusted: boolean;
}

export class Findings {
  readonly #trust: TrustStore;
  readonly #args: ReadonlyMap<string, unknown>;
  readonly #chains = new Map<string, Claims>();
  #count = 0;

  /** @param args raw arguments, by the hash of the receipt that was decided about them */
  constructor(trust: TrustStore, args: ReadonlyMap<string, unknown> = new Map()) {
    this.#trust = trust;
    this.#args = args;
  }

  /** FND-24: an entry whose signatures pass, and what it records, can be cited where their keys do not fail. Kept is what some entry cites. */
  remember(statement: Statement, hash: string, recorded: Recorded | undefined, judgement: Judgement, isCited: ReadonlySet<string>): void {
    if (isCited.size === 0) return; // most ledgers: nothing is kept of them
    const { cited } = this.#of(statement.engine_id);
    const keep = (of: string, said: Statement): void => {
      if (isCited.has(of) && !cited.has(of)) cited.set(of, citedOf(said));
    };
    if (judgement.answers['key-trust']?.status !== 'fail') keep(hash, statement);
    if (recorded?.isTrusted && recorded.entry.statement !== undefined) keep(entryHash(recorded.entry), recorded.entry.statement);
  }

  /** Answers the axis for a record of a finding, and for nothing else. `recorded` is undefined where its signature was not looked at. */
  judge(record: RecordStatement, recordKid: string, recorded: Recorded | undefined, entry: Entry | undefined, judgement: Judgement): void {
    const statement = entry?.statement;
    if (entry === undefined || statement?.statement !== 'finding' || statement.engine_id !== record.engine_id) return;
    this.#count++;
    const weak =
      (['bytes', 'signature'] as const).find((axis) => judgement.answers[axis]?.status !== 'pass') ??
      (judgement.answers.order?.status === 'fail' ? 'order' : undefined);
    const isOfEngine = entry.kid === recordKid || this.#trust.keys.get(entry.kid)?.role === 'engine';
    if (weak !== undefined || recorded === undefined) judgement.answer('findings', restsOn(weak ?? 'signature'));
    else if (isOfEngine) found(judgement, { code: 'finding-by-engine', message: 'expected a finding by a harness, got one by a key of an engine' });
    else if (!recorded.isTrusted) judgement.answer('findings', restsOn('key-trust'));
    else this.#judgeClaim(statement, judgement);
  }

  /** A finding that no chain holds: what it cites is nowhere before it. */
  alone(statement: Statement, judgement: Judgement): void {
    if (statement.statement !== 'finding') return;
    this.#count++;
    judgement.answer('findings', notChecked('standalone'));
  }

  /** What is said where nothing else is. */
  conclude(gathering: Gathering): void {
    if (this.#count === 0) gathering.weigh('findings', notChecked('there are no findings'));
  }

  #judgeClaim({ engine_id: engineId, x_finding: claim }: FindingStatement, judgement: Judgement): void {
    const claims = this.#of(engineId);
    const faults = [
      ...idFaults(claim, claims),
      ...this.#citedFaults(claim, claims.cited.get(claim.cited_receipt)),
      ...verdictFaults(claim, claims),
      ...planFaults(claim, claims),
    ];
    for (const fault of faults) found(judgement, fault);
    if (faults.length > 0) return;
    const open = claim.plan === undefined ? 'expectations unbound' : 'expectations bound by a plan'; // FND-28
    const isDerived = this.#args.has(claim.cited_receipt);
    judgement.answer('findings', { ...pass, reason: isDerived ? open : `${open}, no raw arguments given` });
  }

  /** FND-24 and FND-25. */
  #citedFaults(claim: ReportedFinding, cited: Cited | undefined): Fault[] {
    if (cited === undefined) return [{ code: 'cited-missing', message: 'cites a receipt that is not in the chain before it' }];
    if (cited.statement !== 'decision') return [{ code: 'cited-not-decision', message: 'cites an entry that is not a decision' }];
    const { repro } = claim;
    const faults: Fault[] = [];
    const effect = cited.decision.effect;
    if (repro.actual_decision !== effect) {
      faults.push({ code: 'cited-misreported', message: `misreports the cited receipt: it says ${effect}, the finding says ${repro.actual_decision}` });
    }
    const tool = cited.actions.flatMap((action) => ('tool' in action ? [action.tool] : []))[0];
    if (tool?.server !== repro.tool.server || tool.name !== repro.tool.name) {
      faults.push({ code: 'repro-tool-differs', message: 'expected the tool of the cited receipt' });
    }
    if (cited.args_digest === undefined) faults.push({ code: 'cited-args-missing', message: 'the cited receipt has no digest of arguments' });
    else if (cited.args_digest !== repro.args_digest) faults.push({ code: 'repro-args-differ', message: 'expected the argument digest of the cited receipt' });
    if (this.#args.has(claim.cited_receipt) && derived(this.#args.get(claim.cited_receipt), claim.args_salt) !== repro.args_digest) {
      faults.push({ code: 'args-not-derived', message: 'the argument digest is not that of the raw arguments and the salt' });
    }
    if (claim.stable_id !== stableId(claim.harness, claim.test_id, repro.args_digest, cited.policy_digest)) {
      faults.push({ code: 'stable-id-differs', message: 'expected the stable id of the finding and the policy of the cited receipt' });
    }
    return faults;
  }

  #of(engineId: string): Claims {
    const known = this.#chains.get(engineId);
    if (known !== undefined) return known;
    const claims: Claims = { cited: new Map(), ids: new Map(), expectations: new Map() };
    this.#chains.set(engineId, claims);
    return claims;
  }
}

function citedOf(said: Statement): Cited {
  if (said.statement === 'decision') return said;
  return said.statement === 'audit-plan' ? { statement: 'audit-plan', harness: said.harness.name } : { statement: 'other' };
}

function found(judgement: Judgement, fault: Fault): void {
  judgement.found('findings', { ...fault, where: { pointer: '/recorded' } });
}

/** FND-26. An id that does not follow from its inputs takes nothing from the finding that has it rightly. */
function idFaults({ finding_id: id, harness, test_id: testId, cited_receipt: cited }: ReportedFinding, { ids }: Claims): Fault[] {
  const faults: Fault[] = [];
  const inputs = JSON.stringify([harness, testId, cited]);
  const own = reportedId(harness, testId, cited);
  if (id !== own) faults.push({ code: 'finding-id-differs', message: `expected the id ${own}` });
  const other = ids.get(id);
  if (other !== undefined && other !== inputs)
    faults.push({ code: 'finding-id-again', message: 'the id was there before, for another test or another receipt' });
  if (id === own && other === undefined) ids.set(id, inputs);
  return faults;
}

/** FND-27. */
function verdictFaults({ verdict, harness, test_id: testId, repro }: ReportedFinding, { expectations }: Claims): Fault[] {
  const { expected_decision: expected, actual_decision: actual } = repro;
  const faults: Fault[] = [];
  const follows = verdict === 'confirmed' ? expected !== actual : expected === actual && (expected === 'allow') === (verdict === 'expected_pass');
  if (!follows) faults.push({ code: 'verdict-differs', message: `${verdict} does not follow from ${expected} expected and ${actual} decided` });
  const test = JSON.stringify([harness, testId]);
  const before = expectations.get(test);
  if (before === undefined) expectations.set(test, expected);
  else if (before !== expected)
    faults.push({ code: 'expectation-differs', message: `an earlier finding of this test expects ${before}, this one ${expected}` });
  return faults;
}

/** FND-28. */
function planFaults({ plan: hash, harness }: ReportedFinding, { cited }: Claims): Fault[] {
  if (hash === undefined) return [];
  const plan = cited.get(hash);
  if (plan?.statement !== 'audit-plan') return [{ code: 'finding-plan-missing', message: 'names a plan that is not in the chain before it' }];
  if (plan.harness === harness) return [];
  return [{ code: 'finding-plan-harness', message: `expected the harness of the plan, ${quote(plan.harness)}, got ${quote(harness)}` }];
}

/** Undefined where they have no digest. */
const derived = (args: unknown, salt: string | undefined): string | undefined => unlessRefused<string | undefined>(undefined, () => argsDigest(args, salt));
