/**
 * Trust stores as the command line writes them (spec/receipt.md, "Trust store").
 * @module
 */
import { type PublicKey, publicJwk } from '../cose/keys.js';
import type { Role } from '../receipt/trust.js';

/** An entry that lets a key speak for one engine, or about it in another role. */
export function trustEntry(key: PublicKey, engineId: string, role: Role = 'engine'): object {
  return { role, engine_ids: [engineId], kid: key.kid, key: publicJwk(key) };
}

/** A trust store as text. */
export function trustText(store: { readonly keys: readonly unknown[] }): string {
  return `${JSON.stringify(store, undefined, 2)}\n`;
}
