/**
 * Refusals that say which argument, and nothing of what it holds: they go to models, people and logs (MAP-17).
 * @module
 */
import { RuleprintError, type Where } from '../errors.js';

/**
 * Does what may be refused. The refusal keeps its code and its hint; message and place are the caller's, and no cause stays, since it would quote the agent.
 */
export function refusedAs<T>(message: string, where: Where, act: () => T): T {
  let found: RuleprintError;
  try {
    return act();
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    found = error;
  }
  const { code, hint } = found;
  throw new RuleprintError({ code, message, where, ...(hint !== undefined && { hint }) });
}

/** The reason of the receipt of a call that was refused. */
export function refusalReason(error: unknown): 'unmapped' | 'not-canonical' | 'fault' {
  if (!(error instanceof RuleprintError)) return 'fault';
  if (error.where.pointer === '/tool') return 'not-canonical';
  return /^(?:path|host)-/.test(error.code) ? 'not-canonical' : 'unmapped';
}
