/**
 * `ruleprint findings`: a harness run in a ledger on disk, in three forms, and its exit codes (FND-29).
 * @module
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createSigner } from '../../src/cose/signer.js';
import { argsDigest as digestOfArgs } from '../../src/digest/args-digest.js';
import { citing, emitFinding, type FindingClaim } from '../../src/finding/emit.js';
import { openEngine } from '../../src/ledger/engine.js';
import { openLedger } from '../../src/ledger/open.js';
import type { Effect } from '../../src/policy/model.js';
import { sarifFaults, type SarifLog } from '../finding/github-sarif.js';
import type { Ran } from './cli.js';
import { argsDigest, deploy, type Desk, newDesk, signed } from './ledger-kit.js';

let desk: Desk;
const tool = { server: 'ci', name: 'deploy' };

/** A ledger with one asked call and a finding for each expectation; `change` makes the last one wrong. */
async function write(folder: string, expectations: readonly Effect[], change: Partial<FindingClaim> = {}, key = 'harness'): Promise<void> {
  const ledger = await openLedger(join(desk.cwd, folder), { engineId: 'engine', signer: createSigner(desk.key('engine')) });
  const engine = openEngine({ ledger, policy: JSON.parse(readFileSync(join(desk.cwd, 'policy-1.json'), 'utf8')) });
  const { receipt, event } = engine.decide(deploy, { argsDigest });
  const about = {
    engineId: 'engine',
    citedReceipt: receipt.hash,
    tool,
    argsDigest,
    actualDecision: event.decision.effect,
    policyDigest: event.policyDigest as string,
  };
  for (const [i, expectedDecision] of expectations.entries()) {
    const verdict = expectedDecision === 'ask' ? 'refuted' : 'confirmed';
    const claim: FindingClaim = { ...about, harness: 'qm', testId: `test-${i}`, verdict, expectedDecision, detectedAt: Date.now(), time: Date.now() };
    const isLast = i === expectations.length - 1;
    ledger.record(emitFinding({ ...claim, ...(isLast && change) }, createSigner(desk.key(key))));
  }
  await ledger.close();
}

const findings = (...words: string[]): Promise<Ran> => desk.ran('findings', ...words, '--trust', 'trust.json');

beforeAll(async () => {
  desk = await newDesk();
  expect((await desk.ran('keygen', '--out', 'harness.jwk', '--trust', 'trust.json', '--role', 'harness')).code).toBe(0);
  await write('good', ['deny', 'allow', 'ask']);
  await write('calm', ['ask']);
  await write('lying', ['deny', 'deny'], { actualDecision: 'allow' });
  await write('own', ['deny'], {}, 'engine');
  mkdirSync(join(desk.cwd, '.git'));
}, 60_000);

