/**
 * Claims of a harness, each held against the decision that it cites (FND-23 to FND-28).
 * @module
 */
import { argsDigest } from '../../../src/digest/args-digest.js';
import { reportedId } from '../../../src/receipt/finding-ids.js';
import type { Case } from '../kit.js';
import {
  chainCase,
  engineKey,
  fails,
  harnessKey,
  hashOf,
  hashOfReceipt,
  keyTrustFails,
  keyUnknown,
  noPolicy,
  otherKey,
  type Said,
  signatureFails,
  statementFails,
  strangerKey,
  trusted,
  trustOf,
  verified,
} from '../ledger/chain.js';
import { argsHash, cites, type Claim, type Effect, findingsFail, harness, holds, policy, rawArgs, Run, run } from './run.js';

/** A decision of one effect at seq 2 and a finding about it at seq 3, which is bad in one way. */
function bad(id: string, comment: string, code: string, effect: Effect, claim: Claim): Case {
  const chain = new Run([effect]);
  chain.take(chain.finding(2, effect, claim));
  return run(id, comment, chain, { axes: findingsFail, problems: [fails('findings', code, 3)] });
}

export function acceptance(): readonly Case[] {
  const whole = new Run(['allow', 'deny']);
  whole.take(whole.finding(2, 'allow'));
  whole.take(whole.finding(3, 'deny', { test: 'exfil:everything' }));
  whole.take(whole.finding(2, 'allow', { test: 'use:export', expected: 'allow' }));
  const misreported = new Run(['allow']);
  misreported.take(misreported.finding(2, 'allow', { expected: 'allow', actual: 'deny' }));
  const ghost = new Run(['allow']);
  ghost.take(ghost.finding(2, 'allow', { cited: hashOf('9') }));
  const open = new Run(['allow']);
  open.take(open.finding(2, 'allow', { verdict: 'probable' }));
  const again = new Run(['allow']);
  again.take(again.finding(2, 'allow'));
  again.take(again.finding(2, 'allow'));
  const flags = ['acceptance'];
  return [
    run(
      'finding-acceptance-1',
      'A run over the gate: a confirmed, a refuted and an expected_pass finding verify offline as one chain (FND-23 to FND-28)',
      whole,
      {
        axes: holds,
        flags,
      },
    ),
    run('finding-acceptance-2', 'A finding that misreports the decision of the gate (FND-25)', misreported, {
      axes: findingsFail,
      problems: [fails('findings', 'cited-misreported', 3)],
      flags,
    }),
    run('finding-acceptance-3', 'A finding that cites a receipt not in the chain (FND-24)', ghost, {
      axes: findingsFail,
      problems: [fails('findings', 'cited-missing', 3)],
      flags,
    }),
    run('finding-acceptance-4', 'The vocabulary of verdicts is closed: what emission refuses is no statement (FND-22, RCP-19)', open, {
      axes: statementFails,
      problems: [fails('bytes', 'bad-value', 3)],
      flags,
    }),
    run('finding-acceptance-5', 'The same harness, test and receipt twice have one id, and both hold (FND-26)', again, { axes: holds, flags }),
  ];
}

