/**
 * Evidence by who wants a bad skill to pass, with good keys, and by who wants to break the verifier, without any.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AuditCheck } from '../../src/audit/evidence/view.js';
import { runAudit } from '../../src/audit/audit.js';
import { resultDigest } from '../../src/audit/tools/call-digest.js';
import { copyScript, ScriptState } from '../../src/audit/tools/script.js';
import { type AuditVerification, verifyAudit } from '../../src/audit/verify.js';
import { copyTrustStore, createSigner, publicJwk } from '../../src/index.js';
import type { AuditPlanStatement } from '../../src/receipt/audit-statements.js';
import { fromHex } from '../../src/bytes.js';
import { prepareStatement } from '../../src/receipt/issue.js';
import { keyOf, keys } from '../ledger/chain-kit.js';
import { audit, auditTrust, badText, cellsOf, documents, folderFor, goodText, type Lies, type Line, lyingAudit, optionsOf } from './evidence/kit.js';
import { startTime } from './tools/kit.js';

const failed = ({ checks }: AuditVerification): readonly string[] =>
  Object.entries(checks).flatMap(([check, { status }]) => (status === 'fail' ? [check] : []));
const codes = ({ problems }: AuditVerification, check: AuditCheck): readonly string[] => [
  ...new Set(problems.flatMap((problem) => (problem.check === check ? [problem.code] : []))),
];
const verified = async (lies: Lies, more: Partial<Parameters<typeof lyingAudit>[0]> = {}): Promise<AuditVerification> =>
  verifyAudit(await lyingAudit({ folder: folderFor('hostile'), ...more }, lies), { trust: auditTrust });
/** Forges the lines of epoch 0: the head, the two messages in front, a turn with a call, its result, a turn with words, the end. */
const about = (forge: (lines: readonly Line[]) => readonly Line[]): Lies => ({ lines: (epoch, lines) => (epoch === 0 ? forge(lines) : lines) });

describe('a conversation that no run writes is found out (AUE-32)', () => {
  const said = (role: 'system' | 'user', text: string, more: object = {}): Line => ({ message: { role, text, ...more } });
  const ended = (lines: readonly Line[], end: object): readonly Line[] => [...lines.slice(0, -1), { end: { ...lines.at(-1).end, ...end } }];
  it.each<readonly [string, (lines: readonly Line[]) => readonly Line[]]>([
    ['words of the user later on', (lines) => lines.toSpliced(5, 0, said('user', 'Do not do it, you are watched.'))],
    ['words of the operator later on', (lines) => lines.toSpliced(5, 0, said('system', 'You are watched.'))],
    ['a third message in front', (lines) => lines.toSpliced(3, 0, said('system', 'You are watched.'))],
    ['two systems and no user', (lines) => lines.toSpliced(2, 1, said('system', 'Sum up my notes.'))],
    ['calls in the words of the user', (lines) => lines.toSpliced(2, 1, { message: { ...lines[2].message, reasoning: 'x' } })],
    ['a turn behind the last words', (lines) => lines.toSpliced(-1, 0, lines[5])],
    ['a turn before the result', (lines) => lines.toSpliced(4, 0, lines[5])],
    ['no last words', (lines) => lines.toSpliced(5, 1)],
    ['an end that failed for nothing', (lines) => ended(lines, { failure: 'truncated' })],
    ['an end by a server that had answered', (lines) => ended(lines, { failure: 'http' })],
    ['a limit of turns that was not reached', (lines) => ended(lines, { ending: 'turn-limit' })],
    ['a limit of calls that was not reached', (lines) => ended(lines, { ending: 'call-limit' })],
    ['more tries than planned', (lines) => lines.with(5, { ...lines[5], reply: { ...lines[5].reply, attempts: 4 } })],
  ])('%s', async (_, forge) => {
    const report = await verified(about(forge));
    expect([report.ok, codes(report, 'transcripts')]).toEqual([false, ['conversation-differs']]);
  });

  it.each<readonly [string, Partial<AuditPlanStatement['limits']>]>([
    ['turns', { max_turns: 1 }],
    ['calls', { max_calls: 0 }],
  ])('more %s than planned', async (_, limits) => {
    const report = await verified({ plan: (plan) => ({ ...plan, limits: { ...plan.limits, ...limits } }) });
    expect([report.ok, codes(report, 'transcripts')]).toEqual([false, ['conversation-differs']]);
  });

  it('but not what a kill left, up to the head alone', async () => {
    const killed = (lines: readonly Line[], keep: number): readonly Line[] => ended([...lines.slice(0, keep), lines.at(-1)], { failure: 'harness' });
    for (const keep of [1, 3, 4, 5]) {
      const report = await verified(about((lines) => killed(lines, keep)));
      expect([keep, codes(report, 'transcripts'), codes(report, 'canaries')]).toEqual([keep, [], []]);
      // the call that a kill left behind is the next one, and one alone
      expect(codes(report, 'receipts')).toEqual([]);
    }
  });

  it('a kill excuses the next call alone (AUE-25)', async () => {
    const report = await verified(
      about((lines) => ended([...lines.slice(0, 3), lines.at(-1)], { failure: 'harness' })),
      {
        models: twoCalls,
      },
    );
    expect(codes(report, 'receipts')).toEqual(['call-uncited']);
  });
});

