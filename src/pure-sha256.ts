/**
 * SHA-256 in plain JavaScript, for where there is no native crypto. The only importer of @noble/hashes.
 * @module
 */
import { sha256 } from '@noble/hashes/sha2.js';

/** SHA-256 of bytes (FIPS 180-4). */
export function pureSha256(bytes: Uint8Array): Uint8Array {
  return sha256(bytes);
}
