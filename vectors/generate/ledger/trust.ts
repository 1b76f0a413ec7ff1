/**
 * Key trust in a chain: windows and revocation at the effective time, and what pins the entries of a key that was revoked later (LED-12).
 * @module
 */
import type { Case, Fields } from '../kit.js';
import {
  askedChain,
  auditorKey,
  type Chain,
  chainCase,
  chainOf,
  fails,
  hashOf,
  keyTrustFails,
  keyTrustOpen,
  notes,
  open,
  otherKey,
  passes,
  passesAll,
  secondKey,
  shortChain,
  startTime,
  trusted,
  trustOf,
  type VectorKey,
} from './chain.js';
import { twoKeys } from './whole.js';

const at = (milliseconds: number): number => startTime + milliseconds;

export function keyTrusts(): readonly Case[] {
  const four = chainOf(4).entries;
  const window = (id: string, engine: Fields, code: string | undefined, seq: number, comment: string): Case =>
    chainCase(
      id,
      `${comment} (LED-12, RCP-10)`,
      four,
      { flags: ['half-open'], axes: code ? keyTrustFails : passes, problems: code ? [fails('key-trust', code, seq)] : [] },
      { trust: trustOf({ engine }) },
    );
  return [
    window('window-from', { valid_from: at(0) }, undefined, 0, 'The key is good from the time of the genesis on'),
    window('window-not-yet', { valid_from: at(1) }, 'key-not-yet-valid', 0, 'from the time of the second entry on'),
    window('window-until', { valid_until: at(4) }, undefined, 0, 'The key is good to the last entry'),
    window('window-expired', { valid_until: at(3) }, 'key-expired', 3, 'to the last but one'),
    window('window-revoked', { revoked_at: at(3), revoked_from_seq: { 'engine-a': 3 } }, 'key-revoked', 3, 'The key is revoked at the time of the last entry'),
    chainCase(
      'window-dated-back-good',
      'An entry that is dated back before the window of its key: its effective time is in it (LED-12)',
      dated(-10).entries,
      { flags: ['effective-time', 'note'], axes: passes, problems: [notes('order', 'time-back', 3)] },
      { trust: trustOf({ engine: { valid_from: at(0) } }) },
    ),
    chainCase(
      'window-dated-back-expired',
      'An entry that is dated back into the window of its key, which the chain has left (LED-12)',
      datedBack().entries,
      { flags: ['effective-time', 'note', 'several'], axes: keyTrustFails, problems: [fails('key-trust', 'key-expired', 5), notes('order', 'time-back', 5)] },
      { trust: trustOf({ engine: { valid_until: at(10) } }, [trusted(secondKey)]) },
    ),
    chainCase(
      'revoked-dated-back',
      'A revoked key dates an entry back before its revocation: the chain, and a checkpoint, have passed it (LED-12)',
      datedBack().entries,
      { flags: ['effective-time', 'note', 'several'], axes: '++- ++ +.. +', problems: [fails('key-trust', 'key-revoked', 5), notes('order', 'time-back', 5)] },
      { trust: trustOf({ engine: { revoked_at: at(10) } }, [trusted(secondKey)]), checkpoints: [datedBack().checkpoint(2, { time: at(5) })] },
    ),
    chainCase('key-other-engine', 'A decision by the key of another engine (LED-12, RCP-21)', by(otherKey).entries, {
      flags: ['rests'],
      axes: keyTrustFails,
      problems: [fails('key-trust', 'key-engine', 3)],
    }),
    chainCase(
      'key-other-window',
      'A second key of the engine, before its time (LED-12)',
      twoKeys().entries,
      { axes: keyTrustFails, problems: [fails('key-trust', 'key-not-yet-valid', 3)] },
      { trust: trustOf({}, [trusted(secondKey, { valid_from: at(4) })]) },
    ),
    chainCase(
      'key-time-of-other-engine',
      'The time of another chain does not count (LED-12)',
      [...ahead().entries, ...four],
      { axes: '+++ +. +++ +' },
      { kind: 'file', require: ['order', 'timeline', 'approvals'], trust: trustOf({ engine: { valid_until: at(4) } }) },
    ),
  ];
}

/** An entry with a time of its own behind the first three. */
function dated(time: number): Chain {
  const chain = shortChain();
  chain.decide({ time: at(time) });
  return chain;
}

/** 0 to 2 by the first key, 3 and 4 later by the second, 5 by the first again, dated back. */
function datedBack(): Chain {
  const chain = shortChain();
  chain.decide({ time: at(20) }, secondKey);
  chain.decide({ time: at(21) }, secondKey);
  chain.decide({ time: at(6) });
  return chain;
}

function by(key: VectorKey): Chain {
  const chain = shortChain();
  chain.decide({}, key);
  return chain;
}

function ahead(): Chain {
  const chain = shortChain({ engine: 'engine-b', key: otherKey });
  chain.decide({ time: at(1000) });
  return chain;
}

