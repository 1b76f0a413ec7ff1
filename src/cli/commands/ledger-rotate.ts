/**
 * `ruleprint ledger rotate`: begins a new segment, so that the ones before can be moved to where they are kept (LED-9).
 * @module
 */
import { fileStore } from '../../ledger/file-store.js';
import { segmentName } from '../../ledger/layout.js';
import type { Command } from '../command.js';
import { fileName } from '../files.js';
import { exit } from '../io.js';
import { inFolder } from '../sources.js';
import { checkIsLedger, cutJson, engineOptions, openWriter, readOwner } from '../writer.js';

export const ledgerRotate: Command = {
  arguments: [{ syntax: '<folder>', about: 'the folder of a ledger' }],
  options: engineOptions,
  details: `Takes the lock of the ledger, and waits for it up to ten seconds. Nothing is written but the name of the new segment: its first entry follows
the last of the segment before, so a verifier needs both. Where the last segment has no entry yet nothing happens.`,
  json: '{ "ledger_id", "engine_id", "segment": "segment-000000000042.cbor", "seq": 42, "rotated": true, "cut"?: { "bytes", "from_seq" } }',
  examples: ['ruleprint ledger rotate audit --key key.jwk', 'ruleprint ledger rotate audit --key new.jwk --engine-id engine-a --trust trust.json'],
  run: async (context) => {
    const { io, out, input } = context;
    const folder = input.arguments[0] as string;
    const owner = await readOwner(context, input.value('key') as string);
    await checkIsLedger(context, folder);
    const ledger = await openWriter(context, folder, owner);
    const seq = ledger.last.seq + 1;
    const segment = segmentName(seq);
    let rotated: boolean;
    try {
      rotated = await inFolder(io, folder, (path) => fileStore(path).size(segment) === undefined);
      await ledger.rotate();
    } finally {
      await ledger.close();
    }
    const { ledgerId, engineId } = ledger;
    if (input.has('json')) out.json({ ledger_id: ledgerId, engine_id: engineId, segment, seq, rotated, ...cutJson(ledger) });
    else if (rotated) out.line(`${out.colours.good('rotated')}: seq ${seq} and on go to ${fileName(folder).replace(/\/+$/, '')}/${segment}`);
    else out.line(`nothing to rotate: ${segment} has no entry yet`);
    return exit.good;
  },
};