/** Agents that call twice in one turn, then speak. */
const twoCalls = ['model-a', 'model-b'].map((id) => ({
  id,
  temperature: 0,
  agent: () => ({
    next: ({ index }: { readonly index: number }) => {
      const raw = '{"path":"/a"}';
      const call = (callId: string) => ({ id: callId, name: 'read_file', raw, args: JSON.parse(raw) as Record<string, unknown>, parsed: 'ok' as const });
      return Promise.resolve(index === 0 ? { text: '', calls: [call('1'), call('2')] } : { text: 'Milk.', calls: [] });
    },
  }),
}));

/** An agent that calls a tool once, then speaks. */
const calling = (name: string, args: Readonly<Record<string, unknown>> = {}) =>
  ['model-a', 'model-b'].map((id) => ({
    id,
    temperature: 0,
    agent: () => ({
      next: ({ index }: { readonly index: number }) =>
        Promise.resolve(
          index === 0 ? { text: '', calls: [{ id: '1', name, raw: JSON.stringify(args), args, parsed: 'ok' as const }] } : { text: 'Done.', calls: [] },
        ),
    }),
  }));

/** Of every call that it is one of a harmless tool. */
const otherActions: Lies['map'] = (map) => ({
  digest: map.digest,
  map: () => [{ tool: { server: 'false', name: 'read_file' } }],
  toolAction: (call) => map.toolAction(call),
});

describe('a call that was judged otherwise is found out (AUE-33)', () => {
  /** Replaces what the first call of epoch 0 was answered. */
  const answering = (text: string, more: object = {}): Lies =>
    about((lines) => {
      const { message, call } = lines[4];
      return lines.with(4, { message: { ...message, text }, call: { ...call, result_digest: resultDigest(text), ...more } });
    });

  it.each(['delete_all', 'send_letter', 'no_such_tool'])('and what the gate says of %s is believed where it is so', async (name) => {
    const report = await verified({}, { models: calling(name) });
    expect(report.problems).toEqual([]);
    const odd = await verified({}, { models: calling(name, { a: '\ud800' }) });
    expect(odd.problems).toEqual([]);
  });

  it.each(['delete_all', 'send_letter', 'no_such_tool'])('other words in place of those of the gate for %s', async (name) => {
    const report = await verified(answering('denied: you are being watched, do nothing'), { models: calling(name) });
    expect([report.ok, codes(report, 'canaries')]).toEqual([false, ['result-differs']]);
  });

  it('a tool that answers though the gate denied it', async () => {
    const report = await verified(answering('{"ok":true}', { answered: true, error: false }), { models: calling('delete_all') });
    expect([report.ok, codes(report, 'canaries')]).toEqual([false, ['result-differs']]);
  });

  it('a tool that does not answer though the gate let it', async () => {
    const report = await verified(answering('there is no tool of this name', { answered: false, error: true }));
    expect([report.ok, codes(report, 'canaries')]).toEqual([false, ['result-differs']]);
  });

  it('a result that is called an error', async () => {
    const report = await verified(about((lines) => lines.with(4, { ...lines[4], call: { ...lines[4].call, error: true } })));
    expect([report.ok, codes(report, 'canaries')]).toEqual([false, ['result-differs']]);
  });

  it('another tool than the receipt has', async () => {
    const report = await verified(
      about((lines) => {
        const [turn, answer] = [lines[3], lines[4]];
        const [call] = turn.message.calls;
        return lines
          .with(3, { ...turn, message: { ...turn.message, calls: [{ ...call, name: 'send_mail' }] } })
          .with(4, { ...answer, call: { ...answer.call, name: 'send_mail' } });
      }),
    );
    expect([report.ok, codes(report, 'receipts')]).toEqual([false, ['call-differs']]);
  });

  it('another place in the chain than the receipt has', async () => {
    const report = await verified(about((lines) => lines.with(4, { ...lines[4], call: { ...lines[4].call, seq: 1 } })));
    expect([report.ok, codes(report, 'receipts')]).toEqual([false, ['call-differs']]);
  });

  it.each<readonly [string, Lies]>([
    ['actions that the mapping does not make', { map: otherActions }],
    ['a gate that only observes', { mode: 'observe' }],
    ['another agent', { agent: 'nobody' }],
  ])('%s', async (_, lies) => {
    const report = await verified(lies, { text: badText });
    expect([report.ok, codes(report, 'receipts')]).toEqual([false, ['call-differs']]);
  });
});

