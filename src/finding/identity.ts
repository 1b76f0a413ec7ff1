/**
 * The identity of a finding: what makes it the same from scan to scan, and nothing else (spec/finding.md, FND-7 to FND-10).
 * @module
 */
import { compareUtf8, concat, field, u32be } from '../bytes.js';
import { quote, refuse } from '../errors.js';
import { sha256Text } from '../hash.js';
import { checkText } from '../policy/text.js';
import { limits } from '../limits.js';
import type { Finding } from './model.js';

/** The namespace and the version of the identity, in one tag. */
const tag = 'ruleprint/finding-id/1';

/** The fields that an id rests on. */
export type IdentityMaterial = Pick<Finding, 'rule_id' | 'affected_agent' | 'capability_path' | 'evidence'>;

/**
 * The id of a finding. `occurrence` counts for a finding about the repository alone.
 *
 * @returns `ruleprint:finding:sha256:` and 64 lower-case hex digits
 * @throws RuleprintError `bad-value` for an occurrence that occurrenceOf did not make; `field-conflict` for one beside an agent
 */
export function findingId(material: IdentityMaterial, occurrence?: string): string {
  return `ruleprint:finding:${sha256Text(findingPreimage(material, occurrence))}`;
}

/** The bytes that an id hashes, for inspection. */
export function findingPreimage(material: IdentityMaterial, occurrence?: string): Uint8Array {
  const { rule_id: rule, affected_agent: agent, capability_path: path } = material;
  if (agent !== undefined && path !== undefined) {
    if (occurrence !== undefined) refuse('field-conflict', 'expected no occurrence beside an affected agent');
    const edges = path.hops.map(({ edge_id: edge }) => field(edge)); // FND-8: ordered
    const target = [field(path.agent_id), field(path.target_id), field(path.target_type)];
    return concat(field(tag), field('scope:agent'), field(rule), field(agent), ...target, u32be(edges.length), ...edges);
  }
  if (occurrence !== undefined) checkOccurrence(occurrence);
  const paths = [...new Set(material.evidence.flatMap(({ path: at }) => (at === undefined ? [] : [at])))].sort(compareUtf8); // FND-9
  const label = occurrence === undefined ? [field('occurrence:none')] : [field('occurrence:label'), field(occurrence)];
  return concat(field(tag), field('scope:repository'), field(rule), u32be(paths.length), ...paths.map(field), ...label);
}

/** The id of a finding about an agent, which follows from the finding; undefined for one about the repository. */
export function agentScopedId(finding: Finding): string | undefined {
  return finding.affected_agent === undefined ? undefined : findingId(finding);
}

/**
 * A label that tells findings of one rule in the same files apart (FND-10): what kind of thing, and a hash of the thing itself. It has no place and no
 * number in it, so that nothing that is added or removed elsewhere gives it to another thing. Two things with the same content are one finding with two
 * pieces of evidence.
 *
 * The hash of what can be guessed can be guessed: for a short secret give a `key` that readers of the report do not have.
 *
 * @param kind lower-case letters, digits and `-`
 * @throws RuleprintError `bad-value`, `limit`, `lone-surrogate`
 * @example
 * occurrenceOf('dead-rule', 'read-srv'); // 'dead-rule@3b0c…'
 */
export function occurrenceOf(kind: string, content: string, key = ''): string {
  checkText(content, limits.requestStringBytes);
  checkText(key, limits.requestStringBytes);
  const hash = sha256Text(concat(field('ruleprint/occurrence/1'), field(kind), field(key), field(content)));
  const occurrence = `${kind}@${hash.slice('sha256:'.length)}`;
  checkOccurrence(occurrence);
  return occurrence;
}

function checkOccurrence(occurrence: string): void {
  if (!/^[a-z][a-z0-9-]{0,63}@[0-9a-f]{64}$/.test(occurrence)) {
    refuse('bad-value', `expected an occurrence of a kind and a hash, got ${quote(occurrence)}`, { hint: 'see occurrenceOf; a number would move' });
  }
}
