/**
 * Ledgers that are good, and what a verifier says of them: on every axis, or as far as what it was given goes.
 * @module
 */
import type { Case } from '../kit.js';
import { algorithms, cbor, headerParts, int, map, message } from '../receipt/parts.js';
import {
  asks,
  Chain,
  chainCase,
  chainOf,
  citesA,
  citesB,
  digestA,
  digestB,
  engineKey,
  engineKeyP256,
  allows,
  hashOf,
  noPolicy,
  notes,
  open,
  otherKey,
  otherLedgerId,
  passes,
  passesAll,
  type receiptOf,
  refuses,
  secondKey,
  shortChain,
  startTime,
  trusted,
  trustOf,
  verified,
} from './chain.js';

/**
 * 0 genesis, 1 no policy, 2 install, 3 allow, 4 ask, 5 approval, 6 release; behind a seam 7 install, 8 allow; an hour later, after a restart, 9 deny.
 */
export function wholeChain(): Chain {
  const chain = new Chain();
  chain.genesis();
  chain.decide({ ...refuses, ...noPolicy });
  chain.install();
  chain.decide();
  const ask = chain.ask();
  const approval = chain.record(chain.approval(ask));
  chain.release(ask, approval);
  chain.installNext();
  chain.decide(citesB);
  chain.decide({ ...citesB, ...later, actions: asks['actions'], decision: { effect: 'deny', action: 0, reason: 'no-rule' } });
  return chain;
}
const later = { time: startTime + 3_600_000 };
const inSegments = ({ entries }: Chain, ...seams: readonly number[]): readonly (readonly string[])[] =>
  [0, ...seams].map((start, i) => entries.slice(start, seams[i]));

/** -8 with an Ed25519 key: the curve is left to the key. */
export const looseReceipt = (said: Parameters<typeof receiptOf>[0], key = engineKey): string => {
  const { kid, typ } = headerParts(key);
  const fields = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
  return message({ key, header: map([int(1), int(algorithms.EdDSA)], kid, typ), payload: cbor(fields as never) });
};