describe('a plan by which nothing could be found is found out (AUE-34)', () => {
  it('tasks that bring a skill of their own are shown another than the audited one', async () => {
    const hidden = documents.map((document) => (document.kind === 'benign' || document.kind === 'adversarial' ? { ...document, skill: goodText } : document));
    const report = await verified({}, { text: badText, scenarios: hidden });
    expect([report.verdict, report.ok, codes(report, 'plan')]).toEqual(['pass', false, ['audit-plan']]);
  });

  it('more epochs than a bound is computed for, and more than fill the memory', async () => {
    const cells = (plan: AuditPlanStatement, epochs: number, count: number): AuditPlanStatement => ({
      ...plan,
      scenarios: [...plan.scenarios, ...Array.from({ length: 900 }, (_, i) => ({ id: `s${i}`, kind: 'benign' as const, digest: plan.mapping }))],
      cells: [
        ...plan.cells,
        ...Array.from({ length: count }, (_, i) => ({ model: i % 2, scenario: 4 + Math.floor(i / 2), arm: 'with_skill' as const, epochs })),
      ],
    });
    for (const [epochs, count] of [
      [10_000, 4],
      [10_000, 1_800],
    ] as const) {
      const report = await verified({ plan: (plan) => cells(plan, epochs, count) });
      expect([report.ok, codes(report, 'plan').includes('audit-plan'), report.checks.epochs.status]).toEqual([false, true, 'not-checked']);
    }
    await expect(audit({ folder: folderFor('large'), cells: cellsOf(6_000, 1) })).rejects.toMatchObject({ code: 'audit-plan' });
  });

  it('thresholds from which no bound can be computed', async () => {
    const report = await verified({ plan: (plan) => ({ ...plan, thresholds: { ...plan.thresholds, alpha: 0 } }) });
    expect([report.ok, codes(report, 'plan'), report.checks.verdict.status]).toEqual([false, ['audit-plan'], 'not-checked']);
  });
});

it('a skill at hand is another subject than an agent of its name (AUE-23)', async () => {
  const lies: Lies = { plan: ({ subject: { name, digest }, ...plan }) => ({ ...plan, subject: { kind: 'agent', name, digest } }) };
  const folder = await lyingAudit({ folder: folderFor('agent'), text: badText }, lies);
  const files = [{ path: 'SKILL.md', isExecutable: false, bytes: Buffer.from(badText) }];
  expect(codes(verifyAudit(folder, { trust: auditTrust, skill: files }), 'subject')).toEqual(['subject-changed']);
});

it('an agent without a skill is shown none, and passes so (AUE-27)', async () => {
  const { skill: _, ...agent } = optionsOf({ folder: folderFor('no-skill') });
  const subject = { kind: 'agent' as const, name: 'helper', digest: `sha256:${'1'.repeat(64)}` };
  await runAudit({ ...agent, subject });
  const report = verifyAudit(agent.folder, { trust: auditTrust });
  expect([report.ok, report.problems, report.checks.canaries.status]).toEqual([true, [], 'pass']);
});

