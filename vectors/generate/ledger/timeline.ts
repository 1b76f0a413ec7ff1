/**
 * Which rules were in force (LED-14), and the rules and decisions again from them (LED-15).
 * @module
 */
import type { Case, Json } from '../kit.js';
import {
  type Answer,
  approverKey,
  asks,
  type Asked,
  Chain,
  chainCase,
  citesB,
  digestA,
  digestB,
  fails,
  hashOf,
  hashOfReceipt,
  keyUnknown,
  keysAction,
  noPolicy,
  open,
  otherKey,
  passes,
  policyA,
  policyB,
  reDecisionFails,
  refuses,
  type Said,
  shortChain,
  signatureFails,
  startTime,
  strangerKey,
  timelineFails,
  trustOf,
} from './chain.js';

/** A good chain and one entry more. */
function and(add: (chain: Chain) => void, chain = shortChain()): readonly string[] {
  add(chain);
  return chain.entries;
}

function wrong(id: string, entries: readonly string[], code: string, comment: string, { asked = {}, flags = [] as readonly string[] } = {}): Case {
  return chainCase(id, `${comment} (LED-14)`, entries, { flags, axes: timelineFails, problems: [fails('timeline', code, entries.length - 1)] }, asked as Asked);
}

export function installs(): readonly Case[] {
  const onlyInstall = (said: Said = {}): readonly string[] => {
    const chain = new Chain();
    chain.genesis();
    chain.install(said);
    return chain.entries;
  };
  return [
    wrong(
      'install-version-equal',
      and((chain) => chain.installNext({ policy_version: 1 })),
      'install-not-rising',
      'Other rules under the version that is in force',
    ),
    wrong(
      'install-same-again',
      and((chain) => chain.install({ replaces: digestA })),
      'install-not-rising',
      'The same version and the same rules once more',
    ),
    wrong(
      'install-version-lower',
      and((chain) => chain.install({ policy_version: 8, replaces: digestB }), higher()),
      'install-not-rising',
      'A version below the one in force',
    ),
    wrong('install-replaces-too-soon', onlyInstall({ replaces: hashOf('e') }), 'install-replaces', 'The first install replaces something'),
    wrong(
      'install-replaces-nothing',
      and((chain) => chain.installNext({ replaces: undefined })),
      'install-replaces',
      'A later install replaces nothing',
    ),
    wrong(
      'install-replaces-other',
      and((chain) => chain.installNext({ replaces: hashOf('e') })),
      'install-replaces',
      'It replaces what was not in force',
    ),
    wrong(
      'install-replaces-itself',
      and((chain) => chain.installNext({ replaces: digestB })),
      'install-replaces',
      'It replaces its own digest',
    ),
    wrong(
      'install-equal-and-replaces',
      and((chain) => chain.installNext({ policy_version: 1, replaces: hashOf('e') })),
      'install-not-rising',
      'Version and "replaces" are wrong: the version is named',
      {
        flags: ['order'],
      },
    ),
    wrong(
      'install-replaces-of-no-digest',
      and((chain) => chain.installNext(), withoutDigest()),
      'install-replaces',
      'It replaces a digest, and none was in force',
      {
        flags: ['no-digest'],
        asked: { policies: null, require: ['timeline', 'approvals'] },
      },
    ),
    chainCase(
      'install-counts-all-the-same',
      'A failed install is in force: the decision that cites it is no second problem (LED-14, LED-16)',
      and((chain) => {
        chain.installNext({ replaces: undefined });
        chain.decide(citesB);
      }),
      { axes: timelineFails, problems: [fails('timeline', 'install-replaces', 3)] },
    ),
    chainCase(
      'install-by-stranger-counts',
      'So is one by a key that is in no trust store, since its statement can be read (LED-16)',
      and((chain) => {
        chain.installNext({}, strangerKey);
        chain.decide(citesB);
      }),
      { flags: ['rests'], axes: keyUnknown, problems: [fails('key-trust', 'key-unknown', 3)] },
    ),
    wrong('install-unauthorized', onlyInstall(), 'install-unauthorized', 'An install without authorization, where the trust store asks for an installer', {
      asked: { trust: trustOf({}, [], { require_installer: true }) },
    }),
  ];
}

function higher(): Chain {
  const chain = new Chain();
  chain.genesis();
  chain.install({ ...citesB, policy_version: 9 });
  return chain;
}

function withoutDigest(): Chain {
  const chain = new Chain();
  chain.genesis();
  chain.install({ policy_digest: undefined, match_profile: undefined });
  return chain;
}

