/**
 * `ruleprint draft`: the least policy that allows what a ledger has seen.
 * @module
 */
import { InMemoryPolicyEngine } from '../../engine/in-memory.js';
import { limits } from '../../limits.js';
import { utf8Length } from '../../bytes.js';
import type { Action, Policy, Request } from '../../policy/model.js';
import { parsePolicy } from '../../policy/parse.js';
import type { Statement } from '../../receipt/statement.js';
import type { Command, Context } from '../command.js';
import { deniesOf, draftText, type Drafted, exactly, exactPath, type Observed, rulesFor } from '../draft.js';
import { entriesIn } from '../entries.js';
import { usage } from '../failure.js';
import { fileName, newFile } from '../files.js';
import { exit } from '../io.js';
import { readPolicies } from '../policies.js';
import { count } from '../printable.js';
import { placeOf } from '../sources.js';

export const draft: Command = {
  arguments: [{ syntax: '<ledger>', about: 'the folder of a ledger, or a file of receipts' }],
  options: [
    { syntax: '--policies <path...>', about: 'keep the deny rules of these policies, and draft nothing that they deny' },
    { syntax: '--folders <n>', about: 'paths of one folder become one rule for the folder where there are n or more of them (default: each path is listed)' },
    { syntax: '--agent <id>', about: 'what this agent did alone' },
    { syntax: '--out <file>', about: 'where the policy goes, a new file; stdout where it is left off' },
  ],
  details: `Observed is what was allowed, what was asked and approved, and everything that was decided while nothing was held back (--observe).
What a gate denied or could not map is not drafted. Each path, host, program and tool has a rule of its own, for the agents that used it.
Nothing is verified: ruleprint verify does that. Read the draft before you use it: what was seen is not what is right.`,
  json: '{ "policy": the text, "version", "rules", "calls", "left_out" }',
  examples: ['ruleprint draft audit --out policy-2.yaml', 'ruleprint draft audit --policies policy.yaml --folders 5'],
  run: async (context) => {
    const { io, out, input } = context;
    const folders = foldersOf(input.value('folders'));
    const keep = deniesOf(await readPolicies(io, input.values('policies') ?? []));
    const { calls, version } = await observedIn(context);
    const kept = engineOf({ version: 1, rules: keep.map(({ rule }) => rule) });
    const wanted = calls.filter((call) => isExpressible(call) && kept.evaluate(call).decision.rule === undefined);
    const leftOut = calls.length - wanted.length;
    const rules: readonly Drafted[] = [...keep, ...renamed(rulesFor(wanted, folders === undefined ? {} : { folders }), keep)];
    const text = draftText(headOf(input.arguments[0] as string, wanted.length, leftOut), version + 1, rules);
    checkAllows(text, wanted);
    const to = input.value('out');
    if (to !== undefined) {
      const file = await newFile(io, to);
      await file.append(Buffer.from(text));
      await file.close();
    }
    if (input.has('json')) out.json({ policy: text, version: version + 1, rules: rules.length, calls: wanted.length, left_out: leftOut });
    else if (to === undefined) out.raw(text);
    else out.line(`${fileName(to)}: ${count(rules.length, 'rule')} for ${count(wanted.length, 'call')}, version ${version + 1}`);
    if (leftOut > 0) out.hint(`${count(leftOut, 'call')} left out: denied by a rule that is kept, or too long for a rule`);
    return exit.good;
  },
};

function foldersOf(said: string | undefined): number | undefined {
  if (said === undefined) return undefined;
  if (!/^[1-9]\d{0,5}$/.test(said) || said === '1') throw usage('--folders takes a number from 2 on');
  return Number(said);
}

/** Distinct calls in the order in which they were seen first, and the highest version that was installed. */
async function observedIn({ io, input }: Context): Promise<{ calls: readonly Observed[]; version: number }> {
  const { pieces } = await placeOf(io, input.arguments[0] as string);
  const agent = input.value('agent');
  const calls: Observed[] = [];
  const asks = new Map<string, Observed>();
  let version = 0;
  for (const { receipt } of entriesIn(pieces)) {
    if ('code' in receipt) continue;
    const { statement, hash } = receipt;
    if ('policy_version' in statement && statement.policy_version !== undefined) version = Math.max(version, statement.policy_version);
    if (statement.statement === 'release') {
      const asked = asks.get(statement.ask);
      if (asked !== undefined) calls.push(asked);
    }
    const call = observed(statement);
    if (call === undefined || (agent !== undefined && call.agent !== agent)) continue;
    if (isLetThrough(statement)) calls.push(call);
    else asks.set(hash, call);
  }
  return { calls, version };
}

/** A decision that let a call through, or may have. */
function observed(statement: Statement): Observed | undefined {
  if (statement.statement !== 'decision' || !isJudged(statement.decision.reason)) return undefined;
  const { agent, actions, decision, enforced } = statement;
  return decision.effect === 'deny' && enforced !== false ? undefined : { agent, actions };
}

function isLetThrough(statement: Statement): boolean {
  return statement.statement === 'decision' && (statement.decision.effect === 'allow' || statement.enforced === false);
}

/** Without its actions a call cannot be allowed. */
function isJudged(reason: string | undefined): boolean {
  return reason === undefined || reason === 'no-rule' || reason === 'no-policy';
}

/** Whether each of its patterns fits into a rule. */
function isExpressible({ actions }: Observed): boolean {
  const textsOf = (action: Action): readonly string[] => {
    if ('tool' in action) return [exactly(action.tool.server), exactly(action.tool.name)];
    if ('filesystem' in action) return [exactPath(action.filesystem.path)];
    return 'network' in action ? [action.network.host, action.network.method ?? ''] : action.process.argv.map(exactly);
  };
  return actions.flatMap(textsOf).every((text) => utf8Length(text) <= limits.ruleStringBytes);
}

function renamed(rules: readonly Drafted[], keep: readonly Drafted[]): readonly Drafted[] {
  const taken = new Set(keep.map(({ rule }) => rule.name));
  return rules.map(({ rule, ...rest }) => {
    let { name } = rule;
    while (taken.has(name)) name = `observed-${name}`;
    return { ...rest, rule: { ...rule, name } };
  });
}

function headOf(ledger: string, calls: number, leftOut: number): readonly string[] {
  return [
    `Drafted from ${fileName(ledger)}: the least that allows ${count(calls, 'call')} that ${calls === 1 ? 'was' : 'were'} let through there.`,
    ...(leftOut === 0 ? [] : [`${count(leftOut, 'call')} left out: denied by a rule that is kept, or too long for a rule.`]),
    'Read it before you use it: what was seen is not what is right.',
  ];
}

function engineOf(policy: Policy): InMemoryPolicyEngine {
  const engine = new InMemoryPolicyEngine({ engineId: 'draft' });
  engine.install(policy);
  return engine;
}

/** What the draft promises, checked before it is handed out. */
function checkAllows(text: string, calls: readonly Request[]): void {
  const engine = engineOf(parsePolicy(text, { format: 'yaml' }));
  const wrong = calls.find((call) => engine.evaluate(call).decision.effect !== 'allow');
  if (wrong !== undefined) throw new Error('the draft does not allow a call that it was drafted from');
}
