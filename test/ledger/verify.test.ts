import { describe, expect, it } from 'vitest';
import { policyDigest, type Policy, type Report } from '../../src/index.js';
import { argsDigest } from '../../src/digest/args-digest.js';
import { createMapper } from '../../src/mapping/mapper.js';
import { copyPolicy } from '../../src/policy/copy.js';
import { matchProfile } from '../../src/policy/model.js';
import { verifyLedger, type VerifyLedgerOptions } from '../../src/ledger/verify.js';
import { ChainKit, folderOf, keys, ledgerId, startTime, trustOf } from './chain-kit.js';

const rule = (name: string, effect: 'allow' | 'ask' | 'deny', tool: string): Policy['rules'][number] => ({
  name,
  effect,
  agents: 'any',
  action: { tool: { server: 'files', name: tool } },
});
const first = copyPolicy({ version: 1, rules: [rule('read', 'allow', 'read'), rule('write', 'ask', 'write')] });
const second = copyPolicy({ version: 2, rules: [rule('read', 'allow', 'read'), rule('write', 'deny', 'write')] });
const cites = (policy: Policy) => ({ policy_version: policy.version, policy_digest: policyDigest(policy), match_profile: matchProfile });
const allowed = { decision: { effect: 'allow', rule: 'read', action: 0 } };
const args = `sha256:${'a'.repeat(64)}`;
const asked = { actions: [{ tool: { name: 'write', server: 'files' } }], decision: { effect: 'ask', rule: 'write', action: 0 }, args_digest: args };

/** What differs from a good ledger. */
interface Changes {
  readonly decision?: Record<string, unknown>;
  readonly decisionKey?: typeof keys.engine;
  readonly approval?: Record<string, unknown>;
  readonly release?: (hashes: { ask: string; approval: string }) => Record<string, unknown>;
  readonly twice?: boolean;
  readonly releaseFirst?: boolean;
  readonly secondInstall?: Record<string, unknown>;
  readonly late?: Record<string, unknown>;
}

/** 0 genesis, 1 no-policy, 2 install, 3 allow, 4 ask, 5 approval, 6 release, 7 install, 8 allow. */
function ledger(changes: Changes = {}): ChainKit {
  const chain = new ChainKit();
  chain.genesis();
  chain.decision({ decision: { effect: 'deny', reason: 'no-policy' } });
  chain.install(first);
  chain.decision({ ...allowed, ...cites(first), ...changes.decision }, changes.decisionKey);
  const ask = chain.decision({ ...asked, ...cites(first) });
  const approvalOf = () =>
    chain.record(
      { statement: 'approval', ask, args_digest: args, approved: true, expires: startTime + 1000, approver: 'someone', ...changes.approval },
      keys.approver,
    );
  const release = changes.release ?? ((hashes: { ask: string; approval: string }) => hashes);
  if (changes.releaseFirst) chain.add({ statement: 'release', ask, approval: `sha256:${'0'.repeat(64)}` });
  const approval = approvalOf();
  if (!changes.releaseFirst) chain.add({ statement: 'release', ...release({ ask, approval }) });
  if (changes.twice) {
    const again = chain.decision({ ...asked, ...cites(first) });
    chain.add({ statement: 'release', ask: again, approval });
  }
  chain.install(second, { replaces: policyDigest(first), ...changes.secondInstall });
  chain.decision({ ...allowed, ...cites(second), ...changes.late });
  return chain;
}

function verify(chain: ChainKit, options: Partial<VerifyLedgerOptions> = {}): Report {
  return verifyLedger([chain.source([first, second])], { trust: trustOf(), ...options });
}

function failures(report: Report): readonly string[] {
  return report.problems.filter(({ status }) => status === 'fail').map(({ axis, code, where }) => `${axis} ${code} @${where.seq ?? '-'}`);
}

function failedAxes(report: Report): readonly string[] {
  return Object.entries(report.axes)
    .filter(([, answer]) => answer.status === 'fail')
    .map(([axis]) => axis);
}

describe('a ledger with two installs, an ask, its approval and its release', () => {
  it('passes on every axis that is asked, with a checkpoint on completeness too', () => {
    const chain = ledger();
    const report = verify(chain, { checkpoints: [{ file: 'checkpoint.cbor', bytes: chain.checkpoint(6) }], require: ['approvals', 'timeline'] });
    expect(report.problems).toEqual([]);
    expect(report.ok).toBe(true);
    expect(report.axes.completeness).toEqual({ status: 'pass', reason: 'up to seq 6; the 2 beyond are not checked' });
    for (const axis of ['bytes', 'signature', 'key-trust', 'order', 'timeline', 'rules', 're-decision', 'approvals'] as const)
      expect(report.axes[axis].status).toBe('pass');
  });

  it('says that completeness is not checked without a checkpoint, since a count alone proves nothing (LED-13)', () => {
    const report = verify(ledger());
    expect(report.ok).toBe(true);
    expect(report.axes.completeness.status).toBe('not-checked');
  });

  it('notes a time that steps back and fails nothing, because order comes from seq and prev (LED-11)', () => {
    const report = verify(ledger({ decision: { time: startTime - 3_600_000 } }));
    expect(report.ok).toBe(true);
    expect(report.problems.map(({ code, status }) => [code, status])).toEqual([['time-back', 'note']]);
  });
});