/** A key that was revoked at a later time than its entries have. */
export function revokedLater(): readonly Case[] {
  const chain = chainOf(5);
  const revoked = (rest: Fields = {}): Fields => trustOf({ engine: { revoked_at: at(100), ...rest } });
  const pinned = (seq: number, time = 50, key = auditorKey): string => chain.checkpoint(seq, { time: at(time) }, key);
  const later = (seq: number): readonly Fields[] => [open('key-trust', 'key-revoked-later', seq)];
  const half = ['revoked-later', 'half-open'];
  const flags = ['revoked-later'];
  const whole = (id: string, comment: string, trust: Fields, checkpoints: readonly string[] | undefined, answer: Parameters<typeof chainCase>[3]): Case =>
    chainCase(id, `${comment} (LED-12)`, chain.entries, answer, { trust, ...(checkpoints && { checkpoints }) });
  return [
    whole('revoked-later', 'Nothing shows that the entries were there before the revocation: said once, of the first of them', revoked(), undefined, {
      flags,
      axes: keyTrustOpen,
      problems: later(0),
    }),
    whole('revoked-pinned', 'A checkpoint of the last entry, from before the revocation', revoked(), [pinned(4)], { flags: half, axes: passesAll }),
    whole('revoked-pinned-below', 'A checkpoint of the last entry but one leaves the last open', revoked(), [pinned(3)], {
      flags: half,
      axes: '++. ++ +++ +',
      problems: later(4),
    }),
    whole('revoked-pinned-before', 'A checkpoint from the last millisecond before the revocation', revoked(), [pinned(4, 99)], {
      flags: half,
      axes: passesAll,
    }),
    whole('revoked-pinned-late', 'A checkpoint from the moment of the revocation pins nothing', revoked(), [pinned(4, 100)], {
      flags: half,
      axes: '++. ++ +++ +',
      problems: later(0),
    }),
    whole('revoked-pinned-two', 'Of two checkpoints the one from before the revocation counts', revoked(), [pinned(4, 100), pinned(2)], {
      flags,
      axes: '++. ++ +++ +',
      problems: later(3),
    }),
    whole('revoked-pinned-differs', 'A checkpoint that the chain does not bear out pins nothing', revoked(), [otherCheckpoint()], {
      flags: ['revoked-later', 'several'],
      axes: '++. +- +++ +',
      problems: [...later(0), fails('completeness', 'checkpoint-differs', { engine: 'engine-a' })],
    }),
    whole('revoked-below-seq', 'Below the seq from which on the key is revoked', revoked({ revoked_from_seq: { 'engine-a': 5 } }), undefined, {
      flags: half,
      axes: passes,
    }),
    whole('revoked-at-seq', 'At that seq', revoked({ revoked_from_seq: { 'engine-a': 4 } }), undefined, {
      flags: half,
      axes: keyTrustOpen,
      problems: later(4),
    }),
    whole(
      'revoked-seq-and-checkpoint',
      'Below that seq or at the checkpoint: either is enough',
      revoked({ revoked_from_seq: { 'engine-a': 2 } }),
      [pinned(4)],
      {
        flags,
        axes: passesAll,
      },
    ),
    whole('revoked-seq-beyond-checkpoint', 'Beyond the checkpoint, and below that seq', revoked({ revoked_from_seq: { 'engine-a': 5 } }), [pinned(2)], {
      flags,
      axes: passesAll,
    }),
    whole('revoked-seq-of-other', 'The seq of another engine says nothing', revoked({ revoked_from_seq: { 'engine-b': 9 } }), undefined, {
      flags,
      axes: keyTrustOpen,
      problems: later(0),
    }),
    chainCase(
      'revoked-first-key',
      'The first of two keys was revoked after the engine had gone on with the second: its entries are open, those of the second pass (LED-12)',
      twoKeys().entries,
      { flags, axes: keyTrustOpen, problems: later(0) },
      { trust: trustOf({ engine: { revoked_at: at(3) } }, [trusted(secondKey)]) },
    ),
    chainCase(
      'revoked-first-key-pinned',
      'with a checkpoint of its last entry (LED-12)',
      twoKeys().entries,
      { flags, axes: passesAll },
      { trust: trustOf({ engine: { revoked_at: at(3) } }, [trusted(secondKey)]), checkpoints: [twoKeys().checkpoint(2, { time: at(2) })] },
    ),
    chainCase(
      'revoked-pinned-recorded',
      'A recorded checkpoint pins as one from outside: what stands behind it is open (LED-12, LED-13)',
      recordedPin(),
      { flags, axes: '++. ++ +++ +', problems: later(5) },
      { trust: revoked(), require: ['approvals', 'completeness'] },
    ),
    chainCase(
      'revoked-approver-pinned',
      'An approver\u2019s key that was revoked later, with a checkpoint of the record: the release stands (LED-12, LED-16)',
      approved().entries,
      { flags, axes: passesAll },
      { trust: trustOf({ approver: { revoked_at: at(100) } }), checkpoints: [approved().checkpoint(3, { time: at(50) })] },
    ),
    chainCase(
      'revoked-approver-open',
      'Without it key trust is open, and the release stands: the key did not fail (LED-16)',
      approved().entries,
      { flags, axes: keyTrustOpen, problems: later(3) },
      { trust: trustOf({ approver: { revoked_at: at(100) } }) },
    ),
  ];
}

function otherCheckpoint(): string {
  return chainOf(5).checkpoint(4, { receipt_hash: hashOf('e'), time: at(50) });
}

/** 0 to 4, and 5 a record of a checkpoint of 4. */
function recordedPin(): readonly string[] {
  const chain = chainOf(5);
  chain.record(chain.checkpoint(4));
  return chain.entries;
}

/** 0 genesis, 1 install, 2 ask, 3 approval, 4 release. */
function approved(): Chain {
  const { chain, ask } = askedChain();
  chain.release(ask, chain.record(chain.approval(ask)));
  return chain;
}