/** 0 genesis, 1 the record of something, 2 an install that rests on it. */
function authorizedBy(recorded: (chain: Chain) => string, install: Said = {}): readonly string[] {
  const chain = new Chain();
  chain.genesis();
  const authorization = chain.record(recorded(chain));
  chain.install({ authorization, ...install });
  return chain.entries;
}

export function authorizations(): readonly Case[] {
  const differs = (id: string, entries: readonly string[], comment: string, asked: Asked = {}): Case =>
    wrong(id, entries, 'authorization-differs', comment, { asked: { trust: trustOf({}, [], { require_installer: true }), ...asked } });
  const badly = (id: string, entries: readonly string[], comment: string, answer: Answer, asked: Asked = {}): Case =>
    chainCase(id, `${comment} (LED-14, LED-2)`, entries, { ...answer, flags: ['several', 'rests'] }, asked);
  const atInstall = fails('timeline', 'authorization-differs', 2);
  const signedAsOther = (chain: Chain): string => chain.authorization().slice(0, -128) + chain.authorization({ policy_version: 7 }).slice(-128);
  return [
    differs(
      'authorization-missing',
      authorizedBy((chain) => chain.authorization(), { authorization: hashOf('e') }),
      'An authorization that is not in the chain',
    ),
    differs(
      'authorization-version',
      authorizedBy((chain) => chain.authorization({ policy_version: 2 })),
      'for another version',
    ),
    differs(
      'authorization-digest',
      authorizedBy((chain) => chain.authorization({ policy_digest: digestB })),
      'for other rules',
    ),
    differs(
      'authorization-replaces',
      authorizedBy((chain) => chain.authorization({ replaces: digestB })),
      'to replace something, and the install replaces nothing',
    ),
    differs(
      'authorization-replaces-nothing',
      and((chain) => chain.installNext({ authorization: chain.record(chain.authorization({ policy_version: 2, policy_digest: digestB })) })),
      'to replace nothing, and the install replaces something',
      { trust: trustOf() },
    ),
    chainCase('authorization-later', 'that is recorded behind the install (LED-14)', afterInstall(), {
      axes: timelineFails,
      problems: [fails('timeline', 'authorization-differs', 1)],
    }),
    differs(
      'authorization-is-approval',
      authorizedBy((chain) => chain.approval(hashOf('b'))),
      'An approval in its place',
    ),
    differs('authorization-is-decision', ofDecision(), 'A decision in its place', { trust: trustOf() }),
    differs(
      'authorization-unasked',
      authorizedBy((chain) => chain.authorization({ policy_version: 2 })),
      'for another version, though nobody asks for one',
      {
        trust: trustOf(),
      },
    ),
    chainCase(
      'authorization-other-chain',
      'An authorization in the chain of another engine (LED-14)',
      otherChain(),
      { axes: timelineFails, problems: [fails('timeline', 'authorization-differs', 1)] },
      { kind: 'file', require: ['order', 'timeline', 'approvals'], trust: trustOf({ installer: { engine_ids: ['engine-a', 'engine-b'] } }) },
    ),
    badly(
      'authorization-key-unknown',
      authorizedBy((chain) => chain.authorization({}, strangerKey)),
      'by a key that is in no trust store',
      {
        axes: '+.- .. -.. .',
        problems: [fails('key-trust', 'key-unknown', 1), atInstall],
      },
    ),
    badly('authorization-signature', authorizedBy(signedAsOther), 'with a wrong signature', {
      axes: '+-. .. -.. .',
      problems: [fails('signature', 'signature-invalid', 1), atInstall],
    }),
    badly(
      'authorization-key-role',
      authorizedBy((chain) => chain.authorization({}, approverKey)),
      'by an approver',
      {
        axes: '++- +. -.. +',
        problems: [fails('key-trust', 'key-role', 1), atInstall],
      },
    ),
    badly(
      'authorization-key-expired',
      authorizedBy((chain) => chain.authorization({ time: startTime })),
      'by a key that had expired when it was recorded',
      { axes: '++- +. -.. +', problems: [fails('key-trust', 'key-expired', 1), atInstall] },
      { trust: trustOf({ installer: { valid_until: startTime + 1 } }) },
    ),
    chainCase(
      'authorization-twice-recorded',
      'Recorded with a wrong signature first, and then with its own: the hash is that of both (LED-14, RCP-4)',
      twiceRecorded((chain) => [signedAsOther(chain), chain.authorization()]),
      { flags: ['rests'], axes: signatureFails, problems: [fails('signature', 'signature-invalid', 1)] },
    ),
    chainCase(
      'authorization-twice-recorded-good-first',
      'and in the other order (LED-14, RCP-4)',
      twiceRecorded((chain) => [chain.authorization(), signedAsOther(chain)]),
      { flags: ['rests'], axes: signatureFails, problems: [fails('signature', 'signature-invalid', 2)] },
    ),
  ];
}

