/**
 * Every started epoch as a square, in a table by model, scenario and arm: what it came to is told by colour, shape and letter.
 * @module
 */
import type { AuditEpochStatement, AuditPlanStatement } from '../../receipt/audit-statements.js';
import type { AuditView, Held } from '../evidence/view.js';
import { isSevere } from '../verdict.js';
import type { Embedded, Missing } from './embed.js';
import { outcomeSays } from './epoch-data.js';
import { html, type Html } from './html.js';
import { count, many } from './numbers.js';
import { armNames } from './words.js';

type Epoch = AuditEpochStatement;
type Kind = AuditPlanStatement['scenarios'][number]['kind'];

interface Look {
  readonly style: 'severe' | 'hit' | 'rule' | 'invalid' | 'clean';
  readonly letter: string;
}

function lookOf({ outcome, hits, violated }: Epoch): Look {
  if (outcome === 'hit') return hits.some(({ severity }) => isSevere(severity)) ? { style: 'severe', letter: 'H' } : { style: 'hit', letter: 'h' };
  if (violated.length > 0) return { style: 'rule', letter: 'R' };
  return outcome === 'invalid' ? { style: 'invalid', letter: '?' } : { style: 'clean', letter: '\u00b7' };
}

const legend: readonly (readonly [Look, string])[] = [
  [{ style: 'severe', letter: 'H' }, 'critical or high hit'],
  [{ style: 'hit', letter: 'h' }, 'lesser hit'],
  [{ style: 'rule', letter: 'R' }, "breaks an operator's rule: a hit where the baseline keeps it"],
  [{ style: 'invalid', letter: '?' }, 'invalid: could not be taken as meant'],
  [{ style: 'clean', letter: '\u00b7' }, 'clean'],
];

const missingWords: Readonly<Record<Missing, string>> = {
  'no-room': 'transcript not in this page',
  none: 'no transcript',
  unreadable: 'transcript not readable',
};

export function gridSection(view: AuditView, embedded: Embedded): Html {
  const { scenarios } = view.plan.statement;
  const kinds = new Map(scenarios.map(({ id, kind }) => [id, kind]));
  const isControl = (id: string): boolean => kinds.get(id)?.startsWith('control') === true;
  const groups = grouped(view.epochs);
  const planned = scenarios.map(({ id }) => id);
  const beyond = [...new Set(view.epochs.map(({ statement }) => statement.scenario).filter((id) => !kinds.has(id)))];
  const tasks = [...planned.filter((id) => !isControl(id)), ...beyond];
  const table = (ids: readonly string[], caption: string): Html =>
    html`${modelsOf(view).map((model) => modelTable(view, { model, ids, kinds, groups, embedded, caption }))}`;
  return html`<section id="epochs" aria-labelledby="epochs-h">
<h2 id="epochs-h">Epochs</h2>
<p class="lead">Each square is one run of the agent. <span class="needs-script">Open one to read what was said and done in it.</span></p>
<noscript><p class="note">The transcripts open by a script, and scripts are off here: the squares are to be read alone.</p></noscript>
<ul class="legend">${legend.map(([look, words]) => html`<li><span class="sq ${look.style}" aria-hidden="true">${look.letter}</span> ${words}</li>`)}</ul>
${table(tasks, 'tasks')}
<h3 id="controls">Controls</h3>
<p class="lead">They audit the harness: in a bad control something must be found, in a good one nothing. They count in no rate and no bound.</p>
${table(planned.filter(isControl), 'controls')}
</section>
`;
}

function modelsOf({ plan, epochs }: AuditView): readonly number[] {
  const { models } = plan.statement;
  const beyond = new Set(epochs.map(({ statement }) => statement.model).filter((model) => model >= models.length));
  return [...models.keys(), ...beyond];
}

interface Table {
  readonly model: number;
  readonly ids: readonly string[];
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly groups: ReadonlyMap<string, readonly Held<Epoch>[]>;
  readonly embedded: Embedded;
  readonly caption: string;
}

function modelTable(view: AuditView, { model, ids, kinds, groups, embedded, caption }: Table): Html | undefined {
  const { models, scenarios, cells, subject } = view.plan.statement;
  const arms = (['with_skill', 'baseline'] as const).filter((arm) =>
    ids.some(
      (id) => groups.has(keyOf(model, id, arm)) || cells.some((cell) => cell.model === model && cell.arm === arm && scenarios[cell.scenario]?.id === id),
    ),
  );
  if (arms.length === 0) return undefined;
  const cell = (id: string, arm: Epoch['arm']): Html => {
    const held = groups.get(keyOf(model, id, arm)) ?? [];
    const planned = cells.find((one) => one.model === model && one.arm === arm && scenarios[one.scenario]?.id === id)?.epochs ?? 0;
    const hits = held.filter(({ statement }) => statement.outcome === 'hit').length;
    const asItMust = isAsItMust(kinds.get(id), held) && ', as it must be';
    const short = planned > held.length && html`<span class="short">${many(planned - held.length, 'epoch')} not started</span>`;
    if (held.length === 0 && planned === 0) return html`<td class="none" data-arm="${armNames(subject.kind)[arm]}">not planned</td>`;
    return html`<td data-arm="${armNames(subject.kind)[arm]}"><div class="squares">${held.map((one) => square(one, embedded))}</div><span class="tally">${count(hits)} of ${count(held.length)} hit${asItMust}</span>${short}</td>`;
  };
  return html`<table class="grid">
<caption><span class="model">${models[model]?.id ?? `model ${model}`}</span> ${caption}</caption>
<thead><tr><th scope="col">Scenario</th>${arms.map((arm) => html`<th scope="col">${armNames(subject.kind)[arm]}</th>`)}</tr></thead>
<tbody>
${ids.map((id) => html`<tr><th scope="row"><span class="id">${id}</span> <span class="kind">${kinds.get(id)?.replace('_', ' ') ?? 'not in the plan'}</span></th>${arms.map((arm) => cell(id, arm))}</tr>\n`)}</tbody>
</table>
`;
}

/** A control that did what a control is for (AUD-52), as far as these epochs tell. */
function isAsItMust(kind: Kind | undefined, held: readonly Held<Epoch>[]): boolean {
  const severe = held.some(({ statement }) => lookOf(statement).style === 'severe');
  if (kind === 'control_bad') return severe;
  return kind === 'control_good' && !severe && held.some(({ statement }) => statement.outcome === 'clean');
}

function square({ statement }: Held<Epoch>, { missing }: Embedded): Html {
  const { style, letter } = lookOf(statement);
  const gone = missing.get(statement.epoch);
  const title = `Epoch ${statement.epoch}, ${outcomeSays(statement)}${gone === undefined ? '' : ` (${missingWords[gone]})`}`;
  return html`<button type="button" class="sq ${style}${gone === undefined ? '' : ' gone'}" data-epoch="${statement.epoch}" title="${title}" aria-label="${title}">${letter}</button>`;
}

const keyOf = (model: number, scenario: string, arm: string): string => JSON.stringify([model, scenario, arm]);

function grouped(epochs: AuditView['epochs']): ReadonlyMap<string, readonly Held<Epoch>[]> {
  const groups = new Map<string, Held<Epoch>[]>();
  for (const held of epochs) {
    const { model, scenario, arm } = held.statement;
    const key = keyOf(model, scenario, arm);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [held]);
    else group.push(held);
  }
  return groups;
}
