/**
 * The usual message, cut apart by its heads alone: `18([bytes, {}, bytes, 64 bytes])` in its one spelling, as every receipt of ours is. What is
 * spelled otherwise in any way is for the walk, which says what is wrong with it; test/cose/usual.test.ts holds the two together.
 * @module
 */

/** Where the parts stand; the signature is the last 64 bytes. */
export interface UsualParts {
  readonly protectedStart: number;
  readonly protectedEnd: number;
  readonly payloadStart: number;
  readonly payloadEnd: number;
}

// tag 18 and the head of an array of four; an empty map; the head of 64 bytes
const TAG_SIGN1 = 0xd2;
const ARRAY_OF_4 = 0x84;
const EMPTY_MAP = 0xa0;
const BYTES_IN_1 = 0x58;
const BYTES_IN_2 = 0x59;
const signatureBytes = 64;

/** The parts of a usual message, or undefined. */
export function usualParts(bytes: Uint8Array): UsualParts | undefined {
  if (bytes[0] !== TAG_SIGN1 || bytes[1] !== ARRAY_OF_4 || bytes[2] !== BYTES_IN_1) return undefined;
  const protectedLength = bytes[3] as number;
  if (!(protectedLength >= 24)) return undefined; // the shorter head would be the one
  const protectedEnd = 4 + protectedLength;
  const at = protectedEnd + 1;
  if (bytes[protectedEnd] !== EMPTY_MAP) return undefined;
  let payloadStart: number;
  let payloadLength: number;
  if (bytes[at] === BYTES_IN_1) {
    payloadLength = bytes[at + 1] as number;
    payloadStart = at + 2;
    if (!(payloadLength >= 24)) return undefined;
  } else if (bytes[at] === BYTES_IN_2) {
    payloadLength = ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
    payloadStart = at + 3;
    if (!(payloadLength >= 0x100)) return undefined;
  } else return undefined;
  const payloadEnd = payloadStart + payloadLength;
  if (bytes.length !== payloadEnd + 2 + signatureBytes || bytes[payloadEnd] !== BYTES_IN_1 || bytes[payloadEnd + 1] !== signatureBytes) return undefined;
  return { protectedStart: 4, protectedEnd, payloadStart, payloadEnd };
}
