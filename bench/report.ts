/**
 * Results: gathered by name, printed as tables, saved as JSON, compared with a saved run.
 * @module
 */
import { readFileSync } from 'node:fs';
import { type Contender, type Effort, race, ratio, type Timing } from './measure.js';

/** What the ratio to the base of a table has to be. */
export type Target = { readonly atMost: number } | { readonly moreThan: number };

export interface Figure {
  readonly unit: 'ns' | 'bytes';
  readonly value: number;
  readonly rounds?: readonly number[];
}

/** A ratio, or for a claim the number of things that speak against it. */
interface Judged {
  readonly value: number;
  readonly target?: string;
  readonly met?: boolean;
}

interface Saved {
  readonly format: string;
  readonly figures: Readonly<Record<string, Figure>>;
}

const format = 'ruleprint-bench/1';

function threeDigits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function shown({ unit, value }: Figure): string {
  if (unit === 'bytes') return `${value.toLocaleString('en')} B`;
  if (value >= 1e9) return `${threeDigits(value / 1e9)} s`;
  if (value >= 1e6) return `${threeDigits(value / 1e6)} ms`;
  if (value >= 1e3) return `${threeDigits(value / 1e3)} µs`;
  return `${threeDigits(value)} ns`;
}

/** Columns side by side: numbers to the right, words to the left. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  const pad = (cell: string, i: number): string => (/^[+-]?[0-9]/.test(cell) || isHeading(cell) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0));
  return rows.map((row) => row.map(pad).join('  ').trimEnd());
}

/** Words over columns of numbers. */
function isHeading(cell: string): boolean {
  return ['median', 'ratio', 'saved', 'now', 'percent', '-', 'new'].includes(cell);
}

export class Report {
  readonly figures: Record<string, Figure> = {};
  readonly judgements: Record<string, Judged> = {};
  readonly notes: string[] = [];
  readonly #print: (line: string) => void;
  readonly #effort: Effort;

  constructor(print: (line: string) => void, effort: Effort) {
    this.#print = print;
    this.#effort = effort;
  }

  /** One line for people, kept in the JSON as well. */
  note(text: string): void {
    this.notes.push(text);
    this.#print('');
    this.#print(text);
  }

  get effort(): Effort {
    return this.#effort;
  }

  /** Times contenders side by side. The first is the base: the ratio of every other is taken to it. */
  race(table: { id: string; title: string; contenders: readonly [Contender, ...Contender[]]; targets?: Readonly<Record<string, Target>> }): void {
    this.timed({ ...table, timings: race(table.contenders, this.#effort) });
  }

  /** Contenders that were timed elsewhere, in rounds that go together. The first is the base. */
  timed(table: { id: string; title: string; timings: ReadonlyMap<string, Timing>; targets?: Readonly<Record<string, Target>> }): void {
    const { id, title, timings, targets = {} } = table;
    const [[baseName, base]] = [...timings] as [[string, Timing]];
    const rows = [...timings].map(([name, timing]) => {
      const figure = { unit: 'ns', value: timing.median, rounds: timing.rounds } as const;
      this.figures[`${id}/${name}`] = figure;
      if (name === baseName) return [`  ${name}`, shown(figure), '1.00x'];
      const value = ratio(timing, base);
      const target = targets[name];
      return [`  ${name}`, shown(figure), `${value.toFixed(2)}x`, ...this.#judge(`${id}/${name} : ${baseName}`, value, target)];
    });
    this.#table([[title, 'median', 'ratio'], ...rows]);
  }

  /** Figures that were not raced, each with its bound and a remark if it has them. */
  list(table: { id: string; title: string; rows: readonly { name: string; figure: Figure; atMost?: number; remark?: string }[] }): void {
    const { id, title, rows } = table;
    const lines = rows.map(({ name, figure, atMost, remark = '' }) => {
      const key = `${id}/${name}`;
      this.figures[key] = figure;
      if (atMost === undefined) return [`  ${name}`, shown(figure), remark];
      const met = figure.value <= atMost;
      const target = `at most ${shown({ ...figure, value: atMost })}`;
      this.judgements[`${key} : bound`] = { value: figure.value / atMost, target, met };
      return [`  ${name}`, shown(figure), remark, target, met ? 'met' : 'MISSED'];
    });
    this.#table([[title], ...lines]);
  }

  /** A claim that holds when nothing speaks against it. */
  must(claim: string, against: readonly string[]): void {
    this.judgements[claim] = { value: against.length, target: claim, met: against.length === 0 };
    for (const line of against) this.#print(`  ${claim}: ${line} MISSED`);
  }

  #judge(key: string, value: number, target: Target | undefined): string[] {
    if (target === undefined) {
      this.judgements[key] = { value };
      return [];
    }
    const text = 'atMost' in target ? `at most ${target.atMost}x` : `more than ${target.moreThan}x`;
    const met = 'atMost' in target ? value <= target.atMost : value > target.moreThan;
    this.judgements[key] = { value, target: text, met };
    return [text, met ? 'met' : 'MISSED'];
  }

  #table(rows: readonly (readonly string[])[]): void {
    this.#print('');
    for (const line of columns(rows)) this.#print(line);
  }

  /** What has a target, and which of these missed it. */
  get judged(): { all: readonly string[]; missed: readonly string[] } {
    const all = Object.entries(this.judgements).filter(([, { met }]) => met !== undefined);
    return { all: all.map(([key]) => key), missed: all.filter(([, { met }]) => met === false).map(([key]) => key) };
  }

  toJson(environment: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return { format, ...environment, figures: this.figures, judgements: this.judgements, notes: this.notes };
  }
}

/** A run saved with `--json`. */
export function readSaved(file: string): Saved {
  const text = readFileSync(file, 'utf8');
  // npm writes lines of its own in front, unless it is told to be silent
  const start = text.search(/^\{/m);
  const saved = (start < 0 ? {} : JSON.parse(text.slice(start))) as Partial<Saved>;
  if (saved.format !== format || saved.figures === undefined) throw new Error(`${file}: expected a run saved by --json in the format ${format}`);
  return { format, figures: saved.figures };
}

/** Prints how a run differs from a saved one. Where the rounds of both overlap the change is called noise. */
export function compare(saved: Saved, { figures }: Report, print: (line: string) => void): void {
  const rows = Object.entries(figures).map(([key, now]) => {
    const before = saved.figures[key];
    if (before === undefined) return [`  ${key}`, '-', shown(now), 'new'];
    const percent = (now.value / before.value - 1) * 100;
    const change = `${percent < 0 ? '' : '+'}${percent.toFixed(1)} %`;
    return [`  ${key}`, shown(before), shown(now), change, overlap(before, now) ? '(noise)' : ''];
  });
  print('');
  for (const line of columns([['change', 'saved', 'now', 'percent'], ...rows])) print(line);
  const left = Object.keys(saved.figures).filter((key) => figures[key] === undefined).length;
  if (left > 0) print(`${left} figures of the saved run were not measured this time.`);
}

function overlap(a: Figure, b: Figure): boolean {
  if (a.rounds === undefined || b.rounds === undefined) return false;
  return Math.min(...a.rounds) <= Math.max(...b.rounds) && Math.min(...b.rounds) <= Math.max(...a.rounds);
}