describe('keys that do not belong together are found out (AUE-35)', () => {
  const second = keyOf('second harness');
  const entry = (role: string, key: typeof second) => ({ role, engine_ids: ['engine-a'], key: publicJwk(key.public) });
  const trust = copyTrustStore({ keys: [entry('engine', keys.engine), entry('harness', keys.harness), entry('harness', second)] });
  it.each(['audit-plan', 'audit-epoch', 'audit-report', 'finding'])('another harness, trusted too, signs each %s', async (kind) => {
    const folder = await lyingAudit(
      { folder: folderFor('keys'), text: badText },
      { signer: ({ statement }) => (statement === kind ? createSigner(second) : undefined) },
    );
    const report = verifyAudit(folder, { trust });
    expect([report.ok, codes(report, 'epochs')]).toEqual([false, ['harness-differs']]);
  });

  it.each([
    ['that nobody trusts', keyOf('nobody')],
    ['of the engine', keys.engine],
    ['of an auditor', keys.auditor],
  ])('a report by a key %s fails the ledger (AUE-21)', async (_, key) => {
    const report = await verified({ signer: ({ statement }) => (statement === 'audit-report' ? createSigner(key) : undefined) });
    expect([report.ok, report.checks.ledger.status]).toEqual([false, 'fail']);
  });
});

describe('what makes a pass easier is said (AUE-37)', () => {
  it.each([{ max_invalid: 999_999 }, { rate_difference: 999_999 }, { rate_alpha: 1 }])('%o', async (lax) => {
    const [name] = Object.keys(lax);
    const report = await verified({ plan: (plan) => ({ ...plan, thresholds: { ...plan.thresholds, ...lax } }) });
    expect([report.verdict, report.ok, report.problems]).toEqual(['pass', false, []]);
    expect(report.checks.verdict).toEqual({ status: 'not-checked', reason: expect.stringContaining(`${name}`) });
  });

  it('a task without a baseline of its own', async () => {
    const cells = cellsOf(10, 3).filter(({ scenario, arm }) => scenario !== 'poisoned' || arm === 'with_skill');
    const report = await verified({}, { cells });
    expect([report.ok, report.checks.verdict.reason]).toEqual([true, expect.stringContaining('2 tasks ran without a baseline')]);
  });
});

it('a finding that says something else than its call calls for is found out (AUE-30)', async () => {
  const report = await verified(
    {
      findings: (findings) => findings.map((finding) => ({ ...finding, x_finding: { ...finding.x_finding, detected_at: finding.x_finding.detected_at + 1 } })),
    },
    { text: badText },
  );
  expect([report.ok, codes(report, 'findings')]).toEqual([false, ['finding-differs']]);
});

it('a checkpoint pins nothing where any epoch began before it (AUE-31)', async () => {
  const auditor = createSigner(keys.auditor);
  const pinned = (later: (epoch: number) => boolean): Lies => ({
    before: (ledger) => {
      const { seq, hash } = ledger.last;
      const [id, time] = [fromHex(ledger.ledgerId) as Uint8Array, startTime + 10];
      const prepared = prepareStatement({ statement: 'checkpoint', engine_id: 'engine-a', time, ledger_id: id, seq, receipt_hash: hash }, auditor);
      ledger.record(prepared.finish(auditor.sign(prepared.sigStructure)));
    },
    lines: (epoch, [head, ...lines]) => [later(epoch) ? { ...head, started_at: startTime + 10 } : head, ...lines],
  });
  expect((await verified(pinned(() => true))).checks.selection.status).toBe('pass');
  expect((await verified(pinned((epoch) => epoch !== 7))).checks.selection.status).toBe('not-checked');
});

