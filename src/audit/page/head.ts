/**
 * The verdict, what it does not say, and why it is what it is.
 * @module
 */
import type { AuditView } from '../evidence/view.js';
import { html, type Html } from './html.js';
import { count, many, time } from './numbers.js';
import { reasonSays, signalSays, verdictWords } from './words.js';

export function headSection({ plan, report, epochs }: AuditView): Html {
  const { subject, grade, models } = plan.statement;
  const verdict = report?.statement.verdict;
  const words = verdict === undefined ? notEnded : verdictWords[verdict];
  const said = report?.statement;
  const epochWords = said === undefined ? `${count(epochs.length)} started so far` : `${count(said.started)} of ${many(said.planned, 'planned epoch')}`;
  return html`<header class="verdict ${verdict ?? 'open'}">
<div class="answer">
<p class="kicker">Audit of ${subject.kind === 'agent' ? 'an agent' : `a ${subject.kind}`}</p>
<h1>${subject.name}</h1>
<p class="word"><span class="mark" aria-hidden="true">${words.mark}</span> <strong>${words.name}</strong></p>
<p class="says">${words.says}</p>
<dl class="brief">
<div><dt>Grade</dt><dd>${grade}</dd></div>
<div><dt>Models</dt><dd>${models.map(({ id }, i) => html`${i > 0 && ', '}<span class="model">${id}</span>`)}</dd></div>
<div><dt>Epochs</dt><dd>${epochWords}</dd></div>
<div><dt>${said === undefined ? 'Planned' : 'Reported'}</dt><dd>${time((said ?? plan.statement).time)}</dd></div>
${subject.source !== undefined && html`<div class="long"><dt>Source</dt><dd>${subject.source}</dd></div>`}
<div class="long"><dt>Digest</dt><dd><code>${subject.digest}</code></dd></div>
</dl>
</div>
<aside class="unsaid" aria-labelledby="unsaid-h">
<h2 id="unsaid-h">What this does not say</h2>
${said === undefined ? html`<p>Nothing is said yet: the run has no report.</p>` : html`<ul>${said.not_claimed.map((claim) => html`<li>${claim}</li>`)}</ul>`}
</aside>
</header>
`;
}

const notEnded = { name: 'No verdict yet', mark: '\u2026', says: 'The run has not come to its end: there is no report.' };

export function reasonsSection({ plan, report }: AuditView): Html {
  if (report === undefined) return html``;
  const { reasons, more_reasons: more, static_hits: inFiles, more_static_hits: moreInFiles, verdict } = report.statement;
  const { subject, grade, thresholds } = plan.statement;
  const telling = { subject: subject.kind, grade, maxInvalid: thresholds.max_invalid };
  return html`<section id="reasons" aria-labelledby="reasons-h">
<h2 id="reasons-h">Why</h2>
${
  reasons.length === 0
    ? html`<p>${verdict === 'pass' ? 'There is no reason against a pass: no critical or high hit, no failed test, both controls as they must be, every planned epoch run.' : 'The report gives no reason.'}</p>`
    : html`<ol class="reasons">
${reasons.map((reason) => html`<li class="${reason.severity ?? 'doubt'}"><span class="why">${reason.severity ?? 'doubt'}</span> ${reasonSays(reason, telling)}</li>\n`)}</ol>`
}
${more > 0 && html`<p class="note">and ${many(more, 'more reason')}, which the report counts and does not list.</p>`}
${
  inFiles.length > 0 &&
  html`<h3>In the files</h3>
<ul class="files">${inFiles.map((hit) => html`<li><span class="severity ${hit.severity}">${hit.severity}</span> ${signalSays(hit.signal)} <code>${hit.signal}</code>: <code>${hit.locus}</code></li>\n`)}</ul>
${moreInFiles > 0 && html`<p class="note">and ${many(moreInFiles, 'more hit')} in files.</p>`}`
}
</section>
`;
}
