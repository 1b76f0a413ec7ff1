/**
 * Deny rules that are got around.
 * @module
 */
import type { CompiledPattern, CompiledRule } from '../../decide/covers.js';
import { lintRule, listed, livingAllows, patternOf, type Position, rulesOf, type Subject } from '../rule.js';
import { isAnyProgram, isBlank } from './wide.js';

/** What else a deny of some methods is meant to stop: who may not write must not delete either. */
const kin: readonly (readonly string[])[] = [
  ['write', 'delete'],
  ['read', 'write', 'delete'],
  ['POST', 'PUT', 'PATCH', 'DELETE'],
  ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
];

/** The methods that a deny of `denied` leaves out of the smallest family that it touches. */
function leftOut(denied: readonly string[]): readonly string[] {
  const isReading = denied.some((method) => method === 'read' || method === 'GET');
  const family = kin.find((each) => denied.some((method) => each.includes(method)) && (!isReading || each.includes('read') || each.includes('GET'))) ?? [];
  return family.filter((method) => !denied.includes(method));
}

export const methodGap = lintRule({
  id: 'policy.method-gap',
  title: 'A deny rule for one method that leaves others open',
  help: 'The deny rule names some methods, and an allow rule opens others that do the same harm on the same path or host: writing is denied and deleting is not, POST is denied and PUT is not, reading is denied and writing is not.',
  remediation: 'write methods: any in the deny rule, or name all methods that do harm',
  severity: 'medium',
  confidence: 'medium',
  *look(subject) {
    for (const { position, compiled } of rulesOf(subject, 'deny')) {
      const { pattern, agents } = compiled;
      if ((pattern.kind !== 'filesystem' && pattern.kind !== 'network') || pattern.methods === 'any') continue;
      const allows = subject.reach.meeting(pattern).filter((other) => subject.reach.rules[other]?.effect === 'allow');
      const open = new Map<string, number>();
      for (const method of leftOut(pattern.methods)) {
        const area: CompiledPattern = { ...pattern, methods: [method] };
        const by = allows.find((other) => subject.reach.within(other, [area], agents).state === 'alive');
        if (by !== undefined) open.set(method, by);
      }
      if (open.size === 0) continue;
      const [methods, others] = [[...open.keys()], [...new Set(open.values())]];
      const message = `the deny rule ${subject.nameOf(position)} leaves ${listed(methods)} open, allowed by ${listed(others.map(subject.nameOf))}`;
      yield { position, others, detail: methods.join(), message };
    }
  },
});

/** Whether there is an agent that both rules are for. */
function shareAgents(a: CompiledRule, b: CompiledRule): boolean {
  return a.agents === undefined || b.agents === undefined || [...a.agents].some((id) => b.agents?.has(id));
}

function denies(subject: Subject, allow: Position, isMeant: (pattern: CompiledPattern) => boolean): readonly number[] {
  return [...rulesOf(subject, 'deny')].flatMap(({ position, compiled }) =>
    isMeant(compiled.pattern) && shareAgents(compiled, allow.compiled) ? [position] : [],
  );
}

export const addressByName = lintRule({
  id: 'policy.address-by-name',
  title: 'Denied addresses that a name may lead to',
  help: 'An address rule does not stop a name that resolves to the address, and this rule allows names by wildcard: whoever holds one of them says where it leads. The gate closes this with --resolve, which has the addresses of a name judged as well.',
  remediation: 'name the hosts that are allowed, or run the gate with --resolve',
  severity: 'low',
  confidence: 'medium',
  *look(subject) {
    for (const allow of livingAllows(subject)) {
      const { pattern } = allow.compiled;
      if (pattern.kind !== 'network' || (pattern.host.kind !== 'any' && pattern.host.kind !== 'below')) continue;
      const others = denies(subject, allow, (deny) => deny.kind === 'network' && isAddressPattern(deny.host) && portsMeet(deny.ports, pattern.ports));
      if (others.length === 0) continue;
      const names = listed(others.map(subject.nameOf));
      yield {
        position: allow.position,
        others,
        message: `the rule ${subject.nameOf(allow.position)} allows names that may resolve to addresses denied by ${names}`,
      };
    }
  },
});

type NetworkPattern = CompiledPattern & { readonly kind: 'network' };

function isAddressPattern(host: NetworkPattern['host']): boolean {
  return host.kind === 'block' || (host.kind === 'exact' && /^[0-9.]+$|:/.test(host.host));
}

function portsMeet(a: NetworkPattern['ports'], b: NetworkPattern['ports']): boolean {
  return a === 'any' || b === 'any' || Math.max(a.from, b.from) <= Math.min(a.to, b.to);
}

export const pathBypass = lintRule({
  id: 'policy.path-bypass',
  title: 'Denied paths that a program or a tool may open',
  help: 'A deny of a path judges file actions. It does not stop a program that is allowed from opening the file, and not a tool whose calls are not mapped to file actions. This rule allows programs or tools by wildcard, so what they do with files is open.',
  remediation: 'name the programs and tools, and map the tools to file actions',
  severity: 'low',
  confidence: 'medium',
  *look(subject) {
    for (const allow of livingAllows(subject)) {
      const { pattern } = allow.compiled;
      const isProgram = pattern.kind === 'process' && isAnyProgram(pattern.argv);
      const isTool = pattern.kind === 'tool' && (isBlank(pattern.server) || isBlank(pattern.name));
      if (!isProgram && !isTool) continue;
      const others = denies(subject, allow, (deny) => deny.kind === 'filesystem');
      if (others.length === 0) continue;
      const [what, names] = [isProgram ? 'any program' : `the tools ${subject.show(patternOf(allow.rule))}`, listed(others.map(subject.nameOf))];
      yield {
        position: allow.position,
        others: others.slice(0, 5),
        message: `the rule ${subject.nameOf(allow.position)} allows ${what}, which may open paths denied by ${names}`,
      };
    }
  },
});
