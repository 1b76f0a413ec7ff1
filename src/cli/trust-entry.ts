/**
 * Trust stores as the command line writes them (spec/receipt.md, "Trust store").
 * @module
 */
import { type PublicKey, publicJwk } from '../cose/keys.js';

/** An entry that lets a key speak for one engine. */
export function trustEntry(key: PublicKey, engineId: string): object {
  return { role: 'engine', engine_ids: [engineId], kid: key.kid, key: publicJwk(key) };
}

/** A trust store as text. */
export function trustText(store: { readonly keys: readonly unknown[] }): string {
  return `${JSON.stringify(store, undefined, 2)}\n`;
}
