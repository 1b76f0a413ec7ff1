/**
 * Which entries somebody asked for.
 * @module
 */
import { effects } from '../policy/model.js';
import type { Statement } from '../receipt/statement.js';
import type { CommandOption, Input } from './command.js';
import type { Shown } from './entries.js';
import { usage } from './failure.js';
import { printable } from './printable.js';
import { readRecorded } from './statement-words.js';

export const filterOptions: readonly CommandOption[] = [
  { syntax: '--agent <id>', about: 'decisions about this agent' },
  { syntax: '--effect <effect>', about: 'decisions with this effect', choices: effects },
  { syntax: '--rule <name>', about: 'decisions by this rule' },
  { syntax: '--digest <hash>', about: 'what cites this policy digest, or one that begins so' },
  { syntax: '--since <time>', about: 'from this time on: 2026-11-30, 2026-11-30T17:08 (in UTC), or milliseconds since 1970' },
  { syntax: '--until <time>', about: 'before this time' },
  { syntax: '--engine <id>', about: 'entries of this engine' },
];

export type Filter = (shown: Shown) => boolean;

/** All that is asked must hold. What is no entry is never filtered out: nobody shall overlook it. */
export function filterOf(input: Input): Filter {
  const [agent, effect, rule, engine] = ['agent', 'effect', 'rule', 'engine'].map((name) => input.value(name));
  const digest = digestOf(input.value('digest'));
  const [since, until] = [timeOf(input, 'since'), timeOf(input, 'until')];
  return ({ receipt }) => {
    if ('code' in receipt) return true;
    const { statement } = receipt;
    const decision = statement.statement === 'decision' ? statement : undefined;
    return (
      (agent === undefined || decision?.agent === agent) &&
      (effect === undefined || decision?.decision.effect === effect) &&
      (rule === undefined || decision?.decision.rule === rule) &&
      (engine === undefined || statement.engine_id === engine) &&
      (digest === undefined || cited(statement).some((each) => each.startsWith(digest))) &&
      (since === undefined || statement.time >= since) &&
      (until === undefined || statement.time < until)
    );
  };
}

/** Policy digests that a statement names, or the one that it takes in. */
function cited(statement: Statement): readonly string[] {
  const inner = statement.statement === 'record' ? readRecorded(statement.recorded)?.statement : statement;
  if (inner === undefined) return [];
  return ['policy_digest', 'replaces'].flatMap((field) => {
    const value = (inner as unknown as Record<string, unknown>)[field];
    return typeof value === 'string' ? [value] : [];
  });
}

function digestOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const digest = text.startsWith('sha256:') ? text : `sha256:${text}`;
  if (!/^sha256:[0-9a-f]{1,64}$/.test(digest)) throw usage(`--digest takes sha256: and hex digits, not "${printable(text)}"`);
  return digest;
}

function timeOf(input: Input, option: string): number | undefined {
  const text = input.value(option);
  if (text === undefined) return undefined;
  if (/^\d{1,16}$/.test(text)) return Number(text);
  const [, date, time = 'T00:00', zone = 'Z'] = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)?(Z|[+-]\d{2}:\d{2})?$/.exec(text) ?? [];
  const ms = Date.parse(`${date}${time}${zone}`);
  if (date === undefined || Number.isNaN(ms)) throw usage(`--${option} takes a time such as 2026-11-30T17:08, not "${printable(text)}"`);
  return ms;
}
