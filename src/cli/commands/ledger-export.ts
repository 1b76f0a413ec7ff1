/**
 * `ruleprint ledger export`: all entries as JSON lines, for other tools to search. Not the evidence.
 * @module
 */
import type { Command } from '../command.js';
import { entriesIn } from '../entries.js';
import { entryJson, entryJsonShape } from '../entry-lines.js';
import { exit } from '../io.js';
import { placeOf } from '../sources.js';

const linesAtOnce = 1_000;

export const ledgerExport: Command = {
  arguments: [{ syntax: '<ledger>', about: 'the folder of a ledger, or a file of receipts' }],
  options: [],
  details: `JSON lines on stdout, and a note on stderr: what is exported has no signatures, so nobody can verify it. Keep the folder.
The exit code is 1 where something in it is no entry.`,
  json: entryJsonShape,
  jsonOption: 'print JSON lines, as it does in any case',
  examples: ['ruleprint ledger export audit > audit.jsonl'],
  run: async ({ io, out, input }) => {
    const { pieces, source } = await placeOf(io, input.arguments[0] as string);
    let [entries, bad] = [0, 0];
    for (const shown of entriesIn(pieces)) {
      out.line(entryJson(shown));
      if ('code' in shown.receipt) bad++;
      if (++entries % linesAtOnce === 0) await out.flush();
      if (out.isClosed) break;
    }
    out.aside(`this is to look at and not the evidence: it has no signatures. The evidence is ${source.file}, and ruleprint verify judges it`);
    return bad === 0 ? exit.good : exit.bad;
  },
};
