/**
 * `ruleprint ledger show`: what is in a ledger, one entry a line. Verifies nothing.
 * @module
 */
import type { Command, Context } from '../command.js';
import { entriesAsTheyCome, entriesIn, type Shown } from '../entries.js';
import { entryJson, entryJsonShape, entryLine } from '../entry-lines.js';
import { type Filter, filterOf, filterOptions } from '../entry-filter.js';
import { usage } from '../failure.js';
import { exit, type ExitCode } from '../io.js';
import { inFolder, placeOf } from '../sources.js';

/** Lines between two looks at whether anybody still reads. */
const linesAtOnce = 1_000;

export const ledgerShow: Command = {
  arguments: [{ syntax: '<ledger>', about: 'the folder of a ledger, or a file of receipts' }],
  options: [...filterOptions, { syntax: '--follow', about: 'wait for more entries, up to Ctrl-C' }],
  details: 'Nothing is verified: ruleprint verify does that. The exit code is 1 where something in it is no entry.',
  json: entryJsonShape,
  jsonOption: 'print JSON lines, one object for each entry',
  examples: ['ruleprint ledger show audit --effect deny --since 2026-11-30', 'ruleprint ledger show audit --follow --json'],
  run: async (context) => {
    const filter = filterOf(context.input);
    return context.input.has('follow') ? follow(context, filter) : showAll(context, filter);
  },
};

async function showAll(context: Context, filter: Filter): Promise<ExitCode> {
  const { io, out, input } = context;
  const { pieces } = await placeOf(io, input.arguments[0] as string);
  const show = new Show(context, filter);
  let entries = 0;
  for (const shown of entriesIn(pieces)) {
    show.entry(shown);
    if (++entries % linesAtOnce === 0) await out.flush();
    if (out.isClosed) break;
  }
  return show.code;
}

async function follow(context: Context, filter: Filter): Promise<ExitCode> {
  const { io, out, input } = context;
  const path = input.arguments[0] as string;
  const { source } = await placeOf(io, path);
  if (source.kind !== 'folder') throw usage('--follow is for the folder of a ledger');
  const signal = io.interruption();
  const show = new Show(context, filter);
  const onCut = (file: string): void => out.aside(`${file}: what was shown last was not durable and has been cut`);
  await inFolder(io, path, async (folder) => {
    for await (const shown of entriesAsTheyCome(folder, source.file.replace(/\/+$/, ''), signal, onCut)) {
      if (shown !== undefined) show.entry(shown);
      else await out.flush();
      if (out.isClosed) break;
    }
  });
  return signal.aborted ? Number(signal.reason) : show.code;
}

class Show {
  readonly #context: Context;
  readonly #filter: Filter;
  code: ExitCode = exit.good;

  constructor(context: Context, filter: Filter) {
    this.#context = context;
    this.#filter = filter;
  }

  entry(shown: Shown): void {
    const { out, input } = this.#context;
    if ('code' in shown.receipt) this.code = exit.bad;
    if (this.#filter(shown)) out.line(input.has('json') ? entryJson(shown) : entryLine(shown, out.colours));
  }
}
