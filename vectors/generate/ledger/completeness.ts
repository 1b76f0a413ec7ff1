/**
 * Checkpoints, from outside and recorded, against chains (LED-13).
 * @module
 */
import type { Case, Fields } from '../kit.js';
import {
  approverKey,
  type Asked,
  auditorKey,
  Chain,
  chainCase,
  chainOf,
  citesB,
  completenessFails,
  engineKey,
  fails,
  hashOf,
  keyUnknown,
  ledgerId,
  noPolicy,
  open,
  otherLedgerId,
  passes,
  passesAll,
  refuses,
  signatureFails,
  startTime,
  strangerKey,
  trustOf,
} from './chain.js';
import { looseReceipt, wholeChain } from './whole.js';

const engine = { engine: 'engine-a' };
const at = (milliseconds: number): number => startTime + milliseconds;

function failing(id: string, comment: string, entries: readonly string[], checkpoints: readonly string[], code: string, flags: readonly string[] = []): Case {
  return chainCase(id, `${comment} (LED-13)`, entries, { flags, axes: completenessFails, problems: [fails('completeness', code, engine)] }, { checkpoints });
}

export function completeness(): readonly Case[] {
  const chain = chainOf(6);
  const { entries } = chain;
  const good = (id: string, comment: string, checkpoints: readonly string[]): Case =>
    chainCase(id, `${comment} (LED-13)`, entries, { axes: passesAll }, { checkpoints });
  return [
    good('checkpoint-last', 'A checkpoint of the last entry', [chain.checkpoint(5)]),
    good('checkpoint-middle', 'of one in the middle: what lies beyond is not checked, and the axis passes', [chain.checkpoint(3)]),
    good('checkpoint-genesis', 'of the genesis', [chain.checkpoint(0)]),
    good('checkpoint-two', 'Two checkpoints', [chain.checkpoint(2), chain.checkpoint(5)]),
    good('checkpoint-twice', 'One checkpoint, given twice', [chain.checkpoint(5), chain.checkpoint(5)]),
    chainCase(
      'checkpoint-recorded',
      'A recorded checkpoint, where completeness is required (LED-13)',
      recording(chainOf(5), (before) => before.checkpoint(4)),
      { axes: passesAll },
      { require: ['completeness', 'approvals'] },
    ),
    chainCase(
      'checkpoint-recorded-unasked',
      'A recorded checkpoint asks for nothing, and counts (LED-13)',
      recording(chainOf(5), (before) => before.checkpoint(4)),
      { axes: passesAll },
    ),
    failing('complete-tail-cut', 'The tail is cut', entries.slice(0, 4), [chain.checkpoint(5)], 'checkpoint-beyond', ['keyless']),
    failing('complete-last-cut', 'The last entry is cut', entries.slice(0, 5), [chain.checkpoint(5)], 'checkpoint-beyond', ['keyless', 'half-open']),
    chainCase(
      'complete-folder-emptied',
      'The folder is emptied (LED-13)',
      [],
      { flags: ['keyless'], axes: '... .- ... .', problems: [fails('completeness', 'checkpoint-beyond', engine)] },
      { checkpoints: [chain.checkpoint(5)] },
    ),
    failing(
      'complete-relinked',
      'An entry is left out, and those behind it are linked and signed again',
      relinked().entries,
      [wholeChain().checkpoint(8)],
      'checkpoint-differs',
      ['with-key'],
    ),
    failing(
      'complete-reordered',
      'Two decisions are written in the other order, and all is signed again',
      reordered().entries,
      [twoAgents().checkpoint(3)],
      'checkpoint-differs',
      ['with-key'],
    ),
    failing(
      'complete-begun-anew',
      'The folder is emptied and a ledger begun anew',
      anew(6, otherLedgerId).entries,
      [chain.checkpoint(5)],
      'checkpoint-ledger',
      ['with-key'],
    ),
    failing(
      'complete-begun-anew-short',
      'and is not as long yet: that it is another ledger is named first',
      anew(3, otherLedgerId).entries,
      [chain.checkpoint(5)],
      'checkpoint-ledger',
      ['with-key', 'order'],
    ),
    failing(
      'complete-begun-anew-same-id',
      'A ledger begun anew under the id of the old one',
      anew(6, ledgerId).entries,
      [chain.checkpoint(5)],
      'checkpoint-differs',
      ['with-key'],
    ),
    failing(
      'checkpoint-other-hash',
      'A checkpoint of another entry at that seq',
      entries,
      [chain.checkpoint(3, { receipt_hash: hashOf('e') })],
      'checkpoint-differs',
    ),
    failing('checkpoint-hash-elsewhere', 'of an entry that is there, at another seq', entries, [chain.checkpoint(3, { seq: 4 })], 'checkpoint-differs'),
    failing('checkpoint-far-beyond', 'of an entry that is not there yet', entries, [chain.checkpoint(9, { receipt_hash: hashOf('e') })], 'checkpoint-beyond'),
    failing(
      'checkpoint-good-and-bad',
      'One that is borne out does not help against one that is not',
      entries,
      [chain.checkpoint(2), chain.checkpoint(4, { receipt_hash: hashOf('e') })],
      'checkpoint-differs',
    ),
    chainCase(
      'checkpoint-two-bad',
      'Each that is not borne out is a problem (LED-13)',
      entries,
      {
        flags: ['several'],
        axes: completenessFails,
        problems: [fails('completeness', 'checkpoint-differs', engine), fails('completeness', 'checkpoint-beyond', engine)],
      },
      { checkpoints: [chain.checkpoint(2, { receipt_hash: hashOf('e') }), chain.checkpoint(6, { receipt_hash: hashOf('e') })] },
    ),
    chainCase(
      'checkpoint-engine-without-entry',
      'A checkpoint for an engine of which there is no entry (LED-13)',
      entries,
      { axes: completenessFails, problems: [fails('completeness', 'checkpoint-beyond', { engine: 'engine-b' })] },
      { checkpoints: [chain.checkpoint(5), chain.checkpoint(2, { engine_id: 'engine-b' })] },
    ),
    chainCase(
      'checkpoint-recorded-differs',
      'A recorded checkpoint that the chain does not bear out (LED-13)',
      recording(chainOf(5), (before) => before.checkpoint(4, { receipt_hash: hashOf('e') })),
      { axes: completenessFails, problems: [fails('completeness', 'checkpoint-differs', engine)] },
    ),
    chainCase(
      'checkpoint-recorded-ledger',
      'A recorded checkpoint of another ledger (LED-13)',
      recording(chainOf(5), (before) => before.checkpoint(4, { ledger_id: otherLedgerId })),
      { axes: completenessFails, problems: [fails('completeness', 'checkpoint-ledger', engine)] },
    ),
    chainCase(
      'checkpoint-without-genesis',
      'A chain without its genesis has no id that a checkpoint could name (LED-13)',
      entries.slice(1),
      {
        flags: ['keyless', 'several'],
        axes: '+++ -- ... .',
        problems: [fails('order', 'genesis-missing', 1), fails('completeness', 'checkpoint-ledger', engine)],
      },
      { checkpoints: [chain.checkpoint(5)] },
    ),
    chainCase(
      'checkpoint-second-genesis',
      'Behind a second genesis the ledger keeps the id of the first (LED-11, LED-13)',
      secondGenesis(),
      { flags: ['several', 'with-key'], axes: '+++ -+ ... .', problems: [fails('order', 'genesis-again', 0)] },
      { checkpoints: [chainOf(3).checkpoint(2)] },
    ),
  ];
}