export function wholeLedgers(): readonly Case[] {
  const whole = wholeChain();
  const segments = inSegments(whole, 7);
  const durable = (seq: number) => ({ seq, hash: whole.hash(seq) });
  const outside = [whole.checkpoint(9)];
  return [
    verified(
      'ledger-whole',
      'Two installs, an ask with its approval and release, a seam, a restart, and a checkpoint of the last entry: every axis passes (LED-11 to LED-16)',
      segments,
      { checkpoints: outside, durable: durable(9), require: ['order', 'completeness', 'timeline', 'approvals'] },
      { axes: passesAll },
    ),
    verified('ledger-no-checkpoint', 'Without a checkpoint: good, and whether it is complete is not checked (LED-13)', segments, {}, { axes: passes }),
    verified(
      'ledger-completeness-required',
      'A count alone proves nothing: where completeness is required, there has to be a checkpoint (LED-13)',
      segments,
      { require: ['completeness'] },
      { ok: false, axes: passes },
    ),
    verified('ledger-three-segments', 'Seams are ordinary links (LED-9)', inSegments(whole, 1, 5), {}, { axes: passes }),
    verified('ledger-empty-last-segment', 'A rotation, and no entry behind it yet (LED-9)', [...segments, []], {}, { axes: passes }),
    verified('ledger-durable-middle', 'Entries behind the last that is known to be synced (LED-11)', segments, { durable: durable(4) }, { axes: passes }),
    chainCase(
      'ledger-no-policies',
      'Nobody gives policies: rules and re-decision are not asked, and the timeline is answered all the same (LED-14)',
      whole.entries,
      { axes: '+++ +. +.. +' },
      { policies: null },
    ),
    chainCase(
      'ledger-nothing-required',
      'Asked by default: bytes, signature, key trust and order, and with policies rules, re-decision and timeline (LED-15)',
      whole.entries,
      { axes: passes },
      { require: null },
    ),
    chainCase(
      'ledger-genesis-alone',
      'A ledger that was begun and not used: an axis that concerns no entry passes (LED-16)',
      whole.entries.slice(0, 1),
      { axes: '+++ +. +.. +' },
      { policies: null, require: ['order', 'timeline', 'approvals'] },
    ),
    chainCase('ledger-self-installed', 'Installs without authorization, and nobody asks for an installer (LED-14)', shortChain().entries, { axes: passes }),
    chainCase(
      'ledger-authorized',
      'Both installs are authorized by an installer, as the trust store asks (LED-14)',
      authorized().entries,
      { axes: passes },
      {
        trust: trustOf({}, [], { require_installer: true }),
      },
    ),
    chainCase('ledger-authorized-unasked', 'The same where nobody asks for it (LED-14)', authorized().entries, { axes: passes }),
    chainCase('ledger-same-rules-again', 'The same rules under a higher version, in place of themselves (LED-14)', sameRules().entries, { axes: passes }),
    chainCase('ledger-not-re-made', 'Calls that could not be judged cite what is in force, as all do (LED-14, LED-15)', unjudged().entries, { axes: passes }),
    chainCase(
      'ledger-fault-before-install',
      'A call that could not be judged, before any install: it cites nothing, and rules pass (LED-15)',
      faultFirst().entries,
      { axes: passes },
    ),
    chainCase(
      'ledger-no-digest',
      'An engine that cannot hash its rules leaves digest, profile and "replaces" off in its installs, and in its decisions (LED-1, LED-14)',
      withoutDigest().entries,
      { flags: ['no-digest'], axes: '+++ +. +.. +' },
      { policies: null },
    ),
    chainCase(
      'ledger-no-digest-policies',
      'The same with policies at hand: nothing says which of them (RCP-22, LED-15)',
      withoutDigest().entries,
      { flags: ['no-digest'], axes: '+++ +. +.. +', problems: [open('rules', 'digest-absent', 2)] },
      { require: ['approvals', 'timeline'] },
    ),
    chainCase('ledger-second-key', 'The engine goes on with another key after a restart (LED-12)', twoKeys().entries, { axes: passes }, secondTrust),
    chainCase('ledger-esp256', 'A P-256 key (RCP-20, LED-11)', shortChain({ key: engineKeyP256 }).entries, { flags: ['rfc-6979'], axes: passes }, p256Trust),
    chainCase(
      'ledger-eddsa-taken',
      '-8 in every entry, where the caller takes it (RCP-17)',
      shortChain({ make: looseReceipt }).entries,
      { flags: ['loose-algorithm'], axes: passes },
      { algorithms: ['EdDSA'] },
    ),
    chainCase('ledger-time-equal', 'A clock that stands still (LED-11)', chainOf(4, { step: 0 }).entries, { axes: passes }),
    chainCase('ledger-time-back', 'A clock that steps back by an hour: noted, and good (LED-11)', withTimes(-3_600_000).entries, {
      flags: ['note'],
      axes: passes,
      problems: [notes('order', 'time-back', 3)],
    }),
    chainCase('ledger-time-back-twice', 'Each entry below the highest time before it is noted, rising ones too (LED-11)', withTimes(-10, -5).entries, {
      flags: ['note', 'several'],
      axes: passes,
      problems: [notes('order', 'time-back', 3), notes('order', 'time-back', 4)],
    }),
    verified('ledger-empty-folder', 'No entry: nothing failed, and nothing that was asked passed (RCP-24)', [], {}, { ok: false, axes: '... .. ... .' }),
    verified('ledger-empty-segment', 'A segment without entries is no more (RCP-24)', [[]], {}, { ok: false, axes: '... .. ... .' }),
    chainCase('ledger-of-other-engine', 'Another engine alone, with its own key and id (LED-11)', chainOf(3, { engine: 'engine-b', key: otherKey }).entries, {
      axes: passes,
    }),
  ];
}

/** 0 genesis, 1 authorization, 2 install, 3 allow, 4 authorization, 5 install, 6 allow. */
function authorized(): Chain {
  const chain = new Chain();
  chain.genesis();
  chain.install({ authorization: chain.record(chain.authorization()) });
  chain.decide();
  chain.installNext({ authorization: chain.record(chain.authorization({ policy_version: 2, policy_digest: digestB, replaces: digestA })) });
  chain.decide(citesB);
  return chain;
}

function sameRules(): Chain {
  const chain = shortChain();
  chain.install({ policy_version: 7, replaces: digestA });
  chain.decide({ policy_version: 7 });
  return chain;
}

function unjudged(): Chain {
  const chain = shortChain();
  chain.decide({ actions: [{ tool: { server: 'fs', name: 'chmod' } }], decision: { effect: 'deny', reason: 'unmapped' } });
  chain.decide({ actions: [], decision: { effect: 'deny', reason: 'not-canonical' } });
  chain.decide({ actions: [], decision: { effect: 'deny', reason: 'fault' } });
  return chain;
}

function faultFirst(): Chain {
  const chain = new Chain();
  chain.genesis();
  chain.decide({ actions: [], decision: { effect: 'deny', reason: 'fault' }, ...noPolicy });
  chain.install();
  return chain;
}

/** 0 genesis, 1 install, 2 allow, 3 install. */
function withoutDigest(): Chain {
  const bare = { policy_digest: undefined, match_profile: undefined };
  const chain = new Chain();
  chain.genesis();
  chain.install(bare);
  chain.decide(bare);
  chain.install({ ...bare, policy_version: 2 });
  return chain;
}

