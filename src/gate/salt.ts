/**
 * Salts for the digests of arguments (spec/gate.md, GAT-3).
 * @module
 */
import { randomBytes } from 'node:crypto';

/** 16 random bytes as hex: a salt of its own for each call. */
export function randomSalt(): string {
  return randomBytes(16).toString('hex');
}
