/**
 * `ruleprint audit run`: an audit of a skill, from the plan to the report, and on from where it was stopped.
 * @module
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scriptedNames } from '../../audit/agents/agents.js';
import { type AuditOptions, type AuditOutcome, runAudit } from '../../audit/audit.js';
import { keepDocument } from '../../audit/evidence/folder.js';
import { planRulesOf } from '../../audit/evidence/plan.js';
import { readEvidence } from '../../audit/evidence/read.js';
import { grades } from '../../audit/plan-rules.js';
import { advisoryDraft, validationRecord } from '../../audit/record.js';
import { costLine } from '../../audit/run/schedule.js';
import { contextProbe } from '../../audit/scenarios/probe.js';
import { readScenario } from '../../audit/scenario.js';
import { canaryValue } from '../../audit/canary.js';
import type { SkillSubject } from '../../audit/subject/subject.js';
import { sha256Text } from '../../hash.js';
import { auditEngine, auditOptionsOf } from '../auditing.js';
import { verdictLines } from '../audit-words.js';
import type { Command, Context } from '../command.js';
import { unreadable } from '../failure.js';
import { fileName } from '../files.js';
import { exit, type ExitCode } from '../io.js';
import { printable, shellWord } from '../printable.js';
import { progressOf } from '../progress.js';

export const auditRun: Command = {
  arguments: [{ syntax: '<skill>', about: 'the folder of a skill: SKILL.md and all that lies beside it' }],
  options: [
    {
      syntax: '--agent <agent...>',
      about: 'scripted:NAME, or the URL of a model server (chat completions): one for all models, or one each',
      isRequired: true,
    },
    { syntax: '--model <name...>', about: 'the models, two or more', isRequired: true },
    { syntax: '--out <folder>', about: 'where the evidence goes; the same command goes on with what is there', isRequired: true },
    { syntax: '--epochs <n>', about: 'epochs of each model with the skill, over all tasks (default: 10; 100 for a validation)' },
    { syntax: '--baseline <n>', about: 'epochs of each model without it (default: half of --epochs)' },
    { syntax: '--controls <n>', about: 'epochs of each model in each control (default: 1)' },
    { syntax: '--grade <grade>', about: 'screening or validation (default: what --epochs suffice for)', choices: grades },
    { syntax: '--tools <file>', about: 'false tools in place of ours: the answer to MCP tools/list, or a list of OpenAI tools' },
    { syntax: '--hosts <pattern...>', about: 'hosts where the agent may write or go: any other is a hit (default: those of our workspace; with --tools, any)' },
    { syntax: '--scenarios <file...>', about: 'more scenarios, as spec/audit-run.md has them' },
    { syntax: '--pack <file>', about: "attacks in the form of AgentDojo's tasks" },
    { syntax: '--pack-tools <file>', about: 'the tools of the pack' },
    { syntax: '--contradicts <rule...>', about: "rules of the operator that the skill's text contradicts: rule-no-outlet, rule-words" },
    { syntax: '--policy <file>', about: 'the policy in force (default: every false tool may be called)' },
    { syntax: '--mapping <file>', about: 'the mapping from calls to actions: a file, or the name of one that ships' },
    { syntax: '--source <address>', about: 'where the skill was taken from: a validation record names it' },
    { syntax: '--temperature <t>', about: "of a model, 0 to 2 (default: the server's)" },
    { syntax: '--max-tokens <n>', about: 'of one reply' },
    { syntax: '--max-turns <n>', about: 'of one epoch (default: 20)' },
    { syntax: '--time-limit <seconds>', about: 'of one epoch (default: 600)' },
    { syntax: '--concurrency <n>', about: 'epochs side by side (default: 4)' },
    { syntax: '--key-variable <name>', about: 'the variable of the environment that holds the key of the server' },
    { syntax: '--allow-outside', about: 'the server may be on another machine: what is planted and what is audited go there' },
    { syntax: '--key <file>', about: 'the key of the engine (default: one that is made in --out)' },
    { syntax: '--harness-key <file>', about: 'the key of the harness, another one (default: one that is made in --out)' },
    { syntax: '--plan-only', about: 'sign the plan and stop: for a checkpoint by somebody else before the first epoch' },
    { syntax: '--validated-by <name>', about: 'who answers for the validation record of a pass (default: ruleprint)' },
    { syntax: '--reference <address>', about: 'the https address of the report: makes the draft of an advisory on a fail' },
  ],
  details: `The plan is signed before the first epoch. With --plan-only, a checkpoint of an auditor over it, and the same command without it, nobody can choose among
runs any more: ruleprint audit verify --require selection. A run that was stopped or killed goes on with the same command; no epoch is run twice.
Exit code 0 is a pass, 1 a fail or no verdict.

Scripted agents, to try an audit without a model:
${scriptedNames.map(({ name, does }) => `  ${name.padEnd(22)}  ${does}`).join('\n')}`,
  json: '{ "verdict"?: "pass" | "fail" | "inconclusive", "reasons"?, "plan": hash, "report"?: hash, "epochs", "planned", "out", "exports": [file], "context"?: [{ "model", "echoed", … }] }',
  examples: [
    'ruleprint audit run skills/tidy-notes --agent scripted:trusting --model a b --out evidence',
    'ruleprint audit run skills/tidy-notes --agent http://127.0.0.1:11434/v1 --model qwen2.5:7b llama3.1:8b --epochs 100 --out evidence',
    'ruleprint audit run skills/tidy-notes --agent http://127.0.0.1:8181/v1 http://127.0.0.1:8182/v1 --model small other --temperature 0.7 --out evidence',
  ],
  run: async (context) => {
    const { io, out, input } = context;
    const options = await auditOptionsOf(context);
    const { maxTurns = 20, models, cells } = options;
    const [maxTokens] = models.flatMap((model) => model.maxTokens ?? []);
    out.aside(costLine({ cells, maxTurns, ...(maxTokens !== undefined && { maxTokens }) }));
    const probed = await probes(options);
    const silent = probed.find(({ failure }) => failure === 'agent-transport' || failure === 'agent-http' || failure === 'agent-reply');
    if (silent !== undefined) {
      // before anything is signed: a plan of which every epoch would be an error is spent for nothing
      throw unreadable(
        `no answer for the model ${printable(silent.model)} (${silent.failure ?? ''})`,
        'is the server there, and does it serve a model of this name?',
      );
    }
    for (const { model, echoed, note } of probed)
      if (!echoed) out.hint(`${model} did not say back what stands around a prompt as long as the skill${note}: it may see a part of it alone`);
    const planned = cells.reduce((sum, cell) => sum + cell.epochs, 0);
    const progress = await progressOf(io, 'audit', planned, 'epochs');
    const interruption = io.interruption();
    let outcome: AuditOutcome;
    try {
      const signal = input.has('plan-only') ? AbortSignal.abort() : interruption;
      outcome = await runAudit({ ...options, now: Date.now, signal, onProgress: ({ sealed }) => progress.update(sealed) });
    } finally {
      progress.stop();
    }
    return await told(context, options, outcome, probed, Number(interruption.reason ?? 0));
  },
};

interface Probe {
  readonly model: string;
  readonly echoed: boolean;
  readonly failure?: string;
  readonly note: string;
}

/** Whether the servers show their models a prompt as long as the skill. Scripted agents have no context. */
async function probes({ models, skill, seed, scenarios }: Omit<AuditOptions, 'now'>): Promise<readonly Probe[]> {
  const found: Probe[] = [];
  const [first] = scenarios;
  if (first === undefined) return found;
  const scenario = readScenario(first);
  for (const { id, provider = '', agent } of models) {
    if (provider.startsWith('scripted:')) continue;
    // in no epoch: its words are planted nowhere else
    const canary = (slot: string): string => canaryValue(seed, sha256Text(seed), 0, slot);
    const { echoed, failure, promptTokens } = await contextProbe(agent(scenario), skill?.text ?? '', {
      canary,
      tools: scenario.tools,
      system: scenario.system,
    });
    const notes = [failure === undefined ? [] : [failure], promptTokens === undefined ? [] : [`${promptTokens} tokens`]].flat();
    found.push({ model: id, echoed, ...(failure !== undefined && { failure }), note: notes.length > 0 ? ` (${notes.join(', ')})` : '' });
  }
  return found;
}