export function good(): readonly Case[] {
  const about = (id: string, comment: string, effect: Effect, claim: Claim, said: Said = {}): Case => {
    const chain = new Run([]);
    chain.decideTool(effect, said);
    chain.take(chain.finding(2, effect, claim));
    return run(id, comment, chain, { axes: holds });
  };
  const pairs = (['allow', 'ask', 'deny'] as const).flatMap((expected) => (['allow', 'ask', 'deny'] as const).map((actual) => [expected, actual] as const));
  const salted = (id: string, comment: string, raw: Parameters<typeof argsDigest>[0], salt: string | undefined, code?: string): Case => {
    const chain = new Run([]);
    chain.decideTool('allow', { args_digest: argsDigest(rawArgs, 'pepper') });
    chain.take(chain.finding(2, 'allow', { args: argsDigest(rawArgs, 'pepper'), over: { args_salt: salt } }));
    const problems = code === undefined ? [] : [fails('findings', code, 3)];
    const args = [{ receipt: chain.hash(2), arguments: raw as never }];
    return run(id, comment, chain, { axes: code === undefined ? holds : findingsFail, problems, flags: ['salted'] }, { args });
  };
  const plain = new Run(['allow']);
  plain.take(plain.finding(2, 'allow'));
  const bare = new Run([], {});
  bare.entries.length = 1;
  bare.install({ ...cites, policy_digest: undefined, match_profile: undefined });
  bare.decideTool('allow', { policy_digest: undefined, match_profile: undefined });
  bare.take(bare.finding(2, 'allow', { policy: '' }));
  const before = new Run([], {});
  before.entries.length = 1;
  before.decideTool('deny', { decision: { effect: 'deny', reason: 'no-policy' }, ...noPolicy });
  before.take(before.finding(1, 'deny', { policy: '' }));
  const none = new Run(['allow']);
  return [
    ...pairs.map(([expected, actual]) => about(`finding-${expected}-${actual}`, `Expected ${expected}, decided ${actual} (FND-27)`, actual, { expected })),
    about('finding-note', 'A note (FND-22)', 'allow', { over: { note: 'seen twice' } }),
    about(
      'finding-other-actions',
      'The tool is the first tool action, whatever stands around it (FND-25)',
      'allow',
      { tool: 'export' },
      {
        actions: [{ tool: { server: 'crm', name: 'export' } }, { tool: { server: 'crm', name: 'other' } }] as never,
      },
    ),
    about('finding-observed', 'A decision that was only observed is a decision (FND-24)', 'deny', {}, { enforced: false }),
    run(
      'finding-args-derived',
      'The digest follows from the raw arguments (FND-25)',
      plain,
      { axes: holds },
      { args: [{ receipt: plain.hash(2), arguments: rawArgs }] },
    ),
    run(
      'finding-args-of-another',
      'Raw arguments of a receipt that no finding cites (FND-25)',
      plain,
      { axes: holds },
      { args: [{ receipt: hashOf('8'), arguments: {} }] },
    ),
    salted('finding-args-salted', 'The digest follows from the raw arguments and the salt (FND-25)', rawArgs, 'pepper'),
    salted('finding-args-no-salt', 'The salt is left out of the finding (FND-25)', rawArgs, undefined, 'args-not-derived'),
    salted('finding-args-other-salt', 'Another salt (FND-25)', rawArgs, 'salt', 'args-not-derived'),
    salted('finding-args-other', 'Other arguments (FND-25)', { to: 'attacker@example.com', rows: 100_001 }, 'pepper', 'args-not-derived'),
    salted('finding-args-no-digest', 'Arguments that have no digest (FND-25, DIG-9)', { rows: 2 ** 53 }, 'pepper', 'args-not-derived'),
    chainCase(
      'finding-no-digest',
      'An engine without a digest: the stable id has none (FND-26)',
      bare.entries,
      { axes: '+++ +. +.. + +', ok: true },
      {
        policies: null,
        trust: trustOf({}, [harness]),
        require: ['findings'],
      },
    ),
    run('finding-no-policy', 'A decision before any policy (FND-26)', before, { axes: holds }),
    run('finding-none', 'A ledger without findings is not checked: whoever asks for them is not answered (FND-28)', none, {
      axes: '+++ +. +++ + .',
      ok: false,
    }),
    verified(
      'finding-alone',
      'A finding that no chain holds (FND-28)',
      [[plain.finding(2, 'allow')]],
      { kind: 'file', policies: null, trust: trustOf({}, [harness]), require: null },
      {
        axes: '+++ .. ... . .',
      },
    ),
  ];
}

