import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isProblem, walkWholeCbor } from '../../src/cose/walk.js';
import { usualParts } from '../../src/cose/usual.js';
import { runs } from '../property/agreement.js';
import { Choices, stream } from '../property/arbitraries.js';
import { withByteFault } from '../property/cbor-arbitraries.js';
import { madeReceipt } from '../property/receipts.js';

/** The same by the walk: the four parts where they are what a usual message has. */
function byWalk(message: Uint8Array): readonly Uint8Array[] | undefined {
  if (message[0] !== 0xd2) return undefined;
  const walked = walkWholeCbor(message, 1);
  if (isProblem(walked) || !Array.isArray(walked.value) || walked.value.length !== 4) return undefined;
  const [header, open, payload, signature] = walked.value as unknown[];
  if (!(header instanceof Uint8Array) || !(open instanceof Map) || !(payload instanceof Uint8Array) || !(signature instanceof Uint8Array)) return undefined;
  return open.size === 0 && signature.length === 64 ? [header, payload, signature] : undefined;
}

function cut(message: Uint8Array): readonly Uint8Array[] | undefined {
  const parts = usualParts(message);
  if (parts === undefined) return undefined;
  return [message.slice(parts.protectedStart, parts.protectedEnd), message.slice(parts.payloadStart, parts.payloadEnd), message.slice(message.length - 64)];
}

describe('a message cut apart by its heads', () => {
  it('is what the walk makes of it, for every receipt and for receipts with a changed byte', () => {
    fc.assert(
      fc.property(madeReceipt, stream(4), fc.boolean(), ({ receipt }, choices, isChanged) => {
        const message = isChanged ? withByteFault(receipt, new Choices(choices)) : receipt;
        const parts = cut(message);
        if (!isChanged) expect(parts).toBeDefined();
        if (parts !== undefined) expect(byWalk(message)).toEqual(parts);
      }),
      runs(8),
    );
  });

  it('is left to the walk where a head is not the shortest, a part is short, or bytes are missing or more', () => {
    fc.assert(
      fc.property(madeReceipt, fc.nat(), ({ receipt }, at) => {
        expect(usualParts(receipt.slice(0, at % receipt.length))).toBeUndefined();
        expect(usualParts(Uint8Array.from([...receipt, 0]))).toBeUndefined();
      }),
      runs(),
    );
    const wide = (message: Uint8Array): Uint8Array => Uint8Array.from([...message.slice(0, 2), 0x59, 0, ...message.slice(3)]);
    fc.assert(
      fc.property(madeReceipt, ({ receipt }) => {
        expect(usualParts(wide(receipt))).toBeUndefined();
      }),
      runs(),
    );
  });
});
