/**
 * The plan that a finding names (FND-28): there, somewhere else, or another's.
 * @module
 */
import type { Case } from '../kit.js';
import { bareEpoch, barePlan, plan } from '../ledger/audit-parts.js';
import {
  auditorKey,
  chainCase,
  engineKey,
  fails,
  harnessKey,
  hashOf,
  hashOfReceipt,
  keyTrustFails,
  keyUnknown,
  otherKey,
  type Said,
  signatureFails,
  strangerKey,
  trusted,
  trustOf,
  verified,
} from '../ledger/chain.js';
import { findingsFail, harness, holds, policy, Run, run } from './run.js';

const sealed = (chain: Run, said: Said = barePlan, key = harnessKey): string => chain.said({ ...said, engine_id: chain.engine, time: chain.now }, key);

/** 0 genesis, 1 install, 2 a decision, 3 what is recorded in place of a plan, 4 a finding that names it. */
function planned(recorded: (chain: Run) => string, named = hashOfReceipt): Run {
  const chain = new Run(['allow']);
  const receipt = recorded(chain);
  chain.take(receipt);
  chain.take(chain.finding(2, 'allow', { over: { plan: named(receipt) } }));
  return chain;
}

export function plans(): readonly Case[] {
  const missing = fails('findings', 'finding-plan-missing', 4);
  const bad = (id: string, comment: string, chain: Run): Case => run(id, `${comment} (FND-28)`, chain, { axes: findingsFail, problems: [missing] });
  const nowhere = new Run(['allow']);
  nowhere.take(nowhere.finding(2, 'allow', { over: { plan: hashOf('7') } }));
  const late = new Run(['allow']);
  const same = sealed(late);
  late.take(late.finding(2, 'allow', { over: { plan: hashOfReceipt(same) } }));
  late.take(same);
  const again = planned(sealed);
  again.take(again.finding(2, 'allow', { test: 'second', over: { plan: hashOfReceipt(sealed(new Run(['allow']))) } }));
  const other = new Run(['allow'], { engine: 'engine-b', key: otherKey });
  const elsewhere = sealed(other);
  other.take(elsewhere);
  const across = new Run(['allow']);
  across.take(across.finding(2, 'allow', { over: { plan: hashOfReceipt(elsewhere) } }));
  const both = [trusted(harnessKey, { role: 'harness', engine_ids: ['engine-a', 'engine-b'] })];
  const record = new Run(['allow']);
  record.take(sealed(record));
  record.take(record.finding(2, 'allow', { over: { plan: record.hash(3) } }));
  const cited = new Run(['allow']);
  cited.take(sealed(cited));
  cited.take(cited.finding(2, 'allow', { cited: hashOfReceipt(sealed(new Run(['allow']))) }));
  const spoiled = (chain: Run): string => {
    const receipt = sealed(chain);
    return `${receipt.slice(0, -2)}${receipt.endsWith('00') ? '01' : '00'}`;
  };
  const healed = planned(spoiled);
  healed.entries.pop();
  healed.take(sealed(new Run(['allow'])));
  healed.take(healed.finding(2, 'allow', { over: { plan: hashOfReceipt(sealed(new Run(['allow']))) } }));
  const beside = new Run(['allow']);
  beside.take(sealed(beside, { ...barePlan, harness: { name: 'other', version: '1' } }));
  beside.take(beside.finding(2, 'allow', { actual: 'deny', over: { plan: hashOf('7') } }));
  return [
    run('finding-plan', 'A plan that was recorded before (FND-28)', planned(sealed), { axes: holds }),
    run(
      'finding-plan-of-skill',
      'A plan with every field (FND-28)',
      planned((chain) => sealed(chain, plan)),
      { axes: holds },
    ),
    run('finding-plan-twice', 'Two findings of one plan (FND-28)', again, { axes: holds }),
    run('finding-plan-nowhere', 'A plan that is nowhere (FND-28)', nowhere, { axes: findingsFail, problems: [fails('findings', 'finding-plan-missing', 3)] }),
    run('finding-plan-late', 'A plan that is recorded behind the finding: it could have been made to fit (FND-28)', late, {
      axes: findingsFail,
      problems: [fails('findings', 'finding-plan-missing', 3)],
    }),
    bad('finding-plan-record', 'The record of a plan in place of the plan', record),
    bad(
      'finding-plan-epoch',
      'An epoch in place of a plan',
      planned((chain) => sealed(chain, bareEpoch)),
    ),
    bad(
      'finding-plan-decision',
      'The cited decision in place of a plan',
      planned(sealed, () => new Run(['allow']).hash(2)),
    ),
    run(
      'finding-plan-auditor',
      'A plan by an auditor (FND-28, LED-3)',
      planned((chain) => sealed(chain, barePlan, auditorKey)),
      {
        axes: `${keyTrustFails} -`,
        problems: [fails('key-trust', 'key-role', 3), missing],
        flags: ['several'],
      },
    ),
    run(
      'finding-plan-engine',
      'A plan by the engine (FND-28, LED-3)',
      planned((chain) => sealed(chain, barePlan, engineKey)),
      {
        axes: `${keyTrustFails} -`,
        problems: [fails('key-trust', 'key-role', 3), missing],
        flags: ['several'],
      },
    ),
    run(
      'finding-plan-stranger',
      'A plan by a key that is not known (FND-28)',
      planned((chain) => sealed(chain, barePlan, strangerKey)),
      {
        axes: `${keyUnknown} -`,
        problems: [fails('key-trust', 'key-unknown', 3), missing],
        flags: ['several'],
      },
    ),
    run('finding-plan-spoiled', 'A plan whose signature is spoiled (FND-28)', planned(spoiled), {
      axes: `${signatureFails} -`,
      problems: [fails('signature', 'signature-invalid', 3), missing],
      flags: ['several'],
    }),
    run('finding-plan-spoiled-copy', 'A spoiled copy of a plan takes nothing from the good one (FND-28)', healed, {
      axes: `${signatureFails} +`,
      problems: [fails('signature', 'signature-invalid', 3)],
      flags: ['rests'],
    }),
    verified(
      'finding-plan-other-chain',
      'A plan in the chain of another engine (FND-28)',
      [other.entries, across.entries],
      { policies: [policy], trust: trustOf({}, both), require: ['findings'] },
      { axes: findingsFail, problems: [fails('findings', 'finding-plan-missing', 3)] },
    ),
    run(
      'finding-plan-other-harness',
      'The plan of another harness (FND-28)',
      planned((chain) => sealed(chain, { ...barePlan, harness: { name: 'other', version: '1.0.0' } })),
      { axes: findingsFail, problems: [fails('findings', 'finding-plan-harness', 4)] },
    ),
    run('finding-plan-and-more', 'A plan that is missing is listed beside what else is wrong (FND-28)', beside, {
      axes: findingsFail,
      problems: [fails('findings', 'cited-misreported', 4), missing],
      flags: ['several'],
    }),
    run('finding-cites-plan', 'A finding about a plan (FND-24)', cited, { axes: findingsFail, problems: [fails('findings', 'cited-not-decision', 4)] }),
    chainCase(
      'finding-plan-alone',
      'A finding that no chain holds names a plan: it is not asked (FND-28)',
      [new Run(['allow']).finding(2, 'allow', { over: { plan: hashOf('7') } })],
      { axes: '+++ .. ... . .' },
      { kind: 'file', policies: null, trust: trustOf({}, [harness]), require: null },
    ),
  ];
}