function afterInstall(): readonly string[] {
  const chain = new Chain();
  chain.genesis();
  const authorization = new Chain().authorization();
  chain.install({ authorization: hashOfReceipt(authorization) });
  chain.record(authorization);
  return chain.entries;
}

function ofDecision(): readonly string[] {
  return and((chain) => chain.installNext({ authorization: chain.hash(2) }));
}

function otherChain(): readonly string[] {
  const other = new Chain({ engine: 'engine-b', key: otherKey });
  other.genesis();
  const authorization = other.record(other.authorization());
  const chain = new Chain();
  chain.genesis();
  chain.install({ authorization });
  return [...other.entries, ...chain.entries];
}

/** 0 genesis, 1 and 2 records of one authorization, 3 install. */
function twiceRecorded(made: (chain: Chain) => readonly string[]): readonly string[] {
  const chain = new Chain({ step: 0 });
  chain.genesis();
  const [first, second] = made(chain) as [string, string];
  chain.record(first);
  chain.install({ authorization: chain.record(second) });
  return chain.entries;
}

export function citations(): readonly Case[] {
  const cites = (id: string, said: Said, code: string, comment: string, flags: readonly string[] = []): Case =>
    wrong(
      id,
      and((chain) => chain.decide(said)),
      code,
      comment,
      { flags },
    );
  const unjudged: Said = { actions: [], decision: { effect: 'deny', reason: 'fault' } };
  return [
    wrong(
      'cites-before-install',
      and((chain) => chain.decide(), begun()),
      'policy-before-install',
      'A decision cites a policy before any install',
    ),
    wrong(
      'cites-next-before-install',
      and((chain) => chain.decide(citesB)),
      'version-differs',
      'A decision cites the next policy before its install: the version is named',
      {
        flags: ['order', 'with-key'],
      },
    ),
    wrong(
      'cites-old-after-install',
      and((chain) => chain.decide(), next()),
      'version-differs',
      'A decision cites the policy that was replaced',
      { flags: ['order'] },
    ),
    cites('cites-other-version', { policy_version: 2 }, 'version-differs', 'Another version with the digest in force'),
    cites('cites-next-digest', { policy_digest: digestB }, 'digest-differs', 'The digest of the next policy', ['with-key']),
    cites('cites-no-digest', { policy_digest: undefined }, 'digest-missing', 'The digest is left off', ['with-key']),
    cites('cites-no-profile', { match_profile: undefined }, 'profile-missing', 'The match profile is left off'),
    cites('cites-other-profile', { match_profile: 'ruleprint-match/2' }, 'profile-differs', 'Another match profile'),
    cites(
      'cites-digest-and-profile',
      { policy_digest: undefined, match_profile: 'ruleprint-match/2' },
      'digest-missing',
      'Digest and profile are wrong: the digest is named',
      ['order'],
    ),
    cites('cites-nothing', { ...refuses, ...noPolicy }, 'no-policy-after-install', '"no-policy" after an install', ['with-key']),
    cites('cites-nothing-fault', { ...unjudged, ...noPolicy }, 'version-differs', 'A call that could not be judged cites nothing, and a policy is in force'),
    cites(
      'cites-nothing-unmapped',
      { ...unjudged, decision: { effect: 'deny', reason: 'unmapped' }, ...noPolicy },
      'version-differs',
      'nor does one that no mapping knows',
    ),
    chainCase(
      'cites-digest-of-none',
      'A digest where the install has none (LED-14)',
      and((chain) => chain.decide({ match_profile: undefined }), withoutDigest()),
      { flags: ['no-digest'], axes: timelineFails, problems: [fails('timeline', 'digest-differs', 2)] },
    ),
    chainCase(
      'cites-profile-of-none',
      'A match profile where the install has none (LED-14)',
      and((chain) => chain.decide({ policy_digest: undefined }), withoutDigest()),
      { flags: ['no-digest'], axes: timelineFails, problems: [fails('timeline', 'profile-differs', 2)] },
    ),
    chainCase(
      'cites-twice-wrong',
      'Each decision is judged for itself (LED-14)',
      and((chain) => {
        chain.decide({ policy_digest: undefined });
        chain.decide();
        chain.decide({ policy_digest: digestB });
      }),
      { flags: ['several'], axes: timelineFails, problems: [fails('timeline', 'digest-missing', 3), fails('timeline', 'digest-differs', 5)] },
    ),
    chainCase(
      'cites-unasked',
      'The timeline fails though nobody gives policies (LED-14, RCP-24)',
      and((chain) => chain.decide({ policy_digest: undefined })),
      { axes: timelineFails, problems: [fails('timeline', 'digest-missing', 3)] },
      { policies: null, require: null },
    ),
  ];
}

