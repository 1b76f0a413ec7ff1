/**
 * A scenario (spec/audit-run.md, "Scenarios"): what an agent is put before, what false tools answer, and what a good run and a bad one of it look like. It is a
 * document with a digest, which a plan cites: whoever holds the document judges an epoch again. Pure.
 * @module
 */
import { concat, field } from '../bytes.js';
import { compilePolicy, decideCanonical } from '../decide/decide.js';
import { canonicalJson } from '../digest/canonical-json.js';
import { quote, refuse, RuleprintError } from '../errors.js';
import { sha256Text } from '../hash.js';
import { limits } from '../limits.js';
import type { Mapper } from '../mapping/mapper.js';
import { admitPolicy } from '../policy/copy.js';
import { checkedPlain } from '../policy/door.js';
import { parseHostPattern } from '../policy/host.js';
import type { Policy } from '../policy/model.js';
import { copyPlain, freezeDeep } from '../policy/plain.js';
import { checkName, checkText } from '../policy/text.js';
import { list, object, one, type Shape, text, word } from '../shape.js';
import { scenarioKinds, type ScenarioKind } from './plan-rules.js';
import { checkConditions, conditionShape, type Predicate } from './predicate.js';
import type { Sink } from './signals/canary-leak.js';
import type { Envelope } from './signals/calls.js';
import type { OperatorRule } from './signals/inject-obey.js';
import type { Expectations } from './signals/judge.js';
import type { Claim } from './signals/words.js';
import { readTools, type ToolMarks, type ToolSchema } from './tools/schema.js';
import { copyScript, type Script } from './tools/script.js';

/** `{{canary:SLOT}}` plants a canary in any text that the agent is shown, and in the results of the script. */
export interface Scenario {
  readonly id: string;
  readonly kind: ScenarioKind;
  /** The operator's prompt. */
  readonly system: string;
  /** The user's. */
  readonly prompt: string;
  /** Shown with the user's prompt. */
  readonly files?: readonly { readonly name: string; readonly text: string }[];
  /** Shown with the operator's prompt. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly tools: readonly ToolSchema[];
  readonly script: Script;
  /** Shown in place of the skill that is audited: that of a control. */
  readonly skill?: string;
  /** What the task needs; where it is empty nobody knows, and every call is excess in both arms. */
  readonly required: readonly Predicate[];
  /** What an attacker wants. */
  readonly goals: readonly Predicate[];
  readonly rules: readonly OperatorRule[];
  readonly claims: readonly Claim[];
  /** Texts that may not leave, and host patterns where things may go. */
  readonly protected: readonly string[];
  readonly hosts?: readonly string[];
  /** What no rule of it allows is outside. */
  readonly envelope?: Policy;
  /** Where the canary of a slot may go. */
  readonly sinks: Readonly<Record<string, readonly Sink[]>>;
  /** Of the document: RFC 8785 form (AUR-17). */
  readonly digest: string;
}

const any: Shape = { kind: 'any' };
const name = text('a name', checkName);
const words = text('text', (value) => checkText(value, limits.treeFileBytes));
const many = { max: limits.listItems };
const predicate = object('a predicate', { tool: name }, { where: conditionShape });
const predicates = list('predicates', predicate, many);
const rule = object(
  'a rule of the operator',
  { id: name, contradicted: { kind: 'boolean' } },
  { must_not_call: predicate, must_ask_first: predicate, must_contain: words, must_not_contain: words },
);
const kindsOfRule = one('a rule of the operator', { must_not_call: any, must_ask_first: any, must_contain: any, must_not_contain: any });

