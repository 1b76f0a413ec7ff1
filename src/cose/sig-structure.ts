/**
 * What a COSE_Sign1 signs (RFC 9052 section 4.4).
 * @module
 */
import { byteStringLength, writeByteString } from './head.js';

const none = new Uint8Array(0);
// the head of an array of four and the text "Signature1"
const start = Uint8Array.of(0x84, 0x6a, 0x53, 0x69, 0x67, 0x6e, 0x61, 0x74, 0x75, 0x72, 0x65, 0x31);

/** What stands in front of the payload where nothing else is signed with it: the same for all messages with one protected header. */
export function sigStructureStart(protectedBytes: Uint8Array): Uint8Array {
  return buildSigStructure(protectedBytes, none).slice(0, -1);
}

/** {@link buildSigStructure} by its start. */
export function sigStructureBehind(front: Uint8Array, payload: Uint8Array): Uint8Array {
  const out = new Uint8Array(front.length + byteStringLength(payload));
  out.set(front);
  writeByteString(out, front.length, payload);
  return out;
}

/**
 * `["Signature1", protected, external_aad, payload]` in deterministic CBOR.
 *
 * @example
 * sha256Text(buildSigStructure(protectedBytes, payload)); // the receipt hash
 * @param protectedBytes the protected header as it stands in the message, never made again from its values
 */
export function buildSigStructure(protectedBytes: Uint8Array, payload: Uint8Array, externalAad: Uint8Array = none): Uint8Array {
  const out = new Uint8Array(start.length + byteStringLength(protectedBytes) + byteStringLength(externalAad) + byteStringLength(payload));
  out.set(start);
  let at = start.length;
  for (const part of [protectedBytes, externalAad, payload]) at = writeByteString(out, at, part);
  return out;
}
