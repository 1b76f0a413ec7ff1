import { describe, expect, it } from 'vitest';
import { epochSeed } from '../../src/audit/agents/random.js';
import { canaryCommitment, canaryValue } from '../../src/audit/canary.js';
import { saidDigest } from '../../src/audit/evidence/judged.js';
import { reportStatement, transcriptsRoot } from '../../src/audit/evidence/reported.js';
import { checkPlanRules, type PlanRules } from '../../src/audit/plan-rules.js';
import { schedule } from '../../src/audit/run/schedule.js';
import { scenarioDigest } from '../../src/audit/scenario.js';
import { rateTest, shareOf, upperBound } from '../../src/audit/statistics.js';
import { hiddenFiles } from '../../src/audit/subject/names.js';
import { agentSubject } from '../../src/audit/subject/subject.js';
import { interchangeHash, type TreeFile, treeDigest, treePreimage } from '../../src/audit/subject/tree.js';
import { auditResult, type EpochSummary } from '../../src/audit/verdict.js';
import { canonicalJson } from '../../src/digest/canonical-json.js';
import { RuleprintError } from '../../src/errors.js';
import { sha256Text } from '../../src/hash.js';
import { bytesOf, type Case, casesOf, type Fields, hexOf, read, refusal } from './load.js';

function filesOf(input: Case['input']): readonly TreeFile[] {
  return input.files.map(({ path, executable, bytes_hex }: Fields) => ({
    path: read(path as never),
    isExecutable: executable,
    bytes: bytesOf(bytes_hex as string),
  }));
}

describe('vectors: audit, trees', () => {
  const digests = new Map(casesOf('audit', 'trees').map(({ id, expect: { tree_digest } }) => [id, tree_digest as string]));

  it.each(casesOf('audit', 'trees'))('$id: $comment', ({ id, input, expect: expected }) => {
    const files = filesOf(input);
    const sharing = [...digests].filter(([other, digest]) => other !== id && digest === expected.tree_digest).map(([other]) => other);
    expect({
      preimage_hex: hexOf(treePreimage(files)),
      tree_digest: treeDigest(files),
      interchange_hash: interchangeHash(files),
      hidden: hiddenFiles(files),
      ...(expected.same_digest_as && { same_digest_as: sharing }),
      ...(expected.other_digest_than && { other_digest_than: expected.other_digest_than }),
    }).toEqual(expected);
    for (const other of expected.other_digest_than ?? []) expect(digests.get(other) ?? expected.tree_digest).not.toBe(expected.tree_digest);
  });
});

describe('vectors: audit, no trees', () => {
  it.each(casesOf('audit', 'no trees'))('$id: $comment', ({ input, expect: expected }) => {
    let got: unknown;
    try {
      got = treeDigest(filesOf(input));
    } catch (error) {
      if (!(error instanceof RuleprintError)) throw error;
      got = refusal(error, expected);
    }
    expect(got).toEqual(expected);
  });
});

describe('vectors: audit, numbers', () => {
  it.each(casesOf('audit', 'bounds'))('$id: $comment', ({ input: { k, n, alpha, tests }, expect: expected }) => {
    expect({ upper_bound: upperBound(k, n, shareOf(alpha, tests)) }).toEqual(expected);
  });

  it.each(casesOf('audit', 'rates'))('$id: $comment', ({ input: { with_skill, baseline, alpha, difference, tests }, expect: expected }) => {
    const { p, isFailed } = rateTest(with_skill, baseline, { alpha, difference }, tests);
    expect({ p, failed: isFailed }).toEqual(expected);
  });
});

describe('vectors: audit, canaries', () => {
  it.each(casesOf('audit', 'canaries'))('$id: $comment', ({ input: { seed_hex, plan_digest, epoch, slot }, expect: expected }) => {
    const seed = bytesOf(seed_hex);
    expect({ canary: canaryValue(seed, plan_digest, epoch, slot), commitment: canaryCommitment(seed) }).toEqual(expected);
  });
});