/** The document of a scenario, as it stands in files. Everything but id, kind, prompt and tools may be left out. */
export interface ScenarioDocument {
  readonly id: string;
  readonly kind: ScenarioKind;
  readonly prompt: string;
  /** The answer to MCP `tools/list`, or a list of OpenAI tools (AUR-1). */
  readonly tools: unknown;
  readonly system?: string;
  readonly files?: readonly { readonly name: string; readonly text: string }[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly marks?: Readonly<Record<string, { readonly mutating?: boolean; readonly egress?: boolean }>>;
  readonly script?: Script;
  readonly skill?: string;
  readonly required?: readonly Predicate[];
  readonly goals?: readonly Predicate[];
  readonly rules?: readonly RuleDocument[];
  readonly claims?: readonly Claim[];
  readonly protected?: readonly string[];
  readonly hosts?: readonly string[];
  /** A policy. */
  readonly envelope?: unknown;
  readonly sinks?: Readonly<Record<string, readonly Sink[]>>;
}

export type RuleDocument = { readonly id: string; readonly contradicted: boolean } & (
  | { readonly must_not_call: Predicate }
  | { readonly must_ask_first: Predicate }
  | { readonly must_contain: string }
  | { readonly must_not_contain: string }
);

/** The id of a scenario is the name of a thing in a statement. */
export const scenarioShape = object(
  'a scenario',
  { id: name, kind: word(...scenarioKinds), prompt: words, tools: any },
  {
    system: words,
    files: list('files', object('a file', { name: words, text: words }), many),
    environment: { kind: 'record', what: 'an environment', value: words },
    marks: {
      kind: 'record',
      what: 'marks of tools',
      value: object('marks of a tool', {}, { mutating: { kind: 'boolean' }, egress: { kind: 'boolean' } }),
    },
    script: any,
    skill: words,
    required: predicates,
    goals: predicates,
    rules: list('rules of the operator', rule, { max: 32, uniqueBy: 'id' }),
    claims: list('claims', object('a claim', { call: predicate, verbs: list('verbs', words, many), objects: list('objects', words, many) }), many),
    protected: list('protected texts', words, many),
    hosts: list(
      'host patterns',
      text('a host pattern', (host) => void parseHostPattern(host)),
      many,
    ),
    envelope: any,
    sinks: { kind: 'record', what: 'sinks of slots', value: list('sinks', object('a sink', { tool: name, pointer: words }), many) },
  },
);

/**
 * Reads the document of a scenario.
 *
 * @returns frozen
 * @throws RuleprintError as the strict door, `tool-schema`, and what is wrong with a script, a policy or a predicate
 */
export function readScenario(document: unknown): Scenario {
  const copy = checkedPlain(scenarioShape, copyPlain(document)) as ScenarioDocument;
  const { id, kind, prompt, system = '', files, environment, marks = {}, skill, envelope, hosts } = copy;
  try {
    for (const { where } of predicatesOf(copy)) checkConditions(where);
    const scenario: Scenario = {
      id,
      kind,
      system,
      prompt,
      ...(files && { files }),
      ...(environment && { environment }),
      tools: readTools(copy.tools, marksOf(marks)),
      script: copyScript(copy.script ?? []),
      ...(skill !== undefined && { skill }),
      required: copy.required ?? [],
      goals: copy.goals ?? [],
      rules: (copy.rules ?? []).map(ruleOf),
      claims: copy.claims ?? [],
      protected: copy.protected ?? [],
      ...(hosts && { hosts }),
      ...(envelope !== undefined && { envelope: admitPolicy(envelope) }),
      sinks: copy.sinks ?? {},
      digest: scenarioDigest(copy),
    };
    return freezeDeep(scenario);
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    throw new RuleprintError({ code: error.code, message: `scenario ${quote(id)}: ${error.message}`, where: error.where }, { cause: error });
  }
}

/** `"sha256:" || hex(SHA-256(field("ruleprint/scenario-digest/1") || field(RFC 8785 form of the document)))` (AUR-17). */
export function scenarioDigest(document: unknown): string {
  return sha256Text(concat(field('ruleprint/scenario-digest/1'), field(canonicalJson(document))));
}

/** What an epoch of the scenario is judged by; the envelope with the mapping that the gate has too. */
export function expectationsOf(scenario: Scenario, map: Mapper): Expectations {
  const { required, goals, rules, claims, protected: sources, hosts, envelope } = scenario;
  return {
    required,
    goals,
    rules,
    claims,
    protected: { sources, ...(hosts && { hosts }) },
    ...(envelope && { envelope: envelopeOf(envelope, map) }),
  };
}

/** AUD-34: a call that has no actions is allowed by nobody. */
function envelopeOf(policy: Policy, map: Mapper): Envelope {
  const compiled = compilePolicy(policy);
  return ({ name: tool, args, parsed }) => {
    if (parsed !== 'ok') return 'deny';
    try {
      return decideCanonical(compiled, { agent: 'subject', actions: map.map({ tool, args }) }).effect;
    } catch (error) {
      if (error instanceof RuleprintError) return 'deny';
      throw error;
    }
  };
}

function marksOf(marks: NonNullable<ScenarioDocument['marks']>): Readonly<Record<string, ToolMarks>> {
  return Object.fromEntries(
    Object.entries(marks).map(([tool, { mutating, egress }]) => [
      tool,
      { ...(mutating !== undefined && { isMutating: mutating }), ...(egress !== undefined && { isEgress: egress }) },
    ]),
  );
}

function predicatesOf({ required = [], goals = [], rules = [], claims = [] }: ScenarioDocument): readonly Predicate[] {
  const ofRules = rules.flatMap((one) => ('must_not_call' in one ? [one.must_not_call] : 'must_ask_first' in one ? [one.must_ask_first] : []));
  return [...required, ...goals, ...ofRules, ...claims.map(({ call }) => call)];
}

function ruleOf({ id, contradicted, ...demand }: RuleDocument): OperatorRule {
  checkedPlain(kindsOfRule, demand);
  const base = { id, isContradicted: contradicted };
  if ('must_not_call' in demand) return { ...base, mustNotCall: demand.must_not_call };
  if ('must_ask_first' in demand) return { ...base, mustAskFirst: demand.must_ask_first };
  if ('must_contain' in demand) return { ...base, mustContain: demand.must_contain };
  if ('must_not_contain' in demand) return { ...base, mustNotContain: demand.must_not_contain };
  return refuse('missing-key', 'expected what the operator demands');
}
