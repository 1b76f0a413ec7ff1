/**
 * Asks, approvals and releases (LED-16).
 * @module
 */
import type { Case, Fields } from '../kit.js';
import {
  type Answer,
  approvalsFail,
  args,
  askedChain,
  type Asked,
  auditorKey,
  Chain,
  chainCase,
  fails,
  hashOf,
  hashOfReceipt,
  notes,
  otherKey,
  passes,
  type Said,
  shortChain,
  signatureFails,
  startTime,
  strangerKey,
  trustOf,
} from './chain.js';
import { badlySigned } from './records.js';

const at = (milliseconds: number): number => startTime + milliseconds;

/** An ask, and what comes behind it. The release is the last entry. */
interface Course {
  /** What the ask says besides. */
  readonly ask?: Said;
  /** What is recorded; an approval of the ask unless told otherwise. */
  readonly approval?: (chain: Chain, ask: string) => string;
  /** Between the record and the release. */
  readonly between?: (chain: Chain) => void;
  /** What the release cites instead, or says besides. */
  readonly release?: Said | ((chain: Chain) => Said);
}

function course({ ask: asked, approval = (chain, ask) => chain.approval(ask), between, release }: Course = {}): readonly string[] {
  const { chain, ask } = askedChain(asked);
  const hash = chain.record(approval(chain, ask));
  between?.(chain);
  chain.release(ask, hash, typeof release === 'function' ? release(chain) : release);
  return chain.entries;
}

const approving =
  (said: Said, key?: Parameters<Chain['approval']>[2]) =>
  (chain: Chain, ask: string): string =>
    chain.approval(ask, said, key);

/** A course that fails at its last entry, on approvals alone. */
function wrong(id: string, entries: readonly string[], code: string, comment: string, flags: readonly string[] = []): Case {
  return chainCase(id, `${comment} (LED-16)`, entries, { flags, axes: approvalsFail, problems: [fails('approvals', code, entries.length - 1)] });
}
const right = (id: string, entries: readonly string[], comment: string, flags: readonly string[] = []): Case =>
  chainCase(id, `${comment} (LED-16)`, entries, { flags, axes: passes });

