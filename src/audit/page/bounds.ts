/**
 * What the counts prove: rates and bounds as bars, and the tests against the baseline.
 * @module
 */
import type { AuditReportStatement, AuditPlanStatement, ReportedCount, ReportedRate } from '../../receipt/audit-statements.js';
import { html, type Html } from './html.js';
import { count, many, percentOf, percentUp, probability, width } from './numbers.js';
import { armNames, rateSays, signalSays } from './words.js';

export function boundsSection(plan: AuditPlanStatement, report: AuditReportStatement): Html {
  const { alpha } = plan.thresholds;
  const models = [...new Set(report.counts.map(({ model }) => model))];
  return html`<section id="bounds" aria-labelledby="bounds-h">
<h2 id="bounds-h">How often, at most</h2>
<p class="lead">Of the epochs ${armNames(plan.subject.kind).with_skill}, controls left out. The tick is the rate that was seen. The bar ends where the true rate may still lie at ${confidence(alpha)} confidence; its striped part counts every invalid epoch as a hit.
All this holds if epochs were independent. Repeats of one scenario are not, so the thin bar below gives the same over scenarios: those with a hit, of all.</p>
${models.map(
  (model) => html`<div class="bounds">
<h3 class="model">${model}</h3>
<div class="scale" aria-hidden="true"><span>0</span><span>25</span><span>50</span><span>75</span><span>100 %</span></div>
${report.counts.filter((one) => one.model === model).map((one) => bar(one, plan.subject.kind))}</div>
`,
)}${report.counts.length === 0 && html`<p>No epoch was counted.</p>`}</section>
${ratesSection(plan, report)}`;
}

/** Millionths. */
function shareOf(k: number, n: number): number {
  return n === 0 ? 0 : Math.round((k * 1_000_000) / n);
}

/** `95 %` of an alpha of 50,000 millionths. */
function confidence(alpha: number): string {
  return `${(100 - alpha / 10_000).toFixed(4).replace(/\.?0+$/, '')} %`;
}

function bar(one: ReportedCount, kind: AuditPlanStatement['subject']['kind']): Html {
  const { signal, hits, epochs, invalid, bound, worst_case: worst } = one;
  const numbers = `${count(hits)} of ${count(epochs)} epochs hit (${percentOf(hits, epochs)}); at most ${percentUp(bound)}, in the worst case ${percentUp(worst)}`;
  const clustered = one.effective_size !== undefined && html`; worth ${count(Math.floor(one.effective_size / 1_000_000))} independent epochs`;
  return html`<div class="bar${signal === 'any' ? ' any' : ''}">
<div class="what"><b>${signalSays(signal)}</b>${signal !== 'any' && html` <code>${signal}</code>`}</div>
<div class="track" role="img" aria-label="${numbers}"><span class="worst" style="width:${width(worst)}"></span><span class="bound" style="width:${width(bound)}"></span><span class="rate" style="left:${width(shareOf(hits, epochs))}"></span></div>
<div class="numbers"><b>${count(hits)} / ${count(epochs)}</b> ${percentOf(hits, epochs)} <span class="most">at most <b>${percentUp(bound)}</b></span> <span>worst case ${percentUp(worst)}</span></div>
<div class="track thin" aria-hidden="true"><span class="bound" style="width:${width(one.scenario_bound)}"></span><span class="rate" style="left:${width(shareOf(one.scenarios_hit, one.scenarios))}"></span></div>
<div class="beside">over scenarios ${count(one.scenarios_hit)} / ${count(one.scenarios)}, at most ${percentUp(one.scenario_bound)}; ${armNames(kind).baseline} ${count(one.baseline_hits)} / ${count(one.baseline_epochs)}${invalid > 0 && html`; ${many(invalid, 'invalid epoch')}`}${clustered}</div>
</div>
`;
}

function ratesSection({ subject, thresholds }: AuditPlanStatement, { rates, rate_tests: tests }: AuditReportStatement): Html {
  const failed = rates.filter((rate) => rate.failed).length;
  const names = armNames(subject.kind);
  return html`<section id="rates" aria-labelledby="rates-h">
<h2 id="rates-h">Against the baseline</h2>
<p class="lead">What an agent also does by itself is judged by rate alone: it fails where it is more frequent ${names.with_skill} by at least ${percentUp(thresholds.rate_difference)} and by more than chance.
${tests === 0 ? 'No test was made.' : `Of ${many(tests, 'test')}, which share ${probability(thresholds.rate_alpha)} among them, ${count(failed)} failed; ${rates.length === 0 ? 'in none was anything seen' : `those in which anything was seen are below`}.`}</p>
${
  rates.length > 0 &&
  html`<div class="wide"><table class="rates">
<thead><tr><th scope="col">What</th><th scope="col">Model</th><th scope="col">Scenario</th><th scope="col">${names.with_skill}</th><th scope="col">${names.baseline}</th><th scope="col">p, at most</th><th scope="col">Test</th></tr></thead>
<tbody>
${rates.map(rateRow)}</tbody>
</table></div>`
}
</section>
`;
}

function rateRow({ signal, model, scenario, hits, epochs, baseline_hits: baseHits, baseline_epochs: baseEpochs, p, failed }: ReportedRate): Html {
  return html`<tr><td>${rateSays(signal)} <code>${signal}</code></td><td>${model}</td><td>${scenario}</td><td>${count(hits)} / ${count(epochs)}</td><td>${count(baseHits)} / ${count(baseEpochs)}</td><td>${probability(p)}</td><td>${failed ? html`<b class="failed">\u2715 fails</b>` : '\u2713 holds'}</td></tr>
`;
}
