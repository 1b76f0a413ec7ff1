/**
 * `ruleprint diff`: which rules two policies have and the other has not, by rule digest (spec/digest.md).
 * @module
 */
import { policyDigest, ruleDigest } from '../../digest/digest.js';
import type { Policy, Rule } from '../../policy/model.js';
import type { Command } from '../command.js';
import { usage } from '../failure.js';
import { textFormats } from '../files.js';
import { exit } from '../io.js';
import type { Colours } from '../output.js';
import { readPolicy } from '../policies.js';
import { asciiJson, count } from '../printable.js';

export const diff: Command = {
  arguments: [
    { syntax: '<before>', about: 'a policy in JSON or YAML' },
    { syntax: '<after>', about: 'another' },
  ],
  options: [{ syntax: '--format <format>', about: 'the format, where a file name does not tell', choices: textFormats }],
  details: `Rules are told apart by their names and compared by their digests, so another spelling of the same rule is no change. Order counts:
it is in the digest of a policy. The exit code is 0 where the rules are the same, whatever the versions, else 1.`,
  json: `{ "same", "before": { "version", "digest", "rules": 3 }, "after": { … },
  "added": [{ "name", "rule": place from 1, "digest" }], "removed": [{ … }], "moved": [{ "name", "digest", "from", "to" }],
  "changed": [{ "name", "before": { "rule", "digest" }, "after": { … }, "parts": [{ "part": "effect" | "agents" | "action", "before", "after" }] }] }`,
  examples: ['ruleprint diff policy-1.yaml policy-2.yaml', 'ruleprint diff old.json new.yaml --json'],
  run: async ({ io, out, input }) => {
    const [before = '', after = ''] = input.arguments;
    if (before === '-' && after === '-') throw usage('the two policies cannot both come from stdin');
    const read = (file: string): Promise<Policy> => readPolicy(io, file, /\.(json|ya?ml)$/i.test(file) ? undefined : input.value('format'));
    const [old, next] = [await read(before), await read(after)];
    const difference = compare(old, next);
    const [from, to] = [factsOf(old), factsOf(next)];
    const isSame = from.digest === to.digest;
    if (input.has('json')) out.json({ same: isSame, before: from, after: to, ...difference });
    else for (const line of isSame ? [sameLine(from, to, out.colours)] : differenceLines(difference, from, to, out.colours)) out.line(line);
    return isSame ? exit.good : exit.bad;
  },
};

interface Placed {
  readonly name: string;
  /** From 1, as people count. */
  readonly rule: number;
  readonly digest: string;
}

interface Difference {
  readonly added: readonly Placed[];
  readonly removed: readonly Placed[];
  readonly changed: readonly {
    readonly name: string;
    readonly before: Omit<Placed, 'name'>;
    readonly after: Omit<Placed, 'name'>;
    readonly parts: readonly Part[];
  }[];
  readonly moved: readonly { readonly name: string; readonly digest: string; readonly from: number; readonly to: number }[];
}

interface Part {
  readonly part: 'effect' | 'agents' | 'action';
  readonly before: unknown;
  readonly after: unknown;
}

function compare(before: Policy, after: Policy): Difference {
  const [old, next] = [placedRules(before), placedRules(after)];
  const kept = [...next.values()].filter(({ name }) => old.has(name));
  const inOrder = longestRising(kept.map(({ name }) => (old.get(name) as Placed).rule));
  const changed: Difference['changed'][number][] = [];
  const moved: Difference['moved'][number][] = [];
  kept.forEach(({ name, rule, digest }, i) => {
    const was = old.get(name) as Placed;
    const place = (placed: Placed): Omit<Placed, 'name'> => ({ rule: placed.rule, digest: placed.digest });
    if (was.digest !== digest) {
      const parts = partsOf(before.rules[was.rule - 1] as Rule, after.rules[rule - 1] as Rule);
      changed.push({ name, before: place(was), after: { rule, digest }, parts });
    }
    if (!inOrder.has(i)) moved.push({ name, digest, from: was.rule, to: rule });
  });
  return {
    added: [...next.values()].filter(({ name }) => !old.has(name)),
    removed: [...old.values()].filter(({ name }) => !next.has(name)),
    changed,
    moved,
  };
}

/** Rules by their names, which no two rules of a policy share. */
function placedRules({ rules }: Policy): ReadonlyMap<string, Placed> {
  return new Map(rules.map((rule, i) => [rule.name, { name: rule.name, rule: i + 1, digest: ruleDigest(rule) }]));
}

function partsOf(before: Rule, after: Rule): readonly Part[] {
  const base = { name: after.name, effect: before.effect, agents: before.agents, action: before.action };
  const was = ruleDigest(base);
  return (['effect', 'agents', 'action'] as const)
    .filter((part) => ruleDigest({ ...base, [part]: after[part] }) !== was)
    .map((part) => ({ part, before: before[part], after: after[part] }));
}

/** Places in a list of different numbers whose numbers rise, as many as there can be: what is not among them has moved. */
function longestRising(numbers: readonly number[]): ReadonlySet<number> {
  const ends: number[] = []; // ends[n]: where the smallest end of a run of n + 1 stands
  const before: (number | undefined)[] = [];
  numbers.forEach((number, i) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] as number] as number) < number) low = middle + 1;
      else high = middle;
    }
    before[i] = ends[low - 1];
    ends[low] = i;
  });
  const run = new Set<number>();
  for (let at = ends.at(-1); at !== undefined; at = before[at]) run.add(at);
  return run;
}

interface Facts {
  readonly version: number;
  readonly digest: string;
  readonly rules: number;
}

function factsOf(policy: Policy): Facts {
  return { version: policy.version, digest: policyDigest(policy), rules: policy.rules.length };
}

function sameLine({ version, digest, rules }: Facts, after: Facts, { good }: Colours): string {
  const versions = version === after.version ? `version ${version}` : `versions ${version} and ${after.version}`;
  return `${good('same')}, ${count(rules, 'rule')}, ${digest}, ${versions}`;
}

function differenceLines({ added, removed, changed, moved }: Difference, from: Facts, to: Facts, colours: Colours): string[] {
  const { good, bad, open, strong, faint } = colours;
  const name = (text: string): string => strong(asciiJson(text));
  const counts = [`${added.length} added`, `${removed.length} removed`, `${changed.length} changed`, `${moved.length} moved`];
  return [
    ...removed.map((rule) => `${bad('- removed')}  rule ${rule.rule} ${name(rule.name)}  ${faint(rule.digest)}`),
    ...added.map((rule) => `${good('+ added')}    rule ${rule.rule} ${name(rule.name)}  ${faint(rule.digest)}`),
    ...changed.flatMap((rule) => [
      `${open('~ changed')}  rule ${rule.after.rule} ${name(rule.name)}  ${faint(`${rule.before.digest} to ${rule.after.digest}`)}`,
      ...rule.parts.flatMap(({ part, before, after }) => [
        `    ${part} ${bad('-')} ${asciiJson(before)}`,
        `    ${' '.repeat(part.length)} ${good('+')} ${asciiJson(after)}`,
      ]),
    ]),
    ...moved.map((rule) => `${open('> moved')}    rule ${rule.from} to ${rule.to} ${name(rule.name)}  ${faint(rule.digest)}`),
    '',
    `${bad('differ')}: ${counts.join(', ')}; version ${from.version} ${from.digest} to version ${to.version} ${to.digest}`,
  ];
}