async function told(
  { out, input }: Context,
  options: Omit<AuditOptions, 'now'>,
  outcome: AuditOutcome,
  probed: readonly Probe[],
  signal: number,
): Promise<ExitCode> {
  const place = input.value('out') as string;
  const { report, plan, sealed, planned } = outcome;
  const exports = report === undefined ? [] : await exported(options, outcome, input.value('validated-by'), input.value('reference'));
  if (input.has('json')) {
    const told = report && { verdict: report.statement.verdict, reasons: report.statement.reasons, report: report.hash };
    const context = probed.map(({ model, echoed }) => ({ model, echoed }));
    out.json({ ...told, plan, epochs: sealed, planned, out: place, exports, ...(context.length > 0 && { context }) });
  } else if (report === undefined) {
    out.line(
      `stopped after ${sealed} of ${planned} epochs, plan ${plan}; the same command ${input.has('plan-only') ? 'without --plan-only ' : ''}goes on with the rest`,
    );
    if (input.has('plan-only')) {
      const [ledger, trust] = [shellWord(join(place, 'ledger')), shellWord(join(place, 'trust.json'))];
      out.line(`an auditor pins it   ruleprint keygen --out auditor.jwk --trust ${trust} --role auditor --engine-id ${auditEngine}`);
      out.line(`                     ruleprint ledger checkpoint ${ledger} --key auditor.jwk --out pin.cbor`);
      out.line(`and in the end       ruleprint audit verify ${shellWord(place)} --trust ${trust} --checkpoint pin.cbor --require selection`);
    }
  } else {
    const view = readEvidence(options.folder);
    for (const line of verdictLines(view.plan.statement, report.statement, out.colours)) out.line(line);
    out.line();
    for (const name of exports) out.line(`written     ${fileName(join(place, name))}`);
    out.line(`evidence    ${fileName(place)}`);
    out.line(`verify it   ruleprint audit verify ${shellWord(place)} --trust ${shellWord(join(place, 'trust.json'))}`);
    out.line(`look at it  ruleprint audit report ${shellWord(place)} --html report.html`);
    if (report.statement.verdict === 'fail' && !input.has('reference'))
      out.hint('for the draft of an advisory say with --reference where the report can be read');
  }
  if (report === undefined) return signal > 0 ? signal : input.has('plan-only') ? exit.good : exit.bad;
  return report.statement.verdict === 'pass' ? exit.good : exit.bad;
}

