/**
 * `ruleprint audit replay`: runs that were recorded, judged again by the signals of today, without a model.
 * @module
 */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readMessages } from '../../audit/agents/recording.js';
import { layout, readDocument } from '../../audit/evidence/folder.js';
import { epochStatement } from '../../audit/evidence/judged.js';
import { auditMapper } from '../../audit/evidence/mapper.js';
import { readTranscript, viewOf } from '../../audit/evidence/read.js';
import { scanLedger } from '../../audit/evidence/scan.js';
import { readRecord } from '../../audit/run/record.js';
import { expectationsOf, readScenario, type Scenario } from '../../audit/scenario.js';
import { judgeEpoch } from '../../audit/signals/judge.js';
import { shareOf, upperBound } from '../../audit/statistics.js';
import { offeredOf, readTools } from '../../audit/tools/schema.js';
import { callsOf, stableText, type Transcript } from '../../audit/transcript.js';
import { isSevere } from '../../audit/verdict.js';
import { readLedger } from '../../ledger/folder.js';
import { createMapper } from '../../mapping/mapper.js';
import type { Mapping } from '../../mapping/table.js';
import { percent } from '../audit-words.js';
import { readData } from '../auditing.js';
import type { Command, Context } from '../command.js';
import { unreadable } from '../failure.js';
import { fileName } from '../files.js';
import { exit } from '../io.js';
import { count, printable } from '../printable.js';

interface Replayed {
  readonly run: string;
  readonly outcome: string;
  readonly calls: number;
  readonly hits: readonly { readonly signal: string; readonly severity: string; readonly locus: string; readonly call?: number }[];
  /** Whether it counts: controls and the baseline do not. */
  readonly counts: boolean;
  /** In an evidence folder: whether today's signals say what was signed. */
  readonly same?: boolean;
}

export const auditReplay: Command = {
  arguments: [
    {
      syntax: '<recorded...>',
      about: 'evidence folders, or JSON files of recorded messages (chat completions): a list of messages, { messages, tools? }, or a list of these',
    },
  ],
  options: [
    { syntax: '--scenario <file>', about: 'what the recorded messages are judged by: goals, rules, tools, protected texts (spec/audit-run.md)' },
    { syntax: '--tools <file>', about: 'the tools that were offered, where the recording does not say' },
  ],
  details: `Of recorded messages nobody knows what was planted: canaries are not looked for, and there is no baseline. What is printed is no verdict.
Exit code 1 where a critical or high hit was found in recorded messages, or where an evidence folder is judged otherwise than it was signed.`,
  json: '{ "runs": [{ "run", "outcome", "calls", "hits": [{ "signal", "severity", "locus", "call"? }], "same"? }], "hits", "of", "bound": millionths }',
  examples: ['ruleprint audit replay runs.json --scenario scenario.json', 'ruleprint audit replay evidence'],
  run: async (context) => {
    const { out, input } = context;
    const runs: Replayed[] = [];
    for (const given of input.arguments) runs.push(...(await replayed(context, given)));
    const counted = runs.filter(({ counts }) => counts);
    const hit = counted.filter(({ hits }) => hits.some(({ severity }) => isSevere(severity as 'high'))).length;
    const bound = upperBound(hit, counted.length, shareOf(50_000));
    if (input.has('json')) out.json({ runs, hits: hit, of: counted.length, bound });
    else {
      for (const { run, outcome, calls, hits, same } of runs) {
        const paint = outcome === 'hit' ? out.colours.bad : outcome === 'clean' ? out.colours.good : out.colours.open;
        out.line(
          `${paint(outcome.padEnd(7))}  ${printable(run)}  ${count(calls, 'call')}${same === false ? `  ${out.colours.bad('not as it was signed')}` : ''}`,
        );
        for (const { signal, severity, locus, call } of hits)
          out.line(`         ${signal} (${severity})${call === undefined ? '' : ` in call ${call}`} at ${printable(locus)}`);
      }
      out.line(
        `${hit} of ${count(counted.length, 'run')}${counted.length < runs.length ? ' (controls and baseline apart)' : ''} with a critical or high hit: at most ${percent(bound)} (95 %, if runs were independent)`,
      );
    }
    // what was signed of an evidence folder is its verdict: here it is only judged again
    const isHit = runs.some(({ same, hits }) => same === undefined && hits.some(({ severity }) => isSevere(severity as 'high')));
    return isHit || runs.some(({ same }) => same === false) ? exit.bad : exit.good;
  },
};

