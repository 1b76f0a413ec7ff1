/**
 * Bytes in tests are written as hex, with spaces where they help the eye.
 * @module
 */
import { fromHex } from '../../src/bytes.js';

export function unhex(text: string): Uint8Array {
  const bytes = fromHex(text.replaceAll(' ', ''));
  if (bytes === undefined) throw new Error(`not hex: ${text}`);
  return bytes;
}