export function citations(): readonly Case[] {
  const cited = (id: string, comment: string, code: string, of: (chain: Run) => string): Case => {
    const chain = new Run(['allow']);
    chain.take(chain.finding(2, 'allow', { test: 'first' }));
    chain.take(chain.finding(2, 'allow', { cited: of(chain) }));
    return run(id, comment, chain, { axes: findingsFail, problems: [fails('findings', code, 4)] });
  };
  const other = new Run(['allow'], { engine: 'engine-b', key: otherKey });
  const across = new Run(['allow']);
  across.take(across.finding(2, 'allow', { cited: other.hash(2) }));
  const forged = new Run([]);
  forged.decideTool('allow', {}, strangerKey);
  forged.take(forged.finding(2, 'allow'));
  const wrongRole = new Run([]);
  wrongRole.decideTool('allow', {}, harnessKey);
  wrongRole.take(wrongRole.finding(2, 'allow'));
  return [
    cited('finding-cites-genesis', 'The genesis (FND-24)', 'cited-not-decision', (chain) => chain.hash(0)),
    cited('finding-cites-install', 'An install (FND-24)', 'cited-not-decision', (chain) => chain.hash(1)),
    cited('finding-cites-record', 'The record of another finding (FND-24)', 'cited-not-decision', (chain) => chain.hash(3)),
    cited('finding-cites-finding', 'Another finding, by its own hash (FND-24, LED-2)', 'cited-not-decision', (chain) => {
      const again = new Run(['allow']);
      const first = again.finding(2, 'allow', { test: 'first' });
      if (chain.hash(2) !== again.hash(2)) throw new RangeError('expected two runs to be alike');
      return hashOfReceipt(first);
    }),
    cited('finding-cites-unknown', 'A hash that is nowhere (FND-24)', 'cited-missing', () => hashOf('9')),
    verified(
      'finding-cites-other-chain',
      'A decision of another engine (FND-24)',
      [other.entries, across.entries],
      { policies: [policy], trust: trustOf({}, [harness]), require: ['findings'] },
      { axes: findingsFail, problems: [fails('findings', 'cited-missing', 3)] },
    ),
    run('finding-cites-forged', 'A decision by a key that is not known (FND-24)', forged, {
      axes: `${keyUnknown} -`,
      problems: [fails('key-trust', 'key-unknown', 2), fails('findings', 'cited-missing', 3)],
      flags: ['several'],
    }),
    run('finding-cites-by-harness', 'A decision that the harness made itself (FND-24, LED-3)', wrongRole, {
      axes: `${keyTrustFails} -`,
      problems: [fails('key-trust', 'key-role', 2), fails('findings', 'cited-missing', 3)],
      flags: ['several'],
    }),
  ];
}