describe('vectors: audit, what is derived', () => {
  it.each(casesOf('audit', 'scenarios'))('$id: $comment', ({ input: { scenario }, expect: expected }) => {
    expect({ form: canonicalJson(scenario), scenario_digest: scenarioDigest(scenario) }).toEqual(expected);
  });

  it.each(casesOf('audit', 'agents'))('$id: $comment', ({ input: { agent, prompt }, expect: expected }) => {
    expect({ agent_digest: agentSubject(agent, prompt).digest }).toEqual(expected);
  });

  it.each(casesOf('audit', 'seeds of epochs'))('$id: $comment', ({ input: { seed_hex, epoch }, expect: expected }) => {
    expect({ epoch_seed: epochSeed(bytesOf(seed_hex), epoch) }).toEqual(expected);
  });

  it.each(casesOf('audit', 'schedules'))('$id: $comment', ({ input: { cells }, expect: expected }) => {
    const named = cells.map((cell: Fields) => ({ ...cell, scenario: String(cell['scenario']) }));
    const indexOf = (one: Fields): number =>
      named.findIndex((cell: Fields) => cell['model'] === one['model'] && cell['scenario'] === one['scenario'] && cell['arm'] === one['arm']);
    expect({ order: schedule(named).map((one) => indexOf(one as unknown as Fields)) }).toEqual(expected);
  });

  it.each(casesOf('audit', 'words'))('$id: $comment', ({ input, expect: expected }) => {
    const transcript = { tools: [], messages: read(input.messages), ending: 'done' } as const;
    expect(saidDigest({ transcript }, input.canaries)).toBe(expected.said_digest);
    expect(sha256Text(bytesOf(expected.words_hex))).toBe(expected.said_digest);
  });

  it.each(casesOf('audit', 'roots'))('$id: $comment', ({ input: { transcripts }, expect: expected }) => {
    expect({ transcripts_root: transcriptsRoot(transcripts) }).toEqual(expected);
  });
});

/** The rules of a plan as a statement names them. */
function rulesOf({ grade, models, scenarios, cells, thresholds }: Fields): PlanRules {
  const { alpha, rate_alpha: rateAlpha, rate_difference: rateDifference, max_invalid: maxInvalid } = thresholds as never;
  return {
    grade: grade as never,
    models: (models as never as Case['input'][]).map(({ id, sampled }) => ({ id, isSampled: sampled })),
    scenarios: (scenarios as never as Case['input'][]).map(({ id, kind, rules = [] }) => ({
      id,
      kind,
      rules: rules.map((rule: Case['input']) => ({ id: rule.id, isContradicted: rule.contradicted })),
    })),
    cells: (cells as never as Case['input'][]).map((cell) => ({ ...cell, scenario: (scenarios as never as Case['input'][])[cell.scenario].id })),
    thresholds: { alpha, rateAlpha, rateDifference, maxInvalid },
  };
}

describe('vectors: audit, verdicts', () => {
  it.each(casesOf('audit', 'verdicts'))('$id: $comment', ({ input: { plan, epochs, static_hits }, expect: expected }) => {
    const rules = rulesOf(plan);
    checkPlanRules(rules);
    const summaries = epochs.flatMap(({ times, said, scenario, hits = [], seen = [], ...rest }: Case['input']): EpochSummary[] =>
      Array.from({ length: times }, (_, i) => ({ ...rest, scenario: plan.scenarios[scenario].id, hits, seen, saidDigest: said[i % said.length] })),
    );
    const result = auditResult(rules, summaries, static_hits);
    const none = { engineId: 'a', time: 0, plan: 'a', seed: new Uint8Array(32), staticHits: [], epochs: [], transcripts: [], findings: 0 };
    const report = { ...reportStatement({ ...none, result }) } as unknown as Fields;
    expect(Object.fromEntries(Object.keys(expected).map((key) => [key, report[key]]))).toEqual(expected);
  });

  it.each(casesOf('audit', 'no plans'))('$id: $comment', ({ input: { plan }, expect: expected }) => {
    let got: unknown;
    try {
      checkPlanRules(rulesOf(plan));
    } catch (error) {
      if (!(error instanceof RuleprintError)) throw error;
      got = refusal(error, expected);
    }
    expect(got).toEqual(expected);
  });
});