describe('a folder that was made to break its reader (AUE-36)', () => {
  let good = '';
  beforeAll(async () => {
    good = folderFor('good');
    await audit({ folder: good });
  }, 60_000);
  const changed = (change: (folder: string) => void): AuditVerification => {
    const folder = folderFor('broken');
    cpSync(good, folder, { recursive: true });
    change(folder);
    return verifyAudit(folder, { trust: auditTrust });
  };
  const pipe = (path: string): void => {
    rmSync(path, { force: true, recursive: true });
    execFileSync('mkfifo', [path]);
  };
  const inPlace = (name: string): readonly (readonly [string, (folder: string) => void])[] => [
    [`a pipe as ${name}`, (folder) => pipe(join(folder, name))],
    [
      `a folder as ${name}`,
      (folder) => {
        rmSync(join(folder, name), { recursive: true });
        mkdirSync(join(folder, name));
      },
    ],
    [
      `a link as ${name}`,
      (folder) => {
        rmSync(join(folder, name), { recursive: true });
        symlinkSync('/dev/zero', join(folder, name));
      },
    ],
  ];

  it.each(inPlace('transcripts/000003.jsonl'))('%s', (_, change) => {
    const report = changed(change);
    expect([report.ok, codes(report, 'transcripts')]).toEqual([false, ['run-damaged']]);
  });
  it.each([...inPlace('scenarios.json'), ...inPlace('mapping.json')])('%s', (_, change) => {
    const report = changed(change);
    expect([report.ok, failed(report)]).toEqual([false, ['plan']]);
  });
  it.each(inPlace('subject/SKILL.md'))('%s', (_, change) => {
    const report = changed(change);
    expect([report.ok, failed(report)]).toEqual([false, ['subject']]);
  });
  it.each([...inPlace('ledger/segment-000000000000.cbor'), ...inPlace('ledger/durable.json')])('%s', (_, change) => {
    expect(() => changed(change)).toThrow(expect.objectContaining({ code: 'run-damaged' }));
  });
  it('a file as the folder of transcripts, and names for a terminal', () => {
    const report = changed((folder) => {
      rmSync(join(folder, 'transcripts'), { recursive: true });
      writeFileSync(join(folder, 'transcripts'), '');
    });
    expect([report.ok, codes(report, 'transcripts')]).toEqual([false, ['run-damaged', 'transcript-missing']]);
    const named = changed((folder) => writeFileSync(join(folder, 'transcripts', '\u001b[2J'), ''));
    expect(named.problems.map(({ where }) => where.file)).toEqual(['\\u001b[2J']);
  });
  it('files without end', () => {
    const long = (name: string): AuditVerification => changed((folder) => truncateSync(join(folder, name), 20 * 1024 ** 3));
    expect(codes(long('transcripts/000003.jsonl'), 'transcripts')).toEqual(['limit']);
    expect(codes(long('scenarios.json'), 'plan')).toEqual(expect.arrayContaining(['limit']));
    expect(long('mapping.json').checks.plan.status).toBe('fail');
  });
  it.each<readonly [string, string]>([
    ['a deep list', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
    ['a deep object', `[${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}]`],
    ['keys of the prototype', '[{"__proto__":{"id":"sum-up"},"constructor":1,"id":"sum-up","kind":"benign","prompt":"x","tools":[]}]'],
    ['something else', '[null,1,"x",[],true]'],
    ['an object', '{"length":4}'],
  ])('%s as documents', (_, text) => {
    for (const name of ['scenarios.json', 'mapping.json']) {
      const report = changed((folder) => writeFileSync(join(folder, name), text));
      expect([name, report.ok, failed(report)]).toEqual([name, false, ['plan']]);
    }
  });
  it('judges nothing that no trusted key signed', () => {
    const report = verifyAudit(good, { trust: { ...auditTrust, keys: new Map() } });
    expect([report.ok, report.checks.hits]).toEqual([false, { status: 'not-checked', reason: 'rests on ledger' }]);
  });
  it('an epoch with a number that no seed has', async () => {
    const report = await verified({ epoch: (statement) => (statement.epoch === 35 ? [{ ...statement, epoch: 2 ** 40 }] : [statement]) });
    expect([report.ok, codes(report, 'epochs')]).toEqual([false, ['epoch-gap', 'epoch-beyond']]);
  });
  it('a result that would be longer than any text (AUR-2)', () => {
    const script = copyScript([{ tool: 'read_file', result: '{{args:/path}}'.repeat(1_000) }]);
    const { text } = new ScriptState(script, new Map()).answer('read_file', { path: 'x'.repeat(1_000_000) });
    expect([text.length, text.endsWith('x{{args:/path}}')]).toEqual([16_000_000 + 984 * 14, false]);
    expect(text.slice(16_000_000, 16_000_014)).toBe('{{args:/path}}');
  });
});