function begun(): Chain {
  const chain = new Chain();
  chain.genesis();
  return chain;
}

function next(): Chain {
  const chain = shortChain();
  chain.installNext();
  return chain;
}

export function reDecisions(): readonly Case[] {
  const decided = (id: string, said: Said, answer: Answer, comment: string, asked: Asked = {}): Case =>
    chainCase(
      id,
      `${comment} (LED-15)`,
      and((chain) => chain.decide(said)),
      answer,
      asked,
    );
  const differs: Answer = { axes: reDecisionFails, problems: [fails('re-decision', 'decision-differs', 3)] };
  const otherPath: Json = { filesystem: { path: '/srv/x/../a.txt', method: 'read' } };
  return [
    decided(
      'made-other-effect',
      { decision: { effect: 'deny', rule: 'read-srv', action: 0 } },
      { ...differs, flags: ['with-key'] },
      'A decision with the other effect',
    ),
    decided('made-other-rule', { decision: { effect: 'ask', rule: 'ask-write', action: 0 } }, differs, 'by a rule that does not match'),
    decided('made-allowed', { actions: [keysAction] as never }, differs, 'that allows what a rule denies'),
    decided('made-denied', { decision: { effect: 'deny', action: 0, reason: 'no-rule' } }, differs, 'that denies what a rule allows'),
    decided('made-other-agent', { agent: 'stranger' }, differs, 'for an agent that the rule is not about'),
    decided(
      'made-not-canonical',
      { actions: [otherPath] as never },
      { axes: reDecisionFails, problems: [fails('re-decision', 'action-not-canonical', 3)] },
      'of an action that is not canonical',
    ),
    chainCase(
      'made-by-old-rules',
      'What the first policy asked, the second has no rule for: each decision is made again by its own (LED-15)',
      and((chain) => {
        chain.ask();
        chain.installNext();
        chain.decide({ ...asks, ...citesB, args_digest: undefined });
      }),
      { axes: reDecisionFails, problems: [fails('re-decision', 'decision-differs', 5)] },
    ),
    chainCase('made-under-other-profile', 'Install and decision have a match profile that is not known (LED-15, RCP-23)', otherProfile(), {
      axes: '+++ +. ++. +',
      problems: [open('re-decision', 'profile-unknown', 2)],
    }),
    decided(
      'made-policy-missing',
      {},
      { axes: '+++ +. +.. +', flags: ['several'], problems: [open('rules', 'policy-missing', 2), open('rules', 'policy-missing', 3)] },
      'No policy at hand has the digest',
      { policies: [policyB] },
    ),
    chainCase(
      'made-policy-missing-later',
      'The policy of the second install is not at hand (LED-15)',
      and((chain) => {
        chain.installNext();
        chain.decide(citesB);
      }),
      { axes: '+++ +. +.. +', problems: [open('rules', 'policy-missing', 4)] },
      { policies: [policyA] },
    ),
    chainCase(
      'made-policies-empty',
      'An empty list of policies asks all the same (RCP-22, LED-15)',
      shortChain().entries,
      { axes: '+++ +. +.. +', problems: [open('rules', 'policy-missing', 2)] },
      { policies: [] },
    ),
    chainCase(
      'made-nothing-to-make',
      'Only decisions are asked for their rules: an install whose policy is not at hand is not (LED-15)',
      begunWithInstall(),
      { axes: passes },
      { policies: [] },
    ),
  ];
}

function otherProfile(): readonly string[] {
  const chain = new Chain();
  chain.genesis();
  chain.install({ match_profile: 'ruleprint-match/2' });
  chain.decide({ match_profile: 'ruleprint-match/2' });
  return chain.entries;
}

function begunWithInstall(): readonly string[] {
  const chain = new Chain();
  chain.genesis();
  chain.install();
  return chain.entries;
}
