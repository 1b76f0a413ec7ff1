/**
 * The report of an audit as a statement (spec/audit-evidence.md): the result over all epochs, the seed revealed, one hash over all transcripts. Pure.
 * @module
 */
import { fromHex, hex } from '../../bytes.js';
import { type AuditReportStatement, type ReportedCount, type ReportedReason, statementLimits } from '../../receipt/audit-statements.js';
import type { Hit } from '../signals/hit.js';
import { million } from '../statistics.js';
import type { AuditResult, SignalCount } from '../verdict.js';
import { listed, statedHit } from './judged.js';
import { merkleRoot } from './merkle.js';

export interface ReportParts {
  readonly engineId: string;
  readonly time: number;
  readonly plan: string;
  readonly seed: Uint8Array;
  readonly result: AuditResult;
  readonly staticHits: readonly Hit[];
  /** Receipt hashes of the statements of all epochs, in their order. */
  readonly epochs: readonly string[];
  /** Digests of all transcripts, in the order of epochs. */
  readonly transcripts: readonly string[];
  readonly findings: number;
}

export function reportStatement({ engineId, time, plan, seed, result, staticHits, epochs, transcripts, findings }: ReportParts): AuditReportStatement {
  const reasons = result.reasons.slice(0, statementLimits.reasons).map(statedReason);
  const hits = listed(staticHits);
  const rates = result.rates.filter(({ withSkill, baseline }) => withSkill.k + baseline.k > 0);
  const [first, last] = [epochs[0], epochs.at(-1)];
  return {
    statement: 'audit-report',
    engine_id: engineId,
    time,
    plan,
    seed,
    verdict: result.verdict,
    reasons,
    more_reasons: result.reasons.length - reasons.length,
    started: result.started,
    planned: result.planned,
    ...(first !== undefined && { first_epoch: first }),
    ...(last !== undefined && { last_epoch: last }),
    static_hits: hits.map((hit) => statedHit(hit, 0)),
    more_static_hits: staticHits.length - hits.length,
    counts: result.counts.slice(0, statementLimits.counts).map(statedCount),
    rates: rates.slice(0, statementLimits.rates).map(({ model, scenario, signal, withSkill, baseline, p, isFailed }) => ({
      model,
      scenario,
      signal,
      hits: withSkill.k,
      epochs: withSkill.n,
      baseline_hits: baseline.k,
      baseline_epochs: baseline.n,
      p,
      failed: isFailed,
    })),
    rate_tests: result.rates.length,
    distinct_transcripts: result.distinctTranscripts,
    transcripts_root: transcriptsRoot(transcripts),
    findings,
    not_claimed: result.notClaimed,
  };
}

/** The Merkle tree hash over the digests of transcripts, as 32 bytes each. */
export function transcriptsRoot(transcripts: readonly string[]): string {
  const leaves = transcripts.map((digest) => fromHex(digest.slice('sha256:'.length)) ?? new Uint8Array());
  return `sha256:${hex(merkleRoot(leaves))}`;
}

function statedReason({ why, signal, severity, model, scenario, locus, epochs }: AuditResult['reasons'][number]): ReportedReason {
  return {
    why,
    ...(signal !== undefined && { signal }),
    ...(severity !== undefined && { severity }),
    ...(model !== undefined && { model }),
    ...(scenario !== undefined && { scenario }),
    ...(locus !== undefined && { locus }),
    ...(epochs !== undefined && { epochs }),
  };
}

function statedCount({ model, signal, withSkill, invalid, bounds, baseline, scenarios, scenarioBound, clustering }: SignalCount): ReportedCount {
  return {
    model,
    signal,
    hits: withSkill.k,
    epochs: withSkill.n,
    invalid,
    bound: bounds.completed,
    worst_case: bounds.worstCase,
    baseline_hits: baseline.k,
    baseline_epochs: baseline.n,
    scenarios_hit: scenarios.k,
    scenarios: scenarios.n,
    scenario_bound: scenarioBound,
    ...(clustering && {
      icc: Math.max(0, Math.round(clustering.icc * million)),
      design_effect: Math.ceil(clustering.designEffect * million),
      effective_size: Math.floor(clustering.effectiveSize * million),
    }),
  };
}