/** The entries of a chain, and behind them the record of something. */
function recording(chain: Chain, recorded: (chain: Chain) => string): readonly string[] {
  chain.record(recorded(chain));
  return chain.entries;
}

/** The whole ledger without its first decision under an install. */
function relinked(): Chain {
  const chain = new Chain();
  chain.genesis();
  chain.decide({ ...refuses, ...noPolicy });
  chain.install();
  const ask = chain.ask({ time: at(4) });
  const approval = chain.record(chain.approval(ask));
  chain.release(ask, approval, { time: at(6) });
  chain.installNext({ time: at(7) });
  chain.decide({ ...citesB, time: at(8) });
  chain.decide({ ...citesB, time: at(9) });
  return chain;
}

/** 0 genesis, 1 install, then a decision for one agent and one for another, in the one order or the other. */
function agents(...names: readonly string[]): Chain {
  const chain = new Chain({ step: 0 });
  chain.genesis();
  chain.install();
  for (const agent of names) chain.decide({ agent });
  return chain;
}
const twoAgents = (): Chain => agents('builder', 'reviewer');
const reordered = (): Chain => agents('reviewer', 'builder');

/** A good chain, an hour later. */
function anew(length: number, ledger_id: Uint8Array): Chain {
  const hour = { time: at(3_600_000) };
  const chain = new Chain();
  chain.genesis({ ledger_id, ...hour });
  chain.install(hour);
  while (chain.entries.length < length) chain.decide(hour);
  return chain;
}

function secondGenesis(): readonly string[] {
  const chain = chainOf(3);
  chain.genesis({ seq: 0, prev: undefined, ledger_id: otherLedgerId });
  return chain.entries;
}

