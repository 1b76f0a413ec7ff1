/**
 * SHA-256, native where there is one.
 * @module
 */
import { hex } from './bytes.js';
import { native } from './native.js';
import { pureSha256 } from './pure-sha256.js';

/** SHA-256 of bytes (FIPS 180-4): 32 bytes, owned by the caller. */
export function sha256(bytes: Uint8Array): Uint8Array {
  if (native.crypto === undefined) return pureSha256(bytes);
  return new Uint8Array(native.crypto.createHash('sha256').update(bytes).digest());
}

/** `sha256:` and 64 lower-case hex digits: how every hash is written on the wire. */
export function sha256Text(bytes: Uint8Array): string {
  if (native.crypto === undefined) return `sha256:${hex(pureSha256(bytes))}`;
  // crypto.hash came with Node 20.12 and is the fastest for small inputs
  const digest = native.crypto.hash?.('sha256', bytes, 'hex') ?? native.crypto.createHash('sha256').update(bytes).digest('hex');
  return `sha256:${digest}`;
}

/** Whether a text is a hash as the wire spells it. */
export function isHashText(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}