describe('without the engine key', () => {
  const without = (entries: readonly Uint8Array[], at: number) => entries.filter((_, i) => i !== at);
  const entries = ledger().entries;
  const check = (changed: readonly Uint8Array[], options: Partial<VerifyLedgerOptions> = {}) =>
    verifyLedger([folderOf(changed, [first, second])], { trust: trustOf(), ...options });

  it('fails on order where one entry is removed in the middle', () => {
    const report = check(without(entries, 3));
    expect(failures(report)).toEqual(['order seq-gap @4']);
    expect(failedAxes(report)).toEqual(['order']);
  });

  it('fails on order where two entries are swapped', () => {
    const swapped = entries.map((entry, i) => (i === 3 ? entries[4] : i === 4 ? entries[3] : entry) as Uint8Array);
    expect(failedAxes(check(swapped))).toEqual(['order']);
    expect(failures(check(swapped))).toEqual(['order seq-gap @4', 'order seq-repeat @3', 'order seq-gap @5']);
  });

  it('fails on completeness where the tail is cut and a checkpoint names it', () => {
    const checkpoint = { file: 'checkpoint.cbor', bytes: ledger().checkpoint(8) };
    const report = check(entries.slice(0, 7), { checkpoints: [checkpoint] });
    expect(failures(report)).toEqual(['completeness checkpoint-beyond @-']);
    expect(failedAxes(report)).toEqual(['completeness']);
  });

  it('fails on completeness where everything is gone', () => {
    const report = check([], { checkpoints: [{ file: 'checkpoint.cbor', bytes: ledger().checkpoint(8) }] });
    expect(failures(report)).toEqual(['completeness checkpoint-beyond @-']);
    expect(report.ok).toBe(false);
  });

  it('fails on completeness where an expected engine has no entry', () => {
    expect(failures(check(entries, { expectEngines: ['engine-a', 'engine-z'] }))).toEqual(['completeness engine-missing @-']);
  });
});

