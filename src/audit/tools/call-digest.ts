/**
 * The digests that bind a call in a transcript to its receipt and to its result (spec/audit-run.md, AUR-3, AUR-14).
 * @module
 */
import { utf8 } from '../../bytes.js';
import { argsDigest } from '../../digest/args-digest.js';
import { RuleprintError } from '../../errors.js';
import { sha256Text } from '../../hash.js';

/** Of the arguments, as the receipt of an unsalted gate has it; undefined where they have none (DIG-9). */
export function callDigest(args: unknown): string | undefined {
  try {
    return argsDigest(args);
  } catch (error) {
    if (error instanceof RuleprintError) return undefined;
    throw error;
  }
}

/** Of the result as the agent read it. */
export function resultDigest(result: string): string {
  return sha256Text(utf8(result.toWellFormed()));
}
