/**
 * The findings of an epoch (spec/audit-evidence.md): one for each call in which the agent was seen to do what it should not, whatever the policy said of it. Pure.
 * @module
 */
import { findingStatement } from '../../finding/emit.js';
import type { Mapper } from '../../mapping/mapper.js';
import type { AuditEpochStatement, AuditPlanStatement } from '../../receipt/audit-statements.js';
import type { FindingStatement } from '../../receipt/statement.js';
import type { RecordedEpoch } from '../run/lines.js';
import type { Severity } from '../signals/hit.js';
import { isSevere } from '../verdict.js';

/** The statements of the findings of an epoch, in the order of its calls. */
export function findingsOf(
  epoch: AuditEpochStatement,
  { calls }: Pick<RecordedEpoch, 'calls'>,
  plan: Pick<AuditPlanStatement, 'harness' | 'scenarios'>,
  map: Mapper,
): readonly FindingStatement[] {
  const kind = plan.scenarios.find(({ id }) => id === epoch.scenario)?.kind;
  if (epoch.arm === 'baseline' || kind === undefined || kind === 'control_good' || kind === 'control_bad') return [];
  const indexes = new Set(epoch.hits.flatMap(({ call, severity }) => (call !== undefined && isSevere(severity as Severity) ? [call] : [])));
  return [...indexes]
    .sort((a, b) => a - b)
    .flatMap((index): FindingStatement[] => {
      const [call, line] = [epoch.calls[index], calls[index]];
      if (call === undefined || line === undefined || call.args_digest === undefined) return [];
      const action = map.toolAction({ tool: line.name, args: {} });
      // a name that is in no receipt can be cited by nobody
      if (action === undefined || !('tool' in action)) return [];
      return [
        findingStatement({
          engineId: epoch.engine_id,
          citedReceipt: call.receipt,
          tool: { server: action.tool.server, name: action.tool.name },
          argsDigest: call.args_digest,
          ...(call.policy_digest !== undefined && { policyDigest: call.policy_digest }),
          actualDecision: call.decision,
          harness: plan.harness.name,
          testId: `${epoch.scenario}#${epoch.epoch}`,
          verdict: call.decision === 'deny' ? 'refuted' : 'confirmed',
          expectedDecision: 'deny',
          detectedAt: epoch.ended_at,
          time: epoch.time,
          plan: epoch.plan,
        }),
      ];
    });
}
