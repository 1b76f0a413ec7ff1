/**
 * Lints one policy: everything that the rules of the linter see in it, as findings (spec/lint.md, "Findings").
 * @module
 */
import { ruleDigest } from '../digest/digest.js';
import { fromUtf8 } from '../bytes.js';
import { quote, RuleprintError } from '../errors.js';
import { findingFromObservation } from '../finding/finding.js';
import { occurrenceOf } from '../finding/identity.js';
import type { Finding } from '../finding/model.js';
import { type Redact, redactor, secretsIn } from '../finding/redaction.js';
import type { Rule } from '../policy/model.js';
import { type PlacedPolicy, readPlacedPolicy } from '../policy/parse.js';
import type { ParseOptions } from '../policy/door.js';
import { hardCodedIn, hardCodedSecret } from './hard-coded.js';
import { type LintBudgets, Reach } from './reach.js';
import { lintRules } from './registry.js';
import { evidenceAt, type LintRule, patternOf, type Seen, subjectOf } from './rule.js';

export interface LintOptions extends ParseOptions {
  /** Where the policy stands, from the root of the repository: what findings say and what their ids rest on. */
  readonly path: string;
  readonly budgets?: Partial<LintBudgets>;
}

const shortestSecret = 8;
/** Others that belong to a finding are shown with it, up to this many. */
const shownOthers = 5;

/**
 * The findings of one policy.
 *
 * @throws RuleprintError as parsePolicy for what is no policy; as findings for a `path` that is none
 */
export function lintPolicy(source: string | Uint8Array, options: LintOptions): readonly Finding[] {
  const placed = readPlacedPolicy(source, options);
  if ('problems' in placed) throw new RuleprintError(placed.problems);
  const text = typeof source === 'string' ? source : (fromUtf8(source) as string);
  // LNT-8. A short one is left to the shapes around it: letters that stand everywhere would be taken out everywhere
  const secrets = secretsIn(text).map(({ start, end }) => text.slice(start, end));
  const redact = redactor([...new Set(secrets.filter(({ length }) => length >= shortestSecret))]);
  const path = redactor()(options.path);
  const { policy } = placed;
  const subject = subjectOf(policy, new Reach(policy, options.budgets), redact);
  const findings = lintRules.flatMap((rule) => [...rule.look(subject)].map((seen) => findingOf(rule, seen, placed, path, redact)));
  const hardCoded = hardCodedIn(text).map(({ message, occurrence, places }) =>
    findingFromObservation(
      { rule_id: hardCodedSecret.id, message, evidence: places.slice(0, 1_000).map((place) => evidenceAt(path, place)) },
      hardCodedSecret,
      {
        remediation: hardCodedSecret.remediation,
        occurrence,
      },
    ),
  );
  return [...findings, ...hardCoded];
}

/**
 * A finding about a rule of the policy. Its identity rests on the digest of that rule, so that it is another finding as soon as the rule is another
 * (LNT-6): what was decided about the one is not decided about the other.
 */
function findingOf(rule: LintRule, seen: Seen, { policy, placeOf }: PlacedPolicy, path: string, redact: Redact): Finding {
  const { position, others = [], message, detail = '', severity } = seen;
  const about = policy.rules[position] as Rule;
  const evidence = [position, ...others.slice(0, shownOthers)].map((each) => evidenceAt(path, placeOf(['rules', each])));
  const digest = ruleDigest(about);
  const observation = { rule_id: rule.id, message, evidence };
  const context = { remediation: rule.remediation, ...(severity !== undefined && { severity }) };
  const agent = about.agents !== 'any' && about.agents.one_of.length === 1 ? about.agents.one_of[0] : undefined;
  // a hash, since what a rendering redacts must not be part of an id
  const occurrence = occurrenceOf('rule', `${digest}\n${path}\n${detail}`);
  // an agent id that looks like a secret is not to be in a finding, and one that is changed would be another agent's
  if (agent === undefined || redact(agent) !== agent) return findingFromObservation(observation, rule, { ...context, occurrence });
  return findingFromObservation(observation, rule, {
    ...context,
    affectedAgent: agent,
    capabilityPath: {
      agent_id: agent,
      // redacted once more, as the renderings do, so that the id is that of what they show
      target_id: redact(quote(redact(patternOf(about)), '')),
      target_type: 'tool' in about.action ? 'tool' : 'resource',
      hops: [{ edge_id: occurrence }],
    },
  });
}
