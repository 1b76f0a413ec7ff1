/**
 * How the page looks: ink on paper, one accent; red, amber and green only where they say something, and never alone.
 * @module
 */

export const style = `
:root { color-scheme: light dark;
  --paper: #fbfaf7; --card: #fff; --ink: #1d1c1a; --soft: #63605a; --line: #dedad2; --wash: #f1eee8; --accent: #2d5a8c;
  --fail: #a8261c; --fail-wash: #f8e4e0; --doubt: #7d5600; --doubt-wash: #f8edd3; --pass: #22683f; --pass-wash: #e2f0e6; --mark: #ffd9a0;
  --serif: Charter, "Bitstream Charter", "Sitka Text", Cambria, "TeX Gyre Pagella", "Liberation Serif", serif;
  --sans: system-ui, "Segoe UI", "Helvetica Neue", "Liberation Sans", Arial, sans-serif;
  --mono: ui-monospace, "Cascadia Mono", Menlo, "DejaVu Sans Mono", monospace; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #171716; --card: #1f1f1d; --ink: #ebe8e1; --soft: #a39f96; --line: #383631; --wash: #272622; --accent: #8db8e8;
  --fail: #f2897d; --fail-wash: #40211d; --doubt: #e6b95c; --doubt-wash: #3a2f17; --pass: #83c99a; --pass-wash: #1b3324; --mark: #6b4a12; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 var(--sans); }
main { max-width: 72rem; margin: 0 auto; padding: 2.5rem 2rem 5rem; }
h1, h2, h3, h4, p, ul, ol, dl, dd, table { margin: 0; padding: 0; }
h1, h2 { font-family: var(--serif); font-weight: 600; line-height: 1.2; text-wrap: balance; }
h2 { font-size: 1.5rem; margin: 3.25rem 0 .6rem; }
h3 { font-size: 1rem; margin: 1.75rem 0 .5rem; }
code, .mono, .hash, .code { font-family: var(--mono); font-size: .86em; }
code, dd, td, th, .locus, h1 { overflow-wrap: anywhere; }
.lead { color: var(--soft); max-width: 46rem; }
.note { margin-top: .75rem; padding: .6rem .9rem; background: var(--wash); border-radius: 4px; max-width: 46rem; }
.small { color: var(--soft); font-size: .84rem; }
button { font: inherit; color: inherit; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.wide { overflow-x: auto; }

.banner { margin: 1rem 0 0; padding: .6rem .9rem; border-left: 4px solid var(--line); background: var(--wash); color: var(--soft); }
.banner.bad { border-color: var(--fail); background: var(--fail-wash); color: var(--fail); }
.verdict { display: grid; grid-template-columns: minmax(0, 1.7fr) minmax(15rem, 1fr); gap: 2rem 3rem; padding-top: 1.5rem; border-top: 6px solid var(--tone); }
.verdict.fail { --tone: var(--fail); --tone-wash: var(--fail-wash); }
.verdict.inconclusive, .verdict.open { --tone: var(--doubt); --tone-wash: var(--doubt-wash); }
.verdict.pass { --tone: var(--pass); --tone-wash: var(--pass-wash); }
.kicker { color: var(--soft); font-size: .95rem; }
h1 { font-size: clamp(1.9rem, 4.5vw, 2.75rem); letter-spacing: -.01em; }
.word { display: inline-flex; align-items: center; gap: .6rem; margin: 1rem 0 .5rem; font: 600 1.75rem/1.2 var(--serif); color: var(--tone); }
.word strong { font-weight: 600; }
.mark { display: inline-grid; place-items: center; width: 1.35em; height: 1.35em; font: 700 1em/1 var(--sans); color: var(--paper); background: var(--tone); border-radius: 50%; }
.fail .mark { border-radius: 5px; }
.inconclusive .mark, .open .mark { border-radius: 50% 50% 5px 5px; }
.says { font-size: 1.1rem; max-width: 36rem; }
.brief { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .7rem 2rem; margin-top: 1.5rem; }
.brief .long { grid-column: 1 / -1; }
dt { color: var(--soft); font-size: .84rem; }
.unsaid { align-self: start; padding: 1.1rem 1.3rem 1.25rem; background: var(--wash); border-radius: 6px; }
.unsaid h2 { margin: 0 0 .6rem; font-size: 1.1rem; }
.unsaid ul { list-style: none; }
.unsaid li { padding: .45rem 0; border-top: 1px solid var(--line); font-size: .94rem; line-height: 1.45; }
.unsaid li::first-letter { text-transform: uppercase; }

.reasons { list-style: none; max-width: 54rem; border-top: 1px solid var(--line); }
.reasons li { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr); gap: 0 .75rem; padding: .6rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.why { justify-self: start; align-self: start; margin-top: .15rem; padding: 0 .5rem; border-radius: 3px; font-size: .84rem; color: var(--doubt); background: var(--doubt-wash); }
.critical .why, .high .why { color: var(--fail); background: var(--fail-wash); }
.files { list-style: none; }
.files li { padding: .3rem 0; }
.severity { display: inline-block; padding: 0 .5rem; border-radius: 3px; font-size: .84rem; color: var(--soft); background: var(--wash); }
.severity.critical, .severity.high { color: var(--fail); background: var(--fail-wash); }
.severity.medium { color: var(--doubt); background: var(--doubt-wash); }

.bounds { margin-top: 1.5rem; }
.bounds h3 { margin-bottom: 0; }
.model { font-weight: 600; }
.scale { display: flex; justify-content: space-between; margin-left: calc(18rem + 1.5rem); width: calc(100% - 18rem - 15.5rem - 3rem); color: var(--soft); font-size: .78rem; }
.scale span { width: 0; display: flex; justify-content: center; white-space: nowrap; }
.bar { display: grid; grid-template-columns: 18rem minmax(0, 1fr) 15.5rem; gap: .3rem 1.5rem; align-items: start; padding: .8rem 0; border-top: 1px solid var(--line); }
.what { grid-row: span 3; line-height: 1.35; }
.what b { font-weight: 400; }
.any .what b { font-weight: 600; }
.what code { display: block; color: var(--soft); }
.track { position: relative; height: 14px; margin-top: .3rem; background: linear-gradient(90deg, var(--line) 1px, transparent 1px) 0 0 / 25% 100% var(--wash); border-right: 1px solid var(--line); }
.track span { position: absolute; top: 0; bottom: 0; left: 0; }
.track .worst { background: repeating-linear-gradient(135deg, var(--accent) 0 1.5px, transparent 1.5px 5px); opacity: .7; }
.track .bound { background: color-mix(in srgb, var(--accent) 55%, var(--paper)); }
.track .rate { top: -4px; bottom: -4px; width: 3px; margin-left: -1px; background: var(--ink); outline: 1px solid var(--paper); }
.track.thin { height: 4px; margin-top: .1rem; }
.track.thin .rate { top: -2px; bottom: -2px; }
.numbers { display: flex; flex-wrap: wrap; gap: 0 .8rem; font-variant-numeric: tabular-nums; font-size: .9rem; grid-row: span 3; line-height: 1.4; }
.numbers b { font-weight: 600; }
.beside { color: var(--soft); font-size: .84rem; line-height: 1.4; }

table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 600; }
thead th { font-weight: 400; color: var(--soft); font-size: .84rem; vertical-align: bottom; }
thead th::first-letter { text-transform: uppercase; }
td, th { padding: .5rem 1rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td { font-variant-numeric: tabular-nums; }
.rates, .checks { margin-top: 1rem; min-width: 44rem; font-size: .94rem; }
.failed { color: var(--fail); }
.checks .fail td:nth-child(2) { color: var(--fail); font-weight: 600; }
.checks .pass td:nth-child(2) { color: var(--pass); }
.checks .reason { display: block; color: var(--ink); font-weight: 400; }
.command { margin: .75rem 0 0; padding: .8rem 1rem; background: var(--wash); border-radius: 4px; white-space: pre-wrap; }
.facts th { width: 16rem; font-weight: 400; color: var(--soft); }

.legend { display: flex; flex-wrap: wrap; gap: .4rem 1.4rem; margin: 1rem 0 .5rem; list-style: none; font-size: .88rem; }
.legend li { display: flex; align-items: center; gap: .5rem; }
.needs-script { display: none; }
.scripted .needs-script { display: inline; }
.grid { margin-top: 1.25rem; table-layout: fixed; }
.grid caption { text-align: left; padding-bottom: .3rem; color: var(--soft); }
.grid caption .model { color: var(--ink); }
.grid thead th:first-child { width: 15rem; }
.id { display: block; overflow-wrap: anywhere; font-weight: 600; }
.kind { display: block; color: var(--soft); font-weight: 400; font-size: .84rem; }
.squares { display: flex; flex-wrap: wrap; gap: 4px; }
.tally, .short { display: inline-block; margin: .3rem .8rem 0 0; color: var(--soft); font-size: .82rem; }
.short { color: var(--doubt); }
.none { color: var(--soft); }
.sq { display: inline-grid; place-items: center; flex: none; width: 26px; height: 26px; padding: 0; border: 1.5px solid; border-radius: 4px; background: none; font: 700 13px/1 var(--sans); }
button.sq { cursor: pointer; }
.sq.severe { color: var(--card); background: var(--fail); border-color: var(--fail); border-radius: 2px; }
.sq.hit { color: var(--fail); background: var(--fail-wash); border-color: var(--fail); border-radius: 2px; }
.sq.rule { color: var(--doubt); background: var(--doubt-wash); border-color: var(--doubt); border-radius: 2px 9px; }
.sq.invalid { color: var(--doubt); border-color: var(--doubt); border-style: dashed; border-radius: 50%; }
.sq.clean { color: var(--soft); background: var(--card); border-color: var(--line); }
.sq.gone { opacity: .65; }
button.sq:hover { outline: 2px solid var(--accent); outline-offset: 1px; }

dialog { position: fixed; inset: 0 0 0 auto; width: min(46rem, 100%); max-width: none; height: 100%; max-height: none; margin: 0; padding: 0; border: 0; border-left: 1px solid var(--line); background: var(--paper); color: var(--ink); }
dialog::backdrop { background: rgb(0 0 0 / .28); }
.sheet { display: flex; flex-direction: column; height: 100%; }
.bar-top { display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding: .8rem 1.5rem; border-bottom: 1px solid var(--line); }
.bar-top h2 { margin: 0; font-size: 1.3rem; }
.moves { display: flex; gap: .4rem; }
.moves button { width: 2.4rem; height: 2.4rem; border: 1px solid var(--line); border-radius: 4px; background: var(--card); cursor: pointer; }
.moves button:disabled { opacity: .4; cursor: default; }
#epoch-body { flex: 1; overflow-y: auto; padding: 1.1rem 1.5rem 4rem; outline: none; }
.outcome { font: 600 1.1rem/1.35 var(--serif); }
.outcome::first-letter { text-transform: uppercase; }
.outcome.hit { color: var(--fail); } .outcome.invalid { color: var(--doubt); } .outcome.clean { color: var(--pass); }
.hits { margin: .6rem 0; padding-left: 1.4rem; }
.hits li::marker { color: var(--soft); font-variant-numeric: tabular-nums; }
.hits li { padding: .4rem 0; border-bottom: 1px solid var(--line); font-size: .94rem; overflow-wrap: anywhere; }
.hits .code { color: var(--soft); }
.place { padding: 0; border: 0; background: none; color: var(--accent); text-align: left; overflow-wrap: anywhere; }
button.place { text-decoration: underline; text-underline-offset: 3px; cursor: pointer; }
details { margin: .5rem 0; }
summary { cursor: pointer; color: var(--accent); font-size: .88rem; }
.epoch-facts > div { display: grid; grid-template-columns: 10rem minmax(0, 1fr); gap: 1rem; padding: .3rem 0; border-bottom: 1px solid var(--line); font-size: .9rem; }
.message { margin: 1.1rem 0; padding-left: 1rem; border-left: 3px solid var(--line); outline-offset: 6px; }
.message.assistant { border-color: var(--accent); }
.message h3 { margin: 0 0 .2rem; font-size: .9rem; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; overflow: hidden; unicode-bidi: isolate; direction: ltr; }
.text.mono { font-size: .84rem; line-height: 1.5; }
.unseen { margin: 0 1px; padding: 0 3px; border: 1px solid var(--doubt); border-radius: 3px; color: var(--doubt); background: var(--doubt-wash); font: 11px/1.3 var(--mono); white-space: nowrap; }
mark { padding: 1px 2px; border-radius: 2px; background: var(--mark); color: inherit; box-decoration-break: clone; -webkit-box-decoration-break: clone; }
mark.canary { font-family: var(--mono); font-size: .88em; border-bottom: 2px solid var(--fail); }
mark.piece { border-bottom-style: dashed; }
.call { margin: .8rem 0; padding: .8rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 6px; }
.call.at-hit { border-color: var(--fail); border-left-width: 5px; }
.message.at-hit { border-color: var(--fail); border-left-width: 5px; }
.call.at-hit.info { border-color: var(--line); border-left-width: 1px; }
.call h4 { font-size: .95rem; font-weight: 600; overflow-wrap: anywhere; }
.tool { font-family: var(--mono); font-size: .92em; }
.badge { margin-left: .5rem; padding: 0 .45rem; border-radius: 3px; font: 600 .8rem/1.5 var(--sans); color: var(--fail); background: var(--fail-wash); text-decoration: none; white-space: nowrap; }
.badge.info, .badge.low { color: var(--soft); background: var(--wash); }
.badge.medium { color: var(--doubt); background: var(--doubt-wash); }
.arg { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: 1rem; padding: .3rem 0; }
.arg dt { font-family: var(--mono); overflow-wrap: anywhere; }
.arg.at-hit { background: var(--fail-wash); margin: 0 -.5rem; padding: .3rem .5rem; border-radius: 3px; }
.arg .badge { display: inline-block; margin: 0 .3rem 0 0; background: var(--card); }
.arg dt .badge:first-of-type { margin-left: .4rem; }
.gate { margin-top: .5rem; font-size: .88rem; color: var(--soft); overflow-wrap: anywhere; }
.gate b { color: var(--ink); font-weight: 600; } .gate.deny b { color: var(--fail); } .gate.ask b { color: var(--doubt); }
.hash { font-size: .8em; }
.result { margin-top: .5rem; padding-top: .5rem; border-top: 1px dashed var(--line); }
.more { display: block; margin: .5rem 0; padding: .3rem .8rem; border: 1px solid var(--line); border-radius: 4px; background: var(--wash); cursor: pointer; font: .88rem var(--sans); }

@media (max-width: 60rem) {
  .scale { margin-left: 0; width: 100%; }
  .scale span:first-child { justify-content: flex-start; } .scale span:last-child { justify-content: flex-end; }
  .bar { grid-template-columns: minmax(0, 1fr); gap: .35rem; }
  .what, .numbers { grid-row: auto; }
  .what code { display: inline; }
}
@media (max-width: 44rem) {
  main { padding: 1.25rem 1.1rem 3rem; }
  .verdict { grid-template-columns: minmax(0, 1fr); }
  h2 { margin-top: 2.5rem; }
  .reasons li { grid-template-columns: minmax(0, 1fr); gap: .2rem; }
  .grid, .grid tbody, .grid tr, .grid td, .grid th, .facts, .facts tbody, .facts tr, .facts td, .facts th { display: block; width: auto; }
  .grid thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .grid caption { display: block; }
  .grid tr, .facts tr { padding: .6rem 0; border-bottom: 1px solid var(--line); }
  .grid td, .grid th, .facts td, .facts th { padding: .15rem 0; border: 0; }
  .grid td::before { content: attr(data-arm); display: block; color: var(--soft); font-size: .84rem; margin-top: .3rem; }
  .sq { width: 30px; height: 30px; }
  .bar-top, #epoch-body { padding-left: 1.1rem; padding-right: 1.1rem; }
  .epoch-facts > div, .arg { grid-template-columns: minmax(0, 1fr); gap: 0; }
}
@media print {
  :root { --paper: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; --wash: #f2f2f2; --accent: #2d5a8c; --fail: #a8261c; --fail-wash: #f8e4e0; --doubt: #7d5600; --doubt-wash: #f8edd3; --pass: #22683f; color-scheme: light; }
  body { font-size: 10pt; } main { max-width: none; padding: 0; }
  .track, .track span, .sq, .mark, .why, .severity, .unsaid { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  h2, h3, caption, thead { break-after: avoid; } tr, .bar, .reasons li, .verdict, .unsaid { break-inside: avoid; }
  .needs-script, .scripted .needs-script { display: none; } .wide { overflow: visible; } .rates, .checks { min-width: 0; }
  dialog { display: none; }
}
@media (prefers-reduced-motion: no-preference) { dialog[open] { animation: in .14s ease-out; } @keyframes in { from { transform: translateX(1.5rem); opacity: 0; } } }
`;
