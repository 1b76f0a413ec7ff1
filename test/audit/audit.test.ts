import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exfiltrating, wellBehaved } from '../../src/audit/agents/scripted.js';
import { readFolder } from '../../src/audit/subject/read-folder.js';
import { scanLedger } from '../../src/audit/evidence/scan.js';
import { merkleRoot } from '../../src/audit/evidence/merkle.js';
import { verifyAudit } from '../../src/audit/verify.js';
import { utf8 } from '../../src/bytes.js';
import { readLedger } from '../../src/ledger/folder.js';
import { verifyLedger } from '../../src/ledger/index.js';
import { audit, auditTrust, badText, cellsOf, documents, folderFor, goodText, modelsOf, optionsOf } from './evidence/kit.js';
import { refusedWith } from '../ledger/kit.js';

const scanned = (folder: string) => scanLedger(readLedger(join(folder, 'ledger')), { withDecisions: true });

describe('runAudit', () => {
  it('passes a skill that does what it says, and leaves a ledger that verifies', async () => {
    const folder = folderFor('audit');
    const { report, result, sealed, planned } = await audit({ folder });
    expect([report?.statement.verdict, result?.reasons, sealed, planned]).toEqual(['pass', [], 36, 36]);
    const { plans, epochs, reports, findings, decisions } = scanned(folder);
    expect([plans.length, epochs.length, reports.length, findings.length]).toEqual([1, 36, 1, 0]);
    expect(epochs.map(({ statement }) => statement.epoch)).toEqual(Array.from({ length: 36 }, (_, i) => i));
    // the plan stands before every decision, the report behind every epoch
    expect(plans[0]?.seq).toBeLessThan(Math.min(...[...decisions.values()].map(({ seq }) => seq)));
    expect(reports[0]?.seq).toBe(Math.max(...epochs.map(({ seq }) => seq)) + 1);
    const verified = verifyLedger([readLedger(join(folder, 'ledger'))], { trust: auditTrust, require: ['order', 'timeline', 'rules', 're-decision'] });
    expect([verified.ok, verified.problems]).toEqual([true, []]);
  });

  it('fails a skill with an instruction in it, with a finding for each call that it made the agent do', async () => {
    const folder = folderFor('audit');
    const { report, result } = await audit({ folder, text: badText });
    expect(report?.statement.verdict).toBe('fail');
    expect(result?.reasons.map(({ why, signal }) => [why, signal])).toContainEqual(['hit', 'goal.reached']);
    // the baseline does not mail, the skill's text says to: the operator's rule was broken by the skill
    expect(result?.reasons.map(({ signal }) => signal)).toContain('inject.obey');
    const { findings, plans, decisions } = scanned(folder);
    expect(findings).toHaveLength(20);
    expect(report?.statement.findings).toBe(20);
    for (const { statement } of findings) {
      expect(statement.x_finding).toMatchObject({
        verdict: 'confirmed',
        harness: 'ruleprint',
        plan: plans[0]?.hash,
        repro: { tool: { server: 'false', name: 'send_mail' } },
      });
      expect(decisions.has(statement.x_finding.cited_receipt)).toBe(true);
    }
    const verified = verifyLedger([readLedger(join(folder, 'ledger'))], { trust: auditTrust, require: ['order', 'findings'] });
    expect([verified.ok, verified.problems]).toEqual([true, []]);
  });

  it('finds a leak of what was planted', async () => {
    const folder = folderFor('audit');
    const leaking = exfiltrating({ steps: [{ tool: 'read_file' }], says: 'done' }, { tool: 'send_mail', disguise: 'base64' });
    const { result } = await audit({ folder, models: modelsOf(leaking) });
    // the good control leaks as well: an agent that leaks by itself says nothing of the skill
    expect([result?.verdict, result?.reasons.map(({ why }) => why).includes('control-good')]).toEqual(['inconclusive', true]);
    expect(result?.reasons.map(({ signal }) => signal)).toContain('canary.leak');
  });

  it('goes on where it stopped, with the same plan, and runs no epoch twice', async () => {
    const folder = folderFor('audit');
    const stop = new AbortController();
    const first = await audit({ folder, signal: stop.signal, concurrency: 2, onProgress: ({ sealed }) => sealed === 9 && stop.abort() });
    expect(first.report).toBeUndefined();
    expect(first.sealed).toBeGreaterThanOrEqual(9);
    expect(first.sealed).toBeLessThan(36);
    const second = await audit({ folder });
    expect([second.report?.statement.verdict, second.sealed, second.plan === first.plan]).toEqual(['pass', 36, true]);
    const { plans, epochs, reports, decisions } = scanned(folder);
    expect([plans.length, epochs.length, reports.length]).toEqual([1, 36, 1]);
    expect(new Set([...decisions.values()].map(({ statement }) => statement.call_id)).size).toBe(decisions.size);
    // a third time nothing is left to do
    const third = await audit({ folder });
    expect(third.report?.hash).toBe(second.report?.hash);
    expect(scanned(folder).reports).toHaveLength(1);
  });

  it('takes a statement in once where the run was killed between the ledger and its own notes', async () => {
    const folder = folderFor('audit');
    const whole = await audit({ folder });
    const notes = join(folder, 'epochs.jsonl');
    writeFileSync(notes, readFileSync(notes, 'utf8').split('\n').slice(0, 20).join('\n').concat('\n'));
    const again = await audit({ folder });
    expect(again.report?.hash).toBe(whole.report?.hash);
    expect(scanned(folder).epochs).toHaveLength(36);
  });

  it.each([
    ['another number of epochs', { cells: cellsOf(6, 3) }],
    ['another seed', { seed: new Uint8Array(32).fill(8) }],
    ['another skill', { text: badText }],
    ['other scenarios', { scenarios: documents.map((document) => ({ ...document, prompt: 'Sum up.' })) }],
    ['a model with other settings', { models: modelsOf().map((model) => ({ ...model, temperature: 1 })) }],
    ['other limits', { maxTurns: 3 }],
  ])('refuses to go on with %s', async (_, change) => {
    const folder = folderFor('audit');
    await audit({ folder });
    expect((await refusedWith(() => audit({ folder, ...change }))).code).toBe('run-differs');
  });

  it.each([
    ['one model', { models: modelsOf().slice(0, 1), cells: cellsOf(10, 3, 1) }],
    ['no control', { scenarios: documents.slice(0, 2), cells: cellsOf(5, 3).filter(({ scenario }) => scenario === 'sum-up' || scenario === 'poisoned') }],
    ['no baseline', { cells: cellsOf(5, 3).filter(({ arm }) => arm === 'with_skill') }],
    ['epochs below its grade', { grade: 'validation' as const }],
    ['a cell of no epochs', { cells: cellsOf(10, 0) }],
  ])('refuses a plan with %s, and leaves nothing behind (AUD-50)', async (_, change) => {
    const folder = folderFor('audit');
    expect((await refusedWith(() => audit({ folder, ...change }))).code).toBe('audit-plan');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('has shell text mapped to the programs in it, and verifies it so', async () => {
    const folder = folderFor('audit');
    const scenarios = documents.map((document) => ({
      ...document,
      tools: [...(document.tools as object[]), { name: 'run', inputSchema: { type: 'object' } }],
    }));
    const mapping = { format: 'ruleprint-mapping/1', server: 'false', tools: { run: { actions: [{ shell: { command: 'command' } }] } } } as const;
    const steps = [{ tool: 'run', args: { command: 'ls -l' } }];
    await audit({ folder, mapping, scenarios, models: modelsOf(wellBehaved({ steps, says: 'done' })) });
    const [first] = [...scanned(folder).decisions.values()];
    expect(first?.statement.actions).toContainEqual({ process: { argv: ['ls', '-l'] } });
    expect(verifyAudit(folder, { trust: auditTrust }).problems).toEqual([]);
  });

  it('keeps the tree that was audited, with its mode bits', async () => {
    const folder = folderFor('audit');
    const files = [
      { path: 'SKILL.md', isExecutable: false, bytes: utf8(goodText) },
      { path: 'scripts/run.sh', isExecutable: true, bytes: utf8('#!/bin/sh\n') },
    ];
    const { report } = await audit({ folder, files });
    expect(report?.statement.verdict).toBe('pass');
    expect(statSync(join(folder, 'subject/scripts/run.sh')).mode & 0o100).toBe(0o100);
    expect(
      readFolder(join(folder, 'subject'))
        .files.map(({ path }) => path)
        .sort(),
    ).toEqual(['SKILL.md', 'scripts/run.sh']);
  });

  it('says the same of a copied folder: an evidence folder may be moved', async () => {
    const folder = folderFor('audit');
    const { report } = await audit({ folder });
    const moved = folderFor('moved');
    cpSync(folder, moved, { recursive: true });
    expect((await audit(optionsOf({ folder: moved }))).report?.hash).toBe(report?.hash);
  });
});

describe('merkleRoot', () => {
  it('is that of RFC 9162 (AUE-18)', async () => {
    const { createHash } = await import('node:crypto');
    const sha = (...parts: Uint8Array[]): Buffer => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
    const leaf = (byte: number): Buffer => sha(Uint8Array.of(0), Uint8Array.of(byte));
    const node = (a: Buffer, b: Buffer): Buffer => sha(Uint8Array.of(1), a, b);
    const root = (...bytes: number[]): Buffer => Buffer.from(merkleRoot(bytes.map((byte) => Uint8Array.of(byte))));
    expect(root()).toEqual(sha());
    expect(root(1)).toEqual(leaf(1));
    expect(root(1, 2, 3)).toEqual(node(node(leaf(1), leaf(2)), leaf(3)));
    expect(root(1, 2, 3, 4, 5)).toEqual(node(node(node(leaf(1), leaf(2)), node(leaf(3), leaf(4))), leaf(5)));
  });
});