export function approvals(): readonly Case[] {
  const half = ['half-open'];
  return [
    right('release-good', course(), 'An ask, its approval and its release'),
    right('release-observed-otherwise', course({ between: (chain) => chain.decide({ enforced: false }) }), 'A decision between them that was only observed'),
    right('release-of-second', secondAsk(), 'The second of two asks, with its own approval'),
    right('release-two-approvals', twoApprovals(), 'Two approvals of one ask: one of them is used'),
    right('release-after-refusal', afterRefusal(), 'An ask that was refused, and then approved'),
    right('release-approval-twice-recorded', course({ between: (chain) => chain.record(approvalIn(chain)) }), 'The approval is recorded twice, and used once'),
    right('release-at-last-moment', course({ approval: approving({ expires: at(5) }) }), 'A millisecond before the approval ends', half),
    wrong('release-expired', course({ approval: approving({ expires: at(4) }) }), 'approval-expired', 'At the moment when the approval ends', half),
    wrong('release-expired-at-once', course({ approval: approving({ expires: 0 }) }), 'approval-expired', 'An approval that was never good'),
    chainCase(
      'release-expired-dated-back',
      'The release is dated back before the approval\u2019s end, which the chain has passed (LED-16, LED-12)',
      course({ approval: approving({ expires: at(50) }), between: (chain) => chain.decide({ time: at(60) }), release: { time: at(40) } }),
      {
        flags: ['effective-time', 'note', 'several'],
        axes: approvalsFail,
        problems: [fails('approvals', 'approval-expired', 5), notes('order', 'time-back', 5)],
      },
    ),
    wrong('release-refused', course({ approval: approving({ approved: false }) }), 'approval-refused', 'The approval says no'),
    wrong('release-other-arguments', course({ approval: approving({ args_digest: hashOf('b') }) }), 'approval-differs', 'An approval of other arguments'),
    wrong('release-other-ask', course({ approval: approving({ ask: hashOf('b') }) }), 'approval-differs', 'An approval of another ask'),
    wrong('release-swapped-approvals', swappedApprovals(), 'approval-differs', 'The approval of another ask in the same chain'),
    wrong('release-unknown-approval', course({ release: { approval: hashOf('b') } }), 'approval-missing', 'An approval that is not in the chain'),
    wrong('release-first', early().slice(0, 4), 'approval-missing', 'A release before its approval', ['with-key']),
    chainCase('release-first-approval-follows', 'A release before its approval, which is recorded behind it (LED-16)', early(), {
      flags: ['with-key'],
      axes: approvalsFail,
      problems: [fails('approvals', 'approval-missing', 3)],
    }),
    wrong('release-by-authorization', course({ approval: (chain) => chain.authorization() }), 'approval-missing', 'An authorization in place of the approval'),
    wrong('release-by-itself', course({ release: (chain) => ({ approval: chain.hash(2) }) }), 'approval-missing', 'The ask in place of the approval'),
    wrong(
      'release-by-record',
      course({ release: (chain) => ({ approval: chain.hash(3) }) }),
      'approval-missing',
      'The record in place of what it holds: an approval is cited by its own hash',
    ),
    wrong('release-unknown-ask', course({ release: { ask: hashOf('b') } }), 'ask-missing', 'An ask that is not in the chain'),
    wrong('release-of-allowed', ofAllowed(), 'ask-missing', 'A decision that allowed'),
    wrong('release-of-denied', ofDenied(), 'ask-missing', 'A decision that denied, though a human would allow it'),
    wrong('release-of-approval', course({ release: (chain) => ({ ask: chain.hash(3) }) }), 'ask-missing', 'A record in place of the ask'),
    wrong('release-without-arguments', course({ ask: { args_digest: undefined } }), 'ask-not-releasable', 'An ask whose arguments nobody can compare'),
    wrong('release-observed', course({ ask: { enforced: false } }), 'ask-not-releasable', 'An ask that was only observed'),
    wrong('release-again', again(), 'ask-again', 'An ask released twice, each time with an approval of its own'),
    wrong('release-install-between', course({ between: (chain) => chain.installNext() }), 'install-between', 'An install between the approval and the release'),
    wrong('release-install-before-approval', installFirst(), 'install-between', 'An install between the ask and its approval'),
    wrong('release-approval-twice', approvalTwice(), 'approval-again', 'An approval used for two asks', ['with-key']),
    wrong('release-approval-renewed', approvalTwice(true), 'approval-again', 'A used approval is not good again by being recorded again'),
    chainCase(
      'release-unasked',
      'Approvals fail though nobody asks for them (RCP-24, LED-16)',
      course({ approval: approving({ approved: false }) }),
      { axes: approvalsFail, problems: [fails('approvals', 'approval-refused', 4)] },
      { require: null },
    ),
  ];
}

/** The approval that {@link course} made, again. */
const approvalIn = (chain: Chain): string => chain.approval(chain.hash(2), { time: at(3) });

function secondAsk(): readonly string[] {
  const { chain } = askedChain();
  const ask = chain.ask();
  chain.release(ask, chain.record(chain.approval(ask)));
  return chain.entries;
}

function twoApprovals(): readonly string[] {
  const { chain, ask } = askedChain();
  chain.record(chain.approval(ask));
  chain.release(ask, chain.record(chain.approval(ask)));
  return chain.entries;
}

function afterRefusal(): readonly string[] {
  const { chain, ask } = askedChain();
  chain.record(chain.approval(ask, { approved: false }));
  chain.release(ask, chain.record(chain.approval(ask)));
  return chain.entries;
}

function swappedApprovals(): readonly string[] {
  const { chain } = askedChain();
  const second = chain.ask();
  chain.record(chain.approval(second));
  chain.release(second, chain.record(chain.approval(chain.hash(2))));
  return chain.entries;
}

/** 0 genesis, 1 install, 2 ask, 3 release, 4 the approval that it cites. */
function early(): readonly string[] {
  const { chain, ask } = askedChain();
  const approval = chain.approval(ask);
  chain.release(ask, hashOfReceipt(approval));
  chain.record(approval);
  return chain.entries;
}

function ofAllowed(): readonly string[] {
  const chain = shortChain();
  const ask = chain.decide({ args_digest: args });
  chain.release(ask, chain.record(chain.approval(ask)));
  return chain.entries;
}

