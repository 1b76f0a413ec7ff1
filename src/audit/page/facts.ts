/**
 * What was verified, and the hashes by which a reader finds the same audit again.
 * @module
 */
import { type AuditCheck, auditChecks, type AuditView, type CheckAnswer } from '../evidence/view.js';
import type { Embedded, Missing } from './embed.js';
import { isSeedOfPlan } from './epoch-data.js';
import { html, type Html } from './html.js';
import { count, many, ranges } from './numbers.js';
import { checkWords } from './words.js';

export type Checks = Readonly<Record<AuditCheck, CheckAnswer>>;

const marks: Readonly<Record<CheckAnswer['status'], string>> = { pass: '\u2713 pass', fail: '\u2715 fail', 'not-checked': '\u2013 not checked' };

export function checksSection(checks: Checks | undefined): Html {
  return html`<section id="checks" aria-labelledby="checks-h">
<h2 id="checks-h">What was verified</h2>
${
  checks === undefined
    ? html`<p>Nothing was verified for this page: it shows what the evidence says of itself. To verify it, offline:</p>
<pre class="command"><code>ruleprint audit verify DIR --trust FILE</code></pre>`
    : html`<p class="lead">By <code>ruleprint audit verify</code>, when this page was made. A page can be altered: to be sure, verify again.</p>
<div class="wide"><table class="checks"><thead><tr><th scope="col">Check</th><th scope="col">Answer</th><th scope="col">It passes where</th></tr></thead>
<tbody>
${auditChecks.map((check) => {
  const { status, reason } = checks[check];
  return html`<tr class="${status}"><th scope="row">${check}</th><td>${marks[status]}${reason !== undefined && html` <span class="reason">${reason}</span>`}</td><td>${checkWords[check]}</td></tr>\n`;
})}</tbody></table></div>`
}
</section>
`;
}

const missingWords: Readonly<Record<Missing, string>> = {
  'no-room': 'Not in this page, for its size',
  none: 'Without a transcript',
  unreadable: 'With a transcript that is not as a run writes it',
};

export function factsSection(view: AuditView, { missing, held }: Embedded): Html {
  const { plan, report } = view;
  const { statement } = plan;
  const { subject } = statement;
  const isHash = (value: string): boolean => /^(sha256:)?[0-9a-f]{64}$/.test(value);
  const gone = (why: Missing): readonly number[] => [...missing].flatMap(([epoch, one]) => (one === why ? [epoch] : []));
  const rows: (readonly [string, string])[] = [
    ['Plan', plan.hash],
    ...(report === undefined ? [] : ([['Report', report.hash]] as const)),
    ['Seed commitment', statement.seed_commitment],
    ...(report === undefined || isSeedOfPlan(view)
      ? []
      : ([['Seed', 'what the report reveals is not what the plan commits to: no planted value is marked']] as const)),
    ...(report === undefined ? [] : ([['Transcripts', report.statement.transcripts_root]] as const)),
    ['Subject', subject.digest],
    ...(subject.tree_hash === undefined ? [] : ([['Tree hash (AbstractSkill)', subject.tree_hash]] as const)),
    ...(subject.files === undefined
      ? []
      : ([
          ['Files', `${count(subject.files)}, of these hidden ${count(subject.hidden ?? 0)}; ${subject.scripts === true ? 'with' : 'without'} scripts`],
        ] as const)),
    ['Policy', statement.policy_digest],
    ['Mapping', statement.mapping],
    ['Rules of signals', statement.signals],
    ['Harness', `${statement.harness.name} ${statement.harness.version}`],
    ['Engine', statement.engine_id],
    ...statement.models.map((model): readonly [string, string] => [`Model ${model.id}`, modelWords(model)]),
    ['Limits of an epoch', limitWords(statement.limits)],
    ...(report === undefined
      ? []
      : ([
          ['Findings', `${many(report.statement.findings, 'finding receipt')} in the ledger`],
          ['Different transcripts', count(report.statement.distinct_transcripts)],
        ] as const)),
    ['Transcripts in this page', `${count(held)} of ${count(view.epochs.length)}`],
    ...(['no-room', 'none', 'unreadable'] as const).flatMap((why): readonly (readonly [string, string])[] =>
      gone(why).length === 0 ? [] : [[missingWords[why], `${gone(why).length === 1 ? 'epoch' : 'epochs'} ${ranges(gone(why))}`]],
    ),
  ];
  return html`<section id="facts" aria-labelledby="facts-h">
<h2 id="facts-h">Facts</h2>
<table class="facts"><tbody>
${rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${isHash(value) ? html`<code>${value}</code>` : value}</td></tr>\n`)}</tbody></table>
</section>
`;
}

function limitWords({ max_turns: turns, max_calls: calls, epoch_time_limit: ms, retries }: AuditView['plan']['statement']['limits']): string {
  return `${many(turns, 'turn')}, ${many(calls, 'call')}, ${count(ms)} ms, ${retries === 1 ? '1 retry' : `${count(retries)} retries`}`;
}

function modelWords(model: AuditView['plan']['statement']['models'][number]): string {
  const { requested, sampled, provider, temperature, top_p: topP, max_tokens: tokens, weights_digest: weights } = model;
  return [
    `asked for as ${requested}`,
    sampled ? 'samples' : 'does not sample',
    ...(provider === undefined ? [] : [`from ${provider}`]),
    ...(temperature === undefined ? [] : [`temperature ${temperature / 1_000}`]),
    ...(topP === undefined ? [] : [`top_p ${topP / 1_000}`]),
    ...(tokens === undefined ? [] : [`at most ${many(tokens, 'token')} a reply`]),
    ...(weights === undefined ? [] : [`weights ${weights}`]),
  ].join(', ');
}
