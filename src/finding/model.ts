/**
 * What a finding is (spec/finding.md, "The model"): plain readonly data, named as on the wire.
 * @module
 */
import type { Confidence, Severity } from './severity.js';

/** The version of the model: 1.1.0 is that of the document it comes from, 1.2.0 adds the change state `unchanged`. */
export const schemaVersion = '1.2.0';

export const changeStates = ['added', 'removed', 'changed', 'unchanged', 'unknown', 'not-compared'] as const;
export type ChangeState = (typeof changeStates)[number];

export const targetTypes = ['resource', 'tool', 'identity', 'permission', 'data-class'] as const;
export type TargetType = (typeof targetTypes)[number];

/** Where it was seen, never what stands there. At least one of `path` and `document_digest`. */
export interface Evidence {
  /** What read the document. */
  readonly adapter: string;
  /** Relative to the root of the repository, `/` between segments. */
  readonly path?: string;
  /** From 1; columns in UTF-16 code units, `column_end` behind the last. */
  readonly line_start?: number;
  readonly line_end?: number;
  readonly column_start?: number;
  readonly column_end?: number;
  readonly parser?: string;
  readonly schema_id?: string;
  /** `sha256:` and 64 hex digits. */
  readonly document_digest?: string;
}

/** How an agent comes to what the finding is about: at least one hop. */
export interface CapabilityPath {
  readonly agent_id: string;
  readonly target_id: string;
  readonly target_type: TargetType;
  readonly hops: readonly { readonly edge_id: string }[];
}

/** What a rule reports. */
export interface RuleObservation {
  readonly rule_id: string;
  readonly message: string;
  readonly evidence: readonly Evidence[];
}

export interface Finding {
  readonly schema_version: typeof schemaVersion;
  /** `ruleprint:finding:sha256:` and 64 hex digits, see findingId. */
  readonly id: string;
  readonly rule_id: string;
  /** A semantic version. */
  readonly rule_version: string;
  readonly message: string;
  readonly severity: Severity;
  readonly confidence: Confidence;
  /** Absent, as the path is, where the finding is about the repository and no agent. */
  readonly affected_agent?: string;
  readonly evidence: readonly Evidence[];
  readonly capability_path?: CapabilityPath;
  readonly change_state: ChangeState;
  readonly remediation: string;
  /** Never fetched. */
  readonly documentation_url: string;
}

/** One rule of a registry: what a report says about the rule itself. */
export interface RuleInfo {
  /** As `rule_id`. */
  readonly id: string;
  /** A semantic version. */
  readonly version: string;
  /** One line, for a list of rules. */
  readonly title: string;
  /** What the rule looks for and why, and what to do. */
  readonly help: string;
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly documentationUrl: string;
  /** Words for a list of rules; `security` where it is about security. At most 10. */
  readonly tags?: readonly string[];
}

/** What only the caller of a rule knows. */
export interface FindingContext {
  /** In place of the rule's own. */
  readonly severity?: Severity;
  readonly confidence?: Confidence;
  readonly affectedAgent?: string;
  readonly capabilityPath?: CapabilityPath;
  /** Default: `not-compared`. */
  readonly changeState?: ChangeState;
  readonly remediation: string;
  /** For a finding about the repository: what tells it from others of the same rule and files, see occurrenceOf. It is in the id alone. */
  readonly occurrence?: string;
}