/** 0 to 2 by the first key, 3 and 4 by the second. */
export function twoKeys(): Chain {
  const chain = shortChain();
  chain.decide({}, secondKey);
  chain.decide({}, secondKey);
  return chain;
}
const secondTrust = { trust: trustOf({}, [trusted(secondKey)]) };
const p256Trust = { trust: { keys: [trusted(engineKeyP256)] } };

/** The first three in their time, then entries at these times from the beginning on. */
function withTimes(...times: readonly number[]): Chain {
  const chain = shortChain();
  for (const time of times) chain.decide({ time: startTime + time });
  return chain;
}

/** Files of receipts, of one engine or of several. */
export function files(): readonly Case[] {
  const a = chainOf(4);
  const b = new Chain({ engine: 'engine-b', key: otherKey });
  b.genesis({ ledger_id: otherLedgerId });
  b.install();
  b.decide();
  const mixed = [a.entries[0], b.entries[0], a.entries[1], a.entries[2], b.entries[1], b.entries[2], a.entries[3]] as string[];
  const asked = { kind: 'file', require: ['order', 'timeline', 'approvals'] } as const;
  const checkpointA = a.checkpoint(3);
  const checkpointB = b.checkpoint(2, { ledger_id: otherLedgerId });
  const alone = new Chain();
  const loose = alone.said({ statement: 'decision', agent: 'builder', ...allows, ...citesA }, engineKey);
  const standalone = { kind: 'file', policies: null, require: null } as const;
  const removed = [...a.entries.slice(0, 2), ...a.entries.slice(3)];
  return [
    chainCase('file-two-engines', 'Two chains in one file: each has its own order (LED-11)', mixed, { axes: passes }, asked),
    chainCase(
      'file-two-engines-checkpoints',
      'and its own completeness (LED-13)',
      mixed,
      { axes: passesAll },
      { ...asked, checkpoints: [checkpointA, checkpointB] },
    ),
    chainCase(
      'file-two-engines-one-checkpoint',
      'A checkpoint of the one says nothing of the other: completeness is not checked (LED-13)',
      mixed,
      { ok: false, axes: passes },
      { ...asked, checkpoints: [checkpointA] },
    ),
    chainCase(
      'file-order-unasked-fails',
      'A chain in a file is walked though nobody asks for its order (LED-11, RCP-24)',
      removed,
      { axes: orderFailsInFile, problems: [{ axis: 'order', code: 'seq-gap', status: 'fail', engine: 'engine-a', seq: 3 }] },
      { kind: 'file', require: null },
    ),
    chainCase(
      'file-statements',
      'What other keys say, standalone: an authorization, an approval, a checkpoint (LED-3)',
      [alone.authorization(), alone.approval(hashOf('b')), alone.checkpoint(0, { receipt_hash: hashOf('c') })],
      { axes: '+++ .. ... .' },
      standalone,
    ),
    chainCase(
      'file-statements-all-fields',
      'with every optional field, and a refusal (LED-3)',
      [alone.authorization({ replaces: digestB }), alone.approval(hashOf('b'), { approved: false, expires: 0 })],
      { axes: '+++ .. ... .' },
      standalone,
    ),
    chainCase(
      'file-standalone-decision',
      'A standalone decision among them: it has no order, and its rules are looked at (RCP-22, LED-11)',
      [loose],
      { axes: '+++ .. .++ .' },
      { kind: 'file', require: null },
    ),
    chainCase(
      'file-standalone-order',
      'Asked for its order, it has none to show (RCP-24)',
      [loose],
      { ok: false, axes: '+++ .. .++ .' },
      { kind: 'file', require: ['order'] },
    ),
    chainCase('engines-expected', 'Both engines that the caller expects have entries (LED-13)', mixed, { axes: passes }, { ...asked, engines: both }),
    chainCase(
      'engine-missing',
      'An engine that the caller expects has none (LED-13)',
      a.entries,
      { axes: '+++ +- +++ +', problems: [{ axis: 'completeness', code: 'engine-missing', status: 'fail', engine: 'engine-b' }] },
      { engines: both },
    ),
    verified(
      'engine-missing-empty',
      'A folder without entries, of an engine that is expected (LED-13)',
      [],
      { engines: ['engine-a'] },
      { axes: '... .- ... .', problems: [{ axis: 'completeness', code: 'engine-missing', status: 'fail', engine: 'engine-a' }] },
    ),
  ];
}
const both = ['engine-a', 'engine-b'];
const orderFailsInFile = '+++ -. ... .';
