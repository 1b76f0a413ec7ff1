/**
 * Making findings: of what a rule observed, or directly (spec/finding.md).
 * @module
 */
import { RuleprintError } from '../errors.js';
import { checkedPlain } from '../policy/door.js';
import { copyPlain, freezeDeep } from '../policy/plain.js';
import { pointer } from '../shape.js';
import { agentScopedId, findingId } from './identity.js';
import { type Evidence, type Finding, type FindingContext, type RuleInfo, type RuleObservation, schemaVersion } from './model.js';
import { findingConflict, findingShape, observationShape } from './shape.js';

/**
 * Makes a finding of what a rule observed. The id is computed.
 *
 * @throws RuleprintError for a field that is none, with its JSON pointer
 */
export function findingFromObservation(
  observation: RuleObservation,
  rule: Pick<RuleInfo, 'id' | 'version' | 'severity' | 'confidence' | 'documentationUrl'>,
  context: FindingContext,
): Finding {
  const observed = checkedPlain(observationShape, copyPlain(observation)) as RuleObservation;
  if (observed.rule_id !== rule.id) {
    throw new RuleprintError({ code: 'field-conflict', message: `expected an observation of the rule ${rule.id}`, where: { pointer: '/rule_id' } });
  }
  const { affectedAgent, capabilityPath, occurrence } = context;
  const fields = {
    schema_version: schemaVersion,
    rule_id: observed.rule_id,
    rule_version: rule.version,
    message: observed.message,
    severity: context.severity ?? rule.severity,
    confidence: context.confidence ?? rule.confidence,
    ...(affectedAgent !== undefined && { affected_agent: affectedAgent }),
    evidence: observed.evidence,
    ...(capabilityPath !== undefined && { capability_path: capabilityPath }),
    change_state: context.changeState ?? 'not-compared',
    remediation: context.remediation,
    documentation_url: rule.documentationUrl,
  } as const;
  // judged before it is hashed, with an id that stands for the one to come
  const { id: _, ...good } = admit({ ...fields, id: placeholder });
  return createFinding({ ...good, id: findingId(good, occurrence) });
}

const placeholder = `ruleprint:finding:sha256:${'0'.repeat(64)}`;

/**
 * Takes a finding that was built directly, its id computed already: a frozen copy. The id of a finding about an agent is computed again; that of one
 * about the repository may rest on an occurrence that is not in it, and is taken as it is.
 *
 * @throws RuleprintError for a field that is none, with its JSON pointer; `finding-id-differs`
 */
export function createFinding(fields: unknown): Finding {
  const finding = admit(fields);
  const expected = agentScopedId(finding);
  if (expected !== undefined && finding.id !== expected) {
    throw new RuleprintError({ code: 'finding-id-differs', message: `expected the id ${expected}`, where: { pointer: '/id' } });
  }
  return freezeDeep(finding);
}

function admit(fields: unknown): Finding {
  const finding = checkedPlain(findingShape, copyPlain(fields)) as Finding;
  const conflict = findingConflict(finding);
  if (conflict !== undefined) {
    throw new RuleprintError({ code: 'field-conflict', message: conflict.message, where: { pointer: pointer(conflict.path) } });
  }
  return inOrder(finding);
}

/** Members in the order of the model, so that a rendering does not depend on who built it. */
function inOrder(finding: Finding): Finding {
  const { schema_version, id, rule_id, rule_version, message, severity, confidence, affected_agent, evidence, capability_path, ...rest } = finding;
  return {
    schema_version,
    id,
    rule_id,
    rule_version,
    message,
    severity,
    confidence,
    ...(affected_agent !== undefined && { affected_agent }),
    evidence: evidence.map(evidenceInOrder),
    ...(capability_path !== undefined && {
      capability_path: {
        agent_id: capability_path.agent_id,
        target_id: capability_path.target_id,
        target_type: capability_path.target_type,
        hops: capability_path.hops,
      },
    }),
    change_state: rest.change_state,
    remediation: rest.remediation,
    documentation_url: rest.documentation_url,
  };
}

const evidenceKeys = ['adapter', 'path', 'line_start', 'line_end', 'column_start', 'column_end', 'parser', 'schema_id', 'document_digest'] as const;

function evidenceInOrder(evidence: Evidence): Evidence {
  return Object.fromEntries(evidenceKeys.flatMap((key) => (evidence[key] === undefined ? [] : [[key, evidence[key]]]))) as unknown as Evidence;
}