function ofDenied(): readonly string[] {
  const chain = shortChain();
  const ask = chain.decide({
    actions: [{ filesystem: { path: '/srv/keys/k', method: 'read' } }],
    decision: { effect: 'deny', rule: 'no-keys', action: 0 },
    args_digest: args,
  });
  chain.release(ask, chain.record(chain.approval(ask)));
  return chain.entries;
}

function again(): readonly string[] {
  const { chain, ask } = askedChain();
  chain.release(ask, chain.record(chain.approval(ask)));
  chain.release(ask, chain.record(chain.approval(ask)));
  return chain.entries;
}

function installFirst(): readonly string[] {
  const { chain, ask } = askedChain();
  chain.installNext();
  chain.release(ask, chain.record(chain.approval(ask)));
  return chain.entries;
}

/** Two asks of the same call and one approval. */
function approvalTwice(isRecordedAgain = false): readonly string[] {
  const { chain, ask } = askedChain();
  const receipt = chain.approval(ask);
  const approval = chain.record(receipt);
  chain.release(ask, approval);
  const second = chain.ask();
  if (isRecordedAgain) chain.record(receipt);
  chain.release(second, approval);
  return chain.entries;
}

/** More is wrong than one thing, or another key does not pass. */
export function approvalsInOrder(): readonly Case[] {
  const first = (id: string, entries: readonly string[], code: string, comment: string): Case => wrong(id, entries, code, comment, ['order']);
  const badly = (id: string, entries: readonly string[], comment: string, answer: Answer, asked: Asked = {}): Case =>
    chainCase(id, `${comment} (LED-16, LED-2)`, entries, { ...answer, flags: ['several', 'rests'] }, asked);
  const missing: Fields = fails('approvals', 'approval-missing', 4);
  return [
    first('order-ask-before-approval', course({ release: { ask: hashOf('b'), approval: hashOf('c') } }), 'ask-missing', 'Neither ask nor approval are there'),
    first(
      'order-releasable-before-approval',
      course({ ask: { args_digest: undefined }, release: { approval: hashOf('c') } }),
      'ask-not-releasable',
      'An ask without arguments, and no approval',
    ),
    first('order-ask-again-before-approval-again', bothAgain(), 'ask-again', 'The same release twice: ask and approval are both used'),
    first(
      'order-install-before-approval',
      course({ between: (chain) => chain.installNext(), release: { approval: hashOf('c') } }),
      'install-between',
      'An install between, and no approval',
    ),
    first(
      'order-differs-before-refused',
      course({ approval: approving({ args_digest: hashOf('b'), approved: false }) }),
      'approval-differs',
      'Other arguments, and a no',
    ),
    first('order-refused-before-expired', course({ approval: approving({ approved: false, expires: 0 }) }), 'approval-refused', 'A no that has expired'),
    badly('approval-key-unknown', course({ approval: approving({}, strangerKey) }), 'An approval by a key that is in no trust store', {
      axes: '+.- .. ... -',
      problems: [fails('key-trust', 'key-unknown', 3), missing],
    }),
    badly('approval-signature', course({ approval: badlySigned }), 'with a wrong signature', {
      axes: '+-. .. ... -',
      problems: [fails('signature', 'signature-invalid', 3), missing],
    }),
    badly('approval-key-role', course({ approval: approving({}, auditorKey) }), 'by an auditor', {
      axes: '++- +. +.. -',
      problems: [fails('key-trust', 'key-role', 3), missing],
    }),
    badly(
      'approval-key-engine',
      course(),
      'by an approver of another engine',
      { axes: '++- +. +.. -', problems: [fails('key-trust', 'key-engine', 3), missing] },
      { trust: trustOf({ approver: { engine_ids: ['engine-b'] } }) },
    ),
    badly(
      'approval-key-expired',
      course({ approval: approving({ time: at(0) }) }),
      'by a key that had expired when it was recorded',
      { axes: '++- +. +.. -', problems: [fails('key-trust', 'key-expired', 3), missing] },
      { trust: trustOf({ approver: { valid_until: at(3) } }) },
    ),
    badly(
      'approval-key-revoked',
      course({ approval: approving({ time: at(0) }) }),
      'by a key that had been revoked when it was recorded',
      { axes: '++- +. +.. -', problems: [fails('key-trust', 'key-revoked', 3), missing] },
      { trust: trustOf({ approver: { revoked_at: at(3) } }) },
    ),
    badly('ask-key-engine', askBy(), 'An ask by the key of another engine is none that could be released', {
      axes: '++- +. +.. -',
      problems: [fails('key-trust', 'key-engine', 2), fails('approvals', 'ask-missing', 4)],
    }),
    chainCase('approval-twice-recorded', 'Recorded with a wrong signature first, and then with its own: the hash is that of both (LED-16, RCP-4)', spoiled(0), {
      flags: ['rests'],
      axes: signatureFails,
      problems: [fails('signature', 'signature-invalid', 3)],
    }),
    chainCase('approval-twice-recorded-good-first', 'and in the other order: a spoiled copy takes nothing away (LED-16, RCP-4)', spoiled(1), {
      flags: ['rests'],
      axes: signatureFails,
      problems: [fails('signature', 'signature-invalid', 4)],
    }),
    chainCase('release-uses-up-ask', 'A release that failed has used its ask (LED-16)', usedAsk(), {
      flags: ['several', 'used-up'],
      axes: approvalsFail,
      problems: [fails('approvals', 'approval-refused', 4), fails('approvals', 'ask-again', 6)],
    }),
    chainCase('release-uses-up-approval', 'and its approval (LED-16)', usedApproval(), {
      flags: ['several', 'used-up'],
      axes: approvalsFail,
      problems: [fails('approvals', 'approval-differs', 5), fails('approvals', 'approval-again', 6)],
    }),
    chainCase(
      'release-other-chain',
      'Ask and approval in the chain of another engine (LED-16)',
      otherChain(false),
      { axes: approvalsFail, problems: [fails('approvals', 'ask-missing', 2)] },
      { kind: 'file', require: ['order', 'timeline', 'approvals'] },
    ),
    chainCase(
      'release-approval-in-other-chain',
      'The approval alone in the chain of another engine (LED-16)',
      otherChain(true),
      { axes: approvalsFail, problems: [fails('approvals', 'approval-missing', 3)] },
      { kind: 'file', require: ['order', 'timeline', 'approvals'] },
    ),
  ];
}

