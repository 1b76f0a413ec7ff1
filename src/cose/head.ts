/**
 * The head of a CBOR item (RFC 8949 section 3) in its shortest form, for messages that are put together from parts.
 * @module
 */

/** How many bytes the head of an item with this argument has. The argument is below 2^32, as every length here is. */
export function headLength(argument: number): number {
  return argument < 24 ? 1 : argument < 0x100 ? 2 : argument < 0x10000 ? 3 : 5;
}

/** How long bytes are as a byte string, head and all. */
export function byteStringLength(bytes: Uint8Array): number {
  return headLength(bytes.length) + bytes.length;
}

/** Writes a byte string, head and bytes, at `at`; gives the offset after it. */
export function writeByteString(into: Uint8Array, at: number, bytes: Uint8Array): number {
  const after = writeByteStringHead(into, at, bytes.length);
  into.set(bytes, after);
  return after + bytes.length;
}

function writeByteStringHead(into: Uint8Array, at: number, length: number): number {
  const size = headLength(length) - 1;
  into[at] = BYTE_STRING | (size === 0 ? length : size === 1 ? 24 : size === 2 ? 25 : 26);
  for (let i = 0; i < size; i++) into[at + 1 + i] = length >>> (8 * (size - 1 - i));
  return at + 1 + size;
}

const BYTE_STRING = 2 << 5;