/** A validation record on a pass, the draft of an advisory on a fail, where there is all that they need. Gives their names. */
async function exported(
  options: Omit<AuditOptions, 'now'>,
  { report, result, plan }: AuditOutcome,
  validatedBy = 'ruleprint',
  reference: string | undefined,
): Promise<readonly string[]> {
  const { folder, subject } = options;
  if (report === undefined || result === undefined || subject.kind !== 'skill') return [];
  const skill: SkillSubject = subject;
  // a script is no model: nobody shall show its record for one
  if (options.models.every(({ provider = '' }) => provider.startsWith('scripted:')) && result.verdict === 'pass') return [];
  if (result.verdict === 'pass' && skill.source !== undefined && skill.hiddenFiles.length === 0) {
    const validatedAt = `${new Date(report.statement.time).toISOString().slice(0, 19)}Z`;
    const rules = planRulesOf(readEvidence(folder).plan.statement);
    const record = validationRecord({ subject: skill, plan: rules, planDigest: plan, reportDigest: report.hash, result }, { validatedBy, validatedAt });
    keepDocument(folder, 'validation-record.json', record);
    return ['validation-record.json'];
  }
  if (result.verdict === 'fail' && reference !== undefined) {
    const draft = advisoryDraft({ subject: skill, result }, reference);
    await writeFile(join(folder, 'advisory.json'), `${JSON.stringify(draft, null, 2)}\n`);
    return ['advisory.json'];
  }
  return [];
}