export function claims(): readonly Case[] {
  const without = new Run([]);
  without.decideTool('allow', { args_digest: undefined });
  without.take(without.finding(2, 'allow'));
  const noTool = new Run([]);
  noTool.decideTool('deny', { actions: [], decision: { effect: 'deny', reason: 'unmapped' } });
  noTool.take(noTool.finding(2, 'deny'));
  const two = (id: string, comment: string, second: Claim, problems: Case['expect'][string]): Case => {
    const chain = new Run(['allow', 'allow']);
    chain.take(chain.finding(2, 'allow'));
    chain.take(chain.finding(3, 'allow', second));
    const all = problems as readonly ReturnType<typeof fails>[];
    return run(id, comment, chain, { axes: all.length > 0 ? findingsFail : holds, problems: all, ...(all.length > 1 && { flags: ['several'] }) });
  };
  const stolen = reportedId('qm', 'exfil:oversized-export', new Run(['allow']).hash(2));
  const thief = new Run(['allow', 'allow']);
  thief.take(thief.finding(3, 'allow', { test: 'thief', over: { finding_id: stolen } }));
  thief.take(thief.finding(2, 'allow'));
  const everything = new Run(['allow']);
  everything.take(
    everything.finding(2, 'allow', {
      actual: 'deny',
      verdict: 'confirmed',
      tool: 'x',
      args: argsDigest({}),
      over: { finding_id: 'finding_0', stable_id: hashOf('0') },
    }),
  );
  const verdicts: readonly (readonly [Effect, Effect, string])[] = [
    ['deny', 'allow', 'refuted'],
    ['deny', 'allow', 'expected_pass'],
    ['allow', 'deny', 'refuted'],
    ['allow', 'ask', 'expected_pass'],
    ['deny', 'deny', 'confirmed'],
    ['deny', 'deny', 'expected_pass'],
    ['ask', 'ask', 'expected_pass'],
    ['ask', 'ask', 'confirmed'],
    ['allow', 'allow', 'confirmed'],
    ['allow', 'allow', 'refuted'],
  ];
  return [
    bad('finding-says-deny', 'It says deny, the receipt allow (FND-25)', 'cited-misreported', 'allow', { actual: 'deny' }),
    bad('finding-says-ask', 'It says ask, the receipt allow (FND-25)', 'cited-misreported', 'allow', { actual: 'ask' }),
    bad('finding-says-allow', 'It says allow, the receipt deny (FND-25)', 'cited-misreported', 'deny', { actual: 'allow' }),
    bad('finding-says-released', 'It says allow of an ask, whatever became of the call (FND-25)', 'cited-misreported', 'ask', { actual: 'allow' }),
    bad('finding-other-tool', 'Another tool (FND-25)', 'repro-tool-differs', 'allow', { tool: 'exports' }),
    bad('finding-other-server', 'The tool of another server (FND-25)', 'repro-tool-differs', 'allow', { server: 'erp' }),
    bad('finding-joined-tool', 'Server and name are two texts (FND-25)', 'repro-tool-differs', 'allow', { server: 'crme', tool: 'xport' }),
    run('finding-no-tool', 'A decision that has no tool action (FND-25)', noTool, {
      axes: findingsFail,
      problems: [fails('findings', 'repro-tool-differs', 3)],
    }),
    bad('finding-other-args', 'Another digest of arguments (FND-25)', 'repro-args-differ', 'allow', { args: argsDigest({}) }),
    run('finding-no-args', 'The cited receipt has no digest of arguments (FND-25)', without, {
      axes: findingsFail,
      problems: [fails('findings', 'cited-args-missing', 3)],
    }),
    ...verdicts.map(([expected, actual, verdict]) =>
      bad(
        `finding-${verdict.replace('_', '-')}-${expected}-${actual}`,
        `${verdict} with ${expected} expected and ${actual} decided (FND-27)`,
        'verdict-differs',
        actual,
        {
          expected,
          verdict,
        },
      ),
    ),
    two('finding-expects-otherwise', 'Two findings of one test expect different decisions (FND-27)', { expected: 'allow' }, [
      fails('findings', 'expectation-differs', 5),
    ]),
    two('finding-other-test', 'Another test may expect another decision (FND-27)', { test: 'other', expected: 'allow' }, []),
    two('finding-other-harness', 'and so may the same test of another harness (FND-27)', { harness: 'other', expected: 'allow' }, []),
    two('finding-joined-test', 'Harness and test are two texts (FND-26, FND-27)', { harness: 'qme', test: 'xfil:oversized-export', expected: 'allow' }, []),
    bad('finding-id-other', 'An id that does not follow (FND-26)', 'finding-id-differs', 'allow', { over: { finding_id: 'finding_0000000000000000' } }),
    bad('finding-id-long', 'An id of the whole hash (FND-26)', 'finding-id-differs', 'allow', { over: { finding_id: `finding_${'0'.repeat(64)}` } }),
    bad('finding-id-upper-case', 'Upper-case digits (FND-26)', 'finding-id-differs', 'allow', {
      over: { finding_id: `finding_${stolen.slice(8).toUpperCase()}` },
    }),
    two('finding-id-again', 'One id for two inputs (FND-26)', { test: 'thief', over: { finding_id: stolen } }, [
      fails('findings', 'finding-id-differs', 5),
      fails('findings', 'finding-id-again', 5),
    ]),
    run('finding-id-thief-first', 'An id that does not follow takes nothing from the finding that has it rightly (FND-26)', thief, {
      axes: findingsFail,
      problems: [fails('findings', 'finding-id-differs', 4)],
    }),
    bad('finding-stable-other', 'A stable id that does not follow (FND-26)', 'stable-id-differs', 'allow', { over: { stable_id: hashOf('0') } }),
    bad('finding-stable-other-policy', 'A stable id of other rules (FND-26)', 'stable-id-differs', 'allow', { policy: hashOf('0') }),
    bad('finding-stable-no-policy', 'A stable id of no rules (FND-26)', 'stable-id-differs', 'allow', { policy: '' }),
    run('finding-everything', 'All that is wrong is listed (FND-25, FND-26)', everything, {
      axes: findingsFail,
      flags: ['several'],
      problems: ['finding-id-differs', 'cited-misreported', 'repro-tool-differs', 'repro-args-differ', 'stable-id-differs', 'verdict-differs'].map((code) =>
        fails('findings', code, 3),
      ),
    }),
  ];
}