function bothAgain(): readonly string[] {
  const { chain, ask } = askedChain();
  const approval = chain.record(chain.approval(ask));
  chain.release(ask, approval);
  chain.release(ask, approval);
  return chain.entries;
}

function askBy(): readonly string[] {
  const { chain } = askedChain();
  chain.entries.length = 2;
  const ask = chain.ask({}, otherKey);
  chain.release(ask, chain.record(chain.approval(ask)));
  return chain.entries;
}

/** 3 and 4 are records of one approval, of which the one at 3 + `bad` has the signature of another; 5 is the release. */
function spoiled(bad: 0 | 1): readonly string[] {
  const { chain, ask } = askedChain();
  const copies = [badlySigned(chain, ask), chain.approval(ask)];
  if (bad === 1) copies.reverse();
  for (const copy of copies) chain.take(copy);
  chain.release(ask, hashOfReceipt(copies[0] as string));
  return chain.entries;
}

function usedAsk(): readonly string[] {
  const { chain, ask } = askedChain();
  chain.release(ask, chain.record(chain.approval(ask, { approved: false })));
  chain.release(ask, chain.record(chain.approval(ask)));
  return chain.entries;
}

/** 2 ask, 3 ask, 4 approval of 3, 5 release of 2 with it, 6 release of 3 with it. */
function usedApproval(): readonly string[] {
  const { chain, ask } = askedChain();
  const second = chain.ask();
  const approval = chain.record(chain.approval(second));
  chain.release(ask, approval);
  chain.release(second, approval);
  return chain.entries;
}

/** The approval, and the ask too unless it is the own one, stand in the chain of engine-b. */
function otherChain(hasAsk: boolean): readonly string[] {
  const other = new Chain({ engine: 'engine-b', key: otherKey });
  other.genesis();
  other.install();
  const chain = new Chain();
  chain.genesis();
  chain.install();
  const ask = hasAsk ? chain.ask() : other.ask();
  const approval = other.record(other.approval(ask));
  chain.release(ask, approval);
  return [...other.entries, ...chain.entries];
}
