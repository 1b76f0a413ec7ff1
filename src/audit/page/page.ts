/**
 * An audit as one page for people: it holds everything that it shows, asks nothing of a network, and shows what a model wrote as text alone.
 * @module
 */
import { utf8 } from '../../bytes.js';
import { sha256 } from '../../hash.js';
import type { AuditView } from '../evidence/view.js';
import { boundsSection } from './bounds.js';
import { embed } from './embed.js';
import { type Checks, checksSection, factsSection } from './facts.js';
import { gridSection } from './grid.js';
import { headSection, reasonsSection } from './head.js';
import { type Html, html, raw } from './html.js';
import { many } from './numbers.js';
import { script } from './script.js';
import { style } from './style.js';
import { verdictWords } from './words.js';

export interface PageOptions {
  /** What `audit verify` answered; without it the page says that nothing was verified. */
  readonly checks?: Checks;
  /** Characters of transcripts that may be embedded: `embedBudget` by default. Hits and invalid epochs may take more. */
  readonly budget?: number;
}

/**
 * The page of an audit: HTML, well-formed UTF-16, the same for the same view.
 *
 * INVARIANT (quiet): one script runs, by its hash; nothing is fetched, and nothing that a transcript holds is markup
 */
export function reportPage(view: AuditView, { checks, budget }: PageOptions = {}): string {
  if (budget !== undefined && !(Number.isSafeInteger(budget) && budget >= 0)) throw new RangeError('"budget" expected a whole number of characters');
  const { plan, report } = view;
  const embedded = embed(view, budget);
  const verdict = report === undefined ? 'no verdict yet' : verdictWords[report.statement.verdict].name;
  const findings = report?.statement.findings ?? 0;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${raw(contentPolicy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${plan.statement.subject.name}: ${verdict} (audit)</title>
<style>${raw(style)}</style>
</head>
<body>
<main>
${bannerOf(checks)}${headSection(view)}${reasonsSection(view)}${report !== undefined && boundsSection(plan.statement, report.statement)}${gridSection(view, embedded)}
${findings > 0 && html`<section id="findings"><h2>Findings</h2><p>The ledger holds ${many(findings, 'finding receipt')} of this audit, one for each judged call at which a critical or high hit stands.</p></section>`}
${checksSection(checks)}${factsSection(view, embedded)}</main>
<dialog id="epoch" aria-labelledby="epoch-title"><div class="sheet"><header class="bar-top"><h2 id="epoch-title"></h2><div class="moves"><button type="button" id="previous" aria-label="Previous epoch">\u2190</button><button type="button" id="next" aria-label="Next epoch">\u2192</button><button type="button" id="close" aria-label="Close">\u2715</button></div></header><div id="epoch-body" tabindex="-1"></div></div></dialog>
${embedded.scripts}<script>${raw(script)}</script>
</body>
</html>
`.html;
}

/** What stands over a verdict that is not borne out. */
function bannerOf(checks: Checks | undefined): Html {
  if (checks === undefined) return html`<p class="banner">Nothing was verified on this page: it shows what the evidence claims.</p>\n`;
  const failed = Object.entries(checks).flatMap(([check, answer]) => (answer?.status === 'fail' ? [check] : []));
  if (failed.length === 0) return html``;
  return html`<p class="banner bad" role="alert"><strong>This evidence does not hold</strong> (${failed.join(', ')}). Do not rely on the verdict below: it is what somebody claims.</p>\n`;
}

const contentPolicy = /* @__PURE__ */ contentPolicyOf(script);

/** Nothing from anywhere, no address that a page or a form could lead to, and the one script. */
function contentPolicyOf(code: string): string {
  const digest = btoa(String.fromCharCode(...sha256(utf8(code))));
  return `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`;
}