export function keys(): readonly Case[] {
  const by = (key: typeof harnessKey): Run => {
    const chain = new Run(['allow']);
    chain.take(chain.finding(2, 'allow', {}, key));
    return chain;
  };
  const as = (role: string): { trust: ReturnType<typeof trustOf> } => ({ trust: trustOf({}, [trusted(harnessKey, { role })]) });
  const keyFails = `${keyTrustFails} .`;
  const role = (id: string, name: string): Case =>
    run(
      id,
      `A key of the role ${name} (FND-23, LED-3)`,
      by(harnessKey),
      { axes: keyFails, problems: [fails('key-trust', 'key-role', 3)], flags: ['rests'] },
      as(name),
    );
  return [
    role('finding-by-auditor', 'auditor'),
    role('finding-by-approver', 'approver'),
    role('finding-by-installer', 'installer'),
    run('finding-by-engine', 'The engine\u2019s own key: judge and reporter would be one (FND-23)', by(engineKey), {
      axes: `${keyTrustFails} -`,
      problems: [fails('key-trust', 'key-role', 3), fails('findings', 'finding-by-engine', 3)],
      flags: ['several'],
    }),
    run('finding-by-other-engine', 'The key of another engine (FND-23)', by(otherKey), {
      axes: `${keyTrustFails} -`,
      problems: [fails('key-trust', 'key-role', 3), fails('key-trust', 'key-engine', 3), fails('findings', 'finding-by-engine', 3)],
      flags: ['several'],
    }),
    run('finding-by-stranger', 'A key that is not known (FND-23)', by(strangerKey), {
      axes: `${keyUnknown} .`,
      problems: [fails('key-trust', 'key-unknown', 3)],
      flags: ['rests'],
    }),
    run(
      'finding-of-other-engine-harness',
      'A harness that may speak for another engine alone (FND-23, RCP-21)',
      by(harnessKey),
      {
        axes: keyFails,
        problems: [fails('key-trust', 'key-engine', 3)],
        flags: ['rests'],
      },
      { trust: trustOf({}, [trusted(harnessKey, { role: 'harness', engine_ids: ['engine-b'] })]) },
    ),
  ];
}

export function rests(): readonly Case[] {
  const spoiled = new Run(['allow']);
  const finding = spoiled.finding(2, 'allow');
  spoiled.take(`${finding.slice(0, -2)}${finding.endsWith('00') ? '01' : '00'}`);
  const gap = new Run(['allow']);
  gap.add({ statement: 'record', recorded: Uint8Array.from(Buffer.from(gap.finding(2, 'allow', { cited: hashOf('9') }), 'hex')), seq: 5 });
  const other = new Run(['allow']);
  other.take(new Run(['allow'], { engine: 'engine-b', key: otherKey }).finding(2, 'allow'));
  const mixed = new Run(['allow']);
  mixed.take(mixed.finding(2, 'allow'));
  mixed.take(mixed.finding(2, 'allow', { cited: hashOf('9') }));
  mixed.take(mixed.finding(2, 'allow', { test: 'third' }));
  return [
    run('finding-signature-spoiled', 'A finding whose signature is spoiled proves nothing (FND-23)', spoiled, {
      axes: `${signatureFails} .`,
      problems: [fails('signature', 'signature-invalid', 3)],
      flags: ['rests'],
    }),
    run('finding-behind-gap', 'A record that does not follow: the finding in it is not asked (LED-11)', gap, {
      axes: '+++ -. ... . .',
      problems: [fails('order', 'seq-gap', 5)],
      flags: ['rests'],
    }),
    run('finding-about-other-engine', 'A finding about another engine (LED-2)', other, {
      axes: `${statementFails} .`,
      problems: [fails('bytes', 'record-engine', 3)],
    }),
    run('finding-among-others', 'A bad finding among good ones: each is asked (FND-24)', mixed, {
      axes: findingsFail,
      problems: [fails('findings', 'cited-missing', 4)],
    }),
    run(
      'finding-args-by-cited',
      'Raw arguments are named by the receipt that was decided about them (FND-25)',
      mixedArgs(),
      {
        axes: findingsFail,
        problems: [fails('findings', 'args-not-derived', 3)],
      },
      { args: [{ receipt: mixedArgs().hash(2), arguments: {} }] },
    ),
  ];
}

function mixedArgs(): Run {
  const chain = new Run(['allow']);
  chain.take(chain.finding(2, 'allow', { args: argsHash }));
  return chain;
}
