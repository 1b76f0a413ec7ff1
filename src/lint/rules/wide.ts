/**
 * Allow rules that allow more than a reader would think.
 * @module
 */
import type { HostPattern } from '../../policy/host.js';
import type { Rule } from '../../policy/model.js';
import type { Wildcard } from '../../policy/wildcard.js';
import { lintRule, listed, livingAllows, patternOf } from '../rule.js';

/** Whether a wildcard holds no character of its own. */
export function isBlank({ chunks }: Wildcard): boolean {
  return chunks.length > 1 && chunks.every((chunk) => (typeof chunk === 'string' ? chunk === '' : chunk.every((point) => point === -1)));
}

/** The file methods of a rule beyond reading, in words. */
function beyondReading({ action }: Rule): readonly string[] {
  if (!('filesystem' in action)) return [];
  const { methods } = action.filesystem;
  return methods === 'any' ? ['write', 'delete', 'execute'] : methods.filter((method) => method !== 'read');
}

export const anyPath = lintRule({
  id: 'policy.any-path',
  title: 'An allow rule for paths anywhere',
  help: 'The path pattern names no folder to begin with. /** covers every path there is, the root too; a pattern like /**/name covers that name in every folder, system folders too. Readers often take such a pattern for one project.',
  remediation: 'begin the pattern with the folder that is meant',
  severity: 'high',
  confidence: 'high',
  *look(subject) {
    for (const { position, rule, compiled } of livingAllows(subject)) {
      if (compiled.pattern.kind !== 'filesystem') continue;
      const { path } = compiled.pattern;
      const isOpen = path.length > 0 && path.every((segment) => segment === undefined || isBlank(segment));
      const more = beyondReading(rule);
      if (!isOpen && !(path[0] === undefined && path.length > 0 && more.length > 0)) continue;
      const what = more.length > 0 ? `${listed(more)}` : 'reading';
      const where = isOpen ? 'on every path' : 'in every folder';
      yield {
        position,
        message: `the rule ${subject.nameOf(position)} allows ${what} ${where}: ${subject.show(patternOf(rule))}`,
        ...(more.length === 0 && { severity: 'medium' }),
      };
    }
  },
});

export const gluedStar = lintRule({
  id: 'policy.glued-star',
  title: 'A star behind a name where a folder was meant',
  help: 'A star directly behind a name goes on with the name: /srv/data* covers /srv/database and /srv/data-old beside /srv/data. Where what is in a folder was meant, a slash belongs in front of the star.',
  remediation: 'write /srv/data/* for what is in the folder, /srv/data/** for everything below it',
  severity: 'medium',
  confidence: 'medium',
  *look(subject) {
    for (const { position, rule, compiled } of livingAllows(subject)) {
      if (compiled.pattern.kind !== 'filesystem') continue;
      const glued = compiled.pattern.path.some((segment) => segment !== undefined && endsGlued(segment));
      if (glued)
        yield {
          position,
          message: `the star in ${subject.show(patternOf(rule))} of the rule ${subject.nameOf(position)} goes on with the name in front of it`,
        };
    }
  },
});

/** `data*`, but neither `report-*` nor `main.c*`, where something stands between name and star. */
function endsGlued({ chunks }: Wildcard): boolean {
  const [front, end] = chunks;
  return chunks.length === 2 && end === '' && typeof front === 'string' && /^[\p{L}\p{N}_-]*[\p{L}\p{N}]$/u.test(front);
}

export const openWrite = lintRule({
  id: 'policy.open-write',
  title: 'Any agent may write, delete or execute',
  help: 'The rule is for any agent, and allows more than reading. An agent that is new tomorrow, or that names itself as it likes, has it too.',
  remediation: 'name the agents that need it',
  severity: 'medium',
  confidence: 'high',
  *look(subject) {
    for (const { position, rule } of livingAllows(subject)) {
      const more = beyondReading(rule);
      if (rule.agents !== 'any' || more.length === 0) continue;
      yield { position, message: `the rule ${subject.nameOf(position)} lets any agent ${listed(more)} ${subject.show(patternOf(rule))}` };
    }
  },
});

/** Whether a host pattern covers so much that it names nobody. */
function isWideHost(host: HostPattern): boolean {
  if (host.kind === 'block') return host.bits === 0;
  return host.kind === 'any' || (host.kind === 'below' && !host.suffix.slice(1).includes('.'));
}

export const anyHost = lintRule({
  id: 'policy.any-host',
  title: 'An allow rule for any host and any port',
  help: 'The rule allows connections to any host (or to all below a top-level domain, or to all addresses) on any port: mail, databases and services of the own network as well as the web.',
  remediation: 'name the hosts, or at least the port',
  severity: 'high',
  confidence: 'high',
  *look(subject) {
    for (const { position, rule, compiled } of livingAllows(subject)) {
      const { pattern } = compiled;
      if (pattern.kind !== 'network' || !isWideHost(pattern.host)) continue;
      if (pattern.ports !== 'any' && (pattern.ports.from > 1 || pattern.ports.to < 65_535)) continue;
      yield { position, message: `the rule ${subject.nameOf(position)} allows every port of ${subject.show(patternOf(rule))}` };
    }
  },
});

/** Whether an argv pattern leaves the program open. */
export function isAnyProgram({ items, open }: { readonly items: readonly Wildcard[]; readonly open: boolean }): boolean {
  const [program] = items;
  return program === undefined ? open : isBlank(program);
}

export const anyProgram = lintRule({
  id: 'policy.any-program',
  title: 'An allow rule for any program',
  help: 'The first argument is the program, and the rule leaves it open: shells, interpreters and package managers are among those that it allows, and through them everything else.',
  remediation: 'name the program, one rule for each',
  severity: 'critical',
  confidence: 'high',
  *look(subject) {
    for (const { position, compiled } of livingAllows(subject)) {
      if (compiled.pattern.kind !== 'process' || !isAnyProgram(compiled.pattern.argv)) continue;
      yield { position, message: `the rule ${subject.nameOf(position)} allows any program` };
    }
  },
});

export const toolWildcard = lintRule({
  id: 'policy.tool-wildcard',
  title: 'An allow rule for all tools',
  help: 'The rule allows every tool of a server, or tools of every server. A server that adds a tool, and a server that is added, is allowed at once. For a server whose tools are not mapped to actions it also passes all path and host rules by.',
  remediation: 'name the server and the tools',
  severity: 'high',
  confidence: 'high',
  *look(subject) {
    for (const { position, rule, compiled } of livingAllows(subject)) {
      if (compiled.pattern.kind !== 'tool') continue;
      const { server, name } = compiled.pattern;
      const pattern = subject.show(patternOf(rule));
      if (isBlank(server)) yield { position, message: `the rule ${subject.nameOf(position)} allows tools of every server: ${pattern}` };
      else if (isBlank(name)) yield { position, message: `the rule ${subject.nameOf(position)} allows every tool of a server: ${pattern}`, severity: 'low' };
    }
  },
});
