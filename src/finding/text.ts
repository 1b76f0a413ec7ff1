/**
 * Findings for people (spec/finding.md, FND-13).
 * @module
 */
import { printable } from './ascii.js';
import type { Evidence, Finding } from './model.js';
import { prepare, type RenderOptions, type Shown } from './rendering.js';
import type { Severity } from './severity.js';

export type Paint = (text: string) => string;

/** How a terminal shows what; without colours nothing is painted. */
export interface TextColours {
  readonly bad: Paint;
  readonly open: Paint;
  readonly strong: Paint;
  readonly faint: Paint;
}

export interface TextOptions extends RenderOptions {
  /** For a terminal alone. */
  readonly colours?: TextColours;
  /** Also says what to do, where to read more, and the whole id, each on a line of its own. */
  readonly details?: boolean;
}

const glyphs: Readonly<Record<Severity, string>> = { critical: '‼', high: '✖', medium: '▲', low: '●', info: 'ℹ' };
const plain: Paint = (text) => text;
const noColours: TextColours = { bad: plain, open: plain, strong: plain, faint: plain };

/**
 * For each finding one summary line with glyph and label of the severity, and one line for each location. Ends with a line feed, or is empty.
 *
 * @throws RuleprintError as createFinding; `duplicate-item` for two findings with one id
 */
export function renderText(findings: readonly Finding[], options: TextOptions = {}): string {
  const { colours = noColours, details = false } = options;
  return prepare(findings, options)
    .flatMap((shown) => linesOf(shown, colours, details))
    .map((line) => `${line}\n`)
    .join('');
}

function linesOf({ finding, suppression }: Shown, colours: TextColours, details: boolean): string[] {
  const { severity, rule_id: rule, message, affected_agent: agent, change_state: change } = finding;
  const paint = severity === 'critical' || severity === 'high' ? colours.bad : severity === 'medium' ? colours.open : colours.faint;
  const notes = [
    ...(agent === undefined ? [] : [`agent ${printable(agent)}`]),
    ...(change === 'not-compared' ? [] : [change]),
    ...(suppression ? [`suppressed: ${printable(suppression.reason)}`] : []),
  ];
  const label = paint(`${glyphs[severity]} ${severity.padEnd(8)}`);
  const summary = `${label} ${colours.strong(rule)}: ${printable(message)}${notes.length > 0 ? colours.faint(` (${notes.join(', ')})`) : ''}`;
  const more = details ? [`remedy: ${printable(finding.remediation)}`, `see: ${finding.documentation_url}`, `id: ${finding.id}`] : [];
  return [summary, ...finding.evidence.flatMap(locationLine), ...more.map((line) => `  ${colours.faint(line)}`)];
}

/** Evidence of a digest alone has no location. */
function locationLine({ path, line_start: line, column_start: column }: Evidence): string[] {
  if (path === undefined) return [];
  return [`  ${[printable(path), ...(line === undefined ? [] : [line]), ...(column === undefined ? [] : [column])].join(':')}`];
}
