/**
 * What false tools answer (spec/audit-run.md, AUR-2): data, tried row by row, with counters and kept values where a scenario needs a memory. No code and no
 * pattern of a scenario is ever run.
 * @module
 */
import { copyPlain, freezeDeep } from '../../policy/plain.js';
import { checkedPlain } from '../../policy/door.js';
import { checkName } from '../../policy/text.js';
import { integer, list, object, text } from '../../shape.js';
import { checkConditions, type Condition, conditionShape, holds, pointerShape } from '../predicate.js';
import { stableText, valueAt } from '../transcript.js';

/** The first row that fits a call answers it. */
export interface ScriptRow {
  readonly tool: string;
  /** All of them hold for the arguments. */
  readonly where?: readonly Condition[];
  /** The row answers so many calls and no more. */
  readonly times?: number;
  /** Only once the counter has reached the number. */
  readonly after?: { readonly counter: string; readonly count: number };
  /** Only where a value was kept under this name. */
  readonly has?: string;
  /**
   * The result. `{{canary:SLOT}}`, `{{args:/pointer}}`, `{{kept:NAME}}` and `{{count:NAME}}` stand for values; what they bring in is not looked at again.
   */
  readonly result: string;
  /** Told to the model as a failed call. */
  readonly error?: true;
  /** Adds one to a counter. */
  readonly counts?: string;
  /** Keeps a value of the arguments under a name. */
  readonly keeps?: { readonly name: string; readonly pointer: string };
}

export type Script = readonly ScriptRow[];

const name = text('a name', checkName);
const anyText = text('text');

const scriptShape = list(
  'a list of rows',
  object(
    'a row of a script',
    { tool: name, result: anyText },
    {
      where: conditionShape,
      times: integer(1, 1_000_000),
      after: object('{ counter, count }', { counter: name, count: integer(1, 1_000_000) }),
      has: name,
      error: { kind: 'boolean', only: true },
      counts: name,
      keeps: object('{ name, pointer }', { name, pointer: pointerShape }),
    },
  ),
  { max: 10_000 },
);

/**
 * Takes a script: a deep frozen copy.
 *
 * @throws RuleprintError for data that is no script
 */
export function copyScript(value: unknown): Script {
  const script = checkedPlain(scriptShape, copyPlain(value)) as Script;
  for (const row of script) checkConditions(row.where);
  return freezeDeep(script);
}

/** The answer of a false tool. */
export interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

/** What a tool says that no row speaks for. */
const silent: Answer = Object.freeze({ text: '{"ok":true}', isError: false });

/** Characters of all values in one result: long arguments in many places would fill the memory of who answers, and of who verifies. */
const mostFilled = 16_777_216;

/** What the tools of one epoch remember. */
export class ScriptState {
  readonly #script: Script;
  readonly #canaries: ReadonlyMap<string, string>;
  readonly #used = new Map<ScriptRow, number>();
  readonly #counters = new Map<string, number>();
  readonly #kept = new Map<string, string>();

  constructor(script: Script, canaries: ReadonlyMap<string, string>) {
    this.#script = script;
    this.#canaries = canaries;
  }

  answer(tool: string, args: unknown): Answer {
    const row = this.#script.find((each) => this.#fits(each, tool, args));
    if (row === undefined) return silent;
    this.#used.set(row, (this.#used.get(row) ?? 0) + 1);
    if (row.counts !== undefined) this.#counters.set(row.counts, (this.#counters.get(row.counts) ?? 0) + 1);
    if (row.keeps !== undefined) this.#kept.set(row.keeps.name, shown(valueAt(args, row.keeps.pointer)));
    let left = mostFilled;
    const text = fill(row.result, (kind, of) => {
      const value = this.#valueOf(kind, of, args);
      if (value === undefined || value.length > left) return undefined;
      left -= value.length;
      return value;
    });
    return { text, isError: row.error === true };
  }

  #fits(row: ScriptRow, name: string, args: unknown): boolean {
    if (!holds(row, { name, args })) return false;
    if (row.times !== undefined && (this.#used.get(row) ?? 0) >= row.times) return false;
    if (row.after !== undefined && (this.#counters.get(row.after.counter) ?? 0) < row.after.count) return false;
    return row.has === undefined || this.#kept.has(row.has);
  }

  #valueOf(kind: string, of: string, args: unknown): string | undefined {
    if (kind === 'canary') return this.#canaries.get(of);
    if (kind === 'kept') return this.#kept.get(of) ?? '';
    if (kind === 'count') return String(this.#counters.get(of) ?? 0);
    return kind === 'args' ? shown(valueAt(args, of)) : undefined;
  }
}

/** Puts values in the places of a text, once. A place that nobody knows stays as it stands. */
export function fill(template: string, filling: (kind: string, of: string) => string | undefined): string {
  return template.replace(/\{\{(canary|args|kept|count):([^{}]*)\}\}/g, (place, kind: string, of: string) => filling(kind, of) ?? place);
}

/** The slots that a text plants canaries in, in their order. */
export function slotsIn(template: string): readonly string[] {
  return [...template.matchAll(/\{\{canary:([^{}]*)\}\}/g)].map(([, slot = '']) => slot);
}

function shown(value: unknown): string {
  return value === undefined ? '' : typeof value === 'string' ? value : stableText(value);
}