describe('ruleprint findings', () => {
  it('shows what was confirmed, once it holds against the decisions, and ends with 0 where there are only warnings (FND-29)', async () => {
    const { code, stdout, stderr } = await findings('good');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      [
        '▲ medium   harness.held-back: test `test-1` of `qm`: expected allow, the gate said ask to `release` for `deploy` of `ci` (agent release)',
        '  good/segment-000000000000.cbor',
        '▲ medium   harness.let-through: test `test-0` of `qm`: expected deny, the gate said ask to `release` for `deploy` of `ci` (agent release)',
        '  good/segment-000000000000.cbor',
        '2 findings in 3 finding receipts',
        '',
      ].join('\n'),
    );
  });

  it('ends with 1 where a finding is severe enough', async () => {
    const { code, stdout } = await findings('good', '--fail-on', 'medium');
    expect(code).toBe(1);
    expect(stdout).toContain('blocked by 2 of severity medium or above');
  });

  it('shows what was as expected on demand', async () => {
    expect((await findings('calm')).stdout).toBe('no findings in 1 finding receipt\n');
    expect((await findings('calm', '--all', '--details')).stdout).toContain('harness.as-expected');
  });

  it('holds the same findings as text, as JSON and as SARIF that GitHub takes, at the file that is named', async () => {
    const words = ['good', '--at', 'policy-1.json', '--all'];
    const json = JSON.parse((await findings(...words, '--json')).stdout) as { findings: { id: string }[] };
    const sarif = (await findings(...words, '--format', 'sarif')).stdout;
    const text = (await findings(...words, '--details')).stdout;
    expect(sarifFaults(sarif)).toEqual([]);
    const { results } = (JSON.parse(sarif) as SarifLog).runs[0] as SarifLog['runs'][number];
    expect(json.findings).toHaveLength(3);
    expect(results.map(({ properties }) => properties.ruleprint.id)).toEqual(json.findings.map(({ id }) => id));
    expect([...text.matchAll(/id: (\S+)$/gm)].map(([, id]) => id)).toEqual(json.findings.map(({ id }) => id));
    expect(results[0]?.locations[0]?.physicalLocation?.artifactLocation?.uri).toBe('policy-1.json');
    expect(sarif).not.toContain(desk.cwd);
  });

  it('leaves out a finding that does not hold, names it with its seq and code, and shows the rest (FND-29)', async () => {
    const { code, stdout, stderr } = await findings('lying');
    expect(code).toBe(1);
    expect(stderr).toContain('seq 4 of "engine", byte ');
    expect(stderr).toContain('cited-misreported');
    expect(stdout).toContain('1 finding in 2 finding receipts; 1 left out: not proven\n');
    expect(stdout).toContain('test-0');
    expect(stdout).not.toContain('test-1');
  });

  it('leaves out a finding by the engine itself (FND-23, FND-29)', async () => {
    const { code, stdout, stderr } = await findings('own');
    expect(code).toBe(1);
    expect(stderr).toContain('finding-by-engine');
    expect(stdout).toBe('no findings in 1 finding receipt; 1 left out: not proven\n');
  });

  it('proves nothing by a key that was revoked later, unless a checkpoint pins the entries (FND-29, LED-12)', async () => {
    const trust = JSON.parse(readFileSync(join(desk.cwd, 'trust.json'), 'utf8')) as { keys: { role: string; revoked_at?: number }[] };
    expect((await desk.ran('ledger', 'checkpoint', 'good', '--key', 'auditor.jwk', '--out', 'checkpoint.cbor', '--trust', 'trust.json')).code).toBe(0);
    for (const key of trust.keys) if (key.role === 'harness') key.revoked_at = Date.now() + 3_600_000;
    writeFileSync(join(desk.cwd, 'revoked.json'), JSON.stringify(trust));
    const open = await desk.ran('findings', 'good', '--trust', 'revoked.json');
    expect(open.stdout).toBe('no findings in 3 finding receipts; 3 left out: not proven\n');
    const pinned = await desk.ran('findings', 'good', '--trust', 'revoked.json', '--checkpoint', 'checkpoint.cbor');
    expect(pinned.stdout).toContain('2 findings in 3 finding receipts\n');
  });

  it('leaves out everything where a key is not known', async () => {
    const trust = JSON.parse(readFileSync(join(desk.cwd, 'trust.json'), 'utf8')) as { keys: { role: string }[] };
    writeFileSync(join(desk.cwd, 'less.json'), JSON.stringify({ keys: trust.keys.filter(({ role }) => role !== 'harness') }));
    const { code, stdout } = await desk.ran('findings', 'good', '--trust', 'less.json');
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'no findings in 3 finding receipts; 3 left out: not proven\n' });
  });

  it('ends with 2 on a command line that makes no sense, and with 3 on what cannot be read', async () => {
    expect((await findings('good', '--format', 'xml')).code).toBe(2);
    expect((await findings('good', '--format', 'sarif', '--json')).code).toBe(2);
    expect((await desk.ran('findings', 'good')).code).toBe(2);
    expect((await findings('nowhere')).code).toBe(3);
  });

  it('rests on the axis that `verify` answers', async () => {
    const good = await desk.ran('verify', 'good', '--trust', 'trust.json', '--require', 'findings');
    expect(good.code).toBe(0);
    expect(good.stdout).toContain('findings      pass         3 of 6: expectations unbound, no raw arguments given\n');
    const lying = await desk.ran('verify', 'lying', '--trust', 'trust.json');
    expect(lying.code).toBe(1);
    expect(lying.stdout).toMatch(/cited-misreported: misreports the cited receipt: it says ask, the finding says allow/);
  });

  it('is read by `ledger show` too', async () => {
    const { stdout } = await desk.ran('ledger', 'show', 'good');
    expect(stdout).toContain('finding: confirmed  "qm" "test-0"  expected deny, decided ask');
  });
});

it('signs with the kit what a harness would', () => {
  const receipt = signed(desk.key('engine'), { statement: 'genesis', engine_id: 'engine', time: 0, seq: 0, ledger_id: new Uint8Array(16) });
  expect(() => citing(receipt)).toThrow(/expected a decision/);
});

describe('ruleprint verify --args, with calls that name the receipt about them (FND-25)', () => {
  const args = { to: 'prod' };
  let receipt = '';
  const verify = async (line: object, ...words: string[]): Promise<Ran> => {
    writeFileSync(join(desk.cwd, 'calls.jsonl'), `${JSON.stringify(line)}\n`);
    return desk.ran('verify', 'raw', '--trust', 'trust.json', '--args', 'calls.jsonl', ...words);
  };

  beforeAll(async () => {
    const ledger = await openLedger(join(desk.cwd, 'raw'), { engineId: 'engine', signer: createSigner(desk.key('engine')) });
    const engine = openEngine({ ledger, policy: JSON.parse(readFileSync(join(desk.cwd, 'policy-1.json'), 'utf8')) });
    const digest = digestOfArgs(args, 'salt');
    const decided = engine.decide(deploy, { argsDigest: digest });
    receipt = decided.receipt.hash;
    const about = { engineId: 'engine', citedReceipt: receipt, tool, argsDigest: digest, actualDecision: decided.event.decision.effect };
    const when = { detectedAt: Date.now(), time: Date.now() };
    const claim = { ...about, ...when, policyDigest: decided.event.policyDigest as string, harness: 'qm', testId: 'raw', argsSalt: 'salt' };
    ledger.record(emitFinding({ ...claim, verdict: 'confirmed', expectedDecision: 'deny' }, createSigner(desk.key('harness'))));
    await ledger.close();
  });

  it('makes the digest of a finding again', async () => {
    const { code, stdout } = await verify({ receipt, tool: 'deploy', args });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^findings +pass +.*expectations unbound$/m);
  });

  it('fails findings where the arguments are others, and repeats none of them', async () => {
    const { code, stdout, stderr } = await verify({ receipt, tool: 'deploy', args: { to: 'canary-value' } });
    expect(code).toBe(1);
    expect(stdout).toContain('args-not-derived');
    expect(stdout + stderr).not.toContain('canary-value');
  });

  it('is a wrong use where no call names a receipt and there is no table', async () => {
    expect(await verify({ tool: 'deploy', args })).toMatchObject({ code: 2, stdout: '' });
  });
});