async function replayed(context: Context, given: string): Promise<readonly Replayed[]> {
  const path = resolve(context.io.cwd, given);
  if (existsSync(path) && statSync(path).isDirectory()) return ofEvidence(path, given);
  return ofMessages(context, given);
}

/** Every epoch again, by the scenario and the seed that the evidence has. */
function ofEvidence(folder: string, given: string): readonly Replayed[] {
  if (!existsSync(join(folder, layout.ledger))) throw unreadable(`${fileName(given)} is no evidence folder: it has no ledger`);
  const { plan, epochs, report } = viewOf(folder, scanLedger(readLedger(join(folder, layout.ledger))));
  if (report === undefined) throw unreadable(`${fileName(given)} has no report: the seed of its canaries is not revealed yet`);
  const documents = readDocument(folder, layout.scenarios) as readonly unknown[];
  const scenarios = new Map(documents.map(readScenario).map((scenario) => [scenario.id, scenario]));
  const map = auditMapper(readDocument(folder, layout.mapping) as Mapping);
  return epochs.flatMap(({ statement }): Replayed[] => {
    const scenario = scenarios.get(statement.scenario);
    const lines = readTranscript(folder, statement.epoch);
    if (scenario === undefined || lines === undefined) return [];
    const { record, recorded } = readRecord(plan.hash, lines, { file: `${statement.epoch}` });
    const made = epochStatement(record, recorded, {
      scenario,
      expectations: expectationsOf(scenario, map),
      engineId: statement.engine_id,
      seed: report.statement.seed,
    });
    const run = `${given}#${statement.epoch} ${statement.scenario} ${statement.arm}`;
    const same = stableText([made.outcome, made.hits]) === stableText([statement.outcome, statement.hits]);
    return [
      {
        run,
        outcome: made.outcome,
        calls: made.calls.length,
        hits: made.hits,
        counts: statement.arm === 'with_skill' && !scenario.kind.startsWith('control'),
        same,
      },
    ];
  });
}

async function ofMessages({ io, input }: Context, given: string): Promise<readonly Replayed[]> {
  const data = await readData(io, given);
  const [scenarioFile, toolsFile] = [input.value('scenario'), input.value('tools')];
  const scenario = scenarioFile === undefined ? undefined : readScenario(await readData(io, scenarioFile));
  const tools = toolsFile === undefined ? undefined : await readData(io, toolsFile);
  const isConversation = (value: unknown): boolean =>
    Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null && 'role' in item);
  const items: readonly unknown[] = Array.isArray(data) && !isConversation(data) ? data : [data];
  return items.map((item, i) => {
    const { messages, tools: own } = isConversation(item) ? { messages: item, tools: undefined } : (item as { messages?: unknown; tools?: unknown });
    if (!isConversation(messages))
      throw unreadable(`run ${i} of ${fileName(given)} is no list of messages`, 'a run is a list of messages, or an object with one as "messages"');
    return judged(`${given}#${i}`, messages as readonly unknown[], own ?? tools, scenario);
  });
}

const nothing = { required: [], goals: [], rules: [], claims: [], protected: { sources: [] } } as const;

function judged(run: string, messages: readonly unknown[], offered: unknown, scenario: Scenario | undefined): Replayed {
  const tools = offered !== undefined ? offeredOf(readTools(offered)) : scenario !== undefined ? offeredOf(scenario.tools) : undefined;
  const read = readMessages(messages, tools ?? []);
  // where nobody says what was offered, everything that was called was
  const called = [...new Set(callsOf({ tools: [], messages: read, ending: 'done' }).map(({ name }) => name))].map((name) => ({ name }));
  const transcript: Transcript = { tools: tools ?? called, messages: read, ending: 'done' };
  const map = createMapper({ format: 'ruleprint-mapping/1', server: 'false', tools: {} });
  const { outcome, hits } = judgeEpoch({ transcript, canaries: [] }, scenario === undefined ? nothing : expectationsOf(scenario, map));
  return {
    run,
    outcome,
    counts: true,
    calls: callsOf(transcript).length,
    hits: hits.map(({ signal, severity, locus, callIndex }) => ({ signal, severity, locus, ...(callIndex !== undefined && { call: callIndex }) })),
  };
}