/** Checkpoints that count for nothing. */
export function untrusted(): readonly Case[] {
  const chain = chainOf(4);
  const one = (id: string, comment: string, checkpoint: string, asked: Asked = {}, where: Fields = engine): Case =>
    chainCase(
      id,
      `${comment} (LED-13)`,
      chain.entries,
      { axes: passes, problems: [open('completeness', 'checkpoint-untrusted', where)] },
      { checkpoints: [checkpoint], ...asked },
    );
  const good = chain.checkpoint(3);
  const auditor = (rest: Fields): Asked => ({ trust: trustOf({ auditor: rest }) });
  const misSigned = good.slice(0, -128) + chain.checkpoint(2).slice(-128);
  return [
    one('untrusted-unknown', 'A checkpoint by a key that is in no trust store', chain.checkpoint(3, {}, strangerKey)),
    one('untrusted-signature', 'with a wrong signature', misSigned),
    one('untrusted-engine', 'by the engine itself', chain.checkpoint(3, {}, engineKey)),
    one('untrusted-approver', 'by an approver', chain.checkpoint(3, {}, approverKey)),
    one('untrusted-auditor-of-other', 'by an auditor of another engine', good, auditor({ engine_ids: ['engine-b'] })),
    one('untrusted-expired', 'by an auditor whose key had expired', good, { ...auditor({ valid_until: at(4) }) }),
    one('untrusted-not-yet', 'by an auditor whose key is not yet good', good, { ...auditor({ valid_from: at(5) }) }),
    one('untrusted-revoked', 'by an auditor whose key had been revoked', good, auditor({ revoked_at: at(4) })),
    one(
      'untrusted-revoked-later',
      'by an auditor whose key was revoked later: who holds it can write any time (LED-12)',
      good,
      auditor({ revoked_at: at(1000) }),
    ),
    one('untrusted-other-statement', 'An approval in place of a checkpoint', chain.approval(hashOf('b')), {}, {}),
    one('untrusted-no-receipt', 'An integer in place of a checkpoint', '00', {}, {}),
    one('untrusted-eddsa', 'signed by -8, which the caller does not take', looseReceipt(chainCheckpoint(chain), auditorKey), {}, {}),
    chainCase(
      'trusted-eddsa',
      'signed by -8, which the caller takes (LED-13, RCP-17)',
      chain.entries,
      { flags: ['loose-algorithm'], axes: passesAll },
      { checkpoints: [looseReceipt(chainCheckpoint(chain), auditorKey)], algorithms: ['EdDSA'] },
    ),
    chainCase(
      'trusted-window',
      'A checkpoint from outside is judged at its own time (LED-13)',
      chain.entries,
      { flags: ['half-open'], axes: passesAll },
      { checkpoints: [good], trust: trustOf({ auditor: { valid_from: at(4), valid_until: at(5) } }) },
    ),
    chainCase(
      'untrusted-and-good',
      'It counts for nothing: one that is good passes the axis all the same (LED-13)',
      chain.entries,
      { ok: true, axes: passesAll, problems: [open('completeness', 'checkpoint-untrusted', engine)] },
      { checkpoints: [good, chain.checkpoint(2, {}, strangerKey)] },
    ),
    chainCase(
      'untrusted-and-wrong',
      'It counts for nothing, whatever it says (LED-13)',
      chain.entries,
      { flags: ['order'], axes: passes, problems: [open('completeness', 'checkpoint-untrusted', engine)] },
      { checkpoints: [chain.checkpoint(3, { receipt_hash: hashOf('e') }, strangerKey)] },
    ),
    chainCase(
      'untrusted-recorded-unknown',
      'A recorded checkpoint by a key that is in no trust store is a problem of its record (LED-2, LED-13)',
      recording(chainOf(4), (before) => before.checkpoint(3, {}, strangerKey)),
      { flags: ['rests'], axes: keyUnknown, problems: [fails('key-trust', 'key-unknown', 4)] },
    ),
    chainCase(
      'untrusted-recorded-role',
      'A recorded checkpoint by the engine itself (LED-2, LED-3)',
      recording(chainOf(4), (before) => before.checkpoint(3, {}, engineKey)),
      { flags: ['rests'], axes: '++- +. +.. +', problems: [fails('key-trust', 'key-role', 4)] },
    ),
    chainCase(
      'untrusted-recorded-signature',
      'A recorded checkpoint with a wrong signature (LED-2)',
      recording(chainOf(4), (before) => before.checkpoint(3).slice(0, -128) + before.checkpoint(2).slice(-128)),
      { flags: ['rests'], axes: signatureFails, problems: [fails('signature', 'signature-invalid', 4)] },
    ),
    chainCase(
      'untrusted-recorded-revoked-later',
      'A recorded checkpoint by an auditor whose key was revoked later: it counts for nothing (LED-2, LED-12)',
      recording(chainOf(4), (before) => before.checkpoint(3)),
      { flags: ['revoked-later'], axes: '++. +. +++ +', problems: [open('key-trust', 'key-revoked-later', 4)] },
      auditor({ revoked_at: at(1000) }),
    ),
  ];
}

const chainCheckpoint = (chain: Chain): Parameters<typeof looseReceipt>[0] => ({
  statement: 'checkpoint',
  engine_id: 'engine-a',
  time: at(4),
  ledger_id: ledgerId,
  seq: 3,
  receipt_hash: chain.hash(3),
});
