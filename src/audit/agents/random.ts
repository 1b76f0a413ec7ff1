/**
 * Random numbers that a seed repeats (spec/audit-run.md, AUR-10): never for a secret.
 * @module
 */
import { concat, field, u32be } from '../../bytes.js';
import { sha256 } from '../../hash.js';

/** A number from 0 up to 1, by what the seed is used for. */
export function chance(seed: number, use: string): number {
  return u32Of(concat(field('ruleprint/chance/1'), u32be(seed), field(use))) / 2 ** 32;
}

/** The seed of an epoch: 0 to 2^31-1, which every server takes. */
export function epochSeed(seed: Uint8Array, epoch: number): number {
  return u32Of(concat(field('ruleprint/epoch-seed/1'), seed, u32be(epoch))) >>> 1;
}

function u32Of(bytes: Uint8Array): number {
  return new DataView(sha256(bytes).buffer).getUint32(0);
}