describe('with the engine key', () => {
  const checkpointed = (chain: ChainKit, from: ChainKit, seq: number) =>
    verify(chain, { checkpoints: [{ file: 'checkpoint.cbor', bytes: from.checkpoint(seq) }] });

  it('fails on completeness where an entry is left out and the rest is signed again', () => {
    const chain = new ChainKit();
    chain.genesis();
    chain.install(first);
    chain.decision({ ...allowed, ...cites(first) });
    chain.decision({ ...allowed, ...cites(first) });
    expect(failures(checkpointed(chain, ledger(), 3))).toEqual(['completeness checkpoint-differs @-']);
  });

  it('fails on completeness where the folder is emptied and begun anew', () => {
    const chain = new ChainKit();
    chain.genesis(new Uint8Array(16).fill(9));
    chain.decision({ decision: { effect: 'deny', reason: 'no-policy' } });
    const report = checkpointed(chain, ledger(), 1);
    expect(failures(report)).toEqual(['completeness checkpoint-ledger @-']);
  });

  const one: readonly [string, Changes, readonly string[]][] = [
    ['a decision with the other effect', { decision: { decision: { effect: 'deny', rule: 'read', action: 0 } } }, ['re-decision decision-differs @3']],
    ['a decision that cites the next policy', { decision: { policy_digest: policyDigest(second) } }, ['timeline digest-differs @3']],
    ['a decision with the digest left off', { decision: { policy_digest: undefined } }, ['timeline digest-missing @3']],
    ['a decision with the profile left off', { decision: { match_profile: undefined } }, ['timeline profile-missing @3']],
    ['a decision under another version', { decision: { policy_version: 2 } }, ['timeline version-differs @3']],
    ['a decision by the key of another engine', { decisionKey: keys.other }, ['key-trust key-engine @3']],
    [
      'a no-policy after an install',
      { late: { policy_version: undefined, policy_digest: undefined, match_profile: undefined, decision: { effect: 'deny', reason: 'no-policy' } } },
      ['timeline no-policy-after-install @8'],
    ],
    ['an approval used twice', { twice: true }, ['approvals approval-again @8']],
    ['a release before its approval', { releaseFirst: true }, ['approvals approval-missing @5']],
    ['an approval that says no', { approval: { approved: false } }, ['approvals approval-refused @6']],
    ['an approval that has expired', { approval: { expires: startTime + 1 } }, ['approvals approval-expired @6']],
    ['an approval for other arguments', { approval: { args_digest: `sha256:${'b'.repeat(64)}` } }, ['approvals approval-differs @6']],
    ['a release of a decision that asked nobody', { release: ({ approval }) => ({ ask: `sha256:${'c'.repeat(64)}`, approval }) }, ['approvals ask-missing @6']],
    ['an install that names another digest as replaced', { secondInstall: { replaces: policyDigest(second) } }, ['timeline install-replaces @7']],
    ['an install that does not rise', { secondInstall: { policy_version: 1 } }, ['timeline install-not-rising @7', 'timeline version-differs @8']],
  ];
  it.each(one)('fails on the right axis with its own code: %s', (_, changes, expected) => {
    const report = verify(ledger(changes), { require: ['approvals'] });
    expect(failures(report)).toEqual(expected);
    expect(report.ok).toBe(false);
    expect(new Set(failedAxes(report)).size).toBe(new Set(expected.map((line) => line.split(' ')[0])).size);
  });

  it('fails on key trust where a revoked key dates a receipt back, since the time of the chain has passed the revocation (LED-12)', () => {
    const trust = trustOf({ engine: { revoked_at: startTime + 5 } });
    const report = verify(ledger({ late: { time: startTime + 1 } }), { trust });
    expect(failures(report).at(-1)).toBe('key-trust key-revoked @8');
  });

  it('leaves key trust open for a key revoked later, and passes what a checkpoint from before pins (LED-12)', () => {
    const trust = trustOf({ engine: { revoked_at: startTime + 1_000_000 } });
    const open = verify(ledger(), { trust });
    expect(open.axes['key-trust']).toMatchObject({ status: 'not-checked', code: 'key-revoked-later' });
    expect(open.ok).toBe(false);
    const chain = ledger();
    const pinned = verify(chain, { trust, checkpoints: [{ file: 'c', bytes: chain.checkpoint(8) }] });
    expect(pinned.ok).toBe(true);
    const tooLate = verify(chain, { trust, checkpoints: [{ file: 'c', bytes: chain.checkpoint(8, { time: startTime + 2_000_000 }) }] });
    expect(tooLate.axes['key-trust'].status).toBe('not-checked');
  });

  it('asks for an authorization where the trust store does, and takes one that agrees (LED-14)', () => {
    const trust = trustOf({}, { require_installer: true });
    expect(failures(verify(ledger(), { trust }))).toEqual(['timeline install-unauthorized @2', 'timeline install-unauthorized @7']);
    const chain = new ChainKit();
    chain.genesis();
    const authorization = chain.record({ statement: 'authorization', policy_version: 1, policy_digest: policyDigest(first) }, keys.installer);
    chain.install(first, { authorization });
    expect(failures(verify(chain, { trust }))).toEqual([]);
    const other = new ChainKit();
    other.genesis();
    const wrong = other.record({ statement: 'authorization', policy_version: 1, policy_digest: policyDigest(second) }, keys.installer);
    other.install(first, { authorization: wrong });
    expect(failures(verify(other, { trust }))).toEqual(['timeline authorization-differs @2']);
  });

  it('refuses to record a statement of the engine or about another one (LED-2)', () => {
    const chain = new ChainKit();
    chain.genesis();
    chain.record({ statement: 'genesis', ledger_id: ledgerId, seq: 0 }, keys.engine);
    chain.record({ statement: 'checkpoint', engine_id: 'engine-z', ledger_id: ledgerId, seq: 0, receipt_hash: args }, keys.auditor);
    expect(failures(verify(chain))).toEqual(['bytes record-kind @1', 'bytes record-engine @2']);
  });

  it('counts a checkpoint that is recorded in the chain', () => {
    const chain = ledger();
    chain.add({ statement: 'record', recorded: chain.checkpoint(8) });
    expect(verify(chain).axes.completeness).toEqual({ status: 'pass', reason: 'up to seq 8; the 1 beyond are not checked' });
  });
});

describe('the axis mapping of a ledger (MAP-19, MAP-20)', () => {
  const mapper = createMapper({ format: 'ruleprint-mapping/1', tools: { read: { actions: [] } } }, { server: 'files' });
  const call = { tool: 'read', args: { path: '/a' } };
  const mapped = { decision: { mapping: mapper.digest, args_digest: argsDigest(call.args) }, late: { mapping: mapper.digest, args_digest: argsDigest({}) } };
  const mapping = (chain: ChainKit, ...calls: readonly { tool: string; args: object }[]): Report => verify(chain, { mappings: [mapper], calls });

  it('is asked where mappings and calls are given, and says of how many decisions it is open', () => {
    const report = mapping(ledger(mapped), call);
    expect(report.asked).toContain('mapping');
    expect(report.ok).toBe(false);
    // no-policy and the ask name no mapping; the call of the last decision is not at hand
    expect(report.axes.mapping).toMatchObject({ status: 'not-checked' });
    expect(report.problems.filter(({ axis }) => axis === 'mapping')).toMatchObject([{ code: 'args-missing', where: { seq: 8 } }]);
  });

  it('fails where the actions are others, and rests on the signature', () => {
    const forged = ledger({
      ...mapped,
      decision: { ...mapped.decision, actions: [{ tool: { name: 'read', server: 'files' } }, { process: { argv: ['x'] } }] },
    });
    expect(mapping(forged, call, { tool: 'read', args: {} }).axes.mapping).toMatchObject({ status: 'fail', code: 'actions-differ' });
    const byNobody = ledger({ ...mapped, decisionKey: keys.auditor });
    expect(mapping(byNobody, call, { tool: 'read', args: {} }).axes.mapping).toMatchObject({ status: 'not-checked' });
  });
});
